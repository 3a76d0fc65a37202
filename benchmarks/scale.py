"""Cost of a step and of memory as structures grow: class-1 lattices, class-2 towers, class-2 lattices."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass

import numpy as np

import taut

STEP = 1e-4


@dataclass(frozen=True)
class Size:
    """One structure: members, CPU time of an RK4 step for each [s], plain and corrected, peak memory [B]."""

    kind: str
    members: int
    step: float
    corrected: float
    memory: float


def structure(kind: str, members: int) -> taut.Structure:
    if kind == "planar lattice, class 1":
        side = max(2, round((members / 14.0) ** 0.5))
        return taut.planar_lattice(side, side)
    if kind == "tower, class 2":
        return taut.tower(max(2, members // 12), class_=2)
    side = max(1, round((members / 60.0) ** (1.0 / 3.0)))
    return taut.lattice(side, side, side, class_=2 if kind.endswith("2") else 1)


KINDS = ("planar lattice, class 1", "lattice, class 1", "tower, class 2", "lattice, class 2")


def measure(kind: str, members: int, work: float = 3e5) -> Size:
    """Step one structure so often that about `work` members are passed."""
    built = structure(kind, members)
    count = len(built.bars) + len(built.cables)
    wave = {n: tuple(1e-3 * np.sin(i * np.array([1.0, 3.0, 2.0]))) for i, n in enumerate(built.nodes)}
    plant = taut.assemble(built, velocities=wave)
    steps = max(2, int(work / count))
    costs = []
    for correction in ("none", "energy"):
        spent = {n: _spent(plant, n, correction) for n in (2, 2, 2 + steps)}
        costs.append((spent[2 + steps] - spent[2]) / steps / count)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0
    return Size(kind, count, costs[0], costs[1], memory)


def _spent(plant: taut.Plant, steps: int, correction: str) -> float:
    begun = time.process_time()
    duration = steps * STEP
    taut.simulate(plant, duration, every=duration, method="rk4", step=STEP, correction=correction)
    return time.process_time() - begun


def table(sizes: list[Size]) -> str:
    lines = [f"{'structure':<24} {'members':>9} {'ns/member/step':>15} {'corrected':>10} {'peak memory [MB]':>17}"]
    lines += [
        f"{s.kind:<24} {s.members:>9} {s.step * 1e9:>15.0f} {s.corrected * 1e9:>10.0f} {s.memory / 1e6:>17.0f}"
        for s in sizes
    ]
    return "\n".join(lines)
