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
from collections.abc import Sequence
from pathlib import Path

from taut.atomic_files import written_whole
from taut.live.modules import LOOPS, manifest, python_version, stamp_of
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
    for name in names or LOOPS:
        module = made(name)
        content = lzma.compress(module, preset=9 | lzma.PRESET_EXTREME)
        with written_whole(KERNELS / f"{name}.wasm.xz") as draft:
            draft.write_bytes(content)
        stamp = stamp_of(LOOPS[name])
        told[name] = {"stamp": stamp, "python": python_version(), "bytes": len(module), "stored": len(content)}
        log.info("%s: %d bytes, %d as stored", name, len(module), len(content))
    with written_whole(KERNELS / "manifest.json") as draft:
        text = json.dumps({name: told[name] for name in LOOPS if name in told}, indent=1)
        draft.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    build(sys.argv[1:])
