"""What the verdict on a run costs: CPU time of the examples' runs with it, beside that without, least of several.

python -m benchmarks.verification_costs
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import taut
from taut.output.model_runs import PHYSICS
from taut.structure.examples import example

EXAMPLES = {"tbar": 5.0, "arm": 2.0, "ball": 1.0, "tower_earthquake": 2.0, "icosahedron": 2.0, "prism": 2.0}
"""And for how long [s] they run."""
REPEATS = 3


def spent(work: Callable[[], object]) -> float:
    """CPU time [s], the least of a few."""
    found = []
    for _ in range(REPEATS):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


def ratio(plant: taut.Plant, duration: float, options: dict[str, Any]) -> tuple[float, bool]:
    """Time with the verdict over time without, and whether it was good."""
    run = taut.simulate(plant, duration, **options)
    alone = spent(lambda: taut.simulate(plant, duration, **options, verify=False))
    return spent(lambda: taut.simulate(plant, duration, **options)) / alone, run.ok


def main() -> None:
    print(f"{'example':<18} {'dp5, 1e-8':>10} {'dp8, 1e-10':>11} {'rk4':>6}")
    for name, duration in EXAMPLES.items():
        model = taut.read_model(example(name))
        plant = taut.assemble(model.structure, **{part: getattr(model.scenario, part) for part in PHYSICS})
        step = {"method": "rk4", "step": plant.shortest_period / 60.0}
        found = [ratio(plant, duration, o) for o in ({}, {"method": "dp8", "tolerance": 1e-10}, step)]
        dp5, dp8, rk4 = (f"{value:.2f}{'' if ok else '!'}" for value, ok in found)
        print(f"{name:<18} {dp5:>10} {dp8:>11} {rk4:>6}")


if __name__ == "__main__":
    main()
