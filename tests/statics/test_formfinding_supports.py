"""Form-finding between supports: nets and masts by given force densities and by relaxation, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import taut
from taut.statics.formfinding import formfind
from taut.structure.records import Bar, Cable
from taut.structure.structure import Structure


def hanging(segments: int, stiffness: float = 1e4, law: str = "cable") -> Structure:
    """A string along x from 0 to 1 m, both ends held."""
    nodes = {f"n{i}": (i / segments, 0.0, 0.0) for i in range(segments + 1)}
    cables = [Cable(f"c{i}", (f"n{i}", f"n{i + 1}"), stiffness=stiffness, law=law) for i in range(segments)]
    return Structure(nodes, cables={c.name: c for c in cables}, supports={"n0": "xyz", f"n{segments}": "xyz"})


def test_a_loaded_string_of_one_force_density_is_a_parabola() -> None:
    """q (2 z_i - z_(i-1) - z_(i+1)) = -f: z = -f i (n - i) / (2 q)."""
    segments, density, force = 8, 50.0, 3.0
    loads = {f"n{i}": (0.0, 0.0, -force) for i in range(1, segments)}
    found = formfind(hanging(segments), "force_density", force_densities={"cable:*": density}, loads=loads)
    places = found.structure.positions
    i = np.arange(segments + 1)
    assert places[:, 0] == pytest.approx(i / segments, abs=1e-14)
    assert places[:, 2] == pytest.approx(-force * i * (segments - i) / (2.0 * density), abs=1e-13)
    assert found.residual < 1e-12
    assert found.supports == ("n0", "n8")
    assert found.reaction.sum(axis=0) == pytest.approx([0.0, 0.0, 7.0 * force], abs=1e-11)
    assert found.force_density == pytest.approx([density] * segments, rel=1e-12)


def test_relaxation_finds_the_string_that_force_densities_found() -> None:
    loads = {f"n{i}": (0.0, 0.0, -3.0) for i in range(1, 8)}
    linear = formfind(hanging(8), "force_density", force_densities={"cable:*": 50.0}, loads=loads)
    moved = linear.structure.with_nodes(n3=(0.2, 0.1, 0.1), n4=(0.5, -0.2, 0.3))
    relaxed = formfind(moved, "relaxation", loads=loads)
    assert relaxed.ok
    assert relaxed.structure.positions == pytest.approx(linear.structure.positions, abs=1e-9)
    assert relaxed.cable_tension == pytest.approx(linear.cable_tension, rel=1e-8)
    assert relaxed.reaction == pytest.approx(linear.reaction, abs=1e-7)


def test_a_net_between_four_corners_of_unequal_height_is_a_saddle() -> None:
    """On a square grid of one force density every inner node is the mean of its neighbours, as z = x y is."""
    count = 5
    points = [(i, j) for i in range(count) for j in range(count)]
    nodes = {f"n{i}.{j}": (float(i), float(j), float(i * j) if 0 in (i, j) or 4 in (i, j) else 9.0) for i, j in points}
    pairs = [((i, j), (i + 1, j)) for i, j in points if i < 4] + [((i, j), (i, j + 1)) for i, j in points if j < 4]
    cables = {}
    for k, (a, b) in enumerate(pairs):
        cables[f"c{k}"] = Cable(f"c{k}", (f"n{a[0]}.{a[1]}", f"n{b[0]}.{b[1]}"), stiffness=1e3)
    edge = {name: "xyz" for name, (x, y, _) in nodes.items() if 0 in (x, y) or 4 in (x, y)}
    found = formfind(Structure(nodes, cables=cables, supports=edge), "force_density", force_densities={"cable:*": 7.0})
    places = found.structure.positions
    assert places[:, 2] == pytest.approx(places[:, 0] * places[:, 1], abs=1e-12)


def test_supports_of_single_axes_leave_the_others_to_balance() -> None:
    """A prism whose lower ring slides on a table still finds its twist."""
    structure = taut.generators.prism(3, twist=0.9).supported("bottom*", "z")
    found = formfind(structure, "relaxation")
    assert found.ok
    assert np.abs(found.reaction).max() < 1e-8 * found.cable_tension.max()
    lower, upper = (np.array([found.structure.nodes[f"{end}{i}"] for i in (1, 2, 3)]) for end in ("bottom", "top"))
    arms = [ring[:, :2] - ring[:, :2].mean(axis=0) for ring in (lower, upper)]
    turn = math.atan2(arms[0][0, 0] * arms[1][0, 1] - arms[0][0, 1] * arms[1][0, 0], arms[0][0] @ arms[1][0])
    assert turn == pytest.approx(math.pi / 6.0, abs=1e-9)


def test_bars_keep_their_lengths_under_load() -> None:
    """A mast on three stays, pushed from above."""
    nodes = {"foot": (0, 0, 0), "top": (0.1, 0.05, 1.0)}
    nodes |= {f"g{i}": (math.cos(2.1 * i), math.sin(2.1 * i), 0.0) for i in range(3)}
    stays = {f"s{i}": Cable(f"s{i}", (f"g{i}", "top"), rest_length=1.35, stiffness=2e3) for i in range(3)}
    structure = Structure(
        nodes,
        bars={"mast": Bar("mast", ("foot", "top"))},
        cables=stays,
        supports=dict.fromkeys(["foot", "g0", "g1", "g2"], "xyz"),
    )
    found = formfind(structure, "relaxation", bar_lengths={"bar:mast": 1.1}, loads={"top": (0.0, 0.0, -20.0)})
    assert found.ok
    assert math.dist(found.structure.nodes["foot"], found.structure.nodes["top"]) == pytest.approx(1.1, rel=1e-11)
    assert found.residual < 1e-8
    assert found.reaction.sum(axis=0) == pytest.approx([0.0, 0.0, 20.0], abs=1e-8)
    assert found.bar_force[0] < -20.0


def test_slack_cables_are_said() -> None:
    """A side cable longer than its way carries nothing and keeps its rest length."""
    structure = (
        hanging(2)
        .with_nodes(n3=(0.5, 1.0, 0.0))
        .with_cables(Cable("loose", ("n1", "n3"), rest_length=5.0, stiffness=1e3))
    )
    structure = structure.supported("n3")
    found = formfind(structure, "relaxation", rest_lengths={"cable:c*": 0.4})
    assert found.ok
    assert found.notes == ("1 of 3 cables are slack",)
    assert found.cable_tension[2] == 0.0
    assert found.structure.cables["loose"].rest_length == 5.0
