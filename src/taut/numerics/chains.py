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


@woven
def factor_chains(s: Saddle) -> int:
    """Eliminate all links; returns how many rows say nothing (in any lane), -1 if W is not positive."""
    values, found, child, ends, links = s.values, s.found, s.child, s.sizes[3], s.sizes[2]
    empty = 0
    for k in range(ends):
        v, f = GIVEN * k, FOUND * k
        mx, my, mz = values[v], values[v + 1], values[v + 2]
        if not every(min(mx, min(my, mz)) > 0.0):
            return -1
        found[f], found[f + 2], found[f + 5] = 1.0 / mx, 1.0 / my, 1.0 / mz
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
    return empty


@inlined
def _yield(found: np.ndarray, f: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    p10, p20, p21 = found[f + 1], found[f + 3], found[f + 4]
    return (
        found[f] * x + p10 * y + p20 * z,
        p10 * x + found[f + 2] * y + p21 * z,
        p20 * x + p21 * y + found[f + 5] * z,
    )


@woven
def forth_chains(s: Saddle) -> None:
    """The first half of a solve, in place."""
    values, found, b, onto, row, links = s.values, s.found, s.vector, s.onto, s.link_row, s.sizes[2]
    for k in range(links):
        v, f, at = GIVEN * k, FOUND * k, 4 * k
        x, y, z, rate = b[at], b[at + 1], b[at + 2], b[at + 3]
        kx, ky, kz = found[f + 6], found[f + 7], found[f + 8]
        b[at + 3] = kx * x + ky * y + kz * z - s.inverse_pivot[at + 3] * rate
        x, y, z = _yield(found, f, x, y, z)
        x, y, z = x + kx * rate, y + ky * rate, z + kz * rate
        b[at], b[at + 1], b[at + 2] = x, y, z
        to = onto[k]
        b[to] -= values[v + COUPLING] * x
        b[to + 1] -= values[v + COUPLING + 1] * y
        b[to + 2] -= values[v + COUPLING + 2] * z
        b[row[k]] -= values[v + OWN] * x + values[v + OWN + 1] * y + values[v + OWN + 2] * z


@woven
def back_chains(s: Saddle) -> None:
    """The second half."""
    values, found, b, onto, row, links = s.values, s.found, s.vector, s.onto, s.link_row, s.sizes[2]
    for k in range(links - 1, -1, -1):
        v, f, at, to = GIVEN * k, FOUND * k, 4 * k, onto[k]
        pull = b[row[k]]
        x = values[v + COUPLING] * b[to] + values[v + OWN] * pull
        y = values[v + COUPLING + 1] * b[to + 1] + values[v + OWN + 1] * pull
        z = values[v + COUPLING + 2] * b[to + 2] + values[v + OWN + 2] * pull
        b[at + 3] -= found[f + 6] * x + found[f + 7] * y + found[f + 8] * z
        x, y, z = _yield(found, f, x, y, z)
        b[at] -= x
        b[at + 1] -= y
        b[at + 2] -= z
