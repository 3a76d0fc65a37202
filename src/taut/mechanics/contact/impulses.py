"""What a step with impulses asks of contacts: to be kept apart, to be struck, and what that took.

Which contacts are closed, and the search for their impulses, is in `closed_contacts.py`. Velocities always hold what
all impulses so far have done to them.
"""

from __future__ import annotations

import numpy as np

from taut.mechanics.contact.bounces import bound_bounce
from taut.mechanics.contact.closed_contacts import (
    ALIKE,
    begin_before,
    close,
    counted,
    fill_responses,
    friction_at,
    held_by,
    lean_between,
    open_all,
    over_an_edge,
    search,
    turn_over_edges,
    velocity_at,
)
from taut.mechanics.contact.near_contacts import look_if_moved, quick_gap
from taut.mechanics.contact.parts import (
    follow_velocities,
    hold_strings,
    keep_velocities,
    meet_rows_again,
    string_rate,
)
from taut.mechanics.contact.responses import DEEPEST, FORCED, responses_in
from taut.mechanics.grounds.surfaces import BOX, EDGE, FAR, STRING, TERRAIN
from taut.mechanics.parts import meet_rows, prepare_system
from taut.mechanics.tables import constants_in, coordinate_count
from taut.mechanics.terms.contacts import (
    NUMBERS,
    OPEN,
    contact_count,
    contacts_in,
    forces_begin,
    gap_at,
    ground_count,
    passes,
)
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of

MET = 1e-10
"""Of a typical length: a gap that is zero."""
UNDONE = 10.0
"""Times that: how deep something may be inside a ground and be moved out of it again within a step."""
CLOSED = 1e-9
"""Of a typical length: a gap at which a contact can be struck."""
ROUNDS = 30
"""Bars are brought back to their length and contacts apart in turn; two are the rule."""
TURNS = 3
"""Of a round: what one contact takes may close another, and grounds are not all flat."""


@entry
def begin_contacts(p: Pack, y: np.ndarray) -> None:
    """A step begins: no contact is closed yet, and the forces of the last step do not act any more."""
    forget(p)
    open_all(p)
    hold_strings(p)
    take_out(p, start_of(y))


@inlined
def forget(p: Pack) -> None:
    """Nothing of an earlier step holds."""
    made, contacts = responses_in(p), contacts_in(p)
    made.seen[0], made.stood[0] = np.nan, np.nan
    for k in range(NUMBERS * contact_count(p)):
        contacts.impulse[k] = 0.0


@inlined
def take_out(p: Pack, state: np.ndarray) -> None:
    """The contact forces of the last step, out of a state."""
    at = forces_begin(p)
    responses_in(p).work[0] = 0.0
    for k in range(NUMBERS * contact_count(p)):
        state[at + k] = 0.0


@entry
def resume_contacts(p: Pack, y: np.ndarray, afresh: bool) -> None:
    """A step begins: the system is prepared, contacts that touch are closed, and the forces of the last step do not
    act any more. All of that is as the last step left it where this one begins at the same positions, and is found
    again, to the same bits, elsewhere and where it is asked for afresh."""
    made, state, n, moved = responses_in(p), start_of(y), coordinate_count(p), 0
    hold_strings(p)
    for i in range(n):
        moved += 0 if state[i] == made.stood[i] else 1
    if afresh or moved > 0:
        forget(p)
        prepare_system(p, constants_in(p).metric[0], state)
        touch(p, state)
    begin_again(p, state)
    take_out(p, state)


@inlined
def begin_again(p: Pack, y: np.ndarray) -> None:
    """Of all that is closed at the beginning of a step."""
    made = responses_in(p)
    for a in range(made.used[0]):
        made.impulse[3 * a], made.impulse[3 * a + 1], made.impulse[3 * a + 2], made.slide[a] = 0.0, 0.0, 0.0, 0.0
        made.hold[a] = held_by(p, made.contact[a], a, y)


@kernel
def touch(p: Pack, y: np.ndarray) -> None:
    """Close the contacts that touch at a state, and no others, with the system that was prepared there."""
    made, scale = responses_in(p), constants_in(p).scale[0]
    look_if_moved(p, y, y)
    open_all(p)
    for m in range(made.nearby[0]):
        c = made.near[m]
        if quick_gap(p, c, y) <= CLOSED * scale:
            close_touching(p, c, y)
    for i in range(coordinate_count(p)):
        made.stood[i] = y[i]


@inlined
def close_touching(p: Pack, c: int, y: np.ndarray) -> None:
    gap, nx, ny, nz, share = gap_at(p, c, y)
    a = close(p, c, y, nx, ny, nz, share)
    if a >= 0:
        _begin_at(p, a, gap)


@inlined
def _begin_at(p: Pack, a: int, gap: float) -> None:
    """What is deeper inside than round-off, since grounds meet there, is kept from going deeper and no more: to throw
    it out within a step would make energy."""
    made = responses_in(p)
    made.begin[a] = max(gap, -UNDONE * MET * constants_in(p).scale[0])
    # What winds a cable in shortens it by all it asks for.
    made.sunk[a] = min(gap - made.begin[a], 0.0) if made.contact[a] < ground_count(p) else 0.0


@inlined
def _end_of_move(p: Pack, c: int, a: int, start: np.ndarray, end: np.ndarray) -> float:
    """The gap at which a closed contact ends [m]. Planes and boxes are convex: a node that stays in front of the plane
    that it came from stays outside, whichever face is nearest on the way. Of a terrain it is the ground below, unless
    that faces elsewhere than what is struck, and of a bar across an edge, and of a cable, what is true at the end,
    since they slide along themselves and turn."""
    made, contacts = responses_in(p), contacts_in(p)
    kind = contacts.kind[contacts.surface[c]]
    if kind in (TERRAIN, STRING) or (kind == EDGE and made.sunk[a] == 0.0):
        true, nx, ny, nz, _ = gap_at(p, c, end)
        f = shifted(made.frame, 9 * a)
        if true < FAR and (kind != TERRAIN or f[0] * nx + f[1] * ny + f[2] * nz > ALIKE):
            return true - made.sunk[a]
    i, j, share, gap = contacts.first[c], contacts.second[c], made.share[a], made.begin[a]
    for m in range(3):
        moved = (1.0 - share) * (end[i + m] - start[i + m]) + share * (end[j + m] - start[j + m])
        gap += made.frame[9 * a + m] * moved
    return gap


@entry
def keep_apart(p: Pack, h: float, y: np.ndarray, trial: np.ndarray, last: bool) -> int:
    """Change the velocities of a move of h from y to trial, and where it ends, so that no contact ends inside a ground
    and Coulomb's law holds on the way; returns how many sweeps that took, 0 where nothing was to be done.

    last: whether this is the last try, so that whatever is left to be done is counted as a search that failed.
    """
    return _keep_apart(p, h, start_of(y), start_of(trial), last)


@kernel
def _keep_apart(p: Pack, h: float, start: np.ndarray, end: np.ndarray, last: bool) -> int:
    made, sweeps, v = responses_in(p), 0, shifted(end, coordinate_count(p))
    small = MET * constants_in(p).scale[0]
    look_if_moved(p, start, end)
    turn_over_edges(p, start, end, small)
    for _ in range(TURNS):
        lean_between(p, start, end, small)
        left = max(_close_inside(p, start, end), _aim(p, h, start, end))
        if left < 0.0:
            return sweeps
        if last:
            return sweeps + counted(p, 0, left / h)
        keep_velocities(p, v)
        sweeps += search(p, v)
        follow_velocities(p, h, v, end)
        look_if_moved(p, start, end)
        # What is closed ends as it was to where all are planes.
        if made.bent[0] == 0 and _close_inside(p, start, end) < 0.0:
            return sweeps
    return sweeps


@inlined
def _close_inside(p: Pack, start: np.ndarray, end: np.ndarray) -> float:
    """Close what ends inside a ground; returns how deep it is [m], negative where there is nothing."""
    made, contacts, left, small, m = responses_in(p), contacts_in(p), -1.0, MET * constants_in(p).scale[0], 0
    while m < made.nearby[0]:  # which may become more on the way
        c = made.near[m]
        m += 1
        if made.place[c] > 0:
            continue
        gap = quick_gap(p, c, end)
        if gap < -small or (contacts.kind[contacts.surface[c]] == BOX and passes(p, c, start, end, small)):
            _close_on_the_way(p, c, start, end)
            left = max(left, abs(min(gap, 0.0)))
    return left


@kernel
def _close_on_the_way(p: Pack, c: int, start: np.ndarray, end: np.ndarray) -> None:
    """As it is seen from where it comes, unless a bar was not across the edge then, or it ends on another patch of a
    terrain."""
    made = responses_in(p)
    gap, nx, ny, nz, share = gap_at(p, c, start)
    seen, ended = gap < FAR, gap
    if not seen:
        gap, nx, ny, nz, share = gap_at(p, c, end)
    over = over_an_edge(p, c, start, end)
    if over:
        ended, nx, ny, nz, share = gap_at(p, c, end)
    a = close(p, c, start, nx, ny, nz, share)
    if a >= 0:
        _begin_at(p, a, gap if seen else 0.0)
        if not seen:
            made.sunk[a] = min(gap, 0.0)
        if over:
            begin_before(p, a, ended, start, end)
        made.hold[a] = held_by(p, c, a, start)


@inlined
def _aim(p: Pack, h: float, start: np.ndarray, end: np.ndarray) -> float:
    """Say of all that is closed which normal velocity it needs; returns the worst gap that is to be closed or opened
    [m], negative where there is none."""
    made, left = responses_in(p), -1.0
    small, v, per_h = MET * constants_in(p).scale[0], shifted(end, coordinate_count(p)), 1.0 / h
    fill_responses(p)
    for a in range(made.used[0]):
        c = made.contact[a]
        gap = _end_of_move(p, c, a, start, end)
        if made.own[6 * a] == 0.0:  # supports hold it
            if -gap_at(p, c, end)[0] > made.worst[DEEPEST]:
                made.worst[DEEPEST], made.worst[FORCED] = -gap_at(p, c, end)[0], float(c)
            continue
        if gap < -small or (gap > small and made.impulse[3 * a] > 0.0):
            left = max(left, abs(gap))
        made.aim[a] = gap * per_h - velocity_at(p, a, v)[0]
    return left


@entry
def move_apart(p: Pack, h: float, y: np.ndarray, trial: np.ndarray) -> int:
    """Bring the end of a move of h from y onto the constraints and out of every ground, in turn; returns in how many
    rounds, 0 where constraints cannot be met."""
    return part(p, h, start_of(y), start_of(trial)) if meet_rows(p, h, start_of(trial)) >= 0.0 else 0


@kernel
def part(p: Pack, h: float, start: np.ndarray, end: np.ndarray) -> int:
    """The same where constraints are met already."""
    small = 0.5 * MET * constants_in(p).scale[0]
    for k in range(ROUNDS):
        way = meet_rows_again(p, h, end) if k > 0 else 0.0
        if not way >= 0.0:
            return 0
        # Where bars moved by no more than a gap that is zero, contacts are as they were left.
        if (k > 0 and way <= small) or _keep_apart(p, h, start, end, k + 1 == ROUNDS) == 0:
            return k + 1
    return ROUNDS


@entry
def strike(p: Pack, y: np.ndarray, moved: np.ndarray, trial: np.ndarray) -> int:
    """Change the velocities at the end of a step so that no closed contact goes on into its ground, and bounces as it
    came at the beginning of the step; moved: velocities of the move. Returns how many sweeps that took."""
    touch(p, start_of(trial))
    return strike_closed(p, start_of(y), start_of(moved), start_of(trial)) if responses_in(p).used[0] > 0 else 0


@kernel
def strike_closed(p: Pack, begun: np.ndarray, moved: np.ndarray, end: np.ndarray) -> int:
    """The same where all that touches is closed, and no other contact."""
    made, contacts, n, bounces = responses_in(p), contacts_in(p), coordinate_count(p), False
    v = shifted(end, n)
    for a in range(made.used[0]):
        c = made.contact[a]
        came, u1, u2 = velocity_at(p, a, shifted(begun, n))
        made.aim[a] = contacts.restitution[c] * min(came, 0.0)
        made.hold[a] = friction_at(p, c, u1, u2)
        bounces = bounces or made.aim[a] < 0.0
        if c >= ground_count(p):
            made.aim[a] = string_rate(p, c - ground_count(p))
    if bounces:
        for i in range(n):
            made.before[i] = v[i]
    sweeps = search(p, v)
    return sweeps + bound_bounce(p, moved, v) if bounces else sweeps


@entry
def foresee(p: Pack, y: np.ndarray, trial: np.ndarray) -> None:
    """Make of the velocities of the move those at the end of the step, as far as they can be known before: forces that
    depend on velocities are then right to second order. Not where something struck, whose velocity has jumped."""
    n, begun = coordinate_count(p), start_of(y)
    v = shifted(start_of(trial), n)
    if not struck(p, begun):
        for i in range(n):
            v[i] += v[i] - begun[n + i]


@inlined
def struck(p: Pack, begun: np.ndarray) -> bool:
    """Whether something is pushed now that was open at the beginning of a step."""
    made, at = responses_in(p), forces_begin(p)
    for a in range(made.used[0]):
        if made.impulse[3 * a] > 0.0 and begun[at + NUMBERS * made.contact[a] + 3] == OPEN:
            return True
    return False
