"""`make dist`, or `python shipping/try_installation.py [--python PATH ...] [--oldest PATH] [--tests]`.

For maintainers, before a release: wheel and sdist are built and tried, the wheel that the sdist gives beside that of
the sources. For every interpreter they are installed into an environment of its own in a temporary folder, without any
extra, and first steps are taken there (`first_steps.py`). `--tests` runs a part of the quick tests on top of that,
those of the sdist against what was installed, with all dependencies as new as they come; `--oldest` does the same with
the versions that pyproject.toml begins with (`lower_bounds.py`). Wheel and sdist are left in `dist/` where all went
well.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

from environments import Environment, Failed, called
from first_steps import Steps
from lower_bounds import constraints

ROOT = Path(__file__).resolve().parents[1]

RUNNERS = ("pytest", "hypothesis")
"""All that the tests of the part need; extras of taut are not among it."""

PART = (
    "tests/structure",
    "tests/numerics/test_linked_code.py",
    "tests/test_public_names.py",
)
"""Tests that tell much and compile little: files, records, what is used of numba's inside, every public name."""


def built(place: Path) -> tuple[Path, Path, Path]:
    """The sdist, the wheel, and the wheel that the sdist gives."""
    maker = Environment.made(sys.executable, place / "maker")
    maker.install("build")
    called(maker.python, "-m", "build", "--sdist", "--wheel", "--outdir", place / "dist", ROOT, env=maker.settings)
    (sdist,), (wheel,) = (place / "dist").glob("*.tar.gz"), (place / "dist").glob("*.whl")
    again = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", place / "second", sdist)
    called(maker.python, *again, env=maker.settings)
    (second,) = (place / "second").glob("*.whl")
    return sdist, wheel, second


def contents(wheel: Path) -> dict[str, str]:
    """The files of a wheel and what is in them."""
    with zipfile.ZipFile(wheel) as held:
        return {name: hashlib.sha256(held.read(name)).hexdigest() for name in held.namelist()}


def same_files(wheel: Path, second: Path) -> None:
    """Whoever builds from the sdist is to get what others get."""
    one, other = contents(wheel), contents(second)
    if one != other:
        apart = sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
        raise Failed(f"the wheel of the sdist is another than that of the sources: {', '.join(apart)}")


def versions(environment: Environment) -> str:
    names = ("numba", "llvmlite", "numpy", "scipy", "h5py", "pydantic", "typer", "daqp")
    told = f"from importlib.metadata import version; print(*(f'{{n}} {{version(n)}}' for n in {names}), sep=', ')"
    return environment.ask(told)


def tried(python: str, wheel: Path, sdist: Path, place: Path, options: Sequence[str], tests: bool) -> None:
    """All steps with one interpreter, and with what pip is told on top."""
    environment = Environment.made(python, place)
    environment.install(wheel, *options)
    number = environment.ask("import platform; print(platform.python_version())")
    print(f"\nPython {number}{', the oldest that is allowed' if options else ''}: {versions(environment)}", flush=True)
    folder = place / "models"
    folder.mkdir()
    steps = Steps(environment, folder, lambda line: print(line, flush=True))
    examples = sorted(path.name for path in (ROOT / "examples").iterdir() if path.suffix in (".yaml", ".py"))
    steps.commands(wheel.name.split("-")[1], examples)
    environment.install("--force-reinstall", "--no-deps", sdist)
    print("  installed from the sdist, where nobody can write:")
    steps.read_only()
    if tests:
        environment.install(*RUNNERS, *options)
        with tarfile.open(sdist) as packed:
            packed.extractall(place, filter="data")
        (sources,) = place.glob("taut-*")
        shutil.rmtree(sources / "src")  # what was installed is tested
        call = ["-m", "pytest", "-p", "no:cacheprovider", "-m", "not slow", *PART]
        said = called(environment.python, *call, folder=sources, env=environment.settings)
        print(f"  tests: {said.strip().splitlines()[-1]}", flush=True)


def main() -> None:
    told = argparse.ArgumentParser(description=__doc__)
    told.add_argument("--python", action="append", default=[], metavar="PATH", help="an interpreter; this one if none")
    told.add_argument("--oldest", metavar="PATH", help="an interpreter for the oldest versions that are allowed")
    told.add_argument("--tests", action="store_true", help="run a part of the quick tests, too")
    asked = told.parse_args()
    begun, failed = time.perf_counter(), 0
    with tempfile.TemporaryDirectory() as held:
        place = Path(held)
        sdist, wheel, second = built(place)
        same_files(wheel, second)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB; the sdist gives the same files")
        oldest = place / "constraints.txt"
        oldest.write_text(constraints(), encoding="utf-8")
        plain = asked.python or ([] if asked.oldest else [sys.executable])
        cases = [(python, [], asked.tests) for python in plain]
        cases += [(asked.oldest, ["--constraint", str(oldest)], True)] if asked.oldest else []
        for number, (python, options, tests) in enumerate(cases):
            try:
                tried(python, wheel, sdist, place / str(number), options, tests)
            except Failed as error:
                failed += 1
                print(f"  FAILED with {python}: {error}", flush=True)
        if not failed:
            (ROOT / "dist").mkdir(exist_ok=True)
            for made in (sdist, wheel):
                shutil.copy(made, ROOT / "dist")
    names = ", ".join([*plain, *([f"{asked.oldest} with the oldest versions"] if asked.oldest else [])])
    print(f"\ntried: {names}; {failed} failed, {time.perf_counter() - begun:.0f} s")
    raise SystemExit(min(failed, 1))


if __name__ == "__main__":
    main()
