"""What a step that conserves energy is composed of, beside `parts.py`: kernels which do nothing, in whose places
`taut.mechanics.compose` puts those of a plant.

Start and end are states as pointers: where a step of h begins, and where it ends with the velocities of the move, which
are those that lead from one to the other. What time decides is in the tables as it is in the middle of the step.
"""

from __future__ import annotations

import numpy as np

from taut.numerics.compiled import inlined
from taut.numerics.packing import Pack


@inlined
def secant_force(p: Pack, t: float, h: float, start: np.ndarray, end: np.ndarray, out: np.ndarray) -> float:
    """Add forces that over the whole step do the work by which the potential energy falls, and others; returns the
    work of the others [J]."""
    return 0.0


@inlined
def secant_stiffness(
    p: Pack,
    t: float,
    h: float,
    start: np.ndarray,
    end: np.ndarray,
    middle: np.ndarray,
    k: float,
    c: float,
    pushing: float,
    out: np.ndarray,
) -> int:
    """Fill the 3 x 3 blocks of k K + c C as `parts.term_stiffness` does, with 2 K for how the secant force changes with
    the end; returns how many numbers. What is not symmetric is left out: only convergence depends on it."""
    return 0


@inlined
def add_pressing(p: Pack, out: np.ndarray) -> None:
    """Add the impulses with which grounds press in the first half of a step [N s]."""


@inlined
def refresh_responses(p: Pack) -> None:
    """The matrix is another: fill again what impulses at closed contacts do."""


@inlined
def touches(p: Pack, end: np.ndarray) -> bool:
    """Whether anything touches a ground at the end of a step, or was pressed on the way."""
    return False


@inlined
def loses_energy(p: Pack) -> bool:
    """Whether the plant does work or loses energy by itself, contacts left out."""
    return False
