"""`reduced`: a model with fewer states by balanced truncation, and the most by which its gain is wrong.

In balanced coordinates each state is reached as well as it is shown, by its Hankel singular value. Leaving out those
with the smallest values changes the gain by at most twice their sum at any frequency, each distinct value counted once
(Glover 1984, Enns 1984). What does not die away has no such values and is kept whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from taut.control.gramian_factors import gramian_factor
from taut.control.linear_model import LinearModel
from taut.control.splitting import Part, Split, split
from taut.errors import OptionError
from taut.reprs import brief
from taut.type_checks import checked_arguments

EQUAL = 1e-10
"""Hankel values that differ by less than this part of themselves are one value."""

NOTHING = 1e-14
"""A state with a Hankel value below this part of the largest is not reached or not shown."""


@dataclass(frozen=True)
class Reduction:
    """model: with fewer states. bound: its gain differs by no more than this at any frequency, as `hinf_norm` measures.

    hankel: the Hankel singular values of all that dies away, the largest first, in units of outputs per unit of inputs.
    notes: what was kept or left out for another reason.
    """

    model: LinearModel
    hankel: np.ndarray
    bound: float
    notes: tuple[str, ...] = ()

    __repr__ = brief


class _Balanced(NamedTuple):
    part: Part  # in balanced coordinates
    hankel: np.ndarray  # of all states of the part before


@checked_arguments
def reduced(
    model: LinearModel, *, states: int | None = None, error: float | None = None, steady: bool = False
) -> Reduction:
    """The model with some number of states, or with as few as an error allows.

    states: how many to keep, with those that do not die away. error: how much the gain may differ, at most.
    steady: whether the gain at zero frequency is kept exactly (the states left out follow the others at once), instead
        of that at very high ones.
    Gains in different units count as they are: choose inputs and outputs with `model.chosen`, or scale B, C, D first.
    """
    if (states is None) == (error is None):
        raise OptionError("say either how many states to keep (states=...) or how large the error may be (error=...)")
    parts = split(model)
    balanced = _balanced(parts.decaying)
    kept = _count(model, balanced, parts.lasting.size, states, error)
    neglected = balanced.hankel[kept:]
    small = _residualised if steady else _truncated
    drift = model.drift if model.drift.size else np.zeros(len(model.states))
    offset = model.offset if model.offset.size else np.zeros(len(model.outputs))
    part, direct, push, shown = small(balanced.part, kept, model.D, balanced.part.reading @ drift)
    rest = parts.lasting
    names = (*(f"lasting {k + 1}" for k in range(rest.size)), *(f"balanced {k + 1}" for k in range(kept)))
    reading = np.concatenate([rest.reading, part.reading])
    found = replace(
        model,
        A=_beside(rest.A, part.A),
        B=np.concatenate([rest.B, part.B]),
        C=np.concatenate([rest.C, part.C], axis=1),
        D=direct,
        states=names,
        drift=np.concatenate([rest.reading @ drift, push]),
        offset=offset + shown,
        reading=reading @ model.reading if model.reading.size else model.reading,
    )
    return Reduction(found, balanced.hankel, 2.0 * _distinct(neglected), _notes(parts, balanced, kept))


def _balanced(part: Part) -> _Balanced:
    """By the square-root method of Tombs and Postlethwaite (1987); states not reached or not shown are left out."""
    reach, show = gramian_factor(part.A, part.B), gramian_factor(part.A.T, part.C.T)
    left, hankel, right = np.linalg.svd(show.T @ reach)
    useful = int(np.sum(hankel > NOTHING * hankel.max(initial=0.0)))
    root = np.sqrt(hankel[:useful])
    into, back = (show @ left[:, :useful] / root).T, reach @ right[:useful].T / root
    return _Balanced(Part(into @ part.A @ back, into @ part.B, part.C @ back, into @ part.reading), hankel)


def _truncated(
    part: Part, kept: int, direct: np.ndarray, drift: np.ndarray
) -> tuple[Part, np.ndarray, np.ndarray, np.ndarray]:
    """Without the last states; D, the drift, and the outputs at rest that come with it."""
    few = Part(part.A[:kept, :kept], part.B[:kept], part.C[:, :kept], part.reading[:kept])
    return few, direct, drift[:kept], np.zeros(len(part.C))


def _residualised(
    part: Part, kept: int, direct: np.ndarray, drift: np.ndarray
) -> tuple[Part, np.ndarray, np.ndarray, np.ndarray]:
    """With the last states where they settle for the others and the inputs: 0 = A21 x1 + A22 x2 + B2 u + drift2."""
    given = np.concatenate([part.A[kept:, :kept], part.B[kept:], drift[kept:, None]], axis=1)
    settled = -np.linalg.solve(part.A[kept:, kept:], given)
    by_state, by_input, by_drift = settled[:, :kept], settled[:, kept:-1], settled[:, -1]
    across, show = part.A[:kept, kept:], part.C[:, kept:]
    few = Part(
        part.A[:kept, :kept] + across @ by_state,
        part.B[:kept] + across @ by_input,
        part.C[:, :kept] + show @ by_state,
        part.reading[:kept],
    )
    return few, direct + show @ by_input, drift[:kept] + across @ by_drift, show @ by_drift


def _count(model: LinearModel, balanced: _Balanced, lasting: int, states: int | None, error: float | None) -> int:
    """How many balanced states to keep."""
    useful = balanced.part.size
    if states is not None:
        if not lasting <= states <= len(model.states):
            last = f"; {lasting} of them do not die away and are kept" if lasting else ""
            raise OptionError(f"states = {states} must be from {lasting} to {len(model.states)}{last}")
        return min(states - lasting, useful)
    assert error is not None
    if not error >= 0.0:
        raise OptionError(f"error {error:g} must be zero or more, in units of outputs per unit of inputs")
    fits = (k for k in range(useful) if 2.0 * _distinct(balanced.hankel[k:]) <= error)
    return next(fits, useful)


def _distinct(neglected: np.ndarray) -> float:
    """The sum of values that are not one and the same."""
    return float(sum(value for k, value in enumerate(neglected) if not k or not _same(neglected[k - 1], value)))


def _same(larger: float, smaller: float) -> bool:
    return larger - smaller <= EQUAL * smaller


def _beside(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    from scipy.linalg import block_diag

    return np.asarray(block_diag(first, second))


def _notes(parts: Split, balanced: _Balanced, kept: int) -> tuple[str, ...]:
    """What was kept whole, what was left out without a choice."""
    notes = []
    if parts.lasting.size:
        notes.append(f"{parts.lasting.size} states do not die away and are kept whole; the bound is that of the others")
    if parts.unseen:
        notes.append(
            f"{parts.unseen} states do not die away either, but no input reaches them or no output shows them: left out"
        )
    lost = balanced.hankel.size - balanced.part.size
    if lost:
        notes.append(f"{lost} states that die away are not reached or not shown: left out")
    if 0 < kept < balanced.part.size and _same(balanced.hankel[kept - 1], balanced.hankel[kept]):
        notes.append(
            f"the last state kept and the first left out have one Hankel value, {balanced.hankel[kept]:.3g}: any "
            "mixture of them would do as well; keep one more or one less"
        )
    return tuple(notes)
