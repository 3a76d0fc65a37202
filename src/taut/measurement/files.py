"""Measured files: markers and tensions from CSV, with names, units and gaps as they come."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from taut.errors import FileError, ModelError, OptionError, Problem
from taut.measurement.columns import FORMS, Column, check_scale, columns_of
from taut.measurement.measurements import Measurements
from taut.measurement.units import unit_hints
from taut.structure.files import text_of
from taut.structure.format.lines import read_document
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

SIZE_LIMIT = 400_000_000
"""Bytes of a measured file; a hundred markers at 200 Hz for a quarter of an hour."""

SEPARATORS = ",;\t"


@checked_arguments
def read_measurements(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    structure: Structure | None = None,
    scale: Mapping[str, float | str] | None = None,
    every: float | None = None,
    header_line: int = 1,
) -> Measurements:
    """Read what was measured from a text file of columns; every problem in it is told at once, with its line.

    Columns are apart by commas, semicolons or tabs, in any order; empty cells and NaN are gaps. Where they are not
    apart by commas, a comma in a number is its decimal point.

    columns: title of a column -> what it holds: "time", "node:NAME.x", "cable:NAME.tension" or "bar:NAME.force". A
        column that has such a name itself needs no entry; all others are passed over.
    structure: to hold names and units against.
    scale: "position", "tension", "time" or the title of a column -> a unit ("mm", "kN", "ms") or a factor to SI. A
        title that ends in a unit in brackets, as in "t [ms]", says it itself, unless `scale` has that very title.
    every: time between rows [s], where no column holds the time.
    header_line: the line with the titles, for files that begin with something else.
    """
    if header_line < 1:
        raise OptionError(f"header_line = {header_line} must be at least 1, the first line")
    source = os.fspath(path)
    lines = text_of(source, "a measured file", SIZE_LIMIT).splitlines()[header_line - 1 :]
    if not lines:
        raise ModelError([Problem((), f"has no line {header_line}, where the titles of the columns are to be")], source)
    separator = max(SEPARATORS, key=lambda mark: lines[0].count(mark))
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    header = [title.strip() for title in next(rows)]
    units = dict(scale or {})
    check_scale(units, header)
    found, problems = columns_of(header, dict(columns or {}), units, structure)
    if not problems and not any(column.kind != "time" for column in found):
        told = f"no column holds a position or a tension; name them {FORMS}, or say columns={{title: one of these}}"
        problems = [Problem((), told)]
    if problems:
        raise ModelError([Problem((), problem.message, header_line) for problem in problems], source)
    numbers, at, problems = _numbers(rows, found, len(header), header_line - 1, comma=separator != ",")
    problems = problems or list(_empty(numbers, found))
    time, late = _times(numbers, found, at, every) if not problems else (np.zeros(0), [])
    if problems or late:
        raise ModelError([*problems, *late], source)
    made = _measurements(time, numbers, found)
    if structure is not None:
        told_units = {column.kind for column in found if column.scaled}
        odd = [Problem((), hint) for kind, hint in unit_hints(made, structure) if kind not in told_units]
        if odd:
            raise ModelError(odd, source)
    return made


def read_map(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read which columns hold what from a YAML file of lines 'title: quantity'."""
    source = os.fspath(path)
    document = read_document(text_of(source, "a map of columns"), source)
    if document.problems:
        raise ModelError(document.problems, source)
    if not isinstance(document.data, dict) or not all(isinstance(held, str) for held in document.data.values()):
        raise ModelError(
            [Problem((), f"is not a map of columns: lines of 'title: quantity', which is {FORMS}")], source
        )
    return {str(title): str(held) for title, held in document.data.items()}


def _numbers(
    rows: Any, columns: Sequence[Column], width: int, before: int, *, comma: bool
) -> tuple[np.ndarray, list[int], list[Problem]]:
    """(T, c) of the columns in SI units, the line of each row, and what is wrong with the cells."""
    found, at, problems = list[list[float]](), list[int](), list[Problem]()
    for cells in _cells(rows):
        line = before + rows.line_num
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != width:
            problems.append(Problem((), f"has {len(cells)} cells, but there are {width} titles", line))
            continue
        row = []
        for column in columns:
            number = _number(cells[column.place], comma=comma)
            if number is None:
                told = f'column "{column.title}": "{cells[column.place].strip()}" is not a number'
                problems.append(Problem((), told, line))
            else:
                row.append(number * column.factor)
        found.append(row)
        at.append(line)
    if not problems and not found:
        problems.append(Problem((), "has titles but no rows"))
    return (np.zeros((0, 0)) if problems else np.array(found)), at, problems


def _cells(rows: Any) -> Iterator[list[str]]:
    try:
        yield from rows
    except csv.Error as error:
        raise FileError(f"line {rows.line_num} is not of comma-separated cells: {error}") from None


def _number(cell: str, *, comma: bool) -> float | None:
    text = cell.strip()
    if not text:
        return math.nan
    try:
        number = float(text.replace(",", ".") if comma else text)
    except ValueError:
        return None
    return None if math.isinf(number) or "_" in text else number


def _empty(numbers: np.ndarray, columns: Sequence[Column]) -> Iterator[Problem]:
    """Where everything is a gap."""
    told = [k for k, column in enumerate(columns) if column.kind != "time"]
    if np.isnan(numbers[:, told]).all():
        yield Problem((), "has no number: every cell of a position or tension is empty")


def _times(
    numbers: np.ndarray, columns: Sequence[Column], at: Sequence[int], every: float | None
) -> tuple[np.ndarray, list[Problem]]:
    place = next((k for k, column in enumerate(columns) if column.kind == "time"), None)
    if every is not None:
        if place is not None:
            raise OptionError(f'every = {every!r} s is told, but column "{columns[place].title}" holds the time')
        if not 0.0 < every < math.inf:
            raise OptionError(f"every = {every!r} must be a time in seconds, more than zero")
        return np.arange(len(numbers)) * every, []
    if place is None:
        if len(numbers) == 1:
            return np.zeros(1), []
        told = 'no column holds the time; name it "time", say columns={title: "time"}, or every= where it is regular'
        return np.zeros(0), [Problem((), f"{told}; a structure at rest has a single row")]
    title, time = columns[place].title, numbers[:, place]
    missing = np.flatnonzero(np.isnan(time))
    if missing.size:
        return time, [Problem((), f'column "{title}": this row has no time', at[missing[0]])]
    for k in np.flatnonzero(np.diff(time) <= 0.0)[:1]:
        early, late = time[k], time[k + 1]
        told = f"{late:g} s comes after {early:g} s"
        if early == late:
            told = f"{late:g} s is there twice, in line {at[k]} too"
        return time, [Problem((), f'column "{title}": {told}; times must rise', at[k + 1])]
    return time, []


def _measurements(time: np.ndarray, numbers: np.ndarray, columns: Sequence[Column]) -> Measurements:
    nodes = list(dict.fromkeys(column.name for column in columns if column.kind == "position"))
    members = [column.name for column in columns if column.kind == "tension"]
    places, tension = np.full((time.size, len(nodes), 3), np.nan), np.full((time.size, len(members)), np.nan)
    for k, column in enumerate(columns):
        if column.kind == "position":
            places[:, nodes.index(column.name), column.axis] = numbers[:, k]
        elif column.kind == "tension":
            tension[:, members.index(column.name)] = numbers[:, k]
    return Measurements(time, tuple(nodes), places, tuple(members), tension)
