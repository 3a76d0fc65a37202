"""The modules that come with taut: of these kernels, few bytes, nothing imported."""

from __future__ import annotations

from importlib.resources import files

import pytest

from taut.live.modules import ARCHIVE, LOOPS, manifest, module, python_version, stamp_of
from taut.live.wasm_files import MAGIC, Reader, finished, signed, unsigned

MOST = 150_000
"""Bytes of all modules in the wheel."""


@pytest.mark.parametrize("name", LOOPS)
def test_a_module_is_of_the_kernels_as_they_are(name: str) -> None:
    told = manifest()[name]
    if told["python"] != python_version():
        pytest.skip(f"stamps are of byte code, and this one's is of Python {told['python']}")
    assert told["stamp"] == stamp_of(LOOPS[name]), "stale: run `make wasm`, which takes some minutes"


def test_all_of_them_are_small_and_nothing_else_is_there() -> None:
    assert set(manifest()) == set(LOOPS)
    kernels = files("taut.live") / "kernels"
    sizes = {path.name: len(path.read_bytes()) for path in kernels.iterdir()}
    assert set(sizes) == {ARCHIVE, "manifest.json"}
    assert sum(sizes.values()) <= MOST


@pytest.mark.parametrize("name", LOOPS)
def test_a_module_imports_nothing_and_exports_what_the_page_calls(name: str) -> None:
    made = module(name)
    assert made[:8] == MAGIC
    assert len(made) == manifest()[name]["bytes"]
    reader, sections = Reader(made, 8), {}
    while reader.more:
        key = reader.byte()
        sections[key] = reader.part()
    assert 2 not in sections, "an import"
    exports, names = Reader(sections[7]), set()
    for _ in range(exports.number()):
        names.add(exports.name())
        exports.byte()
        exports.number()
    assert names == {"memory", "heap", "follow", "show", "begin_change", "end_change", "cut"}


@pytest.mark.parametrize("number", [0, 1, 63, 64, 127, 128, 65536, 2**31 - 1])
def test_numbers_are_written_as_they_are_read(number: int) -> None:
    assert Reader(unsigned(number)).number() == number
    assert signed(number)[-1] < 128
    assert bool(signed(number)[-1] & 64) is False, "the last bit of seven is the sign"


def test_what_is_no_object_file_is_refused() -> None:
    with pytest.raises(ValueError, match="not an object file of WebAssembly"):
        finished(b"ELF", [])
