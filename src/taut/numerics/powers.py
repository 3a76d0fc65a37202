"""Powers of positive numbers, with the same bits on every machine.

Processors' libraries round them differently, and a step that is longer by its last bit makes another motion to the last
bit. A logarithm by the series of the inverse hyperbolic tangent and an exponential by Taylor's, with the four
operations alone: right to some units in the last place where base and result are no further from one than 2^60.
"""

from __future__ import annotations

import math

import numpy as np

from taut.numerics.compiled import entry, inlined

_LN2 = math.log(2.0)
_ROOT2 = math.sqrt(2.0)
_FRACTION, _ONE, _BIAS = np.int64((1 << 52) - 1), np.int64(1023 << 52), 1023


@inlined
def _log2(x: float) -> float:
    """Of a normal number more than zero: its exponent, and 2 artanh((m - 1) / (m + 1)) of what is left of it."""
    bits = np.float64(x).view(np.int64)
    exponent = (bits >> np.int64(52)) - _BIAS
    m = np.int64((bits & _FRACTION) | _ONE).view(np.float64)
    if m > _ROOT2:
        m, exponent = 0.5 * m, exponent + 1
    s = (m - 1.0) / (m + 1.0)
    z, total = s * s, 0.0
    for k in range(10, -1, -1):
        total = total * z + 1.0 / (2.0 * k + 1.0)
    return exponent + 2.0 * s * total / _LN2


@inlined
def _exp2(x: float) -> float:
    whole = math.floor(x + 0.5)
    g, total = (x - whole) * _LN2, 1.0
    for k in range(14, 0, -1):
        total = 1.0 + total * g / k
    return total * np.int64((np.int64(whole) + _BIAS) << 52).view(np.float64)


@entry
def raised(base: float, exponent: float) -> float:
    """base ** exponent."""
    return _exp2(exponent * _log2(base))
