"""Study files: NetCDF-4 with a dimension for every key, which xarray opens as a labelled grid."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from taut.errors import FileError
from taut.output.recording import put_texts, storable, written_netcdf
from taut.output.store import STUDY, opened_netcdf, plain, text_in
from taut.output.study.plan import plan_from
from taut.output.study.quantities import NAMED, QUANTITIES
from taut.output.study.study import Study

FORMAT = 1
OWN = (*QUANTITIES, *NAMED, "axis", "status", "point", "model_text")
"""Names in a study file that are no keys."""

PACKING = {"compression": "gzip", "compression_opts": 1, "shuffle": True}


def save_study(study: Study, path: str | Path) -> None:
    """Write a study to a study file (.nc)."""
    from taut import __version__

    if Path(path).suffix != ".nc":
        raise FileError(f"{path}: a study file's name must end in .nc")
    with written_netcdf(path) as (file, _):
        file.attrs["title"] = "a parameter study of a tensegrity structure"
        file.attrs["source"] = f"taut {__version__}"
        file.attrs["created"] = datetime.now(UTC).isoformat(timespec="seconds")
        file.attrs["taut_version"] = __version__
        file.attrs[STUDY] = FORMAT
        plan = study.plan.data()
        put_texts(file, "model_text", (), plan.pop("model_text"))
        file.attrs["options"] = json.dumps({name: plan[name] for name in ("program", "runs")})
        dimensions = _write_axes(file, study)
        put_texts(file, "status", dimensions, np.vectorize(storable, otypes=[object])(study.status))
        numbers = file.create_variable("point", dimensions, data=np.arange(study.grid.count).reshape(study.shape))
        numbers.attrs["long_name"] = "number of each point, which is that of its run file where runs are kept"
        for name, (parts, unit, meaning, _) in QUANTITIES.items():
            values = getattr(study, name)
            if values.size:
                variable = file.create_variable(name, (*dimensions, *parts), data=values, **PACKING)
                variable.attrs["units"] = unit
                variable.attrs["long_name"] = meaning


def load_study(path: str | Path) -> Study:
    """Read a study file; raises FileError where it is not one, or not as it was written."""
    with opened_netcdf(path, "study file") as file:
        if STUDY not in file.attrs:
            raise FileError(f"{path}: is a run, not a study of many runs")
        if int(file.attrs[STUDY]) != FORMAT:
            raise FileError(
                f"{path}: was written by taut {file.attrs['taut_version']} in format {file.attrs[STUDY]}; "
                f"this version reads format {FORMAT}, so use that one"
            )
        axes = [[key, _values(file, name)] for key, name in json.loads(text_in(file, "axes"))]
        options = json.loads(file.attrs["options"])
        plan = plan_from({**options, "axes": axes, "model_text": text_in(file, "model_text")})
        shape = plan.grid.shape
        names = {kind: tuple(_values(file, kind)) if kind in file.variables else () for kind in NAMED}
        sizes = {"axis": 3, **{kind: len(own) for kind, own in names.items()}}
        status = np.array([plain(text) for text in np.ravel(file.variables["status"][...])], dtype=object)
        arrays = {}
        for name, (parts, _, _, _) in QUANTITIES.items():
            wanted = (*shape, *(sizes[part] for part in parts))
            there = name in file.variables or 0 not in wanted
            arrays[name] = np.asarray(file.variables[name][...]) if there else np.zeros(wanted)
            if arrays[name].shape != wanted:
                raise ValueError(f"{name} has the shape {arrays[name].shape}, not {wanted}")
        return Study(plan=plan, status=status.reshape(shape), names=names, **arrays)


def _write_axes(file: Any, study: Study) -> tuple[str, ...]:
    """The dimensions with their labels; returns those of the keys."""
    own: list[str] = []
    for key in study.keys:
        name = storable(key).replace("/", "|").strip()
        while name in (*OWN, "axes", *own):
            name += "_"
        own.append(name)
    labels = {kind: names for kind, names in study.names.items() if names}
    file.dimensions = dict(zip(own, study.shape, strict=True)) | {kind: len(names) for kind, names in labels.items()}
    for key, name, values in zip(study.keys, own, study.values, strict=True):
        if isinstance(values[0], float):
            file.create_variable(name, (name,), data=np.array(values))
        else:
            put_texts(file, name, (name,), [storable(str(value)) for value in values])
        file.variables[name].attrs["long_name"] = storable(key)
    if labels:
        file.dimensions["axis"] = 3
        put_texts(file, "axis", ("axis",), ["x", "y", "z"])
    for kind, names in labels.items():
        put_texts(file, kind, (kind,), [storable(name) for name in names])
    put_texts(file, "axes", (), json.dumps(list(zip(study.keys, own, strict=True))))
    return tuple(own)


def _values(file: Any, name: str) -> list[Any]:
    import h5py

    found = file.variables[name][...]
    return [plain(text) for text in found] if h5py.check_string_dtype(file.variables[name].dtype) else found.tolist()
