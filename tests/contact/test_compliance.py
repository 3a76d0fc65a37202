"""Grounds that give way, with bristles: closed forms of rest, sticking, sliding and impact, and the rigid limit.

All plants here are of one Spec, so that the quick tests share one explicit and one implicit time loop.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from on_ground import GRAVITY, followed, inclined, point, robot, rod, slope

from taut import Box, Compliance, Damping, Ground, Structure, Terrain, Trajectory, assemble, simulate

FIRMNESS = 1e5
SOFT = Compliance(stiffness=FIRMNESS, damping=50.0)


def on(
    structure: Structure, ground: Ground, duration: float, method: str = "dp8", *, damping: float = 0.0, **options: Any
) -> Trajectory:
    """Without the correction of the energy, which would hide what is missing in the books."""
    velocities = options.pop("velocities", {})
    steps = {"step": 1e-3} if method == "rk4" else {"tolerance": 1e-10}
    options = {**steps, "every": duration / 50, "correction": "constraints", **options}
    plant = assemble(structure, gravity=GRAVITY, ground=[ground], velocities=velocities, damping=Damping(node=damping))
    run = simulate(plant, duration, method=method, verify=False, **options)
    assert run.ok, run.status
    return run


def floor(friction: float = 0.6, **compliance: Any) -> Ground:
    return Ground("floor", friction=friction, compliance=Compliance(**{"stiffness": FIRMNESS, **compliance}))


def on_slope(degrees: float, friction: float, method: str = "dp8", **options: Any) -> tuple[Trajectory, np.ndarray]:
    """A point of 1 kg that begins at rest, on the face; and what it has gone down the slope."""
    ground = inclined(degrees, friction, compliance=options.pop("compliance", SOFT), **options.pop("ground", {}))
    run = on(point(options.pop("place", (0.0, 0.0, 0.0))), ground, options.pop("duration", 7.0), method, **options)
    return run, run.nodes[:, 0] @ slope(degrees)[0]


# --- rest and friction


@pytest.mark.slow
def test_the_robot_sinks_in_by_its_weight_over_three_feet_and_stays_there() -> None:
    """0.098 mm, all of its weight in contact forces, and no motion: 1e-13 m over the last ten seconds."""
    run = on(robot(0.05, damping=20.0), floor(), 20.0, "rk4", damping=1.0)
    feet = np.sort(run.nodes[-1, :, 2])[:3]
    assert feet == pytest.approx([-3.0 * GRAVITY / (3.0 * FIRMNESS)] * 3, rel=1e-10)
    assert run.contact_force[-1].sum(axis=0) == pytest.approx([0.0, 0.0, 3.0 * GRAVITY], abs=1e-10)
    assert np.abs(run.nodes[-1] - run.nodes[-26]).max() < 1e-13
    assert sorted(run.contact_state[-1]) == [0.0] * 9 + [1.0] * 3


@pytest.mark.slow
@pytest.mark.parametrize("method", ["rk4", "dp5", "implicit3"])
def test_bristles_stick_on_a_slope(method: str) -> None:
    """F_t / F_n = tan(theta), the depth is m g cos(theta) / k, and what has settled does not move in 5 s."""
    run, gone = on_slope(10.0, 0.6, method)
    down, normal = slope(10.0)
    force = run.contact_force[-1, 0]
    assert -(force @ down) / (force @ normal) == pytest.approx(np.tan(np.radians(10.0)), rel=1e-12)
    assert -run.nodes[-1, 0] @ normal == pytest.approx(GRAVITY * np.cos(np.radians(10.0)) / FIRMNESS, rel=1e-12)
    assert np.abs(gone[15:] - gone[-1]).max() < 1e-15
    assert run.contact_state[-1, 0] == 1.0


@pytest.mark.parametrize("uphill", [0.0, 1.0])
def test_only_bristles_stick(uphill: float) -> None:
    """Drift in 5 s after settling, 10 degrees, friction 0.6, steps of 1 ms: regularised friction creeps by
    v_s tan(theta) / mu, the switch by what speed it is left with, uphill too; bristles do not."""
    down, drift = slope(10.0)[0], {}
    for law in ("bristle", "regularised", "threshold"):
        speed = tuple(map(float, -uphill * down))
        soft = Compliance(stiffness=FIRMNESS, friction_law=law, threshold=0.01)
        _, gone = on_slope(10.0, 0.6, "rk4", compliance=soft, velocities={"a": speed}, every=0.5)
        drift[law] = gone[14] - gone[4]
    assert abs(drift["bristle"]) < 1e-15
    assert drift["regularised"] == pytest.approx(5.0 * 0.01 * np.tan(np.radians(10.0)) / 0.6, rel=1e-6)
    assert 3e-3 < abs(drift["threshold"]) < 5e-2
    assert (drift["threshold"] < 0.0) == (uphill > 0.0)


@pytest.mark.parametrize("beside", [-0.1, 0.1])
def test_a_tenth_of_a_degree_decides_whether_it_slides(beside: float) -> None:
    friction, angle = np.tan(np.radians(20.0)), np.radians(20.0 + beside)
    run, gone = on_slope(20.0 + beside, friction, duration=3.0)
    speed = run.velocities[:, 0] @ slope(20.0 + beside)[0]
    if beside < 0.0:
        assert np.abs(gone[30:] - gone[-1]).max() < 1e-15
    else:
        fall = GRAVITY * (np.sin(angle) - friction * np.cos(angle))
        assert (speed[50] - speed[25]) / 1.5 == pytest.approx(fall, rel=1e-9)
    assert run.contact_state[-1, 0] == (1.0 if beside < 0.0 else 2.0)


def test_what_slides_is_braked_by_friction() -> None:
    """Down the slope with g (sin - mu cos); and up it, v^2 / (2 g (sin + mu cos)) far, but for how the ground gives."""
    angle = np.radians(20.0)
    run, _ = on_slope(20.0, 0.1, duration=2.0)
    speed = run.velocities[:, 0] @ slope(20.0)[0]
    assert speed[50] - speed[25] == pytest.approx(GRAVITY * (np.sin(angle) - 0.1 * np.cos(angle)), rel=1e-9)
    way = []
    for stiffness in (1e5, 1e6):
        soft = Compliance(stiffness=stiffness, damping=50.0 * np.sqrt(stiffness / 1e5))
        _, gone = on_slope(
            20.0, 0.6, duration=0.5, compliance=soft, velocities={"a": tuple(map(float, -2.0 * slope(20.0)[0]))}
        )
        way.append(-gone[-1])
    wanted = 4.0 / (2.0 * GRAVITY * (np.sin(angle) + 0.6 * np.cos(angle)))
    assert way == pytest.approx([wanted] * 2, abs=2e-3)
    assert abs(way[1] - wanted) < 0.5 * abs(way[0] - wanted)


def test_static_friction_holds_what_rests_and_not_what_slides() -> None:
    angle, ground = np.radians(15.0), {"static_friction": 0.6}
    place = -GRAVITY * np.cos(angle) / FIRMNESS * slope(15.0)[1]
    _, rests = on_slope(15.0, 0.2, ground=ground, duration=3.0, place=place)
    assert np.abs(rests[30:] - rests[-1]).max() < 1e-15
    pushed = {"a": tuple(map(float, 0.3 * slope(15.0)[0]))}
    run, _ = on_slope(15.0, 0.2, ground=ground, duration=3.0, place=place, velocities=pushed)
    speed = run.velocities[:, 0] @ slope(15.0)[0]
    assert (speed[50] - speed[25]) / 1.5 == pytest.approx(GRAVITY * (np.sin(angle) - 0.2 * np.cos(angle)), rel=1e-9)


# --- impacts


def test_nothing_pulls_or_jumps_and_the_damper_gives_no_more_than_the_spring() -> None:
    """A point dropped on the floor: N is between 0 and 2 k d, begins at nothing, and a bounce loses what is booked."""
    run = on(point((0.0, 0.0, 0.02)), floor(), 0.1, every=2e-5)
    depth, force = -run.nodes[:, 0, 2], run.contact_force[:, 0, 2]
    inside = depth > 0.0
    assert inside.any()
    assert (force[~inside] == 0.0).all()
    assert (force[inside] >= 0.0).all()
    assert (force[inside] <= 2.0 * FIRMNESS * depth[inside] * (1.0 + 1e-12)).all()
    assert np.abs(np.diff(force)).max() < 3.0 * FIRMNESS * 2e-5 * 0.63
    lost = run.work[-1]
    assert lost < -0.01
    assert np.abs(run.energy_violation).max() < 1e-10


def test_touching_down_is_located_to_round_off() -> None:
    run = on(point((0.0, 0.0, 0.02)), floor(), 0.1)
    first, last = run.events[0], run.events[-1]
    assert first.name == 'contact "a on floor" touches down and slides'
    assert first.time == pytest.approx(np.sqrt(0.04 / GRAVITY), abs=1e-14)
    assert last.name == 'contact "a on floor" lifts off'
    assert [event.name.rpartition("floor")[2] for event in run.events[1:-1]] == ['" sticks', '" slides']


@cache
def tumbled(method: str, tolerance: float = 1e-10) -> Trajectory:
    """The robot dropped askew, cables damped: touching down, sticking, sliding and lifting off, sixty times or so."""
    return on(robot(0.1, damping=5.0), floor(), 0.4, method, tolerance=tolerance, every=0.01)


def test_energy_less_work_stays_as_it_is() -> None:
    run = tumbled("dp8")
    assert run.work[-1] < -1.0
    assert len(run.events) > 30
    assert np.abs(run.energy_violation).max() < 1e-9


@pytest.mark.slow
def test_explicit_and_implicit_steps_agree() -> None:
    exact = tumbled("dp8")
    assert np.abs(tumbled("dp5", 1e-9).nodes - exact.nodes).max() < 1e-8
    for method in ("implicit3", "implicit4"):
        assert np.abs(tumbled(method, 1e-8).nodes - exact.nodes).max() < 2e-8


def test_rk4_is_of_fourth_order_where_the_ground_is_smooth() -> None:
    """A point that swings in the floor and bends its bristle, without sliding or lifting off."""
    ground = floor(0.3, stiffness=1e4, damping=0.0, tangential_damping=50.0)
    start = {"structure": point((0.0, 0.0, -GRAVITY / 1e4)), "ground": ground, "duration": 0.05}
    pushed = {"velocities": {"a": (5e-5, 2e-5, -0.01)}, "every": 5e-4}
    exact = on(**start, **pushed, tolerance=1e-14)
    assert exact.events == ()
    errors = [np.abs(on(**start, method="rk4", step=h, **pushed).nodes - exact.nodes).max() for h in (2e-4, 1e-4, 5e-5)]
    assert np.log2(np.array(errors[:-1]) / errors[1:]) == pytest.approx([4.0, 4.0], abs=0.02)


def test_rk4_keeps_its_order_through_a_bounce() -> None:
    """Since it steps onto the very instants at which the point touches down and lifts off. In the mean, as where in a
    step these are is another matter with every step."""
    start = {"structure": point((0.0, 0.0, 0.02)), "ground": floor(0.3, damping=200.0), "duration": 0.1}
    thrown = {"velocities": {"a": (0.5, 0.2, 0.0)}, "every": 1e-3}
    exact = on(**start, **thrown, tolerance=1e-14)
    assert [event.change for event in exact.events] == ["touches down and slides", "lifts off"]
    errors = [np.abs(on(**start, method="rk4", step=h, **thrown).nodes - exact.nodes).max() for h in (4e-4, 2.5e-5)]
    assert np.log2(errors[0] / errors[1]) / 4.0 == pytest.approx(4.0, abs=0.3)


@pytest.mark.parametrize(
    ("friction", "pushed"), [(0.0, 0.0), (1.0, 0.0), pytest.param(0.3, 1.0, marks=pytest.mark.slow)]
)
def test_stiffer_grounds_go_to_the_rigid_one(friction: float, pushed: float) -> None:
    """A bar that falls over with its end on the floor, without friction, sticking, and sliding: like 1 / k."""
    velocities = dict.fromkeys("ab", (-pushed, 0.0, 0.0))
    rigid = followed(rod(1.0), Ground("floor", friction=friction), 0.3, 1e-4, every=0.05, velocities=velocities)
    apart = []
    for stiffness in (1e5, 1e6):
        ground = floor(friction, stiffness=stiffness, damping=np.sqrt(0.5 * stiffness))
        run = on(rod(1.0), ground, 0.3, every=0.05, velocities=velocities)
        apart.append(np.abs(run.nodes[-1] - rigid.nodes[-1]).max())
    assert apart[0] < 2e-4
    assert apart[1] == pytest.approx(0.1 * apart[0], rel=0.1)


@pytest.mark.parametrize("shape", ["terrain", "box"])
def test_energy_is_kept_on_terrain_and_boxes(shape: str) -> None:
    heights = np.random.default_rng(1).uniform(0.0, 0.1, (8, 8))
    hills = Terrain(tuple(map(tuple, heights.tolist())), (0.25, 0.25), (-0.8, -0.8))
    block = Box((0.0, 0.0, -0.1), (0.5, 0.5, 0.2), 0.3)
    ground = {
        "terrain": Ground("hills", hills, compliance=SOFT),
        "box": Ground("block", block, compliance=SOFT, touched_by=("node:*",), radius=0.01),
    }[shape]
    run = on(robot(0.15 if shape == "terrain" else 0.05, damping=5.0), ground, 0.5)
    assert run.work[-1] < -1.0
    assert np.abs(run.energy_violation).max() < 1e-9
