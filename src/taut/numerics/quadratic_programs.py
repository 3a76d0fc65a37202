"""Quadratic programs with equations and bounds: x with the least x.P x / 2 + q.x, A x = b and low <= x <= high.

daqp is a dual active-set method with absolute tolerances, so unknowns are scaled by units of theirs and rows to length
one. Two ways lead to the same x: "direct" gives daqp all of it; "null space" writes x as a start plus a null space of
A, x = x0 + N z, and gives daqp a program in z with bounds only. Where nothing satisfies equations and bounds, those are
moved by as little as possible (least squares, in units); where equations contradict one another, x satisfies them in
least squares.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

WAYS = ("direct", "null space")

RANK = 1e-12
"""Singular values of equations below this part of the largest are none."""

TOLERANCE = 1e-9
"""Bounds are met to this, in units."""

FAR = 1e30
"""Bounds beyond this are none."""

SLIGHT = 1e-8
"""Weight of z where bounds are moved, beside 1 of what they are moved by."""

EQUATION = 5
"""What daqp calls a row that is one."""


class Program(NamedTuple):
    """Over n unknowns and m equations. unit: of each unknown, about its size. firm: whose bounds are not to be moved
    where others can be instead; none by default."""

    cost: np.ndarray  # (n, n) P
    slope: np.ndarray  # (n,) q
    rows: np.ndarray  # (m, n) A
    right: np.ndarray  # (m,) b
    low: np.ndarray  # (n,)
    high: np.ndarray  # (n,)
    unit: np.ndarray  # (n,)
    firm: np.ndarray | None = None  # (n,) bool


class Answer(NamedTuple):
    """The unknowns, and what could not be had.

    moved: (n,) by how much bounds were moved for it: below zero a lower one, above it an upper one.
    off: (m,) A x - b.
    """

    x: np.ndarray
    moved: np.ndarray
    off: np.ndarray


def solve_program(program: Program, way: str = "direct") -> Answer:
    """The best x; with several as good, one of them."""
    unit = program.unit
    rows, slope = program.rows * unit, program.slope * unit
    cost = program.cost * unit * unit[:, None]
    low, high = np.maximum(program.low / unit, -FAR), np.minimum(program.high / unit, FAR)
    if way == "direct":
        sizes = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        sizes[sizes == 0.0] = 1.0
        right = program.right / sizes
        below, above = np.concatenate([low, right]), np.concatenate([high, right])
        x = _daqp(cost, slope, rows / sizes[:, None], below, above, equations=right.size)
        if x is not None:
            return Answer(x * unit, np.zeros(x.size), rows @ x - program.right)
    start, states = _solutions(rows, program.right)
    x, moved = _along(cost, slope, start, states, low, high), np.zeros(start.size)
    if x is None:
        nearest = _nearest(
            start, states, low, high, np.zeros(start.size, bool) if program.firm is None else program.firm
        )
        moved = np.minimum(nearest - low, 0.0) + np.maximum(nearest - high, 0.0)
        moved[np.abs(moved) <= TOLERANCE] = 0.0
        wider = np.maximum(TOLERANCE, 10.0 * SLIGHT * np.abs(nearest))
        x = _along(
            cost, slope, start, states, low + np.minimum(moved, 0.0) - wider, high + np.maximum(moved, 0.0) + wider
        )
        x = nearest if x is None else x
    return Answer(x * unit, moved * unit, rows @ x - program.right)


def _solutions(rows: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The shortest x that satisfies the equations in least squares, and orthonormal columns that they do not see."""
    if not rows.size:
        return np.zeros(rows.shape[1]), np.eye(rows.shape[1])
    left, sizes, across = np.linalg.svd(rows)
    rank = int(np.count_nonzero(sizes > RANK * sizes[0]))
    start = across[:rank].T @ ((left.T[:rank] @ right) / sizes[:rank])
    start += across[:rank].T @ ((left.T[:rank] @ (right - rows @ start)) / sizes[:rank])  # what round-off left
    return start, across[rank:].T


def _along(
    cost: np.ndarray, slope: np.ndarray, start: np.ndarray, states: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray | None:
    """The best x among start + states z; None where bounds leave none."""
    reach = np.linalg.norm(states, axis=1) if states.size else np.zeros(start.size)
    fixed = reach <= TOLERANCE  # decided by the equations alone
    if np.any((start < low - TOLERANCE)[fixed]) or np.any((start > high + TOLERANCE)[fixed]):
        return None
    if fixed.all():
        return start
    scale, far = 1.0 / reach[~fixed], np.full(states.shape[1], FAR)
    z = _daqp(
        states.T @ cost @ states,
        states.T @ (cost @ start + slope),
        states[~fixed] * scale[:, None],
        np.concatenate([-far, np.maximum((low - start)[~fixed] * scale, -FAR)]),
        np.concatenate([far, np.minimum((high - start)[~fixed] * scale, FAR)]),
    )
    return None if z is None else start + states @ z


def _nearest(start: np.ndarray, states: np.ndarray, low: np.ndarray, high: np.ndarray, firm: np.ndarray) -> np.ndarray:
    """The x that satisfies the equations and is off its bounds by the least sum of squares, off none that is firm."""
    k, n = states.shape[1], start.size
    if not k:
        return start
    moving = np.eye(n)[:, ~firm]  # rows x + s, of which s is what bounds are moved by
    weights = np.concatenate([np.full(k, SLIGHT), np.ones(moving.shape[1])])
    rows, far = np.hstack([states, moving]), np.full(weights.size, FAR)
    below, above = np.maximum(low - start, -FAR), np.minimum(high - start, FAR)
    found = _daqp(
        np.diag(weights), np.zeros(weights.size), rows, np.concatenate([-far, below]), np.concatenate([far, above])
    )
    if found is not None:
        return start + states @ found[:k]
    return _nearest(start, states, low, high, np.zeros(n, bool)) if firm.any() else start


def _daqp(
    cost: np.ndarray, slope: np.ndarray, rows: np.ndarray, low: np.ndarray, high: np.ndarray, *, equations: int = 0
) -> np.ndarray | None:
    """None where there is no x; bounds first, then rows, all of them equations or none."""
    import daqp

    sense = np.zeros(low.size, dtype=np.int32)
    sense[low.size - equations :] = EQUATION
    arrays = [np.ascontiguousarray(one) for one in (cost, slope, rows, high, low)]
    x, _, flag, _ = daqp.solve(*arrays, sense, primal_tol=TOLERANCE / 10.0)
    return np.array(x) if flag > 0 else None
