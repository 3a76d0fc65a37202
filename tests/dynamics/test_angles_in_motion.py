"""Held and driven angles: torques of pendulums, and a universal joint by its closed form."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taut
from taut import Angle, Bar, Plate, Structure

sys.path.insert(0, str(Path(__file__).parents[1] / "extending"))

import swung_angle

GRAVITY, LENGTH, TIP, ROD = 9.81, 0.7, 1.3, 0.4
INERTIA = (TIP + ROD / 3.0) * LENGTH**2
MOMENT = (TIP + ROD / 2.0) * GRAVITY * LENGTH


def pendulum(start: float, *, about: bool = True, value: float | None = None) -> Structure:
    """A rod with a weight, that hangs from o; its angle is counted from down, about y: towards -x."""
    nodes = {
        "o": (0.0, 0.0, 0.0),
        "down": (0.0, 0.0, -1.0),
        "y": (0.0, 1.0, 0.0),
        "tip": (-LENGTH * math.sin(start), 0.0, -LENGTH * math.cos(start)),
    }
    return Structure(
        nodes,
        [Bar("rod", ("o", "tip"), mass=ROD)],
        supports={"o": "xyz", "down": "xyz", "y": "xyz"},
        point_masses={"tip": TIP},
        angles=[Angle("joint", ("o", "down"), "bar:rod", ("o", "y") if about else None, value)],
    )


def flat(structure: Structure) -> Structure:
    return structure.with_constraints(taut.on_plane("plane", "tip", (0.0, 1.0, 0.0)))


@pytest.mark.slow
@pytest.mark.parametrize("start", [0.0, 0.8, 2.5, math.pi, -2.0])
def test_the_torque_of_a_held_pendulum_is_that_of_its_weight(start: float) -> None:
    run = taut.simulate(taut.assemble(flat(pendulum(start)), gravity=GRAVITY), 0.2, every=0.1)
    assert np.abs(run.angle_torque[:, 0] - MOMENT * math.sin(start)).max() < 1e-9
    assert np.abs(run.nodes[-1] - run.nodes[0]).max() < 1e-12
    assert run.labelled().values["angle_torque"].shape == (run.time.size, 1)


@pytest.mark.slow
def test_a_plain_angle_lets_a_pendulum_go_round_its_cone() -> None:
    # A conical pendulum: the rod keeps its angle with the vertical at any speed of turning.
    start, turning = 0.8, 3.0
    swing = (0.0, turning * LENGTH * math.sin(start), 0.0)
    plant = taut.assemble(pendulum(start, about=False), gravity=GRAVITY, velocities={"tip": swing})
    run = taut.simulate(plant, 1.0, every=0.1, method="dp8", tolerance=1e-12)
    expected = MOMENT * math.sin(start) - INERTIA * turning**2 * math.sin(start) * math.cos(start)
    assert np.abs(run.angle_torque[:, 0] - expected).max() < 1e-9
    assert np.abs(run.node("tip")[:, 2] + LENGTH * math.cos(start)).max() < 1e-12
    phase = np.arctan2(-run.node("tip")[:, 1], -run.node("tip")[:, 0])
    assert np.abs(np.unwrap(phase) + turning * run.time).max() < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dp8", "dp5", "implicit4"])
def test_the_torque_of_a_driven_pendulum_is_that_of_inverse_dynamics(method: str) -> None:
    motor = swung_angle.SwungAngle("joint", mean=0.3, amplitude=2.2, rate=4.0)  # well past the top
    plant = taut.assemble(flat(pendulum(0.3)), gravity=GRAVITY, elements=[motor])
    how: dict[str, Any] = {"step": 2e-3} if method == "implicit4" else {"tolerance": 1e-11}
    run = taut.simulate(plant, 2.0, every=0.05, method=method, **how)
    phase = motor.rate * run.time
    angle = motor.mean + motor.amplitude * (1.0 - np.cos(phase))
    acceleration = motor.amplitude * motor.rate**2 * np.cos(phase)
    torque = INERTIA * acceleration + MOMENT * np.sin(angle)
    assert angle.max() > math.pi
    assert np.abs(run.angle_torque[:, 0] - torque).max() < 1e-9 * np.abs(torque).max()
    tip = np.stack([-LENGTH * np.sin(angle), 0.0 * angle, -LENGTH * np.cos(angle)], axis=1)
    assert np.abs(run.node("tip") - tip).max() < 1e-10
    if method != "implicit4":  # the work of the torque is in the balance
        assert np.abs(run.energy_violation).max() < 1e-9
        assert np.abs(run.work).max() > 10.0


TILT, INPUT, OUTPUT, AXIAL = 0.6, (0.02, 0.015, 0.03), (0.05, 0.04, 0.06), 1.7


def joined_shafts() -> tuple[Structure, dict[str, tuple[float, float, float]]]:
    """Two shafts that meet at an angle TILT, each with an arm for the cross, turning at AXIAL rad/s."""
    along = np.array([math.cos(TILT), 0.0, math.sin(TILT)])
    arm = 0.3 * np.array([-math.sin(TILT), 0.0, math.cos(TILT)])
    nodes: dict[str, Any] = {
        "in": (-1.0, 0.0, 0.0),
        "centre": (0.0, 0.0, 0.0),
        "out": tuple(along),
        "in_arm": (0.0, 0.3, 0.0),
        "out_arm": tuple(arm),
    }
    structure = Structure(
        nodes,
        supports=dict.fromkeys(("in", "centre", "out"), "xyz"),
        plates=[
            Plate("input", ("in", "centre", "in_arm"), mass=1.0, centre=(1.0, 0.0, 0.0), inertia=INPUT),
            Plate("output", ("out", "centre", "out_arm"), mass=1.0, centre=(1.0, 0.0, 0.0), inertia=OUTPUT),
        ],
        angles=[Angle.universal_joint("cross", ("centre", "in_arm"), ("centre", "out_arm"))],
    )
    turning = {"in_arm": (0.0, 0.0, 0.3 * AXIAL), "out_arm": (0.0, -0.3 * AXIAL * math.cos(TILT), 0.0)}
    return structure, turning


@pytest.mark.slow
def test_a_universal_joint_turns_by_its_closed_form() -> None:
    structure, turning = joined_shafts()
    run = taut.simulate(taut.assemble(structure, velocities=turning), 6.0, every=0.05, method="dp8", tolerance=1e-12)
    first, second = run.node("in_arm"), run.node("out_arm")
    ahead = np.unwrap(np.arctan2(first[:, 2], first[:, 1]))
    behind = np.unwrap(np.arctan2(-second[:, 1], second @ np.array([-math.sin(TILT), 0.0, math.cos(TILT)])))
    assert ahead[-1] > 2.0 * math.pi  # more than a turn
    # With both angles counted a quarter turn on: tan(out) = tan(in) / cos(tilt).
    given, found = ahead + 0.5 * math.pi, behind + 0.5 * math.pi
    closed = np.unwrap(np.arctan2(np.sin(given), np.cos(given) * math.cos(TILT)))
    assert np.abs(found - closed).max() < 1e-10
    assert np.ptp(found - given) > 0.1  # it does not turn evenly
    # And the speeds by energy: I1 w1^2 + I2 w2^2 stays, with w2 / w1 = cos(tilt) / (cos^2 + cos^2(tilt) sin^2).
    ratio = math.cos(TILT) / (np.cos(ahead) ** 2 + math.cos(TILT) ** 2 * np.sin(ahead) ** 2)
    whole = INPUT[0] * AXIAL**2 + OUTPUT[0] * (AXIAL * math.cos(TILT)) ** 2
    speed = np.linalg.norm(run.velocities[:, 3], axis=1) / 0.3
    assert np.abs(speed - np.sqrt(whole / (INPUT[0] + OUTPUT[0] * ratio**2))).max() < 1e-9
    assert np.abs(run.energy_violation).max() < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "how", "close"),
    [
        ("dp5", {"tolerance": 1e-10}, 1e-8),
        ("rk4", {"step": 2e-3}, 1e-9),
        ("rattle4", {"step": 2e-3}, 1e-8),
        ("implicit4", {"tolerance": 1e-9}, 1e-6),
    ],
)
def test_every_method_turns_a_universal_joint_alike(method: str, how: dict[str, Any], close: float) -> None:
    structure, turning = joined_shafts()
    plant = taut.assemble(structure, velocities=turning)
    right = taut.simulate(plant, 2.0, every=0.1, method="dp8", tolerance=1e-12)
    run = taut.simulate(plant, 2.0, every=0.1, method=method, **how)
    assert np.abs(run.nodes - right.nodes).max() < close
    assert np.abs(run.angle_torque - right.angle_torque).max() < 100.0 * close


@pytest.mark.slow
def test_a_hinge_lets_a_plate_turn_about_its_axis_only() -> None:
    # A plate on a ball joint, kept square to an axis by a hinge: a physical pendulum.
    nodes = {"o": (0.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "a": (0.8, 0.0, 0.0), "b": (0.8, 0.0, -0.4)}
    door = Structure(
        nodes,
        supports={"o": "xyz", "y": "xyz"},
        plates=[Plate("door", ("o", "a", "b"), mass=2.0)],
        angles=Angle.hinge("hinge", ("o", "a"), ("o", "b"), ("o", "y")),
    )
    plant = taut.assemble(door, gravity=GRAVITY)
    assert plant.rows == 3 + 2
    run = taut.simulate(plant, 1.5, every=0.05, method="dp8", tolerance=1e-12)
    assert np.abs(run.nodes[:, :, 1] - door.positions[:, 1]).max() < 1e-11
    # As a pendulum: I th'' = -m g |c| sin(th), by energy.
    corners = np.array([nodes["o"], nodes["a"], nodes["b"]])[:, [0, 2]]
    centre = corners.mean(axis=0)
    about = 2.0 / 12.0 * float((corners**2).sum() + (corners.sum(axis=0) ** 2).sum())  # of a triangle, at the origin
    places = run.nodes[:, [0, 2, 3]].mean(axis=1)[:, [0, 2]]
    spin = np.linalg.norm(run.velocities[:, 2], axis=1) / 0.8
    assert np.abs(0.5 * about * spin**2 + 2.0 * GRAVITY * (places[:, 1] - centre[1])).max() < 1e-9
    assert spin.max() > 1.0
