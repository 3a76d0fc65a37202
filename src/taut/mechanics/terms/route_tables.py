"""Cables over guides, commanded cables and pneumatic bars as a term: from a structure to the table of routes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from taut.mechanics.kinds import Given, Links, Term
from taut.mechanics.terms import routes, secants
from taut.mechanics.terms.paths import BEND, paths_of
from taut.mechanics.terms.routes import Routes
from taut.numerics.link_blocks import every_pair
from taut.structure.properties import route_length, stiffness
from taut.structure.records import Cable

MODES = {"spring": routes.SPRING, "tension": routes.TENSION, "force_density": routes.DENSITY}


def _commanded(given: Given) -> tuple[Cable, ...]:
    """Routed and commanded cables, and pneumatic bars as cables that push."""
    struts = (Cable(bar.name, bar.nodes, mode="tension", command=-(bar.force or 0.0)) for bar in given.pneumatic)
    return (*given.routed, *struts)


def tabulate(given: Given) -> Routes:
    cables = _commanded(given)
    paths = paths_of(given, cables)
    return Routes(
        *paths,
        mode=np.array([MODES[cable.mode] for cable in cables], dtype=np.int64),
        command=np.array([float(cable.command or 0.0) for cable in cables]),
        friction=np.array([float(cable.friction) for cable in cables]),
        bound=np.array([_bound(given, cable) for cable in cables]),
        length=np.zeros(paths.first.size),
        pull=np.zeros(paths.first.size),
        slope=np.zeros(3 * paths.own.size),
        turn=np.zeros(3 * paths.own.size),
        radius=np.array([r for cable in cables for r in (*(cable.radii or (0.0,) * (len(cable.route) - 2)), 0.0)]),
        bent=np.zeros(BEND),
    )


def links(table: Routes) -> Links:
    """From every own node of a route to every other, as blocks are filled."""
    return every_pair(table.own_start, table.own)


def _bound(given: Given, cable: Cable) -> float:
    """Stiffness along the route, and of the tension across its shortest stretch [N/m]."""
    structure = given.structure
    shortest = min(route_length(structure, ends) for ends in pairwise(cable.route))
    length, command = route_length(structure, cable.route), float(cable.command or 0.0)
    if cable.mode != "spring":
        return abs(command) / shortest if cable.mode == "tension" else command * (1.0 + length / shortest)
    return stiffness(structure, cable) or 0.0


def node_stiffness(table: Routes, size: int) -> np.ndarray:
    """Of every coordinate, if all other nodes stood still: at a guide, both stretches of a cable change."""
    found = np.zeros(size)
    for r, (begin, end) in enumerate(pairwise(table.start)):
        passes = np.concatenate([table.first[begin:end], table.second[begin:end]])
        nodes, times = np.unique(table.own[passes], return_counts=True)
        found[nodes] += times**2 * table.bound[r]
    return np.repeat(found[::3], 3)


def dampers(given: Given, table: Routes) -> tuple[str, ...]:
    return tuple(f'cable "{cable.name}"' for cable in given.routed if cable.friction > 0.0 and len(cable.route) > 2)


ROUTES_TERM = Term(
    "routes",
    Routes,
    tabulate,
    force=routes.force,
    conservative_force=routes.conservative_force,
    potential=routes.potential,
    load_power=routes.load_power,
    stiffness=routes.stiffness,
    links=links,
    one_way=True,
    secant_force=secants.route_force,
    node_stiffness=node_stiffness,
    dampers=dampers,
)
