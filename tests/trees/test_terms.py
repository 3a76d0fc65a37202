"""Terms of trees: against a reference made by an independent tree code, Pinocchio's own, and differences."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pinocchio
import pytest

import taut
from taut.trees import Body, LoopJoint, Tree, TreeEquations, TreeJoint, manipulator, reduction, single_strut

TERMS = np.load(Path(__file__).parents[1] / "data" / "pulleys" / "single_terms.npz")
VARIANTS = {"rigid": "rigid", "u": "elongation", "eps": "strain", "l": "length"}
AZIMUTHS = tuple(math.radians(angle) for angle in (180.0, 300.0, 60.0))
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@pytest.mark.parametrize("key", VARIANTS)
def test_terms_of_the_single_strut_are_those_of_the_reference(key: str) -> None:
    equations = TreeEquations(single_strut(variant=VARIANTS[key], strain=0.01, azimuths=AZIMUTHS))
    q, v = TERMS[f"{key}_q"], TERMS[f"{key}_v"]
    at = equations.terms(q, v)
    for name, found in (
        ("M", at.mass),
        ("c", at.bias),
        ("K", at.loop_jacobian),
        ("k", at.loop_bias),
        ("e", at.loop_error),
    ):
        wanted = TERMS[f"{key}_{name}"]
        assert np.abs(found - wanted).max() < 1e-14 * np.abs(wanted).max(), name
    for found, one in (
        (at.mass, equations.mass(q)),
        (at.loop_jacobian, equations.loop_jacobian(q)),
        (at.loop_error, equations.loop_error(q)),
        (at.bias, equations.bias(q, v)),
        (at.loop_bias, equations.loop_bias(q, v)),
        (at.torques, equations.torques(q, v)),
    ):
        np.testing.assert_allclose(one, found, atol=1e-14)
    if key != "rigid":
        np.testing.assert_allclose(equations.start()[0], TERMS[f"{key}_q0"], rtol=0, atol=1e-14)
    masses = [joint.body.mass for joint in equations.tree.joints]
    np.testing.assert_allclose(masses, TERMS["mass"], rtol=1e-14)


def test_counts_and_closure() -> None:
    strut = TreeEquations(single_strut())
    assert (strut.nv, strut.rows, reduction(strut, *strut.start()).independent.size) == (14, 9, 5)
    machine = TreeEquations(manipulator())
    q, v = machine.start()
    assert (machine.nq, machine.nv, machine.rows) == (40, 39, 27)
    assert reduction(machine, q, v).independent.size == 12
    assert np.linalg.matrix_rank(machine.mass(q)) == 27
    for equations in (strut, machine):
        assert np.abs(equations.loop_error(equations.start()[0])).max() < 1e-14
    height = math.sqrt(0.5) * (1.0 + math.sqrt(2.0 / 3.0))
    np.testing.assert_allclose(machine.point(q, "end-effector"), (0.0, 0.0, height), atol=1e-15)


@pytest.mark.parametrize(("on", "azimuth"), [("outside", 1.0), ("inside", -1e308)])
def test_the_manipulator_closes_whatever_is_chosen(on: str, azimuth: float) -> None:
    machine = manipulator(wound_on=on, pulley_offset=0.03, azimuth=azimuth, hinge_turn=0.4, variant="length")
    equations = TreeEquations(machine)
    q, _ = equations.start()
    assert np.abs(equations.loop_error(q)).max() < 1e-14
    assert np.linalg.matrix_rank(equations.loop_jacobian(q)) == 27
    # The cable touches its pulley on the side asked for: further from the strut's axis than the centre, or nearer.
    cable, centre = equations.point(q, "B2-bot-cable", (-q[-1], 0.0, 0.0)), equations.point(q, "B2-bot-pulley")
    foot, head = equations.point(q, "B2-strut"), equations.point(q, "B2-strut", (0.0, 0.0, 1.0))
    away = [np.linalg.norm(np.cross(point - foot, head - foot)) for point in (cable, centre)]
    assert (away[0] > away[1]) == (on == "outside")
    assert abs(away[1] - 0.03) < 1e-14


def test_variants_are_one_machine_in_other_coordinates() -> None:
    """The same motion of bodies and cables gives the same accelerations of bodies, and loop forces."""
    found, rng = {}, np.random.default_rng(5)
    rates = rng.standard_normal(14)
    turn, strain_rate = rng.standard_normal((2, 3))
    for variant in ("elongation", "strain", "length"):
        equations = TreeEquations(single_strut(variant=variant, strain=0.05, viscosity=1e5))
        q, _ = equations.start()
        cables = equations.cables
        natural, strain, natural_rate = cables.radius * q[cables.angle], equations.strains(q), cables.radius * turn
        stretched = natural * strain_rate + natural_rate * strain
        second = {"strain": strain_rate, "elongation": stretched, "length": stretched + natural_rate}
        v = rates.copy()
        v[cables.angle_rate], v[cables.second_rate] = turn, second[variant]
        np.testing.assert_allclose(equations.strain_rates(q, v), strain_rate, rtol=1e-12)
        a, pull = equations.forward(q, v, np.full(3, 0.3))
        bodies = np.setdiff1d(np.arange(14), cables.second_rate)
        found[variant] = np.concatenate([a[bodies], pull])
    for variant in ("strain", "length"):
        np.testing.assert_allclose(found[variant], found["elongation"], atol=1e-12 * np.abs(found[variant]).max())


@pytest.mark.parametrize("variant", ["elongation", "strain", "length"])
def test_consistent_torques_are_slopes_of_the_energy(variant: str) -> None:
    equations = TreeEquations(single_strut(variant=variant, strain=0.05))
    q, v = equations.start()
    torques = equations.torques(q, v)
    assert np.abs(torques).max() > 1.0
    for k, step in enumerate(1e-6 * np.eye(equations.nv)):
        slope = (equations.energies(q + step, v)[1] - equations.energies(q - step, v)[1]) / 2e-6
        assert abs(slope + torques[k]) < 1e-6 * np.abs(torques).max(), equations.velocity_names[k]
    printed = TreeEquations(single_strut(variant=variant, strain=0.05, law="printed")).torques(q, v)
    off = torques - printed
    missing = 0.5 * 5e7 * math.pi * 1e-6 * 0.05**2 * 0.07  # r E A eps^2 / 2 at the angle
    np.testing.assert_allclose(off[equations.cables.angle_rate], missing, rtol=1e-9)
    assert np.count_nonzero(np.abs(off) > 1e-12) == 3


@pytest.mark.parametrize("variant", ["elongation", "strain", "length"])
def test_damping_takes_energy_and_a_slack_cable_has_no_force(variant: str) -> None:
    equations = TreeEquations(single_strut(variant=variant, strain=0.05, viscosity=1e6))
    q, v = equations.start()
    v = np.random.default_rng(1).standard_normal(equations.nv)
    rates = equations.strain_rates(q, v)
    power = (equations.torques(q, v) - equations.torques(q, 0.0 * v)) @ v
    area, natural = math.pi * 1e-6, equations.cables.radius * q[equations.cables.angle]
    assert power < 0.0
    np.testing.assert_allclose(power, -np.sum(1e6 * area * natural * rates**2), rtol=1e-12)
    slack = TreeEquations(single_strut(variant=variant, strain=-0.01, viscosity=1e6))
    assert np.abs(slack.strains(slack.start()[0]) + 0.01).max() < 1e-14
    assert not slack.torques(slack.start()[0], v).any()


def chain() -> Tree:
    """One of every kind of joint, with two loops that are not points."""
    brick = Body.box("a", (0.1, 0.2, 0.3), 1000.0, centre=(0.05, 0.0, 0.1))
    return Tree(
        (
            TreeJoint("f", "floating", "world", brick, values=(0.1, 0.2, 0.3, 0.5, 0.5, 0.5, 0.5)),
            TreeJoint("s", "spherical", "a", Body.cube("b", 0.2, 500.0, centre=(0.0, 0.1, 0.0)), (0.1, 0.0, 0.3)),
            TreeJoint(
                "u", "universal", "b", Body.cylinder("c", 0.1, 0.5, 700.0), (0.0, 0.2, 0.0), axes=(X, (0.0, 0.6, 0.8))
            ),
            TreeJoint("r", "revolute", "c", Body.tube("d", 0.2, 0.1, 0.4, 700.0, axis=X), (0.1, 0.0, 0.0), axes=(Y,)),
            TreeJoint("p", "prismatic", "b", Body("e", 1.0, inertia=(X, Y, Z)), axes=((0.6, 0.8, 0.0),)),
        ),
        tuple(
            LoopJoint(f"{kind} loop", "d", "e", kind, at=(0.1, 0.2, 0.3), to=(0.0, 0.1, 0.0))
            for kind in ("point", "universal", "revolute", "prismatic", "fixed")
        ),
    )


def test_jacobians_and_biases_of_every_joint_and_loop_are_derivatives() -> None:
    equations = TreeEquations(chain())
    rng = np.random.default_rng(4)
    q = equations.integrate(equations.start()[0], rng.standard_normal(equations.nv))
    v, step = rng.standard_normal(equations.nv), 1e-5
    at = equations.terms(q, v)
    assert at.loop_jacobian.shape == (3 + 4 + 5 + 5 + 6, 13)
    ahead, behind = (equations.integrate(q, sign * step * v) for sign in (1.0, -1.0))
    rate = (equations.loop_error(ahead) - equations.loop_error(behind)) / (2.0 * step)
    np.testing.assert_allclose(at.loop_jacobian @ v, rate, atol=1e-8)
    swing = (equations.loop_jacobian(ahead) @ v - equations.loop_jacobian(behind) @ v) / (2.0 * step)
    np.testing.assert_allclose(-at.loop_bias, swing, atol=1e-7)
    jacobian, bias = equations.point_jacobian(q, v, "d", (0.1, 0.2, 0.3))
    moved = [equations.point(at, "d", (0.1, 0.2, 0.3)) for at in (ahead, behind)]
    np.testing.assert_allclose(jacobian @ v, (moved[0] - moved[1]) / (2.0 * step), atol=1e-9)
    slopes = [equations.point_jacobian(at, v, "d", (0.1, 0.2, 0.3))[0] @ v for at in (ahead, behind)]
    np.testing.assert_allclose(bias, (slopes[0] - slopes[1]) / (2.0 * step), atol=1e-7)


def test_velocity_terms_keep_the_energy() -> None:
    """v . (M a + c) is the rate of kinetic energy and of that of gravity, whatever a is."""
    equations = TreeEquations(chain())
    rng = np.random.default_rng(2)
    q = equations.integrate(equations.start()[0], rng.standard_normal(equations.nv))
    v, a, step = rng.standard_normal(equations.nv), rng.standard_normal(equations.nv), 1e-5
    at = equations.terms(q, v)
    energy = [sum(equations.energies(equations.integrate(q, s * v), v + s * a)) for s in (step, -step)]
    assert v @ (at.mass @ a + at.bias) == pytest.approx((energy[0] - energy[1]) / (2.0 * step), rel=1e-7)
    np.testing.assert_allclose(0.5 * v @ at.mass @ v, equations.energies(q, v)[0], rtol=1e-13)


def test_forward_dynamics_solve_the_saddle_point_whose_mass_matrix_is_singular() -> None:
    equations = TreeEquations(manipulator())
    q, v = equations.start()
    v = 0.1 * np.random.default_rng(0).standard_normal(equations.nv)
    at = equations.terms(q, v)
    u = np.linspace(0.1, 0.6, 6)
    a, multiplier = equations.forward(q, v, u)
    rows = at.loop_jacobian
    system = np.block([[at.mass, -rows.T], [rows, np.zeros((27, 27))]])
    right = np.concatenate([at.torques - at.bias + equations.input_matrix @ u, at.loop_bias])
    whole = np.linalg.solve(system, right)
    np.testing.assert_allclose(a, whole[:39], atol=1e-11 * np.abs(a).max())
    np.testing.assert_allclose(multiplier, whole[39:], atol=1e-11 * np.abs(multiplier).max())


def test_forward_dynamics_of_a_tree_without_loops_are_those_of_pinocchio() -> None:
    tree = Tree(chain().joints)
    equations = TreeEquations(tree)
    rng = np.random.default_rng(3)
    q = equations.integrate(equations.start()[0], rng.standard_normal(equations.nv))
    v, force = rng.standard_normal(equations.nv), rng.standard_normal(equations.nv)
    a, multiplier = equations.forward(q, v, force=force)
    wanted = pinocchio.aba(equations._model, equations._data, q, v, force)
    np.testing.assert_allclose(a, wanted, atol=1e-12 * np.abs(wanted).max())
    assert multiplier.shape == (0,)


def test_loops_that_say_the_same_twice_are_solved_and_a_motion_without_inertia_is_named() -> None:
    single = single_strut(strain=0.01)
    twice = Tree(single.joints, (*single.loops, LoopJoint("again", "strut", "B1-cable", at=(0.0, 0.0, 1.0))))
    one, two = TreeEquations(single), TreeEquations(twice)
    q, v = one.start()
    np.testing.assert_allclose(
        two.forward(q, v)[0], one.forward(q, v)[0], atol=1e-9 * np.abs(one.forward(q, v)[0]).max()
    )
    open_end = TreeEquations(Tree(single.joints, single.loops[1:]))
    with pytest.raises(taut.MotionError, match=r'a motion of "B1-involuteJt\..*" has no inertia, and no loop says'):
        open_end.forward(q, v)


def test_reduced_equations_give_the_accelerations_of_the_saddle_point() -> None:
    equations = TreeEquations(manipulator())
    q, v = equations.start()
    found = reduction(equations, q, v)
    v = found.jacobian @ np.linspace(-0.3, 0.3, 12)
    strains = [f"{name}.strain" for name in equations.cable_names]
    for keep in ((), (*strains, "floatingJt.x", "floatingJt.y", "floatingJt.z")):
        found = reduction(equations, q, v, keep=keep)
        at = equations.terms(q, v)
        assert {*keep} <= {*found.names}
        np.testing.assert_allclose(at.loop_jacobian @ found.jacobian, 0.0, atol=1e-11)
        np.testing.assert_allclose(at.loop_jacobian @ found.bias, at.loop_bias, atol=1e-11)
        u = np.linspace(0.2, 0.7, 6)
        way = np.linalg.solve(found.mass, found.force + found.input_matrix @ u)
        wanted, _ = equations.forward(q, v, u)
        np.testing.assert_allclose(found.jacobian @ way + found.bias, wanted, atol=1e-9 * np.abs(wanted).max())
    again = reduction(equations, q, v, previous=found)
    assert np.array_equal(again.independent, found.independent)
    blocks = [f"B{i}-{end}-{what}" for i in (1, 2, 3) for end in ("top", "bot") for what in ("blockJt", "revoluteJt")]
    poor = found.__class__(*(np.arange(12), *(getattr(found, name) for name in found.__slots__[1:])))
    assert not np.array_equal(reduction(equations, q, v, previous=poor).independent, np.arange(12)), "chosen anew"
    with pytest.raises(taut.OptionError, match="cannot all be independent: the loops leave them"):
        reduction(equations, q, v, keep=[*blocks, "floatingJt.x"])
    with pytest.raises(taut.OptionError, match=r'no velocity "floatingJt.u" in the tree; did you mean "floatingJt'):
        reduction(equations, q, v, keep=["floatingJt.u"])


def test_joints_may_be_listed_in_any_order_after_their_parents() -> None:
    """Pinocchio's mass matrix is right only for joints that come branch after branch; its ABA is for any."""
    leg = {name: Body.box(name, (0.04, 0.1, 0.4), 600.0, centre=(0.0, 0.0, -0.2)) for name in ("l", "r", "foot")}
    free = TreeJoint("free", "floating", "world", Body.box("base", (0.4, 0.1, 0.05), 800.0))
    left = TreeJoint("left", "revolute", "base", leg["l"], at=(-0.2, 0.0, 0.0), axes=(Y,))
    right = TreeJoint("right", "universal", "base", leg["r"], at=(0.2, 0.0, 0.0), axes=(Y, X))
    ankle = TreeJoint("ankle", "revolute", "l", leg["foot"], at=(0.0, 0.0, -0.4), axes=(Y,))
    loop = (LoopJoint("pin", "foot", "r", at=(0.4, 0.0, 0.0), to=(0.0, 0.0, -0.4)),)
    draw, found = np.random.default_rng(0), []
    step, v = draw.normal(size=10), draw.normal(size=10)
    for joints in ((free, left, right, ankle), (free, left, ankle, right)):
        equations = TreeEquations(Tree(joints, loop))
        order = [
            equations.velocity_names.index(name)
            for name in TreeEquations(Tree((free, left, right, ankle))).velocity_names
        ]
        moved, own, rates = np.zeros(10), equations.start()[0], np.zeros(10)
        moved[order], rates[order] = step, v
        q = equations.integrate(own, moved)
        at = equations.terms(q, rates)
        p, w, _, _ = equations._stand(q, rates)
        free_fall = pinocchio.aba(equations._model, equations._model.createData(), p, w, np.zeros(10))
        a = np.linalg.solve(at.mass, -at.bias)
        np.testing.assert_allclose(a, free_fall[equations._to_rates], rtol=1e-11, atol=1e-11)
        found.append(
            (
                at.mass[np.ix_(order, order)],
                at.loop_jacobian[:, order],
                equations.point_jacobian(q, rates, "foot", Z)[0][:, order],
            )
        )
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-13)


def test_the_topology_is_told_as_a_listing() -> None:
    told = single_strut().listing().splitlines()
    assert told[:6] == [
        "Spanning tree:",
        "Vertex: world (root)",
        "  Vertex: cross-shaft, Edge: x-revoluteJt",
        "    Vertex: strut, Edge: y-revoluteJt",
        "  Vertex: B1-block, Edge: B1-blockJt",
        "    Vertex: B1-pulley, Edge: B1-pulleyJt",
    ]
    assert told[-1] == "B3-loopJt, predecessor: strut, successor: B3-cable"
    assert "B2-level-loopJt, predecessor: B1-strut, successor: B2-link" in manipulator().listing()
