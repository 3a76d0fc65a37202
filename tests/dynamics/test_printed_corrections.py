"""Corrections as papers print them: velocity filtering and the step of least norm, against dense algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_other_coordinates import four_bar

from taut import Correction, OptionError, assemble, ensemble, generators, simulate
from taut.dynamics.correction import STARTED, limits_of, scratch
from taut.dynamics.loops import words_for

STEP = 1e-30


def slope(function: Any, q: np.ndarray) -> np.ndarray:
    """Columns of the derivative, by complex steps of this test's own."""
    return np.array([np.imag(function(q + 1j * STEP * way)) / STEP for way in np.eye(q.size)]).T


def disturbed() -> tuple[Any, np.ndarray]:
    """The four-bar a little off its constraints and its energy."""
    plant, *_ = four_bar()
    q, v = plant.start()
    draw = np.random.default_rng(2)
    return plant, np.concatenate([q + 1e-4 * draw.normal(size=q.size), v + 1e-3 * draw.normal(size=q.size), [0.01]])


def corrected(kind: str, **numbers: Any) -> tuple[Any, np.ndarray, np.ndarray, float]:
    """The plant, the state before and after one correction, and the energy that it started with."""
    plant, y = disturbed()
    words, _ = words_for(plant, printed=True)
    tables = plant.own_tables(metric="mass", gains=(0.0, 0.0))
    limits = limits_of(Correction(kind, **numbers), plant.coordinates, plant.rows, 1.0, works=True)
    b = scratch(plant.coordinates, plant.rows, printed=True)
    b[STARTED, 0] = start = words["energy"](tables, y)[0] - 0.02
    before, counts = y.copy(), np.zeros(14, dtype=np.int64)
    words["settle"](tables, y, counts, limits, b)
    return plant, before, y, start


def test_the_step_of_least_norm_is_that_of_the_printed_matrix() -> None:
    """Eqs. (44), (45) with numpy's pseudoinverse; positions, rates and work change together, by plain numbers."""
    plant, before, after, start = corrected("least-norm", iterations=1)
    n = plant.coordinates
    q, v = before[:n], before[n : 2 * n]
    mass, rows = plant.mass(q), plant.jacobian(q)

    def energy(x: np.ndarray) -> Any:
        return 0.5 * v @ plant.mass(x) @ v + plant.potential(x)

    r = rows.shape[0]
    matrix = np.block(
        [
            [rows, np.zeros((r, n + 1))],
            [slope(lambda x: plant.jacobian(x) @ v, q), rows, np.zeros((r, 1))],
            [slope(energy, q), mass @ v, -np.ones(1)],
        ]
    )
    right = -np.concatenate([plant.residual(q), rows @ v, [energy(q) - start - before[-1]]])
    wanted = np.linalg.pinv(matrix) @ right
    assert np.abs(wanted).min() > 1e-7, "what does not change is no test"
    assert after - before == pytest.approx(wanted, abs=1e-12)


def test_the_least_norm_stops_at_its_threshold() -> None:
    for threshold in (1e-6, 1e-11):
        plant, _, after, start = corrected("least-norm", threshold=threshold)
        n = plant.coordinates
        q, v = after[:n], after[n : 2 * n]
        assert np.linalg.norm(plant.residual(q)) <= threshold
        assert abs(0.5 * v @ plant.mass(q) @ v + plant.potential(q) - start - after[-1]) <= threshold
    _, before, after, _ = corrected("least-norm", threshold=1.0)
    assert np.array_equal(after, before)


def test_filtered_rates_are_the_nearest_by_mass() -> None:
    plant, before, after, _ = corrected("filter")
    n = plant.coordinates
    q, v = after[:n], after[n : 2 * n]
    assert np.abs(plant.residual(q)).max() <= 1e-14
    assert np.abs(plant.jacobian(q) @ v).max() <= 1e-14
    # What was taken away is M^-1 G^T of something: no motion along the constraints has any of it.
    taken = plant.mass(q) @ (before[n : 2 * n] - v)
    along = np.linalg.svd(plant.jacobian(q))[2][plant.rows :]
    assert np.abs(along @ taken).max() <= 1e-12 < np.abs(taken).max()
    assert np.array_equal(after[2 * n :], before[2 * n :])


def test_what_the_printed_order_of_the_filter_costs() -> None:
    """rk4 is of fourth order with positions first, and of first order with the step 3 that is printed."""
    plant, *_ = four_bar()
    best = simulate(plant, 0.4, every=0.4, method="dp8", tolerance=1e-13, verify=False).coordinate[-1]
    found = {}
    for order in ("positions-first", "as-printed"):
        for step in (0.02, 0.01):
            wish = Correction("filter", order=order)
            run = simulate(plant, 0.4, every=0.4, method="rk4", step=step, correction=wish, verify=False)
            assert run.length_violation.max() <= 1e-13
            found[order, step] = np.abs(run.coordinate[-1] - best).max()
    assert found["positions-first", 0.02] / found["positions-first", 0.01] > 12.0
    assert 1.7 < found["as-printed", 0.02] / found["as-printed", 0.01] < 2.4
    assert found["as-printed", 0.01] > 1e3 * found["positions-first", 0.01]


@pytest.mark.slow
def test_a_compiled_plant_is_corrected_in_the_same_ways() -> None:
    """The T-bar at 1e-6, beside a run at 1e-12: lengths are kept to round-off or the threshold."""
    plant = assemble(generators.tbar(rest_ratio=0.7))
    options: dict[str, Any] = {"every": 0.1, "tolerance": 1e-6, "verify": False}
    best = simulate(plant, 2.0, every=0.1, tolerance=1e-12, verify=False)
    bare = simulate(plant, 2.0, correction="none", **options)
    assert bare.length_violation.max() > 1e-9
    for wish, length, energy in (
        (Correction("filter"), 1e-14, 1e-2),
        (Correction("filter", order="rates-first"), 1e-14, 1e-2),
        (Correction("least-norm"), 1e-10, 1e-10),
        (Correction("least-norm", threshold=1e-7), 1e-7, 1e-7),
    ):
        run = simulate(plant, 2.0, correction=wish, **options)
        assert run.ok
        assert run.length_violation.max() <= length
        assert np.abs(run.energy_violation).max() <= energy
        assert np.abs(run.nodes - best.nodes).max() <= np.abs(bare.nodes - best.nodes).max()


@pytest.mark.slow
def test_other_methods_and_ensembles() -> None:
    plant = assemble(generators.tbar(rest_ratio=0.7))
    for kind in ("filter", "least-norm"):
        with pytest.raises(OptionError, match='method "rattle2" meets the constraints itself, by mass; leave the corr'):
            simulate(plant, 1.0, method="rattle2", step=1e-3, correction=kind)
    several = ensemble(
        plant, 0.1, positions=plant.positions[None].repeat(2, axis=0), tolerance=1e-6, correction="least-norm"
    )
    alone = simulate(plant, 0.1, tolerance=1e-6, correction="least-norm", verify=False)
    assert several.nodes[1, -1] == pytest.approx(alone.nodes[-1], abs=1e-12)
