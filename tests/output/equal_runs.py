"""What it means that a run was kept."""

from __future__ import annotations

from taut.dynamics.trajectory import SAMPLED, Trajectory


def assert_equal(one: Trajectory, other: Trajectory) -> None:
    """Everything is the same, to the last bit."""
    for name in (*SAMPLED, "history"):
        here, there = getattr(one, name), getattr(other, name)
        assert (here.shape, here.dtype) == (there.shape, there.dtype), name
        assert here.tobytes() == there.tobytes(), name
    for name in ("y", "clock", "counts"):
        here, there = getattr(one.checkpoint, name), getattr(other.checkpoint, name)
        assert (here.dtype, here.tobytes()) == (there.dtype, there.tobytes()), name
    for name in ("structure", "status", "options", "counts", "wall_time", "notes", "load_names", "model_text"):
        assert getattr(one, name) == getattr(other, name), name
    assert list(one.structure.nodes) == list(other.structure.nodes)
    assert one.summary() == other.summary()
