"""Sensors, controllers with a rate and stepping by hand in coordinates of joints: what is measured is what nodes do
under their joints, which nodes alone know nothing of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_joints import Y, pendulum

import taut
from taut import Bar, Command, Constant, Controller, CosineRamp, Load, ModelError, Sensor, Structure, assemble, simulate
from taut.control import LinearLaw
from taut.mechanisms import CoordinateDrive, GeneralisedPlant, Joint, in_coordinates

LENGTH, ANGLE = 0.8, 0.6
"""Of a rod [m], and how far it is turned [rad] over a second."""
RATE = 20.0


def hinged(*, led: bool = True, push: float = 7.0, **options: Any) -> GeneralisedPlant:
    """A rod that a hinge at o turns about y, as time says, and a push across the plane that the hinge keeps it in; a
    weight beside it slides along x."""
    structure = Structure(
        {"o": (0.0, 0.0, 0.0), "tip": (0.0, 0.0, -LENGTH), "weight": (2.0, 0.0, 0.0)},
        [Bar("rod", ("o", "tip"), mass=1.5)],
        supports={"o": "xyz", "weight": "yz"},
        point_masses={"tip": 0.5, "weight": 2.0},
    )
    loads = [Load("tip", "y", Constant(push)), Load("weight", "x", Command(), name="shove")]
    drives = [CoordinateDrive("hinge", "value", CosineRamp(0.0, ANGLE, 0.0, 1.0))] if led else []
    plant = assemble(structure, gravity=9.81, loads=loads, **options)
    return in_coordinates(plant, [Joint.revolute("hinge", "o", Y, ("tip",))], drives=drives)


def led_to(time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The angle of the ramp, its rate and acceleration."""
    w = np.pi * time
    return 0.5 * ANGLE * (1.0 - np.cos(w)), 0.5 * ANGLE * np.pi * np.sin(w), 0.5 * ANGLE * np.pi**2 * np.cos(w)


def tip_acceleration(time: np.ndarray) -> np.ndarray:
    """(T, 3) of the tip, which is at -LENGTH (sin, 0, cos) of the angle."""
    angle, rate, second = led_to(time)
    c, s = np.cos(angle), np.sin(angle)
    x, z = -LENGTH * (c * second - s * rate**2), LENGTH * (s * second + c * rate**2)
    return np.stack([x, 0.0 * x, z], axis=1)


@pytest.mark.slow
def test_an_accelerometer_feels_the_hinge_and_what_leads_it() -> None:
    """Nodes alone would fall by 9.81 m/s^2, and be pushed across by some 7 m/s^2."""
    sensors = [Sensor(f"a{axis}", f"node:tip.acceleration.{axis}") for axis in "xyz"]
    sensors.append(Sensor("felt", "node:tip.specific_force.z"))
    run = simulate(hinged(sensors=sensors), 1.0, every=0.05, method="dp8", tolerance=1e-11, verify=False)
    wanted = tip_acceleration(run.time)[:-1]  # on its last sample the ramp is over
    assert np.ptp(wanted[:, 0]) > 2.0
    assert run.reading[:-1, :3] == pytest.approx(wanted, abs=1e-10)
    assert run.reading[:-1, 3] == pytest.approx(wanted[:, 2] + 9.81, abs=1e-10)


@pytest.mark.slow
def test_a_controller_with_a_rate_decides_by_what_the_joint_lets_nodes_do() -> None:
    """It pushes a weight by the acceleration that it measures at the tip, which is known in closed form."""
    law = LinearLaw(np.array([[3.0, 1.0]]))
    hand = Controller("hand", ("node:tip.acceleration.x", "node:tip.acceleration.y"), ("shove",), law, rate=RATE)
    run = simulate(hinged(controllers=[hand]), 0.9, every=0.025, method="dp8", tolerance=1e-11, verify=False)
    ticks = np.floor(run.time * RATE + 1e-9) / RATE
    pushed = run.load_force[:, run.load_names.index("shove")]
    assert pushed == pytest.approx(3.0 * tip_acceleration(ticks)[:, 0], abs=1e-9)
    assert np.ptp(pushed) > 5.0


@pytest.mark.slow
def test_a_sensor_of_what_joints_keep_is_refused() -> None:
    """It would show zero."""
    with pytest.raises(ModelError, match='sensors.load: measures the force of bar "rod", which joints keep as it is'):
        hinged(sensors=[Sensor("load", "bar:rod.tension")])


@pytest.mark.slow
def test_a_sensor_of_a_loop_shows_its_force() -> None:
    """Of a bar that closes a loop: as the run itself has it."""
    structure, joints = pendulum()
    plant = assemble(structure, gravity=9.81, sensors=[Sensor("pull", "bar:ab.tension")])
    run = simulate(in_coordinates(plant, joints[1:]), 0.5, every=0.05, method="dp8", tolerance=1e-11, verify=False)
    assert np.ptp(run.bar_force[:, 1]) > 5.0
    assert run.reading[:, 0] == pytest.approx(run.bar_force[:, 1], abs=1e-9)


@pytest.mark.slow
def test_a_plant_in_joints_is_stepped_by_hand() -> None:
    """With and without sensors: coordinates are observed, and nodes are where the run has them."""
    structure, joints = pendulum()
    for sensors in ([], [Sensor("low", "node:b.position.z")]):
        plant = in_coordinates(assemble(structure, gravity=9.81, sensors=sensors), joints)
        sim = taut.start(plant, method="dp8", tolerance=1e-11)
        for _ in range(4):
            seen = sim.step(0.1)
        run = simulate(plant, 0.4, every=0.1, method="dp8", tolerance=1e-11, verify=False)
        assert sim.outputs[::4] == ("coordinate:hip.1", "coordinate:hip.1.rate")
        assert seen == pytest.approx(np.concatenate([run.coordinate[-1], run.coordinate_rate[-1]]), abs=1e-9)
        assert sim.nodes == pytest.approx(run.nodes[-1], abs=1e-9)
        assert sim.velocities == pytest.approx(run.velocities[-1], abs=1e-8)
        assert sim.trajectory().sensor_names == tuple(sensor.name for sensor in sensors)
