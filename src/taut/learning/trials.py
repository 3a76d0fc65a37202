"""Trials of a task side by side: starts drawn by seeds, commands that keep to their speed, what is seen."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

import numpy as np

from taut.dynamics.step_by_step import start_many
from taut.learning.quantities import Seen
from taut.learning.tasks import Task, turned
from taut.mechanics.inertia.masses import inertia

STEEPEST = 1.875
"""Peak over mean rate of a command that is led in smoothly."""


class Trials:
    """N copies of a task's robot, stepped together."""

    def __init__(self, task: Task, count: int, threads: int | None) -> None:
        self.task, self.count = task, count
        self.plant = task.plant()
        self._batch = start_many(
            self.plant, count, method="impulses", step=task.step, threads=threads or os.cpu_count() or 1
        )
        weights = inertia(self.plant.structure).weighing
        self._weights = weights / weights.sum()
        cables = self.plant.structure.cables.values()
        self._stiffness = np.array([cable.stiffness for cable in cables], dtype=float)
        self._damping = np.array([cable.damping for cable in cables], dtype=float)
        self._offset = np.zeros(count)
        self.turns = np.zeros(count, dtype=np.int64)
        self._commands = np.zeros((count, len(task.actuators)))
        self._before = np.zeros((count, 3)), self._commands.copy()

    @property
    def failed(self) -> np.ndarray:
        """(N,) which copies could not be followed further."""
        return self._batch.ended

    @property
    def time(self) -> np.ndarray:
        """(N,) [s]."""
        return self._batch.time

    def begin(self, which: np.ndarray, draws: Sequence[np.random.Generator]) -> None:
        """Set some copies to starts of their own, each drawn from its generator."""
        vary, own = self.task.randomisation, self.plant.positions
        starts, friction, factors = [], [], []
        for draw, k in zip(draws, which.tolist(), strict=True):
            lean, mass = draw.normal(size=2)
            level, about, rubs, phase = draw.uniform(size=4)
            upright, about = np.array([0.0, 0.0, 1.0]), vary.turn * (2.0 * about - 1.0)
            placed = turned(own, about, upright) if vary.turn else own
            axis = np.array([math.cos(2.0 * math.pi * level), math.sin(2.0 * math.pi * level), 0.0])
            starts.append(turned(placed, vary.tilt * lean, axis) if vary.tilt else placed)
            low, high = vary.friction or (self.task.friction,) * 2
            friction.append(low + (high - low) * rubs)
            factors.append(math.exp(vary.mass * mass))
            self._offset[k] = vary.phase * phase
        varied: dict[str, np.ndarray] = {}
        if vary.friction is not None:
            varied["ground:floor.friction"] = np.array(friction)
        if vary.mass:
            # A robot heavier by a factor moves as one whose cables are softer and damp less by it.
            varied["cable:*.stiffness"] = self._stiffness / np.array(factors)[:, None]
            varied["cable:*.damping"] = self._damping / np.array(factors)[:, None]
        moved = {"positions": np.array(starts)} if vary.turn or vary.tilt else {}
        self._batch.reset(which, **moved, parameters=varied or None)
        self._commands[which], self.turns[which] = 0.0, 0
        self._remember()

    def _remember(self) -> None:
        self._before = self._seen_with(np.zeros((self.count, 3)), self._commands).centre, self._commands.copy()

    def step(self, actions: np.ndarray) -> Seen:
        """All copies one period on, with actions (N, m) from -1 to 1."""
        task = self.task
        self._remember()
        reach = task.speed * task.period / STEEPEST
        wanted = task.amplitude * np.clip(np.asarray(actions, dtype=float), -1.0, 1.0)
        self._commands = self._commands + np.clip(wanted - self._commands, -reach, reach)
        self._batch.step(task.period, self._commands)
        self.turns += 1
        return self.seen

    @property
    def seen(self) -> Seen:
        """What there is to be seen of all copies."""
        return self._seen_with(*self._before)

    def _seen_with(self, centre: np.ndarray, commands: np.ndarray) -> Seen:
        phase = self._offset + 2.0 * math.pi * self.task.clock * self.task.period * self.turns
        batch = self._batch
        return Seen(batch.nodes, batch.velocities, self._commands, phase, centre, commands, self._weights)
