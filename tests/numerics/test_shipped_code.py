"""Code that comes with a wheel: used where it was made for, left alone anywhere else, and the same to the last bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from taut.numerics.shipped_code import FEATURES, MANIFEST, compiler_settings, lacking, surroundings

ROOT = Path(__file__).parents[2]

SUM = """
import os, pathlib, sys
from taut.numerics import shipped_code
from taut.numerics.compile_events import compiled_anything
from taut.numerics.compiled import entry, inlined

@inlined
def scaled(a, b):
    return a * b

@entry
def total(a, b, c):
    return scaled(a, b) + c

if __name__ == "__main__":
    store = pathlib.Path(sys.argv[1])
    if "KEEP" in os.environ:
        sys.path.insert(0, os.environ["KEEP"])
        import compiled_code
        compiled_code.keep_what_is_loaded(store)
    else:
        shipped_code.STORE = store
    print(total(1.0 + 2.0**-30, 1.0 - 2.0**-30, -1.0), "compiled" if compiled_anything() else "loaded")
    if "KEEP" in os.environ:
        compiled_code.say_what_for(store)
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


def called(script: Path, store: Path, cache: Path | str, **changed: str) -> subprocess.CompletedProcess[str]:
    places = {"NUMBA_CACHE_DIR": str(cache), "HOME": str(cache), "XDG_CACHE_HOME": str(cache)}
    command = [sys.executable, str(script), str(store)]
    return subprocess.run(command, env={**os.environ, **places, **changed}, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the code of a small kernel."""
    place = tmp_path_factory.mktemp("made")
    store = place / "store"
    store.mkdir()
    (place / "total.py").write_text(SUM)
    for ended in ("0.0 compiled\n", "0.0 loaded\n"):  # the exact sum is -2^-60, which one rounding more makes 0
        keep = {"KEEP": str(ROOT / "shipping"), **compiler_settings()}
        done = called(place / "total.py", store, place / "cache", **keep)
        assert (done.stdout, done.stderr) == (ended, "")
    assert len(list(store.iterdir())) == 2
    return store


@pytest.fixture
def run(shipped: Path, tmp_path: Path) -> Run:
    """The same kernel in a file that stands elsewhere, was written later, and finds no place to keep anything."""
    script = tmp_path / "total.py"
    (tmp_path / "__pycache__").touch()

    def call(store: Path = shipped, text: str = SUM, **changed: str) -> subprocess.CompletedProcess[str]:
        script.write_text(text)
        return called(script, store, "/dev/null", **changed)

    return call


def copied(store: Path, folder: Path) -> Path:
    folder.mkdir()
    for path in store.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def test_shipped_code_is_used_without_a_place_for_a_cache_and_without_a_word(run: Run) -> None:
    done = run()
    assert (done.stdout, done.stderr) == ("0.0 loaded\n", "")


@pytest.mark.parametrize(
    ("before", "after", "ended"),
    [("a * b", "a - b", "-0.9999999981373549 compiled\n"), ("def total(", "def  total(", "0.0 loaded\n")],
    ids=["kernel", "spaces"],
)
def test_an_edited_kernel_is_compiled(before: str, after: str, ended: str, run: Run) -> None:
    assert run(text=SUM.replace(before, after)).stdout == ended


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "numba" else pytest.mark.slow) for name in sorted(surroundings())]
)
def test_code_made_for_other_surroundings_is_left_alone(name: str, run: Run, shipped: Path, tmp_path: Path) -> None:
    store = copied(shipped, tmp_path / "other")
    told = json.loads((store / MANIFEST).read_text())
    (store / MANIFEST).write_text(json.dumps({**told, name: told[name] + ".1"}))
    assert run(store).stdout == "0.0 compiled\n"


@pytest.mark.parametrize(
    "asked",
    [
        {"TAUT_HOST_CODE": "1"},
        *(pytest.param(other, marks=pytest.mark.slow) for other in ({"NUMBA_OPT": "1"}, {"NUMBA_CPU_NAME": "generic"})),
    ],
)
def test_who_asks_for_other_code_gets_it(asked: dict[str, str], run: Run) -> None:
    assert run(**asked).stdout == "0.0 compiled\n"


def test_a_processor_without_the_features_is_told_from_one_that_has_them(run: Run) -> None:
    every = dict.fromkeys(FEATURES, True)
    assert lacking({**every, "avx512f": True}) is None
    assert lacking({**every, "fma": False}) == "this processor has no fma"
    older = SUM.replace(
        "shipped_code.STORE = store", 'shipped_code.STORE = store; shipped_code.lacking = lambda _: "x"'
    )
    assert run(text=older).stdout == "0.0 compiled\n"


@pytest.mark.parametrize("kind", [pytest.param("cut", marks=pytest.mark.slow), "bit"])
def test_damaged_code_is_compiled_with_a_line(kind: str, run: Run, shipped: Path, tmp_path: Path) -> None:
    store = copied(shipped, tmp_path / "damaged")
    (path,) = store.glob("*.nbc")
    content, middle = path.read_bytes(), path.stat().st_size // 2
    rest = b"" if kind == "cut" else bytes([content[middle] ^ 1]) + content[middle + 1 :]
    path.write_bytes(content[:middle] + rest)
    done = run(store)
    assert done.stdout == "0.0 compiled\n"
    assert "code of total cannot be used (its checksum does not fit); it is compiled instead" in done.stderr


COMMAND = """
import sys, pathlib
from taut.numerics import shipped_code
shipped_code.STORE = pathlib.Path(sys.argv[1])
from taut.cli import main
main(sys.argv[2:])
"""


@pytest.mark.slow
def test_a_run_by_shipped_code_has_the_bits_of_one_compiled_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "shipping"))
    import compiled_code

    asked = ["run", str(ROOT / "examples" / "tbar.yaml"), "-o"]
    compiled_code.made(tmp_path / "store", [[*asked, "x.nc"]])
    files = [tmp_path / "shipped.nc", tmp_path / "host.nc"]
    for path, more in zip(files, ({}, {"TAUT_HOST_CODE": "1"}), strict=True):
        settings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / path.stem), **more}
        command = [sys.executable, "-c", COMMAND, str(tmp_path / "store"), *asked, str(path)]
        done = subprocess.run(command, env=settings, capture_output=True, text=True, check=True)
        assert ("compiling the equations" in done.stderr) == bool(more)
    with h5py.File(files[0]) as shipped, h5py.File(files[1]) as host:
        names = [name for name, entry in shipped.items() if isinstance(entry, h5py.Dataset) and entry.dtype.kind == "f"]
        assert len(names) > 10
        for name in names:
            assert np.array_equal(shipped[name][()], host[name][()], equal_nan=True), name
