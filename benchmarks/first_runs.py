"""What first commands take after a wheel was installed: `python -m benchmarks.first_runs [WHEEL] [--only WORD ...]`.

The wheel (of dist, by `make wheel`, unless one is named) is installed into an environment of its own, and every command
of `shipping/first_commands.py` runs there in a process of its own, with nothing compiled before. CPU seconds of the
whole process, as the system counts them; whether numba compiled anything, by the line that the command says then, and
whether it kept anything, by the files in its cache. The T-bar is to take 3 s at most.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "shipping"))

from first_commands import FIRST, laid_out  # noqa: E402

MOST = 3.0
"""CPU seconds that the first run of the T-bar may take."""


@dataclass(frozen=True)
class First:
    """A command that was run for the first time."""

    told: Sequence[str]
    cpu: float
    code: int
    said_that_it_compiles: bool
    kept: int

    @property
    def compiled(self) -> bool:
        return self.said_that_it_compiles or self.kept > 0

    def __str__(self) -> str:
        how = f"compiled, {self.kept} files" if self.compiled else "nothing compiled"
        failed = f", exit code {self.code}" if self.code else ""
        return f"{self.cpu:6.2f} s  {how + failed:<28} taut {' '.join(self.told)}"


def installed(wheel: Path, folder: Path) -> Path:
    """The folder of programs of a new environment with the wheel in it, and Pinocchio, for the examples of trees."""
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run(
        [programs / "python", "-m", "pip", "install", "--quiet", f"{wheel.resolve()}[compiled,tree]"], check=True
    )
    return programs


def run(programs: Path, told: Sequence[str], folder: Path) -> First:
    """A command with an empty cache of its own."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "PYTHON"))}
        before = os.times()
        done = subprocess.run(
            [programs / "taut", *told],
            env={**environment, "NUMBA_CACHE_DIR": cache},
            cwd=folder,
            capture_output=True,
            text=True,
        )
        after = os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        kept = sum(path.is_file() for path in Path(cache).rglob("*"))
    return First(told, cpu, done.returncode, "compiling the equations" in done.stderr, kept)


def measured(wheel: Path, commands: Sequence[Sequence[str]] = FIRST) -> Iterator[First]:
    """Each command once, in their order: some read what others have written."""
    with tempfile.TemporaryDirectory() as place:
        programs = installed(wheel, Path(place) / "environment")
        folder = Path(place) / "models"
        folder.mkdir()
        laid_out(folder)
        for told in commands:
            yield run(programs, told, folder)


def main() -> None:
    told = argparse.ArgumentParser(description=__doc__)
    told.add_argument("wheel", nargs="?", type=Path)
    told.add_argument("--only", nargs="*", default=[])
    asked = told.parse_args()
    wheel = asked.wheel or max((ROOT / "dist").glob("*.whl"), key=lambda path: path.stat().st_mtime)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {time.strftime('%Y-%m-%d')}")
    commands = [one for one in FIRST if not asked.only or any(word in " ".join(one) for word in asked.only)]
    done = []
    for one in measured(wheel, commands):
        done.append(one)
        print(one, flush=True)
    tbar = next((one for one in done if one.told[1] == "tbar.yaml"), None)
    if tbar is not None:
        print(f"the T-bar: {tbar.cpu:.2f} s of {MOST:.0f}: {'met' if tbar.cpu <= MOST else 'MISSED'}")
    compiled, failed = sum(one.compiled for one in done), sum(one.code != 0 for one in done)
    print(f"{len(done)} commands: {compiled} compiled something, {failed} failed")
    if failed or (tbar is not None and tbar.cpu > MOST):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
