"""Form-finding that cannot be: collapse, loose parts, contradictions; each with what to do about it."""

from __future__ import annotations

import math
from inspect import signature

import numpy as np
import pytest

import taut
from taut.errors import ModelError, OptionError, SelectionError
from taut.statics.formfinding import METHODS, formfind
from taut.structure.records import Bar, Cable
from taut.structure.structure import Structure


def two_prisms() -> Structure:
    return taut.generators.prism(3).joined(taut.generators.prism(3).moved(translation=(5.0, 0.0, 0.0)), prefix="far.")


def ring_of_cables() -> Structure:
    nodes = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (0, 1, 0), "d": (0, 0, 1), "e": (1, 1, 1)}
    pairs = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "a"), ("a", "c")]
    return Structure(nodes, cables={f"{a}{b}": Cable(f"{a}{b}", (a, b), stiffness=1.0) for a, b in pairs})


# --- structures that no method can help


@pytest.mark.parametrize("method", ["adaptive", "relaxation", "lengths", "force_density"])
def test_loose_parts_are_named(method: str) -> None:
    options = {"force_densities": {"cable:*": 1.0, "bar:*": -1.0}} if method == "force_density" else {}
    with pytest.raises(ModelError, match=r"in 2 parts that no member joins.*bottom1.*far.bottom1.*each part alone"):
        formfind(two_prisms(), method, **options)


def test_a_loose_part_beside_a_supported_one_is_named() -> None:
    structure = two_prisms().supported("bottom*")
    with pytest.raises(ModelError, match=r"1 of them held by no support: far.bottom1"):
        formfind(structure, "relaxation")


def test_a_node_without_members_is_a_part() -> None:
    with pytest.raises(ModelError, match="in 2 parts that no member joins, and 2 of them held by no support: .*; lone"):
        formfind(taut.generators.prism(3).with_nodes(lone=(9.0, 9.0, 9.0)))


@pytest.mark.parametrize("method", ["adaptive", "relaxation", "lengths", "force_density"])
def test_cables_alone_without_supports_are_refused(method: str) -> None:
    options = {"force_densities": {"cable:*": 1.0}} if method == "force_density" else {}
    with pytest.raises(ModelError, match="only cables and no supports, so it would shrink to a point; add bars"):
        formfind(ring_of_cables(), method, **options)


def test_linear_constraints_are_refused() -> None:
    structure = taut.generators.prism(3).with_constraints(taut.on_plane("guide", "top1", (0.0, 0.0, 1.0)))
    with pytest.raises(ModelError, match="constraints.guide: form-finding takes supports but no linear constraints"):
        formfind(structure)


@pytest.mark.parametrize("method", ["adaptive", "lengths"])
def test_supports_are_refused_where_the_form_stands_alone(method: str) -> None:
    with pytest.raises(OptionError, match=r"bottom1, bottom2, bottom3 held by supports.*free them with supported"):
        formfind(taut.generators.prism(3).supported("bottom*"), method)
    with pytest.raises(OptionError, match="every node is held along every axis"):
        formfind(taut.generators.prism(3).supported("*"), method)


# --- collapse


def flat_prism() -> Structure:
    structure = taut.generators.prism(3, twist=0.9)
    return structure.placed(structure.positions * (1.0, 1.0, 0.0))


@pytest.mark.parametrize("method", ["relaxation", "adaptive"])
def test_a_start_in_a_plane_stays_there_and_is_said(method: str) -> None:
    found = formfind(flat_prism(), method)
    assert not found.ok
    assert found.status.startswith("collapsed to a plane: the shape has no extent along 1 of its 3 directions")
    assert "give nodes that are not in one plane" in found.status
    assert 'supported("*", "y")' in found.status
    assert formfind(flat_prism(), "adaptive", shape="round").ok


def test_bars_too_weak_collapse_to_a_point() -> None:
    """Springs that push take the place of bars; cables of no rest length overcome them."""
    made = taut.generators.prism(3)
    springs = [Cable(b.name, b.nodes, rest_length=1e-9, stiffness=1.0, law="spring") for b in made.bars.values()]
    soft = made.without("bar:*").with_cables(*springs).changed("cable:bottom*", rest_length=0.0)
    soft = soft.changed("cable:top*", rest_length=0.0).changed("cable:vertical*", rest_length=0.0)
    found = formfind(soft, "relaxation", iterations=5000)
    assert found.status.startswith("collapsed to a point: the cables overcome the bars; make bars longer")


def test_slack_cables_hold_no_shape() -> None:
    found = formfind(taut.generators.prism(3), "relaxation", rest_lengths={"cable:*": 3.0})
    assert found.status.startswith("slack: no cable pulls, so no shape is held; give shorter rest lengths")


def test_stacked_prisms_fall_into_a_line_from_signs_alone() -> None:
    """Struts and verticals of equal force density let every level float, so signs say too little."""
    found = formfind(taut.generators.tower(3, class_=2))
    assert found.status.startswith("collapsed to a line")


def test_what_is_not_finished_says_how_much_is_left() -> None:
    few = formfind(taut.generators.icosahedron(), iterations=3)
    assert few.status.startswith("not balanced after 3 iterations: ")
    assert few.history.size == 3
    slow = formfind(taut.generators.prism(4, twist=0.1), "relaxation", iterations=30)
    assert slow.status.startswith("not at rest after 30 steps: ")
    short = formfind(taut.generators.prism(8, twist=0.1), "lengths", iterations=1)
    assert short.status.startswith("no optimum found in 1 iterations; allow more")


# --- options that contradict


PRISM = {"cable:vertical": 1.0, "cable:bottom": 1.0, "cable:top": 1.0, "bar:*": -1.0}


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"method": "adaptiv"}, OptionError, 'no method "adaptiv"; did you mean "adaptive"?'),
        ({"method": "magic"}, OptionError, "known are adaptive, force_density, relaxation, lengths"),
        (
            {"seed": 1},
            OptionError,
            'method "adaptive" has no option "seed"; it has groups, guess, .*"seed" goes with relaxation',
        ),
        ({"method": "lengths", "groups": []}, OptionError, 'has no option "groups"; it has cable_lengths, bar_ratios'),
        ({"groups": ["cable:vertcal"]}, SelectionError, 'selects no cable; did you mean "vertical"?'),
        ({"groups": ["vertical"]}, SelectionError, '"vertical" does not say of what kind'),
        ({"groups": "cable:*"}, OptionError, "groups: 'cable:\\*' is a text, where a list .* is wanted"),
        ({"groups": ["node:top*"]}, SelectionError, 'groups: "node:top\\*" selects nodes where cables or bars'),
        (
            {"groups": ["cable:*", "cable:top"]},
            OptionError,
            'cable "top1" is in two groups, "cable:\\*" and "cable:top"',
        ),
        ({"shape": "nice"}, OptionError, 'shape = "nice" is not one of nearest, round'),
        ({"size": {"bar:*": 0.0}}, OptionError, "must be a length of more than zero"),
        ({"size": {"bar:*": 1.0, "cable:*": 1.0}}, OptionError, "size takes one selector"),
        ({"rest_ratio": 1.0}, OptionError, "rest_ratio = 1.0 must be more than 0 and less than 1"),
        ({"guess": {"cable:top": -1.0}}, OptionError, r'guess = -1 in "top1": cables pull \(> 0\) and bars push'),
        ({"iterations": 0}, OptionError, "iterations = 0 must be one or more"),
        ({"tolerance": math.nan}, OptionError, "tolerance = nan positive"),
        ({"method": "force_density"}, OptionError, "needs force_densities, as"),
        (
            {"method": "force_density", "force_densities": {"cable:*": 1.0}},
            OptionError,
            "gives none to strut1, strut2, strut3; every member needs one",
        ),
        (
            {"method": "force_density", "force_densities": {**PRISM, "cable:top1": 0.0}},
            OptionError,
            "must be more than zero in cables, and are not in top1",
        ),
        (
            {"method": "force_density", "force_densities": PRISM},
            OptionError,
            "carry no shape of 3 dimensions: their matrix has 2 zero eigenvalues and needs 4",
        ),
        (
            {"method": "force_density", "force_densities": {"cable:*": "much"}},
            OptionError,
            "force_densities.cable:\\*: 'much' is a text, where a number is wanted",
        ),
        (
            {"method": "force_density", "force_densities": PRISM, "loads": {"top1": (1.0, 0.0, 0.0)}},
            OptionError,
            "nothing would balance the loads",
        ),
        ({"method": "relaxation", "seed": -1}, OptionError, "seed = -1 must be a whole number"),
        ({"method": "relaxation", "bar_lengths": {"bar:*": 0.0}}, OptionError, "bar_lengths = .* more than zero"),
        ({"method": "relaxation", "rest_lengths": {"bar:*": 1.0}}, SelectionError, "selects bars where cables are"),
        ({"method": "lengths", "cable_lengths": {"cable:*": -1.0}}, OptionError, "cable_lengths = .* more than zero"),
    ],
)
def test_options_that_make_no_sense(options: dict, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        formfind(taut.generators.prism(3), **options)


def test_the_call_has_every_option_of_every_method_and_no_other() -> None:
    methods = {name for find in METHODS.values() for name in signature(find).parameters}
    assert set(signature(formfind).parameters) == methods | {"method"}
    with pytest.raises(TypeError, match="group"):
        formfind(taut.generators.prism(3), group=[])


def test_a_bar_that_no_chain_of_cables_spans_could_grow_without_end() -> None:
    nodes = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (0, 1, 0), "d": (0, 0, 1), "e": (1, 1, 1)}
    structure = Structure(
        nodes,
        bars={"ab": Bar("ab", ("a", "b")), "bc": Bar("bc", ("b", "c"))},
        cables={f"{x}{y}": Cable(f"{x}{y}", (x, y), stiffness=1.0) for x, y in [("a", "c"), ("c", "d"), ("d", "e")]},
    )
    with pytest.raises(ModelError, match="bars.ab: its ends are joined by no chain of cables.*\n?.*bars.bc"):
        formfind(structure, "lengths")


def test_a_cable_in_a_strut_s_place_can_only_pull() -> None:
    structure = taut.generators.prism(3)
    cabled = structure.without("bar:strut1").with_cables(Cable("strut1", ("bottom1", "top2"), stiffness=1.0))
    found = formfind(cabled)
    assert not found.ok


def test_too_few_nodes_for_a_self_stress() -> None:
    nodes = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (0, 1, 0), "d": (0, 0, 1)}
    structure = Structure(
        nodes,
        bars={"ab": Bar("ab", ("a", "b"))},
        cables={f"{x}{y}": Cable(f"{x}{y}", (x, y), stiffness=1.0) for x, y in ["ac", "ad", "bc", "bd", "cd"]},
    )
    with pytest.raises(OptionError, match="4 nodes carry no self-stress in 3 dimensions; 5 or more can"):
        formfind(structure)


def test_force_densities_that_cables_cannot_bear() -> None:
    ring = 100.0 / math.sqrt(3.0)
    given = {"cable:vertical": 100.0, "bar:*": -100.0, "cable:bottom": ring, "cable:top": ring}
    soft = taut.generators.prism(3, stiffness=80.0)
    with pytest.raises(OptionError, match=r'cable "vertical1" would need a rest length below zero.*100 N/m.*80 N/m'):
        formfind(soft, "force_density", force_densities=given)


def test_supports_that_leave_an_axis_open_and_pushes_that_cancel_pulls() -> None:
    structure = taut.generators.prism(3).supported("bottom*", "xy")
    with pytest.raises(OptionError, match="no node is held along z while other axes have supports"):
        formfind(structure, "force_density", force_densities=PRISM)
    with pytest.raises(OptionError, match="size is for structures that stand alone"):
        formfind(
            taut.generators.prism(3).supported("bottom*"), "force_density", force_densities=PRISM, size={"bar:*": 1.0}
        )
    crossed = taut.generators.tbar().changed("cable:*", law="cable")
    with pytest.raises(OptionError, match="leave the shape open along x: the bars' push cancels the cables' pull"):
        formfind(crossed, "force_density", force_densities={"cable:*": 1.0, "bar:*": -1.0})


def test_members_that_lose_their_length_are_named() -> None:
    """A node tied to one support alone ends on it."""
    nodes = {"a": (0, 0, 0), "b": (1, 0, 0), "tail": (0.5, 1.0, 0.0), "mid": (0.5, 0.0, 0.0)}
    pairs = [("a", "mid"), ("mid", "b"), ("mid", "tail")]
    cables = {f"{x}-{y}": Cable(f"{x}-{y}", (x, y), stiffness=10.0) for x, y in pairs}
    structure = Structure(nodes, cables=cables, supports={"a": "xyz", "b": "xyz"})
    found = formfind(structure, "force_density", force_densities={"cable:*": 1.0})
    assert found.status.startswith("collapsed in part: mid-tail have no length")
    assert np.isfinite(found.residual)
