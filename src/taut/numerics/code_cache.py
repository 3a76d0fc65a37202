"""Machine code on disk: a file for each function and kinds of arguments, sealed with a checksum.

Numba keeps an index and numbered files beside it: two processes that compile a function for different arguments at once
may each take number 1, and a later run gets the code of the other; a file that is cut off ends every later run. Here a
file's name says what is in it, it is there whole or not at all, and whatever is wrong with the cache costs time and a
line, never a run.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache, _Cache
from numba.core.compiler import compile_result
from numba.core.environment import Environment
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from taut.atomic_files import written_whole
from taut.errors import FileError
from taut.numerics.code_libraries import KernelLibrary
from taut.numerics.compile_events import say_once

SEAL = 32
"""Bytes of the checksum that a file begins with."""

ELSEWHERE = "every run compiles it again; set NUMBA_CACHE_DIR to a folder that can be written"


def cache_of(function: Callable[..., Any], kind: type[SealedCache]) -> _Cache:
    """Where a function's code is kept; nowhere, if no place for it can be written."""
    try:
        return kind(function)
    except (RuntimeError, OSError):  # numba's "no locator available"
        place = Path(function.__code__.co_filename).parent
        say_once("nowhere", f"compiled code cannot be kept, neither in {place} nor in your home folder: {ELSEWHERE}")
        return NullCache()


class MachineCode(CompileResultCacheImpl):  # type: ignore[misc]
    """What a file holds of an entry: machine code, without what people could read, and in the place of its LLVM code,
    which nobody links, no more than the names of what is in it."""

    def reduce(self, made: Any) -> Any:
        names = (made.fndesc.llvm_func_name, made.fndesc.llvm_cpython_wrapper_name)
        named = "\n".join(f'define void @"{name}"() {{ unreachable }}' for name in names)
        made.library._ensure_finalized()
        made.library._shared_module = binding.parse_assembly(named)
        return made._replace(type_annotation="")._reduce()


class LinkedCode(CompileResultCacheImpl):  # type: ignore[misc]
    """What a file holds of a kernel: LLVM code, so that who links it need not compile it again."""

    def check_cachable(self, made: Any) -> bool:
        return not made.library.has_dynamic_globals

    def reduce(self, made: Any) -> Any:
        made.fndesc.typemap = made.fndesc.calltypes = None
        return made.library.written(), made.fndesc, made.signature, made.reload_init

    def rebuild(self, target_context: Any, kept: Any) -> Any:
        written, described, signature, reload_init = kept
        library = KernelLibrary.read(target_context.codegen(), *written)
        environment = Environment.from_fndesc(described)
        return compile_result(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=library,
            environment=environment,
            entry_point=target_context.get_executable(library, described, environment),
            fndesc=described,
            signature=signature,
            objectmode=False,
            lifted=(),
            reload_init=reload_init,
            referenced_envs=(),
        )


class SealedCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of a function, on files of our own."""

    _impl_class = MachineCode
    ending = ""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = CodeFiles(Path(self.cache_path), self._impl.filename_base + self.ending)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # Not the context's `refresh`, which imports all that numba can compile (scipy.linalg and a parser of C too),
        # a fifth of a warm run: loaded code wants the run time alone, and compiling refreshes by itself.
        rtsys.initialize(target_context)
        try:
            return self._load_overload(sig, target_context)
        except Exception as error:  # pickle, numba and LLVM have many ways to fail on what they did not expect
            self._cache_file.discard(self._index_key(sig, target_context.codegen()), error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            self._save_overload(sig, data)
        except (FileError, OSError) as error:
            say_once("unkept", f"compiled code cannot be kept ({error}): {ELSEWHERE}")


class KernelCache(SealedCache):
    """The same for kernels."""

    _impl_class = LinkedCode
    ending = ".linked"


class CodeFiles:
    """The files of a function; in the place of numba's index and data files."""

    def __init__(self, folder: Path, base: str) -> None:
        self._folder, self._base = folder, base

    def load(self, key: Any) -> Any:
        """What was saved under the key; None if nothing was. Raises where it is not what was saved."""
        try:
            content = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        seal, packed = content[:SEAL], content[SEAL:]
        if seal != _checksum(packed):
            raise ValueError("its checksum does not fit")
        kept, data = pickle.loads(packed)
        return data if kept == key else None

    def save(self, key: Any, data: Any) -> None:
        packed = dumps((key, data))
        with written_whole(self._path(key), durable=False) as draft:
            draft.write_bytes(_checksum(packed) + packed)

    def discard(self, key: Any, why: Exception) -> None:
        """Take away a file that cannot be used, and say so."""
        path = self._path(key)
        say_once("damaged", f"{path}: cannot be used ({why}); what is damaged in the cache is compiled again")
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            say_once("unkept", f"compiled code cannot be kept ({error}): {ELSEWHERE}")

    def flush(self) -> None:
        for path in self._folder.glob(f"{self._base}.*.nbc"):
            path.unlink(missing_ok=True)

    def _path(self, key: Any) -> Path:
        told = hashlib.sha256(repr((numba.__version__, key)).encode()).hexdigest()
        return self._folder / f"{self._base}.{told[:16]}.nbc"


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=SEAL).digest()
