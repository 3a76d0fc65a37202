"""Questions in time: steppers, corrections, the time loop, trajectories.

Names are loaded when they are first used; importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.lazy_names import lazy_names

__all__ = [
    "BatchSimulation",
    "Correction",
    "Ensemble",
    "Event",
    "Predictability",
    "Simulation",
    "SimulationState",
    "Trajectory",
    "collisions",
    "curve_of",
    "ensemble",
    "predictability",
    "rollout",
    "signal_values",
    "simulate",
    "start",
    "start_many",
]

_HOMES = {
    "taut.dynamics.trajectory": ("Trajectory",),
    "taut.dynamics.simulating": ("simulate",),
    "taut.dynamics.member_collisions": ("collisions",),
    "taut.dynamics.batch_simulation": ("BatchSimulation",),
    "taut.dynamics.simulation": ("Simulation",),
    "taut.dynamics.simulation_state": ("SimulationState",),
    "taut.dynamics.step_by_step": ("start", "start_many"),
    "taut.dynamics.ensemble_result": ("Ensemble",),
    "taut.dynamics.ensembles": ("ensemble",),
    "taut.dynamics.rollouts": ("rollout",),
    "taut.dynamics.horizon": ("predictability",),
    "taut.dynamics.parting": ("Predictability",),
    "taut.dynamics.signal_derivatives": ("curve_of", "signal_values"),
    "taut.structure.corrections": ("Correction",),
    "taut.structure.events": ("Event",),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:  # the same names, for editors and type checkers
    from taut.dynamics.batch_simulation import BatchSimulation
    from taut.dynamics.ensemble_result import Ensemble
    from taut.dynamics.ensembles import ensemble
    from taut.dynamics.horizon import predictability
    from taut.dynamics.member_collisions import collisions
    from taut.dynamics.parting import Predictability
    from taut.dynamics.rollouts import rollout
    from taut.dynamics.signal_derivatives import curve_of, signal_values
    from taut.dynamics.simulating import simulate
    from taut.dynamics.simulation import Simulation
    from taut.dynamics.simulation_state import SimulationState
    from taut.dynamics.step_by_step import start, start_many
    from taut.dynamics.trajectory import Trajectory
    from taut.structure.corrections import Correction
    from taut.structure.events import Event
