"""Tables on the terminal, with rich; on a pipe they are as wide as they need to be."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from taut.errors import visible

MOST_ROWS = 60
"""Longer tables end with how many rows are left out."""


def show_table(columns: Sequence[str], rows: Iterable[Sequence[str | float]]) -> None:
    """Print a table: words to the left, numbers to the right. Names are text, never markup; nothing is coloured."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    listed = list(rows)
    table = Table(box=None, pad_edge=False)
    for k, column in enumerate(columns):
        words = all(isinstance(row[k], str) for row in listed)
        table.add_column(Text(visible(column)), justify="left" if words else "right", no_wrap=True)
    for row in listed[:MOST_ROWS]:
        table.add_row(*(Text(visible(cell) if isinstance(cell, str) else f"{cell:.6g}") for cell in row))
    width = None if sys.stdout.isatty() else 1000
    Console(file=sys.stdout, width=width, color_system=None, highlight=False).print(table)
    if len(listed) > MOST_ROWS:
        print(f"... and {len(listed) - MOST_ROWS} rows more; --json has all")
