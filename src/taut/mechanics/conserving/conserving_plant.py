"""A nodal plant for steps that conserve energy: the same equations of motion, with secant forces and their matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from taut.mechanics.conserving.secant import LEFT, MOST_ITERATIONS, UNCONVERGED
from taut.mechanics.contact.responses import responses_of
from taut.mechanics.implicit_plant import newton_tables
from taut.mechanics.imposed.called_functions import with_functions
from taut.mechanics.imposed.fresh_packs import fresh
from taut.mechanics.operations.newton_matrix import Newton
from taut.mechanics.plant import Plant
from taut.mechanics.plant_protocol import PlantProtocol
from taut.mechanics.systems.system_tables import packed_by_name
from taut.mechanics.tables import part_of
from taut.numerics.packing import Pack, reals_of

EFFORT = part_of("newton", Newton, "effort")


@dataclass(frozen=True, repr=False)
class ConservingPlant(Plant):
    """A Plant whose tables hold the matrix of `secant.py` too; made by `conserving_plant`."""

    @property
    def formulation(self) -> str:
        return f"{super().formulation}_conserving"

    def own_tables(self, *, metric: str, gains: tuple[float, float]) -> Pack:
        """By mass and without Baumgarte's gains, as of implicit plants. An impulse moves everything at once."""
        newton, saddle = newton_tables(self.spec, self.tables)
        tables = {**self.tables, "newton": newton, "newton_saddle": saddle}
        if self.given.rigid_grounds:
            every = np.arange(self.coordinates)
            joined = np.column_stack([np.zeros_like(every), every])
            tables["responses"] = responses_of(self.tables["contacts"], self.coordinates, joined, 0, local=False)
        return fresh(packed_by_name(tables)[0], self.laws)

    def operations(self) -> dict[str, Callable[..., Any]]:
        return {**super().operations(), **with_functions(self, {**self.composition.newton, **self.composition.secant})}


def conserving_plant(plant: Plant) -> ConservingPlant:
    """The plant with what steps that conserve energy ask of it."""
    return ConservingPlant(**{field.name: getattr(plant, field.name) for field in fields(Plant)})


def effort_notes(plant: PlantProtocol, tables: Any) -> tuple[str, ...]:
    """How Newton's method went in a run by steps that conserve energy, where that is worth a word."""
    if not isinstance(plant, ConservingPlant):
        return ()
    effort = reals_of(tables, EFFORT)
    if not effort[UNCONVERGED]:
        return ()
    return (
        f"Newton's method did not converge in {effort[UNCONVERGED]:.0f} steps of up to {effort[MOST_ITERATIONS]:.0f} "
        f"iterations: velocities still changed by {effort[LEFT]:.1g} of the largest, and energy is off by as much; "
        "take a shorter step",
    )
