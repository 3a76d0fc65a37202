"""A run goes on only as what it was: the same structure in the same order, the same physics, samples of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from taut import Drive, Load, OptionError, Sinusoid, assemble, simulate
from taut.generators import tbar


def test_another_grid_gives_right_samples_or_none() -> None:
    plant = assemble(tbar())
    first = simulate(plant, 1.0, every=0.5, tolerance=1e-10)
    run = simulate(plant, 2.0, every=0.3, tolerance=1e-10, start=first)
    exact = simulate(plant, 2.0, every=0.1, tolerance=1e-10)
    for t, places in zip(run.time, run.nodes, strict=True):
        at = round(t / 0.1)
        assert np.abs(places - exact.nodes[at]).max() < 1e-9, t
    assert run.time[-1] == 2.0


def test_the_same_nodes_in_another_order_are_another_structure() -> None:
    first = simulate(assemble(tbar()), 0.1)
    turned = replace(tbar(), nodes=dict(reversed(tbar().nodes.items())))
    with pytest.raises(OptionError, match="is of another structure"):
        simulate(assemble(turned), 0.2, start=first)


@pytest.mark.parametrize(
    "physics", [{"gravity": 2e-4}, {"loads": [Load("n3", "x", Sinusoid(1.0, 1.0))]}], ids=["gravity", "loads"]
)
def test_other_physics_are_refused(physics: dict) -> None:
    first = simulate(assemble(tbar()), 0.1)
    with pytest.raises(OptionError, match="other loads, motions, drives, ground, elements, gravity or damping"):
        simulate(assemble(tbar(), **physics), 0.2, start=first)


@pytest.mark.parametrize("limit", ["speed_limit", "force_limit"])
def test_limits_of_drives_are_told_once_and_of_the_whole_run(limit: str) -> None:
    winch = Drive("winch", "cable:c1", "rest_length", by=Sinusoid(1e-3, 1.0), **{limit: 1e-3})
    plant = assemble(tbar(), drives=[winch])
    whole = simulate(plant, 0.4, every=0.1, verify=False)
    parts = simulate(plant, 0.2, every=0.1, verify=False)
    parts = simulate(plant, 0.4, every=0.1, verify=False, start=parts)
    assert len(whole.notes) == 1
    assert parts.notes == whole.notes
