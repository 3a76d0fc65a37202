"""All postures that are found with one set of commands: many starts, copies recognised, stability of each."""

from __future__ import annotations

import string
from dataclasses import dataclass

import numpy as np

from taut.errors import OptionError
from taut.kinetostatics.mode_stiffness import ModeStiffness, stiffness_by_mode
from taut.kinetostatics.posture_search import as_equilibrium, shifted, start_of
from taut.kinetostatics.posture_solver import PostureSolver
from taut.kinetostatics.robot import Robot, Values
from taut.kinetostatics.stationary import settle
from taut.kinetostatics.symmetry import SAME, copied
from taut.reprs import brief, counted
from taut.statics.equilibrium import Equilibrium
from taut.type_checks import checked_arguments


@dataclass(frozen=True)
class FoundPosture:
    """One posture of several.

    name: "A", "B", ... by how often they were found. copy: how it is a copy of one named before it, such as "A turned
        by 120 deg about z"; nothing where it is none. stability: its stiffness by ways to command its cables.
    """

    name: str
    posture: Equilibrium
    tries: int
    copy: str
    stability: dict[str, ModeStiffness]

    __repr__ = brief

    @property
    def sentence(self) -> str:
        stands = [name for name, one in self.stability.items() if one.stable]
        held = f"stable with {', '.join(stands)}" if stands else "stable in no way to command its cables"
        return f"{self.name}, found {self.tries} times: {f'{self.copy}, ' if self.copy else ''}{held}"


@dataclass(frozen=True)
class FoundPostures:
    """Every different posture that was found, and of how many tries none was."""

    found: tuple[FoundPosture, ...]
    tries: int
    missed: int

    __repr__ = brief

    @property
    def sentence(self) -> str:
        found, tries = counted(len(self.found), "posture") or "no posture", counted(self.tries, "start")
        lines = [f"{found} from {tries}, {self.missed} of which led to none"]
        return "\n".join(lines + [one.sentence for one in self.found])

    def named(self, posture: Equilibrium) -> str:
        """The name of the one that this posture is; nothing where it is none of them."""
        for one in self.found:
            if _apart(one.posture.structure.positions, posture.structure.positions) <= SAME:
                return one.name
        return ""


@checked_arguments
def postures(
    robot: Robot,
    values: Values = None,
    *,
    start: Equilibrium | np.ndarray | None = None,
    tries: int = 20,
    spread: float = 0.05,
    seed: int = 0,
) -> FoundPostures:
    """Postures of these commands from the start and from shapes around it.

    tries: of which the first begins at the start itself. spread: [m] by which each node is shifted, in directions
        drawn at random by the seed.
    """
    if tries < 1 or not spread > 0.0:
        raise OptionError(f"tries = {tries} and spread = {spread:g} must be more than zero")
    wanted = robot.commands(values)
    begun = start_of(robot, start)
    places = begun.positions
    drawn, solver = np.random.default_rng(seed), PostureSolver(robot)
    solver.command(wanted)
    found: list[tuple[Equilibrium, int]] = []
    missed = 0
    for number in range(tries):
        solver.place(shifted(robot, places, spread, drawn) if number else places, slack=begun.slack)
        with np.errstate(all="ignore"):
            settled = settle(solver)
        if not settled.converged:
            missed += 1
            continue
        for k, (other, count) in enumerate(found):
            if _apart(other.structure.positions, settled.positions) <= SAME:
                found[k] = (other, count + 1)
                break
        else:
            found.append((as_equilibrium(robot, wanted, settled), 1))
    found.sort(key=lambda pair: -pair[1])
    return FoundPostures(_named(robot, found), tries, missed)


def _named(robot: Robot, found: list[tuple[Equilibrium, int]]) -> tuple[FoundPosture, ...]:
    told: list[FoundPosture] = []
    for k, (posture, tries) in enumerate(found):
        name = string.ascii_uppercase[k % 26] + (str(k // 26) if k >= 26 else "")
        copy = ""
        for other in told:
            how = copied(robot, other.posture.structure.positions, posture.structure.positions)
            if how and not other.copy:
                copy = f"{other.name} {how}"
                break
        told.append(FoundPosture(name, posture, tries, copy, stiffness_by_mode(posture, robot)))
    return tuple(told)


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    """The largest distance of a node from itself, against the size of the whole."""
    return float(np.abs(one - other).max() / (np.ptp(one, axis=0).max() or 1.0))
