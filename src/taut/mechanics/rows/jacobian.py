"""The constraint Jacobian G, one sparse matrix of all rows: its pattern, and products with it as it was last filled."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.mechanics.kinds import Rows
from taut.mechanics.tables import Jacobian, jacobian_in, row_count
from taut.numerics.compiled import inlined
from taut.numerics.packing import Pack


@inlined
def add_product(p: Pack, factor: float, x: np.ndarray, out: np.ndarray) -> None:
    """out += factor G x, over all coordinates, held ones too."""
    jacobian = jacobian_in(p)
    for k in range(row_count(p)):
        total = 0.0
        for m in range(jacobian.start[k], jacobian.start[k + 1]):
            total += jacobian.value[m] * x[jacobian.coordinate[m]]
        out[k] += factor * total


@inlined
def add_transposed(p: Pack, factor: float, multiplier: np.ndarray, out: np.ndarray) -> None:
    """out += factor G^T multiplier."""
    jacobian = jacobian_in(p)
    for k in range(row_count(p)):
        for m in range(jacobian.start[k], jacobian.start[k + 1]):
            out[jacobian.coordinate[m]] += factor * (jacobian.value[m] * multiplier[k])


def jacobian_table(rows: list[Rows], tables: Any, typical: float) -> Jacobian:
    """The pattern of G, row after row; typical: a length [m] for rows that have none of their own."""
    found = [kind.pattern(tables[kind.name]) for kind in rows]
    none = np.zeros(0, dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(np.concatenate([none, *(count for count, _ in found)]))])
    coordinate = np.concatenate([none, *(places for _, places in found)]).astype(np.int64)
    sizes = [np.zeros(0), *(np.asarray(kind.sizes(tables[kind.name], typical), dtype=float) for kind in rows)]
    return Jacobian(
        start=start.astype(np.int64),
        coordinate=coordinate,
        place=np.zeros(coordinate.size, dtype=np.int64),
        triple=none,
        value=np.zeros(coordinate.size),
        size=np.concatenate(sizes),
    )


def placed_in(jacobian: Jacobian, place: np.ndarray) -> Jacobian:
    """With where its entries go in a saddle."""
    whole = np.full(3 * (-(-place.size // 3)), -1, dtype=np.int64)
    whole[: place.size] = place
    first, second, third = whole.reshape(-1, 3).T
    follow = (first >= 0) & (second == first + 1) & (third == first + 2)
    return jacobian._replace(place=place, triple=np.where(follow, first, -1))
