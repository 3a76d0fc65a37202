"""Runs of trees: free bodies, a URDF arm beside Pinocchio's own dynamics, the six-strut robot beside its nodes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pinocchio
import pytest
from scipy.integrate import solve_ivp

import taut
from taut.trees import Body, LoopJoint, Tree, TreeJoint, Wrench, in_bodies, read_urdf, tree_plant

DATA = Path(__file__).parents[1] / "data"
EXAMPLES = Path(__file__).parents[2] / "examples"
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def test_a_urdf_arm_moves_as_pinocchio_says() -> None:
    tree = read_urdf(DATA / "arm.urdf").with_start({"shoulder": (0.3,), "slide": (0.1,)}, {"elbow": (1.0,)})
    assert [joint.kind for joint in tree.joints] == ["revolute", "revolute", "prismatic"]
    assert tree.bodies["slider"].mass == pytest.approx(0.6), "with the tool that is fixed to it"
    run = taut.simulate(tree_plant(tree), 1.0, every=0.5, method="dp8", tolerance=1e-12, verify=False)
    model = pinocchio.buildModelFromUrdf(str(DATA / "arm.urdf"))
    data = model.createData()

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        q = np.array([y[0], np.cos(y[1]), np.sin(y[1]), y[2]])  # Pinocchio's unbounded joint
        return np.concatenate([y[3:], pinocchio.aba(model, data, q, y[3:], np.zeros(3))])

    own = solve_ivp(rate, (0.0, 1.0), [0.3, 0.0, 0.1, 0.0, 1.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(run.coordinate[-1], own.y[:3, -1], rtol=0, atol=1e-10)


def test_a_urdf_keeps_its_damping_and_joints_that_follow_others_are_refused(tmp_path: Path) -> None:
    """Pinocchio reads what follows another joint as free to move."""
    text = (DATA / "arm.urdf").read_text()
    damped = text.replace('<axis xyz="0.6 0.8 0"/>', '<axis xyz="0.6 0.8 0"/><dynamics damping="0.7" friction="0.1"/>')
    (tmp_path / "damped.urdf").write_text(damped)
    tree = read_urdf(tmp_path / "damped.urdf")
    assert [joint.damping for joint in tree.joints] == [0.0, 0.7, 0.0]
    follows = '<transmission name="t"><joint name="elbow"/></transmission>\n  <!-- <mimic joint="no"/> -->'
    text = text.replace("</robot>", f"{follows}</robot>")
    (tmp_path / "still.urdf").write_text(text)
    assert len(read_urdf(tmp_path / "still.urdf").joints) == 3
    text = text.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/><mimic joint="shoulder" multiplier="2"/>')
    (tmp_path / "follows.urdf").write_text(text)
    with pytest.raises(taut.ModelError, match=r"joints.slide: follows another joint \(mimic\), which is not read"):
        read_urdf(tmp_path / "follows.urdf")


def test_what_is_no_robot_is_told(tmp_path: Path) -> None:
    (tmp_path / "no.urdf").write_text("<robot name='x'><link name='a'/><joint/></robot>")
    with pytest.raises(taut.FileError, match=r"no.urdf: is no robot that Pinocchio can read"):
        read_urdf(tmp_path / "no.urdf")
    (tmp_path / "loose.urdf").write_text((DATA / "arm.urdf").read_text().replace("</robot>", "<x:y/></robot>"))
    with pytest.raises(taut.FileError, match=r"loose.urdf: is not well-formed XML: unbound prefix"):
        read_urdf(tmp_path / "loose.urdf")
    with pytest.raises(taut.FileError, match="there is no such file"):
        read_urdf(tmp_path / "none.urdf")


def test_a_free_body_turns_as_euler_says_and_keeps_its_momentum() -> None:
    brick = Body.box("brick", (0.1, 0.2, 0.4), 1000.0)
    spin = (0.1, 6.0, 0.05)  # about the middle axis, which is unstable
    tree = Tree((TreeJoint("free", "floating", "world", brick, rates=(1.0, 0.0, 2.0, *spin)),), gravity=9.81)
    plant = tree_plant(tree)
    run = taut.simulate(plant, 2.0, every=0.5, method="dp8", tolerance=1e-11, correction="constraints", verify=False)
    np.testing.assert_allclose(run.coordinate[:, 2], 2.0 * run.time - 0.5 * 9.81 * run.time**2, atol=1e-10)
    inertia, momenta = np.array(brick.inertia), []
    for x, rate in zip(run.coordinate, run.coordinate_rate, strict=True):
        q, v = plant.split(np.concatenate([x, rate]))
        axes = np.column_stack([plant.equations.point(q, "brick", axis) for axis in (X, Y, Z)]) - q[:3, None]
        momenta.append(axes @ inertia @ v[3:])
    np.testing.assert_allclose(momenta, [momenta[0]] * 5, atol=1e-9)
    assert run.length_violation.max() < 1e-12, "quaternions stay on their sphere"
    assert np.abs(run.coordinate[-1, 3:] - run.coordinate[0, 3:]).max() > 0.1


def test_samples_show_torques_and_loop_forces_of_their_own_time() -> None:
    """A table, then steps, on a slider that is held by a loop: the loop takes both. Samples were those of the signals'
    last piece."""
    block = TreeJoint("slide", "prismatic", "world", Body("block", 2.0), axes=(X,), driven=True)
    table, steps = (
        taut.SampledSignal((0.0, 0.1, 0.2), (0.0, 2.0, 0.0)),
        taut.StepSignal((0.0, 0.1, 0.25), (0.0, 3.0, 1.0)),
    )
    wind = Wrench("wind", "block", (1.0, 0.0, 0.0), signal=steps)
    plant = tree_plant(Tree((block,), (LoopJoint("stop", "world", "block"),), (wind,)), torques={"slide": table})
    run = taut.simulate(plant, 0.3, every=0.05, method="rk4", step=0.01, verify=False)
    pushed = taut.dynamics.signal_values(table, run.time)
    np.testing.assert_allclose(run.element_output[:, 0], pushed, atol=1e-12)
    blown = np.where(run.time < 0.099, 0.0, np.where(run.time < 0.249, 3.0, 1.0))
    np.testing.assert_allclose(run.multiplier[:, 0], -pushed - blown, atol=1e-9)


def test_loops_and_joints_are_the_same_machine() -> None:
    """A double pendulum of revolute joints; of floating bodies held by revolute loops; with a torque on one of them."""
    first, second = (Body.cylinder(name, 0.02, 0.5, 800.0, centre=(0.0, 0.0, -0.25)) for name in "ab")
    joints = Tree(
        (
            TreeJoint("hip", "revolute", "world", first, axes=(X,), values=(0.4,), driven=True),
            TreeJoint("knee", "revolute", "a", second, (0.0, 0.0, -0.5), axes=(X,), rates=(1.0,), driven=True),
        )
    )
    push = taut.CosineRamp(0.0, 0.3, 0.05, 0.2)
    one = tree_plant(joints, torques={"knee": push})
    run = taut.simulate(one, 0.3, every=0.1, method="dp8", tolerance=1e-11, verify=False)
    about_x = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))  # whose z is x
    start = one.equations.start()[0]
    half = (np.sin(0.2), 0.0, 0.0, np.cos(0.2))
    knee = one.equations.point(start, "b")
    loops = Tree(
        (
            TreeJoint("a", "floating", "world", first, values=(0.0, 0.0, 0.0, *half)),
            TreeJoint("b", "floating", "world", second, values=(*knee, *half), rates=(0.0, 0.0, 0.0, 1.0, 0.0, 0.0)),
        ),
        (
            LoopJoint("hip", "world", "a", "revolute", rotation=about_x, to_rotation=about_x),
            LoopJoint(
                "knee", "a", "b", "revolute", (0.0, 0.0, -0.5), rotation=about_x, to_rotation=about_x, torque=push
            ),
        ),
    )
    two = tree_plant(loops)
    other = taut.simulate(two, 0.3, every=0.1, method="dp8", tolerance=1e-11, verify=False)
    for x, rate, y, moving in zip(
        run.coordinate, run.coordinate_rate, other.coordinate, other.coordinate_rate, strict=True
    ):
        q, p = one.split(np.concatenate([x, rate]))[0], two.split(np.concatenate([y, moving]))[0]
        at = [plant.equations.point(where, "b", (0.0, 0.0, -0.5)) for plant, where in ((one, q), (two, p))]
        np.testing.assert_allclose(at[0], at[1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.work, other.work, atol=1e-9)
    assert run.work[-1] > 1e-3
    assert two.rows == 12
    assert two.constraint_names[-1] == 'quaternion of "b"'


def pendulum_of_loops() -> Tree:
    """A rod and a brick that float, held by a revolute and a point loop: quaternions and loops at once."""
    rod = Body.cylinder("rod", 0.02, 0.5, 800.0, centre=(0.0, 0.0, -0.25))
    brick = Body.box("brick", (0.1, 0.05, 0.2), 800.0, centre=(0.0, 0.02, -0.1))
    turned = (0.0, np.sin(0.4), 0.0, np.cos(0.4))
    end = (-0.5 * np.sin(0.8), 0.0, -0.5 * np.cos(0.8))
    return Tree(
        (
            TreeJoint("rod", "floating", "world", rod, values=(0.0, 0.0, 0.0, *turned)),
            TreeJoint("brick", "floating", "world", brick, values=(*end, 0.0, 0.0, 0.0, 1.0)),
        ),
        (
            LoopJoint(
                "hip",
                "world",
                "rod",
                "revolute",
                rotation=(X, Z, (0.0, -1.0, 0.0)),
                to_rotation=(X, Z, (0.0, -1.0, 0.0)),
            ),
            LoopJoint("ball", "rod", "brick", at=(0.0, 0.0, -0.5)),
        ),
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["energy", "constraints", "filter", "least-norm", "baumgarte", "none"])
def test_corrections_hold_loops_and_quaternions(kind: str) -> None:
    plant = tree_plant(pendulum_of_loops())
    wish = taut.Correction(kind, gains=(50.0, 50.0)) if kind == "baumgarte" else kind
    run = taut.simulate(plant, 0.5, every=0.1, method="rk4", step=5e-3, correction=wish, verify=False)
    assert run.status == "finished"
    exact = taut.simulate(plant, 0.5, every=0.1, method="dp8", tolerance=1e-11, verify=False)
    assert np.abs(run.coordinate[-1] - exact.coordinate[-1]).max() < 1e-4
    assert np.abs(exact.coordinate[-1] - exact.coordinate[0]).max() > 0.3
    drift = float(run.length_violation[-1])
    if kind == "none":
        assert 1e-6 < drift < 1e-5, "which the others take away"
    elif kind == "baumgarte":
        assert drift < 3e-7
    else:
        assert drift < 1e-9
    if kind == "energy":
        assert np.abs(run.energy_violation).max() < 1e-12


@pytest.mark.parametrize(
    ("method", "told"),
    [("rattle4", "needs a mass matrix"), ("impulses", "needs a structure, or a tree of bodies, that strikes")],
)
def test_methods_that_do_not_go_with_trees_are_refused(method: str, told: str) -> None:
    with pytest.raises(taut.OptionError, match=f'method "{method}" {told}'):
        taut.simulate(tree_plant(pendulum_of_loops()), 0.1, method=method, step=1e-3)


def test_a_tree_is_stepped_and_told_of_what_says_the_same_twice() -> None:
    tree = pendulum_of_loops()
    twice = Tree(tree.joints, (*tree.loops, LoopJoint("again", "rod", "brick", at=(0.0, 0.0, -0.5))))
    run = taut.simulate(tree_plant(twice), 0.02, every=0.01, method="rk4", step=5e-3, verify=False)
    assert any('3 constraints depend on others, among x of loop "ball"' in note for note in run.notes)
    stepped = taut.start(tree_plant(tree), method="rk4", step=5e-3)
    for _ in range(2):
        seen = stepped.step(0.01)
    np.testing.assert_allclose(seen[:14], run.coordinate[-1], rtol=0, atol=1e-12)


def test_a_wrench_on_a_body_is_a_torque_at_its_joint() -> None:
    rod = Body.cylinder("rod", 0.02, 0.5, 800.0, centre=(0.0, 0.0, -0.25))
    hinge = TreeJoint("hinge", "revolute", "world", rod, axes=(X,), driven=True)
    pushed = Tree((hinge,), wrenches=(Wrench("turn", "rod", torque=(0.2, 5.0, 0.0), signal=taut.Sinusoid(1.0, 3.0)),))
    one = taut.simulate(tree_plant(pushed), 0.5, every=0.1, method="rk4", step=1e-3, verify=False)
    driven = tree_plant(Tree((hinge,)), torques={"hinge": taut.Sinusoid(0.2, 3.0)})
    two = taut.simulate(driven, 0.5, every=0.1, method="rk4", step=1e-3, verify=False)
    np.testing.assert_allclose(one.coordinate, two.coordinate, rtol=0, atol=1e-14)
    np.testing.assert_allclose(one.work, two.work, rtol=0, atol=1e-14)
    assert np.abs(one.coordinate).max() > 1e-3
    # A force at the free end, along y, turns about x by z times y.
    held = Tree((hinge,), wrenches=(Wrench("push", "rod", force=(0.0, 1.0, 0.0), at=(0.0, 0.0, -0.5)),), gravity=0.0)
    plant = tree_plant(held)
    rates = np.zeros(3)
    plant.operations()["rate"](plant.own_tables(metric="mass", gains=(0.0, 0.0)), 0.0, np.zeros(3), rates)
    assert rates[1] == pytest.approx(0.5 / plant.equations.mass(np.zeros(1))[0, 0])


def six_struts() -> taut.Plant:
    robot = taut.read_model(EXAMPLES / "six_strut.yaml").structure
    places = robot.positions
    spin = np.cross((1.0, 2.0, 0.5), places - places.mean(axis=0)) + np.array([0.1, 0.0, 0.2])
    spin[[0, 1]] += (0.0, 0.3, 0.0)  # the first strut goes its own way, so that cables swing
    return taut.assemble(robot, gravity=9.81, velocities=dict(zip(robot.nodes, map(tuple, spin), strict=True)))


def test_six_struts_as_bodies_are_those_of_nodes() -> None:
    plant = six_struts()
    bodies = in_bodies(plant)
    assert (bodies.coordinates, bodies.rows, bodies.equations.nv) == (42, 6, 36)
    options = {"every": 0.25, "method": "dp8", "verify": False}
    wanted = taut.simulate(plant, 1.0, tolerance=1e-11, **options)
    found = taut.simulate(bodies, 1.0, tolerance=1e-10, **options)
    assert np.abs(found.nodes - wanted.nodes).max() < 1e-9
    assert np.abs(found.velocities - wanted.velocities).max() < 1e-7
    np.testing.assert_allclose(found.cable_tension, wanted.cable_tension, atol=1e-6)
    np.testing.assert_allclose(found.bar_force, wanted.bar_force, atol=1e-5)
    for energy in ("energy_kinetic", "energy_elastic", "energy_gravity"):
        np.testing.assert_allclose(getattr(found, energy), getattr(wanted, energy), atol=1e-6)
    assert np.ptp(wanted.cable_tension) > 1.0, "cables swing"


def test_velocities_that_do_not_fit_bars_keep_their_momentum_as_bodies() -> None:
    """A bar of 0.5 kg, half of it at either end, with 1 kg more at the one that is pushed along it."""
    robot = taut.read_model(EXAMPLES / "six_strut.yaml").structure
    one, two = (np.array(robot.nodes[node]) for node in ("x1a", "x1b"))
    along = (two - one) / np.linalg.norm(two - one)
    heavy = robot.weighted("node:x1a", 1.0)
    plant = in_bodies(
        taut.assemble(heavy, gravity=9.81, velocities={"x1a": (float(along[0]), float(along[1]), float(along[2]))})
    )
    np.testing.assert_allclose(plant.velocities[:3], 1.25 / 1.5 * along, atol=1e-12)


def test_bodies_carry_the_masses_of_cables() -> None:
    """Two bars and a cable of 2 kg that hangs on one end of each fall freely: it is as heavy as it is inert."""
    nodes = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0), "c": (0.0, 0.0, 1.0), "d": (1.0, 0.0, 1.0)}
    cable = taut.Cable("k", ("a", "c"), stiffness=10.0, rest_length=1.0, mass=2.0)
    structure = taut.Structure(
        nodes, [taut.Bar("ab", ("a", "b"), mass=1.0), taut.Bar("cd", ("c", "d"), mass=1.0)], [cable]
    )
    bodies = in_bodies(taut.assemble(structure, gravity=9.81))
    assert sum(body.mass for body in bodies.tree.bodies.values()) == pytest.approx(4.0)
    run = taut.simulate(bodies, 0.2, every=0.1, method="dp8", tolerance=1e-10, verify=False)
    fallen = np.array(list(nodes.values())) - [0.0, 0.0, 0.5 * 9.81 * 0.2**2]
    np.testing.assert_allclose(run.nodes[-1], fallen, atol=1e-9)


def test_what_does_not_go_with_bodies_is_told() -> None:
    robot = taut.read_model(EXAMPLES / "six_strut.yaml").structure
    with pytest.raises(taut.ModelError, match='supports.x1a: holds "z"; a body is held at a point along all of xyz'):
        in_bodies(taut.assemble(robot.supported("x1a", axes="z")))
    with pytest.raises(taut.ModelError, match="sensors: do not go with a tree of bodies yet; take them away"):
        in_bodies(taut.assemble(robot, sensors=[taut.Sensor("height", "node:x1a.position.z", rate=20.0)]))


def test_without_pinocchio_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    with pytest.raises(taut.OptionError, match=r'trees of bodies need Pinocchio: install "taut\[tree\]"'):
        taut.trees.TreeEquations(taut.trees.single_strut())
