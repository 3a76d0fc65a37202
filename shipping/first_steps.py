"""First steps with an installation, each held against what it should come to: commands, examples, a folder nobody can
write to. Nothing of the checkout is used."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from environments import Environment, Failed, without_leave

COMPILING = "compiling the equations"
CANNOT_BE_KEPT = "compiled code cannot be kept"

KERNEL = "from taut.numerics.powers import raised; assert abs(raised(2.0, 0.5) - 2**0.5) < 1e-15; "
"""A kernel of a few lines, which compiles in a second."""
WAS_IT_COMPILED = KERNEL + "from taut.numerics.compile_events import compiled_anything; print(compiled_anything())"


@dataclass(frozen=True)
class Steps:
    """Commands in an environment, one after another in one folder; what a step comes to is said in a line."""

    environment: Environment
    folder: Path
    say: Callable[[str], None]

    def step(self, *told: str, out: str = "", err: str = "", code: int = 0, leave: bool = True, home: str = "") -> str:
        """A command's stdout; it has to end with this code, and to say these words and nothing else on stderr.

        leave: False for a user who may not write into the installation, whoever runs this.
        """
        settings = {**self.environment.settings, **({"HOME": home} if home else {})}
        call = [*told] if leave else without_leave([*told])
        begun = time.perf_counter()
        done = subprocess.run(call, cwd=self.folder, env=settings, capture_output=True, text=True)
        typed = " ".join(told)
        silent = bool(err) or not done.stderr
        if done.returncode != code or out not in done.stdout or err not in done.stderr or not silent:
            wanted = f"exit code {code}, {out!r} on stdout, {err!r} on stderr"
            raise Failed(f"{typed}\nwanted: {wanted}\ncame: {done.returncode}\n{done.stdout}\n{done.stderr}")
        self.say(f"  {time.perf_counter() - begun:6.1f} s  {typed if len(typed) < 80 else typed[:76] + ' ...'}")
        return done.stdout

    @property
    def package(self) -> Path:
        return Path(self.environment.ask("import taut; print(next(iter(taut.__path__)))"))

    def commands(self, version: str, examples: list[str]) -> None:
        """What somebody does first."""
        if not self.package.is_relative_to(self.environment.folder):
            raise Failed(f"taut is imported from {self.package}, not from {self.environment.folder}")
        self.step("taut", "--version", out=f"taut {version}\n")
        self.step("python", "-m", "taut", "--version", out=f"taut {version}\n")
        listed = [line.split()[0] for line in self.step("taut", "examples").splitlines()]
        if listed != examples:
            raise Failed(f"`taut examples` lists {listed}, the sources have {examples}")
        self.step("taut", "examples", "tbar", out="wrote tbar.yaml")
        self.step("taut", "check", "tbar.yaml", out="sound; 4 nodes, 2 bars, 4 cables")
        self.step("taut", "info", "tbar.yaml", out="Super-stable")
        self.step("taut", "run", "tbar.yaml", out="simulated         10 s", err=COMPILING)
        self.step("taut", "run", "tbar.yaml", "-o", "again.nc", out="simulated         10 s")  # nothing compiled
        self.step("taut", "page", "tbar.nc", out="page: tbar.html")
        if "</html>" not in (self.folder / "tbar.html").read_text(encoding="utf-8"):
            raise Failed("tbar.html is no whole page")
        self.step("taut", "plot", "tbar.nc", code=2, err='pip install "taut[plot]"')  # no extras, and a word about it

    def read_only(self) -> None:
        """The same where the installation cannot be written to: code is kept at home, or a line says that it is not."""
        package = self.package
        for path in package.rglob("__pycache__"):
            shutil.rmtree(path)
        folders = [package, *(path for path in package.rglob("*") if path.is_dir())]
        for path in folders:
            path.chmod(stat.S_IRUSR | stat.S_IXUSR)
        probe = f"open({str(package / 'probe')!r}, 'w')"
        self.step("python", "-c", probe, code=1, err="PermissionError", leave=False)
        try:
            self.step("python", "-c", WAS_IT_COMPILED, out="True", leave=False)
            self.step("python", "-c", WAS_IT_COMPILED, out="False", leave=False)  # kept at home
            self.step("python", "-c", WAS_IT_COMPILED, out="True", err=CANNOT_BE_KEPT, leave=False, home=os.devnull)
            self.step("taut", "run", "tbar.yaml", "--duration", "1", err=COMPILING, leave=False)
            self.step("taut", "run", "tbar.yaml", "--duration", "1", out="simulated         1 s", leave=False)
        finally:
            for path in folders:
                path.chmod(stat.S_IRWXU)
