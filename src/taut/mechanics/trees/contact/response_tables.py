"""What impulses at the nodes of a tree do to their velocities, as a table for the kernels of contacts.

Contacts of bodies are found, aimed at and struck by what does it for nodal plants (`taut.mechanics.contact`); only what
an impulse does is another: J S J^T, with J the Jacobian of the nodes and S the response of bodies and loops. Python
fills it from Pinocchio's terms, once for every place that impulses act at.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from taut.mechanics.compose import bound_by_name
from taut.mechanics.contact import parts as contact_parts
from taut.mechanics.contact.books import book_contacts, leave_forces, note_contacts
from taut.mechanics.contact.closed_contacts import IMMOVABLE, RESTING, add_impulses, leave_held, velocity_at
from taut.mechanics.contact.impulses import begin_contacts, keep_apart, resume_contacts, strike, struck
from taut.mechanics.contact.lengths import follow_whole, keep_whole
from taut.mechanics.contact.pressing import press
from taut.mechanics.contact.responses import Responses, body_whole, fill_whole, push_whole, respond_to, responses_in
from taut.mechanics.imposed.fresh_packs import fresh
from taut.mechanics.parts import body_of, fill_response, prepare_system, push_response
from taut.mechanics.plant import Plant
from taut.mechanics.points.following_joints import responses_as_one
from taut.mechanics.spec import Spec
from taut.mechanics.systems.system_tables import packed_by_name
from taut.mechanics.tables import constants_in, coordinate_count, part_of, slot
from taut.mechanics.terms.contacts import NUMBERS, SLIDING, STICKING, contacts_in
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.packing import Pack, Reals, reader
from taut.numerics.pointers import shifted, start_of

KIND = "tree_responses"


class TreeResponses(NamedTuple):
    """n coordinates of nodes."""

    response: Reals  # (n n,) J S J^T
    mass: Reals  # (1,) of all bodies [kg]


tree_responses_in = reader(TreeResponses, slot(KIND))
RESPONSE, WORK = part_of(KIND, TreeResponses, "response"), part_of("responses", Responses, "work")


@kernel
def respond_by_bodies(p: Pack, force: np.ndarray, x: np.ndarray) -> None:
    """What an impulse at nodes does to their velocities."""
    made, n = tree_responses_in(p), coordinate_count(p)
    for i in range(n):
        x[i] = 0.0
    for k in range(n):
        if force[k] != 0.0:
            column = shifted(made.response, k * n)
            for i in range(n):
                x[i] += column[i] * force[k]


@inlined
def leave_immovable(p: Pack, a: int) -> None:
    """By the mass of all bodies: a point where nothing moves has a response of zero, and not round-off."""
    own = responses_in(p).own
    if own[6 * a] * tree_responses_in(p).mass[0] <= IMMOVABLE:
        for k in range(6):
            own[6 * a + k] = 0.0


@inlined
def prepare_nothing(p: Pack, metric: int, y: np.ndarray) -> None:
    """The system of the nodes is none of the bodies."""


@entry
def fill_impulses(p: Pack, out: np.ndarray) -> None:
    """All impulses at closed contacts, by coordinates of nodes [N s]."""
    total = start_of(out)
    for i in range(coordinate_count(p)):
        total[i] = 0.0
    add_impulses(p, 1.0, total)


@entry
def has_struck(p: Pack, y: np.ndarray) -> bool:
    """Whether something is pushed now that was open at a state."""
    return struck(p, start_of(y))


@entry
def name_sticking(p: Pack, y: np.ndarray) -> None:
    """Say of closed contacts that do not move along the ground that they stick. Of more points than hold a body some
    may push as hard as friction allows, one against another, and the search calls these sliding."""
    made, told, v = responses_in(p), contacts_in(p), shifted(start_of(y), coordinate_count(p))
    limit = RESTING * constants_in(p).scale[0] / constants_in(p).scale[1]
    for a in range(made.used[0]):
        c = made.contact[a]
        _, u1, u2 = velocity_at(p, a, v)
        if told.impulse[NUMBERS * c + 3] == SLIDING and told.static[c] > 0.0 and u1 * u1 + u2 * u2 <= limit * limit:
            told.impulse[NUMBERS * c + 3] = STICKING


INSTEAD = {
    leave_held: leave_immovable,
    fill_response: fill_whole,
    push_response: push_whole,
    body_of: body_whole,
    respond_to: respond_by_bodies,
    prepare_system: prepare_nothing,
    contact_parts.keep_velocities: keep_whole,
    contact_parts.follow_velocities: follow_whole,
}
"""What stands in the places of what nodal plants have."""

ASKED = (
    *(begin_contacts, resume_contacts, keep_apart, press, strike, book_contacts, leave_forces, note_contacts),
    *(fill_impulses, has_struck, name_sticking),
)


@cache
def contact_kernels(spec: Spec) -> Mapping[str, Any]:
    """Those of all trees whose nodal plants are of one Spec."""
    return bound_by_name(spec, ASKED, INSTEAD)


def contact_pack(plant: Plant, mass: float) -> Pack:
    """Tables of a run for a nodal plant on rigid grounds whose nodes stand on bodies of this mass [kg]."""
    own = TreeResponses(np.zeros(plant.coordinates**2), np.array([mass]))
    return fresh(packed_by_name({**plant.tables, **responses_as_one(plant), KIND: own})[0], plant.laws)
