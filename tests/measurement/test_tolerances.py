"""Building tolerances: builds against balance itself, scatter against linear propagation, limits, bad input."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import taut
from taut.measurement import Tolerances, tolerances
from taut.measurement.limits import wilson
from taut.statics import Equilibrium, balance
from taut.statics.equilibrium_equations import equations_of
from taut.statics.network import network
from taut.statics.newton import restored
from taut.structure.properties import route_length

STEEL = taut.Material("steel", density=7850.0, youngs_modulus=2.1e11, yield_stress=2.5e8)


@cache
def tower() -> Equilibrium:
    """Cables of given stiffness, rigid bars, weight."""
    made = taut.generators.tower(3).supported("bottom*").changed("cable:*", rest_ratio=0.97)
    return balance(made, gravity=9.81)


@cache
def varied() -> Equilibrium:
    """Cables by E A, a routed cable, held and commanded ones, compressible bars, a guided node, weight."""
    made = taut.generators.prism(3).supported("bottom*")
    made = made.changed("cable:*", material=STEEL, radius=1e-3, stiffness=None, rest_ratio=0.999)
    made = made.changed("bar:*", material=STEEL, radius=8e-3, inner_radius=7e-3, law="compressible")
    cables = dict(made.cables)
    route = ("bottom1", "top2", "bottom3")
    cables["over"] = taut.Cable("over", route, stiffness=2e4, rest_length=0.999 * route_length(made, route))
    cables["pulled"] = taut.Cable("pulled", ("bottom2", "top2"), mode="tension", command=40.0)
    made = taut.Structure(made.nodes, made.bars, cables, supports=made.supports, point_masses={"top1": 2.0})
    return balance(made, gravity=9.81)


def stayed_mast() -> taut.Structure:
    """Six stays, of which any three hold it up."""
    feet = {f"foot{k}": (np.cos(a), np.sin(a), 0.0) for k, a in enumerate(np.arange(6) * np.pi / 3.0)}
    stays = {f"stay{k}": taut.Cable(f"stay{k}", (f"foot{k}", "head"), stiffness=1e4) for k in range(6)}
    nodes = {"heel": (0.0, 0.0, 0.0), "head": (0.0, 0.0, 1.0), **feet}
    mast = taut.Structure(nodes, {"mast": taut.Bar("mast", ("heel", "head"), mass=1.0)}, stays)
    return mast.supported("heel").supported("foot*").changed("cable:*", tension=20.0)


def found_again(result: Tolerances, number: int, **weight: Any) -> Equilibrium:
    """The build balanced from the shape of the design, bars brought to their lengths."""
    structure = result.build(number)
    problem = equations_of(network(structure))
    started = np.where((problem.unknown < 0).reshape(-1, 3), structure.positions, result.view.positions)
    places, _ = restored(problem, problem.setting, started)
    return balance(structure.placed(places), **weight)


@pytest.mark.parametrize("scatter", [1e-3, pytest.param(6e-3, marks=pytest.mark.slow)])
def test_builds_stand_where_balance_finds_them(scatter: float) -> None:
    result = tolerances(tower(), cut_length=scatter, stiffness=0.02, supports=scatter, builds=40)
    assert result.balanced.all()
    for number in range(0, 40, 5):
        alone = found_again(result, number, gravity=9.81)
        assert alone.ok
        np.testing.assert_allclose(result.nodes[number], alone.structure.positions, rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(result.tension[number], alone.member_force, rtol=0.0, atol=1e-9 * 1000.0)


def test_every_law_of_members_is_the_one_of_balance() -> None:
    result = tolerances(varied(), cut_length=5e-5, stiffness=0.02, supports=1e-4, builds=12)
    assert result.balanced.all()
    assert (result.tension[:, list(result.members).index("cable:pulled")] == 40.0).all()
    assert result.notes[-1] == "the force of cable:pulled is given, so their lengths and stiffness do not scatter"
    for number in range(12):
        alone = found_again(result, number, gravity=9.81)
        np.testing.assert_allclose(result.nodes[number], alone.structure.positions, rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(result.tension[number], alone.member_force, rtol=1e-9, atol=1e-7)


def test_held_cables_slacken_in_builds_too() -> None:
    nodes = {"up": (0.0, 0.0, 1.0), "aside": (0.3, 0.0, 1.0), "weight": (0.0, 0.0, 0.0)}
    held = taut.Cable("held", ("up", "weight"), mode="length")
    beside = taut.Cable("beside", ("up", "weight"), stiffness=1e4, rest_length=0.9905)
    lamp = taut.Structure(nodes, cables={"held": held, "beside": beside}, point_masses={"weight": 10.2})
    lamp = lamp.supported("up").supported("aside")
    standing = balance(lamp, gravity=9.81)
    assert standing.cable_tension.min() > 3.0
    result = tolerances(standing, cut_length={"cable:held": 1e-3}, builds=30)
    assert 3 < (result.status == "slack").sum() < 25
    assert result.balanced.all()
    for number in range(12):
        alone = found_again(result, number, gravity=9.81)
        np.testing.assert_allclose(result.nodes[number], alone.structure.positions, rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(result.tension[number], alone.member_force, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("distribution", ["normal", pytest.param("uniform", marks=pytest.mark.slow)])
def test_small_tolerances_scatter_as_linear_propagation_says(distribution: str) -> None:
    builds = 4000
    options: dict[str, Any] = {"cut_length": {"cable:*": 3e-5, "bar:*": 1e-5}, "stiffness": 1e-3, "supports": 1e-5}
    result = tolerances(tower(), **options, distribution=distribution, builds=builds)
    ratio = result.deviation / result.linear.tension
    assert np.abs(ratio - 1.0).max() < 4.0 / np.sqrt(2.0 * builds)
    assert np.abs(result.mean - result.nominal).max() < 4.0 * result.deviation.max() / np.sqrt(builds)
    errors = (result.mean - result.nominal) / (result.deviation / np.sqrt(builds))
    assert np.abs(errors).max() < 4.0
    free = result.linear.nodes > 0.0
    node_ratio = result.node_deviation[free] / result.linear.nodes[free]
    assert np.abs(node_ratio - 1.0).max() < 4.0 / np.sqrt(2.0 * builds)
    assert not result.differs.any()
    assert result.notes == ()
    assert result.share == 1.0


def test_where_cables_slacken_linear_propagation_is_said_to_be_off() -> None:
    result = tolerances(balance(stayed_mast()), cut_length={"cable:*": 2e-3}, builds=1000)
    slack = result.columns()["slack_share"]
    assert slack.max() > 0.1
    assert result.differs.any()
    assert result.notes[0] == f"a cable is slack in {(result.status == 'slack').sum()} of 1000 builds"
    assert "linear propagation is off for" in result.notes[1]
    assert "cables that slacken" in result.notes[1]
    assert result.share == (result.status == "balanced").mean(), "by default no cable may be slack"
    for number in np.flatnonzero(result.status == "slack")[:8]:
        alone = found_again(result, int(number))
        np.testing.assert_allclose(result.nodes[number], alone.structure.positions, rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(result.tension[number], alone.member_force, rtol=0.0, atol=1e-7)


def test_the_same_bits_whatever_the_threads_and_the_number_of_builds() -> None:
    first, second = (tolerances(tower(), cut_length=1e-3, builds=600, threads=threads) for threads in (1, 2))
    assert first.tension.tobytes() == second.tension.tobytes()
    assert first.nodes.tobytes() == second.nodes.tobytes()
    fewer = tolerances(tower(), cut_length=1e-3, builds=20)
    np.testing.assert_allclose(fewer.tension, first.tension[:20], rtol=1e-11)
    other = tolerances(tower(), cut_length=1e-3, builds=20, seed=1)
    assert np.abs(other.tension - fewer.tension).min() > 1e-6


def test_adding_a_scatter_does_not_change_the_other() -> None:
    lengths = tolerances(tower(), cut_length=1e-3, builds=3)
    both = tolerances(tower(), cut_length=1e-3, stiffness=0.01, builds=3)
    for number in range(3):
        cables = [result.build(number).cables["vertical1.1"] for result in (lengths, both)]
        assert cables[0].rest_length == cables[1].rest_length
        assert cables[0].stiffness != cables[1].stiffness


def test_limits_are_held_against_every_build() -> None:
    options: dict[str, Any] = {"cut_length": 1e-3, "builds": 400}
    free = tolerances(tower(), **options, minimum_tension=None)
    assert free.share == 1.0
    cable = list(free.members).index("cable:vertical1.1")
    middle = float(np.median(free.tension[:, cable]))
    limited = tolerances(tower(), **options, maximum_tension={"cable:vertical1.1": middle})
    assert limited.share == (free.tension[:, cable] <= middle).mean()
    low, high = limited.share_interval
    assert low < 0.5 < high
    assert limited.columns()["broken_share"][cable] == 1.0 - limited.share


def test_strength_is_a_limit_where_it_is_known() -> None:
    pushed = varied()
    result = tolerances(pushed, cut_length=1e-5, builds=50, minimum_tension=None)
    used = taut.statics.utilisation(pushed).share
    assert np.nanmax(used) < 1.0
    assert result.share == 1.0
    over = tolerances(pushed, cut_length=1e-5, builds=50, minimum_tension=None, safety=1.0 / np.nanmax(used))
    assert 0.1 < over.share < 0.9


def test_wilson_interval() -> None:
    assert wilson(0, 100) == pytest.approx((0.0, 0.0370), abs=1e-4)
    assert wilson(95, 100) == pytest.approx((0.8882, 0.9785), abs=1e-4)
    assert wilson(100, 100) == pytest.approx((0.9630, 1.0), abs=1e-4)


def test_a_structure_is_balanced_first() -> None:
    made = taut.generators.tower(3).supported("bottom*").changed("cable:*", rest_ratio=0.97)
    one = tolerances(made, gravity=9.81, cut_length=1e-3, builds=5)
    np.testing.assert_allclose(one.tension, tolerances(tower(), cut_length=1e-3, builds=5).tension, rtol=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cut_length": -1e-3}, "cut_length = -0.001 must be a finite number, zero or more"),
        ({"cut_length": {"cable:*": -1e-3}}, r'cut_length\["cable:\*"\] = -0.001 must be a finite number'),
        ({"stiffness": float("nan")}, "stiffness = nan must be a finite number, zero or more"),
        ({"cut_length": {"cable:vertcal": 1e-3}}, '"cable:vertcal" selects no cable; did you mean "vertical"'),
        ({"cut_length": {"node:*": 1e-3}}, 'cut_length: "node:.*" selects nodes where cables or bars are wanted'),
        ({"supports": {"top*": 1e-3}}, r'supports\["top\*"\] selects no supported node'),
        ({}, "nothing scatters; give cut_length, cut_ratio, stiffness or supports a number above zero"),
        ({"stiffness": 0.5}, r"stiffness scatters so much \(0.5\) that some builds of .* stiffness below zero"),
        ({"cut_ratio": 0.5}, "cut_length scatters so much .* have a length below zero"),
        ({"cut_length": 1e-3, "distribution": "gauss"}, 'distribution = "gauss" is not one of normal, uniform'),
        ({"cut_length": 1e-3, "builds": 1}, "builds = 1 must be two or more"),
        ({"cut_length": 1e-3, "builds": 10**9}, "1000000000 builds would take about .* GB of memory"),
        ({"cut_length": 1e-3, "threads": 0}, "threads 0 must be one or more"),
        ({"cut_length": 1e-3, "seed": -1}, "seed = -1 must be zero or more"),
        ({"cut_length": 1e-3, "gravity": 9.81}, "an equilibrium has its own gravity and loads"),
        ({"cut_length": 1e-3, "minimum_tension": 5.0, "maximum_tension": 4.0}, "nothing lies between"),
        ({"cut_length": "1 mm"}, "tolerances: cut_length: "),
    ],
)
def test_bad_input(options: dict[str, Any], message: str) -> None:
    with pytest.raises((taut.OptionError, taut.SelectionError), match=message):
        tolerances(tower(), **{"builds": 100, **options})


def test_structures_without_an_equilibrium() -> None:
    free = taut.generators.tower(2).changed("cable:*", rest_ratio=0.97)
    with pytest.raises(taut.ModelError, match="the structure can move without any stiffness"):
        tolerances(free, cut_length=1e-3)
    feet = {"a": (1.0, 0.0, 0.0), "b": (-0.5, 0.8, 0.0), "c": (-0.5, -0.8, 0.0)}
    stays = {name: taut.Cable(name, (name, "head"), stiffness=20.0, rest_length=1.2) for name in feet}
    mast = taut.Structure(
        {"foot": (0.0, 0.0, 0.0), "head": (0.0, 0.0, 1.0), **feet},
        bars={"mast": taut.Bar("mast", ("foot", "head"), mass=1.0)},
        cables=stays,
        point_masses={"head": 50.0},
    )
    upright = balance(mast.supported("foot").supported("[abc]"), gravity=(0.0, 0.0, -9.81), iterations=0)
    with pytest.raises(taut.OptionError, match="as designed has no equilibrium .not balanced after 0 iterations"):
        tolerances(upright, cut_length=1e-3)
    even = {**feet, "b": (-0.5, np.sqrt(0.75), 0.0), "c": (-0.5, -np.sqrt(0.75), 0.0)}
    upright = balance(replace(mast, nodes={**mast.nodes, **even}).supported("foot").supported("[abc]"), gravity=9.81)
    assert "unstable" in upright.notes[0]
    with pytest.raises(taut.OptionError, match="the structure as designed is unstable"):
        tolerances(upright, cut_length=1e-3)
    cut = taut.generators.tower(2).supported("bottom*").changed("cable:top*", segments=3)
    with pytest.raises(taut.OptionError, match="are cut into segments, of which each would scatter by itself"):
        tolerances(cut, cut_length=1e-3)
    with pytest.raises(taut.OptionError, match="there is no build 3; they are counted from 0 to 2"):
        tolerances(tower(), cut_length=1e-3, builds=3).build(3)
