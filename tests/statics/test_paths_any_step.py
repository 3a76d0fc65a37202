"""Paths do not depend on their steps: the same limits, kinks and ends from any, without leaps to other branches."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy.optimize import fsolve, minimize_scalar

from taut.statics.balancing import balance
from taut.statics.load_case import LoadCase
from taut.statics.network import network
from taut.statics.paths import LoadPath, path
from taut.structure.records import Bar, Cable
from taut.structure.structure import Structure

STEPS = (
    *(0.1, 1.0),
    *(pytest.param(step, marks=pytest.mark.slow) for step in (0.02, 0.03, 0.05, 0.08, 0.15, 0.2, 0.3, 0.5)),
)
RISE, STIFFNESS = 0.3, 1000.0
LENGTH = math.hypot(1.0, RISE)
LIMIT = math.sqrt(LENGTH ** (2.0 / 3.0) - 1.0)  # the height at which the truss carries most


def assert_no_leap(traced: LoadPath, step: float, until: float = 1.0) -> None:
    """Points lie as close together as the step says, and the way does not turn sharply from one to the next."""
    scale = network(traced.structure).lengths().mean()
    flat = traced.nodes.reshape(len(traced.factor), -1) / scale
    ways = np.diff(np.column_stack([flat, traced.factor / max(1.0, until)]), axis=0)
    sizes = np.linalg.norm(ways, axis=1)
    assert sizes.max() < 1.2 * step
    ways, sizes = ways[sizes > 1e-6], sizes[sizes > 1e-6]
    turns = np.arccos(np.clip((ways[1:] * ways[:-1]).sum(axis=1) / (sizes[1:] * sizes[:-1]), -1.0, 1.0))
    assert turns.max() < 0.8


def limits_of(traced: LoadPath) -> list[float]:
    return [event.factor for event in traced.events if event.kind == "limit point"]


def truss(tie: float | None = None) -> Structure:
    """Two shallow springs that meet at a top; tie: a cable from below that is slack below this height of the top."""
    bars = [Bar(name, (name, "top"), law="compressible", stiffness=STIFFNESS) for name in ("left", "right")]
    cables = [] if tie is None else [Cable("tie", ("below", "top"), rest_length=1.0 + tie, stiffness=300.0)]
    nodes = {"left": (-1, 0, 0), "right": (1, 0, 0), "top": (0, 0, RISE)}
    supports = {"left": "xyz", "right": "xyz", "top": "xy"}
    if tie is not None:
        nodes["below"], supports["below"] = (0, 0, -1), "xyz"
    return Structure(nodes, bars=bars, cables=cables, supports=supports)


def truss_load(height: np.ndarray, tie: float = math.inf) -> np.ndarray:
    """Downwards positive, exact."""
    lengths = np.hypot(1.0, height)
    return 2.0 * STIFFNESS * (LENGTH / lengths - 1.0) * height - 300.0 * np.maximum(height - tie, 0.0)


@pytest.mark.parametrize("step", STEPS)
def test_the_shallow_truss_snaps_through_both_its_limits(step: float) -> None:
    full = 2.0 * float(truss_load(np.array(LIMIT)))
    traced = path(truss(), LoadCase(loads={"top": (0.0, 0.0, -full)}), step=step)
    assert traced.ok, traced.status
    assert limits_of(traced) == pytest.approx([0.5, -0.5], abs=1e-9)
    heights = traced.nodes[:, 2, 2]
    assert traced.factor == pytest.approx(truss_load(heights) / full, abs=1e-9)
    assert np.all(np.diff(heights) < 0.0)
    assert heights[-1] < -RISE
    assert_no_leap(traced, step)


@pytest.mark.parametrize("step", STEPS)
def test_a_path_that_ends_just_below_a_limit_ends_before_it(step: float) -> None:
    full = float(truss_load(np.array(LIMIT))) / 1.0005
    traced = path(truss(), LoadCase(loads={"top": (0.0, 0.0, -full)}), step=step)
    assert traced.ok, traced.status
    assert traced.factor[-1] == 1.0
    assert traced.nodes[-1, 2, 2] > LIMIT
    assert traced.events == ()


def star_dome() -> Structure:
    """The dome of 24 bars that Hangai and Kawamata made a benchmark, its centimetres taken as metres; E A = 10 kN."""

    def at(radius: float, degrees: float, height: float) -> tuple[float, float, float]:
        return radius * math.cos(math.radians(degrees)), radius * math.sin(math.radians(degrees)), height

    nodes = {"apex": (0.0, 0.0, 8.216)}
    nodes |= {f"ring{k}": at(25.0, 60.0 * k, 6.216) for k in range(6)}
    nodes |= {f"foot{k}": at(50.0, 60.0 * k + 30.0, 0.0) for k in range(6)}
    pairs = [("apex", f"ring{k}") for k in range(6)]
    pairs += [(f"ring{k}", f"ring{(k + 1) % 6}") for k in range(6)]
    pairs += [(f"ring{k}", f"foot{j % 6}") for k in range(6) for j in (k - 1, k)]
    bars = [
        Bar(f"{a} {b}", (a, b), law="compressible", stiffness=1e4 / math.dist(nodes[a], nodes[b])) for a, b in pairs
    ]
    return Structure(nodes, bars=bars, supports={f"foot{k}": "xyz" for k in range(6)})


def ring_forces(apex: float, radius: float, height: float) -> tuple[np.ndarray, float]:
    """On a node of the ring, radially and upwards, and the load on the apex, with all six nodes of the ring alike."""
    foot = np.array([50.0 * math.cos(math.pi / 6.0), 25.0, 0.0])
    node, top = np.array([radius, 0.0, height]), np.array([0.0, 0.0, apex])
    steep = 1e4 * (1.0 / math.hypot(25.0, 2.0) - 1.0 / np.linalg.norm(top - node)) * (top - node)
    around = 1e4 * (1.0 - radius / 25.0) * np.array([1.0, 0.0, 0.0])
    rest = math.dist((25.0, 0.0, 6.216), foot)
    outer = 2.0 * 1e4 * (1.0 / rest - 1.0 / np.linalg.norm(foot - node)) * (foot - node)
    return (steep + around + outer)[[0, 2]], -6.0 * steep[2]


@cache
def dome_rings() -> tuple[np.ndarray, np.ndarray]:
    """Heights of the apex from the top down, and the ring's radius and height there, on the symmetric branch."""
    heights, ring = np.linspace(8.216, 3.6, 400), np.array([25.0, 6.216])
    rings = []
    for apex in heights:
        ring = fsolve(lambda u, apex=apex: ring_forces(apex, *u)[0], ring, xtol=1e-11)
        rings.append(ring)
    return heights, np.array(rings)


def dome_load(apex: float) -> float:
    heights, rings = dome_rings()
    near = rings[np.argmin(np.abs(heights - apex))]
    return ring_forces(apex, *fsolve(lambda u: ring_forces(apex, *u)[0], near, xtol=1e-11))[1]


@pytest.mark.parametrize("step", STEPS)
def test_the_star_dome_has_its_limits_and_stays_on_its_branch(step: float) -> None:
    crest = minimize_scalar(lambda apex: -dome_load(apex), bounds=(6.8, 8.0), method="bounded")
    trough = minimize_scalar(dome_load, bounds=(4.5, 5.8), method="bounded")
    limits = [-crest.fun, trough.fun]
    assert limits == pytest.approx([3.156545962, -2.760001959], abs=2e-9)
    traced = path(star_dome(), LoadCase(loads={"apex": (0.0, 0.0, -3.2)}), step=step)
    assert traced.ok, traced.status
    assert [3.2 * factor for factor in limits_of(traced)] == pytest.approx(limits, rel=1e-7)
    assert 3.2 * traced.factor == pytest.approx([dome_load(z) for z in traced.nodes[:, 0, 2]], abs=1e-6)
    assert_no_leap(traced, step)


@pytest.mark.slow
@pytest.mark.parametrize("step", [0.02, 0.05, 0.1, 0.2, 0.5, 1.0])
@pytest.mark.parametrize(("load", "until"), [(3.2, 2.0), (3.2, 1.0), (1.0, 4.0), (10.0, 0.5)])
def test_the_star_dome_has_its_limits_whatever_the_load_is_called(load: float, until: float, step: float) -> None:
    """Until the apex hangs far below; 11 of 24 such settings leapt to another branch once, 7 of them without a word."""
    case = LoadCase(loads={"apex": (0.0, 0.0, -load)})
    traced = path(star_dome(), case, step=step, until=until, points=2000)
    assert traced.ok, traced.status
    assert [load * factor for factor in limits_of(traced)] == pytest.approx([3.156545962, -2.760001959], rel=1e-7)
    assert_no_leap(traced, step, until)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(("tie", "turns"), [(0.25, False), (0.1, True)])
def test_a_cable_slackens_on_the_way_to_a_limit_or_at_it(tie: float, turns: bool, step: float) -> None:
    """Where the tie is what keeps the load rising, the load turns back at the kink."""
    traced = path(truss(tie), LoadCase(loads={"top": (0.0, 0.0, -60.0)}), step=step)
    assert traced.ok, traced.status
    heights = traced.nodes[:, 2, 2]
    assert 60.0 * traced.factor == pytest.approx(truss_load(heights, tie), abs=1e-7)
    assert np.all(np.diff(heights) < 0.0)
    kink, crest = float(truss_load(np.array(tie))), float(truss_load(np.array(LIMIT)))
    told = [(event.kind, event.member) for event in traced.events]
    assert told == [("slack", "tie"), ("limit point", ""), ("limit point", "")]
    assert [60.0 * event.factor for event in traced.events] == pytest.approx(
        [kink, kink if turns else crest, -crest], abs=1e-7
    )
    assert (traced.events[0].point == traced.events[1].point) == turns
    assert heights[traced.events[0].point] == pytest.approx(tie, abs=1e-9)


def test_raising_the_load_alone_stops_at_a_kink_where_the_load_turns() -> None:
    traced = path(truss(0.1), LoadCase(loads={"top": (0.0, 0.0, -60.0)}), method="load")
    assert not traced.ok
    assert "the load has a limit there" in traced.status
    assert 60.0 * traced.factor[-1] == pytest.approx(float(truss_load(np.array(0.1))), abs=1e-7)


def net(rest: float) -> Structure:
    """A node on six cables, three from above and three from below; rest: their rest lengths against their lengths."""
    nodes = {"m": (0.0, 0.0, 0.0)}
    for k in range(6):
        turn = math.radians(60.0 * k + 7.0)
        nodes[f"a{k}"] = (math.cos(turn), math.sin(turn), 0.3 * (-1) ** k)
    length = rest * math.hypot(1.0, 0.3)
    cables = [Cable(f"c{k}", (f"a{k}", "m"), rest_length=length, stiffness=100.0) for k in range(6)]
    return Structure(nodes, cables=cables, supports={f"a{k}": "xyz" for k in range(6)})


@pytest.mark.parametrize("step", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("push", [(5.0, 0.0, 0.0), (3.0, 2.0, -1.0), (-20.0, 10.0, 5.0)])
def test_cables_at_their_rest_lengths_are_counted_by_where_the_load_leads(push: tuple[float, ...], step: float) -> None:
    traced = path(net(1.0), LoadCase(loads={"m": push}), step=step)
    assert traced.ok, traced.status
    found = balance(net(1.0), loads={"m": push})
    assert traced.nodes[-1] == pytest.approx(found.structure.positions, abs=1e-8)
    assert traced.member_force[-1] == pytest.approx(found.member_force, abs=1e-6)


@pytest.mark.parametrize("step", [0.02, 0.1, 0.5])
def test_cables_that_slacken_together_share_a_point(step: float) -> None:
    traced = path(net(0.99), LoadCase(loads={"m": (0.0, 0.0, 20.0)}), step=step)
    assert traced.ok, traced.status
    slack = [event for event in traced.events if event.kind == "slack"]
    assert {event.member for event in slack} == {"c0", "c2", "c4"}
    assert len({event.point for event in slack}) == 1
    found = balance(net(0.99), loads={"m": (0.0, 0.0, 20.0)})
    assert traced.nodes[-1] == pytest.approx(found.structure.positions, abs=1e-8)


def linkage(held: str) -> Structure:
    """A stiff triangle on three equal, parallel links: a mechanism although its bars depend on one another."""
    above = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.2), "c": (1.7, 0.0, -0.1)}
    below = {name.upper(): (x, y, z - 1.5) for name, (x, y, z) in above.items()}
    bars = [Bar(name, (name, name.upper())) for name in "abc"] + [Bar(p + q, (p, q)) for p, q in ("AB", "BC", "CA")]
    supports = dict.fromkeys("abc", "xyz") | dict.fromkeys("ABC", "y") | {"A": held}
    return Structure({**above, **below}, bars=bars, supports=supports)


@pytest.mark.parametrize(
    "step", [*(pytest.param(fine, marks=pytest.mark.slow) for fine in (0.01, 0.05, 0.1)), 0.2, 0.5]
)
def test_bars_that_depend_on_one_another_can_be_followed(step: float) -> None:
    down = {"A": (0.0, 0.0, -10.0), "B": (0.0, 0.0, -30.0), "C": (0.0, 0.0, -20.0)}
    made = linkage("y")
    pushed = path(made, LoadCase(loads=down | {"C": (100.0, 0.0, -20.0)}), start=LoadCase(loads=down), step=step)
    assert pushed.ok, pushed.status
    for factor, nodes in zip(pushed.factor, pushed.nodes, strict=True):
        angle = math.atan2(100.0 * factor, 60.0)
        swung = made.positions[:3] + 1.5 * np.array([math.sin(angle), 0.0, -math.cos(angle)])
        assert nodes[3:] == pytest.approx(swung, abs=1e-9)
    moved = (0.3, 0.0, 0.1)
    dragged = path(linkage("xy"), LoadCase(settlements=dict.fromkeys("abc", moved)), step=step)
    assert dragged.ok, dragged.status
    assert dragged.nodes[-1, 3] == pytest.approx([0.0, 0.0, 0.1 - math.sqrt(1.5**2 - 0.3**2)], abs=1e-12)
    assert np.abs(dragged.member_force).max() < 1e-9, "nothing is loaded"
