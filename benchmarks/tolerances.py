"""Building tolerances by Monte Carlo: 10,000 builds of towers, CPU and wall-clock time, and a sample against `balance`.

`OPENBLAS_NUM_THREADS=1 python -m benchmarks.tolerances`. The tower is that of examples/tower.yaml, tightened, under its
weight; the taller one has four times its members and no weight. `apart` is the largest difference [m] of a node of ten
builds from where `balance` finds them, started at the shape of the design.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import taut
from taut.measurement import Tolerances, tolerances
from taut.statics.equilibrium_equations import equations_of
from taut.statics.network import network
from taut.statics.newton import restored

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "tower.yaml"


@dataclass(frozen=True)
class Timed:
    """One structure; times in s."""

    kind: str
    members: int
    builds: int
    threads: int
    cpu: float
    wall: float
    share: float
    apart: float


def designs() -> dict[str, taut.Equilibrium]:
    """The towers where they stand."""
    tight = taut.prestress(taut.read_model(EXAMPLE).structure, {"cable:vertical": 200.0}).structure
    tall = taut.generators.tower(12).supported("bottom*").changed("cable:*", rest_ratio=0.95)
    return {"examples/tower.yaml": taut.balance(tight, gravity=9.81), "12 stages": taut.balance(tall)}


def farthest(result: Tolerances, sample: int) -> float:
    """[m] from where `balance` finds a sample of the builds, from the shape of the design."""
    apart = 0.0
    for number in np.linspace(0, result.status.size - 1, sample).astype(int).tolist():
        structure = result.build(number)
        problem = equations_of(network(structure))
        places, _ = restored(problem, problem.setting, result.view.positions)
        force = {name: (x, y, z) for name, (x, y, z) in zip(structure.nodes, result.view.setting.external, strict=True)}
        alone = taut.balance(structure.placed(places), loads=force)
        apart = max(apart, float(np.abs(alone.structure.positions - result.nodes[number]).max()))
    return apart


def measure(kind: str, design: taut.Equilibrium, builds: int = 10_000, threads: int = 2, sample: int = 10) -> Timed:
    cpu, wall = time.process_time(), time.perf_counter()
    result = tolerances(design, cut_length=1e-3, stiffness=0.02, builds=builds, threads=threads)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return Timed(kind, result.nominal.size, builds, threads, cpu, wall, result.share, farthest(result, sample))


def table(found: list[Timed]) -> str:
    words = ("members", "builds", "threads", "CPU s", "wall s", "hold", "  apart m")
    head = " ".join([f"{'tower':<22}", *(f"{word:>7}" for word in words)])
    rows = [
        f"{one.kind:<22} {one.members:>7} {one.builds:>7} {one.threads:>7} {one.cpu:>7.1f} {one.wall:>7.1f} "
        f"{one.share:>7.4f} {one.apart:>9.1e}"
        for one in found
    ]
    return "\n".join([head, *rows])


if __name__ == "__main__":
    print(table([measure(kind, design, threads=k) for kind, design in designs().items() for k in (1, 2)]))
