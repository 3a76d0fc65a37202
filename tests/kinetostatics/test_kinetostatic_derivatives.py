"""Derivatives of the compiled kernels, of postures by inputs and of tasks, against differences and against statics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from prismatic_robot import GRAVITY, around, robot, structure
from scipy.spatial.transform import Rotation

import taut
from taut.kinetostatics import (
    Coaxial,
    EqualTensionSums,
    Level,
    NodePosition,
    PlateOrientation,
    PlatePosition,
    Pose,
    PostureSolver,
    Robot,
    TensionSum,
    plate_axes,
    posture,
    sensitivity,
)
from taut.kinetostatics.plate_responses import rigid_motion
from taut.kinetostatics.tangents import LengthSlopes, pose_of, tangent
from taut.kinetostatics.tasks import Task


def zoo() -> Robot:
    """Every way to command a member: tension, force density, rest lengths with stiffness and with E A, lengths of held
    cables, of rigid and of compressible bars, a constraint and a plate."""
    made = structure("length", "spring")
    steel = taut.Material("rope", density=1000.0, youngs_modulus=1e9)
    made = made.changed("cable:p1", mode="tension", command=65.0)
    made = made.changed("cable:p3", stiffness=None, material=steel, radius=0.002, rest_length=1.66574, mass=0.0)
    made = made.changed("bar:upper1", law="compressible", stiffness=1e5, length=1.0 + 168.0 / 1e5)
    apart = float(np.linalg.norm(np.subtract(made.nodes["21"], made.nodes["02"])))
    stay = taut.Cable("stay", ("21", "02"), stiffness=300.0, rest_length=apart - 1e-4, law="spring")
    thread = taut.Cable("thread", ("22", "13", "01"), mode="force_density", command=0.02)
    made = made.with_cables(stay, thread).with_constraints(taut.on_plane("wall", "11", (1.0, 0.4, 0.2)))
    return Robot(made, ("cable:*", "bar:upper*"), gravity=GRAVITY)


def test_the_matrix_is_the_derivative_of_what_is_left() -> None:
    for made in (robot(), robot("length", "spring"), zoo()):
        solver = PostureSolver(made)
        solver.place(around(made.structure.positions, 0.01, 2))
        solver.multipliers[:] = np.random.default_rng(1).normal(size=solver.multipliers.size) * 50.0
        solver.evaluate()
        matrix, count, step = solver.matrix.copy(), solver.free.size, 1e-6
        found = np.zeros_like(matrix)
        places, multipliers = solver.positions.copy(), solver.multipliers.copy()
        for k in range(matrix.shape[0]):
            for sign in (1.0, -1.0):
                solver.place(places, multipliers)
                if k < count:
                    way = np.zeros(count)
                    way[k] = sign * step
                    solver.move(way)
                else:
                    solver.multipliers[k - count] -= sign * step  # the unknown is -dl
                solver.unbalanced()
                found[:, k] -= sign / (2.0 * step) * solver.right
        assert np.abs(found - matrix).max() < 1e-6 * np.abs(matrix).max()
        assert np.abs(matrix - matrix.T).max() < 1e-9 * np.abs(matrix).max()


def test_kernels_and_statics_have_the_same_equations() -> None:
    """Balance, constraints and stiffness, by two roads."""
    for made in (robot(), robot("length", "spring"), zoo()):
        solver, problem = PostureSolver(made), made.problem
        solver.place(problem.placed(around(made.structure.positions, 0.01, 4), problem.setting))
        solver.evaluate()
        multipliers = solver.static_multipliers
        count = solver.free.size
        left = -problem.unbalance(solver.positions, multipliers, problem.setting)[problem.free]
        assert left == pytest.approx(solver.right[:count], abs=1e-9)
        off = -problem.residuals(solver.positions, problem.setting)
        assert off == pytest.approx(solver.right[count:][solver._order], abs=1e-12)
        stiff = problem.stiffness(solver.positions, multipliers, problem.setting).toarray()
        assert np.abs(stiff - solver.stiffness).max() < 1e-9 * np.abs(stiff).max()


@pytest.mark.parametrize(
    "made", [robot(), robot("length", "spring", ("cable:*",)), zoo()], ids=["tension", "held", "zoo"]
)
def test_postures_by_inputs(made: Robot) -> None:
    """Eq. (26) three times: compiled, by the equations of statics, and by differences of postures."""
    rest = posture(made)
    assert rest.ok, rest.status
    assert (rest.cable_tension > 0.0).all()
    exact = sensitivity(made.at(rest), rest)
    solver = PostureSolver(made.at(rest), rest)
    assert solver.solve(made.values, steps=3, tolerance=1e-12) < 1e-8
    found = tangent(solver, LengthSlopes(made.problem))
    assert found is not None
    count = len(made.commanded)
    size = np.abs(exact.nodes).max(axis=(1, 2))
    ours = found.by_input.T.reshape(count, -1, 3)
    assert (np.abs(ours - exact.nodes).max(axis=(1, 2)) < 1e-5 * size).all()
    assert (
        np.abs(found.force_by_input.T - exact.member_force).max(axis=1) < 1e-5 * np.abs(exact.member_force).max()
    ).all()
    for k in range(count):
        step, places = 1e-5 * made.scale[k], []
        for sign in (1.0, -1.0):
            values = made.values.copy()
            values[k] += sign * step
            places.append(posture(made, values, start=rest).structure.positions)
        measured = (places[0] - places[1]) / (2.0 * step)
        assert np.abs(measured - exact.nodes[k]).max() < 1e-4 * size[k] + 1e-10


def pose() -> Pose:
    solver = PostureSolver(robot("length", "spring", ("cable:*",)))
    solver.place(around(structure().positions, 0.01, 3))
    plate = [9, 10, 11]
    middle = solver.positions[plate].mean(axis=0)
    away = structure().positions[plate] - structure().positions[plate].mean(axis=0)
    solver.positions[plate] = middle + Rotation.from_rotvec([0.2, 0.1, -0.3]).apply(away)
    return pose_of(solver)


@pytest.mark.parametrize(
    "task",
    [
        NodePosition("1a", (0.1, None, 0.2)),
        PlatePosition("top", (None, 0.1, 1.5)),
        PlateOrientation("top", tuple(map(tuple, plate_axes(structure(), "top")))),
        PlateOrientation("top", tuple(map(tuple, plate_axes(structure(), "top"))), about="zx"),
        Level("top"),
        Coaxial("top", "node:0*"),
        TensionSum(("cable:a*", "p1"), 270.0),
        EqualTensionSums((("a1", "p1"), ("a2", "p2"), ("a3", "p3"))),
    ],
    ids=lambda task: task.name,
)
def test_tasks_by_places_and_forces(task: Task) -> None:
    """Along motions that keep plates rigid, as all do that a robot can make."""
    here, draw, step = pose(), np.random.default_rng(0), 1e-5
    plate = np.array([9, 10, 11])
    way, pull = draw.normal(size=here.positions.shape), draw.normal(size=here.force.size)
    twist = draw.normal(size=6)
    way[plate] = (rigid_motion(here.positions[plate]) @ twist).reshape(-1, 3)
    told = task.evaluate(here)
    errors = []
    for sign in (1.0, -1.0):
        places = here.positions + sign * step * way
        middle = here.positions[plate].mean(axis=0)
        turn = Rotation.from_rotvec(sign * step * twist[3:])
        places[plate] = middle + sign * step * twist[:3] + turn.apply(here.positions[plate] - middle)
        errors.append(task.evaluate(replace(here, positions=places, force=here.force + sign * step * pull)).error)
    measured = (errors[0] - errors[1]) / (2.0 * step)
    assert len(told.labels) == told.error.size
    assert np.abs(measured).max() > 0.01, "it does depend on them"
    assert told.by_place @ way.ravel() + told.by_force @ pull == pytest.approx(measured, rel=1e-7, abs=1e-8)
