"""taut: tensegrity structures, from a model file to a trajectory you can trust.

Names are loaded when they are first used, so that importing taut costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "taut.errors": (
        "BalanceError",
        "FileError",
        "ModelError",
        "OptionError",
        "Problem",
        "SelectionError",
        "TautError",
    ),
    "taut.structure.records": ("Bar", "Cable", "LinearConstraint", "Material", "on_line", "on_plane", "tied"),
    "taut.structure.structure": ("Structure",),
    "taut.structure.scenario": (
        "Constant",
        "Damping",
        "Doublet",
        "Feedback",
        "Load",
        "Motion",
        "Scenario",
        "Sinusoid",
        "Table",
        "Watch",
    ),
    "taut.structure.corrections": ("Correction",),
    "taut.structure.events": ("Event",),
    "taut.structure.generators": (
        "dbar",
        "icosahedron",
        "lattice",
        "needle_tower",
        "planar_lattice",
        "prism",
        "tbar",
        "tower",
        "truncated_octahedron",
        "truncated_tetrahedron",
        "x_mast",
    ),
    "taut.structure.files": ("Model", "read_model", "read_record"),
    "taut.mechanics.kinds": ("register",),
    "taut.mechanics.assemble": ("assemble",),
    "taut.mechanics.plant": ("Plant",),
    "taut.mechanics.points.lagrangian": ("LagrangianPlant",),
    "taut.statics.self_stress": ("Counts", "counts", "mechanism_basis", "self_stress_basis"),
    "taut.statics.equilibrium": ("Equilibrium",),
    "taut.statics.formfinding": ("formfind",),
    "taut.statics.prestress": ("prestress",),
    "taut.statics.balance": ("balance",),
    "taut.statics.stability": ("Stability", "stability"),
    "taut.statics.modes": ("Modes", "modes"),
    "taut.statics.sensitivities": ("Derivatives", "compliance", "derivatives"),
    "taut.statics.imposing": ("Case",),
    "taut.statics.cases": ("CaseTable", "Envelope", "deployment", "load_cases"),
    "taut.statics.paths": ("Path", "path"),
    "taut.statics.strengths": ("Utilisation", "utilisation"),
    "taut.statics.least_mass": ("Sizing", "least_mass"),
    "taut.statics.sizing": ("elastic_sizes",),
    "taut.dynamics.trajectory": ("Trajectory",),
    "taut.dynamics.predictability": ("Predictability", "predictability"),
    "taut.dynamics.simulate": ("simulate",),
    "taut.dynamics.ensemble": ("Ensemble", "ensemble"),
    "taut.control.linear_model": ("LinearModel",),
    "taut.control.linearise": ("linearise",),
    "taut.control.norms": ("Norm", "controllability_gramian", "h2_norm", "hinf_norm", "observability_gramian"),
    "taut.control.responses": (
        "Response",
        "doublet_response",
        "frequency_response",
        "harmonic_response",
        "impulse_response",
        "step_response",
    ),
    "taut.control.regulator": ("Regulator", "lqr"),
    "taut.output": ("plot",),
    "taut.output.film": ("film",),
    "taut.output.files": ("load", "save"),
    "taut.output.page.page": ("page",),
    "taut.output.pictured": ("ModeShape", "Still"),
    "taut.output.study.study": ("Study",),
    "taut.output.study.sweep": ("sweep",),
    "taut.papers.reproducing": ("reproduce",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = _found(_HOME[name], name)
        globals()[name] = value
        return value
    raise AttributeError(f"taut has no name {name!r}")


def _found(home: str, name: str) -> Any:
    """What a module has by this name, or its submodule of this name."""
    module = importlib.import_module(home)
    return getattr(module, name) if hasattr(module, name) else importlib.import_module(f"{home}.{name}")


def __dir__() -> list[str]:
    return __all__


if TYPE_CHECKING:  # the same names, for editors and type checkers
    from taut.control.linear_model import LinearModel
    from taut.control.linearise import linearise
    from taut.control.norms import Norm, controllability_gramian, h2_norm, hinf_norm, observability_gramian
    from taut.control.regulator import Regulator, lqr
    from taut.control.responses import (
        Response,
        doublet_response,
        frequency_response,
        harmonic_response,
        impulse_response,
        step_response,
    )
    from taut.dynamics.ensemble import Ensemble, ensemble
    from taut.dynamics.predictability import Predictability, predictability
    from taut.dynamics.simulate import simulate
    from taut.dynamics.trajectory import Trajectory
    from taut.errors import BalanceError, FileError, ModelError, OptionError, Problem, SelectionError, TautError
    from taut.mechanics.assemble import assemble
    from taut.mechanics.kinds import register
    from taut.mechanics.plant import Plant
    from taut.mechanics.points.lagrangian import LagrangianPlant
    from taut.output import plot
    from taut.output.files import load, save
    from taut.output.film import film
    from taut.output.page.page import page
    from taut.output.pictured import ModeShape, Still
    from taut.output.study.study import Study
    from taut.output.study.sweep import sweep
    from taut.papers.reproducing import reproduce
    from taut.statics.balance import balance
    from taut.statics.cases import CaseTable, Envelope, deployment, load_cases
    from taut.statics.equilibrium import Equilibrium
    from taut.statics.formfinding import formfind
    from taut.statics.imposing import Case
    from taut.statics.least_mass import Sizing, least_mass
    from taut.statics.modes import Modes, modes
    from taut.statics.paths import Path, path
    from taut.statics.prestress import prestress
    from taut.statics.self_stress import Counts, counts, mechanism_basis, self_stress_basis
    from taut.statics.sensitivities import Derivatives, compliance, derivatives
    from taut.statics.sizing import elastic_sizes
    from taut.statics.stability import Stability, stability
    from taut.statics.strengths import Utilisation, utilisation
    from taut.structure.corrections import Correction
    from taut.structure.events import Event
    from taut.structure.files import Model, read_model, read_record
    from taut.structure.generators import (
        dbar,
        icosahedron,
        lattice,
        needle_tower,
        planar_lattice,
        prism,
        tbar,
        tower,
        truncated_octahedron,
        truncated_tetrahedron,
        x_mast,
    )
    from taut.structure.records import Bar, Cable, LinearConstraint, Material, on_line, on_plane, tied
    from taut.structure.scenario import (
        Constant,
        Damping,
        Doublet,
        Feedback,
        Load,
        Motion,
        Scenario,
        Sinusoid,
        Table,
        Watch,
    )
    from taut.structure.structure import Structure
