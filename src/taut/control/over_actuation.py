"""Inverse dynamics of over-actuated systems: the least inputs that give a motion, within bounds.

With accelerations that are wanted, equations of motion of n coordinates are linear in what is to be decided:

    B u                = needed                   inputs alone                        (section 2.2)
    B u - A dq         = needed                   cables almost rigid                 (section 3.2)
    B u - A dq - M_f a = needed                   and accelerations left free         (section 5.4)

u: inputs, such as torques of motors or tensions of cables. dq: by how much strains are expected to change, of cables
that are taken for rigid while their tensions are found; A: the torques against the motion that come with it. a: second
rates of coordinates of which nothing is wanted. |u|^2 is least, beside weight |a + damping a_rate|^2, while u and the
strains stay within bounds. Where bounds leave no way they are moved by as little as possible, and that is told.

Papers: Lieskovsky's thesis; its signs of A_s in (3.2.3), (3.2.7) are those of -e, the torque that acts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.numerics.quadratic_programs import WAYS, Program, solve_program
from taut.reprs import brief
from taut.type_checks import checked_arguments

STRESS = 1e7
"""[Pa] A strain's unit is this over the modulus: cables of any stiffness are then of size one."""

Bounds = float | Sequence[float] | np.ndarray


class Relaxed(NamedTuple):
    """A bound that was moved, since nothing kept it. by: below zero a lower one, above it an upper one."""

    name: str
    bound: float
    by: float

    def __str__(self) -> str:
        side = "least" if self.by < 0.0 else "most"
        return f"{self.name}: {self.bound + self.by:.4g}, {abs(self.by):.3g} beyond its {side}, {self.bound:.4g}"


@dataclass(frozen=True)
class FreeAccelerations:
    """Coordinates of which nothing is wanted: their columns of the mass matrix, and how they are damped.

    |second rate + damping rate|^2 times weight is part of the cost; 0 as printed in the thesis, where they may do
    what they like.
    """

    mass: np.ndarray  # (n, f)
    rate: np.ndarray  # (f,)
    weight: float = 0.0
    damping: float = 0.0

    __repr__ = brief


@dataclass(frozen=True)
class LeastInputs:
    """inputs: (m,). strain_changes: (s,). free_accelerations: (f,). unbalanced: what the equations are off, as a part
    of what they need; relaxed: bounds that were moved, all of them by name."""

    inputs: np.ndarray
    strain_changes: np.ndarray
    free_accelerations: np.ndarray
    relaxed: tuple[Relaxed, ...]
    unbalanced: float

    __repr__ = brief


@checked_arguments
def least_inputs(
    push: np.ndarray,
    needed: np.ndarray,
    *,
    lowest: Bounds = -np.inf,
    highest: Bounds = np.inf,
    names: Sequence[str] | None = None,
    way: str = "direct",
) -> LeastInputs:
    """The least inputs u with push u = needed and lowest <= u <= highest.

    push: (n, m) what a unit of each input does to the coordinates. needed: (n,) M a + c - p.
    names: of inputs, for what is told. way: "direct", all at once (2.2.2), or "null space", in as many unknowns as
        there are inputs to spare (2.2.3); both give the same.
    """
    return near_rigid_inputs(
        push, np.zeros((np.shape(needed)[0], 0)), needed, lowest=lowest, highest=highest, names=names, way=way
    )


@checked_arguments
def near_rigid_inputs(
    push: np.ndarray,
    stretching: np.ndarray,
    needed: np.ndarray,
    *,
    lowest: Bounds = -np.inf,
    highest: Bounds = np.inf,
    least_change: Bounds = -np.inf,
    most_change: Bounds = np.inf,
    strain_unit: float | np.ndarray = 1.0,
    free: FreeAccelerations | None = None,
    names: Sequence[str] | None = None,
    strain_names: Sequence[str] | None = None,
    way: str = "direct",
) -> LeastInputs:
    """The least inputs u with push u - stretching dq - M_f a = needed, and bounds on u and on dq.

    stretching: (n, s) torques against the motion for a unit of strain. least_change, most_change: of strains, q_min - q
        and q_max - q. strain_unit: about the size of strains, 1e7 / E: without it the program has numbers of very
        different sizes, which solvers fail on.
    """
    b, a, right = (np.asarray(one, dtype=float) for one in (push, stretching, needed))
    n, m, s = right.size, b.shape[-1], a.shape[-1]
    f = 0 if free is None else int(np.shape(free.mass)[-1])
    m_f = np.zeros((n, 0)) if free is None else np.asarray(free.mass, dtype=float)
    if right.ndim != 1:
        raise OptionError(f"needed of shape {right.shape} does not fit: give one number for each equation")
    for what, matrix in (("push", b), ("stretching", a), ("free.mass", m_f)):
        if matrix.shape != (n, matrix.shape[-1]):
            raise OptionError(f"{what} of shape {matrix.shape} does not fit {n} equations: give ({n}, ...)")
    for what, given in (("push", b), ("stretching", a), ("needed", right), ("free.mass", m_f)):
        if not np.all(np.isfinite(given)):
            raise OptionError(f"{what} must have finite numbers only")
    if way not in WAYS:
        raise OptionError(f'way = "{way}" is none; there are {" and ".join(WAYS)}')
    cost, slope, unit = np.zeros(m + s + f), np.zeros(m + s + f), np.ones(m + s + f)
    cost[:m] = 1.0
    unit[m : m + s] = strain_unit
    if free is not None:
        cost[m + s :] = free.weight
        slope[m + s :] = free.weight * free.damping * np.asarray(free.rate, dtype=float)
    low, high = np.full(m + s + f, -np.inf), np.full(m + s + f, np.inf)
    low[:m], high[:m] = bounds_of(lowest, highest, m)
    low[m : m + s], high[m : m + s] = bounds_of(least_change, most_change, s, ("least_change", "most_change"))
    program = Program(np.diag(cost), slope, np.hstack([b, -a, -m_f]), right, low, high, unit)
    called = (*_called("names", names, "input", m), *_called("strain_names", strain_names, "strain change", s))
    return solved_inputs(program, m, s, called, way)


def bounds_of(
    lowest: Bounds, highest: Bounds, count: int, called: tuple[str, str] = ("lowest", "highest")
) -> tuple[np.ndarray, np.ndarray]:
    """(count,) of either; raises OptionError where they are none."""
    low, high = (_bound(what, given, count) for what, given in zip(called, (lowest, highest), strict=True))
    if np.any(low > high):
        k = int(np.argmax(low > high))
        where = f" at place {k}" if count > 1 else ""
        raise OptionError(
            f"{called[0]}, {low[k]:.4g}{where}, is above {called[1]}, {high[k]:.4g}; nothing lies between"
        )
    return low, high


def _bound(what: str, given: Bounds, count: int) -> np.ndarray:
    values = np.asarray(given, dtype=float)
    if values.shape not in ((), (1,), (count,)):
        raise OptionError(f"{what} of shape {values.shape} does not fit: give one number, or {count}, one for each")
    if np.any(np.isnan(values)):
        raise OptionError(f"{what} has no number (NaN); give inf, or -inf, where there is no bound")
    return np.broadcast_to(values, (count,)).copy()


def _called(what: str, names: Sequence[str] | None, usual: str, count: int) -> Sequence[str]:
    if names is not None and len(names) != count:
        raise OptionError(f"{what} has {len(names)} names; give {count}, one for each")
    return [f"{usual} {k}" for k in range(count)] if names is None else names


def solved_inputs(program: Program, m: int, s: int, names: Sequence[str], way: str) -> LeastInputs:
    """The answer of a program whose unknowns are m inputs, s strain changes and free accelerations, in that order."""
    found = solve_program(program, way)
    relaxed = tuple(
        Relaxed(names[k], float(program.low[k] if found.moved[k] < 0.0 else program.high[k]), float(found.moved[k]))
        for k in np.flatnonzero(found.moved).tolist()
    )
    off = math.sqrt(float(found.off @ found.off) / max(float(program.right @ program.right), 1e-300))
    return LeastInputs(found.x[:m], found.x[m : m + s], found.x[m + s :], relaxed, off)
