"""From what is given to the tables of a nodal plant, and to the Spec that says what it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from taut.mechanics.inertia import thin as thin_inertia
from taut.mechanics.inertia.cylinder_tables import cylinders_of, placed
from taut.mechanics.inertia.cylinders import Cylinders
from taut.mechanics.inertia.thin import Thin
from taut.mechanics.kinds import Given, Imposed, Rows, Term, registered
from taut.mechanics.operations.event_table import Events
from taut.mechanics.operations.newton_matrix import Newton
from taut.mechanics.operations.watches import Watches
from taut.mechanics.slots import SLOTS, slot
from taut.mechanics.spec import Spec, imposed_of, rows_of, terms_of
from taut.mechanics.systems.minres import Minres
from taut.mechanics.systems.pairs import Pairs, pairs_of
from taut.mechanics.systems.saddle_tables import numbered, saddle_of
from taut.mechanics.tables import Constants, Jacobian, Nodes, Work
from taut.mechanics.terms.springs import Springs
from taut.numerics.packing import Pack, empty, packed
from taut.numerics.saddle import Saddle
from taut.structure.properties import bar_length, route_length

Tables = dict[str, Any]
"""Tables by their slot's name."""

METRIC = 3
"""How many slots the systems of another metric stand behind those of the mass."""


def assembled(given: Given, watches: Watches, *, iterative: bool) -> tuple[Spec, Tables]:
    """The tables of a structure that has passed its checks, and the kinds they are of.

    iterative: where bars meet, instead of a factor.
    """
    thin, cylinders = thin_inertia.tabulate(given), cylinders_of(given)
    extra = [registered(name) for name in given.elements or {}]
    spec = _spec(given, thin, cylinders, extra, iterative=iterative)
    tables: Tables = {name: empty(table) for name, table in _EMPTY.items()}
    tables |= {"thin": thin, "cylinders": cylinders, "watches": watches}
    terms, rows = terms_of(spec), rows_of(spec)
    kinds: list[Any] = [*terms, *rows, *imposed_of(spec)]
    for kind in kinds:
        tables[kind.name] = kind.tabulate(given)
    springs: Springs = tables["springs"]
    typical, slowness = _scale(given, thin, springs)
    happening = 0
    for term in terms:
        if term.events is not None:
            tables |= term.events.tables(tables[term.name]) if term.events.tables is not None else {}
            happening += len(term.events.subjects(given, tables[term.name]))
    happening += watches.kind.size
    jacobian = jacobian_table(rows, tables, typical)
    size, count, free = thin.diagonal.size, jacobian.start.size - 1, given.free
    tables |= {
        "nodes": Nodes(free, _shares(thin, free, rows, tables)),
        "constants": Constants(
            metric=np.zeros(1, dtype=np.int64),
            stabilised=np.zeros(1, dtype=np.int64),
            piece=np.zeros(1),
            gains=np.zeros(2),
            scale=np.array([typical, slowness]),
        ),
        "work": Work(*(np.zeros(n) for n in (*(size,) * 4, *(count,) * 4, free.size, free.size))),
        "jacobian": jacobian,
        "events": Events(
            state=np.zeros(happening, dtype=np.int64),
            burst=np.zeros(happening, dtype=np.int64),
            last=np.zeros(happening),
            band=np.zeros(1),
            middle=np.zeros(2 * size if happening else 0),
        ),
    }
    return spec, tables | _system(spec, tables, "")


def euclidean(spec: Spec, tables: Tables) -> Tables:
    """The same tables with corrections measured by plain coordinates, as in eq. (45), instead of by mass."""
    constants = tables["constants"]._replace(metric=np.array([METRIC], dtype=np.int64))
    return {**tables, "constants": constants, **_system(spec, tables, "metric_")}


def packed_by_name(tables: Mapping[str, Any]) -> tuple[Pack, Tables]:
    """Tables as a pack, and as views into it."""
    pack, views = packed({slot(name): table for name, table in tables.items()})
    return pack, {name: views[slot(name)] for name in tables}


_EMPTY: Mapping[str, Any] = {
    **dict.fromkeys(("pairs", "metric_pairs"), Pairs),
    **dict.fromkeys(("saddle", "metric_saddle", "newton_saddle"), Saddle),
    **dict.fromkeys(("minres", "metric_minres"), Minres),
    "newton": Newton,
}
"""Tables that a plant may do without, but in which kernels still look up how much there is."""


def _spec(given: Given, thin: Thin, cylinders: Cylinders, extra: list[Any], *, iterative: bool) -> Spec:
    ends = np.concatenate([thin.first, thin.second])
    rows = [kind.name for kind in extra if isinstance(kind, Rows)]
    alone = not given.structure.constraints and not rows and np.unique(ends).size == ends.size
    system = "pairs" if alone and not cylinders.first.size else "minres" if iterative else "saddle"
    imposed = [kind.name for kind in extra if isinstance(kind, Imposed)]
    return Spec(
        terms=(*Spec().terms, *(kind.name for kind in extra if isinstance(kind, Term))),
        rows=("bars",) if system == "pairs" else ("bars", "linear", *rows),
        inertia="cylinders" if cylinders.first.size else "thin",
        imposed=(*(("supports",) if given.motions else ()), *imposed),
        system=system,
    )


def _scale(given: Given, thin: Thin, springs: Springs) -> tuple[float, float]:
    """Typical length [m] and time [s]: the mean member, and the root of the mass over the stiffness of the cables."""
    structure, bars = given.structure, list(given.structure.bars.values())
    lengths = [bar_length(structure, bars[k]) for k in thin_inertia.bar_order(given)]
    lengths += [route_length(structure, cable.route) for cable in structure.cables.values()]
    typical = float(np.mean(lengths)) if lengths else 1.0
    # Stiff bars tremble; the structure swings by its cables, and has only bars to swing by where it has none.
    cables, mass = len(structure.cables), thin.diagonal[::3]
    swinging = springs.stiffness[:cables] if cables else springs.stiffness
    return typical, float(np.sqrt(mass.sum() / swinging.sum())) if swinging.size and mass.any() else 1.0


def jacobian_table(rows: list[Rows], tables: Tables, typical: float) -> Jacobian:
    """The pattern of G, row after row; typical: a length [m] for rows that have none of their own."""
    found = [kind.pattern(tables[kind.name]) for kind in rows]
    none = np.zeros(0, dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(np.concatenate([none, *(count for count, _ in found)]))])
    coordinate = np.concatenate([none, *(places for _, places in found)]).astype(np.int64)
    sizes = [np.zeros(0), *(np.asarray(kind.sizes(tables[kind.name], typical), dtype=float) for kind in rows)]
    place = np.zeros(coordinate.size, dtype=np.int64)
    return Jacobian(start.astype(np.int64), coordinate, place, np.zeros(coordinate.size), np.concatenate(sizes))


def _shares(thin: Thin, free: np.ndarray, rows: list[Rows], tables: Tables) -> np.ndarray:
    """What each coordinate has of the mass that moves when the whole structure shifts; none where it cannot shift."""
    share = thin.diagonal.reshape(-1, 3).copy()
    for end in (thin.first, thin.second):
        np.add.at(share, end // 3, thin.coupling[:, None])
    held = [np.setdiff1d(np.arange(thin.diagonal.size), free)]
    held += [kind.pattern(tables[kind.name])[1] for kind in rows if kind.name != "bars"]
    share[:, np.unique(np.concatenate(held) % 3)] = 0.0
    return share.ravel()


def _system(spec: Spec, tables: Tables, prefix: str) -> Tables:
    """The tables of the linear system, with the mass matrix or, for another metric, plain coordinates as its weight."""
    thin, cylinders, free, unit = tables["thin"], tables["cylinders"], tables["nodes"].free, bool(prefix)
    jacobian = tables["jacobian"]
    diagonal, coupling = (np.ones_like(thin.diagonal), 0.0 * thin.coupling) if unit else (thin.diagonal, thin.coupling)
    if spec.system == "pairs":
        return {f"{prefix}pairs": pairs_of(diagonal, coupling, thin.first, thin.second, free)}
    if spec.system == "minres":
        weight = np.zeros_like(diagonal)
        weight[free] = diagonal[free]
        size = diagonal.size + jacobian.start.size - 1
        return {f"{prefix}minres": Minres(weight, coupling, np.zeros(size), np.zeros(9 * size))}
    saddle, place = saddle_of(thin, cylinders, free, jacobian.start, jacobian.coordinate, unit=unit)
    made: Tables = {f"{prefix}saddle": saddle, "jacobian": jacobian._replace(place=place)}
    if cylinders.first.size and not unit:
        made["cylinders"] = placed(cylinders, saddle, numbered(diagonal.size, free))
    return made


assert set(_EMPTY) <= set(SLOTS)
