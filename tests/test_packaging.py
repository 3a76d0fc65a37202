"""What comes with the package: a marker for type checkers, a citation, and the ways to call the command."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from ruamel.yaml import YAML

import taut

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_type_checkers_are_told_that_there_are_types() -> None:
    assert (Path(taut.__file__).parent / "py.typed").read_bytes() == b""
    assert "Typing :: Typed" in PROJECT["classifiers"]


def test_the_citation_is_of_this_version() -> None:
    told = YAML(typ="safe").load(ROOT / "CITATION.cff")
    assert told["cff-version"] == "1.2.0"
    assert (told["version"], told["license"]) == (taut.__version__, PROJECT["license"])
    assert told["authors"] == PROJECT["authors"]
    assert told["keywords"] == PROJECT["keywords"]
    assert told["message"]
    assert told["title"]


@pytest.mark.parametrize("module", ["taut", "taut.cli"])
def test_the_command_as_a_module(module: str) -> None:
    told = subprocess.run([sys.executable, "-m", module, "--version"], capture_output=True, text=True, check=True)
    assert (told.stdout, told.stderr) == (f"taut {taut.__version__}\n", "")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("taut pre", ["prestress"]), ("taut run --cor", ["--correction"]), ("taut --install", ["--install-completion"])],
)
def test_the_shell_completes_commands_and_options(typed: str, offered: list[str]) -> None:
    asked = {"_TAUT_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    told = subprocess.run(
        [sys.executable, "-m", "taut"], env={**os.environ, **asked}, capture_output=True, text=True, check=True
    )
    assert (told.stdout.split(), told.stderr) == (offered, "")


def test_the_wheel_with_compiled_code_is_for_the_system_of_numbas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "shipping"))
    import compiled_code

    told = "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_27_x86_64\nTag: cp311-cp311-manylinux_2_28_x86_64\n"
    assert compiled_code.wheel_tag(told) == "cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64"
    monkeypatch.setattr(compiled_code, "surroundings", lambda: {"numba": "0.1", "llvmlite": "0.2"})
    with pytest.raises(SystemExit, match=r"code is made with \['numba==0.1', 'llvmlite==0.2'\]: change one"):
        compiled_code.check_versions()


def test_the_first_model_of_the_pages_is_the_one_whose_code_is_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "shipping"))
    import first_commands

    assert first_commands.MAST in (ROOT / "docs" / "start.md").read_text()
    assert {told[1] for told in first_commands.RUNS} >= {path.name for path in (ROOT / "examples").glob("*.yaml")}
