"""Processes that die are replaced, a cluster gives the same bits as threads, and one that is not there is told soon."""

import os
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from far_hills import climbed_far
from hills import same, search

import taut
from taut.clusters import ANSWERS_WITHIN, on_cluster
from taut.errors import OptionError
from taut.measurement.building import tolerances
from taut.structure.examples import example

HERE = str(Path(__file__).parent)


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes find what is beside this file."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([HERE, str(Path(taut.__file__).parents[1])]))


@pytest.mark.slow  # quick: on a cluster below, and a study in tests/output/test_studies.py
@pytest.mark.usefixtures("imported")
def test_what_a_dead_process_was_at_is_done_by_another(tmp_path: Path) -> None:
    deadly = tmp_path / "deadly"
    deadly.touch()
    found = search(None, climbed_far(partial(ProcessPoolExecutor, 2, get_context("spawn")), str(deadly)))
    assert not deadly.exists()
    assert same(found, search(None))


@pytest.mark.slow
@pytest.mark.usefixtures("imported")
def test_a_cluster_gives_the_same_bits_though_a_worker_is_killed(tmp_path: Path) -> None:
    """A search, a sweep and builds on two workers of dask, one of which is killed in the middle of a generation."""
    distributed = pytest.importorskip("distributed")
    deadly = tmp_path / "deadly"
    deadly.touch()
    model = taut.read_model(example("tbar"), ["scenario.duration=0.1"])
    axes = {"cables.c1.stiffness": "90:110:3"} if "c1" in model.structure.cables else {"scenario.duration": "0.1,0.2"}
    built = {"cut_length": 1e-3, "builds": 600, "seed": 3}
    tower = taut.read_model(example("tower")).structure
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        on_cluster(cluster.scheduler_address) as executor,
    ):
        found = search(None, climbed_far(executor, str(deadly)))
        assert not deadly.exists()
        study = taut.sweep(model, axes, executor=executor)
        far = tolerances(tower, **built, executor=executor)
    assert same(found, search(None))
    near = taut.sweep(model, axes)
    assert study.ok.all()
    assert np.array_equal(study.nodes, near.nodes)
    assert np.array_equal(far.tension, tolerances(tower, **built).tension)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://127.0.0.1:9"])
def test_a_scheduler_that_is_not_there_is_told_within_seconds(address: str) -> None:
    pytest.importorskip("distributed")
    begun = time.monotonic()
    with (
        pytest.raises(OptionError, match=f"--scheduler {address}: no scheduler of dask answers there within 5 s"),
        on_cluster(address),
    ):
        pass
    assert time.monotonic() - begun < ANSWERS_WITHIN + 5.0


def test_without_an_address_there_is_no_cluster() -> None:
    with on_cluster(None) as executor:
        assert executor is None
