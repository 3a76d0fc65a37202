"""A planner over measured transitions: which roll next, to come to a goal round what is in the way.

How a roll would go from here is what was measured of one that a symmetry brings here. The best way is looked for by A*
over places and turns, with the way round obstacles on a grid as the estimate of what is left; nothing is followed
blindly: after each roll the robot is looked at, and the next is planned from where it is.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.locomotion.face_policy import Roll, image_of
from taut.locomotion.faces import Face
from taut.locomotion.symmetry import Symmetry
from taut.locomotion.transitions import RobotShape, RollTransition
from taut.reprs import brief
from taut.structure.grounds import Box

CELL = 0.1
"""[m] of the grid on which the way round obstacles is measured."""

AROUND = 2.0
"""[m] by which the grid goes beyond start, goal and obstacles."""

LOOKS = 1500
"""States that are looked at for one plan, at most; then the best of them is gone for."""

LIKELY = 0.1
"""Share of trials below which an outcome is not planned for."""


class Move(NamedTuple):
    """A roll from a face, and what was measured of one that the symmetry brings there."""

    roll: Roll
    measured: RollTransition
    symmetry: Symmetry


class Stance(NamedTuple):
    """How a robot lies: place [m] of its centre seen from above, turn (3, 3) of its shape, the face below."""

    place: np.ndarray
    turn: np.ndarray
    face: Face


def after(move: Move, pose: Stance, outcome: int = 0) -> Stance:
    """Where an outcome of a roll leads from a pose: the trial, carried here."""
    told, symmetry = move.measured.outcomes[outcome], move.symmetry
    carried = _upright(pose.turn @ symmetry.turn @ move.measured.turn.T)
    face = tuple(symmetry.nodes[node] for node in told.face)
    return Stance(
        pose.place + (carried @ told.shift)[:2],
        carried @ told.turn @ symmetry.turn.T,
        face,
    )


def _upright(matrix: np.ndarray) -> np.ndarray:
    """The turn about the vertical, or mirroring in an upright plane, that is nearest."""
    left, _, right = np.linalg.svd(matrix[:2, :2])
    found = np.eye(3)
    found[:2, :2] = left @ right
    return found


@dataclass(frozen=True)
class RollPlan:
    """rolls: one after another, and the faces that they lead to. tries: expected until all have gone as they mostly do.

    places: of the centre of mass. left: [m] to go from the last, round obstacles.
    """

    rolls: tuple[Roll, ...]
    faces: tuple[Face, ...]
    tries: float
    places: np.ndarray  # (k + 1, 2) [m]
    left: float

    __repr__ = brief


class RollPlanner:
    """Plans rolls to a goal.

    shape, members: of the robot. measured: what its rolls come to. goal: x, y [m]; near: [m] from it that will do.
    obstacles: boxes that nothing of the robot is to touch; its reach and the scatter of a roll are kept from them.
    """

    def __init__(
        self,
        shape: RobotShape,
        members: tuple[str, ...],
        measured: Sequence[RollTransition],
        goal: tuple[float, float],
        *,
        near: float = 0.25,
        obstacles: Sequence[Box] = (),
        start: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        if not measured:
            raise OptionError("RollPlanner: nothing was measured; give transitions")
        self.shape, self.goal, self.near, self.obstacles = shape, np.array(goal, dtype=float), near, tuple(obstacles)
        self.moves: dict[frozenset[str], list[Move]] = {}
        known = set()
        for symmetry in shape.symmetries:
            for one in measured:
                roll = image_of(one.roll, members, symmetry)
                flag = frozenset(roll.face), frozenset(roll.over)
                if flag not in known:
                    known.add(flag)
                    self.moves.setdefault(flag[0], []).append(Move(roll, one, symmetry))
        told = [outcome for one in measured for outcome in one.outcomes if outcome.share >= LIKELY]
        if not told:
            raise OptionError(
                f"RollPlanner: no roll led to one face in {LIKELY:.0%} of its trials, so that nothing can be planned; "
                "measure other rolls, or with less noise"
            )
        self.longest = max(float(np.linalg.norm(outcome.shift[:2])) for outcome in told)
        reach = float(np.linalg.norm(shape.places, axis=1).max())
        self.clearance = reach + 3.0 * max(outcome.scatter for outcome in told)
        self._field = _Field(self.goal, np.array(start, dtype=float), self.obstacles, self.clearance)

    def __repr__(self) -> str:
        told = f"{len(self.moves)} faces to roll from, {len(self.obstacles)} obstacles"
        return f"<RollPlanner to ({self.goal[0]:g}, {self.goal[1]:g}): {told}>"

    def pose(self, nodes: np.ndarray) -> Stance:
        """Of nodes (n, 3) as they are."""
        (face,) = self.shape.faces(nodes[None])
        return Stance(self.shape.centre(nodes)[:2], self.shape.turn(nodes), face)

    def there(self, pose: Stance) -> bool:
        """Whether the goal is reached."""
        return float(np.linalg.norm(pose.place - self.goal)) <= self.near

    def plan(self, pose: Stance) -> RollPlan:
        """The rolls that lead to the goal with the fewest tries expected, or as near as was seen to be possible."""
        first = _Step(0.0, pose, None, None)
        queue, number = [(self._left(pose) / self.longest, 0, first)], 1
        taken: set[tuple[object, ...]] = set()
        best, nearest = first, self._left(pose)
        while queue and len(taken) < LOOKS:
            _, _, here = heapq.heappop(queue)
            key = _cell(here.pose)
            if key in taken:
                continue
            taken.add(key)
            left = self._left(here.pose)
            if left < nearest:
                best, nearest = here, left
            if self.there(here.pose):
                best = here
                break
            for move in self.moves.get(frozenset(here.pose.face), ()):
                share = move.measured.outcomes[0].share if move.measured.outcomes else 0.0  # none where all failed
                if share < LIKELY:
                    continue
                to = after(move, here.pose)
                if self._field.blocked(here.pose.place, to.place):
                    continue
                cost = here.cost + 1.0 / share  # tries until it goes as it mostly does
                heapq.heappush(queue, (cost + self._left(to) / self.longest, number, _Step(cost, to, here, move.roll)))
                number += 1
        return _traced(best, self._left(best.pose))

    def _left(self, pose: Stance) -> float:
        """[m] to the goal."""
        return self._field.distance(pose.place)


class _Step(NamedTuple):
    cost: float
    pose: Stance
    before: _Step | None
    roll: Roll | None


def _cell(pose: Stance) -> tuple[object, ...]:
    """What is one place, one turn and one face for the search."""
    return (*np.round(pose.place / (0.5 * CELL)).astype(int).tolist(), *np.round(4.0 * pose.turn[:2].ravel()).tolist())


def _traced(last: _Step, left: float) -> RollPlan:
    rolls, poses, here = list[Roll](), [last.pose], last
    while here.before is not None and here.roll is not None:
        rolls.append(here.roll)
        here = here.before
        poses.append(here.pose)
    poses.reverse()
    places = np.array([pose.place for pose in poses])
    return RollPlan(tuple(rolls[::-1]), tuple(pose.face for pose in poses[1:]), last.cost, places, left)


class _Field:
    """The way to a goal round obstacles, from every point of a grid."""

    def __init__(self, goal: np.ndarray, start: np.ndarray, obstacles: Sequence[Box], clearance: float) -> None:
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import dijkstra

        self._obstacles, self._clearance = obstacles, clearance
        ends = np.array([goal, start, *(np.array(box.centre[:2]) for box in obstacles)])
        self._corner = ends.min(axis=0) - AROUND
        self._counts = np.ceil((ends.max(axis=0) + AROUND - self._corner) / CELL).astype(int) + 1
        rows, columns = np.meshgrid(*(np.arange(count) for count in self._counts), indexing="ij")
        points = self._corner + CELL * np.stack([rows, columns], axis=-1)
        free = self._clear(points.reshape(-1, 2)).reshape(rows.shape)
        if not free[self._index(goal)]:
            raise OptionError(
                f"RollPlanner: the goal ({goal[0]:g}, {goal[1]:g}) is within {clearance:.3g} m of an obstacle, "
                "which is the robot's reach and its scatter; take one further off"
            )
        number = np.arange(rows.size).reshape(rows.shape)
        links: list[tuple[np.ndarray, np.ndarray, float]] = []
        for i, j in ((1, 0), (0, 1), (1, 1), (1, -1), (2, 1), (1, 2), (2, -1), (1, -2)):
            one = (slice(0, self._counts[0] - i), slice(max(0, -j), self._counts[1] - max(0, j)))
            other = (slice(i, self._counts[0]), slice(max(0, j), self._counts[1] - max(0, -j)))
            both = free[one] & free[other]
            links.append((number[one][both], number[other][both], CELL * math.hypot(i, j)))
        sources, ends_at = (np.concatenate([link[k] for link in links]) for k in (0, 1))
        weights = np.concatenate([np.full(link[0].size, link[2]) for link in links])
        graph = coo_matrix((weights, (sources, ends_at)), shape=(rows.size, rows.size))
        found = dijkstra(graph.tocsr(), directed=False, indices=number[self._index(goal)])
        self._found, self._goal = found.reshape(rows.shape), goal

    def _index(self, place: np.ndarray) -> tuple[int, int]:
        i, j = np.clip(np.round((place - self._corner) / CELL).astype(int), 0, self._counts - 1)
        return int(i), int(j)

    def _clear(self, places: np.ndarray) -> np.ndarray:
        """(k,) whether places are far enough from all obstacles."""
        good = np.ones(len(places), dtype=bool)
        for box in self._obstacles:
            own = (places - np.array(box.centre[:2])) @ box.axes[:2, :2].T
            over = np.maximum(np.abs(own) - 0.5 * np.array(box.size[:2]), 0.0)
            good &= np.hypot(*over.T) > self._clearance
        return good

    def blocked(self, here: np.ndarray, there: np.ndarray) -> bool:
        """Whether the way from one place to another comes too near; whoever is too near already may go anywhere."""
        if not self._obstacles:
            return False
        begin, middle, end = self._clear(np.array([here, 0.5 * (here + there), there]))
        return not (middle and end) if begin else False

    def distance(self, place: np.ndarray) -> float:
        """[m] round obstacles; straight where a place is beyond the grid or too near to one of them."""
        straight, found = float(np.linalg.norm(place - self._goal)), float(self._found[self._index(place)])
        return max(straight, found) if math.isfinite(found) else straight + AROUND
