"""Small systems by complete pivoting, against numpy's own solver; and those whose equations depend on one another."""

from __future__ import annotations

import numpy as np
import pytest

from taut.numerics.dense_pivoting import factor_pivoted, solve_pivoted


def factored(matrix: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    """As plain Python: the same code, and nothing is compiled for it."""
    n = len(matrix)
    within, order = matrix.ravel().copy(), np.zeros(2 * n, dtype=np.int64)
    return factor_pivoted.py_func(within, n, order), within, order


@pytest.mark.parametrize("n", [1, 2, 7, 15])
def test_solutions_are_those_of_numpy(n: int) -> None:
    draw = np.random.default_rng(n)
    matrix, x = draw.normal(size=(n, n)), draw.normal(size=n)
    wanted = np.linalg.solve(matrix, x)
    left, within, order = factored(matrix)
    assert left == 0
    solve_pivoted.py_func(within, n, order, x)
    assert x == pytest.approx(wanted, rel=1e-10)


def test_a_saddle_whose_first_pivot_is_zero() -> None:
    x = np.array([2.0, 3.0])
    _, within, order = factored(np.array([[0.0, 1.0], [1.0, 5.0]]))
    solve_pivoted.py_func(within, 2, order, x)
    assert x == pytest.approx([-7.0, 2.0])


def test_equations_that_depend_on_others_are_counted_and_the_rest_is_solved() -> None:
    """Five rows of rank three: two multipliers are taken as zero, and all equations hold where they can."""
    draw = np.random.default_rng(0)
    rows = draw.normal(size=(3, 6))
    rows = np.vstack([rows[:1], 2.0 * rows[:1], rows[1:], rows[1:2] - rows[2:]])
    whole = np.block([[np.eye(6) + 0.1 * draw.normal(size=(6, 6)), -rows.T], [rows, np.zeros((5, 5))]])
    given = np.concatenate([draw.normal(size=6), rows @ draw.normal(size=6)])
    left, within, order = factored(whole)
    assert left == 2
    x = given.copy()
    solve_pivoted.py_func(within, 11, order, x)
    assert whole @ x == pytest.approx(given, abs=1e-13)
    assert np.sum(x == 0.0) == 2
