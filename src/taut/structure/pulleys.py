"""Pulleys of a radius at the guides of cables: how much longer a cable is that goes over one, and what it cannot be.

A pulley turns freely, and swivels into the plane of its centre P and of the nodes A and B before and behind it, as a
ball does that a cable lies on. The cable touches it on the side away from the straight line between these nodes. With
distances a and b from P, the angle gamma between them there, and s(a) = sqrt(a^2 - r^2):

    length = s(a) + s(b) + r theta,   theta = 2 pi - gamma - acos(r / a) - acos(r / b)
    dlength/dA = s(a) / a e - r / a n,   e from P to A, n in the plane, at a right angle to e and away from B

which is the unit vector along the cable. Without a radius it is that of a guide that is a point. Where the cable is
straight at P, or doubled back, its plane and its side are not known and forces jump: `STRAIGHT` is how near it may
come.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from taut.errors import Problem

if TYPE_CHECKING:
    from taut.structure.records import Cable
    from taut.structure.structure import Structure

STRAIGHT = 0.1
"""Of its radius: about how near the straight line through a pulley's neighbours may come to its centre."""

Numbers = tuple[float, float, float, float, float, float, float]


def over_pulley(ax: float, ay: float, az: float, bx: float, by: float, bz: float, r: float) -> Numbers:
    """How much longer [m] a cable is than over a point, and the slope of that by A and by B, both seen from the centre;
    not numbers where it has no way round."""
    a, b = math.sqrt(ax * ax + ay * ay + az * az), math.sqrt(bx * bx + by * by + bz * bz)
    if not (a > r and b > r):
        return math.nan, math.nan, math.nan, math.nan, math.nan, math.nan, math.nan
    ax, ay, az, bx, by, bz = ax / a, ay / a, az / a, bx / b, by / b, bz / b
    mx, my, mz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    sine, cosine = math.sqrt(mx * mx + my * my + mz * mz), ax * bx + ay * by + az * bz
    if sine < STRAIGHT * (r / a + r / b):
        return math.nan, math.nan, math.nan, math.nan, math.nan, math.nan, math.nan
    near, far = r / a, r / b
    shorter, other = math.sqrt(1.0 - near * near), math.sqrt(1.0 - far * far)
    wrapped = 2.0 * math.pi - math.atan2(sine, cosine) - math.acos(near) - math.acos(far)
    extra = a * (shorter - 1.0) + b * (other - 1.0) + r * wrapped
    along, across = shorter - 1.0 - near * cosine / sine, near / sine
    along_b, across_b = other - 1.0 - far * cosine / sine, far / sine
    return (
        extra,
        along * ax + across * bx,
        along * ay + across * by,
        along * az + across * bz,
        along_b * bx + across_b * ax,
        along_b * by + across_b * ay,
        along_b * bz + across_b * az,
    )


def added_length(before: Sequence[float], centre: Sequence[float], behind: Sequence[float], r: float) -> float:
    """[m] that a pulley adds, by the places of its centre and of its neighbours."""
    (ax, ay, az), (x, y, z), (bx, by, bz) = before, centre, behind
    return over_pulley(ax - x, ay - y, az - z, bx - x, by - y, bz - z, r)[0]


def slopes_over(a: np.ndarray, b: np.ndarray, r: float) -> np.ndarray:
    """(2, 3) the slopes of `over_pulley`, of places that may be complex."""
    far, other = np.sqrt(a @ a), np.sqrt(b @ b)
    e, f = a / far, b / other
    normal = np.cross(e, f)
    sine, cosine = np.sqrt(normal @ normal), e @ f
    by_a = (np.sqrt(1.0 - (r / far) ** 2) - 1.0) * e - r / far * (cosine * e - f) / sine
    return np.array([by_a, (np.sqrt(1.0 - (r / other) ** 2) - 1.0) * f - r / other * (cosine * f - e) / sine])


def pulleys_of(cable: Cable) -> dict[int, float]:
    """Where on its route a cable has pulleys, and their radii [m]."""
    return {place: r for place, r in enumerate(cable.radii, 1) if r > 0.0}


def wrapped_length(structure: Structure, cable: Cable) -> float:
    """[m] that the pulleys of a cable add to the polygon through its nodes; not a number where it has no way."""
    extra = 0.0
    for place, r in pulleys_of(cable).items():
        before, centre, behind = (structure.nodes[node] for node in cable.route[place - 1 : place + 2])
        extra += added_length(before, centre, behind, r)
    return extra


def pulley_problems(structure: Structure, cable: Cable) -> Iterator[Problem]:
    """What is wrong with the radii of a cable whose route is sound."""
    path, guides = ("cables", cable.name, "radii"), len(cable.route) - 2
    if not cable.radii:
        return
    if len(cable.radii) != guides:
        yield Problem(path, f"there are {len(cable.radii)} for {guides} guides; give one for each, or none at all")
        return
    wrong = [r for r in cable.radii if not (math.isfinite(r) and r >= 0.0)]
    if wrong:
        yield Problem(path, f"{wrong[0]:g} m must be finite, and zero or more")
        return
    pulleys = pulleys_of(cable)
    if pulleys and cable.mode == "length":
        yield Problem(path, "does not go with a held length, which goes over points; give the cable a stiffness")
    if pulleys and cable.friction > 0.0:
        yield Problem(path, "does not go with friction at guides; a pulley turns freely: leave one of the two out")
    for place, r in pulleys.items():
        node = cable.route[place]
        if place + 1 in pulleys:
            message = (
                f'"{node}" and "{cable.route[place + 1]}" are pulleys next to one another, between which the way of'
            )
            yield Problem(path, f"{message} the cable is not known; put a guide without radius between them")
            continue
        before, centre, behind = (structure.nodes[name] for name in cable.route[place - 1 : place + 2])
        for name, at in ((cable.route[place - 1], before), (cable.route[place + 1], behind)):
            if not math.dist(at, centre) > r:
                message = f'the pulley of {r:g} m at "{node}" reaches "{name}", {math.dist(at, centre):g} m away'
                yield Problem(path, f"{message}; make it smaller")
                break
        else:
            if math.isnan(added_length(before, centre, behind, r)):
                message = (
                    f'the cable is straight over the pulley at "{node}", or doubled back, so that its side is not known'
                )
                yield Problem(path, f"{message}; bend it more, or make it a guide without radius")
