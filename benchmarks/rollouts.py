"""Thousands of variants of the six-strut robot that rolls: what one costs, beside its steps and on two threads, what
its measures cost, what sending it to another process does, and how many robots can be stepped together in a second.

`python -m benchmarks.rollouts` prints all of it. Wall times, and the ratio of threads, need an idle machine.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

import taut
from taut.locomotion import SinusoidGait, measures_of

PHASES = (2.91, 6.2, 3.93, 0.03, 5.87, 3.7)
STEP, EVERY, CONTROL = 1e-3, 0.02, 0.02
STEPS = (1e-3, 2e-3, 5e-3, 1e-2)
FLOOR = taut.Ground("floor", friction=0.6)


def rolling() -> taut.Plant:
    """Struts of a gait that rolls."""
    robot = taut.generators.six_strut_robot()
    gait = SinusoidGait(tuple(f"bar:{name}" for name in robot.bars), 0.1, 0.95, PHASES)
    return taut.assemble(robot, gravity=9.81, ground=[FLOOR], drives=gait.drives(robot))


def commanded() -> taut.Plant:
    """Struts that whoever steps it decides about."""
    robot = taut.generators.six_strut_robot()
    drives = [taut.Drive(name, f"bar:{name}", "length", by=taut.Command()) for name in robot.bars]
    return taut.assemble(robot, gravity=9.81, ground=[FLOOR], drives=drives)


def _spent(work: Callable[[], Any], clock: Callable[[], float], repeats: int) -> float:
    """The least of several."""
    found = []
    for _ in range(repeats):
        begun = clock()
        work()
        found.append(clock() - begun)
    return min(found)


@dataclass(frozen=True)
class Cost:
    """Of a variant: CPU time of a step [s], of all that is not steps [s], and of its measures [s]; how many times
    faster two threads are than one, by the clock on the wall; wall time [s] that a batch takes beyond its work, in a
    process."""

    step: float
    overhead: float
    measures: float
    threads: float
    sending: float


def measure(variants: int = 32, duration: float = 5.0, repeats: int = 3) -> Cost:
    plant = rolling()
    phases = np.array(PHASES) + 0.05 * np.random.default_rng(0).normal(size=(variants, 6))

    def run(span: float, threads: int, fields: tuple[str, ...] = ("velocities", "contact_state")) -> taut.Ensemble:
        return taut.rollout(plant, {"drive:*.phase": phases}, span, every=EVERY, fields=fields, threads=threads)

    run(EVERY, 1)
    # What does not grow with the duration is no step; samples are as many in both.
    spans = 0.5 * duration, duration
    half, whole = (
        _spent(
            lambda span=span: taut.rollout(
                plant, {"drive:*.phase": phases}, span, every=span, fields=("velocities",), threads=1
            ),
            time.process_time,
            repeats,
        )
        for span in spans
    )
    step = (whole - half) / (spans[1] - spans[0]) * STEP / variants
    whole = _spent(lambda: run(duration, 1), time.process_time, repeats)
    one, two = (_spent(lambda count=count: run(duration, count), time.perf_counter, repeats) for count in (1, 2))
    found = taut.rollout(plant, {"drive:*.phase": phases}, duration, every=EVERY)
    measures_of(found)
    measured = _spent(lambda: measures_of(found), time.process_time, repeats) / variants
    return Cost(
        step=step,
        overhead=whole / variants - step * duration / STEP,
        measures=measured,
        threads=one / two,
        sending=sending(plant, phases),
    )


def sending(plant: taut.Plant, phases: np.ndarray, batches: int = 20) -> float:
    """Wall time of a batch of 16 in another process less that of the same in this one, samples and all."""
    few = np.repeat(phases[:16], batches, axis=0)
    options: dict[str, Any] = {"every": EVERY, "fields": ("velocities", "contact_state")}
    clock, span = time.perf_counter, 10 * EVERY
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        taut.rollout(plant, {"drive:*.phase": few[:16]}, span, executor=pool, batch=16, **options)
        there = _spent(
            lambda: taut.rollout(plant, {"drive:*.phase": few}, span, executor=pool, batch=16, **options), clock, 3
        )
    here = _spent(lambda: taut.rollout(plant, {"drive:*.phase": few}, span, threads=1, **options), clock, 3)
    return (there - here) / batches


@dataclass(frozen=True)
class Stepped:
    """Robot steps of 20 ms a CPU second with steps [s] of the method; how far nodes are from those of steps of 1 ms
    after half a second, in the median and at most [m]."""

    step: float
    rate: float
    median: float
    most: float


def stepping(robots: int = 64, turns: int = 25) -> list[Stepped]:
    plant = commanded()
    inputs = np.cumsum(0.01 * np.random.default_rng(0).normal(size=(turns, robots, 6)), axis=0)
    found, reference = list[Stepped](), np.zeros(0)
    for step in STEPS:
        sim = taut.start_many(plant, robots, step=step)
        sim.step(CONTROL, inputs[0])
        begun = time.process_time()
        for one in inputs[1:]:
            sim.step(CONTROL, one)
        rate = (turns - 1) * robots / (time.process_time() - begun)
        reference = reference if reference.size else sim.nodes
        off = np.linalg.norm(sim.nodes - reference, axis=2).max(axis=1)
        found.append(Stepped(step, rate, float(np.median(off)), float(off.max())))
    return found


def table(cost: Cost) -> str:
    return "\n".join(
        [
            "A variant of the robot that rolls, method impulses, steps of 1 ms",
            f"a step                                {1e6 * cost.step:8.2f} us of CPU",
            f"all else, nodes and velocities kept   {1e3 * cost.overhead:8.2f} ms of CPU a variant",
            f"its measures                          {1e3 * cost.measures:8.2f} ms of CPU a variant",
            f"two threads against one               {cost.threads:8.2f} times as fast",
            f"a batch of 16 sent to a process       {1e3 * cost.sending:8.2f} ms beyond its work",
        ]
    )


def stepped_table(found: list[Stepped]) -> str:
    lines = ["Robots stepped together, six struts commanded every 20 ms, nodes and velocities observed, one thread"]
    lines += ["step [ms]  robot steps a CPU second  off after 0.5 s: median [mm]  at most [mm]"]
    lines += [
        f"{1e3 * one.step:>9g}  {one.rate:>24.0f}  {1e3 * one.median:>28.2f}  {1e3 * one.most:>12.2f}" for one in found
    ]
    return "\n".join(lines)


def report() -> str:
    return f"{table(measure())}\n\n{stepped_table(stepping())}\n({os.cpu_count()} processors)"


if __name__ == "__main__":
    print(report())
