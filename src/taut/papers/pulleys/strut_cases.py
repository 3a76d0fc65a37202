"""The single strut along Table 5.6 (section 5.3). Each run is made once on a bench."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from taut.control.near_rigid import near_rigid_control
from taut.mechanics.trees.equations import TreeEquations
from taut.papers.bench import Task
from taut.papers.pulleys.controlled_runs import (
    COARSE,
    FINE,
    STRESS,
    VISCOSITY,
    Controlled,
    begun,
    followed,
    joined,
)
from taut.structure.generators.pulleys import single_strut
from taut.structure.trees import Tree

STRUT = ("x-revoluteJt", "y-revoluteJt")

KNOTS = (0.0, 1.0, 3.0, 7.0, 9.0)
LEANING = ((0.0, 0.0, 0.0, math.pi / 4.0, 0.0), (0.0, 0.0, math.pi / 4.0, 0.0, 0.0))
"""Table 5.6: phi and psi [rad] at the knots, where both rest."""

COUNTED = "counted"
SIDES = ("inside", "left", "right", COUNTED)
"""Which second derivative the law takes at a knot, where it jumps: that of the piece a step lies in; always what leads
up to it; always what follows; or what leads up to it where times are counted as k times 0.1 ms, and a step's end as its
start and 0.1 ms more, which by round-off is past the knot at 3 s. A step of rk4 that begins or ends with the wrong one
gives the strut a speed of a sixth of the jump times the step, and nothing takes it away again."""


def strut_task(modulus: float, side: str = COUNTED, rate: float | None = None, **other: Any) -> Task:
    """Section 5.3: accelerations along Table 5.6 without feedback, at every stage or held between decisions.

    rate: of decisions [Hz]; steps are then of 1 ms only. other: choices of `single_strut`, or the law's slope.
    """
    told = f"{side} of knots" if rate is None else f"held at {rate:g} Hz"
    told += "".join(f", {name} = {value}" for name, value in other.items())
    return Task(f"single strut, E = {modulus:g} Pa, {told}", partial(_leaning, modulus, side, rate, **other))


def strut_of(modulus: float, **other: Any) -> Tree:
    """The thesis leaves open the viscosity and where branch 1 stands: that of section 5.4, and -x. other: choices of
    `single_strut` in place of these."""
    turned = (math.pi, math.pi + 2.0 * math.pi / 3.0, math.pi + 4.0 * math.pi / 3.0)
    chosen = {"viscosity": VISCOSITY, "law": "printed", "azimuths": turned, **other}
    return single_strut(youngs_modulus=modulus, strain=STRESS / modulus, **chosen)


def kicked_task(modulus: float) -> Task:
    """0.3 s from the knot at 1 s, before which nothing moves, in samples of 1 ms: what rings."""
    return Task(f"single strut, E = {modulus:g} Pa, after the first knot", partial(_kicked, modulus))


def _kicked(modulus: float) -> Controlled:
    tree = strut_of(modulus)
    law = near_rigid_control(
        TreeEquations(tree), STRUT, _along(1, KNOTS[1], KNOTS[2], "inside"), least_strain=STRESS / modulus
    )
    return followed(tree, law, 0.3, step=COARSE, rate=None, every=COARSE)


def still_torques(modulus: float) -> np.ndarray:
    """(3,) [N m] that hold the strut upright with cables at sigma_0."""
    law = near_rigid_control(
        TreeEquations(strut_of(modulus)), STRUT, lambda t: (np.zeros(2),) * 3, least_strain=STRESS / modulus
    )
    return law(0.0, *law.equations.start())


def _leaning(modulus: float, side: str, rate: float | None, slope: str = "secant", **other: Any) -> Controlled:
    tree = strut_of(modulus, **other)
    parts, starts = [], []
    for k, (begin, end) in enumerate(pairwise(KNOTS)):
        for first, duration, step in _stretches(begin, end, held=rate is not None):
            wanted = _along(k, first, first + duration, side)
            least = STRESS / modulus
            law = near_rigid_control(TreeEquations(tree), STRUT, wanted, least_strain=least, slope=slope)
            parts.append(
                followed(tree, law, duration, step=step, rate=rate, every=step if duration < COARSE else 5.0 * step)
            )
            starts.append(first)
            tree = begun(tree, *parts[-1].end)
    return joined(parts, starts)


def _stretches(begin: float, end: float, *, held: bool) -> tuple[tuple[float, float, float], ...]:
    """Start, duration and step of the runs between two knots: the thesis's step matters at the knots only."""
    length = end - begin
    if held:
        return ((begin, length, COARSE),)
    between = length - 2.0 * FINE
    return (
        (begin, FINE, FINE),
        (begin + FINE, between, between / round(length / COARSE)),
        (end - FINE, FINE, FINE),
    )


def _along(piece: int, first: float, last: float, side: str) -> Callable[[float], tuple[np.ndarray, ...]]:
    """Table 5.6 for a run that begins at `first`: the cubic of its piece, and at a knot the one of the side asked."""
    before, after = _sides(piece, side)

    def curve(t: float) -> tuple[np.ndarray, ...]:
        chosen = piece
        if t == 0.0 and first == KNOTS[piece]:
            chosen = before
        if last == KNOTS[piece + 1] and first + t >= last - 1e-9:
            chosen = after
        return _cubic(chosen, first + t)

    return curve


def _sides(piece: int, side: str) -> tuple[int, int]:
    """Of which piece the first stage of a piece's first step is, and the last stage of its last step."""
    begin, end = KNOTS[piece], KNOTS[piece + 1]
    starts_left = side == "left" or (side == COUNTED and round(begin / FINE) * FINE <= begin)
    ends_right = side == "right" or (side == COUNTED and (round(end / FINE) - 1) * FINE + FINE > end)
    return max(piece - starts_left, 0), min(piece + ends_right, len(KNOTS) - 2)


def _cubic(piece: int, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Between two knots where both angles rest, and beyond."""
    width = KNOTS[piece + 1] - KNOTS[piece]
    s = (t - KNOTS[piece]) / width
    low = np.array([angle[piece] for angle in LEANING])
    climb = np.array([angle[piece + 1] for angle in LEANING]) - low
    return (
        low + climb * s * s * (3.0 - 2.0 * s),
        climb * 6.0 * s * (1.0 - s) / width,
        climb * (6.0 - 12.0 * s) / width**2,
    )
