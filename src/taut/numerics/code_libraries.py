"""LLVM code of kernels, which waits for an entry: machine code is made for entries alone, and once.

Numba makes every function whole: it links in all that the function calls, optimises that and writes machine code. Of a
kernel nobody uses that code, since it dissolves into its callers, which are optimised again at every level up to the
entry. Kernels whose code is only linked make a first run a tenth cheaper and change no bit of a result.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba.core.codegen import CPUCodeLibrary


class KernelLibrary(CPUCodeLibrary):  # type: ignore[misc]
    """Code of a kernel and of all it calls, as it was lowered, to be linked into whoever calls it."""

    @classmethod
    def read(cls, codegen: Any, name: str, bitcode: bytes) -> KernelLibrary:
        """What `written` wrote."""
        found = cls(codegen, name)
        found._final_module = binding.parse_bitcode(bitcode)
        found._finalized = True
        return found

    def written(self) -> tuple[str, bytes]:
        return self.name, self._final_module.as_bitcode()

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Zero, by which numba says that nothing of this name can be called."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        return _WithoutEnvironments(self._codegen)

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout


class _WithoutEnvironments:
    """Numba's code generator, but it hands no Python objects to code that is not in memory; kernels use none."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, name: str, environment: object) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)
