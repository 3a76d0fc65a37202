"""The work space of a plant in generalised coordinates, beside the tables of its nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.mechanics.tables import part_of, slot
from taut.numerics.packing import Integers, Reals, counter, reader

KIND = "generalised"
WAY = 0.01
"""Of a typical length, by which a step of differences moves nodes at most, and of a radian, by which it turns them."""
BEGIN, END = 0, 1
"""Places for the state of the nodes."""


class Generalised(NamedTuple):
    """m coordinates, n coordinates of nodes, r rows: those that are kept, and then those of imposed coordinates."""

    kept: Integers  # rows of the nodes that the map does not meet by itself
    reach: Reals  # (m + 1,) how far each coordinate moves a node at the start [m]; and the mass of all [kg]
    step: Reals  # (m,) how far each goes, by itself, in differences of how nodes follow
    nodal: Reals  # two states of the nodes
    bias: Reals  # (n,) b(v, v)
    column: Reals  # (m n,) dx/dq
    mass: Reals  # (m m,) J^T M J, or its factor
    rows: Reals  # (r m,) G J
    solved: Reals  # (r m,) L^-1 (G J)^T
    schur: Reals  # (r r,) or its factor
    force: Reals  # (m,)
    speeds: Reals  # (m,)
    wanted: Reals  # (r,) G J a
    multiplier: Reals  # (r,)
    bent: Reals  # (n,)
    spare: Reals  # (2 n,)
    move_start: Reals  # (m,) of a move that strikes: coordinates at its start, ...
    move_end: Reals  # (m,) ... at its end ...
    move_rate: Reals  # (m,) ... and the rates that lead there
    change: Reals  # (m,) of rates, by an impulse
    pushed: Reals  # (n,) impulses at nodes [N s]
    weakest: Reals  # (2,) the least pivot of the rows since it was last asked for, and of the mass matrix just now


generalised_in = reader(Generalised, slot(KIND))
KEPT = part_of(KIND, Generalised, "kept")
kept_count = counter(KEPT)
WEAKEST = part_of(KIND, Generalised, "weakest")


def work_space(
    kept: np.ndarray, imposed: int, reach: np.ndarray, step: np.ndarray, nodal: int, state: int
) -> Generalised:
    """imposed: how many coordinates are. nodal: n. state: the size of a state of the nodes."""
    m, n, r = step.size, nodal, kept.size + imposed
    zeros = np.zeros
    return Generalised(
        kept=kept.astype(np.int64),
        reach=reach,
        step=step,
        nodal=zeros(2 * state),
        bias=zeros(n),
        column=zeros(m * n),
        mass=zeros(m * m),
        rows=zeros(r * m),
        solved=zeros(r * m),
        schur=zeros(r * r),
        force=zeros(m),
        speeds=zeros(m),
        wanted=zeros(r),
        multiplier=zeros(r),
        bent=zeros(n),
        spare=zeros(2 * n),
        move_start=zeros(m),
        move_end=zeros(m),
        move_rate=zeros(m),
        change=zeros(m),
        pushed=zeros(n),
        weakest=np.ones(2),
    )
