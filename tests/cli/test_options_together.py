"""Options that do not go together are refused, outputs before the work, and only files that are there are named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from taut.output import model_statics

EXAMPLES = Path(__file__).parents[2] / "examples"

MAST = """taut: 1
nodes:  {foot: [0, 0, 0], left: [-1, 0, 0], right: [1, 0, 0], top: [0.05, 0, 1]}
bars:   {mast: {nodes: [foot, top], mass: 2.0}}
cables: {west: [left, top], east: [right, top]}
properties:
  "cable:*": {stiffness: 500, rest_length: 1.35, damping: 5}
supports: {foot: xyz, left: xyz, right: xyz, top: y}
"""


@pytest.fixture
def mast(tmp_path: Path) -> Path:
    path = tmp_path / "mast.yaml"
    path.write_text(MAST)
    (tmp_path / "top.csv").write_text("time,node:top.x,node:top.y,node:top.z\n0,0.05,0,1\n")
    return path


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("page mast.yaml --align", "--measured"),
        ("page mast.yaml --shift bogus", "--measured"),
        ("page mast.yaml --scale position=mm", "--measured"),
        ("page mast.yaml --measured top.csv --shift 0.5", "--shift is of a run's time"),
        ("gait zoo -o z.nc", "name one"),
        ("gait zoo roll --model m.yaml -o z.nc", "runs nothing"),
        ("gait replay gaits.nc --model m.yaml --page z.html", "runs nothing"),
        ("size mast.yaml --no-buckling", "--buckling is not of --method elastic"),
        ("size mast.yaml --method least-mass --minimum-radius 0.1", "--minimum-radius is not of --method least-mass"),
    ],
)
def test_options_that_nothing_heeds_are_refused(taut: Callable, mast: Path, told: str, why: str) -> None:
    code, out, err = taut(*told.split())
    assert (code, out) == (2, "")
    assert why in err
    assert not list(mast.parent.glob("*.html"))


@pytest.mark.parametrize(
    "told", ["modes mast.yaml --page x.txt", "live mast.yaml -o x.txt", "live mast.yaml --replay log.json -o x.txt"]
)
def test_what_cannot_be_written_is_refused_before_the_work(
    taut: Callable, mast: Path, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    def worked(*_: object, **__: object) -> None:
        raise AssertionError("the work began")

    monkeypatch.setattr("taut.output.model_statics.resting", worked)
    monkeypatch.setattr("taut.output.page.lively.live_model", worked)
    monkeypatch.setattr("taut.output.model_runs.assembled", worked)
    code, _, err = taut(*told.split())
    assert code == 2
    assert "x.txt: a" in err


def test_a_map_without_a_posture_names_no_page(taut: Callable, tmp_path: Path) -> None:
    (tmp_path / "prismatic.yaml").write_text((EXAMPLES / "prismatic.yaml").read_text())
    told = ("--grid", "cable:a1=90:95:2", "--page", "x.html", "--plot", "x.png", "--json")
    code, out, _ = taut("workspace", "prismatic.yaml", *told)
    assert code == 1
    assert not {"page", "plot"} & set(json.loads(out))
    assert not (tmp_path / "x.html").exists()


def test_a_path_names_its_figure(taut: Callable, mast: Path) -> None:
    pytest.importorskip("matplotlib")
    told = ("--case", "{loads: {top: [5, 0, 0]}}", "--points", "3", "--plot", "x.png", "--json")
    _, out, _ = taut("path", mast, *told)
    assert json.loads(out)["plot"] == "x.png"


def test_a_model_that_does_not_balance_is_no_bad_input(
    taut: Callable, mast: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = model_statics.resting
    monkeypatch.setattr(model_statics, "resting", lambda *told: replace(found(*told), status="gave up"))
    assert taut("compare", mast, "top.csv") == (1, "", f"{mast}: gave up\n")


def test_nothing_to_size_is_said(taut: Callable, tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("taut: 1\nnodes: {a: [0, 0, 0]}\npoint_masses: {a: 1}\n")
    for method in ("elastic", "least-mass"):
        code, _, err = taut("size", "one.yaml", "--method", method)
        assert code == 2
        assert "there are no members" in err
    assert taut("check", "one.yaml").out == "one.yaml: sound; 1 node\n"


def test_a_direction_has_three_numbers_at_most(taut: Callable, tmp_path: Path) -> None:
    (tmp_path / "rolling.yaml").write_text((EXAMPLES / "rolling.yaml").read_text())
    code, _, err = taut("gait", "search", "rolling.yaml", "--goal", "along=1,2,3,4")
    assert code == 2
    assert "is not a goal and a direction" in err
