"""Run files: a Trajectory as NetCDF-4, which xarray, MATLAB and any HDF5 tool open.

A file is written beside its final name and moved there when it is whole, so a killed run never leaves half a file. It
holds the model's text and the full last state: it can be repeated and continued without anything else.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from taut.dynamics.trajectory import SAMPLED, Checkpoint, Trajectory
from taut.errors import FileError
from taut.structure.files import model_text, parse_model

FORMAT = 1

VARIABLES: dict[str, tuple[tuple[str, ...], str]] = {
    "time": (("time",), "s"),
    "nodes": (("time", "node", "axis"), "m"),
    "velocities": (("time", "node", "axis"), "m/s"),
    "cable_length": (("time", "cable"), "m"),
    "cable_tension": (("time", "cable"), "N"),
    "bar_force": (("time", "bar"), "N"),
    "constraint_force": (("time", "constraint"), "N"),
    "reaction": (("time", "support", "axis"), "N"),
    "load": (("time", "loaded"), "N"),
    "energy_kinetic": (("time",), "J"),
    "energy_elastic": (("time",), "J"),
    "energy_gravity": (("time",), "J"),
    "work": (("time",), "J"),
    "energy_violation": (("time",), "J"),
    "length_violation": (("time",), "m"),
    "rate_violation": (("time",), "m/s"),
}
"""Every variable of a run file: its dimensions and unit."""


def check_writable(path: str | Path) -> None:
    """Raise FileError if a file could not be written here; to be asked before a long run, not after it."""
    target = Path(path)
    folder = target.parent
    if target.is_dir():
        raise FileError(f"{target} is a folder; give a file name")
    if not folder.is_dir():
        raise FileError(f"{target} cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise FileError(f"{target} cannot be written: no permission")


def save_run(run: Trajectory, path: str | Path) -> None:
    """Write a trajectory to a run file."""
    import h5netcdf

    check_writable(path)
    target = Path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with h5netcdf.File(part, "w") as file:
            _write(file, run)
        os.replace(part, target)
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error}") from error
    finally:
        part.unlink(missing_ok=True)


def load_run(path: str | Path) -> Trajectory:
    """Read a trajectory from a run file."""
    import h5netcdf

    source = Path(path)
    if not source.is_file():
        raise FileError(f"{source}: no such run file")
    try:
        with h5netcdf.File(source, "r") as file:
            return _read(file)
    except (OSError, KeyError, ValueError) as error:
        raise FileError(f"{source} is not a run file of taut, or is damaged: {error}") from error


def _write(file: Any, run: Trajectory) -> None:
    from taut import __version__

    names = {
        "node": tuple(run.structure.nodes),
        "axis": ("x", "y", "z"),
        "cable": tuple(run.structure.cables),
        "bar": tuple(run.structure.bars),
        "constraint": tuple(run.structure.constraints),
        "support": run.supports,
        "loaded": run.load_names,
    }
    file.dimensions = {"time": run.time.size, **{name: len(labels) for name, labels in names.items()}}
    for name, labels in names.items():
        if labels:
            texts = file.create_variable(name, (name,), dtype=_text_type())
            texts[...] = np.array(labels, dtype=object)
    for name, (dimensions, unit) in VARIABLES.items():
        data = getattr(run, name)
        if data.size:
            packing = {"compression": "gzip", "compression_opts": 1, "shuffle": True} if data.size > 10_000 else {}
            variable = file.create_variable(name, dimensions, data=data, **packing)
            variable.attrs["units"] = unit
    for name in ("y", "clock", "counts"):
        data = getattr(run.checkpoint, name)
        file.dimensions[f"checkpoint_{name}_size"] = data.size
        file.create_variable(f"checkpoint_{name}", (f"checkpoint_{name}_size",), data=data)
    file.attrs["Conventions"] = "taut"
    file.attrs["taut_format"] = FORMAT
    file.attrs["taut_version"] = __version__
    file.attrs["status"] = run.status
    file.attrs["wall_time"] = run.wall_time
    for name in ("options", "counts", "notes"):
        value = getattr(run, name)
        file.attrs[name] = json.dumps(dict(value) if name != "notes" else list(value))
    _put_text(file, "model", run.model_text)
    _put_text(file, "structure", model_text(run.structure))


def _text_type() -> Any:
    import h5py

    return h5py.string_dtype()


def _put_text(file: Any, name: str, text: str) -> None:
    """Texts as scalar variables: an attribute holds at most 64 kB."""
    variable = file.create_variable(f"{name}_text", (), dtype=_text_type())
    variable[...] = text


def _read(file: Any) -> Trajectory:
    if int(file.attrs["taut_format"]) != FORMAT:
        raise ValueError(f"format {file.attrs['taut_format']}, this version reads {FORMAT}")
    structure = parse_model(_text(file, "structure"), "structure").structure
    sizes = {name: dimension.size for name, dimension in file.dimensions.items()}
    sampled = {}
    for name in SAMPLED:
        dimensions = VARIABLES[name][0]
        empty = np.zeros(tuple(sizes[d] for d in dimensions))
        sampled[name] = np.asarray(file.variables[name][...]) if name in file.variables else empty
    point = [np.asarray(file.variables[f"checkpoint_{name}"][...]) for name in ("y", "clock", "counts")]
    loaded = file.variables["loaded"][...] if "loaded" in file.variables else ()
    return Trajectory(
        structure=structure,
        **sampled,
        status=str(file.attrs["status"]),
        checkpoint=Checkpoint(*point),
        options=json.loads(file.attrs["options"]),
        counts=json.loads(file.attrs["counts"]),
        wall_time=float(file.attrs["wall_time"]),
        notes=tuple(json.loads(file.attrs["notes"])),
        load_names=tuple(_plain(name) for name in loaded),
        model_text=_text(file, "model"),
    )


def _text(file: Any, name: str) -> str:
    return _plain(file.variables[f"{name}_text"][()])


def _plain(text: Any) -> str:
    return text.decode() if isinstance(text, bytes) else str(text)
