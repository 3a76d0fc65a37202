"""What a run of a tree keeps from one iteration of an implicit stage to the next."""

from __future__ import annotations

import math

import numpy as np

from taut.numerics.skew_saddle import SkewSaddle
from taut.structure.trees import Tree, TreeJoint

LENGTHS = ("elongation", "length")
"""Second coordinates of cables that are lengths; strains are of parts about as long as a tree is large."""


class Stage:
    """multiplier: of loops at the stage; first: those at the start of the step; last: those of the last evaluation."""

    def __init__(self, tree: Tree, size: float, rows: int) -> None:
        self.last, self.first, self.multiplier = np.zeros((3, rows))
        self.reach = np.array([number for joint in tree.joints for number in _reach(joint, size)])
        self.matrix: SkewSaddle
        self.frame: np.ndarray  # T at the last residual
        self.change = math.inf  # how far the last iteration moved bodies [m]


def _reach(joint: TreeJoint, size: float) -> list[float]:
    """About how far each coordinate of a joint moves a point of a body at most, [m] by its unit."""
    count = len(joint.positions)
    if joint.kind == "prismatic":
        return [1.0]
    if joint.kind == "floating":
        return [1.0] * 3 + [size] * 4
    if joint.cable is not None and joint.cable.variant in LENGTHS:
        return [size, 1.0]
    return [size] * count
