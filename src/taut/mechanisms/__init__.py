"""Mechanisms: structures followed in the coordinates of their joints. Names are loaded when they are first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.lazy_names import lazy_names

__all__ = [
    "CoordinateDrive",
    "CoordinateEquilibrium",
    "CoordinateMap",
    "GeneralisedPlant",
    "Joint",
    "coordinate_equilibrium",
    "in_coordinates",
]

_HOMES = {
    "taut.mechanics.points.following_joints": ("in_coordinates",),
    "taut.mechanics.points.generalised": ("GeneralisedPlant",),
    "taut.statics.resting_coordinates": ("CoordinateEquilibrium", "coordinate_equilibrium"),
    "taut.structure.coordinates": ("CoordinateDrive", "CoordinateMap"),
    "taut.structure.joints": ("Joint",),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:  # the same names, for editors and type checkers
    from taut.mechanics.points.following_joints import in_coordinates
    from taut.mechanics.points.generalised import GeneralisedPlant
    from taut.statics.resting_coordinates import CoordinateEquilibrium, coordinate_equilibrium
    from taut.structure.coordinates import CoordinateDrive, CoordinateMap
    from taut.structure.joints import Joint
