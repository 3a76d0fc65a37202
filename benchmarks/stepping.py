"""What stepping and controlling cost beside the motion itself: the six-strut robot with six winches, 1 ms at a time.

`python -m benchmarks.stepping`. CPU time, the least of several repeats taken in turn, so that all see the same machine;
of controllers also the quartiles of what they add repeat by repeat, which say how busy it was:

- `sim.step` of 1 ms with new inputs, against one run with the same inputs as StepSignals;
- how long each of 10,000 steps takes on the clock: median, 99.9 %, longest;
- controllers at 1 kHz that read six tensions and command six winches, against the run that lands on every millisecond
  without any (a load of nothing that steps there); and that run against one with steps as long as it likes. What is
  commanded is next to nothing, so that all of them follow the same motion.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np

import taut
from benchmarks.trees import spent

ROBOT = Path(__file__).parents[1] / "examples" / "icosahedron.yaml"
STEP = 1e-3
WINCHES = 6
GAIN = 1e-13 * np.ones((WINCHES, WINCHES))  # [m/N]
MEASURED = tuple(f"cable:c{k + 1}.tension" for k in range(WINCHES))
COMMANDS = tuple(f"winch{k + 1}" for k in range(WINCHES))
FREE, GRID = "free steps", "lands on every ms"


@numba.njit
def compiled_law(t: float, measured: np.ndarray, state: np.ndarray) -> np.ndarray:
    command = np.zeros(WINCHES)
    for i in range(WINCHES):
        for k in range(WINCHES):
            command[i] += GAIN[i, k] * measured[k]
    return command


def python_law(t: float, measured: np.ndarray, state: np.ndarray) -> np.ndarray:
    return GAIN @ measured


LAWS: dict[str, Any] = {
    "compiled law": compiled_law,
    "LinearLaw": taut.control.LinearLaw(GAIN),
    "Python law": python_law,
}


@dataclass(frozen=True)
class Stepping:
    """[s] of CPU for each step of 1 ms."""

    stepped: float
    kept: float  # with all states kept for a trajectory
    run: float  # the same in one run
    apart: float  # [m] of the two at the end


def robot(signals: list[Any], **options: Any) -> taut.Plant:
    """signals: of the winches."""
    model = taut.read_model(ROBOT)
    drives = [
        taut.Drive(name, f"cable:c{k + 1}", "rest_length", by=signal)
        for k, (name, signal) in enumerate(zip(COMMANDS, signals, strict=True))
    ]
    return taut.assemble(model.structure, velocities=model.scenario.velocities, drives=drives, **options)


def inputs(steps: int) -> np.ndarray:
    """(steps, winches) [m]."""
    return 1e-3 * np.random.default_rng(0).normal(size=(steps, WINCHES)).cumsum(axis=0) / np.sqrt(steps)


def simulated(plant: taut.Plant, steps: int) -> taut.Trajectory:
    return taut.simulate(plant, steps * STEP, every=steps * STEP, verify=False)


def stepping(steps: int = 2000, repeats: int = 5) -> Stepping:
    wanted = inputs(steps)
    times = tuple((STEP * np.arange(steps + 1)).tolist())  # the run lands on its end too
    commanded = robot([taut.Command() for _ in COMMANDS])
    signalled = robot([taut.StepSignal(times, (*column.tolist(), 0.0)) for column in wanted.T])

    def stepped(keep: bool) -> np.ndarray:
        sim = taut.start(commanded, keep=keep)
        for values in wanted:
            sim.step(STEP, values)
        return sim.nodes

    apart = float(np.abs(stepped(False) - simulated(signalled, steps).nodes[-1]).max())
    works = (lambda: stepped(False), lambda: stepped(True), lambda: simulated(signalled, steps))
    least = [min(each) / steps for each in zip(*([spent(work) for work in works] for _ in range(repeats)), strict=True)]
    return Stepping(*least, apart)


def jitter(steps: int = 10_000) -> np.ndarray:
    """(steps,) [s] that each step takes on the clock."""
    sim, wanted, taken = taut.start(robot([taut.Command() for _ in COMMANDS]), keep=False), inputs(steps), []
    sim.step(STEP, wanted[0])
    for values in wanted:
        begun = time.perf_counter()
        sim.step(STEP, values)
        taken.append(time.perf_counter() - begun)
    return np.array(taken)


def controlled(steps: int = 2000, repeats: int = 9) -> dict[str, np.ndarray]:
    """(repeats,) [s] of CPU for each millisecond of runs with and without controllers."""
    nothing = taut.StepSignal(tuple((STEP * np.arange(steps)).tolist()), (0.0,) * steps)
    free = [taut.Command() for _ in COMMANDS]
    plants = {FREE: robot(free), GRID: robot(free, loads=[taut.Load("x1a", "x", nothing)])}
    for name, law in LAWS.items():
        one = taut.Controller("winches", MEASURED, COMMANDS, law, rate=1.0 / STEP)
        plants[name] = robot(free, controllers=[one])
    ends = {name: simulated(plant, steps).nodes[-1] for name, plant in plants.items()}
    assert all(np.abs(end - ends[FREE]).max() < 1e-5 for end in ends.values()), "they follow one motion"
    works: dict[str, Callable[[], object]] = {
        name: lambda plant=plant: simulated(plant, steps) for name, plant in plants.items()
    }
    rounds = [{name: spent(work) for name, work in works.items()} for _ in range(repeats)]
    return {name: np.array([each[name] for each in rounds]) / steps for name in works}


def stepping_table(found: Stepping) -> str:
    return "\n".join(
        [
            f"six-strut robot, {WINCHES} winches, 1 ms a step; CPU us a step",
            f"{'one run with StepSignals':<34}{1e6 * found.run:8.1f}",
            f"{'sim.step':<34}{1e6 * found.stepped:8.1f}   {1e6 * (found.stepped - found.run):+.1f}",
            f"{'sim.step, states kept':<34}{1e6 * found.kept:8.1f}   {1e6 * (found.kept - found.run):+.1f}",
        ]
    )


def jitter_table(taken: np.ndarray) -> str:
    median, most = np.quantile(1e6 * taken, [0.5, 0.999])
    longest = f"longest {1e6 * taken.max():.1f} us"
    return f"{taken.size} steps on the clock: median {median:.1f} us, 99.9 % {most:.1f} us, {longest}"


def controlled_table(found: dict[str, np.ndarray]) -> str:
    lines = [f"{'controllers at 1 kHz':<24}{'CPU us a ms':>12}{'beyond the grid':>18}{'quartiles':>20}"]
    for name, seconds in found.items():
        least, added = seconds.min(), 100.0 * (seconds / found[GRID] - 1.0)
        low, high = np.quantile(added, (0.25, 0.75))
        beyond = 100.0 * (least / found[GRID].min() - 1.0)
        lines.append(f"{name:<24}{1e6 * least:>12.2f}{beyond:>16.1f} %{low:>9.1f} to {high:.1f} %")
    return "\n".join(lines)


def report() -> str:
    return "\n".join(
        [stepping_table(stepping()), jitter_table(jitter()), "", controlled_table(controlled(5000, repeats=60))]
    )


if __name__ == "__main__":
    print(report())
