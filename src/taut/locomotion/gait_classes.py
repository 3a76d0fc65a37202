"""Symmetry classes of gaits: which members do the same, some a part of a period ahead of others.

A turn or mirroring g of a robot that brings members onto members is a symmetry of a gait, in space and time, where
member g(s) does what s does, ahead of it by a part of the period that belongs to g. All such g of a gait are a group H,
and those that are not ahead a group K: H/K is the name of a class (M. Golubitsky, I. Stewart: The Symmetry Perspective,
2002, chapter 3; point groups as Schoenflies has them). Sinusoids of one frequency have as many classes as there are
isotropy subgroups of the robot's group times shifts of time, up to turning the robot: every one is found here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from taut.errors import OptionError, suggestion
from taut.locomotion.class_order import class_colours
from taut.locomotion.gaits import drive_names
from taut.locomotion.symmetry import Symmetry, symmetries
from taut.reprs import brief
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments, conform, known_fields

STILL = -1
"""Parts of a period ahead, of members that would have to be ahead of themselves."""

Pattern = tuple[tuple[int, int], ...]
"""Of every member: the first of those it is tied to, and how many parts of a period it is ahead of that, or STILL."""

Tie = tuple[int, int, int]
"""Two members, and how many parts of a period the second is ahead of the first."""


@known_fields
@dataclass(frozen=True, slots=True)
class GaitSymmetry:
    """How the members of a gait are tied to one another.

    name: H/K, "Th/D2h-1"; numbered where several have the same groups, by the classes themselves (`class_order.py`).
    follows: of each member the place of the one that it follows, its own where it follows none. ahead: [periods] by
    which it is ahead of that; None where symmetry keeps it still.
    """

    name: str
    follows: tuple[int, ...]
    ahead: tuple[float | None, ...]

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "GaitSymmetry")
        count = len(self.follows)
        if len(self.ahead) != count or any(
            not 0 <= k < count or self.follows[k] != k or self.ahead[k] not in (0.0, None) for k in self.follows
        ):
            raise OptionError(f"GaitSymmetry {self.name}: each member follows one that follows itself, 0 ahead of it")
        if any((own is None) != (self.ahead[k] is None) for k, own in zip(self.follows, self.ahead, strict=True)):
            raise OptionError(f"GaitSymmetry {self.name}: a member that stands still cannot follow one that moves")

    @property
    def leaders(self) -> tuple[int, ...]:
        """Places of those that follow none, the still ones too."""
        return tuple(k for k, first in enumerate(self.follows) if k == first)

    @property
    def free(self) -> tuple[int, ...]:
        """Places of those that follow none and move."""
        return tuple(k for k in self.leaders if self.ahead[k] is not None)

    def own(self, quantity: str) -> tuple[int, ...]:
        """Places of those that have a number of their own for a quantity of sinusoids."""
        return self.leaders if quantity == "mean" else self.free

    def tie(self, values: Mapping[str, np.ndarray]) -> None:
        """Write quantities of sinusoids (N, members) of those that follow, by those that they follow."""
        for k, (first, ahead) in enumerate(zip(self.follows, self.ahead, strict=True)):
            for numbers in values.values():
                numbers[:, k] = numbers[:, first]
            values["phase"][:, k] += 2.0 * math.pi * (ahead or 0.0)
            values["amplitude"][:, k] *= ahead is not None

    def words(self, members: tuple[str, ...]) -> str:
        """What does the same: `x1 x2 y1+1/3 y2+1/3; z1 still`."""
        names, told = drive_names(members), []
        for first in self.leaders:
            tied = [k for k, other in enumerate(self.follows) if other == first]
            if self.ahead[first] is None:
                told.append(" ".join(names[k] for k in tied) + " still")
            else:
                told.append(" ".join(names[k] + _part(self.ahead[k] or 0.0) for k in tied))
        return "; ".join(told)


def untied(count: int) -> GaitSymmetry:
    """Of members that follow none."""
    return GaitSymmetry("C1/C1", tuple(range(count)), (0.0,) * count)


@checked_arguments
def gait_symmetries(structure: Structure, members: tuple[str, ...]) -> tuple[GaitSymmetry, ...]:
    """All classes of gaits of these members by sinusoids of one frequency, those with most freedom first.

    members: single ones, "bar:x1", and with each all that a symmetry of the structure brings it to. A class stands for
    all that become it by turning or mirroring the robot. The first is that of gaits without any symmetry.
    """
    group = symmetries(structure)
    moves = [_places(one, members) for one in group]
    orders = [_order(one.turn) for one in group]
    parts = math.lcm(*orders)
    alone = tuple((k, 0) for k in range(len(members)))
    found, todo = {alone}, [alone]
    while todo:  # one more symmetry for each of the classes that are known
        known = todo.pop()
        joined = {
            _settled(len(members), [*_ties(known), *((k, goes[k], shift) for k in range(len(goes)))], parts)
            for goes, order in zip(moves, orders, strict=True)
            for shift in range(0, parts, parts // order)
        }
        for pattern in joined:
            if any(ahead != STILL for _, ahead in pattern):
                least = min(_image(_closed(pattern, moves, parts), goes, parts) for goes in moves)
                todo += [least] if least not in found else []
                found.add(least)
    named: dict[str, list[Pattern]] = {}
    for pattern in sorted(found):
        named.setdefault("/".join(_groups(pattern, group, moves, parts)), []).append(pattern)
    made = []
    for name, alike in named.items():
        colours = class_colours(structure, members, alike, parts) if len(alike) > 1 else [()]
        ordered = sorted(zip(colours, alike, strict=True))
        made += [(f"{name}-{k}" if len(alike) > 1 else name, one) for k, (_, one) in enumerate(ordered, 1)]
    made.sort(key=lambda one: (-len(_free(one[1])), len(_held(one[1], moves, parts)), one[0]))
    return tuple(
        GaitSymmetry(
            name,
            tuple(first for first, _ in pattern),
            tuple(None if ahead == STILL else ahead / parts for _, ahead in pattern),
        )
        for name, pattern in made
    )


@checked_arguments
def gait_symmetry(structure: Structure, members: tuple[str, ...], name: str) -> GaitSymmetry:
    """The class of this name."""
    known = {one.name: one for one in gait_symmetries(structure, members)}
    if name not in known:
        raise OptionError(
            f'there is no symmetry "{name}" of gaits of these members{suggestion(name, known)}; there are '
            f"{', '.join(known)}"
        )
    return known[name]


def symmetries_of_gaits(
    structure: Structure, members: tuple[str, ...], symmetry: GaitSymmetry
) -> tuple[tuple[Symmetry, float], ...]:
    """The group H of a class: turns and mirrorings, and by how many periods the image of a member is ahead of it."""
    group = symmetries(structure)
    moves, parts = [_places(one, members) for one in group], math.lcm(*(_order(one.turn) for one in group))
    pattern = tuple(
        (first, STILL if ahead is None else round(ahead * parts))
        for first, ahead in zip(symmetry.follows, symmetry.ahead, strict=True)
    )
    return tuple((group[k], shift / parts) for k, shift in _held(pattern, moves, parts))


def point_group(turns: Sequence[np.ndarray]) -> str:
    """What Schoenflies calls a group of turns and mirrorings (3, 3), without an underscore: "C2v", "Th"."""
    proper = [turn for turn in turns if np.linalg.det(turn) > 0.0]
    top, count = max(map(_order, proper)), len(proper)
    mirrors = sum(bool(np.isclose(np.trace(turn), 1.0)) for turn in turns if np.linalg.det(turn) < 0.0)
    inverted = any(np.allclose(turn, -np.eye(3)) for turn in turns)
    if len(turns) == count:
        return _turning(count, top)
    if count in (12, 24, 60) and top <= 5:  # about the axes of a tetrahedron, a cube or an icosahedron
        return f"{_turning(count, top)}{'h' if inverted else 'd'}"
    if count == 1:
        return "Cs" if mirrors else "Ci"
    if top == count:
        return f"S{2 * top}" if not mirrors else f"C{top}{'h' if mirrors == 1 else 'v'}"
    return f"D{top}{'h' if mirrors == top + 1 else 'd'}"


def _turning(count: int, top: int) -> str:
    if top == count:
        return f"C{top}"
    return f"D{top}" if count == 2 * top else {12: "T", 24: "O", 60: "I"}[count]


def _part(ahead: float) -> str:
    return f"+{Fraction(ahead).limit_denominator(1000)}" if ahead else ""


def _places(symmetry: Symmetry, members: tuple[str, ...]) -> tuple[int, ...]:
    """Where it brings each member."""
    place = {member: k for k, member in enumerate(members)}
    for member in members:
        if member not in symmetry.members:
            raise OptionError(f'"{member}" is no member by itself; name each, as "bar:x1"')
        if symmetry.members[member] not in place:
            lost = symmetry.members[member]
            raise OptionError(f"a symmetry brings {member} onto {lost}, which does not move; name {lost} too")
    return tuple(place[symmetry.members[member]] for member in members)


def _order(turn: np.ndarray) -> int:
    """How often it has to be done until all is as it was."""
    power, count = turn, 1
    while not np.allclose(power, np.eye(3), atol=1e-4):
        power, count = power @ turn, count + 1
    return count


def _ties(pattern: Pattern) -> list[Tie]:
    """What a pattern says; a member that is ahead of itself keeps still."""
    return [(first, k, 0 if ahead == STILL else ahead) for k, (first, ahead) in enumerate(pattern)] + [
        (k, k, 1) for k, (_, ahead) in enumerate(pattern) if ahead == STILL
    ]


def _settled(count: int, ties: Iterable[Tie], parts: int) -> Pattern:
    """The pattern that follows from ties."""
    near: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for one, other, ahead in ties:
        near[one].append((other, ahead))
        near[other].append((one, -ahead))
    found: dict[int, tuple[int, int]] = {}
    for first in range(count):
        if first in found:
            continue
        reached, todo, moves = {first: 0}, [first], True
        while todo:
            one = todo.pop()
            for other, ahead in near[one]:
                there = (reached[one] + ahead) % parts
                if other not in reached:
                    reached[other] = there
                    todo.append(other)
                moves = moves and reached[other] == there
        found |= {k: (first, ahead if moves else STILL) for k, ahead in reached.items()}
    return tuple(found[k] for k in range(count))


def _image(pattern: Pattern, goes: tuple[int, ...], parts: int) -> Pattern:
    """The pattern of the robot that was turned or mirrored."""
    return _settled(len(pattern), [(goes[one], goes[other], ahead) for one, other, ahead in _ties(pattern)], parts)


def _held(pattern: Pattern, moves: list[tuple[int, ...]], parts: int) -> list[tuple[int, int]]:
    """Which symmetries every gait of a pattern has, and how many parts of a period ahead. Still members have any."""
    found = []
    for k, goes in enumerate(moves):
        shifts = {
            (pattern[goes[s]][1] - ahead) % parts if pattern[goes[s]][0] == first else None
            for s, (first, ahead) in enumerate(pattern)
            if ahead != STILL
        }
        if len(shifts) == 1 and None not in shifts:
            found.append((k, shifts.pop() or 0))
    return found


def _closed(pattern: Pattern, moves: list[tuple[int, ...]], parts: int) -> Pattern:
    """With all ties that follow from the symmetries that it has: of means, where members keep still."""
    held = _held(pattern, moves, parts)
    ties = [(s, moves[k][s], shift) for k, shift in held for s in range(len(pattern))]
    return _settled(len(pattern), [*_ties(pattern), *ties], parts)


def _free(pattern: Pattern) -> list[int]:
    return [k for k, (first, ahead) in enumerate(pattern) if k == first and ahead != STILL]


def _groups(pattern: Pattern, group: Sequence[Symmetry], moves: list[tuple[int, ...]], parts: int) -> tuple[str, str]:
    held = _held(pattern, moves, parts)
    return point_group([group[k].turn for k, _ in held]), point_group([group[k].turn for k, at in held if not at])
