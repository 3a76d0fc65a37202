"""`taut identify`: the same numbers as in Python, tables, CSV, JSON, the model it writes, and what goes wrong."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import taut as library
from taut.measurement import AtRest, InMotion, Measurements, Unknown, identify
from taut.output.model_runs import assembled
from taut.statics import LoadCase, solve_cases

MAST = """\
taut: 1
name: mast
nodes: {foot: [0, 0, 0], a: [1, 0, 0], b: [-0.5, 0.9, 0], c: [-0.5, -0.9, 0], top: [0, 0, 1]}
bars: {mast: {nodes: [foot, top], mass: 1}}
cables: {west: [a, top], east: [b, top], north: [c, top]}
properties: {"cable:*": {stiffness: 1e4, tension: 100, damping: 5}}
supports: {foot: xyz, a: xyz, b: xyz, c: xyz}
point_masses: {top: 2}
scenario: {duration: 0.2, every: 0.01, loads: {push: {node: top, axis: x, signal: 20}}}
"""
CASE = LoadCase(loads={"top": (0.0, 60.0, -100.0)})
KNOWN = ("--deviation", "node:*=1e-5", "--deviation", "cable:*=0.1")
DEVIATIONS = {"node:*": 1e-5, "cable:*": 0.1}


@pytest.fixture
def mast(tmp_path: Path) -> Path:
    """Its western cable is softer than drawn; two states at rest and a motion were measured."""
    (tmp_path / "mast.yaml").write_text(MAST)
    model = library.read_model(tmp_path / "mast.yaml")
    built = model.structure.changed("cable:west", stiffness=8e3)
    own = LoadCase(loads={"top": (20.0, 0.0, 0.0)})
    truth = solve_cases(built, {"own": own, "wind": CASE})
    noise = np.random.default_rng(4).normal
    top, cells = list(built.nodes).index("top"), tuple(f"cable:{name}" for name in built.cables)
    for k, name in enumerate(("own", "wind")):
        nodes = truth.nodes[k, [top]][None] + 1e-5 * noise(size=(1, 1, 3))
        forces = truth.member_force[k, :3][None] + 0.1 * noise(size=(1, 3))
        library.save(Measurements(np.zeros(1), ("top",), nodes, cells, forces), tmp_path / f"{name}.csv")
    run = library.simulate(assembled(built, model.scenario), 0.2, every=0.01)
    seen = run.nodes[:, [top]] + 1e-5 * noise(size=(21, 1, 3))
    library.save(Measurements(run.time, ("top",), seen), tmp_path / "film.csv")
    return Path("mast.yaml")


def test_states_at_rest(taut: Callable, mast: Path) -> None:
    given = (mast, "own.csv", "wind.csv", "--case", "wind.csv={loads: {top: [0, 60, -100]}}", *KNOWN)
    told = ("--unknown", "cable:*.stiffness", "--together", "cable:*.rest_length")
    code, out, err = taut("identify", *given, *told, "--csv", "found.csv", "-o", "better.yaml")
    assert (code, err) == (0, "")
    model = library.read_model(mast)
    states = [
        AtRest(library.measurement.read_measurements(name, structure=model.structure), case)
        for name, case in (("own.csv", LoadCase(loads={"top": (20.0, 0.0, 0.0)})), ("wind.csv", CASE))
    ]
    wanted = identify(
        model.structure,
        states,
        [Unknown("cable:*", "stiffness"), Unknown("cable:*", "rest_length", together=True)],
        deviations=DEVIATIONS,
    )
    head, first, *_ = out.splitlines()
    assert head.split() == ["parameter", "unit", "start", "estimate", "deviation", "2.5", "%", "97.5", "%"]
    assert first.split()[:4] == ["cable:west.stiffness", "N/m", "10000", f"{wanted.estimate[0]:.6g}"]
    assert wanted.estimate[0] == pytest.approx(8e3, rel=0.01)
    assert f"\n{wanted.verdict}\n" in out
    assert out.endswith("table: found.csv\nmodel file: better.yaml\n")
    with open("found.csv", newline="", encoding="utf-8") as stream:
        assert float(next(csv.DictReader(stream))["estimate"]) == wanted.estimate[0]
    assert library.read_model("better.yaml").structure.cables["west"].stiffness == wanted.estimate[0]
    facts = json.loads(taut("identify", *given, *told, "--json").out)
    assert facts["table"]["estimate"] == wanted.estimate.tolist()
    assert (facts["ok"], facts["freedom"]) == (True, wanted.freedom)


def test_a_motion(taut: Callable, mast: Path) -> None:
    told = ("--unknown", "cable:west.stiffness=9e3", "--deviation", "node:*=1e-5")
    facts = json.loads(taut("identify", mast, "--motion", "film.csv", *told, "--json").out)
    model = library.read_model(mast)
    film = library.measurement.read_measurements("film.csv", structure=model.structure)
    unknown = Unknown("cable:west", "stiffness", start=9e3)
    wanted = identify(model.structure, [InMotion(film, model.scenario)], [unknown], deviations={"node:*": 1e-5})
    assert facts["table"]["estimate"] == wanted.estimate.tolist()
    assert facts["table"]["start"] == [9e3]


def test_what_cannot_be_told_and_what_does_not_fit(taut: Callable, mast: Path) -> None:
    both = ("--unknown", "cable:west.stiffness", "--unknown", "cable:west.rest_length")
    code, out, _ = taut("identify", mast, "own.csv", *both, *KNOWN)
    assert code == 0
    assert "\nundetermined: only together: cable:west." in out
    assert out.splitlines()[1].split()[-3:] == ["-", "0", "-"]
    facts = json.loads(taut("identify", mast, "own.csv", *both, *KNOWN, "--json").out)
    assert facts["table"]["standard_error"] == [None, None]
    code, out, err = taut("identify", mast, "own.csv", "wind.csv", "--unknown", "cable:west.stiffness", *KNOWN)
    assert code == 1
    assert "cable:west.stiffness" in out
    assert err.startswith("mast.yaml: the model does not fit: chi-square ")
    err = taut("identify", mast, "film.csv", "--unknown", "cable:west.stiffness", *KNOWN).err
    assert err.endswith(
        "21 rows of film.csv were taken as readings of one state at rest; if it moved, say --motion film.csv\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("own.csv", *KNOWN), 'nothing is unknown: say what to find, as in --unknown "cable:*.stiffness"'),
        (("own.csv", "--unknown", "cable:*.stiffness"), "nothing says how well it was measured: give --deviation"),
        (("--unknown", "cable:*.stiffness", *KNOWN), "nothing was measured: name a file of a state at rest, or --mot"),
        (("own.csv", "--unknown", "stiffness", *KNOWN), '--unknown "stiffness" is not a selector and a quantity, as'),
        (("own.csv", "--unknown", "cable:*.stiffness=x", *KNOWN), '"cable:*.stiffness=x" is not a selector and a q'),
        (("own.csv", "--unknown", "cable:*.stifness", *KNOWN), "stifness"),
        (("own.csv", "--unknown", "cable:q*.stiffness", *KNOWN), '"cable:q*" selects no cable'),
        (("own.csv", "--unknown", "cable:*.mass", "--deviation", "node:*"), '--deviation "node:*" is not a selector'),
        (
            ("own.csv", "--unknown", "cable:*.stiffness", *KNOWN, "--case", "won.csv={gravity: 0}"),
            '--case "won.csv" is not one of the files measured at rest; did you mean "own.csv"?',
        ),
        (("missing.csv", "--unknown", "cable:*.stiffness", *KNOWN), "missing.csv: there is no such file"),
        (("own.csv", "--unknown", "cable:*.stiffness", *KNOWN, "-o", "mast.yaml"), "is the model itself; give another"),
        (("own.csv", "--unknown", "cable:*.stiffness", *KNOWN, "--csv", "x.txt"), "a table's name must end in .csv"),
        (("own.csv", "--unknown", "cable:*.stiffness", *KNOWN, "--noise", "much"), 'noise = "much" is not one of'),
    ],
)
def test_bad_options(taut: Callable, mast: Path, options: tuple[str, ...], message: str) -> None:
    code, out, err = taut("identify", mast, *options)
    assert (code, out) == (2, "")
    assert message in err
