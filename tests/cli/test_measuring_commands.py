"""`taut compare`, `taut tolerances`: the same numbers as in Python, tables, CSV, figures, and what goes wrong."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import taut as library
from taut.measurement import Measurements, tolerances

MAST = """\
taut: 1
name: mast
nodes: {foot: [0, 0, 0], a: [1, 0, 0], b: [-0.5, 0.9, 0], c: [-0.5, -0.9, 0], top: [0, 0, 1]}
bars: {mast: {nodes: [foot, top], mass: 1}}
cables: {west: [a, top], east: [b, top], north: [c, top]}
properties: {"cable:*": {stiffness: 1e4, tension: 100, damping: 5}}
supports: {foot: xyz, a: xyz, b: xyz, c: xyz}
scenario: {duration: 0.1, every: 0.01, loads: {push: {node: top, axis: x, signal: 20}}}
"""


@pytest.fixture
def mast(tmp_path: Path) -> Path:
    (tmp_path / "mast.yaml").write_text(MAST)
    return Path("mast.yaml")


def measured(run: library.Trajectory) -> Measurements:
    """The top a millimetre off, in a frame turned by a quarter about z, and one load cell."""
    west = list(run.structure.cables).index("west")
    nodes = run.nodes @ np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return Measurements(
        run.time, tuple(run.structure.nodes), nodes, ("cable:west",), run.cable_tension[:, [west]] + 2.0
    )


def test_compare_a_run(taut: Callable, mast: Path) -> None:
    assert taut("run", mast).code == 0
    run = library.read("mast.nc")
    library.save(measured(run), "m.csv")
    code, out, err = taut("compare", "mast.nc", "m.csv", "--align", "-o", "errors.csv")
    assert (code, err) == (0, "")
    head, *rows = out.splitlines()
    assert head.split() == ["part", "unit", "rows", "mean", "rms", "largest", "at", "[s]"]
    assert rows[5].split()[:4] == ["cable:west", "N", str(run.time.size), "2"]
    assert "markers turned by [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]] and shifted by" in out.replace(
        "-0.0", "0.0"
    )
    assert f"{run.time.size} of {run.time.size} measured rows compared; nodes off by " in out
    assert out.endswith("table: errors.csv\n")
    with open("errors.csv", newline="", encoding="utf-8") as stream:
        table = list(csv.DictReader(stream))
    assert (table[5]["part"], float(table[5]["rms"])) == ("cable:west", pytest.approx(2.0))
    known = json.loads(taut("compare", "mast.nc", "m.csv", "--align", "--shift", "find", "--json").out)
    assert known["shift"] == pytest.approx(0.0, abs=1e-6)
    assert max(known["table"]["rms"][:5]) < 1e-6


def test_compare_with_names_and_units(taut: Callable, mast: Path) -> None:
    Path("m.csv").write_text("t,LC,X\n5,0.1,1\n")
    given = ("--column", "t=time", "--column", "LC=cable:west.tension", "--scale", "tension=kN")
    code, out, _ = taut("compare", mast, "m.csv", *given)
    assert code == 0
    assert out.splitlines()[1].split()[0] == "cable:west"
    Path("map.yaml").write_text("t: time\nLC: cable:west.tension\n")
    assert taut("compare", mast, "m.csv", "--map", "map.yaml", "--scale", "tension=kN").out == out
    code, _, err = taut("compare", mast, "m.csv", "--column", "X1=node:top.x")
    assert (code, err.split(", which")[0]) == (2, 'm.csv:1: there is no column "X1"')
    assert taut("compare", mast, "m.csv", "--column", "X").err.startswith('error: --column "X" is not of two parts')
    assert "neither a number [s] nor find" in taut("compare", mast, "m.csv", *given, "--shift", "now").err
    Path("bad.yaml").write_text("- t\n")
    assert "bad.yaml: is not a map of columns" in taut("compare", mast, "m.csv", "--map", "bad.yaml").err
    assert "a table's name must end in .csv" in taut("compare", mast, "m.csv", "-o", "x.txt").err


def test_tolerances_are_those_of_python(taut: Callable, mast: Path) -> None:
    options = (
        "--cut-length",
        "cable:*=1e-3",
        "--cut-length",
        "bar:mast=5e-4",
        "--stiffness",
        "0.02",
        "--builds",
        "300",
    )
    code, out, err = taut("tolerances", mast, *options, "-o", "x.csv", "--plot", "x.png")
    assert (code, err) == (0, "")
    found = tolerances(
        library.read("mast.yaml"),
        cut_length={"cable:*": 1e-3, "bar:mast": 5e-4},
        stiffness=0.02,
        builds=300,
        loads={"top": (20.0, 0.0, 0.0)},
    )
    head, first, *_ = out.splitlines()
    assert head.split()[:3] == ["member", "designed", "[N]"]
    assert first.split()[0] == "cable:west"
    assert float(first.split()[3]) == pytest.approx(found.deviation[0], rel=1e-5)
    low, high = found.share_interval
    assert f"300 of 300 builds hold their limits: 100.00%, from {low:.2%} to {high:.2%} (95 %)" in out
    assert out.endswith("figure: x.png\ntable: x.csv\n")
    assert Path("x.png").stat().st_size > 5000
    known = json.loads(taut("tolerances", mast, *options, "--json").out)
    assert known["share"] == 1.0
    assert known["table"]["deviation"] == found.columns()["deviation"].tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--cut-length", "-1e-3"), "cut_length = -0.001 must be a finite number, zero or more"),
        (("--cut-length", "cable:*=-1e-3"), 'cut_length["cable:*"] = -0.001 must be a finite number'),
        (("--cut-length", "cable:wst=1e-3"), '"cable:wst" selects no cable; did you mean "west"?'),
        (("--cut-length", "little"), '--cut-length "little" is neither a number nor as in cable:*=1e-3'),
        (("--cut-length", "1e-3", "--plot", "x.doc"), "x.doc"),
        ((), "nothing scatters; give cut_length"),
    ],
)
def test_bad_options_of_tolerances(taut: Callable, mast: Path, options: tuple[str, ...], message: str) -> None:
    code, out, err = taut("tolerances", mast, *options)
    assert (code, out) == (2, "")
    assert message in err


def test_a_model_without_an_equilibrium(taut: Callable, mast: Path) -> None:
    mast.write_text(MAST.replace("c: xyz}", "c: xyz, top: z}").replace("tension: 100", "rest_length: 3"))
    code, _, err = taut("tolerances", mast, "--cut-length", "1e-3")
    assert code == 2
    assert 'no equilibrium (not balanced: bars and supports keep node "top" from moving along x' in err


def test_a_page_with_measurements(taut: Callable, mast: Path) -> None:
    assert taut("run", mast).code == 0
    run = library.read("mast.nc")
    library.save(measured(run), "m.csv")
    code, out, err = taut("page", "mast.nc", "--measured", "m.csv", "--align", "-o", "x.html")
    assert (code, err) == (0, "")
    assert out.startswith("page: x.html")
    without = Path("x.html").stat().st_size
    taut("page", "mast.nc", "-o", "x.html")
    assert Path("x.html").stat().st_size < without
    assert taut("page", mast, "--measured", "m.csv", "--align", "-o", "y.html").code == 0
    code, _, err = taut("page", "mast.nc", "--measured", "m.csv", "--column", "no=time", "-o", "x.html")
    assert (code, err.split(", which")[0]) == (2, 'm.csv:1: there is no column "no"')
