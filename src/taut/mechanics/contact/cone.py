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

import numpy as np

from taut.numerics.compiled import entry, inlined
from taut.numerics.pointers import start_of

MOST_TURNS = 100
"""Of the search for s; a bisection alone would need 50."""
CLOSE = 1e-8
"""Of s and E: a step of Newton's method after which no digit changes any more, since its error is of second order."""


SOFTNESS = 6
"""Numbers of what is known of D before any velocity is: 1 / D_nn, E, det E and the softness added to it."""


@inlined
def soften(d: np.ndarray, out: np.ndarray) -> None:
    """Fill them; d: D as its upper half."""
    per = 1.0 / d[0] if d[0] > 0.0 else 0.0
    out[0] = per
    out[1], out[2], out[3] = d[3] - d[1] * d[1] * per, d[4] - d[1] * d[2] * per, d[5] - d[2] * d[2] * per
    out[4] = out[1] * out[3] - out[2] * out[2]
    # Held along one direction, or as good as: a hair of softness makes the system regular and changes nothing else.
    # Held along the ground altogether: there is no such system.
    size = 0.5 * (d[3] + d[5])
    out[5] = -1.0 if size <= 0.0 else 0.0 if out[4] > 1e-12 * size * size else 1e-12 * size


@entry
def impulse_at(
    d: np.ndarray, u: np.ndarray, static: float, kinetic: float, soft: np.ndarray
) -> tuple[float, float, float, int]:
    """The impulse, and 1 where it slides. d: D as its upper half; u: without the impulse. soft: (SOFTNESS,) room."""
    soften(start_of(d), start_of(soft))
    pn, p1, p2, slides, _s = impulse_from(start_of(d), start_of(soft), u[0], u[1], u[2], static, kinetic, 0.0)
    return pn, p1, p2, slides


@inlined
def impulse_from(
    own: np.ndarray, soft: np.ndarray, un: float, u1: float, u2: float, static: float, kinetic: float, near: float
) -> tuple[float, float, float, int, float]:
    """The same with what `soften` filled, and s, zero where it does not slide.

    near: an s from which to begin, zero where none is known.
    """
    per, e11, e12, e22, whole, hair = soft[0], soft[1], soft[2], soft[3], soft[4], soft[5]
    if un >= 0.0 or per <= 0.0:
        return 0.0, 0.0, 0.0, 0, 0.0
    first, both = -un * per, e11 + e22
    if static <= 0.0:
        return first, 0.0, 0.0, 1, 0.0
    if hair < 0.0:
        return first, 0.0, 0.0, 0, 0.0
    m1, m2, g1, g2 = own[1] * per, own[2] * per, u1 + own[1] * first, u2 + own[2] * first
    a1, a2 = e22 * g1 - e12 * g2, e11 * g2 - e12 * g1
    w1, w2, d = a1 + hair * g1, a2 + hair * g2, whole + hair * (both + hair)
    b = first * d + m1 * w1 + m2 * w2
    if b >= 0.0 and w1 * w1 + w2 * w2 <= (static * b) ** 2:
        return b / d, -w1 / d, -w2 / d, 0, 0.0
    if kinetic <= 0.0:
        return first, 0.0, 0.0, 1, 0.0
    # Newton on b / |w|, which is straight in s where E is the same along all directions, inside a bracket.
    low, high, s = hair, math.inf, near
    if s <= low:
        s = max(math.sqrt(g1 * g1 + g2 * g2) / (kinetic * first) - 0.5 * both, 1e-3 * both)
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
        step = (b - r) * ww / slope
        new = s - step
        if slope > 0.0 and abs(step) <= CLOSE * (s + both):
            s = max(new, hair)
            break
        if not (slope > 0.0 and low < new < high):
            new = 0.5 * (low + high) if high < math.inf else 4.0 * s
            if abs(new - s) <= 2e-16 * s:
                break
        s = new
    w1, w2, d = a1 + s * g1, a2 + s * g2, whole + s * (both + s)
    return first + (m1 * w1 + m2 * w2) / d, -w1 / d, -w2 / d, 1, s
