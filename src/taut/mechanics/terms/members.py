"""Cables and compressible bars as a term: from a structure to the table of springs, and what is said of them."""

from __future__ import annotations

import numpy as np

from taut.mechanics.kinds import EventSource, Given, Links, Term
from taut.mechanics.terms import secants, slackening, springs
from taut.mechanics.terms.springs import CRUSHED_LENGTH, Springs
from taut.structure.properties import bar_length, bar_stiffness, rest_length, stiffness
from taut.structure.records import Bar, Cable


def tabulate(given: Given) -> Springs:
    """Damping in proportion to the stiffness (Rayleigh's beta [s]) becomes a damper of each."""
    structure, bars = given.structure, given.compressible
    natural = np.array([bar_length(structure, bar) for bar in bars], dtype=float)
    firm = np.array(
        [
            *(stiffness(structure, cable) for cable in given.straight),
            *(bar_stiffness(structure, bar) for bar in bars),
            *(_firmness(given, cable) for cable in given.routed),
            *(0.0 for _ in given.pneumatic),
        ],
        dtype=float,
    )
    straight, routed = ([rest_length(structure, cable) for cable in part] for part in (given.straight, given.routed))
    struts = [bar_length(structure, bar) for bar in given.pneumatic]
    least = [*map(_least, given.straight), *(-np.inf for _ in bars), *map(_least, given.routed)]
    least += [-np.inf for _ in struts]
    members: tuple[Cable | Bar, ...] = (*given.straight, *bars, *given.routed, *given.pneumatic)
    damping = np.array([member.damping for member in members], dtype=np.float64) + given.damping.stiffness * firm
    commanded = [one.mode != "spring" if isinstance(one, Cable) else one.law == "pneumatic" for one in members]
    damping[np.array(commanded, dtype=bool)] = 0.0
    return Springs(
        *given.ends([*(cable.route for cable in given.straight), *(bar.nodes for bar in bars)]),
        least=np.array(least, dtype=float),
        stiffness=firm,
        rest_length=np.concatenate([straight, natural, routed, struts]).astype(float),
        rest_rate=np.zeros(firm.size),
        damping=damping,
        shortest=CRUSHED_LENGTH * natural,
        damps=np.array([int(damping.any())]),
        crushed=np.array([-1]),
        density=np.zeros(firm.size),
    )


def _least(cable: Cable) -> float:
    return 0.0 if cable.law == "cable" and cable.mode == "spring" else -np.inf


def _firmness(given: Given, cable: Cable) -> float:
    """Of the spring that a routed cable is [N/m]; one that is commanded is none."""
    return (stiffness(given.structure, cable) or 0.0) if cable.mode == "spring" else 0.0


def links(table: Springs) -> Links:
    return table.first, table.second


def node_stiffness(table: Springs, size: int) -> np.ndarray:
    """Of cables, at every coordinate of their nodes; the other springs, stiff bars, tremble by themselves."""
    cables = table.first.size - table.shortest.size
    found = np.zeros(size)
    for end in (table.first, table.second):
        np.add.at(found, end[:cables], table.stiffness[:cables])
    return np.repeat(found[::3], 3)


def law_names(given: Given) -> tuple[tuple[str, str], ...]:
    """Of every row among the laws of springs: "cable" or "bar", and its name."""
    cables, bars, routed = (given.straight, given.compressible, given.routed)
    return (
        *(("cable", c.name) for c in cables),
        *(("bar", b.name) for b in bars),
        *(("cable", c.name) for c in routed),
    )


def dampers(given: Given, table: Springs) -> tuple[str, ...]:
    names = law_names(given)
    return tuple('{} "{}"'.format(*names[k]) for k in np.flatnonzero(table.damping))


def subjects(given: Given, table: Springs) -> tuple[tuple[str, str], ...]:
    names = law_names(given)
    return tuple(names[k] for k in np.flatnonzero(table.least == 0.0))


def crushed_bar(given: Given, spring: int) -> str:
    """What is wrong with a spring that is a bar pressed to nothing."""
    bar = given.compressible[spring - len(given.straight)]
    return (
        f'bar "{bar.name}" would next be pressed to less than '
        f"{CRUSHED_LENGTH:.0%} of its length without force, where it is no bar any more"
    )


def obstacle(given: Given, number: int) -> str:
    """What no step leads over: a bar pressed to nothing, by its spring; after all springs a pulley, by its stretch."""
    springs = len(given.straight) + len(given.compressible)
    if number < springs:
        return f"{crushed_bar(given, number)}; make it stiffer, or load it less"
    stretches = [(cable, place) for cable in given.routed for place in range(1, len(cable.route))]
    cable, place = stretches[number - springs]
    return (
        f'cable "{cable.name}" would next have no way over its pulley at "{cable.route[place]}": a node beside it '
        "comes nearer than its radius, or the cable is straight there, or doubled back, to within a tenth of it"
    )


SPRINGS_TERM = Term(
    "springs",
    Springs,
    tabulate,
    force=springs.force,
    conservative_force=springs.conservative_force,
    potential=springs.potential,
    stiffness=springs.stiffness,
    links=links,
    secant_force=secants.spring_force,
    secant_stiffness=secants.spring_stiffness,
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
