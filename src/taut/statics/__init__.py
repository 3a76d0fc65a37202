"""Questions with nothing moving: self-stress, form, prestress, stability, stiffness, modes, load paths, sizes.

Names are loaded when they are first used; importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.lazy_names import lazy_names

__all__ = [
    "Envelope",
    "Equilibrium",
    "EquilibriumDerivatives",
    "FrictionBounds",
    "LoadCase",
    "LoadCaseTable",
    "LoadPath",
    "Modes",
    "PathEvent",
    "Sizing",
    "Stability",
    "StaticCounts",
    "Utilisation",
    "balance",
    "compliance",
    "counts",
    "deployment",
    "derivatives",
    "elastic_sizes",
    "formfind",
    "friction_bounds",
    "least_mass",
    "mechanism_basis",
    "modes",
    "path",
    "prestress",
    "self_stress_basis",
    "solve_cases",
    "stability",
    "utilisation",
]

_HOMES = {
    "taut.statics.self_stress": ("StaticCounts", "counts", "mechanism_basis", "self_stress_basis"),
    "taut.statics.equilibrium": ("Equilibrium",),
    "taut.statics.formfinding": ("formfind",),
    "taut.statics.friction": ("FrictionBounds", "friction_bounds"),
    "taut.statics.prestressing": ("prestress",),
    "taut.statics.balancing": ("balance",),
    "taut.statics.certificates": ("Stability", "stability"),
    "taut.statics.vibrations": ("Modes", "modes"),
    "taut.statics.sensitivities": ("EquilibriumDerivatives", "compliance", "derivatives"),
    "taut.statics.load_case": ("LoadCase",),
    "taut.statics.cases": ("Envelope", "LoadCaseTable", "deployment", "solve_cases"),
    "taut.statics.path_events": ("PathEvent",),
    "taut.statics.paths": ("LoadPath", "path"),
    "taut.statics.strengths": ("Utilisation", "utilisation"),
    "taut.statics.lightest": ("Sizing", "least_mass"),
    "taut.statics.sizing": ("elastic_sizes",),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:  # the same names, for editors and type checkers
    from taut.statics.balancing import balance
    from taut.statics.cases import Envelope, LoadCaseTable, deployment, solve_cases
    from taut.statics.certificates import Stability, stability
    from taut.statics.equilibrium import Equilibrium
    from taut.statics.formfinding import formfind
    from taut.statics.friction import FrictionBounds, friction_bounds
    from taut.statics.lightest import Sizing, least_mass
    from taut.statics.load_case import LoadCase
    from taut.statics.path_events import PathEvent
    from taut.statics.paths import LoadPath, path
    from taut.statics.prestressing import prestress
    from taut.statics.self_stress import StaticCounts, counts, mechanism_basis, self_stress_basis
    from taut.statics.sensitivities import EquilibriumDerivatives, compliance, derivatives
    from taut.statics.sizing import elastic_sizes
    from taut.statics.strengths import Utilisation, utilisation
    from taut.statics.vibrations import Modes, modes
