"""Plants that are not nodal, through the very same steppers, corrections and time loop, against their nodal twins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taut import Bar, Correction, FileError, OptionError, Structure, Trajectory, assemble, save, simulate
from taut.dynamics import correction, stepping, time_loop
from taut.dynamics.loops import words_for
from taut.mechanics.points.lagrangian import LagrangianPlant

GRAVITY = 9.81
MASSES, LENGTHS = np.array([2.0, 1.2, 1.5]), np.array([1.0, 0.7, 1.1])


def chain(count: int, angles: np.ndarray, rates: np.ndarray, **more: object) -> LagrangianPlant:
    """Thin rods one after the other from the origin, in the x-z plane, by their angles above x."""
    mass, length = MASSES[:count], LENGTHS[:count]

    def centres(q: np.ndarray, turned: int) -> np.ndarray:
        """d(centre of rod i)/d(angle j) as (i, j, 2); `turned` 1 for the derivative, 0 for the parts themselves."""
        parts = np.zeros((count, count, 2), dtype=q.dtype)
        for i in range(count):
            for j in range(i + 1):
                reach = length[j] * (0.5 if j == i else 1.0)
                parts[i, j] = [-np.sin(q[j]), np.cos(q[j])] if turned else [np.cos(q[j]), np.sin(q[j])]
                parts[i, j] *= reach
        return parts

    def inertia(q: np.ndarray) -> np.ndarray:
        parts = centres(q, 1)
        return np.einsum("i,ija,ika->jk", mass, parts, parts) + np.diag(mass * length**2 / 12.0)

    def potential(q: np.ndarray) -> complex:
        return GRAVITY * np.sum(mass * centres(q, 0)[:, :, 1].sum(axis=1))

    return LagrangianPlant(
        tuple(f"angle {k + 1}" for k in range(count)),
        inertia,
        potential,
        angles,
        rates,
        typical_time=0.3,
        **more,
    )


def joints(angles: np.ndarray) -> np.ndarray:
    """(T, count, 2) ends of the rods."""
    length = LENGTHS[: angles.shape[1]]
    steps = np.stack([length * np.cos(angles), length * np.sin(angles)], axis=-1)
    return np.cumsum(steps, axis=1)


def joint_rates(angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
    length = LENGTHS[: angles.shape[1]]
    steps = np.stack([-length * np.sin(angles) * rates, length * np.cos(angles) * rates], axis=-1)
    return np.cumsum(steps, axis=1)


def twin(angles: np.ndarray, rates: np.ndarray, *, closed: bool) -> Trajectory:
    """The same rods as bars between nodes; `closed` holds the last end."""
    count = angles.size
    ends, speeds = joints(angles[None])[0], joint_rates(angles[None], rates[None])[0]
    nodes = {"n0": (0.0, 0.0, 0.0)} | {f"n{k + 1}": (x, 0.0, z) for k, (x, z) in enumerate(ends)}
    bars = [Bar(f"b{k + 1}", (f"n{k}", f"n{k + 1}"), mass=MASSES[k], length=LENGTHS[k]) for k in range(count)]
    supports = dict.fromkeys(nodes, "y") | {"n0": "xyz"} | ({f"n{count}": "xyz"} if closed else {})
    velocities = {f"n{k + 1}": (vx, 0.0, vz) for k, (vx, vz) in enumerate(speeds)}
    plant = assemble(Structure(nodes, bars, supports=supports), gravity=GRAVITY, velocities=velocities)
    return simulate(plant, 2.0, every=0.1, method="dp8", tolerance=1e-13)


def assert_same(run: Trajectory, other: Trajectory) -> None:
    places = np.concatenate([np.zeros((run.time.size, 1, 2)), joints(run.coordinate)], axis=1)
    assert run.ok
    assert other.ok
    assert np.ptp(places, axis=0).max() > 0.3, "a machine that does not move is no test"
    assert np.abs(places - other.nodes[:, :, ::2]).max() <= 1e-10
    assert np.abs(run.energy_kinetic - other.energy_kinetic).max() <= 1e-9
    assert np.abs(run.energy_violation).max() <= 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["mass", "euclidean"])
def test_a_double_pendulum_in_angles(metric: str) -> None:
    angles, rates = np.array([0.3, -0.9]), np.array([1.0, -0.5])
    wish = Correction("energy", metric=metric)
    run = simulate(chain(2, angles, rates), 2.0, every=0.1, method="dp8", tolerance=1e-13, correction=wish)
    assert_same(run, twin(angles, rates, closed=False))


def four_bar(**more: object) -> tuple[LagrangianPlant, np.ndarray, np.ndarray]:
    """Three rods whose last end is held where it starts; velocities that keep it there."""
    angles = np.array([1.2, 0.1, -1.0])
    goal = joints(angles[None])[0, -1]

    def residual(q: np.ndarray) -> np.ndarray:
        return np.array([np.sum(LENGTHS * np.cos(q)) - goal[0], np.sum(LENGTHS * np.sin(q)) - goal[1]])

    def jacobian(q: np.ndarray) -> np.ndarray:
        return np.array([-LENGTHS * np.sin(q), LENGTHS * np.cos(q)])

    rates = np.linalg.svd(jacobian(angles))[2][-1] * 2.0
    return chain(3, angles, rates, residual=residual, jacobian=jacobian, **more), angles, rates


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["mass", "euclidean"])
def test_a_four_bar_with_a_loop_to_close(metric: str) -> None:
    plant, angles, rates = four_bar()
    wish = Correction("energy", metric=metric)
    run = simulate(plant, 2.0, every=0.1, method="dp8", tolerance=1e-13, correction=wish)
    other = twin(angles, rates, closed=True)
    assert_same(run, other)
    assert run.length_violation.max() <= 1e-13
    # The loop is closed by the pin at the last node: its force is the reaction there, whatever the coordinates.
    assert np.abs(run.multiplier - other.reaction[:, -1, ::2]).max() <= 1e-8


def test_the_code_is_the_very_same() -> None:
    words, _ = words_for(four_bar()[0])
    for module, names in (
        (time_loop, ("time_loop", "settle", "note_independence")),
        (stepping, ("advance", "estimate")),
    ):
        for name in names:
            assert words[name].__code__ is getattr(module, name).__code__
    assert words["correct"].__code__ is correction.correct.__code__


@pytest.mark.slow
def test_corrections_work_in_other_coordinates_too() -> None:
    plant, *_ = four_bar()
    runs = {
        kind: simulate(plant, 2.0, every=0.1, tolerance=1e-5, correction=kind)
        for kind in ("none", "constraints", "energy", "baumgarte")
    }
    assert runs["none"].length_violation.max() > 1e-7
    assert runs["constraints"].length_violation.max() <= 1e-13
    assert runs["energy"].length_violation.max() <= 1e-13
    assert np.abs(runs["energy"].energy_violation).max() <= 1e-10
    assert np.abs(runs["constraints"].energy_violation).max() > 1e-7
    assert runs["baumgarte"].length_violation.max() < runs["none"].length_violation.max()


@pytest.mark.slow
def test_work_of_a_load_is_counted() -> None:
    plant, *_ = four_bar(load=lambda t, q, v: np.array([2.0 * np.sin(t), 0.0, 0.0]) - 0.3 * v, damped=True)
    run = simulate(plant, 2.0, every=0.1, tolerance=1e-10, correction="none")
    assert np.abs(run.work).max() > 0.1
    assert np.abs(run.energy_violation).max() <= 1e-8


@pytest.mark.slow
def test_a_loop_said_twice_is_named_and_moves_the_same() -> None:
    plant, angles, rates = four_bar()
    twice = LagrangianPlant(
        **{name: getattr(plant, name) for name in ("names", "mass", "potential", "positions", "velocities")},
        residual=lambda q: np.tile(plant.residual(q), 2),
        jacobian=lambda q: np.tile(plant.jacobian(q), (2, 1)),
        typical_time=0.3,
    )
    run = simulate(twice, 2.0, every=0.1, method="dp8", tolerance=1e-13)
    assert run.notes[0].startswith("2 constraints depend on others, among constraint 1, constraint 2, constraint 3")
    other = twin(angles, rates, closed=True)
    assert_same(run, other)
    assert np.abs(run.multiplier[:, :2] + run.multiplier[:, 2:] - other.reaction[:, -1, ::2]).max() <= 1e-8


def test_a_run_in_two_parts_is_the_run_in_one() -> None:
    plant, *_ = four_bar()
    whole = simulate(plant, 0.6, every=0.1)
    parts = simulate(plant, 0.6, every=0.1, start=simulate(plant, 0.3, every=0.1))
    assert np.array_equal(whole.coordinate, parts.coordinate)
    assert np.array_equal(whole.checkpoint.y, parts.checkpoint.y)


def test_what_does_not_fit_is_said() -> None:
    plant, angles, rates = four_bar()
    with pytest.raises(OptionError, match='method "rattle4" needs a mass matrix that does not change; use dp5 or dp8'):
        simulate(plant, 1.0, method="rattle4", step=0.01)
    with pytest.raises(OptionError, match=r"positions of shape \(2,\) do not fit 3 coordinates: give \(3,\)"):
        chain(3, angles[:2], rates)
    with pytest.raises(OptionError, match=r"jacobian\(q\) has the shape \(1, 3\), not \(2, 3\)"):
        chain(3, angles, rates, residual=plant.residual, jacobian=lambda q: plant.jacobian(q)[:1])
    far = chain(3, angles + 0.1, rates, residual=plant.residual, jacobian=plant.jacobian)
    assert "start positions did not fit the constraints and were projected onto them" in simulate(far, 0.1).notes[0]


def spring(stiff: float, rows: float) -> LagrangianPlant:
    """Masses of very different size on quartic springs, held in two coordinates."""
    return LagrangianPlant(
        ("x", "y", "z"),
        lambda q: np.diag([1.0, 1e5, 1.0]).astype(q.dtype),
        lambda q: stiff * np.sum(q**4),
        np.array([1.0, 0.0, 0.0]),
        np.zeros(3),
        residual=lambda q: np.array([rows * q[1], q[2]]),
        jacobian=lambda q: np.array([[0.0, rows, 0.0], [0.0, 0.0, 1.0]], dtype=q.dtype),
    )


def test_units_of_constraints_and_masses_make_no_alarm() -> None:
    assert simulate(spring(1.0, 1e3), 1.0).notes == ()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_blow_up_is_a_status() -> None:
    run = simulate(spring(1e3, 1.0), 100.0, every=0.5, method="rk4", step=0.5, correction="none")
    assert run.status.startswith("stopped at t = ")


def test_a_run_without_nodes_is_refused_before_it_is_lost(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="a run file is of a structure, and this run has none"):
        save(simulate(spring(1.0, 1.0), 0.1), tmp_path / "x.nc")
