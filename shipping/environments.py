"""Environments of their own, in temporary folders, for what is tried there before a release.

Commands see nothing of the machine's own settings: no NUMBA_*, no PYTHON*, no TAUT_*, another home.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = "Scripts" if os.name == "nt" else "bin"


class Failed(Exception):
    """Something did not come out as it should; the message has what was said."""


def called(*told: object, folder: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """What a program says on stdout; it has to succeed."""
    done = subprocess.run([*map(str, told)], cwd=folder, env=env, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, told))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


@dataclass(frozen=True)
class Environment:
    """An environment of Python, and a home for whoever works in it."""

    folder: Path
    home: Path

    @classmethod
    def made(cls, python: str | Path, place: Path) -> Environment:
        """A new one by an interpreter."""
        place.mkdir(parents=True)
        (place / "home").mkdir()
        called(python, "-m", "venv", place / "environment")
        return cls(place / "environment", place / "home")

    @property
    def python(self) -> Path:
        return self.folder / PROGRAMS / "python"

    def install(self, *told: object) -> None:
        called(self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *told)

    @property
    def settings(self) -> dict[str, str]:
        """The environment variables of a command."""
        machine = ("NUMBA_", "PYTHON", "TAUT_", "XDG_")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(machine)}
        path = f"{self.folder / PROGRAMS}{os.pathsep}{kept.get('PATH', '')}"
        return {**kept, "HOME": str(self.home), "PATH": path, "OPENBLAS_NUM_THREADS": "1"}

    def ask(self, source: str) -> str:
        """What a line of Python prints here."""
        return called(self.python, "-c", source, folder=self.home, env=self.settings).strip()


def without_leave(told: list[str]) -> list[str]:
    """A command that may write only where its user may: the superuser loses the leave to write everywhere."""
    if os.name == "nt" or os.geteuid() != 0:
        return told
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise Failed("root may write everywhere: try it as another user, or with setpriv (of util-linux) installed")
    return [setpriv, "--bounding-set=-all", "--inh-caps=-all", *told]
