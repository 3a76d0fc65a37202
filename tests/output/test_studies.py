"""Studies: what they hold against single runs, wherever they are computed; processes that die; files and journals."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.dynamics import driver
from taut.errors import FileError, ModelError, OptionError
from taut.output.study import workers
from taut.output.study.grid import grid_of
from taut.output.study.journal import journal_of, opened_journal
from taut.output.study.plan import Plan
from taut.output.study.points import Variant
from taut.output.study.quantities import QUANTITIES, TIMES, outcome
from taut.output.study.store import load_study
from taut.output.study.study import NOT_YET, Study, study_of
from taut.output.study.sweep import sweep

TBAR = Path(__file__).parents[2] / "examples" / "tbar.yaml"
STIFFNESS = "properties.cable:*.stiffness"


@pytest.fixture(scope="module")
def short() -> taut.Model:
    """The T-bar for half a second, forty samples."""
    return taut.read_model(TBAR, ["scenario.duration=0.5", "scenario.every=0.0125"])


def assert_same_study(one: Study, other: Study, but: tuple[str, ...] = TIMES) -> None:
    """To the last bit, but for the time it took."""
    assert (one.keys, one.values, one.names) == (other.keys, other.values, other.names)
    assert one.status.tolist() == other.status.tolist()
    for name in QUANTITIES:
        if name not in but:
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name


def test_a_study_has_every_quantity_and_nothing_else() -> None:
    assert {field.name for field in fields(Study)} == {*QUANTITIES, "plan", "status", "names"}


@pytest.mark.parametrize("part", [driver.CHUNK, 1000], ids=["in one part", "in many parts"])
def test_points_are_what_single_runs_give(short: taut.Model, monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    monkeypatch.setattr(driver, "CHUNK", part)
    found = taut.sweep(short, {STIFFNESS: [80, 120.5], "scenario.gravity": "0:9.81:2"})
    assert found.ok.all()
    assert found.shape == (2, 2)
    assert "4 of 4 points finished" in repr(found)
    for i, stiffness in enumerate((80.0, 120.5)):
        for j, gravity in enumerate((0.0, 9.81)):
            structure = short.structure.changed("cable:*", stiffness=stiffness)
            plant = taut.assemble(structure, gravity=gravity)
            run = taut.simulate(plant, 0.5, every=0.0125, tolerance=1e-10)
            far = np.linalg.norm(run.nodes - run.nodes[0], axis=2)
            assert found.nodes[i, j].tobytes() == run.nodes[-1].tobytes()
            np.testing.assert_allclose(found.max_displacement[i, j], far.max(axis=0), rtol=1e-15, atol=0.0)
            assert found.max_tension[i, j].tolist() == run.cable_tension.max(axis=0).tolist()
            assert found.min_tension[i, j].tolist() == run.cable_tension.min(axis=0).tolist()
            assert found.max_bar_force[i, j].tolist() == run.bar_force.max(axis=0).tolist()
            assert found.min_bar_force[i, j].tolist() == run.bar_force.min(axis=0).tolist()
            for name in ("energy_kinetic", "energy_elastic", "energy_gravity", "work"):
                assert getattr(found, name)[i, j] == getattr(run, name)[-1], name
            for name in ("length", "rate", "energy"):
                worst = np.abs(getattr(run, f"{name}_violation")).max()
                assert getattr(found, f"worst_{name}")[i, j] == worst, name
            assert found.reached[i, j] == 0.5
            assert found.steps[i, j] == run.counts["steps"]
    assert (found.cpu_time > 0.0).all()
    assert (found.wall_time > 0.0).all()


def test_stiffer_springs_only_hasten_what_has_no_weight(short: taut.Model) -> None:
    """Four times the stiffness: half the time, the same shapes, four times the forces."""
    soft = taut.sweep(short, {STIFFNESS: [100]})
    fast = taut.read_model(TBAR, ["scenario.duration=0.25", "scenario.every=0.00625"])
    stiff = taut.sweep(fast, {STIFFNESS: [400]})
    np.testing.assert_allclose(stiff.nodes, soft.nodes, atol=1e-9)
    np.testing.assert_allclose(stiff.max_tension, 4.0 * soft.max_tension, atol=1e-6)
    np.testing.assert_allclose(stiff.energy_kinetic, 4.0 * soft.energy_kinetic, rtol=1e-8)


def test_the_same_bits_whatever_the_number_of_jobs(short: taut.Model) -> None:
    axes = {STIFFNESS: "50:200:4", "scenario.method": "dp5,dp8,nonsense"}
    alone = taut.sweep(short, axes)
    assert (alone.ok.sum(), alone.ok[:, 2].any()) == (8, False)
    assert_same_study(taut.sweep(short, axes, jobs=3), alone)


def test_failed_points_are_told_with_their_values(short: taut.Model) -> None:
    found = taut.sweep(short, {STIFFNESS: [-1, 100], "scenario.step": [0.1, 0.4]}, output=None)
    assert not found.ok.any()
    why = found.failures()
    assert list(why) == [f"{STIFFNESS}={k}, scenario.step={h}" for k in (-1, 100) for h in (0.1, 0.4)]
    assert "stiffness: -1 N/m must be more than zero" in why[f"{STIFFNESS}=-1, scenario.step=0.1"]
    assert all(sentence.startswith("could not begin: ") for sentence in why.values())
    assert np.isnan(found.nodes).all()
    assert found.nodes.shape == (2, 2, 0, 3), "nothing ever had a node"


def test_a_run_that_stops_keeps_what_it_reached() -> None:
    model = taut.read_model(TBAR, ["scenario={duration: 40, every: 1, method: rk4, step: 0.01, correction: none}"])
    found = taut.sweep(model, {"scenario.step": [0.01, 0.9]})
    assert found.ok.tolist() == [True, False]
    assert found.status[1].startswith("stopped at t = ")
    assert 0.0 < found.reached[1] < 40.0
    assert np.isfinite(found.max_tension[1]).all()


def test_structures_may_differ_from_point_to_point(tmp_path: Path) -> None:
    told = """
taut: 1
generate: {tower: {stages: 1, radius: 0.3, height: 0.6}}
supports: {bottom1: xyz, bottom2: xyz, bottom3: xyz}
scenario: {duration: 0.01, every: 0.005, gravity: 9.81}
"""
    path = tmp_path / "tower.yaml"
    path.write_text(told)
    found = taut.sweep(path, {"generate.tower.stages": "3:1:3"})
    assert found.status.tolist() == ["finished"] * 3
    whole = taut.read_model(path, ["generate.tower.stages=3"]).structure
    assert set(whole.nodes) <= set(found.names["node"])
    single = taut.read_model(path, ["generate.tower.stages=1"]).structure
    there = [found.names["node"].index(name) for name in single.nodes]
    missing = sorted({*range(len(found.names["node"]))} - {*there})
    assert np.isfinite(found.nodes[2, there]).all()
    assert missing
    assert np.isnan(found.nodes[2, missing]).all()


def test_bad_calls_are_refused(short: taut.Model, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r'--set cables.c9.stiffness=1: there is no "c9" under cables'):
        sweep(short, {"cables.c9.stiffness": [1]})
    with pytest.raises(ModelError, match=r'unknown key "gravty" under scenario; did you mean "gravity"'):
        sweep(short, {"scenario.gravty": [1]})
    with pytest.raises(OptionError, match="takes a model file, or what read_model gives, not a Structure"):
        sweep(short.structure, {STIFFNESS: [1]})  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="of this model is not what its text says; save it"):
        sweep(replace(short, structure=short.structure.changed("cable:*", stiffness=7.0)), {STIFFNESS: [1]})
    with pytest.raises(OptionError, match="jobs = 0 must be one or more"):
        sweep(short, {STIFFNESS: [1]}, jobs=0)
    with pytest.raises(FileError, match="a study file's name must end in .nc"):
        sweep(short, {STIFFNESS: [1]}, output="x.yaml")
    with pytest.raises(FileError, match=r"nowhere/x.nc: cannot be written: .*nowhere does not exist"):
        sweep(short, {STIFFNESS: [1]}, output=tmp_path / "nowhere" / "x.nc")
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="cannot be made: "):
        sweep(short, {STIFFNESS: [1]}, output=tmp_path / "x.nc", keep_runs=tmp_path / "file")
    assert os.listdir(tmp_path) == ["file"], "nothing was begun"


def test_a_file_gives_the_study_back(short: taut.Model, tmp_path: Path) -> None:
    path = tmp_path / "s.nc"
    found = taut.sweep(short, {STIFFNESS: [100, -1, 50.1], "scenario.method": "dp5,dp8"}, output=path)
    assert os.listdir(tmp_path) == ["s.nc"]
    again = taut.read(path)
    assert isinstance(again, Study)
    assert_same_study(again, found, but=())
    assert again.plan == found.plan
    assert again.plan.model_text == short.text
    taut.save(again, tmp_path / "t.nc")
    assert_same_study(load_study(tmp_path / "t.nc"), found, but=())
    with pytest.raises(FileError, match="is a study of many runs, not a run; taut plot"):
        taut.output.store.load_run(path)
    with pytest.raises(FileError, match="a Study is saved as .nc"):
        taut.save(found, tmp_path / "s.yaml")
    damaged = path.read_bytes()
    path.write_bytes(damaged[:2000] + b"?" + damaged[2001:])
    with pytest.raises(FileError, match="is damaged, or was changed"):
        taut.read(path)


def test_keys_may_be_called_like_anything_else_in_the_file(tmp_path: Path) -> None:
    grid = grid_of({key: [1, 2] for key in ("nodes", "node", "axes", "a/b", "a|b", "point", "model_text")})
    outcomes = {k: outcome("finished", (("n1",), ("c1",), ("b1",)), {"work": float(k)}) for k in range(grid.count)}
    made = study_of(Plan("text", grid, "program"), outcomes)
    taut.save(made, tmp_path / "s.nc")
    again = load_study(tmp_path / "s.nc")
    assert again.plan == made.plan
    assert_same_study(again, made, but=())


def test_xarray_opens_it_as_a_labelled_grid(short: taut.Model, tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    path = tmp_path / "s.nc"
    found = taut.sweep(short, {STIFFNESS: [50, 100], "scenario.method": "dp5,dp8"}, output=path)
    with xarray.open_dataset(path, engine="h5netcdf") as grid:
        at = {STIFFNESS: 100.0, "scenario.method": "dp8"}
        assert float(grid.max_tension.sel(at).sel(cable="c3")) == found.max_tension[1, 1, 2]
        assert grid.nodes.sel(at).sel(node="n3", axis="z").item() == found.nodes[1, 1, 2, 2]
        assert grid.max_tension.dims == (STIFFNESS, "scenario.method", "cable")
        assert grid.max_tension.attrs["units"] == "N"
        assert str(grid.status.sel(at).item()) == "finished"
        assert grid.attrs["taut_version"] == taut.__version__
        assert grid.model_text.item() == short.text


@dataclass(frozen=True)
class Deadly:
    """A variant whose process is killed when it looks at the text: the first time, or always."""

    model: str
    mark: Path
    always: bool
    source: str = "model"
    assignments: tuple[str, ...] = ()
    run_file: None = None

    @property
    def text(self) -> str:
        if self.always or not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.model


@pytest.mark.slow
def test_a_process_that_dies_takes_nothing_with_it(short: taut.Model, tmp_path: Path) -> None:
    good = Variant(short.text, short.source, ())
    variants = [
        good,
        Deadly(short.text, tmp_path / "once", False),
        Deadly(short.text, tmp_path / "a", True),
        good,
        good,
    ]
    found = dict(workers.spread(iter(enumerate(variants)), 5, 2, lambda: False))  # type: ignore[arg-type]
    assert {k: one.status for k, one in found.items()} == {
        k: "finished"
        if k != 2
        else "failed: its process died, 2 times (killed, out of memory, or a crash of a library)"
        for k in range(5)
    }
    assert (tmp_path / "once").exists()
    np.testing.assert_array_equal(found[1].quantities()["nodes"], found[0].quantities()["nodes"])


def test_a_study_in_memory_that_is_interrupted_has_what_was_computed(short: taut.Model) -> None:
    def press(done: float, count: float) -> None:
        if done == 2:
            os.kill(os.getpid(), signal.SIGINT)

    found = taut.sweep(short, {STIFFNESS: "50:90:5"}, progress=press)
    assert found.interrupted
    assert found.status.tolist() == ["finished"] * 2 + [NOT_YET] * 3
    assert not found.failures()


def test_a_journal_is_taken_up_where_it_was_cut_off(short: taut.Model, tmp_path: Path) -> None:
    path, axes = tmp_path / "s.nc", {STIFFNESS: "50:90:5"}
    whole = sweep(short, axes)
    journal = journal_of(path)
    with opened_journal(journal, whole.plan) as kept:
        names = tuple(whole.names.values())
        for point in (3, 0):
            known = {name: getattr(whole, name)[point] for name in QUANTITIES}
            known["work"] = 1000.0 + point  # to be recognised
            kept.add(point, outcome("finished", names, known))
        with pytest.raises(FileError, match="another process is computing this study"):
            sweep(short, axes, output=path)
    with open(journal, "ab") as stream:
        stream.write(b'{"point": 1, "status": "fini')

    def press(done: float, count: float) -> None:
        if done == 3:
            os.kill(os.getpid(), signal.SIGINT)

    again = sweep(short, axes, output=path, progress=press)
    assert again.status.tolist() == ["finished", "finished", NOT_YET, "finished", NOT_YET]
    assert not path.exists()
    found = sweep(short, axes, output=path)
    assert found.work.tolist() == [1000.0, 0.0, 0.0, 1003.0, 0.0]
    assert_same_study(found, whole, but=(*TIMES, "work"))
    assert os.listdir(tmp_path) == ["s.nc"]


def test_journals_of_other_studies_and_damaged_ones_are_refused(short: taut.Model, tmp_path: Path) -> None:
    path, axes = tmp_path / "s.nc", {STIFFNESS: "50:90:5"}
    plan = sweep(short, axes).plan
    with opened_journal(journal_of(path), plan) as kept:
        kept.add(0, outcome("finished", ((), (), ()), {}))
    other = taut.read_model(TBAR, ["scenario.duration=0.25"])
    for model, keys, words in (
        (other, axes, "with another model; go on with that one, or --restart"),
        (short, {STIFFNESS: "50:90:6"}, "with other values; go on"),
        (short, {"scenario.gravity": "0:1:2"}, "with other keys; go on"),
        (other, {STIFFNESS: [1]}, "with another model and other values; go on"),
    ):
        with pytest.raises(FileError, match=words):
            sweep(model, keys, output=path)
    with pytest.raises(FileError, match="with its runs kept in no folder"):
        sweep(short, axes, output=path, keep_runs=tmp_path)
    lines = journal_of(path).read_text().splitlines()
    told = json.loads(lines[0])
    journal_of(path).write_text(json.dumps({**told, "program": "0.0.1 (old)"}) + "\n")
    with pytest.raises(FileError, match=r"with another version of taut, 0.0.1 \(old\)"):
        sweep(short, axes, output=path)
    for damage in (
        '{"point": 0}',
        "nonsense",
        '{"point": 1, "status": "finished", "numbers": [1, 2], "names": [[],[],[]]}',
    ):
        journal_of(path).write_text(f"{lines[0]}\n{lines[1]}\n{damage}\n")
        with pytest.raises(FileError, match=r"s.nc.journal:3: is damaged .*--restart"):
            sweep(short, axes, output=path)
    journal_of(path).write_text("a diary\n")
    with pytest.raises(FileError, match="is not the journal of a study"):
        sweep(short, axes, output=path)
    assert sweep(short, axes, output=path, restart=True).ok.all()
    assert os.listdir(tmp_path) == ["s.nc"]


def test_the_last_point_is_computed_in_a_process_of_its_own_too(tmp_path: Path) -> None:
    """Else a point that kills its process would kill the study that goes on with it."""
    deadly = Deadly("", tmp_path / "mark", True)
    found = dict(workers.spread(iter([(7, deadly)]), 1, 2, lambda: False))  # type: ignore[arg-type]
    assert found[7].status.startswith("failed: its process died")
    assert list(workers.spread(iter([]), 0, 2, lambda: False)) == []


def test_a_point_that_is_not_to_be_believed_has_failed() -> None:
    model = taut.read_model(TBAR, ["scenario.duration=3", "scenario.method=rk4", "scenario.tolerance="])
    slow = taut.sweep(model, {"scenario.step": [0.01, 0.3]})
    assert slow.ok.tolist() == [True, False]
    assert slow.status[1].startswith("not to be believed: the motion is off by")
