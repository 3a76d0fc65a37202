"""The tangent stiffness is the derivative of the forces: complex step, energy, and what rigid motions do."""

from __future__ import annotations

import numpy as np
import pytest

from taut.numerics.link_blocks import pattern
from taut.statics import elastic_members
from taut.statics.elastic_members import Members
from taut.statics.equilibrium_equations import equations_of
from taut.statics.network import network
from taut.structure.generators import icosahedron, prism, tower
from taut.structure.records import on_plane

STEP = 1e-30


def some_members(nodes: int = 9, count: int = 20) -> tuple[Members, np.ndarray]:
    """Random members, some slack, some two-sided, some pushed."""
    rng = np.random.default_rng(7)
    ends = np.array([rng.choice(nodes, 2, replace=False) for _ in range(count)])
    positions = rng.normal(size=(nodes, 3))
    lengths = np.linalg.norm(positions[ends[:, 1]] - positions[ends[:, 0]], axis=1)
    members = Members(
        ends[:, 0],
        ends[:, 1],
        rng.uniform(10.0, 1000.0, count),
        lengths * rng.uniform(0.7, 1.3, count),
        np.arange(count) % 2 == 0,
    )
    return members, positions


def forces(members: Members, positions: np.ndarray) -> np.ndarray:
    spans = elastic_members.spans_of(members, positions)
    lengths = elastic_members.lengths_of(spans)
    pulls = (elastic_members.tensions(members, lengths) / lengths)[:, None] * spans
    return elastic_members.nodal_forces(members, pulls, len(positions)).ravel()


def test_the_stiffness_is_the_complex_step_of_the_forces() -> None:
    members, positions = some_members()
    size = positions.size
    spans = elastic_members.spans_of(members, positions)
    assert 0 < np.sum(~elastic_members.taut(members, elastic_members.lengths_of(spans))) < members.first.size, (
        "some are slack"
    )
    layout = pattern(members.first, members.second, np.arange(size), size)
    matrix = layout.matrix(elastic_members.stiffness_blocks(members, spans)).toarray()
    for k in range(size):
        shifted = positions.astype(complex).ravel()
        shifted[k] += 1j * STEP
        column = -forces(members, shifted.reshape(-1, 3)).imag / STEP
        assert np.abs(matrix[:, k] - column).max() <= 1e-12 * np.abs(matrix).max()


def test_forces_are_the_slope_of_the_energy() -> None:
    members, positions = some_members()
    rng = np.random.default_rng(1)
    way = rng.normal(size=positions.shape)
    h = 1e-5

    def energy(share: float) -> float:
        return elastic_members.energy(
            members, elastic_members.lengths_of(elastic_members.spans_of(members, positions + share * way))
        )

    slope = (energy(h) - energy(-h)) / (2.0 * h)
    assert slope == pytest.approx(-forces(members, positions) @ way.ravel(), rel=1e-8)


def test_held_coordinates_have_no_row() -> None:
    members, positions = some_members()
    size = positions.size
    kept = np.arange(3, size - 4)
    unknown = np.full(size, -1)
    unknown[kept] = np.arange(kept.size)
    blocks = elastic_members.stiffness_blocks(members, elastic_members.spans_of(members, positions))
    whole = pattern(members.first, members.second, np.arange(size), size).matrix(blocks).toarray()
    part = pattern(members.first, members.second, unknown, kept.size).matrix(blocks).toarray()
    assert np.array_equal(part, whole[np.ix_(kept, kept)])


@pytest.mark.parametrize("bars", ["rigid", "compressible", {"bar:strut1": "compressible"}])
def test_the_posed_stiffness_is_the_complex_step_of_the_unbalance(bars: str | dict[str, str]) -> None:
    """With bars pushed, a node on a guide, supports and a load; multipliers as unknowns too."""
    structure = prism(3).supported("bottom1").with_constraints(on_plane("wall", "top2", (1.0, 2.0, 0.5)))
    problem = equations_of(network(structure, gravity=9.81, loads={"top1": (3.0, 1.0, 0.0)}), bars)
    rng = np.random.default_rng(3)
    positions = problem.network.positions + 0.02 * rng.normal(size=problem.network.positions.shape)
    positions = problem.placed(positions, problem.setting)
    multipliers = rng.normal(size=problem.rows) * 100.0
    setting = problem.setting
    matrix = problem.stiffness(positions, multipliers, setting).toarray()
    rows = problem.free_rows(positions, setting).toarray()
    for k, at in enumerate(problem.free):
        shifted = positions.astype(complex).ravel()
        shifted[at] += 1j * STEP
        place = shifted.reshape(-1, 3)
        column = problem.unbalance(place, multipliers, setting)[problem.free].imag / STEP
        assert np.abs(matrix[:, k] - column).max() <= 1e-12 * np.abs(matrix).max()
        assert np.abs(rows[:, k] - problem.residuals(place, setting).imag / STEP).max(initial=0.0) <= 1e-13
    for k in range(problem.rows):
        shifted = multipliers.astype(complex)
        shifted[k] += 1j * STEP
        column = problem.unbalance(positions, shifted, setting)[problem.free].imag / STEP
        assert np.abs(rows[k] - column).max() <= 1e-13


@pytest.mark.parametrize("structure", [icosahedron(), prism(4), tower(2)], ids=lambda s: s.name)
def test_a_balanced_free_body_has_no_stiffness_against_moving_as_a_whole(structure) -> None:
    from taut.statics.balancing import balance
    from taut.statics.linearised import linearised

    equilibrium = balance(structure)
    stiffness = linearised(equilibrium, "compressible").stiffness
    places = equilibrium.structure.positions
    for axis in np.eye(3):
        for motion in (np.tile(axis, (len(places), 1)), np.cross(axis, places)):
            assert np.abs(stiffness @ motion.ravel()).max() <= 1e-9 * np.abs(stiffness.diagonal()).max()
