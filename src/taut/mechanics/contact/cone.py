"""One contact by itself: the impulse that Coulomb's law asks for, exactly.

In the frame of the contact (normal first), an impulse p changes the velocity u to u + D p. Wanted is p with

    u_n + (D p)_n >= 0,  p_n >= 0,  one of them zero,
    |p_t| <= mu p_n, and where the contact slides, p_t against u_t + (D p)_t with |p_t| = mu p_n.

In a contact that stays closed the normal row gives p_n, and what is left of the others is E p_t = -g for one that
sticks and (E + s I) p_t = -g for one that slides, with one scalar s > 0.
"""

from __future__ import annotations

import math

from taut.numerics.compiled import inlined, kernel

MOST_TURNS = 100
"""Of the search for s; a bisection alone would need 50."""
CLOSE = 1e-9
"""Of s: a step of Newton's method after which no digit changes any more, since its error is of second order."""


@inlined
def _along(e11: float, e12: float, e22: float, g1: float, g2: float, s: float) -> tuple[float, float]:
    """-(E + s I)^-1 g."""
    a, b = e11 + s, e22 + s
    determinant = a * b - e12 * e12
    return (e12 * g2 - b * g1) / determinant, (e12 * g1 - a * g2) / determinant


@kernel
def impulse_at(
    nn: float,
    n1: float,
    n2: float,
    d11: float,
    d12: float,
    d22: float,
    un: float,
    u1: float,
    u2: float,
    static: float,
    kinetic: float,
) -> tuple[float, float, float, int]:
    """The impulse, and 1 where it slides. D as its upper half; u: without the impulse."""
    if un >= 0.0 or nn <= 0.0:
        return 0.0, 0.0, 0.0, 0
    first = -un / nn
    if static <= 0.0:
        return first, 0.0, 0.0, 1
    g1, g2 = u1 + n1 * first, u2 + n2 * first
    e11, e12, e22 = d11 - n1 * n1 / nn, d12 - n1 * n2 / nn, d22 - n2 * n2 / nn
    size = 0.5 * (d11 + d22)
    if size <= 0.0:  # held along the ground
        return first, 0.0, 0.0, 0
    # Held along one direction, or as good as: a hair of softness makes the system regular and changes nothing else.
    hair = 0.0 if e11 * e22 - e12 * e12 > 1e-12 * size * size else 1e-12 * size
    p1, p2 = _along(e11, e12, e22, g1, g2, hair)
    pn = first - (n1 * p1 + n2 * p2) / nn
    if pn >= 0.0 and p1 * p1 + p2 * p2 <= static * static * pn * pn:
        return pn, p1, p2, 0
    if kinetic <= 0.0:
        return first, 0.0, 0.0, 1
    # Newton on 1 / limit - 1 / |p_t|, which is straight in s where E is the same along all directions.
    low, high = hair, math.inf
    s = max(math.sqrt(g1 * g1 + g2 * g2) / (kinetic * first) - 0.5 * (e11 + e22), 1e-3 * size)
    for _ in range(MOST_TURNS):
        p1, p2 = _along(e11, e12, e22, g1, g2, s)
        r, limit = math.sqrt(p1 * p1 + p2 * p2), kinetic * (first - (n1 * p1 + n2 * p2) / nn)
        if r > limit:
            low = s
        else:
            high = s
        new, close = math.inf, CLOSE
        if r > 0.0 and limit > 0.0:
            q1, q2 = _along(e11, e12, e22, p1, p2, s)  # dp/ds
            slope = (p1 * q1 + p2 * q2) / (r * r * r) + kinetic * (n1 * q1 + n2 * q2) / (nn * limit * limit)
            new = s - (r - limit) / (r * limit * slope) if slope < 0.0 else math.inf
        if not low < new < high:
            new, close = 0.5 * (low + high) if high < math.inf else 4.0 * s, 2e-16
        done = abs(new - s) <= close * s
        s = new
        if done:
            break
    p1, p2 = _along(e11, e12, e22, g1, g2, s)
    pn = max(first - (n1 * p1 + n2 * p2) / nn, 0.0)
    r = math.sqrt(p1 * p1 + p2 * p2)
    if r > 0.0:
        p1, p2 = p1 * kinetic * pn / r, p2 * kinetic * pn / r
    return pn, p1, p2, 1
