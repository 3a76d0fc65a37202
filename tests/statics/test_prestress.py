"""Prestress: published numbers, closed forms, optimality conditions, rest lengths by dynamics, clear refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.optimize
from stedy_models import stedy_model

import taut
from taut.errors import BalanceError
from taut.numerics.bounded import cheapest, closest
from taut.numerics.projection import projected
from taut.statics.equilibrium import Equilibrium
from taut.statics.matrices import equilibrium_matrix
from taut.statics.network import network
from taut.statics.prestressing import prestress


def unbalanced(found: Equilibrium) -> np.ndarray:
    """The force left on every node, written out: (n, 3)."""
    structure = found.structure
    left = np.array(found.external)
    names = list(structure.nodes)
    ends = [c.route for c in structure.cables.values()] + [b.nodes for b in structure.bars.values()]
    for (a, b), force in zip(ends, found.member_force, strict=True):
        span = np.subtract(structure.nodes[b], structure.nodes[a])
        left[names.index(a)] += force * span / np.linalg.norm(span)
        left[names.index(b)] -= force * span / np.linalg.norm(span)
    for constraint, force in zip(structure.constraints.values(), found.constraint_force, strict=True):
        norm = np.linalg.norm([coefficient for _, _, coefficient in constraint.terms])
        for node, axis, coefficient in constraint.terms:
            left[names.index(node), "xyz".index(axis)] += coefficient / norm * force
    for node, force in zip(found.supports, found.reaction, strict=True):
        left[names.index(node)] += force
    return left


@pytest.mark.parametrize(("name", "least", "total"), [("arm", 1.0, 658.672), ("ball", 10.0, 2579.922)])
def test_the_arm_and_the_ball_of_the_stedy_paper(name: str, least: float, total: float) -> None:
    """Hsu, Tadiparthi, Bhattacharya: their program has no objective; least sum of force densities makes it unique."""
    structure, given = stedy_model(name)
    found = prestress(
        structure, gravity=9.806, minimum=0.0, minimum_force_density=least, objective="least_force_density"
    )
    strings = given["strings"]
    density = found.force_density[: len(strings)]
    assert density.sum() == pytest.approx(total, abs=6e-4)
    assert np.allclose(density, [s["sigma0"] for s in strings], rtol=1e-10)
    assert np.allclose(
        [c.rest_length for c in found.structure.cables.values()], [s["rest"] for s in strings], rtol=1e-13
    )
    assert found.residual < 1e-11
    assert np.abs(unbalanced(found)).max() < 1e-11
    weight = 9.806 * (sum(b["mass"] for b in given["bars"]) + sum(m for _, m in given["point_masses"]))
    assert found.reaction[:, 2].sum() == pytest.approx(weight, rel=1e-12)


def test_a_prism_has_the_closed_form() -> None:
    structure = taut.generators.prism(4, radius=0.6, height=1.3)
    found = prestress(structure, {"cable:vertical": 200.0})
    lengths = network(structure).lengths()
    bottom, top, vertical, struts = np.split(found.member_force, 4)
    assert np.allclose(vertical, 200.0, rtol=1e-12)
    assert np.allclose(struts, -200.0 * lengths[12] / lengths[8], rtol=1e-12)
    ring = 200.0 / lengths[8] / (2 * math.sin(math.pi / 4)) * lengths[0]
    assert np.allclose([bottom, top], ring, rtol=1e-12)
    assert found.ok
    assert found.residual < 1e-11


def test_the_t_bar_and_the_d_bar_have_the_closed_forms() -> None:
    """T-bar: sides and bars have force densities 1 and -1; D-bar: cables 1, bars -1."""
    found = prestress(taut.generators.tbar(angle=0.6), {"cable:vertical": 30.0})
    height, width = 5 * math.sin(0.6), 5 * math.cos(0.6)
    density = 30.0 / height
    assert np.allclose(found.cable_tension[1:], [30.0, density * width, 30.0])
    assert found.cable_tension[0] == pytest.approx(0.0, abs=1e-12)  # between supports: least squares leaves it alone
    assert np.allclose(found.bar_force, -5.0 * density)
    found = prestress(taut.generators.dbar(angle=0.6), {"cable:along": 30.0})
    assert found.cable_tension[1] == pytest.approx(30.0 * math.tan(0.6))
    assert np.allclose(found.bar_force, -30.0 / (2 * math.cos(0.6)))


@pytest.mark.parametrize(
    ("structure", "gravity"),
    [
        (taut.generators.tower(2), 0.0),
        (taut.generators.planar_lattice(2, 2).supported("bottom*"), 9.81),
        (taut.generators.icosahedron(), 0.0),
    ],
)
def test_what_was_prestressed_stays_where_it_is(structure: taut.Structure, gravity: float) -> None:
    """The independent road: the engine of motion sees the same forces and nothing moves."""
    found = prestress(structure, {"cable:*": 300.0}, gravity=gravity, minimum=5.0)
    run = taut.simulate(taut.assemble(found.structure, gravity=gravity), 0.02, every=0.02)
    assert np.abs(run.nodes[-1] - structure.positions).max() < 1e-10
    assert np.allclose(run.cable_tension[0], found.cable_tension, rtol=1e-8)
    assert np.allclose(run.bar_force[0], found.bar_force, rtol=1e-7)
    assert np.abs(unbalanced(found)).max() < 1e-10


def left_of_slope(slope: np.ndarray, matrix: np.ndarray, met: np.ndarray) -> float:
    """What is left of an objective's slope after multipliers of any sign on balance and of one sign on the bounds met:
    zero exactly at the optimum of a convex program (Karush, Kuhn, Tucker)."""
    sides = np.eye(slope.size)[:, met]
    lowest = np.concatenate([np.full(matrix.shape[0], -np.inf), np.zeros(sides.shape[1])])
    fit = scipy.optimize.lsq_linear(np.hstack([matrix.T, sides]), slope, (lowest, np.inf), method="bvls", tol=1e-14)
    return float(np.abs(fit.fun).max())


@pytest.mark.parametrize("objective", ["least_squares", "least_force_density"])
@pytest.mark.parametrize("gravity", [0.0, 9.81])
@pytest.mark.parametrize("second", ["horizontal", "horizontal1.1", "vertical1.2"])  # many targets, and so few that
def test_what_is_found_is_the_optimum_it_claims_to_be(objective: str, gravity: float, second: str) -> None:
    structure = taut.generators.planar_lattice(3, 2, class_=4).supported(
        "bottom*"
    )  # several states are left to the objective
    targets = {"cable:vertical1.*": 200.0, f"cable:{second}*": 100.0 if second[0] == "h" else 200.0}
    found = prestress(structure, targets, gravity=gravity, minimum=20.0, objective=objective)
    net = network(structure, gravity=gravity)
    matrix, force = equilibrium_matrix(net).toarray(), found.member_force
    wanted = np.array([{"v": 200.0, "h": 100.0}.get(name[0], 0.0) for name in net.names])
    targeted = np.array([name.startswith(("vertical1.", second)) for name in net.names])
    met = net.unilateral & (force < 20.0 + 1e-6)
    assert np.abs(matrix @ force + net.external.ravel()[net.free]).max() < 1e-11
    assert force[net.unilateral].min() > 20.0 - 1e-9
    assert met.sum() > 0
    assert left_of_slope(np.where(targeted, force - wanted, 0.0), matrix, met) < 1e-6
    slope = force if objective == "least_squares" else np.where(net.unilateral, 1.0 / net.lengths(), 0.0)
    others = ~targeted
    assert left_of_slope(slope[others], matrix[:, others], met[others]) < 1e-6
    assert left_of_slope(-slope[others], matrix[:, others], met[others]) > 1e-3  # the largest would be another one


def test_an_equal_sum_is_settled_by_least_squares() -> None:
    """Two equal cables side by side: any share has the same sum of force densities; the even one is taken."""
    twin = taut.generators.prism()
    first = twin.cables["vertical1"]
    twin = twin.with_cables(taut.Cable("twin", first.route, stiffness=1e4))
    found = prestress(twin, minimum=1.0, objective="least_force_density")
    tension = dict(zip(twin.cables, found.cable_tension, strict=True))
    assert tension["twin"] == pytest.approx(tension["vertical1"], rel=1e-9)
    assert tension["twin"] + tension["vertical1"] == pytest.approx(tension["vertical2"], rel=1e-9)


def test_targets_may_name_bars_and_the_later_holds() -> None:
    found = prestress(taut.generators.icosahedron(), {"cable:*": 7.0, "bar:*": -100.0, "cable:cable*": 40.0})
    # one state: tension 40.82 c and bars -100 c, the c that is closest to both
    per_bar = 100.0 * math.sqrt(6) / 4 / 1.5
    size = (24 * per_bar * 40.0 + 6 * 100.0 * 100.0) / (24 * per_bar**2 + 6 * 100.0**2)
    assert np.allclose(found.cable_tension, per_bar * size)
    assert np.allclose(found.bar_force, -100.0 * size)


def test_minimum_by_selector_and_default() -> None:
    structure = taut.generators.tower(3, class_=2)
    found = prestress(structure, {"cable:vertical1.*": 100.0})
    assert found.cable_tension.min() == pytest.approx(1.0)  # a hundredth of the target
    found = prestress(structure, {"cable:vertical1.*": 100.0}, minimum={"cable:vertical3.*": 40.0})
    tension = dict(zip(structure.cables, found.cable_tension, strict=True))
    assert tension["vertical3.1"] == pytest.approx(40.0)
    assert tension["vertical2.1"] >= -1e-9


def test_linear_constraints_take_their_share() -> None:
    planes = [taut.on_plane(f"floor{i}", f"bottom{i}", (0, 0, 2)) for i in (1, 2, 3)]
    resting = taut.generators.prism().with_constraints(*planes).supported("bottom1", "xy")
    resting = resting.changed("bar:*", mass=1.0)
    held = taut.generators.prism().supported("bottom*", "z").supported("bottom1", "xyz").changed("bar:*", mass=1.0)
    # the prism's mechanism carries no weight at the top, so the load goes to the bottom nodes
    push = {f"bottom{i}": (0.0, 0.0, -4.0) for i in (1, 2, 3)}
    one = prestress(resting, {"cable:vertical": 50.0}, loads=push)
    other = prestress(held, {"cable:vertical": 50.0}, loads=push)
    assert np.allclose(one.member_force, other.member_force)
    assert np.allclose(one.constraint_force, 4.0)  # whatever the coefficient: rows count as of unit length
    assert np.abs(unbalanced(one)).max() < 1e-12


def test_a_cables_weight_follows_its_rest_length() -> None:
    rope = taut.Material("rope", density=5000.0, youngs_modulus=2e7)
    structure = taut.Structure(
        {"a": (0, 0, 0), "b": (0, 0, -1), "c": (0, 0, -2)},
        cables=[
            taut.Cable(f"r{i}", ends, material=rope, radius=0.01) for i, ends in enumerate([("a", "b"), ("b", "c")])
        ],
        supports={"a": "xyz", "b": "xy", "c": "xyz"},
    )
    found = prestress(structure, {"cable:r0": 2000.0}, gravity=9.81)
    assert found.residual < 1e-9
    rests = [c.rest_length for c in found.structure.cables.values()]
    masses = [5000.0 * math.pi * 1e-4 * rest for rest in rests]
    assert found.cable_tension[0] - found.cable_tension[1] == pytest.approx(9.81 * sum(masses) / 2, rel=1e-12)
    assert rests[0] == pytest.approx(1.0 / (1.0 + 2000.0 / (2e7 * math.pi * 1e-4)), rel=1e-12)


def test_the_sparse_projection_agrees_with_the_dense_program() -> None:
    random = np.random.default_rng(5)
    for structure in (
        taut.generators.planar_lattice(4, 4),
        taut.generators.lattice(2, 2, 2),
        taut.generators.tower(8, class_=2),
    ):
        net = network(structure)
        matrix = equilibrium_matrix(net)
        low = np.where(net.unilateral, 0.2, -np.inf)
        wanted = random.standard_normal(net.members)
        none, one = np.zeros(net.members, dtype=bool), np.ones(net.members)
        dense = closest(matrix, np.zeros(matrix.shape[0]), low, wanted, none)
        sparse = projected(matrix, np.zeros(matrix.shape[0]), low, wanted, one)
        assert dense is not None
        assert sparse is not None
        assert np.allclose(dense, sparse, atol=1e-7)
        assert (dense[net.unilateral] < 0.2 + 1e-7).sum() > 3  # some bounds are met: the test has teeth


def test_the_cheapest_in_states_is_the_cheapest_of_the_whole_program() -> None:
    net = network(taut.generators.planar_lattice(3, 3))
    matrix, low = equilibrium_matrix(net), np.where(net.unilateral, 0.5, -np.inf)
    cost = np.where(net.unilateral, 1.0 + np.arange(net.members) % 7, 0.0)
    right = np.zeros(matrix.shape[0])
    found, settled = cheapest(matrix, right, low, cost)
    assert settled
    bounds = [(None if np.isinf(a) else a, None) for a in low]
    whole = scipy.optimize.linprog(cost, A_eq=matrix, b_eq=right, bounds=bounds)
    even = closest(matrix, right, low, np.zeros(net.members), np.zeros(net.members, dtype=bool))
    assert found is not None
    assert even is not None
    assert cost @ found == pytest.approx(whole.fun, rel=1e-9)
    assert cost @ even > 1.001 * whole.fun
    assert np.abs(matrix @ found).max() < 1e-12


def test_without_load_or_minimum_there_is_nothing_to_do() -> None:
    with pytest.raises(taut.OptionError, match="nothing says how tight the cables are to be: give targets"):
        prestress(taut.generators.prism())


def test_a_shape_without_states_names_the_node() -> None:
    with pytest.raises(
        BalanceError, match=r'node "\w+" cannot be balanced with cables pulling 1 N and more.*no self-str'
    ):
        prestress(taut.generators.prism(twist=0.3), {"cable:*": 100.0})


def test_a_load_that_no_member_takes_names_its_node() -> None:
    structure = taut.generators.prism().supported("bottom*").with_nodes(far=(2.0, 0.0, 0.0))
    structure = structure.with_bars(taut.Bar("arm", ("top1", "far"), mass=1.0))
    with pytest.raises(BalanceError, match='node "far" cannot be balanced.*loads drive it along a motion') as caught:
        prestress(structure, minimum=0.0, loads={"far": (0.0, 0.0, -7.0)})
    assert caught.value.node == "far"
    assert np.linalg.norm(caught.value.force) > 1.0


def test_weight_on_a_mechanism_says_to_let_it_settle() -> None:
    with pytest.raises(
        BalanceError, match=r"changes no length \(1 mechanism\). Prestress it without them and .*balance"
    ):
        prestress(taut.generators.tower(2).supported("bottom*"), {"cable:*": 100.0}, gravity=9.81)


def test_a_state_of_the_wrong_sign_is_refused() -> None:
    """The X-frame with bars outside and cables crossed is fine flat; with one side a cable it would have to push."""
    frame = taut.generators.dbar()
    wrong = frame.without("bar:b1").with_cables(taut.Cable("b1", frame.bars["b1"].nodes, stiffness=1e4))
    with pytest.raises(BalanceError, match="its one self-stress state has cables that push"):
        prestress(wrong, minimum=1.0)


def test_an_unsupported_structure_in_gravity_is_told_its_weight() -> None:
    with pytest.raises(taut.ModelError, match=r"not held along z, where gravity and loads push it with -34\.7"):
        prestress(taut.generators.prism(), {"cable:*": 100.0}, gravity=9.81)


def test_a_cable_that_is_too_soft_is_named() -> None:
    with pytest.raises(taut.OptionError, match=r'cable "bottom1" is too soft .* should pull 1e\+06 N .* only 8660 N'):
        prestress(taut.generators.prism(), minimum=1e6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objective": "nice"}, 'objective = "nice" is not one of least_squares, least_force_density'),
        ({"minimum": -1.0}, "minimum = -1.0 must be zero or more"),
        ({"minimum": math.nan}, "must be a finite number"),
        ({"targets": {"cable:*": math.inf}}, "must be a finite number"),
        ({"minimum_force_density": {"cable:top*": -2.0}}, "must be zero or more"),
    ],
)
def test_bad_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(taut.OptionError, match=message):
        prestress(taut.generators.prism(), **options)


def test_unknown_stiffness_and_unknown_names() -> None:
    soft = taut.generators.prism().with_cables(taut.Cable("x", ("bottom1", "top2")))
    with pytest.raises(taut.ModelError, match="cables.x.stiffness: is not known"):
        prestress(soft, minimum=1.0)
    with pytest.raises(taut.SelectionError, match='"cable:vertikal" selects no cable'):
        prestress(taut.generators.prism(), {"cable:vertikal": 100.0})
    with pytest.raises(taut.ModelError, match='loads.top9: no node "top9"'):
        prestress(taut.generators.prism(), minimum=1.0, loads={"top9": (0, 0, 1)})


def test_targets_that_no_state_can_change_are_let_go_and_said() -> None:
    """The tower stands under its weight; only cables between its supports are free to be tightened."""
    tower = taut.generators.tower(3).supported("bottom*")
    settled = taut.balance(prestress(tower, {"cable:vertical": 200.0}).structure, gravity=9.81)
    again = prestress(settled.structure, {"cable:vertical": 250.0}, gravity=9.81)
    assert np.abs(again.member_force).max() < 1e4
    (note,) = again.notes
    assert note.startswith("cable:vertical: 250 N was asked and ")
    assert note.endswith("balance allows no better")


def test_a_cable_cannot_be_asked_to_push() -> None:
    with pytest.raises(taut.OptionError, match='targets: cable "vertical1" is to carry -200 N, but cables cannot push'):
        prestress(taut.generators.prism(), {"cable:vertical": -200.0})


def test_a_target_that_a_later_one_replaces_is_not_said_to_be_missed() -> None:
    dbar = taut.generators.dbar()
    targets = {"cable:*": 50.0, "cable:along": 100.0, "cable:across": 100.0}
    found = prestress(dbar, targets)
    assert found.cable_tension == pytest.approx([100.0, 100.0])
    assert not found.notes
    (note,) = prestress(dbar, {"cable:*": 50.0, "cable:along": 100.0}).notes[:1]
    assert note.startswith("cable:*: 50 N was asked and 75 to 75 N are had")
