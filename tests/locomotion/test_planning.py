"""Measured transitions and the planner: rolls as measured, carried over by symmetry, and the way round a box."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from example_scripts import script
from scipy.spatial.transform import Rotation

import taut
from taut import OptionError
from taut.locomotion import (
    FacePolicy,
    RobotShape,
    Roll,
    RollPlanner,
    RollTransition,
    Stance,
    do_roll,
    measured_transitions,
)
from taut.locomotion.planning import after
from taut.locomotion.transitions import _told

EXAMPLE = script("roll_to_a_goal")
ROBOT = taut.generators.six_strut_robot()
POLICY = FacePolicy(EXAMPLE.STRUTS, EXAMPLE.ROLLS)


@cache
def measured() -> tuple[RollTransition, ...]:
    return measured_transitions(RobotShape(ROBOT), [ROBOT], POLICY, trials=6)


def test_a_single_roll_goes_where_it_was_measured_to_go() -> None:
    """Of the closed face: all trials land on one face; and another edge, of a robot turned, goes as symmetry says."""
    (one,) = measured()
    (outcome,) = one.outcomes
    assert outcome.share == 1.0
    assert set(outcome.face) != set(one.roll.face)
    assert 0.15 < np.linalg.norm(outcome.shift[:2]) < 0.5
    assert 0.0 < outcome.scatter < 0.05
    shape = RobotShape(ROBOT)
    planner = RollPlanner(shape, EXAMPLE.STRUTS, measured(), (3.0, 0.0))
    places = Rotation.from_rotvec([0.0, 0.0, 1.0]).apply(ROBOT.positions)
    plant = taut.assemble(ROBOT, gravity=9.81, ground=[taut.Ground("floor", friction=0.6)], drives=POLICY.drives(ROBOT))
    batch = taut.start_many(plant, 3)
    batch.reset(positions=places)
    batch.step(0.4, np.zeros(6))
    pose = planner.pose(batch.nodes[0])
    moves = planner.moves[frozenset(pose.face)]
    assert len({frozenset(move.roll.over) for move in moves}) == 3
    do_roll(batch, POLICY, np.array([move.roll.changes for move in moves]))
    for move, nodes in zip(moves, batch.nodes, strict=True):
        told, found = after(move, pose), planner.pose(nodes)
        assert set(told.face) == set(found.face)
        assert np.allclose(told.place, found.place, atol=0.03)
        assert np.allclose(told.turn, found.turn, atol=0.1)


def test_the_plan_goes_round_a_box_and_not_through() -> None:
    shape, box = RobotShape(ROBOT), taut.Box((1.5, 0.0, 0.2), (0.4, 1.0, 0.4))
    planner = RollPlanner(shape, EXAMPLE.STRUTS, measured(), (3.0, 0.0), obstacles=[box])
    plan = planner.plan(planner.pose(ROBOT.positions))
    assert plan.left <= planner.near
    assert len(plan.places) == len(plan.rolls) + 1 == len(plan.faces) + 1
    assert np.linalg.norm(plan.places[-1] - [3.0, 0.0]) <= planner.near
    beside = np.maximum(np.abs(plan.places - [1.5, 0.0]) - [0.2, 0.5], 0.0)
    assert np.hypot(*beside.T).min() > planner.clearance
    free = RollPlanner(shape, EXAMPLE.STRUTS, measured(), (3.0, 0.0)).plan(planner.pose(ROBOT.positions))
    assert len(free.rolls) < len(plan.rolls)


def test_a_roll_that_seldom_succeeds_costs_more() -> None:
    """Five tries where it leads there once in five."""
    (one,) = measured()
    outcome, shape, start = one.outcomes[0], RobotShape(ROBOT), Stance(np.zeros(2), np.eye(3), one.roll.face)
    goal = tuple((4.0 * outcome.shift[:2]).tolist())
    tries = []
    for share in (1.0, 0.2):
        told = RollTransition(one.roll, one.turn, (replace(outcome, share=share),), 10)
        planner = RollPlanner(shape, EXAMPLE.STRUTS, [told], goal, near=0.2)
        tries.append(planner.plan(start).tries)
    assert tries[1] == pytest.approx(5.0 * tries[0])


def test_what_cannot_be_planned_is_told() -> None:
    with pytest.raises(OptionError, match="nothing was measured"):
        RollPlanner(RobotShape(ROBOT), EXAMPLE.STRUTS, (), (1.0, 0.0))
    with pytest.raises(OptionError, match=r"the goal \(1, 0\) is within .* m of an obstacle"):
        RollPlanner(
            RobotShape(ROBOT),
            EXAMPLE.STRUTS,
            measured(),
            (1.0, 0.0),
            obstacles=[taut.Box((1.0, 0.0, 0.0), (0.5, 0.5, 0.5))],
        )
    upside = taut.generators.six_strut_robot(face_down="none")
    with pytest.raises(OptionError, match="the policy has no roll from the face"):
        measured_transitions(RobotShape(ROBOT), [upside], POLICY, trials=2)


@pytest.mark.slow
def test_nine_of_ten_tries_reach_the_goal() -> None:
    done = EXAMPLE.main(10, seed=3, trials=24)
    assert sum(one.reached for one in done) >= 9
    for one in done:
        inside = np.abs(one.path - np.array(EXAMPLE.BOX.centre[:2])) < 0.5 * np.array(EXAMPLE.BOX.size[:2])
        assert not inside.all(axis=1).any(), "through the box"


def test_outcomes_as_frequent_are_in_the_order_of_their_faces() -> None:
    """And not in that of a set of texts, which is another one in every process."""
    shape = RobotShape(ROBOT)
    places = np.array([turned @ shape.places.T for turned in Rotation.random(24, random_state=5).as_matrix()])
    nodes = places.transpose(0, 2, 1)
    batch = SimpleNamespace(ended=np.zeros(24, dtype=bool), nodes=nodes, count=24)
    (one,) = measured()
    told = _told(shape, one.roll, nodes, batch)  # type: ignore[arg-type]
    order = [(-outcome.share, outcome.face) for outcome in told.outcomes]
    assert len(order) > 8
    assert order == sorted(order)


def test_a_roll_that_failed_in_all_trials_is_not_planned_for() -> None:
    (one,) = measured()
    shape = RobotShape(ROBOT)
    lost = RollTransition(Roll(one.roll.face, one.roll.over[::-1], one.roll.changes), one.turn, (), 6)
    planner = RollPlanner(shape, EXAMPLE.STRUTS, [one, lost], (1.0, 0.0))
    for moves in planner.moves.values():
        moves.extend(move._replace(measured=lost) for move in moves[:1])
    assert planner.plan(planner.pose(ROBOT.positions)).left <= planner.near
