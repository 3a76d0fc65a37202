"""A tree as a model of Pinocchio, which computes its mass matrix, bias and Jacobians; imported when first needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.structure.trees import WORLD, Tree, TreeJoint


def pinocchio() -> Any:
    """The module, or an error that says what to install."""
    try:
        import pinocchio
    except ImportError as missing:
        raise OptionError('trees of bodies need Pinocchio: install "taut[tree]", or the package pin') from missing
    return pinocchio


class Built(NamedTuple):
    """A model, and which of its joints the tree's joints became."""

    model: Any
    chains: dict[str, tuple[int, ...]]  # of every joint by name: one after the other
    body_joint: dict[str, int]  # of every body by name; 0 for the world


def built(tree: Tree) -> Built:
    """Universal, floating and involute joints become two joints of Pinocchio, with nothing between them.

    They are added branch after branch, whatever the order of the tree's own: mass matrices of Pinocchio are wrong for
    any other (stack-of-tasks/pinocchio issue 1897).
    """
    pin = pinocchio()
    model = pin.Model()
    model.gravity.linear[:] = 0.0, 0.0, -tree.gravity
    chains, ends = dict[str, tuple[int, ...]](), {WORLD: 0}
    for joint in _by_branches(tree, WORLD):
        place = pin.SE3(np.array(joint.rotation), np.array(joint.at))
        last, chain = ends[joint.parent], list[int]()
        for number, (kind, shift) in enumerate(_simple(pin, joint)):
            here = place if number == 0 else pin.SE3(np.eye(3), np.array(shift))
            last = model.addJoint(last, kind, here, f"{joint.name}/{number}")
            chain.append(last)
        body = joint.body
        turning = np.array(body.inertia)
        # A body may be off by round-off, which Pinocchio refuses.
        inertia = pin.Inertia(body.mass, np.array(body.centre), 0.5 * (turning + turning.T))
        model.appendBodyToJoint(last, inertia, pin.SE3.Identity())
        chains[joint.name], ends[body.name] = tuple(chain), last
    return Built(model, chains, ends)


def _by_branches(tree: Tree, parent: str) -> Iterator[TreeJoint]:
    """Each joint, then all that stands on its body."""
    waiting = [joint for joint in reversed(tree.joints) if joint.parent == parent]
    while waiting:
        found = waiting.pop()
        yield found
        waiting += [joint for joint in reversed(tree.joints) if joint.parent == found.body.name]


def _simple(pin: Any, joint: TreeJoint) -> list[tuple[Any, tuple[float, float, float]]]:
    """Joints of Pinocchio that do the same one after the other, each with its place after the one before."""
    none = (0.0, 0.0, 0.0)
    if joint.kind in ("revolute", "universal"):
        return [(_about(pin, "R", axis), none) for axis in joint.axes]
    if joint.kind == "prismatic":
        return [(_about(pin, "P", joint.axes[0]), none)]
    if joint.kind == "spherical":
        return [(pin.JointModelSpherical(), none)]
    if joint.kind == "floating":
        return [(pin.JointModelTranslation(), none), (pin.JointModelSpherical(), none)]
    assert joint.cable is not None  # checked by Tree
    return [(pin.JointModelRZ(), none), (pin.JointModelPX(), (0.0, joint.cable.radius, 0.0))]


def _about(pin: Any, letter: str, axis: tuple[float, float, float]) -> Any:
    """A joint along or about an axis: those along x, y and z are cheaper."""
    for name, unit in zip("XYZ", np.eye(3), strict=True):
        if tuple(axis) == tuple(unit):
            return getattr(pin, f"JointModel{letter}{name}")()
    long = {"R": "Revolute", "P": "Prismatic"}[letter]
    return getattr(pin, f"JointModel{long}Unaligned")(np.array(axis) / np.linalg.norm(axis))
