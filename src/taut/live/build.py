"""`python -m taut.live.build [NAME ...]`: the modules in kernels/, made again from the kernels as they are now.

For maintainers, after a change of what runs reach (`tests/live/test_modules.py` says so). llvmlite, which numba brings,
is all it takes.
"""

from __future__ import annotations

import json
import logging
import lzma
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from taut.atomic_files import written_whole
from taut.live.modules import ARCHIVE, LOOPS, manifest, module, python_version, stamp_of
from taut.live.retarget import object_file
from taut.live.wasm_files import finished

KERNELS = Path(__file__).parent / "kernels"
log = logging.getLogger("taut")


def made(name: str) -> bytes:
    """A module, from the kernels."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = {"NUMBA_OPT": "0", "NUMBA_CACHE_DIR": f"{folder}/cache", "PYTHONWARNINGS": "ignore"}
        arguments = [sys.executable, "-m", "taut.live.harvest", name, folder]
        subprocess.run(arguments, env={**os.environ, **fresh}, check=True)
        entries = json.loads((Path(folder) / "entries.json").read_text(encoding="utf-8"))
        texts = {entry: (Path(folder) / f"{entry}.ll").read_text(encoding="utf-8") for entry in entries}
    return finished(object_file(entries, texts), entries)


def build(names: Sequence[str] = ()) -> None:
    """Make modules again, all of them unless some are named."""
    told = manifest() if (KERNELS / "manifest.json").exists() else {}
    modules = {name: module(name) for name in told}
    for name in names or LOOPS:
        modules[name] = made(name)
        told[name] = {"stamp": stamp_of(LOOPS[name]), "python": python_version(), "bytes": len(modules[name])}
        log.info("%s: %d bytes", name, len(modules[name]))
        write(modules, told)


def write(modules: Mapping[str, bytes], told: Mapping[str, Any]) -> None:
    """Put modules into their archive, in the order of the manifest."""
    kept = [name for name in LOOPS if name in modules]
    with written_whole(KERNELS / ARCHIVE) as draft:
        draft.write_bytes(lzma.compress(b"".join(modules[name] for name in kept), preset=9 | lzma.PRESET_EXTREME))
    with written_whole(KERNELS / "manifest.json") as draft:
        draft.write_text(json.dumps({name: told[name] for name in kept}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    build(sys.argv[1:])
