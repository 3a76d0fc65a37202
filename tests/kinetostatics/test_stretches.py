"""Paths that are left where they cannot be followed and taken up again, and questions that make no sense."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from prismatic_robot import robot, structure

import taut
from taut.errors import ModelError, OptionError, SelectionError
from taut.kinetostatics import (
    Coaxial,
    InputLimits,
    PlatePosition,
    Pose,
    Robot,
    TensionLimits,
    TensionSum,
    follow,
    follow_all,
    inverse_kinematics,
    posture,
)
from taut.kinetostatics.stretches import postures_along
from taut.kinetostatics.tasks import Task

SUM = TensionSum(("cable:a*",), 270.0)


def sideways(time: float) -> list[Task]:
    """Out to 34 mm, back, and as far to the other side."""
    return [PlatePosition("top", (0.034 * np.sin(time), 0.0, None)), SUM]


def test_what_can_be_followed_is_followed_as_ever() -> None:
    times = np.linspace(0.0, 0.8, 9)
    plain, (whole, gaps) = follow(robot(), sideways, times), follow_all(robot(), sideways, times)
    assert not gaps
    assert whole.status == "followed"
    assert np.abs(whole.values - plain.values).max() < 1e-8
    assert np.array_equal(whole.times, times)


@pytest.mark.parametrize("samples", [40, 57, 64])
def test_a_path_is_taken_up_again_behind_what_limits_forbid(samples: int) -> None:
    """Wire a3 may pull with no less than 88.5 N: forbidden where the path goes far out, and found by looking ahead."""
    times = np.linspace(0.0, 2.0 * np.pi, samples)
    limits = [TensionLimits("cable:a3", lowest=88.5)]
    free = follow(robot(), sideways, times)
    assert free.ok, free.status
    allowed = free.values[:, 2] >= 88.5
    assert not allowed.all()
    found, gaps = follow_all(robot(), sideways, times, limits=limits)
    assert np.array_equal(found.times, times[allowed]), "these samples and no others"
    assert np.abs(found.values - free.values[allowed]).max() < 1e-7
    assert found.error.shape == (int(allowed.sum()), 3)
    missed = times[~allowed]
    assert len(gaps) == 1
    assert (gaps[0].begin, gaps[0].end, gaps[0].samples) == (missed[0], missed[-1], missed.size)
    assert "this is the nearest within the limits: tension of a3 at its lowest, 88.5 N" in gaps[0].status
    assert found.status.startswith(f"{missed.size} of {samples} samples were not reached: from t = ")
    assert not found.ok


def test_a_path_that_is_nowhere_reached_says_so() -> None:
    found, gaps = follow_all(robot(), sideways, [0.0, 1.0], limits=[TensionLimits("cable:a*", lowest=91.0)])
    assert found.times.size == 0
    assert found.nodes.shape == (0, 12, 3)
    assert gaps[0].sentence.startswith("from t = 0 s to 1 s, 2 samples: not reached: ")


def test_every_sample_is_a_posture() -> None:
    path = follow(robot("length", "spring"), lambda t: [PlatePosition("top", (0.01 * t, 0.0, None))], [0.0, 0.5, 1.0])
    found = list(postures_along(robot("length", "spring"), path))
    for one, nodes, force in zip(found, path.nodes, path.member_force, strict=True):
        assert one.ok
        assert np.abs(one.structure.positions - nodes).max() < 1e-11
        assert one.member_force == pytest.approx(force, abs=1e-8)
        weight = one.external.sum(axis=0)
        assert one.reaction.sum(axis=0) == pytest.approx(-weight, abs=1e-8)


# --- what makes no sense, or cannot be


def test_an_edge_that_is_only_crept_up_to_is_told_as_one() -> None:
    found = inverse_kinematics(robot(), [PlatePosition("top", (0.12, 0.0, None)), SUM])
    assert not found.ok
    assert "x of plate top is off by -0.0" in found.status
    assert "near a singularity, at the edge of what the robot reaches from its start" in found.status
    few = inverse_kinematics(robot(), [PlatePosition("top", (0.05, 0.0, None)), SUM], iterations=1)
    assert few.status.endswith("after 1 iterations, and it was still coming nearer; allow more iterations")


def test_a_sum_that_no_input_moves_is_singular() -> None:
    found = inverse_kinematics(robot(), [TensionSum(("cable:p*",), 200.0)])
    assert "off by -5 N; no input moves sum of tensions of cable:p* here, so it is singular" in found.status


def test_two_sums_that_contradict_one_another_are_named() -> None:
    tasks = [PlatePosition("top", (0.0, 0.0, None)), SUM, TensionSum(("cable:a*",), 280.0)]
    found = inverse_kinematics(robot(), tasks)
    told = found.status.partition("tasks contradict one another: ")[2]
    assert told.startswith("task 2, sum of tensions of cable:a*, and task 3, sum of tensions of cable:a*")
    assert "4 numbers are asked for and 3 inputs move 3 of them independently: drop or change one" in told


def test_a_cable_that_is_named_twice_is_one_cable() -> None:
    """In the error as in its derivatives, or no step would lead to the sum."""
    made = robot()
    pose = Pose(made, made.structure.positions, np.arange(1.0, 8.0), made.values)
    once, twice = (TensionSum(cables, 270.0).evaluate(pose) for cables in (("a1", "a2", "a3"), ("a*", "a1")))
    assert twice.error == pytest.approx(once.error)
    assert twice.error + 270.0 == pytest.approx(twice.by_force @ pose.force)


def test_a_cable_in_segments_is_no_input_and_what_is_told_instead_works() -> None:
    rope = taut.Cable("rope", ("a", "m"), rest_length=0.99, stiffness=1e4, mass=0.2, segments=4)
    tie = taut.Cable("tie", ("m", "b"), rest_length=0.99, stiffness=1e4)
    ends = {"a": (0.0, 0.0, 0.0), "m": (1.0, 0.0, 0.0), "b": (2.0, 0.0, 0.0)}
    cut = taut.Structure(ends, cables=[rope, tie], supports={"a": "xyz", "b": "xyz"})
    told = 'cable "rope" is cut into 4 segments, .*name the inputs without it, .*changed.*"cable:rope", segments=1'
    with pytest.raises(OptionError, match=told):
        Robot(cut)
    assert Robot(cut, ("cable:tie",)).input_names == ("cable:tie",)
    assert Robot(cut.changed("cable:rope", segments=1)).input_names == ("cable:rope", "cable:tie")


def test_a_path_that_does_not_begin_says_why() -> None:
    found = follow(robot(), lambda _: [PlatePosition("top", (0.12, 0.0, None)), SUM], [0.0, 1.0])
    assert found.status.startswith("the path does not begin: not reached: x of plate top is off by -0.0")


def test_a_start_that_is_no_posture_says_how_near_it_is() -> None:
    made = Robot(structure().changed("cable:a1", command=150.0), ("cable:a*",), gravity=9.80665)
    with pytest.raises(OptionError, match="the start is none: no posture was found with cable:a1 150 N.* N is left at"):
        inverse_kinematics(made, [SUM])


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: inverse_kinematics(robot(), [PlatePosition("tip", (0, 0, None))]), OptionError, 'no plate "tip"; did'),
        (
            lambda: inverse_kinematics(robot(), [Coaxial("top", "node:9*")]),
            SelectionError,
            '"node:9.*" selects no node',
        ),
        (lambda: inverse_kinematics(robot(), [TensionSum(("q1",), 3.0)]), SelectionError, '"q1" selects no'),
        (
            lambda: inverse_kinematics(robot(), [SUM], limits=[TensionLimits("cable:q*", lowest=1.0)]),
            SelectionError,
            '"cable:q.*" selects no cable; there are 7: a1, a2',
        ),
        (
            lambda: inverse_kinematics(
                robot(), [SUM], limits=[InputLimits("cable:a*", lowest=100.0), TensionLimits("cable:a1", highest=95.0)]
            ),
            OptionError,
            'limits of input "cable:a.*" asks for at least 100 N of a1, and .*"cable:a1" for at most 95 N; change one',
        ),
        (lambda: posture(robot(), {"cable:q1": 3.0}), SelectionError, '"cable:q1" selects no cable'),
        (lambda: Robot(structure(), ()).commanded, OptionError, r"inputs = \(\) leaves nothing to command"),
        (lambda: Robot(structure(), ("cable:q*",)).commanded, SelectionError, "selects no cable"),
        (lambda: Robot(structure(), loads={"99": (0.0, 0.0, 1.0)}).problem, ModelError, 'loads.99: no node "99"'),
        (lambda: PlatePosition("top", (np.nan, 0.0, None)), OptionError, "x = nan m is no place; None leaves an axis"),
        (lambda: TensionSum(("a1",), np.inf), OptionError, "total = inf N must be a finite number"),
        (lambda: TensionLimits("a1", lowest=np.nan), OptionError, "lowest = nan is no number; None is no limit"),
        (lambda: inverse_kinematics(robot(), [SUM], tolerance=-1.0), OptionError, "tolerance = -1 must be a finite"),
        (
            lambda: inverse_kinematics(robot(), [SUM], iterations=-1),
            OptionError,
            "iterations = -1 must be zero or more",
        ),
        (lambda: follow_all(robot(), sideways, [1.0, 0.0]), OptionError, "times must be finite numbers that grow"),
        (
            lambda: inverse_kinematics(
                robot("tension", "length", ("cable:a*", "cable:p*")), [SUM], limits=[InputLimits("cable:?[123]", 0.5)]
            ),
            OptionError,
            'InputLimits: "cable:.*" names inputs in N and m; limit each kind by itself',
        ),
        (lambda: follow_all(robot(), sideways, []), OptionError, "times must be finite numbers that grow"),
    ],
)
def test_questions_that_make_no_sense(call: Callable[[], object], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call()
