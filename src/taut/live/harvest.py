"""The entries of a module as LLVM's own language, not optimised: what is, hangs on this machine's processor.

Run by `build.py` in a process of its own, in which numba optimises nothing and finds nothing that is compiled already.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from numba import njit

from taut.live.entries import entries
from taut.live.modules import LOOPS


def harvest(name: str, folder: Path) -> None:
    """Write every entry of a module to a file, and what it is called there."""
    told = {}
    for entry, flat in entries(LOOPS[name]).items():
        options = {"nogil": True, "error_model": "numpy", "_nrt": False}
        made = njit(flat.signature, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(flat.function)
        (folder / f"{entry}.ll").write_text(made.inspect_llvm(flat.signature.args), encoding="utf-8")
        called = made.overloads[flat.signature.args].fndesc.mangled_name
        told[entry] = {"called": called, "returns": flat.returns, "more": [str(one) for one in flat.more]}
    (folder / "entries.json").write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    harvest(sys.argv[1], Path(sys.argv[2]))
