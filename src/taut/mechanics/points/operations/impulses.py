"""Contacts with rigid grounds in generalised coordinates: what steps with impulses ask.

Contacts are found, aimed at and struck at nodes, by what does it for nodal plants (`taut.mechanics.contact`). Two
things differ. An impulse P at nodes goes through joints and loops: it changes the rates of coordinates by S J^T P, with
S the response of J^T M J and of all rows, and velocities of nodes by J of that. And a move leads to the nodes of
q + h v, on curves: gaps are looked at where it ends, again and again, until they are as they are to be. J is that of
the start of a move while it moves, and that of its end where velocities jump there, so that impulses work in both as
the kinetic energy says.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.contact import parts as contact_parts
from taut.mechanics.contact.books import book
from taut.mechanics.contact.books import leave_forces as leave_in_nodal
from taut.mechanics.contact.books import note_contacts as note_in_nodal
from taut.mechanics.contact.closed_contacts import IMMOVABLE, add_impulses, leave_held
from taut.mechanics.contact.impulses import begin_again, forget, part, strike_closed, struck, take_out, touch
from taut.mechanics.contact.impulses import begin_contacts as begin_in_nodal
from taut.mechanics.contact.parts import hold_strings
from taut.mechanics.contact.responses import body_whole, fill_whole, push_whole, respond_to, responses_in
from taut.mechanics.parts import body_of, fill_response, push_response, row_residuals
from taut.mechanics.points.coordinate_terms import coordinate_terms_in, imposed_count
from taut.mechanics.points.generalised_motion import all_rows, dot, prepare_coordinates, solve_coordinates, stand
from taut.mechanics.points.generalised_tables import BEGIN, END, generalised_in, kept_count
from taut.mechanics.points.joints import generalised_count, place
from taut.mechanics.tables import coordinate_count, internal_count, jacobian_in, work_in
from taut.numerics.array_views import array_at
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of

TURNS = 20
MET = 5e-16
"""A residual of this fraction of its row's size is round-off."""


@inlined
def _behind(p: Pack, y: np.ndarray) -> np.ndarray:
    """A state of coordinates, so that what is behind its rates stands where it does in a state of the nodes."""
    return shifted(y, 2 * (generalised_count(p) - coordinate_count(p)))


@inlined
def _nodal_size(p: Pack) -> int:
    return 2 * coordinate_count(p) + 1 + internal_count(p)


@kernel
def _lead_nodes(p: Pack, rates: np.ndarray, out: np.ndarray) -> None:
    """out = J rates, with the columns that were filled last."""
    made, n, m = generalised_in(p), coordinate_count(p), generalised_count(p)
    for i in range(n):
        out[i] = 0.0
    for k in range(m):
        column = shifted(made.column, k * n)
        for i in range(n):
            out[i] += column[i] * rates[k]


@kernel
def _turn(p: Pack, rates: np.ndarray) -> None:
    """Change rates by what the force in `force` and the rates of rows in `wanted` ask for."""
    made = generalised_in(p)
    solve_coordinates(p, made.force, made.wanted, made.speeds, made.multiplier)
    for k in range(generalised_count(p)):
        rates[k] += made.speeds[k]


@inlined
def _ask_nothing(p: Pack) -> None:
    made = generalised_in(p)
    for k in range(generalised_count(p)):
        made.force[k] = 0.0
    for r in range(all_rows(p)):
        made.wanted[r] = 0.0


@kernel
def _push_by(p: Pack, push: np.ndarray, rates: np.ndarray) -> None:
    """Change rates by what an impulse at nodes does."""
    made, n = generalised_in(p), coordinate_count(p)
    _ask_nothing(p)
    for k in range(generalised_count(p)):
        made.force[k] = dot(n, shifted(made.column, k * n), push)
    _turn(p, rates)


# --- in the places of what nodal plants have


@kernel
def respond_through_joints(p: Pack, force: np.ndarray, x: np.ndarray) -> None:
    """What an impulse at nodes does to their velocities."""
    made = generalised_in(p)
    for k in range(generalised_count(p)):
        made.change[k] = 0.0
    _push_by(p, force, made.change)
    _lead_nodes(p, made.change, x)


@kernel
def keep_pushes(p: Pack, v: np.ndarray) -> None:
    """Keep the impulses that rates have taken up already."""
    pushed = generalised_in(p).pushed
    for i in range(coordinate_count(p)):
        pushed[i] = 0.0
    add_impulses(p, 1.0, pushed)


@kernel
def _take_up(p: Pack, rates: np.ndarray) -> None:
    """Let rates take up what impulses have become since."""
    pushed, n = generalised_in(p).pushed, coordinate_count(p)
    for i in range(n):
        pushed[i] = -pushed[i]
    add_impulses(p, 1.0, pushed)
    _push_by(p, pushed, rates)


@kernel
def _lead(p: Pack, h: float, end: np.ndarray) -> None:
    """The nodes at the end of a move, and their velocities by the columns of its start."""
    made, n = generalised_in(p), coordinate_count(p)
    for k in range(generalised_count(p)):
        made.move_end[k] = made.move_start[k] + h * made.move_rate[k]
    place(p, made.move_end, made.move_rate, end, shifted(end, n), made.bias)
    _lead_nodes(p, made.move_rate, shifted(end, n))


@kernel
def follow_pushes(p: Pack, h: float, v: np.ndarray, y: np.ndarray) -> None:
    """Move the end of a move of h by what impulses have changed since `keep_pushes`."""
    _take_up(p, generalised_in(p).move_rate)
    _lead(p, h, y)


@kernel
def _off(p: Pack, end: np.ndarray) -> float:
    """Put the residuals at the end of a move into `wanted`; returns the worst without dimension."""
    made, work, terms, size, worst = generalised_in(p), work_in(p), coordinate_terms_in(p), jacobian_in(p).size, 0.0
    row_residuals(p, end, work.residual, work.residual_rate)
    for r in range(kept_count(p)):
        made.wanted[r] = work.residual[made.kept[r]]
        worst = max(worst, abs(made.wanted[r]) / size[made.kept[r]])
    for c in range(imposed_count(p)):
        made.wanted[kept_count(p) + c] = made.move_end[terms.imposed[c]] - terms.now[3 * c]
        worst = max(worst, abs(made.wanted[kept_count(p) + c]))
    return worst


@kernel
def _meet(p: Pack, h: float, end: np.ndarray) -> bool:
    """Bring the end of a move of h onto loops and imposed coordinates, along the directions of its start."""
    made, before = generalised_in(p), math.inf
    for _ in range(TURNS):
        worst = _off(p, end)
        if worst <= MET or (worst < 1e-14 and worst > 0.5 * before):
            return True
        before = worst
        for k in range(generalised_count(p)):
            made.force[k] = 0.0
        for r in range(all_rows(p)):
            made.wanted[r] = -made.wanted[r] / h
        _turn(p, made.move_rate)
        _lead(p, h, end)
    return False


@kernel
def meet_again(p: Pack, h: float, y: np.ndarray) -> float:
    """After impulses. Gaps are to be looked at again in any case: nodes move on curves."""
    return math.inf if _meet(p, h, y) else -1.0


@inlined
def expect_curves(p: Pack, a: int, c: int) -> None:
    """No gap is a straight function of coordinates."""
    responses_in(p).bent[0] = 1


@inlined
def leave_immovable(p: Pack, a: int) -> None:
    """By the mass of all: a node that a joint carries need not have one of its own."""
    own, mass = responses_in(p).own, generalised_in(p).reach[generalised_count(p)]
    if own[6 * a] * mass <= IMMOVABLE:
        for k in range(6):
            own[6 * a + k] = 0.0


INSTEAD = {
    leave_held: leave_immovable,
    fill_response: fill_whole,
    push_response: push_whole,
    body_of: body_whole,
    respond_to: respond_through_joints,
    contact_parts.keep_velocities: keep_pushes,
    contact_parts.follow_velocities: follow_pushes,
    contact_parts.meet_rows_again: meet_again,
    contact_parts.note_mates: expect_curves,
}
"""What stands in the places of what nodal plants have."""


# --- what a step asks


@entry
def begin_contacts(p: Pack, y: np.ndarray) -> None:
    begin_in_nodal(p, array_at(_behind(p, start_of(y)), _nodal_size(p)))


@entry
def resume_contacts(p: Pack, y: np.ndarray, afresh: bool) -> None:
    """All is found again at every step: the work space of coordinates is used between steps, too."""
    s = stand(p, start_of(y), BEGIN)
    hold_strings(p)
    forget(p)
    prepare_coordinates(p, s, False)
    touch(p, s)
    begin_again(p, s)
    take_out(p, _behind(p, start_of(y)))


@entry
def accelerate(p: Pack, force: np.ndarray, out: np.ndarray) -> None:
    """Along loops, with imposed coordinates as fast as they are: a step brings both where they are to be."""
    made, found = generalised_in(p), start_of(out)
    _ask_nothing(p)
    solve_coordinates(p, start_of(force), made.wanted, found, made.multiplier)
    if made.weakest[1] <= 0.0:
        found[0] = math.nan  # no inertia left: let the state say so


@entry
def move_apart(p: Pack, h: float, y: np.ndarray, trial: np.ndarray) -> int:
    """Bring the end of a move of h onto loops and out of every ground, in turn; 0 where loops cannot be met."""
    made, terms, n, m = generalised_in(p), coordinate_terms_in(p), coordinate_count(p), generalised_count(p)
    begun, state = start_of(y), start_of(trial)
    start = stand(p, begun, BEGIN)
    end = shifted(made.nodal, END * _nodal_size(p))
    for k in range(m):
        made.move_start[k], made.move_rate[k] = begun[k], state[m + k]
    for c in range(imposed_count(p)):
        # As it was, so that what brings it to where it is to be is an impulse that others feel.
        made.move_rate[terms.imposed[c]] = begun[m + terms.imposed[c]]
    for i in range(1 + internal_count(p)):
        end[2 * n + i] = state[2 * m + i]
    _lead(p, h, end)
    rounds = part(p, h, start, end) if _meet(p, h, end) else 0
    for k in range(m):
        state[k], state[m + k] = made.move_end[k], made.move_rate[k]
    return rounds


@entry
def foresee(p: Pack, y: np.ndarray, trial: np.ndarray) -> None:
    """Make of the rates of a move those at its end, as far as they can be known before."""
    terms, begun, state, m = coordinate_terms_in(p), start_of(y), start_of(trial), generalised_count(p)
    if not struck(p, _behind(p, begun)):
        for k in range(m):
            state[m + k] += state[m + k] - begun[m + k]
    for c in range(imposed_count(p)):
        state[m + terms.imposed[c]] = terms.now[3 * c + 1]


@entry
def keep_rates(p: Pack, y: np.ndarray) -> None:
    """Take out of rates what would change loops, and bring imposed ones to where they are to be."""
    made, work, terms, state, m = generalised_in(p), work_in(p), coordinate_terms_in(p), start_of(y), 0
    m = generalised_count(p)
    for c in range(imposed_count(p)):
        state[m + terms.imposed[c]] = made.move_rate[terms.imposed[c]]
    s = stand(p, state, BEGIN)
    row_residuals(p, s, work.residual, work.residual_rate)
    _ask_nothing(p)
    for r in range(kept_count(p)):
        made.wanted[r] = -work.residual_rate[made.kept[r]]
    for c in range(imposed_count(p)):
        made.wanted[kept_count(p) + c] = terms.now[3 * c + 1] - state[m + terms.imposed[c]]
    _turn(p, shifted(state, m))


@entry
def strike(p: Pack, y: np.ndarray, moved: np.ndarray, trial: np.ndarray) -> int:
    """Change the rates at the end of a step so that no closed contact goes on into its ground, and bounces as it came;
    returns how many sweeps that took."""
    made, state = generalised_in(p), start_of(trial)
    begun, end = stand(p, start_of(y), BEGIN), stand(p, state, END)
    touch(p, end)
    if responses_in(p).used[0] == 0:
        return 0
    _lead_nodes(p, start_of(moved), made.spare)
    keep_pushes(p, end)
    sweeps = strike_closed(p, begun, made.spare, end)
    _take_up(p, shifted(state, generalised_count(p)))
    return sweeps


@entry
def book_contacts(p: Pack, before: np.ndarray, trial: np.ndarray) -> float:
    """Put the impulses that were found to those of the step; returns their work [J]."""
    spare, n = generalised_in(p).spare, coordinate_count(p)
    _lead_nodes(p, start_of(before), spare)
    _lead_nodes(p, shifted(start_of(trial), generalised_count(p)), shifted(spare, n))
    return book(p, spare, shifted(spare, n))


@entry
def leave_forces(p: Pack, h: float, trial: np.ndarray) -> None:
    leave_in_nodal(p, h, array_at(_behind(p, start_of(trial)), _nodal_size(p)))


@entry
def note_contacts(p: Pack, t: float, y: np.ndarray, trial: np.ndarray, log: np.ndarray, filled: int) -> int:
    size, begun, ended = _nodal_size(p), _behind(p, start_of(y)), _behind(p, start_of(trial))
    return note_in_nodal(p, t, array_at(begun, size), array_at(ended, size), log, filled)


@entry
def imposes(p: Pack) -> bool:
    """What acts at the end of a step hangs on rates that are not known before: the next one asks for it anew."""
    return True


IMPULSES = (
    *(begin_contacts, resume_contacts, accelerate, move_apart, foresee, keep_rates, strike),
    *(book_contacts, leave_forces, note_contacts, imposes),
)
"""What steps with impulses ask beside what others do."""
