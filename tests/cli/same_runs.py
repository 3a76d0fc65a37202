"""What it means that two runs are the same."""

from __future__ import annotations

from taut.dynamics import time_loop
from taut.dynamics.trajectory import SAMPLED, Trajectory

PLACES = [time_loop.STEPS, time_loop.GRID, time_loop.PIECE]
"""Of the counts, those that steer; a step that is taken again where two parts meet is honestly counted twice."""


def assert_same_run(one: Trajectory, other: Trajectory) -> None:
    """Equal to the last bit, in every sample and in the state to go on from."""
    for name in SAMPLED:
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    for name in ("y", "clock"):
        assert getattr(one.checkpoint, name).tobytes() == getattr(other.checkpoint, name).tobytes(), name
    assert one.checkpoint.counts[PLACES].tolist() == other.checkpoint.counts[PLACES].tolist()
