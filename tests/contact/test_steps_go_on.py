"""A step begins with what the last one left where it goes on from it, and finds it again where it does not: the motion
has the same bits however it is cut."""

from __future__ import annotations

import numpy as np
from on_ground import GRAVITY, robot
from scipy.spatial.transform import Rotation

import taut
from taut import Ground, Load, Plant, StepSignal, Trajectory, assemble, simulate

STEP, END = 1e-3, 0.6


def tumbling(damping: float = 0.0) -> Plant:
    """Bounces, slides and sticks; a load comes between two steps."""
    made = robot(0.05, damping=damping, turned=Rotation.from_rotvec([0.3, 0.2, 0.1]).as_matrix())
    floor = Ground("floor", friction=0.6, restitution=0.2)
    push = Load(next(iter(made.nodes)), "x", StepSignal((0.0, 0.2504), (0.0, 5.0)))
    return assemble(made, gravity=GRAVITY, ground=[floor], loads=[push])


def followed(plant: Plant, end: float, every: float, start: Trajectory | None = None) -> Trajectory:
    return simulate(plant, end, every=every, method="impulses", step=STEP, verify=False, start=start)


def test_samples_between_steps_change_nothing() -> None:
    plant = tumbling()
    plain, between = (followed(plant, END, every) for every in (0.1, 0.0123))
    assert len(plain.events) > 10
    assert plain.events == between.events
    assert np.array_equal(plain.checkpoint.y, between.checkpoint.y)


def test_a_run_in_two_parts_is_the_same() -> None:
    plant = tumbling()
    whole, first = followed(plant, END, 0.1), followed(plant, 0.3, 0.1)
    assert np.array_equal(followed(plant, END, 0.1, start=first).checkpoint.y, whole.checkpoint.y)


def test_steps_one_by_one_and_from_a_state_put_back_are_the_same() -> None:
    """With dampers too, whose forces a step cannot begin with."""
    for damping in (0.0, 2.0):
        plant = tumbling(damping)
        whole = followed(plant, END, 0.1)
        sim = taut.start(plant, method="impulses", step=STEP)
        for _ in range(30):
            sim.step(0.01)
        middle = sim.state
        for _ in range(30):
            sim.step(0.01)
        assert np.array_equal(sim.nodes, whole.nodes[-1])
        sim.restore(middle)
        for _ in range(30):
            sim.step(0.01)
        assert np.array_equal(sim.nodes, whole.nodes[-1])
        assert np.array_equal(sim.velocities, whole.velocities[-1])
