"""What nobody foresaw is said as a mistake in taut; what names hold is shown and not sent to the terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from taut import __version__
from taut.errors import Problem, visible

ESCAPED = """taut: 1
name: "\\e[2Jcleared"
nodes: {"\\e[31ma": [0, 0, 0], b: [1, 0, 0], c: [1, 0, 1]}
bars: {"x\\x07y": {nodes: ["\\e[31ma", c], mass: 1}}
cables:
  "\\u202eeno": {route: ["\\e[31ma", b], stiffness: 100}
  c2: {route: [b, c], stiffness: 100, rest_ratio: 0.9}
supports: {b: xyz, "\\e[31ma": xyz}
scenario: {duration: 0.01}
"""


def lost(*_: object, **__: object) -> None:
    raise ZeroDivisionError("float division\nby zero")


def test_a_mistake_in_taut_says_what_to_send(taut: Callable, tbar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taut.mechanics.model_checks.problems_of_motion", lost)
    told = taut("check", tbar, "--set", "name=a b")
    assert (told.code, told.out) == (3, "")
    lines = told.err.splitlines()
    assert lines[0] == "error: a mistake in taut, not in your input: ZeroDivisionError: float division by zero"
    assert lines[1].startswith("at: taut/cli/models.py:")
    assert lines[1].endswith(" in lost")
    assert lines[2] == f"command: taut check {tbar} --set 'name=a b'"
    assert lines[3].startswith(f"versions: taut {__version__}, Python 3.")
    assert "numba 0." in lines[3]
    assert lines[4].startswith("please send these lines and the model file")
    assert len(lines) == 5


def test_the_traceback_is_shown_to_those_who_ask(tbar: Path) -> None:
    code = (
        "import taut.mechanics.model_checks as m\n"
        "def lost(*_): raise KeyError('k')\n"
        "m.problems_of_motion = lost\n"
        f"from taut.cli import main; main(['check', {str(tbar)!r}])"
    )
    for debug, shown in (("", False), ("1", True)):
        told = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "TAUT_DEBUG": debug}
        )
        assert told.returncode == 3
        assert ("Traceback (most recent call last)" in told.stderr) is shown
        assert "error: a mistake in taut, not in your input: KeyError: 'k'" in told.stderr


def test_names_cannot_steer_the_terminal(taut: Callable, tmp_path: Path) -> None:
    model = tmp_path / "m.yaml"
    model.write_text(ESCAPED)
    asked = [
        ["check", model],
        ["check", model, "--set", "supports.\x1b[31mq=xyz"],
        ["check", model, "--set", "bars.x\x07y.mass=-1"],
        ["check", model, "--set", 'supports."q\nerror: forged"=xyz'],
        ["check", tmp_path / "\x1b[31mno.yaml"],
        ["info", model],
        ["info", model, "--full"],
        ["run", model, "--events", "-o", "run.nc"],
        ["prestress", model],
        ["modes", model],
        ["linear", model, "--input", "\x1b[31ma.x"],
        ["sweep", model, "properties.cable:\x1b[31m.stiffness=1,2"],
        ["page", "run.nc"],
        ["\x1b[31mrun"],
    ]
    for arguments in asked:
        told = taut(*arguments)
        assert told.code in (0, 1, 2), told.err
        for text in (told.out, told.err):
            assert not set(text) & {chr(k) for k in range(0x20) if chr(k) not in "\n\t"}, arguments
            assert "\u202e" not in text
            assert "\nerror: forged" not in text
    assert r"\x1b[2Jcleared" in taut("info", model).out
    assert r'supports.\x1b[31mq: no node "\x1b[31mq"' in taut("check", model, "--set", "supports.\x1b[31mq=xyz").err
    json.loads(taut("run", model, "--json").out)


def test_what_is_visible() -> None:
    assert visible("a\x1b[0m\x7f\x9b1\u2066b\n\tü") == r"a\x1b[0m\x7f\x9b1\u2066b\x0a\x09ü"
    assert visible("a\n\t\r", keep="\n\t") == "a\n\t\\x0d"
    assert str(Problem(("nodes", "a\nb"), "is \x07 not")) == r"nodes.a\x0ab: is \x07 not"


@pytest.mark.parametrize("verb", ["check", "info", "run", "modes", "page"])
@pytest.mark.parametrize(
    ("name", "said"), [("pipe", "is a named pipe"), ("null", "is a device"), ("folder", "is a folder")]
)
def test_what_is_no_file_is_refused_without_waiting(
    taut: Callable, tmp_path: Path, verb: str, name: str, said: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "null").symlink_to(os.devnull)
    (tmp_path / "folder").mkdir()
    assert taut(verb, name) == (2, "", f"{name}: {said}, not a model file\n")


@pytest.mark.parametrize("arguments", [["run", "--from"], ["page"], ["plot"]])
@pytest.mark.parametrize(
    ("name", "said"), [("pipe.nc", "is a named pipe"), ("null.nc", "is a device"), ("d.nc", "is a folder")]
)
def test_and_so_it_is_where_a_run_belongs(
    taut: Callable, tmp_path: Path, arguments: list[str], name: str, said: str
) -> None:
    os.mkfifo(tmp_path / "pipe.nc")
    (tmp_path / "null.nc").symlink_to(os.devnull)
    (tmp_path / "d.nc").mkdir()
    assert taut(*arguments, name) == (2, "", f"{name}: {said}, not a run file\n")


def test_a_record_that_is_a_pipe_is_refused_without_waiting(taut: Callable, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "quake.csv")
    (tmp_path / "m.yaml").write_text(
        "taut: 1\nnodes: {a: [0, 0, 0]}\nsupports: {a: xyz}\npoint_masses: {a: 1}\nscenario:\n  motions:\n"
        "    quake: {axis: x, acceleration: {record: {file: quake.csv}}}\n"
    )
    told = taut("check", "m.yaml")
    assert told.err.endswith("record.file: quake.csv: is a named pipe, not a record\n")
