"""How long a point of a study takes alone, and in each of several threads or processes: which of them share better.

Wall clock within a point, so the machine should have nothing else to do.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from taut.output.study.points import Variant, computed

EXAMPLES = Path(__file__).parents[1] / "examples"


@dataclass(frozen=True)
class Sharing:
    """A model; what a point takes [s], as a median, alone, in one of several threads, in one of several processes."""

    model: str
    workers: int
    alone: float
    in_threads: float
    in_processes: float


def measure(model: str, points: int = 400, workers: int = 0) -> Sharing:
    workers = workers or os.cpu_count() or 1
    text = (EXAMPLES / f"{model}.yaml").read_text(encoding="utf-8")
    stiffness = "properties.cable:*.stiffness"
    variants = [Variant(text, model, (f"{stiffness}={100 + k}",)) for k in range(points)]
    with ThreadPoolExecutor(1) as alone, ThreadPoolExecutor(workers) as threads:
        single, threaded = _median(alone, variants, 1), _median(threads, variants, workers)
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as processes:
        return Sharing(model, workers, single, threaded, _median(processes, variants, workers))


def _median(pool: Executor, variants: list[Variant], workers: int) -> float:
    list(pool.map(wall_time, variants[: 4 * workers]))  # everybody has loaded what is compiled
    return statistics.median(pool.map(wall_time, variants))


def wall_time(variant: Variant) -> float:
    found = computed(variant, lambda now, end: None)
    assert found is not None
    assert found.status == "finished", found.status
    return float(found.quantities()["wall_time"])


def table(found: list[Sharing]) -> str:
    rows = [f"{'a point takes [ms]':<20}{'alone':>10}{'a thread':>12}{'a process':>12}"]
    for one in found:
        times = (one.alone, one.in_threads, one.in_processes)
        rows.append(f"{one.model:<20}{1e3 * times[0]:>10.2f}{1e3 * times[1]:>12.2f}{1e3 * times[2]:>12.2f}")
    return "\n".join(rows) + f"\n(of {found[0].workers} at once)"


if __name__ == "__main__":
    print(table([measure(model) for model in ("tbar", "prism")]))
