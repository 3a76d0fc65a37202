"""The robot in motion does what its postures say: it rings at their frequencies, falls at their rates, and follows its
inverse kinematics as far as its inertia lets it."""

from __future__ import annotations

import numpy as np
import pytest
from example_scripts import script
from prismatic_robot import GRAVITY, posture_of, robot
from scipy.interpolate import CubicSpline
from scipy.linalg import eigh

import taut
from taut.kinetostatics import control_modes, stiffness_by_mode
from taut.kinetostatics.mode_stiffness import recommanded, reduced_stiffness
from taut.mechanics.inertia.masses import mass_matrix
from taut.statics.linearised import linearised

CIRCLE = script("follow_a_circle")


def squares(rest: taut.Equilibrium) -> np.ndarray:
    """Squares of frequencies by the stiffness on allowed motions and the mass [1/s^2]."""
    values, motions = reduced_stiffness(rest)
    ways = motions.reshape(values.size, -1)
    mass = mass_matrix(rest.structure, np.arange(ways.shape[1])).toarray()
    return np.asarray(eigh(np.diag(values), ways @ mass @ ways.T, eigvals_only=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(control_modes(robot())))
def test_stiffness_and_mass_give_the_poles_of_the_dynamics(name: str) -> None:
    """Under each way to command its cables, by three roads."""
    rest = recommanded(posture_of("tension", "tension"), control_modes(robot())[name])
    model = taut.linearise(taut.assemble(rest.structure, gravity=GRAVITY))
    poles = np.sort(-(model.poles**2).real)[::2]
    assert squares(rest) == pytest.approx(poles, rel=1e-7)
    assert taut.modes(rest, count=40).eigenvalue == pytest.approx(poles, rel=1e-7)
    assert (poles[0] > 0.0) == stiffness_by_mode(rest, {"own": {}})["own"].stable


@pytest.mark.slow
def test_with_lengths_held_it_rings_at_the_frequencies_of_its_posture() -> None:
    """All fourteen, at once. What they differ by is their coupling, which falls with the amplitude."""
    off = {}
    for aside in (4e-6, 2e-6):
        found = CIRCLE.let_go(CIRCLE.HELD, 14, aside, 6.0)
        off[aside] = np.abs(np.sqrt(found.seen / found.computed) - 1.0).max()
    assert found.computed == pytest.approx(squares(posture_of("length", "spring")), rel=1e-7)
    assert off[2e-6] < 4e-5
    assert off[4e-6] / off[2e-6] == pytest.approx(2.0, abs=0.05)


@pytest.mark.slow
def test_with_tensions_held_it_falls_at_the_rate_of_its_posture() -> None:
    off = {}
    for aside in (2e-7, 1e-7):
        found = CIRCLE.let_go(CIRCLE.PULLED, 2, aside, 1.5)
        off[aside] = np.abs(np.sqrt(found.seen / found.computed) - 1.0).max()
    assert found.computed == pytest.approx(squares(posture_of("tension", "tension"))[:2], rel=1e-7)
    assert np.sqrt(-found.computed) == pytest.approx([3.938607, 3.938607], abs=1e-6)
    assert off[1e-7] < 4e-5
    assert off[2e-7] / off[1e-7] == pytest.approx(2.0, abs=0.05)


def carried_along(duration: float, radius: float) -> float:
    """How far inertia holds the plate back from the circle [m], where all accelerate as the plan does: K^-1 M q''."""
    plan, rest = CIRCLE.planned(radius), posture_of("length", "spring")
    view = linearised(rest)
    mass = mass_matrix(rest.structure, np.arange(rest.structure.positions.size)).toarray()
    rates = CubicSpline(plan.times, plan.nodes.reshape(plan.times.size, -1)).derivative(2)(plan.times) / duration**2
    back = np.zeros((plan.times.size, mass.shape[0]))
    for row, rate in zip(back, rates, strict=True):
        row[view.problem.free] = view.factor.solve((-mass @ rate)[view.problem.free])[0]
    centre = back.reshape(plan.times.size, -1, 3)[:, 9:].mean(axis=1)
    return float(np.hypot(*centre[:, :2].T).max())


@pytest.mark.slow
def test_led_along_its_inverse_kinematics_it_lags_with_the_square_of_its_speed() -> None:
    """Once around 20 mm, at 1 kHz: two millimetres at 16 mm/s. The slower it goes, the nearer it is to what carries it
    along; faster, its softest motion, of 0.41 Hz, comes on top."""
    off, expected = {}, {}
    for duration in (15.0, 30.0, 60.0):
        found = CIRCLE.led(duration, 0.02)
        off[duration], expected[duration] = found.moving, carried_along(duration, 0.02)
        assert found.resting < 1e-7
        assert found.left <= 1e-8
    assert off[15.0] < 2.2e-3
    assert off[30.0] < 4.8e-4
    assert off[60.0] < 1.2e-4
    assert off[30.0] == pytest.approx(expected[30.0], rel=0.04)
    assert off[60.0] == pytest.approx(expected[60.0], rel=0.02)
    assert off[30.0] / off[60.0] == pytest.approx(4.0, abs=0.1)
