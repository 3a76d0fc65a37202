"""Postures one after another, each from the one before: the compiled way in, for control in real time and for maps.

`PostureSolver` holds a robot's tables and where it is now. It is changed in place; everything else here returns values.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from taut.kinetostatics import rest_kernels as kernels
from taut.kinetostatics.length_slopes import LengthSlopes
from taut.kinetostatics.rest_tables import rest_pack, rest_spec
from taut.kinetostatics.robot import Robot
from taut.mechanics.compose import composed_with
from taut.mechanics.kinds import Given
from taut.mechanics.rows.bars import Bars
from taut.mechanics.rows.held_lengths import SLACK, TAUT, HeldLengths
from taut.mechanics.tables import part_of
from taut.mechanics.terms.routes import Routes
from taut.mechanics.terms.springs import Springs
from taut.numerics.compiled import direct
from taut.reprs import titled
from taut.statics.commands import held_length
from taut.statics.equilibrium import Equilibrium
from taut.structure.structure import Structure

TIGHT = 1e-9
"""Of the length at which a cable is held: less short than this, it is taut. And of the largest tension."""


def slack_held(robot: Robot, standing: Structure) -> np.ndarray:
    """(h,) which held cables of a robot are slack in a posture of it: those shorter than they are held there."""
    problem, cables = robot.problem, list(standing.cables.values())
    lengths = problem.network.lengths(standing.positions)
    found = [(held_length(standing, cables[k]) or 0.0) * (1.0 - TIGHT) > lengths[k] for k in problem.held]
    return np.asarray(np.array(found, dtype=bool) & problem.can_slacken[problem.held])


class PostureSolver:
    """Newton's method on balance and constraints, compiled; its kernels allocate nothing.

    positions: (n, 3) [m] and multipliers: where it is now. values: (p,) what is commanded now.
    """

    def __init__(self, robot: Robot, start: Equilibrium | None = None) -> None:
        self.robot = robot
        structure = robot.structure
        self._pack, self._tables = rest_pack(structure, robot.problem.network.external)
        self._state = np.append(structure.positions.ravel(), np.zeros(structure.positions.size + 1))
        size = structure.positions.size
        self.positions = self._state[:size].reshape(-1, 3)
        rest = self._tables["rest"]
        self.free = self._tables["nodes"].free
        self.multipliers: np.ndarray = rest.multiplier
        self._whole = self.free.size + self.multipliers.size
        self.matrix: np.ndarray = rest.matrix.reshape(self._whole, self._whole)
        self.right: np.ndarray = rest.right
        self.values = robot.values.copy()
        self._places, self._signs, self._inverse = self._written()
        spec = rest_spec(structure)
        given: tuple[Any, ...] = (self._pack, self._state)
        self._settle = direct(composed_with(spec, kernels.settle), *given, 2, 1e-8)
        self._evaluate = direct(composed_with(spec, kernels.evaluate), *given)
        self._unbalanced = direct(composed_with(spec, kernels.unbalanced), *given)
        if start is not None:
            self.place(start.structure.positions, slack=slack_held(robot, start.structure))

    def __repr__(self) -> str:
        size = f"{self.free.size} free coordinates and {self.multipliers.size} constraints"
        return titled("PostureSolver", self.robot.structure.name or "structure", size)

    def _written(self) -> tuple[np.ndarray, np.ndarray, list[tuple[int, int, float]]]:
        """Of every input its place in the pack and its sign; and what has its inverse times a number."""
        robot, pack, given = self.robot, self._pack, Given(self.robot.structure)
        held = {cable.name: k for k, cable in enumerate(given.held_cables)}
        before = len(given.straight) + len(given.compressible)
        places, signs, inverse = list[int](), list[float](), list[tuple[int, int, float]]()

        def begin(name: str, table: type, part: str) -> int:
            return int(pack.integers[2 * part_of(name, table, part)])

        for number, one in enumerate(robot.commanded):
            kind, _, name = one.name.partition(":")
            sign = -1.0 if one.quantity == "force" else 1.0
            if one.quantity in ("tension", "force_density", "force"):
                row = (given.cable if kind == "cable" else given.pneumatic_bar)[name] - before
                place = begin("routes", Routes, "command") + row
            elif one.quantity == "rest_length":
                row = (given.cable if kind == "cable" else given.compressible_bar)[name]
                place = begin("springs", Springs, "rest_length") + row
                rigidity = robot.problem.rigidity[one.member]
                if not np.isnan(rigidity):
                    inverse.append((begin("springs", Springs, "stiffness") + row, number, float(rigidity)))
            elif kind == "cable":
                place = begin("held_lengths", HeldLengths, "held") + held[name]
            else:
                place = begin("bars", Bars, "length") + given.still_bars[name]
                inverse.append((begin("bars", Bars, "per_length") + given.still_bars[name], number, 1.0))
            places.append(place)
            signs.append(sign)
        return np.array(places), np.array(signs), inverse

    def command(self, values: np.ndarray) -> None:
        """Write what is commanded (p,)."""
        self.values[:] = values
        reals = self._pack.reals
        reals[self._places] = self._signs * values
        for place, number, numerator in self._inverse:
            reals[place] = numerator / values[number]

    def load(self, external: np.ndarray) -> None:
        """Write the constant forces on nodes, weight among them, (n, 3) [N]."""
        self._tables["rest"].load[:] = external.ravel()

    @property
    def here(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where it is, to be placed there again: positions, multipliers, which held cables are slack."""
        return self.positions.copy(), self.multipliers.copy(), self.slack

    def place(
        self, positions: np.ndarray, multipliers: np.ndarray | None = None, slack: np.ndarray | None = None
    ) -> None:
        """Go there; with the multipliers that balance best, and with held cables slack as they are, where not told."""
        self._state[: positions.size] = positions.ravel()
        if slack is not None:
            self.slacken(slack)
        if multipliers is None:
            self.balance_multipliers()
        else:
            self.multipliers[:] = multipliers

    def solve(self, values: np.ndarray, *, steps: int = 2, tolerance: float = 1e-8) -> float:
        """The posture of these commands (p,), from where it is now, in at most so many of Newton's steps; returns what
        is left [N, m], NaN where a step has no answer."""
        self.command(values)
        left, off, made = self._settle(self._pack, self._state, steps, tolerance)
        return float(max(left, off)) if made >= 0 else float("nan")

    def evaluate(self) -> tuple[float, float]:
        """Fill `matrix` and `right` where it is; returns the largest force [N] and the largest residual [m]."""
        return self._evaluate(self._pack, self._state)  # type: ignore[no-any-return]

    def unbalanced(self) -> tuple[float, float]:
        """Fill `right` alone."""
        return self._unbalanced(self._pack, self._state)  # type: ignore[no-any-return]

    @property
    def stiffness(self) -> np.ndarray:
        """(f, f) as `evaluate` filled it [N/m]."""
        return np.asarray(self.matrix[: self.free.size, : self.free.size])

    @property
    def rows(self) -> np.ndarray:
        """(r, f) as `evaluate` filled it; rows of slack cables are zero."""
        return np.asarray(self.matrix[self.free.size :, : self.free.size])

    def move(self, step: np.ndarray) -> None:
        """By a step (f,) of the free coordinates."""
        self._state[self.free] += step

    def balance_multipliers(self) -> None:
        """The multipliers that leave least unbalanced."""
        self.multipliers[:] = 0.0
        self.evaluate()
        count = self.free.size
        self.multipliers[:] = np.linalg.lstsq(self.rows.T, -self.right[:count], rcond=1e-12)[0]
        self.slacken(self.slack)  # not off by round-off

    @cached_property
    def length_slopes(self) -> LengthSlopes:
        return LengthSlopes(self.robot.problem)

    # --- held cables

    @cached_property
    def held_rows(self) -> np.ndarray:
        """(h,) the rows of held cables."""
        first = self._tables["bars"].first.size + self._tables["linear"].value.size
        return np.asarray(first + np.arange(len(self._held_members)))

    @cached_property
    def _held_members(self) -> np.ndarray:
        return self.robot.problem.held

    @property
    def slack(self) -> np.ndarray:
        """(h,) which held cables are slack."""
        if not self._held_members.size:
            return np.zeros(0, dtype=bool)
        return np.asarray(self._tables["held_lengths"].active == SLACK)

    def slacken(self, slack: np.ndarray) -> None:
        """Let these held cables (h,) go and the others hold."""
        if self._held_members.size:
            self._tables["held_lengths"].active[:] = np.where(slack, SLACK, TAUT)
            self.multipliers[self.held_rows[slack]] = 0.0

    @property
    def slack_by_law(self) -> np.ndarray:
        """(h,) which held cables have to be slack next: those that push, and slack ones that are not too long."""
        slack, problem, table = self.slack, self.robot.problem, self._tables.get("held_lengths")
        if table is None:
            return slack
        lengths = problem.network.lengths(self.positions)[problem.held]
        pulls = -self.multipliers[self.held_rows]
        pushing = problem.can_slacken[problem.held] & ~slack & (pulls < -TIGHT * np.abs(pulls).max(initial=1.0))
        return np.asarray((slack & (lengths <= table.held * (1.0 + TIGHT))) | pushing)

    # --- as statics has it

    @cached_property
    def _order(self) -> np.ndarray:
        """The row here of every multiplier of statics: held cables, rigid bars, constraints, plates and angles."""
        bars, linear = self._tables["bars"].first.size, self._tables["linear"].value.size
        held = self._held_members.size
        every = np.arange(self.multipliers.size)
        return np.concatenate([self.held_rows, every[:bars], bars + np.arange(linear), every[bars + linear + held :]])

    @property
    def static_multipliers(self) -> np.ndarray:
        """As `EquilibriumEquations` has them: tensions."""
        return np.asarray(-self.multipliers[self._order])

    @cached_property
    def member_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Members that keep their length, and their rows."""
        return self.robot.problem.rigid, self._order[: self.robot.problem.rigid.size]
