"""Members that pass through or touch one another: a property of a motion, found between its samples.

Bars and the stretches of cables are straight, with a radius where one is given, and feel nothing of one another.
Between two samples nodes are taken to move along the cubic that their velocities give. What it looks for and how is in
`numerics/segment_crossings.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import numpy as np

from taut.dynamics.trajectory import Trajectory, require_kept, samples_of
from taut.errors import OptionError, suggestion
from taut.structure.events import COLLISIONS, Event
from taut.structure.member_pieces import pieces_of
from taut.structure.scenario import ON_COLLISION
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

FEW = 3
"""So many collisions are named in a note."""

MOST = 1000
"""So many are kept as events of a run; the first ones."""

FIRST_ROOM = 100
"""For so many collisions there is room at first."""

ALL_PAIRS = 128
"""Up to so many straight pieces every pair is followed, and no time is lost on looking for those that are near."""

WINDOW = 0.5
"""Of the mean length of a piece: how far anything goes in the samples for which neighbours are looked for once."""

STRETCHED = 0.02
"""A bar whose ends are further from its first length than by this fraction is cut, unless it telescopes."""

FLAT = 1e-6
"""Of its size: a motion that leaves a plane by less than this stays in it."""

UNFELT = "which the motion does not feel"
"""What a note on collisions has in it."""


class Collisions:
    """Those of a run, chunk after chunk of its samples.

    telescoping: names of bars whose length is driven or free. clearance: [m] that members are to stay apart, beside
    their radii. since: what happened until that time [s] was told before.
    """

    def __init__(
        self, structure: Structure, telescoping: Collection[str], clearance: float, *, since: float = -np.inf
    ) -> None:
        self._pieces, self._clearance, self._since = pieces_of(structure), clearance, since
        free = [name in telescoping or bar.law == "pneumatic" for name, bar in structure.bars.items()]
        self._telescopes = np.array(free, dtype=bool)
        self._thick = clearance > 0.0 or bool(self._pieces.radius.any())
        self._every_pair = self._all_pairs()
        self._before: tuple[np.ndarray, ...] | None = None
        self._first = np.zeros(0)
        self.found: list[Event] = []
        self.left_out = 0

    def look(self, part: Trajectory) -> tuple[Event, ...]:
        """What happens up to the samples of a part and has not been told."""
        nothing = self._every_pair is not None and not len(self._every_pair)
        if nothing or not (part.time.size and part.nodes.shape[1]):
            return ()
        rows: tuple[np.ndarray, ...] = (part.time, part.nodes, part.velocities, self._straight(part))
        if self._before is not None:
            rows = tuple(np.concatenate([a, b]) for a, b in zip(self._before, rows, strict=True))
        later = np.append(np.diff(rows[0]) > 0.0, True) & np.isfinite(rows[1]).all(axis=(1, 2))
        time, nodes, velocities, straight = (np.ascontiguousarray(row[later]) for row in rows)
        self._before = time[-1:], nodes[-1:], velocities[-1:], straight[-1:]
        if time.size < 2 or _planar(nodes):
            return ()
        # Both of a pair go along with the whole, and that brings them no nearer.
        nodes, velocities = (x - x.mean(axis=1, keepdims=True) for x in (nodes, velocities))
        found = self._searched(time, nodes, velocities, straight)
        told = sorted((event for event in found if event.time > self._since), key=lambda event: event.time)
        room = max(MOST - len(self.found), 0)
        self.found += told[:room]
        self.left_out += len(told) - len(told[:room])
        return tuple(told[:room])

    def _all_pairs(self) -> np.ndarray | None:
        """Of few pieces every pair; None where there are many, and those that are near are looked for."""
        from taut.numerics.segment_crossings import all_pairs

        s = self._pieces
        return all_pairs(s.ends, s.owner, joined=self._thick) if len(s.ends) <= ALL_PAIRS else None

    def _straight(self, part: Trajectory) -> np.ndarray:
        """(T, m) whether each piece is one: a cable that is not slack, a bar that is not cut."""
        s = self._pieces
        bars = s.ends.shape[0] - s.cable.size
        lengths = _lengths(part.nodes, s.ends[:bars])
        if self._before is None:
            self._first = lengths[0]
        whole = self._telescopes | (np.abs(lengths - self._first) <= STRETCHED * self._first)
        tension = part.cable_tension[:, s.cable]
        return np.concatenate([whole, ~(s.pulls & (tension <= 0.0))], axis=1)

    def _searched(
        self, time: np.ndarray, nodes: np.ndarray, velocities: np.ndarray, straight: np.ndarray
    ) -> Iterator[Event]:
        """Window by window: pairs that are near, samples after which they could meet, and when they do."""
        from taut.numerics import segment_crossings as kernels

        s, (nodes_of_pair, room) = self._pieces, kernels.work_space()
        way = kernels.ways(nodes, velocities, time, s.ends)
        for begin, end in self._windows(nodes, way):
            window = slice(begin, end + 1)
            motion = nodes[window], velocities[window], time[window]
            pairs = self._pairs(*motion)
            apart = s.radius[pairs].sum(axis=1) + self._clearance
            parts = kernels.kept_parts(_lengths(motion[0][:1], s.ends)[0], s.ends, pairs, joined=self._thick)
            rows = np.zeros((len(pairs) + FIRST_ROOM, 2), dtype=np.int64)
            looked = motion[0], s.ends, apart, parts, np.ascontiguousarray(way[:, window]), pairs
            count = kernels.doubtful(*looked, rows, room)
            if count > len(rows):
                rows = np.zeros((count, 2), dtype=np.int64)
                kernels.doubtful(*looked, rows, room)
            rows = rows[:count]
            known = straight[begin:end] & straight[begin + 1 : end + 1]
            rows = rows[known[rows[:, 1, None], pairs[rows[:, 0]]].all(axis=1)]
            thin = apart[rows[:, 0]] == 0.0
            if thin.any():
                unjoined = rows[thin & ~kernels.sharing(s.ends, pairs[rows[:, 0]]).any(axis=(1, 2))]
                instants = np.zeros((len(unjoined), kernels.MOST_TIMES))
                kernels.passings(*motion, s.ends, pairs, unjoined, instants, nodes_of_pair, room)
                yield from self._events(instants, pairs[unjoined[:, 0]], "went through", COLLISIONS[0])
            if not thin.all():
                thick = rows[~thin]
                instants = np.zeros((len(thick), 1))
                kernels.touches(*motion, s.ends, apart, parts, pairs, thick, instants, nodes_of_pair, room)
                yield from self._events(instants, pairs[thick[:, 0]], "touched", COLLISIONS[1])

    def _windows(self, nodes: np.ndarray, way: np.ndarray) -> Iterator[tuple[int, int]]:
        """First and last sample of spans in which nothing goes far."""
        s, last = self._pieces, way.shape[1] - 1
        if self._every_pair is not None:
            yield 0, last
            return
        length = float(_lengths(nodes[:1], s.ends).mean())
        gone, begin = np.cumsum(np.append(0.0, np.diff(way, axis=1).max(axis=0))), 0
        while begin < last:
            end = int(np.searchsorted(gone, gone[begin] + WINDOW * length, side="right")) - 1
            end = min(max(end, begin + 1), last)
            yield begin, end
            begin = end

    def _pairs(self, nodes: np.ndarray, velocities: np.ndarray, time: np.ndarray) -> np.ndarray:
        """(p, 2) pieces that come near one another."""
        from taut.numerics.segment_crossings import boxes, near_pairs

        if self._every_pair is not None:
            return self._every_pair
        s = self._pieces
        box = boxes(nodes, velocities, time, s.ends, s.radius + 0.5 * self._clearance)
        return near_pairs(box, s.ends, s.owner, joined=self._thick)

    def _events(self, instants: np.ndarray, pairs: np.ndarray, verb: str, change: str) -> Iterator[Event]:
        s = self._pieces
        for row, place in zip(*np.nonzero(instants >= 0.0), strict=True):
            # The cable first: it is what gives way.
            second, first = sorted(s.owner[pairs[row]].tolist())
            subject = f"{s.selectors[first]} {s.selectors[second]}"
            yield Event(float(instants[row, place]), f"{s.names[first]} {verb} {s.names[second]}", subject, change)


def _lengths(nodes: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """(T, m) how long pieces are."""
    return np.asarray(np.linalg.norm(nodes[:, ends[:, 1]] - nodes[:, ends[:, 0]], axis=2))


def _planar(nodes: np.ndarray) -> bool:
    """Whether all stays in one plane, where members pass beside each other and nothing collides."""
    away = (nodes - nodes[0, 0]).reshape(-1, 3)
    spread = np.linalg.eigvalsh(away.T @ away)
    return bool(spread[0] <= FLAT**2 * spread[2])


@checked_arguments
def collisions(run: Trajectory, *, clearance: float = 0.0) -> tuple[Event, ...]:
    """Where members of a run passed through or touched one another, whatever was looked for while it ran.

    clearance: [m] that members are to stay apart, beside their radii.
    """
    check_collision_options("warn", clearance)
    require_kept(run, "collisions are looked for", "velocities", "cable_tension")
    found = Collisions(run.structure, telescoping(run.options.get("drives", ())), clearance)
    return found.look(samples_of(run))


def telescoping(drives: Iterable[object]) -> set[str]:
    """The names of bars among what drives drive."""
    members = [str(drive["member"]) for drive in drives if isinstance(drive, dict)]
    return {member.removeprefix("bar:") for member in members if member.startswith("bar:")}


def collision_notes(events: Iterable[Event], left_out: int, every: float) -> tuple[str, ...]:
    """What a run says of its collisions."""
    found = [event for event in events if event.change in COLLISIONS]
    if not found:
        return ()
    times = "once" if len(found) + left_out == 1 else f"{len(found) + left_out} times"
    first = "; ".join(f"{event.name} at t = {event.time:.6g} s" for event in found[:FEW])
    more = "; ..." if len(found) > FEW else ""
    kept = f"; the first {len(found)} are kept" if left_out else ""
    return (f"members collided {times}, {UNFELT}: {first}{more}{kept} (found between samples {every:.3g} s apart)",)


def check_collision_options(on_collision: str, clearance: float) -> None:
    if on_collision not in ON_COLLISION:
        known = f"{', '.join(ON_COLLISION)}{suggestion(on_collision, ON_COLLISION)}"
        raise OptionError(f'on_collision "{on_collision}" is not one of {known}')
    if not 0.0 <= clearance < np.inf:
        raise OptionError(f"a clearance of {clearance:g} m makes no sense: give zero or more")
