"""Slopes that kernels write out by hand against exact derivatives of the kernels' own source (dual numbers)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from hypothesis import given, settings
from plain_kernels import along, duals, plain, slopes, values_of
from random_cases import Case, cases

from taut.mechanics.plant import Plant
from taut.mechanics.systems.system_tables import euclidean, packed_by_name
from taut.mechanics.terms.members import SPRINGS_TERM
from taut.numerics.code_stamps import callees

SOME = settings(max_examples=30, derandomize=True, deadline=None)
EXACT = 1e-12


def directions(size: int, count: int = 3) -> Iterator[np.ndarray]:
    random = np.random.default_rng(5)
    for _ in range(count):
        yield random.normal(size=size)


def scrambled(case: Case) -> np.ndarray:
    """A state off the constraints with any velocity: derivatives must hold everywhere, not only where motions go."""
    random = np.random.default_rng(6)
    y = case.state
    return y + np.append(0.05 * random.normal(size=y.size - 1), 0.0)


def parts(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    size = y.size // 2
    return y[:size], y[size : 2 * size]


def inner(plant: Plant, operation: str, name: str) -> Callable[..., Any]:
    """A kernel that an operation of the plant calls, composed for it, as plain Python."""
    return plain(callees(plant.operations()[operation])[name], plant.tables)


@SOME
@given(cases())
def test_elastic_forces_are_minus_the_gradient_of_the_energy(case: Case) -> None:
    plant, y = case.plant, scrambled(case)
    q, v = parts(y)
    pull, energies = plain(SPRINGS_TERM.force, plant.tables), inner(plant, "energy", "energies")
    force, still = np.zeros(q.size), np.zeros(q.size + 1)
    assert pull(None, case.time, np.append(q, still), force) == 0.0
    for d in directions(q.size):
        moved = np.concatenate([along(q, d), v, [0.0]])
        _, elastic, _, _ = energies(None, moved)
        slope = getattr(elastic, "slope", 0.0)  # without cables there is no elastic energy to depend on anything
        assert abs(slope + force @ d) <= EXACT * max(1.0, np.abs(force * d).sum())


@SOME
@given(cases())
def test_energy_gradient_is_the_derivative_of_energy(case: Case) -> None:
    plant, y = case.plant, scrambled(case)
    size = y.size // 2
    energy = plain(plant.operations()["energy"], plant.tables)
    along_q, along_v = np.zeros(size), np.zeros(size)
    plant.operations()["energy_gradient"](plant.pack, y, along_q, along_v)
    for d in directions(2 * size):
        total, _ = energy(None, along(y, np.append(d, 0.0)))
        flows = np.concatenate([along_q, along_v]) * d
        assert abs(total.slope - flows.sum()) <= EXACT * max(1.0, np.abs(flows).sum())


@SOME
@given(cases())
def test_energy_gradient_agrees_with_a_complex_step_on_the_papers_energy(case: Case) -> None:
    y = scrambled(case)
    q, v = parts(y)
    along_q, along_v = np.zeros(q.size), np.zeros(q.size)
    case.plant.operations()["energy_gradient"](case.plant.pack, y, along_q, along_v)
    tiny = 1e-30
    for d in directions(2 * q.size):
        change = case.dense.energy(q + tiny * 1j * d[: q.size], v + tiny * 1j * d[q.size :]).imag / tiny
        flows = np.concatenate([along_q, along_v]) * d
        assert abs(change - flows.sum()) <= EXACT * max(1.0, np.abs(flows).sum())


@SOME
@given(cases())
def test_residual_rates_are_the_derivative_of_residuals_along_the_motion(case: Case) -> None:
    plant, y = case.plant, scrambled(case)
    q, v = parts(y)
    residuals = plain(plant.operations()["residuals"], plant.tables)
    residual, rate = duals(plant.rows), duals(plant.rows)
    residuals(None, np.concatenate([along(q, v), v, [0.0]]), residual, rate)
    np.testing.assert_allclose(slopes(residual), values_of(rate), rtol=0.0, atol=EXACT * max(1.0, np.abs(v).max()))


@SOME
@given(cases())
def test_the_jacobian_rate_is_the_derivative_of_the_residual_rates_by_position(case: Case) -> None:
    plant, y = case.plant, scrambled(case)
    q, v = parts(y)
    residuals = plain(plant.operations()["residuals"], plant.tables)
    bent = np.zeros(plant.rows)
    for d in directions(q.size):
        residual, rate = duals(plant.rows), duals(plant.rows)
        residuals(None, np.concatenate([along(q, d), v, [0.0]]), residual, rate)
        plant.operations()["jacobian_rate"](plant.pack, y, d, bent)
        np.testing.assert_allclose(bent, slopes(rate), rtol=0.0, atol=EXACT * max(1.0, np.abs(v).max()))


@SOME
@given(cases())
def test_projections_solve_what_they_promise(case: Case) -> None:
    # direction = W^-1 (covector - G^T l) with G direction = rates: so G direction comes out of the residuals as well.
    plant, y = case.plant, scrambled(case)
    q, v = parts(y)
    residuals = plain(plant.operations()["residuals"], plant.tables)
    free = plant.tables["nodes"].free
    held = np.setdiff1d(np.arange(q.size), free)
    random = np.random.default_rng(7)
    rates, covector, direction = random.normal(size=plant.rows), random.normal(size=q.size), np.zeros(q.size)
    plant.operations()["prepare_projection"](plant.pack, y)
    plant.operations()["project"](plant.pack, covector, rates, direction)
    residual, rate = duals(plant.rows), duals(plant.rows)
    residuals(None, np.concatenate([along(q, direction), v, [0.0]]), residual, rate)
    np.testing.assert_allclose(slopes(residual), rates, rtol=0.0, atol=1e-9 * max(1.0, np.abs(direction).max()))
    assert not direction[held].any()
    # What is left of the covector, M direction - covector, is a sum of rows of G: no admissible motion feels it.
    left = case.dense.mass @ direction - covector
    rows = case.dense.jacobian(q)
    motion = random.normal(size=q.size)
    motion -= np.linalg.pinv(rows) @ (rows @ motion)
    assert abs(left @ motion) <= 1e-9 * max(1.0, np.abs(left * motion).sum())


@SOME
@given(cases())
def test_a_correction_is_the_shortest_by_its_metric(case: Case) -> None:
    random = np.random.default_rng(8)
    dense, y = case.dense, scrambled(case)
    q, _ = parts(y)
    rows = dense.jacobian(q)[: len(dense.bars) + len(case.structure.constraints)]
    # The kernels' rows: a bar's over twice its own length, a constraint's of unit norm.
    scale = np.concatenate([2.0 * np.array(dense.lengths), np.linalg.norm(rows[len(dense.bars) :], axis=1)])
    rows = rows[:, dense.free] / scale[:, None]
    wanted = rows @ random.normal(size=dense.free.size)
    plant = case.plant
    by_mass = plant.pack, dense.mass[np.ix_(dense.free, dense.free)]
    by_coordinates = packed_by_name(euclidean(plant.spec, plant.tables))[0], np.eye(dense.free.size)
    for pack, weight in (by_mass, by_coordinates):
        direction = np.zeros(q.size)
        plant.operations()["prepare_projection"](pack, y)
        plant.operations()["project"](pack, np.zeros(q.size), wanted, direction)
        lifted = np.linalg.solve(weight, rows.T)
        shortest = lifted @ np.linalg.lstsq(rows @ lifted, wanted, rcond=None)[0]
        assert np.abs(direction[dense.free] - shortest).max(initial=0.0) <= 1e-9 * max(
            1.0, np.abs(wanted).max(initial=0.0)
        )


@SOME
@given(cases())
def test_the_power_of_applied_forces_is_force_times_velocity(case: Case) -> None:
    plant, y = case.plant, scrambled(case)
    q, v = parts(y)
    applied, energies = inner(plant, "forces", "all_forces"), inner(plant, "energy", "energies")
    force = np.zeros(q.size)
    power = applied(None, case.time, y, force)
    _, elastic, height, _ = energies(None, np.concatenate([along(q, v), v, [0.0]]))
    stored = getattr(elastic, "slope", 0.0) + height.slope
    assert abs(force @ v - power + stored) <= EXACT * max(1.0, np.abs(force * v).sum())


@SOME
@given(cases())
def test_compiled_kernels_do_what_their_source_says(case: Case) -> None:
    plant, y = case.plant, scrambled(case)
    compiled, plainly = np.zeros_like(y), np.zeros_like(y)
    plant.operations()["rate"](plant.pack, case.time, y, compiled)
    out = duals(y.size)
    plain(plant.operations()["rate"], plant.tables)(None, case.time, y, out)
    plainly[:] = values_of(out)
    np.testing.assert_allclose(compiled, plainly, rtol=0.0, atol=1e-11 * max(1.0, np.abs(plainly).max()))
