"""The prismatic robot as a generator: the paper's own, others with more sides and layers, uneven bases, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from prismatic_robot import GRAVITY, POSTURE, ROOT

import taut
from taut.errors import OptionError
from taut.generators import prismatic_robot
from taut.kinetostatics import Robot, posture, stiffness_by_mode
from taut.structure.files import parse_model
from taut.structure.properties import route_length

UNEVEN = {
    3: [(0.26, 0.0), (-0.1, -0.25), (-0.16, 0.2)],
    4: [(0.26, 0.0, 0.02), (0.02, -0.28, 0.0), (-0.24, 0.02, -0.02), (0.0, 0.25, 0.0)],
}


def test_the_defaults_are_the_example() -> None:
    made, example = prismatic_robot(), taut.read_model(ROOT / "examples" / "prismatic.yaml").structure
    for kind in ("nodes", "bars", "cables", "supports", "point_masses", "plates"):
        assert list(getattr(made, kind)) == list(getattr(example, kind)), kind
    assert np.abs(made.positions - example.positions).max() < 1e-13
    assert dict(made.supports) == dict(example.supports)
    assert dict(made.point_masses) == dict(example.point_masses)
    assert dict(made.bars) == dict(example.bars)
    assert dict(made.plates) == dict(example.plates)
    for name, cable in example.cables.items():
        other = made.cables[name]
        assert (other.route, other.mode, other.stiffness) == (cable.route, cable.mode, cable.stiffness)
        assert (other.command or 0.0) == pytest.approx(cable.command or 0.0, rel=1e-13)
        assert (other.rest_length or 0.0) == pytest.approx(cable.rest_length or 0.0, rel=1e-13)
    assert not made.check()
    assert not made.hints()


@pytest.mark.slow
@pytest.mark.parametrize("active", ["tension", "length", "spring"])
@pytest.mark.parametrize("passive", ["tension", "length", "spring"])
def test_its_posture_is_the_reference_however_it_is_commanded(active: str, passive: str) -> None:
    made = prismatic_robot(active=active, passive=passive)
    found = posture(Robot(made, ("cable:a*",), gravity=GRAVITY))
    assert found.ok, found.status
    assert np.abs(found.structure.positions - POSTURE["nodes"]).max() < 1e-10
    assert found.cable_tension[:6] == pytest.approx([90.0] * 3 + [65.0] * 3, abs=1e-7)
    assert found.cable_tension[6] == pytest.approx(POSTURE["lam"][9], abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("base", ["regular", "uneven"])
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("sides", [3, 4])
def test_every_variant_has_a_posture_where_it_is_made(sides: int, layers: int, base: str) -> None:
    """By another formulation: the kernels that move a plant, with the plate as rows of its own."""
    given = UNEVEN[sides] if base == "uneven" else None
    made = prismatic_robot(sides, layers, base=given, active="tension", passive="tension")
    assert len(made.bars) == sides * layers
    assert len(made.cables) == sides * layers + layers - 1
    assert not made.check()
    found = posture(Robot(made, ("cable:a*",), gravity=GRAVITY))
    assert found.ok, found.status
    assert np.abs(found.structure.positions - made.positions).max() < 1e-10
    assert (found.bar_force < 0.0).all()
    assert (found.cable_tension > 0.0).all()
    wanted = [90.0] * sides + [77.5] * sides * (layers - 2) + [65.0] * sides
    assert found.cable_tension[: sides * layers] == pytest.approx(wanted[: sides * layers])
    if given is not None:
        assert made.positions[:sides, : len(given[0])] == pytest.approx(np.array(given), abs=1e-15)
        assert np.ptp(made.positions[-sides:, 2]) > 1e-4, "the plate tilts"
    # The same shape with winches and springs.
    sprung = posture(Robot(prismatic_robot(sides, layers, base=given), ("cable:a*",), gravity=GRAVITY))
    assert np.abs(sprung.structure.positions - found.structure.positions).max() < 1e-9
    if (sides, layers) != (4, 1):  # eight lengths hold the six motions of a plate: tensions are not theirs alone
        assert sprung.cable_tension == pytest.approx(found.cable_tension, rel=1e-8)


def test_one_layer_is_a_prism_with_its_twist_where_nothing_weighs() -> None:
    """Closed form: plates that bars of a prism carry stand at a twist of 90 deg - 180 deg / sides."""
    for sides in (3, 4, 5, 7):
        made = prismatic_robot(sides, 1, gravity=0.0)
        places = made.positions
        angle = math.degrees(math.atan2(places[sides, 1], places[sides, 0])) % (360.0 / sides)
        assert angle == pytest.approx((90.0 - 180.0 / sides) % (360.0 / sides), abs=1e-9)
        bar = made.bars["lower1"].nodes
        assert route_length(made, bar) == pytest.approx(1.0, abs=1e-13)


def test_a_turned_and_shifted_base_takes_the_robot_along() -> None:
    made = prismatic_robot(3, 2, base=UNEVEN[3])
    cosine, sine = math.cos(0.7), math.sin(0.7)
    moved = [(cosine * x - sine * y + 1.0, sine * x + cosine * y - 2.0, 0.3) for x, y in UNEVEN[3]]
    other = prismatic_robot(3, 2, base=moved)
    turn = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    assert np.abs(made.positions @ turn.T + [1.0, -2.0, 0.3] - other.positions).max() < 1e-11


def test_a_regular_base_told_by_its_places_is_that_told_by_its_side() -> None:
    by_side = prismatic_robot(4, 2, side=0.4)
    radius = 0.2 * math.sqrt(2.0)
    places = [(radius, 0.0), (0.0, -radius), (-radius, 0.0), (0.0, radius)]
    assert np.abs(by_side.positions - prismatic_robot(4, 2, base=places).positions).max() < 1e-11


def test_more_sides_and_layers_have_names_of_their_own() -> None:
    many = prismatic_robot(12, 2)
    assert list(many.nodes)[:2] == ["0.1", "0.2"]
    assert {"1.l", "2.12"} <= set(many.nodes)
    high = prismatic_robot(3, 4)
    assert {"3c", "41"} <= set(high.nodes)
    assert {"lower1", "middle2.1", "middle3.3", "upper3"} <= set(high.bars)
    assert {"a1", "m2.1", "m3.3", "p3", "saddle1", "saddle3"} <= set(high.cables)
    assert high.cables["m2.1"].route[0] == high.cables["a1"].route[0], "wires of one number end at one node"
    assert len(high.select("cable:middle")) == 6
    for made in (many, high):
        assert posture(Robot(made, ("cable:a*",), gravity=GRAVITY)).ok


def test_what_stands_and_what_falls() -> None:
    """As docs/kinetostatics.md tells: active lengths locked and passive springs, the lowest stiffness [N/m]."""
    lowest = {}
    for sides in (3, 4):
        for layers in (2, 3):
            robot = Robot(prismatic_robot(sides, layers), ("cable:a*",), gravity=GRAVITY)
            told = stiffness_by_mode(posture(robot), robot)["active lengths locked, passive springs"]
            lowest[sides, layers] = told.lowest
    assert lowest == pytest.approx({(3, 2): 2.60, (3, 3): 1.66, (4, 2): 2.52, (4, 3): -0.05}, abs=6e-3)


def test_short_bars_need_a_shorter_saddle() -> None:
    with pytest.raises(OptionError, match=r"on a radius of 0.5 m with saddles of 3.383 m .* take a shorter saddle"):
        prismatic_robot(radius=0.5)
    assert posture(Robot(prismatic_robot(radius=0.5, saddle_length=2.7), ("cable:a*",), gravity=GRAVITY)).ok


def test_model_files_can_ask_for_it() -> None:
    text = "prismatic_robot: {sides: 4, layers: 1, active: tension, base: [[0.3, 0], [0, -0.3], [-0.3, 0], [0, 0.3]]}"
    model = parse_model(f"taut: 1\ngenerate: {{{text}}}\n")
    assert list(model.structure.cables) == ["a1", "a2", "a3", "a4"]
    assert model.structure.cables["a1"].command == 90.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sides": 2}, "sides = 2 must be a whole number, 3 or more"),
        ({"layers": 0}, "layers = 0 must be a whole number, 1 or more"),
        ({"layers": 9}, "layers = 9 must be 8 or less"),
        ({"radius": 0.3, "side": 0.4}, "radius and side are told; the base is given by one of radius, side and base"),
        ({"base": [(1, 0), (0, 1)]}, "base has 2 places; sides = 3 asks for as many"),
        ({"base": [(1, 0), (0, 1), 3]}, r"base\[2\] = 3 must be a place \(x, y\) or \(x, y, z\) \[m\]"),
        ({"base": [(1, 0), (0, 1), (0, math.nan)]}, r"base\[2\]\.y = nan must be a finite number"),
        ({"base": UNEVEN[3][::-1]}, "base must go clockwise round its middle, seen from above"),
        ({"active": "winch"}, "active = 'winch' must be one of tension, length, spring"),
        ({"bar_length": 0.4}, "bar_length = 0.4 m is too short for a base of radius 0.2598 m: bars lean by 0.4813 m"),
        ({"saddle_length": [1.7, 1.7]}, "saddle_length has 2 lengths; 2 layers have 1 saddle$"),
        ({"saddle_length": -1.0}, "saddle_length = -1.0 must be a finite number more than zero"),
        ({"stiffness": 30.0}, "stiffness = 30 N/m stretches a wire of 1.674 m by more than its length at 65 N"),
        ({"bar_length": 0.5}, r"wires of 90, 65 N hold bars of 0.5 m .* with saddles of 1.758 m \(0.0.* N left"),
        ({"base": [(0.9, 0.0), (-0.1, -0.1), (-0.1, 0.1)]}, "no balance was found over this base"),
    ],
)
def test_refusals(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        prismatic_robot(**options)
