"""Cables held at a length beside a ground: they pull with what that takes, go slack, and catch without a bounce."""

from __future__ import annotations

import numpy as np
import pytest
from on_ground import GRAVITY, followed
from scipy.integrate import solve_ivp

from taut import Cable, Drive, Ground, Sinusoid, Structure

FLOOR = Ground("floor", friction=0.3, touched_by=("node:sledge",))
SLEDGE, WEIGHT = 1.5, 1.0
TOGETHER = (WEIGHT - 0.3 * SLEDGE) * GRAVITY / (WEIGHT + SLEDGE)
"""[m/s^2], of a sledge on the floor and a weight on one string."""


def tied(lift: float = 0.0) -> Structure:
    """A sledge on the floor, a string over a guide, and a weight on it, which is lifted."""
    return Structure(
        {"sledge": (0.0, 0.0, 0.0), "guide": (2.0, 0.0, 0.0), "weight": (2.0, 0.0, lift - 0.5)},
        [],
        [Cable("string", ("sledge", "guide", "weight"), mode="length", command=2.5)],
        {"guide": "xyz"},
        point_masses={"sledge": SLEDGE, "weight": WEIGHT},
    )


@pytest.mark.slow
def test_a_weight_pulls_a_sledge_over_the_floor() -> None:
    """As Atwood's machine with friction: place, tension and books to round-off, for the acceleration is constant."""
    run = followed(tied(), FLOOR, 0.8, 1e-3)
    assert run.ok
    assert run.nodes[:, 0, 0] == pytest.approx(0.5 * TOGETHER * run.time**2, abs=1e-11)
    assert run.tension("string")[1:] == pytest.approx(SLEDGE * (TOGETHER + 0.3 * GRAVITY), rel=1e-9)
    assert run.cable_length == pytest.approx(2.5, abs=1e-9)
    assert run.work[-1] == pytest.approx(-0.3 * SLEDGE * GRAVITY * run.nodes[-1, 0, 0], rel=1e-9)
    assert np.abs(run.energy_violation).max() < 1e-9
    assert [event.name for event in run.events] == [
        'contact "sledge on floor" touches down and slides',
        'cable "string" taut',
    ]


def caught(lift: float) -> tuple[float, float]:
    """When a weight that is lifted has fallen into its string, and how fast both go on: friction takes next to nothing
    of an impulse along the floor."""
    return float(np.sqrt(2.0 * lift / GRAVITY)), float(WEIGHT * np.sqrt(2.0 * lift * GRAVITY) / (WEIGHT + SLEDGE))


@pytest.mark.slow
def test_a_string_catches_as_a_plastic_impact() -> None:
    """Of first order: the catch is at the end of its step. The energy lost is work."""
    lift, off = 0.1, []
    when, speed = caught(lift)
    for step in (1e-3, 2.5e-4):
        run = followed(tied(lift), FLOOR, 0.4, step)
        since = 0.4 - when
        off.append(abs(run.nodes[-1, 0, 0] - (speed * since + 0.5 * TOGETHER * since**2)))
        told = [event for event in run.events if event.subject == "string"]
        assert [event.change for event in told] == ["taut"]
        assert told[0].time == pytest.approx(when, abs=1.001 * step)
        assert (run.tension("string")[run.time < when - step] == 0.0).all()
        assert run.cable_length.max() < 2.5 + 1e-9
        assert np.abs(run.energy_violation).max() < 20.0 * step
    assert off[0] < 2e-3
    assert off[1] < 0.5 * off[0]


@pytest.mark.slow
def test_a_string_never_pushes() -> None:
    """The sledge is kicked towards the guide by 1 m/s: both move freely until the weight has fallen as far as the
    sledge came, t (g + mu g) / 2 = 1 m/s. (A hair of slack, since a start is brought to the length held.)"""
    run = followed(tied(1e-6), FLOOR, 0.5, 1e-3, velocities={"sledge": (1.0, 0.0, 0.0)})
    when = 2.0 / (GRAVITY + 0.3 * GRAVITY)
    told = [(event.change, event.time) for event in run.events if event.subject == "string"]
    assert [change for change, _ in told] == ["taut"]
    assert told[0][1] == pytest.approx(when, abs=2e-3)
    free = run.time < when - 2e-3
    assert run.nodes[free, 2, 2] == pytest.approx(1e-6 - 0.5 - 0.5 * GRAVITY * run.time[free] ** 2, abs=1e-11)


@pytest.mark.slow
def test_a_winch_lifts_a_weight_off_the_floor() -> None:
    """By the length that is held: the string is short by what the drive says, and the drive works what it takes."""
    made = Structure(
        {"top": (0.0, 0.0, 1.0), "sledge": (0.0, 0.0, 0.0), "guide": (0.0, 1.0, 1.0)},
        [],
        [Cable("string", ("guide", "top", "sledge"), mode="length")],
        {"top": "xyz", "guide": "xyz"},
        point_masses={"sledge": SLEDGE},
    )
    wound = Drive("winch", "cable:string", "length", by=Sinusoid(-0.2, 0.5))
    run = followed(made, FLOOR, 0.5, 1e-3, drives=[wound])
    assert run.nodes[-1, 1, 2] == pytest.approx(0.2, abs=1e-9)
    lifting = 0.2 * np.pi * np.cos(np.pi * run.time)
    wanted = SLEDGE * GRAVITY * 0.2 * np.sin(np.pi * run.time) + 0.5 * SLEDGE * (lifting**2 - lifting[0] ** 2)
    assert run.work == pytest.approx(wanted, abs=1e-5)
    assert run.tension("string")[50] == pytest.approx(
        SLEDGE * (GRAVITY - 0.2 * np.pi**2 * np.sin(np.pi * 0.25)), rel=1e-3
    )
    assert np.abs(run.energy_violation).max() < 1e-5


@pytest.mark.slow
def test_a_pendulum_on_a_string_is_of_second_order() -> None:
    made = Structure(
        {"top": (0.0, 0.0, 2.0), "sledge": (1.0, 0.0, 2.0)},
        [],
        [Cable("string", ("top", "sledge"), mode="length")],
        {"top": "xyz"},
        point_masses={"sledge": SLEDGE},
    )
    found = solve_ivp(
        lambda _t, y: [y[1], GRAVITY * np.cos(y[0])], (0.0, 0.6), [0.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-13
    )
    angle, off = found.y[0, -1], []
    for step in (1e-3, 5e-4):
        run = followed(made, FLOOR, 0.6, step)
        off.append(np.abs(run.nodes[-1, 1] - [np.cos(angle), 0.0, 2.0 - np.sin(angle)]).max())
        assert np.abs(run.cable_length - 1.0).max() < 1e-9
    assert off[1] < 1e-6
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.05)
