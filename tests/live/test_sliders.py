"""How far the sliders of drives go in a live page."""

from __future__ import annotations

import pytest

import taut
from taut.live.content import live_content
from taut.live.plants import live_plant
from taut.output.page.embedding import Arrays


@pytest.mark.parametrize("told", [{"to": 0.15}, {"by": 0.0}], ids=["to", "by"])
def test_a_short_cable_is_wound_to_no_length_below_zero(told: dict[str, float]) -> None:
    nodes = {"foot": (0.0, 0.0, 0.0), "top": (0.0, 0.0, 2.0), "eye": (0.0, 0.0, 2.2), "left": (-2.0, 0.0, 0.0)}
    mast = taut.Structure(
        nodes,
        [taut.Bar("mast", ("foot", "top"), mass=2.0)],
        [
            taut.Cable("stay", ("left", "top"), stiffness=500.0, rest_length=2.7),
            taut.Cable("tip", ("top", "eye"), stiffness=500.0, rest_length=0.15),
        ],
    )
    mast = mast.supported("foot").supported("left").supported("eye")
    drive = taut.Drive("winch", "cable:tip", "rest_length", **told)
    plant = taut.assemble(mast, gravity=9.81, drives=[drive])
    (slider,) = live_content(live_plant(plant), Arrays())["inputs"]
    start = 0.0 if "to" in told else 0.15
    assert 0.0 < start + slider["least"] < start + slider["value"] < start + slider["most"]
    assert start + slider["least"] == pytest.approx(0.015)
