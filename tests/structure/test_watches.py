"""Things to look out for, made by kind: each is the one that a file describes."""

from __future__ import annotations

import pytest

import taut
from taut import Bar, ModelError, Structure, Watch


@pytest.mark.parametrize(
    ("made", "plain"),
    [
        (Watch.at_plane("low", "n3", "z", 0.1), Watch("low", node="n3", axis="z", level=0.1)),
        (
            Watch.at_plane("wall", "n3", (1.0, 0.0, 1.0), 2.0, sense="rising", then="stop"),
            Watch("wall", node="n3", normal=(1.0, 0.0, 1.0), level=2.0, sense="rising", then="stop"),
        ),
        (Watch.at_distance("near", ("n3", "n4"), 0.5), Watch("near", nodes=("n3", "n4"), length=0.5)),
        (Watch.at_tension("snap", "c1", 60.0, then="cut"), Watch("snap", cable="c1", tension=60.0, then="cut")),
        (
            Watch.at_time("late", 0.5, then="cut", cut="cable:c1"),
            Watch("late", time=0.5, then="cut", cut=("cable:c1",)),
        ),
        (
            Watch.at_time("late", 0.5, then="cut", cut=["cable:c1", "bar:b1"]),
            Watch("late", time=0.5, then="cut", cut=("cable:c1", "bar:b1")),
        ),
    ],
)
def test_one_of_each_kind(made: Watch, plain: Watch) -> None:
    assert made == plain
    taut.assemble(taut.generators.tbar(), events=[made])


def test_a_rigid_cylinder_is_not_cut() -> None:
    """Its mass matrix has thickness right while its length stays: cut, its ends would part as those of no body do."""
    nodes = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0), "c": (2.0, 0.0, 0.0)}
    bars = [
        Bar("thick", ("a", "b"), mass=1.0, radius=0.3, stiffness=1e3, inertia="cylinder"),
        Bar("thin", ("b", "c"), mass=1.0),
    ]
    structure, watch = Structure(nodes, bars), Watch.at_time("snap", 0.1, then="cut", cut="bar:*")
    with pytest.raises(ModelError, match='events.snap.cut: bar "thick" is a rigid cylinder, .* say law') as told:
        taut.assemble(structure, events=[watch])
    assert len(told.value.problems) == 1
    taut.assemble(structure, events=[watch], bars={"bar:thick": "compressible"})
    taut.assemble(structure.changed("bar:thick", inertia="thin"), events=[watch])


def test_what_is_wrong_with_one_is_said_by_assemble() -> None:
    with pytest.raises(ModelError, match='events.low.axis: "up" is not an axis; say x, y or z'):
        taut.assemble(taut.generators.tbar(), events=[Watch.at_plane("low", "n3", "up", 0.1)])
