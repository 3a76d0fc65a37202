"""What measurements can tell: directions of parameters that change nothing measured, found and put into words.

Columns of the Jacobian (standard deviations per unit of a parameter, or per e-fold of one that is positive) are brought
to unit length, so that units do not matter. Combinations with singular values below a fraction of the largest change
nothing that can be told from round-off; a column of no length is a parameter on which nothing depends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taut.measurement.unknowns import Parameter, Unknown
from taut.reprs import brief

NO_EFFECT = 1e-6
"""Standard deviations, of all numbers together: a parameter that moves them by less, when it grows by e, is idle."""

EXACT = 1e-8
BY_DIFFERENCES = 1e-6
"""Of the largest singular value: no more than derivatives at rest, and by differences of runs, are off."""

SHARE = 0.02
"""Of the largest component of a direction: smaller ones are not named."""

NAMED = 4


@dataclass(frozen=True)
class Determined:
    """The singular value decomposition of a Jacobian (q, p) with columns of unit length, of which r values count."""

    lengths: np.ndarray  # (p,) of the columns
    left: np.ndarray  # (q, r)
    singular: np.ndarray  # (r,)
    right: np.ndarray  # (p, r)
    null: np.ndarray  # (p, p - r) columns: directions in variables times lengths

    __repr__ = brief

    @property
    def rank(self) -> int:
        return int(self.singular.size)

    @property
    def condition(self) -> float:
        """The largest over the smallest singular value that counts."""
        return float(self.singular[0] / self.singular[-1]) if self.rank else 1.0

    @property
    def weakest(self) -> np.ndarray:
        """(p,) the direction that is determined least, in variables times lengths."""
        return np.asarray(self.right[:, -1])

    @property
    def basis(self) -> np.ndarray:
        """(p, r) the directions of variables that are determined, each of effect one where all are independent."""
        return np.asarray(self.right / self.lengths[:, None])

    @property
    def told(self) -> np.ndarray:
        """(p,) which parameters are determined each by itself."""
        return np.asarray(np.sum(self.null**2, axis=1) < 1e-8)

    @property
    def covariance(self) -> np.ndarray:
        """(p, p) of the variables along determined directions, where deviations are one."""
        root = self.basis / self.singular
        return np.asarray(root @ root.T)


def decomposed(jacobian: np.ndarray, tolerance: float) -> Determined:
    sizes = np.linalg.norm(jacobian, axis=0)
    idle = sizes < NO_EFFECT
    lengths = np.where(idle, 1.0, sizes)
    scaled = np.where(idle, 0.0, jacobian / lengths)
    left, singular, right = np.linalg.svd(scaled, full_matrices=False)
    rank = int(np.count_nonzero(singular > tolerance * singular.max(initial=0.0))) if not idle.all() else 0
    whole = np.linalg.svd(scaled, full_matrices=True)[2] if rank < len(sizes) else right
    return Determined(lengths, left[:, :rank], singular[:rank], right[:rank].T, whole[rank:].T)


def undetermined_in_words(
    found: Determined, parameters: Sequence[Parameter], unknowns: Sequence[Unknown]
) -> tuple[str, ...]:
    """A sentence for each direction; each turns about a parameter of its own, so that few are in it."""
    if not found.null.shape[1]:
        return ()
    from scipy.linalg import qr

    pivots = np.sort(qr(found.null.T, mode="r", pivoting=True)[1][: found.null.shape[1]])
    ways = found.null @ np.linalg.inv(found.null[pivots])
    return tuple(_sentence(way, found.lengths, parameters, unknowns) for way in ways.T)


def _sentence(
    way: np.ndarray, lengths: np.ndarray, parameters: Sequence[Parameter], unknowns: Sequence[Unknown]
) -> str:
    """way: a direction in variables times lengths."""
    part = _leading(way)
    if part.size == 1:
        return f"nothing measured depends on {parameters[part[0]].name}"
    whole = _common_factor(way / lengths, part, parameters, unknowns)
    if whole:
        return f"nothing measured depends on {whole} all by one factor"
    return f"only together: {in_words(way, lengths, parameters)} change nothing measured"


def in_words(way: np.ndarray, lengths: np.ndarray, parameters: Sequence[Parameter]) -> str:
    """A direction, in variables times lengths, by its largest components: "cable:a1.stiffness +1 %, ..."."""
    part, direction = _leading(way), way / lengths
    ordered = part[np.argsort(-np.abs(way[part]), kind="stable")]
    largest = np.abs(direction[ordered]).max() * np.sign(direction[ordered[0]])
    told = [f"{parameters[k].name} {_amount(direction[k] / largest, parameters[k])}" for k in ordered[:NAMED]]
    return ", ".join(told) + (f" and {part.size - NAMED} more" if part.size > NAMED else "")


def _leading(way: np.ndarray) -> np.ndarray:
    return np.flatnonzero(np.abs(way) > SHARE * np.abs(way).max())


def _common_factor(
    direction: np.ndarray, part: np.ndarray, parameters: Sequence[Parameter], unknowns: Sequence[Unknown]
) -> str:
    """The unknowns of which all numbers grow alike in this direction, and nothing else; none if it is another one."""
    moved = {parameters[k].unknown for k in part}
    every = [k for k, one in enumerate(parameters) if one.unknown in moved]
    sizes = direction[every]
    alike = np.ptp(sizes) <= SHARE * np.abs(sizes).max() and all(parameters[k].positive for k in every)
    if not alike or len(every) != part.size:
        return ""
    return " and ".join(f"{unknowns[k].quantity} of {unknowns[k].selector}" for k in sorted(moved))


def _amount(change: float, one: Parameter) -> str:
    """A change by one per cent of a positive parameter, or of the scale of another."""
    if one.positive:
        return f"{change:+.3g} %"
    return f"{0.01 * change * one.scale:+.3g} {one.unit}".rstrip()
