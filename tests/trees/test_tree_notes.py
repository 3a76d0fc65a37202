"""What runs of trees say of their constraints."""

from __future__ import annotations

from typing import Any

import pytest

import taut
from taut.trees import Body, LoopJoint, Tree, TreeJoint, tree_plant

Y = (0.0, 1.0, 0.0)


@pytest.mark.parametrize("flat", [False, True])
def test_a_planar_loop_is_doubted_only_where_it_branches(flat: bool) -> None:
    """A parallelogram on equal cranks passes 0.1 s after its start where it lies flat, or stays clear of it. A row is
    zero all along, and said nothing of either."""
    at, lengths = (-0.51 if flat else 0.4), (0.2, 0.6, 0.2)
    crank, coupler, rocker = (
        Body.box(name, (length, 0.02, 0.02), 900.0, centre=(0.5 * length, 0.0, 0.0))
        for name, length in zip(("crank", "coupler", "rocker"), lengths, strict=True)
    )
    about: Any = (Y,)
    joints = (
        TreeJoint("a", "revolute", "world", crank, axes=about, values=(at,), rates=(5.0,)),
        TreeJoint("b", "revolute", "crank", coupler, (0.2, 0.0, 0.0), axes=about, values=(-at,), rates=(-5.0,)),
        TreeJoint("c", "revolute", "world", rocker, (0.6, 0.0, 0.0), axes=about, values=(at,), rates=(5.0,)),
    )
    pin = LoopJoint("pin", "coupler", "rocker", at=(0.6, 0.0, 0.0), to=(0.2, 0.0, 0.0))
    plant = tree_plant(Tree(joints, (pin,), gravity=0.0))
    run = taut.simulate(plant, 0.2, every=0.1, method="rk4", step=1.3e-3, verify=False)
    assert any("1 constraint depends on others, among y of loop" in note for note in run.notes)
    doubts = [note for note in run.notes if "may branch" in note]
    assert [note.split(" nearly")[0] for note in doubts] == ['the constraints of x of loop "pin"'] * flat
    assert all("at t = 0.10" in note for note in doubts)
