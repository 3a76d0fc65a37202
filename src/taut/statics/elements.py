"""Plates, angles and elements of kinds from outside, as statics asks for them: on the same terms and rows that move a
plant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from taut.errors import ModelError, OptionError, Problem
from taut.mechanics.capabilities import check_linear
from taut.mechanics.compose import composed
from taut.mechanics.kinds import Given, Imposed, Rows, Term
from taut.mechanics.operations.outputs import angle_torques
from taut.mechanics.operations.redundancy import csr_of
from taut.mechanics.rows.jacobian import jacobian_table
from taut.mechanics.spec import Spec, grouped, outside_of, rows_by_presence, rows_of, terms_by_presence, terms_of
from taut.mechanics.systems.system_tables import packed_by_name
from taut.mechanics.tables import Constants, Nodes, Work
from taut.numerics.link_blocks import pattern
from taut.numerics.packing import empty
from taut.structure.structure import Structure


@dataclass(frozen=True)
class Elements:
    """Terms and rows of a structure, without masses. Multipliers are tensions: minus those of a plant."""

    given: Given

    @cached_property
    def spec(self) -> Spec:
        outside = outside_of(self.given.elements)
        driven = [kind.name for kind in outside.kinds if isinstance(kind, Imposed)]
        if driven:
            raise OptionError(f'"{driven[0]}" follows time, and statics has none; leave it out')
        terms = tuple(kind.name for kind in outside.kinds if isinstance(kind, Term))
        check_linear(Spec(terms=terms, outside=outside))
        terms = (*terms_by_presence(self.given.structure), *terms)
        others = tuple(kind.name for kind in outside.kinds if isinstance(kind, Rows))
        return Spec(terms=terms, rows=(*rows_by_presence(self.given.structure), *others), outside=outside)

    @cached_property
    def _packed(self) -> tuple[Any, Any]:
        kinds: list[Any] = [*terms_of(self.spec), *rows_of(self.spec)]
        tables = {kind.name: kind.tabulate(self.given) for kind in kinds}
        jacobian = jacobian_table(rows_of(self.spec), tables, 1.0)
        size, rows = 3 * len(self.given.coordinate), jacobian.start.size - 1
        work = empty(Work)._replace(multiplier=np.zeros(rows))
        tables |= {"nodes": Nodes(self.given.free, np.zeros(size)), "work": work, "jacobian": jacobian}
        return packed_by_name({**tables, "constants": empty(Constants)._replace(piece=np.zeros(1))})

    @property
    def rows(self) -> int:
        return int(self._packed[1]["work"].multiplier.size)

    def torques(self, positions: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
        """(a,) of the angles, as a plant has them: positive where they turn the angle up [N m]."""
        kinds, (pack, tables), given = rows_of(self.spec), self._packed, self.given
        counts = [kind.pattern(tables[kind.name])[0].size for kind in kinds]
        begin = sum(counts[: self.spec.rows.index("angles")]) if "angles" in self.spec.rows else 0
        turned = np.zeros((1, 2 * len(given.free_angles)))
        if given.free_angles:
            at = np.zeros(1), np.zeros(1), self._state(positions)[None]
            composed(self.spec).tools["observe_torques"](pack, *at, turned)
        held = -multipliers[None, begin : begin + len(given.held_angles)]
        return np.asarray(angle_torques(given, held, turned)[0])

    def _state(self, positions: np.ndarray) -> np.ndarray:
        return np.append(np.real(positions).ravel(), np.zeros(positions.size + 1))

    def force(self, positions: np.ndarray) -> tuple[np.ndarray, float]:
        """(3 n,) [N], and the potential energy [J]."""
        elastic, commanded, stored = self._forces(positions)
        return elastic + commanded, stored

    def largest_force(self, positions: np.ndarray) -> float:
        """[N] of springs or of what is commanded, which may undo each other."""
        elastic, commanded, _ = self._forces(positions)
        return float(max(np.abs(elastic).max(initial=0.0), np.abs(commanded).max(initial=0.0)))

    def _forces(self, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Those with a potential, those that are commanded, and the energy of both: commands stand still here."""
        elastic, commanded = np.zeros((2, positions.size))
        tools, y = composed(self.spec).tools, self._state(positions)
        stored = tools["elastic_force"](self._packed[0], y, elastic)
        if "torques" in self.spec.terms:
            stored += tools["add_commanded"](self._packed[0], y, commanded)
        return elastic, commanded, float(stored)

    def residuals(self, positions: np.ndarray) -> np.ndarray:
        out, rate = np.zeros(self.rows), np.zeros(self.rows)
        composed(self.spec).tools["fill_residuals"](self._packed[0], self._state(positions), out, rate)
        return out

    def jacobian(self, positions: np.ndarray) -> sp.csr_matrix:
        """(r, 3 n)."""
        pack, tables = self._packed
        composed(self.spec).tools["fill_jacobian"](pack, self._state(positions))
        return csr_of(tables["jacobian"], positions.size)

    def stiffness(self, positions: np.ndarray, multipliers: np.ndarray, *, everywhere: bool = False) -> sp.csc_matrix:
        """(f, f) over free coordinates [N/m], or over all of them."""
        pack, tables = self._packed
        free = np.arange(positions.size) if everywhere else self.given.free
        tools, y = composed(self.spec).tools, self._state(positions)
        unknown = np.full(positions.size + 3, -1, dtype=np.int64)  # the ground is one node more
        unknown[free] = np.arange(free.size)
        whole = sp.csc_matrix((free.size, free.size))
        linked: tuple[tuple[list[Any], Any, tuple[Any, ...]], ...] = (
            ([kind for kind in terms_of(self.spec) if kind.links], tools["stiffness_blocks"], (0.0, y, 1.0, 0.0)),
            (list(rows_of(self.spec)), tools["row_blocks"], (y, -multipliers, np.zeros(self.rows))),
        )
        for kinds, fill, given in linked:
            ends = [kind.links(tables[kind.name]) for kind in kinds]
            if not ends:
                continue
            numbers = np.zeros(9 * sum(first.size for first, _ in ends))
            fill(pack, *given, numbers)
            shares = np.split(numbers, np.cumsum([9 * first.size for first, _ in ends])[:-1])
            for kind, (first, second), blocks in zip(kinds, ends, shares, strict=True):
                places = np.where(second < 0, positions.size, second) // 3
                where = pattern(first // 3, places, unknown, free.size)
                whole = whole + where.matrix(blocks.reshape(-1, 3, 3), one_way=kind.one_way)
        return sp.csc_matrix(whole)


def elements_of(structure: Structure, records: Iterable[Any] = ()) -> Elements | None:
    """What a structure and a statics question have beside bars, cables and constraints; None where that is nothing."""
    found = grouped(records)
    present = found or rows_by_presence(structure) or terms_by_presence(structure)
    return Elements(Given(structure, elements=found)) if present else None


def refuse_torques(structure: Structure, what: str) -> None:
    """Raise ModelError where springs or commands turn free angles as the structure stands."""
    bodies = elements_of(structure)
    if bodies is None or not bodies.given.free_angles:
        return
    torques = bodies.torques(structure.positions, np.zeros(bodies.rows))
    problems = [
        Problem(("angles", name), f"turns with {torque:.6g} N m, which {what} does not know; balance the structure")
        for (name, angle), torque in zip(structure.angles.items(), torques, strict=True)
        if angle.mode == "free" and torque != 0.0
    ]
    if problems:
        raise ModelError(problems)
