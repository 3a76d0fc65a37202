"""Cables and compressible bars as a term: from a structure to the table of springs, and what is said of them."""

from __future__ import annotations

import numpy as np

from taut.mechanics.kinds import EventSource, Given, Links, Term
from taut.mechanics.terms import slackening, springs
from taut.mechanics.terms.springs import CRUSHED_LENGTH, Springs
from taut.structure.properties import bar_length, bar_stiffness, rest_length, stiffness
from taut.structure.records import Bar


def _compressible(given: Given) -> list[Bar]:
    return [bar for bar in given.structure.bars.values() if bar.law == "compressible"]


def tabulate(given: Given) -> Springs:
    """Damping in proportion to the stiffness (Rayleigh's beta [s]) becomes a damper of each."""
    structure, cables, bars = given.structure, list(given.structure.cables.values()), _compressible(given)
    firm = [*(stiffness(structure, cable) for cable in cables), *(bar_stiffness(structure, bar) for bar in bars)]
    natural = np.array([bar_length(structure, bar) for bar in bars], dtype=float)
    rest = np.concatenate([[rest_length(structure, cable) for cable in cables], natural])
    least = [-np.inf if cable.law == "spring" else 0.0 for cable in cables] + [-np.inf] * len(bars)
    drag = np.array([*(cable.damping for cable in cables), *(bar.damping for bar in bars)], dtype=float)
    damping = drag + given.damping.stiffness * np.array(firm, dtype=float)
    return Springs(
        *given.ends([*(cable.route for cable in cables), *(bar.nodes for bar in bars)]),
        least=np.array(least, dtype=float),
        stiffness=np.array(firm, dtype=float),
        rest_length=np.asarray(rest, dtype=float),
        rest_rate=np.zeros(len(firm)),
        damping=damping,
        shortest=CRUSHED_LENGTH * natural,
        damps=np.array([int(damping.any())]),
        crushed=np.array([-1]),
        density=np.zeros(len(firm)),
    )


def links(table: Springs) -> Links:
    return table.first, table.second


def node_stiffness(table: Springs, size: int) -> np.ndarray:
    """Of cables, at every coordinate of their nodes; the other springs, stiff bars, tremble by themselves."""
    cables = table.first.size - table.shortest.size
    found = np.zeros(size)
    for end in (table.first, table.second):
        np.add.at(found, end[:cables], table.stiffness[:cables])
    return np.repeat(found[::3], 3)


def member_names(given: Given) -> tuple[str, ...]:
    bars = (f'bar "{bar.name}"' for bar in _compressible(given))
    return (*(f'cable "{name}"' for name in given.structure.cables), *bars)


def dampers(given: Given, table: Springs) -> tuple[str, ...]:
    names = member_names(given)
    return tuple(names[k] for k in np.flatnonzero(table.damping))


def subjects(given: Given, table: Springs) -> tuple[tuple[str, str], ...]:
    names = list(given.structure.cables)
    return tuple(("cable", names[k]) for k in np.flatnonzero(table.least == 0.0))


SPRINGS_TERM = Term(
    "springs",
    Springs,
    tabulate,
    force=springs.force,
    conservative_force=springs.conservative_force,
    potential=springs.potential,
    stiffness=springs.stiffness,
    links=links,
    accept_step=springs.accept_step,
    events=EventSource(
        slackening.count,
        slackening.margin,
        slackening.put,
        slackening.begin,
        subjects,
        slackening.CHANGES,
        slackening.happen,
        slackening.clear,
        slackening.keep,
        slackening.tables,
    ),
    node_stiffness=node_stiffness,
    dampers=dampers,
    lanes=True,
)
