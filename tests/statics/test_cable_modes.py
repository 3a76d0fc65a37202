"""Cables of commanded tension, force density and length at rest: slack and taut, load cases, paths, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest

import taut
from taut import ModelError
from taut.statics import LoadCase, deployment, derivatives, friction_bounds, path, solve_cases, stability

STIFFNESS, STRETCH = 500.0, 0.2


def hung(**lower) -> taut.Structure:
    """A node between a spring above, stretched by STRETCH, and a cable to the floor over a guide."""
    return taut.Structure(
        nodes={"top": (0, 0, 2), "node": (0, 0, 1), "guide": (0, 0, 0), "fast": (1, 0, 0)},
        cables={
            "upper": taut.Cable("upper", ("top", "node"), stiffness=STIFFNESS, rest_length=1.0 - STRETCH),
            "lower": taut.Cable("lower", ("node", "guide", "fast"), **lower),
        },
        supports={"top": "xyz", "guide": "xyz", "fast": "xyz"},
        point_masses={"node": 1.0},
    )


HELD = {"mode": "length", "command": 2.0}


def test_a_held_cable_pulls_with_what_it_takes_and_goes_slack() -> None:
    tight = taut.balance(hung(**HELD))
    assert tight.cable_tension == pytest.approx([STIFFNESS * STRETCH] * 2, rel=1e-12)
    assert not tight.notes
    loaded = taut.balance(hung(**HELD), loads={"node": (0, 0, -150.0)})
    assert loaded.cable_tension == pytest.approx([150.0, 0.0], abs=1e-9)
    assert loaded.structure.positions[1] == pytest.approx([0, 0, 2.0 - 0.8 - 150.0 / STIFFNESS], abs=1e-12)
    assert loaded.notes == ("1 of 2 cables are slack",)
    assert loaded.structure.cables["lower"].command == 2.0
    view = stability(loaded)
    assert "1 slack cable is left out" in view.sentence


@pytest.mark.parametrize("load", [0.0, 150.0])
def test_the_iterative_solver_finds_the_same(load: float) -> None:
    """With the held cable tight, and slack, so that no row is left."""
    loads = {"node": (0.0, 0.0, -load)}
    direct, iterative = (taut.balance(hung(**HELD), loads=loads, solver=s) for s in ("direct", "iterative"))
    assert iterative.ok, iterative.status
    assert iterative.structure.positions == pytest.approx(direct.structure.positions, abs=1e-9)
    assert iterative.cable_tension == pytest.approx(direct.cable_tension, abs=1e-6)


def test_a_slack_held_cable_catches_what_falls() -> None:
    """Nothing else holds the node: without the cable it would fall for ever."""
    made = taut.Structure(
        nodes={"top": (0, 0, 0), "node": (0.1, 0.05, -0.4)},
        cables={"rope": taut.Cable("rope", ("top", "node"), mode="length", command=1.5)},
        supports={"top": "xyz"},
    )
    found = taut.balance(made, loads={"node": (3.0, 0, -4.0)})
    assert found.ok, found.status
    assert found.structure.positions[1] == pytest.approx([0.9, 0.0, -1.2], abs=1e-11)
    assert found.cable_tension == pytest.approx([5.0], rel=1e-11)


def test_of_several_held_cables_those_hold_that_pull() -> None:
    """A node on four ropes of equal lengths: the load decides which two or three are tight; by hand from symmetry."""
    corners = {"e": (1, 0, 0), "n": (0, 1, 0), "w": (-1, 0, 0), "s": (0, -1, 0)}
    made = taut.Structure(
        nodes={**corners, "node": (0.02, 0.01, -1.0)},
        cables={k: taut.Cable(k, (k, "node"), mode="length", command=math.sqrt(2.0)) for k in corners},
        supports=dict.fromkeys(corners, "xyz"),
    )
    level = taut.balance(made, loads={"node": (0, 0, -80.0)})
    assert level.structure.positions[4] == pytest.approx([0, 0, -1], abs=1e-9)
    assert level.cable_tension.sum() == pytest.approx(80.0 * math.sqrt(2.0), rel=1e-9)
    assert level.cable_tension.min() >= 0.0
    side = taut.balance(made, loads={"node": (30.0, 0, -10.0)})
    assert side.ok, side.status
    tensions = dict(zip(corners, side.cable_tension, strict=True))
    assert tensions["e"] == 0.0
    assert tensions["w"] > 0.0
    lengths = side.length
    assert np.all(lengths <= math.sqrt(2.0) * (1.0 + 1e-9))
    assert np.all((side.cable_tension == 0.0) | (np.abs(lengths - math.sqrt(2.0)) < 1e-12))


def test_a_held_cable_only_pulls() -> None:
    with pytest.raises(ModelError, match="a cable held at its length only pulls; leave the law out"):
        taut.balance(hung(**HELD, law="spring"), loads={"node": (0, 0, -150.0)})


def test_commanded_tensions_do_not_go_slack() -> None:
    made = hung(mode="tension", command=60.0)
    found = taut.balance(made, loads={"node": (0, 0, -500.0)})
    assert found.cable_tension == pytest.approx([560.0, 60.0], rel=1e-12)
    raised = taut.balance(made, loads={"node": (0, 0, 60.0)})
    assert raised.cable_tension == pytest.approx([0.0, 60.0], abs=1e-6)


@pytest.mark.parametrize(("mode", "command"), [("length", 2.0), ("tension", 100.0), ("force_density", 50.0)])
def test_derivatives_by_a_command(mode: str, command: float) -> None:
    """By differences of balances, and by hand: a longer held cable lets the node rise and the upper one shrink."""
    made = hung(mode=mode, command=command)
    found = taut.balance(made)
    told = derivatives(found, "command", "cable:lower")
    h = 1e-4 * command

    def at(step: float) -> np.ndarray:
        moved = taut.balance(made.changed("cable:lower", command=command + step), tolerance=1e-14)
        return np.append(moved.structure.positions[1], moved.cable_tension)

    seen = (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h)
    assert told.nodes[0, 1] == pytest.approx(seen[:3], rel=1e-7, abs=1e-9)
    assert told.member_force[0] == pytest.approx(seen[3:], rel=1e-7, abs=1e-7)
    if mode == "tension":
        assert told.member_force[0] == pytest.approx([1.0, 1.0], rel=1e-9)
    if mode == "length":
        assert told.member_force[0] == pytest.approx([-STIFFNESS, -STIFFNESS], rel=1e-9)


def test_nothing_depends_on_the_stiffness_of_a_commanded_cable() -> None:
    found = taut.balance(hung(mode="tension", command=60.0, stiffness=10.0))
    told = derivatives(found, "stiffness", "cable:*")
    assert np.abs(told.member_force[1]).max() == 0.0
    assert np.abs(told.nodes[0]).max() > 0.0


def test_load_cases_change_commands_and_held_lengths() -> None:
    tension = solve_cases(hung(mode="tension", command=60.0), {"more": LoadCase(commands={"cable:lower": 75.0})})
    assert tension.member_force[0] == pytest.approx([75.0, 75.0], rel=1e-10)
    assert tension.equilibria["more"].structure.cables["lower"].command == 75.0
    held = deployment(hung(**HELD), [{"cable:lower": 1.9}, {"cable:lower": 1.8}, {"cable:lower": 2.1}])
    assert held.ok, held.status
    assert held.member_force == pytest.approx(np.array([[150.0, 150.0], [200.0, 200.0], [50.0, 50.0]]), abs=1e-7)
    assert held.nodes[:, 1, 2] == pytest.approx([0.9, 0.8, 1.1], abs=1e-9)


def test_a_path_on_which_a_held_cable_slackens_and_another_on_which_it_tightens() -> None:
    """The load of 100 N takes all of the held cable's tension; then the node sinks by load / stiffness."""
    case = LoadCase(loads={"node": (0, 0, -250.0)})
    found = path(hung(**HELD), case)
    assert found.ok, found.status
    assert [(event.kind, event.member) for event in found.events] == [("slack", "lower")]
    assert found.events[0].factor == pytest.approx(100.0 / 250.0, abs=1e-10)
    load = 250.0 * found.factor
    assert found.member_force[:, 1] == pytest.approx(np.maximum(100.0 - load, 0.0), abs=1e-7)
    assert found.member_force[:, 0] == pytest.approx(np.maximum(load, 100.0), abs=1e-7)
    assert found.nodes[:, 1, 2] == pytest.approx(1.0 - np.maximum(load - 100.0, 0.0) / STIFFNESS, abs=1e-9)
    assert not found.unstable.any()
    back = path(hung(**HELD), LoadCase(loads={"node": (0, 0, -20.0)}), start=case)
    assert back.ok, back.status
    assert [(event.kind, event.member) for event in back.events] == [("taut", "lower")]
    assert back.events[0].factor == pytest.approx(150.0 / 230.0, abs=1e-10)
    assert back.member_force[-1] == pytest.approx([100.0, 80.0], abs=1e-7)


@pytest.mark.parametrize("method", ["arc-length", "load"])
def test_a_path_of_a_spring_over_a_guide_slackens_where_balance_says(method: str) -> None:
    made = hung(stiffness=300.0, rest_length=1.9)
    found = path(made, LoadCase(loads={"node": (0, 0, -250.0)}), method=method)
    assert found.ok, found.status
    assert [(event.kind, event.member) for event in found.events] == [("slack", "lower")]
    # The node sinks by what takes the lower cable's stretch away; then the upper one has k (STRETCH + that).
    at_start = (STIFFNESS * STRETCH - 300.0 * 0.1) / (STIFFNESS + 300.0)
    sunk = 0.1 + at_start
    upper = STIFFNESS * (STRETCH - at_start + sunk)
    assert found.events[0].factor == pytest.approx(upper / 250.0, abs=1e-9)


def test_a_path_of_commands() -> None:
    found = path(hung(mode="tension", command=10.0), LoadCase(commands={"cable:lower": 90.0}))
    assert found.ok, found.status
    assert found.member_force[:, 1] == pytest.approx(10.0 + 80.0 * found.factor, abs=1e-8)
    assert found.nodes[:, 1, 2] == pytest.approx(2.0 - 0.8 - found.member_force[:, 1] / STIFFNESS, abs=1e-10)


def test_a_rest_length_of_zero_is_none_to_divide_by() -> None:
    found = taut.balance(hung(stiffness=50.0, rest_length=0.0))
    assert found.cable_tension[1] == pytest.approx(50.0 * found.length[1], rel=1e-10)
    assert found.cable_tension[0] == pytest.approx(found.cable_tension[1], rel=1e-10)


def test_prestress_gives_commands() -> None:
    for mode, command in (("tension", 40.0), ("force_density", 20.0), ("length", 2.0)):
        made = hung(mode=mode, command=1.0 if mode != "length" else None)
        found = taut.prestress(made, {"cable:lower": 40.0})
        assert found.cable_tension == pytest.approx([40.0, 40.0])
        assert found.structure.cables["lower"].command == pytest.approx(command)
        assert taut.balance(found.structure).iterations <= 1


def test_tables_say_no_rest_length_of_commanded_cables() -> None:
    rest = taut.balance(hung(mode="tension", command=5.0)).columns()["rest_length"]
    assert rest[0] == pytest.approx(1.0 - STRETCH)
    assert math.isnan(rest[1])
    assert taut.balance(hung(**HELD)).columns()["rest_length"][1] == 2.0


def test_friction_bounds_are_those_of_a_capstan() -> None:
    made = hung(stiffness=300.0, rest_length=1.9, friction=0.3)
    found = taut.balance(made)
    assert any("friction at the guides of lower is left out" in note for note in found.notes)
    told = friction_bounds(found)
    assert (told.cable, told.first, told.second) == (("lower", "lower"), ("node", "guide"), ("guide", "fast"))
    tension = found.cable_tension[1]
    assert told.turned == pytest.approx([0.0, math.pi / 2.0], abs=1e-9)
    assert told.lowest == pytest.approx(tension * np.exp([0.0, -0.15 * math.pi]), rel=1e-9)
    assert told.highest == pytest.approx(tension * np.exp([0.0, 0.15 * math.pi]), rel=1e-9)


def test_friction_round_a_loop_goes_the_shorter_way() -> None:
    made = taut.Structure(
        nodes={"e": (1, 0, 0), "n": (0, 1, 0), "w": (-1, 0, 0), "s": (0, -1, 0)},
        cables={"loop": taut.Cable("loop", ("e", "n", "w", "s", "e"), mode="tension", command=7.0, friction=0.2)},
        supports=dict.fromkeys("enws", "xyz"),
    )
    told = friction_bounds(taut.balance(made))
    assert told.turned == pytest.approx(np.array([0.0, 0.5, 1.0, 0.5]) * math.pi)
    assert told.highest == pytest.approx(7.0 * np.exp(0.2 * told.turned))


@pytest.mark.parametrize(
    ("cable", "case", "message"),
    [
        ({"mode": "tension", "command": 5.0}, {"rest_lengths": {"cable:lower": 1.0}}, "is of mode tension.*commands="),
        (HELD, {"commands": {"cable:lower": 1.0}}, "is of mode length.*lengths go into rest_lengths"),
        ({"stiffness": 5.0}, {"commands": {"cable:lower": 1.0}}, 'cable "lower" is of mode spring'),
        ({"mode": "tension", "command": 5.0}, {"commands": {"cable:lower": -1.0}}, "would push with 1 N.*zero or more"),
        ({"mode": "force_density", "command": 5.0}, {"commands": {"cable:lower": -1.0}}, "would push with 1 N/m"),
    ],
)
def test_bad_cases(cable: dict, case: dict, message: str) -> None:
    with pytest.raises(taut.OptionError, match=message):
        solve_cases(hung(**cable), {"case": LoadCase(**case)})


def test_bad_input() -> None:
    found = taut.balance(hung(mode="tension", command=5.0))
    with pytest.raises(taut.OptionError, match='cable "upper" has no command; ask for its rest_length'):
        derivatives(found, "command", "cable:upper")
    with pytest.raises(taut.OptionError, match='cable "lower" is of mode tension.*ask for its command'):
        derivatives(found, "rest_length", "cable:lower")
    with pytest.raises(taut.ModelError, match="-3 N would push; a cable only pulls"):
        taut.balance(hung(mode="tension", command=-3.0))
    short = {"mode": "length", "command": 0.5}
    impossible = hung(**short).supported("node")
    with pytest.raises(taut.ModelError, match="0.5 m is shorter than the 1.41421 m between its ends"):
        taut.balance(impossible)
    with pytest.raises(taut.ModelError, match='runs from node "guide" to itself'):
        taut.balance(hung(**HELD).with_cables(taut.Cable("odd", ("node", "guide", "guide", "fast"), stiffness=1.0)))


def test_a_held_length_that_no_shape_has_is_said() -> None:
    """Both ends held farther apart than it is long, by a guide in between: nothing can be done."""
    found = taut.balance(hung(mode="length", command=0.9))
    assert not found.ok
    assert "lower" in found.status
    assert "0.9 m" in found.status
