"""Implicit methods on trees of bodies: the equations of a stage, orders, stiff machines, all that acts on a tree."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from test_span_events import RADII, hanging, orbiting
from test_tree_events import weight_under_a_pulley
from test_tree_grounds import _box
from test_tree_operations import off_the_sphere
from test_tree_runs import pendulum_of_loops, six_struts

import taut
from taut.mechanics.trees import embedding as on_sphere
from taut.mechanics.trees.plant import TreePlant
from taut.numerics.differences import jacobian
from taut.trees import Body, LoopJoint, Tree, TreeJoint, in_bodies, manipulator, single_strut, tree_plant

S = 0.01
"""The time of a stage [s]."""
PULL = {"B1-pulleyJt": 0.1001, "B2-pulleyJt": 0.1, "B3-pulleyJt": 0.1}


def two_rods() -> TreePlant:
    """Two on spherical joints, one below the other, the upper one slender."""
    rod = Body.cylinder("rod", 0.02, 0.5, 800.0, centre=(0.0, 0.0, -0.25))
    brick = Body.box("brick", (0.1, 0.05, 0.2), 800.0, centre=(0.0, 0.02, -0.1))
    turned, spin = (0.0, np.sin(0.4), 0.0, np.cos(0.4)), (1.0, 2.0, 3.0)
    return tree_plant(
        Tree(
            (
                TreeJoint("hip", "spherical", "world", rod, values=turned, rates=spin),
                TreeJoint("knee", "spherical", "rod", brick, (0.0, 0.0, -0.5), rates=(0.0, 1.0, -2.0)),
            )
        )
    )


def strut(**more: Any) -> TreePlant:
    return tree_plant(single_strut(**{"strain": 0.02, **more}), torques=PULL)


def held_up() -> TreePlant:
    """The manipulator, with about the torques that hold its prestress."""
    tree = manipulator()
    return tree_plant(tree, torques={joint.name: 3.17 for joint in tree.joints if joint.driven})


def moved(plant: Any, duration: float, method: str, tolerance: float = 1e-11, **more: Any) -> taut.Trajectory:
    options = {"every": duration / 4, "verify": False, **more}
    run = taut.simulate(plant, duration, method=method, tolerance=tolerance, **options)
    assert run.finished, run.status
    return run


def apart(run: taut.Trajectory, other: taut.Trajectory) -> float:
    return float(np.abs(run.coordinate - other.coordinate).max())


def open_by(plant: TreePlant, run: taut.Trajectory) -> float:
    """The worst of all loops, in position and velocity, over the samples."""
    worst, equations = 0.0, plant.equations
    for state in np.concatenate([run.coordinate, run.coordinate_rate], axis=1):
        q, v = plant.split(state)
        for error in (equations.loop_error(q), equations.loop_jacobian(q) @ v):
            worst = max(worst, float(np.abs(error).max(initial=0.0)))
    return worst


# --- the equations of a stage


def test_what_is_solved_is_the_linearised_stage() -> None:
    """Two floating bodies in a loop, quaternions off their sphere: r is that of the equations of motion, and its slopes
    are found by differences of eighth order, with steps a thousand times as long, and numpy's own solver."""
    d, y = off_the_sphere()
    ops, e, push, n = d.plant.operations(), d.embedding, np.arange(1.0, 6.0), d.n
    x, rate, base = y[:n], y[n : 2 * n], np.random.default_rng(3).standard_normal(y.size)
    d.stage.first[:] = push
    ops["recall_multipliers"](d)

    def unbalanced(state: np.ndarray) -> np.ndarray:
        out = np.zeros(n)
        ops["newton_residual"](d, 0.0, state, base, S, out)
        return out

    left, at = unbalanced(y), d.equations.terms(*d.plant.split(y))
    change = (rate - base[n : 2 * n]) / S
    a = on_sphere.matrix(e, x) @ change + on_sphere.velocity_bias(e, x, rate, on_sphere.velocity(e, x, rate))
    wanted = S * S * (at.torques - at.bias + at.loop_jacobian.T @ push - at.mass @ a)
    np.testing.assert_allclose(left[e.flat], wanted[e.flat_rate], rtol=1e-12)
    np.testing.assert_allclose(left[e.quaternion[:, :3]], wanted[e.turn], rtol=1e-12)
    frame = on_sphere.frame(e, x)
    np.testing.assert_allclose((on_sphere.matrix(e, x) @ frame)[e.turn[0], e.quaternion[0][:3]], 1.0, atol=1e-14)

    def beside(moved_by: np.ndarray) -> np.ndarray:
        return unbalanced(y + np.concatenate([frame @ moved_by, frame @ moved_by / S, [0.0]]))

    block = -jacobian(beside, np.zeros(n), 1e-3)
    assert ops["factor_newton"](d, 0.0, y, base, S) == 0
    unbalanced(y)  # the frame is that of the last residual
    draw = np.random.default_rng(6)
    force, rates, direction = draw.normal(size=n), draw.normal(size=d.plant.rows), np.zeros(n)
    ops["solve_newton"](d, force, rates, direction, 2.0)
    rows = np.zeros((5, n))
    rows[:, e.flat], rows[:, e.quaternion[:, :3]] = at.loop_jacobian[:, e.flat_rate], at.loop_jacobian[:, e.turn]
    whole = np.block([[block, -rows.T], [rows, np.zeros((5, 5))]])
    found = np.linalg.solve(whole, np.concatenate([force, rates[:5]]))
    np.testing.assert_allclose(direction, frame @ found[:n], rtol=1e-6, atol=1e-8 * np.abs(found[:n]).max())
    np.testing.assert_allclose(d.stage.multiplier - push, 2.0 * found[n:], rtol=1e-6)


# --- agreement and order


@pytest.mark.parametrize("made", [two_rods, strut])
def test_implicit_steps_agree_with_explicit_ones(made: Any) -> None:
    """Coordinates, velocities and what loops are closed to, massless ends of cables included."""
    plant = made()
    wanted, run = moved(plant, 0.04, "dp8", 1e-12), moved(plant, 0.04, "implicit4", 1e-9)
    assert np.abs(wanted.coordinate[-1] - wanted.coordinate[0]).max() > 1e-2
    assert apart(run, wanted) < 1e-8
    assert np.abs(run.coordinate_rate - wanted.coordinate_rate).max() < 1e-6
    assert open_by(plant, run) < 1e-12
    assert run.length_violation.max() < 1e-13
    assert np.abs(run.energy_violation).max() < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize(("method", "order"), [("implicit3", 3), ("implicit4", 4)])
@pytest.mark.parametrize(
    ("made", "duration", "step", "near"),
    [(two_rods, 0.1, 0.005, 0.1), (strut, 0.1, 0.01, 0.2), (held_up, 0.04, 0.005, 0.25)],
)
def test_the_order_is_the_full_one(
    made: Any, duration: float, step: float, near: float, method: str, order: int
) -> None:
    """Of positions and velocities at the end, with quaternions, and with loops that say where massless ends go; what
    loops leave of order 3 in the last two shows in shorter steps only."""
    plant = made()
    wanted, wrong = moved(plant, duration, "dp8", 1e-12), []
    for h in (step, step / 2):
        run = moved(plant, duration, method, step=h)
        assert open_by(plant, run) < 1e-12
        ends = [(run.coordinate, wanted.coordinate), (run.coordinate_rate, wanted.coordinate_rate)]
        wrong.append([float(np.abs(one[-1] - other[-1]).max()) for one, other in ends])
    print(plant.tree.name, method, *np.log2(np.divide(*wrong)))
    np.testing.assert_allclose(np.log2(np.divide(*wrong)), order, atol=near)


@pytest.mark.slow
def test_free_bodies_held_by_loops_leave_implicit4_order_3() -> None:
    """As rigid bars in nodes do: rows that bend, along which bodies have inertia. implicit3 has its own."""
    plant = tree_plant(pendulum_of_loops())
    wanted = moved(plant, 0.1, "dp8", 1e-12)
    for method in ("implicit3", "implicit4"):
        wrong = [apart(moved(plant, 0.1, method, step=h), wanted) for h in (0.01, 0.005)]
        print(method, np.log2(wrong[0] / wrong[1]))
        assert np.log2(wrong[0] / wrong[1]) == pytest.approx(3.1, abs=0.3)


@pytest.mark.slow
def test_a_slender_rod_that_turns_does_not_shorten_steps() -> None:
    """By quaternions Newton's method left errors of the tolerance's size there, which made estimates reject steps: 213
    steps and 5e-7 at 1e-9 in a quarter of a second."""
    plant = two_rods()
    run, wanted = moved(plant, 0.1, "implicit4", 1e-9), moved(plant, 0.1, "dp8", 1e-12)
    assert run.counts["steps"] < 60
    assert apart(run, wanted) < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["elongation", "length", "rigid"])
def test_variants_agree(variant: str) -> None:
    """All four have loops on massless ends; the rigid one is another machine, and held against explicit steps."""
    more = {"strain": 0.0} if variant == "rigid" else {}
    plant = strut(variant=variant, **more)
    run, wanted = moved(plant, 0.1, "implicit4", 1e-9), moved(plant, 0.1, "dp8", 1e-12)
    assert apart(run, wanted) < 1e-7
    assert open_by(plant, run) < 1e-12
    if variant != "rigid":
        twin = moved(strut(), 0.1, "implicit4", 1e-9)
        np.testing.assert_allclose(run.element_output, twin.element_output, rtol=0, atol=1e-5)


@pytest.mark.slow
def test_six_struts_as_bodies_are_those_of_nodes() -> None:
    """In equal steps bodies and nodes are as far from dp8 as one another, and by tolerance both are within it."""
    plant = six_struts()
    bodies, options = in_bodies(plant), {"every": 0.1}
    wanted = taut.simulate(plant, 0.2, method="dp8", tolerance=1e-11, verify=False, **options)
    for method, allowed in (("implicit3", 3e-6), ("implicit4", 3e-8)):
        nodal, found = (
            taut.simulate(one, 0.2, method=method, step=5e-3, tolerance=1e-10, verify=False, **options)
            for one in (plant, bodies)
        )
        wrong = [float(np.abs(run.nodes - wanted.nodes).max()) for run in (nodal, found)]
        print(method, "nodes", wrong[0], "bodies", wrong[1])
        assert max(wrong) < allowed
        assert wrong[1] < 2.0 * wrong[0]
    run, found = (
        taut.simulate(one, 0.2, method="implicit3", tolerance=1e-6, verify=False, **options) for one in (plant, bodies)
    )
    assert np.abs(run.nodes - wanted.nodes).max() < 1e-5
    assert np.abs(found.nodes - wanted.nodes).max() < 1e-5
    np.testing.assert_allclose(found.cable_tension, wanted.cable_tension, atol=1e-2)


# --- what is stiff


@pytest.mark.slow
def test_near_rigid_damped_cables_take_far_fewer_steps() -> None:
    """`examples/single_strut.yaml` with cables of 20 GPa and 1 GPa s, all at 1e-6; the explicit run says that it was
    stiff."""
    plant = strut(strain=0.0, youngs_modulus=2e10, viscosity=1e9)
    wanted, found = moved(plant, 1.0, "dp8", 1e-10), {}
    for method in ("dp5", "implicit3", "implicit4"):
        begun = time.process_time()
        found[method] = moved(plant, 1.0, method, 1e-6)
        print(method, found[method].counts["steps"], "steps", round(time.process_time() - begun, 2), "s")
        assert apart(found[method], wanted) < 1e-6
        assert open_by(plant, found[method]) < 1e-12
    steps = {method: run.counts["steps"] for method, run in found.items()}
    assert steps["dp5"] > 40 * steps["implicit4"]
    assert steps["dp5"] > 5 * steps["implicit3"]
    assert any(
        'the run is stiff, and method "implicit3" or "implicit4" can take longer' in n for n in found["dp5"].notes
    )


# --- what acts on a tree


@pytest.mark.slow
@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_cables_that_slacken_are_located(damping: float) -> None:
    plant = tree_plant(weight_under_a_pulley(damping), size=0.5)
    run, wanted = moved(plant, 0.4, "implicit4", 1e-9), moved(plant, 0.4, "dp8", 1e-11)
    assert [event.name for event in run.events] == [event.name for event in wanted.events]
    assert len(run.events) == 3
    np.testing.assert_allclose([e.time for e in run.events], [e.time for e in wanted.events], rtol=0, atol=1e-6)
    assert apart(run, wanted) < 1e-6
    np.testing.assert_allclose(run.work, wanted.work, atol=1e-6)
    over = moved(plant, 0.4, "implicit3", 1e-7, locate=False)
    assert apart(over, wanted) < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("damping", [0.0, 1.0])
def test_cables_between_pulleys(damping: float) -> None:
    plant = tree_plant(hanging(damping), size=0.5)
    run, wanted = moved(plant, 0.4, "implicit4", 1e-9), moved(plant, 0.4, "dp8", 1e-11)
    assert [event.name for event in run.events] == [event.name for event in wanted.events]
    assert apart(run, wanted) < 1e-6
    np.testing.assert_allclose(run.element_output, wanted.element_output, atol=1e-4)
    np.testing.assert_allclose(run.work, wanted.work, atol=1e-6)


@pytest.mark.slow
def test_turns_of_spans_are_counted() -> None:
    plant = tree_plant(orbiting(), size=0.5)
    run = moved(plant, 1.0, "implicit3", 1e-8, every=1.0)
    natural = 1.0 + RADII[0] * run.coordinate[-1, 1]
    strain = run.element_output[-1, run.element_names.index("belt.strain")]
    assert run.coordinate[-1, 1] == pytest.approx(10.0, abs=1e-7)
    assert strain == pytest.approx(np.sqrt(0.25 - (RADII[0] - RADII[1]) ** 2) / natural - 1.0, abs=1e-12)


@pytest.mark.slow
def test_controllers_are_in_the_matrix_or_held() -> None:
    """A firm law at every evaluation makes explicit steps short; one that is held is that of explicit steps."""

    def law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return 0.1 - 200.0 * v[[3, 7, 11]]

    tree = single_strut(strain=0.02)
    for rate in (None, 100.0):
        plant = tree_plant(
            tree, controller=law if rate is None else lambda t, q, v: 0.1 + 0.5 * q[[3, 7, 11]], rate=rate
        )
        run, wanted = moved(plant, 0.1, "implicit4", 1e-8), moved(plant, 0.1, "dp8", 1e-11)
        assert apart(run, wanted) < 1e-6
        assert rate is not None or 5 * run.counts["steps"] < wanted.counts["steps"]


@pytest.mark.slow
def test_grounds_that_give_way_with_friction_by_bristles() -> None:
    floor = taut.Ground("floor", friction=0.5, compliance=taut.Compliance(stiffness=1e5, damping=200.0))
    plant = tree_plant(_box((0.0, 0.0, 0.06), (0.5, 0.0, 0.0, 0.0, 0.0, 0.0)), ground=[floor])
    run, wanted = moved(plant, 0.06, "implicit4", 1e-8), moved(plant, 0.06, "dp8", 1e-10)
    assert len(wanted.events) > 3
    assert {event.name for event in run.events} == {event.name for event in wanted.events}
    assert np.abs(run.nodes - wanted.nodes).max() < 1e-6
    np.testing.assert_allclose(run.work, wanted.work, atol=1e-4)


@pytest.mark.slow
def test_loops_that_say_the_same_twice_and_torques_of_loops() -> None:
    tree = pendulum_of_loops()
    again = LoopJoint("again", "rod", "brick", at=(0.0, 0.0, -0.5))
    plants = [tree_plant(Tree(tree.joints, loops)) for loops in (tree.loops, (*tree.loops, again))]
    wanted = moved(plants[0], 0.04, "dp8", 1e-12)
    for plant in plants:
        run = moved(plant, 0.04, "implicit4", 1e-7)
        assert apart(run, wanted) < 1e-6
        assert open_by(plant, run) < 1e-12
    assert any("3 constraints depend on others" in note for note in run.notes)
    hip = tree.loops[0]
    turned = LoopJoint(
        hip.name,
        *("world", "rod", "revolute"),
        rotation=hip.rotation,
        to_rotation=hip.rotation,
        torque=2.0,
        damping=2.0,
    )
    plant = tree_plant(Tree(tree.joints, (turned, tree.loops[1])))
    run, wanted = moved(plant, 0.04, "implicit4", 1e-7), moved(plant, 0.04, "dp8", 1e-11)
    assert apart(run, wanted) < 1e-6
    np.testing.assert_allclose(run.work, wanted.work, atol=1e-6)


@pytest.mark.slow
def test_a_run_goes_on_and_a_pulley_unwound_past_its_end_ends_one() -> None:
    plant = strut()
    whole, half = (moved(plant, end, "implicit3", 1e-7, every=0.05) for end in (0.1, 0.05))
    np.testing.assert_array_equal(
        moved(plant, 0.1, "implicit3", 1e-7, every=0.05, start=half).coordinate, whole.coordinate
    )
    tree = single_strut(strain=0.02)
    short = [replace(j, cable=replace(j.cable, longest=1.35)) if j.cable else j for j in tree.joints]
    ended = taut.simulate(
        tree_plant(replace(tree, joints=tuple(short))), 1.0, every=0.1, method="implicit3", tolerance=1e-5, verify=False
    )
    assert "is unwound past its end: 1.35 m off the pulley, and it has 1.35 m" in ended.status


# --- what is refused


def test_what_does_not_go_is_told() -> None:
    box = _box((0.0, 0.0, 0.06))
    rigid = tree_plant(box, ground=[taut.Ground("floor")])
    with pytest.raises(taut.OptionError, match='a tree of bodies on a rigid ground .* goes by method "impulses"'):
        taut.simulate(rigid, 0.1, method="implicit3")
    jumps = taut.Compliance(stiffness=1e5, damping=200.0, friction_law="threshold")
    soft = tree_plant(box, ground=[taut.Ground("mat", friction=0.5, compliance=jumps)])
    with pytest.raises(taut.OptionError, match='the ground "mat" has friction by a threshold of speed, which jumps'):
        taut.simulate(soft, 0.1, method="implicit4")
