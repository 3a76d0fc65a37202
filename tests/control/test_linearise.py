"""Linear models against closed forms: pendulums, springs, redundant bars, other coordinates."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from taut import (
    Bar,
    Cable,
    Damping,
    Feedback,
    LagrangianPlant,
    Load,
    OptionError,
    Structure,
    assemble,
    linearise,
)
from taut.mechanics.operations.redundancy import jacobian_matrix


def test_the_basis_is_that_of_the_undamped_modes() -> None:
    import taut

    balanced = taut.balance(taut.generators.tower(2).supported("bottom*"), gravity=9.81)
    model, modes = linearise(balanced), taut.modes(balanced, count=5)
    half = len(model.states) // 2
    assert model.states[0] == "mode 1"
    assert model.states[half] == "mode 1 rate"
    stiffness = -model.A[half:, :half]
    np.testing.assert_allclose(stiffness, np.diag(np.diag(stiffness)), atol=1e-9 * np.abs(stiffness).max())
    np.testing.assert_allclose(np.sqrt(np.diag(stiffness)[:5]) / (2.0 * math.pi), modes.frequency, rtol=1e-8)
    assert model.notes == ()


# --- closed forms


def pendulum(
    angle: float, speed: float, inertia: str = "lumped"
) -> tuple[Structure, dict[str, tuple[float, float, float]]]:
    """A mass of 3 kg on a bar of 2 m, hanging from the origin: half of a lumped bar's mass is at its lower end."""
    place = (2.0 * math.sin(angle), 0.0, -2.0 * math.cos(angle))
    structure = Structure(
        {"hook": (0.0, 0.0, 0.0), "bob": place},
        [Bar("rod", ("hook", "bob"), mass=6.0, radius=0.8, inertia=inertia)],
        supports={"hook": "xyz", "bob": "y"},
    )
    return structure, {"bob": (2.0 * speed * math.cos(angle), 0.0, 2.0 * speed * math.sin(angle))}


@pytest.mark.parametrize("inertia", ["lumped", "thin", "cylinder"])
@pytest.mark.parametrize(("angle", "speed"), [(0.0, 0.0), (0.4, 0.0), (0.4, 1.3)])
def test_a_pendulum_whose_length_is_driven(angle: float, speed: float, inertia: str) -> None:
    # m (l a'' + 2 l' a') = -W g sin a, tension = n (l a'^2 - l'') + W g cos a, where of the bar's mass W weighs at the
    # bob, n resists along the bar and m across it: thickness resists turning only. In the model z = sqrt(m) * (the way
    # along the tangent) = sqrt(m) l sin(a - angle), so z' and z'' about the state follow from the chain rule. A
    # cylinder keeps its length: its thickness would change with it.
    driven = inertia != "cylinder"
    g, length, weighs, along = 9.81, 2.0, 3.0, 3.0 if inertia == "lumped" else 2.0
    m = along + (6.0 * 0.8**2 / (4.0 * length**2) if inertia == "cylinder" else 0.0)
    structure, speeds = pendulum(angle, speed, inertia)
    model = linearise(
        assemble(structure, gravity=g, velocities=speeds),
        inputs=[*(["bar:rod.length_acceleration"] if driven else []), "node:bob.x"],
        outputs=["bar:rod.tension", "bar:rod.length"],
    )
    shown = 4 if driven else 2
    assert model.states == ("mode 1", "mode 1 rate", "bar:rod.length", "bar:rod.length_rate")[:shown]
    turn = math.copysign(1.0, model.reading[0, 3] * math.cos(angle))
    root = turn * math.sqrt(m)

    def state(a: float, a1: float, s: float, s1: float) -> np.ndarray:
        d, reach = a - angle, length + s
        z = root * reach * np.sin(d)
        z1 = root * (s1 * np.sin(d) + reach * np.cos(d) * a1)
        return np.array([z, z1 - root * length * speed, s, s1])

    def moved(a: float, a1: float, s: float, s1: float, s2: float, f: float) -> tuple[np.ndarray, np.ndarray]:
        d, reach = a - angle, length + s
        a2 = ((f * np.cos(a) - weighs * g * np.sin(a)) / m - 2.0 * s1 * a1) / reach
        z2 = root * (s2 * np.sin(d) + 2.0 * s1 * np.cos(d) * a1 + reach * (np.cos(d) * a2 - np.sin(d) * a1**2))
        tension = along * (reach * a1**2 - s2) + weighs * g * np.cos(a) + f * np.sin(a)
        return np.array([state(a, a1, s, s1)[1] + root * length * speed, z2, s1, s2]), np.array([tension, reach])

    about, tiny = np.array([angle, speed, 0.0, 0.0, 0.0, 0.0]), 1e-30
    for way in np.eye(6)[slice(None) if driven else [0, 1, 5]]:
        there = about + 1j * tiny * way
        x, u = np.imag([*_complex(state, there[:4])])[:shown] / tiny, way[4 if driven else 5 :]
        rate, seen = (np.imag(part) / tiny for part in moved(*there))
        np.testing.assert_allclose(model.A @ x + model.B @ u, rate[:shown], atol=1e-12)
        np.testing.assert_allclose(model.C @ x + model.D @ u, seen, atol=1e-11)
    np.testing.assert_allclose(model.drift, moved(*about)[0][:shown], atol=1e-12)
    np.testing.assert_allclose(model.offset, moved(*about)[1], atol=1e-12)


def test_the_length_of_a_rigid_cylinder_is_no_input() -> None:
    """As it is no drive's: the model would have to let its radius grow with its length."""
    structure, _ = pendulum(0.4, 0.0, "cylinder")
    message = r'"bar:rod.length_acceleration": bar "rod" is a cylinder, whose thickness would change as it telescopes'
    with pytest.raises(OptionError, match=message):
        linearise(assemble(structure, gravity=9.81), inputs="bar:rod.length_acceleration")


def _complex(state, numbers: np.ndarray) -> np.ndarray:
    return state(*numbers)


def pole_coordinates(t: np.ndarray) -> LagrangianPlant:
    """The same pendulum in its angle."""
    return LagrangianPlant(
        ("angle",), lambda q: np.array([[12.0]]), lambda q: -3.0 * 9.81 * 2.0 * np.cos(q[0]), t[:1], t[1:]
    )


def test_the_same_machine_in_other_coordinates_has_the_same_model() -> None:
    structure, speeds = pendulum(0.0, 0.0)
    nodal_model = linearise(assemble(structure, gravity=9.81, velocities=speeds))
    own = linearise(pole_coordinates(np.zeros(2)), inputs="angle", outputs=["angle", "angle.velocity"])
    np.testing.assert_allclose(own.poles, nodal_model.poles, atol=1e-12)
    np.testing.assert_allclose(np.abs(own.poles), math.sqrt(9.81 / 2.0))
    assert own.outputs == ("coordinate:angle.position", "coordinate:angle.velocity")


def test_polar_and_cartesian_coordinates_with_a_constraint_agree_while_moving() -> None:
    # x, y on a circle of 2 m as a constraint, against the nodal bar: same state, same matrices, up to sign.
    structure, speeds = pendulum(0.4, 1.3)
    nodal_model = linearise(assemble(structure, gravity=9.81, velocities=speeds))
    bob = structure.positions[1][[0, 2]]
    plant = LagrangianPlant(
        ("x", "z"),
        lambda q: 3.0 * np.eye(2),
        lambda q: 3.0 * 9.81 * q[1],
        bob,
        np.array(speeds["bob"])[[0, 2]],
        residual=lambda q: np.array([(q @ q - 4.0) / 4.0]),
        jacobian=lambda q: np.array([q / 2.0]),
        size=2.0,
    )
    own = linearise(plant)
    np.testing.assert_allclose(own.A, nodal_model.A, atol=1e-10)
    np.testing.assert_allclose(own.C @ own.B, nodal_model.C @ nodal_model.B, atol=1e-12)
    np.testing.assert_allclose(own.drift[1] ** 2, nodal_model.drift[1] ** 2, atol=1e-9)


def test_loads_that_answer_to_the_motion_are_part_of_the_model() -> None:
    structure, _ = pendulum(0.0, 0.0)
    spring = Feedback(lambda t, nodes, velocities: -30.0 * nodes[1, 0] - 6.0 * velocities[1, 0])
    model = linearise(assemble(structure, gravity=9.81, loads=[Load("bob", "x", spring)]))
    omega2, twice = 9.81 / 2.0 + 30.0 / 3.0, 6.0 / 3.0
    np.testing.assert_allclose(model.A, [[0.0, 1.0], [-omega2, -twice]], atol=1e-9)


def test_damping_of_nodes_and_masses_and_cables() -> None:
    # A bob of 2 kg between two springs along x, k = 50 each, stretched from 0.8 m to 1 m; c = 3 in the one.
    structure = Structure(
        {"a": (-1.0, 0.0, 0.0), "b": (0.0, 0.0, 0.0), "c": (1.0, 0.0, 0.0)},
        cables=[
            Cable("left", ("a", "b"), rest_length=0.8, stiffness=50.0, damping=3.0),
            Cable("right", ("b", "c"), rest_length=0.8, stiffness=50.0),
        ],
        point_masses={"b": 2.0},
        supports={"a": "xyz", "c": "xyz"},
    )
    model = linearise(
        assemble(structure, damping=Damping(node=0.5, mass=0.25)), inputs="node:b.x", outputs=["node:b.x", "cable:*"]
    )
    across = 2.0 * 50.0 * 0.2 / 1.0 / 2.0
    np.testing.assert_allclose(np.diag(-model.A[3:, :3]), [across, across, 50.0], rtol=1e-12)
    np.testing.assert_allclose(np.diag(-model.A[3:, 3:]), [0.5, 0.5, 0.5 + 1.5], rtol=1e-12)
    gain = model.C @ np.linalg.solve(-model.A, model.B)
    np.testing.assert_allclose(gain.ravel(), [0.01, 0.5, -0.5], rtol=1e-12)
    np.testing.assert_allclose(model.offset, [0.0, 10.0, 10.0])


def test_slack_cables_and_those_at_their_rest_length() -> None:
    structure = Structure(
        {"a": (-1.0, 0.0, 0.0), "b": (0.0, 0.0, 0.0), "c": (1.0, 0.0, 0.0)},
        cables=[
            Cable("slack", ("a", "b"), rest_length=1.2, stiffness=50.0, damping=3.0),
            Cable("edge", ("b", "c"), rest_length=1.0, stiffness=50.0),
        ],
        point_masses={"b": 2.0},
        supports={"a": "xyz", "c": "xyz"},
    )
    model = linearise(assemble(structure), inputs=["node:b", "cable:slack.rest_length"], outputs="cable:*.tension")
    assert model.notes == (
        'at the very rest length, between slack and taut, and counted as taut: "edge"',
        'slack, so their inputs do nothing: "slack"',
    )
    np.testing.assert_allclose(np.diag(-model.A[3:, :3]), [0.0, 0.0, 25.0], atol=1e-15)
    assert not model.A[3:, 3:].any()
    assert not model.B[:, 3].any()
    assert not model.C[0].any()


def test_force_densities_as_inputs_passive_or_held() -> None:
    # Held, a cable pulls with force density times span whatever its length: it acts like a spring without rest length.
    structure = Structure(
        {"a": (-1.0, 0.0, 0.0), "b": (0.0, 0.0, 0.0), "c": (1.5, 0.0, 0.0)},
        cables=[
            Cable("left", ("a", "b"), rest_length=0.7, stiffness=50.0),
            Cable("right", ("b", "c"), rest_length=1.2, stiffness=50.0),
        ],
        point_masses={"b": 2.0},
        supports={"a": "xyz", "b": "yz", "c": "xyz"},
    )
    plant, names = assemble(structure), ["cable:left.force_density", "cable:right.force_density"]
    passive = linearise(plant, inputs=names, outputs="cable:*.tension")
    held = linearise(plant, inputs=names, outputs="cable:*.tension", held="force_density")
    np.testing.assert_allclose(passive.A[1, 0], -(50.0 + 50.0) / 2.0)
    np.testing.assert_allclose(held.A[1, 0], -(15.0 / 1.0 + 15.0 / 1.5) / 2.0)
    for model in (passive, held):
        np.testing.assert_allclose(model.B[1], np.array([-1.0, 1.5]) / math.sqrt(2.0))
        np.testing.assert_allclose(model.D, np.diag([1.0, 1.5]))
    np.testing.assert_allclose(passive.C[:, 0], np.array([50.0, -50.0]) / math.sqrt(2.0))
    np.testing.assert_allclose(held.C[:, 0], np.array([15.0, -10.0]) / math.sqrt(2.0))


def test_a_cable_of_a_material_gets_softer_as_it_is_let_out() -> None:
    from taut import Material

    rubber = Material("rubber", youngs_modulus=1e6)
    structure = Structure(
        {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)},
        cables=[Cable("c", ("a", "b"), rest_length=0.8, material=rubber, radius=0.01)],
        point_masses={"b": 2.0},
        supports={"a": "xyz", "b": "yz"},
    )
    model = linearise(assemble(structure), inputs="cable:c.rest_length", outputs="cable:c")
    axial = 1e6 * math.pi * 1e-4
    np.testing.assert_allclose(model.D, [[-axial * 1.0 / 0.8**2]])  # t = E A (l / l0 - 1)


def test_redundant_bars_are_named_and_change_nothing() -> None:
    # Two equal rods side by side weigh twice as much as one, and swing the same.
    structure, _ = pendulum(0.0, 0.0)
    double = structure.changed("bar:rod", mass=3.0)
    double = replace(double, bars={**double.bars, "twin": replace(double.bars["rod"], name="twin")})
    model = linearise(assemble(double, gravity=9.81), outputs="bar:*")
    single = linearise(assemble(structure, gravity=9.81), outputs="bar:*")
    np.testing.assert_allclose(model.poles, single.poles, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(model.offset, [3.0 * 9.81 / 2.0] * 2)
    assert model.notes == ('1 constraint depends on others, among bar "rod", bar "twin"',)
    plant = assemble(double)
    plant.composition.tools["fill_jacobian"](plant.pack, np.append(*plant.start()))
    np.testing.assert_allclose(*jacobian_matrix(plant.tables).toarray())
    assert jacobian_matrix(plant.tables).shape == (2, 6)


def test_bars_that_depend_on_one_another_only_here_are_a_warning() -> None:
    # Two bars in a line between supports: straight, and only then, they hold each other twice.
    structure = Structure(
        {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0), "c": (2.0, 0.0, 0.0)},
        [Bar("left", ("a", "b"), mass=1.0), Bar("right", ("b", "c"), mass=1.0)],
        supports={"a": "xyz", "b": "y", "c": "xyz"},
    )
    (note,) = linearise(assemble(structure)).notes
    assert "1 constraint depends on others" in note
    assert "only at this very shape, where the motion may branch" in note


def test_a_state_of_a_run_can_be_linearised() -> None:
    import taut

    plant = assemble(taut.generators.tbar())
    run = taut.simulate(plant, 1.3, method="dp8", tolerance=1e-12)
    model = linearise(plant, positions=run.nodes[-1], velocities=run.velocities[-1], outputs=["cable:*", "bar:*"])
    np.testing.assert_allclose(model.offset, [*run.cable_tension[-1], *run.bar_force[-1]], atol=1e-9)
    assert len(model.notes) == 2


def test_what_cannot_move_has_no_states() -> None:
    structure = Structure(
        {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0), "c": (0.5, 0.0, 1.0)},
        [Bar("left", ("a", "c"), mass=1.0), Bar("right", ("b", "c"), mass=1.0)],
        supports={"a": "xyz", "b": "xyz", "c": "y"},
    )
    model = linearise(assemble(structure), inputs="node:c.z", outputs="bar:*.tension")
    assert model.states == ()
    assert model.stable
    np.testing.assert_allclose(model.D, [[math.sqrt(1.25) / 2.0]] * 2)  # each bears half, along itself


@pytest.mark.parametrize("off", [0.0, -1e-10, 1e-10])
def test_a_cable_a_hair_from_its_rest_length_counts_as_taut(off: float) -> None:
    """As the note says; round-off of its length must not decide."""
    cables = [
        Cable("c1", ("s", "a"), rest_length=1.0 + off, stiffness=500.0),
        Cable("c2", ("a", "t"), rest_length=0.9, stiffness=100.0, law="spring"),
    ]
    nodes = {"s": (0.0, 0.0, 0.0), "a": (0.0, 0.0, -1.0), "t": (0.0, 0.0, -2.0)}
    hung = Structure(nodes, [], cables, supports={"s": "xyz", "t": "xyz"}, point_masses={"a": 1.0})
    model = linearise(assemble(hung))
    assert 'counted as taut: "c1"' in model.notes[0]
    assert np.abs(model.poles.imag).max() == pytest.approx(np.sqrt(600.0), rel=1e-6)
