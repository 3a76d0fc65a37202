"""What is read off the nodes of a plant in generalised coordinates, and what is not known of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from taut.mechanics.compose import Composition, bound_by_name, composed
from taut.mechanics.imposed import controllers
from taut.mechanics.operations import motion, outputs
from taut.mechanics.operations.motion import all_forces
from taut.mechanics.parts import impose
from taut.mechanics.plant import Plant
from taut.mechanics.spec import Spec
from taut.mechanics.tables import coordinate_count, internal_count, row_count, work_in
from taut.numerics.compiled import entry, kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of


@kernel
def given_multipliers(p: Pack, t: float, y: np.ndarray) -> None:
    """In the place of `multipliers_of` where nodes are read off: accelerations and multipliers that follow the state of
    the nodes, as `fill_nodal` found them. What nodes alone would do is another motion: they know nothing of hinges, nor
    of what acts on coordinates."""
    n, work = coordinate_count(p), work_in(p)
    impose(p, t, y)
    all_forces(p, t, y, work.force)
    found = shifted(y, 2 * n + 1 + internal_count(p))
    for i in range(n):
        work.acceleration[i] = found[i]
    for k in range(row_count(p)):
        work.multiplier[k] = found[n + k]


@entry
def given_rate(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> None:
    """The same in the place of a nodal plant's rate."""
    n, work = coordinate_count(p), work_in(p)
    given_multipliers(p, t, start_of(y))
    for i in range(n):
        out[n + i] = work.acceleration[i]


@cache
def _reading(spec: Spec) -> Composition:
    """What is read off nodes, by accelerations and multipliers that are known already."""
    whole = composed(spec)
    known = {motion.rate: given_rate, motion.multipliers_of: given_multipliers}
    return whole._replace(tools={**whole.tools, **bound_by_name(spec, (outputs.observe, controllers.sense), known)})


@dataclass(frozen=True, repr=False)
class ReadNodes(Plant):
    """The nodes of a plant in generalised coordinates, to be read off."""

    @cached_property
    def composition(self) -> Composition:
        return _reading(self.spec)

    def dependent(self, tables: Pack, y: np.ndarray) -> np.ndarray:
        return np.zeros((0, self.rows))


def unknown_columns(points: Plant, met: set[int]) -> dict[str, np.ndarray]:
    """Columns of outputs that rows say which joints meet by themselves: what acts there is not known."""
    given, ranges, rigid = points.given, points.row_ranges, points.tables["bars"].column
    names = {kind: list(getattr(given.structure, f"{kind}s")) for kind in ("cable", "bar", "angle")}
    lost = [("bar", names["bar"][rigid[row]]) for row in sorted(met) if row < rigid.size]
    kinds = (
        ("held_lengths", "cable", [cable.name for cable in given.held_cables]),
        ("driven_bars", "bar", list(given.driven_bars)),
        ("angles", "angle", [angle.name for angle in given.held_angles]),
    )
    for rows, kind, members in kinds:
        begin = ranges[rows].start if rows in ranges else 0
        lost += [(kind, name) for k, name in enumerate(members) if rows in ranges and begin + k in met]
    table = points.tables["jacobian"]
    ends = {int(table.coordinate[e]) // 3 for row in met for e in range(table.start[row], table.start[row + 1])}
    columns = {
        "bar_force": [names["bar"].index(name) for kind, name in lost if kind == "bar"],
        "cable_tension": [names["cable"].index(name) for kind, name in lost if kind == "cable"],
        "angle_torque": [names["angle"].index(name) for kind, name in lost if kind == "angle"],
        "reaction": [k for k, node in enumerate(points.held) if int(node) in ends],
    }
    return {output: np.array(chosen, dtype=int) for output, chosen in columns.items()}
