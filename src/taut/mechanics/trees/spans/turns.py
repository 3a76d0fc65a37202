"""How far the ways between pulleys have turned, as far as positions say it.

Positions say a direction but for whole turns. Between the bodies that carry two pulleys stand some joints. Where all of
them turn about axes along those of the pulleys, the centres are joined by segments of fixed lengths; where one of these
is longer than all others together, the way from centre to centre is never a quarter turn off it, so that angles of
joints say all turns. Where the only joint slides, the way turns by less than half a turn. Anything else can carry one
pulley round the other and come back to the same positions; a run counts turns there, and nothing else knows them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError, listed
from taut.mechanics.trees.equations import TreeEquations
from taut.structure.bodies import ORIGIN
from taut.structure.span_cables import SpanCable
from taut.structure.trees import WORLD, Tree, TreeJoint

ALONG = 1e-6
"""[rad] by which an axis may be off those of the pulleys."""

SAME = 1e-6
"""[rad], [m] by which joints may be off a place where turns are known, and be there: a start brought onto loops."""

EDGE = 1e-6
"""[rad] short of half a turn, where a whole turn more or less is as near."""


@dataclass(frozen=True, eq=False)
class Counted:
    """natural_at: positions at which spans have their natural lengths. at: positions where it is known how far the ways
    at both ends of every span have turned since then, turned (2 spans,) [rad]."""

    natural_at: np.ndarray
    at: np.ndarray
    turned: np.ndarray


class Turning(NamedTuple):
    """What joints say of the turns of a span's way, seen from the bodies that carry its pulleys."""

    by: np.ndarray  # (2, nq) turns of each end by positions, to less than half a turn
    between: np.ndarray  # places of the coordinates that move one centre against the other
    unsaid: str  # why positions do not say it; nothing where they do


def turning(equations: TreeEquations, span: SpanCable, q: np.ndarray) -> Turning:
    """q: any positions; lengths of segments are the same at all."""
    tree = equations.tree
    joints = {joint.name: joint for joint in tree.joints}
    ends = [joints[name] for name in span.pulleys]
    up, down = _between(tree, ends[0].parent, ends[1].parent)
    way = [*up, *down]
    by, names = np.zeros((2, equations.nq)), equations.position_names
    between = np.array([names.index(one) for joint in way for one in joint.positions], dtype=np.intp)
    if len(way) == 1 and way[0].kind == "prismatic":
        return Turning(by, between, "")
    axes = _axes(equations, [ends[0], *way], q)
    along = axes[1:] @ axes[0]
    for joint, cosine in zip(way, along, strict=True):
        if joint.kind != "revolute" or abs(abs(cosine) - 1.0) > ALONG**2:
            return Turning(by, between, _told(way))
    bodies = [ends[0].body.name, *(joint.body.name for joint in way), ends[1].body.name]
    places = equations.places(q, equations.points_at(bodies, [ORIGIN] * len(bodies)))
    segments = np.diff(places - np.outer(places @ axes[0], axes[0]), axis=0)
    lengths = np.linalg.norm(segments, axis=1)
    longest = int(np.argmax(lengths))
    if way and not 2.0 * lengths[longest] > (1.0 + 1e-9) * lengths.sum():
        return Turning(by, between, _told(way))
    # Seen from below a joint, what is above it turns back.
    turns = np.where(np.arange(len(way)) < len(up), -1.0, 1.0) * np.sign(along)
    for number, joint in enumerate(way):
        place = names.index(joint.name)
        by[0, place] += turns[number] if number < longest else 0.0
        by[1, place] -= turns[number] if number >= longest else 0.0
    return Turning(by, between, "")


def _between(tree: Tree, first: str, second: str) -> tuple[list[TreeJoint], list[TreeJoint]]:
    """Joints on the way from one body to another: up to the body that carries both, and down from it."""
    one, two = _carriers(tree, first), _carriers(tree, second)
    while one and two and one[-1] is two[-1]:
        one, two = one[:-1], two[:-1]
    return one, two[::-1]


def _carriers(tree: Tree, body: str) -> list[TreeJoint]:
    """Joints that carry a body, the last one first."""
    by_body, found = {joint.body.name: joint for joint in tree.joints}, list[TreeJoint]()
    while body != WORLD:
        found.append(by_body[body])
        body = by_body[body].parent
    return found


def _axes(equations: TreeEquations, joints: Sequence[TreeJoint], q: np.ndarray) -> np.ndarray:
    """(joints, 3) of revolute joints in the world; of others any."""
    points = equations.points_at([joint.parent for joint in joints], [ORIGIN] * len(joints))
    equations.places(q, points)
    found = []
    for joint, turn in zip(joints, points.turns, strict=True):
        axis = np.array(joint.axes[0] if joint.kind == "revolute" else (0.0, 0.0, 1.0))
        found.append(turn @ np.array(joint.rotation) @ axis / np.linalg.norm(axis))
    return np.array(found)


def _told(way: Sequence[TreeJoint]) -> str:
    free = [f'"{joint.name}"' for joint in way]
    return f"{listed(free)} can carry one of its pulleys round the other and back to the same positions"


def unsaid(span: SpanCable, why: str) -> OptionError:
    return OptionError(
        f'positions do not say how often the way of the span "{span.name}" has turned, and so how much cable is '
        f"between its pulleys: {why}; take the plant as a run left it there, plant.after(run), or let the tree start "
        "there with the natural length that the span has then"
    )


def nearest(angle: float, about: float) -> float:
    """An angle that is known but for whole turns, as the one nearest to another."""
    return angle + 2.0 * math.pi * round((about - angle) / (2.0 * math.pi))
