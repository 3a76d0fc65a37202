"""Generalised coordinates: nodes that follow joints, against the same machines in nodes, and against other roads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from spatial_mechanism import LEGS, imposed, in_joints, in_nodes

from taut import (
    Bar,
    Cable,
    Compliance,
    Ground,
    Load,
    ModelError,
    Motion,
    OptionError,
    Plane,
    Sinusoid,
    Structure,
    Trajectory,
    assemble,
    generators,
    linearise,
    simulate,
)
from taut.mechanisms import GeneralisedPlant, Joint, in_coordinates

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
DATA = Path(__file__).parent.parent / "data"


def pendulum() -> tuple[Structure, list[Joint]]:
    """Two bars that hang on one another askew, and a cable between their ends; the first on a universal joint, the
    second on another."""
    structure = Structure(
        {"o": (0.0, 0.0, 0.0), "a": (0.6, 0.1, -0.5), "b": (0.8, 0.7, -1.0), "far": (1.5, 0.0, -0.5)},
        [Bar("oa", ("o", "a"), mass=1.0), Bar("ab", ("a", "b"), mass=0.7)],
        [Cable("spring", ("b", "far"), stiffness=30.0, rest_length=0.8, damping=0.2)],
        supports={"o": "xyz", "far": "xyz"},
        point_masses={"b": 0.4},
    )
    joints = [
        Joint.universal("knee", "a", (Y, X), ("b",), on="hip"),
        Joint.universal("hip", "o", (X, Y), ("a",), values=(0.3, -0.2)),
    ]
    return structure, joints


def moved(plant: Any, duration: float, **options: Any) -> Trajectory:
    return simulate(
        plant, duration, every=duration / 20, **{"method": "dp8", "tolerance": 1e-12, "verify": False, **options}
    )


# --- the map


def chain(q: np.ndarray) -> np.ndarray:
    """Where a node is that four kinds of joints carry one after the other, by rotations of scipy: nothing of taut."""
    points = np.array([[0.0, 0.0, 0.1], [0.2, 0.0, 0.3], [0.3, 0.1, 0.2], [0.1, 0.3, 0.4], [0.3, 0.4, 0.5]])
    axes = (
        [(False, (1.0, 2.0, 0.5))],
        [(True, (0.0, 1.0, 1.0))],
        [(False, X), (False, Y)],
        [(True, X), (True, Y), (False, Z)],
    )
    turn, place, before, k = Rotation.identity(), np.zeros(3), np.zeros(3), 0
    for point, steps in zip(points, axes, strict=False):
        place, before = place + turn.apply(point - before), point
        for slides, axis in steps:
            unit = np.array(axis) / np.linalg.norm(axis)
            if slides:
                place = place + turn.apply(q[k] * unit)
            else:
                turn = turn * Rotation.from_rotvec(q[k] * unit)
            k += 1
    return np.asarray(place + turn.apply(points[-1] - before))


def robot() -> GeneralisedPlant:
    """A point mass at the end of that chain, and one on every joint so that nothing moves without inertia."""
    nodes = {
        "n1": (0.5, 0.3, 0.1),
        "n2": (0.6, 0.2, 0.5),
        "n3": (0.1, 0.9, 0.3),
        "n4": (0.9, 0.5, 0.9),
        "tool": (0.3, 0.4, 0.5),
    }
    structure = Structure(nodes, point_masses=dict.fromkeys(nodes, 1.0))
    joints = [
        Joint.revolute("r", (0.0, 0.0, 0.1), (1.0, 2.0, 0.5), ("n1",)),
        Joint.prismatic("p", (0.2, 0.0, 0.3), (0.0, 1.0, 1.0), ("n2",), on="r"),
        Joint.universal("u", (0.3, 0.1, 0.2), (X, Y), ("n3",), on="p"),
        Joint("last", (0.1, 0.3, 0.4), ("n4", "tool"), (Z,), (X, Y), on="u"),
    ]
    return in_coordinates(assemble(structure), joints)


@pytest.mark.slow
def test_nodes_are_where_joints_take_them() -> None:
    plant, draw = robot(), np.random.default_rng(3)
    assert plant.names == ("r", "p", "u.1", "u.2", "last.1", "last.2", "last.3")
    for _ in range(20):
        q, v = draw.normal(size=(2, 7))
        y = np.concatenate([q, v, [0.0]])
        seen = plant.observed(plant.own_tables(metric="mass", gains=(0.0, 0.0)), np.zeros(1), y[None])
        assert seen["nodes"][0, 4] == pytest.approx(chain(q), abs=1e-14)
        step = 1e-6
        speed = (chain(q + step * v) - chain(q - step * v)) / (2 * step)
        assert seen["velocities"][0, 4] == pytest.approx(speed, abs=1e-8)


@pytest.mark.slow
def test_mass_and_velocity_terms_are_those_of_lagrange() -> None:
    """d/dt dT/dv - dT/dq of the chain's kinetic energy, by differences of scipy's rotations."""
    plant, draw = robot(), np.random.default_rng(4)
    q, v = draw.normal(size=(2, 7))
    mass, _, force, _ = plant.terms_at(0.0, q, v)
    pack = plant.own_tables(metric="mass", gains=(0.0, 0.0))

    def nodes(x: np.ndarray) -> np.ndarray:
        seen = plant.observed(pack, np.zeros(1), np.concatenate([x, np.zeros(8)])[None])
        return np.asarray(seen["nodes"][0].ravel())

    step = 1e-4
    columns = np.array([(nodes(q + step * way) - nodes(q - step * way)) / (2 * step) for way in np.eye(7)])
    assert mass == pytest.approx(columns @ columns.T, abs=1e-6)
    bent = (nodes(q + step * v) - 2.0 * nodes(q) + nodes(q - step * v)) / step**2
    assert force == pytest.approx(-columns @ bent, abs=1e-5)


# --- the same machine in nodes and in joints


@pytest.mark.parametrize("correction", ["constraints", "energy"])
def test_a_double_pendulum_moves_as_its_nodes_do(correction: str) -> None:
    structure, joints = pendulum()
    loads = [Load("a", "y", Sinusoid(2.0, 1.5))]
    nodal = moved(assemble(structure, gravity=9.81, loads=loads), 1.0, correction=correction)
    plant = in_coordinates(assemble(structure, gravity=9.81, loads=loads), joints)
    assert plant.names == ("hip.1", "hip.2", "knee.1", "knee.2")
    assert plant.rows == 0  # joints keep both bars
    run = moved(plant, 1.0, correction=correction)
    assert run.ok
    assert np.abs(run.nodes - nodal.nodes).max() < 1e-10
    assert np.abs(run.velocities - nodal.velocities).max() < 1e-9
    assert run.cable_tension == pytest.approx(nodal.cable_tension, abs=1e-9)
    assert run.work == pytest.approx(nodal.work, abs=1e-10)
    assert np.abs(run.energy_violation).max() < 1e-10
    assert run.coordinate[0] == pytest.approx([0.3, -0.2, 0.0, 0.0])
    assert np.isnan(run.bar_force).all(), "what keeps these bars is not known in these coordinates"


def test_loops_are_closed_by_what_joints_do_not_meet() -> None:
    """The same, with the second bar left to its row: its end has coordinates of its own."""
    structure, joints = pendulum()
    plant = in_coordinates(assemble(structure, gravity=9.81), joints[1:])
    assert plant.names == ("hip.1", "hip.2", "b.x", "b.y", "b.z")
    assert plant.constraint_names == ('bar "ab"',)
    run, nodal = moved(plant, 1.0), moved(assemble(structure, gravity=9.81), 1.0)
    assert np.abs(run.nodes - nodal.nodes).max() < 1e-10
    assert run.bar_force[:, 1] == pytest.approx(nodal.bar_force[:, 1], abs=1e-8)
    assert run.length_violation.max() < 1e-13


@pytest.mark.slow
def test_the_tbar_turns_as_its_nodes_move() -> None:
    """Two hinges, four springs: against the nodal plant, and the reference that neither knows."""
    structure = generators.tbar()
    freed = Structure(
        structure.nodes, structure.bars.values(), structure.cables.values(), supports={"n1": "xyz", "n2": "xyz"}
    )
    plant = in_coordinates(
        assemble(freed), [Joint.revolute("left", "n1", Y, ("n3",)), Joint.revolute("right", "n2", Y, ("n4",))]
    )
    run, nodal = moved(plant, 10.0), moved(assemble(structure), 10.0)
    assert np.abs(run.nodes - nodal.nodes).max() < 1e-10


@pytest.mark.slow
def test_six_struts_fly_as_their_nodes_do() -> None:
    """Thirty coordinates, five of each strut: nothing turns about its own axis."""
    made = generators.icosahedron(1.0, stiffness=100.0, rest_ratio=0.8)
    draw = np.random.default_rng(1)
    speeds = {node: tuple(map(float, 0.3 * draw.normal(size=3))) for node in made.nodes}
    nodal = moved(assemble(made, velocities=speeds), 1.0)
    joints, start = [], nodal.velocities[0]
    index = {name: k for k, name in enumerate(made.nodes)}
    for bar in made.bars.values():
        i, j = (index[node] for node in bar.nodes)
        a, b = made.positions[[i, j]]
        along = (b - a) / np.linalg.norm(b - a)
        first = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
        first /= np.linalg.norm(first)
        second = np.cross(along, first)
        middle = tuple(map(float, 0.5 * (a + b)))
        speed = 0.5 * (start[i] + start[j])
        spin = np.cross(along, start[j] - start[i]) / np.linalg.norm(b - a)
        axes = tuple(map(float, first)), tuple(map(float, second))
        rates = tuple(map(float, [*speed, spin @ first, spin @ second]))
        joints.append(Joint(bar.name, middle, bar.nodes, axes, (X, Y, Z), rates=rates))
    plant = in_coordinates(assemble(made), joints)
    assert plant.coordinates == 30
    assert plant.rows == 0
    run = moved(plant, 1.0)
    assert np.abs(run.nodes - nodal.nodes).max() < 1e-10


@pytest.mark.slow
def test_a_pendulum_strikes_a_ground_that_gives_way_as_its_nodes_do() -> None:
    """Bristles have states with rates of their own; contacts are located in both."""
    structure, joints = pendulum()
    floor = [Ground("floor", Plane(point=(0.0, 0.0, -1.1)), friction=0.5, compliance=Compliance(2000.0, 20.0))]
    nodal = moved(assemble(structure, gravity=9.81, ground=floor), 1.0)
    plant = in_coordinates(assemble(structure, gravity=9.81, ground=floor), joints)
    run = moved(plant, 1.0)
    assert np.abs(nodal.contact_force).max() > 5.0
    assert np.abs(run.nodes - nodal.nodes).max() < 1e-12
    assert np.abs(run.contact_force - nodal.contact_force).max() < 1e-9
    assert [event.time for event in run.events] == pytest.approx([event.time for event in nodal.events], abs=1e-10)
    assert np.abs(run.energy_violation).max() < 1e-11
    with pytest.raises(OptionError, match='the ground "floor" has no linear model in coordinates of joints, nor'):
        linearise(plant)


# --- the mechanism


@pytest.mark.slow  # minutes of compiling
def test_the_mechanism_moves_as_the_reference_says_in_joints() -> None:
    """10 s of imposed motion: 1e-11 m and 1e-9 of the torque were asked."""
    wanted = np.load(DATA / "mechanism_imposed.npz")
    structure, joints = in_joints()
    plant = in_coordinates(assemble(structure, drives=imposed()), joints)
    assert plant.constraint_names == (
        *('cable "C1C2"', 'cable "C2C3"', 'cable "C3C1"'),
        *(f'angle "theta{leg}"' for leg in LEGS),
    )
    assert plant.coordinates - plant.rows == 6  # the paper's unconstrained freedoms
    run = simulate(plant, 10.0, every=0.01, method="dp8", tolerance=1e-12, verify=False)
    nodes = list(structure.nodes)
    platform = run.nodes[:, [nodes.index(f"C{leg}") for leg in LEGS]].mean(axis=1)
    assert np.abs(platform - wanted["x"]).max() < 1e-12
    assert np.abs(run.angle_torque / wanted["tau"] - 1.0).max() < 1e-12
    assert run.coordinate[:, :3] == pytest.approx(wanted["q"][:, :3], abs=1e-12)
    assert run.cable_tension[:, -3:] == pytest.approx(-2.0 * wanted["lam"] * np.sqrt(0.5), abs=1e-8)
    assert run.length_violation.max() < 2e-14
    assert np.abs(run.energy_violation).max() < 1e-9


@pytest.mark.slow
def test_the_mechanism_moves_as_the_reference_says_in_nodes() -> None:
    wanted = np.load(DATA / "mechanism_imposed.npz")
    structure = in_nodes()
    run = simulate(assemble(structure, drives=imposed()), 10.0, every=0.01, method="dp8", tolerance=1e-12, verify=False)
    nodes = list(structure.nodes)
    platform = run.nodes[:, [nodes.index(f"C{leg}") for leg in LEGS]].mean(axis=1)
    assert np.abs(platform - wanted["x"]).max() < 1e-12
    assert np.abs(run.angle_torque[:, :3] / wanted["tau"] - 1.0).max() < 1e-12


@pytest.mark.slow
def test_a_linear_model_rings_as_the_paper_page_says() -> None:
    """At psi_0 of the mechanism with locked actuators the model in joints has the poles of the one in nodes."""
    structure, joints = in_joints()
    poles = np.linalg.eigvals(linearise(in_coordinates(assemble(structure), joints)).A)
    nodal = np.linalg.eigvals(linearise(assemble(in_nodes())).A)
    one, other = (np.sort_complex(np.round(found, 6)) for found in (poles, nodal))
    assert one == pytest.approx(other, abs=1e-5)


# --- what is refused


def test_axes_that_come_to_lie_along_a_bar_are_told() -> None:
    """Turned about x and then y, a bar that comes to lie along y cannot be turned about it: its mass matrix is singular
    there, though the motion is not."""
    structure, (_, hip) = pendulum()
    joints = [Joint.universal("knee", "a", (X, Y), ("b",), on="hip"), hip]
    run = moved(in_coordinates(assemble(structure, gravity=9.81), joints), 1.0)
    assert not run.finished
    assert 'axes of a joint, of "knee", "hip", come to lie along what they turn' in run.status


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        (Joint("j", "o"), "joints.j: neither turns nor slides; give it an axis"),
        (Joint.revolute("j", "q", X), 'joints.j.at: no node "q"'),
        (Joint.revolute("j", "o", (0.0, 0.0, 0.0)), "joints.j.turns: .* has an axis without a direction"),
        (Joint.revolute("j", "o", X, ("far",)), 'joints.j.carries: node "far" is held by a support'),
        (Joint.revolute("j", "o", X, ("z",)), "joints.j.carries: .*z"),
        (Joint.revolute("j", "o", X, ("a",), on="k"), 'joints.j.on: no joint "k"'),
        (Joint.revolute("j", "o", X, ("a",), on="j"), "joints.j.on: rests on itself by way of j"),
        (Joint("j", "o", ("a",), (X, X)), "joints.j.turns: has two axes along one line"),
        (Joint("j", "o", ("a",), (X,), values=(1.0, 2.0)), "joints.j.values: has 2 numbers for 1 axes"),
        (Joint.revolute("j", "a", (0.6, 0.1, -0.5), ("a",)), 'the coordinate "j" can change without moving any mass'),
    ],
)
def test_what_is_wrong_with_a_joint(joint: Joint, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        in_coordinates(assemble(pendulum()[0]), [joint])


def test_what_does_not_go_with_joints_says_so() -> None:
    structure, joints = pendulum()
    with pytest.raises(OptionError, match='do not go with supports that move, and node "far" is moved; drive a bar'):
        in_coordinates(assemble(structure, motions=[Motion("far", "x", Sinusoid(0.1, 1.0))]), joints)
    with pytest.raises(OptionError, match="do not go with loads or drives that are Python functions; give signals"):
        in_coordinates(assemble(structure, loads=[Load("a", "x", lambda t: 1.0)]), joints)
    plant = in_coordinates(assemble(structure), joints)
    with pytest.raises(OptionError, match='method "rattle2" needs a mass matrix that does not change'):
        simulate(plant, 1.0, method="rattle2", step=1e-3)
    with pytest.raises(OptionError, match='method "energy-momentum" needs a structure with nodes, bars and cables'):
        simulate(plant, 1.0, method="energy-momentum", step=1e-3)
