"""`python shipping/compiled_code.py FOLDER`: machine code of what people do first, for a wheel (`make wheel`).

For maintainers. Every command of `first_commands.py` runs twice in processes of its own: once to compile, for the
processors that `taut.numerics.shipped_code` names, and once more to see which code is loaded. Only that is shipped:
kernels that have dissolved into others are not asked for again.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from first_commands import FIRST, laid_out

from taut.numerics.code_cache import SealedCache
from taut.numerics.compile_events import compiled_anything
from taut.numerics.shipped_code import MANIFEST, compiler_settings, files_of, key_of, surroundings

ROOT = Path(__file__).resolve().parents[1]
RECORD = "--record"

TYPES = 6
"""Where a compiled function has its source with the types of all variables, a third of the file, for people to read."""


def made(store: Path, commands: Sequence[Sequence[str]] = FIRST) -> None:
    """Fill a folder with the code of commands, in the place of what was there."""
    shutil.rmtree(store, ignore_errors=True)
    store.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        laid_out(Path(folder))
        settings = {**compiler_settings(), "NUMBA_CACHE_DIR": f"{folder}/cache"}
        for told in commands:
            for begin in (["-m", "taut"], [__file__, RECORD, str(store.resolve())]):
                call = [sys.executable, *begin, *told]
                done = subprocess.run(call, cwd=folder, env={**os.environ, **settings}, capture_output=True, text=True)
                if done.returncode:
                    sys.exit(f"taut {' '.join(told)}\n{done.stdout}{done.stderr}")
            print(f"taut {' '.join(told)}: {size_of(store):.1f} MB in {len(list(store.iterdir()))} files", flush=True)
    say_what_for(store)


def size_of(store: Path) -> float:
    """Megabytes."""
    return sum(path.stat().st_size for path in store.iterdir()) / 1e6


def say_what_for(store: Path) -> None:
    """Write down where the code in a store can be used."""
    told = {**surroundings(), "tag": wheel_tag(distribution("numba").read_text("WHEEL") or "")}
    (store / MANIFEST).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def wheel_tag(wheel: str) -> str:
    """The tag of numba's wheel, which is that of ours: shipped code runs wherever this numba does, and nowhere else."""
    tags = [line.removeprefix("Tag: ").split("-") for line in wheel.splitlines() if line.startswith("Tag: ")]
    python, binary, _ = tags[0]
    return "-".join((python, binary, ".".join(tag[-1] for tag in tags)))


def check_versions() -> None:
    """Users of the extra `compiled` are to get the numba that code was made with."""
    promised = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["compiled"]
    here = [f"{name}=={surroundings()[name]}" for name in ("numba", "llvmlite")]
    if promised != here:
        sys.exit(f"the extra `compiled` of pyproject.toml asks for {promised}, code is made with {here}: change one")


def keep_what_is_loaded(store: Path) -> None:
    """From now on all code that this process loads from its cache is kept in the store, too."""
    loaded = SealedCache.load_overload

    def kept(self: Any, sig: Any, target_context: Any) -> Any:
        data = self._cache_file.load(self._index_key(sig, target_context.codegen()))
        if data is not None:
            files_of(self._py_func, store).save(key_of(self._py_func, sig), (*data[:TYPES], "", *data[TYPES + 1 :]))
        return loaded(self, sig, target_context)

    SealedCache.load_overload = kept


def recorded(store: Path, told: Sequence[str]) -> None:
    """A command that is run in this process, and the code that it loads kept in the store."""
    from taut.cli import main

    keep_what_is_loaded(store)
    try:
        main(told)
    finally:
        if compiled_anything():
            sys.exit("compiled a second time: numba does not keep this code")


if __name__ == "__main__":
    if sys.argv[1] == RECORD:
        recorded(Path(sys.argv[2]), sys.argv[3:])
    else:
        check_versions()
        made(Path(sys.argv[1]))
