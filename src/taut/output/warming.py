"""Runs of a moment, for the equations that are compiled on the way."""

from __future__ import annotations

from taut.dynamics.rollouts import rollout
from taut.dynamics.simulating import simulate
from taut.errors import OptionError
from taut.mechanics.assemble import assemble
from taut.mechanics.model_checks import facts
from taut.mechanics.plant import Plant
from taut.output.model_runs import plant_of
from taut.structure.files import Model
from taut.structure.generators import tbar, tower

MOMENT = 0.01
"""[s], where steps are chosen by the error."""


def warm(model: Model, *, copies: bool = False) -> None:
    """Compile what runs of a model take; copies: also what many copies of it at once take."""
    scenario, plant = model.scenario, plant_of(model)
    if copies and not isinstance(plant, Plant):
        raise OptionError(f"{model.source}: copies are of structures in coordinates of nodes; leave --copies out")
    duration = min(scenario.duration, 4.0 * scenario.step if scenario.step else MOMENT)
    options = {name: getattr(scenario, name) for name in ("method", "tolerance", "step", "correction")}
    simulate(plant, duration, every=duration, locate=scenario.locate, **options)
    if copies and isinstance(plant, Plant):
        rollout(plant, {}, duration, every=duration, seeds=(0, 1), **options)


def warm_usual() -> None:
    """Compile what runs of structures without a ground take."""
    simulate(assemble(tbar()), MOMENT)
    simulate(assemble(tower(1).supported("bottom*")), MOMENT)  # whose cables can slacken
    facts(tbar())
