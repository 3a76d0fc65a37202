"""`taut workspace`: the same numbers as in Python, pages, tables, figures, and what goes wrong."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import taut as library
from taut.kinetostatics import Robot, workspace

MODEL = Path(__file__).parents[2] / "examples" / "prismatic.yaml"
GRID = ("--grid", "cable:a1=1.63:1.642:3", "--grid", "cable:a2=1.63:1.642:3")


def area() -> library.kinetostatics.WorkspaceMap:
    model = library.read_model(MODEL)
    robot = Robot(model.structure, ("cable:a1", "cable:a2"), gravity=model.scenario.gravity)
    values = np.linspace(1.63, 1.642, 3)
    return workspace(robot, {"cable:a1": values, "cable:a2": values}, wrenches=[(0, 0, -5, 0, 0, 0)], lowest=5.0)


def test_it_tells_what_python_finds(taut: Callable, tmp_path: Path) -> None:
    found = area()
    told = taut("workspace", MODEL, *GRID, "--wrench", "0,0,-5,0,0,0", "--lowest", 5, "--csv", "map.csv", "--json")
    assert told.code == 0, told.err
    answer = json.loads(told.out)
    assert (answer["points"], answer["found"], answer["stable"], answer["wrenches_borne"]) == (9, 9, 9, 9)
    assert answer["lowest_stiffness"]["least"] == pytest.approx(found.lowest_stiffness.min(), rel=1e-9)
    assert answer["lowest_stiffness"]["least_at"] == {"cable:a1": 1.642, "cable:a2": 1.642}
    assert answer["wrench_margin"]["least"] == pytest.approx(found.wrench_margin.min(), rel=1e-6)
    assert answer["reach"]["x"] == pytest.approx([found.plate_centre[..., 0].min(), found.plate_centre[..., 0].max()])
    with (tmp_path / "map.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 9
    assert float(rows[4]["dexterity"]) == pytest.approx(found.dexterity[1, 1], rel=1e-9)
    assert rows[0]["found"] == "True"


def test_a_page_and_a_figure(taut: Callable, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    told = taut("workspace", MODEL, *GRID, "--page", "x.html", "--plot", "x.png")
    assert told.code == 0, told.err
    assert "postures found    9 of 9" in told.out
    assert "between the points: nodes are within " in told.out
    assert "page: x.html" in told.out
    assert (tmp_path / "x.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "Missing option '--grid'"),
        (("--grid", "cable:a9=1.6:1.7:3"), 2, '"cable:a9" selects no cable'),
        (("--grid", "cable:a1=dp5,dp8"), 2, '--grid cable:a1: "dp5" is no number'),
        (("--grid", "cable:a1=-1:1:3"), 2, "cable:a1 = -1 m makes no length"),
        (("--grid", "cable:a1=1.636", "--page", "x.html"), 2, 'axis "cable:a1" has one value, 1.636'),
        (("--grid", "cable:a*=1.4:1.5:2", "--page", "x.html"), 1, "no posture was found at any of 2 points"),
        ((*GRID, "--wrench", "1,2"), 2, '--wrench "1,2" is not six numbers'),
        ((*GRID, "--page", "x.txt"), 2, "x.txt: a page's name must end in .html"),
        ((*GRID, "--plot", "x.gif"), 2, "x.gif: a figure is saved as"),
        ((*GRID, "--plate", "tip"), 2, 'no plate "tip"; did you mean "top"'),
    ],
)
def test_what_goes_wrong(taut: Callable, arguments: tuple[str, ...], code: int, message: str) -> None:
    told = taut("workspace", MODEL, *arguments)
    assert told.code == code
    assert message in told.err
