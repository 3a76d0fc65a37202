"""Bodies on rigid grounds by impulses: closed forms, other coordinates, energy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import taut
from taut import Box, Ground, Plane, Trajectory
from taut.trees import Body, ContactPoint, LoopJoint, Tree, TreeJoint, in_bodies, tree_plant

GRAVITY = 9.81
SIDES, DENSITY = (0.2, 0.3, 0.1), 500.0
MASS = DENSITY * SIDES[0] * SIDES[1] * SIDES[2]
INSTANT = 1e-9
"""[s], in which nothing happens but an impact."""
ROOT = Path(__file__).parents[2]


def box(place: Any, turn: Any = (0.0, 0.0, 0.0), rates: Any = (0.0,) * 6, *, gravity: float = GRAVITY) -> Tree:
    """A box that floats; turn: a rotation vector."""
    values = (*map(float, place), *Rotation.from_rotvec(turn).as_quat().tolist())
    joint = TreeJoint("free", "floating", "world", Body.box("box", SIDES, DENSITY), values=values, rates=tuple(rates))
    return Tree((joint,), points=ContactPoint.corners("box", SIDES), gravity=gravity)


def thrown(seed: int, turning: float = 5.0, *, gravity: float = GRAVITY) -> Tree:
    """A box thrown, whose lowest corner touches the floor."""
    draw = np.random.default_rng(seed)
    turn, rates = draw.normal(size=3), draw.normal(size=6) * np.array([1.0, 1.0, 1.0, *[turning] * 3])
    corners = np.array([point.at for point in ContactPoint.corners("box", SIDES)])
    lowest = Rotation.from_rotvec(turn).apply(corners)[:, 2].min()
    return box((0.0, 0.0, -lowest), turn, (*rates[:2], -abs(rates[2]), *rates[3:]), gravity=gravity)


def followed(tree: Tree, ground: Ground, duration: float, step: float, **options: Any) -> Trajectory:
    told = {"every": duration, "verify": False, **options}
    return taut.simulate(tree_plant(tree, ground=[ground]), duration, method="impulses", step=step, **told)


def corners(run: Trajectory) -> np.ndarray:
    """(T, 8, 3)"""
    chosen = [number for number, name in enumerate(run.structure.nodes) if "corner" in name]
    return run.nodes[:, chosen]


def on_slope(angle: float, friction: float) -> Trajectory:
    normal = np.array([np.sin(angle), 0.0, np.cos(angle)])
    ground = Ground("slope", Plane((normal[0], normal[1], normal[2])), friction=friction)
    return followed(box(0.5 * SIDES[2] * normal, (0.0, angle, 0.0)), ground, 0.4, 2e-3)


ANGLE, HAIR = np.radians(20.0), np.radians(0.1)


def test_a_box_sticks_on_a_slope_that_friction_just_holds() -> None:
    run = on_slope(ANGLE, np.tan(ANGLE + HAIR))
    assert np.abs(run.nodes[-1] - run.nodes[0]).max() < 1e-13
    assert run.contact_force[-1].sum(axis=0) == pytest.approx([0.0, 0.0, MASS * GRAVITY], abs=1e-9)
    down = [name for name, state in zip(run.contact_names, run.contact_state[-1], strict=True) if state == 1]
    assert down == [f"box corner {k} on slope" for k in (1, 3, 5, 7)]
    assert [event.change for event in run.events] == ["touches down and sticks"] * 4


def test_a_box_slides_where_friction_just_does_not_hold() -> None:
    friction = np.tan(ANGLE - HAIR)
    run = on_slope(ANGLE, friction)
    way = corners(run)[-1] - corners(run)[0]
    wanted = 0.5 * GRAVITY * (np.sin(ANGLE) - friction * np.cos(ANGLE)) * 0.4**2
    np.testing.assert_allclose(way @ [np.cos(ANGLE), 0.0, -np.sin(ANGLE)], wanted, rtol=1e-10)
    np.testing.assert_allclose(way @ [np.sin(ANGLE), 0.0, np.cos(ANGLE)], 0.0, atol=1e-15)
    assert (run.contact_state[-1, ::2] == 2).all()
    assert run.energy_violation[-1] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("friction", [0.0, 0.2, 3.0])
def test_a_bar_that_strikes_with_one_end_gets_the_impulse_of_the_closed_form(friction: float) -> None:
    """In its plane: D p = velocity to be made, with D of a free bar; sliding on, or stuck."""
    mass, length, angle, restitution = 2.0, 0.8, 0.5, 0.6
    turning = mass * length**2 / 12.0
    body = Body("rod", mass, inertia=((turning, 0.0, 0.0), (0.0, turning, 0.0), (0.0, 0.0, 1e-3)))
    turn = Rotation.from_rotvec((0.0, 0.5 * np.pi + angle, 0.0))
    place, rates = (0.0, 0.0, 0.5 * length * np.sin(angle)), (0.4, 0.0, -1.5, 0.0, 0.3, 0.0)
    joint = TreeJoint("free", "floating", "world", body, values=(*place, *turn.as_quat().tolist()), rates=rates)
    ends = (
        ContactPoint("low", "rod", (0.0, 0.0, 0.5 * length)),
        ContactPoint("high", "rod", (0.0, 0.0, -0.5 * length)),
    )
    ground = Ground("floor", friction=friction, restitution=restitution)
    run = followed(Tree((joint,), points=ends, gravity=0.0), ground, INSTANT, INSTANT)
    low = list(run.structure.nodes).index("low")
    # Of the end, along x and z from the middle: velocity v + w x r, response 1/m + (r x)^2 / I.
    x, z = 0.5 * length * np.cos(angle), -0.5 * length * np.sin(angle)
    came = np.array([0.4 + 0.3 * z, -1.5 - 0.3 * x])
    assert run.velocities[0, low, [0, 2]] == pytest.approx(came, rel=1e-12)
    d = np.array([[1.0 / mass + z * z / turning, -x * z / turning], [-x * z / turning, 1.0 / mass + x * x / turning]])
    stuck = np.linalg.solve(d, np.array([0.0, -restitution * came[1]]) - came)
    way = -1.0 if came[0] + d[0, 1] * stuck[1] > 0.0 else 1.0
    normal = -(1.0 + restitution) * came[1] / (d[1, 1] + way * friction * d[1, 0])
    wanted = stuck if abs(stuck[0]) <= friction * stuck[1] else np.array([way * friction * normal, normal])
    found = INSTANT * run.contact_force[-1, 0]
    assert found[[0, 2]] == pytest.approx(wanted, rel=1e-6, abs=1e-9)
    assert run.velocities[-1, low, [0, 2]] == pytest.approx(came + d @ wanted, rel=1e-6, abs=1e-6)
    assert run.velocities[-1, low, 2] == pytest.approx(-restitution * came[1], rel=1e-6)


def test_a_box_dropped_flat_bounces_as_restitution_says() -> None:
    run = followed(
        box((0.0, 0.0, 0.05), rates=(1.0, 0.0, -2.0, 0.0, 0.0, 0.0), gravity=0.0),
        Ground("floor", friction=0.1, restitution=0.5),
        INSTANT,
        INSTANT,
    )
    force = INSTANT * run.contact_force[-1].sum(axis=0)
    assert force == pytest.approx([-0.1 * MASS * 3.0, 0.0, MASS * 3.0], rel=1e-6, abs=1e-9)
    np.testing.assert_allclose(run.velocities[-1], np.tile([0.7, 0.0, 1.0], (9, 1)), atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_impacts_with_friction_and_full_restitution_make_no_energy(seed: int) -> None:
    friction = np.random.default_rng(100 + seed).uniform(0.1, 1.5)
    ground = Ground("floor", friction=friction, restitution=1.0)
    run = followed(thrown(seed, gravity=0.0), ground, INSTANT, INSTANT)
    before, after = run.energy_kinetic[[0, -1]]
    assert np.abs(run.contact_force[-1]).max() > 0.0 or (run.velocities[0, 1:, 2] > -1e-9).any()
    assert after <= before * (1.0 + 1e-8)  # a box turns by 1e-8 rad on the way
    assert after - before == pytest.approx(run.work[-1], abs=1e-6 * before)


def test_a_step_that_strikes_makes_no_energy() -> None:
    """Of boxes at some 10 rad/s with full restitution, in 1 ms: gyroscopic forces act half of it with velocities before
    the impact, which made up to 2e-4 of their energy where only the work of impulses was bounded."""
    gained, step = [], 1e-3
    for seed in range(30):
        friction = np.random.default_rng(100 + seed).uniform(0.1, 1.5)
        ground = Ground("floor", friction=friction, restitution=1.0)
        energy = followed(thrown(seed, gravity=0.0), ground, step, step).energy_kinetic
        gained.append(energy[-1] / energy[0] - 1.0)
    assert max(gained) < 1e-9
    assert min(gained) < -0.5
    assert sum(abs(one) < 1e-3 for one in gained) > 3, "some bounce in full"


def test_a_thrown_box_tumbles_and_comes_to_rest() -> None:
    """It loses energy in every step, but for the error of steps, lies still, and is nowhere in the floor."""
    run = followed(thrown(3), Ground("floor", friction=0.5, restitution=0.3), 1.2, 1e-3, every=1e-3)
    energy = run.energy_kinetic + run.energy_gravity
    assert energy[0] - energy[-1] > 1.0
    assert np.diff(energy).max() < 1e-8
    assert corners(run)[:, :, 2].min() > -1e-10
    assert np.abs(run.velocities[-1]).max() < 1e-12
    assert run.contact_force[-1].sum(axis=0) == pytest.approx([0.0, 0.0, MASS * GRAVITY], abs=1e-9)


def test_flight_over_a_rigid_ground_is_of_second_order_to_that_without() -> None:
    tree = box((0.0, 0.0, 1.0), (0.3, 0.2, 0.1), (0.5, 0.0, 1.0, 4.0, -3.0, 2.0))
    free = taut.simulate(tree_plant(tree), 0.2, method="dp8", tolerance=1e-12, every=0.2, verify=False)
    off = [np.abs(followed(tree, Ground("floor"), 0.2, h).nodes[-1] - free.nodes[-1]).max() for h in (4e-3, 2e-3)]
    assert off[0] < 1e-4
    assert 3.7 < off[0] / off[1] < 4.3
    assert np.linalg.norm(free.velocities[-1, 1]) > 1.0


def test_a_box_tips_about_its_edge_as_a_pendulum_does() -> None:
    """With the edge held by friction, beside a joint in its place."""
    start, half = -0.5, 0.5 * np.array([SIDES[0], 0.0, SIDES[2]])
    tree = box(Rotation.from_rotvec((0.0, start, 0.0)).apply(half), (0.0, start, 0.0))
    body = Body.box("box", SIDES, DENSITY, centre=(half[0], 0.0, half[2]))
    joint = TreeJoint("edge", "revolute", "world", body, axes=((0.0, 1.0, 0.0),), values=(start,))
    beside = taut.simulate(tree_plant(Tree((joint,))), 0.1, method="dp8", tolerance=1e-12, every=0.1, verify=False)
    turned = beside.coordinate[-1, 0] - start
    assert abs(turned) > 0.1
    off = []
    for step in (2e-3, 1e-3):
        run = followed(tree, Ground("floor", friction=5.0), 0.1, step)
        places = Rotation.from_quat(run.coordinate[-1, 3:7])
        off.append(abs(places.as_rotvec()[1] - start - turned))
        assert np.abs(corners(run)[-1, [0, 2]] - corners(run)[0, [0, 2]]).max() < 1e-9, "the edge stays"
    assert off[0] < 1e-5
    assert 3.7 < off[0] / off[1] < 4.3


def test_a_box_lands_on_a_step() -> None:
    step = Ground("step", Box((0.0, 0.0, -0.2), (1.0, 1.0, 0.4)), friction=0.6)
    run = followed(box((0.1, 0.0, 0.12), (0.0, 0.0, 0.3), (0.2, 0.0, 0.0, 0.0, 0.0, 0.0)), step, 0.4, 2e-3)
    assert np.abs(run.velocities[-1]).max() < 1e-12
    np.testing.assert_allclose(np.sort(corners(run)[-1, :, 2]), [0.0] * 4 + [SIDES[2]] * 4, atol=1e-9)


def linkage(place: float) -> Tree:
    """Two legs between a base and a foot, which a loop closes."""
    base, foot = (Body.box(name, (0.4, 0.1, 0.05), 800.0) for name in ("base", "foot"))
    legs = [Body.box(name, (0.04, 0.1, 0.4), 600.0, centre=(0.0, 0.0, -0.2)) for name in ("left leg", "right leg")]
    about: Any = ((0.0, 1.0, 0.0),)
    joints = (
        TreeJoint(
            "free", "floating", "world", base, values=(0, 0, 0.4 + place, 0, 0, 0, 1), rates=(0.5, 0, 0, 0, 0, 0)
        ),
        TreeJoint("left", "revolute", "base", legs[0], at=(-0.2, 0.0, 0.0), axes=about, values=(0.2,)),
        TreeJoint("right", "revolute", "base", legs[1], at=(0.2, 0.0, 0.0), axes=about, values=(0.2,), damping=0.05),
        TreeJoint("ankle", "revolute", "left leg", foot, at=(0.0, 0.0, -0.4), axes=about, values=(-0.2,)),
    )
    pin = LoopJoint("pin", "foot", "right leg", kind="universal", at=(0.4, 0.0, 0.0), to=(0.0, 0.0, -0.4))
    feet = [
        ContactPoint(f"foot {k}", "foot", (x, y, -0.025)) for k, (x, y) in enumerate([(0, -0.05), (0, 0.05), (0.4, 0)])
    ]
    return Tree(joints, (pin,), points=tuple(feet))


def test_a_closed_chain_on_the_ground_stays_closed() -> None:
    run = followed(linkage(0.07), Ground("floor", friction=0.6), 0.25, 1e-3, every=0.01)
    assert run.length_violation.max() < 1e-14
    assert run.rate_violation.max() < 1e-13
    assert run.contact_force[-1].sum(axis=0)[2] > 10.0
    assert np.count_nonzero(run.contact_state[-1]) >= 2
    feet = [number for number, name in enumerate(run.structure.nodes) if name.startswith("foot ")]
    assert run.nodes[:, feet, 2].min() > -1e-10


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_a_closed_chain_that_tumbles_onto_the_ground_makes_no_energy(friction: float) -> None:
    """Loops have impulses as large as the impact's, and turn their directions within its step."""
    changed = []
    for seed in range(6):
        draw, tree = np.random.default_rng(seed), linkage(0.07)
        turn, rates = Rotation.from_rotvec(draw.normal(size=3)).as_quat().tolist(), draw.normal(size=6)
        free, left, right, ankle = (replace(joint, damping=0.0) for joint in tree.joints)
        rates = rates * np.array([1.0, 1.0, 0.0, 6.0, 6.0, 6.0]) - np.array([0.0, 0.0, 4.0, 0.0, 0.0, 0.0])
        free = replace(free, values=(0.0, 0.0, 1.0, *turn), rates=tuple(map(float, rates)))
        left = replace(left, rates=(8.0 * float(draw.normal()),))
        lifted = replace(tree, joints=(free, left, right, ankle), gravity=0.0)
        equations = tree_plant(lifted).equations
        feet = equations.points_at([point.body for point in tree.points], [point.at for point in tree.points])
        lowest = float(equations.places(equations.start()[0], feet)[:, 2].min())
        down = replace(free, values=(0.0, 0.0, 1.0 - lowest, *turn))
        ground = Ground("floor", friction=friction, restitution=1.0)
        run = followed(replace(lifted, joints=(down, left, right, ankle)), ground, 1e-3, 1e-3)
        assert np.abs(run.contact_force[-1]).max() > 0.0
        changed.append(run.energy_kinetic[-1] / run.energy_kinetic[0] - 1.0)
    assert max(changed) < 1e-12
    assert min(changed) > (-0.02 if friction == 0.0 else -0.6), "and loses what the step does, not all"


@pytest.mark.slow
def test_a_leg_with_a_controller_bears_its_body() -> None:
    """A rate, a damper and an input beside contacts: the foot stands, the body hangs on what the leg pushes with."""
    base, leg = Body("base", 7.2, inertia=_ball(0.1)), Body("leg", 0.6, (0.0, 0.0, -0.15), _ball(0.01))
    joints = (
        TreeJoint("free", "floating", "world", base, values=(0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 1.0)),
        TreeJoint("leg", "prismatic", "base", leg, axes=((0.0, 0.0, 1.0),), driven=True, damping=1.0),
    )
    tree = Tree(joints, points=(ContactPoint("foot", "leg", (0.0, 0.0, -0.3)),))

    def hold(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.array([-7.2 * GRAVITY - 3000.0 * q[7] - 50.0 * v[6]])

    stop = taut.Watch.at_plane("down", "base", "z", 0.2, then="stop")
    plant = tree_plant(tree, ground=[FLOOR], controller=hold, rate=500.0, events=[stop])
    run = taut.simulate(plant, 0.1, method="impulses", step=1e-3, every=0.05, verify=False)
    assert run.status == "finished"
    assert run.contact_force[-1, 0] == pytest.approx([0.0, 0.0, 7.8 * GRAVITY], abs=1e-10)
    assert np.abs(run.nodes - run.nodes[0]).max() < 1e-14
    let_go = tree_plant(tree, ground=[FLOOR], events=[stop])
    fell = taut.simulate(let_go, 0.3, method="impulses", step=1e-3, every=0.05, verify=False)
    foot = list(fell.structure.nodes).index("foot")
    assert "where it was to stop" in fell.status
    assert fell.nodes[-1, foot] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    # The body falls along its leg, which holds it back by a damper of 1 N s/m.
    lag = 7.2 / 1.0
    fall = [GRAVITY * lag * (t - lag * (1.0 - np.exp(-t / lag))) for t in (fell.time[-1] - 1e-3, fell.time[-1])]
    assert fall[0] < 0.1 <= fall[1] + 1e-6


def _ball(moment: float) -> Any:
    return ((moment, 0.0, 0.0), (0.0, moment, 0.0), (0.0, 0.0, moment))


def robot(lift: float, damping: float) -> taut.Structure:
    """Six struts with a face down."""
    made = taut.generators.icosahedron(0.6, stiffness=600.0, rest_ratio=0.8)
    up, side = np.full(3, 1.0 / np.sqrt(3.0)), np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0)
    places = made.positions @ np.array([side, np.cross(up, side), up]).T
    placed = made.placed(places - np.array([0.0, 0.0, places[:, 2].min() - lift]))
    cables = [replace(cable, damping=damping) for cable in placed.cables.values()]
    return taut.Structure(dict(placed.nodes), [*placed.bars.values()], cables)


FLOOR = Ground("floor", friction=0.6)


@pytest.mark.slow
def test_six_struts_as_bodies_stand_still_where_their_nodes_do() -> None:
    """Settled in nodes for thirty seconds, then let stand in both."""
    made = robot(0.0, 20.0)
    settled = taut.simulate(
        taut.assemble(made, gravity=GRAVITY, ground=[FLOOR]),
        30.0,
        method="impulses",
        step=1e-3,
        every=30.0,
        verify=False,
    )
    assert np.abs(settled.velocities[-1]).max() < 1e-12
    plant = taut.assemble(made.placed(settled.nodes[-1]), gravity=GRAVITY, ground=[FLOOR])
    for one in (plant, in_bodies(plant)):
        run = taut.simulate(one, 0.3, method="impulses", step=1e-3, every=0.1, verify=False)
        assert np.abs(run.nodes - run.nodes[0]).max() < 1e-12
        assert np.count_nonzero(run.contact_state[-1]) == 3
        assert run.contact_force[-1].sum(axis=0) == pytest.approx(settled.contact_force[-1].sum(axis=0), abs=1e-9)


@pytest.mark.slow
def test_six_struts_as_bodies_fall_onto_the_floor_as_their_nodes_do() -> None:
    """To the order of the step: four times as near with half of it, and with the same events."""
    model = taut.read_model(ROOT / "examples" / "six_strut.yaml").structure
    lowered = model.placed(model.positions - np.array([0.0, 0.0, model.positions[:, 2].min() - 0.01]))
    plant, off = taut.assemble(lowered, gravity=GRAVITY, ground=[FLOOR]), []
    for step in (2e-3, 1e-3):
        runs = [
            taut.simulate(one, 0.15, method="impulses", step=step, every=0.05, verify=False)
            for one in (plant, in_bodies(plant))
        ]
        assert [(e.name, e.change) for e in runs[0].events] == [(e.name, e.change) for e in runs[1].events]
        assert runs[0].events
        off.append(np.abs(runs[0].nodes[-1] - runs[1].nodes[-1]).max())
        np.testing.assert_allclose(runs[1].contact_force, runs[0].contact_force, atol=1e-3)
    assert off[0] < 1e-7
    assert 3.5 < off[0] / off[1] < 4.5
