"""Viscous damping of every node, and Rayleigh's in proportion to the mass: force -c v - alpha M v.

A point that a plate has beside its nodes is no node that anything drags: it has c = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.mechanics.kinds import Given, Term
from taut.mechanics.parts import carry
from taut.mechanics.tables import coordinate_count, part_of, slot, work_in
from taut.numerics.compiled import inlined
from taut.numerics.packing import Integers, Pack, Reals, reader
from taut.numerics.pointers import shifted
from taut.structure.plates import auxiliary_points


class NodeDamping(NamedTuple):
    damps: Integers  # (1,) 1 where either is not zero
    node: Reals  # (3 n,) c of every coordinate [N s/m]
    mass: Reals  # (1,) alpha [1/s]


damping_in = reader(NodeDamping, slot("damping"))
NODE_DAMPS = part_of("damping", NodeDamping, "damps")


@inlined
def force(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    damping, n, power = damping_in(p), coordinate_count(p), 0.0
    if damping.damps[0] == 1:
        alpha, momentum = damping.mass[0], work_in(p).balance
        carry(p, y, shifted(y, n), momentum)
        for i in range(n):
            drag = -alpha * momentum[i] - damping.node[i] * y[n + i]
            out[i] += drag
            power += drag * y[n + i]
    return power


@inlined
def secant_force(p: Pack, t: float, h: float, start: np.ndarray, end: np.ndarray, out: np.ndarray) -> float:
    """With the velocities of the move."""
    return h * force(p, t, end, out)


def tabulate(given: Given) -> NodeDamping:
    c, alpha = given.damping.node, given.damping.mass
    apart = auxiliary_points(given.structure)
    own = [0.0 if node in apart else float(c) for node in given.structure.nodes]
    return NodeDamping(np.array([int(c != 0.0 or alpha != 0.0)]), np.repeat(own, 3), np.array([float(alpha)]))


def dampers(given: Given, table: NodeDamping) -> tuple[str, ...]:
    every = ("every node",) if table.node.any() else ()
    return (*every, "the mass") if table.mass[0] else every


DAMPING = Term("damping", NodeDamping, tabulate, force=force, dampers=dampers, secant_force=secant_force, lanes=True)
