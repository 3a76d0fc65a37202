"""What steps cost in one checkout of taut, asked again and again: the other end of `benchmarks.beside`.

`python -m benchmarks.costs WHAT MEMBERS` makes the structure, runs it once, so that everything is compiled, and says
how many members and steps there are. Then, for every line that it reads, it says the CPU time [s] of a short run and of
one with so many steps more. Only names that users have are used, so that any checkout can be asked.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import taut
from benchmarks import scale, six_strut_against_c
from benchmarks.alone import ALONE
from benchmarks.statics_scale import tower
from benchmarks.trees import check_origin, spent

IMPLICIT, SIX_STRUT = "implicit tower", "six-strut robot"
WORK = {"planar lattice, class 1": 1e7, "lattice, class 1": 1e7, "tower, class 2": 2e6, "linked towers, class 3": 1e6}
"""Members times steps of a long run; of other structures less."""
IMPLICIT_STEP = 0.02


@dataclass(frozen=True)
class Asked:
    """A structure ready to be asked: `runs` gives name -> a run of so many steps; the short one has `few`."""

    members: int
    steps: int
    few: int
    runs: dict[str, Callable[[int], object]]

    def times(self) -> dict[str, tuple[float, float]]:
        """Of a short run and of a long one [s]."""
        found = {}
        for name, run in self.runs.items():
            short = spent(lambda run=run: run(self.few))
            found[name] = short, spent(lambda run=run: run(self.few + self.steps))
        return found


def explicit(kind: str, members: int) -> Asked:
    """RK4 of one of the structures of `benchmarks.scale`, without correction and without looking for events."""
    built = scale.KINDS[kind](members)
    wave = {n: tuple(1e-3 * np.sin(i * np.array([1.0, 3.0, 2.0]))) for i, n in enumerate(built.nodes)}
    plant = taut.assemble(built, velocities=wave, solver="iterative" if kind in scale.ITERATIVE else "direct")
    count = len(built.bars) + len(built.cables)
    steps = max(2, round(WORK.get(kind, 1e5) / count))

    def run(steps: int) -> object:
        span = steps * scale.STEP
        options = {"method": "rk4", "step": scale.STEP, "correction": "none", "locate": False}
        return taut.simulate(plant, span, every=span, **options, **ALONE)

    return Asked(count, steps, 1, {"taut": run})


def implicit(members: int) -> Asked:
    """Equal steps of implicit3 of a guyed tower in a side wind, as in `benchmarks.stiff_motion`."""
    made = tower(members)
    wind = [taut.Load(node, "x", 0.05) for node in list(made.nodes)[::7]]
    plant = taut.assemble(made, loads=wind, damping=taut.Damping(node=1.0, stiffness=0.01))

    def run(steps: int) -> object:
        span = steps * IMPLICIT_STEP
        return taut.simulate(plant, span, every=span, method="implicit3", step=IMPLICIT_STEP, tolerance=1e-6, **ALONE)

    count = len(made.bars) + len(made.cables)
    return Asked(count, max(8, 200_000 // count), 1, {"taut": run})


def six_strut(folder: str) -> Asked:
    """The robot's RK4 step, and the same step in C where there is a compiler."""
    plant = six_strut_against_c.robot()
    runs: dict[str, Callable[[int], object]] = {"taut": lambda n: six_strut_against_c.by_taut(plant, n)}
    if six_strut_against_c.InC.available:
        runs["C"] = six_strut_against_c.InC(plant, folder).follow
    return Asked(1, 5_000, 100, runs)  # a few milliseconds: now and then nothing comes between


def main(what: str, members: str) -> None:
    check_origin()
    with tempfile.TemporaryDirectory() as folder:
        if what == SIX_STRUT:
            asked = six_strut(folder)
        else:
            asked = implicit(int(members)) if what == IMPLICIT else explicit(what, int(members))
        for run in asked.runs.values():
            run(asked.few)
        print(json.dumps({"members": asked.members, "steps": asked.steps}), flush=True)
        for _ in sys.stdin:
            print(json.dumps(asked.times()), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
