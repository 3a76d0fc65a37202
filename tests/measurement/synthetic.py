"""Measurements made up from a structure that is known: what it does, and seeded noise on top."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import taut
from taut.measurement import AtRest, InMotion, Measurements
from taut.statics import LoadCase
from taut.structure.structure import Structure

PUSHES = (
    LoadCase(),
    LoadCase(loads={"top1": (100.0, 0.0, -100.0)}),
    LoadCase(loads={"top2": (0.0, 100.0, -100.0)}),
    LoadCase(loads={"top3": (-100.0, 50.0, -50.0)}),
)


def prism() -> Structure:
    return taut.generators.prism(3).supported("bottom*")


def class_2_tower() -> Structure:
    """Two stages: the upper bars stand on the lower ones."""
    return taut.generators.tower(2, 3, class_=2).supported("bottom*")


def off_drawing(structure: Structure, seed: int, selector: str = "cable:*") -> Structure:
    """As it was really built: stiffness off by about 10 %, rest lengths by 0.3 %."""
    rng = np.random.default_rng(seed)
    for name in structure.select(selector):
        cable = structure.cables[name]
        stiffness = (cable.stiffness or 0.0) * np.exp(0.1 * rng.normal())
        rest = (cable.rest_length or 0.0) * (1.0 + 0.003 * rng.normal())
        structure = structure.changed(f"cable:{name}", stiffness=float(stiffness), rest_length=float(rest))
    return structure


class States:
    """The equilibria of a structure, computed once, from which any number of noisy measurements are made."""

    def __init__(self, truth: Structure, cases: Sequence[LoadCase] = PUSHES) -> None:
        self.cases = tuple(cases)
        self.names = tuple(name for name in truth.nodes if name not in truth.supports)
        self.members = tuple(f"cable:{name}" for name in truth.cables)
        at = [list(truth.nodes).index(name) for name in self.names]
        table = taut.statics.solve_cases(truth, {f"{k}": case for k, case in enumerate(cases)})
        assert table.ok
        self.nodes = table.nodes[:, at]
        self.tension = table.member_force[:, : len(self.members)]

    def measured(self, rng: np.random.Generator, *, node: float, tension: float | None) -> list[AtRest]:
        """Deviations [m] and [N]; without a tension only positions."""
        found = []
        for case, nodes, pulls in zip(self.cases, self.nodes, self.tension, strict=True):
            seen = nodes + node * rng.normal(size=nodes.shape)
            if tension is None:
                found.append(AtRest(Measurements(np.zeros(1), self.names, seen[None]), case))
                continue
            told = pulls + tension * rng.normal(size=pulls.shape)
            found.append(AtRest(Measurements(np.zeros(1), self.names, seen[None], self.members, told[None]), case))
        return found


class Moves:
    """A motion of a structure, computed once by another method than identification uses."""

    def __init__(self, truth: Structure, scenario: taut.Scenario, duration: float, every: float) -> None:
        plant = taut.assemble(truth, **scenario.physics)
        self.scenario = scenario
        self.run = taut.simulate(plant, duration, every=every, method="dp8", tolerance=1e-11)
        assert self.run.ok
        self.names = tuple(name for name in truth.nodes if name not in truth.supports)
        self.at = [list(truth.nodes).index(name) for name in self.names]

    def measured(self, rng: np.random.Generator, node: float, rows: slice | np.ndarray = slice(None)) -> InMotion:
        nodes = self.run.nodes[rows][:, self.at]
        seen = nodes + node * rng.normal(size=nodes.shape)
        return InMotion(Measurements(self.run.time[rows], self.names, seen), self.scenario)
