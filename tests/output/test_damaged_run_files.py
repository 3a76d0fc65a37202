"""Run files that are damaged, cut off, from elsewhere or of another version: always a FileError, never a hang."""

from __future__ import annotations

import os
import random
import time
from dataclasses import replace
from pathlib import Path

import h5netcdf
import h5py
import numpy as np
import pytest
from equal_runs import assert_equal

from taut.dynamics.trajectory import Checkpoint, Trajectory
from taut.errors import FileError
from taut.output import store
from taut.output.recording import save_run
from taut.output.seals import seal
from taut.output.store import load_run

SEAL_SIZE = 76


def test_files_that_are_no_run_files(stored: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.nc"
    with h5netcdf.File(foreign, "w") as file:
        file.dimensions = {"t": 3}
        file.create_variable("t", ("t",), data=np.arange(3.0))
    with pytest.raises(FileError, match=r"foreign.nc: is NetCDF or HDF5, but no run file of taut, or not a whole one"):
        load_run(foreign)
    for content in (b"", b"taut: 1\n", b"CDF\x01" + bytes(100), os.urandom(500)):
        (tmp_path / "x.nc").write_bytes(content)
        with pytest.raises(FileError, match=r"x.nc: is not a run file of taut; those are NetCDF-4 \(HDF5\)"):
            load_run(tmp_path / "x.nc")
    with pytest.raises(FileError, match="is a folder, not a run file"):
        load_run(tmp_path)
    with pytest.raises(FileError, match=r'primsm.nc: there is no such run file; did you mean "prism.nc"\?'):
        load_run(stored.with_name("primsm.nc"))
    for nowhere in (tmp_path / "no" / "x.nc", tmp_path / ("x" * 300), "a\0b"):
        with pytest.raises(FileError, match="no such run file|cannot be read"):
            load_run(nowhere)


def resealed(source: Path, target: Path, change: dict[str, object]) -> Path:
    """A copy with other attributes, sealed as if it had been written so."""
    target.write_bytes(source.read_bytes()[:-SEAL_SIZE])
    with h5py.File(target, "r+") as file:
        for name, value in change.items():
            if value is None:
                del file[name]
            else:
                file.attrs[name] = value
    seal(target)
    return target


def test_files_of_other_versions(stored: Path, tmp_path: Path) -> None:
    newer = resealed(stored, tmp_path / "x.nc", {"taut_format": 2, "taut_version": "9.1"})
    with pytest.raises(FileError, match=r"x.nc: was written by taut 9.1 in format 2; this version reads format 1"):
        load_run(newer)
    for change in ({"nodes": None}, {"checkpoint_y": None}, {"options": "no json"}, {"taut_format": "one"}):
        lacking = resealed(stored, tmp_path / "x.nc", change)
        with pytest.raises(FileError, match=r"x.nc: is not a run file that this version of taut can read \("):
            load_run(lacking)


def test_a_last_state_of_the_wrong_size_is_refused(prism: Trajectory, tmp_path: Path) -> None:
    short = replace(prism, checkpoint=Checkpoint(np.zeros(3), prism.checkpoint.clock, prism.checkpoint.counts))
    save_run(short, tmp_path / "x.nc")
    with pytest.raises(FileError, match="its last state has 3 numbers, not 37"):
        load_run(tmp_path / "x.nc")


@pytest.mark.parametrize("kind", ["byte", "bytes", "cut", "hole", "more"])
def test_damage_is_always_found_and_never_hangs(kind: str, prism: Trajectory, stored: Path, tmp_path: Path) -> None:
    whole, path = stored.read_bytes(), tmp_path / "x.nc"
    chance = random.Random(kind)
    for _ in range(30):
        content = bytearray(whole)
        at = chance.randrange(len(content))
        if kind == "byte":
            content[at] ^= 1 << chance.randrange(8)
        elif kind == "bytes":
            for _ in range(30):
                content[chance.randrange(len(content))] = chance.randrange(256)
        elif kind == "cut":
            del content[at:]
        elif kind == "hole":
            content[at : at + 4096] = bytes(len(content[at : at + 4096]))
        else:
            content += chance.randbytes(1 + at % 100)
        path.write_bytes(content)
        began = time.process_time()
        if bytes(content) == whole:
            assert_equal(load_run(path), prism)
        else:
            with pytest.raises(FileError, match=r"x.nc: is "):
                load_run(path)
        assert time.process_time() - began < 5.0


def test_the_reader_of_hdf5_failing_in_its_own_ways_is_told_in_ours(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def surprise(*_: object) -> None:
        raise RuntimeError("wrong B-tree signature")

    monkeypatch.setattr(store, "_read", surprise)
    with pytest.raises(FileError, match=r"this version of taut can read \(wrong B-tree signature\)"):
        load_run(stored)
