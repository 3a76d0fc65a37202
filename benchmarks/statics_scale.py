"""Newton equilibrium and six lowest modes as structures grow: towers, planar lattices, lattices that fill space."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

import taut
from benchmarks.peak_memory import peak_memory
from taut.structure import generators  # as older checkouts have it, too

GUYED = 25
"""Stages between rings that are held sideways. Left free, a tower of 11,000 stages is so slender that its lowest
stiffness is 1e-16 of its largest, below what doubles resolve."""


@dataclass(frozen=True)
class Size:
    """One structure: members, seconds of equilibrium and modes (wall and CPU), what came out, peak memory [B]."""

    kind: str
    members: int
    balancing: float
    finding_modes: float
    processor: float
    iterations: int
    residual: float
    lowest: float
    memory: float
    status: str


def tower(members: int) -> taut.Structure:
    """Class 2, its foot fixed, guyed every 25 stages, its top free to sink."""
    stages = max(2, members // 9)
    made = generators.tower(stages, class_=2).supported("bottom").supported("top", "xy")
    for stage in range(GUYED, stages - GUYED // 2, GUYED):
        made = made.supported(f"ring{stage}.*", "xy")
    return made


def planar(members: int) -> taut.Structure:
    side = max(2, round((members / 17.8) ** 0.5))
    return generators.planar_lattice(side, side).supported("bottom")


def filled(members: int) -> taut.Structure:
    side = max(1, round((members / 53.0) ** (1.0 / 3.0)))
    return generators.lattice(side, side, side).supported("bottom")


KINDS = {"tower": (tower, "direct"), "planar lattice": (planar, "direct"), "lattice": (filled, "iterative")}


def measure(kind: str, members: int, solver: str = "") -> Size:
    """Tighten every cable to rest ratio 0.93, blow sideways, balance, and find six modes."""
    build, usual = KINDS[kind]
    made = build(members).changed("cable:*", rest_ratio=0.93)
    wind = dict.fromkeys(made.nodes, (0.05, 0.0, 0.0))
    begun, spent = time.perf_counter(), time.process_time()
    standing = taut.balance(made, loads=wind, solver=solver or usual)
    balanced = time.perf_counter()
    found = taut.modes(standing, count=6, solver=solver or usual) if standing.ok else None
    return Size(
        f"{kind}, {solver or usual}",
        len(made.bars) + len(made.cables),
        balanced - begun,
        time.perf_counter() - balanced,
        time.process_time() - spent,
        standing.iterations,
        standing.residual,
        float(found.frequency[0]) if found is not None else np.nan,
        peak_memory(),
        standing.status,
    )


def exponent(sizes: list[Size]) -> float:
    """The power of the members with which the time grows, by least squares of logarithms."""
    counts = np.log([size.members for size in sizes])
    return float(np.polyfit(counts, np.log([size.processor for size in sizes]), 1)[0])


def table(sizes: list[Size]) -> str:
    head = f"{'structure':<24} {'members':>8} {'balance [s]':>12} {'modes [s]':>10} {'CPU [s]':>8} {'Newton':>7}"
    lines = [f"{head} {'residual [N]':>13} {'lowest [Hz]':>12} {'peak memory [MB]':>17}"]
    for s in sizes:
        lines.append(
            f"{s.kind:<24} {s.members:>8} {s.balancing:>12.1f} {s.finding_modes:>10.1f} {s.processor:>8.1f} "
            f"{s.iterations:>7} {s.residual:>13.1e} {s.lowest:>12.4g} {s.memory / 1e6:>17.0f}"
        )
    for kind in dict.fromkeys(s.kind for s in sizes):
        own = [s for s in sizes if s.kind == kind]
        if len(own) > 1:
            lines.append(f"{kind}: CPU time grows like members^{exponent(own):.2f}")
    return "\n".join(lines)


def measured(largest: float) -> list[Size]:
    """Every kind in sizes up to the largest, each in a process of its own, so that its peak memory is its own."""
    sizes = [size for size in (10_000, 30_000, 100_000) if size <= largest]
    tasks = [(kind, size, "") for kind in KINDS for size in sizes]
    tasks += [("lattice", size, "direct") for size in sizes if size < 50_000]
    alone = ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1)
    with alone as pool:
        return [pool.submit(measure, *task).result() for task in tasks]


if __name__ == "__main__":
    print(table(measured(float(sys.argv[1]) if len(sys.argv) > 1 else 1e5)))
