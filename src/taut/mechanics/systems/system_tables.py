"""The tables of the linear system that a Spec asks for, by mass or by plain coordinates; and all tables as a pack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from taut.mechanics.inertia.cylinder_tables import placed
from taut.mechanics.rows.jacobian import placed_in
from taut.mechanics.spec import Spec
from taut.mechanics.systems.minres import minres_of
from taut.mechanics.systems.pairs import pairs_of
from taut.mechanics.systems.saddle_tables import numbered, saddle_of
from taut.mechanics.tables import slot
from taut.numerics.packing import Pack, packed

Tables = dict[str, Any]
"""Tables by their slot's name."""

METRIC = slot("metric_pairs") - slot("pairs")
"""How many slots the systems of another metric stand behind those of the mass."""


def packed_by_name(tables: Mapping[str, Any]) -> tuple[Pack, Tables]:
    """Tables as a pack, and as views into it."""
    pack, views = packed({slot(name): table for name, table in tables.items()})
    return pack, {name: views[slot(name)] for name in tables}


def euclidean(spec: Spec, tables: Tables) -> Tables:
    """The same tables with corrections measured by plain coordinates, as in eq. (45), instead of by mass."""
    constants = tables["constants"]._replace(metric=np.array([METRIC], dtype=np.int64))
    return {**tables, "constants": constants, **system_tables(spec, tables, "metric_")}


def system_tables(spec: Spec, tables: Tables, prefix: str) -> Tables:
    """The tables of the linear system, with the mass matrix or, for another metric, plain coordinates as its weight."""
    thin, cylinders, free, unit = tables["thin"], tables["cylinders"], tables["nodes"].free, bool(prefix)
    jacobian = tables["jacobian"]
    diagonal, coupling = (np.ones_like(thin.diagonal), 0.0 * thin.coupling) if unit else (thin.diagonal, thin.coupling)
    if spec.system == "pairs":
        return {f"{prefix}pairs": pairs_of(diagonal, coupling, thin.first, thin.second, free)}
    if spec.system == "minres":
        weight = np.zeros_like(diagonal)
        weight[free] = diagonal[free]
        return {f"{prefix}minres": minres_of(weight, coupling, jacobian.start.size - 1)}
    saddle, place = saddle_of(thin, cylinders, free, jacobian.start, jacobian.coordinate, unit=unit)
    made: Tables = {f"{prefix}saddle": saddle, "jacobian": placed_in(jacobian, place)}
    if cylinders.first.size and not unit:
        made["cylinders"] = placed(cylinders, saddle, numbered(diagonal.size, free))
    return made
