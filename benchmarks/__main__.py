"""taut beside its peers in one run: `python -m benchmarks` (`make bench`) writes docs/benchmarks.md and the history.

`python -m benchmarks ROW ...` measures some rows, and the page keeps the others as they are; `--largest 1e6` goes up to
a million members; `--dry` writes nothing; `--compare` holds the newest lines of the history against those before;
`python -m benchmarks.every_table` prints the tables of all benchmarks.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from benchmarks.peers import flight, history, page, sizes, stored, works
from benchmarks.peers.turns import Row

ROWS: dict[str, Callable[[], list[Row]]] = {
    "flight": lambda: flight.equal_error(),
    "flight-step": lambda: [flight.equal_step()],
    "batch": lambda: [flight.batch()],
    "tbar": lambda: [works.tbar()],
    "stiff": lambda: [works.stiff()],
    "contact": lambda: [works.sliding()],
}
SIZES = "sizes"


def measured(names: Sequence[str], largest: int) -> list[Row]:
    """Rows by name, all of them where none is given; they are told as they come."""
    rows: list[Row] = []
    for name in names or (*ROWS, SIZES):
        wanted = tuple(size for size in (*sizes.SIZES, 1_000_000) if size <= largest)
        for row in ROWS[name]() if name in ROWS else sizes.growing(wanted):
            rows.append(row)
            print(told(row), file=sys.stderr, flush=True)
    return rows


def told(row: Row) -> str:
    lines = [f"{row.key}: {row.what}; CPU time of one {row.unit}"]
    for entry in row.entries:
        low, middle, high = entry.quartiles
        error = "" if entry.error is None else f"  error {entry.error:.1e}"
        memory = "" if entry.memory is None else f"  {entry.memory:.0f} B a member"
        ratio = f"x {middle:.3g} ({low:.3g} to {high:.3g})"
        lines.append(f"  {entry.name:<36}{page.shown(entry.seconds):>10}  {ratio}{error}{memory}")
    return "\n".join(lines)


def write_page(rows: Sequence[Row], busy: str = "") -> None:
    page.draw(rows, page.DOCS / "pictures")
    (page.DOCS / "benchmarks.md").write_text(page.text(rows, busy=busy), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", help=f"of {', '.join((*ROWS, SIZES))}; all by default")
    parser.add_argument("--largest", type=float, default=1e5, help="members of the largest structure (1e5)")
    parser.add_argument(
        "--compare", action="store_true", help="only compare the history's newest lines with earlier ones"
    )
    parser.add_argument("--dry", action="store_true", help="only print")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.rows if name not in (*ROWS, SIZES)]
    if unknown:
        parser.error(f"no row {unknown[0]}; there is {', '.join((*ROWS, SIZES))}")
    if not given.compare:
        rows = measured(given.rows, int(given.largest))
        if given.dry:
            return 0
        others = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
        busy = f"The machine had other work to do (load {others:.1f})." if others > 1.5 else ""
        write_page(stored.write(rows), busy)
        history.write(history.lines_of(rows, history.commit(page.DOCS.parent), page.machine()))
    lines = history.read()
    print(history.comparison(lines))
    return int(any(slow for *_, slow in history.compared(lines)))


if __name__ == "__main__":
    sys.exit(main())
