"""Normal noise by number: the k-th of a seed and a channel, whoever asks and in whatever order.

A generator with a state of its own would give another noise to a run that is restored, continued or spread over
threads. The bits are those of SplitMix64 (Steele, Lea and Flood 2014), from seed, channel and number in turn.
"""

from __future__ import annotations

import math

import numpy as np

from taut.numerics.compiled import entry, inlined, kernel

_STEP, _FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_ONE, _TWO = np.uint64(1), np.uint64(2)


@inlined
def _mixed(x: np.uint64) -> np.uint64:
    x = x + _STEP
    x = (x ^ (x >> _30)) * _FIRST
    x = (x ^ (x >> _27)) * _SECOND
    return x ^ (x >> _31)


@inlined
def _uniform(x: np.uint64) -> float:
    """More than zero and at most one."""
    return (float(_mixed(x) >> _11) + 1.0) * 2.0**-53


@kernel
def normal(seed: int, channel: int, number: int) -> float:
    """A number of mean 0 and variance 1 (Box and Muller 1958)."""
    key = _mixed(_mixed(_mixed(np.uint64(seed)) ^ np.uint64(channel)) ^ np.uint64(number))
    return math.sqrt(-2.0 * math.log(_uniform(key ^ _ONE))) * math.cos(2.0 * math.pi * _uniform(key ^ _TWO))


@entry
def fill_normal(seed: int, channel: int, first: int, out: np.ndarray) -> None:
    """Fill an array with the numbers of a channel from one on."""
    for k in range(out.size):
        out[k] = normal(seed, channel, first + k)
