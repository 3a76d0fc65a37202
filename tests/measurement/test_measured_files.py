"""Markers and tensions from CSV: names, units, gaps, and what is wrong with a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taut
from taut.measurement import Measurements, read_measurements


@pytest.fixture
def prism() -> taut.Structure:
    return taut.generators.prism(3).changed("cable:*", stiffness=1e4, rest_ratio=0.95)


def written(folder: Path, text: str) -> Path:
    path = folder / "measured.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_was_saved_is_read_again(tmp_path: Path, prism: taut.Structure) -> None:
    rng = np.random.default_rng(1)
    nodes = prism.positions[None, 3:] + rng.normal(size=(4, 3, 3))
    nodes[1, 2, 0] = np.nan
    tension = rng.normal(size=(4, 2)) * 100.0
    tension[3] = np.nan
    given = Measurements(np.arange(4.0) / 3.0, tuple(prism.nodes)[3:], nodes, ("cable:top1", "bar:bar1"), tension)
    taut.save(given, tmp_path / "m.csv")
    found = read_measurements(tmp_path / "m.csv")
    for name in ("time", "nodes", "tension"):
        np.testing.assert_array_equal(getattr(found, name), getattr(given, name))
    assert (found.node_names, found.member_names) == (given.node_names, given.member_names)


def test_a_run_saved_as_csv_is_a_measured_file(tmp_path: Path, prism: taut.Structure) -> None:
    run = taut.simulate(taut.assemble(prism, gravity=9.81), 1e-3, every=5e-4)
    taut.save(run, tmp_path / "run.csv")
    found = read_measurements(tmp_path / "run.csv", structure=prism)
    assert found.node_names == tuple(prism.nodes)
    np.testing.assert_array_equal(found.nodes, run.nodes)
    np.testing.assert_array_equal(found.tension, np.concatenate([run.cable_tension, run.bar_force], axis=1))


def test_any_order_names_units_and_gaps(tmp_path: Path, prism: taut.Structure) -> None:
    path = written(
        tmp_path,
        "LC 2,Marker 3 Z,remark,t [ms],Marker 3 X\n0.5,1000,start,0,10\n\n,nan,lost,10,20\n1.0,990,back,20,\n",
    )
    names = {"Marker 3 X": "node:top1.x", "Marker 3 Z": "node:top1.z", "LC 2": "cable:top1.tension"}
    scale = {"position": "mm", "LC 2": 1e3}
    found = read_measurements(path, columns={**names, "t [ms]": "time"}, structure=prism, scale=scale)
    np.testing.assert_allclose(found.time, [0.0, 0.01, 0.02])
    nan = np.nan
    np.testing.assert_allclose(found.nodes[:, 0], [[0.01, nan, 1.0], [0.02, nan, nan], [nan, nan, 0.99]])
    np.testing.assert_allclose(found.tension[:, 0], [500.0, nan, 1000.0])


def test_a_unit_in_a_title_counts_before_that_of_its_kind(tmp_path: Path) -> None:
    """And one that was told of the very title before both."""
    path = written(tmp_path, "time (UTC),time [ms],node:a.x [m],node:a.y,node:a.z [kN],F (LC 2)\nnoon,5,1,1,1,1\n")
    scale = {"position": "mm", "node:a.z [kN]": "cm"}
    found = read_measurements(path, columns={"F (LC 2)": "cable:c.tension"}, scale=scale)
    np.testing.assert_allclose(found.nodes[0, 0], [1.0, 1e-3, 1e-2])
    assert (found.time[0], found.tension[0, 0]) == (0.005, 1.0)


def test_semicolons_with_decimal_commas(tmp_path: Path) -> None:
    found = read_measurements(written(tmp_path, "\ufefftime;node:a.x\n0,5;1,25\n1,5;-2,5e-1\n"))
    np.testing.assert_array_equal(found.time, [0.5, 1.5])
    np.testing.assert_array_equal(found.nodes[:, 0, 0], [1.25, -0.25])


def test_titles_further_down_and_no_times(tmp_path: Path) -> None:
    path = written(tmp_path, "made by a camera\n25 Hz\nnode:a.x\tnode:a.z\n1\t2\n3\t4\n")
    found = read_measurements(path, header_line=3, every=0.04)
    np.testing.assert_array_equal(found.time, [0.0, 0.04])
    assert found.nodes[1, 0, 2] == 4.0


def test_a_single_row_is_a_structure_at_rest(tmp_path: Path) -> None:
    found = read_measurements(written(tmp_path, "cable:c.tension,bar:b.force\n5,-3\n"))
    assert found.time.tolist() == [0.0]
    assert found.tension.tolist() == [[5.0, -3.0]]


NAMES = {"X": "node:top1.x", "t": "time"}


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("t,Y\n0,1\n", {"columns": NAMES}, r'm.*csv:1: there is no column "X", which is to hold node:top1.x; the file'),
        (
            "t,Marker X\n0,1\n",
            {"columns": {"Marker x": "node:top1.x"}},
            r'no column "Marker x".*did you mean "Marker X"\?',
        ),
        (
            "t,X\n0,1\n",
            {"columns": {"X": "node:top9.x"}},
            r'column "X": the structure has no node "top9"; did you mean',
        ),
        ("cable:topp1.tension\n1\n", {}, r'has no cable "topp1"; did you mean "cable:top1"\?'),
        (
            "t,X\n0,1\n",
            {"columns": {"X": "top1.x"}},
            r'columns\["X"\] = "top1.x" is nothing that is measured; write "time"',
        ),
        ("t,X\n0,1\n0.1,high\n", {"columns": NAMES}, r'measured.csv:3: column "X": "high" is not a number'),
        ("t,X\n0,1\n0.1,inf\n", {"columns": NAMES}, r'measured.csv:3: column "X": "inf" is not a number'),
        ("t,X\n0,1\n0.1\n", {"columns": NAMES}, "measured.csv:3: has 1 cells, but there are 2 titles"),
        (
            "t,X\n0,1\n\n0.2,1\n0.1,1\n",
            {"columns": NAMES},
            r'csv:5: column "t": 0.1 s comes after 0.2 s; times must rise',
        ),
        ("t,X\n0,1\n0,1\n", {"columns": NAMES}, r"csv:3: column .t.: 0 s is there twice, in line 2 too"),
        ("t,X\n0,1\n,1\n", {"columns": NAMES}, r'csv:3: column "t": this row has no time'),
        ("t,X\n", {"columns": NAMES}, "measured.csv: has titles but no rows"),
        ("", {}, "measured.csv: has no line 1, where the titles"),
        ("t,X\n0,\n1,nan\n", {"columns": NAMES}, "has no number: every cell of a position or tension is empty"),
        ("a,b\n0,1\n", {}, r'csv:1: no column holds a position or a tension; name them "time", "node:NAME.x"'),
        ("X,Y\n0,1\n0,2\n", {"columns": {"X": "node:top1.x"}}, "no column holds the time; name it"),
        (
            "time,node:top1.x [kN]\n0,1\n",
            {},
            r'csv:1: column "node:top1.x \[kN\]": "kN" is a unit of tension, and it holds',
        ),
        (
            "time,cable:top1.tension (mm)\n0,1\n",
            {"scale": {"tension": "kN"}},
            '"mm" is a unit of position, and it holds',
        ),
        (
            "t,F [N]\n0,1\n",
            {"columns": {"F [N]": "node:top1.x"}},
            r'"N" is a unit of tension.*scale=\{"F \[N\]": ...\}',
        ),
        (
            "time,node:top1.z,node:top1.x [mil]\n0,1,2\n",
            {},
            '"mil" is no unit of position that is known; there are m, dm',
        ),
        ("X,node:top1.x\n0,1\n", {"columns": {"X": "node:top1.x"}}, 'columns "X" and "node:top1.x" hold the same'),
    ],
)
def test_bad_files(tmp_path: Path, prism: taut.Structure, text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(taut.ModelError, match=message):
        read_measurements(written(tmp_path, text), structure=prism, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": {"positions": "mm"}}, r'scale\["positions"\] is for no column of the file; did you mean "position"'),
        ({"scale": {"position": "mmm"}}, r'scale\["position"\] = "mmm" is no unit of position; did you mean "mm"\?'),
        ({"scale": {"node:top1.x": 0.0}}, r'scale\["node:top1.x"\] = 0.0 must be a finite number other than zero'),
        ({"every": 0.1}, 'every = 0.1 s is told, but column "time" holds the time'),
        ({"header_line": 0}, "header_line = 0 must be at least 1"),
        ({"columns": ["time"]}, "read_measurements: columns: "),
    ],
)
def test_bad_options(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(taut.OptionError, match=message):
        read_measurements(written(tmp_path, "time,node:top1.x\n0,1\n"), **options)


@pytest.mark.parametrize(("factor", "unit"), [(1e3, "mm"), (1e2, "cm"), (1.0 / 0.0254, "in")])
def test_positions_in_other_units(tmp_path: Path, prism: taut.Structure, factor: float, unit: str) -> None:
    given = Measurements([0.0], tuple(prism.nodes), factor * prism.positions[None])
    taut.save(given, tmp_path / "m.csv")
    with pytest.raises(taut.ModelError, match=rf"times as far apart as their nodes; if they are in {unit}, say scale="):
        read_measurements(tmp_path / "m.csv", structure=prism)
    found = read_measurements(tmp_path / "m.csv", structure=prism, scale={"position": unit})
    np.testing.assert_allclose(found.nodes[0], prism.positions, rtol=1e-12)
    assert read_measurements(tmp_path / "m.csv", structure=prism, scale={"position": 1.0}).nodes.max() > 10.0


def test_a_marker_alone_and_tensions_in_other_units(tmp_path: Path, prism: taut.Structure) -> None:
    path = written(tmp_path, "node:top1.x,node:top1.y,node:top1.z,cable:top1.tension\n200,100,1000,0.4\n")
    with pytest.raises(taut.ModelError, match="the marker is 1e.03 times as far.*if they are in mm") as caught:
        read_measurements(path, structure=prism)
    assert "tensions are 0.000" in str(caught.value)
    assert 'if they are in kN, say scale={"tension": "kN"}' in str(caught.value)
