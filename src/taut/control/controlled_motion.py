"""`run_controlled`: a tree of bodies in motion under a law, by rk4 with a fixed step.

The law decides at a stated rate, and its inputs are held until it decides again; or at every stage of every step, as if
it were infinitely fast. Loops are kept by Baumgarte's gains. What the law knows of the machine may be another model than
the one that moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut.control.near_rigid import Decision, NearRigidControl
from taut.control.over_actuation import Relaxed
from taut.errors import OptionError
from taut.mechanics.trees.equations import TreeEquations
from taut.reprs import brief
from taut.type_checks import checked_arguments

FINISHED = "finished"

FASTEST = 1e5
"""[rad/s], [m/s]: a machine that is faster has flown apart."""


class Slackening(NamedTuple):
    """A cable that lost its tension at a decision, and had it again at another, inf where it never did [s]."""

    cable: str
    start: float
    end: float

    def __str__(self) -> str:
        back = "and stayed so" if np.isinf(self.end) else f"and was taut again at {self.end:.4g} s"
        return f'"{self.cable}" was slack at {self.start:.4g} s {back}'


@dataclass(frozen=True)
class ControlledMotion:
    """T samples. output: of the law's outputs, (T, d); wanted: of the same. strain: (T, cables). inputs: (T, m) [N m].

    position, velocity: (T, nq), (T, nv). slackenings: of cables. relaxed: times and bounds that nothing kept, where it
    was worst for each bound; cut: whether inputs were cut off at bounds of theirs. status: "finished", or why not.
    """

    time: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    output: np.ndarray
    wanted: np.ndarray
    strain: np.ndarray
    inputs: np.ndarray
    slackenings: tuple[Slackening, ...]
    relaxed: tuple[tuple[float, Relaxed], ...]
    cut: bool
    status: str

    __repr__ = brief

    @property
    def error(self) -> np.ndarray:
        """(T, d) output less what is wanted."""
        return self.output - self.wanted

    @property
    def end(self) -> tuple[np.ndarray, np.ndarray]:
        """Where it is at last, to go on from."""
        return self.position[-1].copy(), self.velocity[-1].copy()


@checked_arguments
def run_controlled(
    machine: TreeEquations,
    law: NearRigidControl,
    duration: float,
    *,
    step: float,
    rate: float | None = None,
    start: tuple[np.ndarray, np.ndarray] | None = None,
    every: float | None = None,
    gains: tuple[float, float] = (10.0, 10.0),
) -> ControlledMotion:
    """The motion of a machine under a law for `duration` seconds.

    step: of rk4 [s]. rate: how often the law decides [Hz], a whole number of steps apart; None: at every stage.
    start: q and v; those of the machine's joints by default. every: between samples [s]; every step by default.
    gains: Baumgarte's alpha and beta [1/s].
    """
    steps, between = _whole("duration", duration, step), 1 if every is None else _whole("every", every, step)
    held = 0 if rate is None else _whole("1 / rate", 1.0 / rate, step)
    q, v = machine.start() if start is None else (np.array(start[0]), np.array(start[1]))
    told, samples, status = _Told(law), [], FINISHED
    inputs = np.zeros(len(machine.input_names))
    for k in range(steps + 1):
        t = k * step
        if not held or k % held == 0:
            inputs = told.of(t, law.decide(t, q, v))
        if k % between == 0:
            samples.append((t, q, v, machine.strains(q), inputs))
        if k == steps:
            break
        q, v = _rk4(machine, law, told, t, q, v, step, inputs, gains, bool(held))
        if not np.all(np.isfinite(v)) or float(np.abs(v).max()) > FASTEST:
            status = f"flew apart at t = {t + step:.4g} s"
            break
    times, places, speeds, strains, efforts = (np.array(column) for column in zip(*samples, strict=True))
    wanted = np.array([law.wanted(float(t))[0] for t in times])
    return ControlledMotion(
        times,
        places,
        speeds,
        places[:, law.output_places],
        wanted,
        strains,
        efforts,
        tuple(told.slackenings),
        tuple(sorted(told.worst.values())),
        told.cut,
        status,
    )


def _whole(what: str, time: float, step: float) -> int:
    count = round(time / step)
    if count < 1 or abs(count * step - time) > 1e-9 * time:
        raise OptionError(f"{what} = {time:g} s is no whole number of steps of {step:g} s; choose another step")
    return count


def _rk4(
    machine: TreeEquations,
    law: NearRigidControl,
    told: _Told,
    t: float,
    q: np.ndarray,
    v: np.ndarray,
    h: float,
    inputs: np.ndarray,
    gains: tuple[float, float],
    held: bool,
) -> tuple[np.ndarray, np.ndarray]:
    def rate(when: float, place: np.ndarray, speed: np.ndarray) -> np.ndarray:
        u = inputs if held or when == t else told.of(when, law.decide(when, place, speed))
        return machine.forward(place, speed, u, gains=gains)[0]

    a1 = rate(t, q, v)
    v2 = v + 0.5 * h * a1
    a2 = rate(t + 0.5 * h, machine.integrate(q, 0.5 * h * v), v2)
    v3 = v + 0.5 * h * a2
    a3 = rate(t + 0.5 * h, machine.integrate(q, 0.5 * h * v2), v3)
    v4 = v + h * a3
    a4 = rate(t + h, machine.integrate(q, h * v3), v4)
    return machine.integrate(q, h / 6.0 * (v + 2.0 * (v2 + v3) + v4)), v + h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4)


class _Told:
    """What decisions said while a run went on."""

    def __init__(self, law: NearRigidControl) -> None:
        self.low, self.high = law.torque_bounds
        self.slackenings: list[Slackening] = []
        self.worst: dict[tuple[str, bool], tuple[float, Relaxed]] = {}
        self.cut = False
        self._slack: dict[str, int] = {}

    def of(self, t: float, decision: Decision) -> np.ndarray:
        """The inputs that act, within their bounds."""
        for name in set(self._slack) - set(decision.slack):
            place = self._slack.pop(name)
            self.slackenings[place] = self.slackenings[place]._replace(end=t)
        for name in decision.slack:
            if name not in self._slack:
                self._slack[name] = len(self.slackenings)
                self.slackenings.append(Slackening(name, t, np.inf))
        for one in decision.relaxed:
            key = (one.name, one.by > 0.0)
            if key not in self.worst or abs(one.by) > abs(self.worst[key][1].by):
                self.worst[key] = (t, one)
        inside = np.clip(decision.inputs, self.low, self.high)
        self.cut = self.cut or bool(np.any(np.abs(inside - decision.inputs) > 1e-6 * (1.0 + np.abs(inside))))
        return np.asarray(inside)
