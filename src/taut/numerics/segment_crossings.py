"""Many moving segments, sample after sample: which of them come near one another, and which pass through or touch.

Boxes around all that a segment does in a window of samples are swept along one axis (sweep and prune). A pair is then
followed by conservative advancement: what is so far apart cannot meet until both have moved so far, so that most
samples are passed over; only where they could meet the interval is looked into (`moving_segments.py`).

The kernels stand apart, so that what a run does not need is not compiled for it.
"""

from __future__ import annotations

import math

import numpy as np

from taut.numerics.compiled import entry, kernel
from taut.numerics.moving_segments import closest, through, touch

MOST_TIMES = 8
"""So often at most two segments pass through one another between two samples."""


def ways(p: np.ndarray, v: np.ndarray, time: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """(m, T) how far at most any point of a segment has come by each sample, of positions and velocities (T, n, 3).

    A cubic is no longer than the three legs of its control polygon; a point of a segment goes no further than an end.
    """
    third = np.diff(time)[:, None, None] / 3.0
    first, last = v[:-1] * third, v[1:] * third
    middle = np.diff(p, axis=0) - first - last
    legs = sum(np.sqrt(np.einsum("tni,tni->tn", leg, leg)) for leg in (first, middle, last))
    most = np.maximum(legs[:, ends[:, 0]], legs[:, ends[:, 1]])
    return np.ascontiguousarray(np.cumsum(np.concatenate([np.zeros_like(most[:1]), most]), axis=0).T)


def boxes(p: np.ndarray, v: np.ndarray, time: np.ndarray, ends: np.ndarray, room: np.ndarray) -> np.ndarray:
    """(m, 6) the least and the most of x, y and z of all that a segment does, with so much room (m,) around it."""
    third = np.diff(time)[:, None, None] / 3.0
    controls = (p, p[:-1] + v[:-1] * third, p[1:] - v[1:] * third)
    low = np.min([some.min(axis=0) for some in controls], axis=0)
    high = np.max([some.max(axis=0) for some in controls], axis=0)
    least, most = (np.minimum(low[ends[:, 0]], low[ends[:, 1]]), np.maximum(high[ends[:, 0]], high[ends[:, 1]]))
    return np.concatenate([least - room[:, None], most + room[:, None]], axis=1)


def all_pairs(ends: np.ndarray, owner: np.ndarray, *, joined: bool) -> np.ndarray:
    """(p, 2) every two segments of different owners; those that share an end only if joined."""
    one, other = np.triu_indices(len(ends), 1)
    wanted = owner[one] != owner[other]
    if not joined:
        for a, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
            wanted &= ends[one, a] != ends[other, b]
    return np.stack([one[wanted], other[wanted]], axis=1)


def sharing(ends: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(p, 2, 2) which end of the first of a pair is which of the second."""
    return np.asarray(ends[pairs[:, 0], :, None] == ends[pairs[:, 1], None, :])


def near_pairs(box: np.ndarray, ends: np.ndarray, owner: np.ndarray, *, joined: bool) -> np.ndarray:
    """(p, 2) those of them whose boxes (m, 6) overlap."""
    axis = int(np.argmax(np.ptp(box[:, :3] + box[:, 3:], axis=0)))
    order = np.argsort(box[:, axis], kind="stable")
    pairs = np.zeros((16 * len(ends), 2), dtype=np.int64)
    count = _overlapping(box, order, axis, owner, pairs)
    if count > len(pairs):
        pairs = np.zeros((count, 2), dtype=np.int64)
        _overlapping(box, order, axis, owner, pairs)
    found = pairs[:count]
    return found if joined else found[~sharing(ends, found).any(axis=(1, 2))]


@entry
def _overlapping(box: np.ndarray, order: np.ndarray, axis: int, owner: np.ndarray, pairs: np.ndarray) -> int:
    """Fill pairs with those whose boxes overlap; returns how many there are, which may be more than fit.

    order: by the least coordinate along the axis.
    """
    found, one, other = 0, (axis + 1) % 3, (axis + 2) % 3
    for i in range(order.size):
        a = order[i]
        for j in range(i + 1, order.size):
            b = order[j]
            if box[b, axis] > box[a, 3 + axis]:
                break
            if box[b, one] > box[a, 3 + one] or box[a, one] > box[b, 3 + one]:
                continue
            if box[b, other] > box[a, 3 + other] or box[a, other] > box[b, 3 + other]:
                continue
            if owner[a] == owner[b]:
                continue
            if found < pairs.shape[0]:
                pairs[found, 0], pairs[found, 1] = min(a, b), max(a, b)
            found += 1
    return found


def kept_parts(lengths: np.ndarray, ends: np.ndarray, pairs: np.ndarray, *, joined: bool) -> np.ndarray:
    """(p, 4) of the two of a pair where the part that counts begins and ends, as shares of their lengths (m,).

    Of two that share an end, which they do only if joined, it is what is further from there than half of the shorter
    one.
    """
    parts = np.tile([0.0, 1.0, 0.0, 1.0], (len(pairs), 1))
    if not joined:
        return parts
    same = sharing(ends, pairs)
    shorter = 0.5 * lengths[pairs].min(axis=1, keepdims=True)
    cut = shorter / np.maximum(lengths[pairs], 1e-300)
    for one, met in enumerate((np.asarray(same.any(axis=2)), np.asarray(same.any(axis=1)))):
        parts[:, 2 * one] = np.where(met[:, 0], cut[:, one], 0.0)
        parts[:, 2 * one + 1] = np.where(met[:, 1], 1.0 - cut[:, one], 1.0)
    return parts


def work_space() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and room for the kernels below, which allocate nothing."""
    return np.zeros(4, dtype=np.int64), np.zeros((4, 4, 3))


@entry
def doubtful(
    p: np.ndarray, ends: np.ndarray, apart: np.ndarray, parts: np.ndarray, way: np.ndarray, pairs: np.ndarray,
    rows: np.ndarray, room: np.ndarray,
) -> int:  # fmt: skip
    """Fill rows (most, 2) with pairs and samples after which they could come as near as apart (p,); returns how many
    there are, which may be more than fit. What is as near at a sample has been so before it, and is not told again."""
    e, at = room[0], room[3, 0]
    count, last = 0, way.shape[1] - 1
    for pair in range(pairs.shape[0]):
        a, b = pairs[pair, 0], pairs[pair, 1]
        k = 0
        while k < last:
            for i in range(3):
                e[0, i], e[1, i] = p[k, ends[a, 0], i], p[k, ends[a, 1], i]
                e[2, i], e[3, i] = p[k, ends[b, 0], i], p[k, ends[b, 1], i]
            gap = closest(e, parts[pair], at) - apart[pair]
            if gap <= 0.0 < apart[pair]:
                k += 1
                continue
            base, reach = way[a, k] + way[b, k], k
            while reach < last and way[a, reach + 1] + way[b, reach + 1] - base < gap:
                reach += 1
            if reach == k:
                if count < rows.shape[0]:
                    rows[count, 0], rows[count, 1] = pair, k
                count += 1
                reach += 1
            k = reach
    return count


@entry
def passings(
    p: np.ndarray, v: np.ndarray, time: np.ndarray, ends: np.ndarray, pairs: np.ndarray, rows: np.ndarray,
    instants: np.ndarray, nodes: np.ndarray, room: np.ndarray,
) -> None:  # fmt: skip
    """instants (r, MOST_TIMES): when each pair passes through one another after its sample; -1 for not."""
    work = room[:3]
    for row in range(rows.shape[0]):
        k, begin, times = rows[row, 1], 0.0, 0
        _ends_of(ends, pairs, rows[row, 0], nodes)
        h = time[k + 1] - time[k]
        instants[row, :] = -1.0
        while begin < 1.0 and times < MOST_TIMES:
            share = through(p, v, k, h, nodes, begin, work)
            if share < 0.0:
                break
            instants[row, times] = time[k] + share * h
            times += 1
            begin = share + 1e-6  # and perhaps back again


@entry
def touches(
    p: np.ndarray, v: np.ndarray, time: np.ndarray, ends: np.ndarray, apart: np.ndarray, parts: np.ndarray,
    pairs: np.ndarray, rows: np.ndarray, instants: np.ndarray, nodes: np.ndarray, room: np.ndarray,
) -> None:  # fmt: skip
    """instants (r, 1): when each pair comes as near as `apart` after its sample; -1 for not."""
    work, at = room[:3], room[3, 0]
    for row in range(rows.shape[0]):
        pair, k = rows[row, 0], rows[row, 1]
        _ends_of(ends, pairs, pair, nodes)
        h = time[k + 1] - time[k]
        speed = _fastest(p, v, k, h, nodes)
        share = touch(p, v, k, h, nodes, speed, apart[pair], parts[pair], work[0], at)
        if share < 0.0 and parts[pair, 0] == parts[pair, 2] == 0.0 and parts[pair, 1] == parts[pair, 3] == 1.0:
            share = through(p, v, k, h, nodes, 0.0, work)  # so thin and fast that it was nowhere near
        instants[row, 0] = time[k] + share * h if share >= 0.0 else -1.0


@kernel
def _ends_of(ends: np.ndarray, pairs: np.ndarray, pair: int, nodes: np.ndarray) -> None:
    for one in range(2):
        nodes[2 * one], nodes[2 * one + 1] = ends[pairs[pair, one], 0], ends[pairs[pair, one], 1]


@kernel
def _fastest(p: np.ndarray, v: np.ndarray, k: int, h: float, nodes: np.ndarray) -> float:
    """How fast the distance of two segments changes at most, over an interval: three times the longest legs."""
    speed = 0.0
    for segment in range(2):
        most = 0.0
        for e in range(2):
            n, begin, middle, end = nodes[2 * segment + e], 0.0, 0.0, 0.0
            for i in range(3):
                first, last = v[k, n, i] * h / 3.0, v[k + 1, n, i] * h / 3.0
                begin += first * first
                end += last * last
                middle += (p[k + 1, n, i] - last - p[k, n, i] - first) ** 2
            most = max(most, begin, middle, end)
        speed += 3.0 * math.sqrt(most)
    return speed
