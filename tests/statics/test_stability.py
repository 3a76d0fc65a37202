"""Stability certificates: classics with known answers, dense algebra as an independent road, sparse against dense."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

import taut
from taut.numerics.weakest import margin, weakest
from taut.statics.certificates import stability
from taut.statics.equilibrium import Equilibrium
from taut.statics.matrices import equilibrium_matrix, geometric_stiffness, rigid_motions
from taut.statics.network import network
from taut.statics.prestressing import prestress
from taut.statics.self_stress import mechanism_basis


def tight(structure: taut.Structure) -> Equilibrium:
    return prestress(structure, {"cable:*": 100.0})


def least_by_hand(found: Equilibrium) -> float:
    """The least stiffness over unit mechanisms, from energies of moved shapes: no matrix of the library.

    With force densities held, energy is sum(q l^2) / 2: its second difference along a mechanism is exact."""
    structure = found.structure
    places = structure.positions
    names = list(structure.nodes)
    ends = [c.route for c in structure.cables.values()] + [b.nodes for b in structure.bars.values()]
    first, second = np.array([[names.index(a), names.index(b)] for a, b in ends]).T
    q = found.force_density

    def energy(moved: np.ndarray) -> float:
        return float(0.5 * q @ np.sum((moved[second] - moved[first]) ** 2, axis=1))

    ways = mechanism_basis(structure)
    count = len(ways)
    matrix = np.zeros((count, count))
    for i in range(count):
        for j in range(count):
            both, apart = ways[i] + ways[j], ways[i] - ways[j]
            moves = energy(places + both) + energy(places - both) - energy(places + apart) - energy(places - apart)
            matrix[i, j] = moves / 4.0
    return float(np.linalg.eigvalsh(matrix)[0])


@pytest.mark.parametrize("struts", [3, 4, 6, 9])
def test_prisms_are_super_stable(struts: int) -> None:
    """Connelly and Terrell 1995, "Globally rigid symmetric tensegrities"."""
    found = stability(tight(taut.generators.prism(struts)))
    assert found.verdict == "super-stable"
    assert found.ok
    assert found.mechanisms == 2 * struts - 5
    assert found.sentence.startswith("Super-stable: no other shape")


def test_the_icosahedron_is_super_stable_and_its_mechanism_stiff() -> None:
    """Force-density matrix: positive, rank 12 - 4."""
    balance = tight(taut.generators.icosahedron())
    found = stability(balance)
    assert found.verdict == "super-stable"
    assert (found.mechanisms, found.rigid_motions) == (1, 6)
    assert found.stiffness == pytest.approx(least_by_hand(balance), rel=1e-10)
    assert found.mode is not None
    assert found.mode.shape == (12, 3)
    assert np.linalg.norm(found.mode) == pytest.approx(1.0)
    assert "its one mechanism has" in found.sentence


@pytest.mark.parametrize(
    "structure",
    [
        taut.generators.prism(5),
        taut.generators.tower(3),
        taut.generators.tower(3, class_=2),
        taut.generators.tower(2).supported("bottom*"),
    ],
)
def test_the_weakest_mode_is_the_one_of_moved_energies(structure: taut.Structure) -> None:
    balance = tight(structure)
    found = stability(balance)
    assert found.stiffness == pytest.approx(least_by_hand(balance), rel=1e-9)
    assert found.stiffness is not None
    assert found.stiffness > 0.0


def test_a_stack_of_prisms_is_prestress_stable_but_no_more() -> None:
    """Each prism may be sheared by itself without the force-density matrix noticing: its rank is short."""
    found = stability(tight(taut.generators.tower(3, class_=2)))
    assert found.verdict == "prestress-stable"
    assert not found.super_stable
    assert found.mechanisms == 3
    assert "the weakest of its 3 mechanisms" in found.sentence


def test_the_x_frame_is_super_stable_in_the_plane_and_in_space() -> None:
    """A square of cables, force density q, with crossed bars: out of the plane 4 q against unit warping."""
    flat = taut.generators.planar_lattice(1, 1, class_=4)
    assert stability(tight(flat)).verdict == "super-stable"
    found = stability(tight(flat.supported("*", "")))
    assert found.verdict == "super-stable"
    assert found.mechanisms == 1
    assert found.stiffness == pytest.approx(400.0, rel=1e-9)


def test_the_same_frame_inside_out_is_rigid_in_the_plane_and_unstable_in_space() -> None:
    """Bars outside, cables crossed: signs flipped. In the plane it is first-order rigid; free, it folds."""
    flat = taut.generators.dbar(math.sqrt(0.5))  # a square of unit diagonals
    found = stability(tight(flat))
    assert found.verdict == "first-order rigid"
    assert found.stiffness is None
    assert found.mode is None
    free = stability(tight(flat.supported("*", "")))
    assert free.verdict == "unstable"
    assert not free.ok
    assert free.stiffness == pytest.approx(-400.0, rel=1e-9)  # q = 100 N / 1 m
    assert "Unstable: along a motion that changes no length the forces push it away" in free.sentence
    assert free.mode is not None
    assert np.allclose(np.abs(free.mode[:, 1]), 0.5)


def test_t_bar() -> None:
    assert stability(tight(taut.generators.tbar())).verdict == "super-stable"


def test_a_tight_line_stands_and_a_pushed_one_does_not() -> None:
    """Two members in line between supports, force N: across, N / a + N / b per unit, in two directions."""
    nodes = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (3, 0, 0)}
    ends = {"a": "xyz", "c": "xyz"}
    pulled = taut.Structure(
        nodes,
        cables=[taut.Cable("p", ("a", "b"), stiffness=1e4), taut.Cable("q", ("b", "c"), stiffness=1e4)],
        supports=ends,
    )
    found = stability(prestress(pulled, {"cable:p": 60.0}))
    assert found.verdict == "super-stable"
    assert found.mechanisms == 2
    assert found.stiffness == pytest.approx(60.0 + 30.0)
    pushed = taut.Structure(nodes, bars=[taut.Bar("p", ("a", "b")), taut.Bar("q", ("b", "c"))], supports=ends)
    found = stability(prestress(pushed, {"bar:p": -60.0}))
    assert found.verdict == "unstable"
    assert found.stiffness == pytest.approx(-90.0)


def test_a_mechanism_that_forces_do_not_stiffen() -> None:
    """A tight line from which a bar dangles: the bar swings, and nothing in it resists."""
    nodes = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (2, 0, 0), "d": (1, 0, -1)}
    structure = taut.Structure(
        nodes,
        bars=[taut.Bar("pendulum", ("b", "d"), mass=2.0)],
        cables=[taut.Cable("p", ("a", "b"), stiffness=1e4), taut.Cable("q", ("b", "c"), stiffness=1e4)],
        supports={"a": "xyz", "c": "xyz"},
    )
    found = stability(prestress(structure, {"cable:p": 60.0}))
    assert found.verdict == "mechanism not stiffened"
    assert not found.ok
    assert "Not held" in found.sentence
    assert "add a member or a support against it" in found.sentence
    assert found.stiffness == pytest.approx(0.0, abs=1e-9)


def test_a_hanging_pendulum_is_stable_and_a_standing_one_is_not() -> None:
    """A rod of 2 m with 8 N at its end: turning it by unit displacement of the end takes 8 / 2 N/m."""

    def rod(z: float) -> Equilibrium:
        structure = taut.Structure(
            {"a": (0, 0, 0), "b": (0, 0, z)}, bars=[taut.Bar("rod", ("a", "b"))], supports={"a": "xyz", "b": "y"}
        )
        return prestress(structure, minimum=0.0, loads={"b": (0.0, 0.0, -8.0)})

    hanging, standing = stability(rod(-2.0)), stability(rod(2.0))
    assert hanging.verdict == "super-stable"
    assert hanging.stiffness == pytest.approx(4.0)
    assert standing.verdict == "unstable"
    assert standing.stiffness == pytest.approx(-4.0)


def test_a_free_bar_pulled_at_both_ends_keeps_its_direction_and_a_pushed_one_turns() -> None:
    structure = taut.Structure({"a": (0, 0, 0), "b": (0, 0, 2.0)}, bars=[taut.Bar("rod", ("a", "b"))])
    for force, verdict in ((8.0, "super-stable"), (-8.0, "unstable")):
        loads = {"a": (0.0, 0.0, -force), "b": (0.0, 0.0, force)}
        found = stability(prestress(structure, minimum=0.0, loads=loads))
        assert found.verdict == verdict
        assert (found.mechanisms, found.rigid_motions) == (2, 3)
        assert found.stiffness == pytest.approx(2.0 * force / 2.0)


def test_slack_cables_do_not_count() -> None:
    """The prism's twin without top cables cannot stand; with its prestress taken away nothing holds it."""
    loose = taut.generators.prism().changed("bar:*", mass=1.0)
    balance = prestress(loose, minimum=0.0, loads={})
    assert balance.member_force == pytest.approx(0.0)
    found = stability(balance)
    assert found.verdict == "mechanism not stiffened"
    assert found.mechanisms == 18 - 3 - 6
    assert "9 slack cables are left out" in found.sentence


def test_parts_joined_by_a_slack_cable_only_are_not_held_together() -> None:
    pair = taut.generators.prism().joined(taut.generators.prism().moved(translation=(3, 0, 0)), prefix="b.")
    pair = pair.with_cables(taut.Cable("rope", ("top1", "b.top1"), stiffness=1e3))
    found = stability(prestress(pair, {"cable:*vertical*": 100.0, "cable:rope": 0.0}, minimum=0.0))
    assert found.verdict == "mechanism not stiffened"
    assert (found.mechanisms, found.rigid_motions) == (2 + 6, 6)
    assert "1 slack cable is left out" in found.sentence


def test_an_affine_flex_is_no_super_stability() -> None:
    """Parallel frames joined by nothing across: a grid of tight lines along x and y only shears freely in its plane.

    Its force-density matrix is positive with the right rank, and all directions lie on the conic xy = 0."""
    nodes = {f"n{i}{j}": (float(i), float(j), 0.0) for i in range(3) for j in range(3)}
    names = list(nodes)
    lines = [(a, b) for a in names for b in names if a < b and abs(math.dist(nodes[a], nodes[b]) - 1.0) < 1e-9]
    rods = [("n00", "n20"), ("n01", "n21"), ("n02", "n22"), ("n00", "n02"), ("n10", "n12"), ("n20", "n22")]
    grid = taut.Structure(
        nodes,
        bars=[taut.Bar(f"b{i}", ends) for i, ends in enumerate(rods)],
        cables=[taut.Cable(f"c{i}", ends, stiffness=1e4) for i, ends in enumerate(lines)],
        supports=dict.fromkeys(nodes, "z"),
    )
    balance = prestress(grid, {"cable:*": 100.0})
    found = stability(balance)
    assert found.affine_flex
    assert not found.super_stable
    assert found.verdict == "mechanism not stiffened"  # the shear
    braced = grid.with_bars(taut.Bar("brace", ("n00", "n11")))
    assert not stability(prestress(braced, {"cable:*": 100.0})).affine_flex


def test_parts_that_nothing_joins_are_judged_each() -> None:
    pair = taut.generators.prism().joined(taut.generators.icosahedron().moved(translation=(3, 0, 0)), prefix="b.")
    found = stability(tight(pair))
    assert found.verdict == "super-stable"
    assert (found.mechanisms, found.rigid_motions) == (2, 12)


def test_turning_and_scaling_change_nothing() -> None:
    turn = scipy.linalg.expm(np.cross(np.eye(3), [0.3, -1.1, 0.7]))
    first = stability(tight(taut.generators.tower(3)))
    moved = stability(tight(taut.generators.tower(3).moved(turn, (5.0, 7.0, -3.0))))
    assert moved.verdict == first.verdict
    assert moved.stiffness == pytest.approx(first.stiffness, rel=1e-9)


@pytest.mark.parametrize(
    "structure",
    [
        taut.generators.tower(4),
        taut.generators.tower(4, class_=2),
        taut.generators.lattice(2, 2, 2),
        taut.generators.tower(3).supported("bottom*"),
        taut.generators.prism(6),
    ],
)
def test_the_sparse_search_finds_what_the_dense_one_does(structure: taut.Structure) -> None:
    balance = tight(structure)
    net = network(structure)
    lengths, rigid = sp.csr_matrix(equilibrium_matrix(net).T), rigid_motions(net)
    bending = geometric_stiffness(net, balance.force_density)
    dense, sparse = weakest(bending, lengths, rigid), weakest(bending, lengths, rigid, dense=0, listed=0)
    assert dense is not None
    assert sparse is not None
    assert sparse.value == pytest.approx(dense.value, rel=1e-6)
    assert sparse.negative == dense.negative == 0
    assert np.abs(lengths @ sparse.vector).max() < 1e-9
    # signs flipped, the strongest mechanism becomes the weakest and negative
    flipped, searched = weakest(-bending, lengths, rigid), weakest(-bending, lengths, rigid, dense=0, listed=0)
    assert flipped is not None
    assert searched is not None
    assert searched.value == pytest.approx(flipped.value, rel=1e-5)
    assert searched.negative in (flipped.negative, -1)
    none = sp.csr_matrix((bending.shape[0], 0))
    lifted = sp.csr_matrix(bending + 2.0 * abs(bending).sum(axis=1).max() * sp.identity(bending.shape[0]))
    assert margin(lifted, none, dense=0) == pytest.approx(margin(lifted, none), rel=1e-6)
    assert margin(-lifted, none, dense=0) == 0.0 == margin(-lifted, none)


def test_large_structures_are_certified_the_sparse_way() -> None:
    structure = taut.generators.tower(60)
    assert 3 * len(structure.nodes) > 900
    balance = tight(structure)
    found = stability(balance)
    assert found.verdict == "super-stable"
    assert found.mechanisms == 1
    way = mechanism_basis(structure)[0]
    net = network(structure)
    by_hand = way.ravel() @ geometric_stiffness(net, balance.force_density) @ way.ravel()
    assert found.stiffness == pytest.approx(by_hand, rel=1e-6)
    lengths, bending = sp.csr_matrix(equilibrium_matrix(net).T), geometric_stiffness(net, balance.force_density)
    searched = weakest(bending, lengths, rigid_motions(net), listed=0)
    assert searched is not None
    assert searched.value == pytest.approx(by_hand, rel=1e-6)  # bending of a tall tower is nearly a mechanism


def test_what_is_no_balance_is_refused() -> None:
    balance = tight(taut.generators.prism())
    with pytest.raises(taut.OptionError, match=r"stability is asked of a balance, and here 50 N is left .*lost"):
        stability(replace(balance, residual=50.0, status="lost"))
    pushing = replace(balance, cable_tension=-balance.cable_tension, bar_force=-balance.bar_force)
    with pytest.raises(taut.OptionError, match=r'cable "bottom1" pushes with .* N, which a cable cannot'):
        stability(pushing)


def test_the_same_state_with_signs_flipped_is_unstable() -> None:
    """Springs push as well as pull, so a flipped prism is a balance; it is unstable."""
    sprung = taut.generators.prism().changed("cable:*", law="spring")
    found = stability(prestress(sprung, {"cable:*": -100.0}))
    assert found.verdict == "unstable"
    assert found.stiffness == pytest.approx(-423.0, abs=0.1)
