"""Sine and cosine of one angle at once, in numbers or lanes of them, to the same bits.

The processor's library has them for one number at a time, half of a step of a robot with 24 winches in lanes.
The polynomials are those of fdlibm (Sun Microsystems, 1993), right to one unit in the last place on |x| <= pi / 4.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from taut.numerics.compiled import entry, inlined
from taut.numerics.lanes import some, where

MOST = 1e6
"""[rad] Larger angles are left to the library: more than 2^20 quarters of a turn are not taken off exactly."""

_QUARTERS = 2.0 / math.pi
_WHOLE = 1.5 * 2.0**52
"""What is added to it and taken away again is rounded to a whole number."""
_FIRST, _REST = 1.57079632673412561417, 6.07710050650619224932e-11
"""A quarter of a turn: 33 bits, so that 2^20 times it is exact, and what is left of it."""


@inlined
def _sine(x: float, rest: float) -> float:
    z = x * x
    r = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06)
    r = r + z * (z * z) * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
    v = z * x
    return x - ((z * (0.5 * rest - v * r) - rest) - v * -1.66666666666666324348e-01)


@inlined
def _cosine(x: float, rest: float) -> float:
    z = x * x
    r = z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05))
    far = -2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)
    r = r + (z * z) * (z * z) * far
    w = 1.0 - 0.5 * z
    return w + (((1.0 - w) - 0.5 * z) + (z * r - x * rest))


@inlined
def sine_and_cosine(angle: float) -> tuple[float, float]:
    """angle: [rad]"""
    turns = (angle * _QUARTERS + _WHOLE) - _WHOLE
    near = angle - turns * _FIRST
    x = near - turns * _REST
    rest = (near - x) - turns * _REST
    s, c = _sine(x, rest), _cosine(x, rest)
    quarter = turns - 4.0 * ((0.25 * turns + _WHOLE) - _WHOLE)  # of -2, -1, 0, 1, 2
    odd = abs(quarter) == 1.0
    sine, cosine = where(odd, c, s), where(odd, s, c)
    sine = where((quarter < -0.5) | (quarter > 1.5), -sine, sine)
    cosine = where((quarter > 0.5) | (quarter < -1.5), -cosine, cosine)
    large = abs(angle) > MOST
    if some(large):
        sine, cosine = where(large, math.sin(angle), sine), where(large, math.cos(angle), cosine)
    return sine, cosine


@entry
def fill_sines(angles: np.ndarray, out: Any) -> None:
    """out: (angles, 2)."""
    for k in range(angles.size):
        out[k, 0], out[k, 1] = sine_and_cosine(angles[k])
