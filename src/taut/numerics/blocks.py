"""L D L^T of a symmetric matrix in blocks of four, without pivoting: the elimination is that of single columns, one
after the other, only its numbers lie and are worked on four by four, which a processor does at once.

Block row after block row of L is found from the columns before it. A block is kept as 4 b + a, b the column (of the
earlier group) and a the row; L D is kept rather than L. Places are unknowns (pivots positive), then rows of a saddle
(pivots negative, or dropped where they vanish); what is left over in a group is an unknown that touches nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.numerics.chains import GIVEN
from taut.numerics.compiled import inlined, woven
from taut.numerics.fours import four, none_of, put, reach, total
from taut.numerics.lanes import every, some, where
from taut.numerics.saddle_table import Saddle

DROP = 1e-11
"""A multiplier's pivot below this fraction of what it started from means its row depends on the rows before it."""

BLOCK = 16


@woven
def factor_blocks(s: Saddle) -> int:
    """Factor the blocks in `values`; how many dependent rows were dropped (in any lane), or -1 if W is not positive."""
    work, begin, dropped = s.work, GIVEN * s.sizes[2], 0
    for i in range(s.sizes[5]):
        for p in range(s.block_start[i], s.block_start[i + 1]):
            _copy(s.values, begin + BLOCK * p, work, BLOCK * s.block_index[p])
        s.filled[i] = 0
        _gather(s, i)
        drops = _reduce(s, i, s.first_row[i])
        _clear(work, BLOCK * i)
        if drops < 0:
            return -1
        dropped += drops
    return dropped


@woven
def _copy(v: np.ndarray, at: int, w: np.ndarray, to: int) -> None:
    x0, x1, x2, x3 = four(v, at), four(v, at + 4), four(v, at + 8), four(v, at + 12)
    put(w, to, x0)
    put(w, to + 4, x1)
    put(w, to + 8, x2)
    put(w, to + 12, x3)


@inlined
def _clear(v: np.ndarray, at: int) -> None:
    zeros = none_of(four(v, at))
    put(v, at, zeros)
    put(v, at + 4, zeros)
    put(v, at + 8, zeros)
    put(v, at + 12, zeros)


@inlined
def _subtract(work: np.ndarray, to: int, factor: np.ndarray, q: int, s0: Any, s1: Any, s2: Any, s3: Any) -> None:
    x = four(work, to) - factor[q] * s0 - factor[q + 4] * s1
    put(work, to, x - factor[q + 8] * s2 - factor[q + 12] * s3)


@woven
def _gather(s: Saddle, i: int) -> None:
    """Block row i of L from the row of the matrix in `work`, whose diagonal block is left reduced there; `scale` gets
    the largest part of each of its pivots."""
    work, factor, inner, inverse = s.work, s.factor, s.inner, s.inverse_pivot
    own = BLOCK * i
    for a in range(4):
        s.scale[a] = abs(work[own + 5 * a])  # of a row, what hangs on it
    scale = four(s.scale, 0)
    for p in range(s.pattern_start[i], s.pattern_start[i + 1]):
        j = s.pattern[p]
        at, l_at, pivots, start = BLOCK * j, 6 * j, 4 * (s.sizes[2] + j), s.factor_start[j]
        end = start + s.filled[j]
        f0, f1, f2, f3 = four(work, at), four(work, at + 4), four(work, at + 8), four(work, at + 12)
        f1 = f1 - inner[l_at] * f0
        f2 = f2 - inner[l_at + 1] * f0 - inner[l_at + 2] * f1
        f3 = f3 - inner[l_at + 3] * f0 - inner[l_at + 4] * f1 - inner[l_at + 5] * f2
        s0, s1, s2, s3 = (
            inverse[pivots] * f0,
            inverse[pivots + 1] * f1,
            inverse[pivots + 2] * f2,
            inverse[pivots + 3] * f3,
        )
        new = BLOCK * end
        put(factor, new, f0)
        put(factor, new + 4, f1)
        put(factor, new + 8, f2)
        put(factor, new + 12, f3)
        _clear(work, at)
        s.filled[j] += 1
        for n in range(start, end + 1):  # the last of them is row i itself
            to, q = BLOCK * s.factor_index[n], BLOCK * n
            _subtract(work, to, factor, q, s0, s1, s2, s3)
            _subtract(work, to + 4, factor, q + 1, s0, s1, s2, s3)
            _subtract(work, to + 8, factor, q + 2, s0, s1, s2, s3)
            _subtract(work, to + 12, factor, q + 3, s0, s1, s2, s3)
        scale = reach(reach(reach(reach(scale, s0, f0), s1, f1), s2, f2), s3, f3)
    put(s.scale, 0, scale)


@inlined
def _pivot(
    inverse_pivot: np.ndarray, weakest: np.ndarray, at: int, pivot: float, scale: float, is_row: bool
) -> tuple[float, int]:
    """1 / pivot, or zero for a row to drop; how many those are, or negative where an unknown's is not positive."""
    dropped = 0
    if is_row:
        drops = pivot >= -DROP * scale
        weakest[0] = min(weakest[0], where(drops, 1.0, -pivot) / where(drops, 1.0, scale))
        if some(drops):
            dropped = 1
        inverse = where(drops, 0.0, 1.0) / where(drops, 1.0, pivot)
    else:
        if not every(pivot > 0.0):
            dropped = -5
        inverse = 1.0 / pivot
    inverse_pivot[at] = inverse
    return inverse, dropped


@woven
def _reduce(s: Saddle, i: int, first_row: int) -> int:
    """L D L^T of a diagonal block; how many rows were dropped, negative if an unknown's pivot is not positive."""
    work, inner, at, l_at, p = s.work, s.inner, BLOCK * i, 6 * i, 4 * (s.sizes[2] + i)
    x, y, z = work[at + 1], work[at + 2], work[at + 3]
    inverse, drops0 = _pivot(s.inverse_pivot, s.weakest, p, work[at], s.scale[0], first_row == 0)
    lx, ly, lz = x * inverse, y * inverse, z * inverse
    inner[l_at], inner[l_at + 1], inner[l_at + 3] = lx, ly, lz
    scale1, scale2, scale3 = max(s.scale[1], abs(lx * x)), max(s.scale[2], abs(ly * y)), max(s.scale[3], abs(lz * z))
    corner, side = work[at + 10] - ly * y, work[at + 11] - lz * y
    end = work[at + 15] - lz * z
    y, z = work[at + 6] - lx * y, work[at + 7] - lx * z
    inverse, drops1 = _pivot(s.inverse_pivot, s.weakest, p + 1, work[at + 5] - lx * x, scale1, first_row <= 1)
    ly, lz = y * inverse, z * inverse
    inner[l_at + 2], inner[l_at + 4] = ly, lz
    scale2, scale3 = max(scale2, abs(ly * y)), max(scale3, abs(lz * z))
    inverse, drops2 = _pivot(s.inverse_pivot, s.weakest, p + 2, corner - ly * y, scale2, first_row <= 2)
    end, side = end - lz * z, side - lz * y
    lz = side * inverse
    inner[l_at + 5] = lz
    _, drops3 = _pivot(s.inverse_pivot, s.weakest, p + 3, end - lz * side, max(scale3, abs(lz * side)), first_row <= 3)
    return drops0 + drops1 + drops2 + drops3


@woven
def forth_blocks(s: Saddle) -> None:
    """The first half of a solve, in place."""
    b, factor, inner, before = s.vector, s.factor, s.inner, s.sizes[2]
    for j in range(s.sizes[5]):
        at, l_at = 4 * (before + j), 6 * j
        x, y, z, w = b[at], b[at + 1], b[at + 2], b[at + 3]
        y -= inner[l_at] * x
        z -= inner[l_at + 1] * x + inner[l_at + 2] * y
        w -= inner[l_at + 3] * x + inner[l_at + 4] * y + inner[l_at + 5] * z
        x, y = x * s.inverse_pivot[at], y * s.inverse_pivot[at + 1]
        z, w = z * s.inverse_pivot[at + 2], w * s.inverse_pivot[at + 3]
        b[at], b[at + 1], b[at + 2], b[at + 3] = x, y, z, w
        for n in range(s.factor_start[j], s.factor_start[j + 1]):
            to, q = 4 * (before + s.factor_index[n]), BLOCK * n
            r = four(b, to) - x * four(factor, q) - y * four(factor, q + 4)
            put(b, to, r - z * four(factor, q + 8) - w * four(factor, q + 12))


@woven
def back_blocks(s: Saddle) -> None:
    """The second half."""
    b, factor, inner, before = s.vector, s.factor, s.inner, s.sizes[2]
    for j in range(s.sizes[5] - 1, -1, -1):
        at, l_at = 4 * (before + j), 6 * j
        sx = none_of(four(b, at))
        sy, sz, sw = sx, sx, sx
        for n in range(s.factor_start[j], s.factor_start[j + 1]):
            known, q = four(b, 4 * (before + s.factor_index[n])), BLOCK * n
            sx, sy = sx + four(factor, q) * known, sy + four(factor, q + 4) * known
            sz, sw = sz + four(factor, q + 8) * known, sw + four(factor, q + 12) * known
        inverse = s.inverse_pivot
        w = b[at + 3] - inverse[at + 3] * total(sw)
        z = b[at + 2] - inverse[at + 2] * total(sz) - inner[l_at + 5] * w
        y = b[at + 1] - inverse[at + 1] * total(sy) - inner[l_at + 4] * w - inner[l_at + 2] * z
        x = b[at] - inverse[at] * total(sx) - inner[l_at + 3] * w - inner[l_at + 1] * z - inner[l_at] * y
        b[at], b[at + 1], b[at + 2], b[at + 3] = x, y, z, w
