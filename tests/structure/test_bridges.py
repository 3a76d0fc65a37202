"""The hollow bridge: counts, forces by nodal balance, room to walk, mirror images, a crowd on it, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import taut
from taut.errors import OptionError
from taut.generators import hollow_bridge
from taut.structure.files import parse_model
from taut.structure.properties import axial_rigidity, route_length, total_mass

SIZES = [(1, 4), (4, 5), (2, 6), (3, 8)]


@pytest.mark.parametrize(("modules", "sides"), SIZES)
def test_counts(modules: int, sides: int) -> None:
    bridge = hollow_bridge(modules, sides)
    assert len(bridge.nodes) == (2 * modules + 1) * sides
    assert len(bridge.select("bar:struts")) == 3 * modules * sides
    assert len(bridge.select("cable:ring")) == (modules + 1) * sides
    assert len(bridge.select("cable:along")) == len(bridge.select("cable:across")) == 2 * modules * sides
    assert len(bridge.cables) == (5 * modules + 1) * sides
    end = modules + 1
    assert dict(bridge.supports) == {"ring1.1": "xyz", "ring1.2": "z", f"ring{end}.1": "yz", f"ring{end}.2": "z"}
    deck = [bridge.nodes[node] for node in bridge.select("node:deck")]
    assert len(deck) == 2 * end
    assert np.array(deck)[:, 2] == pytest.approx(0.0, abs=1e-12)
    assert (deck[0][0], deck[-1][0]) == (0.0, pytest.approx(20.0))


@pytest.mark.parametrize(("modules", "sides"), SIZES)
def test_balance_of_a_corner_and_of_a_middle_node_by_their_neighbours(modules: int, sides: int) -> None:
    """Cables by their strain; then a corner of the first ring has two struts, and three equations for their forces."""
    bridge = hollow_bridge(modules, sides, span=5.0 * modules, radius=2.0)
    place = {node: np.array(position) for node, position in bridge.nodes.items()}
    strut: dict[str, list[float]] = {"diagonal": [], "brace": []}
    for node in ("ring1.3", "middle1.2"):
        pull = np.zeros(3)
        for cable in bridge.cables.values():
            if node in cable.route:
                along = place[next(end for end in cable.route if end != node)] - place[node]
                tension = axial_rigidity(cable) * (np.linalg.norm(along) / cable.rest_length - 1.0)
                pull += tension * along / np.linalg.norm(along)
        bars = [bar for bar in bridge.bars.values() if node in bar.nodes]
        assert len(bars) == 2
        along = np.array([place[next(end for end in bar.nodes if end != node)] - place[node] for bar in bars])
        units = along / np.linalg.norm(along, axis=1)[:, None]
        forces = np.linalg.lstsq(units.T, -pull, rcond=None)[0]
        assert np.abs(units.T @ forces + pull).max() < 1e-6
        for bar, force in zip(bars, forces, strict=True):
            strut[bar.name.partition("1.")[0]].append(force)
    assert max(strut["diagonal"]) < -1e5
    assert strut["brace"] == pytest.approx([strut["brace"][0]] * 3, rel=1e-9)
    assert strut["brace"][0] < -1e4


def test_people_can_walk_through_and_struts_keep_clear_of_each_other() -> None:
    bridge = hollow_bridge(1, 5, span=5.0, radius=2.5)  # a ring's plane parts the struts of neighbours
    lines = [np.array([bridge.nodes[node] for node in bar.nodes]) for bar in bridge.bars.values()]
    height = 2.5 * math.cos(math.pi / 5)
    axis = np.array([[0.0, 0.0, height], [5.0, 0.0, height]])

    def gap(one: np.ndarray, two: np.ndarray) -> float:
        directions = np.column_stack([one[1] - one[0], two[0] - two[1]])
        return float(np.sqrt(2.0 * lsq_linear(directions, two[0] - one[0], (0.0, 1.0)).cost))

    assert min(gap(line, axis) for line in lines) == pytest.approx(2.5 * math.cos(0.3 * math.pi), rel=1e-6)
    apart = [
        gap(lines[i], lines[j])
        for i, one in enumerate(bridge.bars.values())
        for j, two in enumerate(bridge.bars.values())
        if i < j and not set(one.nodes) & set(two.nodes)
    ]
    assert min(apart) > 3.0 * 0.09, "between the axes of struts of radius 0.09 m"


def test_halves_are_mirror_images() -> None:
    bridge = hollow_bridge(4, 5)
    places = bridge.positions
    mirrored = places * [-1.0, 1.0, 1.0] + [20.0, 0.0, 0.0]
    gaps = np.linalg.norm(mirrored[:, None] - places, axis=2)
    assert gaps.min(axis=1).max() < 1e-12
    onto = dict(zip(bridge.nodes, np.array(list(bridge.nodes))[gaps.argmin(axis=1)], strict=True))
    struts = {frozenset(bar.nodes) for bar in bridge.bars.values()}
    assert {frozenset(onto[node] for node in ends) for ends in struts} == struts


def test_a_crowd_on_the_bridge() -> None:
    """5 kN/m^2 on a deck as wide as the lowest side: no cable slackens and it sinks by less than a thousandth."""
    bridge = hollow_bridge()
    assert taut.statics.counts(bridge).mechanisms == 0
    width = route_length(bridge, ("ring1.1", "ring1.2"))
    share = 5e3 * width / 2.0 * 5.0
    ends = ("ring1.1", "ring1.2", "ring5.1", "ring5.2")
    loads = {node: (0.0, 0.0, -share / (2 if node in ends else 1)) for node in bridge.select("node:deck")}
    alone, crowded = taut.balance(bridge, gravity=9.81), taut.balance(bridge, gravity=9.81, loads=loads)
    weight = 9.81 * total_mass(bridge)
    assert crowded.reaction[:, 2].sum() == pytest.approx(weight + 5e3 * width * 20.0, rel=1e-9)
    assert np.abs(crowded.reaction[:, :2]).max() < 1e-6 * weight, "bearings that do not restrain it"
    sunk = alone.structure.positions[:, 2] - crowded.structure.positions[:, 2]
    assert 0.002 < sunk.max() < 0.02
    middle = [list(bridge.nodes).index(node) for node in ("ring3.1", "ring3.2")]
    assert sunk[middle].min() > 0.7 * sunk.max()
    assert crowded.cable_tension.min() > 0.0
    assert crowded.bar_force.max() < 0.0
    assert taut.stability(crowded).verdict == "first-order rigid"
    assert taut.modes(alone, count=1).frequency[0] > 2.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"modules": 0}, "modules = 0 must be a whole number, 1 or more"),
        ({"sides": 3}, "sides = 3 must be a whole number, 4 or more"),
        ({"radius": 0}, "radius = 0 must be a finite number more than zero"),
        ({"span": math.inf}, "span = inf must be a finite number more than zero"),
        ({"cable_youngs_modulus": -1.0}, "cable_youngs_modulus = -1.0 must be"),
        ({"bar_inner_radius": -0.1}, "bar_inner_radius = -0.1 must be zero or more"),
    ],
)
def test_refusals(options, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        hollow_bridge(**options)


def test_a_model_file_can_ask_for_it() -> None:
    read = parse_model("taut: 1\ngenerate: {hollow_bridge: {modules: 2, span: 8, radius: 1.5}}\n").structure
    assert dict(read.cables) == dict(hollow_bridge(2, span=8, radius=1.5).cables)
