"""What an implicit stage asks of a nodal plant: how far it is from balance, and the matrix that mends it.

A stage has positions q = q0 + s v and velocities v = v0 + s a, with s a time and q0, v0 known. Newton's method solves

    [ S  G^T ] [   dq   ]   [ s^2 (f + G^T l) - s M (v - v0) ]
    [ G   0  ] [-s^2 dl ] = [ what residuals or their rates ask ]      S = M + s C + s^2 K,   dv = dq / s

with the stiffness K and the damping C of all terms and rows, the same that linear models and statics have. Left out is
what is not symmetric (how a damper's force turns with its cable) and how velocity terms of cylinders change: fractions
s |v| / length of what is there, and only the speed of convergence depends on it.

To S is added, for every row that bends, a stiffness along it: this changes no dq, its share of dl is taken away again,
and it keeps the pivots positive that a pushing bar would make negative before its own row is eliminated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.mechanics.inertia.thin import rod_count, thin_in
from taut.mechanics.operations.motion import all_forces
from taut.mechanics.parts import (
    carry,
    impose,
    imposed_power,
    inertia_blocks,
    moved_power,
    row_power,
    row_stiffness,
    row_values,
    set_stage,
    term_stiffness,
)
from taut.mechanics.rows.jacobian import add_transposed
from taut.mechanics.systems.saddle import saddle_at
from taut.mechanics.tables import (
    JACOBIAN,
    coordinate_count,
    free_count,
    jacobian_in,
    nodes_in,
    part_of,
    row_count,
    slot,
    work_in,
)
from taut.mechanics.terms.damping import damping_in
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.packing import Integers, Pack, Reals, reader, size_of
from taut.numerics.pointers import shifted, start_of
from taut.numerics.saddle import factorise
from taut.numerics.saddle import solve as solve_factored


class Newton(NamedTuple):
    """Places are those in the saddle's values; what belongs to a held coordinate goes to a last, idle one.

    Links are pairs of nodes with a 3 x 3 block each: of cylinders, terms and rows, one after another.
    """

    entry: Integers  # all places of S
    node: Integers  # (6 n,) of each node's own block: xx xy xz yy yz zz
    rod: Integers  # (3 b,) of the diagonal of the block between the ends of each bar
    first: Integers  # (m,) nodes of links
    second: Integers  # (m,) or -1 where a link ends at the ground
    one_way: Integers  # (m,) 1 where a link's block stands at its first node, and another link leads back
    link: Integers  # (9 m,) of the block between the nodes of each link, row after row
    row: Integers  # (e,) of the entries of G
    block: Reals  # (9 m,) blocks of links, work space
    brace_mass: Reals  # (r,) the stiffness added along each row: of this mass [kg] ...
    brace_stiffness: Reals  # (r,) ... and this stiffness [N/m] ...
    brace: Reals  # (r,) ... for the present s, work space [kg]
    multiplier: Reals  # (r,) of the stage, work space [N]
    first_multiplier: Reals  # (r,) those at the start of the step [N]
    effort: Reals  # (3,) of steps that conserve energy: most iterations, steps that did not converge, change left


newton_in = reader(Newton, slot("newton"))
LINKS = part_of("newton", Newton, "first")
ENTRIES = part_of("newton", Newton, "entry")
NEWTON_SADDLE = slot("newton_saddle")


@inlined
def _scatter(p: Pack, values: np.ndarray) -> None:
    """Add the blocks of all links at both ends, and take them away between them.

    Where two links lead one way each, half of what stands between their nodes comes with either.
    """
    newton = newton_in(p)
    for m in range(size_of(p, LINKS)):
        i, j, b, link = newton.first[m], newton.second[m], shifted(newton.block, 9 * m), shifted(newton.link, 9 * m)
        _add_to_node(values, shifted(newton.node, 2 * i), b)
        if newton.one_way[m] == 1:
            for e in range(9):
                values[link[e]] -= 0.5 * b[e]
        elif j >= 0:
            _add_to_node(values, shifted(newton.node, 2 * j), b)
            for e in range(9):
                values[link[e]] -= b[e]


@inlined
def _add_to_node(values: np.ndarray, node: np.ndarray, b: np.ndarray) -> None:
    values[node[0]] += b[0]
    values[node[1]] += b[1]
    values[node[2]] += b[2]
    values[node[3]] += b[4]
    values[node[4]] += b[5]
    values[node[5]] += b[8]


@inlined
def begin_filling(p: Pack, y: np.ndarray, s: float) -> int:
    """Fill what inertia and the damping of nodes have in S; returns how many numbers of blocks there are so far."""
    newton, thin, damping = newton_in(p), thin_in(p), damping_in(p)
    values = saddle_at(p, NEWTON_SADDLE).values
    for m in range(size_of(p, ENTRIES)):
        values[newton.entry[m]] = 0.0
    inert = 1.0 + s * damping.mass[0]
    for i in range(0, coordinate_count(p), 3):
        values[newton.node[2 * i]] += inert * thin.diagonal[i] + s * damping.node[i]
        values[newton.node[2 * i + 3]] += inert * thin.diagonal[i + 1] + s * damping.node[i + 1]
        values[newton.node[2 * i + 5]] += inert * thin.diagonal[i + 2] + s * damping.node[i + 2]
    for k in range(rod_count(p)):
        for axis in range(3):
            values[newton.rod[3 * k + axis]] += inert * thin.coupling[k]
    for k in range(row_count(p)):
        newton.brace[k] = newton.brace_mass[k] + s * s * newton.brace_stiffness[k]
    return inertia_blocks(p, y, inert, newton.block)


@inlined
def end_filling(p: Pack, y: np.ndarray, s: float, pushing: float, filled: int) -> None:
    """Fill what rows have in S and G, and put all blocks where they belong."""
    newton, jacobian, values = newton_in(p), jacobian_in(p), saddle_at(p, NEWTON_SADDLE).values
    row_stiffness(p, y, newton.multiplier, s * s, pushing, newton.brace, shifted(newton.block, filled))
    _scatter(p, values)
    row_values(p, y, jacobian.value)
    for m in range(size_of(p, JACOBIAN)):
        values[newton.row[m]] = jacobian.value[m]


@kernel
def _fill(p: Pack, t: float, y: np.ndarray, s: float, pushing: float) -> None:
    filled = begin_filling(p, y, s)
    filled += term_stiffness(p, t, y, s * s, s, pushing, 0.0, shifted(newton_in(p).block, filled))
    end_filling(p, y, s, pushing, filled)


@entry
def factor_newton(p: Pack, t: float, y: np.ndarray, base: np.ndarray, s: float) -> int:
    """Factor S at a state and for a time s [s], with the stage's multipliers; negative if even then it is not positive.

    Where pushing members would buckle within s, S is not positive on the constraints. Then their share across is left
    out: Newton's method goes on with a stiffer matrix. v0 is not in it: M does not change, or slowly.
    """
    state = start_of(y)
    impose(p, t, state)
    set_stage(p, s)
    _fill(p, t, state, s, 1.0)
    dropped = factorise(saddle_at(p, NEWTON_SADDLE))
    if dropped < 0:
        _fill(p, t, state, s, 0.0)
        dropped = factorise(saddle_at(p, NEWTON_SADDLE))
    set_stage(p, 0.0)
    return dropped


@entry
def newton_residual(p: Pack, t: float, y: np.ndarray, base: np.ndarray, s: float, out: np.ndarray) -> float:
    """out = s^2 (f + G^T l) - s M (v - v0) with v0 from `base`; returns the power of what does work."""
    work, state, before, left, n = work_in(p), start_of(y), start_of(base), start_of(out), coordinate_count(p)
    impose(p, t, state)
    force, free = work.force, nodes_in(p).free
    set_stage(p, s)
    power = all_forces(p, t, state, force) + imposed_power(p, t, state)
    set_stage(p, 0.0)
    power += row_power(p, state, newton_in(p).multiplier)
    row_values(p, state, jacobian_in(p).value)
    add_transposed(p, 1.0, newton_in(p).multiplier, force)
    for i in range(n):
        work.acceleration[i] = s * work.known[i]  # of held coordinates time says it, whatever the stage
    for m in range(free_count(p)):
        i = free[m]
        work.acceleration[i] = state[n + i] - before[n + i]
    carry(p, state, work.acceleration, left)
    for i in range(n):
        left[i] = s * (s * force[i] - left[i])
    return power + moved_power(p, state, -1.0 / (s * s), left)


@entry
def solve_newton(p: Pack, force: np.ndarray, rates: np.ndarray, direction: np.ndarray, gain: float) -> None:
    """direction = S^-1 (force + G^T l) with G direction = rates, after `factor_newton`; multipliers += gain * l."""
    work, newton, free, count = work_in(p), newton_in(p), nodes_in(p).free, free_count(p)
    given, wanted, out = start_of(force), start_of(rates), start_of(direction)
    for m in range(count):
        work.top[m] = given[free[m]]
    solve_factored(saddle_at(p, NEWTON_SADDLE), work.top, wanted, work.unknown, work.multiplier)
    for i in range(coordinate_count(p)):
        out[i] = 0.0
    for m in range(count):
        out[free[m]] = work.unknown[m]
    for k in range(row_count(p)):
        newton.multiplier[k] += gain * (work.multiplier[k] - newton.brace[k] * wanted[k])


@entry
def keep_multipliers(p: Pack) -> None:
    """Keep the multipliers that `rate` just found, as those from which every try of this step begins."""
    newton, found = newton_in(p), work_in(p).multiplier
    for k in range(row_count(p)):
        newton.first_multiplier[k] = found[k]


@entry
def recall_multipliers(p: Pack) -> None:
    """Begin with the multipliers at the start of the step."""
    newton = newton_in(p)
    for k in range(row_count(p)):
        newton.multiplier[k] = newton.first_multiplier[k]
