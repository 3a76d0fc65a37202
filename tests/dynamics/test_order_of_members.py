"""Bars and cables of every law, in any order: rows of tables follow names, so that the motion does not."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from taut import Bar, Cable, CosineRamp, Drive, Structure, Watch, assemble, simulate

NODES = {
    "g1": (-1.0, 0.0, 0.0),
    "g2": (1.0, 0.0, 0.0),
    "g3": (0.0, 1.2, 0.0),
    "a": (-0.5, 0.1, 0.8),
    "b": (0.4, -0.1, 1.0),
    "c": (0.1, 0.5, 1.5),
    "d": (0.2, 0.9, 0.7),
    "e": (-0.3, -0.8, 0.6),
    "f": (0.5, -0.9, 0.9),
    "h": (-0.8, 0.7, 0.9),
    "i": (-0.2, 0.9, 1.3),
}
BARS = [
    Bar("push", ("a", "b"), mass=1.0, law="pneumatic", force=25.0),
    Bar("still", ("c", "d"), mass=1.5),
    Bar("slide", ("e", "f"), mass=1.2),
    Bar("soft", ("h", "i"), mass=0.9, law="compressible", stiffness=900.0),
]
CABLES = [
    Cable("over", ("g1", "a", "c", "b", "g2"), stiffness=300.0, rest_length=3.0),
    Cable("stay", ("g3", "d"), stiffness=250.0, rest_length=0.6),
    Cable("tug", ("g1", "e", "f", "g2"), mode="tension", command=9.0),
    Cable("hang", ("c", "e"), stiffness=200.0, rest_length=1.3),
    Cable("net", ("h", "i", "c"), stiffness=220.0, rest_length=0.9),
    Cable("tie", ("g1", "h"), stiffness=260.0, rest_length=0.9),
    Cable("link", ("i", "g3", "f"), stiffness=150.0, rest_length=3.0),
]
SLIDES = (Drive("screw", "bar:slide", "length", by=CosineRamp(0.0, 0.1, 0.0, 0.1)),)
CUTS = (Watch.at_time("snap", 0.05, then="cut", cut=["bar:still", "cable:stay", "bar:push"]),)


def run_of(bars: list[Bar], cables: list[Cable], solver: str = "direct", *, driven: bool = True, cut: bool = False):
    structure = Structure(NODES, bars, cables, dict.fromkeys(("g1", "g2", "g3"), "xyz"))
    plant = assemble(
        structure, gravity=9.81, drives=SLIDES if driven else (), events=CUTS if cut else (), solver=solver
    )
    return simulate(plant, 0.1, every=0.02, tolerance=1e-11, verify=False)


@pytest.mark.slow
@pytest.mark.parametrize("driven", [True, False], ids=["driven", "still"])
def test_the_order_of_members_does_not_matter(driven: bool) -> None:
    """With and without a driven bar; no bars meet, and the system is that of pairs."""
    wanted = run_of(BARS, CABLES, driven=driven)
    assert wanted.finished
    for order in list(permutations(range(4)))[::5]:
        bars = [BARS[k] for k in order]
        run = run_of(bars, CABLES[::-1], driven=driven)
        assert np.abs(run.nodes - wanted.nodes).max() < 1e-9
        assert run.bar_force == pytest.approx(wanted.bar_force[:, order], abs=1e-5)
        assert run.cable_tension == pytest.approx(wanted.cable_tension[:, ::-1], abs=1e-5)


@pytest.mark.slow
def test_both_solvers_move_it_alike() -> None:
    meeting = [*BARS, Bar("joins", ("d", "e"), mass=0.4)]
    wanted = run_of(meeting, CABLES)
    run = run_of(meeting, CABLES, "iterative")
    assert np.abs(run.nodes - wanted.nodes).max() < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("driven", [True, False], ids=["driven", "still"])
def test_cuts_mean_the_bars_of_their_names(driven: bool) -> None:
    wanted = run_of(BARS, CABLES, driven=driven, cut=True)
    run = run_of([BARS[k] for k in (2, 3, 1, 0)], CABLES[::-1], driven=driven, cut=True)
    assert np.abs(run.nodes - wanted.nodes).max() < 1e-9
    assert np.all(wanted.bar_force[-1, [0, 1]] == 0.0)
    assert wanted.bar_force[-1, 2] != 0.0
