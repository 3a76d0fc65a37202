"""Saddle systems by factors and by conjugate gradients, against dense null spaces; inertia; dependent rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import null_space

from taut.numerics.quasidefinite import factored, preconditioned

RNG = np.random.default_rng(5)


def system(negative: int, dependent: bool, size: int = 40, count: int = 9) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A symmetric matrix, negative in so many directions on the null space of the rows, and indefinite off it."""
    rows = RNG.normal(size=(count, size))
    if dependent:
        rows[-1] = 2.0 * rows[0] - rows[1]
    inside = null_space(rows)
    values = RNG.uniform(1.0, 5.0, inside.shape[1])
    values[:negative] *= -1.0
    mixed = inside @ np.linalg.qr(RNG.normal(size=(values.size, values.size)))[0]
    cross = RNG.normal(size=(size, count)) @ rows
    matrix = (mixed * values) @ mixed.T + 0.1 * (cross + cross.T) - 0.5 * rows.T @ rows
    return matrix, rows, inside


@pytest.mark.parametrize("dependent", [False, True])
@pytest.mark.parametrize("negative", [0, 1, 4])
def test_factors_solve_and_count_negative_directions(negative: int, dependent: bool) -> None:
    matrix, rows, inside = system(negative, dependent)
    found = factored(sp.csc_matrix(matrix), sp.csr_matrix(rows))
    assert found.negative == negative
    top = RNG.normal(size=len(matrix))
    x, y = found.solve(top)
    exact = inside @ np.linalg.solve(inside.T @ matrix @ inside, inside.T @ top)
    assert x == pytest.approx(exact, abs=1e-9)
    assert matrix @ x + rows.T @ y == pytest.approx(top, abs=1e-8)


def test_a_given_bottom_is_met() -> None:
    matrix, rows, _ = system(0, dependent=False)
    bottom = RNG.normal(size=len(rows))
    x, _ = factored(sp.csc_matrix(matrix), sp.csr_matrix(rows)).solve(np.zeros(len(matrix)), bottom)
    assert rows @ x == pytest.approx(bottom, abs=1e-9)


def test_a_matrix_without_rows_is_just_factored() -> None:
    matrix = np.diag([2.0, -3.0, 4.0])
    found = factored(sp.csc_matrix(matrix), sp.csr_matrix((0, 3)))
    assert (found.negative, found.weakest) == (1, 0.5)
    assert found.solve(np.array([2.0, 3.0, 4.0]))[0] == pytest.approx([1.0, -1.0, 1.0])


def test_what_is_singular_shows() -> None:
    found = factored(sp.csc_matrix(np.diag([1.0, 0.0])), sp.csr_matrix((0, 2)))
    assert found.negative == -1
    assert found.weakest == 0.0


@pytest.mark.parametrize("dependent", [False, True])
def test_conjugate_gradients_find_the_same(dependent: bool) -> None:
    matrix, rows, _ = system(0, dependent)
    matrix = matrix + 5.0 * rows.T @ rows  # a diagonal of either sign would be no preconditioner
    top, bottom = RNG.normal(size=len(matrix)), rows @ RNG.normal(size=len(matrix))
    direct = factored(sp.csc_matrix(matrix), sp.csr_matrix(rows)).solve(top, bottom)[0]
    slow = preconditioned(sp.csc_matrix(matrix), sp.csr_matrix(rows), tolerance=1e-12)
    x, y = slow.solve(top, bottom)
    assert x == pytest.approx(direct, abs=1e-7)
    assert matrix @ x + rows.T @ y == pytest.approx(top, abs=1e-7)
    assert slow.iterations > 0
    assert slow.negative == 0


def test_conjugate_gradients_notice_negative_curvature() -> None:
    matrix, rows, _ = system(4, dependent=False)
    slow = preconditioned(sp.csc_matrix(matrix), sp.csr_matrix(rows))
    top = RNG.normal(size=len(matrix))
    x, _ = slow.solve(top)
    assert slow.negative == 1
    assert top @ x > 0.0, "it still goes downhill"
