"""Robots that are moved by their cables, at rest in every posture: postures, inverse kinematics, maps of a workspace.

Names are loaded when they are first used; importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.lazy_names import lazy_names

__all__ = [
    "Coaxial",
    "EqualTensionSums",
    "Evaluated",
    "FollowedPath",
    "FoundPosture",
    "FoundPostures",
    "InputLimits",
    "InterpolatedMap",
    "InterpolatedPosture",
    "InterpolationError",
    "Level",
    "ModeStiffness",
    "NodePosition",
    "PlateOrientation",
    "PlatePosition",
    "PlateStiffness",
    "Pose",
    "PostureSolver",
    "ReachMap",
    "Reached",
    "Robot",
    "Sensitivity",
    "TensionLimits",
    "TensionSum",
    "Unreached",
    "WorkspaceMap",
    "control_modes",
    "follow",
    "follow_all",
    "interpolated",
    "inverse_kinematics",
    "plate_axes",
    "plate_stiffness",
    "posture",
    "postures",
    "reach",
    "sensitivity",
    "stiffness_by_mode",
    "workspace",
]

_HOMES = {
    "taut.kinetostatics.robot": ("Robot",),
    "taut.kinetostatics.posture_search": ("posture",),
    "taut.kinetostatics.posture_solver": ("PostureSolver",),
    "taut.kinetostatics.several_postures": ("FoundPosture", "FoundPostures", "postures"),
    "taut.kinetostatics.mode_stiffness": ("ModeStiffness", "control_modes", "stiffness_by_mode"),
    "taut.kinetostatics.plate_responses": ("PlateStiffness", "Sensitivity", "plate_stiffness", "sensitivity"),
    "taut.kinetostatics.tasks": (
        "Coaxial",
        "Evaluated",
        "Level",
        "NodePosition",
        "PlateOrientation",
        "PlatePosition",
        "Pose",
        "plate_axes",
    ),
    "taut.kinetostatics.tension_tasks": ("EqualTensionSums", "InputLimits", "TensionLimits", "TensionSum"),
    "taut.kinetostatics.inverse": ("Reached", "inverse_kinematics"),
    "taut.kinetostatics.following": ("FollowedPath", "follow"),
    "taut.kinetostatics.stretches": ("Unreached", "follow_all"),
    "taut.kinetostatics.workspace_maps": ("WorkspaceMap", "workspace"),
    "taut.kinetostatics.reach_maps": ("ReachMap", "reach"),
    "taut.kinetostatics.stencils": ("InterpolatedPosture",),
    "taut.kinetostatics.interpolation_errors": ("InterpolationError",),
    "taut.kinetostatics.interpolation": ("InterpolatedMap", "interpolated"),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:  # the same names, for editors and type checkers
    from taut.kinetostatics.following import FollowedPath, follow
    from taut.kinetostatics.interpolation import InterpolatedMap, interpolated
    from taut.kinetostatics.interpolation_errors import InterpolationError
    from taut.kinetostatics.inverse import Reached, inverse_kinematics
    from taut.kinetostatics.mode_stiffness import ModeStiffness, control_modes, stiffness_by_mode
    from taut.kinetostatics.plate_responses import PlateStiffness, Sensitivity, plate_stiffness, sensitivity
    from taut.kinetostatics.posture_search import posture
    from taut.kinetostatics.posture_solver import PostureSolver
    from taut.kinetostatics.reach_maps import ReachMap, reach
    from taut.kinetostatics.robot import Robot
    from taut.kinetostatics.several_postures import FoundPosture, FoundPostures, postures
    from taut.kinetostatics.stencils import InterpolatedPosture
    from taut.kinetostatics.stretches import Unreached, follow_all
    from taut.kinetostatics.tasks import (
        Coaxial,
        Evaluated,
        Level,
        NodePosition,
        PlateOrientation,
        PlatePosition,
        Pose,
        plate_axes,
    )
    from taut.kinetostatics.tension_tasks import EqualTensionSums, InputLimits, TensionLimits, TensionSum
    from taut.kinetostatics.workspace_maps import WorkspaceMap, workspace
