"""Rest lengths that jump under joints: their work is in the books, and cables slacken and tighten with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_joints import moved

from taut import Bar, Cable, Drive, StepSignal, Structure, assemble
from taut.mechanisms import Joint, in_coordinates


def crane(wound: tuple[float, float]) -> Any:
    """A bar on a pivot, and a cable from its end up to a wall, whose rest length jumps after 0.1 s."""
    structure = Structure(
        {"o": (0.0, 0.0, 0.0), "a": (1.0, 0.0, 0.0), "wall": (1.0, 0.0, 1.0)},
        [Bar("oa", ("o", "a"), mass=1.0)],
        [Cable("c", ("a", "wall"), stiffness=100.0, rest_length=wound[0])],
        {"o": "xyz", "wall": "xyz"},
        {"a": 0.5},
    )
    return assemble(structure, drives=[Drive("winch", "cable:c", "rest_length", to=StepSignal((0.0, 0.1), wound))])


@pytest.mark.parametrize("wound", [(1.2, 0.6), (0.6, 1.4)])
def test_a_jump_works_and_a_cable_changes_with_it(wound: tuple[float, float]) -> None:
    """From slack to taut the jump stores 100 N/m (0.4 m)^2 / 2; from taut to slack it gives back what there is."""
    nodes = crane(wound)
    joints = in_coordinates(nodes, [Joint.revolute("pivot", "o", (0.0, 1.0, 0.0), ("a",))])
    wanted, found = (moved(plant, 0.4) for plant in (nodes, joints))
    assert np.abs(wanted.nodes - found.nodes).max() < 1e-9
    assert np.abs(found.energy_violation).max() < 1e-9
    assert (found.events[0].time, found.events[0].change) == (0.1, "taut" if wound[1] < 1.0 else "slack")
    if wound[1] < 1.0:
        assert found.work[-1] == pytest.approx(0.5 * 100.0 * 0.4**2)
