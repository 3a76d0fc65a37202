"""Trees drawn at random: beside Pinocchio's own forward dynamics, and what free ones keep over many turns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

import taut
from taut.trees import Body, LoopJoint, SpanCable, Tree, TreeEquations, TreeJoint, tree_plant

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
EXACT: dict[str, Any] = {"method": "dp8", "tolerance": 1e-11, "verify": False}


def _three(draw: np.random.Generator) -> tuple[float, float, float]:
    x, y, z = draw.normal(size=3)
    return float(x), float(y), float(z)


def _turn(draw: np.random.Generator) -> Any:
    return tuple(
        tuple(float(x) for x in row) for row in Rotation.random(random_state=int(draw.integers(1 << 30))).as_matrix()
    )


def random_body(draw: np.random.Generator, name: str) -> Body:
    half = draw.uniform(0.05, 0.3, 3)
    moments = np.diag([half[1] ** 2 + half[2] ** 2, half[0] ** 2 + half[2] ** 2, half[0] ** 2 + half[1] ** 2])
    mass, turn = float(draw.uniform(0.2, 3.0)), np.array(_turn(draw))
    x, y, z = _three(draw)
    inertia = mass / 3.0 * turn @ moments @ turn.T
    rows = tuple(tuple(float(v) for v in row) for row in 0.5 * (inertia + inertia.T))
    return Body(name, mass, (0.2 * x, 0.2 * y, 0.2 * z), rows)  # type: ignore[arg-type]


def random_tree(seed: int, count: int = 8, *, kinds: tuple[str, ...], first: str | None = None) -> Tree:
    """Parents are drawn among all bodies before, so that joints do not come branch after branch."""
    draw = np.random.default_rng(seed)
    joints, bodies = list[TreeJoint](), ["world"]
    for k in range(count):
        kind = first if first is not None and k == 0 else str(draw.choice(kinds))
        parent = (
            bodies[int(draw.integers(len(bodies)))]
            if first is None or k == 0
            else bodies[int(draw.integers(1, len(bodies)))]
        )
        axes = {"revolute": 1, "prismatic": 1, "universal": 2}.get(kind, 0)
        joints.append(
            TreeJoint(
                f"j{k}",
                kind,
                parent,
                random_body(draw, f"b{k}"),
                tuple(0.3 * x for x in _three(draw)),  # type: ignore[arg-type]
                _turn(draw),
                tuple(_three(draw) for _ in range(axes)),
            )
        )
        bodies.append(f"b{k}")
    return Tree(tuple(joints), gravity=9.81 if first is None else 0.0)


BALLS = {
    "spherical": (pin.JointModelSpherical,),
    "floating": (pin.JointModelTranslation, pin.JointModelSpherical),
}


def own_joint(kind: str) -> Any:
    return pin.JointModelPrismaticUnaligned if kind == "prismatic" else pin.JointModelRevoluteUnaligned


def own_model(tree: Tree) -> tuple[Any, list[int], list[int]]:
    """Pinocchio's model with joints as they are listed, and where the tree's positions and velocities are in it."""
    model, last = pin.Model(), {"world": 0}
    model.gravity.linear[:] = 0.0, 0.0, -tree.gravity
    to, to_rates = list[int](), list[int]()
    for joint in tree.joints:
        axes = [np.array(axis) / np.linalg.norm(axis) for axis in joint.axes]
        made = [*map(own_joint(joint.kind), axes)] if axes else [kind() for kind in BALLS[joint.kind]]
        place, parent = pin.SE3(np.array(joint.rotation), np.array(joint.at)), last[joint.parent]
        for k, kind in enumerate(made):
            parent = model.addJoint(parent, kind, place if k == 0 else pin.SE3.Identity(), f"{joint.name}/{k}")
            at = model.joints[parent]
            to += range(at.idx_q, at.idx_q + at.nq)
            to_rates += range(at.idx_v, at.idx_v + at.nv)
        body = joint.body
        model.appendBodyToJoint(
            parent, pin.Inertia(body.mass, np.array(body.centre), np.array(body.inertia)), pin.SE3.Identity()
        )
        last[body.name] = parent
    return model, to, to_rates


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_accelerate_as_pinocchio_says(seed: int) -> None:
    """Against its articulated-body algorithm, which takes joints in any order."""
    kinds = ("revolute", "prismatic", "universal", "spherical", "floating")
    tree = random_tree(seed, kinds=kinds)
    equations = TreeEquations(tree)
    draw = np.random.default_rng(1000 + seed)
    q = equations.integrate(equations.start()[0], draw.normal(size=equations.nv))
    v, force = draw.normal(size=(2, equations.nv))
    found, _ = equations.forward(q, v, force=force)
    model, to, to_rates = own_model(tree)
    p, w, push = np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv)
    p[to], w[to_rates], push[to_rates] = q, v, force
    wanted = pin.aba(model, model.createData(), p, w, push)[to_rates]
    np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())


def momentum_of(equations: TreeEquations, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(6,) linear, and angular about the origin."""
    p, w, _, _ = equations._stand(q, v)
    data = equations._model.createData()
    about_centre = pin.computeCentroidalMomentum(equations._model, data, p, w)
    linear, turning = np.array(about_centre.linear), np.array(about_centre.angular)
    return np.concatenate([linear, turning + np.cross(data.com[0], linear)])


@pytest.mark.parametrize("seed", range(3))
def test_free_trees_keep_momentum_and_energy_over_several_turns(seed: int) -> None:
    tree = random_tree(seed, 4, kinds=("revolute", "spherical", "universal"), first="floating")
    draw = np.random.default_rng(seed)
    rates = {joint.name: tuple(map(float, 2.0 * draw.normal(size=len(joint.velocities)))) for joint in tree.joints}
    rates["j0"] = (*rates["j0"][:3], 9.0, -4.0, 6.0)
    plant = tree_plant(tree.with_start({}, rates))
    run = taut.simulate(plant, 2.0, every=0.1, correction="constraints", **EXACT)
    kept, turned = [], 0.0
    for x, rate in zip(run.coordinate, run.coordinate_rate, strict=True):
        q, v = plant.split(np.concatenate([x, rate]))
        kept.append(momentum_of(plant.equations, q, v))
        turned += 0.1 * float(np.linalg.norm(v[3:6]))
    assert turned > 4.0 * np.pi
    size = np.linalg.norm(kept[0])
    assert np.abs(np.array(kept) - kept[0]).max() < 1e-7 * size
    assert np.abs(run.energy_violation).max() < 1e-7 * run.energy_kinetic[0]
    assert run.length_violation.max() < 1e-12, "quaternions stay on their sphere"


@pytest.mark.parametrize("crossed", [False, True])
def test_a_cable_between_pulleys_of_a_free_machine_changes_no_momentum(crossed: bool) -> None:
    """On a base that tumbles, an arm swings one pulley round the other, and the cable pulls at all three bodies."""
    base = Body.box("base", (0.3, 0.4, 0.2), 300.0)
    arm = Body.box("arm", (0.5, 0.03, 0.03), 1500.0, centre=(0.25, 0.0, 0.0))
    wheel = ((0.3, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.0, 0.5))
    one, two = (Body(name, 0.5, inertia=wheel) for name in ("p1", "p2"))
    winds = 8.0 if crossed else -8.0
    tree = Tree(
        (
            TreeJoint("free", "floating", "world", base, rates=(0.3, -0.2, 0.1, 1.5, -2.0, 1.0)),
            TreeJoint("one", "revolute", "base", one, axes=(Z,), rates=(1.0,)),
            TreeJoint("hub", "revolute", "base", arm, axes=(Z,), rates=(12.0,)),
            TreeJoint("two", "revolute", "arm", two, (0.5, 0.0, 0.0), axes=(Z,), rates=(winds,)),
        ),
        gravity=0.0,
        spans=(SpanCable("belt", ("one", "two"), (0.05, 0.08), 100.0, natural=0.45, crossed=crossed),),
    )
    plant = tree_plant(tree)
    run = taut.simulate(plant, 1.0, every=0.1, correction="constraints", **EXACT)
    assert run.status == "finished"
    assert abs(run.coordinate[-1, 8]) > 2.0 * np.pi
    states = [plant.split(np.concatenate(one)) for one in zip(run.coordinate, run.coordinate_rate, strict=True)]
    kept = np.array([momentum_of(plant.equations, q, v) for q, v in states])
    assert np.abs(kept - kept[0]).max() < 1e-8 * np.linalg.norm(kept[0])
    assert np.abs(run.energy_violation).max() < 1e-8 * run.energy_kinetic[0]
    assert np.mean(run.cable_tension > 1.0) > 0.3


def test_a_heavy_top_keeps_what_lagranges_does() -> None:
    """A spherical joint that turns some thirty times: energy, momentum about the vertical and about its own axis."""
    top = Body.cylinder("top", 0.1, 0.05, 1500.0, centre=(0.0, 0.0, 0.2))
    lean = (0.0, float(np.sin(0.25)), 0.0, float(np.cos(0.25)))
    tree = Tree((TreeJoint("tip", "spherical", "world", top, values=lean, rates=(0.3, 0.0, 100.0)),))
    plant = tree_plant(tree)
    run = taut.simulate(plant, 2.0, every=0.05, correction="constraints", **EXACT)
    own, upright, height = [], [], []
    for x, rate in zip(run.coordinate, run.coordinate_rate, strict=True):
        q, v = plant.split(np.concatenate([x, rate]))
        own.append(v[2])
        turning = plant.equations.mass(q) @ v  # about the tip, in the body's axes
        turn = Rotation.from_quat(q).as_matrix()
        upright.append(turn[2] @ turning)
        height.append(turn[2, 2])
    np.testing.assert_allclose(own, 100.0, rtol=1e-9)
    np.testing.assert_allclose(upright, upright[0], rtol=1e-8)
    assert np.abs(run.energy_violation).max() < 1e-8 * run.overall.energy_in_play
    assert np.ptp(height) > 1e-3, "it nods"


LENGTHS, WIDE, DENSE = (0.2, 0.6, 0.5), 0.02, 900.0
"""[m] of crank, coupler and rocker, and what they are made of."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["revolute", "universal", "point"])
def test_loops_whose_rows_depend_on_one_another_move_as_the_plane_does(kind: str) -> None:
    """A crank and rocker in its plane: a hinge that closes it has five rows, of which two are needed. With one freedom
    its motion is that of its energy, which trigonometry says of the crank's angle and rate."""
    about: Any = (Y,)
    # A hinge turns about its z, which is along y; a universal joint first about its x, here along y.
    axes: Any = {"revolute": (X, Z, (0.0, -1.0, 0.0)), "universal": (Z, X, Y), "point": (X, Y, Z)}[kind]
    crank, coupler, rocker = (
        Body.box(name, (length, WIDE, WIDE), DENSE, centre=(0.5 * length, 0.0, 0.0))
        for name, length in zip(("crank", "coupler", "rocker"), LENGTHS, strict=True)
    )
    joints = (
        TreeJoint("a", "revolute", "world", crank, axes=about, values=(-1.2,), rates=(25.0,)),
        TreeJoint("b", "revolute", "crank", coupler, (LENGTHS[0], 0.0, 0.0), axes=about, values=(0.9,)),
        TreeJoint("c", "revolute", "world", rocker, (0.6, 0.0, 0.0), axes=about, values=(-1.4,)),
    )
    ends: Any = {"at": (LENGTHS[1], 0.0, 0.0), "to": (LENGTHS[2], 0.0, 0.0), "rotation": axes, "to_rotation": axes}
    plant = tree_plant(Tree(joints, (LoopJoint("pin", "coupler", "rocker", kind, **ends),)))
    run = taut.simulate(plant, 1.0, every=0.05, correction="constraints", **EXACT)
    assert run.status == "finished"
    assert abs(run.coordinate[-1, 0] - run.coordinate[0, 0]) > 4.0 * np.pi, "the crank goes round"
    assert run.length_violation.max() < 1e-10
    energy = [in_the_plane(*x, rate[0]) for x, rate in zip(run.coordinate, run.coordinate_rate, strict=True)]
    np.testing.assert_allclose(np.sum(energy, axis=1), np.sum(energy[0]), rtol=1e-8)
    np.testing.assert_allclose([one[0] for one in energy], run.energy_kinetic, rtol=1e-8)
    assert np.ptp([one[0] for one in energy]) > 0.1
    assert any("depend" in note for note in run.notes)


def in_the_plane(a: float, b: float, c: float, rate: float) -> tuple[float, float]:
    """Kinetic energy by the crank's rate, and that of weight."""
    angles = np.array([a, a + b, c])
    along = np.array([np.cos(angles), -np.sin(angles)])
    across = np.array([-np.sin(angles), -np.cos(angles)])
    # The pin moves with the coupler as with the rocker.
    columns = np.column_stack([LENGTHS[1] * across[:, 1], -LENGTHS[2] * across[:, 2]])
    rates = np.array([rate, *np.linalg.solve(columns, -rate * LENGTHS[0] * across[:, 0])])
    kinetic, high = 0.0, 0.0
    for k, length in enumerate(LENGTHS):
        mass = WIDE**2 * length * DENSE
        on = (rate * LENGTHS[0] * across[:, 0], LENGTHS[0] * along[1, 0]) if k == 1 else (np.zeros(2), 0.0)
        speed = on[0] + 0.5 * length * rates[k] * across[:, k]
        kinetic += 0.5 * mass * (speed @ speed + (length**2 + WIDE**2) / 12.0 * rates[k] ** 2)
        high += mass * 9.81 * (on[1] + 0.5 * length * along[1, k])
    return kinetic, high


def test_a_loop_that_closes_turned_round_is_told() -> None:
    """Dot products of axes are zero also where a hinge is the other way round, or a weld by a third of a turn."""
    free = TreeJoint(
        "free",
        "floating",
        "world",
        Body.cube("cube", 0.1, 800.0),
        values=(0.0, 0.0, 0.0, *Rotation.from_rotvec((2.9, 0.0, 0.0)).as_quat().tolist()),
    )
    with pytest.raises(
        taut.ModelError,
        match=r'loops.pin: closes only turned round: axes of "world" and "cube" that it .* are 3.14 rad apart; start',
    ):
        tree_plant(Tree((free,), (LoopJoint("pin", "world", "cube", "revolute"),)))
    third = Rotation.from_rotvec(np.full(3, 2.0 * np.pi / 3.0 / np.sqrt(3.0)) * 0.97).as_quat().tolist()
    near = TreeJoint("free", "floating", "world", Body.cube("cube", 0.1, 800.0), values=(0.0, 0.0, 0.0, *third))
    with pytest.raises(taut.ModelError, match=r"loops.weld: closes only turned round: .* are 1.57 rad apart"):
        tree_plant(Tree((near,), (LoopJoint("weld", "world", "cube", "fixed"),)))


def test_the_gap_of_a_slide_that_cannot_close_is_a_length() -> None:
    """Of a prismatic loop two rows are lengths, and three are angles."""
    slide = TreeJoint("slide", "prismatic", "world", Body("block", 1.0), axes=(Z,))
    loop = LoopJoint("rail", "world", "block", "prismatic", at=(0.3, 0.4, 0.0))
    with pytest.raises(taut.ModelError, match='loops.rail: cannot close: "world" and "block" stay 0.5 m apart'):
        tree_plant(Tree((slide,), (loop,)))


@pytest.mark.parametrize("seed", range(3))
def test_rows_that_say_nothing_are_left_out(seed: int) -> None:
    """Of a universal joint that closes a chain in a plane, one row is round-off; scaled to unit length it threw starts
    whose velocities do not fit loops to 1e7 m. They are the projected ones, by mass."""
    draw = np.random.default_rng(seed)
    base, foot = (Body.box(name, (0.4, 0.1, 0.05), 800.0) for name in ("base", "foot"))
    legs = [Body.box(name, (0.04, 0.1, 0.4), 600.0, centre=(0.0, 0.0, -0.2)) for name in ("left leg", "right leg")]
    about: Any = (Y,)
    tilt = Rotation.from_rotvec(draw.normal(size=3)).as_quat().tolist()
    rates = tuple(float(rate) for rate in draw.normal(size=6))
    joints = (
        TreeJoint("free", "floating", "world", base, values=(0.0, 0.0, 1.0, *tilt), rates=rates),
        TreeJoint("left", "revolute", "base", legs[0], (-0.2, 0.0, 0.0), axes=about, values=(0.2,), rates=(5.0,)),
        TreeJoint("right", "revolute", "base", legs[1], (0.2, 0.0, 0.0), axes=about, values=(0.2,)),
        TreeJoint("ankle", "revolute", "left leg", foot, (0.0, 0.0, -0.4), axes=about, values=(-0.2,)),
    )
    pin = LoopJoint("pin", "foot", "right leg", "universal", at=(0.4, 0.0, 0.0), to=(0.0, 0.0, -0.4))
    plant = tree_plant(Tree(joints, (pin,), gravity=0.0))
    run = taut.simulate(plant, 0.1, every=0.02, correction="constraints", **EXACT)
    assert run.status == "finished"
    assert any("2 constraints depend on others" in note for note in run.notes)
    equations, (q, v) = plant.equations, plant.equations.start()
    mass, rows = equations.mass(q), equations.loop_jacobian(q)
    kept = np.linalg.svd(rows)[2][:2]  # two of four rows are all there is
    fits = v - np.linalg.solve(mass, kept.T @ np.linalg.solve(kept @ np.linalg.solve(mass, kept.T), kept @ v))
    found = plant.split(np.concatenate([run.coordinate[0], run.coordinate_rate[0]]))[1]
    np.testing.assert_allclose(found, fits, atol=1e-10)
    assert np.abs(run.energy_violation).max() < 1e-8 * run.energy_kinetic[0]
    assert run.length_violation.max() < 1e-10
