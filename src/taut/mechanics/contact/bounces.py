"""The work of impulses, and how far things bounce without making energy."""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.contact.closed_contacts import search, velocity_at
from taut.mechanics.contact.responses import responses_in
from taut.mechanics.tables import coordinate_count, work_in
from taut.mechanics.terms.contacts import ground_count
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted


@kernel
def impulse_work(p: Pack, before: np.ndarray, v: np.ndarray, below: int) -> float:
    """Of the impulses at closed contacts with a number below this [J], with the mean of the velocities before and after
    them.

    Before the forces of this half of the step act: what they add and a contact takes away again at once is no work.
    """
    made, total = responses_in(p), 0.0
    for a in range(made.used[0]):
        if made.contact[a] >= below:
            continue
        un, u1, u2 = velocity_at(p, a, before)
        wn, w1, w2 = velocity_at(p, a, v)
        p_ = shifted(made.impulse, 3 * a)
        total += 0.5 * (p_[0] * (un + wn) + p_[1] * (u1 + w1) + p_[2] * (u2 + w2))
    return total


@kernel
def bound_bounce(p: Pack, moved: np.ndarray, v: np.ndarray) -> int:
    """Where friction and restitution together would make energy, bounce only as far as they do not.

    Without restitution impulses never make any. From there to the full bounce velocities and impulses go along a
    straight line, on which contacts stay apart and inside their cones; the work along it is a parabola.
    """
    made, n = responses_in(p), coordinate_count(p)
    room, count = work_in(p).force, made.used[0]
    grounds = ground_count(p)  # what winds a cable in may work as it likes
    full = made.work[0] + impulse_work(p, moved, v, grounds)
    if full <= 0.0:
        return 0
    for i in range(n):
        room[i] = v[i]
        v[i] = made.before[i]
    for a in range(count):
        made.aim[a] = made.aim[a] if made.contact[a] >= grounds else 0.0
    for k in range(3 * count):
        made.bounced[k] = made.impulse[k]
        made.impulse[k] = 0.0
    sweeps = search(p, v)
    none = made.work[0] + impulse_work(p, moved, v, grounds)
    _blend(p, 0.5, room, v)
    half = made.work[0] + impulse_work(p, moved, v, grounds)
    a, b, c = 2.0 * (full + none) - 4.0 * half, 4.0 * half - 3.0 * none - full, min(none, 0.0)
    root = math.sqrt(max(b * b - 4.0 * a * c, 0.0))
    s = 2.0 * -c / (b + root) if b + root > 0.0 else 0.0
    # From one half to s: what is left of the line is twice as long as the way so far.
    _blend(p, (min(max(s, 0.0), 1.0) - 0.5) * 2.0, room, v)
    return sweeps


@inlined
def _blend(p: Pack, s: float, bounced: np.ndarray, v: np.ndarray) -> None:
    """Go a fraction of the way to the full bounce."""
    made = responses_in(p)
    for i in range(coordinate_count(p)):
        v[i] += s * (bounced[i] - v[i])
    for k in range(3 * made.used[0]):
        made.impulse[k] += s * (made.bounced[k] - made.impulse[k])
