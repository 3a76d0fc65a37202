"""Sizes of an elastic structure for all its load cases: members as thin as the forces they get allow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut.errors import ModelError, OptionError, Problem
from taut.statics.cases import LoadCaseTable, solve_cases
from taut.statics.equilibrium import Equilibrium
from taut.statics.lightest import Sizing
from taut.statics.load_case import LoadCase
from taut.statics.sections import Stocks, require_safety, stocks, with_areas
from taut.statics.self_stress import counts
from taut.statics.sensitivities import derivatives
from taut.structure import properties
from taut.structure.records import Bar, Cable
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

LARGEST = 1e6
"""[m^2] No member is thicker: sizes that grow beyond it grow for ever."""

FIRST_TRUST = 0.2
"""By what fraction areas may change in the first linear program."""

UNSETTLED = "sizes still changed in the last round: allow more rounds"
UNBORNE = "the sizes that its forces ask for do not bear all cases, and those between were not tried"
"""Why a design that bears everything may not be the lightest."""

STILL = 1e-6
"""Of the largest force: forces that change by less, where areas change by all of themselves, do not depend on sizes."""

SWAYS = "statically determinate, but the shape gives way under its loads"


@checked_arguments
def elastic_sizes(
    structure: Structure,
    cases: Mapping[str, LoadCase],
    *,
    minimum_tension: float = 0.0,
    minimum_radius: float = 1e-4,
    safety: float = 1.0,
    rounds: int = 100,
    tolerance: float = 1e-6,
) -> Sizing:
    """Balance every case with elastic members, make each member as thin as its largest force allows, and again.

    Bars are compressible, cables have E A / rest length, gravity acts on the new masses, rest lengths stay. Where
    forces do not depend on sizes (statically determinate, and the shape does not give way) the second round repeats the
    first, every member is at a limit, and that is the least mass in closed form. Where they do, linear programs with
    the derivatives of the forces go on from there until no small change is lighter: a local optimum; `least_mass` has a
    bound for all designs.

    minimum_tension: [N]; cables with less in some case are named in the status, since thickness cannot mend that.
    minimum_radius: [m], of every member. safety: forces times this must be borne. tolerance: of the areas.
    """
    require_safety(safety)
    if not 0.0 < minimum_radius < np.inf:
        raise OptionError(f"minimum_radius = {minimum_radius!r} must be a finite number more than zero [m]")
    if rounds < 1 or not 0.0 < tolerance < 1.0:
        raise OptionError(
            f"rounds = {rounds!r} must be one or more, and tolerance = {tolerance!r} more than 0 and less than 1"
        )
    cut = [cable for cable in structure.cables.values() if cable.segments > 1]
    if cut:
        message = f"{cut[0].segments}: a cable has one size; say segments: 1, or leave them out"
        raise ModelError([Problem(("cables", cut[0].name, "segments"), message)])
    task = _Task(structure, cases, stocks(structure), safety, np.pi * minimum_radius**2)
    design = task.borne(_start(structure, task.least))
    count, left = 1, UNSETTLED
    while count < rounds and design.table.ok:
        count += 1
        after = task.borne(task.wanted(design.table))
        lighter = after.table.ok and after.mass < design.mass * (1.0 - tolerance)
        design = after if lighter else design
        if not lighter:
            left = "" if after.bears else UNBORNE
            break
    states = counts(structure).self_stress_states
    sways = not states and not left and task.sways(design)
    trust = FIRST_TRUST
    left = left or (UNSETTLED if states or sways else "")
    while (states or sways) and count < rounds and design.table.ok and trust > tolerance:
        count += 1
        after = task.borne(task.improved(design, trust))
        lighter = after.table.ok and after.mass < design.mass
        small = lighter and after.mass > design.mass * (1.0 - tolerance)
        design, trust = (after, 1.5 * trust) if lighter else (design, 0.3 * trust)
        left = "" if small or trust <= tolerance else UNSETTLED
        if small:
            break
    status, lacks = _status(task, design, minimum_tension)
    depends = f"states of self-stress: {states}" if states else SWAYS if sways else ""
    return _told(task, design, count, depends, status, lacks, left)


class _Design(NamedTuple):
    """Areas, what happens in them, what they weigh, and how much thicker the worst member should be (1: all bear)."""

    area: np.ndarray
    table: LoadCaseTable
    mass: float
    share: float

    @property
    def bears(self) -> bool:
        return self.table.ok and self.share <= 1.0 + 1e-6


@dataclass(frozen=True)
class _Task:
    structure: Structure
    cases: Mapping[str, LoadCase]
    stock: Stocks
    safety: float
    least: float  # the smallest area [m^2]

    def by_area(self, equilibrium: Equilibrium) -> np.ndarray:
        """(m, m) how each force changes with each area [N/m^2]; the stiffness is E A over the length without force."""
        by_stiffness = [
            derivatives(equilibrium, "stiffness", f"{kind}:*", bars="compressible").member_force
            for kind in ("cable", "bar")
            if getattr(self.structure, f"{kind}s")
        ]
        standing = equilibrium.structure  # with the lengths of the case: wound, warmed, made too long
        unstrained = [properties.rest_length(standing, cable) for cable in standing.cables.values()]
        unstrained += [properties.bar_length(standing, bar) for bar in standing.bars.values()]
        return np.asarray(np.concatenate(by_stiffness).T * (self.stock.modulus / np.array(unstrained)))

    def sways(self, design: _Design) -> bool:
        """Whether forces depend on sizes for no other reason than that the shape gives way."""
        if not design.table.ok:
            return False
        by_size = [self.by_area(one) * design.area for one in design.table.equilibria.values()]
        return bool(np.abs(by_size).max() > STILL * np.abs(design.table.member_force).max())

    def wanted(self, table: LoadCaseTable) -> np.ndarray:
        """The areas that the forces of a table ask for."""
        area = self.stock.area(self.safety * table.member_force, _lengths(table))
        return np.asarray(np.maximum(area, self.least))

    def borne(self, area: np.ndarray) -> _Design:
        """The design made thicker as a whole, or thinner, until it just bears everything."""
        for _ in range(20):
            table = solve_cases(with_areas(self.structure, area), self.cases, bars="compressible")
            share = float((self.wanted(table) / area).max())
            if not table.ok or abs(share - 1.0) < 1e-7 or area.max() > LARGEST:
                break
            area = np.maximum(share * area, self.least)
        return _Design(area, table, float(self.stock.mass(area).sum()), share)

    def improved(self, design: _Design, trust: float) -> np.ndarray:
        """The lightest areas within a fraction of these, by a linear program with the forces' derivatives by the areas.

        A member of force t and area a needs a >= A(t); with dt/da = J that is, to first order,
        da - A'(t) J da >= A(t) - a.
        """
        from scipy.optimize import linprog

        stock, area = self.stock, design.area
        left, right = [], []
        for row, equilibrium in enumerate(design.table.equilibria.values()):
            change = self.by_area(equilibrium)
            force = self.safety * design.table.member_force[row]
            by_yield, by_euler = stock.yield_area(force), stock.euler_area(force, equilibrium.length)
            need, bends = np.maximum(by_yield, by_euler), by_euler > by_yield
            slope = np.where(bends, need / (2.0 * np.where(force == 0.0, 1.0, force)), np.sign(force) / stock.strength)
            left.append((self.safety * slope)[:, None] * change - np.eye(area.size))
            right.append(area - need)
        unit = float(area.max())
        found = linprog(
            stock.mass(np.ones(area.size)) / stock.mass(np.ones(area.size)).max(),
            A_ub=np.concatenate(left),
            b_ub=np.concatenate(right) / unit,
            bounds=np.column_stack([np.maximum(-trust * area, self.least - area), trust * area]) / unit,
        )
        return area if found.x is None else np.maximum(area + unit * found.x, self.least)


def _lengths(table: LoadCaseTable) -> np.ndarray:
    """(k, m) of members as they stand in every case [m]: a bar may be driven out."""
    return np.array([one.length for one in table.equilibria.values()])


def _start(structure: Structure, least: float) -> np.ndarray:
    members: list[Bar | Cable] = [*structure.cables.values(), *structure.bars.values()]
    return np.array([properties.area(member) or 100.0 * least for member in members], dtype=float)


def _status(task: _Task, design: _Design, minimum_tension: float) -> tuple[str, str]:
    """How it ended, and what the design lacks: "" where it is one."""
    table = design.table
    if not table.ok:
        return table.status, "the cases do not all balance in these sizes"
    if not design.bears:
        worst = table.members[int(np.argmax(task.wanted(table) / design.area))]
        return (
            f'no sizes found that bear all cases: "{worst}" would have to be {design.share:.3g} times as thick, and '
            "forces grow with the sizes where rest lengths strain members too much; bring rest lengths closer to "
            "lengths, or take a stronger material"
        ), "no sizes were found that bear all cases"
    loose = np.flatnonzero(~task.stock.bars & (table.member_force.min(axis=0) < minimum_tension))
    if not loose.size:
        return "sized", ""
    names = ", ".join(f'"{table.members[i]}"' for i in loose[:3])
    return (
        f"{loose.size} cables have less than {minimum_tension:g} N in some case ({names}, ...); "
        "shorten their rest lengths, or prestress the structure"
    ), "cables lack tension, which thickness does not mend"


def _told(task: _Task, design: _Design, rounds: int, depends: str, status: str, lacks: str, left: str) -> Sizing:
    """depends: why forces depend on sizes, "" where they do not. left: why the search did not come to its end, "" where
    it did."""
    weighed = any(np.any(case.gravity) for case in task.cases.values())
    proved = not lacks and not left and not depends and not weighed
    if lacks:
        said = f"nothing is proved: {lacks}"
    elif left:
        said = f"every limit is kept, but {left}; nothing is proved"
    elif depends:
        said = (
            f"forces depend on sizes ({depends}): every limit is kept and no small change makes it lighter; "
            "not proved to be lightest"
        )
    elif weighed:
        said = (
            "statically determinate and every member at a limit, but weight depends on sizes: not proved to be lightest"
        )
    else:
        said = (
            "statically determinate: forces do not depend on sizes and every member is at a limit, so none can be "
            "lighter"
        )
    forces = design.table.member_force
    return Sizing(
        with_areas(task.structure, design.area),
        design.table.members,
        design.area,
        forces,
        task.stock.governed(task.safety * forces, _lengths(design.table)),
        design.mass,
        design.mass if proved else 0.0,
        said,
        status,
        rounds,
    )
