"""Results as tables: CSV files, pandas, xarray, all with the same names."""

from __future__ import annotations

import csv
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taut
from taut.errors import FileError, OptionError
from taut.labelled import Labelled, Variable
from taut.statics import LoadCase, elastic_sizes, path, solve_cases, utilisation

STEEL = taut.Material("steel", density=7850.0, youngs_modulus=2.1e11, yield_stress=2.5e8)


@cache
def mast() -> taut.Structure:
    nodes = {"foot": (0, 0, 0), "left": (-1, 0, 0), "right": (1, 0, 0), "top": (0.0, 0, 1)}
    held = {"foot": "xyz", "left": "xyz", "right": "xyz", "top": "y"}
    bars = [taut.Bar("mast", ("foot", "top"), material=STEEL, radius=0.01, law="compressible")]
    stays = [taut.Cable(n, (e, "top"), material=STEEL, radius=0.002) for n, e in (("west", "left"), ("east", "right"))]
    loose = taut.Structure(nodes, bars, stays, held, name="mast")
    return taut.prestress(loose, {"cable:*": 100.0}).structure


@cache
def everything() -> dict[str, Any]:
    plant = taut.assemble(mast(), gravity=9.81, loads=[taut.Load("top", "x", 3.0)])
    run = taut.simulate(plant, 2e-4, every=1e-4)
    standing = taut.balance(mast(), gravity=9.81)
    cases = {"weight": LoadCase(gravity=9.81), "wind": LoadCase(loads={"top": (20.0, 0.0, 0.0)})}
    table = solve_cases(mast(), cases)
    return {
        "run": run,
        "ensemble": taut.ensemble(plant, 2e-4, velocities=np.zeros((2, 4, 3)), every=1e-4, method="rk4", step=1e-5),
        "equilibrium": standing,
        "modes": taut.modes(standing, 2),
        "utilisation": utilisation(standing),
        "table": table,
        "envelope": table.envelope(),
        "path": path(mast(), cases["wind"]),
        "sizes": elastic_sizes(mast(), cases),
    }


def written(thing: Any, folder: Path) -> dict[str, list[str]]:
    taut.save(thing, folder / "x.csv")
    with open(folder / "x.csv", newline="", encoding="utf-8") as stream:
        head, *rows = csv.reader(stream)
    assert len({*head}) == len(head)
    return dict(zip(head, map(list, zip(*rows, strict=True)), strict=True))


def test_a_run_has_one_row_a_sample(tmp_path: Path) -> None:
    run = everything()["run"]
    found = written(run, tmp_path)
    assert list(found) == [
        "time",
        *(f"node:{node}.{axis}" for node in mast().nodes for axis in "xyz"),
        *(f"node:{node}.velocity.{axis}" for node in mast().nodes for axis in "xyz"),
        *("cable:west.length", "cable:east.length", "cable:west.tension", "cable:east.tension", "bar:mast.force"),
        *(f"node:{node}.reaction.{axis}" for node in run.supports for axis in "xyz"),
        *("load:top.x", "energy_kinetic", "energy_elastic", "energy_gravity", "work"),
        *("energy_violation", "length_violation", "rate_violation"),
    ]
    assert [float(t) for t in found["time"]] == run.time.tolist()
    assert [float(f) for f in found["cable:west.tension"]] == run.tension("west").tolist(), "to the last bit"
    assert [float(x) for x in found["node:top.z"]] == run.node("top")[:, 2].tolist()


def test_columns_of_one_name_are_refused() -> None:
    """The place of a node "top.velocity" would stand where the velocity of "top" does."""
    places = np.zeros((1, 2, 3))
    variables = {
        "nodes": Variable(("time", "node", "axis"), "m", "", "node:{node}.{axis}"),
        "velocities": Variable(("time", "node", "axis"), "m/s", "", "node:{node}.velocity.{axis}"),
    }
    labels = {"time": np.zeros(1), "node": ("top", "top.velocity"), "axis": ("x", "y", "z")}
    both = Labelled(("time",), labels, variables, {"nodes": places, "velocities": places + 1.0})
    with pytest.raises(OptionError, match='two columns of the table would be "node:top.velocity.x"'):
        both.columns()


def test_an_equilibrium_has_a_row_a_member_and_its_reactions(tmp_path: Path) -> None:
    standing = everything()["equilibrium"]
    found = written(standing, tmp_path)
    assert list(found) == ["part", "force", "force_density", "length", "rest_length"]
    assert found["part"][:4] == ["cable:west", "cable:east", "bar:mast", "node:foot.reaction.x"]
    assert [float(f) for f in found["force"][:3]] == standing.member_force.tolist()
    assert [float(f) for f in found["force"][3:]] == standing.reaction.ravel().tolist()
    assert float(found["rest_length"][0]) == standing.structure.cables["west"].rest_length
    assert found["rest_length"][2:] == [""] * 13, "what is not there is empty"


def test_load_cases_have_a_column_each(tmp_path: Path) -> None:
    table = everything()["table"]
    found = written(table, tmp_path)
    assert list(found) == ["part", "force.weight", "force.wind", "utilisation.weight", "utilisation.wind"]
    assert [float(f) for f in found["force.wind"]] == [*table.member_force[1], *table.reaction[1].ravel()]
    assert float(found["utilisation.weight"][2]) == table.utilisation[0, 2]


@pytest.mark.parametrize(
    ("thing", "names", "rows"),
    [
        ("modes", ["mode", "frequency", "residual", "node:foot.x"], 2),
        ("utilisation", ["member", "force", "share", "governed"], 3),
        ("envelope", ["member", "lowest", "lowest_in", "highest", "highest_in"], 3),
        ("path", ["point", "factor", "unstable", "event", "node:foot.x"], None),
        ("sizes", ["member", "area", "radius", "governed", "lowest_force", "highest_force"], 3),
        ("ensemble", ["variant", "time", "node:foot.x"], 6),
    ],
)
def test_the_others_say_what_their_rows_are(thing: str, names: list[str], rows: int | None, tmp_path: Path) -> None:
    found = written(everything()[thing], tmp_path)
    assert list(found)[: len(names)] == names
    assert len(found[names[0]]) == (rows or everything()["path"].factor.size)


def test_the_events_of_a_path_are_in_its_table(tmp_path: Path) -> None:
    bent = path(mast(), LoadCase(loads={"top": (400.0, 0.0, 0.0)}))
    found = written(bent, tmp_path)
    (slack,) = (k for k, event in enumerate(found["event"]) if event == "slack east")
    assert abs(float(found["cable:east.force"][slack])) < 1e-6 < float(found["cable:east.force"][0])


def test_a_study_has_one_row_a_point(tmp_path: Path) -> None:
    model = taut.read_model(Path(__file__).parents[2] / "examples" / "tbar.yaml", ["scenario.duration=0.01"])
    study = taut.sweep(model, {"properties.cable:*.stiffness": (50.0, 100.0)})
    found = written(study, tmp_path)
    assert [float(k) for k in found["properties.cable:*.stiffness"]] == [50.0, 100.0]
    assert found["status"] == ["finished", "finished"]
    assert [float(t) for t in found["cable:c2.max_tension"]] == study.max_tension[:, 1].tolist()


@pytest.mark.parametrize(
    "thing", ["run", "ensemble", "equilibrium", "modes", "utilisation", "table", "envelope", "path", "sizes"]
)
def test_pandas_and_csv_have_the_same_columns(thing: str, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = everything()[thing].to_dataframe()
    taut.save(everything()[thing], tmp_path / "x.csv")
    texts = [name for name in frame if frame[name].dtype.kind not in "fiu"]
    again = pandas.read_csv(tmp_path / "x.csv")
    frame[texts], again[texts] = frame[texts].astype(object), again[texts].astype(object).fillna("")
    pandas.testing.assert_frame_equal(frame, again, rtol=1e-15, check_dtype=False)


def test_xarray_has_labels_and_units() -> None:
    pytest.importorskip("xarray")
    run = everything()["run"].to_xarray()
    assert run.cable_tension.sel(cable="west").values.tolist() == everything()["run"].tension("west").tolist()
    assert run.nodes.sel(node="top", axis="z").attrs["units"] == "m"
    assert run.attrs["status"] == "finished"
    table = everything()["table"].to_xarray()
    assert table.member_force.sel(case="wind", member="bar:mast") == everything()["table"].member_force[1, 2]
    assert everything()["equilibrium"].to_xarray().reaction.dims == ("support", "axis")
    assert everything()["ensemble"].to_xarray().nodes.dims == ("variant", "time", "node", "axis")
    assert everything()["modes"].to_xarray().shapes.sel(mode=1).shape == (4, 3)
    for thing in everything().values():
        assert thing.to_xarray().sizes


def test_the_run_file_and_xarray_say_the_same(tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    taut.save(everything()["run"], tmp_path / "x.nc")
    with xarray.open_dataset(tmp_path / "x.nc", engine="h5netcdf") as stored:
        own = everything()["run"].to_xarray()
        for name in own.data_vars:
            np.testing.assert_array_equal(stored[name].values, own[name].values)
            assert stored[name].dims == own[name].dims


@pytest.mark.parametrize(
    ("missing", "ask", "said"),
    [
        ("pandas", "to_dataframe", r'^pandas is not installed; pip install pandas, or taut.save\(..., "x.csv"\)$'),
        ("xarray", "to_xarray", "^xarray is not installed; pip install xarray$"),
    ],
)
def test_what_is_not_installed_is_said(missing: str, ask: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(OptionError, match=said):
        getattr(everything()["modes"], ask)()


@pytest.mark.parametrize(
    ("thing", "name", "said"),
    [
        ("table", "x.yaml", "x.yaml: a LoadCaseTable is saved as .csv"),
        ("equilibrium", "x.nc", "x.nc: an Equilibrium is saved as .csv"),
        ("run", "x.txt", "x.txt: a Trajectory is saved as .nc or .csv"),
    ],
)
def test_a_name_that_does_not_fit(thing: str, name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=f"{said}$"):
        taut.save(everything()[thing], tmp_path / name)
    assert not list(tmp_path.iterdir())
