"""Robots that move over the ground: gaits, what they cost, and what they come to.

Names are loaded when they are first used; importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.lazy_names import lazy_names

__all__ = [
    "Course",
    "DriveCost",
    "FacePolicy",
    "FaceSequence",
    "GaitSymmetry",
    "Locomotion",
    "Measures",
    "PatternGait",
    "ReactiveGait",
    "ReactiveSpace",
    "RobotShape",
    "Roll",
    "RollNoise",
    "RollOutcome",
    "RollPlan",
    "RollPlanner",
    "RollTransition",
    "SinusoidGait",
    "SinusoidSpace",
    "Stance",
    "Stand",
    "Symmetry",
    "TableGait",
    "TableSpace",
    "base_polygon",
    "by_symmetry",
    "course_of",
    "do_roll",
    "drive_cost",
    "face_sequence",
    "faces_below",
    "gait_symmetries",
    "gait_symmetry",
    "locomotion_of",
    "measured_rollout",
    "measured_transitions",
    "measures_of",
    "random_members",
    "slip_distance",
    "stands",
    "symmetries",
    "touching_nodes",
]

_HOMES = {
    "taut.locomotion.costs": ("DriveCost", "drive_cost"),
    "taut.locomotion.course": ("Course", "course_of"),
    "taut.locomotion.face_policy": ("FacePolicy", "Roll", "by_symmetry"),
    "taut.locomotion.face_sequences": ("FaceSequence", "face_sequence"),
    "taut.locomotion.faces": ("Stand", "base_polygon", "faces_below", "stands", "touching_nodes"),
    "taut.locomotion.gait_classes": ("GaitSymmetry", "gait_symmetries", "gait_symmetry"),
    "taut.locomotion.gait_spaces": ("SinusoidSpace", "TableSpace"),
    "taut.locomotion.gaits": ("PatternGait", "SinusoidGait", "TableGait", "random_members"),
    "taut.locomotion.measures": ("Measures", "measured_rollout", "measures_of"),
    "taut.locomotion.planning": ("RollPlan", "RollPlanner", "Stance"),
    "taut.locomotion.reactive": ("ReactiveGait", "ReactiveSpace"),
    "taut.locomotion.slipping": ("slip_distance",),
    "taut.locomotion.summary": (
        "Locomotion",
        "locomotion_of",
    ),
    "taut.locomotion.symmetry": (
        "Symmetry",
        "symmetries",
    ),
    "taut.locomotion.transitions": (
        "RollNoise",
        "RollOutcome",
        "RobotShape",
        "RollTransition",
        "do_roll",
        "measured_transitions",
    ),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:  # the same names, for editors and type checkers
    from taut.locomotion.costs import DriveCost, drive_cost
    from taut.locomotion.course import Course, course_of
    from taut.locomotion.face_policy import FacePolicy, Roll, by_symmetry
    from taut.locomotion.face_sequences import FaceSequence, face_sequence
    from taut.locomotion.faces import Stand, base_polygon, faces_below, stands, touching_nodes
    from taut.locomotion.gait_classes import GaitSymmetry, gait_symmetries, gait_symmetry
    from taut.locomotion.gait_spaces import SinusoidSpace, TableSpace
    from taut.locomotion.gaits import PatternGait, SinusoidGait, TableGait, random_members
    from taut.locomotion.measures import Measures, measured_rollout, measures_of
    from taut.locomotion.planning import RollPlan, RollPlanner, Stance
    from taut.locomotion.reactive import ReactiveGait, ReactiveSpace
    from taut.locomotion.slipping import slip_distance
    from taut.locomotion.summary import Locomotion, locomotion_of
    from taut.locomotion.symmetry import Symmetry, symmetries
    from taut.locomotion.transitions import (
        RobotShape,
        RollNoise,
        RollOutcome,
        RollTransition,
        do_roll,
        measured_transitions,
    )
