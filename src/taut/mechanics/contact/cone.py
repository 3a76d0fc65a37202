"""One contact by itself: the impulse that Coulomb's law asks for, exactly.

In the frame of the contact (normal first), an impulse p changes the velocity u to u + D p. Wanted is p with

    u_n + (D p)_n >= 0,  p_n >= 0,  one of them zero,
    |p_t| <= mu p_n, and where the contact slides, p_t against u_t + (D p)_t with |p_t| = mu p_n.

In a contact that stays closed the normal row gives p_n, and what is left of the others is E p_t = -g for one that
sticks and (E + s I) p_t = -g for one that slides, with one scalar s > 0. By Cramer's rule p_t = -w / d with
w = adj(E) g + s g, straight in s, and d = det(E + s I); so s is where the cone's b = mu d p_n meets |w|.
"""

from __future__ import annotations

import math

from taut.numerics.compiled import inlined, kernel

MOST_TURNS = 100
"""Of the search for s; a bisection alone would need 50."""
CLOSE = 1e-9
"""Of s: a step of Newton's method after which no digit changes any more, since its error is of second order."""


@inlined
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
    pn, p1, p2, slides, _s = impulse_from(nn, n1, n2, d11, d12, d22, un, u1, u2, static, kinetic, 0.0)
    return pn, p1, p2, slides


@kernel
def impulse_from(
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
    near: float,
) -> tuple[float, float, float, int, float]:
    """The same and s, zero where it does not slide; near: an s from which to begin, zero where none is known."""
    if un >= 0.0 or nn <= 0.0:
        return 0.0, 0.0, 0.0, 0, 0.0
    first = -un / nn
    if static <= 0.0:
        return first, 0.0, 0.0, 1, 0.0
    m1, m2 = n1 / nn, n2 / nn
    g1, g2 = u1 + n1 * first, u2 + n2 * first
    e11, e12, e22 = d11 - n1 * m1, d12 - n1 * m2, d22 - n2 * m2
    size, both, whole = 0.5 * (d11 + d22), e11 + e22, e11 * e22 - e12 * e12
    if size <= 0.0:  # held along the ground
        return first, 0.0, 0.0, 0, 0.0
    # Held along one direction, or as good as: a hair of softness makes the system regular and changes nothing else.
    hair = 0.0 if whole > 1e-12 * size * size else 1e-12 * size
    a1, a2 = e22 * g1 - e12 * g2, e11 * g2 - e12 * g1
    w1, w2, d = a1 + hair * g1, a2 + hair * g2, whole + hair * (both + hair)
    pn = first + (m1 * w1 + m2 * w2) / d
    if pn >= 0.0 and w1 * w1 + w2 * w2 <= (static * pn * d) ** 2:
        return pn, -w1 / d, -w2 / d, 0, 0.0
    if kinetic <= 0.0:
        return first, 0.0, 0.0, 1, 0.0
    # Newton on b / |w|, which is straight in s where E is the same along all directions, inside a bracket.
    low, high, s = hair, math.inf, near
    if s <= low:
        s = max(math.sqrt(g1 * g1 + g2 * g2) / (kinetic * first) - 0.5 * both, 1e-3 * size)
    mg = m1 * g1 + m2 * g2
    for _ in range(MOST_TURNS):
        w1, w2, d = a1 + s * g1, a2 + s * g2, whole + s * (both + s)
        b, ww = kinetic * (first * d + m1 * w1 + m2 * w2), w1 * w1 + w2 * w2
        r = math.sqrt(ww)
        if r > b:
            low = s
        else:
            high = s
        slope = kinetic * (first * (both + 2.0 * s) + mg) * ww - b * (w1 * g1 + w2 * g2)
        new, close = s - (b - r) * ww / slope, CLOSE
        if not (slope > 0.0 and low < new < high):
            new, close = 0.5 * (low + high) if high < math.inf else 4.0 * s, 2e-16
        done = abs(new - s) <= close * s
        s = new
        if done:
            break
    w1, w2, d = a1 + s * g1, a2 + s * g2, whole + s * (both + s)
    pn, r = max(first + (m1 * w1 + m2 * w2) / d, 0.0), math.sqrt(w1 * w1 + w2 * w2)
    if r > 0.0:
        w1, w2 = kinetic * pn * w1 / r, kinetic * pn * w2 / r
    return pn, -w1, -w2, 1, s
