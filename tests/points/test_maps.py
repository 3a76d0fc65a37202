"""Nodes as a function that someone has written, and what acts on coordinates: against joints, Lagrange's equations and
the reference of the mechanism."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit
from spatial_mechanism import AT_END, LEGS, THETA, in_joints
from test_joints import moved, pendulum

from taut import (
    Bar,
    Cable,
    Constant,
    CosineRamp,
    LagrangianPlant,
    Load,
    ModelError,
    SampledSignal,
    Sinusoid,
    Structure,
    assemble,
    simulate,
)
from taut.mechanisms import CoordinateDrive, CoordinateMap, GeneralisedPlant, Joint, in_coordinates
from taut.structure.examples import example
from taut.structure.files import parse_model, read_model
from taut.structure.format.writing import model_text

NAMES, VALUES = ("hip.1", "hip.2", "knee.1", "knee.2"), (0.3, -0.2, 0.0, 0.0)
WAVE = Sinusoid(0.7, 1.2)
DATA = Path(__file__).parent.parent / "data"


def places(q: np.ndarray) -> np.ndarray:
    """Where "a" and "b" of the pendulum are, by rotations about x and y, y and x."""
    out = np.empty((2, 3), q.dtype)
    x, y, z = 0.6, 0.1, -0.5
    u, v, w = 0.2, 0.6, -0.5
    c, s = np.cos(q[3]), np.sin(q[3])
    v, w = c * v - s * w, s * v + c * w
    c, s = np.cos(q[2]), np.sin(q[2])
    u, w = c * u + s * w, -s * u + c * w
    c, s = np.cos(q[1] + 0.2), np.sin(q[1] + 0.2)
    x, z = c * x + s * z, -s * x + c * z
    u, w = c * u + s * w, -s * u + c * w
    c, s = np.cos(q[0] - 0.3), np.sin(q[0] - 0.3)
    y, z = c * y - s * z, s * y + c * z
    v, w = c * v - s * w, s * v + c * w
    out[0, 0], out[0, 1], out[0, 2] = x, y, z
    out[1, 0], out[1, 1], out[1, 2] = x + u, y + v, z + w
    return out


def of_map(function: Any = places, **more: Any) -> CoordinateMap:
    return CoordinateMap(function, **{"names": NAMES, "values": VALUES, **more})


def by_map(given: CoordinateMap, **options: Any) -> GeneralisedPlant:
    structure, _ = pendulum()
    return in_coordinates(assemble(structure, gravity=9.81, **options), given)


# --- derivatives


@pytest.mark.slow
def test_derivatives_of_maps_and_joints_are_those_of_complex_steps() -> None:
    """Velocities, mass and velocity terms of the same pendulum: by its map, by its joints, and by this test alone."""
    structure, joints = pendulum()
    draw, nodes = np.random.default_rng(5), len(structure.nodes)
    plants = [by_map(of_map()), in_coordinates(assemble(structure, gravity=9.81), joints)]
    carried = np.diag([1.0 / 3.0, 0.0]) + np.array([[0.7 / 3.0, 0.7 / 6.0], [0.7 / 6.0, 0.7 / 3.0 + 0.4]])
    mass = np.kron(carried, np.eye(3))
    for _ in range(5):
        q, v = draw.normal(size=(2, 4))
        exact = np.array([places(q + 1e-30j * way).imag.ravel() / 1e-30 for way in np.eye(4)]).T

        def speed(x: np.ndarray, v: np.ndarray = v) -> np.ndarray:
            return places(x + 1e-30j * v).imag.ravel() / 1e-30

        h = 1e-3
        bent = (8.0 * (speed(q + h * v) - speed(q - h * v)) - speed(q + 2 * h * v) + speed(q - 2 * h * v)) / (12.0 * h)
        forces = []
        for plant in plants:
            found, _, force, _ = plant.terms_at(0.0, q, v)
            assert found == pytest.approx(exact.T @ mass @ exact, abs=1e-13)
            still = plant.terms_at(0.0, q, 0.0 * v)[2]
            forces.append(force)
            y = np.concatenate([q, v, [0.0]])
            seen = plant.observed(plant.own_tables(metric="mass", gains=(0.0, 0.0)), np.zeros(1), y[None])
            assert seen["velocities"][0].ravel()[3:9] == pytest.approx(exact @ v, abs=1e-13)
            assert seen["nodes"].shape[1] == nodes
            # Beside what bends the map, the damper of the cable answers to velocities.
            line = seen["nodes"][0, 3] - seen["nodes"][0, 2]
            line /= np.linalg.norm(line)
            taut_now = seen["cable_tension"][0, 0] > 0.0
            pull = 0.2 * (line @ (exact @ v)[3:]) * line if taut_now else np.zeros(3)
            wanted = -exact.T @ mass @ bent - exact[3:].T @ pull
            assert force - still == pytest.approx(wanted, abs=1e-9)
        assert forces[0] == pytest.approx(forces[1], abs=1e-11)


# --- the same machine


@pytest.mark.slow
@pytest.mark.parametrize("function", [njit(places), places], ids=["numba", "numpy"])
def test_a_map_moves_as_joints_do(function: Any) -> None:
    structure, joints = pendulum()
    loads = [Load("a", "y", Sinusoid(2.0, 1.5))]
    plant = by_map(of_map(function), loads=loads)
    assert plant.names == NAMES
    assert plant.rows == 0
    run = moved(plant, 1.0)
    same = moved(in_coordinates(assemble(structure, gravity=9.81, loads=loads), joints), 1.0)
    nodal = moved(assemble(structure, gravity=9.81, loads=loads), 1.0)
    assert run.ok
    assert np.abs(run.coordinate - same.coordinate).max() < 1e-10
    assert np.abs(run.nodes - nodal.nodes).max() < 1e-10
    assert run.cable_tension == pytest.approx(nodal.cable_tension, abs=1e-9)
    assert np.abs(run.energy_violation).max() < 1e-10


@pytest.mark.slow
def test_nodes_that_a_map_leaves_out_keep_their_coordinates() -> None:
    structure, joints = pendulum()
    given = of_map(lambda q: places(np.array([*q, 0.0 * q[0], 0.0 * q[0]]))[:1], names=NAMES[:2], values=VALUES[:2])
    plant = by_map(replace(given, nodes=("a",)))
    assert plant.names == (*NAMES[:2], "b.x", "b.y", "b.z")
    assert plant.constraint_names == ('bar "ab"',)
    twin = in_coordinates(assemble(structure, gravity=9.81), joints[1:])
    draw = np.random.default_rng(2)
    q, v = plant.positions + 0.1 * draw.normal(size=5), draw.normal(size=5)
    for one, other in zip(plant.terms_at(0.0, q, v), twin.terms_at(0.0, q, v), strict=True):
        assert one == pytest.approx(other, abs=1e-11)


# --- what acts on coordinates


@pytest.mark.slow
def test_springs_dampers_and_forces_on_coordinates_are_those_of_lagrange() -> None:
    """Against a LagrangianPlant of numpy functions: mass, potential and load are written here."""
    structure, joints = pendulum()
    structure = Structure(
        structure.nodes,
        structure.bars.values(),
        [replace(cable, damping=0.0, rest_length=5.0) for cable in structure.cables.values()],
        supports=structure.supports,
        point_masses=structure.point_masses,
    )
    stiffness, damping, rest = (3.0, 2.0, 1.0, 4.0), (0.3, 0.0, 0.2, 0.1), (0.1, -0.3, 0.4, 0.2)
    knee = replace(joints[0], stiffness=stiffness[2:], damping=damping[2:], rest=rest[2:])
    hip = replace(joints[1], stiffness=stiffness[:2], damping=damping[:2], rest=rest[:2])
    drives = [CoordinateDrive("knee.1", "force", WAVE)]
    plant = in_coordinates(assemble(structure, gravity=9.81), [knee, hip], drives=drives)
    assert plant.dampers == ("hip.1", "knee.1", "knee.2")
    run = moved(plant, 1.0)
    carried = np.diag([1.0 / 3.0, 0.0]) + np.array([[0.7 / 3.0, 0.7 / 6.0], [0.7 / 6.0, 0.7 / 3.0 + 0.4]])
    heavy = 9.81 * np.array([0.5 + 0.35, 0.35 + 0.4])

    def slopes(q: np.ndarray) -> np.ndarray:
        """By real differences of eighth order, since q is complex at times."""
        weights, h = (0.8, -0.2, 4.0 / 105.0, -1.0 / 280.0), 0.02
        return np.array(
            [
                sum(w * (places(q + k * h * e) - places(q - k * h * e)).ravel() for k, w in enumerate(weights, 1)) / h
                for e in np.eye(4)
            ]
        ).T

    def mass(q: np.ndarray) -> np.ndarray:
        found = slopes(q)
        return np.asarray(found.T @ np.kron(carried, np.eye(3)) @ found)

    def potential(q: np.ndarray) -> Any:
        return heavy @ places(q)[:, 2] + 0.5 * np.array(stiffness) @ (q - np.array(rest)) ** 2

    def load(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        push = np.array([0.0, 0.0, 0.7 * np.sin(2.0 * np.pi * 1.2 * t), 0.0])
        return push - np.array(damping) * v

    other = LagrangianPlant(NAMES, mass, potential, np.array(VALUES), np.zeros(4), load=load, damped=True)
    twin = simulate(other, 1.0, every=0.05, method="dp8", tolerance=1e-11, verify=False)
    assert run.ok
    assert np.abs(twin.coordinate[-1] - twin.coordinate[0]).max() > 0.1
    assert np.abs(run.coordinate - twin.coordinate).max() < 1e-9
    assert np.abs(run.energy_violation).max() < 1e-10
    assert run.work == pytest.approx(twin.work, abs=1e-9)


@pytest.mark.slow
def test_imposed_coordinates_move_the_mechanism_as_the_reference_says() -> None:
    """10 s with theta imposed as a coordinate, not as an angle between struts: its multipliers are the torques."""
    wanted = np.load(DATA / "mechanism_imposed.npz")
    structure, joints = in_joints()
    free = Structure(structure.nodes, structure.bars.values(), structure.cables.values(), supports=structure.supports)
    drives = [
        CoordinateDrive(f"theta{leg}", "value", CosineRamp(THETA, float(AT_END[k]), 1.0, 3.0))
        for k, leg in enumerate(LEGS)
    ]
    plant = in_coordinates(assemble(free), joints, drives=drives)
    assert plant.constraint_names[3:] == tuple(f'coordinate "theta{leg}"' for leg in LEGS)
    run = simulate(plant, 10.0, every=0.01, method="dp8", tolerance=1e-12, verify=False)
    nodes = list(free.nodes)
    platform = run.nodes[:, [nodes.index(f"C{leg}") for leg in LEGS]].mean(axis=1)
    assert np.abs(platform - wanted["x"]).max() < 1e-12
    assert run.coordinate[:, -1] == pytest.approx(wanted["theta"][:, -1], abs=1e-14)
    assert np.abs(run.multiplier[:, 3:] / wanted["tau"] - 1.0).max() < 1e-11
    assert np.abs(run.energy_violation).max() < 1e-9


def test_joints_with_springs_come_back_from_a_file() -> None:
    model = read_model(example("mechanism_joints"))
    springs = {"stiffness": (2.0, 0.0), "damping": (40.0, 40.0), "rest": (0.1, 0.2)}
    joints = tuple(replace(one, **springs) if len(one.turns) == 2 else one for one in model.scenario.joints)
    told = model_text(model.structure, replace(model.scenario, joints=joints))
    assert parse_model(told).scenario.joints == joints
    assert joints != model.scenario.joints


def test_a_loop_that_depends_on_others_is_named() -> None:
    """A coordinate imposed that a bar fixes already: both are named, and the motion is unique."""
    structure, joints = pendulum()
    drive = CoordinateDrive("b.x", "value", Constant(0.8))
    twice = [drive, *(CoordinateDrive(f"b.{axis}", "value", Constant(v)) for axis, v in (("y", 0.7), ("z", -1.0)))]
    held = [*twice, *(CoordinateDrive(f"hip.{k + 1}", "value", Constant(VALUES[k])) for k in range(2))]
    plant = in_coordinates(assemble(structure, gravity=9.81), joints[1:], drives=held)
    y = np.concatenate([plant.positions, plant.velocities, [0.0]])
    dependent = plant.dependent(plant.pack, y)
    assert dependent.shape == (1, 6)
    among = [name for name, part in zip(plant.constraint_names, np.abs(dependent[0]), strict=True) if part > 1e-9]
    assert among[0] == 'bar "ab"'
    assert 'coordinate "b.x"' in among


# --- what is refused


def _lost(q: np.ndarray) -> np.ndarray:
    found = places(q)
    return np.where(np.abs(q[2].imag) > 0.0, np.nan, 1.0) * found


def _dropped(q: np.ndarray) -> np.ndarray:
    return np.asarray(places(np.array([q[0], q[1].real, q[2], q[3]])))


def _raises(q: np.ndarray) -> np.ndarray:
    if np.iscomplexobj(q):
        raise TypeError("real numbers only")
    return places(q)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (of_map(lambda q: places(q)[0]), r"it returned an array of shape \(3,\) for 2 nodes; return \(2, 3\)"),
        (of_map(lambda q: places(q) * np.nan), 'at the start node "a" is at no finite place'),
        (of_map(_lost), 'by a complex step of the coordinate "knee.1" node "a" is at no finite place'),
        (of_map(_dropped), 'by the coordinate "hip.2" is 0 by a complex step and .* drops imaginary parts'),
        (of_map(_raises), 'by a complex step of the coordinate "hip.1" it raised TypeError: real numbers only'),
        (of_map(values=(0.3, -0.2, 0.0, 0.5)), 'it puts node "b" 0.3.* m from where the structure has it'),
        (of_map(values=(0.3,)), "map.values: has 1 numbers for 4 coordinates; give 4"),
        (of_map(names=("a", "a", "b", "c")), 'map.names: "a" stands there twice'),
        (of_map(nodes=("far",)), 'map.nodes: node "far" is held by a support'),
        (of_map(nodes=("c",)), 'map.nodes: no node "c"'),
        (
            of_map(stiffness=(1.0, -1.0, 0.0, 0.0)),
            r"map.stiffness: \[1.0, -1.0, .*\] must be finite numbers, zero",
        ),
    ],
)
def test_what_is_wrong_with_a_map(given: CoordinateMap, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        by_map(given)


@pytest.mark.slow
def test_a_map_that_fails_on_the_way_says_so() -> None:
    def breaks_off(q: np.ndarray) -> np.ndarray:
        if q[2].real > 0.05 or q[2].real < -0.05:
            raise ArithmeticError("the knee is locked there")
        return places(q)

    run = moved(by_map(of_map(breaks_off), loads=[Load("a", "y", Sinusoid(2.0, 1.5))]), 1.0)
    assert not run.finished
    assert "the function of the map raised ArithmeticError: the knee is locked there" in run.status


@pytest.mark.slow
def test_a_map_that_ends_on_the_way_says_where() -> None:
    """Its places are not numbers beyond a turn of the knee by 0.2 rad."""
    run = moved(by_map(of_map(lambda q: places(q) * (np.nan if abs(q[2].real) > 0.2 else 1.0))), 1.0)
    assert not run.finished
    told = re.search(r"the map gives places that are not finite numbers at .*knee.1 = (\S+),", run.status)
    assert told, run.status
    assert 0.1 < abs(float(told[1])) < 0.3
    assert np.isfinite(run.nodes).all()


def test_what_is_smooth_by_both_at_the_start_alone_is_refused() -> None:
    """|q| at q = 0: differences and complex steps agree there, and nowhere else."""
    rod = Structure({"o": (0.0, 0.0, 0.0), "p": (1.0, 0.0, 0.0)}, point_masses={"p": 1.0}, supports={"o": "xyz"})

    def kinked(q: np.ndarray) -> np.ndarray:
        return np.array([[1.0 + 0.0 * q[0], q[0], 0.5 * np.abs(q[0])]])

    given = CoordinateMap(kinked, names=("q",), values=(0.0,))
    with pytest.raises(ModelError, match='by the coordinate "q" is 0 by a complex step and .* beside the start'):
        in_coordinates(assemble(rod), given)


@pytest.mark.parametrize(
    ("drive", "message"),
    [
        (CoordinateDrive("nee.1", "value", Constant(0.0)), 'no coordinate "nee.1"; did you mean "knee.1"'),
        (CoordinateDrive("knee.1", "speed", Constant(0.0)), '"speed" is not one of value, force'),
        (CoordinateDrive("knee.1", "force", lambda t, x, v: 0.0), "not by a Python function or a command"),
    ],
)
def test_what_is_wrong_with_a_drive(drive: CoordinateDrive, message: str) -> None:
    structure, joints = pendulum()
    with pytest.raises(ModelError, match=message):
        in_coordinates(assemble(structure), joints, drives=[drive])


@pytest.mark.slow
def test_an_imposed_table_without_slopes_begins_and_ends_at_rest() -> None:
    """As of a driven bar; a rate that jumped would strike, with work that nobody books."""
    table = SampledSignal((0.2, 0.6, 1.0), (0.0, 0.3, 0.5))
    structure = Structure(
        {"o": (0.0, 0.0, 0.0), "p": (1.0, 0.0, 0.0)},
        cables=[Cable("c", ("o", "p"), rest_length=1.0, stiffness=1.0)],
        point_masses={"p": 2.0},
        supports={"o": "xyz"},
    )
    joint = Joint("j", (1.0, 0.0, 0.0), ("node:p",), slides=((1.0, 0.0, 0.0),))
    plant = in_coordinates(assemble(structure), [joint], drives=[CoordinateDrive("j", "value", table)])
    run = simulate(plant, 1.5, every=0.1, tolerance=1e-10, verify=False)
    assert np.abs(run.velocities[[2, 10], 1, 0]).max() < 1e-9
    assert np.abs(run.energy_violation).max() < 1e-8


# --- units of coordinates

UNITS = pytest.mark.parametrize(
    "unit", [1.0, np.pi / 180.0, 1e-3, 1e-6, 2.0 * np.pi], ids=["rad", "deg", "mrad", "urad", "turn"]
)


def one_node(places: Any, value: float, rate: float) -> GeneralisedPlant:
    """A weight of 1 N that a function of one coordinate places, beside two nodes that nothing moves."""
    nodes = {"o": (0.0, 0.0, 0.0), "e": (1.0, 0.0, 0.0), "a": tuple(places(np.array([value]))[0])}
    held = {"o": "xyz", "e": "xyz"}
    structure = Structure(nodes, [], [Cable("c", ("o", "e"), stiffness=1.0)], held, {"a": 1.0})
    return in_coordinates(assemble(structure, gravity=1.0), CoordinateMap(places, ("q",), (value,), rates=(rate,)))


def on_circle(unit: float, radius: float = 1.0) -> Any:
    def places(q: np.ndarray) -> np.ndarray:
        return radius * np.array([[np.cos(unit * q[0]), np.sin(unit * q[0]), 0.0 * q[0]]])

    return places


@UNITS
@pytest.mark.parametrize(("radius", "angle"), [(1.0, 0.5), (1.0, 1e-3), (1e-3, 0.5), (1.0, 100.0)])
def test_second_derivatives_are_as_good_in_any_unit(unit: float, radius: float, angle: float) -> None:
    """A radian a second on a circle: b points to its middle. After many turns the last digits of the angle are lost."""
    plant = one_node(on_circle(unit, radius), angle / unit, 1.0 / unit)
    plant.terms_at(0.0, plant.positions, plant.velocities)
    bias = plant.tables["generalised"].bias.reshape(-1, 3)[2]
    assert np.abs(bias / radius + [np.cos(angle), np.sin(angle), 0.0]).max() < 1e-13 * max(1.0, angle)


@UNITS
@pytest.mark.parametrize("angle", [0.3, 3e-3, 3e-5])
def test_a_coordinate_may_start_near_its_dead_centre(unit: float, angle: float) -> None:
    """A lift at z = 1 - cos q: how nodes bend, and the linear model, are found by ways that fit q and not by how little
    it moves nodes at first. J = sin q, b = cos q v^2, and at rest a = -1 / sin q under a weight of 1 N."""

    def lifted(q: np.ndarray) -> np.ndarray:
        return np.array([[0.0 * q[0], 0.0 * q[0], 1.0 - np.cos(unit * q[0])]])

    plant = one_node(lifted, angle / unit, 1.0 / unit)
    force = plant.terms_at(0.0, plant.positions, plant.velocities)[2]
    assert force[0] / unit == pytest.approx(-np.sin(angle) * (1.0 + np.cos(angle)), rel=1e-13)
    stiffness = plant.linearised(plant.positions, np.zeros(1), 0.0, "rest_length").stiffness
    assert stiffness[0, 0] / unit**2 == pytest.approx(-np.cos(angle), rel=1e-10)


@UNITS
def test_imaginary_parts_that_are_dropped_are_seen_in_any_unit(unit: float) -> None:
    def dropped(q: np.ndarray) -> np.ndarray:
        return on_circle(unit)(np.asarray(q.real))

    with pytest.raises(ModelError, match='by the coordinate "q" is 0 by a complex step and .* drops imaginary parts'):
        one_node(dropped, 0.5 / unit, 0.0)


@UNITS
def test_rows_that_a_map_meets_are_found_in_any_unit(unit: float) -> None:
    """A bar to the middle of the circle, which the map keeps, and one to a point beside it, which it does not."""
    structure = Structure(
        {"o": (0.0, 0.0, 0.0), "e": (0.5, 0.0, 0.0), "a": (1.0, 0.0, 0.0)},
        [Bar("kept", ("o", "a"), mass=1.0), Bar("changed", ("e", "a"), mass=1.0)],
        supports={"o": "xyz", "e": "xyz"},
    )
    plant = in_coordinates(assemble(structure), CoordinateMap(on_circle(unit), ("q",), (0.0,)))
    assert plant.constraint_names == ('bar "changed"',)


def test_joints_near_an_axis_have_linear_models() -> None:
    """A node 1 mm from the axis of a hinge turns about it by a radian, however little that moves it. Its weight of 1 N
    has the torque r cos q."""
    structure = Structure(
        {"o": (0.0, 0.0, 0.0), "e": (1.0, 0.0, 0.0), "a": (1e-3 * np.cos(0.5), 0.0, -1e-3 * np.sin(0.5))},
        cables=[Cable("c", ("o", "e"), stiffness=1.0)],
        supports={"o": "xyz", "e": "xyz"},
        point_masses={"a": 1.0},
    )
    hinge = Joint.revolute("q", "o", (0.0, 1.0, 0.0), ("a",))
    plant = in_coordinates(assemble(structure, gravity=1.0), [hinge])
    stiffness = plant.linearised(plant.positions, np.zeros(1), 0.0, "rest_length").stiffness
    assert stiffness[0, 0] == pytest.approx(1e-3 * np.sin(0.5), rel=1e-10)
