"""Machines of several bars in nodal form against the same machines in angles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from minimal_models import DoublePendulum, FourBar, OneAngle, Rod, compass, followed, spherical_pendulum, turned

from taut import Bar, Cable, Structure, Trajectory, assemble, simulate
from taut.generators import dbar

GRAVITY = 9.81


def bar(name: str, ends: tuple[str, str], rod: Rod) -> Bar:
    return Bar(name, ends, mass=rod.mass, radius=rod.radius or None, inertia="cylinder" if rod.radius else "thin")


def in_plane(point: np.ndarray) -> tuple[float, float, float]:
    return float(point[0]), 0.0, float(point[1])


def paths(run: Trajectory, *nodes: str) -> np.ndarray:
    """x and z of the nodes, a row a sample."""
    return np.concatenate([run.node(node)[:, ::2] for node in nodes], axis=1)


def assert_healthy(run: Trajectory) -> None:
    assert run.ok
    assert run.length_violation.max() <= 1e-13
    assert np.ptp(run.nodes, axis=0).max() > 0.3, "a machine that does not move is no test"


@pytest.mark.parametrize("radius", [0.0, 0.2], ids=["thin", "cylinder"])
@pytest.mark.parametrize("tip_mass", [0.0, 1.5])
def test_two_bars_that_share_a_node_move_as_a_double_pendulum(radius: float, tip_mass: float) -> None:
    upper, lower = Rod(2.0, 1.0, radius), Rod(1.2, 0.7, radius / 2.0)
    model = DoublePendulum(upper, lower, tip_mass, GRAVITY)
    start = [1.0, -0.4, 0.5, 1.0]
    elbow, tip = model.nodes(np.array(start)).reshape(2, 2)
    # Velocities of the nodes: a downward rod at angle t moves along (cos t, sin t).
    first = 1.0 * start[2] * compass(start[0])
    second = first + 0.7 * start[3] * compass(start[1])
    structure = Structure(
        {"top": (0, 0, 0), "elbow": in_plane(elbow), "tip": in_plane(tip)},
        [bar("upper", ("top", "elbow"), upper), bar("lower", ("tip", "elbow"), lower)],
        supports={"top": "xyz", "elbow": "y", "tip": "y"},
        point_masses={"tip": tip_mass} if tip_mass else {},
    )
    velocities = {"elbow": in_plane(first), "tip": in_plane(second)}
    run = simulate(assemble(structure, gravity=GRAVITY, velocities=velocities), 3.0, every=0.1, tolerance=1e-11)
    assert_healthy(run)
    states = followed(model.rate, start, run.time)
    assert np.abs(paths(run, "elbow", "tip") - [model.nodes(state) for state in states]).max() <= 1e-9


def four_bar() -> tuple[FourBar, Structure]:
    model = FourBar(
        Rod(1.0, 0.5), Rod(2.0, 1.8, 0.1), Rod(1.5, 1.2), ground=2.0, gravity=GRAVITY, stiffness=30.0, rest=1.0
    )
    end, joint = model.nodes(0.6).reshape(2, 2)
    structure = Structure(
        {"a": (0, 0, 0), "b": in_plane(end), "c": in_plane(joint), "d": (2.0, 0, 0)},
        [
            bar("crank", ("a", "b"), model.crank),
            bar("coupler", ("b", "c"), model.coupler),
            bar("rocker", ("d", "c"), model.rocker),
        ],
        [Cable("spring", ("b", "d"), stiffness=30.0, rest_length=1.0, law="spring")],
        supports={"a": "xyz", "d": "xyz", "b": "y", "c": "y"},
    )
    return model, structure


def test_three_bars_between_pivots_move_as_a_four_bar_linkage() -> None:
    model, structure = four_bar()
    speed, tiny = 16.0, 1e-30
    coupler, rocker = model.angles(0.6 + tiny * 1j)
    end = 0.5 * speed * turned(0.6)
    joint = end + 1.8 * speed * coupler.imag / tiny * turned(coupler.real)
    assert np.allclose(joint, 1.2 * speed * rocker.imag / tiny * turned(rocker.real)), "the loop closes in speeds too"
    plant = assemble(structure, gravity=GRAVITY, velocities={"b": in_plane(end), "c": in_plane(joint)})
    run = simulate(plant, 2.0, every=0.05, tolerance=1e-11)
    assert_healthy(run)
    states = followed(OneAngle(model.inertia, model.potential).rate, [0.6, speed], run.time)
    assert states[-1, 0] - states[0, 0] > 2.0 * math.pi, "the crank goes all the way round"
    assert np.abs(paths(run, "b", "c") - [model.nodes(crank) for crank in states[:, 0]]).max() <= 1e-9


def test_start_velocities_that_fit_no_linkage_are_brought_onto_it_and_said_so() -> None:
    model, structure = four_bar()
    run = simulate(assemble(structure, velocities={"b": in_plane(turned(0.6))}), 0.1)
    assert run.rate_violation.max() <= 1e-13
    assert any("velocities did not fit" in note for note in run.notes)
    # The shortest change by mass keeps the generalised momentum of the one motion there is.
    tangent = _node_rates(model, 0.6)
    rotary = model.coupler.about_middle / model.coupler.length**2
    own, mixed = model.coupler.mass / 4.0 + rotary, model.coupler.mass / 4.0 - rotary
    ends = np.array([[model.crank.mass / 3.0 + own, mixed], [mixed, model.rocker.mass / 3.0 + own]])
    inertia = np.kron(ends, np.eye(2))
    given = np.concatenate([turned(0.6), np.zeros(2)])
    rate = tangent @ inertia @ given / (tangent @ inertia @ tangent)
    got = np.concatenate([run.velocities[0, 1, ::2], run.velocities[0, 2, ::2]])
    assert np.abs(got - rate * tangent).max() <= 1e-12


def _node_rates(model: FourBar, crank: float) -> np.ndarray:
    """d(b, c)/d(crank)."""
    tiny = 1e-30
    coupler, _ = model.angles(crank + tiny * 1j)
    end = 0.5 * turned(crank)
    return np.concatenate([end, end + 1.8 * coupler.imag / tiny * turned(coupler.real)])


@pytest.mark.parametrize("end_mass", [0.0, 3.0])
def test_the_rhombus_of_the_dbar_has_one_angle(end_mass: float) -> None:
    length, stiffness, start = 1.0, 400.0, math.pi / 4.0
    structure = dbar(
        length, angle=start, end_mass=end_mass, stiffness=stiffness, along_rest_ratio=0.5, across_rest_ratio=0.6
    ).changed("bar:*", inertia="cylinder", radius=0.05, mass=2.0)
    rod = Rod(2.0, length, 0.05)
    along_rest, across_rest = (ratio * 2.0 * length * math.cos(start) for ratio in (0.5, 0.6))

    def inertia(angle: complex) -> complex:
        swing = rod.about_end + rod.about_middle  # a bar on the pivot and one beyond it, about its own middle
        middle = rod.mass * length**2 * (2.25 * np.sin(angle) ** 2 + 0.25 * np.cos(angle) ** 2)
        return 2.0 * (swing + middle) + end_mass * (2.0 * length * np.sin(angle)) ** 2

    def potential(angle: complex) -> complex:
        stretches = 2.0 * length * np.cos(angle) - along_rest, 2.0 * length * np.sin(angle) - across_rest
        # Gravity along x: the four middles at half, half, one and a half times l cos(angle), and the end at twice.
        weight = (4.0 * rod.mass + 2.0 * end_mass) * length * np.cos(angle)
        return 0.5 * stiffness * (stretches[0] ** 2 + stretches[1] ** 2) - 5.0 * weight

    run = simulate(assemble(structure, gravity=(5.0, 0.0, -GRAVITY)), 2.0, every=0.05, tolerance=1e-11)
    assert run.ok
    assert min(run.tension("along").min(), run.tension("across").min()) > 0.0, "the closed form has no slack cables"
    angle = followed(OneAngle(inertia, potential).rate, [start, 0.0], run.time)[:, 0]
    assert np.ptp(angle) > 0.05
    expected = length * np.column_stack(
        [np.cos(angle), np.sin(angle), 2.0 * np.cos(angle), 0.0 * angle, np.cos(angle), -np.sin(angle)]
    )
    assert np.abs(paths(run, "n2", "n3", "n4") - expected).max() <= 1e-9


@pytest.mark.parametrize("radius", [0.0, 0.3], ids=["thin", "cylinder"])
def test_a_bar_on_a_fixed_node_is_a_spherical_pendulum(radius: float) -> None:
    rod = Rod(3.0, 1.3, radius)
    tilt, turn = 0.9, 2.5
    place = 1.3 * np.array([math.sin(tilt), 0.0, -math.cos(tilt)])
    speed = np.array([0.0, 1.3 * math.sin(tilt) * turn, 0.0])
    structure = Structure(
        {"pivot": (0, 0, 0), "bob": tuple(place)}, [bar("rod", ("bob", "pivot"), rod)], supports={"pivot": "xyz"}
    )
    plant = assemble(structure, gravity=GRAVITY, velocities={"bob": tuple(speed)})
    run = simulate(plant, 4.0, every=0.1, tolerance=1e-11)
    assert_healthy(run)
    states = followed(spherical_pendulum(rod, GRAVITY), [tilt, 0.0, 0.0, turn], run.time)
    around = np.sin(states[:, 0])
    expected = 1.3 * np.column_stack(
        [around * np.cos(states[:, 1]), around * np.sin(states[:, 1]), -np.cos(states[:, 0])]
    )
    assert np.abs(run.node("bob") - expected).max() <= 1e-9
    spin = np.cross(run.node("bob"), run.velocities[:, 1])[:, 2]
    assert np.ptp(spin) <= 1e-9, "nothing turns it about the vertical"


def test_a_pendulum_pulls_on_its_pivot_as_the_textbook_says() -> None:
    # A thin rod let go from level, at angle a below it: m g (1 + 9 sin^2 a) / 4 up and 9/8 m g sin 2a inwards.
    structure = Structure(
        {"pivot": (0, 0, 0), "end": (2.0, 0, 0)}, [Bar("rod", ("pivot", "end"), mass=6.0)], supports={"pivot": "xyz"}
    )
    run = simulate(assemble(structure, gravity=GRAVITY), 1.5, every=0.05, tolerance=1e-11)
    below = np.arctan2(-run.node("end")[:, 2], run.node("end")[:, 0])
    weight = 6.0 * GRAVITY
    expected = weight * np.column_stack(
        [-1.125 * np.sin(2.0 * below), 0.0 * below, 0.25 * (1.0 + 9.0 * np.sin(below) ** 2)]
    )
    assert np.abs(run.reaction[:, 0] - expected).max() <= 1e-7
