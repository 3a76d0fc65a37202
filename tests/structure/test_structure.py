"""Structures: selectors, edits, joining, cutting, and the list of everything that is wrong."""

from __future__ import annotations

import dataclasses
import math
import pickle
import random
import re
import time
from dataclasses import replace

import numpy as np
import pytest

import taut
from taut.errors import ModelError, OptionError, SelectionError, suggestion
from taut.structure import properties
from taut.structure.checks import mass_problems
from taut.structure.joining import subdivided
from taut.structure.records import Bar, Cable, LinearConstraint, Material, on_line, on_plane, tied
from taut.structure.structure import Structure

WOOD = Material("wood", 500.0, 1e9)


def square() -> Structure:
    return Structure(
        {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1, 0, 1), "d_4": (0, 0, 1)},
        [Bar("b1", ("a", "c"), material=WOOD, radius=0.05), Bar("b2", ("b", "d_4"), mass=2.0)],
        [
            Cable("low", ("a", "b"), stiffness=100.0),
            Cable("right", ("b", "c"), stiffness=100.0),
            Cable("left", ("d_4", "a"), stiffness=100.0),
        ],
        groups={
            "upright": ("cable:right", "cable:left"),
            "feet": ("node:a", "node:b"),
            "all": ("cable:upright", "cable:low"),
        },
        name="square",
    )


# --- selectors


@pytest.mark.parametrize(
    ("selector", "kind", "names"),
    [
        ("cable:*", "", ("low", "right", "left")),
        ("cable:l*", "", ("low", "left")),
        ("cable:upright", "", ("right", "left")),
        ("cable:all", "", ("low", "right", "left")),
        ("cable:upr*", "", ("right", "left")),
        ("bar:b?", "", ("b1", "b2")),
        ("d_4", "node", ("d_4",)),
        ("feet", "node", ("a", "b")),
        ("node:[ab]", "node", ("a", "b")),
    ],
)
def test_selectors(selector: str, kind: str, names: tuple[str, ...]) -> None:
    assert square().select(selector, kind) == names


@pytest.mark.parametrize(
    ("selector", "kind", "said"),
    [
        ("low", "", 'does not say of what kind; write it as "cable:low"'),
        ("lwo", "", 'does not say of what kind; write it as one of "node:lwo", "bar:lwo", "cable:lwo"'),
        ("low", "cables", 'there is no kind "cables"; did you mean "cable"'),
        ("low", "thing", 'there is no kind "thing"; say one of node, bar, cable'),
        ("cables:low", "", 'there is no kind "cables"; did you mean "cable"'),
        ("cable:lwo", "", '"cable:lwo" selects no cable; did you mean "low"'),
        ("bar:zzz", "", '"bar:zzz" selects no bar; there are 2: b1, b2'),
        ("cable:low", "node", "selects cables where nodes are wanted"),
        ("bar:upright", "", "selects no bar"),
    ],
)
def test_selectors_that_mean_nothing(selector: str, kind: str, said: str) -> None:
    with pytest.raises(SelectionError, match=said):
        square().select(selector, kind)


def test_groups_in_a_circle_are_harmless() -> None:
    s = square().grouped("p", "cable:q", "cable:low").grouped("q", "cable:p", "cable:left")
    assert s.select("cable:p") == ("low", "left")
    many = square()
    for i in range(40):
        many = many.grouped(f"g{i}", f"cable:g{i + 1}", f"cable:g{i + 1}", "cable:low")
    began = time.process_time()
    assert many.select("cable:g0") == ("low",)
    assert time.process_time() - began < 1.0


def test_a_name_written_out_wins_over_its_reading_as_a_pattern() -> None:
    s = Structure({"a[1]": (0, 0, 0), "a1": (1, 0, 0)})
    assert s.select("node:a[1]") == ("a[1]",)


def test_suggestions_are_found_in_large_vocabularies_too() -> None:
    known = {f"node{i}" for i in range(5000)}
    assert suggestion("nod17", known) == '; did you mean "node17"?'
    assert suggestion("quite different", known) == ""


def test_what_others_call_so_is_what_is_meant() -> None:
    fields = [field.name for field in dataclasses.fields(Cable)]
    assert suggestion("nodes", fields) == '; did you mean "route"?', 'and not "mode", which looks like it'
    assert suggestion("E", fields) == '; did you mean "material"?'
    assert suggestion("area", fields) == '; did you mean "radius"?'
    assert suggestion("l0", fields) == '; did you mean "rest_length"?'
    assert suggestion("nodes", ["node1", "route1"]) == '; did you mean "node1"?', "only where the other word is known"


# --- edits


def test_edits_return_copies() -> None:
    s = square()
    held = s.supported("feet").supported("c", "y").supported("node:a", "")
    assert held.supports == {"b": "xyz", "c": "y"}
    assert s.supports == {}
    assert s.weighted("feet", 2.0).point_masses == {"a": 2.0, "b": 2.0}
    assert s.weighted("feet", 2.0).weighted("node:a", 0.0).point_masses == {"b": 2.0}
    with pytest.raises(TypeError):
        s.nodes["a"] = (1, 1, 1)  # type: ignore[index]


def test_changed_sets_fields_and_rest_rules() -> None:
    s = square().changed("bar:*", mass=3.0).changed("cable:upright", stiffness=50.0, tension=5.0)
    assert {bar.mass for bar in s.bars.values()} == {3.0}
    assert s.cables["right"].rest_length == pytest.approx(0.9)
    assert s.cables["low"].rest_length is None
    assert s.changed("cable:low", rest_ratio=0.5).cables["low"].rest_length == 0.5
    assert s.changed("cable:low", force_density=10.0).cables["low"].rest_length == pytest.approx(0.9)
    by_material = s.changed("cable:low", stiffness=None, material=WOOD, radius=0.001, tension=100.0)
    low = by_material.cables["low"]
    stretch = 1.0 - properties.rest_length(by_material, low)
    assert properties.stiffness(by_material, low) * stretch == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("selector", "fields", "said"),
    [
        ("cable:low", {"stifness": 1.0}, 'cable "low" has no field "stifness"; did you mean "stiffness"'),
        ("bar:b1", {"tension": 1.0}, 'bar "b1" has no field "tension"; there are nodes, mass'),
        ("cable:low", {"tension": 1.0, "rest_ratio": 1.0}, "more than one rule"),
        ("cable:low", {"stiffness": 0.0, "tension": 1.0}, "tension needs a stiffness of more than zero, not 0 N/m"),
        ("cable:low", {"stiffness": None, "tension": 1.0}, "tension needs a stiffness, or a material"),
        ("node:a", {"mass": 1.0}, "only bars and cables have fields"),
    ],
)
def test_changes_that_make_no_sense(selector: str, fields: dict[str, float], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        square().changed(selector, **fields)


def test_without_takes_what_touches_and_what_names_it() -> None:
    s = square().with_constraints(*tied("pin", "a", "b")).supported("feet")
    smaller = s.without("node:a")
    assert list(smaller.bars) == ["b2"]
    assert list(smaller.cables) == ["right"]
    assert not smaller.constraints
    assert smaller.supports == {"b": "xyz"}
    assert smaller.groups["feet"] == ("node:b",)
    assert smaller.check() == []
    assert s.without("cable:left").groups["upright"] == ("cable:right",)
    assert s.without("cable:upright").check() == []


def test_moved_and_placed() -> None:
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    moved = square().moved(quarter, translation=(0, 0, 2))
    assert moved.nodes["b"] == (0.0, 1.0, 2.0)
    with pytest.raises(OptionError, match=r"positions must have shape \(4, 3\), .* not \(3, 3\)"):
        square().placed(np.zeros((3, 3)))


def test_names_must_be_used_once_and_agree() -> None:
    with pytest.raises(ModelError, match=r"bars.b1: this name is used twice"):
        square().with_bars(Bar("b1", ("a", "b")))
    with pytest.raises(ModelError, match='bars.x: holds a record named "y"'):
        Structure({"a": (0, 0, 0)}, bars={"x": Bar("y", ("a", "a"))})
    with pytest.raises(ModelError, match=r"nodes.a: \(0, 0\) is a tuple, where three numbers are wanted"):
        Structure({"a": (0, 0)})  # type: ignore[dict-item]


def test_structures_survive_pickling() -> None:
    assert pickle.loads(pickle.dumps(square())) == square()


# --- joining


def test_prefixed_renames_everything() -> None:
    s = square().supported("feet").prefixed("u_")
    assert list(s.nodes) == ["u_a", "u_b", "u_c", "u_d_4"]
    assert s.bars["u_b1"].nodes == ("u_a", "u_c")
    assert s.select("cable:u_upright") == ("u_right", "u_left")
    assert set(s.supports) == {"u_a", "u_b"}
    assert s.check() == []


def test_joined_lays_nodes_on_nodes() -> None:
    base = square().weighted("node:c", 1.0).grouped("row", "node:[ab]")
    upper = square().moved(translation=(0, 0, 1)).weighted("node:b", 2.0).grouped("row", "node:[ab]")
    both = base.joined(upper, prefix="u_", onto={"a": "d_4", "b": "c"})
    assert list(both.nodes) == ["a", "b", "c", "d_4", "u_c", "u_d_4"]
    assert both.bars["u_b1"].nodes == ("d_4", "u_c")
    assert both.point_masses == {"c": 3.0}
    assert both.select("node:u_row") == ("c", "d_4"), "a pattern still means the nodes that were laid on others"
    assert both.check() == []


def test_joins_that_clash_are_refused() -> None:
    with pytest.raises(ModelError, match="nodes.a: this name is in both structures; join with a prefix"):
        square().joined(square())
    with pytest.raises(ModelError, match="groups.u_upright: this name is in both"):
        square().grouped("u_upright", "cable:low").joined(square(), prefix="u_")
    with pytest.raises(ModelError, match='no node "e"'):
        square().joined(square(), prefix="u_", onto={"a": "e"})


def test_subdivided_keeps_mass_stiffness_and_length() -> None:
    heavy = square().changed("cable:low", mass=3.0, segments=3, rest_length=0.9)
    fine = subdivided(heavy)
    pieces = fine.select("cable:low")
    assert pieces == ("low~1", "low~2", "low~3")
    assert fine.nodes["low~1"] == pytest.approx((1 / 3, 0, 0))
    assert sum(fine.cables[p].mass for p in pieces) == pytest.approx(3.0)
    assert 1 / sum(1 / fine.cables[p].stiffness for p in pieces) == pytest.approx(100.0)
    assert sum(fine.cables[p].rest_length for p in pieces) == pytest.approx(0.9)
    assert fine.check() == []
    assert subdivided(square()) == square()


# --- check


def test_a_sound_structure_has_no_problems() -> None:
    assert square().check() == []


@pytest.mark.parametrize(
    ("structure", "said"),
    [
        (Structure({}), "nodes: a structure needs at least one node"),
        (Structure({"a": (math.nan, 0, 0)}), "nodes.a: position [nan, 0.0, 0.0] is not finite"),
        (square().with_bars(Bar("x", ("a", "d4"))), 'bars.x.nodes: no node "d4"; did you mean "d_4"?'),
        (
            square().with_bars(Bar("x", ("a", "a"))),
            'bars.x.nodes: runs from node "a" to itself; a bar needs two different nodes',
        ),
        (square().with_bars(Bar("x", ("a", "b"), mass=-1.0)), "bars.x.mass: -1 kg must be more than zero"),
        (
            square().with_bars(Bar("x", ("a", "b"), inertia="cylinder")),
            "bars.x.inertia: the radius term needs a radius",
        ),
        (
            square().with_bars(Bar("x", ("a", "b"), radius=1.0, inner_radius=1.0)),
            "bars.x.inner_radius: 1 m is not less than the radius 1 m",
        ),
        (
            square().with_cables(Cable("x", ("a",), stiffness=1.0)),
            "cables.x.route: a route needs two nodes or more, not 1",
        ),
        (
            square().with_cables(Cable("x", ("a", "b"))),
            "cables.x.stiffness: is not known; give a stiffness, or a material with youngs_modulus and a radius",
        ),
        (
            square().with_cables(Cable("x", ("a", "b"), stiffness=1.0, segments=2)),
            "cables.x.segments: only a cable with mass can be cut into segments; give a mass or a density",
        ),
        (
            square().with_bars(Bar("x", ("a", "b"), material=Material("soft", yield_stress=-1.0))),
            "bars.x.material.yield_stress: -1 Pa must be more than zero",
        ),
        (
            square().with_constraints(LinearConstraint("x", (("a", "xy", 1.0),))),
            'constraints.x: "xy" is not an axis; say x, y or z',
        ),
        (
            square().with_constraints(on_plane("x", "a", (0, 0, 0))),
            "constraints.x: constrains nothing: its coefficients are zero, or cancel",
        ),
        (
            square().with_constraints(LinearConstraint("x", (("a", "x", 1.0), ("a", "x", -1.0)))),
            "constraints.x: constrains nothing: its coefficients are zero, or cancel",
        ),
        (
            square().grouped("x", "low"),
            'groups.x[0]: "low" must start with one of node, bar, cable, plate, constraint, angle and a colon',
        ),
        (square().grouped("x", "cable:lwo"), 'groups.x[0]: "cable:lwo" selects no cable; did you mean "low"?'),
    ],
)
def test_each_problem_has_its_sentence(structure: Structure, said: str) -> None:
    assert said in [str(problem) for problem in structure.check()]


def test_all_problems_are_listed() -> None:
    s = square().with_bars(Bar("x", ("q", "r"))).with_cables(Cable("y", ("a", "b"), stiffness=-1.0, law="rubber"))
    assert len(s.check()) == 4


def test_free_nodes_without_mass_are_named() -> None:
    s = Structure(
        {"a": (0, 0, 0), "b": (1, 0, 0)}, cables=[Cable("c", ("a", "b"), stiffness=1.0)], supports={"a": "xyz"}
    )
    (problem,) = mass_problems(s)
    assert 'node "b" can move but has no mass and no bar' in str(problem)
    assert mass_problems(s.weighted("node:b", 1.0)) == []


def test_a_line_is_two_planes_across_it() -> None:
    direction = np.array([1.0, 2.0, -0.5])
    for plane in on_line("rail", "a", tuple(direction)):
        normal = np.zeros(3)
        for _, axis, coefficient in plane.terms:
            normal["xyz".index(axis)] = coefficient
        assert normal @ direction == pytest.approx(0.0, abs=1e-15)
        assert np.linalg.norm(normal) == pytest.approx(1.0)


def test_an_ordered_structure_is_the_same_with_neighbours_close() -> None:
    tower = taut.generators.tower(20, class_=2).supported("bottom*")
    shuffled = list(tower.nodes)
    random.Random(0).shuffle(shuffled)
    mixed = replace(tower, nodes={name: tower.nodes[name] for name in shuffled})
    again = mixed.ordered()
    assert again == tower

    def reach(structure: taut.Structure) -> int:
        place = {name: i for i, name in enumerate(structure.nodes)}
        return max(abs(place[c.route[0]] - place[c.route[-1]]) for c in structure.cables.values())

    assert reach(again) <= 12 < 40 < reach(mixed)
    firsts = [min(list(again.nodes).index(n) for n in bar.nodes) for bar in again.bars.values()]
    assert firsts == sorted(firsts)


def test_a_group_keeps_what_it_names_where_a_cable_of_its_name_is_cut() -> None:
    rope = taut.Cable("r", ("a", "b"), stiffness=1e3, mass=0.1, segments=2)
    tie = taut.Cable("t", ("a", "c"), stiffness=1e3)
    places = {"a": (0.0, 0.0, 0.0), "b": (2.0, 0.0, 0.0), "c": (2.0, 1.0, 0.0)}
    held = dict.fromkeys(places, "xyz")
    both = taut.Structure(places, cables=[rope, tie], supports=held, groups={"r": ("cable:t", "cable:r")})
    assert both.select("cable:r") == ("r", "t")
    assert taut.balance(both).structure.select("cable:r") == ("r~1", "r~2", "t")


HALF = np.sqrt(0.5) * np.array([[1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, np.sqrt(2.0)]])
"""An eighth of a turn about z."""


@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        (2.0 * np.eye(3), "is not orthonormal (off by 3, and 1e-06 may be)"),
        (np.diag([1.0, 1.0, 0.9]), "is not orthonormal (off by 0.19, and 1e-06 may be)"),
        (HALF.round(4), "is not orthonormal (off by 1.9e-05, and 1e-06 may be)"),
        (np.full((3, 3), np.nan), "holds what is not a finite number"),
    ],
)
def test_what_changes_lengths_is_no_rotation(matrix: np.ndarray, told: str) -> None:
    with pytest.raises(OptionError, match=re.escape(f"moved: rotation {told}")):
        taut.generators.prism().moved(matrix)


def test_a_rotation_of_few_digits_is_mended_as_its_message_says() -> None:
    u, _, v = np.linalg.svd(HALF.round(4))
    made = taut.generators.prism()
    assert made.moved(u @ v).positions == pytest.approx(made.moved(HALF).positions, abs=1e-4)


def test_mirror_images_are_moved_to() -> None:
    made = taut.generators.prism()
    assert made.moved(np.diag([1.0, 1.0, -1.0])).positions == pytest.approx(made.positions * [1.0, 1.0, -1.0])
