"""The six-strut robot thrown into the air for two seconds: taut against MuJoCo, the same motion and the time it takes.

Two motions: one in which all cables stay taut, so that the forces are smooth, and one in which they slacken, where the
kink in a cable's force limits any method that steps across it to about second order. For each of them
- both engines take the same RK4 steps, ever shorter ones: the errors against taut's dp8 at tolerance 1e-13 and how far
  the engines are apart;
- the CPU time at equal error is read from a sweep of steps or tolerances. (MuJoCo's Euler and implicit steps move with
  the velocity at the end of the step, so under gravity they fall g h t / 2 too far and miss the table.)
An error is the largest of any coordinate of any node at eight samples. Times are CPU times of this process, warm, the
least of several: for taut the whole call of `simulate`, for MuJoCo steps in C and the positions of the samples.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

import taut
from benchmarks.six_strut_in_mujoco import AVAILABLE, INTEGRATORS, InMujoco

SAMPLES = 8
COARSEST = 2.0**-7
"""[s] Longest step; durations are whole multiples of eight of it, so that samples fall on steps."""

TOLERANCES = tuple(10.0**-k for k in range(3, 13))
TARGETS = (1e-4, 1e-6, 1e-8)
BASELINE = "MuJoCo RK4"

BY_TAUT = (
    ("rk4", "none"),
    ("rk4", "constraints"),
    ("dp5", "constraints"),
    ("dp8", "constraints"),
    ("dp8", "energy"),
    ("dp5", "energy"),
)
"""Methods and corrections; the last pair are the defaults of `simulate`."""

PATIENCE = 1.0
"""[s] After so long a run is not repeated any more."""


@dataclass(frozen=True)
class Motion:
    """tension: of every cable at the start [N]. speed: deviation of the nodes' random velocities [m/s]."""

    name: str
    tension: float
    speed: float
    gravity: float

    def plant(self) -> taut.Plant:
        robot = taut.generators.icosahedron(0.6, stiffness=600.0).changed("bar:*", mass=0.5)
        random = np.random.default_rng(0)
        velocities = {node: tuple(self.speed * random.normal(size=3)) for node in robot.nodes}
        return taut.assemble(
            robot.changed("cable:*", tension=self.tension), velocities=velocities, gravity=self.gravity
        )


MOTIONS = (Motion("cables stay taut", 40.0, 1.0, 0.0), Motion("cables slacken", 10.0, 1.0, 9.81))


@dataclass(frozen=True)
class Point:
    """One run: its step [s] or tolerance, CPU time [s], error of positions [m]."""

    setting: float
    seconds: float
    error: float


@dataclass(frozen=True)
class Flight:
    """One motion as both engines see it.

    slack: share of samples in which a cable is slack. doubt: how far the references at 1e-13 and 1e-12 are apart [m].
    axial: how far MuJoCo's positions move when the axial inertia of the rods is made 1000 times larger [m].
    sweeps: runs of each contestant, the coarsest first. apart: MuJoCo's RK4 and taut's at equal steps [m].
    """

    motion: Motion
    duration: float
    slack: float
    doubt: float
    axial: float
    sweeps: dict[str, list[Point]]
    apart: list[float]


def measure(motion: Motion, duration: float = 2.0, halvings: int = 8, repeats: int = 5) -> Flight:
    """halvings: of the coarsest step."""
    plant, every = motion.plant(), duration / SAMPLES
    steps = [COARSEST / 2**k for k in range(halvings + 1)]

    def by_taut(method: str, correction: str, setting: float, locate: bool = True) -> np.ndarray:
        size = {"step": setting} if method == "rk4" else {"tolerance": setting}
        options = {"method": method, "correction": correction, "locate": locate, **size}
        return taut.simulate(plant, duration, every=every, **options, verify=False).nodes

    fine = taut.simulate(
        plant, duration, every=duration / 400, method="dp8", tolerance=1e-13, correction="constraints", verify=False
    )
    exact = by_taut("dp8", "constraints", 1e-13)
    start = (plant.structure, fine.nodes[0], fine.velocities[0], motion.gravity)
    peer, stout = InMujoco(*start), InMujoco(*start, axial=1.0)
    middling = steps[len(steps) // 2]
    rods = [engine.follow("RK4", middling, every, SAMPLES) for engine in (peer, stout)]
    sweeps: dict[str, list[Point]] = {}
    for integrator in INTEGRATORS:
        runs = [partial(peer.follow, integrator, step, every, SAMPLES) for step in steps]
        sweeps[f"MuJoCo {integrator}"] = _points(steps, runs, exact, repeats)
    for method, correction in BY_TAUT:
        settings = steps if method == "rk4" else list(TOLERANCES)
        runs = [partial(by_taut, method, correction, setting) for setting in settings]
        sweeps[f"taut {method}, correction {correction}"] = _points(settings, runs, exact, repeats)
    runs = [partial(by_taut, "rk4", "none", step, False) for step in steps]
    sweeps["taut rk4, none, events not located"] = _points(steps, runs, exact, repeats)
    return Flight(
        motion,
        duration,
        slack=float((fine.cable_tension <= 0.0).any(axis=1).mean()),
        doubt=_apart(by_taut("dp8", "constraints", 1e-12), exact),
        axial=_apart(*rods),
        sweeps=sweeps,
        # MuJoCo steps over cables that slacken, and here taut does too.
        apart=[_apart(by_taut("rk4", "constraints", h, False), peer.follow("RK4", h, every, SAMPLES)) for h in steps],
    )


def _points(
    settings: list[float], runs: list[Callable[[], np.ndarray]], exact: np.ndarray, repeats: int
) -> list[Point]:
    points = []
    for setting, run in zip(settings, runs, strict=True):
        spent: list[float] = []  # the first warms up and does not count
        while len(spent) < 2 or (len(spent) <= repeats and sum(spent) < PATIENCE):
            begun = time.process_time()
            nodes = run()
            spent.append(time.process_time() - begun)
        points.append(Point(setting, min(spent[1:]), _apart(nodes, exact)))
    return points


def _apart(some: np.ndarray, others: np.ndarray) -> float:
    return float(np.abs(some - others).max())


def seconds_at(points: list[Point], error: float) -> float:
    """CPU time [s] at an error, between runs in proportion of logarithms; NaN outside the sweep.

    A run that is accurate by luck, while a finer one is not, counts with the error of the finer one.
    """
    assured = np.maximum.accumulate([point.error for point in reversed(points)])
    spent = [point.seconds for point in reversed(points)]
    if not assured[0] <= error <= assured[-1]:
        return float("nan")
    return float(np.exp(np.interp(np.log(error), np.log(assured), np.log(spent))))


def table(flight: Flight) -> str:
    mujoco, ours = flight.sweeps[BASELINE], flight.sweeps["taut rk4, correction constraints"]
    lines = [
        f"Six-strut robot in free flight, {flight.duration:g} s, {flight.motion.name} "
        f"(a cable is slack {flight.slack:.0%} of the time); gravity {flight.motion.gravity:g} m/s^2",
        f"reference: taut dp8 at 1e-13, {flight.doubt:.1e} m from 1e-12; "
        f"1000 times the axial inertia moves MuJoCo's positions by {flight.axial:.1e} m",
        f"{'RK4 step [s]':<14}{'MuJoCo error [m]':>18}{'order':>7}{'taut error [m]':>18}{'order':>7}{'apart [m]':>12}",
    ]
    orders = zip(_orders(mujoco), _orders(ours), strict=True)
    for theirs, our, (a, b), apart in zip(mujoco, ours, orders, flight.apart, strict=True):
        lines.append(f"{theirs.setting:<14.2e}{theirs.error:>18.1e}{a:>7}{our.error:>18.1e}{b:>7}{apart:>12.1e}")
    lines.append(f"{'CPU time [ms] at equal error':<34}" + "".join(f"{f'{target:.0e} m':>18}" for target in TARGETS))
    for name, points in flight.sweeps.items():
        cells = []
        for target in TARGETS:
            spent = seconds_at(points, target)
            ratio = seconds_at(mujoco, target) / spent
            cells.append(f"{'-':>18}" if np.isnan(ratio) else f"{f'{spent * 1e3:.2f} ({ratio:.1f}x)':>18}")
        lines.append(f"{name:<34}" + "".join(cells))
    return "\n".join([*lines, f"(x: how many times less than {BASELINE}; -: not reached in the sweep)"])


def _orders(points: list[Point]) -> list[str]:
    """Observed from each halving of the step; nothing at the first."""
    return ["", *(f"{np.log2(coarse.error / fine.error):.1f}" for coarse, fine in pairwise(points))]


def report() -> str:
    """Both tables, or why there are none."""
    if not AVAILABLE:
        return 'Six-strut robot against MuJoCo: left out, mujoco is not installed (pip install "taut[bench]")'
    return "\n\n".join(table(measure(motion)) for motion in MOTIONS)


if __name__ == "__main__":
    print(report())
