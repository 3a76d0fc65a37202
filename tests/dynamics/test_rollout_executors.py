"""Rollouts by executors: threads, processes and a cluster give the same bits; processes that die lose nothing."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_rollouts import PHASES, robot, spread

import taut
from taut import OptionError
from taut.dynamics.rollouts import reduced
from taut.executors import Lane, Lost
from taut.executors import spread as spread_over
from taut.locomotion import measured_rollout, measures_of

COUNT = 40
OPTIONS: dict[str, Any] = {"every": 0.02, "seeds": range(COUNT), "noise": {"drive:*.phase": 0.02}}
DURATION = 0.06


def given() -> dict[str, np.ndarray]:
    return {"drive:*.phase": PHASES + spread(COUNT, 6, size=0.3), "velocities": spread(COUNT, 12, 3, size=0.1)}


def processes(count: int = 2) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"))


def assert_same(one: taut.Ensemble, other: taut.Ensemble) -> None:
    assert one.samples.keys() == other.samples.keys()
    for name, values in one.samples.items():
        assert np.array_equal(values, other.samples[name]), name
    assert one.status == other.status
    assert one.notes == other.notes


def test_any_executor_gives_the_same_bits() -> None:
    plant, seen = robot(), list[float]()
    alone = taut.rollout(plant, given(), DURATION, threads=1, **OPTIONS)
    assert alone.ok.all()
    with ThreadPoolExecutor(2) as pool:
        threads = taut.rollout(
            plant, given(), DURATION, executor=pool, batch=16, progress=lambda done, of: seen.append(done), **OPTIONS
        )
    assert_same(alone, threads)
    assert seen[-1] == COUNT
    assert len(seen) == 3
    with processes() as pool:
        elsewhere = taut.rollout(plant, given(), DURATION, executor=pool, batch=16, **OPTIONS)
        found = measured_rollout(plant, given(), DURATION, executor=pool, batch=16, **OPTIONS)
    assert_same(alone, elsewhere)
    measured = measures_of(alone)
    for other in (found, measured_rollout(plant, given(), DURATION, threads=2, batch=16, **OPTIONS)):
        assert other.values.keys() == measured.values.keys()
        assert all(np.array_equal(measured[name], other[name]) for name in measured.values)
        assert other.status == measured.status


def last_heights(marker: str, deadly: float, always: bool, ensemble: taut.Ensemble) -> Mapping[str, np.ndarray]:
    """Kills its process where a variant with this phase is in the batch: the first time, or always."""
    if (ensemble.varied["drive:x1.phase"] == deadly).any() and (always or not Path(marker).exists()):
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"height": ensemble.nodes[:, -1, :, 2].mean(axis=1)}


@pytest.mark.slow
@pytest.mark.parametrize("always", [False, True])
def test_a_process_that_dies_takes_nothing_with_it(always: bool, tmp_path: Path) -> None:
    plant, phases = robot(), np.linspace(0.0, 3.0, 48)
    options = {"every": 0.02, "method": "impulses", "step": 1e-3, "tolerance": 1e-8, "correction": None, "fields": ()}
    alone = taut.rollout(plant, {"drive:x1.phase": phases}, DURATION, every=0.02).nodes[:, -1, :, 2].mean(axis=1)
    kills = partial(last_heights, str(tmp_path / "killed"), float(phases[20]), always)
    found = reduced(plant, {"drive:x1.phase": phases}, DURATION, kills, executor=processes, batch=16, **options)
    good = np.ones(48, dtype=bool)
    good[16:32] = not always
    assert np.array_equal(found.samples["height"][good], alone[good])
    assert np.isnan(found.samples["height"][~good]).all()
    assert {found.status[k] for k in np.flatnonzero(good)} == {"finished"}
    if always:
        assert found.status[20] == str(Lost(3))


def test_bad_batches_and_plants_are_told() -> None:
    with pytest.raises(OptionError, match="batch 10 must be a multiple of 16"), ThreadPoolExecutor(1) as pool:
        taut.rollout(robot(), {"drive:x1.phase": [1.0]}, 0.1, executor=pool, batch=10)
    plant = robot()
    plant.tables["springs"].stiffness[0] += 1.0  # what it was assembled from does not know
    with pytest.raises(OptionError, match="the plant that a worker assembled is another one"), processes(1) as pool:
        taut.rollout(plant, {"drive:x1.phase": [1.0]}, 0.1, executor=pool)


class Counting(Executor):
    """Does at once what it is given, and breaks where it is told to."""

    def __init__(self, breaks: set[int]) -> None:
        self.breaks = breaks

    def submit(self, work: Any, /, *given: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if given[0] in self.breaks:
            from concurrent.futures.process import BrokenProcessPool

            future.set_exception(BrokenProcessPool())
        else:
            future.set_result(work(*given))
        return future


def test_what_is_to_stop_ends_early_and_what_breaks_is_tried_again() -> None:
    made = iter([{3, 5}])
    lane = Lane(lambda: Counting(next(made, {5})), most=4)
    found = dict(spread_over(((k, k) for k in range(8)), [lane], lambda task: 10 * task, lambda: False, tries=3))
    assert {k: v for k, v in found.items() if k != 5} == {k: 10 * k for k in range(8) if k != 5}
    assert isinstance(found[5], Lost)
    with pytest.raises(OptionError, match="give a function that makes an executor, as `lambda: ProcessPoolExecutor"):
        list(spread_over(iter([(3, 3)]), [Lane(Counting({3}))], abs, lambda: False, tries=3))
    stopped = iter([False] * 4 + [True] * 100)

    def few() -> Iterator[tuple[int, int]]:
        yield from ((k, k) for k in range(1000))

    assert len(dict(spread_over(few(), [Lane(Counting(set()), most=1)], abs, lambda: next(stopped), tries=2))) < 10


@pytest.mark.slow
def test_a_cluster_gives_the_same_bits() -> None:
    distributed = pytest.importorskip("distributed")
    plant = robot()
    alone = taut.rollout(plant, given(), DURATION, **OPTIONS)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        client.get_executor() as pool,
    ):
        assert_same(alone, taut.rollout(plant, given(), DURATION, executor=pool, batch=16, **OPTIONS))
