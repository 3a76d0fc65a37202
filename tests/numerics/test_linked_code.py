"""Kernels that are only linked are kept on disk: another process takes them for another entry, unless they hold an
address of their own process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

MODULE = """
import ctypes
from taut.numerics.compiled import entry, kernel

cosine = ctypes.CDLL(None).cos
cosine.argtypes, cosine.restype = (ctypes.c_double,), ctypes.c_double

@kernel
def cube(x):
    return x * x * x

@kernel
def at_an_address(x):
    return cosine(x)

@entry
def before(x):
    return cube(x) + 1.0

@entry
def after(x):
    return before(x) + cube(x)

@entry
def there(x):
    return at_an_address(x) + 1.0

@entry
def there_again(x):
    return at_an_address(x) + 2.0
"""

PROGRAM = """
import json, sys
from numba.core import event
import kernels_of_test
compiled = []

class Names(event.Listener):
    def on_start(self, happened):
        compiled.append(happened.data["dispatcher"].py_func.__name__)
    def on_end(self, happened):
        pass

event.register("numba:compile", Names())
found = getattr(kernels_of_test, sys.argv[1])(2.0)
print(json.dumps([found, compiled]))
"""


def called(folder: Path, name: str) -> tuple[float, list[str]]:
    """What an entry returns in a process of its own, and what was compiled there."""
    (folder / "kernels_of_test.py").write_text(MODULE)
    places = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(folder), *sys.path)),
        "NUMBA_CACHE_DIR": f"{folder}/cache",
    }
    call = [sys.executable, "-W", "ignore", "-c", PROGRAM, name]
    done = subprocess.run(call, env=places, capture_output=True, text=True, check=True)
    found, compiled = json.loads(done.stdout)
    return found, compiled


def test_a_kernel_is_read_by_another_process_and_an_entry_is_linked_as_a_kernel(tmp_path: Path) -> None:
    assert called(tmp_path, "before") == (9.0, ["before", "cube"])
    assert called(tmp_path, "before") == (9.0, [])
    found, compiled = called(tmp_path, "after")
    assert found == 17.0
    assert compiled == ["after", "before"], "`before` once more, as a kernel; `cube` is read"
    names = [path.name.split("-")[0] for path in tmp_path.rglob("*.nbc") if ".linked." in path.name]
    assert sorted(name.split(".")[1].rpartition("_")[0] for name in names) == ["before", "cube"]


def test_a_kernel_that_holds_an_address_is_compiled_by_every_process(tmp_path: Path) -> None:
    first, compiled = called(tmp_path, "there")
    assert compiled == ["there", "at_an_address"]
    second, compiled = called(tmp_path, "there_again")
    assert compiled == ["there_again", "at_an_address"]
    assert second - first == 1.0
