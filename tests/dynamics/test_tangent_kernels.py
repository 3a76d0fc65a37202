"""The Newton matrix of implicit steps against full matrices from other code: complex steps, the paper's equations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from random_cases import Case, cases

from taut import Bar, Structure, assemble
from taut.mechanics.implicit_plant import ImplicitPlant, implicit_plant
from taut.mechanics.operations.newton_matrix import Newton
from taut.mechanics.tables import part_of
from taut.numerics.packing import Pack, reals_of
from taut.statics import elastic_members

SOME = settings(max_examples=40, derandomize=True, deadline=None)
MULTIPLIER = part_of("newton", Newton, "multiplier")
S = 0.07


def rows_of(case: Case) -> np.ndarray:
    """Rows of G without those of supports: a bar's has a unit vector at each end, a guide's is one."""
    dense = case.dense
    bars, rows = len(dense.bars), dense.jacobian(dense.start)
    rows = rows[: bars + len(case.structure.constraints)]
    lengths = np.array([*(2.0 * length for length in dense.lengths), *np.linalg.norm(rows[bars:], axis=1)])
    return rows / lengths[:, None]


def matrix_of(case: Case, push: np.ndarray) -> np.ndarray:
    """M + s C + s^2 K at rest, elastic forces by complex steps through `taut.statics.elastic_members`."""
    dense, springs = case.dense, case.plant.tables["springs"]
    members = elastic_members.Members(
        springs.first // 3,
        springs.second // 3,
        springs.stiffness,
        springs.rest_length,
        springs.least == 0.0,
    )

    def forces(q: np.ndarray) -> np.ndarray:
        spans = elastic_members.spans_of(members, q.reshape(-1, 3))
        lengths = elastic_members.lengths_of(spans)
        pulls = (elastic_members.tensions(members, lengths) / lengths)[:, None] * spans
        return elastic_members.nodal_forces(members, pulls, q.size // 3).ravel()

    every = np.eye(dense.size)
    stiffness = -np.stack([forces(dense.start + 1e-30j * e).imag / 1e-30 for e in every], axis=1)
    for k, x in enumerate(dense.bar_maps):
        stiffness -= push[k] / dense.lengths[k] * x.T @ x
    damping = -np.stack([dense.damper_force(dense.start, 1e-9 * e) / 1e-9 for e in every], axis=1)
    return dense.mass + S * damping + S * S * stiffness


def ready(case: Case, push: np.ndarray) -> tuple[ImplicitPlant, Pack, np.ndarray]:
    plant = implicit_plant(case.plant)
    pack = plant.own_tables(metric="mass", gains=(0.0, 0.0))
    reals_of(pack, MULTIPLIER)[:] = push
    y = case.state
    y[y.size // 2 :] = 0.0
    return plant, pack, y


@pytest.mark.slow
@SOME
@given(cases())
def test_what_is_solved_is_the_linearised_stage(case: Case) -> None:
    random, free, rows = np.random.default_rng(3), case.dense.free, rows_of(case)
    push = random.normal(scale=3.0, size=len(rows))
    matrix = matrix_of(case, push)
    _, _, turned = np.linalg.svd(rows[:, free]) if len(rows) else (0, 0, np.eye(free.size))
    allowed = turned[len(rows) :]
    assume(np.linalg.eigvalsh(allowed @ matrix[np.ix_(free, free)] @ allowed.T).min(initial=1.0) > 1e-2)
    plant, pack, y = ready(case, push)
    assert plant.operations()["factor_newton"](pack, case.time, y, y, S) >= 0
    covector, rates = random.normal(size=case.dense.size), random.normal(size=len(rows))
    direction = np.zeros(covector.size)
    plant.operations()["solve_newton"](pack, covector, rates, direction, 1.0)
    found = reals_of(pack, MULTIPLIER) - push
    left = (matrix @ direction - rows.T @ found - covector)[free]
    scale = np.abs(matrix[free]) @ np.abs(direction) + np.abs(rows.T[free]) @ np.abs(found)
    assert np.all(np.abs(left) <= 1e-9 * scale.max(initial=1.0))
    np.testing.assert_allclose(rows[:, free] @ direction[free], rates, rtol=0.0, atol=1e-10)
    assert not np.delete(direction, free).any()


@pytest.mark.slow
@SOME
@given(cases())
def test_the_residual_is_that_of_the_equations_of_motion(case: Case) -> None:
    dense, rows, random = case.dense, rows_of(case), np.random.default_rng(4)
    push = random.normal(size=len(rows))
    plant, pack, _ = ready(case, push)
    y = case.state
    q, v = dense.start, case.velocities.ravel()
    base, out = random.normal(size=y.size), np.zeros(dense.size)
    power = plant.operations()["newton_residual"](pack, case.time, y, base, S, out)
    drag, load = dense.damper_force(q, v), dense.load_force(case.time)
    force = dense.elastic_force(q) + drag + load + dense.weight + rows.T @ push
    change = np.zeros(dense.size)  # nothing at held coordinates, whatever the base says there: supports stand still
    change[dense.free] = (v - base[v.size : 2 * v.size])[dense.free]
    wanted = S * S * force - S * dense.mass @ change
    np.testing.assert_allclose(out, wanted, rtol=0.0, atol=1e-11 * max(1.0, np.abs(wanted).max()))
    assert power == pytest.approx((drag + load) @ v, rel=1e-10, abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("push", [1.0, 1e3])
def test_a_bar_that_would_fall_over_within_the_step_gets_a_positive_matrix_all_the_same(push: float) -> None:
    # Across a bar of 1 kg / 3 at its end, S is 1/3 - s^2 push: negative from 68 N on.
    bar = Structure({"a": (0, 0, 0), "b": (0, 0, 1)}, [Bar("bar", ("a", "b"), mass=1.0)], supports={"a": "xyz"})
    plant = implicit_plant(assemble(bar))
    pack = plant.own_tables(metric="mass", gains=(0.0, 0.0))
    reals_of(pack, MULTIPLIER)[:] = push
    y, direction = np.append(plant.positions.ravel(), np.zeros(7)), np.zeros(6)
    assert plant.operations()["factor_newton"](pack, 0.0, y, y, S) == 0
    plant.operations()["solve_newton"](pack, np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]), np.zeros(1), direction, 0.0)
    across = 1.0 / 3.0 - (S * S * push if push < 68.0 else 0.0)
    assert direction[3] == pytest.approx(1.0 / across)
