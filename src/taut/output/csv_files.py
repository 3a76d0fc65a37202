"""CSV files: a row of names, then the numbers with all their digits. SI units."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from taut.atomic_files import written_whole
from taut.labelled import Columns

CSV_SUFFIXES = (".csv",)


def save_csv(columns: Columns, path: str | Path) -> None:
    """Write a table; what is not known (NaN) is left empty."""
    with written_whole(path) as draft, draft.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(_cells(column) for column in columns.values()), strict=True))


def _cells(column: np.ndarray) -> list[Any]:
    return ["" if cell != cell else cell for cell in np.asarray(column).tolist()]
