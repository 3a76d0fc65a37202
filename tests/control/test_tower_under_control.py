"""LQR on winches holds up a tower that falls without it, at 100 Hz, held and a sample late, with the poles designed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import hold_up_a_tower as example
import numpy as np
import pytest
from poles_of_motions import nearest, poles_of

import taut
from taut import OptionError, assemble, simulate
from taut.control import LinearLaw, Regulator, closed_loop, lqr, sampled

SPEED = 1e-3  # [m/s], of the push: small, so that the motion is nearly linear
PUSH = {"top1": (SPEED, 2.0 * SPEED, 0.0), "top2": (0.5 * SPEED, -SPEED, 0.0), "top3": (0.0, SPEED, 0.0)}


class Tower(NamedTuple):
    setup: dict[str, Any]
    plant: taut.Plant
    regulator: Regulator


@cache
def tower() -> Tower:
    setup = {"structure": example.on_soft_stays(), "gravity": 9.81, "drives": example.winches()}
    plant = assemble(**setup)
    return Tower(setup, plant, example.design(plant))


def moved(controllers: list[taut.Controller], duration: float, tolerance: float = 1e-11) -> taut.Trajectory:
    plant = assemble(**tower().setup, velocities=PUSH, controllers=controllers)
    return simulate(plant, duration, every=0.01, tolerance=tolerance, verify=False)


def away(run: taut.Trajectory) -> np.ndarray:
    """(n, coordinates) from the balance [m]."""
    return run.nodes.reshape(len(run.time), -1) - tower().setup["structure"].positions.ravel()


def seen_poles(run: taut.Trajectory) -> np.ndarray:
    return poles_of(away(run)[50:], period=0.01, order=14, delays=60)


@pytest.mark.slow
def test_it_stands_in_balance_and_falls_by_itself() -> None:
    model = tower().regulator.model.continuous
    assert model is not None
    assert model.notes == ()
    growing = model.poles[model.poles.real > 0.0]
    assert growing.size == 2, "to either side"
    winches = tuple(drive.name for drive in tower().setup["drives"])
    idle = taut.Controller("idle", ("node:top1.x",), winches, LinearLaw(np.zeros((len(winches), 1))), rate=100.0)
    run = moved([idle], 3.0)
    assert np.ptp(run.drive_value, axis=0).max() == 0.0
    middle = np.mean([run.node(f"top{k}") for k in (1, 2, 3)], axis=0)[:, :2]
    tilt = np.linalg.norm(middle - middle[0], axis=1)
    assert np.log(tilt[150] / tilt[120]) / 0.3 == pytest.approx(growing[0].real, rel=0.02)
    assert tilt[-1] > 100.0 * tilt[50]


@pytest.mark.slow
def test_it_is_held_and_its_slowest_poles_are_those_of_the_sampled_model() -> None:
    regulator = tower().regulator
    model = regulator.model
    assert (model.period, model.hold, model.delay) == (0.01, "zero", 0.01)
    hold = regulator.controller("hold", tower().plant)
    assert (hold.rate, hold.hold, hold.delay) == (100.0, "zero", 0.01)
    run = moved([hold], 6.0)
    assert np.abs(away(run)[-1]).max() < 3e-3 * np.abs(away(run)).max()
    wanted = model.speeds(regulator.poles)
    wanted = wanted[np.abs(wanted) < 50.0]
    assert wanted.size == 8, "tilts, twice as they are two ways, the twist, and a bending"
    seen = seen_poles(run)
    for pole in wanted:
        assert nearest(seen, pole) < 1e-3, (pole, seen)
    slowest = wanted[np.argmax(wanted.real)]
    assert nearest(seen, slowest) < 1e-4
    loop = closed_loop(model, regulator.compensator())
    for pole in wanted:
        assert nearest(loop.equivalent_poles, pole) < 1e-7


@pytest.mark.slow
def test_a_design_that_ignores_the_delay_has_other_poles_and_the_run_shows_them() -> None:
    model = tower().regulator.model
    prompt = lqr(sampled(model.continuous, 100.0), state_cost=100.0, input_cost=1e3)
    compensator = prompt.compensator()
    claimed, real = closed_loop(prompt.model, compensator), closed_loop(model, compensator)
    late = replace(compensator.controller("late", tower().plant), delay=0.01)
    seen = seen_poles(moved([late], 6.0))
    slow = [pole for pole in real.equivalent_poles if abs(pole) < 10.0]
    assert len(slow) == 6
    for pole in slow:
        assert nearest(seen, pole) < 1e-3
        assert nearest(claimed.equivalent_poles, pole) > 5e-3
    with pytest.raises(OptionError, match="the law was designed for a delay of 0 s, and 0.01 would be another loop"):
        compensator.controller("late", tower().plant, delay=0.01)


@pytest.mark.slow
def test_a_firm_design_that_ignores_the_delay_shakes_the_tower() -> None:
    model = tower().regulator.model
    compensator = lqr(sampled(model.continuous, 100.0), state_cost=3e4, input_cost=1e3).compensator()
    loop = closed_loop(model, compensator)
    worst = loop.equivalent_poles[np.argmax(loop.equivalent_poles.real)]
    assert worst.real > 1.0
    late = replace(compensator.controller("late", tower().plant), delay=0.01)
    seen = np.abs(away(moved([late], 2.0, 1e-8))).max(axis=1)
    assert seen[150:].max() > 3.0 * seen[50:100].max()
    firm = lqr(model, state_cost=3e4, input_cost=1e3).controller("firm", tower().plant)
    assert np.abs(away(moved([firm], 6.0, 1e-8))[-1]).max() < 1e-5, "one that knows of it holds as firmly"
