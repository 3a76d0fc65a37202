"""In place of `taut.dynamics.event_location` where nothing is to be located, so that it is not compiled."""

from __future__ import annotations

from typing import Any

import numpy as np


def seek(
    plant: Any,
    method: Any,
    t: float,
    h: float,
    y: np.ndarray,
    stages: np.ndarray,
    side: np.ndarray,
    trial: np.ndarray,
    sample: np.ndarray,
    b: Any,
    wanted: int,
) -> tuple[int, float, int]:
    return -1, h, 0


def coming(plant: Any, t: float) -> int:
    return -1


def happen(plant: Any, event: int, t: float, y: np.ndarray, log: np.ndarray, filled: int) -> tuple[int, int]:
    return 0, filled
