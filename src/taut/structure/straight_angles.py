"""Elbows that are almost straight, or folded: what is told of them before a run, and after it."""

from __future__ import annotations

import math

import numpy as np

from taut.structure.angles import Angle, angle_between, directions_of, vectors_of
from taut.structure.structure import Structure

STRAIGHT = math.radians(5.0)
"""An elbow nearer to 0 or pi than this is told."""
NEAR = "comes within 5 deg of 0 or pi at t ="
"""In every note on a run's samples."""


def _elbows(structure: Structure) -> list[Angle]:
    """Angles between two members that meet, about no axis."""
    found = []
    for angle in structure.angles.values():
        first, second = directions_of(structure, angle)[:2]
        if angle.about is None and len(first) == 2 and len(second) == 2 and first[0] == second[0]:
            found.append(angle)
    return found


def _condition(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Of how far the ends of an elbow are apart: how much larger an error of the angle is [rad] than that, as a part of
    itself; infinite where it is quite straight."""
    apart, firm = np.sum((second - first) ** 2, axis=-1), np.linalg.norm(np.cross(first, second), axis=-1)
    return np.asarray(np.divide(apart, firm, out=np.full_like(apart, np.inf), where=firm > 0.0))


def _told(name: str, value: float, condition: float, when: str = "is") -> str:
    number = f"a condition number of {condition:.1e}" if math.isfinite(condition) else "no condition number at all"
    return (
        f'angle "{name}" {when} {math.degrees(value):.3g} deg, almost {"straight" if value > 1.0 else "folded"}: '
        f"how far its ends are apart hardly tells it there ({number}); its torque and its motion are as uncertain"
    )


def straight_notes(structure: Structure) -> tuple[str, ...]:
    """Elbows near 0 or pi, where a small change of how far their ends are apart is a large one of the angle."""
    found = []
    for angle in _elbows(structure):
        first, second = vectors_of(structure, angle)
        value = angle_between(first, second)
        if min(value, math.pi - value) < STRAIGHT:
            found.append(_told(angle.name, value, float(_condition(first, second))))
    return tuple(found)


class StraightElbows:
    """Which elbows come near 0 or pi in a run, as far as its samples show."""

    def __init__(self, structure: Structure) -> None:
        names = {name: k for k, name in enumerate(structure.nodes)}
        self._ends = {
            angle.name: tuple(names[node] for way in directions_of(structure, angle) for node in way)
            for angle in _elbows(structure)
        }
        self._since: dict[str, float] = {}
        self._worst: dict[str, tuple[float, float, float]] = {}
        self._begun = False

    def look(self, time: np.ndarray, nodes: np.ndarray) -> None:
        """time: (T,) of more samples; nodes: (T, n, 3)."""
        for name, (foot, one, _, other) in self._ends.items():
            first, second = nodes[:, one] - nodes[:, foot], nodes[:, other] - nodes[:, foot]
            across = np.linalg.norm(np.cross(first, second), axis=1)
            value = np.arctan2(across, np.sum(first * second, axis=1))
            near = np.flatnonzero(np.minimum(value, math.pi - value) < STRAIGHT)
            if not near.size:
                continue
            # What a run begins with is told then.
            self._since.setdefault(name, -math.inf if near[0] == 0 and not self._begun else float(time[near[0]]))
            condition = _condition(first[near], second[near])
            k = int(np.argmax(condition))
            if condition[k] > self._worst.get(name, (0.0,))[0]:
                self._worst[name] = float(condition[k]), float(value[near[k]]), float(time[near[k]])
        self._begun = self._begun or time.size > 0

    def notes(self) -> tuple[str, ...]:
        """Of elbows that were not so at the start."""
        return tuple(
            _told(name, value, condition, f"{NEAR} {since:.6g} s; at t = {at:.6g} s it is")
            for name, since in self._since.items()
            if math.isfinite(since)
            for condition, value, at in (self._worst[name],)
        )
