"""`taut cases`, `taut path`, `taut size`: the same numbers as in Python, tables, CSV, figures, and what goes wrong."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import taut as library
from taut.statics import LoadCase, elastic_sizes, least_mass, path, solve_cases

MAST = """\
taut: 1
name: mast
nodes: {foot: [0, 0, 0], left: [-1, 0, 0], right: [1, 0, 0], top: [0, 0, 1]}
materials: {steel: {density: 7850, youngs_modulus: 2.1e11, yield_stress: 2.5e8, thermal_expansion: 1.2e-5}}
bars: {mast: {nodes: [foot, top], material: steel, radius: 0.01, law: compressible}}
cables: {west: [left, top], east: [right, top]}
properties: {"cable:*": {material: steel, radius: 0.002, tension: 100}}
supports: {foot: xyz, left: xyz, right: xyz, top: y}
scenario:
  gravity: 9.81
  loads: {push: {node: top, axis: x, signal: 20}}
"""
CASES = ("--case", "weight={gravity: 9.81}", "--case", "wind={loads: {top: [20, 0, 0]}}")


@pytest.fixture
def mast(tmp_path: Path) -> Path:
    (tmp_path / "mast.yaml").write_text(MAST)
    return Path("mast.yaml")


def rows(name: str) -> list[dict[str, str]]:
    with open(name, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_cases_are_those_of_python(taut: Callable, mast: Path) -> None:
    code, out, err = taut("cases", mast, *CASES, "--combination", "storm={weight: 1.35, wind: 1.5}", "--csv", "x.csv")
    assert (code, err) == (0, "")
    structure = library.read("mast.yaml")
    wanted = solve_cases(
        structure,
        {"weight": LoadCase(gravity=9.81), "wind": LoadCase(loads={"top": (20.0, 0.0, 0.0)})},
        combinations={"storm": {"weight": 1.35, "wind": 1.5}},
    )
    first, second, *_ = out.splitlines()
    assert first.split() == ["part", "weight", "[N]", "wind", "[N]", "storm", "[N]", "utilisation"]
    assert second.split()[0] == "cable:west"
    np.testing.assert_allclose([float(n) for n in second.split()[1:4]], wanted.member_force[:, 0], rtol=1e-5)
    assert out.endswith("\n3 cases; balanced\ntable: x.csv\n")
    told = [line.split()[0] for line in out.splitlines() if line.startswith("node:top")]
    assert told == ["node:top.reaction.y"], "the axis on which it is held, and no others"
    assert [float(row["force.storm"]) for row in rows("x.csv")[:3]] == wanted.member_force[2].tolist()
    known = json.loads(taut("cases", mast, *CASES, "--json").out)
    assert known["cases"] == ["weight", "wind"]
    assert known["table"]["force.wind"][:3] == wanted.member_force[1].tolist()
    assert known["table"]["utilisation.wind"][3] is None


def test_without_cases_a_model_has_its_own(taut: Callable, mast: Path) -> None:
    known = json.loads(taut("cases", mast, "--json").out)
    own = LoadCase(gravity=9.81, loads={"top": (20.0, 0.0, 0.0)})
    wanted = solve_cases(library.read("mast.yaml"), {"scenario": own})
    assert known["table"]["force.scenario"][:3] == wanted.member_force[0].tolist()


def test_a_path_is_that_of_python(taut: Callable, mast: Path) -> None:
    pytest.importorskip("matplotlib")
    told = ("path", mast, "--case", "{loads: {top: [400, 0, 0]}}", "--csv", "x.csv", "--plot", "x.png")
    code, out, err = taut(*told)
    assert (code, err) == (0, "")
    wanted = path(library.read("mast.yaml"), LoadCase(loads={"top": (400.0, 0.0, 0.0)}))
    assert "slack east" in out
    assert out.splitlines()[0].startswith("way to the case  top moves along x [m]  top moves along y [m]")
    assert out.endswith(f"\n{wanted.factor.size} points, 1 events; reached\nfigure: x.png\ntable: x.csv\n")
    assert [float(row["factor"]) for row in rows("x.csv")] == wanted.factor.tolist()
    assert Path("x.png").read_bytes()[:4] == b"\x89PNG"
    known = json.loads(taut(*told, "--json").out)
    assert known["events"] == [
        {"factor": e.factor, "kind": e.kind, "member": e.member, "point": e.point} for e in wanted.events
    ]
    assert known["table"]["node:top.x"] == wanted.nodes[:, 3, 0].tolist()


def test_a_path_by_a_displacement(taut: Callable, mast: Path) -> None:
    told = taut("path", mast, "--case", "{loads: {top: [400, 0, 0]}}", "--control", "top.x", "--until", 0.01, "--json")
    case = LoadCase(loads={"top": (400.0, 0.0, 0.0)})
    wanted = path(library.read("mast.yaml"), case, method="displacement", control=("top", "x"), until=0.01)
    assert told.code == 0
    assert json.loads(told.out)["table"]["factor"] == wanted.factor.tolist()
    assert taut("path", mast, "--control", "tip.x").code == 2


def test_a_path_that_does_not_arrive_fails_and_says_why(taut: Callable, mast: Path) -> None:
    code, _, err = taut("path", mast, "--case", "{loads: {top: [400, 0, 0]}}", "--points", 3)
    assert code == 1
    assert err.startswith("mast.yaml: ended after 3 points at ")
    begun = taut("path", mast, "--start", "{gravity: 9.81}", "--until", 0.5, "--node", "left", "--json")
    assert json.loads(begun.out)["table"]["factor"][-1] == 0.5


def test_sizes_are_those_of_python(taut: Callable, mast: Path) -> None:
    code, out, err = taut("size", mast, *CASES, "--minimum-radius", 5e-4, "--csv", "x.csv")
    assert (code, err) == (0, "")
    asked = {"weight": LoadCase(gravity=9.81), "wind": LoadCase(loads={"top": (20.0, 0.0, 0.0)})}
    wanted = elastic_sizes(library.read("mast.yaml"), asked, minimum_radius=5e-4)
    assert out.splitlines()[0].split()[:2] == ["member", "radius"]
    assert f"\n{wanted.mass:.6g} kg; {wanted.certificate}\nmodel file: mast-sized.yaml; next: taut cases" in out
    assert [float(row["radius"]) for row in rows("x.csv")] == wanted.radius.tolist()
    assert library.read("mast-sized.yaml").bars["mast"].radius == pytest.approx(wanted.radius[2], rel=1e-12)
    assert library.read_model("mast-sized.yaml").scenario.gravity == (0.0, 0.0, -9.81)


def test_the_least_mass_has_its_bound(taut: Callable, mast: Path) -> None:
    told = ("size", mast, "--method", "least-mass", "--minimum-tension", 50, "--no-buckling", "--json")
    known = json.loads(taut(*told).out)
    own = {"scenario": LoadCase(gravity=9.81, loads={"top": (20.0, 0.0, 0.0)})}
    wanted = least_mass(library.read("mast.yaml"), own, minimum_tension=50.0, buckling=False)
    assert (known["mass"], known["lower_bound"]) == (wanted.mass, wanted.lower_bound)
    assert known["model_file"] == "mast-sized.yaml"


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (("cases", "--page", "x.txt"), "x.txt: a page's name must end in .html"),
        (
            ("cases", "--case", "w={gravity:9.81}"),
            'error: --case w: "gravity:9.81" needs a space after its colon, as in {gravity: 9.81}\n',
        ),
        (("cases", "--case", "wind"), 'error: --case "wind" is not a name and entries, as in wind={gravity: 9.81}\n'),
        (
            (
                "cases",
                "--case",
                "a={gravity: 1",
            ),
            'error: --case "{gravity: 1" does not hold entries such as',
        ),
        (("cases", "--case", "a=3"), 'error: --case "3" does not hold entries such as {gravity: 9.81}\n'),
        (
            ("cases", "--case", "a={load: 3}"),
            'error: --case a: a load case has no "load"; did you mean "loads"?\n',
        ),
        (
            ("cases", "--case", "a={loads: {top: 5}}"),
            "error: --case a: LoadCase.loads.top: 5 is a number, where three numbers are wanted\n",
        ),
        (("cases", "--case", "a={}", "--case", "a={}"), 'error: --case "a" is told twice; every one needs its own'),
        (("cases", "--case", "a={loads: {tip: [1, 0, 0]}}"), 'mast.yaml:1: loads.tip: no node "tip"'),
        (
            ("cases", "--combination", "b={wind: 1}"),
            'error: a combination names the case "wind", which is not there; there are scenario\n',
        ),
        (
            ("cases", "--combination", "b={scenario: heavy}"),
            "error: solve_cases: combinations.b.scenario: 'heavy' is a text, where a number is wanted\n",
        ),
        (("cases", "--csv", "x.txt"), "x.txt: a table's name must end in .csv\n"),
        (("path", "--csv", "nowhere/x.csv"), "nowhere/x.csv: cannot be written: "),
        (("path", "--plot", "x.doc"), "x.doc: a figure is saved as .png, .pdf, .svg\n"),
        (("path", "--node", "tip"), 'error: "tip" selects no node; did you mean "top"?\n'),
        (("path", "--method", "newton"), 'error: method = "newton" is not one of arc-length, load, displacement\n'),
        (("size", "--method", "least"), 'error: --method "least" is not one of elastic, least-mass\n'),
        (("size", "-o", "mast.yaml"), "mast.yaml: is the model itself; give another name with -o\n"),
        (
            ("size", "--set", "materials.steel.yield_stress="),
            "mast.yaml:4: materials.steel.yield_stress: is not known, and the sizes of members made of it depend on it",
        ),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_written(
    told: tuple[str, ...], said: str, taut: Callable, mast: Path
) -> None:
    verb, *options = told
    code, out, err = taut(verb, mast, *options)
    assert (code, out) == (2, "")
    assert err.startswith(said)
    assert err.count("\n") == 1
    assert [file.name for file in Path().iterdir()] == ["mast.yaml"]
