"""What a search costs beside its runs, and what a thousand cores would do: `python -m benchmarks.search_overheads`.

Measured here: CPU time of a run of the six-strut robot, of asking, telling and keeping a generation, and of a task that
a dask cluster of two workers does nothing in. The table is computed of these: a generation takes what is done in one
place, what the scheduler takes for all of its batches, and its longest worker.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.gait_search import SEARCHES
from taut.dynamics.rollout_batches import batch_size
from taut.locomotion.gait_spaces import SinusoidSpace
from taut.output.gait_search.finding import trial_of
from taut.output.gait_search.kept_search import Trials, search_with
from taut.search.goals import COLUMN, MEASURES, Objective
from taut.search.options import SearchOptions
from taut.search.searching import Tried

CORES = (1, 2, 16, 128, 1000)
POPULATIONS = (64, 512, 4096)
TASKS = 2000


@dataclass(frozen=True)
class Costs:
    """[s] of CPU time: a run; a generation without its runs, for each of its gaits; a task of a cluster; and by the
    clock, one task there and back."""

    run: float
    gait: float
    task: float
    trip: float


def cost_of_a_run(runs: int = 16) -> float:
    search = SEARCHES[0]
    trial = trial_of(search.model, search.space, search.options, threads=1).only_for(search.objective)
    points = np.random.default_rng(0).random((runs // 2, search.space.size))
    trial(points[:1], np.arange(2))
    begun = time.process_time()
    trial(points, np.arange(runs))
    return (time.process_time() - begun) / runs


def cost_of_a_gait(population: int = 256, generations: int = 4) -> float:
    """By a search whose runs cost nothing, into a file."""
    space = SEARCHES[0].space
    assert isinstance(space, SinusoidSpace)

    def nothing(points: np.ndarray, seeds: np.ndarray) -> Tried:
        found = np.zeros((len(points), len(seeds) // len(points), len(MEASURES)))
        found[..., COLUMN["distance"]] = points[:, :1]
        return Tried(found)

    options = SearchOptions(generations=generations, population=population)
    with tempfile.TemporaryDirectory() as folder:
        begun = time.process_time()
        search_with(
            Trials(nothing, nothing, {}), space, Objective(), options, "", output=Path(folder) / "g.nc", check=False
        )
        return (time.process_time() - begun) / (generations * population)


def cost_of_a_task() -> tuple[float, float]:
    """Of a task that does nothing on two workers: CPU time of the scheduler and this process, and there and back."""
    from distributed import LocalCluster

    from taut.clusters import on_cluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        on_cluster(cluster.scheduler_address) as executor,
    ):
        assert executor is not None
        list(executor.map(abs, range(10)))
        begun = time.process_time()
        list(executor.map(abs, range(TASKS)))
        task = (time.process_time() - begun) / TASKS
        return task, _least(lambda: executor.submit(abs, 1).result())


def _least(work: Callable[[], object]) -> float:
    spent = []
    for _ in range(20):
        begun = time.perf_counter()
        work()
        spent.append(time.perf_counter() - begun)
    return min(spent)


def seconds(costs: Costs, options: SearchOptions, cores: int) -> float:
    """[s] of one generation: its two stages one after the other."""
    total = options.population * costs.gait
    for runs in (options.population * options.copies, options.elite * options.extra):
        size = batch_size(options.duration, options.step, runs) if cores > 2 else max(1, math.ceil(runs / cores))
        size = min(size, max(16, math.ceil(runs / cores / 16) * 16)) if cores > 2 else size
        batches = math.ceil(runs / size)
        longest = math.ceil(batches / cores) * size * costs.run
        total += longest + (costs.trip + batches * costs.task if cores > 2 else 0.0)
    return total


def table(costs: Costs) -> str:
    rows = [
        f"a run of 10 s: {costs.run * 1e3:.1f} ms of CPU; a gait asked for, told and kept: {costs.gait * 1e3:.2f} ms; "
        f"a task of dask: {costs.task * 1e3:.2f} ms, there and back {costs.trip * 1e3:.1f} ms",
        f"{'one generation [s]':<22}" + "".join(f"{f'{cores} cores':>12}" for cores in CORES) + f"{'of a 1000th':>14}",
    ]
    for population in POPULATIONS:
        options = replace(SEARCHES[0].options, population=population, elite=max(8, population // 8))
        spent = [seconds(costs, options, cores) for cores in CORES]
        told = "".join(f"{one:>12.2f}" for one in spent)
        rows.append(f"{f'population {population}':<22}{told}{spent[0] / spent[-1] / CORES[-1]:>13.0%}")
    return "\n".join(rows)


def main() -> None:
    print(table(Costs(cost_of_a_run(), cost_of_a_gait(), *cost_of_a_task())))


if __name__ == "__main__":
    main()
