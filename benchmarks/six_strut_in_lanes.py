"""Many six-strut robots at once: what a trajectory costs in lanes of one thread, and what a correction costs a step."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

import taut
from benchmarks.six_strut_against_c import STEP, robot

CORRECTIONS = ("none", "constraints", "energy")


@dataclass(frozen=True)
class Cost:
    """CPU time of a step [s]: of a robot by itself and of one in lanes; iterations of the correction a step."""

    correction: str
    alone: float
    in_lanes: float
    iterations: float


def measure(correction: str, robots: int = 64, steps: int = 2000) -> Cost:
    plant, random = robot(), np.random.default_rng(0)
    velocities = random.normal(size=(robots, *plant.positions.shape))
    options = {"method": "rk4", "step": STEP, "correction": correction}
    single = [
        taut.assemble(plant.structure, velocities=dict(zip(plant.structure.nodes, map(tuple, v), strict=True)))
        for v in velocities[:8]
    ]
    runs = [
        taut.simulate(one, STEP * steps, every=STEP * steps, locate=False, **options, verify=False) for one in single
    ]
    taut.ensemble(plant, STEP, every=STEP, velocities=velocities, threads=1, **options)
    alone, together = [], []
    for _ in range(3):
        begun = time.process_time()
        for one in single:
            taut.simulate(one, STEP * steps, every=STEP * steps, locate=False, **options, verify=False)
        alone.append((time.process_time() - begun) / len(single) / steps)
        begun = time.process_time()
        taut.ensemble(plant, STEP * steps, every=STEP * steps, velocities=velocities, threads=1, **options)
        together.append((time.process_time() - begun) / robots / steps)
    iterations = sum(run.counts["iterations"] for run in runs) / sum(run.counts["steps"] for run in runs)
    return Cost(correction, min(alone), min(together), iterations)


def table(costs: list[Cost]) -> str:
    plain = costs[0].alone
    lines = ["Six-strut robots, RK4 with step 1 ms, CPU time of a step, one thread"]
    lines += ["correction    alone [us]  in lanes [us]  ratio  correction/step  iterations a step"]
    lines += [
        f"{c.correction:<12}  {c.alone * 1e6:>10.2f}  {c.in_lanes * 1e6:>13.2f}  {c.in_lanes / c.alone:>5.2f}  "
        f"{(c.alone - plain) / plain:>15.2f}  {c.iterations:>17.2f}"
        for c in costs
    ]
    return "\n".join(lines)
