"""Counts of self-stress states and mechanisms: closed forms, dense SVD as an independent road, sparse against dense."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import taut
from taut.errors import ModelError
from taut.numerics.subspaces import least_norm, null_space, rank_of
from taut.statics.matrices import equilibrium_matrix
from taut.statics.network import network
from taut.statics.self_stress import counts, mechanism_basis, self_stress_basis

GENERATED = {
    "prism": taut.generators.prism(5),
    "icosahedron": taut.generators.icosahedron(),
    "tower, class 1": taut.generators.tower(12),
    "tower, class 2": taut.generators.tower(12, 4, class_=2),
    "tower, held": taut.generators.tower(12).supported("bottom*"),
    "T-bar": taut.generators.tbar(),
    "D-bar": taut.generators.dbar(),
    "planar lattice, class 1": taut.generators.planar_lattice(4, 4),
    "planar lattice, class 4": taut.generators.planar_lattice(8, 8, class_=4),
    "lattice, class 1": taut.generators.lattice(2, 2, 2),
    "lattice, class 2": taut.generators.lattice(2, 2, 2, class_=2),
}


def dense_matrix(structure: taut.Structure) -> np.ndarray:
    """The equilibrium matrix written out member by member, held rows deleted: no code in common with the library."""
    names = list(structure.nodes)
    places = {name: np.array(place) for name, place in structure.nodes.items()}
    ends = [c.route for c in structure.cables.values()] + [b.nodes for b in structure.bars.values()]
    matrix = np.zeros((3 * len(names), len(ends)))
    for k, (a, b) in enumerate(ends):
        unit = (places[b] - places[a]) / np.linalg.norm(places[b] - places[a])
        matrix[3 * names.index(a) : 3 * names.index(a) + 3, k] += unit
        matrix[3 * names.index(b) : 3 * names.index(b) + 3, k] -= unit
    free = [
        3 * i + axis
        for i, n in enumerate(names)
        for axis in range(3)
        if "xyz"[axis] not in structure.supports.get(n, "")
    ]
    return matrix[free]


def test_the_icosahedron_has_one_state_one_mechanism_and_rank_29() -> None:
    found = counts(taut.generators.icosahedron())
    assert (found.self_stress_states, found.mechanisms, found.rank, found.rigid_motions) == (1, 1, 29, 6)
    assert found.maxwell == 0 == found.self_stress_states - found.mechanisms
    assert "1 self-stress state, 1 mechanism and 6 rigid motions; rank 29" in found.sentence
    structure = taut.generators.icosahedron(2.0)
    state = self_stress_basis(structure)[:, 0]
    density = state / network(structure).lengths()
    cables, struts = density[:24], density[24:]
    assert np.allclose(cables, cables[0], rtol=1e-12)
    assert np.allclose(struts / cables[0], -1.5, rtol=1e-12)


@pytest.mark.parametrize("struts", [3, 4, 5, 8])
def test_only_the_right_twist_of_a_prism_has_a_state(struts: int) -> None:
    right = math.pi / 2 - math.pi / struts
    found = counts(taut.generators.prism(struts))
    assert (found.self_stress_states, found.mechanisms) == (1, 2 * struts - 5)
    state = self_stress_basis(taut.generators.prism(struts))[:, 0]
    density = state / network(taut.generators.prism(struts)).lengths()
    bottom, top, vertical, strut = np.split(density, 4)
    assert np.allclose(strut / vertical, -1.0, rtol=1e-10)
    assert np.allclose(np.concatenate([bottom, top]) / vertical[0], 1 / (2 * math.sin(math.pi / struts)), rtol=1e-10)
    for wrong in (right + 1e-3, right - 0.2, 0.1):
        assert counts(taut.generators.prism(struts, twist=wrong)).self_stress_states == 0
    assert counts(taut.generators.prism(struts, twist=right + 1e-11)).self_stress_states == 1  # below the tolerance


def test_the_x_frame_in_its_plane_and_in_space() -> None:
    flat = taut.generators.planar_lattice(1, 1)
    held, free = counts(flat), counts(flat.supported("*", ""))
    assert (held.self_stress_states, held.mechanisms, held.rigid_motions) == (1, 0, 3)
    assert (free.self_stress_states, free.mechanisms, free.rigid_motions) == (1, 1, 6)
    assert "All nodes lie in a plane" in free.sentence
    assert "plane" not in held.sentence
    warp = mechanism_basis(flat.supported("*", ""))[0]
    assert np.allclose(np.abs(warp[:, 1]), 0.5)  # corners leave the plane alternately up and down
    assert np.allclose(warp[:, [0, 2]], 0.0, atol=1e-12)


def test_a_member_between_supports_is_a_state_and_is_said_to_be() -> None:
    found = counts(taut.generators.tbar())
    assert (found.free_coordinates, found.rank, found.self_stress_states, found.between_supports) == (4, 4, 2, 1)
    assert "2 self-stress states (1 of them of a member between supports)" in found.sentence
    assert counts(taut.generators.dbar()).self_stress_states == 1


def test_the_states_of_the_t_bar_and_d_bar_have_equal_force_densities() -> None:
    """T-bar: sides 1, bars -1. D-bar: diagonals 1, bars -1, at any angle."""
    for angle in (0.3, 0.9):
        structure = taut.generators.tbar(angle=angle).supported("n2", "yz")  # else c1 lies between supports
        density = self_stress_basis(structure)[:, 0] / network(structure).lengths()
        assert np.allclose(density[:4] / density[0], 1.0)
        assert np.allclose(density[4:] / density[0], -1.0)
        density = (
            self_stress_basis(taut.generators.dbar(angle=angle))[:, 0]
            / network(taut.generators.dbar(angle=angle)).lengths()
        )
        assert np.allclose(density / density[0], [1, 1, -1, -1, -1, -1])


@pytest.mark.parametrize("name", GENERATED)
def test_counts_agree_with_dense_svd(name: str) -> None:
    structure = GENERATED[name]
    matrix = dense_matrix(structure)
    rank = np.linalg.matrix_rank(matrix, tol=1e-9 * np.linalg.norm(matrix, 2))
    found = counts(structure)
    assert found.rank == rank
    assert found.self_stress_states == matrix.shape[1] - rank
    assert found.mechanisms + found.rigid_motions == matrix.shape[0] - rank
    assert not found.doubtful
    states, ways = self_stress_basis(structure), mechanism_basis(structure)
    assert states.shape[1] == found.self_stress_states
    assert len(ways) == found.mechanisms
    assert np.abs(matrix @ states).max(initial=0.0) < 1e-13
    assert np.allclose(states.T @ states, np.eye(states.shape[1]), atol=1e-12)
    flat = ways.reshape(len(ways), 3 * len(structure.nodes))
    assert np.allclose(flat @ flat.T, np.eye(len(ways)), atol=1e-12)


@pytest.mark.parametrize("name", GENERATED)
def test_the_sparse_road_finds_the_same_as_the_dense_one(name: str) -> None:
    matrix = equilibrium_matrix(network(GENERATED[name]))
    dense, sparse = rank_of(matrix, dense=10**9), rank_of(matrix, dense=0)
    assert sparse.rank == dense.rank
    assert sparse.smallest_kept <= 1.05 * dense.smallest_kept
    assert sparse.smallest_kept > 1e-3 * dense.smallest_kept
    assert sparse.largest_dropped < 1e-12
    for given_ in (matrix, sp.csr_matrix(matrix.T)):
        one, other = null_space(given_, dense=10**9), null_space(given_, dense=0)
        assert one.shape == other.shape
        if one.shape[1]:
            assert scipy.linalg.subspace_angles(one, other).max() < 1e-9


@pytest.mark.parametrize(
    "structure", [taut.generators.tower(40), taut.generators.lattice(3, 3, 3), taut.generators.planar_lattice(10, 10)]
)
def test_counts_of_middling_structures_go_the_sparse_way_and_agree(structure: taut.Structure) -> None:
    matrix = dense_matrix(structure)
    assert max(matrix.shape) > 700
    found = counts(structure)
    assert found.rank == np.linalg.matrix_rank(matrix, tol=1e-9 * np.linalg.norm(matrix, 2))


@pytest.mark.parametrize("structure", [taut.generators.tower(30, 4), taut.generators.tower(60, 4, class_=2)])
def test_dependence_that_no_pivot_shows_is_found(structure: taut.Structure) -> None:
    """In these towers every pivot over coordinates is large, but one or two combinations of all of them vanish."""
    matrix = sp.csr_matrix(equilibrium_matrix(network(structure)).T)
    assert null_space(matrix, dense=0).shape == null_space(matrix, dense=10**9).shape
    assert len(mechanism_basis(structure)) == counts(structure).mechanisms


def test_the_classic_matrix_with_large_pivots_and_a_null_vector() -> None:
    """Ones on the diagonal, minus ones to the right of it: every pivot is 1, the smallest singular value about 2^-n."""
    size = 60
    matrix = sp.csr_matrix(np.triu(-np.ones((size, size)), 1) + np.eye(size))
    both = sp.block_diag([matrix] * 10, format="csr")
    assert rank_of(both, dense=0).rank == rank_of(both, dense=10**9).rank == 10 * (size - 1)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_sparse_rank_of_random_matrices_with_known_rank(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, columns, rank = random.integers(1, 300), random.integers(1, 300), int(random.integers(1, 60))
    left = sp.random(rows, rank, 0.1, random_state=random).toarray()
    right = sp.random(rank, columns, 0.1, random_state=random).toarray()
    product = sp.csr_matrix(left @ right)
    if not product.nnz:
        return
    values = np.linalg.svd(product.toarray(), compute_uv=False)
    true = int(np.sum(values > 1e-9 * values[0]))
    assert rank_of(product, dense=0).rank == true
    basis = null_space(product, dense=0)
    assert basis.shape[1] == columns - true
    assert np.abs(product @ basis).max(initial=0.0) < 1e-8 * values[0]


def test_least_norm_is_the_pseudo_inverse() -> None:
    matrix = equilibrium_matrix(network(taut.generators.lattice(3, 3, 2)))
    assert max(matrix.shape) > 700
    wanted = matrix @ np.random.default_rng(0).standard_normal(matrix.shape[1])
    found = least_norm(matrix, wanted)
    assert np.abs(matrix @ found - wanted).max() < 1e-12
    best = np.linalg.lstsq(matrix.toarray(), wanted, rcond=1e-9)[0]
    assert np.allclose(found, best, atol=1e-9)


def test_parts_that_nothing_joins_are_counted_each() -> None:
    pair = taut.generators.prism().joined(taut.generators.icosahedron().moved(translation=(3, 0, 0)), prefix="b.")
    found = counts(pair)
    assert (found.parts, found.self_stress_states, found.mechanisms, found.rigid_motions) == (2, 2, 2, 12)
    assert "falls into 2 parts" in found.sentence


def test_constraints_are_counted_as_what_they_leave_free() -> None:
    planes = [taut.on_plane(f"p{i}", f"bottom{i}", (0, 0, 1)) for i in (1, 2, 3)]
    held = taut.generators.prism().supported("bottom*", "z")
    by_planes, by_supports = counts(taut.generators.prism().with_constraints(*planes)), counts(held)
    assert by_planes.sentence == by_supports.sentence
    slanted = taut.generators.prism().with_constraints(
        taut.on_plane("s", "top1", (1, 2, 3)), taut.on_plane("t", "top1", (2, 4, 6))
    )
    found = counts(slanted)  # the second says what the first says
    assert (found.free_coordinates, found.rigid_motions, found.mechanisms) == (17, 5, 1)


def test_a_ball_joint_leaves_three_rigid_motions_and_a_line_of_bars_has_five() -> None:
    assert counts(taut.generators.prism().supported("bottom1")).rigid_motions == 3
    rod = taut.Structure({"a": (0, 0, 0), "b": (1, 2, 3)}, bars=[taut.Bar("r", ("a", "b"))])
    found = counts(rod)
    assert (found.rigid_motions, found.mechanisms, found.self_stress_states) == (5, 0, 0)


def test_counts_do_not_depend_on_place_size_or_turn() -> None:
    turn = scipy.linalg.expm(np.cross(np.eye(3), [0.3, -1.1, 0.7]))
    first = counts(taut.generators.tower(3))
    for scale in (1e-6, 1e6):
        nodes = (taut.generators.tower(3).positions @ turn.T + [5.0, 7.0, -3.0]) * scale
        found = counts(taut.generators.tower(3).placed(nodes))
        assert (found.rank, found.mechanisms, found.rigid_motions) == (
            first.rank,
            first.mechanisms,
            first.rigid_motions,
        )


def test_a_nearly_balanced_twist_is_called_doubtful() -> None:
    found = counts(taut.generators.prism(twist=math.pi / 6 + 3e-9))
    assert found.doubtful
    assert "rank is doubtful" in found.sentence


def test_bad_input() -> None:
    with pytest.raises(taut.OptionError, match="tolerance = 2.0 must be more than 0 and less than 1"):
        counts(taut.generators.prism(), tolerance=2.0)


def test_counts_need_no_stiffness() -> None:
    """Nor does least mass, which chooses it."""
    known = taut.generators.prism(3)
    bare = known.changed("cable:*", stiffness=None, material=None).changed("bar:*", law="compressible", material=None)
    assert any("stiffness" in str(problem) for problem in bare.check())
    assert counts(bare) == counts(known)
    assert np.array_equal(self_stress_basis(bare), self_stress_basis(known))
    assert np.array_equal(mechanism_basis(bare), mechanism_basis(known))
    with pytest.raises(ModelError, match="stiffness: is not known"):
        taut.balance(bare)
    with pytest.raises(ModelError, match='no node "nowhere"'):
        counts(replace(bare, supports={"nowhere": "xyz"}))
