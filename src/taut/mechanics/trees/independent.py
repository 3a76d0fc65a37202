"""A tree with loops in independent coordinates: a = G y'' + g, where y are some of the tree's own velocities.

    K G = 0,  K g = k        (Lieskovsky, section 1.2.4)

Which are independent is chosen by a QR decomposition of K with pivots: the columns that loops decide best are the
dependent ones. A choice is kept while it is sound, and made anew where it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from taut.errors import OptionError, listed, suggestion
from taut.mechanics.trees.equations import TreeEquations, TreeTerms
from taut.reprs import brief
from taut.type_checks import checked_arguments

RANK = 1e-10
"""Pivots below this fraction of the largest count as zero."""

SOUND = 1e4
"""A choice is made anew where the condition number of the dependent columns is larger; good ones have 1 to 100."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """Independent coordinates at a state.

    independent: their places among the velocities, and names. jacobian: G (nv, independent). bias: g (nv,).
    mass, force: of the reduced equations M~ y'' = force + B~ u, with B~ = G^T S. condition: of the dependent columns.
    """

    independent: np.ndarray
    names: tuple[str, ...]
    jacobian: np.ndarray
    bias: np.ndarray
    mass: np.ndarray
    force: np.ndarray
    input_matrix: np.ndarray
    condition: float

    __repr__ = brief


@checked_arguments
def reduction(
    equations: TreeEquations,
    q: np.ndarray,
    v: np.ndarray,
    *,
    keep: Sequence[str] = (),
    previous: Reduction | None = None,
) -> Reduction:
    """The equations in independent coordinates at a state.

    keep: names of velocities that are to be among the independent ones; the others are chosen. previous: a reduction at
    another state, whose choice is taken again while it is sound.
    """
    at = equations.terms(q, v)
    kept = _places(equations, keep)
    if previous is not None:
        found = _by(equations, at, previous.independent)
        if found.condition < SOUND:
            return found
    return _by(equations, at, _chosen(equations, at.loop_jacobian, kept))


def _places(equations: TreeEquations, names: Sequence[str]) -> list[int]:
    known = equations.velocity_names
    for name in names:
        if name not in known:
            raise OptionError(f'there is no velocity "{name}" in the tree{suggestion(name, known)}')
    return [known.index(name) for name in names]


def _chosen(equations: TreeEquations, rows: np.ndarray, kept: list[int]) -> np.ndarray:
    """Independent places: those to keep, and what the loops decide least of the others."""
    rank = _rank(rows)
    others = np.setdiff1d(np.arange(equations.nv), kept)
    triangle, order = qr(rows[:, others], mode="r", pivoting=True)
    pivots = np.abs(np.diagonal(triangle))
    decided = int(np.sum(pivots > RANK * pivots.max(initial=0.0)))
    if decided < rank:
        names = [f'"{equations.velocity_names[k]}"' for k in kept]
        raise OptionError(
            f"{listed(names, most=6)} cannot all be independent: the loops leave them {len(kept) - rank + decided} "
            f"freedoms, not {len(kept)}; keep fewer"
        )
    return np.sort(np.concatenate([kept, others[order[rank:]]]).astype(np.intp))


def _rank(rows: np.ndarray) -> int:
    singular = np.linalg.svd(rows, compute_uv=False)
    return int(np.sum(singular > RANK * singular.max(initial=0.0)))


def _by(equations: TreeEquations, at: TreeTerms, independent: np.ndarray) -> Reduction:
    rows, nv = at.loop_jacobian, equations.nv
    dependent = np.setdiff1d(np.arange(nv), independent)
    columns = rows[:, dependent]
    G, g = np.zeros((nv, independent.size)), np.zeros(nv)
    G[independent, np.arange(independent.size)] = 1.0
    condition = 1.0
    if dependent.size:
        condition = float(np.linalg.cond(columns))
        solved = np.linalg.lstsq(columns, np.column_stack([at.loop_bias, -rows[:, independent]]), rcond=None)[0]
        g[dependent], G[dependent] = solved[:, 0], solved[:, 1:]
    return Reduction(
        independent,
        tuple(equations.velocity_names[k] for k in independent),
        G,
        g,
        G.T @ at.mass @ G,
        G.T @ (at.torques - at.bias - at.mass @ g),
        G.T @ equations.input_matrix,
        condition,
    )
