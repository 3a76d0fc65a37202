"""Measurements: shapes, gaps, names; what is wrong with them is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taut
from taut.measurement import Measurements


def test_what_was_not_measured_need_not_be_said() -> None:
    made = Measurements([0.0, 0.1], ("top",), np.zeros((2, 1, 3)))
    assert made.tension.shape == (2, 0)
    assert made.nodes.dtype == float
    with pytest.raises(ValueError, match="read-only"):
        made.nodes[0] = 1.0


def test_columns_are_those_of_a_run() -> None:
    nodes = np.arange(6.0).reshape(2, 1, 3)
    made = Measurements(
        np.array([0.0, 0.1]), ("top",), nodes, ("bar:b", "cable:c"), np.array([[-1.0, 2.0], [-3.0, 4.0]])
    )
    assert list(made.columns()) == ["time", "node:top.x", "node:top.y", "node:top.z", "cable:c.tension", "bar:b.force"]
    assert made.columns()["bar:b.force"].tolist() == [-1.0, -3.0]


def test_it_says_how_much_there_is() -> None:
    made = Measurements([0.5], ("top",), [[[0.0, np.nan, 1.0]]], ("cable:c",), [[5.0]])
    assert repr(made) == "<Measurements: 1 node, 1 member, 1 row, at rest, 1 numbers missing>"


def test_names_are_found_in_a_structure() -> None:
    prism = taut.generators.prism(3)
    nodes, members = list(prism.nodes), [*prism.cables, *prism.bars]
    made = Measurements([0.0], (nodes[4], nodes[1]), np.zeros((1, 2, 3)), (f"bar:{members[-1]}",), [[0.0]])
    assert made.node_places(prism).tolist() == [4, 1]
    assert made.member_places(prism).tolist() == [len(members) - 1]
    lost = Measurements([0.0], ("topp1",), np.zeros((1, 1, 3)), ("cable:nothing",), [[0.0]])
    with pytest.raises(
        taut.SelectionError, match='measured is node "topp1", which the structure has not; did you mean "top1"'
    ):
        lost.node_places(prism)
    with pytest.raises(taut.SelectionError, match='measured is member "cable:nothing", which the structure has not'):
        lost.member_places(prism)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"time": []}, "measurements.time: has no entry; a structure at rest has one"),
        ({"time": [0.0, np.nan]}, "measurements.time: row 1 has none"),
        ({"time": [0.0, 0.2, 0.1]}, "measurements.time: does not rise: 0.1 s comes after 0.2 s, in row 2"),
        ({"time": [0.0], "node_names": ("a",)}, "nodes: has 0 x 0 x 3 numbers, wanted are 1 x 1 x 3"),
        ({"time": [0.0], "node_names": ("a", "a"), "nodes": np.zeros((1, 2, 3))}, '"a" is there more than once'),
        ({"time": [0.0], "member_names": ("c",), "tension": [[1.0]]}, '"c" is neither "cable:..." nor "bar:..."'),
        ({"time": [0.0], "member_names": ("bar:c",), "tension": [[np.inf]]}, "tension: has infinite numbers"),
    ],
)
def test_what_is_wrong_is_told(given: dict[str, Any], message: str) -> None:
    with pytest.raises(taut.ModelError, match=message):
        Measurements(**given)
