"""Truncated polyhedra and masts: closed forms, published lengths, shape, symmetry, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from taut.errors import OptionError
from taut.structure.files import parse_model
from taut.structure.generators import needle_tower, truncated_octahedron, truncated_tetrahedron, x_mast
from taut.structure.structure import Structure

TRUNCATED = {truncated_tetrahedron: (12, 6, 12, 6), truncated_octahedron: (24, 12, 24, 12)}


def length(structure: Structure, nodes: tuple[str, ...]) -> float:
    return math.dist(structure.nodes[nodes[0]], structure.nodes[nodes[-1]])


def cable_lengths(structure: Structure, kind: str) -> np.ndarray:
    return np.array([length(structure, structure.cables[name].route) for name in structure.select(f"cable:{kind}*")])


def strut_share(structure: Structure) -> float:
    """Force density of a strut from the balance of the first node, cap cables having 1 (by their built-in tension)."""
    pull = np.zeros(3)
    here = "n1"
    shares = {
        c.name: c.stiffness * (1.0 - c.rest_length / length(structure, c.route)) for c in structure.cables.values()
    }
    for cable in structure.cables.values():
        if here in cable.route:
            other = next(node for node in cable.route if node != here)
            pull += shares[cable.name] * np.subtract(structure.nodes[other], structure.nodes[here])
    bar = next(bar for bar in structure.bars.values() if here in bar.nodes)
    other = next(node for node in bar.nodes if node != here)
    along = np.subtract(structure.nodes[other], structure.nodes[here])
    return float(-(pull @ along) / (along @ along) / shares["cap1"])


@pytest.mark.parametrize("make", TRUNCATED)
def test_truncated_polyhedra_have_a_strut_for_every_edge_and_one_length_of_each_kind(make) -> None:
    structure = make(0.8, edge_ratio=1.7)
    nodes, struts, caps, edges = TRUNCATED[make]
    assert (len(structure.nodes), len(structure.bars)) == (nodes, struts)
    assert (len(structure.select("cable:cap")), len(structure.select("cable:edge"))) == (caps, edges)
    for kind in ("cap", "edge"):
        assert np.ptp(cable_lengths(structure, kind)) < 1e-14
    struts_long = [length(structure, bar.nodes) for bar in structure.bars.values()]
    assert struts_long == pytest.approx([0.8] * struts, rel=1e-13)
    assert np.abs(structure.positions.sum(axis=0)).max() < 1e-13
    assert np.ptp(np.linalg.norm(structure.positions, axis=1)) < 1e-14


@pytest.mark.parametrize("v", [0.25, 1.0, 2.0, 6.0])
def test_truncated_tetrahedron_has_the_strut_force_of_the_cubic(v: float) -> None:
    """Written out, the determinant of one node's balance is a polynomial in s; its root next to zero is the strut's."""
    # (2 + 2s)(2 + 2v)(2 + 2v + 2s) - (2 + 2s) - (2 + 2v) - (2 + 2v + 2s) - 2 = 0
    a = 2.0 + 2.0 * v
    roots = np.roots([4.0 * a, 2.0 * a * (2.0 + a) - 4.0, 2.0 * a * a - 4.0 - 2.0 * a])
    s = max(roots.real)
    assert s < 0.0
    assert strut_share(truncated_tetrahedron(edge_ratio=v)) == pytest.approx(s, rel=1e-12)


def test_truncated_tetrahedron_with_cables_of_one_length_has_the_published_struts() -> None:
    """A. G. Tibert and S. Pellegrino, "Review of form-finding methods for tensegrity structures", Int. J. Space
    Structures 18 (2003) 209-223, is quoted with cables of length 1 and struts 2.2507. The paper was not at hand to read
    it there; the closed form here and the optimum in tests/statics/test_formfinding.py agree on it independently."""

    def uneven(ratio: float) -> float:
        made = truncated_tetrahedron(edge_ratio=ratio)
        return float(cable_lengths(made, "cap")[0] - cable_lengths(made, "edge")[0])

    ratio = brentq(uneven, 1.0, 2.0, xtol=1e-13)
    assert ratio == pytest.approx(1.3794, abs=5e-5)
    cable = cable_lengths(truncated_tetrahedron(1.0, edge_ratio=ratio), "cap")[0]
    assert 1.0 / cable == pytest.approx(2.2507, abs=5e-5)


@pytest.mark.parametrize("make", TRUNCATED)
def test_edges_shrink_to_the_solid_they_were_cut_from(make) -> None:
    """Strong edge cables pull the ends of an edge together: only its mid-point is left."""
    edges = cable_lengths(make(edge_ratio=1e4), "edge")
    assert edges.max() < 1e-3


def test_needle_tower_is_a_cone_of_the_height_and_taper_asked() -> None:
    tower = needle_tower(5, radius=0.6, height=7.0, taper=0.3)
    places = tower.positions
    assert np.ptp(places[:, 2]) == pytest.approx(7.0, rel=1e-14)
    radii = np.linalg.norm(places[:, :2], axis=1)
    assert radii == pytest.approx(0.6 * (1.0 - 0.7 * places[:, 2] / 7.0), rel=1e-13)
    struts = {stage: length(tower, tower.bars[f"strut{stage}.1"].nodes) for stage in range(1, 6)}
    assert all(struts[stage] > struts[stage + 1] for stage in range(1, 5))


def test_mast_of_crosses_has_the_size_asked_and_struts_that_cross_apart() -> None:
    mast = x_mast(4, radius=0.4, height=5.0)
    places = mast.positions
    assert np.ptp(places[:, 2]) == pytest.approx(5.0, rel=1e-14)
    assert np.linalg.norm(places[:, :2], axis=1) == pytest.approx([0.4] * 16)
    assert len(mast.bars) == 8
    assert {"bottom", "top"} <= set(mast.cables)
    pairs = [frozenset(cable.route) for cable in mast.cables.values()]
    assert len(pairs) == len(set(pairs))
    for stage in range(1, 5):
        one, two = (np.array([mast.nodes[node] for node in mast.bars[f"strut{stage}.{i}"].nodes]) for i in (1, 2))
        across = np.cross(one[1] - one[0], two[1] - two[0])
        gap = abs((two[0] - one[0]) @ across) / np.linalg.norm(across)
        assert 0.02 < gap < 0.4


@pytest.mark.parametrize(
    ("make", "options", "words"),
    [
        (truncated_tetrahedron, {"edge_ratio": 0.0}, "edge_ratio = 0.0 must be a finite number more than zero"),
        (truncated_octahedron, {"bar_length": -1.0}, "bar_length = -1.0 must be a finite number more than zero"),
        (needle_tower, {"taper": 1.0}, "taper = 1.0 must be more than 0 and less than 1"),
        (needle_tower, {"stages": 1}, "stages = 1 must be a whole number, 2 or more"),
        (needle_tower, {"struts": 2}, "struts = 2 must be a whole number, 3 or more"),
        (x_mast, {"stages": 1}, "stages = 1 must be a whole number, 2 or more"),
        (x_mast, {"height": 0}, "height = 0 must be a finite number more than zero"),
    ],
)
def test_refusals(make, options, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        make(**options)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("truncated_tetrahedron: {edge_ratio: 2}", truncated_tetrahedron(edge_ratio=2)),
        ("truncated_octahedron: {bar_length: 0.5}", truncated_octahedron(0.5)),
        ("needle_tower: {stages: 3, taper: 0.5}", needle_tower(3, taper=0.5)),
        ("x_mast: {stages: 3}", x_mast(3)),
    ],
)
def test_model_files_can_ask_for_them(text: str, made: Structure) -> None:
    model = parse_model(f"taut: 1\ngenerate: {{{text}}}\n")
    assert dict(model.structure.nodes) == dict(made.nodes)
    assert dict(model.structure.cables) == dict(made.cables)
