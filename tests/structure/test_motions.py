"""What is wrong with a motion of supports: one sentence each."""

from __future__ import annotations

import math

import pytest

import taut
from taut import Doublet, ModelError, Motion, SampledSignal, Sinusoid, assemble

TOWER = taut.generators.tower(2, class_=2).supported("bottom*")


def function(t: float) -> float:
    return t


@pytest.mark.parametrize(
    ("motion", "said"),
    [
        (Motion("bottm1", "x", 0.1), r'motions\[0\].supports: "bottm1" selects no node; did you mean "bottom1"'),
        (
            Motion("top1", "x", 0.1),
            r'supports: node "top1" cannot be moved along x: no support holds it there',
        ),
        (Motion("node:*1", "x", 0.1), r'node "ring1.1" and 1 more cannot be moved along x'),
        (Motion("*", "up", 0.1), r'motions\[0\].axis: "up" is not an axis; say x, y or z'),
        (Motion("*", "x"), r"motions\[0\]: has neither a displacement \[m\] nor an acceleration"),
        (Motion("*", "x", 0.1, 0.1), r"has both a displacement \[m\] and an acceleration \[m/s\^2\]; a motion is one"),
        (Motion("*", "x", 0.1, velocity=1.0), r"velocity: 1 m/s goes with an acceleration"),
        (Motion("*", "x", None, 0.1, math.inf), r"velocity: inf is not a finite number"),
        (Motion("*", "x", math.nan), r"motions\[0\].displacement: nan is not a finite number"),
        (Motion("*", "x", Sinusoid(1.0, math.nan)), r"displacement: Sinusoid\(.*: nan is not a finite number"),
        (Motion("*", "x", Doublet(1.0, 1.0)), r"displacement: a doublet jumps, and no support can"),
        (Motion("*", "x", None, Doublet(1.0, 0.0)), r"acceleration.doublet.width: 0 s must be more than zero"),
        (Motion("*", "x", function), r"displacement: is a Python function, .* give a SampledSignal of its values"),
        (Motion("*", "x", None, SampledSignal((0.0,), (1.0,))), r"table.times: needs two times or more, not 1"),
        (Motion("*", "x", SampledSignal((), ())), r"table.times: needs one time or more, not 0"),
        (Motion("*", "x", None, SampledSignal((0.0, 1.0), (1.0,))), r"table.values: has 1 numbers for 2 times"),
        (
            Motion("*", "x", None, SampledSignal((0.0, 0.0), (1.0, 2.0))),
            r"times\[1\]: 0.0 s comes after 0.0 s; times",
        ),
        (
            Motion("*", "x", None, SampledSignal((0.0, 1.0), (1.0, math.nan))),
            r"table.values\[1\]: nan is not a finite number",
        ),
        (
            Motion("*", "x", None, SampledSignal((0.0, 1.0), (1.0, 2.0), (0.0, 0.0))),
            r"slopes: a record of accelerations is",
        ),
        (
            Motion("*", "x", SampledSignal((0.0, 1.0), (0.0, 2.0), (0.0, 1.0))),
            r"slopes: 1 m/s at 1 s, but .* still after that",
        ),
        (
            Motion("*", "x", SampledSignal((0.5, 1.0), (0.0, 2.0), (1.0, 0.0))),
            r"slopes: 1 m/s at 0.5 s, .* still before that",
        ),
    ],
    ids=lambda value: "" if isinstance(value, Motion) else value[:40],
)
def test_each_mistake_has_its_sentence(motion: Motion, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        assemble(TOWER, motions=[motion])


def test_nothing_to_move() -> None:
    with pytest.raises(ModelError, match="no support holds x, so there is nothing to move along it"):
        assemble(taut.generators.icosahedron(), motions=[Motion("*", "x", 0.1)])
