"""Tasks done, limits kept, paths followed, and what is told where that cannot be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from prismatic_robot import CIRCLE, POSTURE, robot, structure
from scipy.spatial.transform import Rotation

from taut.errors import OptionError
from taut.kinetostatics import (
    Coaxial,
    EqualTensionSums,
    Evaluated,
    InputLimits,
    Level,
    NodePosition,
    PlateOrientation,
    PlatePosition,
    Pose,
    TensionLimits,
    TensionSum,
    follow,
    inverse_kinematics,
    plate_axes,
    posture,
    stiffness_by_mode,
)
from taut.kinetostatics.limited_steps import limited_step
from taut.kinetostatics.tasks import Task

SUM = TensionSum(("cable:a*",), 270.0)
ALL = ("cable:a*", "cable:p*")


def circle(time: float) -> list[Task]:
    """30 mm, after a quintic ramp of 5 s, two turns in 30 s."""
    share = min(time / 5.0, 1.0)
    radius, angle = 0.03 * share**3 * (10.0 - 15.0 * share + 6.0 * share**2), 4.0 * np.pi * (time - 5.0) / 30.0
    return [PlatePosition("top", (radius * np.cos(angle), radius * np.sin(angle), None)), SUM]


def test_the_circle_of_the_reference() -> None:
    found = follow(robot(), circle, CIRCLE["t"])
    assert found.ok, found.status
    assert np.abs(found.nodes - CIRCLE["nodes"]).max() < 1e-8
    assert np.abs(found.values - CIRCLE["sa"]).max() < 1e-7, "the path is good to 1e-9 m, at 102 N a millimetre of z"
    assert np.abs(found.error[:, :2]).max() < 1e-9
    assert found.corrections[1:].mean() < 5.0, "half a second a step here"
    table = found.columns()
    assert table["cable:a1"] == pytest.approx(found.values[:, 0])
    assert len(table["time"]) == CIRCLE["t"].size


def test_without_corrections_it_drifts_at_first_order() -> None:
    """Eq. (29) alone: with steps half as long, half as far off."""
    off = []
    for count in (36, 71, 141):
        times = np.linspace(0.0, 15.0, count)
        true, drifted = follow(robot(), circle, times), follow(robot(), circle, times, corrections=0)
        off.append(float(np.linalg.norm(true.nodes[-1] - drifted.nodes[-1], axis=1).max()))
    assert off[0] / off[1] == pytest.approx(2.0, abs=0.35)
    assert off[1] / off[2] == pytest.approx(2.0, abs=0.25)


@pytest.mark.parametrize(("active", "passive"), [("tension", "tension"), ("length", "spring")])
def test_poses_nodes_and_orientations_are_reached(active: str, passive: str) -> None:
    made = robot(active, passive, ALL)
    axes = Rotation.from_rotvec([0.02, -0.01, 0.0]).as_matrix() @ plate_axes(structure(), "top")
    tasks = [
        PlatePosition("top", (0.02, -0.01, None)),
        PlateOrientation("top", tuple(map(tuple, axes)), about="xy"),
        NodePosition("12", (-0.04, None, None)),
    ]
    found = inverse_kinematics(made, tasks)
    assert found.ok, found.status
    assert found.posture.residual < 1e-7
    places = found.posture.structure.positions
    assert places[9:].mean(axis=0)[:2] == pytest.approx([0.02, -0.01], abs=1e-9)
    assert places[4, 0] == pytest.approx(-0.04, abs=1e-9)
    left = Rotation.from_matrix(plate_axes(found.posture.structure, "top") @ axes.T).as_rotvec()
    assert np.abs(left[:2]).max() < 1e-9
    again = posture(made, found.values, start=found.posture)
    assert np.abs(again.structure.positions - places).max() < 1e-9, "these commands hold it there"


def test_the_calibration_of_the_paper() -> None:
    """Level, coaxial, and eq. (1), from passive wires that pull unevenly."""
    made = robot(inputs=ALL)
    uneven = posture(made, {"cable:p1": 65.5, "cable:p2": 64.8})
    assert uneven.ok
    assert np.abs(uneven.structure.positions[9:].mean(axis=0)[:2]).max() > 1e-3
    tasks = [Level("top"), Coaxial("top", "node:0*"), EqualTensionSums((("a1", "p1"), ("a2", "p2"), ("a3", "p3")))]
    found = inverse_kinematics(made, tasks, start=uneven)
    assert found.ok, found.status
    places = found.posture.structure.positions
    assert np.ptp(places[9:, 2]) < 1e-9
    assert np.abs(places[9:].mean(axis=0)[:2]).max() < 1e-9
    sums = found.values[:3] + found.values[3:]
    assert np.ptp(sums) < 1e-8


def test_inputs_that_tasks_leave_open_change_least() -> None:
    """No other commands that do the tasks are nearer: the change stands square to all that tasks leave open."""
    made = robot(inputs=ALL)
    tasks = [PlatePosition("top", (0.03, 0.0, None)), Level("top")]
    found = inverse_kinematics(made, tasks)
    assert found.ok
    moved = np.linalg.norm((found.values - made.values) / made.scale)
    for k in range(6):
        bent = made.values.copy()
        bent[k] += 1.0
        other = inverse_kinematics(made, tasks, start=posture(made, bent))
        assert other.ok
        assert np.linalg.norm((other.values - made.values) / made.scale) >= moved * (1.0 - 1e-9)


def test_inputs_that_tasks_leave_open_stiffen_it() -> None:
    made = robot("length", "spring", ALL)
    tasks = [PlatePosition("top", (0.01, 0.0, None)), Level("top")]
    limits = [TensionLimits(highest=150.0)]
    lazy, stiff = (
        inverse_kinematics(made, tasks, limits=limits, purpose=purpose) for purpose in ("least_change", "stiffness")
    )
    assert lazy.ok
    assert stiff.ok
    own: dict[str, dict[str, str]] = {"own": {}}
    lowest = [stiffness_by_mode(one.posture, own)["own"].lowest for one in (lazy, stiff)]
    assert lowest[1] > 1.2 * lowest[0]
    assert stiff.posture.cable_tension.max() <= 150.0 + 1e-6
    assert max(np.abs(error).max() for error in stiff.error.values()) < 1e-9


def test_limits_are_kept_and_named() -> None:
    tasks = [PlatePosition("top", (0.03, 0.0, None)), SUM]
    free = inverse_kinematics(robot(), tasks)
    assert free.ok
    assert free.values[2] == pytest.approx(88.5424, abs=1e-3)
    kept = inverse_kinematics(robot(), tasks, limits=[TensionLimits("cable:a*", lowest=89.0, highest=92.0)])
    assert not kept.ok
    assert kept.values.min() == pytest.approx(89.0, abs=1e-6)
    assert "this is the nearest within the limits: tension of a3 at its lowest, 89 N" in kept.status
    assert kept.posture.ok, "it is a posture all the same"
    # With one more freedom the limit costs nothing.
    loose = inverse_kinematics(robot(inputs=ALL), tasks, limits=[InputLimits("cable:a*", lowest=89.0)])
    assert loose.ok, loose.status
    assert loose.values[:3].min() >= 89.0 - 1e-9


def test_the_step_within_limits_is_the_best_one() -> None:
    """Against a search over random steps that keep them."""
    draw = np.random.default_rng(0)
    for _ in range(20):
        tasks, error = draw.normal(size=(3, 4)), draw.normal(size=3)
        limits, room = draw.normal(size=(5, 4)), np.abs(draw.normal(size=5)) * 0.3
        found = limited_step(tasks, error, np.zeros(4), limits, room, 0.0)
        assert found.feasible
        assert (limits @ found.step <= room + 1e-8).all()
        best = np.linalg.norm(tasks @ found.step + error)
        others = found.step + 0.1 * draw.normal(size=(4000, 4))
        allowed = others[(others @ limits.T <= room).all(axis=1)]
        assert allowed.size
        assert (np.linalg.norm(allowed @ tasks.T + error, axis=1) >= best - 1e-9).all()
    crossed = limited_step(
        np.eye(2), np.ones(2), np.zeros(2), np.array([[1.0, 0], [-1.0, 0]]), np.array([-1.0, -1.0]), 0.0
    )
    assert not crossed.feasible
    assert crossed.active.all()


@dataclass(frozen=True)
class Height:
    """A task from outside: the mean height of all nodes."""

    height: float
    name: str = "mean height"

    def evaluate(self, pose: Pose) -> Evaluated:
        by_place = np.zeros((1, pose.positions.size))
        by_place[0, 2::3] = 1.0 / len(pose.positions)
        error = np.array([pose.positions[:, 2].mean() - self.height])
        return Evaluated(error, by_place, np.zeros((1, pose.force.size)), "m", (self.name,))


def test_a_task_of_ones_own() -> None:
    made = robot("length", "spring")
    wanted = float(POSTURE["nodes"][:, 2].mean()) - 1e-4
    found = inverse_kinematics(made, [Height(wanted)])
    assert found.ok, found.status
    assert found.posture.structure.positions[:, 2].mean() == pytest.approx(wanted, abs=1e-9)


# --- what cannot be done


def test_a_pose_out_of_reach_is_answered_with_the_nearest_and_the_reason() -> None:
    made = robot("length", "spring")
    found = inverse_kinematics(made, [PlatePosition("top", (0.0, 0.0, 2.5))])
    assert not found.ok
    assert found.status.startswith("not reached: z of plate top is off by -0.")
    assert "nearest posture that was found" in found.status
    assert found.posture.ok
    # No posture around it is nearer.
    for k in range(3):
        for sign in (1.0, -1.0):
            values = found.values.copy()
            values[k] += sign * 1e-4
            other = posture(made, values, start=found.posture)
            if other.ok and (other.cable_tension > 0.0).all():
                aside = np.append(
                    other.structure.positions[9:].mean(axis=0)[:2], other.structure.positions[9:, 2].mean() - 2.5
                )
                here = next(iter(found.error.values()))
                assert np.linalg.norm(aside) > np.linalg.norm(here) - 1e-5


def test_contradicting_tasks_are_named() -> None:
    tasks = [PlatePosition("top", (0.03, None, None)), PlatePosition("top", (None, 0.0, None)), SUM]
    tasks.append(PlatePosition("top", (0.01, None, None)))
    found = inverse_kinematics(robot(), tasks)
    assert not found.ok
    assert (
        'tasks contradict one another: task 1, position of plate "top", and task 4, position of plate' in found.status
    )
    assert "sum of tensions" not in found.status.partition("contradict")[2]
    assert found.posture.structure.positions[9:].mean(axis=0)[0] == pytest.approx(0.02, abs=1e-6), "half way between"


def test_more_tasks_than_inputs_contradict_one_another() -> None:
    tasks = [PlatePosition("top", (0.03, 0.0, None)), Level("top"), SUM]
    found = inverse_kinematics(robot(), tasks)
    assert not found.ok
    assert "5 numbers are asked for and 3 inputs move 3 of them independently" in found.status


def test_a_singular_task_is_named() -> None:
    found = inverse_kinematics(robot(), [NodePosition("01", (0.3, None, None)), SUM])
    assert "no input moves x of node 01 here, so it is singular" in found.status


def test_limits_that_exclude_each_other_are_named() -> None:
    limits = [TensionLimits("cable:a*", lowest=80.0), TensionLimits("cable:a1", highest=70.0)]
    with pytest.raises(
        OptionError, match='"cable:a\\*" asks for at least 80 N of a1, and .*"cable:a1" for at most 70 N'
    ):
        inverse_kinematics(robot(), [SUM], limits=limits)
    with pytest.raises(OptionError, match="lowest = 80 N is above highest = 70 N"):
        TensionLimits("cable:*", lowest=80.0, highest=70.0)
    # Each can be kept, but not both: the saddle pulls as much as the active wires make it.
    limits = [TensionLimits("cable:a*", lowest=89.0), TensionLimits("cable:saddle", highest=60.0)]
    found = inverse_kinematics(robot(), [PlatePosition("top", (0.0, 0.0, None))], limits=limits)
    assert not found.ok
    assert "limits exclude each other near here: " in found.status
    assert "tension of saddle at its highest, 60 N" in found.status


def test_a_path_that_leaves_the_reach_says_when_and_why() -> None:
    def outwards(time: float) -> list[Task]:
        return [PlatePosition("top", (0.0, 0.0, 1.5966767872 + 0.2 * time))]

    found = follow(robot("length", "spring"), outwards, np.linspace(0.0, 1.0, 21))
    assert not found.ok
    assert found.status.startswith("followed until t = 0")
    assert "not reached: z of plate top is off by" in found.status
    assert len(found.times) == len(found.values) < 21


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: inverse_kinematics(robot(), []), "tasks = \\[\\] leaves nothing to be done"),
        (lambda: inverse_kinematics(robot(), [SUM], purpose="speed"), "is not one of least_change, stiffness"),
        (lambda: inverse_kinematics(robot(), [NodePosition("31", (0, 0, 0))]), 'no node "31"'),
        (lambda: NodePosition("21", (None, None, None)), "asks for nothing"),
        (
            lambda: PlateOrientation("top", ((1, 0, 0), (0, 1, 0), (0, 0, 2))),
            r"the matrix of its axes is not orthonormal \(off by 3,",
        ),
        (lambda: EqualTensionSums((("a1",),)), "needs two groups"),
        (lambda: InputLimits("cable:a1"), "give lowest, highest or both"),
        (lambda: follow(robot(), circle, [0.0, 0.0]), "times must be finite numbers that grow"),
        (
            lambda: inverse_kinematics(robot(), [SUM], limits=[InputLimits("cable:p1", lowest=1.0)]),
            '"cable:p1" is no input; they are cable:a1, cable:a2, cable:a3',
        ),
    ],
)
def test_questions_that_make_no_sense(call: object, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        call()  # type: ignore[operator]
