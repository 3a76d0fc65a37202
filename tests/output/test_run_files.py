"""Run files: what is in them, that they read back to the last bit, and where they may go."""

from __future__ import annotations

import io
import os
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import h5netcdf
import h5py
import numpy as np
import pytest
from equal_runs import assert_equal

import taut
from taut.atomic_files import written_whole
from taut.dynamics.samples import VARIABLES
from taut.dynamics.trajectory import SAMPLED, Trajectory
from taut.errors import FileError
from taut.output import unfailing_stream
from taut.output.recording import recording, save_run
from taut.output.store import load_run
from taut.structure import files

EXAMPLES = Path(__file__).parents[2] / "examples"


# --- what is in them


def test_every_sampled_part_is_a_variable() -> None:
    assert tuple(VARIABLES) == SAMPLED


def test_a_run_reads_back_to_the_last_bit(prism: Trajectory, stored: Path) -> None:
    assert prism.notes
    assert prism.load_names == ("shake",)
    assert_equal(load_run(stored), prism)
    assert_equal(taut.read(stored), prism)


def test_plain_hdf5_tools_find_their_way(prism: Trajectory, stored: Path) -> None:
    with h5py.File(stored) as file:
        assert file["nodes"].shape == (6, 6, 3)
        assert [scale.name for scale in (d[0] for d in file["nodes"].dims)] == ["/time", "/node", "/axis"]
        assert file["nodes"].attrs["units"] == "m"
        assert file["cable_tension"].attrs["long_name"] == "force in each cable, positive in tension"
        assert [name.decode() for name in file["node"][:3]] == ["bottom1", "bottom2", "bottom3"]
        assert [name.decode() for name in file["support"]] == ["bottom1", "bottom2", "bottom3"]
        assert file["model_text"][()].decode() == prism.model_text
        assert file.attrs["status"] == "finished"
        assert file.attrs["source"] == f"taut {taut.__version__}"
        assert np.array_equal(file["time"][:], prism.time)
        for name, variable in VARIABLES.items():
            if name in file:
                assert file[name].attrs["units"] == variable.unit


def test_netcdf_tools_find_their_way(stored: Path) -> None:
    with h5netcdf.File(stored, "r") as file:
        assert file.variables["reaction"].dimensions == ("time", "support", "axis")
        assert file.variables["load_force"].dimensions == ("time", "loaded")
        sizes = {name: size.size for name, size in file.dimensions.items() if not name.startswith("checkpoint")}
        assert sizes == {"time": 6, "node": 6, "axis": 3, "cable": 9, "bar": 3, "support": 3, "loaded": 1}


def test_the_structure_is_written_out_only_where_the_model_does_not_give_it(
    prism: Trajectory, stored: Path, tmp_path: Path
) -> None:
    def holds_structure(run: Trajectory) -> bool:
        path = tmp_path / "x.nc"
        save_run(run, path)
        assert_equal(load_run(path), run)
        with h5py.File(path) as file:
            return "structure_text" in file

    assert not holds_structure(prism)
    assert holds_structure(replace(prism, model_text=""))
    heavier = prism.structure.changed("bar:*", mass=7.0)
    assert holds_structure(replace(prism, structure=heavier)), "a text that gives another structure is not trusted"
    assert holds_structure(replace(prism, model_text="no model"))


def test_cables_cut_into_segments_are_cut_again(tmp_path: Path) -> None:
    told = ["properties.cable:side*.segments=3", "properties.cable:side*.mass=0.1"]
    model = taut.read_model(EXAMPLES / "prism.yaml", told)
    run = taut.simulate(taut.assemble(model.structure), 0.01, model_text=model.text)
    assert len(run.structure.nodes) == 12
    save_run(run, tmp_path / "x.nc")
    assert_equal(load_run(tmp_path / "x.nc"), run)


def test_the_limit_for_model_files_is_not_one_for_runs(
    prism: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "SIZE_LIMIT", 100)
    monkeypatch.setitem(files.parse_model.__kwdefaults__, "limit", 100)
    with pytest.raises(FileError, match="more than the limit"):
        files.parse_model(prism.model_text)
    for run in (prism, replace(prism, model_text="")):
        save_run(run, tmp_path / "x.nc")
        assert_equal(load_run(tmp_path / "x.nc"), run)


def test_runs_with_little_in_them(tmp_path: Path) -> None:
    falling = taut.Structure({"a": (0, 0, 0)}, point_masses={"a": 1.0})
    run = taut.simulate(taut.assemble(falling, gravity=9.81), 1.0, every=0.5)
    assert run.cable_length.shape == (3, 0)
    empty = replace(run, **{name: getattr(run, name)[:0] for name in SAMPLED})
    for thing in (run, empty):
        save_run(thing, tmp_path / "x.nc")
        assert_equal(load_run(tmp_path / "x.nc"), thing)


def test_the_history_of_steps_is_kept(tmp_path: Path) -> None:
    run = taut.simulate(taut.assemble(taut.generators.tbar()), 0.1, history=True)
    assert len(run.history) >= run.counts["steps"]
    save_run(run, tmp_path / "x.nc")
    assert_equal(load_run(tmp_path / "x.nc"), run)


def test_names_of_every_kind(tmp_path: Path) -> None:
    odd = ("é ü", "a/b", 'q"', "null", "*", "line\nbreak", "nul\0", "x" * 200)
    nodes = {name: (float(i), 0.0, 0.0) for i, name in enumerate(odd)}
    s = taut.Structure(nodes, [taut.Bar("a/b", odd[:2], mass=1.0)], point_masses=dict.fromkeys(odd, 1.0), name="n\0")
    run = taut.simulate(taut.assemble(s, loads=[taut.Load("a/b", "x", 1.0)]), 0.1)
    save_run(run, tmp_path / "x.nc")
    assert_equal(load_run(tmp_path / "x.nc"), run)


def test_a_big_run_is_packed_and_quick(prism: Trajectory, tmp_path: Path) -> None:
    count = 20_000
    big = replace(
        prism, **{name: np.resize(getattr(prism, name), (count, *getattr(prism, name).shape[1:])) for name in SAMPLED}
    )
    began = time.process_time()
    save_run(big, tmp_path / "x.nc")
    assert_equal(load_run(tmp_path / "x.nc"), big)
    assert time.process_time() - began < 10.0
    assert (tmp_path / "x.nc").stat().st_size < sum(getattr(big, name).nbytes for name in SAMPLED)


# --- where they go


def test_load_and_save_go_by_the_suffix(prism: Trajectory, tmp_path: Path) -> None:
    taut.save(prism, tmp_path / "x.nc")
    taut.save(prism.structure, tmp_path / "x.yaml")
    assert taut.read(tmp_path / "x.yaml") == prism.structure
    scenario = taut.Scenario(gravity=(0.0, 0.0, -9.81), ground=(taut.Ground("floor"),), duration=2.0)
    taut.save(prism.structure, tmp_path / "x.yaml", scenario=scenario)
    model = taut.read_model(tmp_path / "x.yaml")
    assert (model.structure, model.scenario) == (prism.structure, scenario)
    with pytest.raises(taut.OptionError, match="a scenario goes with a structure, and a Trajectory is saved"):
        taut.save(prism, tmp_path / "x.nc", scenario=scenario)
    with pytest.raises(FileError, match=r"x.yaml: a Trajectory is saved as .nc"):
        taut.save(prism, tmp_path / "x.yaml")
    with pytest.raises(FileError, match=r"x.nc: a Structure is saved as .yaml or .yml"):
        taut.save(prism.structure, tmp_path / "x.nc")


def test_a_link_stays_a_link(prism: Trajectory, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.nc").symlink_to(tmp_path / "real" / "run.nc")
    save_run(prism, tmp_path / "link.nc")
    assert (tmp_path / "link.nc").is_symlink()
    assert_equal(load_run(tmp_path / "real" / "run.nc"), prism)


def test_places_where_no_file_can_be_written(prism: Trajectory, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe.nc")
    for place, said in (
        ("", "is a folder; give the name of a file"),
        ("nowhere/x.nc", "cannot be written: .*nowhere does not exist"),
        ("file/x.nc", "cannot be written: .*file is not a folder"),
        ("pipe.nc", "is not a file, and will not be replaced by one"),
        ("n" * 300 + ".nc", "cannot be written: .*[Nn]ame too long"),
        ("nul\0.nc", "cannot be written: .*null"),
    ):
        with pytest.raises(FileError, match=said):
            save_run(prism, tmp_path / place)
    assert sorted(os.listdir(tmp_path)) == ["file", "loop", "pipe.nc"]
    with pytest.raises(FileError, match="is not a file, and will not be replaced"):
        save_run(prism, "/dev/null")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "x.nc"
    path.write_text("old")

    def fail(error: Exception) -> None:
        with written_whole(path) as draft:
            draft.write_text("half")
            raise error

    with pytest.raises(ZeroDivisionError):
        fail(ZeroDivisionError())
    with pytest.raises(FileError, match=r"x.nc: cannot be written: No space"):
        fail(OSError(28, "No space left on device"))
    assert os.listdir(tmp_path) == ["x.nc"]
    assert path.read_text() == "old"


# --- written while a run goes on


def test_a_run_recorded_part_by_part_is_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant = taut.assemble(taut.generators.icosahedron(), gravity=9.81)
    whole = taut.simulate(plant, 0.5, every=0.01)
    monkeypatch.setattr("taut.dynamics.driver.CHUNK", 7 * 8 * (2 * plant.coordinates + 1))
    parts: list[Trajectory] = []
    with recording(tmp_path / "r.nc") as recorder:

        def sink(part: Trajectory) -> None:
            parts.append(part)
            recorder.add(part)

        told = taut.simulate(plant, 0.5, every=0.01, sink=sink)
        recorder.finish(told)
    assert [part.time.size for part in parts] == [7, 7, 7, 7, 7, 7, 7, 2]
    assert told.time.size == 0
    assert told.overall == whole.overall
    assert told.summary().splitlines()[1] == whole.summary().splitlines()[1] == "simulated         0.5 s, 51 samples"
    back = load_run(tmp_path / "r.nc")
    for name in SAMPLED:
        assert np.array_equal(getattr(back, name), getattr(whole, name)), name
    assert np.array_equal(back.checkpoint.y, whole.checkpoint.y)
    with pytest.raises(FileError, match="the samples of this run went to a sink"):
        save_run(told, tmp_path / "s.nc")


@pytest.mark.slow
def test_a_long_run_needs_memory_for_a_part_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant = taut.assemble(taut.generators.icosahedron())
    taut.simulate(plant, 0.01)
    monkeypatch.setattr("taut.dynamics.driver.CHUNK", 50_000)
    peaks = []
    for samples in (1_000, 10_000):
        with recording(tmp_path / "r.nc") as recorder:
            tracemalloc.start()
            recorder.finish(taut.simulate(plant, 0.01, every=0.01 / samples, sink=recorder.add))
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        assert load_run(tmp_path / "r.nc").time.size == samples + 1
    # The times themselves are known from the start; everything else comes and goes.
    assert peaks[1] - peaks[0] < 9_000 * 8 * 6


@pytest.mark.parametrize("room", [0, 2_000, 50_000, 400_000])
def test_a_full_disk_is_an_error_and_not_a_crash(
    room: int, prism: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.FileIO.write
    used = [0]

    def limited(self: io.FileIO, content: bytes) -> int:
        used[0] += len(content)
        if used[0] > room:
            raise OSError(28, "No space left on device")
        return written(self, content)

    monkeypatch.setattr(unfailing_stream, "_write", limited)
    big = replace(prism, history=np.zeros((100_000, 4)))
    with pytest.raises(FileError, match=r"x.nc: cannot be written: No space left on device"):
        save_run(big, tmp_path / "x.nc")
    assert os.listdir(tmp_path) == []
