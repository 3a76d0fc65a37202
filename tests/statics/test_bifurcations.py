"""Where another branch leaves a path: located from any step, against closed forms and complex steps; switched to."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq, fsolve

from taut.errors import OptionError
from taut.statics.load_case import LoadCase
from taut.statics.paths import LoadPath, path
from taut.structure.records import Bar, Cable
from taut.structure.structure import Structure

STEPS = (
    *(0.05, 0.3, 1.0),
    *(pytest.param(step, marks=pytest.mark.slow) for step in (0.02, 0.03, 0.08, 0.1, 0.15, 0.2, 0.5)),
)
STIFFNESS, HEIGHT = 1000.0, 3.0
REST = math.hypot(1.0, HEIGHT)


def legs(count: int) -> Structure:
    """A steep truss of two springs in a plane, or a tripod of three: it buckles sideways before it snaps through."""
    turns = [2.0 * math.pi * k / count for k in range(count)]
    nodes = {f"foot{k}": (math.cos(turn), math.sin(turn), 0.0) for k, turn in enumerate(turns)}
    bars = [Bar(f"leg{k}", (f"foot{k}", "top"), law="compressible", stiffness=STIFFNESS) for k in range(count)]
    supports = dict.fromkeys(nodes, "xyz") | ({"top": "y"} if count == 2 else {})
    return Structure({**nodes, "top": (0.0, 0.0, HEIGHT)}, bars=bars, supports=supports)


def pull(feet: np.ndarray, top: np.ndarray) -> np.ndarray:
    """What springs from the feet do to the top, by Hooke's law alone."""
    spans = feet - top
    lengths = np.sqrt((spans * spans).sum(axis=1))
    return np.asarray((STIFFNESS * (1.0 - REST / lengths))[:, None] * spans).sum(axis=0)


def critical_load(count: int) -> float:
    """Where the sideways stiffness of the upright shape is zero: a complex step on the force, and a root finder."""
    feet = np.array([place for name, place in legs(count).nodes.items() if name != "top"])

    def sideways(height: float) -> float:
        return float(-pull(feet, np.array([1e-30j, 0.0, height]))[0].imag / 1e-30)

    height = brentq(sideways, 1.2, HEIGHT, xtol=1e-14)
    return float(pull(feet, np.array([0.0, 0.0, height]))[2])


def pressed(count: int, share: float, **options: float) -> tuple[LoadPath, float]:
    """The path to a share of the critical load put on the top, and that load."""
    load = critical_load(count)
    return path(legs(count), LoadCase(loads={"top": (0.0, 0.0, -share * load)}), **options), load  # type: ignore[arg-type]


def test_the_critical_load_of_the_steep_truss_in_closed_form() -> None:
    """Sideways k (2 / l^2 - 2 (l0 / l - 1) z^2 / l^2) is zero where l0 z^2 = l^3, and z^2 = l^2 - 1."""
    roots = np.roots([1.0, -REST, 0.0, REST])
    length = float(np.real(next(root for root in roots if 1.0 < root.real < REST)))
    assert critical_load(2) == pytest.approx(
        2.0 * STIFFNESS * (REST / length - 1.0) * math.sqrt(length**2 - 1.0), rel=1e-12
    )


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("count", [2, 3])
def test_a_bifurcation_is_an_event_from_any_step(count: int, step: float) -> None:
    """The tripod may fall to any side: two directions become unstable at once. The path itself goes straight on."""
    traced, _ = pressed(count, 1.2, step=step)
    assert traced.ok, traced.status
    (event,) = traced.events
    assert (event.kind, event.member, event.node) == ("bifurcation", "", "top")
    assert event.factor == pytest.approx(1.0 / 1.2, rel=1e-8)
    assert np.abs(traced.nodes[:, -1, :2]).max() < 1e-6
    beside = np.arange(len(traced.factor)) != event.point
    assert np.all(traced.unstable[beside] == np.where(traced.factor > event.factor, count - 1, 0)[beside])


@pytest.mark.parametrize("step", [*(pytest.param(fine, marks=pytest.mark.slow) for fine in (0.03, 0.1)), 0.3])
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("side", [1, -1])
def test_the_other_branch_can_be_followed(count: int, side: int, step: float) -> None:
    traced, load = pressed(count, 1.2, step=step, switch=side, points=40)
    event = traced.events[0]
    assert event.kind == "bifurcation"
    feet, tops = traced.nodes[0, :-1], traced.nodes[event.point + 1 :, -1]
    aside = np.hypot(tops[:, 0], tops[:, 1])
    far = int(np.argmax(aside > 0.6))
    assert far > 0, "it leaves the upright shape"
    assert np.all(np.diff(aside[: far + 1]) > 0.0), "for good"
    assert aside[0] < 0.2 * step * REST
    most = int(np.argmax(np.abs(tops[0, :2])))
    assert np.sign(tops[0, most]) == side
    for top, factor in zip(tops, traced.factor[event.point + 1 :], strict=False):
        assert pull(feet, top) == pytest.approx([0.0, 0.0, 1.2 * factor * load], abs=1e-6)


def test_the_branch_that_leaves_is_the_one_of_the_equations() -> None:
    """Found by solving for the load and the height at given distances aside, starting where the branch leaves."""
    traced, load = pressed(2, 1.2, step=0.05, switch=1, points=40)
    start = traced.events[0].point
    feet = traced.nodes[0, :-1]
    guess = np.array([traced.nodes[start, -1, 2], load])
    for top, factor in zip(traced.nodes[start + 1 : start + 12, -1], traced.factor[start + 1 :], strict=False):

        def left(unknown: np.ndarray, aside: float = top[0]) -> np.ndarray:
            force = pull(feet, np.array([aside, 0.0, unknown[0]]))
            return np.array([force[0], force[2] - unknown[1]])

        guess = fsolve(left, guess, xtol=1e-13, full_output=True)[0]
        assert np.abs(left(guess)).max() < 1e-9 * load, "solved, however many steps that took"
        assert [top[2], 1.2 * factor * load] == pytest.approx(guess, rel=1e-8)


def test_a_second_bifurcation_can_be_chosen_and_one_that_is_not_there_is_not_met() -> None:
    none, _ = pressed(2, 0.9, switch=1)
    assert none.ok
    assert none.events == ()
    later, _ = pressed(2, 1.2, switch=2)
    assert later.ok, "there is only one on the way"
    assert np.abs(later.nodes[:, -1, 0]).max() < 1e-6


def test_an_instability_at_a_kink_is_told() -> None:
    """Two ties hold the steep truss sideways until they are slack: there, not later, it becomes unstable."""
    made = legs(2)
    nodes = {**made.nodes, "west": (-5.0, 0.0, 2.3), "east": (5.0, 0.0, 2.3)}
    rest = math.hypot(5.0, 0.05)
    ties = [Cable(name, (name, "top"), rest_length=rest, stiffness=STIFFNESS) for name in ("west", "east")]
    held = dict(made.supports) | {"west": "xyz", "east": "xyz"}
    steady = Structure(nodes, bars=list(made.bars.values()), cables=ties, supports=held)
    traced = path(steady, LoadCase(loads={"top": (0.0, 0.0, -1.5 * critical_load(2))}), points=200)
    told = {event.kind: event for event in traced.events if event.kind in ("slack", "bifurcation")}
    assert told["bifurcation"].point == told["slack"].point
    assert traced.nodes[told["slack"].point, 2, 2] == pytest.approx(2.35, abs=1e-9)
    assert traced.unstable[told["slack"].point + 1] == 1


RISE = 0.3
SHALLOW = math.hypot(1.0, RISE)


def shallow(hand: float | None = None) -> Structure:
    """Two shallow springs; hand: a spring of this stiffness below the top, through which the load pulls."""
    nodes = {"left": (-1.0, 0.0, 0.0), "right": (1.0, 0.0, 0.0), "top": (0.0, 0.0, RISE)}
    bars = [Bar(name, (name, "top"), law="compressible", stiffness=STIFFNESS) for name in ("left", "right")]
    supports = {"left": "xyz", "right": "xyz", "top": "xy"}
    if hand is not None:
        nodes["hand"], supports["hand"] = (0.0, 0.0, -5.0), "xy"
        bars.append(Bar("spring", ("top", "hand"), law="compressible", stiffness=hand))
    return Structure(nodes, bars=bars, supports=supports)


def carried(height: np.ndarray) -> np.ndarray:
    return 2.0 * STIFFNESS * (SHALLOW / np.hypot(1.0, height) - 1.0) * height


@pytest.mark.parametrize("step", STEPS)
def test_a_displacement_is_imposed_past_both_limits(step: float) -> None:
    down = {"top": (0.0, 0.0, -10.0)}
    traced = path(shallow(), LoadCase(loads=down), method="displacement", control=("top", "z"), until=-0.7, step=step)
    assert traced.ok, traced.status
    heights = traced.nodes[:, 2, 2]
    assert np.all(np.diff(heights) < 0.0)
    assert heights[-1] == RISE - 0.7
    assert 10.0 * traced.factor == pytest.approx(carried(heights), abs=1e-7)
    limit = math.sqrt(SHALLOW ** (2.0 / 3.0) - 1.0)
    turns = [10.0 * event.factor for event in traced.events if event.kind == "limit point"]
    assert turns == pytest.approx([float(carried(np.array(limit))), -float(carried(np.array(limit)))], rel=1e-9)


def test_it_does_not_matter_how_large_the_load_is_that_a_displacement_scales() -> None:
    """A case of a hundredth of a newton, and one of a millionth: the same points, with factors as much larger."""
    ways = [
        path(
            shallow(),
            LoadCase(loads={"top": (0.0, 0.0, -load)}),
            method="displacement",
            control=("top", "z"),
            until=-0.7,
        )
        for load in (1e-2, 1e-6)
    ]
    assert [way.status for way in ways] == ["reached"] * 2
    limit = float(carried(np.array(math.sqrt(SHALLOW ** (2.0 / 3.0) - 1.0))))
    assert [e.factor for e in ways[0].events] == pytest.approx([limit / 1e-2, -limit / 1e-2], rel=1e-9)
    assert ways[0].factor.size == ways[1].factor.size < 100
    assert ways[1].factor == pytest.approx(1e4 * ways[0].factor, rel=1e-6, abs=1e-3)


def test_a_unit_load_is_followed_past_its_limits_to_many_times_itself() -> None:
    traced = path(shallow(), LoadCase(loads={"top": (0.0, 0.0, -1e-3)}), until=3e4)
    assert traced.ok, traced.status
    limit = float(carried(np.array(math.sqrt(SHALLOW ** (2.0 / 3.0) - 1.0))))
    assert [e.factor for e in traced.events] == pytest.approx([limit / 1e-3, -limit / 1e-3], rel=1e-9)
    assert traced.factor[-1] == 3e4


def test_a_control_may_move_against_its_load() -> None:
    up = path(
        shallow(), LoadCase(loads={"top": (0.0, 0.0, -10.0)}), method="displacement", control=("top", "z"), until=0.1
    )
    assert up.ok, up.status
    assert up.nodes[-1, 2, 2] == pytest.approx(RISE + 0.1, abs=1e-15)
    assert 10.0 * up.factor[-1] == pytest.approx(float(carried(np.array(RISE + 0.1))), rel=1e-9)
    assert up.factor[-1] < 0.0


def test_a_control_that_turns_back_is_told() -> None:
    """Through a soft spring the hand has to give way for the top to go on: snap-back."""
    case = LoadCase(loads={"hand": (0.0, 0.0, -10.0)})
    soft = shallow(hand=20.0)
    stopped = path(soft, case, method="displacement", control=("hand", "z"), until=-5.0)
    assert not stopped.ok
    assert f"the control turns back at {stopped.factor[-1]:.6g} of the way from the start to the case" in stopped.status
    assert 'method="arc-length" goes on' in stopped.status
    by_top = path(soft, case, method="displacement", control=("top", "z"), until=-0.7)
    assert by_top.ok, by_top.status
    hands = by_top.nodes[:, 3, 2]
    turn = by_top.factor[np.argmax(np.diff(hands) > 0.0)]
    assert stopped.factor[-1] == pytest.approx(turn, abs=0.05)
    assert np.any(np.diff(hands) > 0.0)


def test_bad_controls_are_named() -> None:
    case = LoadCase(loads={"top": (0.0, 0.0, -10.0)})
    with pytest.raises(OptionError, match='method="displacement" and control=.* go together'):
        path(shallow(), case, method="displacement")
    with pytest.raises(OptionError, match='method="displacement" and control=.* go together'):
        path(shallow(), case, control=("top", "z"))
    with pytest.raises(OptionError, match='control: no node "tip"'):
        path(shallow(), case, method="displacement", control=("tip", "z"))
    with pytest.raises(OptionError, match='control: "up" is not an axis; say x, y or z'):
        path(shallow(), case, method="displacement", control=("top", "up"))
    with pytest.raises(OptionError, match='control: node "top" is held along x; take one that can move'):
        path(shallow(), case, method="displacement", control=("top", "x"))
    with pytest.raises(OptionError, match="switch: 1.5 is a number, where a whole number is wanted"):
        path(shallow(), case, switch=1.5)  # type: ignore[arg-type]
