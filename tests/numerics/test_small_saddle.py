"""Small saddle-point systems by their eigenvalues, against dense solutions and the sparse factor."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from taut.numerics.quasidefinite import factored
from taut.numerics.small_saddle import small_saddle


def system(seed: int, *, size: int = 8, rows: int = 3) -> tuple[sp.csc_matrix, sp.csr_matrix]:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size))
    return sp.csc_matrix(1e4 * root @ root.T), sp.csr_matrix(rng.normal(size=(rows, size)))


@pytest.mark.parametrize("seed", range(5))
def test_solutions_are_those_of_the_whole_system_one_by_one_and_as_columns(seed: int) -> None:
    matrix, rows = system(seed)
    rng = np.random.default_rng(100 + seed)
    top, bottom = rng.normal(size=(8, 4)), rng.normal(size=(3, 4))
    whole = np.block([[matrix.toarray(), rows.toarray().T], [rows.toarray(), np.zeros((3, 3))]])
    wanted = np.linalg.solve(whole, np.concatenate([top, bottom]))
    for solver in (small_saddle(matrix, rows), factored(matrix, rows)):
        assert solver.negative == 0
        together = np.concatenate(solver.solve(top, bottom))
        alone = np.stack([np.concatenate(solver.solve(top[:, k], bottom[:, k])) for k in range(4)], axis=1)
        for found in (together, alone):
            assert np.abs(found - wanted).max() <= 1e-9 * np.abs(wanted).max()


def test_rows_that_depend_on_others_leave_x_as_it_is_and_y_shortest() -> None:
    matrix, rows = system(1)
    twice = sp.csr_matrix(sp.vstack([rows, rows[:1]]))
    top = np.arange(8.0)
    x, y = small_saddle(matrix, rows).solve(top)
    again, shared = small_saddle(matrix, twice).solve(top)
    assert small_saddle(matrix, twice).negative == 0
    assert np.allclose(again, x, rtol=1e-10, atol=1e-12)
    assert np.allclose(shared, [y[0] / 2.0, y[1], y[2], y[0] / 2.0])


def test_negative_directions_are_counted_off_the_rows_only() -> None:
    matrix, rows = sp.diags([1.0, -2.0, 3.0, -4.0]).tocsc(), sp.csr_matrix([[0.0, 1.0, 0.0, 0.0]])
    assert small_saddle(matrix, rows).negative == 1
    assert small_saddle(matrix, sp.csr_matrix((0, 4))).negative == 2


def test_what_can_move_without_stiffness_is_weak() -> None:
    matrix, rows = sp.diags([1.0, 0.0, 3.0]).tocsc(), sp.csr_matrix([[1.0, 0.0, 0.0]])
    assert small_saddle(matrix, rows).weakest == 0.0
    assert small_saddle(matrix, sp.csr_matrix([[0.0, 1.0, 0.0]])).weakest > 0.1


def test_numbers_that_are_none_are_refused() -> None:
    assert small_saddle(sp.csc_matrix(np.full((2, 2), np.nan)), sp.csr_matrix((0, 2))).negative == -1
