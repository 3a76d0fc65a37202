"""Run files: a Trajectory as NetCDF-4, which xarray, MATLAB and any HDF5 tool open.

A file is written beside its final name and moved there when it is whole, so a killed run never leaves half a file. It
holds the model's text and the full last state: it can be repeated and continued without anything else.
"""

from __future__ import annotations

import io
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from taut.dynamics.trajectory import SAMPLED, Checkpoint, Trajectory
from taut.errors import FileError, TautError, suggestion
from taut.output.whole_files import check_writable, seal_of, write_sealed, written_whole
from taut.structure.files import model_text, parse_model
from taut.structure.joining import subdivided
from taut.structure.structure import Structure

__all__ = ["FORMAT", "VARIABLES", "check_writable", "load_run", "save_run"]

FORMAT = 1

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"

PACKED_SIZE = 10_000
"""Numbers from which on a variable is compressed."""


class Variable(NamedTuple):
    """A variable of a run file."""

    dimensions: tuple[str, ...]
    unit: str
    meaning: str


VARIABLES = {
    "time": Variable(("time",), "s", "time since the start"),
    "nodes": Variable(("time", "node", "axis"), "m", "position of each node"),
    "velocities": Variable(("time", "node", "axis"), "m/s", "velocity of each node"),
    "cable_length": Variable(("time", "cable"), "m", "length of each cable"),
    "cable_tension": Variable(("time", "cable"), "N", "force in each cable, positive in tension"),
    "bar_force": Variable(("time", "bar"), "N", "force in each bar, positive in tension"),
    "constraint_force": Variable(("time", "constraint"), "N", "force of each constraint"),
    "reaction": Variable(("time", "support", "axis"), "N", "force of each support on the structure"),
    "load_force": Variable(("time", "loaded"), "N", "each load, along its axis"),
    "energy_kinetic": Variable(("time",), "J", "kinetic energy"),
    "energy_elastic": Variable(("time",), "J", "energy stored in cables"),
    "energy_gravity": Variable(("time",), "J", "energy of weight"),
    "work": Variable(("time",), "J", "work of loads and dampers since the start"),
    "energy_violation": Variable(("time",), "J", "energy less start energy less work"),
    "length_violation": Variable(("time",), "m", "largest gap of a bar or constraint"),
    "rate_violation": Variable(("time",), "m/s", "largest rate of such a gap"),
}
"""Every variable with samples: its dimensions, its unit and what it is."""

HISTORY = ("time", "step", "error", "accepted")
"""The columns of the history of steps, which is there on request."""

CHECKPOINT = {
    "y": "last state of the time loop: positions, velocities, work",
    "clock": "last clock of the time loop",
    "counts": "last counts of the time loop",
}


def save_run(run: Trajectory, path: str | Path) -> None:
    """Write a trajectory to a run file."""
    import h5netcdf

    # In memory first: on a full disk HDF5 may crash, while a plain write says so.
    image = io.BytesIO()
    with h5netcdf.File(image, "w") as file:
        _write(file, run)
    with written_whole(path) as draft:
        write_sealed(draft, image.getbuffer())


def load_run(path: str | Path) -> Trajectory:
    """Read a trajectory from a run file; raises FileError where it is not one, or not as it was written."""
    import h5netcdf
    import h5py

    source = Path(path)
    _check_readable(source)
    try:
        with h5py.File(source, "r") as opened, h5netcdf.File(opened) as file:
            return _read(file, source)
    except FileError:
        raise
    except Exception as error:  # HDF5 has many ways to fail on what it did not expect
        raise FileError(f"{source}: is not a run file that this version of taut can read ({error})") from error


def _check_readable(source: Path) -> None:
    """Raise FileError on all that is not a whole run file, before HDF5, which damage can send into an endless loop."""
    try:
        if source.is_dir():
            raise FileError(f"{source}: is a folder, not a run file")
        if not source.is_file():
            near = suggestion(source.name, os.listdir(source.parent)) if source.parent.is_dir() else ""
            raise FileError(f"{source}: there is no such run file{near}")
        with open(source, "rb") as stream:
            if stream.read(len(HDF5_SIGNATURE)) != HDF5_SIGNATURE:
                raise FileError(f"{source}: is not a run file of taut; those are NetCDF-4 (HDF5)")
        found = seal_of(source)
    except (OSError, ValueError) as error:
        raise FileError(f"{source}: cannot be read: {error}") from error
    if found == "none":
        raise FileError(
            f"{source}: is NetCDF or HDF5, but no run file of taut, or not a whole one: it does not end with a checksum"
        )
    if found == "broken":
        raise FileError(
            f"{source}: is damaged, or was changed after taut wrote it: it does not fit its checksum; "
            "take another copy, or make the run again"
        )


# --- writing


def _write(file: Any, run: Trajectory) -> None:
    _write_attributes(file.attrs, run)
    used = {name: labels for name, labels in _names(run.structure, run.load_names).items() if labels}
    file.dimensions = {"time": run.time.size, **{name: len(labels) for name, labels in used.items()}}
    for name, labels in used.items():
        _put_texts(file, name, (name,), [_storable(label) for label in labels])
    for name, (dimensions, unit, meaning) in VARIABLES.items():
        data = getattr(run, name)
        if data.size:
            packing = {"compression": "gzip", "compression_opts": 1, "shuffle": True} if data.size > PACKED_SIZE else {}
            variable = file.create_variable(name, dimensions, data=data, **packing)
            variable.attrs["units"] = unit
            variable.attrs["long_name"] = meaning
    if run.history.size:
        file.dimensions["step_tried"], file.dimensions["step_fact"] = run.history.shape
        _put_texts(file, "step_fact", ("step_fact",), HISTORY)
        variable = file.create_variable("history", ("step_tried", "step_fact"), data=run.history)
        variable.attrs["long_name"] = "every step tried: time [s], step [s], error of that allowed, whether accepted"
    for name, meaning in CHECKPOINT.items():
        data = getattr(run.checkpoint, name)
        file.dimensions[f"checkpoint_{name}_size"] = data.size
        variable = file.create_variable(f"checkpoint_{name}", (f"checkpoint_{name}_size",), data=data)
        variable.attrs["long_name"] = meaning
    _put_texts(file, "model_text", (), run.model_text)
    # The model's text gives the structure too, unless it was changed in between.
    if _structure_of(run.model_text) != run.structure:
        _put_texts(file, "structure_text", (), model_text(run.structure))


def _write_attributes(attributes: Any, run: Trajectory) -> None:
    from taut import __version__

    attributes["title"] = _storable(run.structure.name or "a tensegrity structure")
    attributes["source"] = f"taut {__version__}"
    attributes["created"] = datetime.now(UTC).isoformat(timespec="seconds")
    attributes["taut_format"] = FORMAT
    attributes["taut_version"] = __version__
    attributes["status"] = run.status
    attributes["wall_time"] = run.wall_time
    attributes["options"] = json.dumps(dict(run.options))
    attributes["counts"] = json.dumps(dict(run.counts))
    attributes["notes"] = json.dumps(list(run.notes))


def _names(structure: Structure, loads: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The labels of every dimension but time."""
    return {
        "node": tuple(structure.nodes),
        "axis": ("x", "y", "z"),
        "cable": tuple(structure.cables),
        "bar": tuple(structure.bars),
        "constraint": tuple(structure.constraints),
        "support": tuple(node for node in structure.nodes if node in structure.supports),
        "loaded": loads,
    }


def _put_texts(file: Any, name: str, dimensions: tuple[str, ...], texts: Any) -> None:
    """Texts as variables: an attribute holds at most 64 kB."""
    import h5py

    variable = file.create_variable(name, dimensions, dtype=h5py.string_dtype())
    variable[...] = np.array(texts, dtype=object)


def _storable(label: str) -> str:
    """A label without what HDF5 texts cannot hold; the names themselves are in the model's text."""
    return label.replace("\0", "\\0").encode("utf-8", "replace").decode()


def _structure_of(text: str) -> Structure | None:
    """The structure that a run of this model has; None where the text does not say."""
    try:
        return subdivided(parse_model(text, limit=None).structure) if text else None
    except TautError:
        return None


# --- reading


def _read(file: Any, source: Path) -> Trajectory:
    _check_format(file.attrs, source)
    told = _text(file, "model_text")
    structure = _structure_of(_text(file, "structure_text") if "structure_text" in file.variables else told)
    if structure is None:
        raise FileError(f"{source}: this version of taut cannot read the model in it")
    loads = tuple(map(_plain, file.variables["loaded"][...])) if "loaded" in file.variables else ()
    sizes = {name: len(labels) for name, labels in _names(structure, loads).items()}
    sizes["time"] = file.dimensions["time"].size
    point = Checkpoint(*(np.asarray(file.variables[f"checkpoint_{name}"][...]) for name in CHECKPOINT))
    if point.y.size not in (6 * sizes["node"] + 1, 12 * sizes["node"] + 1):  # RATTLE keeps remainders too
        raise ValueError(f"its last state has {point.y.size} numbers, not {6 * sizes['node'] + 1}")
    return Trajectory(
        structure=structure,
        **{name: _samples(file, name, sizes) for name in SAMPLED},
        status=str(file.attrs["status"]),
        checkpoint=point,
        options=json.loads(file.attrs["options"]),
        counts=json.loads(file.attrs["counts"]),
        wall_time=float(file.attrs["wall_time"]),
        notes=tuple(json.loads(file.attrs["notes"])),
        history=np.asarray(file.variables["history"][...]) if "history" in file.variables else np.zeros((0, 4)),
        load_names=loads,
        model_text=told,
    )


def _check_format(attributes: Any, source: Path) -> None:
    found = int(attributes["taut_format"])
    if found != FORMAT:
        maker = attributes.get("taut_version", "another version")
        raise FileError(
            f"{source}: was written by taut {maker} in format {found}; this version reads format {FORMAT}, "
            "so use that one"
        )


def _samples(file: Any, name: str, sizes: dict[str, int]) -> np.ndarray:
    """One variable; those without numbers are left out of a file."""
    wanted = tuple(sizes[dimension] for dimension in VARIABLES[name].dimensions)
    if name not in file.variables and 0 in wanted:
        return np.zeros(wanted)
    found = np.asarray(file.variables[name][...])
    if found.shape != wanted or found.dtype != np.float64:
        raise ValueError(f"{name} has the shape {found.shape}, not {wanted}")
    return found


def _text(file: Any, name: str) -> str:
    return _plain(file.variables[name][()])


def _plain(text: Any) -> str:
    return text.decode() if isinstance(text, bytes) else str(text)
