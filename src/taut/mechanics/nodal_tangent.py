"""What an implicit stage asks of the nodal formulation: how far it is from balance, and the matrix that mends it.

A stage has positions q = q0 + s v and velocities v = v0 + s a, with s a time and q0, v0 known. Newton's method solves

    [ S  G^T ] [   dq   ]   [ s^2 (f + G^T l) - s M (v - v0) ]
    [ G   0  ] [-s^2 dl ] = [ what gaps or their rates ask    ]      S = M + s C + s^2 K,   dv = dq / s

C: dampers of cables (d u u^T, u along the cable), nodes and mass. K: tangent stiffness, for a cable of length c and
whole tension t it is k u u^T + t / c (I - u u^T), and nothing where it pulls nothing; for a bar that pushes with l,
-l / length I, from the second derivative of its gap. Left out is how a damper's force turns with its cable, which is
not symmetric: a fraction s |v| / c of what is there, and only the speed of convergence hangs on it.

To S is added, for every bar, a stiffness along it: this changes no dq, its share of dl is taken away again, and it
keeps the pivots positive that a pushing bar would make negative before its own row is eliminated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from taut.mechanics.nodal import NO_LENGTH, applied_forces, cable_state, carried
from taut.mechanics.tables import PAIR_PARTS, THICK, Bars, Thick
from taut.mechanics.unpacking import (
    bars_in,
    cables_in,
    constants_in,
    free_count,
    guides_in,
    nodes_in,
    saddle_in,
    sizes_in,
    work_in,
)
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.packing import Pack, integers, reals, size_of
from taut.numerics.pointers import shifted, start_of
from taut.numerics.saddle import factorise, solve

TANGENT = THICK + len(Thick._fields)
"""Where the table begins in the pack of a plant that has it; its saddle follows."""


class Tangent(NamedTuple):
    """Places are those in the saddle's values; what belongs to a held coordinate goes to a last, idle one."""

    entry: np.ndarray  # all places of S
    node: np.ndarray  # (2 * 3 n,) of each node's own block: xx xy xz yy yz zz
    cable: np.ndarray  # (9 c,) of the block between the ends of each cable, row after row
    bar: np.ndarray  # (9 b,) of each bar, compressible ones too
    row: np.ndarray  # (6 b,) of each bar's row of G
    brace_mass: np.ndarray  # (b,) the stiffness added along each bar: of this mass [kg] ...
    brace_stiffness: np.ndarray  # (b,) ... and this stiffness [N/m] ...
    brace: np.ndarray  # (b,) ... for the present s, work space [kg]
    push: np.ndarray  # (r,) multipliers of the stage, work space [N]
    first_push: np.ndarray  # (r,) those at the start of the step [N]


@inlined
def tangent_in(p: Pack) -> Tangent:
    return Tangent(
        integers(p, TANGENT),
        integers(p, TANGENT + 1),
        integers(p, TANGENT + 2),
        integers(p, TANGENT + 3),
        integers(p, TANGENT + 4),
        reals(p, TANGENT + 5),
        reals(p, TANGENT + 6),
        reals(p, TANGENT + 7),
        reals(p, TANGENT + 8),
        reals(p, TANGENT + 9),
    )


SADDLE = TANGENT + len(Tangent._fields) - PAIR_PARTS
"""As `saddle_in` counts, which expects pairs before a saddle."""


@inlined
def _put_block(
    values: np.ndarray,
    node: np.ndarray,
    link: np.ndarray,
    i: int,
    j: int,
    along: float,
    across: float,
    u: tuple[float, float, float],
) -> None:
    """Add along u u^T + across I at both ends of a member, and take it away between them."""
    x, y, z = u
    xx, yy, zz = along * x * x + across, along * y * y + across, along * z * z + across
    xy, yz, zx = along * x * y, along * y * z, along * z * x
    for end in (2 * i, 2 * j):
        values[node[end]] += xx
        values[node[end + 1]] += xy
        values[node[end + 2]] += zx
        values[node[end + 3]] += yy
        values[node[end + 4]] += yz
        values[node[end + 5]] += zz
    values[link[0]] -= xx
    values[link[1]] -= xy
    values[link[2]] -= zx
    values[link[3]] -= xy
    values[link[4]] -= yy
    values[link[5]] -= yz
    values[link[6]] -= zx
    values[link[7]] -= yz
    values[link[8]] -= zz


@inlined
def _direction(bars: Bars, k: int, y: np.ndarray) -> tuple[float, float, float]:
    i, j, per_length = bars.first[k], bars.second[k], bars.per_length[k]
    return (y[j] - y[i]) * per_length, (y[j + 1] - y[i + 1]) * per_length, (y[j + 2] - y[i + 2]) * per_length


@kernel
def _fill(p: Pack, y: np.ndarray, s: float, pushing: float) -> None:
    nodes, bars, cables, constants, sizes = nodes_in(p), bars_in(p), cables_in(p), constants_in(p), sizes_in(p)
    tangent, values, n = tangent_in(p), saddle_in(p, SADDLE).values, sizes.coordinates
    for m in range(size_of(p, TANGENT)):
        values[tangent.entry[m]] = 0.0
    inert, drag = 1.0 + s * constants.mass_damping[0], s * constants.node_damping[0]
    for i in range(0, n, 3):
        values[tangent.node[2 * i]] += inert * nodes.mass[i] + drag
        values[tangent.node[2 * i + 3]] += inert * nodes.mass[i + 1] + drag
        values[tangent.node[2 * i + 5]] += inert * nodes.mass[i + 2] + drag
    for k in range(sizes.bars):
        i, j, link, u = bars.first[k], bars.second[k], shifted(tangent.bar, 9 * k), _direction(bars, k, y)
        push = tangent.push[k]
        across = -s * s * push * bars.per_length[k]
        brace = tangent.brace_mass[k] + s * s * tangent.brace_stiffness[k] + abs(across)
        tangent.brace[k] = brace
        _put_block(values, tangent.node, link, i, j, brace, across if push < 0.0 else pushing * across, u)
        for axis in range(3):
            values[tangent.row[6 * k + axis]] = -u[axis]
            values[tangent.row[6 * k + 3 + axis]] = u[axis]
    for k in range(sizes.rods):
        for axis in range(3):
            values[tangent.bar[9 * k + 4 * axis]] += inert * bars.coupling[k]
    for k in range(sizes.cables):
        length, _, elastic, viscous = cable_state(cables, k, y, n, constants.cables_damp[0])
        least, tension = cables.least[k], elastic + viscous
        if length > NO_LENGTH and length - cables.rest_length[k] > least and tension > least:
            i, j = cables.first[k], cables.second[k]
            across = s * s * tension / length
            along = s * (s * cables.stiffness[k] + cables.damping[k])
            if across < 0.0:
                across *= pushing
            u = (y[j] - y[i]) / length, (y[j + 1] - y[i + 1]) / length, (y[j + 2] - y[i + 2]) / length
            _put_block(values, tangent.node, shifted(tangent.cable, 9 * k), i, j, along - across, across, u)


@entry
def stiffen(p: Pack, y: np.ndarray, s: float) -> int:
    """Factor S at a state and for a time s [s], with the stage's multipliers; negative if even then it is not positive.

    Where pushing members would buckle within s, S is not positive on the constraints. Then their share across is left
    out: Newton's method goes on with a stiffer matrix.
    """
    state = start_of(y)
    _fill(p, state, s, 1.0)
    dropped = factorise(saddle_in(p, SADDLE))
    if dropped < 0:
        _fill(p, state, s, 0.0)
        dropped = factorise(saddle_in(p, SADDLE))
    return dropped


@entry
def imbalance(p: Pack, t: float, y: np.ndarray, base: np.ndarray, s: float, out: np.ndarray) -> float:
    """out = s^2 (f + G^T l) - s M (v - v0) with v0 from `base`; returns the power of loads and dampers."""
    bars, guides, work, sizes = bars_in(p), guides_in(p), work_in(p), sizes_in(p)
    state, before, left, n = start_of(y), start_of(base), start_of(out), sizes.coordinates
    force, push = work.force, tangent_in(p).push
    power = applied_forces(p, t, state, force)
    for k in range(sizes.bars):
        i, j = bars.first[k], bars.second[k]
        u = _direction(bars, k, state)
        for axis in range(3):
            force[i + axis] -= push[k] * u[axis]
            force[j + axis] += push[k] * u[axis]
    for k in range(sizes.guides):
        for m in range(guides.start[k], guides.start[k + 1]):
            force[guides.coordinate[m]] += push[sizes.bars + k] * guides.coefficient[m]
    for i in range(n):
        work.acceleration[i] = state[n + i] - before[n + i]
    carried(p, state, work.acceleration, left)
    for i in range(n):
        left[i] = s * (s * force[i] - left[i])
    return power


@entry
def relax(p: Pack, covector: np.ndarray, rates: np.ndarray, direction: np.ndarray, gain: float) -> None:
    """direction = S^-1 (covector + G^T l) with G direction = rates, after `stiffen`; multipliers += gain * l."""
    work, tangent, sizes, free, count = work_in(p), tangent_in(p), sizes_in(p), nodes_in(p).free, free_count(p)
    given, wanted, out = start_of(covector), start_of(rates), start_of(direction)
    for m in range(count):
        work.top[m] = given[free[m]]
    solve(saddle_in(p, SADDLE), work.top, wanted, work.unknown, work.multiplier)
    for i in range(sizes.coordinates):
        out[i] = 0.0
    for m in range(count):
        out[free[m]] = work.unknown[m]
    for k in range(sizes.bars):
        tangent.push[k] += gain * (work.multiplier[k] - tangent.brace[k] * wanted[k])
    for k in range(sizes.bars, sizes.bars + sizes.guides):
        tangent.push[k] += gain * work.multiplier[k]


@entry
def keep_pushes(p: Pack) -> None:
    """Keep the multipliers that `rate` just found, as those from which every try of this step begins."""
    tangent, found = tangent_in(p), work_in(p).multiplier
    for k in range(sizes_in(p).bars + sizes_in(p).guides):
        tangent.first_push[k] = found[k]


@entry
def recall_pushes(p: Pack) -> None:
    """Begin with the multipliers at the start of the step."""
    tangent = tangent_in(p)
    for k in range(sizes_in(p).bars + sizes_in(p).guides):
        tangent.push[k] = tangent.first_push[k]


TANGENT_VERBS: Mapping[str, Callable[..., Any]] = {
    "stiffen": stiffen,
    "imbalance": imbalance,
    "relax": relax,
    "keep_pushes": keep_pushes,
    "recall_pushes": recall_pushes,
}
"""What implicit steps ask of a plant's tables beside `taut.mechanics.verb_sets.NODAL_VERBS`."""
