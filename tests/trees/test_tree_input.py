"""What no tree, body or cable can be, told by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import taut
from taut.trees import (
    Body,
    ContactPoint,
    LoopJoint,
    PulleyCable,
    Tree,
    TreeEquations,
    TreeJoint,
    Wrench,
    manipulator,
    single_strut,
    tree_plant,
)

NAN = float("nan")
X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
ROD = Body.cylinder("rod", 0.02, 0.5, 800.0)


def joint(**more: Any) -> TreeJoint:
    return TreeJoint(**{"name": "j", "kind": "revolute", "parent": "world", "body": ROD, "axes": (X,), **more})


def reel(**more: Any) -> TreeJoint:
    return joint(kind="involute", axes=(), cable=PulleyCable(**{"radius": 0.1, "stiffness": 1.0, **more}))


@pytest.mark.parametrize(
    ("joints", "told"),
    [
        ([joint(kind="revolut")], 'joints.j: is of kind "revolut"; did you mean "revolute"?'),
        ([joint(axes=())], "joints.j: has 0 axes; a revolute joint wants 1"),
        ([joint(axes=((0.0, 0.0, 0.0),))], "joints.j: has an axis of no length"),
        ([joint(kind="universal", axes=(X, X))], "joints.j: has two axes that are one"),
        ([joint(parent="rood")], 'joints.j: stands on "rood", which is no body before it'),
        ([joint(), joint(name="k")], 'joints.k: carries "rod", which is there already'),
        ([joint(), joint(body=Body("b"))], "joints.j: is there twice"),
        ([joint(values=(1.0, 2.0))], "joints.j: has 2 values at the start; give 1"),
        ([joint(kind="spherical", axes=(), values=(1.0, 1.0, 0.0, 0.0))], "starts with a quaternion of length 1.41421"),
        ([joint(kind="spherical", axes=(), driven=True)], "is driven, but has more than one coordinate"),
        ([joint(kind="involute", axes=())], "joints.j: needs a cable"),
        ([joint(cable=PulleyCable(0.1, 1.0))], "joints.j: has a cable; only involute joints do"),
        ([joint(kind="involute", axes=(), cable=PulleyCable(0.1))], "joints.j.cable: has no stiffness; give E A"),
        ([joint(kind="involute", axes=(), cable=PulleyCable(0.0, 1.0))], "is on a pulley of radius 0 m"),
        ([joint(kind="involute", axes=(), cable=PulleyCable(0.1, 1.0, law="print"))], 'has the law "print"; did you'),
        ([joint(rotation=(X, X, Z))], "joints.j: has a rotation that is not orthonormal (off by 1, and 1e-09 may be)"),
        ([joint(rotation=(X, Z, (0.0, 1.0, 0.0)))], "joints.j: has a rotation that is a mirror image"),
        ([joint(rotation=(X, X, (0.0, NAN, 1.0)))], "joints.j: has a rotation that holds what is not a finite number"),
        ([joint(at=(NAN, 0.0, 0.0))], "joints.j: has nan as its place; give finite numbers"),
        ([joint(axes=((0.0, NAN, 1.0),))], "joints.j: has nan as its axes; give finite numbers"),
        ([joint(values=(NAN,))], "joints.j: has nan as its start; give finite numbers"),
        ([joint(rates=(float("inf"),))], "joints.j: has inf as its rate; give finite numbers"),
        ([joint(damping=-1.0)], "joints.j: has a damping of -1; give a finite number, zero or more"),
        ([reel(damping=NAN)], "joints.j.cable: has a damping of nan; give a finite number, zero or more"),
        ([reel(stiffness=float("inf"))], "joints.j.cable: has inf as its stiffness; give finite numbers"),
        ([reel(longest=NAN)], "joints.j.cable: is nan m long in all; give more than zero"),
    ],
)
def test_joints_that_make_no_sense(joints: list[TreeJoint], told: str) -> None:
    with pytest.raises(taut.ModelError) as caught:
        Tree(tuple(joints))
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"loops": (LoopJoint("l", "rod", "rd"),)}, 'loops.l: joins "rd", which is no body of the tree; did you mean'),
        ({"loops": (LoopJoint("l", "world", "rod", "weld"),)}, 'loops.l: is of kind "weld"'),
        (
            {"loops": (LoopJoint("l", "world", "rod", torque=1.0),)},
            "has a torque, but a point joint has no single axis",
        ),
        ({"wrenches": (Wrench("w", "bar"),)}, 'wrenches.w: acts on "bar", which is no body of the tree'),
        ({"wrenches": (Wrench("w", "rod", force=(NAN, 0.0, 0.0)),)}, "wrenches.w: has nan as its force; give finite"),
        ({"wrenches": (Wrench("w", "rod"),) * 2}, "wrenches.w: is there twice; give each of the wrenches a name"),
        ({"loops": (LoopJoint("l", "world", "rod"),) * 2}, "loops.l: is there twice; give each of the loops a name"),
        ({"loops": (LoopJoint("l", "rod", "rod"),)}, 'loops.l: joins "rod" to itself; name two bodies'),
        ({"loops": (LoopJoint("l", "world", "rod", to=(0.0, NAN, 0.0)),)}, "loops.l: has nan as its place"),
        ({"loops": (LoopJoint("l", "world", "rod", damping=1.0),)}, "has damping, but a point joint has no single"),
        ({"gravity": NAN}, "gravity: is nan; give a finite number [m/s^2]"),
    ],
)
def test_loops_and_wrenches_that_make_no_sense(more: dict[str, Any], told: str) -> None:
    with pytest.raises(taut.ModelError) as caught:
        Tree((joint(),), **more)
    assert told in str(caught.value)


def test_bodies_that_make_no_sense() -> None:
    with pytest.raises(taut.ModelError, match="bodies.b: its radius is -1; give a finite number more than zero"):
        Body.cylinder("b", -1.0, 1.0, 1.0)
    with pytest.raises(taut.ModelError, match="has an inner diameter of 0.2 m; give zero or more, below the outer"):
        Body.tube("b", 0.1, 0.2, 1.0, 1.0)
    with pytest.raises(taut.ModelError, match="no body has one below zero, or larger than the sum of others"):
        Body("b", 1.0, inertia=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 3.0)))
    with pytest.raises(taut.ModelError, match="bodies.b.mass: 'heavy' is a text, where a number is wanted"):
        Body("b", "heavy")  # type: ignore[arg-type]


def test_an_inertia_that_is_symmetric_but_for_round_off_is_taken() -> None:
    """Pinocchio raised an error of its own; found by a model file that was changed at random."""
    nearly = Body("b", 1.2, inertia=((0.1, 0.0, 0.0), (0.0, 0.1, 1e-12), (0.0, 0.0, 0.1)))
    mass = TreeEquations(Tree((joint(body=nearly),))).mass(np.zeros(1))
    assert mass == pytest.approx(np.array([[0.1]]))


def test_machines_that_make_no_sense() -> None:
    with pytest.raises(taut.ModelError, match='has the variant "strian"; did you mean "strain"'):
        single_strut(variant="strian")
    with pytest.raises(taut.OptionError, match='massless bodies "rope": say any of end-effector, dummy'):
        manipulator(massless=("rope",))
    with pytest.raises(
        taut.OptionError, match="a cable ends .* m from the centre of its pulley of radius 0.9 m: inside"
    ):
        manipulator(pulley_radius=0.9, pulley_offset=0.1)
    with pytest.raises(taut.ModelError, match='joints.B1-block: there is no such joint; did you mean "B'):
        single_strut().with_start({"B1-block": (0.0,)}, {})


@pytest.mark.parametrize(
    ("points", "told"),
    [
        ([ContactPoint("tip", "rood")], 'points.tip: is on "rood", which is no body of the tree; did you mean "rod"'),
        ([ContactPoint("tip", "world")], 'points.tip: is on "world", which is no body of the tree'),
        ([ContactPoint("tip", "rod"), ContactPoint("tip", "rod", X)], "points.tip: is there twice"),
        ([ContactPoint("rod", "rod")], "points.rod: is the name of a body"),
        ([ContactPoint("tip", "rod", (0.0, float("nan"), 0.0))], "points.tip: is at (0.0, nan, 0.0)"),
    ],
)
def test_points_that_cannot_touch_anything_are_told(points: list[ContactPoint], told: str) -> None:
    with pytest.raises(taut.ModelError) as said:
        Tree((joint(),), points=tuple(points))
    assert told in str(said.value)


def test_grounds_that_do_not_go_are_told() -> None:
    floor, box = taut.Ground("floor", friction=0.5), Body.box("box", (0.2, 0.2, 0.2), 500.0)
    free = TreeJoint("free", "floating", "world", box, values=(0.0, 0.0, 0.075, 0.0, 0.0, 0.0, 1.0))
    corners = ContactPoint.corners("box", (0.2, 0.2, 0.2))
    with pytest.raises(
        taut.ModelError, match=r"ground.floor: the tree has no points that could touch it; give it some"
    ):
        tree_plant(Tree((free,)), ground=[floor])
    with pytest.raises(taut.ModelError, match=r"touched_by: .*corner 9"):
        tree_plant(Tree((free,), points=corners), ground=[taut.Ground("floor", touched_by=("node:box corner 9",))])
    plant = tree_plant(Tree((free,), points=corners), ground=[floor])
    with pytest.raises(taut.ModelError, match=r'node "box corner 1" is 0.025 m inside the ground "floor"'):
        taut.simulate(plant, 0.1, method="impulses", step=1e-3)
    for method, told in (
        ("dp8", 'follows smooth motion, but the ground "floor" is rigid, and what strikes it changes'),
        *((name, 'floor"\\) goes by method "impulses"') for name in ("rattle4", "energy-momentum", "implicit3")),
    ):
        with pytest.raises(taut.OptionError, match=told):
            taut.simulate(plant, 0.1, method=method, **({} if method == "dp8" else {"step": 1e-3}))
    soft = taut.Ground("floor", compliance=taut.Compliance())
    for other in (tree_plant(Tree((free,))), tree_plant(Tree((free,), points=corners), ground=[soft])):
        with pytest.raises(
            taut.OptionError, match='method "impulses" needs a structure, or a tree of bodies, that stri'
        ):
            taut.simulate(other, 0.1, method="impulses", step=1e-3)
    with pytest.raises(taut.OptionError, match="is touched or not, sticks or slides, and has no slope"):
        taut.linearise(plant)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: single_strut(strain=-1.0), "strain = -1.0 must be more than -1"),
        (lambda: single_strut(length=0.04), "pulley_radius = 0.07 m makes blocks of 0.09899 m, which reach the foot"),
        (lambda: single_strut(pulley_radius=-0.1), "pulley_radius = -0.1 must be a finite number more than zero"),
        (lambda: manipulator(youngs_modulus=0.0), "youngs_modulus = 0.0 must be a finite number more than zero"),
        (lambda: manipulator(prestress=-2e9), r"prestress = -2000000000.0 must be more than -2e\+09"),
    ],
)
def test_machines_that_cannot_be_made_say_why(call: Callable[[], Tree], told: str) -> None:
    with pytest.raises(taut.OptionError, match=told):
        call()


@pytest.mark.parametrize(
    ("torque", "told"),
    [
        (lambda t: float("nan"), 'the torque at "pivot" returned nan at t = 0 s: nan is not a finite number'),
        (lambda t: [1.0, 2.0], "it must return one number, the torque [N m]"),
        (lambda t: 1.0 / t, 'the torque at "pivot": its function raised ZeroDivisionError at t = 0 s'),
    ],
)
def test_functions_of_time_that_return_no_number_are_told(torque: Any, told: str) -> None:
    arm = Body("arm", 1.0, (0.5, 0.0, 0.0), ((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1)))
    tree = Tree((TreeJoint("pivot", "revolute", "world", arm, axes=((0.0, 1.0, 0.0),), driven=True),))
    with pytest.raises(taut.OptionError, match=re.escape(told)):
        taut.simulate(tree_plant(tree, torques={"pivot": torque}), 0.1, verify=False)


def test_functions_at_sliders_and_in_loops_are_told_with_their_units() -> None:
    """What acts along a prismatic joint is a force [N]."""
    ball = ((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1))
    slider = TreeJoint("slider", "prismatic", "world", Body("block", 1.0, inertia=ball), axes=(X,), driven=True)
    arm = TreeJoint("pivot", "revolute", "block", Body("arm", 1.0, (0.5, 0.0, 0.0), ball), axes=(Z,), driven=True)
    tree = Tree((slider, arm))
    for kind, owner, quantity in (("prismatic", "force", "force [N]"), ("revolute", "torque", "torque [N m]")):
        name = "slider" if kind == "prismatic" else "pivot"
        with pytest.raises(taut.OptionError, match=re.escape(f'the {owner} at "{name}" returned')) as caught:
            taut.simulate(tree_plant(tree, torques={name: lambda t: "x"}), 0.1, verify=False)
        assert str(caught.value).endswith(f"it must return one number, the {quantity}")
        loop = LoopJoint("pair", "world", "block", kind, torque=lambda t: "x")
        with pytest.raises(taut.OptionError, match=re.escape(f'the {owner} of the loop "pair" returned')) as caught:
            taut.simulate(tree_plant(replace(tree, loops=(loop,))), 0.1, verify=False)
        assert str(caught.value).endswith(f"it must return one number, the {quantity}")
    told = '2 finite numbers: the force [N] at "slider", the torque [N m] at "pivot"'
    with pytest.raises(taut.OptionError, match=re.escape(told)):
        taut.simulate(tree_plant(tree, controller=lambda t, q, v: np.zeros(1)), 0.1, verify=False)
