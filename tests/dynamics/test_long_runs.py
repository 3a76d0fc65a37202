"""Two hundred seconds of the T-bar, against Gauss collocation in its two angles."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.papers.stedy import minimal


def reference(duration: float, every: float, rest_ratio: float) -> tuple[np.ndarray, float]:
    places, doubt = minimal.reference(duration, every, (rest_ratio,))
    return places[0], doubt


def free_places(run: taut.Trajectory) -> np.ndarray:
    return run.nodes[:, 2:4][:, :, [0, 2]].reshape(-1, 4)


@pytest.mark.parametrize(
    ("method", "options"), [("dp8", {"tolerance": 1e-13}), ("rattle8", {"step": 0.02})], ids=["dp8", "rattle8"]
)
def test_ten_seconds_to_round_off(method: str, options: dict[str, float]) -> None:
    truth, doubt = reference(10.0, 0.1, 0.9)
    run = taut.simulate(taut.assemble(taut.generators.tbar()), 10.0, every=0.1, method=method, **options)
    assert doubt < 1e-14
    assert np.abs(free_places(run) - truth).max() <= 2e-13


@pytest.mark.slow
@pytest.mark.parametrize(("rest_ratio", "allowed"), [(0.9, 2e-12), (0.5, 1e-11)])
def test_rattle_stays_exact_for_two_hundred_seconds(rest_ratio: float, allowed: float) -> None:
    truth, doubt = reference(200.0, 0.1, rest_ratio)
    run = taut.simulate(
        taut.assemble(taut.generators.tbar(rest_ratio=rest_ratio)), 200.0, every=0.1, method="rattle8", step=0.02
    )
    assert doubt < allowed / 5.0
    assert np.abs(free_places(run) - truth).max() <= allowed
    assert run.length_violation.max() / 5.0 <= 2e-15
    assert np.abs(run.energy_violation).max() < 1e-10


# Errors [m] of papers/1-stedy's own table: none, constraints, constraints and energy.
TABLE = {
    (0.5, 1e-6): (1.3e-1, 2.5e-3, 7.7e-5),
    (0.5, 1e-10): (1.2e-6, 5.5e-7, 1.9e-9),
    (0.9, 1e-6): (1.3e-2, 7.4e-5, 4.5e-5),
    (0.9, 1e-10): (2.3e-7, 6.2e-9, 1.4e-9),
}


@pytest.mark.slow
@pytest.mark.parametrize(("rest_ratio", "tolerance"), list(TABLE))
def test_the_corrections_earn_what_the_paper_says(rest_ratio: float, tolerance: float) -> None:
    truth, _ = reference(200.0, 0.1, rest_ratio)
    plant = taut.assemble(taut.generators.tbar(rest_ratio=rest_ratio))
    errors = []
    for correction, published in zip(("none", "constraints", "energy"), TABLE[rest_ratio, tolerance], strict=True):
        run = taut.simulate(plant, 200.0, every=0.1, tolerance=tolerance, correction=correction)
        errors.append(float(np.abs(free_places(run) - truth).max()))
        assert errors[-1] < 10.0 * published, correction
    assert errors[2] < errors[1] < errors[0]


def test_rattle_orders() -> None:
    truth, _ = reference(10.0, 0.1, 0.9)
    plant = taut.assemble(taut.generators.tbar())
    for name, step in (("rattle2", 0.01), ("rattle4", 0.02), ("rattle6", 0.05), ("rattle8", 0.1)):
        errors = [
            np.abs(free_places(taut.simulate(plant, 10.0, every=0.1, method=name, step=h)) - truth).max()
            for h in (step, step / 2.0)
        ]
        assert np.log2(errors[0] / errors[1]) == pytest.approx(int(name[-1]), abs=0.4), name


def test_rattle_follows_a_load_and_its_work() -> None:
    plant = taut.assemble(taut.generators.tbar(), loads=[taut.Load("n3", "z", taut.Sinusoid(20.0, 0.5))])
    truth = taut.simulate(plant, 4.0, tolerance=1e-13, method="dp8")
    run = taut.simulate(plant, 4.0, method="rattle8", step=0.02)
    assert np.abs(run.nodes - truth.nodes).max() < 1e-11
    assert np.abs(run.work - truth.work).max() < 1e-10


def test_rattle_refuses_damping_by_name() -> None:
    plant = taut.assemble(taut.generators.tbar().changed("cable:c3", damping=1.0))
    with pytest.raises(taut.OptionError, match='"rattle4" is for motion without damping, but cable "c3" damps'):
        taut.simulate(plant, 1.0, method="rattle4", step=0.01)


def test_rattle_continues_bit_for_bit() -> None:
    plant = taut.assemble(taut.generators.tbar())
    options = {"every": 0.03, "method": "rattle4", "step": 0.02}
    half = taut.simulate(plant, 1.5, **options)
    whole = taut.simulate(plant, 3.0, start=half, **options)
    once = taut.simulate(plant, 3.0, **options)
    assert np.array_equal(whole.nodes, once.nodes)
    assert np.array_equal(whole.velocities, once.velocities)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dp5", "dp8"])
def test_dense_samples_are_nearly_as_good_as_steps(method: str) -> None:
    plant = taut.assemble(taut.generators.tbar())
    truth, _ = reference(10.0, 0.1, 0.9)
    runs = {
        samples: taut.simulate(plant, 10.0, every=0.1, method=method, tolerance=1e-10, samples=samples)
        for samples in ("steps", "dense")
    }
    errors = {name: np.abs(free_places(run) - truth).max() for name, run in runs.items()}
    assert errors["dense"] < 5.0 * errors["steps"] + 1e-12
    assert runs["dense"].length_violation.max() < 1e-13
    assert runs["dense"].counts["steps"] == runs["steps"].counts["steps"]
    assert not np.array_equal(runs["dense"].nodes, runs["steps"].nodes)


def test_the_history_tells_every_step() -> None:
    run = taut.simulate(taut.assemble(taut.generators.tbar()), 5.0, tolerance=1e-7, history=True)
    accepted = run.history[run.history[:, 3] == 1.0]
    assert len(accepted) == run.counts["steps"]
    assert len(run.history) - len(accepted) == run.counts["rejected"] > 0
    assert np.all(accepted[:, 2] <= 1.0)
    assert np.all(run.history[run.history[:, 3] == 0.0, 2] > 1.0)
    assert np.allclose(accepted[1:, 0], accepted[:-1, 0] + accepted[:-1, 1], rtol=0, atol=1e-12)
