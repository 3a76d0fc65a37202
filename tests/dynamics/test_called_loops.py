"""One loop for all plants: what it calls by address has the types it is called with, and gives the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taut import assemble
from taut.dynamics import loops, time_loop
from taut.dynamics.correction import Correction
from taut.dynamics.operations import ASKED, LINKED, addresses_for, asked_by, compiled
from taut.dynamics.settings import Settings, prepared
from taut.generators import icosahedron, tbar
from taut.numerics.called import addresses_of, signature_of
from taut.numerics.compiled import entry


def test_every_operation_says_the_types_that_it_is_called_with() -> None:
    assert not set(LINKED) & set(ASKED)
    assert {"rate", "project", "impose", "switch", "strike", "press", "newton_residual"} <= set(ASKED)
    assert len(signature_of(ASKED["error_size"]).args) == 6
    assert str(signature_of(ASKED["crossing"]).return_type) == "Tuple(int64, float64, float64)"
    assert signature_of(ASKED["switch"]).args[-2].ndim == 2, "the log has rows"
    for function in ASKED.values():
        signature_of(function)


def test_a_kernel_that_returns_something_else_is_refused() -> None:
    @entry
    def rate(p: Any, t: float, y: np.ndarray, out: np.ndarray) -> float:
        return t

    with pytest.raises(TypeError, match="rate returns float64, not none as annotated"):
        addresses_of([(0, ASKED["rate"], rate)], 1)


@pytest.mark.slow
def test_plants_of_other_kinds_share_one_loop() -> None:
    words, addresses = zip(*(loops.words_for(assemble(made)) for made in (tbar(), icosahedron(0.6))), strict=True)
    assert words[0]["time_loop"] is words[1]["time_loop"]
    assert words[0]["rate"] is not words[1]["rate"]
    asked = np.array([name in {"rate", "impose", "energy", "residuals"} for name in ASKED])
    assert (addresses[0][asked] != 0).all()
    assert (addresses[0] != addresses[1])[list(ASKED).index("keep_momentum")], "nothing holds the second as a whole"
    assert addresses[0][list(ASKED).index("strike")] == 0, "nothing that a loop does not ask for is compiled"


def test_what_a_plant_lacks_does_nothing() -> None:
    asked = asked_by(time_loop.algorithm("explicit", dense=False, watches=False), strikes=False)
    plant = assemble(tbar())
    assert "impose" not in plant.operations()
    assert addresses_for(asked, plant.operations())[asked["impose"]] != 0
    assert not {"note_contacts", "strike"} & set(asked)


@pytest.mark.slow
def test_a_loop_that_calls_has_the_bits_of_one_that_holds_its_operations() -> None:
    plant = assemble(tbar())
    run, start, _ = prepared(Settings(plant, "dp5", 1e-10, None, Correction("energy"), False, False))
    algorithm = time_loop.algorithm("explicit", dense=False, watches=False)
    whole = compiled(algorithm, plant.operations(), ("time_loop",), time_loop.SHARED)["time_loop"]
    times, states = np.linspace(0.0, 1.0, 11), np.zeros((2, 11, start.y.size))
    for k, (loop, tables) in enumerate(((run.words["time_loop"], run.handed), (whole, run.tables))):
        point = start.copied()
        given = (run.method.numbers, run.rules, plant.breaks, point.clock, point.counts, point.y)
        assert loop(tables, *given, times, states[k], run.space, 100_000) == time_loop.FINISHED
    assert np.array_equal(states[0], states[1])
    assert np.ptp(states[0], axis=0).max() > 0.01
