"""taut: tensegrity structures, from a model file to a trajectory you can trust.

The names of everyday work are here; the rest are in `taut.generators`, `taut.statics`, `taut.kinetostatics`,
`taut.control`, `taut.dynamics`, `taut.locomotion`, `taut.search`, `taut.learning`, `taut.live`, `taut.measurement`,
`taut.mechanisms`, `taut.trees` and `taut.output`. Names are loaded when they are first used, so that importing taut
costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.lazy_names import lazy_names

__version__ = "0.1.0"

__all__ = [
    "Angle",
    "BalanceError",
    "Bar",
    "Box",
    "Cable",
    "Command",
    "Compliance",
    "Constant",
    "Controller",
    "Correction",
    "CosineRamp",
    "Damping",
    "Doublet",
    "Drive",
    "Ensemble",
    "Equilibrium",
    "Event",
    "Feedback",
    "FileError",
    "Ground",
    "LagrangianPlant",
    "LinearConstraint",
    "LinearModel",
    "Load",
    "Material",
    "Model",
    "ModelError",
    "Motion",
    "MotionError",
    "OptionError",
    "Plane",
    "Plant",
    "Plate",
    "Problem",
    "SampledSignal",
    "Scenario",
    "SelectionError",
    "Sensor",
    "SignalSum",
    "Sinusoid",
    "SmoothStart",
    "StepSignal",
    "Structure",
    "Study",
    "TautError",
    "Terrain",
    "Trajectory",
    "Watch",
    "__version__",
    "assemble",
    "balance",
    "ensemble",
    "film",
    "formfind",
    "linearise",
    "modes",
    "on_line",
    "on_plane",
    "page",
    "plot",
    "prestress",
    "read",
    "read_model",
    "read_record",
    "register",
    "reproduce",
    "rollout",
    "save",
    "simulate",
    "stability",
    "start",
    "start_many",
    "sweep",
    "tied",
]

_HOMES = {
    "taut.errors": (
        "BalanceError",
        "FileError",
        "ModelError",
        "MotionError",
        "OptionError",
        "Problem",
        "SelectionError",
        "TautError",
    ),
    "taut.structure.records": ("Bar", "Cable", "LinearConstraint", "Material", "on_line", "on_plane", "tied"),
    "taut.structure.structure": ("Structure",),
    "taut.structure.plates": ("Plate",),
    "taut.structure.angles": ("Angle",),
    "taut.structure.scenario": (
        "Damping",
        "Drive",
        "Load",
        "Motion",
        "Scenario",
        "Watch",
    ),
    "taut.structure.grounds": ("Box", "Compliance", "Ground", "Plane", "Terrain"),
    "taut.structure.controllers": ("Controller", "Sensor"),
    "taut.structure.signals": (
        "Command",
        "Constant",
        "CosineRamp",
        "Doublet",
        "Feedback",
        "SampledSignal",
        "SignalSum",
        "Sinusoid",
        "SmoothStart",
        "StepSignal",
    ),
    "taut.structure.corrections": ("Correction",),
    "taut.structure.events": ("Event",),
    "taut.structure.files": ("Model", "read_model", "read_record"),
    "taut.mechanics.spec": ("register",),
    "taut.mechanics.assemble": ("assemble",),
    "taut.mechanics.plant": ("Plant",),
    "taut.mechanics.points.lagrangian": ("LagrangianPlant",),
    "taut.statics.equilibrium": ("Equilibrium",),
    "taut.statics.formfinding": ("formfind",),
    "taut.statics.prestressing": ("prestress",),
    "taut.statics.balancing": ("balance",),
    "taut.statics.certificates": ("stability",),
    "taut.statics.vibrations": ("modes",),
    "taut.dynamics.trajectory": ("Trajectory",),
    "taut.dynamics.simulating": ("simulate",),
    "taut.dynamics.step_by_step": ("start", "start_many"),
    "taut.dynamics.ensemble_result": ("Ensemble",),
    "taut.dynamics.ensembles": ("ensemble",),
    "taut.dynamics.rollouts": ("rollout",),
    "taut.control.linear_model": ("LinearModel",),
    "taut.control.linearising": ("linearise",),
    "taut.output": ("plot",),
    "taut.output.film.filming": ("film",),
    "taut.output.files": ("read", "save"),
    "taut.output.page.page": ("page",),
    "taut.output.study.study": ("Study",),
    "taut.output.study.sweep": ("sweep",),
    "taut.papers.reproducing": ("reproduce",),
}

_PACKAGES = (
    "generators",
    "statics",
    "kinetostatics",
    "control",
    "dynamics",
    "locomotion",
    "learning",
    "live",
    "measurement",
    "mechanisms",
    "output",
    "search",
    "trees",
)
"""What `taut.` also reaches without an import of its own."""

_RENAMED = {
    "Case": "statics.LoadCase",
    "CaseTable": "statics.LoadCaseTable",
    "Counts": "statics.StaticCounts",
    "Derivatives": "statics.EquilibriumDerivatives",
    "Path": "statics.LoadPath",
    "Table": "SampledSignal",
    "load": "read",
    "load_cases": "statics.solve_cases",
}
"""Names of earlier versions, and what they are now."""

__getattr__, __dir__ = lazy_names(__name__, _HOMES, _PACKAGES, _RENAMED)

if TYPE_CHECKING:  # the same names, for editors and type checkers
    from taut import (
        control,
        dynamics,
        generators,
        kinetostatics,
        learning,
        live,
        locomotion,
        measurement,
        mechanisms,
        output,
        search,
        statics,
        trees,
    )
    from taut.control.linear_model import LinearModel
    from taut.control.linearising import linearise
    from taut.dynamics.ensemble_result import Ensemble
    from taut.dynamics.ensembles import ensemble
    from taut.dynamics.rollouts import rollout
    from taut.dynamics.simulating import simulate
    from taut.dynamics.step_by_step import start, start_many
    from taut.dynamics.trajectory import Trajectory
    from taut.errors import (
        BalanceError,
        FileError,
        ModelError,
        MotionError,
        OptionError,
        Problem,
        SelectionError,
        TautError,
    )
    from taut.mechanics.assemble import assemble
    from taut.mechanics.plant import Plant
    from taut.mechanics.points.lagrangian import LagrangianPlant
    from taut.mechanics.spec import register
    from taut.output import plot
    from taut.output.files import read, save
    from taut.output.film.filming import film
    from taut.output.page.page import page
    from taut.output.study.study import Study
    from taut.output.study.sweep import sweep
    from taut.papers.reproducing import reproduce
    from taut.statics.balancing import balance
    from taut.statics.certificates import stability
    from taut.statics.equilibrium import Equilibrium
    from taut.statics.formfinding import formfind
    from taut.statics.prestressing import prestress
    from taut.statics.vibrations import modes
    from taut.structure.angles import Angle
    from taut.structure.controllers import Controller, Sensor
    from taut.structure.corrections import Correction
    from taut.structure.events import Event
    from taut.structure.files import Model, read_model, read_record
    from taut.structure.grounds import Box, Compliance, Ground, Plane, Terrain
    from taut.structure.plates import Plate
    from taut.structure.records import Bar, Cable, LinearConstraint, Material, on_line, on_plane, tied
    from taut.structure.scenario import Damping, Drive, Load, Motion, Scenario, Watch
    from taut.structure.signals import (
        Command,
        Constant,
        CosineRamp,
        Doublet,
        Feedback,
        SampledSignal,
        SignalSum,
        Sinusoid,
        SmoothStart,
        StepSignal,
    )
    from taut.structure.structure import Structure
