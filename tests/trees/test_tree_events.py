"""Cables on pulleys that go slack and take up again, located; and what is watched in trees."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import taut
from taut.structure.trees import frame
from taut.trees import Body, LoopJoint, PulleyCable, Tree, TreeJoint, in_bodies, single_strut, tree_plant

MASS, TENSION, RADIUS, UNWOUND = 0.5, 200.0, 0.05, 10.0
FALL = 0.02


def weight_under_a_pulley(damping: float = 0.0, law: str = "energy-consistent") -> Tree:
    """A weight that slides up and down below a pulley, 2 cm above where its cable is taut."""
    down, left = np.array([0.0, 0.0, -1.0]), np.array([1.0, 0.0, 0.0])
    cosine, sine = math.cos(UNWOUND), math.sin(UNWOUND)
    x, y = cosine * down - sine * left, sine * down + cosine * left
    natural = RADIUS * UNWOUND
    hook = RADIUS * left + (natural - FALL) * down
    cable = PulleyCable(RADIUS, TENSION, damping, law=law)
    weight = Body("weight", MASS, inertia=((1e-3, 0.0, 0.0), (0.0, 1e-3, 0.0), (0.0, 0.0, 1e-3)))
    return Tree(
        (
            TreeJoint(
                "reel",
                "involute",
                "world",
                Body("end"),
                rotation=frame(x, y, np.cross(x, y)),
                values=(UNWOUND, -FALL / natural),
                cable=cable,
            ),
            TreeJoint("slide", "prismatic", "world", weight, at=tuple(map(float, hook)), axes=((0.0, 0.0, 1.0),)),
        ),
        (LoopJoint("hook", "weight", "end"),),
    )


def run_of(tree: Tree, duration: float, **more: object) -> taut.Trajectory:
    options = {"every": 0.05, "method": "dp8", "tolerance": 1e-10, "verify": False, **more}
    return taut.simulate(tree_plant(tree, size=0.5), duration, **options)  # type: ignore[arg-type]


def test_a_falling_weight_takes_up_its_cable_when_mechanics_says() -> None:
    """It falls freely, swings once on the cable, and flies up and down again."""
    stiffness = TENSION / (RADIUS * UNWOUND)
    swing, rest = math.sqrt(stiffness / MASS), MASS * 9.81 / stiffness
    speed = math.sqrt(2.0 * 9.81 * FALL)
    taut_at = math.sqrt(2.0 * FALL / 9.81)
    slack_at = taut_at + 2.0 * (math.pi - math.atan(speed / (swing * rest))) / swing
    wanted = [taut_at, slack_at, slack_at + 2.0 * speed / 9.81]
    run = run_of(weight_under_a_pulley(), 0.4)
    assert [event.name for event in run.events] == [f'cable "reel" {now}' for now in ("taut", "slack", "taut")]
    np.testing.assert_allclose([event.time for event in run.events], wanted, rtol=0, atol=1e-9)
    assert np.abs(run.energy_violation).max() < 1e-11 * run.overall.energy_in_play
    assert run.element_output[1, run.element_names.index("reel.tension")] == 0.0, "still in the air"
    by_rk4 = run_of(weight_under_a_pulley(), 0.4, method="rk4", step=2e-3, tolerance=1e-8)
    np.testing.assert_allclose([event.time for event in by_rk4.events], wanted, rtol=0, atol=1e-7)
    over = run_of(weight_under_a_pulley(), 0.4, locate=False)
    assert not over.events
    np.testing.assert_allclose(over.coordinate[-1], run.coordinate[-1], atol=1e-7)


def test_a_damped_cable_does_not_push_and_steps_over_nothing() -> None:
    """Its damper begins to pull at once when it is taken up: a jump that only a located instant is good for."""
    rough, fine = (run_of(weight_under_a_pulley(2.0), 0.6, tolerance=tolerance) for tolerance in (1e-8, 1e-12))
    np.testing.assert_allclose(rough.coordinate[-1], fine.coordinate[-1], atol=1e-9)
    assert [event.change for event in rough.events] == ["taut"]
    heavy = run_of(weight_under_a_pulley(0.3), 0.4)
    assert [event.change for event in heavy.events] == ["taut", "slack", "taut"]
    assert heavy.element_output[:, heavy.element_names.index("reel.tension")].min() >= 0.0
    total = heavy.energy_kinetic + heavy.energy_elastic + heavy.energy_gravity
    np.testing.assert_allclose(total - total[0], heavy.work, atol=1e-10)
    assert np.diff(heavy.work).max() < 1e-15, "a damper takes energy only"


def test_cables_are_located_beside_a_rigid_one() -> None:
    tree = weight_under_a_pulley()
    tip = Body("tip", 0.1, inertia=((1e-3, 0.0, 0.0), (0.0, 1e-3, 0.0), (0.0, 0.0, 1e-3)))
    idle = TreeJoint("idle", "involute", "world", tip, values=(2.0,), cable=PulleyCable(RADIUS, variant="rigid"))
    run = run_of(replace(tree, joints=(*tree.joints, idle)), 0.1)
    assert [event.name for event in run.events] == ['cable "reel" taut']


def test_a_run_goes_on_in_the_air() -> None:
    whole, half = run_of(weight_under_a_pulley(0.3), 0.4), run_of(weight_under_a_pulley(0.3), 0.25)
    on = run_of(weight_under_a_pulley(0.3), 0.4, start=half)
    np.testing.assert_array_equal(on.coordinate, whole.coordinate)
    assert on.events == whole.events


def test_tensions_places_and_times_are_watched() -> None:
    tree = weight_under_a_pulley()
    watches = [
        taut.Watch.at_plane("low", "end", "z", -0.505),
        taut.Watch.at_time("noon", 0.07),
        taut.Watch.at_tension("pull", "reel", 5.0, then="stop"),
    ]
    run = taut.simulate(tree_plant(tree, size=0.5, events=watches), 0.4, every=0.05, method="dp8", verify=False)
    assert "where it was to stop" in run.status
    assert [event.subject for event in run.events] == ["reel", "noon", "low", "pull"]
    assert run.element_output[-1, 1] == pytest.approx(5.0, abs=1e-10)
    cut = taut.Watch.at_tension("break", "reel", 5.0, then="cut")
    torn = taut.simulate(tree_plant(tree, size=0.5, events=[cut]), 0.4, every=0.05, method="dp8", verify=False)
    assert torn.events[-1].name == 'event "break": cable "reel" 5 N rising, 1 cut'
    assert torn.element_output[-1, 1] == 0.0
    np.testing.assert_allclose(torn.work[-1], -0.5 * 5.0**2 / (TENSION / (RADIUS * UNWOUND)), rtol=1e-9)
    assert np.abs(torn.energy_violation).max() < 1e-12
    with pytest.raises(taut.ModelError, match='events.x: the cable of "B1-involuteJt" is rigid'):
        tree_plant(single_strut(variant="rigid"), events=[taut.Watch.at_tension("x", "B1-involuteJt", 1.0)])
    with pytest.raises(taut.ModelError, match='events.x.cut: "bar:strut" is a body of a tree, which cannot be cut'):
        tree_plant(single_strut(), events=[taut.Watch.at_time("x", 1.0, then="cut", cut="bar:strut")])


def test_a_cable_that_goes_slack_under_control_is_told_and_recovers() -> None:
    """A push unloads one cable of the strut; a controller that holds tensions takes it up again."""
    tree = single_strut(strain=0.009, viscosity=5e5)

    def law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        push = np.array([-0.3, 0.0, 0.0]) if 0.02 <= t < 0.05 else np.zeros(3)
        return np.full(3, 0.1) + push - 0.02 * v[[3, 7, 11]]

    plant = tree_plant(tree, controller=law, rate=500.0)
    assert [plant.equations.velocity_names[k] for k in (3, 7, 11)] == [f"B{k}-pulleyJt" for k in (1, 2, 3)]
    run = taut.simulate(plant, 0.2, every=5e-3, method="dp5", tolerance=1e-7, verify=False)
    assert run.status == "finished"
    told = [(event.subject, event.change) for event in run.events]
    assert told == [("B1-involuteJt", "slack"), ("B1-involuteJt", "taut")]
    slack = (run.time > run.events[0].time) & (run.time < run.events[1].time)
    assert 5 < slack.sum() < 15
    tensions = run.element_output[:, 3:6]
    assert (tensions[slack, 0] == 0.0).all()
    assert (tensions[~slack] > 0.0).all()
    assert run.element_output[-1, :3].min() > 0.008, "all are strained again"


@pytest.mark.slow
def test_cables_of_nodes_on_bodies_are_located_as_on_nodes() -> None:
    robot = taut.generators.six_strut_robot()
    spin = np.cross((3.0, 2.0, 0.5), robot.positions)
    spin[[0, 1]] += (0.0, 6.0, 0.0)
    plant = taut.assemble(
        robot,
        gravity=9.81,
        velocities=dict(zip(robot.nodes, map(tuple, spin), strict=True)),
        events=[taut.Watch.at_time("noon", 0.05)],
    )
    options = {"every": 0.05, "method": "dp8", "tolerance": 1e-10, "verify": False}
    wanted, found = taut.simulate(plant, 0.1, **options), taut.simulate(in_bodies(plant), 0.1, **options)
    assert len(wanted.events) > 3
    assert [event.name for event in found.events] == [event.name for event in wanted.events]
    np.testing.assert_allclose(
        [event.time for event in found.events], [event.time for event in wanted.events], atol=1e-9
    )
    np.testing.assert_allclose(found.nodes, wanted.nodes, atol=1e-9)
