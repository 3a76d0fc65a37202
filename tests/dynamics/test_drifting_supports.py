"""Supports that an acceleration leaves with a velocity are told, by closed forms; those that come to rest are not."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

import taut
from taut import CosineRamp, Doublet, Motion, SampledSignal, SignalSum, Sinusoid, SmoothStart, Structure
from taut.mechanics.imposed.support_drifts import drift_notes

EXAMPLES = Path(__file__).parents[2] / "examples"
WAVE, AMPLITUDE, RATE = Sinusoid(1.0, 2.0), 1.0, 4.0 * math.pi
DRIFT = AMPLITUDE / RATE
"""[m/s]: the integral of A sin(w t) is A / w (1 - cos(w t))."""


def sprung() -> Structure:
    """A mass between two supports, on springs along x."""
    springs = [taut.Cable(end, (end, "m"), stiffness=50.0, rest_length=1.0, law="spring") for end in ("left", "right")]
    nodes = {"left": (-1.0, 0.0, 0.0), "m": (0.0, 0.0, 0.0), "right": (1.0, 0.0, 0.0)}
    return Structure(nodes, [], springs, {"left": "xyz", "m": "yz", "right": "xyz"}, {"m": 1.0})


def noted(*motions: Motion, until: float = 5.0) -> tuple[str, ...]:
    return drift_notes(taut.assemble(sprung(), motions=list(motions)).points, until)


def along_x(acceleration: taut.Signal, velocity: float = 0.0, supports: str = "*") -> Motion:
    return Motion(supports, "x", acceleration=acceleration, velocity=velocity)


def let_in(over: float) -> float:
    """[m/s] that the wave leaves where it rises over whole periods from t = 0, by the trapezoidal rule."""
    s = np.linspace(0.0, 1.0, 100_001)
    return DRIFT + over * float(np.trapezoid((s**3 * (10 - 15 * s + 6 * s**2) - 1.0) * np.sin(RATE * over * s), s))


@pytest.mark.parametrize(
    ("motions", "drift"),
    [
        ([along_x(WAVE)], DRIFT),
        ([along_x(WAVE, DRIFT)], 2.0 * DRIFT),  # the remedy with the wrong sign
        ([along_x(Sinusoid(1.0, 2.0, math.pi))], -DRIFT),
        ([along_x(SignalSum((WAVE, Sinusoid(1.0, 3.0))))], DRIFT * (1.0 + 2.0 / 3.0)),
        ([along_x(SampledSignal((0.0, 1.0, 2.0), (0.0, 1.0, 0.0)))], 1.0),
        ([along_x(CosineRamp(1.0, 0.0, 0.0, 1.0))], 0.5),
        ([along_x(SmoothStart(WAVE, 0.0, 1.0))], let_in(1.0)),
        ([along_x(WAVE), along_x(WAVE)], 2.0 * DRIFT),
    ],
)
def test_what_an_acceleration_leaves_is_told_with_a_velocity_that_takes_it_away(
    motions: list[Motion], drift: float
) -> None:
    (note,) = noted(*motions)
    assert note.startswith("supports left, right walk away along x: at t = 5 s they are ")
    assert f"go on at {drift:.3g} m/s in the mean" in note
    (other,) = re.findall(r"give velocity: (\S+) beside", note)
    assert float(other) == pytest.approx(motions[0].velocity - drift, rel=1e-5)
    first = Motion("*", "x", acceleration=motions[0].acceleration, velocity=float(other))
    assert noted(first, *motions[1:]) == ()


@pytest.mark.parametrize(
    "motions",
    [
        [],
        [Motion("*", "x", displacement=WAVE)],
        [Motion("*", "x", displacement=CosineRamp(0.0, 1.0, 0.0, 1.0))],
        [along_x(Sinusoid(1.0, 2.0, math.pi / 2.0))],
        [along_x(WAVE, -DRIFT)],
        [along_x(Sinusoid(1.0, 2.0, math.pi / 2.0), 0.5)],  # asked for: a belt that shakes
        [along_x(WAVE), along_x(Sinusoid(1.0, 2.0, math.pi))],  # which add up to nothing
        [along_x(Doublet(1.0, 0.5))],
        [along_x(1.0)],  # an acceleration that goes on is meant to
        [along_x(SampledSignal((0.0, 1.0, 20.0), (0.0, 1.0, 0.0)))],  # so may one that has not ended
    ],
)
def test_what_comes_to_rest_stays_or_was_asked_for_is_not(motions: list[Motion]) -> None:
    assert noted(*motions) == ()


def test_the_earthquake_of_the_examples_comes_to_rest() -> None:
    model = taut.read_model(EXAMPLES / "tower_earthquake.yaml")
    plant = taut.assemble(model.structure, **model.scenario.physics)
    assert drift_notes(plant.points, model.scenario.duration) == ()


def test_a_run_says_it_once_of_its_end() -> None:
    shaken = [Motion("left", "x", acceleration=WAVE, name="quake"), Motion("right", "x", displacement=0.0)]
    plant = taut.assemble(sprung(), motions=shaken)
    run = taut.simulate(plant, 3.0, verify=False)
    way = run.nodes[-1, 0, 0] - run.nodes[0, 0, 0]
    assert way == pytest.approx(3.0 * DRIFT, abs=1e-9)
    (note,) = [one for one in run.notes if "walk away" in one]
    assert note.startswith(f'supports left of motion "quake" walk away along x: at t = 3 s they are {way:.3g} m')
    longer = taut.simulate(plant, 4.0, start=run, verify=False)
    (note,) = [one for one in longer.notes if "walk away" in one]
    assert "at t = 4 s" in note
