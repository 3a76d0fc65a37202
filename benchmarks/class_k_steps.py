"""CPU time of a step where bars meet: towers of class 2, towers linked by bars, lattices of class 2 and 4.

Beside them what does not solve such a system (class 1) and what solves a larger one (implicit steps). To compare two
versions, run it with the one and the other on PYTHONPATH in turn and compare the smallest of several:
`PYTHONPATH=old/src python -m benchmarks.class_k_steps 1000`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import taut
from benchmarks.scale import KINDS as SCALED
from benchmarks.stiff_motion import measure_size

STEP = 1e-4


@dataclass(frozen=True)
class Cost:
    """One structure: CPU time of an RK4 step for each member [s], or of an implicit3 step; smallest of several."""

    kind: str
    members: int
    step: float


def _lattice(members: int) -> taut.Structure:
    side = max(1, round((members / 30.0) ** (1.0 / 3.0)))
    return taut.generators.lattice(side, side, side, class_=2)


def _planar(members: int) -> taut.Structure:
    side = max(2, round((members / 4.0) ** 0.5))
    return taut.generators.planar_lattice(side, side, class_=4)


KINDS: dict[str, Callable[[int], taut.Structure]] = {
    "tower, class 2": SCALED["tower, class 2"],
    "linked towers, class 3": SCALED["linked towers, class 3"],
    "lattice, class 2": _lattice,
    "planar lattice, class 4": _planar,
    "lattice, class 1": SCALED["lattice, class 1"],
}
IMPLICIT = "tower, implicit"


def measure(kind: str, members: int, work: float = 2e5, repeats: int = 5) -> Cost:
    """Step one structure so often that about `work` members are passed, several times."""
    if kind == IMPLICIT:
        sizes = [measure_size("tower", members) for _ in range(repeats)]
        return Cost(kind, sizes[0].members, min(size.step for size in sizes) / sizes[0].members)
    built = KINDS[kind](members)
    count = len(built.bars) + len(built.cables)
    wave = {n: tuple(1e-3 * np.sin(i * np.array([1.0, 3.0, 2.0]))) for i, n in enumerate(built.nodes)}
    plant = taut.assemble(built, velocities=wave)
    steps = max(4, int(work / count))

    def spent(number: int) -> float:
        begun, duration = time.process_time(), number * STEP
        taut.simulate(
            plant, duration, every=duration, method="rk4", step=STEP, correction="none", locate=False, verify=False
        )
        return time.process_time() - begun

    spent(2)
    short = min(spent(2) for _ in range(3))
    return Cost(kind, count, (min(spent(2 + steps) for _ in range(repeats)) - short) / steps / count)


def table(costs: Sequence[Cost]) -> str:
    lines = [f"{'structure':<24} {'members':>9} {'ns/member/step':>15}"]
    return "\n".join(lines + [f"{c.kind:<24} {c.members:>9} {c.step * 1e9:>15.1f}" for c in costs])


if __name__ == "__main__":
    sizes = [int(float(size)) for size in sys.argv[1:]] or [1000, 10_000]
    print(table([measure(kind, size) for size in sizes for kind in (*KINDS, IMPLICIT)]))
