"""Numbers and names of a tree's records that no machine can have, told before anything is computed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from taut.errors import Problem

if TYPE_CHECKING:
    from taut.structure.trees import LoopJoint, Tree, TreeJoint, Wrench

Path = tuple[str, ...]


def number_problems(tree: Tree) -> Iterator[Problem]:
    if not math.isfinite(tree.gravity):
        yield Problem(("gravity",), f"is {tree.gravity}; give a finite number [m/s^2]")
    for joint in tree.joints:
        yield from _of_joint(joint)
    yield from _twice("loops", [loop.name for loop in tree.loops])
    for loop in tree.loops:
        yield from _of_loop(loop)
    yield from _twice("wrenches", [wrench.name for wrench in tree.wrenches])
    for wrench in tree.wrenches:
        yield from _of_wrench(wrench)


def _of_joint(joint: TreeJoint) -> Iterator[Problem]:
    at = ("joints", joint.name)
    parts = (("place", joint.at), ("axes", [x for axis in joint.axes for x in axis]))
    for what, numbers in (*parts, ("start", joint.values), ("rate", joint.rates)):
        yield from _finite(at, what, numbers)
    yield from _damping(at, joint.damping)
    if joint.cable is not None:
        cable, on = joint.cable, (*at, "cable")
        for what, number in (("radius", cable.radius), ("stiffness", cable.stiffness)):
            yield from _finite(on, what, [number])
        yield from _damping(on, cable.damping)
        if cable.longest is not None and not cable.longest > 0.0:
            yield Problem(on, f"is {cable.longest:g} m long in all; give more than zero, or None for any amount")


def _of_loop(loop: LoopJoint) -> Iterator[Problem]:
    at = ("loops", loop.name)
    yield from _finite(at, "place", (*loop.at, *loop.to))
    yield from _damping(at, loop.damping)
    if loop.damping > 0.0 and loop.kind not in ("revolute", "prismatic"):
        yield Problem(at, f"has damping, but a {loop.kind} joint has no single axis; take revolute or prismatic")
    if loop.predecessor == loop.successor:
        yield Problem(at, f'joins "{loop.predecessor}" to itself; name two bodies')


def _of_wrench(wrench: Wrench) -> Iterator[Problem]:
    at = ("wrenches", wrench.name)
    for what, numbers in (("force", wrench.force), ("torque", wrench.torque), ("place", wrench.at)):
        yield from _finite(at, what, numbers)


def _finite(at: Path, what: str, numbers: Sequence[float]) -> Iterator[Problem]:
    wrong = [number for number in numbers if not math.isfinite(number)]
    if wrong:
        yield Problem(at, f"has {wrong[0]} as its {what}; give finite numbers")


def _damping(at: Path, damping: float) -> Iterator[Problem]:
    if not (math.isfinite(damping) and damping >= 0.0):
        yield Problem(at, f"has a damping of {damping:g}; give a finite number, zero or more")


def _twice(kind: str, names: Iterable[str]) -> Iterator[Problem]:
    known = set[str]()
    for name in names:
        if name in known:
            yield Problem((kind, name), f"is there twice; give each of the {kind} a name of its own")
        known.add(name)
