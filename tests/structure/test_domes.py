"""Cable domes: counts, symmetry, forces against closed forms and nodal balance, verdicts, what snow does, refusals."""

from __future__ import annotations

import math
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.errors import OptionError
from taut.generators import geiger_dome, levy_dome
from taut.structure.files import parse_model
from taut.structure.properties import axial_rigidity, route_length, total_mass
from taut.structure.structure import Structure

EXAMPLE = Path(__file__).parents[2] / "examples" / "dome.yaml"
SHAPES = [
    *product((geiger_dome,), ((3, 1), (12, 2), (7, 4)), ("post", "ring")),
    *product((levy_dome,), ((5, 1), (12, 2), (16, 5)), ("post", "ring")),
]
each_shape = pytest.mark.parametrize(("make", "size", "centre"), SHAPES)


def tensions(dome: Structure) -> dict[str, float]:
    """Of the cables as built [N], by their strain."""
    return {
        name: axial_rigidity(cable) * (route_length(dome, cable.route) / cable.rest_length - 1.0)
        for name, cable in dome.cables.items()
    }


def balance_of_free_nodes(dome: Structure) -> tuple[np.ndarray, list[str]]:
    """Forces on free nodes from member forces, (3 free nodes, members), and the members: cables, then bars."""
    free = [node for node in dome.nodes if node not in dome.supports]
    row = {node: 3 * i for i, node in enumerate(free)}
    members = {name: c.route for name, c in dome.cables.items()} | {name: b.nodes for name, b in dome.bars.items()}
    matrix = np.zeros((3 * len(free), len(members)))
    for column, (first, second) in enumerate(members.values()):
        along = np.subtract(dome.nodes[second], dome.nodes[first])
        along /= np.linalg.norm(along)
        for node, sign in ((first, 1.0), (second, -1.0)):
            if node in row:
                matrix[row[node] : row[node] + 3, column] += sign * along
    return matrix, list(members)


def built_forces(dome: Structure) -> tuple[np.ndarray, np.ndarray, float]:
    """Cable tensions, the bars' forces that hold them, and what is left at free nodes over the largest tension."""
    matrix, _ = balance_of_free_nodes(dome)
    pull = np.array(list(tensions(dome).values()))
    held = matrix[:, : len(pull)] @ pull
    bars = np.linalg.lstsq(matrix[:, len(pull) :], -held, rcond=None)[0]
    return pull, bars, float(np.abs(held + matrix[:, len(pull) :] @ bars).max() / pull.max())


@each_shape
def test_counts(make, size: tuple[int, int], centre: str) -> None:
    (sectors, rings), post = size, centre == "post"
    dome = make(sectors, rings, centre=centre)
    lines = (2 if make is levy_dome else 1) * sectors * rings + sectors * post
    assert len(dome.nodes) == sectors + 2 * sectors * rings + 2 * post
    assert len(dome.select("bar:post")) == len(dome.bars) == sectors * rings + post
    assert len(dome.select("cable:ridge")) == len(dome.select("cable:diagonal")) == lines
    assert len(dome.select("cable:hoop")) == sectors * rings
    assert ("crown" in dome.groups) is not post
    assert len(dome.cables) == 2 * lines + sectors * rings + sectors * (not post)
    assert dict(dome.supports) == dict.fromkeys(dome.select("node:support"), "xyz")
    assert len(dome.supports) == sectors
    assert len(dome.select("node:upper")) == len(dome.bars)


@each_shape
def test_in_balance_as_built_with_cables_pulling_and_posts_pressed(make, size: tuple[int, int], centre: str) -> None:
    pull, bars, left = built_forces(make(*size, centre=centre, prestress=3e5))
    assert pull.max() == pytest.approx(3e5, rel=1e-9)
    assert pull.min() > 100.0
    assert bars.max() < -100.0
    assert left < 1e-11


@each_shape
def test_every_sector_is_like_the_first(make, size: tuple[int, int], centre: str) -> None:
    dome = make(*size, centre=centre)
    c, s = math.cos(2.0 * math.pi / size[0]), math.sin(2.0 * math.pi / size[0])
    turned = dome.positions @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    gaps = np.linalg.norm(turned[:, None] - dome.positions, axis=2)
    assert gaps.min(axis=1).max() < 1e-12
    onto = dict(zip(dome.nodes, np.array(list(dome.nodes))[gaps.argmin(axis=1)], strict=True))
    by_ends = {frozenset(dome.cables[name].route): tension for name, tension in tensions(dome).items()}
    for ends, tension in by_ends.items():
        assert by_ends[frozenset(onto[node] for node in ends)] == pytest.approx(tension, rel=1e-9)


def test_shape_is_the_one_asked() -> None:
    dome = geiger_dome(6, 2, span=30.0, rise=5.0, radii=[11.0, 4.0], post_length=[6.0, 5.0, 4.0])
    ball = (15.0**2 + 5.0**2) / 10.0
    for node, radius in (("support2", 15.0), ("upper1.3", 11.0), ("upper2.5", 4.0), ("upper3", 0.0)):
        x, y, z = dome.nodes[node]
        assert math.hypot(x, y) == pytest.approx(radius, abs=1e-12)
        assert math.dist((x, y, z), (0.0, 0.0, 5.0 - ball)) == pytest.approx(ball, rel=1e-14)
    posts = {name: route_length(dome, bar.nodes) for name, bar in dome.bars.items()}
    assert [posts[name] for name in ("post1.1", "post2.6", "post3")] == pytest.approx([6.0, 5.0, 4.0], rel=1e-14)
    given = levy_dome(9, 2, heights=np.array([2.0, 3.5]), centre="ring")
    assert [given.nodes[node][2] for node in ("support1", "upper1.1", "lower1.1", "upper2.9")] == [0.0, 2.0, -3.25, 3.5]
    assert given.nodes["upper1.1"][1] / given.nodes["upper1.1"][0] == pytest.approx(math.tan(math.pi / 9))


@pytest.mark.parametrize("sectors", [5, 12])
def test_geiger_forces_follow_ring_by_ring_from_the_slopes(sectors: int) -> None:
    """In a cut inside ring k - 1 ridge and diagonal have no vertical resultant, H s = G t with slopes s and t; at an
    upper end the horizontal pulls of one side are those of the other. Hence H_k = product of (1 + s_j / t_j) over
    j > k, and the hoop, turning by 2 pi / n at every post, carries G_k / (2 sin(pi / n)), the post H_k s_k."""
    radii, heights, posts = (20.0, 14.0, 9.0, 5.0, 0.0), (0.0, 2.5, 3.6, 4.1, 4.5), (6.0, 4.5, 3.0, 2.5)
    dome = geiger_dome(sectors, 3, span=40.0, radii=radii[1:4], heights=heights[1:], post_length=posts)
    steps = [r - s for r, s in pairwise(radii)]
    rises = [b - a for a, b in pairwise(heights)]
    s = [rise / step for rise, step in zip(rises, steps, strict=True)]
    t = [(post - rise) / step for post, rise, step in zip(posts, rises, steps, strict=True)]
    tension, bars = tensions(dome), dict(zip(dome.bars, built_forces(dome)[1], strict=True))
    unit = tension["ridge4.1"] / math.hypot(1.0, s[3])
    for ring in range(1, 5):
        along = unit * math.prod(1.0 + s[j] / t[j] for j in range(ring, 4))
        assert tension[f"ridge{ring}.1"] == pytest.approx(along * math.hypot(1.0, s[ring - 1]), rel=1e-9)
        across = along * s[ring - 1] / t[ring - 1]
        assert tension[f"diagonal{ring}.1"] == pytest.approx(across * math.hypot(1.0, t[ring - 1]), rel=1e-9)
        if ring < 4:
            assert tension[f"hoop{ring}.1"] == pytest.approx(across / (2.0 * math.sin(math.pi / sectors)), rel=1e-9)
            assert bars[f"post{ring}.1"] == pytest.approx(-along * s[ring - 1], rel=1e-9)
    assert bars["post4"] == pytest.approx(-sectors * unit * s[3], rel=1e-9)


def test_levy_forces_in_plan_close_at_every_upper_end() -> None:
    """By angles: an upper end's two outer ridges lean by one angle from its radius, its inner cables by another."""
    sectors, radii = 10, (20.0, 13.0, 6.0)
    dome = levy_dome(sectors, 2, span=40.0, radii=radii[1:])
    tension, half = tensions(dome), math.pi / sectors

    def plan(name: str, far: float, near: float) -> tuple[float, float]:
        """The pull of one cable in plan, and the angle from the near end's radius to it."""
        length = math.sqrt(far**2 + near**2 - 2.0 * far * near * math.cos(half))
        flat = tension[name] * length / route_length(dome, dome.cables[name].route)
        return flat, math.asin(math.sin(half) * far / length)

    out, lean = plan("ridge1.1a", 20.0, 13.0)
    ridge, inner = plan("ridge2.1a", 6.0, 13.0)
    diagonal, same = plan("diagonal2.1b", 6.0, 13.0)
    assert inner == pytest.approx(same)
    assert 2.0 * out * math.cos(lean) == pytest.approx(2.0 * (ridge + diagonal) * math.cos(inner), rel=1e-9)
    low, lean_low = plan("diagonal1.1a", 20.0, 13.0)
    assert lean_low == pytest.approx(lean)
    assert 2.0 * tension["hoop1.1"] * math.sin(half) == pytest.approx(2.0 * low * math.cos(lean), rel=1e-9)


@pytest.mark.parametrize(("sectors", "rings"), [(6, 2), (12, 2), (8, 3)])
def test_geiger_dome_has_one_self_stress_which_holds_all_its_mechanisms(sectors: int, rings: int) -> None:
    dome = geiger_dome(sectors, rings)
    matrix, _ = balance_of_free_nodes(dome)
    values = np.linalg.svd(matrix, compute_uv=False)
    assert matrix.shape[1] - int((values > 1e-9 * values[0]).sum()) == 1
    counts = taut.statics.counts(dome)
    assert (counts.self_stress_states, counts.mechanisms) == (1, 2 * sectors * (rings - 1) + 6)
    tight = taut.prestress(dome, {"cable:hoop1.*": tensions(dome)["hoop1.1"]})
    assert tight.cable_tension == pytest.approx(np.array(list(tensions(dome).values())), rel=1e-7)
    assert taut.stability(tight).verdict == "prestress-stable"


@pytest.mark.parametrize(("sectors", "rings"), [(6, 1), (12, 2), (20, 4)])
def test_levy_dome_has_no_mechanism_and_stands(sectors: int, rings: int) -> None:
    dome = levy_dome(sectors, rings)
    counts = taut.statics.counts(dome)
    assert (counts.self_stress_states, counts.mechanisms) == (2 * sectors - 5, 0)
    stands = taut.balance(dome)
    assert np.abs(stands.structure.positions - dome.positions).max() < 1e-9
    assert taut.stability(stands).verdict == "first-order rigid"


@pytest.mark.parametrize("make", [geiger_dome, levy_dome])
def test_an_open_dome_stands(make) -> None:
    dome = make(10, 2, centre="ring")
    assert taut.stability(taut.balance(dome)).verdict == "prestress-stable"
    ring = tensions(dome)
    assert ring["crown3"] == pytest.approx(ring["crown1"], rel=1e-9)


def test_the_example_carries_its_snow_and_comes_to_rest_there() -> None:
    model = taut.read_model(EXAMPLE)
    rest = taut.balance(model.structure, gravity=9.81)
    sunk = model.structure.positions[:, 2] - rest.structure.positions[:, 2]
    assert rest.status == "balanced"
    assert 0.02 < sunk.max() < 0.04
    assert rest.cable_tension.min() > 0.0
    assert taut.stability(rest).verdict == "prestress-stable"
    assert rest.reaction[:, 2].sum() == pytest.approx(9.81 * total_mass(model.structure), rel=1e-9)
    plan = (total_mass(model.structure) - total_mass(geiger_dome(12, 2, post_length=[5.5, 4, 3]))) / 90.0
    assert plan == pytest.approx(math.pi * (16.667**2), rel=0.01), "all of the roof but what the supports bear"
    plant = taut.assemble(model.structure, gravity=9.81, damping=model.scenario.damping)
    run = taut.simulate(plant, 5.0, every=0.1, tolerance=1e-6)
    assert np.abs(run.nodes[-1] - rest.structure.positions).max() < 0.1 * sunk.max()


def test_short_posts_tilt_under_that_snow_unless_the_dome_is_triangulated() -> None:
    loaded = taut.read_model(EXAMPLE).structure.point_masses

    def verdict(make) -> str:
        dome = make(post_length=4.0)
        for node, mass in loaded.items():
            dome = dome.weighted(node, mass)
        return taut.stability(taut.balance(dome, gravity=9.81)).verdict

    assert verdict(geiger_dome) == "unstable"
    assert verdict(levy_dome) == "first-order rigid"


@pytest.mark.parametrize(
    ("make", "options", "words"),
    [
        (geiger_dome, {"sectors": 2}, "sectors = 2 must be a whole number, 3 or more"),
        (geiger_dome, {"rings": 0}, "rings = 0 must be a whole number, 1 or more"),
        (geiger_dome, {"span": -1.0}, "span = -1.0 must be a finite number more than zero"),
        (geiger_dome, {"rise": 20.0}, "rise = 20.0 must be more than 0 and less than 20"),
        (geiger_dome, {"centre": "hole"}, "centre = 'hole' must be one of post, ring"),
        (geiger_dome, {"rise": 4.0, "heights": (2, 3, 4)}, "rise and heights both say how high"),
        (
            geiger_dome,
            {"heights": (2, 3)},
            r"heights = \(2, 3\) must be a list of 3 numbers, one for a ring and the centre",
        ),
        (geiger_dome, {"heights": "high"}, "heights = 'high' must be a list of 3 numbers"),
        (
            geiger_dome,
            {"radii": (9.0,)},
            r"radii = \(9.0,\) must be a list of 2 numbers, one for a ring, outermost first",
        ),
        (geiger_dome, {"radii": (9.0, -1.0)}, r"radii\[1\] = -1.0 must be a finite number more than zero"),
        (geiger_dome, {"radii": (9.0, 9.5)}, "ring 2 has the radius 9.5 m and the one outside 9 m; radii must fall"),
        (
            geiger_dome,
            {"heights": (3, 2, 4)},
            "upper ends of ring 2 are -1 m above those outside: .*heights have to grow",
        ),
        (
            geiger_dome,
            {"post_length": 2.0},
            "posts of ring 1 are 2 m long, but .* 2.2.* m above .*; make post_length more",
        ),
        (geiger_dome, {"post_length": True}, "post_length = True must be a finite number"),
        (geiger_dome, {"post_length": (5.0, 0.0, 3.0)}, r"post_length\[1\] = 0.0 must be"),
        (geiger_dome, {"prestress": 0.0}, "prestress = 0.0 must be a finite number more than zero"),
        (
            geiger_dome,
            {"bar_inner_radius": 0.1},
            "bar_inner_radius = 0.1 must be zero or more, and less than bar_radius",
        ),
        (levy_dome, {"sectors": 3, "rings": 1}, "ring 1 has .* with 3 sectors .* inside the chords .* less than 10 m"),
        (levy_dome, {"sectors": 8, "rings": 20}, "take fewer rings, more sectors, or other radii"),
    ],
)
def test_refusals(make, options, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        make(**options)


def test_model_files_can_ask_for_them() -> None:
    text = "taut: 1\ngenerate: {levy_dome: {sectors: 8, rings: 2, heights: [2, 3, 3.5], centre: post}}\n"
    made = levy_dome(8, 2, heights=(2, 3, 3.5))
    read = parse_model(text).structure
    assert dict(read.nodes) == dict(made.nodes)
    assert dict(read.cables) == dict(made.cables)
    assert dict(read.supports) == dict(made.supports)
