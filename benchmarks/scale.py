"""Cost of a step and of memory as structures grow, each against itself; every size in a process of its own.

Class-1 lattices are solved bar by bar and class-2 towers by a sparse factor, whose cost grows like their size. A cubic
grid of bars fills space: no factor is good there, and the iterative solver is used, whose number of iterations grows
with the side of the grid.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

import taut
from benchmarks.peak_memory import peak_memory
from taut.structure import generators  # as older checkouts have it, too

STEP = 1e-4


@dataclass(frozen=True)
class Size:
    """One structure: members, CPU time of an RK4 step for each [s], plain and corrected, peak memory for each [B].

    The memory is that of the whole process: generator, structure, plant and run, above an empty one.
    """

    kind: str
    members: int
    step: float
    corrected: float
    memory: float


def cubic_grid(side: int) -> taut.Structure:
    """side^3 nodes, a bar along every edge (six meet inside) and crossed cables in every square."""
    places = list(product(range(side), repeat=3))
    name = {place: "n{}.{}.{}".format(*place) for place in places}
    bars, cables = [], []
    for place in places:
        for axis in range(3):
            along, across = _next(place, axis), _next(place, (axis + 1) % 3)
            beyond = _next(along, (axis + 1) % 3)
            if along in name:
                bars.append(taut.Bar(f"bar{name[place]}-{axis}", (name[place], name[along]), mass=1.0))
            if beyond in name:
                for which, ends in (("a", (place, beyond)), ("b", (along, across))):
                    route = tuple(name[end] for end in ends)
                    cables.append(
                        taut.Cable(f"cable{name[place]}-{axis}{which}", route, stiffness=1e3, rest_length=1.3)
                    )
    return taut.Structure({name[place]: place for place in places}, bars, cables, name="cubic grid")


def _next(place: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return tuple(k + (n == axis) for n, k in enumerate(place))


def _planar(members: int) -> taut.Structure:
    side = max(2, round((members / 14.0) ** 0.5))
    return generators.planar_lattice(side, side)


def _lattice(members: int) -> taut.Structure:
    side = max(1, round((members / 60.0) ** (1.0 / 3.0)))
    return generators.lattice(side, side, side)


def _tower(members: int) -> taut.Structure:
    return generators.tower(max(2, members // 9), class_=2)


def _linked_towers(members: int) -> taut.Structure:
    """Four class-2 towers in a square, tied by bars and cables at every third level."""
    stages = max(4, members // 40)
    tower = generators.tower(stages, class_=2)
    whole = tower.prefixed("t0.")
    for k, shift in enumerate(((4.0, 0.0, 0.0), (4.0, 4.0, 0.0), (0.0, 4.0, 0.0)), start=1):
        whole = whole.joined(tower.prefixed(f"t{k}.").moved(translation=shift))
    nodes = list(tower.nodes)
    bars, cables = [], []
    for place in range(0, len(nodes), 9):
        for k in range(4):
            ends = f"t{k}.{nodes[place]}", f"t{(k + 1) % 4}.{nodes[place]}"
            bars.append(taut.Bar(f"link{place}-{k}", ends, mass=1.0))
            if place + 9 < len(nodes):
                up = f"t{(k + 1) % 4}.{nodes[place + 9]}"
                cables.append(taut.Cable(f"brace{place}-{k}", (ends[0], up), stiffness=1e4))
    return whole.with_bars(*bars).with_cables(*cables).ordered()


def _grid(members: int) -> taut.Structure:
    return cubic_grid(max(2, round((members / 9.0) ** (1.0 / 3.0))))


KINDS: dict[str, Callable[[int], taut.Structure]] = {
    "planar lattice, class 1": _planar,
    "lattice, class 1": _lattice,
    "tower, class 2": _tower,
    "linked towers, class 3": _linked_towers,
    "cubic grid, class 6": _grid,
}
ITERATIVE = ("cubic grid, class 6",)


def measure(kind: str, members: int, work: float = 3e5) -> Size:
    """Step one structure so often that about `work` members are passed."""
    built = KINDS[kind](members)
    count = len(built.bars) + len(built.cables)
    wave = {n: tuple(1e-3 * np.sin(i * np.array([1.0, 3.0, 2.0]))) for i, n in enumerate(built.nodes)}
    plant = taut.assemble(built, velocities=wave, solver="iterative" if kind in ITERATIVE else "direct")
    steps = max(4, int((0.03 if kind in ITERATIVE else 1.0) * work / count))
    costs = []
    for correction in ("none", "energy"):
        _spent(plant, 2, correction)
        short = min(_spent(plant, 2, correction) for _ in range(3))
        costs.append((min(_spent(plant, 2 + steps, correction) for _ in range(3)) - short) / steps / count)
    memory = peak_memory()
    return Size(kind, count, costs[0], costs[1], memory / count)


def _spent(plant: taut.Plant, steps: int, correction: str) -> float:
    begun = time.process_time()
    duration = steps * STEP
    taut.simulate(
        plant, duration, every=duration, method="rk4", step=STEP, correction=correction, locate=False, verify=False
    )
    return time.process_time() - begun


def measured_apart(kind: str, members: int) -> Size:
    """In a new process, so that the memory is that of this structure alone; less what an empty plant takes."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_above_empty, (kind, members))


def _above_empty(kind: str, members: int) -> Size:
    _spent(taut.assemble(generators.tbar()), 2, "energy")
    _spent(taut.assemble(generators.tower(2, class_=2)), 2, "energy")
    empty = peak_memory()
    size = measure(kind, members)
    return Size(size.kind, size.members, size.step, size.corrected, size.memory - empty / size.members)


def table(sizes: Sequence[Size]) -> str:
    lines = [f"{'structure':<24} {'members':>9} {'ns/member/step':>15} {'corrected':>10} {'bytes/member':>13}"]
    lines += [
        f"{s.kind:<24} {s.members:>9} {s.step * 1e9:>15.0f} {s.corrected * 1e9:>10.0f} {s.memory:>13.0f}" for s in sizes
    ]
    for kind in dict.fromkeys(s.kind for s in sizes):
        same = [s for s in sizes if s.kind == kind]
        first, last = same[0], same[-1]
        if last.members > first.members:
            growth = np.log(last.step / first.step) / np.log(last.members / first.members)
            spread = max(s.step for s in same) / min(s.step for s in same)
            lines.append(f"{kind}: cost per member within a factor {spread:.2f}, growing like members^{growth:.2f}")
    return "\n".join(lines)
