"""Cables between two pulleys that turn round one another: lengths, energy and linear models after several turns."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import taut
from taut.mechanics.trees.spans.span_cables import Spans
from taut.mechanics.trees.spans.turns import turning
from taut.trees import Body, ContactPoint, SpanCable, Tree, TreeEquations, TreeJoint, TreePlant, tree_plant

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
RADII = (0.05, 0.08)
OPTIONS: dict[str, Any] = {"method": "dp8", "tolerance": 1e-11, "correction": "none", "verify": False}


HEAVY = ((4.0, 0.0, 0.0), (0.0, 4.0, 0.0), (0.0, 0.0, 4.0))
"""[kg m^2] of a wheel on a pulley, which hardly turns."""


def discs() -> list[Body]:
    return [Body.cylinder(name, r, 0.02, 2000.0) for name, r in zip(("p1", "p2"), RADII, strict=True)]


def belt(**more: Any) -> tuple[SpanCable, ...]:
    told = {"name": "belt", "pulleys": ("one", "two"), "radii": RADII, "stiffness": 200.0, "natural": 0.45}
    return (SpanCable(**{**told, **more}),)


def planet(rates: tuple[float, float, float] = (0.0, 0.0, 0.0), *, heavy: bool = False, **more: Any) -> Tree:
    """An arm swings one pulley round another, whose cable pulls; heavy: whether the other has a wheel."""
    arm = Body.box("arm", (0.5, 0.03, 0.03), 1500.0, centre=(0.25, 0.0, 0.0))
    one, two = discs()
    one = Body("p1", 1.0, inertia=HEAVY) if heavy else one
    return Tree(
        (
            TreeJoint("one", "revolute", "world", one, axes=(Z,), rates=rates[:1]),
            TreeJoint("hub", "revolute", "world", arm, axes=(Z,), rates=rates[1:2]),
            TreeJoint("two", "revolute", "arm", two, (0.5, 0.0, 0.0), axes=(Z,), rates=rates[2:], driven=True),
        ),
        gravity=0.0,
        spans=belt(**more),
    )


def carried() -> Tree:
    """A pulley that is carried round another one along x and y, which come back as they were."""
    one, two = (Body(name, 0.5, inertia=HEAVY) for name in ("p1", "p2"))
    return Tree(
        (
            TreeJoint("one", "revolute", "world", one, axes=(Z,)),
            TreeJoint("x", "prismatic", "world", Body("slide", 0.2), axes=(X,), values=(0.5,)),
            TreeJoint("y", "prismatic", "slide", Body("block", 0.5), axes=(Y,), rates=(4.0,)),
            TreeJoint("two", "revolute", "block", two, axes=(Z,)),
        ),
        gravity=0.0,
        spans=belt(stiffness=100.0),
    )


def slopes_of_motion(plant: TreePlant, y: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """(2 n, 2 n) of rates by positions and velocities, else as it is; differences of fourth order."""
    space, rate, n = plant.own_tables(metric="mass", gains=(0.0, 0.0)), plant.operations()["rate"], plant.coordinates

    def rates(at: np.ndarray) -> np.ndarray:
        out = np.zeros_like(at)
        rate(space, 0.0, at, out)
        return out[: 2 * n]

    columns = []
    for way in step * np.eye(y.size)[: 2 * n]:
        near, far = rates(y + way) - rates(y - way), rates(y + 2.0 * way) - rates(y - 2.0 * way)
        columns.append((8.0 * near - far) / (12.0 * step))
    return np.array(columns).T


def slopes_of_model(model: taut.LinearModel) -> np.ndarray:
    """The same of a linear model, whose states are other coordinates of the same motion."""
    return np.linalg.solve(model.reading, model.A @ model.reading)


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("hub", [0.0, 2.0, 4.0, -20.0])
def test_linear_models_after_turns_are_slopes_of_the_motion(crossed: bool, side: str, hub: float) -> None:
    """Where the arm is says nothing: a linear model is the same after any turns of all of it."""
    plant = tree_plant(planet(crossed=crossed, side=side, natural=0.4), size=0.5)
    positions = np.array([hub - 0.3, hub, 0.2])
    model = taut.linearise(plant, positions=positions, velocities=np.array([0.3, 0.5, -0.4]))
    # The way turns with the arm: by as much against the world, and not against the arm.
    y = np.concatenate([positions, [0.3, 0.5, -0.4], [0.0], [hub, 0.0]])
    wanted = slopes_of_motion(plant, y)
    np.testing.assert_allclose(slopes_of_model(model), wanted, atol=1e-7 * np.abs(wanted).max())
    unturned = slopes_of_motion(plant, y - np.array([hub, hub, *np.zeros(5), hub, 0.0]))
    np.testing.assert_allclose(wanted, unturned, atol=1e-7 * np.abs(wanted).max())
    assert np.abs(wanted[3:, :3]).max() > 10.0


def test_natural_lengths_are_those_of_where_the_machine_was_made() -> None:
    """At other positions a cable is as long as it has become, not as long as it was where it started."""
    plant = tree_plant(planet(natural=0.4), size=0.5)
    still = replace(plant, positions=np.array([4.0, 0.0, 0.0]))
    run = taut.simulate(still, 1e-4, every=1e-4, **OPTIONS)
    strain = run.element_output[0, run.element_names.index("belt.strain")]
    length = math.sqrt(0.25 - (RADII[0] - RADII[1]) ** 2)
    assert strain == pytest.approx(length / (0.4 - 4.0 * RADII[0]) - 1.0, rel=1e-12)
    assert still.structure.cables["belt"].rest_length == pytest.approx(0.4 - 4.0 * RADII[0], rel=1e-12)


def test_energy_is_kept_through_turns_of_a_cable_that_pulls() -> None:
    """The arm goes round four times; the pulley on it has to take up what comes off the other."""
    plant = tree_plant(planet((0.0, 8.0, 0.0), heavy=True), size=0.5, torques={"two": -0.2})
    run = taut.simulate(plant, 3.5, every=0.05, **OPTIONS)
    assert run.status == "finished"
    hub, two = run.coordinate[:, 1], run.coordinate[:, 2]
    assert hub[-1] > 8.0 * math.pi
    assert np.abs(run.energy_violation).max() < 1e-8 * run.overall.energy_in_play
    strain = run.element_output[:, run.element_names.index("belt.strain")]
    natural = 0.45 + RADII[0] * (hub - run.coordinate[:, 0]) + RADII[1] * two
    length = math.sqrt(0.25 - (RADII[0] - RADII[1]) ** 2)
    np.testing.assert_allclose(strain, length / natural - 1.0, rtol=0, atol=1e-9)
    assert strain.max() > 0.05


@pytest.mark.slow
def test_turns_that_no_coordinate_says_are_counted_by_runs_and_left_to_plants() -> None:
    plant = tree_plant(carried(), size=0.5)
    run = taut.simulate(plant, 1.7, every=0.005, **OPTIONS)
    assert run.status == "finished"
    x, y = run.coordinate[:, 1], run.coordinate[:, 2]
    way = np.unwrap(np.arctan2(y, x))
    assert way[-1] > 4.0 * math.pi
    assert np.abs(run.energy_violation).max() < 1e-8 * run.overall.energy_in_play
    apart, aside = np.hypot(x, y), RADII[0] - RADII[1]
    beta = way - np.arcsin(aside / apart)
    off = RADII[0] * (beta - run.coordinate[:, 0]) - RADII[1] * (beta - run.coordinate[:, 3])
    natural = 0.45 + off - off[0]
    strain = run.element_output[:, run.element_names.index("belt.strain")]
    np.testing.assert_allclose(strain, np.sqrt(apart**2 - aside**2) / natural - 1.0, rtol=0, atol=1e-8)
    told = (
        'positions do not say how often the way of the span "belt" has turned, and so how much cable is between its '
        'pulleys: "x", "y" can carry one of its pulleys round the other and back to the same positions; take the '
        r"plant as a run left it there, plant.after\(run\), or let the tree start there with"
    )
    with pytest.raises(taut.OptionError, match=told):
        taut.linearise(plant, positions=run.coordinate[-1], velocities=run.coordinate_rate[-1])
    left = plant.after(run)
    np.testing.assert_allclose(left.turned, way[-1], rtol=0, atol=1e-12)
    wanted = slopes_of_motion(plant, np.concatenate([*left.start(), [0.0], [way[-1], way[-1]]]))
    np.testing.assert_allclose(slopes_of_model(taut.linearise(left)), wanted, atol=1e-6 * np.abs(wanted).max())
    # The other way: a tree that starts there, with as much cable as there is then.
    names = [joint.name for joint in carried().joints]
    starts = [
        {n: (float(v),) for n, v in zip(names, row[-1], strict=True)} for row in (run.coordinate, run.coordinate_rate)
    ]
    there = replace(carried().with_start(*starts), spans=belt(stiffness=100.0, natural=float(natural[-1])))
    again = slopes_of_model(taut.linearise(tree_plant(there, size=0.5)))
    np.testing.assert_allclose(again, wanted, atol=1e-6 * np.abs(wanted).max())


@pytest.mark.slow
def test_turns_are_counted_in_steps_with_impulses() -> None:
    """Over a rigid ground that nothing touches: of second order to the motion without it."""
    tree, winding = planet((0.0, 20.0, -12.5), heavy=True), {"two": -1.0}
    free = taut.simulate(tree_plant(tree, size=0.5, torques=winding), 0.6, every=0.6, **OPTIONS)
    assert not free.events, "it stays taut"
    over = replace(tree, points=(ContactPoint("tip", "arm", (0.5, 0.0, 0.0)),))
    far = taut.Ground("floor", taut.Plane(Z, (0.0, 0.0, -1.0)))
    plant, off = tree_plant(over, size=0.5, torques=winding, ground=[far]), []
    for step in (2e-3, 1e-3):
        run = taut.simulate(plant, 0.6, method="impulses", step=step, every=0.6, verify=False)
        off.append(np.abs(run.coordinate[-1] - free.coordinate[-1]).max())
    assert free.coordinate[-1, 1] > 3.0 * math.pi
    assert off[1] < 1e-2
    assert 3.5 < off[0] / off[1] < 4.5


@pytest.mark.slow
def test_a_weight_on_a_span_lands_on_a_rigid_floor() -> None:
    """The floor bears what the cable does not."""
    one, two = (Body(name, 0.5, inertia=HEAVY) for name in ("p1", "p2"))
    tree = Tree(
        (
            TreeJoint("one", "revolute", "world", one, axes=(Y,)),
            TreeJoint("slide", "prismatic", "world", Body("weight", 1.5), axes=(Z,), values=(-0.5,), damping=2.0),
            TreeJoint("two", "revolute", "weight", two, axes=(Y,)),
        ),
        spans=belt(natural=0.49, damping=1.0),
        points=(ContactPoint("foot", "weight", (0.0, 0.0, -0.1)),),
    )
    plant = tree_plant(tree, size=0.5, ground=[taut.Ground("floor", taut.Plane(Z, (0.0, 0.0, -0.62)))])
    run = taut.simulate(plant, 1.0, method="impulses", step=1e-3, every=0.1, verify=False)
    assert run.status == "finished"
    assert [event.change for event in run.events][:1] == ["touches down and sticks"]
    tension = run.element_output[-1, run.element_names.index("belt.tension")]
    assert run.contact_force[-1, 0, 2] == pytest.approx(9.81 * 2.0 - tension, rel=1e-3)
    assert tension > 1.0


@pytest.mark.parametrize("away", np.linspace(-7.0, -5.0, 9))
def test_a_pulley_that_flies_past_another_turns_its_way_by_less_than_half(away: float) -> None:
    """Free flight is exact in steps of any length; the way turns within a few milliseconds of it."""
    one, two = discs()
    tree = Tree(
        (
            TreeJoint("one", "revolute", "world", one, axes=(Z,)),
            TreeJoint("x", "prismatic", "world", Body("slide", 0.2), axes=(X,), values=(away,), rates=(10.0,)),
            TreeJoint("y", "prismatic", "slide", Body("block", 0.5), axes=(Y,), values=(0.04,)),
            TreeJoint("two", "revolute", "block", two, axes=(Z,)),
        ),
        gravity=0.0,
        spans=belt(natural=50.0),
    )
    run = taut.simulate(tree_plant(tree, size=0.5), 1.4, every=0.1, method="dp8", tolerance=1e-6, verify=False)
    x, aside = run.coordinate[:, 1], RADII[0] - RADII[1]
    assert x[-1] > 6.9
    apart = np.hypot(x, 0.04)
    beta = np.arctan2(0.04, x) - np.arcsin(aside / apart)
    natural = 50.0 + aside * (beta - beta[0])
    strain = run.element_output[:, run.element_names.index("belt.strain")]
    np.testing.assert_allclose(strain, np.sqrt(apart**2 - aside**2) / natural - 1.0, rtol=0, atol=1e-9)


def test_a_run_of_another_plant_is_told() -> None:
    run = taut.simulate(tree_plant(planet(), size=0.5), 1e-3, every=1e-3, **OPTIONS)
    with pytest.raises(
        taut.OptionError, match="the run has 3 coordinates and shows .*belt.turned at one, .*; give a run of this"
    ):
        tree_plant(carried(), size=0.5).after(run)


def chain(lengths: tuple[float, ...], base: int) -> Tree:
    """A pulley, links one after another and a pulley on the last; world is between the links `base` and `base` + 1."""

    def link(name: str, length: float) -> Body:
        return Body.box(name, (length, 0.02, 0.02), 800.0, centre=(0.5 * length, 0.0, 0.0))

    joints, one, two = list[TreeJoint](), *discs()
    for side, some in (("a", lengths[:base][::-1]), ("b", lengths[base + 1 :])):
        parent, at = "world", (0.0 if side == "a" else lengths[base], 0.0, 0.0)
        for k, length in enumerate(some):
            flip = 1.0 if k % 2 else -1.0  # axes along those of pulleys, either way
            joints.append(
                TreeJoint(f"{side}{k}", "revolute", parent, link(f"{side}{k}", length), at, axes=((0.0, 0.0, flip),))
            )
            parent, at = f"{side}{k}", (length, 0.0, 0.0)
        name, disc = ("one", one) if side == "a" else ("two", two)
        joints.append(TreeJoint(name, "revolute", parent, disc, at, axes=(Z,)))
    return Tree(tuple(joints), gravity=0.0, spans=belt(natural=None))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_angles_of_joints_say_the_turns_where_one_segment_is_the_longest(seed: int) -> None:
    """Beside directions that are followed along the way there, in small steps."""
    draw = np.random.default_rng(seed)
    count = int(draw.integers(2, 5))
    lengths = draw.uniform(0.2, 1.0, count)
    longest = int(draw.integers(count))
    lengths[longest] = lengths.sum() + 0.3
    tree = chain(tuple(lengths), int(draw.integers(count)))
    equations = TreeEquations(tree)
    start, end = np.zeros(equations.nq), draw.uniform(-30.0, 30.0, equations.nq)
    spans = Spans(equations)
    spans.begin(start)
    found = spans.turned_at(end, start, np.zeros(2))
    directions = []
    for s in np.linspace(0.0, 1.0, 4001):
        equations.places(s * end, spans._points)
        directions.append([spans._direction(0, e) for e in (0, 1)])
    followed = np.unwrap(np.array(directions), axis=0)
    np.testing.assert_allclose(found, followed[-1] - followed[0], atol=1e-9)
    # Natural lengths go along, turn after turn.
    spans.turned = found
    half = spans.turned_at(0.5 * end, start, np.zeros(2))
    np.testing.assert_allclose(spans.turned_at(end, 0.5 * end, half), found, atol=1e-9)


def test_where_no_segment_is_the_longest_positions_say_nothing() -> None:
    tree = chain((0.5, 0.6, 0.7), 1)
    equations = TreeEquations(tree)
    said = turning(equations, tree.spans[0], np.zeros(equations.nq))
    assert said.unsaid == '"a0", "b0" can carry one of its pulleys round the other and back to the same positions'
    plant = tree_plant(tree)
    taut.linearise(plant)  # at its start all is known
    with pytest.raises(taut.OptionError, match='positions do not say how often the way of the span "belt" has turned'):
        taut.linearise(plant, positions=np.array([0.1, 0.0, 0.0, 0.0]))
    taut.linearise(plant, positions=np.array([0.0, 1.0, 0.0, 0.1]))  # pulleys may turn
    floating = Tree(
        (
            TreeJoint("one", "revolute", "world", discs()[0], axes=(Z,)),
            TreeJoint(
                "free", "floating", "world", Body.cube("block", 0.1, 500.0), values=(0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
            ),
            TreeJoint("two", "revolute", "block", discs()[1], axes=(Z,)),
        ),
        spans=belt(),
    )
    free = tree_plant(floating)
    turned = free.positions.copy()
    turned[4:8] = 0.0, 0.0, math.sin(0.2), math.cos(0.2)
    with pytest.raises(taut.OptionError, match='between its pulleys: "free" can carry one of its pulleys round the'):
        taut.linearise(free, positions=turned)
