"""Load cases, their combinations and envelopes: every member's force and every reaction, case by case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from taut.errors import OptionError
from taut.labelled import Columns, Labelled, Tabular, Variable, one_below_another
from taut.reprs import brief, titled
from taut.statics.balancing import equilibrium_of, refuse_adrift
from taut.statics.equilibrium import Equilibrium
from taut.statics.equilibrium_equations import BarChoice, EquilibriumEquations, Setting, equations_of
from taut.statics.load_case import LoadCase, combination, imposed
from taut.statics.network import network
from taut.statics.slackening import stepped
from taut.statics.strengths import strengths
from taut.structure.joining import subdivided
from taut.structure.labels import labels_of, member_names, reaction_names
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

ENVELOPE = {
    "lowest": Variable(("member",), "N", "least force of each member"),
    "lowest_in": Variable(("member",), "", "the case of it"),
    "highest": Variable(("member",), "N", "largest force of each member"),
    "highest_in": Variable(("member",), "", "the case of it"),
}

TABLE = {
    "member_force": Variable(("case", "member"), "N", "force of each member, positive in tension"),
    "utilisation": Variable(("case", "member"), "1", "share of what each member can bear"),
    "reaction": Variable(("case", "support", "axis"), "N", "force of each support on the structure"),
    "nodes": Variable(("case", "node", "axis"), "m", "position of each node"),
}
"""What `LoadCaseTable.to_xarray` has."""


@dataclass(frozen=True)
class Envelope(Tabular):
    """The extremes of m members over all cases, tension positive [N], and the case of each."""

    members: tuple[str, ...]
    lowest: np.ndarray
    lowest_in: tuple[str, ...]
    highest: np.ndarray
    highest_in: tuple[str, ...]

    __repr__ = brief

    def labelled(self) -> Labelled:
        """One row a member."""
        values = {name: np.asarray(getattr(self, name)) for name in ENVELOPE}
        return Labelled(("member",), {"member": self.members}, ENVELOPE, values)


@dataclass(frozen=True, repr=False)
class LoadCaseTable(Tabular):
    """k cases, m members (cables first), s supports, n nodes. Forces [N], tension positive."""

    equilibria: Mapping[str, Equilibrium]
    members: tuple[str, ...]
    supports: tuple[str, ...]
    member_force: np.ndarray  # (k, m)
    reaction: np.ndarray  # (k, s, 3)
    nodes: np.ndarray  # (k, n, 3)
    utilisation: np.ndarray  # (k, m) share of yield or Euler load, whichever is nearer; NaN where unknown
    structure: Structure  # as it was given, before any case

    @property
    def cases(self) -> tuple[str, ...]:
        return tuple(self.equilibria)

    @property
    def ok(self) -> bool:
        return all(found.ok for found in self.equilibria.values())

    @property
    def status(self) -> str:
        """ "balanced", or what went wrong in which case."""
        wrong = [f'case "{name}": {found.status}' for name, found in self.equilibria.items() if not found.ok]
        return "; ".join(wrong) or "balanced"

    def envelope(self) -> Envelope:
        low, high = self.member_force.argmin(axis=0), self.member_force.argmax(axis=0)
        return Envelope(
            self.members,
            self.member_force.min(axis=0),
            tuple(self.cases[i] for i in low),
            self.member_force.max(axis=0),
            tuple(self.cases[i] for i in high),
        )

    def rows(self) -> list[dict[str, float | str]]:
        """One row a member: its name, its force in every case [N], and the largest share of a known limit."""
        return [
            {
                "member": name,
                **dict(zip(self.cases, self.member_force[:, i].tolist(), strict=True)),
                "utilisation": float(np.fmax.reduce(self.utilisation[:, i])),
            }
            for i, name in enumerate(self.members)
        ]

    def reaction_rows(self) -> list[dict[str, float | str]]:
        """One row a support and axis: its reaction in every case [N]."""
        return [
            {"support": f"{name}.{axis}", **dict(zip(self.cases, self.reaction[:, i, k].tolist(), strict=True))}
            for i, name in enumerate(self.supports)
            for k, axis in enumerate("xyz")
        ]

    def labelled(self) -> Labelled:
        labels = {**labels_of(self.structure), "case": self.cases, "member": member_names(self.structure)}
        return Labelled(
            ("case",), labels, TABLE, {name: getattr(self, name) for name in TABLE}, {"status": self.status}
        )

    def columns(self) -> Columns:
        """One row a member: part, its force in every case (force.weight), its utilisation; then the reactions."""
        forces = {f"force.{case}": own for case, own in zip(self.cases, self.member_force, strict=True)}
        shares = {f"utilisation.{case}": own for case, own in zip(self.cases, self.utilisation, strict=True)}
        reactions = {f"force.{case}": own.ravel() for case, own in zip(self.cases, self.reaction, strict=True)}
        return one_below_another(
            {"part": member_names(self.structure), **forces, **shares},
            {"part": reaction_names(self.structure), **reactions},
        )

    def __repr__(self) -> str:
        return titled("LoadCaseTable", f"{len(self.cases)} cases, {len(self.members)} members", self.status)


@checked_arguments
def solve_cases(
    structure: Structure,
    cases: Mapping[str, LoadCase],
    *,
    combinations: Mapping[str, Mapping[str, float]] | None = None,
    bars: BarChoice = None,
    tolerance: float = 1e-10,
) -> LoadCaseTable:
    """Every case, and every combination, balanced by itself from the structure as it is.

    combinations: name -> {case: factor}. What the cases impose is added up and balanced again: with slack cables and
    large displacements, forces of cases do not add up.
    """
    problem = _problem(structure, bars)
    settings = {name: imposed(problem, case) for name, case in cases.items()}
    clash = [name for name in combinations or {} if name in settings]
    if clash:
        raise OptionError(f'"{clash[0]}" names a case and a combination; rename one')
    base = imposed(problem, LoadCase())
    settings |= {name: combination(problem, name, settings, base, f) for name, f in (combinations or {}).items()}
    found = {
        name: _balanced(problem, base, setting, problem.network.positions, tolerance)
        for name, setting in settings.items()
    }
    return _table(problem, found)


@checked_arguments
def deployment(
    structure: Structure,
    steps: Sequence[Mapping[str, float]],
    *,
    case: LoadCase | None = None,
    bars: BarChoice = None,
    tolerance: float = 1e-10,
) -> LoadCaseTable:
    """A sequence of rest lengths, each step balanced from the shape of the one before.

    steps: selector -> rest length [m] each; what a step does not name keeps the length of the step before.
    case: what acts all the while.
    """
    problem = _problem(structure, bars)
    acting = case or LoadCase()
    places, before, wound = problem.network.positions, imposed(problem, acting), dict(acting.rest_lengths)
    found = {}
    for number, step in enumerate(steps, 1):
        # A later line wins, and in a dict a line that is told again would keep its place before others.
        wound = {selector: length for selector, length in wound.items() if selector not in step} | dict(step)
        setting = imposed(problem, replace(acting, rest_lengths=wound))
        found[f"step {number}"] = _balanced(problem, before, setting, places, tolerance)
        places, before = found[f"step {number}"].structure.positions, setting
    return _table(problem, found)


def _problem(structure: Structure, bars: BarChoice) -> EquilibriumEquations:
    return equations_of(network(subdivided(structure)), bars)


def _balanced(
    problem: EquilibriumEquations, start: Setting, setting: Setting, places: np.ndarray, tolerance: float
) -> Equilibrium:
    refuse_adrift(problem.network, setting.external)
    found, count = stepped(problem, start, setting, places, tolerance=tolerance)
    return equilibrium_of(problem, setting, found, iterations=count)


def _table(problem: EquilibriumEquations, found: Mapping[str, Equilibrium]) -> LoadCaseTable:
    if not found:
        raise OptionError("there is no case to balance; give one or more")
    forces = np.array([one.member_force for one in found.values()])
    limits = strengths(problem.network.structure)
    share = np.array([limits.at(one.length).used(one.member_force)[0] for one in found.values()])
    return LoadCaseTable(
        dict(found),
        problem.network.names,
        next(iter(found.values())).supports,
        forces,
        np.array([one.reaction for one in found.values()]),
        np.array([one.structure.positions for one in found.values()]),
        share,
        problem.network.structure,
    )
