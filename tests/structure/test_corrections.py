"""Corrections as they are told, in Python and in model files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from taut.errors import ModelError, OptionError
from taut.structure.corrections import Correction, of_kind, simplest
from taut.structure.files import parse_model
from taut.structure.scenario import Scenario

SQUARE = Path(__file__).with_name("square.yaml").read_text()
NUMBERS = "tolerance: 1e-13, energy_tolerance: 1e-11, iterations: 5, metric: euclidean, time: 0.1, gains: [3, 4]"
FULL = f"{{kind: energy, {NUMBERS}}}"


def correction(told: str, *overrides: str) -> Correction | str | None:
    return parse_model(SQUARE.replace("gravity: 9.81", told), overrides=overrides).scenario.correction


def test_a_file_says_what_python_says() -> None:
    assert correction(f"correction: {FULL}") == Correction("energy", 1e-13, 1e-11, 5, "euclidean", 0.1, (3.0, 4.0))
    told = "correction: {kind: filter, order: as-printed, threshold: 1e-9}"
    assert correction(told) == Correction("filter", order="as-printed", threshold=1e-9)
    assert correction("correction: {tolerance: 1e-13}") == Correction(tolerance=1e-13)
    assert correction("correction: energy") == correction("correction: {kind: energy}") == "energy"
    assert correction("correction: {}") is correction("correction:") is None


def test_single_numbers_are_set_whatever_the_file_says() -> None:
    three = "scenario.correction.iterations=3"
    assert correction("correction: constraints", three) == Correction("constraints", iterations=3)
    assert correction("every: 0.1", three) == Correction(iterations=3)
    told = correction(f"correction: {FULL}", three, "scenario.correction.gains[1]=7", "scenario.correction.time=")
    assert told == Correction("energy", 1e-13, 1e-11, 3, "euclidean", None, (3.0, 7.0))
    assert correction(f"correction: {FULL}", "scenario.correction=none") == "none"
    with pytest.raises(
        ModelError, match='unknown key "iteratons" under scenario.correction; did you mean "iterations"'
    ):
        correction("every: 0.1", "scenario.correction.iteratons=3")
    with pytest.raises(
        ModelError, match=r"iterations: 0 must be a whole .*\(from --set scenario.correction.iterations=0\)"
    ):
        correction("every: 0.1", "scenario.correction.iterations=0")


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (
            {"kind": "enrgy"},
            'correction "enrgy" is not one of none, .*, baumgarte, filter, least-norm; did you mean "energy"',
        ),
        ({"metric": "euclid"}, 'correction metric "euclid" is not one of mass, euclidean; did you mean "euclidean"'),
        ({"order": "printed"}, 'correction order "printed" is not one of positions-first, rates-first, as-printed'),
        ({"threshold": 0.0}, "correction threshold 0.0 must be a finite number more than zero"),
        ({"iterations": 0}, "correction iterations 0 must be a whole number, one or more"),
        ({"iterations": 2.5}, "correction iterations 2.5 must be a whole number"),
        ({"tolerance": -1.0}, "correction tolerance -1.0 must be a finite number more than zero"),
        ({"energy_tolerance": math.nan}, "correction energy_tolerance nan must be a finite number"),
        ({"time": 0.0}, "correction time 0.0 must be a finite number more than zero"),
        ({"time": "soon"}, "correction time soon must be a finite number"),
        ({"gains": (1.0, -2.0)}, r"correction gains \[1.0, -2.0\] must be two finite numbers, zero or more"),
        ({"gains": (1.0,)}, r"correction gains \[1.0\] must be two"),
    ],
)
def test_what_makes_no_sense_is_refused(told: dict, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        Correction(**told)


def test_numbers_of_numpy_are_numbers() -> None:
    assert Correction(tolerance=np.float64(1e-12), iterations=np.int64(3)) == Correction(tolerance=1e-12, iterations=3)


def test_the_simplest_way_to_say_it() -> None:
    assert simplest(Correction("none")) == "none"
    assert simplest(Correction()) is None
    assert simplest(Correction("none", iterations=3)) == Correction("none", iterations=3)
    assert Scenario(correction=Correction("energy")) == Scenario(correction="energy")
    assert of_kind("none", Correction("energy", iterations=3)) == Correction("none", iterations=3)
    assert of_kind("none", "energy") == of_kind("none", None) == "none"
