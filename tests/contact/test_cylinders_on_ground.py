"""Compressible cylinders on a ground: their mass matrix changes as they turn and stretch."""

from __future__ import annotations

import numpy as np
import pytest
from on_ground import GRAVITY, LENGTH, MASS, followed
from scipy.integrate import solve_ivp

from taut import Bar, Ground, Plane, Structure, Trajectory

RADIUS, STIFFNESS, SPIN = 0.2, 3000.0, 8.0
FAR_BELOW = Ground("floor", Plane(point=(0.0, 0.0, -5.0)))


def cylinder(angle: float, lift: float = 0.0, damping: float = 0.0) -> Structure:
    """Without Poisson's contraction, standing on its end a."""
    ends = {"a": (0.0, 0.0, lift), "b": (LENGTH * np.cos(angle), 0.0, lift + LENGTH * np.sin(angle))}
    made = {"law": "compressible", "inertia": "cylinder", "radius": RADIUS, "stiffness": STIFFNESS, "damping": damping}
    return Structure(ends, [Bar("ab", ("a", "b"), mass=MASS, **made)])


def spinning(duration: float, damping: float) -> np.ndarray:
    """From a to b of a cylinder that spins freely about y: by its length and its angular momentum."""

    def inertia(length: float) -> float:
        return float(MASS * (length**2 / 12.0 + RADIUS**2 / 4.0))

    momentum = inertia(LENGTH) * SPIN

    def rate(_t: float, y: np.ndarray) -> list[float]:
        length, parting, _ = y
        outwards = momentum**2 * (MASS * length / 6.0) / (2.0 * inertia(length) ** 2)
        pull = STIFFNESS * (length - LENGTH) + damping * parting
        return [parting, (outwards - pull) / (MASS / 12.0), momentum / inertia(length)]

    found = solve_ivp(rate, (0.0, duration), [LENGTH, 0.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-13)
    length, _, angle = found.y[:, -1]
    return np.array([length * np.cos(angle), 0.0, length * np.sin(angle)])


@pytest.mark.slow
@pytest.mark.parametrize("damping", [0.0, 5.0])
def test_the_step_is_of_second_order_where_masses_change(damping: float) -> None:
    """In flight, with centrifugal forces that depend on velocities, and with a damper: against its own length."""
    wanted, off = spinning(0.2, damping), []
    speeds = {"a": (0.0, 0.0, -0.5 * SPIN * LENGTH), "b": (0.0, 0.0, 0.5 * SPIN * LENGTH)}
    for step in (5e-4, 2.5e-4):
        run = followed(cylinder(0.0, damping=damping), FAR_BELOW, 0.2, step, velocities=speeds)
        off.append(np.abs(run.nodes[-1, 1] - run.nodes[-1, 0] - wanted).max())
    assert off[1] < 2e-4
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.1)


def impulse_of(run: Trajectory, step: float) -> np.ndarray:
    return np.array(step * run.contact_force[1:].sum(axis=(0, 1)))


@pytest.mark.slow
def test_it_strikes_with_its_own_inertia() -> None:
    """One end strikes without friction: the impulse by the inertia along the bar and across it, radius included."""
    angle, speed, step = 0.7, 1.5, 1e-6
    fall = dict.fromkeys("ab", (0.0, 0.0, -speed))
    run = followed(cylinder(angle), Ground("floor", friction=0.0), 4 * step, step, velocities=fall, every=step)
    along, across = MASS / 12.0, MASS / 12.0 + MASS * RADIUS**2 / 4.0 / LENGTH**2
    soft = 1.0 / MASS + 0.25 * (np.sin(angle) ** 2 / along + np.cos(angle) ** 2 / across)
    assert impulse_of(run, step) == pytest.approx([0.0, 0.0, speed / soft], rel=1e-4)


@pytest.mark.slow
def test_momentum_is_what_ground_and_weight_gave() -> None:
    """Over several impacts with friction and bounces: to round-off."""
    step = 1e-3
    floor = Ground("floor", friction=0.4, restitution=0.3)
    run = followed(cylinder(0.7, 0.05), floor, 0.6, step, velocities={"b": (0.5, 0.5, -1.0)}, every=step)
    assert sum("touches" in event.change for event in run.events) > 3
    given = step * np.cumsum(run.contact_force[1:].sum(axis=1), axis=0)
    given[:, 2] -= MASS * GRAVITY * run.time[1:]
    momentum = 0.5 * MASS * run.velocities.sum(axis=1)
    assert momentum[1:] - momentum[0] == pytest.approx(given, abs=1e-12)
    assert run.nodes[..., 2].min() > -1e-9
    assert np.diff(run.energy_kinetic + run.energy_elastic + run.energy_gravity).max() < 0.05
