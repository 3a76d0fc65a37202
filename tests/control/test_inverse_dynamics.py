"""Forces of actuators along a motion, and controllers made of them; against a reference and against the plants' own
accelerations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taut import (
    Angle,
    Bar,
    Command,
    Drive,
    LagrangianPlant,
    Load,
    ModelError,
    OptionError,
    Structure,
    assemble,
    simulate,
)
from taut.control import computed_torque, inverse_dynamics, pd_tracking
from taut.mechanisms import Joint, in_coordinates
from taut.papers.mechanism.model import AT_END, AT_START, LEGS, in_joints, in_nodes, static_torque

DATA = Path(__file__).parents[1] / "data" / "mechanism_imposed.npz"
TORQUES = [f"angle:theta{leg}.torque" for leg in LEGS]


def arm(mode: str = "free", torque: float = 0.0) -> Structure:
    """Two bars, a hinge at the ground and an elbow, in the plane y = 0."""
    return Structure(
        {"hip": (0.0, 0.0, 0.0), "knee": (0.6, 0.0, -0.5), "foot": (0.9, 0.0, -1.2)},
        [Bar("thigh", ("hip", "knee"), mass=1.0), Bar("shank", ("knee", "foot"), mass=0.7)],
        supports={"hip": "xyz", "knee": "y", "foot": "y"},
        angles=[Angle.elbow("elbow", ("hip", "knee", "foot"), mode=mode, torque=torque)],
    )


def swing(count: int = 7) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A motion of the arm by its two angles, with exact rates: time, places, speeds, accelerations."""
    time = np.linspace(0.0, 0.6, count)
    lengths = np.hypot(0.6, 0.5), np.hypot(0.3, 0.7)
    starts = np.arctan2(-0.5, 0.6), np.arctan2(-0.7, 0.3)
    places, speeds, accelerations = (np.zeros((count, 3, 3)) for _ in range(3))
    for k, (rate, turn) in enumerate(((0.8, 1.5), (-1.1, 0.7))):
        a, w, z = starts[k] + rate * time + 0.5 * turn * time**2, rate + turn * time, turn
        along = np.stack([np.cos(a), 0.0 * a, np.sin(a)], axis=1)
        across = np.stack([-np.sin(a), 0.0 * a, np.cos(a)], axis=1)
        for node in range(k + 1, 3):
            places[:, node] += lengths[k] * along
            speeds[:, node] += lengths[k] * w[:, None] * across
            accelerations[:, node] += lengths[k] * (z * across - (w**2)[:, None] * along)
    return time, places, speeds, accelerations


@pytest.mark.slow
def test_torques_of_the_mechanism_are_those_of_the_reference() -> None:
    """In joints, with rates from a spline: a second after the angles have stopped, where all is smooth."""
    known = np.load(DATA)
    late = slice(400, 440)
    structure, joints = in_joints(torques=static_torque(AT_START))
    plant = in_coordinates(assemble(structure), joints)
    legs = [part for k in range(3) for part in (known["q"][late, 3 + 2 * k : 5 + 2 * k], known["theta"][late, k, None])]
    rates = [
        part
        for k in range(3)
        for part in (known["qdot"][late, 3 + 2 * k : 5 + 2 * k], known["thetadot"][late, k, None])
    ]
    q, v = np.hstack([known["q"][late, :3], *legs]), np.hstack([known["qdot"][late, :3], *rates])
    assert plant.names[:6] == ("mu1", "mu.1", "mu.2", "u1.1", "u1.2", "theta1")
    found = inverse_dynamics(plant, known["t"][late], q, v, actuators=TORQUES)
    inside = slice(3, -3)  # a spline's ends know less
    assert np.abs(found.effort[inside] / known["tau"][late][inside] - 1.0).max() < 1e-9
    assert found.unbalanced[inside].max() < 1e-7
    along = inverse_dynamics(plant, known["t"][late], q, v, actuators=[f"coordinate:theta{leg}.force" for leg in LEGS])
    assert along.effort[inside] + static_torque(AT_START) == pytest.approx(known["tau"][late][inside], rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("theta", [AT_START, AT_END])
def test_at_rest_torques_are_those_of_statics(theta: np.ndarray) -> None:
    """Of held elbows by their constraints, of free ones by the torques that are missing."""
    for torques in (None, np.array([10.0, 20.0, -30.0])):
        plant = assemble(in_nodes(theta, torques=torques))
        still = np.zeros((1, *plant.positions.shape))
        found = inverse_dynamics(plant, np.zeros(1), plant.positions[None], still, still, actuators=TORQUES)
        assert found.effort[0] == pytest.approx(static_torque(theta), rel=1e-12)
        assert found.unbalanced[0] < 1e-12


@pytest.mark.slow
def test_an_arm_needs_what_lagrange_says() -> None:
    """Nodes, joints and Lagrange's equations of two angles, written out here; torques at hip and elbow."""
    time, places, speeds, accelerations = swing()
    nodal = assemble(arm(torque=0.3), gravity=9.81)
    names = ["angle:elbow.torque", "node:knee.force.x"]
    found = inverse_dynamics(nodal, time, places, speeds, accelerations, actuators=names)
    assert found.unbalanced.max() < 1e-13

    first, second = np.hypot(0.6, 0.5), np.hypot(0.3, 0.7)

    def mass(q: np.ndarray) -> np.ndarray:
        c = np.cos(q[1] - q[0])
        both = 0.5 * 0.7 * first * second * c
        return np.array([[(1.0 / 3.0 + 0.7) * first**2 + 0.0 * c, both], [both, 0.7 * second**2 / 3.0 + 0.0 * c]])

    def potential(q: np.ndarray) -> complex:
        return 9.81 * (first * np.sin(q[0]) * (0.5 + 0.7) + 0.35 * second * np.sin(q[1]))

    angles = np.stack(
        [np.arctan2(-0.5, 0.6) + 0.8 * time + 0.75 * time**2, np.arctan2(-0.7, 0.3) - 1.1 * time + 0.35 * time**2], 1
    )
    rates = np.stack([0.8 + 1.5 * time, -1.1 + 0.7 * time], 1)
    seconds = np.tile([1.5, 0.7], (time.size, 1))
    plant = LagrangianPlant(("a", "b"), mass, potential, angles[0], rates[0])
    whole = inverse_dynamics(plant, time, angles, rates, seconds)
    # The elbow's angle is b - a and a constant, so its torque turns b forward and a back; the push turns a alone.
    assert whole.effort[:, 1] == pytest.approx(found.effort[:, 0], abs=1e-10)
    push = -first * np.sin(angles[:, 0]) * found.effort[:, 1]
    assert whole.effort.sum(axis=1) == pytest.approx(push, abs=1e-10)
    y = (0.0, 1.0, 0.0)
    joints = [Joint.revolute("hip", "hip", y, ("knee",)), Joint.revolute("knee", "knee", y, ("foot",), on="hip")]
    free = Structure(arm().nodes, arm().bars.values(), supports={"hip": "xyz"}, angles=arm(torque=0.3).angles.values())
    turning = in_coordinates(assemble(free, gravity=9.81), joints)
    own = np.stack([angles[0, 0] - angles[:, 0], (angles[0, 1] - angles[:, 1]) - (angles[0, 0] - angles[:, 0])], 1)
    speed = np.stack([-rates[:, 0], rates[:, 0] - rates[:, 1]], 1)
    second_rates = np.tile([-1.5, 1.5 - 0.7], (time.size, 1))
    moved = inverse_dynamics(turning, time, own, speed, second_rates, actuators=names)
    assert moved.effort == pytest.approx(found.effort, abs=1e-10)


def test_what_no_actuator_gives_is_told() -> None:
    time, places, speeds, accelerations = swing()
    plant = assemble(arm(), gravity=9.81)
    found = inverse_dynamics(plant, time, places, speeds, accelerations, actuators="angle:elbow.torque")
    assert found.unbalanced.min() > 0.01


def test_a_motion_that_tears_is_told_with_name_and_time() -> None:
    time, places, speeds, accelerations = swing()
    torn = places.copy()
    torn[4:, 2] *= 1.01
    plant = assemble(arm(), gravity=9.81)
    with pytest.raises(ModelError, match=r'the motion tears bar "shank" at t = 0\.4 s: it is 0\.0\d+ off'):
        inverse_dynamics(plant, time, torn, speeds, accelerations, actuators="angle:elbow.torque")


def test_postures_at_one_instant() -> None:
    """With rates given every sample stands by itself."""
    time, places, speeds, accelerations = swing()
    plant = assemble(arm(), gravity=9.81)
    told = [
        inverse_dynamics(plant, when, places, speeds, accelerations, actuators="angle:elbow.torque").effort
        for when in (time, np.zeros(time.size))
    ]
    np.testing.assert_array_equal(*told)


def test_what_is_refused() -> None:
    time, places, speeds, accelerations = swing()
    plant = assemble(arm(), gravity=9.81)
    with pytest.raises(OptionError, match="nothing is driven, so there are no actuators"):
        inverse_dynamics(plant, time, places)
    with pytest.raises(OptionError, match=r"positions of shape \(7, 2, 3\) do not fit: give \(7, 3, 3\)"):
        inverse_dynamics(plant, time, places[:, :2], actuators="angle:elbow.torque")
    for wrong in (np.full(time.size, np.nan), time[::-1].copy(), time[:, None]):
        with pytest.raises(OptionError, match=r"time of shape \(7,.* must be finite numbers, none less than the one"):
            inverse_dynamics(plant, wrong, places, speeds, accelerations, actuators="angle:elbow.torque")
    with pytest.raises(OptionError, match="3 samples make no spline"):
        inverse_dynamics(plant, time[:3], places[:3], actuators="angle:elbow.torque")
    with pytest.raises(OptionError, match='no actuator "hip"; there are angle:elbow.torque'):
        inverse_dynamics(plant, time, places, speeds, accelerations, actuators="angle:elbow.torque").signal("hip")


def test_computed_torques_make_the_output_accelerate_as_wanted() -> None:
    """Put back into the equations, of an angle and of a place."""
    torque = 0.4
    structure = arm()
    drive = Drive("motor", "angle:elbow", "torque", to=Command(torque))
    plant = assemble(structure, gravity=9.81, drives=[drive])
    for output, wanted in (("angle:elbow.angle", 2.0), ("node:foot.position.z", -0.7)):
        law = computed_torque(
            "c", plant, [output], lambda t, w=wanted: (np.array([w]), np.zeros(1), np.array([0.3])),
            proportional=25.0, derivative=10.0, rate=100.0,
        ).law  # fmt: skip
        _, places, speeds, _ = swing()
        (effort,) = law(0.0, np.concatenate([places[3].ravel(), speeds[3].ravel()]), np.zeros(0))  # type: ignore[operator]
        value, rate, second = _of(output, plant.structure, places[3], speeds[3], effort)
        assert second == pytest.approx(0.3 - 10.0 * rate - 25.0 * (value - wanted), rel=1e-6)


def _of(output: str, structure: Structure, places: np.ndarray, speeds: np.ndarray, effort: float) -> tuple[float, ...]:
    """An output, its rate and its second rate where the elbow has a torque, by differences of a short flight."""
    from taut.mechanics.linear.motion_terms import nodal_terms

    plant = assemble(arm(torque=effort), gravity=9.81)
    terms = nodal_terms(plant, places.ravel(), speeds.ravel(), 0.0)
    rows = terms.rows.shape[0]
    system = np.block([[terms.mass, -terms.rows.T], [terms.rows, np.zeros((rows, rows))]])
    acceleration = np.zeros(9)
    acceleration[terms.moving] = np.linalg.solve(system, np.concatenate([terms.force, terms.bias]))[: terms.moving.size]

    def shown(x: np.ndarray) -> float:
        if output.startswith("node"):
            return float(x.reshape(3, 3)[2, 2])
        first, second = x.reshape(3, 3)[0] - x.reshape(3, 3)[1], x.reshape(3, 3)[2] - x.reshape(3, 3)[1]
        return float(np.arctan2(np.linalg.norm(np.cross(first, second)), first @ second))

    h, q, v = 1e-4, places.ravel(), speeds.ravel()
    ahead, here, behind = (shown(q + s * h * v + 0.5 * h**2 * acceleration) for s in (1.0, 0.0, -1.0))
    here = shown(q)
    return here, (ahead - behind) / (2 * h), (ahead - 2.0 * here + behind) / h**2


@pytest.mark.slow
def test_computed_torques_are_the_same_in_joints() -> None:
    """Of an arm whose hinges keep it in its plane, which its nodes alone do not know, pushed across it."""
    y = (0.0, 1.0, 0.0)
    joints = [Joint.revolute("hip", "hip", y, ("knee",)), Joint.revolute("knee", "knee", y, ("foot",), on="hip")]
    acting = {"drives": [Drive("motor", "angle:elbow", "torque", to=Command(0.4))], "loads": [Load("foot", "y", 9.0)]}
    free = Structure(arm().nodes, arm().bars.values(), supports={"hip": "xyz"}, angles=arm().angles.values())
    plants = assemble(arm(), gravity=9.81, **acting), in_coordinates(assemble(free, gravity=9.81, **acting), joints)
    _, places, speeds, _ = swing()
    seen = np.concatenate([places[3].ravel(), speeds[3].ravel()])
    for output in ("angle:elbow.angle", "node:foot.position.z"):
        made = [
            computed_torque(
                "c", plant, [output], lambda t: (np.array([-0.7]), np.zeros(1), np.array([0.3])),
                proportional=25.0, derivative=10.0, rate=100.0,
            )
            for plant in plants
        ]  # fmt: skip
        assert made[1].state == pytest.approx((0.0, 0.0))
        efforts = [one.law(0.0, seen, np.array(one.state)) for one in made]  # type: ignore[operator]
        assert efforts[1] == pytest.approx(efforts[0], rel=1e-9)


@pytest.mark.slow
def test_the_platform_is_led_in_joints_as_in_nodes() -> None:
    """The mechanism with torques at its elbows, in the paper's coordinates and in nodes, x along a line."""
    torque, ways = static_torque(AT_START), np.tile(np.eye(3) / 3.0, 3)
    places = [f"node:C{leg}.position.{axis}" for leg in LEGS for axis in "xyz"]
    drives = [
        Drive(f"motor{leg}", f"angle:theta{leg}", "torque", to=Command(float(one)))
        for leg, one in zip(LEGS, torque, strict=True)
    ]
    begun, pace = np.array([2.0**0.5 / 4.0, 6.0**0.5 / 12.0, 30.0**0.5 / 3.0]), np.array([0.3, -0.1, 0.05])

    def line(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return begun + 0.5 * pace * t**2, pace * t, pace

    runs = []
    for given in (in_nodes(torques=torque), in_joints(torques=torque)):
        structure, joints = given if isinstance(given, tuple) else (given, ())

        def made(structure: Structure = structure, joints: tuple = joints, **more: Any) -> Any:
            plant = assemble(structure, drives=drives, **more)
            return in_coordinates(plant, joints) if joints else plant

        law = computed_torque("x", made(), places, line, proportional=100.0, derivative=20.0, rate=500.0, combine=ways)
        run = simulate(made(controllers=[law]), 0.05, every=0.01, method="dp8", tolerance=1e-10, verify=False)
        names = list(structure.nodes)
        runs.append(run.nodes[:, [names.index(f"C{leg}") for leg in LEGS]].mean(axis=1))
    goal = np.array([line(float(t))[0] for t in run.time])
    assert np.abs(runs[0] - runs[1]).max() < 1e-9
    assert np.abs(runs[1] - goal).max() < 1e-4


@pytest.mark.parametrize("start", [0.0, 5.0])
def test_a_command_that_does_not_start_at_zero_is_counted_once(start: float) -> None:
    """A mass of 2 kg is to go by 3 m/s^2: 6 N, whatever the load began with."""
    structure = Structure({"p": (0.0, 0.0, 0.0)}, point_masses={"p": 2.0})
    plant = assemble(structure, loads=[Load("p", "x", Command(start))])
    nothing = np.zeros(1)
    follow = computed_torque(
        "follow",
        plant,
        ["node:p.position.x"],
        lambda t: (nothing, nothing, np.array([3.0])),
        proportional=1.0,
        derivative=1.0,
        rate=100.0,
        actuators=["node:p.force.x"],
    )
    assert follow.law(0.0, np.zeros(6), nothing) == pytest.approx([6.0])


def test_computed_torque_says_what_does_not_fit() -> None:
    plant = assemble(arm(), drives=[Drive("motor", "angle:elbow", "torque", to=Command())])
    wanted = lambda t: (np.zeros(2), np.zeros(2), np.zeros(2))  # noqa: E731
    gains = {"proportional": 1.0, "derivative": 1.0, "rate": 100.0}
    with pytest.raises(OptionError, match="1 actuators can have as many outputs follow, and 2 are given"):
        computed_torque("c", plant, ["node:foot.position.x", "node:foot.position.z"], wanted, **gains)
    held = assemble(arm("held"))
    with pytest.raises(OptionError, match='"angle:elbow.torque" is of something held'):
        computed_torque("c", held, ["node:foot.position.x"], wanted, actuators=["angle:elbow.torque"], **gains)


@pytest.mark.slow
def test_pd_tracking_puts_what_is_wanted_into_signals() -> None:
    time = np.array([0.0, 1.0, 2.0])
    led = pd_tracking(
        time, {"elbow": np.array([1.0, 1.2, 1.4])}, {"elbow": np.full(3, 0.2)}, proportional=30.0, derivative=2.0
    )
    (drive,), (controller,) = led.drives, led.controllers
    assert drive.member == "angle:elbow"
    curve, command = drive.to.signals  # type: ignore[union-attr]
    assert curve.values == pytest.approx((30.4, 36.4, 42.4))
    assert command.start == pytest.approx(-30.4), "nothing is pushed before it decides"
    assert controller.measured == ("angle:elbow.angle", "angle:elbow.angle_rate")
    assert controller.law.d == pytest.approx(np.array([[-30.0, -2.0]]))  # type: ignore[union-attr]
    assemble(arm(), drives=led.drives, controllers=led.controllers)
    with pytest.raises(OptionError, match='what is wanted of "elbow" has the shape'):
        pd_tracking(time, {"elbow": np.zeros(2)}, {"elbow": np.zeros(3)}, proportional=1.0, derivative=1.0)
