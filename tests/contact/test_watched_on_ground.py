"""What is watched in a run with impulses: noted at the end of the step in which it comes, none left out."""

from __future__ import annotations

import numpy as np
import pytest
from on_ground import GRAVITY, followed

from taut import Cable, Ground, Structure, Trajectory, Watch

FLOOR = Ground("floor", friction=0.5, restitution=0.5)
HEIGHT, STEP = 0.5, 1e-3


def ball(*events: Watch, step: float = STEP) -> Trajectory:
    """Dropped from half a metre, beside a weight on a slack cable."""
    made = Structure(
        {"ball": (0.0, 0.0, HEIGHT), "top": (1.0, 0.0, 3.0), "weight": (1.0, 0.0, 2.2)},
        [],
        [Cable("c", ("top", "weight"), stiffness=2000.0, rest_length=0.9)],
        {"top": "xyz"},
        point_masses={"ball": 1.0, "weight": 1.0},
    )
    return followed(made, FLOOR, 1.0, step, events=events)


def passed(level: float) -> tuple[float, float, float]:
    """When a ball passes a level falling, rising and falling again, from the closed form of a bounce."""
    first, speed = np.sqrt(2.0 * HEIGHT / GRAVITY), np.sqrt(2.0 * HEIGHT * GRAVITY)
    up = 0.5 * speed
    root = np.sqrt(up**2 - 2.0 * GRAVITY * level)
    return np.sqrt(2.0 * (HEIGHT - level) / GRAVITY), first + (up - root) / GRAVITY, first + (up + root) / GRAVITY


@pytest.mark.slow
def test_what_is_watched_is_noted_at_the_end_of_its_step() -> None:
    """Two levels that are passed within one step too; each within a step of the closed form, and the impact's own."""
    low = Watch.at_plane("low", "ball", "z", 0.05)
    run = ball(low, Watch.at_plane("lower", "ball", "z", 0.0499), Watch.at_distance("apart", ("ball", "top"), 3.0))
    for name, level in (("low", 0.05), ("lower", 0.0499)):
        told = [event for event in run.events if event.subject == name]
        assert [event.change for event in told[:3]] == ["falling", "rising", "falling"]
        late = np.array([event.time for event in told[:3]]) - passed(level)
        assert late[0] == pytest.approx(0.5 * STEP, abs=0.5001 * STEP)
        assert np.abs(late).max() < 3 * STEP
        assert all(event.time == pytest.approx(STEP * round(event.time / STEP), abs=1e-12) for event in told)
    first = {event.subject: event.time for event in reversed(run.events)}
    assert first["low"] == first["lower"]
    assert any("noted at the end of the step of 0.001 s" in note for note in run.notes)


@pytest.mark.slow
def test_a_run_stops_at_the_end_of_the_step() -> None:
    run = ball(Watch.at_plane("down", "ball", "z", 0.1, sense="falling", then="stop"))
    assert run.status == "finished at t = 0.286 s, where it was to stop"
    assert run.time[-1] == pytest.approx(0.286, abs=1e-12)
    assert run.nodes[-1, 0, 2] < 0.1 < run.nodes[-2, 0, 2]
    assert run.events[-1].name == 'event "down": node "ball" z = 0.1 m falling'


@pytest.mark.slow
def test_a_cable_is_cut_by_its_tension_and_at_a_time() -> None:
    """The weight falls into its cable, which breaks at 30 N; and what it had stored counts as work."""
    run = ball(Watch.at_tension("breaks", "cable:c", 30.0, then="cut"), Watch.at_time("noon", 0.1))
    told = {event.subject: event for event in run.events}
    assert told["noon"].time == pytest.approx(0.1, abs=1e-12)
    caught = np.sqrt(2.0 * 0.1 / GRAVITY)
    assert caught < told["breaks"].time < caught + 0.02
    assert run.tension("c")[run.time > told["breaks"].time].max() == 0.0
    speed = run.velocities[-1, 2, 2] - run.velocities[-11, 2, 2]
    assert speed == pytest.approx(-GRAVITY * (run.time[-1] - run.time[-11]), rel=1e-9)
    assert np.abs(run.energy_violation).max() < 0.05
