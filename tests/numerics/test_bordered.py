"""Bordered saddle systems against dense algebra: where the saddle is singular, and where rows depend on one another."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from taut.numerics.bordered import bordered

RNG = np.random.default_rng(11)


@pytest.mark.parametrize("dependent", [False, True])
def test_a_border_makes_up_for_one_lost_rank(dependent: bool) -> None:
    """As at a limit point: the matrix has lost one direction, which the border sees."""
    size = 12
    lost = RNG.normal(size=size)
    lost /= np.linalg.norm(lost)
    rows = RNG.normal(size=(4, size))
    rows -= np.outer(rows @ lost, lost)
    if dependent:
        rows[-1] = rows[0] - 2.0 * rows[1]
    across = np.eye(size) - np.outer(lost, lost)
    half = RNG.normal(size=(size, size))
    matrix = across @ (half @ half.T + np.eye(size)) @ across
    column, row = RNG.normal(size=size + 4), np.append(RNG.normal(size=size), np.zeros(4))
    column[size:] = rows @ RNG.normal(size=size)  # within what rows that depend on one another can reach
    solver = bordered(sp.csc_matrix(matrix), sp.csr_matrix(rows), 1e-6, column, np.append(row, 0.5))
    assert solver is not None
    right = np.concatenate([RNG.normal(size=size), rows @ RNG.normal(size=size), [1.0]])
    whole = np.zeros((size + 5, size + 5))
    whole[:size, :size], whole[size:-1, :size], whole[:size, size:-1] = matrix, rows, rows.T
    whole[:-1, -1], whole[-1] = column, np.append(row, 0.5)
    found = solver.solve(right)
    assert whole @ found == pytest.approx(right, abs=1e-9)
    assert np.abs(found).max() < 1e3, "dependent rows do not make multipliers large"


def test_a_singular_system_is_none() -> None:
    assert bordered(sp.csc_matrix((2, 2)), sp.csr_matrix((0, 2)), 1e-6) is None
