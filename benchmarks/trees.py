"""Processes that see one checkout of taut: its sources, compiled kernels of its own, the benchmarks of this one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Tree:
    """A checkout, a folder for what is compiled from it, and what else its processes find in their environment."""

    root: Path
    cache: Path
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def package(self) -> Path:
        return self.root / "src" / "taut"

    def environment(self, cache: Path | None = None) -> dict[str, str]:
        kept = str(cache or self.cache)
        return {
            # Byte code is there, as it is where taut is installed.
            **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
            "PYTHONPYCACHEPREFIX": str(self.cache / "bytecode"),
            "PYTHONPATH": os.pathsep.join((str(self.root / "src"), str(HERE))),
            "NUMBA_CACHE_DIR": kept,
            "XDG_CACHE_HOME": kept,
            "TAUT_TREE": str(self.package),
            "OPENBLAS_NUM_THREADS": "1",
            **self.settings,
        }

    def start(self, module: str, *arguments: str, **pipes: Any) -> subprocess.Popen[str]:
        """A module of these benchmarks at work on this checkout."""
        command = [sys.executable, "-P", "-m", f"benchmarks.{module}", *arguments]
        return subprocess.Popen(command, env=self.environment(), text=True, **pipes)

    def taut_run(self, model: Path, cache: Path | None = None) -> float:
        """CPU time [s] of `taut run` of a model file, in a folder that is gone afterwards."""
        name = "taut" if (self.package / "__main__.py").exists() else "taut.cli"
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-P", "-m", name, "run", str(model), "-o", str(Path(folder) / "run.nc")]
            running = subprocess.Popen(
                command, env=self.environment(cache), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
            assert running.stderr is not None
            said = running.stderr.read().decode()
            _, status, used = os.wait4(running.pid, 0)
            running.stderr.close()
            running.returncode = os.waitstatus_to_exitcode(status)
        if running.returncode:
            raise SystemExit(f"{self.root}: taut run {model.name} failed:\n{said}")
        return used.ru_utime + used.ru_stime


def tree(root: Path, folder: str, label: str) -> Tree:
    """A checkout with its cache in a folder; ends the command where there is none."""
    made = Tree(root.resolve(), Path(folder) / label)
    if not made.package.is_dir():
        raise SystemExit(f"{root}: no checkout of taut, there is no src/taut in it")
    made.cache.mkdir()
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(made.package)], env=made.environment(), check=True)
    return made


def check_origin() -> None:
    """In a process of a tree: whether taut is the tree's own, not one that is installed."""
    import taut

    wanted = os.environ.get("TAUT_TREE")
    found = Path(taut.__file__).resolve().parent
    if wanted and found != Path(wanted):
        raise SystemExit(f"taut was found in {found}, not in {wanted}")


def commit(root: Path) -> str:
    """Which commit a checkout is at, with a + where it was changed since."""
    asked = ("rev-parse", "--short", "HEAD"), ("status", "--porcelain", "--untracked-files=no", "src")
    said = [subprocess.run(("git", "-C", str(root), *a), capture_output=True, text=True).stdout.strip() for a in asked]
    return f"{said[0] or 'unknown'}{'+' if said[1] else ''}"


def spent(work: Callable[[], object]) -> float:
    """CPU time [s] that this process takes for it."""
    begun = time.process_time()
    work()
    return time.process_time() - begun
