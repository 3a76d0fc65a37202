"""Runs of the thesis's machines under a law, by taut's own rk4 with the thesis's Baumgarte gains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from taut.control.near_rigid import Slackening
from taut.control.over_actuation import Relaxed
from taut.dynamics.simulating import simulate
from taut.errors import OptionError
from taut.mechanics.trees.equations import TreeEquations
from taut.mechanics.trees.plant import tree_plant
from taut.output.worker_processes import asked_to_stop
from taut.reprs import brief
from taut.structure.corrections import Correction
from taut.structure.trees import Tree

STRESS = 2e7
"""sigma_0 [Pa]: of section 5.3, and assumed for the manipulator."""

VISCOSITY = 1e7
"""mu [Pa s]: of section 5.4, and assumed for the single strut."""

BAUMGARTE = Correction("baumgarte", gains=(100.0, 20.0))

COARSE, FINE = 1e-3, 1e-4
"""[s] steps of rk4: of most of what is run, and the thesis's own."""


@dataclass(frozen=True)
class Controlled:
    """A run under a law: (T,) times, (T, d) outputs and what was wanted, (T, cables) strains, (T, m) torques."""

    time: np.ndarray
    output: np.ndarray
    wanted: np.ndarray
    strain: np.ndarray
    torque: np.ndarray
    speed: np.ndarray  # (T,) the largest velocity of any coordinate
    slackenings: tuple[Slackening, ...]
    relaxed: tuple[tuple[float, Relaxed], ...]
    status: str
    end: tuple[np.ndarray, np.ndarray]
    lost: float = math.inf  # [s]

    __repr__ = brief

    @property
    def error(self) -> np.ndarray:
        return np.asarray(self.output - self.wanted)

    @property
    def worst(self) -> np.ndarray:
        """(d,) the largest of every output's errors."""
        return np.asarray(np.abs(self.error).max(axis=0))


def begun(tree: Tree, q: np.ndarray, v: np.ndarray) -> Tree:
    """The same tree, which begins there."""
    values, rates = dict[str, tuple[float, ...]](), dict[str, tuple[float, ...]]()
    at = at_rate = 0
    for joint in tree.joints:
        size, rate_size = len(joint.positions), len(joint.velocities)
        values[joint.name] = tuple(q[at : at + size].tolist())
        rates[joint.name] = tuple(v[at_rate : at_rate + rate_size].tolist())
        at, at_rate = at + size, at_rate + rate_size
    return tree.with_start(values, rates)


LOST = 0.1
"""[m], [rad] of an output: the machine is lost, and from then on has no torques."""


class Follower(Protocol):
    """A law: called with (t, q, v) it returns torques."""

    equations: TreeEquations
    output_places: np.ndarray
    wanted: Any
    slackenings: tuple[Slackening, ...]

    @property
    def relaxed(self) -> tuple[tuple[float, Relaxed], ...]: ...

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray: ...


class UntilLost:
    """A law until an output is far off or nothing can be decided; afterwards no torques. lost: when [s]."""

    def __init__(self, law: Follower) -> None:
        self.law, self.lost = law, math.inf

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if asked_to_stop():
            raise KeyboardInterrupt
        nothing = np.zeros(len(self.law.equations.input_names))
        if t > self.lost:
            return nothing
        if float(np.abs(q[self.law.output_places] - self.law.wanted(t)[0]).max()) < LOST:
            try:
                return self.law(t, q, v)
            except OptionError:  # a posture in which the program is singular
                pass
        self.lost = t
        return nothing


def followed(
    tree: Tree, law: Follower, duration: float, *, step: float, rate: float | None, every: float
) -> Controlled:
    """By taut's own rk4 with the thesis's Baumgarte gains."""
    guarded = UntilLost(law)
    plant = tree_plant(tree, controller=guarded, rate=rate)
    run = simulate(plant, duration, every=every, method="rk4", step=step, correction=BAUMGARTE, verify=False)
    if run.status.startswith("interrupted"):
        raise KeyboardInterrupt
    cables = len(plant.equations.cable_names)
    pairs = [plant.split(np.concatenate([x, r])) for x, r in zip(run.coordinate, run.coordinate_rate, strict=True)]
    return Controlled(
        run.time,
        np.array([q[law.output_places] for q, _ in pairs]),
        np.array([law.wanted(float(t))[0] for t in run.time]),
        run.element_output[:, :cables],
        run.element_output[:, 2 * cables :],
        np.array([float(np.abs(v).max()) for _, v in pairs]),
        law.slackenings,
        law.relaxed,
        run.status,
        pairs[-1],
        guarded.lost,
    )


def joined(parts: Sequence[Controlled], starts: Sequence[float]) -> Controlled:
    """Runs one after another as one; what starts a part was the end of the last."""
    kept = [slice(0 if k == 0 else 1, None) for k in range(len(parts))]
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(part, name)[own] for part, own in zip(parts, kept, strict=True)])
        for name in ("output", "wanted", "strain", "torque", "speed")
    }
    return Controlled(
        time=np.concatenate([start + part.time[own] for part, own, start in zip(parts, kept, starts, strict=True)]),
        slackenings=tuple(one for part in parts for one in part.slackenings),
        relaxed=tuple(one for part in parts for one in part.relaxed),
        status=parts[-1].status,
        end=parts[-1].end,
        lost=min(start + part.lost for part, start in zip(parts, starts, strict=True)),
        **arrays,
    )
