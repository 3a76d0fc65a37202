"""Chains in the saddle-point system: blocks of three unknowns that hang on one another by a row of G each.

A link of a chain has three unknowns with a diagonal weight m, one row (own at the link, next at the one it hangs on)
and a diagonal coupling c to the next. Behind it stands at most one other link. Eliminating a link, then the row behind
it, leaves a 3x3 matrix P, how it yields to a push, and all that the next link sees of everything behind is P:

    [ m - c P c    w ]     w = next - c P own
    [    w^T      -s ]     s = own . P own

The row waits for both its ends: its pivot -(s + w . H w), H the inverse of m - c P c, is a sum of one sign and cannot
vanish unless the row does, however heavy or light the links are.
"""

from __future__ import annotations

import numpy as np

from taut.numerics.compiled import inlined, woven
from taut.numerics.lanes import every, some, where
from taut.numerics.saddle_table import Saddle

MASS, COUPLING, OWN, NEXT, GIVEN = 0, 3, 6, 9, 12
"""Where a link's numbers stand, and how many it has: m, c, and its row at itself and at the next."""
YIELDING, PULL, FOUND = 0, 6, 9
"""Where what is found stands, and how many: P (00 10 11 20 21 22), and H w / (s + w . H w)."""

Behind = tuple[float, float, float, float, float, float, float, float, float, float]


@inlined
def behind(values: np.ndarray, found: np.ndarray, link: int) -> Behind:
    """What the next one sees of a link: c P c (00 10 11 20 21 22), w, s."""
    v, f = GIVEN * link, FOUND * link
    p00, p10, p11, p20, p21, p22 = found[f], found[f + 1], found[f + 2], found[f + 3], found[f + 4], found[f + 5]
    cx, cy, cz = values[v + COUPLING], values[v + COUPLING + 1], values[v + COUPLING + 2]
    gx, gy, gz = values[v + OWN], values[v + OWN + 1], values[v + OWN + 2]
    x, y, z = p00 * gx + p10 * gy + p20 * gz, p10 * gx + p11 * gy + p21 * gz, p20 * gx + p21 * gy + p22 * gz
    return (
        cx * cx * p00,
        cx * cy * p10,
        cy * cy * p11,
        cx * cz * p20,
        cy * cz * p21,
        cz * cz * p22,
        values[v + NEXT] - cx * x,
        values[v + NEXT + 1] - cy * y,
        values[v + NEXT + 2] - cz * z,
        gx * x + gy * y + gz * z,
    )


@inlined
def _yield(found: np.ndarray, f: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    p10, p20, p21 = found[f + 1], found[f + 3], found[f + 4]
    return (
        found[f] * x + p10 * y + p20 * z,
        p10 * x + found[f + 2] * y + p21 * z,
        p20 * x + p21 * y + found[f + 5] * z,
    )


@inlined
def _forth(s: Saddle, k: int, x: float, y: float, z: float, rate: float) -> None:
    """What a link does by itself under what acts on it, with the right-hand side of its row."""
    found, b, f, at = s.found, s.vector, FOUND * k, 4 * k
    kx, ky, kz = found[f + 6], found[f + 7], found[f + 8]
    b[at + 3] = kx * x + ky * y + kz * z - s.inverse_pivot[at + 3] * rate
    x, y, z = _yield(found, f, x, y, z)
    b[at], b[at + 1], b[at + 2] = x + kx * rate, y + ky * rate, z + kz * rate


@inlined
def _begin_chain(s: Saddle, k: int, top: np.ndarray) -> None:
    """The first half of a solve at a link with nothing behind it."""
    u, b = s.unknown[k], s.vector
    b[4 * k + 3] = 0.0  # a place that stands empty
    _forth(s, k, top[u], top[u + 1], top[u + 2], b[4 * k + 3])


@inlined
def _go_on(s: Saddle, k: int, top: np.ndarray, bottom: np.ndarray) -> None:
    """The same at a link with another behind it."""
    values, b, u, v, at = s.values, s.vector, s.unknown[k], GIVEN * s.child[k], 4 * s.child[k]
    x, y, z = b[at], b[at + 1], b[at + 2]
    rate = bottom[s.row[k]] - (values[v + OWN] * x + values[v + OWN + 1] * y + values[v + OWN + 2] * z)
    fx = top[u] - values[v + COUPLING] * x
    fy = top[u + 1] - values[v + COUPLING + 1] * y
    fz = top[u + 2] - values[v + COUPLING + 2] * z
    _forth(s, k, fx, fy, fz, rate)


@woven
def factor_chains(s: Saddle, top: np.ndarray, bottom: np.ndarray, begins: int) -> int:
    """Eliminate all links; returns how many rows say nothing (in any lane), -1 if W is not positive.

    begins: 1 to make the first half of a solve too, link by link, as long as their numbers are at hand.
    """
    values, found, child, ends, links = s.values, s.found, s.child, s.sizes[3], s.sizes[2]
    empty = 0
    for k in range(ends):
        v, f = GIVEN * k, FOUND * k
        mx, my, mz = values[v], values[v + 1], values[v + 2]
        if not every(min(mx, min(my, mz)) > 0.0):
            return -1
        found[f], found[f + 2], found[f + 5] = 1.0 / mx, 1.0 / my, 1.0 / mz
        if begins == 1:
            _begin_chain(s, k, top)
    for k in range(ends, links):
        b00, b10, b11, b20, b21, b22, wx, wy, wz, own = behind(values, found, child[k])
        v, f = GIVEN * k, FOUND * k
        d0 = values[v] - b00
        i0 = 1.0 / d0
        l1, l2 = -b10 * i0, -b20 * i0
        d1 = values[v + 1] - b11 + l1 * b10
        i1 = 1.0 / d1
        e = l2 * b10 - b21
        l3 = e * i1
        d2 = values[v + 2] - b22 + l2 * b20 - l3 * e
        if not every(min(d0, min(d1, d2)) > 0.0):
            return -1
        h22 = 1.0 / d2
        m = l1 * l3 - l2  # the corner of L^-1
        h21, h20 = -l3 * h22, m * h22
        h11, h10 = i1 - l3 * h21, -l1 * i1 - l3 * h20
        h00 = i0 + l1 * l1 * i1 + m * h20
        x, y, z = h00 * wx + h10 * wy + h20 * wz, h10 * wx + h11 * wy + h21 * wz, h20 * wx + h21 * wy + h22 * wz
        pivot = own + wx * x + wy * y + wz * z
        nothing = pivot <= 0.0
        inverse = where(nothing, 0.0, 1.0) / where(nothing, 1.0, pivot)
        if some(nothing):
            empty += 1
        kx, ky, kz = x * inverse, y * inverse, z * inverse
        s.inverse_pivot[4 * k + 3] = inverse
        found[f], found[f + 1], found[f + 2] = h00 - x * kx, h10 - y * kx, h11 - y * ky
        found[f + 3], found[f + 4], found[f + 5] = h20 - z * kx, h21 - z * ky, h22 - z * kz
        found[f + 6], found[f + 7], found[f + 8] = kx, ky, kz
        if begins == 1:
            _go_on(s, k, top, bottom)
    return empty


@woven
def forth_chains(s: Saddle, top: np.ndarray, bottom: np.ndarray) -> None:
    """The first half of a solve."""
    for k in range(s.sizes[3]):
        _begin_chain(s, k, top)
    for k in range(s.sizes[3], s.sizes[2]):
        _go_on(s, k, top, bottom)


@woven
def leave_chains(s: Saddle) -> None:
    """What chains leave on the blocks that they hang on."""
    values, b = s.values, s.vector
    for h in range(s.sizes[4]):
        k = s.hanging[4 * h]
        v, at, to, row = GIVEN * k, 4 * k, s.onto[k], s.link_row[k]
        x, y, z = b[at], b[at + 1], b[at + 2]
        b[to] -= values[v + COUPLING] * x
        b[to + 1] -= values[v + COUPLING + 1] * y
        b[to + 2] -= values[v + COUPLING + 2] * z
        b[row] -= values[v + OWN] * x + values[v + OWN + 1] * y + values[v + OWN + 2] * z


@woven
def back_chains(s: Saddle, x: np.ndarray, multipliers: np.ndarray) -> None:
    """The second half; fills the unknowns and the multipliers of all links."""
    values, found, b, ends = s.values, s.found, s.vector, s.sizes[3]
    for k in range(s.sizes[2] - 1, -1, -1):
        v, f, at, to, u = GIVEN * k, FOUND * k, 4 * k, s.onto[k], s.unknown[k]
        pull = b[s.link_row[k]]
        px = values[v + COUPLING] * b[to] + values[v + OWN] * pull
        py = values[v + COUPLING + 1] * b[to + 1] + values[v + OWN + 1] * pull
        pz = values[v + COUPLING + 2] * b[to + 2] + values[v + OWN + 2] * pull
        push = b[at + 3] - (found[f + 6] * px + found[f + 7] * py + found[f + 8] * pz)
        px, py, pz = _yield(found, f, px, py, pz)
        px, py, pz = b[at] - px, b[at + 1] - py, b[at + 2] - pz
        b[at], b[at + 1], b[at + 2], b[at + 3] = px, py, pz, push
        x[u], x[u + 1], x[u + 2] = px, py, pz
        if k >= ends:
            multipliers[s.row[k]] = -push
