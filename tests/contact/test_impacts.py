"""Impacts: impulses against closed forms, bounces, and energy that none of them makes."""

from __future__ import annotations

import numpy as np
import pytest
from on_ground import GRAVITY, LENGTH, MASS, followed, inclined, point, rod

from taut import Ground

INSTANT = 1e-11
"""[s], of a step in which nothing but the impact happens."""


def struck(angle: float, across: float, friction: float) -> tuple[np.ndarray, str]:
    """Impulse (normal, along x) on the end of a rod that falls with 1 m/s: of three possible ones that which fits."""
    inertia, rx, rz = MASS * LENGTH**2 / 12.0, -0.5 * LENGTH * np.cos(angle), -0.5 * LENGTH * np.sin(angle)
    nn, tt, nt = 1.0 / MASS + rx * rx / inertia, 1.0 / MASS + rz * rz / inertia, -rx * rz / inertia
    held = -np.linalg.solve([[nn, nt], [nt, tt]], [-1.0, across])
    if abs(held[1]) <= friction * held[0]:
        return held, "touches down and sticks"
    for sign in (1.0, -1.0):
        normal = 1.0 / (nn - friction * sign * nt)
        if normal > 0.0 and sign * (across + nt * normal - friction * sign * tt * normal) > 0.0:
            return np.array([normal, -friction * sign * normal]), "touches down and slides"
    raise AssertionError("one of them fits")


@pytest.mark.parametrize(
    ("angle", "across", "friction"),
    [(0.8, 0.5, 2.0), (0.8, 3.0, 0.3), (0.8, -3.0, 0.3), (1.1, 0.2, 0.1), (0.4, 0.3, 0.2), (0.7, -0.4, 0.2)],
    ids=["sticks", "slides on", "slides back", "is turned round", "is turned round, flat", "slides back, slowly"],
)
def test_a_bar_dropped_at_an_angle(angle: float, across: float, friction: float) -> None:
    wanted, change = struck(angle, across, friction)
    speeds = dict.fromkeys("ab", (across, 0.0, -1.0))
    ground = Ground("floor", friction=friction)
    run = followed(rod(angle), ground, INSTANT, INSTANT, gravity=0.0, velocities=speeds, every=INSTANT)
    found = run.contact_force[-1, 0] * INSTANT
    assert found[[2, 0]] == pytest.approx(wanted, abs=1e-10)
    assert [event.change for event in run.events] == [change]
    after = run.velocities[-1].mean(axis=0)
    assert MASS * (after - [across, 0.0, -1.0]) == pytest.approx(found, abs=1e-10)


def test_what_slides_is_not_held_by_static_friction() -> None:
    """A point that strikes while it slides: the kinetic one takes its share, whatever it takes to make it slide."""
    for static in (None, 0.6):
        ground = Ground("floor", friction=0.3, static_friction=static)
        speeds = {"a": (0.55, 0.0, -1.0)}
        run = followed(point(), ground, INSTANT, INSTANT, gravity=0.0, velocities=speeds, every=INSTANT)
        assert run.velocities[-1, 0] == pytest.approx([0.25, 0.0, 0.0], abs=1e-12)
        assert run.events[0].change == "touches down and slides"


def test_static_friction_holds_what_rests() -> None:
    """On a slope whose tangent lies between both."""
    held = followed(point(), inclined(15.0, 0.2, static_friction=0.3), 1.0, 1e-3)
    assert np.abs(held.nodes - held.nodes[0]).max() < 1e-15
    loose = followed(point(), inclined(15.0, 0.2, static_friction=0.25), 1.0, 1e-3)
    wanted = 0.5 * GRAVITY * (np.sin(np.radians(15.0)) - 0.2 * np.cos(np.radians(15.0)))
    assert np.linalg.norm(loose.nodes[-1, 0]) == pytest.approx(wanted, abs=2e-3), (
        "the first step still has the static one"
    )


def test_a_bouncing_ball_rises_to_the_right_heights() -> None:
    """The first two, to first order."""
    fall, off = np.sqrt(2.0 / GRAVITY), []
    for step in (1e-3, 1e-4):
        run = followed(point((0, 0, 1)), Ground("floor", restitution=0.8), 1.6, step, every=1e-3)
        heights = run.nodes[:, 0, 2]
        first = heights[(run.time > fall) & (run.time < 2.6 * fall)].max()
        second = heights[run.time > 2.6 * fall].max()
        off.append(max(abs(first - 0.64), abs(second - 0.64**2)))
        assert heights.min() > -1e-15
    assert off[0] < 5e-3
    assert off[1] < 5e-4


def test_a_ball_without_restitution_lies_at_once() -> None:
    run = followed(point((0, 0, 0.5)), Ground("floor"), 1.0, 1e-3)
    landed = run.time > np.sqrt(1.0 / GRAVITY) + 1e-3
    assert np.abs(run.nodes[landed]).max() < 1e-16
    assert run.contact_force[-1, 0] == pytest.approx([0.0, 0.0, GRAVITY], rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_restitution_and_friction_together_make_no_energy(seed: int) -> None:
    """Newton's restitution alone would, for some of these: a bar that strikes with friction and full restitution. What
    is lost is the work of the impulses, to the last digits."""
    draw = np.random.default_rng(seed)
    angle, friction = draw.uniform(0.2, 1.4), draw.uniform(0.1, 1.5)
    speeds = {"a": (*draw.normal(size=2), -abs(draw.normal())), "b": tuple(draw.normal(size=3))}
    ground = Ground("floor", friction=friction, restitution=1.0)
    run = followed(rod(angle), ground, INSTANT, INSTANT, gravity=0.0, velocities=speeds, every=INSTANT)
    before, after = run.energy_kinetic[[0, -1]]
    assert after <= before * (1.0 + 1e-10)  # a bar turns by 1e-11 rad on the way
    assert after - before == pytest.approx(run.work[-1], abs=1e-9 * before)


def test_the_bound_is_needed() -> None:
    """Of the same draws: without it, by the closed form of a single contact, one of them makes energy."""
    made = 0
    for seed in range(20):
        draw = np.random.default_rng(seed)
        angle, friction = draw.uniform(0.2, 1.4), draw.uniform(0.1, 1.5)
        speeds = {"a": (*draw.normal(size=2), -abs(draw.normal())), "b": tuple(draw.normal(size=3))}
        ground = Ground("floor", friction=friction, restitution=1.0)
        run = followed(rod(angle), ground, INSTANT, INSTANT, gravity=0.0, velocities=speeds, every=INSTANT)
        came, went = run.velocities[0, 0, 2], run.velocities[-1, 0, 2]
        made += int(came < 0.0 and went < -came * (1.0 - 1e-9))
    assert made > 0
