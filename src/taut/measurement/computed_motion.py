"""Motions as parameters have them: runs of equal steps, and their derivatives by differences of runs.

With equal steps a run is a smooth function of its numbers, as long as no cable slackens at another step, so that
central differences of fourth order are good to nine digits or so; what those of second order would give beside them
tells how good. All runs of one derivative go side by side, in an ensemble.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from taut.dynamics.ensembles import ensemble
from taut.errors import OptionError
from taut.measurement.observations import InMotion, Readings
from taut.measurement.parametrised import Parametrised
from taut.mechanics.assemble import assemble
from taut.mechanics.plant import Plant
from taut.reprs import brief

DIFFERENCE = 3e-4
"""Of a parameter, or of its scale: how far it is tried on either side, and twice as far."""

NEAR, FAR = 2.0 / 3.0, -1.0 / 12.0
"""Of f(x + h) - f(x - h) and f(x + 2 h) - f(x - 2 h), for h f'(x)."""

PER_PERIOD = 50
"""Steps in the shortest period that there could be."""

FINER = 4
"""Samples between measured times that are not evenly spaced; cubics go through them."""


@dataclass(frozen=True)
class MotionModel:
    """A motion as a function of parameters; number: its place among the motions."""

    of: Parametrised
    observation: InMotion
    readings: Readings
    label: str
    number: int

    __repr__ = brief

    def __post_init__(self) -> None:
        time = self.observation.measured.time
        if time[0] < 0.0 or not time[-1] > 0.0:
            raise OptionError(
                f"{self.label}: measured from {time[0]:g} to {time[-1]:g} s, but a motion starts at t = 0; "
                "count its times from there"
            )

    def plant(self, given: np.ndarray) -> Plant:
        """What moves, with these parameters."""
        scenario = self.observation.scenario
        displaced, speeds = self.of.start_of(given, self.number)
        structure = self.of.made(given, displaced if displaced.any() else None)
        own = np.array([scenario.velocities.get(node, (0.0, 0.0, 0.0)) for node in structure.nodes])
        velocities = {node: (x, y, z) for node, (x, y, z) in zip(structure.nodes, (own + speeds).tolist(), strict=True)}
        own_damping = self.of.damping(given, scenario.damping)
        return assemble(structure, **scenario.physics | {"damping": own_damping, "velocities": velocities})

    @cached_property
    def every(self) -> float:
        """Time between samples [s], on which all measured times fall if they are even."""
        time = self.observation.measured.time
        apart = float(np.diff(np.append(0.0, time) if time[0] > 0.0 else time).min())
        return apart if self._even(apart) else apart / FINER

    def _even(self, apart: float) -> bool:
        places = self.observation.measured.time / apart
        return bool(np.abs(places - np.round(places)).max() <= 1e-6)

    @cached_property
    def step(self) -> float:
        """Of the runs [s]; a whole number of them between samples."""
        wish = self.observation.scenario.step
        if wish is None:
            fastest = float(self.plant(self.of.start).tables["constants"].fastest[0])
            wish = 2.0 * np.pi / fastest / PER_PERIOD if fastest > 0.0 else self.every
        return float(self.every / np.ceil(self.every / wish - 1e-9))

    def runs(self, given: np.ndarray, *, finer: int = 1) -> np.ndarray:
        """(N, q) what was measured, as computed with each row of parameters; NaN from where a run failed."""
        time, every = self.observation.measured.time, self.every
        even = self._even(every)
        every = every if even else every / finer
        count = int(np.ceil(time[-1] / every - 1e-6))
        wanted = ("nodes", "velocities", "cable_tension", "bar_force")
        done = ensemble(
            [self.plant(row) for row in given],
            count * every,
            every=every,
            method="rk4",
            step=self.step / finer,
            correction=self.observation.scenario.correction,
            fields=wanted if self.readings.member.size or not even else ("nodes",),
            threads=1,
        )
        if even:
            rows = np.round(time / every).astype(np.int64)
            nodes, forces = done.nodes[:, rows], self._forces(done.samples)
            forces = forces[:, rows] if forces.size else np.zeros((*nodes.shape[:2], 0))
            return self.readings.picked(nodes, forces)
        from scipy.interpolate import CubicHermiteSpline, CubicSpline

        if not np.isfinite(done.nodes).all():
            return np.full((len(given), self.readings.value.size), np.nan)
        nodes = CubicHermiteSpline(done.time, done.nodes, done.velocities, axis=1)(time)
        return self.readings.picked(nodes, CubicSpline(done.time, self._forces(done.samples), axis=1)(time))

    def _forces(self, samples: Mapping[str, np.ndarray]) -> np.ndarray:
        parts = [samples[name] for name in ("cable_tension", "bar_force") if name in samples]
        return np.concatenate(parts, axis=-1) if parts else np.zeros(0)

    def computed(self, given: np.ndarray) -> np.ndarray:
        """(q,)."""
        return np.asarray(self.runs(given[None])[0])

    def jacobian(self, given: np.ndarray) -> tuple[np.ndarray, float]:
        """(q, p) of `computed`, and how far differences of second order are off it, in all, as a part of a column."""
        steps = DIFFERENCE * np.array(
            [abs(x) if one.positive else one.scale for x, one in zip(given, self.of.parameters, strict=True)]
        )
        ways = np.diag(steps)
        rows = [given + factor * way for way, factor in product(ways, (1.0, -1.0, 2.0, -2.0))]
        found = self.runs(np.array(rows)).reshape(len(steps), 4, -1)
        near, far = found[:, 0] - found[:, 1], found[:, 2] - found[:, 3]
        slopes = (NEAR * near + FAR * far) / steps[:, None]
        # The error of second order at h is a quarter of that at 2 h; that of fourth order is about its square.
        rough = np.linalg.norm(slopes - near / (2.0 * steps[:, None]), axis=1)
        sizes = np.linalg.norm(slopes, axis=1)
        return slopes.T, float((rough / np.where(sizes > 0.0, sizes, 1.0)).max(initial=0.0))

    def discretisation(self, given: np.ndarray) -> float:
        """The largest change of a computed number with steps half as long, in its standard deviations."""
        change = self.runs(given[None], finer=2) - self.runs(given[None])
        return float((np.abs(change[0]) / self.readings.deviation).max())
