"""Counts, one unilateral prestress and its stability certificate as structures grow; 10,000 members by default.

Alone: `OPENBLAS_NUM_THREADS=1 python -m benchmarks.statics_counts`. The dense pieces are small, and on a busy machine
the threads of BLAS wait for one another many times longer than they work.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

import taut
from benchmarks.peak_memory import peak_memory
from taut.statics.certificates import stability
from taut.statics.prestressing import prestress
from taut.statics.self_stress import counts


@dataclass(frozen=True)
class Certified:
    """One structure: what was counted, how well it is balanced, and wall-clock times [s].

    residual: largest force left on a node, relative to the largest member force. least: least tension / minimum asked.
    """

    kind: str
    members: int
    states: int
    mechanisms: int
    residual: float
    least: float
    verdict: str
    counting: float
    prestressing: float
    certifying: float
    memory: float

    @property
    def total(self) -> float:
        return self.counting + self.prestressing + self.certifying


def _side(members: int, per_cell: float, dimensions: int) -> int:
    return max(2, round((members / per_cell) ** (1.0 / dimensions)))


def structure(kind: str, members: int) -> taut.Structure:
    if kind.startswith("tower"):
        return (
            taut.generators.tower(_side(members, 18, 1))
            if kind.endswith("1")
            else taut.generators.tower(_side(members, 9, 1), class_=2)
        )
    if kind.startswith("planar"):
        side = _side(members, 17.5, 2) if kind.endswith("1") else _side(members, 4, 2)
        return taut.generators.planar_lattice(side, side, class_=int(kind[-1]))
    side = _side(members, 50, 3) if kind.endswith("1") else _side(members, 30, 3)
    return taut.generators.lattice(side, side, side, class_=int(kind[-1]))


KINDS = (
    "tower, class 1",
    "tower, class 2",
    "planar lattice, class 1",
    "planar lattice, class 4",
    "lattice, class 1",
    "lattice, class 2",
)


def measure(kind: str, members: int = 10_000) -> Certified:
    built = structure(kind, members)
    begun = time.perf_counter()
    counted = counts(built)
    then = time.perf_counter()
    balance = prestress(built, minimum=1.0)
    later = time.perf_counter()
    verdict = stability(balance)
    ended = time.perf_counter()
    return Certified(
        kind=kind,
        members=counted.members,
        states=counted.self_stress_states,
        mechanisms=counted.mechanisms,
        residual=balance.residual / float(np.abs(balance.member_force).max()),
        least=float(balance.cable_tension.min()),
        verdict=verdict.verdict,
        counting=then - begun,
        prestressing=later - then,
        certifying=ended - later,
        memory=peak_memory(),
    )


def table(rows: list[Certified]) -> str:
    lines = [
        f"{'structure':<24} {'members':>8} {'states':>7} {'mechanisms':>10} {'residual':>9} {'least':>6} "
        f"{'count':>7} {'prestress':>9} {'certify':>8} {'total [s]':>9} {'MB':>6}  verdict"
    ]
    lines += [
        f"{r.kind:<24} {r.members:>8} {r.states:>7} {r.mechanisms:>10} {r.residual:>9.1e} {r.least:>6.3f} "
        f"{r.counting:>7.2f} {r.prestressing:>9.2f} {r.certifying:>8.2f} {r.total:>9.2f} {r.memory / 1e6:>6.0f}  "
        f"{r.verdict}"
        for r in rows
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    import sys

    size = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000
    print(table([measure(kind, size) for kind in KINDS]))
