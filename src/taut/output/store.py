"""Reading run files: back to a Trajectory, or a FileError that says what is wrong with the file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from taut.dynamics.samples import VARIABLES
from taut.dynamics.trajectory import NOWHERE, SAMPLED, Checkpoint, Trajectory, no_columns, of_samples
from taut.errors import FileError, OptionError, suggestion
from taut.output.drafts import is_draft, load_draft
from taut.output.run_format import CHECKPOINT, EVENTS, FORMAT, structure_of
from taut.output.seals import seal_of
from taut.structure.events import Event
from taut.structure.files import check_regular
from taut.structure.labels import labels_of

STUDY = "taut_study"
"""The attribute that study files have, with the version of their format, and run files have not."""

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"


def load_run(path: str | Path) -> Trajectory:
    """Read a trajectory from a run file or a draft; raises FileError where it is not one, or not as it was written."""
    if is_draft(Path(path)):
        return load_draft(Path(path))
    with opened_netcdf(path, "run file") as file:
        return _read(file, Path(path))


@contextmanager
def opened_netcdf(path: str | Path, kind: str) -> Iterator[Any]:
    """Within, read a file that taut wrote, a "run file" or a "study file"; raises FileError where that fails."""
    import h5netcdf
    import h5py

    source = Path(path)
    _check_readable(source, kind)
    try:
        with h5py.File(source, "r") as opened, h5netcdf.File(opened) as file:
            yield file
    except FileError:
        raise
    except Exception as error:  # HDF5 has many ways to fail on what it did not expect
        raise FileError(f"{source}: is not a {kind} that this version of taut can read ({error})") from error


def holds_study(path: str | Path) -> bool:
    """Whether this is a study of many runs rather than one run."""
    with opened_netcdf(path, "run file") as file:
        return STUDY in file.attrs


def _check_readable(source: Path, kind: str) -> None:
    """Raise FileError on all that is not a whole file, before HDF5, which damage can send into an endless loop."""
    try:
        if source.exists():
            check_regular(source.stat().st_mode, source, f"a {kind}")
        else:
            near = suggestion(source.name, os.listdir(source.parent)) if source.parent.is_dir() else ""
            raise FileError(f"{source}: there is no such {kind}{near}")
        with open(source, "rb") as stream:
            if stream.read(len(HDF5_SIGNATURE)) != HDF5_SIGNATURE:
                raise FileError(f"{source}: is not a {kind} of taut; those are NetCDF-4 (HDF5)")
        found = seal_of(source)
    except (OSError, ValueError) as error:
        raise FileError(f"{source}: cannot be read: {error}") from error
    if found == "none":
        raise FileError(
            f"{source}: is NetCDF or HDF5, but no {kind} of taut, or not a whole one: it does not end with a checksum"
        )
    if found == "broken":
        raise FileError(
            f"{source}: is damaged, or was changed after taut wrote it: it does not fit its checksum; "
            "take another copy, or make the run again"
        )


def _read(file: Any, source: Path) -> Trajectory:
    _check_format(file.attrs, source)
    told = text_in(file, "model_text")
    structure = structure_of(text_in(file, "structure_text") if "structure_text" in file.variables else told)
    if structure is None:
        raise FileError(f"{source}: this version of taut cannot read the model in it")
    named = {
        name: tuple(map(plain, file.variables[name][...])) if name in file.variables else ()
        for name in ("loaded", "drive", "sensor", "contact", "element")
    }
    sizes = {name: len(labels) for name, labels in labels_of(structure).items()}
    for name in ("time", "loaded", "drive", "sensor", "contact", "freedom", "condition", "element"):
        sizes[name] = file.dimensions[name].size if name in file.dimensions else 0
    options = json.loads(file.attrs["options"])
    kept = {name: f"checkpoint_{name}" for name in CHECKPOINT}
    parts = {name: np.asarray(file.variables[at][...]) for name, at in kept.items() if at in file.variables}
    point = Checkpoint(**parts) if parts else NOWHERE
    _check_elements(options, source)
    # As `taut.mechanics.tables.state_layout` has it, for which reading does not load the kernels.
    internal = int(options.get("internal_states", 0))
    size = 6 * sizes["node"] + 1 + internal
    own = 2 * sizes["freedom"] + 1 + internal  # of a plant in coordinates of its own
    if parts and point.y.size not in (size, size + 6 * sizes["node"], own):  # RATTLE keeps remainders too
        raise ValueError(f"its last state has {point.y.size} numbers, not {size}")
    return replace(
        of_samples(structure, {name: _samples(file, name, sizes) for name in SAMPLED}),
        status=str(file.attrs["status"]),
        sound=bool(file.attrs.get("sound", 1)),
        accuracy=str(file.attrs.get("accuracy", "")),
        checkpoint=point,
        options=options,
        counts=json.loads(file.attrs["counts"]),
        wall_time=float(file.attrs["wall_time"]),
        horizon=str(file.attrs.get("horizon", "")),
        notes=tuple(json.loads(file.attrs["notes"])),
        history=np.asarray(file.variables["history"][...]) if "history" in file.variables else np.zeros((0, 4)),
        events=_events(file),
        load_names=named["loaded"],
        drive_names=named["drive"],
        sensor_names=named["sensor"],
        contact_names=named["contact"],
        element_names=named["element"],
        model_text=told,
    )


def _check_elements(options: dict[str, Any], source: Path) -> None:
    """A run file names the kinds of its elements and holds their numbers, never their code: they have to be here."""
    for name in dict.fromkeys(element["kind"] for element in options.get("elements", ())):
        from taut.mechanics.spec import registered

        try:
            registered(name)
        except OptionError as error:
            raise FileError(f"{source}: {error}") from None


def _check_format(attributes: Any, source: Path) -> None:
    if STUDY in attributes:
        raise FileError(f"{source}: is a study of many runs, not a run; taut plot {source} shows it")
    found = int(attributes["taut_format"])
    if found != FORMAT:
        maker = attributes.get("taut_version", "another version")
        raise FileError(
            f"{source}: was written by taut {maker} in format {found}; this version reads format {FORMAT}, "
            "so use that one"
        )


def _samples(file: Any, name: str, sizes: dict[str, int]) -> np.ndarray:
    """One variable; those without numbers, or that were not kept, are left out of a file and have no columns."""
    if name not in file.variables:
        return np.zeros((sizes["time"], *no_columns()[name]))
    wanted = tuple(sizes[dimension] for dimension in VARIABLES[name].dimensions)
    found = np.asarray(file.variables[name][...])
    if found.shape != wanted or found.dtype != np.float64:
        raise ValueError(f"{name} has the shape {found.shape}, not {wanted}")
    return found


def _events(file: Any) -> tuple[Event, ...]:
    if "event_time" not in file.variables:
        return ()
    words = [map(plain, file.variables[f"event_{name}"][...]) for name in EVENTS]
    return tuple(Event(float(t), *told) for t, *told in zip(file.variables["event_time"][...], *words, strict=True))


def text_in(file: Any, name: str) -> str:
    return plain(file.variables[name][()])


def plain(text: Any) -> str:
    return text.decode() if isinstance(text, bytes) else str(text)
