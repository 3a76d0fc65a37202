"""What steps cost by code that is shipped beside code for this processor: `python -m benchmarks.shipped_speed [TURNS]`.

Shipped code is compiled for any x86-64 processor with AVX2 and FMA (`taut.numerics.shipped_code`). Both are compiled
from this checkout and asked in turn, as checkouts are in `benchmarks.beside`.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchmarks.beside import SIX_STRUT, Row, of_steps
from benchmarks.trees import HERE, tree
from taut.numerics.shipped_code import PROCESSOR, compiler_settings

KINDS = (SIX_STRUT,)


def measured(only: Sequence[str] = KINDS, turns: int = 7) -> Iterator[Row]:
    """Rows whose `other` is code for this processor and whose `this` is code as it is shipped."""
    with tempfile.TemporaryDirectory() as folder:
        host = tree(HERE, folder, "host")
        yield from of_steps((host, replace(tree(HERE, folder, "shipped"), settings=compiler_settings())), only, turns)


def main() -> None:
    from llvmlite import binding

    print(f"CPU time of steps: code for {binding.get_host_cpu_name()}, code for {PROCESSOR}, ratio, ratio turn by turn")
    for row in measured(turns=int(sys.argv[1]) if len(sys.argv) > 1 else 7):
        print(row, flush=True)


if __name__ == "__main__":
    main()
