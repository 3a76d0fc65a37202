"""Equilibrium paths: the von Mises truss past its limit points, events where they must be, honest ends."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import taut
from taut.errors import ModelError, OptionError
from taut.statics.balancing import balance
from taut.statics.cases import solve_cases
from taut.statics.load_case import LoadCase
from taut.statics.paths import path
from taut.statics.sizing import elastic_sizes
from taut.structure.records import Bar, Cable, Material
from taut.structure.structure import Structure

STEEL = Material("steel", 7850.0, 200e9, yield_stress=250e6)
WIDTH, RISE, RADIUS = 1.0, 0.3, 0.01
RIGIDITY = 200e9 * math.pi * RADIUS**2
LENGTH = math.hypot(WIDTH, RISE)


def von_mises() -> Structure:
    """Two shallow bars that meet at a top, which moves up and down only."""
    bars = [Bar(name, (foot, "top"), material=STEEL, radius=RADIUS) for name, foot in (("l", "left"), ("r", "right"))]
    return Structure(
        {"left": (-WIDTH, 0, 0), "right": (WIDTH, 0, 0), "top": (0, 0, RISE)},
        bars=bars,
        supports={"left": "xyz", "right": "xyz", "top": "xy"},
    )


def load_at(height: float) -> float:
    """P = 2 E A (1/l - 1/l0) z, downwards positive, l = sqrt(a^2 + z^2): exact for bars of linear stiffness."""
    return 2.0 * RIGIDITY * (1.0 / math.hypot(WIDTH, height) - 1.0 / LENGTH) * height


def limit_height() -> float:
    """dP/dz = 0: a^2 / l^3 = 1 / l0."""
    return math.sqrt((WIDTH**2 * LENGTH) ** (2.0 / 3.0) - WIDTH**2)


def test_a_snap_through_is_traced_past_both_its_limit_points() -> None:
    full = 2.0 * load_at(limit_height())
    traced = path(von_mises(), LoadCase(loads={"top": (0.0, 0.0, -full)}), bars="compressible", step=0.03)
    assert traced.ok, traced.status
    heights = traced.nodes[:, 2, 2]
    assert heights[0] == RISE
    assert heights[-1] < -RISE, "it hangs below at the end"
    exact = np.array([load_at(z) for z in heights]) / full
    assert traced.factor == pytest.approx(exact, abs=1e-9)
    limits = [event for event in traced.events if event.kind == "limit point"]
    assert [event.factor for event in limits] == pytest.approx([0.5, -0.5], abs=1e-9)
    for event, sign in zip(limits, (1.0, -1.0), strict=True):
        assert heights[event.point] == pytest.approx(sign * limit_height(), abs=1e-5)
    between = np.abs(heights) < 0.99 * limit_height()
    assert np.all(traced.unstable[between] == 1)
    assert np.all(traced.unstable[np.abs(heights) > 1.01 * limit_height()] == 0)


def test_raising_the_load_alone_stops_at_the_limit_and_says_so() -> None:
    full = 2.0 * load_at(limit_height())
    case, quarter = (LoadCase(loads={"top": (0.0, 0.0, -push)}) for push in (full, 0.25 * full))
    for start, limit in ((None, 0.5), (quarter, 1.0 / 3.0)):  # of the way, of which the start takes some away
        traced = path(von_mises(), case, start=start, bars="compressible", method="load")
        assert not traced.ok
        assert traced.factor[-1] == pytest.approx(limit, abs=1e-3)
        told = f"no balance was found beyond {traced.factor[-1]:.6g} of the way from the start to the case: "
        assert traced.status.startswith(told + "the load has a limit there")
        assert 'method="arc-length"' in traced.status


def test_a_path_reaches_what_balance_finds() -> None:
    made = taut.generators.prism(3).supported("bottom*")
    push = {"top1": (30.0, 0.0, -20.0)}
    for bars in ("rigid", "compressible"):
        for method in ("load", "arc-length"):
            traced = path(made, LoadCase(gravity=9.81, loads=push), bars=bars, method=method, step=0.2)
            assert traced.ok, traced.status
            found = balance(made, gravity=9.81, loads=push, bars=bars)
            assert traced.factor[-1] == 1.0
            assert traced.nodes[-1] == pytest.approx(found.structure.positions, abs=1e-8)
            assert traced.member_force[-1] == pytest.approx(found.member_force, rel=1e-6)
            assert traced.reaction[-1] == pytest.approx(found.reaction, abs=1e-4)
            assert not traced.unstable.any()


def test_euler_and_yield_are_met_where_the_closed_form_says() -> None:
    """Two bars between walls, warmed: push E A a T / (1 + a T)."""
    hot = Material("hot", 7850.0, 200e9, yield_stress=100e6, thermal_expansion=12e-6)
    made = Structure(
        {"a": (0, 0, 0), "m": (1, 0, 0), "b": (1.5, 0, 0)},
        bars=[Bar("long", ("a", "m"), material=hot, radius=0.01), Bar("short", ("m", "b"), material=hot, radius=0.01)],
        supports={"a": "xyz", "m": "yz", "b": "xyz"},
    )
    traced = path(made, LoadCase(temperature=60.0), bars="compressible", step=0.1)
    assert traced.ok

    def warmth_of(push: float) -> float:
        strain = push / (RIGIDITY - push)
        return strain / 12e-6 / 60.0

    euler = math.pi**2 * 200e9 * math.pi / 4.0 * 0.01**4
    yielding = 100e6 * math.pi * 0.01**2
    told = {(event.kind, event.member): event.factor for event in traced.events}
    assert told[("euler", "long")] == pytest.approx(warmth_of(euler), rel=1e-8)
    assert told[("yield", "short")] == pytest.approx(warmth_of(yielding), rel=1e-8)
    assert ("euler", "short") not in told


def test_a_bar_that_is_driven_out_bends_out_at_the_load_of_its_length() -> None:
    """Cases, paths and sizes of a prop under 1 kN: pi^2 E I / l^2 at the length it has there."""
    prop = Bar("prop", ("foot", "top"), material=STEEL, radius=0.01, law="compressible")
    made = Structure({"foot": (0, 0, 0), "top": (0, 0, 1)}, bars=[prop], supports={"foot": "xyz", "top": "xy"})
    short = LoadCase(loads={"top": (0.0, 0.0, -1e3)})
    out = replace(short, rest_lengths={"bar:prop": 6.0})
    bending = math.pi**2 * 200e9 * math.pi / 4.0 * 0.01**4
    cases = solve_cases(made, {"short": short, "out": out})
    assert cases.utilisation[:, 0] == pytest.approx([1e3 / bending, 36e3 / bending], rel=1e-3)
    (met,) = path(made, out, start=short).events
    assert met.kind == "euler"
    assert 1.0 + 5.0 * met.factor == pytest.approx(math.sqrt(bending / 1e3), rel=1e-3)
    assert elastic_sizes(made, {"out": out}).area[0] == pytest.approx(12.0 * math.sqrt(1e3 / 200e9 / math.pi), rel=1e-3)


@pytest.mark.parametrize("segments", [1, 4])
def test_a_cable_of_a_material_that_is_wound_in_becomes_stiffer_in_segments_too(segments: int) -> None:
    """E A (l / rest - 1) between walls, whatever changes the rest length."""
    rope = Cable("rope", ("a", "b"), material=STEEL, radius=0.01, rest_length=1.9, segments=segments)
    made = Structure({"a": (0, 0, 0), "b": (2, 0, 0)}, cables=[rope], supports=dict.fromkeys("ab", "xyz"))
    cases = {"wound": LoadCase(rest_lengths={"cable:rope": 1.0}), "short": LoadCase(misfits={"cable:rope": -0.2})}
    found = solve_cases(made, cases).member_force
    for row, rest in zip(found, (1.0, 1.7), strict=True):
        assert row == pytest.approx([RIGIDITY * (2.0 / rest - 1.0)] * segments)


def test_a_cable_slackens_where_its_pull_is_used_up() -> None:
    """A weightless bead on two cables in line, pulled along: the lee one slackens at k1 + k2 times the way."""
    made = Structure(
        {"a": (0, 0, 0), "m": (1, 0, 0), "b": (2, 0, 0)},
        cables=[
            Cable("left", ("a", "m"), rest_length=0.9, stiffness=100.0),
            Cable("right", ("m", "b"), rest_length=0.9, stiffness=100.0),
        ],
        supports={"a": "xyz", "m": "yz", "b": "xyz"},
    )
    traced = path(made, LoadCase(loads={"m": (40.0, 0.0, 0.0)}), step=0.1)
    assert traced.ok
    (event,) = traced.events
    assert (event.kind, event.member) == ("slack", "right")
    assert event.factor == pytest.approx(0.1 * 200.0 / 40.0, rel=1e-9)
    assert traced.member_force[event.point] == pytest.approx([20.0, 0.0], abs=1e-6)
    assert traced.nodes[-1, 1, 0] == pytest.approx(0.9 + 40.0 / 100.0)
    back = path(made, LoadCase(), start=LoadCase(loads={"m": (40.0, 0.0, 0.0)}), step=0.1)
    (event,) = back.events
    assert (event.kind, event.member) == ("taut", "right")
    assert event.factor == pytest.approx(0.5, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("step", [0.01, 0.02, 0.05, 0.08, 0.09, 0.1, 0.11, 0.12, 0.15, 0.2])
def test_settlement_is_a_path_too(step: float) -> None:
    """The truss pushed up by moving nothing but its feet together: the top rises as the bars keep their length."""
    rigid = path(von_mises(), LoadCase(settlements={"left": (0.1, 0.0, 0.0), "right": (-0.1, 0.0, 0.0)}), step=step)
    assert rigid.ok, rigid.status
    assert rigid.factor[-1] == 1.0
    assert rigid.events == ()
    heights = np.sqrt(LENGTH**2 - (WIDTH - 0.1 * rigid.factor) ** 2)
    assert rigid.nodes[:, 2, 2] == pytest.approx(heights, rel=1e-10)
    assert np.abs(rigid.member_force).max() < 1e-9, "nothing is loaded"


def test_bad_options_and_starts() -> None:
    with pytest.raises(OptionError, match='method = "riks" is not one of arc-length, load'):
        path(von_mises(), LoadCase(), method="riks")
    with pytest.raises(OptionError, match="step = 0 and until = 1.0 must be finite and more than zero"):
        path(von_mises(), LoadCase(), step=0)
    with pytest.raises(ModelError, match="is not held along z"):
        path(taut.generators.prism(3), LoadCase(gravity=9.81))
    short = path(von_mises(), LoadCase(loads={"top": (0.0, 0.0, -1e3)}), bars="compressible", points=2, step=0.01)
    assert short.status.startswith("ended after 2 points at")


def test_a_path_without_points_can_be_shown() -> None:
    nodes = {"a": (0, 0, 0), "b": (0, 0, 1), "c": (1, 0, 1), "d": (1, 0, 0)}
    bars = [taut.Bar(x + y, (x, y), mass=1.0) for x, y in ("ab", "bc", "cd")]
    four_bar = taut.Structure(nodes, bars, supports={"a": "xyz", "b": "y", "c": "y", "d": "xyz"})
    found = taut.statics.path(four_bar, taut.statics.LoadCase(loads={"b": (1.0, 0.0, 0.0)}))
    assert not found.ok
    assert repr(found).startswith("<LoadPath of ")
