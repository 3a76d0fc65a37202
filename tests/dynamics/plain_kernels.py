"""The kernels' own source as plain Python, and dual numbers to send through it.

Compiled kernels take only real arrays, so complex steps cannot pass through them, and as Python source they compare
(`stretch > 0.0`) and call `math.sqrt`, which complex numbers cannot. Dual numbers can do both and are as exact as a
complex step: value + slope * eps with eps^2 = 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from taut.mechanics.tables import METRIC, Nodal
from taut.mechanics.unpacking import Sizes
from taut.numerics.compiled import bound


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


DUAL_MATH = SimpleNamespace(sqrt=_sqrt, sin=math.sin, pi=math.pi)


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


def plain(kernel: Callable[..., Any], tables: Nodal) -> Callable[..., Any]:
    """A kernel as the Python it was written in, and so are all the kernels it calls; tables stand in for its pack."""
    work = type(tables.work)(*(duals(part.size) for part in tables.work))
    readers: dict[str, Callable[..., Any]] = {
        f"{name}_in": lambda pack, table=table: table for name, table in tables._asdict().items()
    }
    readers["work_in"] = lambda pack: work
    readers["pairs_in"] = lambda pack, at: tables.metric_pairs if at == METRIC else tables.pairs
    readers["saddle_in"] = lambda pack, at: tables.metric_saddle if at == METRIC else tables.saddle
    readers["krylov_in"] = lambda pack, at: tables.metric_krylov if at == METRIC else tables.krylov
    readers["free_count"] = lambda pack: tables.nodes.free.size
    readers["sizes_in"] = lambda pack: Sizes(
        tables.nodes.mass.size,
        tables.cables.stiffness.size,
        tables.work.multiplier.size - tables.guides.value.size,
        tables.bars.length.size,
        tables.guides.value.size,
        tables.signals.coordinate.size,
        tables.pairs.loose.size,
    )
    readers["start_of"] = readers["all_of"] = lambda vector: vector
    readers["shifted"] = lambda vector, places: vector[places:]
    known: dict[str, Callable[..., Any]] = {}

    def translated(function: Callable[..., Any]) -> Callable[..., Any]:
        source = getattr(function, "py_func", function)
        words: dict[str, Any] = {"math": DUAL_MATH}
        for name in source.__code__.co_names:
            value = source.__globals__.get(name)
            if name in readers:
                words[name] = readers[name]
            elif hasattr(value, "py_func"):
                if name not in known:
                    known[name] = translated(value)
                words[name] = known[name]
        return bound(source, words)

    return translated(kernel)
