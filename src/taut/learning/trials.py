"""Trials of a task side by side: starts drawn by seeds, commands that keep to their speed, what is seen."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

import numpy as np

from taut.dynamics.step_by_step import start_many
from taut.errors import OptionError
from taut.learning.quantities import Copies, asked_for, look_at, observed_size
from taut.learning.tasks import Task, turned
from taut.mechanics.inertia.masses import inertia
from taut.mechanics.varying.addresses import address_of

STEEPEST = 1.875
"""Peak over mean rate of a command that is led in smoothly."""


class Trials:
    """N copies of a task's robot, stepped together."""

    def __init__(self, task: Task, count: int, threads: int | None) -> None:
        self.task, self.count = task, count
        self.plant = task.plant()
        self.batch = start_many(
            self.plant, count, method="impulses", step=task.step, threads=threads or os.cpu_count() or 1
        )
        weights, actuators = inertia(self.plant.structure).weighing, len(task.actuators)
        self._asked = asked_for(task.observations, task.rewards, weights / weights.sum())
        self.size = observed_size(task.observations, weights.size, actuators)
        # Of the plant, since those of a material follow from it.
        told = ("cable:*.stiffness", "cable:*.damping") if task.randomisation.mass else ()
        self._springs = {text: address_of(self.plant, text).own for text in told}
        self._offset = np.zeros(count)
        self.turns = np.zeros(count, dtype=np.int64)
        self._commands, self._commands_before = np.zeros((count, actuators)), np.zeros((count, actuators))
        self.centre, self._centre_before = np.zeros((count, 3)), np.zeros((count, 3))
        self.look()

    @property
    def failed(self) -> np.ndarray:
        """(N,) which copies could not be followed further."""
        return self.batch.ended

    @property
    def time(self) -> np.ndarray:
        """(N,) [s]."""
        return self.batch.time

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
            varied |= {text: own / np.array(factors)[:, None] for text, own in self._springs.items()}
        moved = {"positions": np.array(starts)} if vary.turn or vary.tilt else {}
        self.batch.reset(which, **moved, parameters=varied or None)
        self._commands[which], self.turns[which] = 0.0, 0

    def step(self, actions: np.ndarray) -> None:
        """All copies one period on, with actions (N, m) from -1 to 1."""
        task, given = self.task, np.asarray(actions, dtype=float)
        if given.shape != self._commands.shape:
            raise OptionError(f"actions of shape {given.shape} do not fit {self._commands.shape}: robots, actuators")
        if np.isnan(given).any():
            raise OptionError("actions have numbers that are none (NaN); give numbers from -1 to 1")
        self._centre_before, self.centre = self.centre, self._centre_before
        reach = task.speed * task.period / STEEPEST
        wanted = task.amplitude * np.clip(given, -1.0, 1.0)
        self._commands_before = self._commands
        self._commands = self._commands + np.clip(wanted - self._commands, -reach, reach)
        self.batch.step(task.period, self._commands)
        self.turns += 1

    def look(self) -> tuple[np.ndarray, np.ndarray]:
        """(N, k) what is seen of all copies, and (N,) what the last step is rewarded with."""
        phase = self._offset + 2.0 * math.pi * self.task.clock * self.task.period * self.turns
        seen, rewards = np.empty((self.count, self.size), dtype=np.float32), np.empty(self.count)
        commands = self._commands, self._commands_before
        look_at(
            Copies(self.batch.states, *commands, phase, self.centre, self._centre_before), self._asked, seen, rewards
        )
        return seen, rewards
