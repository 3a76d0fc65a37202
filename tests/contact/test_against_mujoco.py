"""Beside MuJoCo where its model comes close to the same: contacts that are firm at its steps, a round cone, bars that
do not roll on the balls at their ends."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from on_ground import GRAVITY, followed

from taut import Bar, Ground, Structure

pytest.importorskip("mujoco", reason="mujoco is not installed; it comes with the extra bench")

STEP = 2e-5
"""[s], of MuJoCo: its contacts push out what is inside in no less than two steps."""


@pytest.fixture(autouse=True)
def _beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2]))


def by_mujoco(structure: Structure, speed: tuple[float, float, float], friction: float, every: float, samples: int):  # type: ignore[no-untyped-def]
    """Positions of nodes, all of which begin with one velocity."""
    from benchmarks.six_strut_in_mujoco import InMujoco

    places = structure.positions
    velocities = np.tile(speed, (len(places), 1))
    model = InMujoco(structure, places, velocities, GRAVITY, axial=1.0, friction=friction, firm=2.0 * STEP)
    return model.follow("Euler", STEP, every, samples)


def test_a_bar_slides_as_far() -> None:
    """Across itself, to a stop, within 1e-3 of its way."""
    bar = Structure({"a": (0.0, 0.0, 0.0), "b": (0.8, 0.0, 0.0)}, [Bar("ab", ("a", "b"), mass=2.0)])
    speed = (0.0, 1.0, 0.0)
    floor = Ground("floor", friction=0.3)
    ours = followed(bar, floor, 0.5, 1e-3, velocities=dict.fromkeys(bar.nodes, speed)).nodes[-1]
    theirs = by_mujoco(bar, speed, 0.3, 0.5, 1)[-1]
    assert ours[0, 1] == pytest.approx(1.0 / (2.0 * 0.3 * GRAVITY), rel=1e-5)
    assert np.abs(theirs - ours).max() < 1e-3 * ours[0, 1]


def test_a_robot_tumbles_alike_until_its_second_impact() -> None:
    """Two nodes strike at once, a third one later: positions within 1e-3 m until then."""
    from benchmarks.contact_steps import robot

    made, every = robot(0.1, askew=0.15), 1e-3
    ours = followed(made, Ground("floor", friction=0.6), 0.25, 5e-5, every=every)
    landings = sorted(event.time for event in ours.events if "touches down" in str(event))
    assert landings[0] == landings[1] < 0.15
    second = landings[2]
    assert 0.2 < second < 0.25
    until = int(second / every) + 1
    theirs = by_mujoco(made, (0.0, 0.0, 0.0), 0.6, every, until)
    assert np.abs(theirs - ours.nodes[: until + 1]).max() < 1e-3
