"""What a method is to those who run it: which steps it takes, what it may be asked for, what its steps leave to one
another."""

from __future__ import annotations

from taut.dynamics.impulses import ALL_BUT_FORCES
from taut.dynamics.methods.tableau import EnergyMomentum, Implicit, Impulses, Method, Rattle
from taut.mechanics import capabilities
from taut.mechanics.plant_protocol import PlantProtocol
from taut.mechanics.spec import BUILT_IN, steps_go_on


def use_of(method: Method | Rattle) -> str:
    """By the table of capabilities."""
    if isinstance(method, EnergyMomentum):
        return capabilities.CONSERVING
    if isinstance(method, Impulses):
        return capabilities.IMPULSES
    if isinstance(method, Rattle):
        return capabilities.RATTLE
    return capabilities.IMPLICIT if isinstance(method, Implicit) else capabilities.EXPLICIT


def stepper_of(method: Method | Rattle) -> str:
    """By the names of `taut.dynamics.time_loop.STEPPERS`."""
    for kind, name in ((EnergyMomentum, "energy-momentum"), (Impulses, "impulses"), (Rattle, "rattle")):
        if isinstance(method, kind):
            return name
    return "implicit" if isinstance(method, Implicit) else "explicit"


def handed_on(plant: PlantProtocol, method: Method | Rattle) -> int:
    """How much of what acted at the end of a step the next may begin with, as the `sample_stages` of its rules: after
    impulses nothing, where more than positions decide; all but forces, where these hang on velocities; or all."""
    if not isinstance(method, Impulses):
        return method.sample_stages
    spec, features = getattr(plant, "spec", None), capabilities.features_of(plant)
    own = spec is not None and steps_go_on(spec) and all(name in BUILT_IN for name in (*spec.terms, *spec.rows))
    own = own and not getattr(plant, "driving", ())  # functions of velocities among them
    if not own or {capabilities.CYLINDERS, capabilities.FRICTION} & set(features):
        return method.stages
    return ALL_BUT_FORCES if capabilities.DAMPING in features else method.sample_stages
