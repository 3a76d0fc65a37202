"""The points of a study: which entries of a model take which values. Several keys make a grid, the last one fastest.

Values are told as 100:200:5 (evenly spaced, both ends included), log:1:1000:4 (in equal ratios) or 1,2,5 (one by one;
texts too, as in dp5,dp8).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from taut.errors import OptionError

MOST_POINTS = 1_000_000
FORMS = "as in 100:200:5, log:1:1000:4 or 1,2,5"
LONGEST_WHOLE = 1e15
"""Numbers below it without a fraction are written without a point, since some entries must be whole numbers."""

Value = float | str
Values = str | Iterable[float | str]


@dataclass(frozen=True)
class Grid:
    """Keys as in `--set`, and the values of each: all of them numbers, or all of them texts of YAML."""

    keys: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(map(len, self.values))

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    def at(self, point: int) -> dict[str, Value]:
        """The values of a point, which are numbered from 0, the last key fastest."""
        places = np.unravel_index(point, self.shape)
        return {key: own[int(k)] for key, own, k in zip(self.keys, self.values, places, strict=True)}

    def assignments(self, point: int) -> tuple[str, ...]:
        """The same as `--set` takes it."""
        return tuple(f"{key}={written(value)}" for key, value in self.at(point).items())


def grid_of(axes: Mapping[str, Values]) -> Grid:
    """The grid of some keys, each with its values or with a text that tells them."""
    if not axes:
        raise OptionError("a study needs a key and its values, as in scenario.gravity=0:10:11")
    keys = tuple(axes)
    values = tuple(_told(key, own) if isinstance(own, str) else _listed(key, own) for key, own in axes.items())
    grid = Grid(keys, values)
    if grid.count > MOST_POINTS:
        sizes = " x ".join(map(str, grid.shape))
        raise OptionError(f"{sizes} = {grid.count} points are more than the {MOST_POINTS} a study may have; take fewer")
    for key, own in zip(keys, values, strict=True):
        if len(set(own)) < len(own):
            twice = next(value for k, value in enumerate(own) if value in own[:k])
            raise OptionError(f"{key}: the value {written(twice)} is there twice; give every value once")
    return grid


def axes_of(told: Sequence[str]) -> dict[str, str]:
    """Keys and their values as the command line has them, key=values each."""
    axes: dict[str, str] = {}
    for one in told:
        key, equals, values = one.partition("=")
        key = key.strip()
        if not equals or not key:
            raise OptionError(f'"{one}" must be a key, an equals sign and values, {FORMS}')
        if key in axes:
            raise OptionError(f"{key}: is given twice; put all its values into one list")
        axes[key] = values
    return axes


def written(value: Value) -> str:
    """A value as YAML."""
    if isinstance(value, str):
        return value
    return str(int(value)) if value.is_integer() and abs(value) < LONGEST_WHOLE else repr(value)


def _told(key: str, text: str) -> tuple[Value, ...]:
    pieces = _split(text)
    if len(pieces) == 1 and ":" in text and not any(mark in text for mark in "[{\"'"):
        return _range(key, text)
    if not all(pieces):
        what = f'has an empty value in "{text}"' if text.strip() else "has no values"
        raise OptionError(f"{key}: {what}; give some, {FORMS}")
    numbers = [number for number in map(_number, pieces) if number is not None]
    return tuple(numbers) if len(numbers) == len(pieces) else tuple(pieces)


def _listed(key: str, given: Iterable[float | str]) -> tuple[Value, ...]:
    values: list[Value] = []
    for value in given:
        if isinstance(value, bool | np.bool_):
            values.append(str(bool(value)).lower())
        elif isinstance(value, str):
            values.append(value)
        elif isinstance(value, int | float | np.integer | np.floating) and math.isfinite(value):
            values.append(float(value))
        else:
            raise OptionError(f"{key}: the value {value!r} is neither a finite number nor a text")
    if not values:
        raise OptionError(f"{key}: has no values; give some, {FORMS}")
    return tuple(map(written, values)) if any(isinstance(value, str) for value in values) else tuple(values)


def _range(key: str, text: str) -> tuple[Value, ...]:
    parts = [part.strip() for part in text.split(":")]
    ratios = parts[0] == "log"
    parts = parts[ratios:]
    ends = [_number(part) for part in parts[:2]]
    if len(parts) != 3 or None in ends:
        missing = "; say how many values, too" if len(parts) == 2 and None not in ends else ""
        raise OptionError(f'{key}: "{text}" is not begin:end:count{missing}, {FORMS}')
    begin, end = (end for end in ends if end is not None)
    if not parts[2].isdecimal() or not 1 <= int(parts[2]) <= MOST_POINTS:
        raise OptionError(f'{key}: the count "{parts[2]}" must be a whole number from 1 to {MOST_POINTS}')
    count = int(parts[2])
    if count == 1 and begin != end:
        raise OptionError(f'{key}: "{text}" asks for one value with two ends; write {key}={written(begin)}')
    if ratios and begin * end <= 0.0:
        raise OptionError(f'{key}: "{text}" has equal ratios only if both ends are above zero, or both below')
    return tuple((np.geomspace if ratios else np.linspace)(begin, end, count).tolist())


def _number(text: str) -> float | None:
    """The number that a text is; None where it is none, or not finite."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _split(text: str) -> list[str]:
    """The parts between commas, but for those in brackets and quotes: [0,0,1],[0,0,2] is two."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        depth += (letter in "[{") - (letter in "]}") if not quote else 0
        if letter == "," and not quote and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
