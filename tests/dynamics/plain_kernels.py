"""The kernels' own source as plain Python, and dual numbers to send through it.

Compiled kernels take only real arrays, so complex steps cannot pass through them, and as Python source they compare
(`stretch > 0.0`) and call `math.sqrt`, which complex numbers cannot. Dual numbers can do both and are as exact as a
complex step: value + slope * eps with eps^2 = 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from taut.mechanics.tables import slot
from taut.numerics import pointers
from taut.numerics.code_stamps import callees, is_kernel
from taut.numerics.compiled import bound
from taut.numerics.packing import MOST_PARTS, kinds_of, size_of
from taut.numerics.sines import sine_and_cosine


class Dual:
    """value + slope * eps."""

    __slots__ = ("slope", "value")

    def __init__(self, value: float, slope: float = 0.0) -> None:
        self.value, self.slope = value, slope

    def __add__(self, other: Dual | float) -> Dual:
        o = _dual(other)
        return Dual(self.value + o.value, self.slope + o.slope)

    def __mul__(self, other: Dual | float) -> Dual:
        o = _dual(other)
        return Dual(self.value * o.value, self.slope * o.value + self.value * o.slope)

    def __truediv__(self, other: Dual | float) -> Dual:
        o = _dual(other)
        quotient = self.value / o.value
        return Dual(quotient, (self.slope - quotient * o.slope) / o.value)

    def __rtruediv__(self, other: float) -> Dual:
        return _dual(other) / self

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __sub__(self, other: Dual | float) -> Dual:
        return self + (-_dual(other))

    def __rsub__(self, other: float) -> Dual:
        return -self + other

    __radd__, __rmul__ = __add__, __mul__

    def __abs__(self) -> Dual:
        return -self if self.value < 0.0 else self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dual | int | float) and self.value == _dual(other).value

    def __lt__(self, other: Dual | float) -> bool:
        return self.value < _dual(other).value

    def __gt__(self, other: Dual | float) -> bool:
        return self.value > _dual(other).value

    def __le__(self, other: Dual | float) -> bool:
        return self.value <= _dual(other).value

    def __ge__(self, other: Dual | float) -> bool:
        return self.value >= _dual(other).value

    __hash__ = None  # type: ignore[assignment]


def _dual(number: Dual | float) -> Dual:
    return number if isinstance(number, Dual) else Dual(number)


def _sqrt(number: Dual | float) -> Dual | float:
    if not isinstance(number, Dual):
        return math.sqrt(number)
    root = math.sqrt(number.value)
    return Dual(root, number.slope / (2.0 * root) if root else math.inf)


def _sin(number: Dual | float) -> Dual | float:
    if not isinstance(number, Dual):
        return math.sin(number)
    return Dual(math.sin(number.value), math.cos(number.value) * number.slope)


def _cos(number: Dual | float) -> Dual | float:
    if not isinstance(number, Dual):
        return math.cos(number)
    return Dual(math.cos(number.value), -math.sin(number.value) * number.slope)


def _atan2(y: Dual | float, x: Dual | float) -> Dual | float:
    if not isinstance(y, Dual) and not isinstance(x, Dual):
        return math.atan2(y, x)
    up, along = _dual(y), _dual(x)
    slope = (along.value * up.slope - up.value * along.slope) / (along.value**2 + up.value**2)
    return Dual(math.atan2(up.value, along.value), slope)


DUAL_MATH = SimpleNamespace(sqrt=_sqrt, sin=_sin, cos=_cos, atan2=_atan2, pi=math.pi, inf=math.inf)


def along(values: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """values + eps * direction, as an array of dual numbers."""
    return np.array([Dual(float(a), float(b)) for a, b in zip(values, direction, strict=True)], dtype=object)


def duals(size: int) -> np.ndarray:
    """Room for a kernel to write dual numbers into."""
    return np.array([Dual(0.0) for _ in range(size)], dtype=object)


def slopes(values: np.ndarray) -> np.ndarray:
    return np.array([_dual(value).slope for value in values])


def values_of(values: np.ndarray) -> np.ndarray:
    return np.array([_dual(value).value for value in values])


POINTERS: Mapping[Any, Callable[..., Any]] = {
    pointers.start_of: lambda vector: vector,
    pointers.all_of: lambda vector: vector,
    pointers.shifted: lambda vector, places: vector[places:],
    pointers.row_of: lambda matrix, number: matrix[number],
}
"""What pointers are in plain Python: arrays, and views of them."""


def _with_room(table: Any) -> Any:
    """A table whose reals can be dual numbers too: kernels keep in them what they have worked out."""
    parts = zip(kinds_of(type(table)), table, strict=True)
    return type(table)(*(part.astype(object) if kind else part.copy() for kind, part in parts))


def _read(intrinsic: Any, held: Mapping[int, Any]) -> Callable[..., Any]:
    """What an intrinsic of `taut.numerics.packing` finds in tables by slot."""

    def size(pack: None, part: int) -> int:
        place, field = divmod(part, MOST_PARTS)
        return int(held[place][field].size) if place in held else 0

    def table_in(place: int) -> Any:
        found = held[place]
        assert type(found) is intrinsic.table, f"slot {place} holds {type(found).__name__}"
        return found

    if intrinsic is size_of:
        return size
    if hasattr(intrinsic, "part"):
        return lambda pack: size(pack, intrinsic.part)
    if hasattr(intrinsic, "slot"):
        return lambda pack: table_in(intrinsic.slot)
    assert hasattr(intrinsic, "table"), f"{intrinsic} has no meaning in plain Python yet"
    return lambda pack, place: table_in(place)


def plain(kernel: Callable[..., Any], tables: Mapping[str, Any]) -> Callable[..., Any]:
    """A composed kernel as the Python it was written in, and so are all the kernels it calls; copies of tables, by the
    names of their slots, stand in for its pack."""
    held = {slot(name): _with_room(table) for name, table in tables.items()}
    # It takes whole turns off by rounding, which has no slope.
    known: dict[Any, Callable[..., Any]] = {sine_and_cosine: lambda angle: (_sin(angle), _cos(angle))}

    def meaning(value: Any) -> Any:
        if is_kernel(value):
            if value not in known:
                known[value] = translated(value)
            return known[value]
        if value is math:
            return DUAL_MATH
        if type(value).__name__ == "_Intrinsic":
            return POINTERS[value] if value in POINTERS else _read(value, held)
        return value

    def translated(function: Callable[..., Any]) -> Callable[..., Any]:
        return bound(function, {name: meaning(value) for name, value in callees(function).items()})

    return translated(kernel)
