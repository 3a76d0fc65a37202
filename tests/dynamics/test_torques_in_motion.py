"""Free angles in motion: torsion pendulums by their closed form, joint springs beside minimal coordinates, torques that
are commanded."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import taut
from taut import Angle, Bar, Command, Controller, Drive, OptionError, Sensor, Sinusoid, StepSignal, Structure
from taut.control import LinearLaw
from taut.mechanisms import in_coordinates
from taut.structure.joints import Joint

GRAVITY, LENGTH, TIP, ROD = 9.81, 0.7, 1.3, 0.4
INERTIA = (TIP + ROD / 3.0) * LENGTH**2
STIFF, DAMP, REST, START = 30.0, 0.8, 0.3, 2.6
FIXED = {"o": (0.0, 0.0, 0.0), "down": (0.0, 0.0, -1.0), "side": (0.0, -1.0, 0.0)}


def hung(length: float, angle: float) -> np.ndarray:
    return length * np.array([math.sin(angle), 0.0, -math.cos(angle)])


def pendulum(**acting: Any) -> Structure:
    """A rod with a weight that turns about o in the plane y = 0; its angle is counted from down, towards x."""
    return Structure(
        {**FIXED, "tip": tuple(hung(LENGTH, START))},
        [Bar("rod", ("o", "tip"), mass=ROD)],
        supports={**dict.fromkeys(FIXED, "xyz"), "tip": "y"},
        point_masses={"tip": TIP},
        angles=[Angle("joint", ("o", "down"), "bar:rod", ("o", "side"), mode="free", **acting)],
    )


def turned(run: taut.Trajectory, node: str, base: str = "o") -> np.ndarray:
    way = run.node(node) - run.node(base)
    return np.unwrap(np.arctan2(way[:, 0], -way[:, 2]))


def damped(times: np.ndarray, rest: float, angle: float, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """A torsion pendulum from an angle and a rate, in closed form."""
    decay = DAMP / (2.0 * INERTIA)
    swing = math.sqrt(STIFF / INERTIA - decay**2)
    a, b = angle - rest, (rate + decay * (angle - rest)) / swing
    wave = np.exp(-decay * times) * (a * np.cos(swing * times) + b * np.sin(swing * times))
    turn = np.exp(-decay * times) * (b * np.cos(swing * times) - a * np.sin(swing * times))
    return rest + wave, swing * turn - decay * wave


@pytest.mark.slow
def test_a_torsion_pendulum_swings_by_its_closed_form() -> None:
    """With a torque that jumps from 4 to -3 N m at t = 0.6 s, all of it to 1e-9, past half a turn from down."""
    joint = pendulum(value=REST, stiffness=STIFF, damping=DAMP)
    motor = Drive("motor", "angle:joint", "torque", to=StepSignal((0.0, 0.6), (4.0, -3.0)), force_limit=3.2)
    plant = taut.assemble(joint, drives=[motor])
    run = taut.simulate(plant, 1.5, every=0.02, method="dp8", tolerance=1e-12, verify=False)
    assert run.finished, run.status
    later = run.time >= 0.6 - 1e-9
    command = np.where(later, -3.0, 4.0)
    first = damped(np.append(run.time[~later], 0.6), REST + 4.0 / STIFF, START, 0.0)
    second = damped(run.time[later] - 0.6, REST - 3.0 / STIFF, first[0][-1], first[1][-1])
    angle, rate = (np.append(a[:-1], b) for a, b in zip(first, second, strict=True))
    assert np.ptp(angle) > math.pi
    assert np.abs(turned(run, "tip") - angle).max() < 1e-9
    torque = command - STIFF * (angle - REST) - DAMP * rate
    assert np.abs(run.angle_torque[:, 0] - torque).max() < 1e-8
    assert np.abs(run.drive_value[:, 0] - command).max() == 0.0
    assert np.abs(run.drive_force[:, 0] - torque).max() < 1e-8
    assert np.abs(run.drive_power[:, 0] - command * rate).max() < 1e-8
    assert np.abs(run.energy_elastic - 0.5 * STIFF * (angle - REST) ** 2).max() < 1e-8
    assert np.abs(run.energy_violation).max() < 1e-10
    assert 'the drive "motor" needs a force of 4 N m at t = 0 s, 25 % beyond its limit of 3.2 N m' in run.notes


UPPER, LOWER, END, LONG, SHORT = 2.0, 1.2, 0.5, 1.0, 0.7
SPRINGS, DAMPERS = np.array([25.0, 9.0]), np.array([0.3, 0.2])
RESTS, BENT = np.array([0.4, -0.5]), np.array([1.0, 0.3])


def arm(damping: float = 1.0) -> Structure:
    """Two rods in the plane y = 0, with a spring and a damper at the shoulder and at the elbow."""
    elbow = hung(LONG, BENT[0])
    shoulder, bend = (
        Angle(name, first, second, ("o", "side"), value=r, mode="free", stiffness=k, damping=damping * c)
        for name, first, second, r, k, c in zip(
            *(("shoulder", "elbow"), (("o", "down"), ("o", "elbow")), (("o", "elbow"), ("elbow", "tip"))),
            *(RESTS.tolist(), SPRINGS.tolist(), DAMPERS.tolist()),
            strict=True,
        )
    )
    return Structure(
        {**FIXED, "elbow": tuple(elbow), "tip": tuple(elbow + hung(SHORT, BENT[1]))},
        [Bar("upper", ("o", "elbow"), mass=UPPER), Bar("lower", ("elbow", "tip"), mass=LOWER)],
        supports={**dict.fromkeys(FIXED, "xyz"), "elbow": "y", "tip": "y"},
        point_masses={"tip": END},
        angles=[shoulder, bend],
    )


PUSH = Sinusoid(6.0, 1.7)
MOTOR = Drive("motor", "angle:elbow", "torque", to=PUSH)


def by_hand(times: np.ndarray) -> np.ndarray:
    """(T, 2) both angles from down, by the equations of a double pendulum."""
    own = np.array([UPPER / 3.0 + LOWER + END, LOWER / 3.0 + END]) * np.array([LONG, SHORT]) ** 2
    between = (LOWER / 2.0 + END) * LONG * SHORT
    weight = GRAVITY * np.array([(UPPER / 2.0 + LOWER + END) * LONG, (LOWER / 2.0 + END) * SHORT])

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        q, v = x[:2], x[2:]
        joint, turning = np.array([q[0], q[1] - q[0]]), np.array([v[0], v[1] - v[0]])
        torque = -SPRINGS * (joint - RESTS) - DAMPERS * turning
        torque[1] += 6.0 * math.sin(2.0 * math.pi * 1.7 * t)
        across, swirl = between * math.cos(q[0] - q[1]), between * math.sin(q[0] - q[1])
        force = np.array([torque[0] - torque[1], torque[1]]) - weight * np.sin(q)
        force -= swirl * np.array([v[1] ** 2, -(v[0] ** 2)])
        return np.append(v, np.linalg.solve([[own[0], across], [across, own[1]]], force))

    start = np.append(BENT, [0.0, 0.0])
    found = solve_ivp(rate, (0.0, times[-1]), start, "DOP853", times, rtol=1e-13, atol=1e-14)
    return np.asarray(found.y[:2].T)


@pytest.mark.slow
def test_joint_springs_move_two_rods_as_minimal_coordinates_do() -> None:
    plant = taut.assemble(arm(), gravity=GRAVITY, drives=[MOTOR])
    run = taut.simulate(plant, 2.0, every=0.02, method="dp8", tolerance=1e-13, verify=False)
    assert run.finished, run.status
    angles = by_hand(run.time)
    assert np.ptp(angles, axis=0).min() > 0.5
    assert np.abs(turned(run, "elbow") - angles[:, 0]).max() < 1e-10
    assert np.abs(turned(run, "tip", "elbow") - angles[:, 1]).max() < 1e-10
    assert np.abs(run.energy_violation).max() < 1e-10


@pytest.mark.slow
def test_the_work_of_a_torque_is_what_the_energy_gains() -> None:
    """A constant torque works by how far it has turned the angle."""
    plant = taut.assemble(arm(damping=0.0), gravity=GRAVITY, drives=[Drive("motor", "angle:elbow", "torque", to=5.0)])
    assert plant.dampers == ()
    run = taut.simulate(plant, 1.0, every=0.02, method="dp8", tolerance=1e-13, correction="constraints", verify=False)
    joint = turned(run, "tip", "elbow") - turned(run, "elbow")
    energy = run.energy_kinetic + run.energy_elastic + run.energy_gravity
    assert np.ptp(run.work) > 3.0
    assert np.abs(run.work - 5.0 * (joint - joint[0])).max() < 1e-10
    assert np.abs(energy - energy[0] - run.work).max() < 1e-10


def test_rattle_names_an_angle_that_damps() -> None:
    with pytest.raises(OptionError, match='is for motion without damping, but angle "shoulder" and 1 more damps; use'):
        taut.simulate(taut.assemble(arm()), 0.1, method="rattle4", step=1e-3)


@pytest.mark.slow
def test_a_controller_that_is_a_spring_and_a_damper_swings_as_they_do() -> None:
    """By the angle and its rate, which sensors measure, at every evaluation; and a sensor shows the torque."""
    law = LinearLaw(np.array([[-STIFF, -DAMP]]), measured_offset=np.array([REST, 0.0]))
    pd = Controller("pd", ("angle:joint.angle", "angle:joint.angle_rate"), ("motor",), law)
    motor = Drive("motor", "angle:joint", "torque", to=Command())
    shown = Sensor("felt", "angle:joint.torque")
    plant = taut.assemble(pendulum(), drives=[motor], controllers=[pd], sensors=[shown])
    run = taut.simulate(plant, 1.0, every=0.02, method="dp8", tolerance=1e-12, verify=False)
    angle, rate = damped(run.time, REST, START, 0.0)
    assert np.abs(turned(run, "tip") - angle).max() < 1e-9
    torque = -STIFF * (angle - REST) - DAMP * rate
    assert np.abs(run.reading[:, run.sensor_names.index("felt")] - torque).max() < 1e-8
    assert np.abs(run.angle_torque[:, 0] - torque).max() < 1e-8


@pytest.mark.slow  # quick: implicit4 and RATTLE among all drives in test_all_drives.py
@pytest.mark.parametrize(
    ("method", "how", "close"), [("implicit3", {"tolerance": 1e-10}, 1e-7), ("rattle4", {"step": 5e-4}, 1e-7)]
)
def test_every_method_moves_joint_springs_alike(method: str, how: dict[str, Any], close: float) -> None:
    plant = taut.assemble(arm(damping=float(method != "rattle4")), gravity=GRAVITY, drives=[MOTOR])
    wanted = taut.simulate(plant, 1.0, every=0.1, method="dp8", tolerance=1e-12, verify=False)
    run = taut.simulate(plant, 1.0, every=0.1, method=method, verify=False, **how)
    assert run.finished, run.status
    assert np.abs(run.nodes - wanted.nodes).max() < close


@pytest.mark.slow
def test_joint_springs_act_in_coordinates_of_joints_too() -> None:
    structure = replace(arm(), supports=dict.fromkeys(FIXED, "xyz"))  # joints keep it in its plane
    joints = [
        Joint.revolute("one", "o", (0.0, -1.0, 0.0), ("node:elbow",), value=float(BENT[0])),
        Joint.revolute("two", "elbow", (0.0, -1.0, 0.0), ("node:tip",), on="one", value=float(BENT[1] - BENT[0])),
    ]
    plant = in_coordinates(taut.assemble(structure, gravity=GRAVITY, drives=[MOTOR]), joints)
    run = taut.simulate(plant, 1.0, every=0.1, method="dp8", tolerance=1e-12, verify=False)
    assert run.finished, run.status
    angles = by_hand(run.time)
    assert np.abs(turned(run, "tip", "elbow") - angles[:, 1]).max() < 1e-9
    nodal = taut.simulate(plant.points, 1.0, every=0.1, method="dp8", tolerance=1e-12, verify=False)
    assert np.abs(run.angle_torque - nodal.angle_torque).max() < 1e-7
    assert np.abs(run.drive_power - nodal.drive_power).max() < 1e-7


@pytest.mark.slow
def test_a_torque_is_commanded_step_by_step() -> None:
    motor = Drive("motor", "angle:joint", "torque", to=Command())
    plant = taut.assemble(pendulum(value=REST, stiffness=STIFF, damping=DAMP), drives=[motor])
    simulation = taut.start(plant, observe=["angle:joint"], method="dp8", tolerance=1e-12)
    angle, rate = START, 0.0
    for torque in (4.0, -3.0, 7.0):
        (felt,) = simulation.step(0.2, {"motor": torque})
        angle, rate = (float(x[0]) for x in damped(np.array([0.2]), REST + torque / STIFF, angle, rate))
        assert felt == pytest.approx(torque - STIFF * (angle - REST) - DAMP * rate, abs=1e-7)
