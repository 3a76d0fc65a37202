"""Supports that move, on a ground: what they pull and carry goes as closed forms and minimal coordinates say, and their
work is in the books."""

from __future__ import annotations

import numpy as np
import pytest
from on_ground import GRAVITY, LENGTH, MASS, followed, rod
from scipy.integrate import solve_ivp

from taut import Cable, Ground, Motion, Sinusoid, Structure

FRICTION, STIFFNESS, SLEDGE = 0.3, 200.0, 1.5
AMPLITUDE, FREQUENCY = 0.2, 0.8
TURNING = 2.0 * np.pi * FREQUENCY
SWUNG = Motion("s", "x", displacement=Sinusoid(AMPLITUDE, FREQUENCY))


def pulled() -> Structure:
    """A mass on the floor, pulled by a spring whose other end is moved."""
    spring = Cable("c", ("m", "s"), stiffness=STIFFNESS, rest_length=1.0, law="spring")
    nodes = {"s": (1.1, 0.0, 0.0), "m": (0.0, 0.0, 0.0)}
    return Structure(nodes, [], [spring], {"s": "xyz"}, point_masses={"m": SLEDGE})


def swinging(t: float) -> float:
    """Where the mass is while it slides forward: x'' = w^2 (0.1 + A sin(W t) - x) - mu g, from rest at 0."""
    own = np.sqrt(STIFFNESS / SLEDGE)
    rest, forced = 0.1 - FRICTION * GRAVITY / own**2, AMPLITUDE * own**2 / (own**2 - TURNING**2)
    return float(rest * (1.0 - np.cos(own * t)) + forced * (np.sin(TURNING * t) - TURNING / own * np.sin(own * t)))


@pytest.mark.slow  # quick: a bar below
def test_a_mass_is_pulled_along_the_floor_by_a_support() -> None:
    """Of second order, positions and books; the work is that of the support less that of friction."""
    off, books = [], []
    for step in (2e-3, 1e-3):
        run = followed(pulled(), Ground("floor", friction=FRICTION, touched_by=("node:m",)), 0.3, step, motions=[SWUNG])
        wanted = [swinging(t) for t in run.time]
        off.append(np.abs(run.nodes[:, 1, 0] - wanted).max())
        books.append(np.abs(run.energy_violation).max())
        assert run.ok
    assert off[1] < 2e-6
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.05)
    assert books[1] < 5e-5
    assert books[0] / books[1] == pytest.approx(4.0, rel=0.1)
    t = np.linspace(0.0, 0.3, 3001)
    place = np.array([swinging(one) for one in t])
    pull = STIFFNESS * (0.1 + AMPLITUDE * np.sin(TURNING * t) - place)
    supports = np.trapezoid(pull * AMPLITUDE * TURNING * np.cos(TURNING * t), t)
    friction = -FRICTION * SLEDGE * GRAVITY * place[-1]
    assert run.work[-1] == pytest.approx(supports + friction, rel=1e-4)


def dragged(friction: float, start: float, duration: float) -> tuple[np.ndarray, float]:
    """Ends of a rod whose upper end is moved along x and free along z, while the lower one slides; and the work of the
    support. By angle, nothing taken from taut."""
    inertia, half = MASS * LENGTH**2 / 12.0, 0.5 * LENGTH

    def solved(t: float, y: np.ndarray) -> tuple[np.ndarray, float, float]:
        angle, turning = y[:2]
        c, s = np.cos(angle), np.sin(angle)
        speed, gained = (
            AMPLITUDE * TURNING * np.cos(TURNING * t),
            -AMPLITUDE * TURNING**2 * np.sin(TURNING * t),
        )
        against = -friction * np.sign(speed + LENGTH * s * turning)
        matrix = np.array(
            [
                [MASS * half * s, -against, -1.0],  # unknown: turning rate, normal force, pull of the support
                [MASS * half * c, -1.0, 0.0],
                [inertia, half * (c - s * against), half * s],
            ]
        )
        right = [-MASS * (gained + half * c * turning**2), MASS * (half * s * turning**2 - GRAVITY), 0.0]
        return np.linalg.solve(matrix, right), speed, speed + LENGTH * s * turning

    def rate(t: float, y: np.ndarray) -> list[float]:
        (turned, _, pull), speed, _ = solved(t, y)
        return [y[1], turned, pull * speed]

    found = solve_ivp(rate, (0.0, duration), [start, 0.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-13)
    assert all(solved(t, y)[0][1] > 0.0 < solved(t, y)[2] for t, y in zip(found.t, found.y.T, strict=True))
    angle, _, work = found.y[:, -1]
    top = LENGTH * np.cos(start) + AMPLITUDE * np.sin(TURNING * duration)
    return np.array([[top - LENGTH * np.cos(angle), 0.0, 0.0], [top, 0.0, LENGTH * np.sin(angle)]]), float(work)


@pytest.mark.slow
@pytest.mark.parametrize("friction", [0.0, 0.2])
def test_a_bar_is_dragged_by_a_moved_end(friction: float) -> None:
    """Against minimal coordinates: its mass couples both ends, so that the support's acceleration acts on the other."""
    wanted, work = dragged(friction, 1.0, 0.08)
    made = rod(1.0)
    nodes = {**made.nodes, "nail": (0.0, 1.0, 1.0)}  # holds nothing; with it this is what the mass above is made of
    made = Structure(nodes, made.bars, supports={"b": "x", "nail": "xyz"})
    off = []
    for step in (1e-3, 5e-4):
        drag = Motion("b", "x", displacement=Sinusoid(AMPLITUDE, FREQUENCY))
        run = followed(
            made,
            Ground("floor", friction=friction),
            0.08,
            step,
            motions=[drag],
            velocities={"a": (AMPLITUDE * TURNING, 0.0, 0.0)},
        )
        off.append(np.abs(run.nodes[-1, :2] - wanted).max())
    assert off[1] < 1e-6
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.1)
    assert np.abs(run.energy_violation).max() < 1e-4
    if friction == 0.0:
        assert run.work[-1] == pytest.approx(work, rel=1e-4)


@pytest.mark.slow
def test_a_support_that_is_moved_into_the_ground_is_told() -> None:
    sunk = Motion("s", "z", displacement=Sinusoid(-0.01, FREQUENCY))
    run = followed(pulled(), Ground("floor", friction=FRICTION), 0.3, 1e-3, motions=[sunk])
    (note,) = [note for note in run.notes if "inside the ground" in note]
    assert note == (
        'node "s" was 0.00998 m inside the ground "floor", where supports hold it and no ground can stop it; change '
        "the motion, or leave it out of touched_by"
    )
    assert not [note for note in run.notes if "converge" in note]
