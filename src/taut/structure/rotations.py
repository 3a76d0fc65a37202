"""What is wrong with a matrix that is to turn something."""

from __future__ import annotations

import numpy as np


def rotation_problem(matrix: np.ndarray, tolerance: float, *, mirror: bool = False) -> str:
    """In words that follow the name of a matrix (3, 3); an empty string where nothing is.

    tolerance: by which its axes may be off length 1, and off being square to one another. mirror: whether it may also
    turn right hands into left ones.
    """
    if not np.isfinite(matrix).all():
        return "holds what is not a finite number; give finite ones"
    off = float(np.abs(matrix.T @ matrix - np.eye(3)).max())
    if off > tolerance:
        return (
            f"is not orthonormal (off by {off:.2g}, and {tolerance:g} may be): its axes must have length 1 and be "
            "square to one another; give all digits, as scipy.spatial.transform.Rotation does, or the nearest that is "
            "(u @ v of u, _, v = numpy.linalg.svd(matrix))"
        )
    if not mirror and np.linalg.det(matrix) < 0.0:
        return "is a mirror image, with a determinant of -1; turn one of its axes round"
    return ""
