"""The rigid motion that lays points over others: how the frame of markers stands in that of a structure."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.errors import OptionError

ON_A_LINE = 1e-6
"""Points whose second width is below this part of the first lie on a line, about which they may be turned at will."""


class RigidMotion(NamedTuple):
    """A turn, without mirroring, and a shift: x -> rotation x + translation."""

    rotation: np.ndarray  # (3, 3)
    translation: np.ndarray  # (3,) [m]

    def applied(self, points: np.ndarray) -> np.ndarray:
        """To points (..., 3); where one coordinate is not known none is afterwards, unless nothing is turned."""
        if np.array_equal(self.rotation, np.eye(3)):
            return np.asarray(points + self.translation)
        return np.asarray(points @ self.rotation.T + self.translation)


STILL = RigidMotion(np.eye(3), np.zeros(3))


def laid_over(points: np.ndarray, others: np.ndarray) -> RigidMotion:
    """The motion of points (k, 3) that leaves the least squares of distances to the others (Kabsch 1976)."""
    if len(points) < 3:
        raise OptionError(f"align needs three markers or more that are seen whole, and there are {len(points)}")
    middle, other_middle = points.mean(axis=0), others.mean(axis=0)
    for told, cloud in (("markers", points - middle), ("nodes", others - other_middle)):
        widths = np.linalg.svd(cloud, compute_uv=False)
        if not widths[1] > ON_A_LINE * widths[0]:
            raise OptionError(f"align cannot tell how the {told} are turned: they lie on a line; measure one beside it")
    left, _, right = np.linalg.svd((others - other_middle).T @ (points - middle))
    mirrored = np.sign(np.linalg.det(left @ right))
    rotation = left @ np.diag([1.0, 1.0, mirrored]) @ right
    return RigidMotion(rotation, other_middle - rotation @ middle)
