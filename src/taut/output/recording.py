"""Writing run files, part by part while a run goes on, so that a file may be larger than the memory.

A file is written beside its final name and moved there when it is whole, so a killed run never leaves half a file. It
holds the model's text and the full last state: it can be repeated and continued without anything else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from taut.atomic_files import written_whole
from taut.dynamics.samples import VARIABLES
from taut.dynamics.trajectory import Trajectory
from taut.errors import FileError
from taut.output.run_format import CHECKPOINT, EVENTS, FORMAT, HISTORY, structure_of
from taut.output.seals import seal
from taut.output.unfailing_stream import Unfailing
from taut.structure.files import model_text
from taut.structure.labels import labels_of

CHUNK = 1 << 18
"""About how many bytes of a variable are compressed together."""


class Recorder:
    """A run file in the making: parts of a trajectory as they come, and at the end what is said of the whole run."""

    def __init__(self, file: Any, stream: Unfailing) -> None:
        self._file, self._stream, self._samples = file, stream, 0

    def add(self, part: Trajectory) -> None:
        """Write samples. The first part says which variables there are."""
        count = part.time.size
        if "time" not in self._file.dimensions:
            _write_frame(self._file, part)
        self._file.resize_dimension("time", self._samples + count)
        for name in VARIABLES:
            if name in self._file.variables and count:
                self._file.variables[name][self._samples : self._samples + count] = getattr(part, name)
        self._samples += count
        if self._stream.failure is not None:
            raise self._stream.failure

    def finish(self, run: Trajectory) -> None:
        """Write all but samples: names, options, counts, notes, the model and the last state."""
        if "time" not in self._file.dimensions:
            _write_frame(self._file, run)
        _write_facts(self._file, run)


@contextmanager
def recording(path: str | Path) -> Iterator[Recorder]:
    """Within, record a run; at the end the file takes its final name, or is gone where something failed."""
    with written_netcdf(path) as (file, stream):
        yield Recorder(file, stream)


@contextmanager
def written_netcdf(path: str | Path) -> Iterator[tuple[Any, Unfailing]]:
    """Within, write a NetCDF-4 file; at the end it is sealed and takes its final name, or is gone."""
    import h5netcdf

    with written_whole(path) as draft:
        with Unfailing(draft, "w+") as stream:
            try:
                with h5netcdf.File(stream, "w") as file:
                    yield file, stream
            finally:
                if stream.failure is not None:  # whatever HDF5 says of it
                    raise stream.failure
        seal(draft)


def save_run(run: Trajectory, path: str | Path) -> None:
    """Write a trajectory to a run file."""
    if not run.structure.nodes:
        raise FileError(f"{path}: a run file is of a structure, and this run has none; keep its `coordinate` yourself")
    if run.earlier.samples:
        raise FileError(f"{path}: the samples of this run went to a sink; what is left of it cannot be saved")
    with recording(path) as recorder:
        recorder.add(run)
        recorder.finish(run)


def _write_frame(file: Any, part: Trajectory) -> None:
    """Dimensions, their names, and every variable that applies, without samples."""
    used = {name: labels for name, labels in labels_of(part.structure).items() if labels}
    file.dimensions = {"time": None, **{name: len(labels) for name, labels in used.items()}}
    for name, labels in used.items():
        put_texts(file, name, (name,), [storable(label) for label in labels])
    for name, (dimensions, unit, meaning, _) in VARIABLES.items():
        shape = getattr(part, name).shape
        if 0 in shape[1:]:
            continue
        for dimension, size in zip(dimensions[1:], shape[1:], strict=True):
            if dimension not in file.dimensions:
                file.dimensions[dimension] = size
        row = 8 * int(np.prod(shape[1:]))
        chunk = (max(1, min(CHUNK // row, 4096)), *shape[1:])
        packing = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
        variable = file.create_variable(name, dimensions, dtype=np.float64, chunks=chunk, **packing)
        variable.attrs["units"] = unit
        variable.attrs["long_name"] = meaning


def _write_facts(file: Any, run: Trajectory) -> None:
    _write_attributes(file.attrs, run)
    for dimension, names in (
        ("loaded", run.load_names),
        ("drive", run.drive_names),
        ("sensor", run.sensor_names),
        ("contact", run.contact_names),
        ("element", run.element_names),
    ):
        if names:
            file.dimensions.setdefault(dimension, len(names))
            put_texts(file, dimension, (dimension,), [storable(name) for name in names])
    if run.history.size:
        file.dimensions["step_tried"], file.dimensions["step_fact"] = run.history.shape
        put_texts(file, "step_fact", ("step_fact",), HISTORY)
        variable = file.create_variable("history", ("step_tried", "step_fact"), data=run.history)
        variable.attrs["long_name"] = "every step tried: time [s], step [s], error of that allowed, whether accepted"
    if run.events:
        file.dimensions["event"] = len(run.events)
        variable = file.create_variable("event_time", ("event",), data=np.array([event.time for event in run.events]))
        variable.attrs["units"] = "s"
        for name, meaning in EVENTS.items():
            put_texts(file, f"event_{name}", ("event",), [storable(getattr(event, name)) for event in run.events])
            file.variables[f"event_{name}"].attrs["long_name"] = meaning
    for name, meaning in CHECKPOINT.items():
        data = getattr(run.checkpoint, name)
        if not data.size:
            continue
        file.dimensions[f"checkpoint_{name}_size"] = data.size
        variable = file.create_variable(f"checkpoint_{name}", (f"checkpoint_{name}_size",), data=data)
        variable.attrs["long_name"] = meaning
    put_texts(file, "model_text", (), run.model_text)
    # The model's text gives the structure too, unless it was changed in between.
    if structure_of(run.model_text) != run.structure:
        put_texts(file, "structure_text", (), model_text(run.structure))


def _write_attributes(attributes: Any, run: Trajectory) -> None:
    from taut import __version__

    attributes["title"] = storable(run.structure.name or "a tensegrity structure")
    attributes["source"] = f"taut {__version__}"
    attributes["created"] = datetime.now(UTC).isoformat(timespec="seconds")
    attributes["taut_format"] = FORMAT
    attributes["taut_version"] = __version__
    attributes["status"] = run.status
    attributes["sound"] = int(run.sound)
    attributes["accuracy"] = run.accuracy
    attributes["wall_time"] = run.wall_time
    attributes["options"] = json.dumps(dict(run.options))
    attributes["counts"] = json.dumps(dict(run.counts))
    attributes["horizon"] = run.horizon
    attributes["notes"] = json.dumps(list(run.notes))


def put_texts(file: Any, name: str, dimensions: tuple[str, ...], texts: Any) -> None:
    """Texts as variables: an attribute holds at most 64 kB."""
    import h5py

    variable = file.create_variable(name, dimensions, dtype=h5py.string_dtype())
    variable[...] = np.array(texts, dtype=object)


def storable(label: str) -> str:
    """A label without what HDF5 texts cannot hold; the names themselves are in the model's text."""
    return label.replace("\0", "\\0").encode("utf-8", "replace").decode()
