"""`taut posture` and `taut follow`: the same numbers as in Python, files that other commands take, what goes wrong."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import taut as library
from taut.kinetostatics import PlatePosition, Robot, TensionSum, follow, posture, stiffness_by_mode
from taut.output.robot_paths import circle_path, read_path

ROOT = Path(__file__).parents[2]
POSTURE = np.load(ROOT / "tests" / "data" / "posture_sa90_sp65.npz")
PULLED = ("--input", "cable:a*", "--mode", "cable:a*=tension", "--mode", "cable:p*=tension")
HELD = ("--input", "cable:a*")
SUM = ("--hold-sum", "cable:a*=270")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "prismatic.yaml").write_text((ROOT / "examples" / "prismatic.yaml").read_text())
    return Path("prismatic.yaml")


def robot() -> Robot:
    made = library.read_model("prismatic.yaml").structure
    pulled = made.changed("cable:a*", mode="tension", command=90.0).changed("cable:p*", mode="tension", command=65.0)
    return Robot(pulled, ("cable:a*",), gravity=9.80665)


# --- posture


def test_a_posture_is_that_of_python(taut: Callable, model: Path) -> None:
    told = taut("posture", model, *PULLED, "--set", "cable:a1=91", "--json")
    assert (told.code, told.err) == (0, "")
    known, wanted = json.loads(told.out), posture(robot(), {"cable:a1": 91.0})
    assert np.array(list(known["nodes"].values())) == pytest.approx(wanted.structure.positions, abs=1e-10)
    assert [one["force"] for one in known["cables"].values()] == pytest.approx(wanted.cable_tension, abs=1e-8)
    assert known["inputs"]["cable:a1"] == {"quantity": "tension", "unit": "N", "value": 91.0}
    modes = stiffness_by_mode(wanted, robot())
    assert list(known["stiffness"]) == ["as commanded", *modes]
    for name, one in modes.items():
        assert known["stiffness"][name]["lowest"] == pytest.approx(one.lowest, rel=1e-5)
    # How the plate answers, against two postures more.
    step = 1e-3
    aside = [posture(robot(), {"cable:a1": 91.0 + sign * step}, start=wanted) for sign in (1.0, -1.0)]
    moved = (aside[0].structure.positions[9:] - aside[1].structure.positions[9:]).mean(axis=0) / (2.0 * step)
    assert known["sensitivity"]["top"]["cable:a1"][:3] == pytest.approx(moved, rel=1e-4)


def test_without_options_it_is_the_posture_of_the_model(taut: Callable, model: Path) -> None:
    code, out, err = taut("posture", model, *HELD, "--page", "p.html", "-o", "p.yaml")
    assert (code, err) == (0, "")
    assert "cable:a1      length 1.63609 m" in out
    assert "plate top: centre at x " in out
    words = " ".join(out.split())
    assert "active lengths locked, passive springs 2.59859 stable" in words
    assert "all tensions constant -3.3386 falls in 2 directions" in words
    assert "plate top, by unit of every input:" in out
    assert out.endswith("model file: p.yaml; next: taut page p.yaml, taut run p.yaml\npage: p.html\n")
    assert np.abs(library.read("p.yaml").positions - POSTURE["nodes"]).max() < 1e-9
    assert library.read_model("p.yaml").scenario.gravity == (0.0, 0.0, -9.80665)
    assert Path("p.html").read_text().startswith("<!doctype html>")


def test_what_is_saved_stands_there_again(taut: Callable, model: Path) -> None:
    assert taut("posture", model, *PULLED, "--set", "cable:a1=91", "--save", "aside.yaml").code == 0
    again = json.loads(taut("posture", "aside.yaml", *HELD, "--json").out)
    assert again["iterations"] <= 1
    assert again["inputs"]["cable:a1"]["value"] == 91.0
    wanted = posture(robot(), {"cable:a1": 91.0})
    assert np.array(list(again["nodes"].values())) == pytest.approx(wanted.structure.positions, abs=1e-9)


def test_entries_of_the_model_are_set_by_the_same_option(taut: Callable, model: Path) -> None:
    known = json.loads(taut("posture", model, *HELD, "--set", "scenario.gravity=0", "--json").out)
    made = Robot(library.read_model(model).structure, ("cable:a*",))
    assert np.array(list(known["nodes"].values())) == pytest.approx(posture(made).structure.positions, abs=1e-10)


def test_several_postures_are_told_apart(taut: Callable, model: Path) -> None:
    code, out, _ = taut("posture", model, *HELD, "--several", 4, "--spread", 0.02)
    assert code == 0
    assert "1 posture from 4 starts, " in out
    assert "A, found " in out
    known = json.loads(taut("posture", model, *HELD, "--several", 4, "--spread", 0.02, "--json").out)
    assert np.abs(np.array(list(known["postures"][0]["nodes"].values())) - POSTURE["nodes"]).max() < 1e-8


@pytest.mark.slow
def test_where_nothing_can_move_no_stiffness_is_told_to_programs(taut: Callable) -> None:
    Path("one.yaml").write_text("taut: 1\ngenerate: {prismatic_robot: {layers: 1}}\nscenario: {gravity: 9.80665}\n")
    known = json.loads(taut("posture", "one.yaml", "--json").out, parse_constant=lambda word: pytest.fail(word))
    assert known["stiffness"]["as commanded"] == {"lowest": None, "stable": True, "stiffness": []}


# --- follow


def test_a_circle_is_that_of_python(taut: Callable, model: Path) -> None:
    told = ("follow", model, *PULLED, *SUM, "--circle", 0.03, "--samples", 9, "--out", "c.csv")
    code, out, err = taut(*told)
    assert (code, err) == (0, "")
    times = np.linspace(0.0, 30.0, 9)

    def circle(time: float) -> list:
        angle = 2.0 * np.pi * time / 30.0
        place = (0.03 * np.cos(angle), 0.03 * np.sin(angle), None)
        return [PlatePosition("top", place), TensionSum(("cable:a*",), 270.0)]

    wanted = follow(robot(), circle, times)
    with open("c.csv", newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["cable:a2"]) for row in rows] == pytest.approx(wanted.values[:, 1], abs=1e-5)
    assert [float(row["node:21.x"]) for row in rows] == pytest.approx(wanted.nodes[:, 9, 0], abs=1e-7)
    assert "9 of 9 samples reached" in out
    assert "stable in 0 of 9 postures, as commanded" in out
    known = json.loads(taut(*told, "--json").out)
    assert known["status"] == "followed"
    assert known["table"]["cable:a1"] == pytest.approx(wanted.values[:, 0], abs=1e-5)
    assert known["unreached"] == []
    assert known["lowest_stiffness"][0] == pytest.approx(-3.80291, abs=1e-4)
    assert max(map(abs, known["table"]["error of x of plate top"])) < 1e-9


def test_the_postures_of_a_path_are_a_run_to_look_at(taut: Callable, model: Path) -> None:
    pytest.importorskip("matplotlib")
    told = ("--circle", 0.01, "--samples", 5, "--duration", 4, "-o", "c.nc", "-o", "c.csv", "--page", "c.html")
    code, out, err = taut("follow", model, *HELD, "--hold-sum", "cable:a*=270", *told)
    assert (code, err) == (0, "")
    assert out.endswith("file: c.nc\nfile: c.csv\nfile: c.html\n")
    run = library.read("c.nc")
    assert isinstance(run, library.Trajectory)
    assert run.ok
    assert run.time.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    centre = run.nodes[:, 9:, :2].mean(axis=1)
    assert np.linalg.norm(centre, axis=1) == pytest.approx([0.01] * 5, abs=1e-9)
    assert run.cable_tension[:, :3].sum(axis=1) == pytest.approx([270.0] * 5, abs=1e-6)
    weight = 9.80665 * (6 * 0.18 + 9 * 0.1 + 0.86)
    assert run.reaction.sum(axis=1)[:, 2] == pytest.approx([weight] * 5, rel=1e-9)
    assert run.length_violation.max() < 1e-12
    spring = 0.5 * run.cable_tension[:, 3:6] ** 2 / 1800.0
    assert run.energy_elastic == pytest.approx(spring.sum(axis=1), rel=1e-12)
    # The work of winches over a closed circle is nothing, and in between what is stored.
    assert run.work[-1] == pytest.approx(0.0, abs=1e-9)
    assert "postures one after another, each at rest" in run.summary()
    assert taut("page", "c.nc", "-o", "d.html").code == 0
    assert run.drive_names == ("cable:a1", "cable:a2", "cable:a3")
    assert run.drive_value == pytest.approx(run.cable_length[:, :3], abs=1e-12), "held at what is commanded"
    assert run.drive_force == pytest.approx(run.cable_tension[:, :3], abs=1e-8)
    for draw in (library.plot.drives, library.plot.tensions, library.plot.energy):
        assert draw(run).lines
    gone = taut("run", "--from", "c.nc", "--duration", 1)
    assert gone.code == 2
    assert gone.err.startswith(
        "c.nc: holds postures of a path, each at rest, and no motion to go on with; taut posture"
    )


def test_the_work_of_a_path_is_what_winches_do(taut: Callable, model: Path) -> None:
    """Tension times what is wound in, summed up over a way that is walked finely: the energy is found without it."""
    Path("way.csv").write_text("time,x,y\n" + "".join(f"{k},{0.001 * k},0\n" for k in range(21)))
    told = taut("follow", model, *HELD, "--path", "way.csv", "--hold-sum", "cable:a*=270", "-o", "way.nc")
    assert told.code == 0
    run = library.read("way.nc")
    wound = -np.diff(run.cable_length[:, :3], axis=0)
    pull = 0.5 * (run.cable_tension[1:, :3] + run.cable_tension[:-1, :3])
    done = np.concatenate([[0.0], np.cumsum((pull * wound).sum(axis=1))])
    assert np.abs(run.work).max() > 1e-3
    assert run.work == pytest.approx(done, abs=1e-3 * np.abs(run.work).max())


def test_a_node_can_be_led_instead(taut: Callable, model: Path) -> None:
    told = ("--node", "21", "--circle", 0.01, "--samples", 3, "--turns", 0.5, "--json")
    known = json.loads(taut("follow", model, *PULLED, *SUM, *told).out)
    rest = POSTURE["nodes"][9]
    assert known["table"]["node:21.x"] == pytest.approx(rest[0] + np.array([0.01, 0.0, -0.01]), abs=1e-9)
    assert known["table"]["node:21.y"] == pytest.approx(rest[1] + np.array([0.0, 0.01, 0.0]), abs=1e-9)


def test_what_follows_is_asked_for_where_there_is_no_plate(taut: Callable) -> None:
    Path("mast.yaml").write_text(
        "taut: 1\nnodes: {a: [0, 0, 0], b: [2, 0, 0], top: [1, 0, 1]}\nsupports: {a: xyz, b: xyz, top: y}\n"
        "cables: {left: [a, top], right: [b, top]}\nproperties: {'cable:*': {stiffness: 100, rest_length: 1.2}}\n"
        "point_masses: {top: 1}\nscenario: {gravity: -9.81}\n"
    )
    told = taut("follow", "mast.yaml", "--circle", 0.01)
    assert told.code == 2
    assert told.err == "error: say what follows the path, with --plate or --node: it has no plate\n"
    Path("way.csv").write_text("time,x,z\n0,1,1\n1,1.1,1\n")
    assert taut("follow", "mast.yaml", "--node", "top", "--path", "way.csv").code == 0


def test_a_path_from_a_table(taut: Callable, model: Path) -> None:
    Path("way.csv").write_text("t;x [mm];y;z\n0;0;0;\n1;10;0,005;\n2;20;0,005;\n")
    known = json.loads(taut("follow", model, *PULLED, *SUM, "--path", "way.csv", "--json").out)
    places = np.array([[known["table"][f"node:{n}.{axis}"] for axis in "xyz"] for n in (21, 22, 23)]).mean(axis=0)
    assert places[0] == pytest.approx([0.0, 0.01, 0.02], abs=1e-9)
    assert places[1] == pytest.approx([0.0, 0.005, 0.005], abs=1e-9)
    assert np.ptp(places[2]) > 1e-5, "its height is open"


def test_a_stretch_that_is_not_reached_is_told_and_left_out(taut: Callable, model: Path) -> None:
    Path("way.csv").write_text("time,x,y\n0,0,0\n1,0.02,0\n2,0.12,0\n3,0.13,0\n4,0.02,0.01\n")
    code, out, err = taut("follow", model, *PULLED, *SUM, "--path", "way.csv", "--out", "reached.csv")
    assert code == 1
    assert "3 of 5 samples reached" in out
    assert err.startswith("prismatic.yaml: from t = 2 s to 3 s, 2 samples: not reached: x of plate top is off by -0.0")
    assert "at the edge of what the robot reaches from its start" in err
    assert [line.split(",")[0] for line in Path("reached.csv").read_text().splitlines()] == [
        "time",
        "0.0",
        "1.0",
        "4.0",
    ]
    known = json.loads(taut("follow", model, *PULLED, *SUM, "--path", "way.csv", "--json").out)
    assert [(gap["begin"], gap["end"], gap["samples"]) for gap in known["unreached"]] == [(2.0, 3.0, 2)]


def test_limits_are_kept_and_named(taut: Callable, model: Path) -> None:
    told = taut("follow", model, *PULLED, *SUM, "--circle", 0.03, "--samples", 3, "--lowest", "cable:a*=89")
    assert told.code == 1
    assert "0 of 3 samples reached" in told.out
    assert "this is the nearest within the limits: tension of a3 at its lowest, 89 N" in told.err
    free = taut("follow", model, *PULLED, *SUM, "--circle", 0.001, "--samples", 3, "--lowest", 60, "--highest", 96)
    assert free.code == 0


def test_paths_as_they_are_read_and_made(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("time,z,x\n0,1.5,\n1,1.6,\n")
    times, places = read_path(tmp_path / "a.csv")
    assert times.tolist() == [0.0, 1.0]
    assert places[:, 2].tolist() == [1.5, 1.6]
    assert np.isnan(places[:, :2]).all()
    times, places = circle_path(np.array([0.1, 0.2, 1.0]), 0.05, turns=-0.5, duration=2.0, samples=3)
    assert places[:, :2] == pytest.approx(np.array([[0.15, 0.2], [0.1, 0.15], [0.05, 0.2]]), abs=1e-15)
    assert np.isnan(places[:, 2]).all()


# --- what goes wrong


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("posture", *PULLED, "--set", "cable:a1=150"),
            1,
            "prismatic.yaml: no posture was found with cable:a1 150 N, cable:a2 90 N, cable:a3 90 N: at the nearest",
        ),
        (
            ("posture", *HELD, "--set", "cable:a*=1.6"),
            1,
            "prismatic.yaml: no posture was found with cable:a1 1.6 m, cable:a2 1.6 m, cable:a3 1.6 m: no shape was "
            'found in which "saddle" is not 0.1',
        ),
        (
            ("posture", *HELD, "--set", "cable:p1=3"),
            2,
            'error: values: "cable:p1" is no input; did you mean "cable:a1"',
        ),
        (("posture", *HELD, "--set", "cable:a1=-3"), 2, "error: values: cable:a1 = -3 m makes no length; it must be"),
        (("posture", *HELD, "--set", "cable:a1"), 2, 'error: --set "cable:a1" is not a selector and a number'),
        (("posture", "--input", "cable:q*"), 2, 'error: "cable:q*" selects no cable; there are 7: a1, a2'),
        (("posture", "--input", "node:21"), 2, 'error: inputs: "node:21" selects nodes; cables and bars are commanded'),
        (
            ("posture", "--mode", "cable:a*=pull"),
            2,
            'error: --mode "cable:a*=pull" is not a selector and one of tension',
        ),
        (
            ("posture", "--mode", "cable:a*=spring"),
            2,
            'error: cable "a1" cannot be a spring: its stiffness is not known',
        ),
        (("posture", "--save", "prismatic.yaml"), 2, "prismatic.yaml: is the model itself; give another name with -o"),
        (("posture", "--page", "x.png"), 2, "x.png: a page's name must end in .html"),
        (("posture", "--several", 0), 2, "error: tries = 0 and spread = 0.05 must be more than zero"),
        (("follow", "--circle", 0.01, "--plate", "tip"), 2, 'error: no plate "tip"; did you mean "top"?'),
        (("follow", "--circle", 0.01, "--level", "tip"), 2, 'error: no plate "tip"; did you mean "top"?'),
        (("follow", "--circle", 0.01, "--plate", "top", "--node", "21"), 2, "error: give either --plate or --node"),
        (("follow", "--circle", 0.01, "--node", "2*"), 2, 'error: --node "2*" is not the name of one node'),
        (("follow", "--circle", 0.01, "--node", "99"), 2, 'error: "99" selects no'),
        (("follow",), 2, "error: give either --path FILE or --circle RADIUS"),
        (("follow", "--circle", 0.01, "--path", "way.csv"), 2, "error: give either --path FILE or --circle RADIUS"),
        (("follow", "--circle", -1), 2, "error: a circle of radius -1 m in 30 s with 61 samples makes no path"),
        (
            ("follow", "--circle", 0.01, "--samples", 10**10),
            2,
            "error: samples = 10000000000 would take about 5e+04 GB",
        ),
        (("follow", "--path", "way.csv"), 2, "way.csv: there is no such file"),
        (
            ("follow", "--circle", 0.01, "--out", "x.txt"),
            2,
            "x.txt: a path is written as a table (.csv) or as a run file",
        ),
        (
            ("follow", "--circle", 0.01, "--hold-sum", "270"),
            2,
            'error: --hold-sum "270" is not a selector and a number',
        ),
        (("follow", "--circle", 0.01, "--hold-sum", "cable:q*=270"), 2, 'error: "cable:q*" selects no cable'),
        (
            ("follow", "--circle", 0.01, "--lowest", 80, "--highest", 70),
            2,
            'error: tension limits of "cable:*": lowest = 80 N is above highest = 70 N',
        ),
        (
            ("follow", *PULLED, "--circle", 0.01, "--lowest", "cable:a*=80", "--highest", "cable:a1=70"),
            2,
            'error: limits exclude each other: tension limits of "cable:a*" asks for at least 80 N of a1, and',
        ),
        (
            ("follow", *PULLED, "--circle", 0.01, "--set", "cable:a1=150"),
            1,
            "prismatic.yaml: no posture was found with",
        ),
    ],
)
def test_what_goes_wrong_is_said(taut: Callable, model: Path, arguments: tuple, code: int, message: str) -> None:
    told = taut(arguments[0], model, *arguments[1:])
    assert told.code == code
    assert told.err.startswith(message)


def test_tasks_that_cannot_be_done_are_named(taut: Callable, model: Path) -> None:
    two = ("--circle", 0.01, "--samples", 2)
    idle = taut("follow", model, *PULLED, *two, "--hold-sum", "cable:p*=200")
    assert idle.code == 1
    assert idle.err.startswith("prismatic.yaml: from t = 0 s to 30 s, 2 samples: not reached: ")
    assert "no input moves sum of tensions of cable:p* here, so it is singular" in idle.err
    crossed = taut("follow", model, *PULLED, *SUM, *two, "--level", "top")
    assert crossed.code == 1
    assert 'tasks contradict one another: task 1, position of plate "top"' in crossed.err
    assert "5 numbers are asked for and 3 inputs move 3 of them independently" in crossed.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time,a,b\n0,1,2\n", "way.csv: has no column x, y or z; write time, x, y, z into its first line"),
        ("time,x,y\n0,0,0\n1,,0\n", "way.csv: x is empty at t = 1 s and told at other times; fill the column"),
        ("time,x,y\n0,0,0\n1,far,0\n", 'way.csv:3: column "x": "far" is not a number'),
        ("time,x,y\n1,0,0\n0,0,0\n", 'way.csv:3: column "time": 0 s comes after 1 s; times must rise'),
        ("x,y\n1,0\n0,0\n", "way.csv: no column holds the time"),
        ("time,x,y\n", "way.csv: has titles but no rows"),
        ("", "way.csv: has no column x, y or z"),
    ],
)
def test_paths_that_cannot_be_read(taut: Callable, model: Path, text: str, message: str) -> None:
    Path("way.csv").write_text(text)
    told = taut("follow", model, *HELD, "--path", "way.csv")
    assert told.code == 2
    assert told.err.startswith(message)
