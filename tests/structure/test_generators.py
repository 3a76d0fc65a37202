"""Generators: geometry against closed forms, self-stress by null space, balance as built, sizes, refusals."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from taut.errors import OptionError
from taut.structure import generators
from taut.structure.generators import (
    dbar,
    geiger_dome,
    hollow_bridge,
    icosahedron,
    lattice,
    levy_dome,
    needle_tower,
    planar_lattice,
    prism,
    tbar,
    tower,
    truncated_octahedron,
    truncated_tetrahedron,
    x_mast,
)
from taut.structure.properties import bar_mass, massless_nodes, route_length, stiffness, total_mass
from taut.structure.structure import Structure

BALANCED = {
    "dbar": dbar(2.0, angle=0.3, along_rest_ratio=0.8, across_rest_ratio=0.8),
    "icosahedron": icosahedron(0.6),
    **{f"prism {p}": prism(p, radius=0.3, height=1.7) for p in (3, 4, 5, 8, 13)},
    **{
        f"tower {stages} x {struts} class {class_}": tower(stages, struts, radius=0.4, height=1.3, class_=class_)
        for stages, struts, class_ in itertools.product((1, 2, 3, 4, 9), (3, 4, 6), (1, 2))
    },
    **{f"truncated tetrahedron {r}": truncated_tetrahedron(0.7, edge_ratio=r) for r in (0.3, 1.0, 3.0)},
    **{f"truncated octahedron {r}": truncated_octahedron(1.2, edge_ratio=r) for r in (0.3, 1.0, 3.0)},
    **{f"needle tower {n} x {p}": needle_tower(n, p, radius=0.7, height=5.0) for n, p in ((2, 3), (5, 3), (3, 6))},
    **{f"mast of {n} crosses": x_mast(n, radius=0.3, height=3.0) for n in (2, 3, 8)},
    **{f"tower overlap {o}": tower(4, 3, height=2.0, overlap=o) for o in (0.05, 0.5, 0.95)},
    **{
        f"planar {size} class {class_}": planar_lattice(*size, class_=class_, cell_width=2.0, cell_height=0.7)
        for size, class_ in itertools.product(((1, 1), (2, 1), (1, 2), (5, 4)), (1, 4))
    },
    **{
        f"lattice {size} class {class_}": lattice(*size, class_=class_, bar_length=0.8)
        for size, class_ in itertools.product(((1, 1, 1), (2, 1, 1), (1, 3, 2), (3, 2, 2)), (1, 2))
    },
    **{f"bridge {n} x {p}": hollow_bridge(n, p, span=9.0, radius=1.2) for n, p in ((1, 4), (3, 5), (4, 9))},
}
DOMES = {"Geiger dome": geiger_dome(8, 3), "Levy dome": levy_dome(9, 2, centre="ring")}
ALL = {"tbar": tbar(), "tower overlap 0.9": tower(2, 3, overlap=0.9), **DOMES, **BALANCED}

each_balanced = pytest.mark.parametrize("structure", BALANCED.values(), ids=BALANCED)
each = pytest.mark.parametrize("structure", ALL.values(), ids=ALL)


def lines(structure: Structure) -> list[tuple[str, str]]:
    """The end nodes of all members, bars first."""
    return [bar.nodes for bar in structure.bars.values()] + [cable.route for cable in structure.cables.values()]


def equilibrium_matrix(structure: Structure) -> np.ndarray:
    """Node forces from force densities, (3 nodes, members), supports left out of account."""
    index = {node: i for i, node in enumerate(structure.nodes)}
    places = structure.positions
    matrix = np.zeros((3 * len(index), len(lines(structure))))
    for column, (first, second) in enumerate(lines(structure)):
        a, b = index[first], index[second]
        matrix[3 * a : 3 * a + 3, column] = places[b] - places[a]
        matrix[3 * b : 3 * b + 3, column] = places[a] - places[b]
    return matrix


def self_stresses(structure: Structure) -> np.ndarray:
    """A basis of all self-stresses as force densities, a row each."""
    _, values, rows = np.linalg.svd(equilibrium_matrix(structure))
    rank = int((values > 1e-10 * values[0]).sum())
    return rows[rank:]


def force_densities(structure: Structure) -> np.ndarray:
    """Of the cables as built [N/m]."""
    return np.array(
        [
            stiffness(structure, c) * (1.0 - c.rest_length / route_length(structure, c.route))
            for c in structure.cables.values()
        ]
    )


def bars_and_residual(structure: Structure) -> tuple[np.ndarray, float]:
    """The bars' force densities that best hold the cables, and the largest force left over [N]."""
    matrix, count = equilibrium_matrix(structure), len(structure.bars)
    pull = matrix[:, count:] @ force_densities(structure)
    bars = np.linalg.lstsq(matrix[:, :count], -pull, rcond=None)[0]
    return bars, float(np.abs(matrix[:, :count] @ bars + pull).max())


def structural_class(structure: Structure) -> int:
    return max(Counter(node for bar in structure.bars.values() for node in bar.nodes).values())


def least_gap(structure: Structure) -> float:
    """Smallest distance between two bars that share no node [m]."""

    def gap(one: np.ndarray, two: np.ndarray) -> float:
        directions = np.column_stack([one[1] - one[0], two[0] - two[1]])
        offset = two[0] - one[0]
        return float(np.linalg.norm(directions @ lsq_linear(directions, offset, (0.0, 1.0)).x - offset))

    bars = list(structure.bars.values())
    return min(
        gap(*(np.array([structure.nodes[node] for node in bar.nodes]) for bar in pair))
        for pair in itertools.combinations(bars, 2)
        if set(pair[0].nodes).isdisjoint(pair[1].nodes)
    )


def component_count(structure: Structure) -> int:
    index = {node: i for i, node in enumerate(structure.nodes)}
    ends = np.array([(index[a], index[b]) for a, b in lines(structure)]).T
    graph = coo_array((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(len(index), len(index)))
    return connected_components(graph, directed=False, return_labels=False)


# --- every generator


@each
def test_sound_connected_and_massive(structure: Structure) -> None:
    assert structure.check() == []
    assert massless_nodes(structure) == []
    assert component_count(structure) == 1
    assert all(bar_mass(structure, bar) > 0.0 for bar in structure.bars.values())
    assert min(route_length(structure, line) for line in lines(structure)) > 0.01


@each
def test_nodes_are_apart(structure: Structure) -> None:
    places = structure.positions
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2) + 10.0 * np.eye(len(places))
    assert gaps.min() > 0.01


@each_balanced
def test_stands_in_balance_with_cables_pulling_and_bars_pushed(structure: Structure) -> None:
    cables = force_densities(structure)
    bars, residual = bars_and_residual(structure)
    assert cables.min() > 0.0
    assert bars.max() < 0.0
    assert residual < 1e-11 * cables.max()


@pytest.mark.parametrize("make", [prism, tower, icosahedron])
def test_rest_ratio_belongs_to_the_largest_force_density(make) -> None:
    structure = make(rest_ratio=0.8, stiffness=250.0)
    assert force_densities(structure).max() == pytest.approx(250.0 * 0.2, rel=1e-12)
    assert {cable.stiffness for cable in structure.cables.values()} == {250.0}
    unstressed = make(rest_ratio=1.0)
    assert np.abs(force_densities(unstressed)).max() < 1e-10


def test_bars_are_made_of_what_is_asked() -> None:
    structure = icosahedron(2.0, bar_radius=0.02, bar_density=1000.0, bar_youngs_modulus=3e9)
    assert total_mass(structure) == pytest.approx(6 * 1000.0 * math.pi * 0.02**2 * 2.0)
    assert {bar.material.youngs_modulus for bar in structure.bars.values()} == {3e9}


# --- T-bar and D-bar


def test_tbar_is_the_papers() -> None:
    structure = tbar()
    h = 5.0 / math.sqrt(2.0)
    assert list(structure.nodes) == ["n1", "n2", "n3", "n4"]
    assert structure.positions == pytest.approx(np.array([[0, 0, 0], [h, 0, 0], [h, 0, h], [0, 0, h]]), abs=2e-15)
    assert {b.name: b.nodes for b in structure.bars.values()} == {"b1": ("n1", "n3"), "b2": ("n2", "n4")}
    assert [c.route for c in structure.cables.values()] == [("n1", "n2"), ("n2", "n3"), ("n3", "n4"), ("n4", "n1")]
    assert [c.rest_length for c in structure.cables.values()] == pytest.approx([h, 0.9 * h, h, 0.9 * h], rel=1e-14)
    assert all(c.stiffness == 100.0 and c.law == "spring" for c in structure.cables.values())
    assert dict(structure.supports) == {"n1": "xyz", "n2": "xyz", "n3": "y", "n4": "y"}
    for bar in structure.bars.values():
        assert bar_mass(structure, bar) == pytest.approx(6.25 * math.pi, rel=1e-14)
        assert bar.inertia == "thin"
    stretch = [route_length(structure, c.route) - c.rest_length for c in structure.cables.values()]
    assert sum(50.0 * s**2 for s in stretch) == pytest.approx(12.5, rel=1e-13)


def test_tbar_angle_and_ratio() -> None:
    structure = tbar(2.0, angle=0.4, rest_ratio=0.5)
    assert structure.nodes["n3"] == pytest.approx((2.0 * math.cos(0.4), 0.0, 2.0 * math.sin(0.4)))
    assert [route_length(structure, bar.nodes) for bar in structure.bars.values()] == pytest.approx([2.0, 2.0])
    width, height = 2.0 * math.cos(0.4), 2.0 * math.sin(0.4)
    rests = [cable.rest_length for cable in structure.cables.values()]
    assert rests == pytest.approx([width, 0.5 * height, width, 0.5 * height])
    assert structure.select("cable:vertical") == ("c2", "c4")


def test_dbar_diagonals_and_self_stress() -> None:
    structure = dbar(2.0, angle=0.3, along_rest_ratio=0.7, across_rest_ratio=0.9, end_mass=4.0)
    assert [route_length(structure, bar.nodes) for bar in structure.bars.values()] == pytest.approx([2.0] * 4)
    along, across = structure.cables["along"], structure.cables["across"]
    assert route_length(structure, along.route) == pytest.approx(4.0 * math.cos(0.3))
    assert route_length(structure, across.route) == pytest.approx(4.0 * math.sin(0.3))
    assert along.rest_length == pytest.approx(0.7 * 4.0 * math.cos(0.3))
    assert across.rest_length == pytest.approx(0.9 * 4.0 * math.sin(0.3))
    (stress,) = self_stresses(structure)
    assert stress / stress[-1] == pytest.approx([-1, -1, -1, -1, 1, 1])
    assert dict(structure.supports) == {"n1": "xyz", "n2": "y", "n3": "yz", "n4": "y"}
    assert dict(structure.point_masses) == {"n3": 4.0}
    assert structural_class(structure) == 2


# --- prisms and towers


@pytest.mark.parametrize("struts", [3, 4, 5, 6, 9])
def test_prism_has_one_self_stress_at_its_twist(struts: int) -> None:
    structure = prism(struts, radius=0.7, height=1.1)
    (stress,) = self_stresses(structure)
    stress = stress / stress[-1]
    names = [*structure.bars, *structure.cables]
    ring = 1.0 / (2.0 * math.sin(math.pi / struts))
    expected = {"strut": -1.0, "vertical": 1.0, "bottom": ring, "top": ring}
    assert stress == pytest.approx([expected[name.rstrip("0123456789")] for name in names], rel=1e-10)


@pytest.mark.parametrize("change", [-0.05, 0.05])
def test_prism_of_another_twist_has_none(change: float) -> None:
    structure = prism(3, twist=math.pi / 6.0 + change)
    assert len(self_stresses(structure)) == 0
    assert bars_and_residual(structure)[1] > 1.0


def test_prism_geometry_and_groups() -> None:
    structure = prism(5, radius=0.7, height=1.1, twist=0.25)
    assert len(structure.nodes) == 10
    assert len(structure.bars) == 5
    assert Counter(name.rstrip("12345") for name in structure.cables) == {"bottom": 5, "top": 5, "vertical": 5}
    for kind, turn in (("cable:vertical*", 0.25), ("bar:struts", 0.25 + 2.0 * math.pi / 5)):
        length = math.hypot(1.1, 2.0 * 0.7 * math.sin(turn / 2.0))
        pool = {**structure.bars, **structure.cables}
        ends = [getattr(pool[name], "nodes", None) or pool[name].route for name in structure.select(kind)]
        assert [route_length(structure, pair) for pair in ends] == pytest.approx([length] * 5)
    assert structure.select("cable:bottom") == structure.select("cable:bottom*")
    assert structure.select("bottom*", "node") == tuple(f"bottom{i}" for i in range(1, 6))


@pytest.mark.parametrize("class_", [1, 2])
@pytest.mark.parametrize(("stages", "struts"), [(2, 3), (3, 3), (4, 5), (7, 4)])
def test_tower_counts_and_class(stages: int, struts: int, class_: int) -> None:
    structure = tower(stages, struts, class_=class_)
    cables = {kind: len(structure.select(f"cable:{kind}")) for kind in structure.groups if kind != "struts"}
    assert structural_class(structure) == class_
    assert len(structure.bars) == stages * struts
    if class_ == 1:
        assert len(structure.nodes) == 2 * stages * struts
        joints = (stages - 1) * struts
        ends = {"bottom": struts, "top": struts}
        assert cables == {**ends, "vertical": stages * struts, "saddle": 2 * joints, "diagonal": 2 * joints}
    else:
        assert len(structure.nodes) == (stages + 1) * struts
        rings = {"bottom": struts, "top": struts, "ring": (stages - 1) * struts}
        assert cables == {**rings, "vertical": stages * struts}
    assert sum(cables.values()) == len(structure.cables)


@pytest.mark.parametrize("class_", [1, 2])
@pytest.mark.parametrize("stages", [1, 2, 3, 12])
def test_tower_ends_have_names(stages: int, class_: int) -> None:
    structure = tower(stages=stages, radius=0.5, height=1.0, class_=class_)
    heights = {node: place[2] for node, place in structure.nodes.items()}
    low, high = min(heights.values()), max(heights.values())
    assert set(structure.select("bottom*", "node")) == {node for node in heights if heights[node] < low + 1e-9}
    assert set(structure.select("top*", "node")) == {node for node in heights if heights[node] > high - 1e-9}
    assert dict(structure.supported("bottom*").supports) == {f"bottom{i}": "xyz" for i in (1, 2, 3)}
    step = 0.7 if class_ == 1 else 1.0
    assert (low, high) == pytest.approx((0.0, 1.0 + (stages - 1) * step))


@pytest.mark.parametrize(("stages", "struts"), [(2, 3), (3, 3), (4, 4), (5, 6)])
def test_overlapped_tower_has_one_self_stress_and_it_is_the_built_one(stages: int, struts: int) -> None:
    structure = tower(stages, struts, radius=0.6, height=0.9, overlap=0.35)
    (stress,) = self_stresses(structure)
    built = np.concatenate([bars_and_residual(structure)[0], force_densities(structure)])
    assert stress / stress[-1] == pytest.approx(built / built[-1], rel=1e-8)


@pytest.mark.parametrize("struts", [3, 4, 7])
def test_two_stages_have_upright_verticals_at_the_known_overlap(struts: int) -> None:
    # Half the height for three struts: Sultan, Corless, Skelton, the prestressability of the two-stage tower.
    cosine = math.cos(math.pi / struts)
    structure = tower(2, struts, height=2.0, overlap=2.0 * (2.0 * cosine) / (1.0 + 2.0 * cosine))
    for name in structure.select("cable:vertical"):
        foot, head = (structure.nodes[node] for node in structure.cables[name].route)
        assert head[:2] == pytest.approx(foot[:2], abs=1e-12)


@pytest.mark.parametrize("struts", [3, 4, 6])
@pytest.mark.parametrize("stages", [2, 3, 5])
def test_bars_of_an_overlapped_tower_keep_clear(stages: int, struts: int) -> None:
    assert least_gap(tower(stages, struts)) > 0.1


def test_neighbouring_stages_have_opposite_hands() -> None:
    for class_ in (1, 2):
        structure = tower(3, class_=class_)
        hands = []
        for stage in (1, 2, 3):
            (x0, y0, _), (x1, y1, _) = (structure.nodes[node] for node in structure.bars[f"strut{stage}.1"].nodes)
            hands.append(math.copysign(1.0, x0 * y1 - x1 * y0))
        assert hands == [1.0, -1.0, 1.0]


# --- icosahedron and lattices


def test_icosahedron_self_stress_and_shape() -> None:
    structure = icosahedron()
    (stress,) = self_stresses(structure)
    assert len(structure.bars) == 6
    assert len(structure.cables) == 24
    assert structural_class(structure) == 1
    assert stress / stress[-1] == pytest.approx([-1.5] * 6 + [1.0] * 24)
    assert structure.positions.mean(axis=0) == pytest.approx([0.0, 0.0, 0.0], abs=1e-15)
    lengths = [route_length(structure, line) for line in lines(structure)]
    assert lengths == pytest.approx([1.0] * 6 + [math.sqrt(6.0) / 4.0] * 24)
    directions = Counter(
        int(np.argmax(np.abs(np.subtract(*(structure.nodes[node] for node in bar.nodes)))))
        for bar in structure.bars.values()
    )
    assert directions == {0: 2, 1: 2, 2: 2}
    assert least_gap(structure) == pytest.approx(0.25)


@pytest.mark.parametrize("class_", [1, 2])
@pytest.mark.parametrize("size", [(1, 1, 1), (2, 1, 1), (1, 1, 4), (3, 2, 4)])
def test_lattice_counts_and_class(size: tuple[int, int, int], class_: int) -> None:
    nx, ny, nz = size
    cells = nx * ny * nz
    joints = (nx - 1) * ny * nz + nx * (ny - 1) * nz + nx * ny * (nz - 1)
    structure = lattice(nx, ny, nz, class_=class_)
    assert structural_class(structure) == (class_ if joints else 1)
    assert len(structure.bars) == 6 * cells
    assert len(structure.nodes) == 12 * cells - (2 * joints if class_ == 2 else 0)
    assert len(structure.cables) == 24 * cells + (8 * joints if class_ == 1 else 0)
    heights = structure.positions[:, 2]
    for group, height in (("bottom", heights.min()), ("top", heights.max())):
        named = structure.select(f"{group}*", "node")
        assert len(named) == 2 * nx * ny
        assert [structure.nodes[node][2] for node in named] == pytest.approx([height] * len(named))


def test_separate_cells_keep_clear() -> None:
    assert least_gap(lattice(2, 2, 1)) > 0.1


@pytest.mark.parametrize("class_", [1, 4])
@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (3, 1), (1, 12), (4, 3)])
def test_planar_lattice_counts_class_and_sides(columns: int, rows: int, class_: int) -> None:
    structure = planar_lattice(columns, rows, class_=class_, cell_width=2.0)
    cells, joints = columns * rows, (columns - 1) * rows + columns * (rows - 1)
    assert len(structure.bars) == 2 * cells
    if class_ == 1:
        assert structural_class(structure) == 1
        assert len(structure.nodes) == 4 * cells
        assert len(structure.cables) == 4 * cells + 6 * joints
        counts = {"bottom": 2 * columns, "top": 2 * columns, "left": 2 * rows, "right": 2 * rows}
    else:
        assert structural_class(structure) == min(columns, 2) * min(rows, 2)
        assert len(structure.nodes) == (columns + 1) * (rows + 1)
        assert len(structure.cables) == columns * (rows + 1) + rows * (columns + 1)
        counts = {"bottom": columns + 1, "top": columns + 1, "left": rows + 1, "right": rows + 1}
    assert {side: len(structure.select(side, "node")) for side in counts} == counts
    assert set(structure.supports) == set(structure.nodes)
    assert set(structure.supports.values()) == {"y"}
    assert np.abs(structure.positions[:, 1]).max() == 0.0
    means = {side: np.mean([structure.nodes[n] for n in structure.select(side, "node")], axis=0) for side in counts}
    assert means["right"][0] - means["left"][0] > 2.0 * (columns - 1)
    assert means["top"][2] - means["bottom"][2] > rows - 1


def test_shared_planar_lattice_is_a_grid() -> None:
    structure = planar_lattice(3, 2, class_=4, cell_width=2.0, cell_height=0.5)
    assert structure.nodes["n4.3"] == pytest.approx((6.0, 0.0, 1.0))
    diagonal = [route_length(structure, bar.nodes) for bar in structure.bars.values()]
    assert diagonal == pytest.approx([math.hypot(2.0, 0.5)] * 12)


@pytest.mark.parametrize(
    "structure",
    [lattice(8, 8, 6), lattice(9, 9, 9, class_=2), planar_lattice(35, 35), planar_lattice(75, 70, class_=4)],
    ids=["space 1", "space 2", "plane 1", "plane 4"],
)
def test_twenty_thousand_members(structure: Structure) -> None:
    assert 19_000 < len(structure.bars) + len(structure.cables) < 23_000
    assert structure.check() == []
    assert component_count(structure) == 1


# --- refusals


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        ("tower", {"stages": 0}, r"stages = 0 must be a whole number, 1 or more"),
        ("tower", {"stages": 2.5}, r"stages = 2.5 must be a whole number"),
        ("tower", {"stages": True}, r"stages = True must be a whole number"),
        ("tower", {"class_": 3}, r"class_ = 3 must be one of 1, 2"),
        ("tower", {"overlap": 0.5}, r"overlap = 0.5 must be more than 0 and less than 0.5"),
        ("tower", {"stages": 2, "overlap": -0.1}, r"overlap = -0.1 must be more than 0 and less than 1"),
        ("tower", {"class_": 2, "overlap": 0.1}, r"overlap = 0.1 needs class_ 1"),
        ("prism", {"struts": 2}, r"struts = 2 must be a whole number, 3 or more"),
        ("prism", {"radius": -1.0}, r"radius = -1.0 must be a finite number more than zero"),
        ("prism", {"height": math.nan}, r"height = nan must be"),
        ("prism", {"twist": math.inf}, r"twist = inf must be a finite number"),
        ("prism", {"radius": "wide"}, r"radius = 'wide' must be a finite number"),
        ("icosahedron", {"bar_length": 0.0}, r"bar_length = 0.0 must be"),
        ("icosahedron", {"stiffness": -1.0}, r"stiffness = -1.0 must be"),
        ("icosahedron", {"bar_density": 0.0}, r"bar_density = 0.0 must be"),
        ("icosahedron", {"rest_ratio": 1.1}, r"rest_ratio = 1.1 must be 1 or less"),
        ("tbar", {"angle": math.pi / 2}, r"angle = 1.57.* must be more than 0 and less than 1.57"),
        ("tbar", {"rest_ratio": 0.0}, r"rest_ratio = 0.0 must be"),
        ("tbar", {"bar_radius": math.nan}, r"bar_radius = nan must be"),
        ("dbar", {"angle": 0.0}, r"angle = 0.0 must be"),
        ("dbar", {"end_mass": -2.0}, r"end_mass = -2.0 must be"),
        ("dbar", {"across_rest_ratio": math.inf}, r"across_rest_ratio = inf must be"),
        ("planar_lattice", {"columns": 0, "rows": 1}, r"columns = 0 must be"),
        ("planar_lattice", {"columns": 1, "rows": 1, "class_": 2}, r"class_ = 2 must be one of 1, 4"),
        ("planar_lattice", {"columns": 1, "rows": 1, "cell_width": -1}, r"cell_width = -1 must be"),
        ("lattice", {"nx": 1, "ny": 1, "nz": -3}, r"nz = -3 must be"),
        ("lattice", {"nx": 1, "ny": 1, "nz": 1, "class_": 4}, r"class_ = 4 must be one of 1, 2"),
    ],
)
def test_refuses_nonsense(make: str, arguments: dict, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        getattr(generators, make)(**arguments)


def test_files_know_every_generator() -> None:
    from taut.structure import generators
    from taut.structure.format.generating import GENERATORS, TREE_GENERATORS

    assert {*GENERATORS, *TREE_GENERATORS} == set(generators.__all__)
