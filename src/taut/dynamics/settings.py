"""All that decides how a plant is followed, and a run made ready from it: for `simulate` and for comparisons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.dynamics.correction import Correction
from taut.dynamics.methods import method_for
from taut.dynamics.methods.tableau import Method, Rattle
from taut.dynamics.setup import Run, beginning, prepare_run, resumed
from taut.dynamics.trajectory import Checkpoint, Trajectory
from taut.mechanics.plant_protocol import PlantProtocol


@dataclass(frozen=True)
class Settings:
    """A plant, a method with its numbers, what is corrected and located, and the trajectory to go on from, if any."""

    plant: PlantProtocol
    method: str
    tolerance: float
    step: float | None
    correction: Correction
    dense: bool
    locate: bool
    start: Trajectory | None = None
    history: int = 0

    @property
    def stepper(self) -> Method | Rattle:
        return method_for(self.method, self.tolerance, self.step)

    @property
    def words(self) -> str:
        """What its accuracy hangs on: "step 0.01 s" or "tolerance 1e-08"."""
        return f"tolerance {self.tolerance:g}" if self.stepper.adaptive else f"step {self.step:.3g} s"


def prepared_run(settings: Settings) -> Run:
    """A run that is ready but for its start."""
    watcher = settings.plant.watcher
    strikes = any(ground.compliance is None for ground in settings.plant.grounds)
    return prepare_run(
        settings.plant,
        settings.stepper,
        settings.correction,
        settings.tolerance,
        settings.step,
        dense=settings.dense,
        history=settings.history,
        watches=watcher is not None and (settings.locate or bool(watcher.things) or strikes),
    )


def prepared(settings: Settings, internal: np.ndarray | None = None) -> tuple[Run, Checkpoint, tuple[str, ...]]:
    """A run that is ready to be driven, where it begins, and what is worth saying about that.

    internal: what internal states begin with, where not with the plant's own.
    """
    run = prepared_run(settings)
    if settings.start is None:
        return run, *beginning(run, locate=settings.locate, internal=internal)
    return run, resumed(run, settings.start), ()
