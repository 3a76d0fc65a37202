"""Frames of trials, by the drawing of films."""

from __future__ import annotations

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.output.film.canvas import pictures

SIZE = (640, 480)
"""Width and height of a frame [px]."""


def frame_of(run: Trajectory) -> np.ndarray:
    """(height, width, 3) bytes: the last sample of a run."""
    (drawn,) = pictures(run, run.time[-1:], size=SIZE)
    return np.frombuffer(drawn, dtype=np.uint8).reshape(SIZE[1], SIZE[0], 3).copy()
