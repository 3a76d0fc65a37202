"""Supports that an acceleration leaves with a velocity, and that walk away with it: told in a run's notes.

An acceleration is integrated twice from t = 0. What a sinusoid a sin(w t + phase) adds to the velocity there is
a / w (cos(phase) - cos(w t + phase)), whose mean is not zero but at phases of pi/2 and -pi/2; a record leaves what it
adds up to. Nobody asks for either who writes an acceleration. What is asked for, a velocity at t = 0 or an acceleration
that does not end, is no drift; nor is anything of motions that are displacements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from taut.errors import listed
from taut.mechanics.imposed.curve_values import SERIES, SIZE, WAVE, curve_values
from taut.mechanics.imposed.support_curves import Curve, curves_of
from taut.mechanics.kinds import Given
from taut.structure.motions import moved_nodes
from taut.structure.scenario import Motion

WALKS = "walk away"
"""What a note on drifting supports has in it."""

LITTLE = 0.1
"""Of the way that supports go to and fro: a drift below it is not told."""

LOOKS = 2003
"""Times at which that way is looked at; a prime number, so that few waves come back at all of them alike."""


def drift_notes(points: Any, until: float) -> tuple[str, ...]:
    """Which supports have walked away from their start at a time [s], how far and how fast, and what to do.

    points: the nodal plant, None where there are no nodes.
    """
    if points is None:
        return ()
    given: Given = points.given
    moving: dict[tuple[str, str], list[int]] = {}
    for k, motion in enumerate(given.motions):
        if motion.acceleration is not None:
            for node in moved_nodes(given.structure, motion):
                moving.setdefault((motion.axis, node), []).append(k)
    together: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for (axis, node), movers in moving.items():
        together.setdefault((axis, tuple(movers)), []).append(node)
    notes = []
    for (axis, by), nodes in together.items():
        if told := _told([given.motions[k] for k in by], until):
            named = listed([f'"{given.motions[k].name}"' for k in by if given.motions[k].name])
            notes.append(
                f"supports {listed(nodes)}{' of motion ' + named if named else ''} {WALKS} along {axis}: {told}"
            )
    return tuple(notes)


def _told(motions: Sequence[Motion], until: float) -> str:
    """Of motions that add up; empty where they leave no velocity that nobody asked for."""
    curves = [curve for motion in motions for curve in curves_of(motion)]
    lasting = math.fsum(_lasting(curve, until) for curve in curves)
    asked = math.fsum(motion.velocity for motion in motions)
    times = np.linspace(0.0, until, LOOKS)
    way = np.sum([curve_values(curve.kind, curve.numbers, times, times)[:, 0] for curve in curves], axis=0)
    least = LITTLE * float(np.ptp(way - lasting * times)) if math.isfinite(lasting) else math.inf
    if not min(abs(lasting), abs(lasting - asked)) * until > least:
        return ""
    return (
        f"at t = {until:.6g} s they are {way[-1] - way[0]:.3g} m from their start and go on at {lasting:.3g} m/s in "
        "the mean, since an acceleration is integrated from t = 0; give velocity: "
        f"{motions[0].velocity - lasting:.6g} beside it, or a displacement in its place; a sinusoid leaves no velocity "
        "where its phase is pi/2"
    )


def _lasting(curve: Curve, until: float) -> float:
    """[m/s] that is left of its velocity without its waves; not a number while it is accelerated otherwise."""
    return _left(curve.kind, curve.numbers, until * (1.0 + 1e-9))


def _left(kind: int, numbers: Sequence[float], until: float) -> float:
    if kind == SERIES:
        end, _, velocity, tail, count = numbers[:5]
        after = numbers[6 + int(count) + 3 * SIZE * int(count) :]
        return velocity + _left(int(tail), after, until) if until >= end else math.nan
    if kind == WAVE:
        return numbers[1] if numbers[2] == 0.0 else math.nan
    begin, _, velocity, acceleration, jerk = numbers[int(numbers[0]) :: int(numbers[0])]
    return velocity if until >= begin and acceleration == jerk == 0.0 else math.nan
