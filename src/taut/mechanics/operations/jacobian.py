"""Products with the constraint Jacobian G as it was last filled (`taut.mechanics.tables.Jacobian`)."""

from __future__ import annotations

import numpy as np

from taut.mechanics.tables import jacobian_in, row_count
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
