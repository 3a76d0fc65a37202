"""Options of commands that read measured files, and the file as they tell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from taut.errors import OptionError

if TYPE_CHECKING:
    from taut.measurement.measurements import Measurements
    from taut.structure.structure import Structure

MeasuredColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--column", help="What a column holds, as in 'Marker 3 X=node:top.x', 't=time'.", metavar="TITLE=QUANTITY"
    ),
]
ColumnMap = Annotated[
    Path | None, typer.Option("--map", help="A YAML file of such lines, 'title: quantity'.", metavar="FILE")
]
Scale = Annotated[
    list[str] | None,
    typer.Option("--scale", help="Units, as in position=mm, tension=kN, time=ms, or of a column.", metavar="WHAT=UNIT"),
]
Align = Annotated[bool, typer.Option("--align", help="Turn and shift the frame of the markers to fit best.")]
Shift = Annotated[
    str, typer.Option(help="Added to measured times [s]; find takes the one that fits best.", metavar="SECONDS")
]


def read_measured(
    path: Path,
    structure: Structure | None,
    columns: list[str] | None = None,
    mapped: Path | None = None,
    scale: list[str] | None = None,
) -> Measurements:
    """As the options of a command tell."""
    from taut.measurement.files import read_map, read_measurements

    names = read_map(mapped) if mapped is not None else {}
    names |= dict(_pair("--column", text, "'Marker 3 X=node:top.x'") for text in columns or ())
    units = dict(_pair("--scale", text, "position=mm") for text in scale or ())
    return read_measurements(
        path, columns=names, structure=structure, scale={key: _unit(text) for key, text in units.items()}
    )


def _pair(option: str, text: str, example: str) -> tuple[str, str]:
    title, _, held = text.rpartition("=")
    if not title.strip() or not held.strip():
        raise OptionError(f'{option} "{text}" is not of two parts, as in {example}')
    return title.strip(), held.strip()


def _unit(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def told_shift(text: str) -> float | str:
    try:
        return text if text == "find" else float(text)
    except ValueError:
        raise OptionError(f"--shift {text} is neither a number [s] nor find") from None
