"""The step that does most for the tasks within limits: least squares with inequalities, of few unknowns.

    least |J d + e|^2 + damping^2 |d|^2 with A d <= b, and of all such d the one nearest to a wanted one

Each of the two is brought to "the shortest y with G y >= h", which non-negative least squares solves exactly (Lawson
and Hanson 1974, chapter 23).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

FIRM = 1e-5
"""Of the largest singular value: what is added so that every unknown counts, in finding which limits hold."""

RANK = 1e-7
"""Singular values of the tasks below this part of the largest count as none."""

INFEASIBLE = 1e-10
"""What is left of one where nothing satisfies the inequalities."""

ON_LIMIT = 1e-9

HEAVY = 1e4
"""How much more a limit counts than a task, where limits cannot all be kept."""


class LimitedStep(NamedTuple):
    step: np.ndarray  # (p,)
    feasible: bool  # whether all limits can be kept to first order
    active: np.ndarray  # (l,) which limits hold it back


def limited_step(
    tasks: np.ndarray, error: np.ndarray, wanted: np.ndarray, limits: np.ndarray, room: np.ndarray, damping: float
) -> LimitedStep:
    """tasks: (k, p) J. error: (k,) e. wanted: (p,). limits, room: (l, p) A and (l,) b."""
    count = tasks.shape[1]
    firm = max(damping, FIRM * float(np.linalg.norm(tasks, 2)) if tasks.size else 1.0, 1e-300)
    rows = np.concatenate([tasks, firm * np.eye(count)])
    right = np.concatenate([-error, np.zeros(count)])
    largest = float(np.linalg.norm(tasks, 2)) if tasks.size else 1.0
    wanted = wanted / (1.0 + (damping / (largest or 1.0)) ** 2)
    plain = _unlimited(tasks, error, wanted, damping)
    if not room.size or np.all(limits @ plain <= room + ON_LIMIT * np.abs(room)):
        return LimitedStep(plain, True, np.zeros(room.size, dtype=bool))
    found = _within(rows, right, limits, room)
    if found is None:
        return _relaxed(rows, right, limits, room)
    active = limits @ found >= room - 1e3 * ON_LIMIT * (1.0 + np.abs(room))
    found = _sharpened(tasks, error, found, limits, room, active, damping)
    if damping == 0.0:
        idle = _null_space(tasks)
        if idle.shape[1]:
            better = _within(idle, wanted - found, limits @ idle, room - limits @ found)
            if better is not None:
                found = found + idle @ better
                active = limits @ found >= room - ON_LIMIT * (1.0 + np.abs(room))
    return LimitedStep(found, True, active)


def _sharpened(
    tasks: np.ndarray,
    error: np.ndarray,
    found: np.ndarray,
    limits: np.ndarray,
    room: np.ndarray,
    active: np.ndarray,
    damping: float,
) -> np.ndarray:
    """The same step without what was added, on the limits that hold it; as it is where that would overstep another."""
    held, left = limits[active], (room - limits @ found)[active]
    onto = found + np.linalg.lstsq(held, left, rcond=RANK)[0]
    idle = _null_space(held)
    if idle.shape[1]:
        onto = onto + idle @ _unlimited(tasks @ idle, tasks @ onto + error, np.zeros(idle.shape[1]), damping)
    return onto if np.all(limits @ onto <= room + ON_LIMIT * (1.0 + np.abs(room))) else found


def _unlimited(tasks: np.ndarray, error: np.ndarray, wanted: np.ndarray, damping: float) -> np.ndarray:
    left, sizes, right = np.linalg.svd(tasks, full_matrices=False)
    kept = sizes > RANK * sizes.max(initial=0.0)
    inverse = np.where(kept, sizes / np.where(kept, sizes**2 + damping**2, 1.0), 0.0)
    step = -right.T @ (inverse * (left.T @ error))
    idle = _null_space(tasks)
    return np.asarray(step + idle @ (idle.T @ wanted))


def _null_space(tasks: np.ndarray) -> np.ndarray:
    if not tasks.size:
        return np.eye(tasks.shape[1])
    _, sizes, right = np.linalg.svd(tasks)
    rank = int(np.count_nonzero(sizes > RANK * sizes.max(initial=0.0)))
    return np.asarray(right[rank:].T)


def _within(rows: np.ndarray, right: np.ndarray, limits: np.ndarray, room: np.ndarray) -> np.ndarray | None:
    """x with the least |rows x - right|^2 and limits x <= room, rows of full column rank; None where there is none."""
    from scipy.linalg import solve_triangular

    orthogonal, upper = np.linalg.qr(rows)
    best = orthogonal.T @ right
    across = solve_triangular(upper, limits.T, trans="T").T  # limits upper^-1
    y = _shortest(-across, across @ best - room)
    return None if y is None else np.asarray(solve_triangular(upper, y + best))


def _shortest(rows: np.ndarray, least: np.ndarray) -> np.ndarray | None:
    """The shortest y with rows y >= least; None where there is none."""
    from scipy.optimize import nnls

    size = np.maximum(np.linalg.norm(rows, axis=1), 1e-300)
    scale = max(float(np.abs(least / size).max(initial=0.0)), 1e-300)
    rows, least = rows / size[:, None], least / size / scale
    stacked = np.concatenate([rows.T, least[None, :]])
    wanted = np.append(np.zeros(rows.shape[1]), 1.0)
    weights, left = nnls(stacked, wanted)
    if left <= INFEASIBLE:
        return None
    rest = stacked @ weights - wanted
    return np.asarray(-rest[:-1] / rest[-1] * scale)


def _relaxed(rows: np.ndarray, right: np.ndarray, limits: np.ndarray, room: np.ndarray) -> LimitedStep:
    """Limits overstepped by as little as possible; active are those that are."""
    count, kept = rows.shape[1], room.size
    heavy = HEAVY * float(np.linalg.norm(rows, 2)) / max(float(np.linalg.norm(limits, 2)), 1e-300)
    whole = np.zeros((rows.shape[0] + kept, count + kept))
    whole[: rows.shape[0], :count] = rows
    whole[rows.shape[0] :, count:] = heavy * np.eye(kept)
    found = _within(whole, np.append(right, np.zeros(kept)), np.concatenate([limits, -np.eye(kept)], axis=1), room)
    if found is None:
        return LimitedStep(np.zeros(count), False, np.ones(kept, dtype=bool))
    over = found[count:]
    return LimitedStep(found[:count], False, over > 1e-6 * np.abs(over).max(initial=0.0))
