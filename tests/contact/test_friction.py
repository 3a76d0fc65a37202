"""Coulomb's friction: what sticks does not move, what slides goes as closed forms and minimal coordinates say."""

from __future__ import annotations

import numpy as np
import pytest
from on_ground import GRAVITY, LENGTH, MASS, followed, frame, inclined, point, rod, slope
from scipy.integrate import solve_ivp

from taut import Bar, Ground, Structure
from taut.mechanics.contact.cone import SOFTNESS, impulse_at

DEGREES = 10.0
DOWN, NORMAL = slope(DEGREES)
FLAT = Structure({"a": (0.0, 0.0, 0.0), "b": tuple(map(float, DOWN))}, [Bar("ab", ("a", "b"), mass=MASS)])


def gained(friction: float) -> float:
    """[m/s^2], of what slides down the slope."""
    return float(GRAVITY * (np.sin(np.radians(DEGREES)) - friction * np.cos(np.radians(DEGREES))))


def test_one_contact_is_solved_exactly() -> None:
    """Ten thousand contacts at random, conditions up to 1e6: closed, inside the cone, and against the sliding."""
    draw, slid = np.random.default_rng(1), 0
    for _ in range(10_000):
        root = draw.normal(size=(3, 3))
        matrix, mu = root @ root.T + 10 ** draw.uniform(-6, 0) * np.eye(3), 10 ** draw.uniform(-2, 0.7)
        before = draw.normal(size=3) * 10 ** draw.uniform(-3, 1)
        *found, slides = impulse_at(matrix[np.triu_indices(3)], before, mu, mu, np.zeros(SOFTNESS))
        p, after, size = np.array(found), before + matrix @ found, np.abs(before).max()
        allowed = 1e-15 * np.linalg.cond(matrix)
        if before[0] >= 0.0:
            assert not p.any()
            continue
        assert abs(after[0]) <= allowed * size
        assert np.hypot(p[1], p[2]) <= (1.0 + 1e-14) * mu * p[0]
        if slides:
            slid += 1
            assert np.hypot(p[1], p[2]) == pytest.approx(mu * p[0], rel=1e-14)
            assert after[1:] @ p[1:] == pytest.approx(-np.hypot(*after[1:]) * mu * p[0], abs=allowed * size * mu * p[0])
        else:
            assert np.abs(after[1:]).max() <= allowed * size
    assert 2000 < slid < 5000


@pytest.mark.parametrize("structure", [point(), FLAT], ids=["point", "bar"])
def test_what_sticks_does_not_move_at_all(structure: Structure) -> None:
    """Five seconds on 10 degrees with friction for 10.1: less than a unit in the last place of a metre."""
    run = followed(structure, inclined(DEGREES, np.tan(np.radians(10.1))), 5.0, 1e-3)
    assert run.ok
    assert np.abs(run.nodes - run.nodes[0]).max() < 1e-16
    assert np.abs(run.velocities).max() < 1e-15
    force = run.contact_force[1:].sum(axis=1)
    assert force @ DOWN / (force @ NORMAL) == pytest.approx(-np.tan(np.radians(DEGREES)), rel=1e-12)
    assert [event.change for event in run.events] == ["touches down and sticks"] * len(structure.nodes)
    assert (run.contact_state[1:] == 1.0).all()


@pytest.mark.parametrize("structure", [point(), FLAT], ids=["point", "bar"])
def test_what_slides_goes_as_far_as_it_should(structure: Structure) -> None:
    """Friction for 9.9 degrees."""
    friction = np.tan(np.radians(9.9))
    run = followed(structure, inclined(DEGREES, friction), 5.0, 1e-3)
    went = (run.nodes[-1] - run.nodes[0]) @ DOWN
    assert went == pytest.approx(12.5 * gained(friction), abs=1e-12)
    assert np.abs((run.nodes - run.nodes[0]) @ NORMAL).max() < 1e-15
    assert (run.contact_state[1:] == 2.0).all()


@pytest.mark.parametrize("way", [1.0, -1.0], ids=["down", "up"])
def test_it_stops_where_it_should(way: float) -> None:
    """And never creeps back: 3e-7 m at 1 ms, of second order; asked were 1e-4 m and first order."""
    speed, off = 2.0, []
    for step in (1e-3, 5e-4, 2.5e-4):
        run = followed(
            point(), inclined(DEGREES, 0.6), 1.5, step, velocities={"a": tuple(map(float, way * speed * DOWN))}
        )
        path = way * run.nodes[:, 0] @ DOWN
        off.append(abs(path[-1] - 0.5 * speed**2 / (-way * gained(0.6 * way) if way > 0.0 else gained(-0.6))))
        assert np.diff(path).min() > -1e-16
        assert run.events[-1].change == "sticks"
    assert max(off) < 1e-6
    assert max(off[1:]) < 2.5e-7


def falling(friction: float, start: float, duration: float) -> np.ndarray:
    """Ends of a rod whose lower end slides, by the coordinates of its middle: nothing taken from taut."""

    def rate(_t: float, y: np.ndarray) -> list[float]:
        _, angle, speed, turning = y
        c, s, inertia = np.cos(angle), np.sin(angle), MASS * LENGTH**2 / 12.0
        against = -friction * (np.sign(speed + 0.5 * LENGTH * s * turning) or -1.0)
        lever = 0.5 * LENGTH * (s * against - c)
        normal = MASS * (GRAVITY - 0.5 * LENGTH * s * turning**2) / (1.0 - MASS * 0.5 * LENGTH * c * lever / inertia)
        return [speed, turning, against * normal / MASS, lever * normal / inertia]

    begin = [0.5 * LENGTH * np.cos(start), start, 0.0, 0.0]
    x, angle, _, _ = solve_ivp(rate, (0.0, duration), begin, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    half = 0.5 * LENGTH * np.array([np.cos(angle), 0.0, 0.0])
    middle, top = np.array([x, 0.0, 0.0]), np.array([0.0, 0.0, LENGTH * np.sin(angle)])
    return np.array([middle - half, middle + half + top])


@pytest.mark.parametrize("friction", [0.0, 0.2])
def test_a_bar_falls_with_its_end_sliding(friction: float) -> None:
    """Against minimal coordinates; asked were 1e-5 m at 0.1 ms and first order."""
    wanted = falling(friction, 1.2, 0.25)
    off = []
    for step in (1e-3, 5e-4, 1e-4):
        run = followed(rod(1.2), Ground("floor", friction=friction), 0.25, step)
        off.append(np.abs(run.nodes[-1] - wanted).max())
    assert off[0] < 5e-7
    assert off[2] < 5e-9
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("degrees", "friction", "slips", "tips"),
    [(15.0, 0.6, False, False), (15.0, 0.2, True, False), (21.5, 0.8, False, False), (22.2, 0.8, False, True)],
)
def test_a_braced_frame_tips_or_slips_as_statics_says(degrees: float, friction: float, slips: bool, tips: bool) -> None:
    """0.4 m wide and 1 m high: it tips from 21.8 degrees on, and slips where friction is less than the slope. Bars meet
    here, so that every contact moves the whole."""
    run = followed(frame(degrees, 0.4, 1.0), inclined(degrees, friction), 0.5, 1e-3)
    down, normal = slope(degrees)
    moved = run.nodes[-1] - run.nodes[0]
    feet = [k for k, name in enumerate(run.structure.nodes) if name.endswith("0")]
    assert (np.abs(moved[feet] @ down).max() > 1e-3) == slips or tips
    assert (np.abs(moved @ normal).max() > 1e-3) == tips
    if slips:
        acceleration = GRAVITY * (np.sin(np.radians(degrees)) - friction * np.cos(np.radians(degrees)))
        assert moved @ down == pytest.approx(0.125 * acceleration, abs=1e-9)
    if not (slips or tips):
        assert np.abs(moved).max() < 1e-13
