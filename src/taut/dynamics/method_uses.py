"""What a method is to those who run it: which steps it takes, what it may be asked for, what its steps leave to one
another."""

from __future__ import annotations

from taut.dynamics.methods.tableau import EnergyMomentum, Implicit, Impulses, Method, Rattle
from taut.mechanics import capabilities
from taut.mechanics.plant_protocol import PlantProtocol
from taut.mechanics.spec import BUILT_IN, winds_only


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


def hands_on(plant: PlantProtocol, method: Method | Rattle) -> bool:
    """Whether a step may begin with what acted at the end of the last: after impulses where positions alone decide."""
    if not isinstance(method, Impulses):
        return True
    spec, features = getattr(plant, "spec", None), capabilities.features_of(plant)
    own = spec is not None and winds_only(spec) and all(name in BUILT_IN for name in (*spec.terms, *spec.rows))
    own = own and not getattr(plant, "driving", ())  # functions of velocities among them
    return own and not {capabilities.DAMPING, capabilities.CYLINDERS, capabilities.FRICTION} & set(features)
