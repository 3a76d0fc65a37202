"""From equations of statics to a pack of the plant's own tables, without masses: what `rest_kernels` runs on."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.kinetostatics.rest_kernels import Rest
from taut.mechanics.kinds import Given
from taut.mechanics.rows.held_lengths import TAUT
from taut.mechanics.rows.jacobian import jacobian_table
from taut.mechanics.spec import Spec, rows_by_presence, rows_of, terms_by_presence, terms_of
from taut.mechanics.systems.system_tables import Tables, packed_by_name
from taut.mechanics.tables import Constants, Nodes, Work
from taut.numerics.packing import Pack, empty
from taut.structure.structure import Structure


def rest_spec(structure: Structure) -> Spec:
    """The kinds of terms and rows that hold a structure at rest; weight and loads are constant forces beside them."""
    given = Given(structure)
    routes = ("routes",) if given.routed or given.pneumatic else ()
    held = ("held_lengths",) if given.held_cables else ()
    terms = ("springs", *routes, *terms_by_presence(structure))
    return Spec(terms=terms, rows=("bars", "linear", *held, *rows_by_presence(structure)))


def rest_pack(structure: Structure, external: np.ndarray) -> tuple[Pack, Tables]:
    """Tables as a pack, and as views into it. Held cables hold, whether they pull or push. external: (n, 3) [N]."""
    given, spec = Given(structure), rest_spec(structure)
    kinds: list[Any] = [*terms_of(spec), *rows_of(spec)]
    tables: Tables = {kind.name: kind.tabulate(given) for kind in kinds}
    if given.held_cables:
        tables["held_lengths"].active[:] = TAUT
    jacobian = jacobian_table(rows_of(spec), tables, 1.0)
    size, free, rows = 3 * len(given.coordinate), given.free, jacobian.start.size - 1
    ends = [kind.links(tables[kind.name]) for kind in kinds if kind.links is not None]
    ways = [kind.one_way for kind in kinds if kind.links is not None]
    first, second = (np.concatenate([pair[k] for pair in ends]).astype(np.int64) for k in (0, 1))
    one_way = np.concatenate([np.full(pair[0].size, way) for pair, way in zip(ends, ways, strict=True)])
    unknown = np.full(size, -1, dtype=np.int64)
    unknown[free] = np.arange(free.size)
    whole = free.size + rows
    tables |= {
        "nodes": Nodes(free, np.zeros(size)),
        "work": Work(*(np.zeros(n) for n in (*(size,) * 4, *(rows,) * 4, free.size, free.size))),
        "jacobian": jacobian,
        "constants": empty(Constants)._replace(piece=np.zeros(1), time=np.zeros(1)),
        "rest": Rest(
            first,
            second,
            one_way.astype(np.int64),
            unknown,
            load=external.ravel().astype(float),
            multiplier=np.zeros(rows),
            block=np.zeros(9 * first.size),
            brace=np.zeros(rows),
            matrix=np.zeros(whole * whole),
            right=np.zeros(whole),
            order=np.zeros(whole, dtype=np.int64),
            unit=np.ones(1),
        ),
    }
    return packed_by_name(tables)
