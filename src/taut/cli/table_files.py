"""Tables that commands write beside what they print: `--csv FILE`, and the same columns in JSON."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut.errors import FileError

if TYPE_CHECKING:
    from taut.labelled import Tabular

Csv = Annotated[Path | None, typer.Option("--csv", help="Write all of it as a table (.csv).", metavar="FILE")]


def check_csv(table: Path | None) -> None:
    """Refuse what cannot be written before the work begins."""
    from taut.atomic_files import check_writable
    from taut.output.csv_files import CSV_SUFFIXES

    if table is not None:
        if table.suffix not in CSV_SUFFIXES:
            raise FileError(f"{table}: a table's name must end in {' or '.join(CSV_SUFFIXES)}")
        check_writable(table)


def save_table(found: Tabular, table: Path | None) -> None:
    from taut.output.files import save

    if table is not None:
        save(found, table)


def tell_csv(table: Path | None) -> None:
    if table is not None:
        print(f"table: {table}")


def json_columns(found: Tabular, table: Path | None) -> dict[str, Any]:
    """For programs: the table by columns, None for what is not known; nothing rounded."""
    told = {name: [_known(cell) for cell in own.tolist()] for name, own in found.columns().items()}
    return {"table": told, **({"csv": str(table)} if table else {})}


def _known(cell: Any) -> Any:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
