"""The command run in this process: exit code, stdout and stderr."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from taut.cli import main
from taut.cli.application import COMPILING

EXAMPLES = Path(__file__).parents[2] / "examples"


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def taut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """`taut("run", path, ...)`, in an empty folder; that it compiles, where nothing has before, is not passed on."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Outcome:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Outcome(int(ended.value.code or 0), out, err.replace(f"{COMPILING}\n", ""))

    return call


@pytest.fixture
def tbar(tmp_path: Path) -> Path:
    """A copy of the T-bar's model file, which is at rest for no moment."""
    path = tmp_path / "tbar.yaml"
    path.write_text((EXAMPLES / "tbar.yaml").read_text())
    return path
