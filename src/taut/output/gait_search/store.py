"""Gait files: NetCDF-4 with all that a search asked, was told and found; no pickles, and xarray opens them.

A search is gone on with from its file alone: what every copy of every gait came to is in it, bit by bit, and the
algorithm is asked and told again.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from taut.errors import FileError
from taut.locomotion.gait_spaces import gait_space_from
from taut.output.recording import put_texts, storable, written_netcdf
from taut.output.store import opened_netcdf, plain, text_in
from taut.search.goals import MEASURES, Score, objective_from
from taut.search.options import SearchOptions
from taut.search.result import GaitSearch
from taut.search.searching import Candidate, Generation
from taut.search.validation import Check

GAITS = "taut_gaits"
"""The attribute that gait files have, with the version of their format."""

FORMAT = 1
KIND = "gait file"
PACKING = {"compression": "gzip", "compression_opts": 1, "shuffle": True}

MEANINGS = {
    "points": "gaits that were asked for, as points of the unit cube",
    "copies": "what their copies came to",
    "elite": "the best so far, which were tried again",
    "fresh": "what their fresh copies came to",
    "seconds": "each generation took",
}


def save_gaits(found: GaitSearch, path: str | Path) -> None:
    """Write a search to a gait file (.nc), which is whole or not there."""
    if Path(path).suffix != ".nc":
        raise FileError(f"{path}: a gait file's name must end in .nc")
    with written_netcdf(path) as (file, _):
        _write(file, found)


def _write(file: Any, found: GaitSearch) -> None:
    from taut import __version__

    file.attrs["title"] = "a search for gaits"
    file.attrs["source"] = f"taut {__version__}"
    file.attrs["created"] = datetime.now(UTC).isoformat(timespec="seconds")
    file.attrs["taut_version"] = __version__
    file.attrs[GAITS] = FORMAT
    file.attrs["status"] = storable(found.status)
    file.attrs["options"] = json.dumps(found.options.data())
    file.attrs["space"] = json.dumps(found.space.data())
    file.attrs["objective"] = json.dumps(found.objective.data())
    file.attrs["program"] = json.dumps(found.program)
    checks = [[one.what, one.score.value, one.score.error, one.score.copies, one.holds] for one in found.checks]
    file.attrs["checks"] = json.dumps(checks)
    put_texts(file, "model_text", (), found.model_text)
    sizes = {
        "generation": len(found.generations),
        "gait": found.options.population,
        "copy": found.options.copies,
        "chosen": found.options.elite,
        "extra": found.options.extra,
        "number": found.space.size,
        "measure": len(MEASURES),
    }
    file.dimensions = sizes
    put_texts(file, "number", ("number",), [storable(name) for name in found.space.names])
    put_texts(file, "measure", ("measure",), list(MEASURES))
    shapes: dict[str, tuple[str, ...]] = {
        "points": ("generation", "gait", "number"),
        "copies": ("generation", "gait", "copy", "measure"),
        "elite": ("generation", "chosen", "number"),
        "fresh": ("generation", "chosen", "extra", "measure"),
        "seconds": ("generation",),
    }
    for name, dimensions in shapes.items():
        values = np.array([getattr(one, name) for one in found.generations], dtype=float)
        _put(file, name, dimensions, values.reshape([sizes[one] for one in dimensions]), MEANINGS[name])
    _write_candidates(file, found)


def _write_candidates(file: Any, found: GaitSearch) -> None:
    """The best gaits, with their copies one after another."""
    best = found.candidates
    if not best:
        return
    file.dimensions["candidate"] = len(best)
    file.dimensions["kept"] = sum(len(one.copies) for one in best)
    _put(file, "best", ("candidate", "number"), np.array([one.point for one in best]), "the best gaits, best first")
    _put(file, "best_found", ("candidate",), np.array([one.found for one in best]), "the generation that found each")
    _put(file, "best_count", ("candidate",), np.array([len(one.copies) for one in best]), "copies of each")
    _put(file, "best_copies", ("kept", "measure"), np.vstack([one.copies for one in best]), "after it was chosen")
    if len(found.final):
        file.dimensions["finalist"], file.dimensions["final_copy"] = found.final.shape[:2]
        _put(
            file, "final", ("finalist", "final_copy", "measure"), found.final, "copies that put the first few in order"
        )
    if len(found.first):
        file.dimensions["first_copy"] = len(found.first)
        _put(file, "first", ("first_copy", "measure"), found.first, "copies of the best that put nothing in order")


def _put(file: Any, name: str, dimensions: tuple[str, ...], values: np.ndarray, meaning: str) -> None:
    variable = file.create_variable(name, dimensions, data=values, **(PACKING if values.size else {}))
    variable.attrs["long_name"] = meaning


def load_gaits(path: str | Path) -> GaitSearch:
    """Read a gait file; raises FileError where it is none, or not as it was written."""
    with opened_netcdf(path, KIND) as file:
        if GAITS not in file.attrs:
            raise FileError(f"{path}: is a run or a study, not a search for gaits")
        if int(file.attrs[GAITS]) != FORMAT:
            raise FileError(
                f"{path}: was written by taut {file.attrs['taut_version']} in format {file.attrs[GAITS]}; "
                f"this version reads format {FORMAT}, so use that one"
            )
        told = {name: json.loads(file.attrs[name]) for name in ("options", "space", "objective", "program", "checks")}
        return GaitSearch(
            space=gait_space_from(told["space"]),
            objective=objective_from(told["objective"]),
            options=SearchOptions(**{**told["options"], "start": tuple(map(tuple, told["options"].get("start", ())))}),
            generations=_generations(file),
            candidates=_candidates(file),
            final=_array(file, "final", (0, 0, len(MEASURES))),
            first=_array(file, "first", (0, len(MEASURES))),
            checks=tuple(Check(what, Score(*score), bool(holds)) for what, *score, holds in told["checks"]),
            status=plain(file.attrs["status"]),
            model_text=text_in(file, "model_text"),
            program=told["program"],
        )


def _generations(file: Any) -> tuple[Generation, ...]:
    points, copies, elite, fresh, seconds = (
        np.asarray(file.variables[name][...]) for name in ("points", "copies", "elite", "fresh", "seconds")
    )
    return tuple(Generation(points[k], copies[k], elite[k], fresh[k], float(seconds[k])) for k in range(len(seconds)))


def _candidates(file: Any) -> tuple[Candidate, ...]:
    if "best" not in file.variables:
        return ()
    points, found, counts, copies = (
        np.asarray(file.variables[name][...]) for name in ("best", "best_found", "best_count", "best_copies")
    )
    parts = np.split(copies, np.cumsum(counts)[:-1])
    return tuple(Candidate(*one) for one in zip(points, found.tolist(), parts, strict=True))


def _array(file: Any, name: str, otherwise: tuple[int, ...]) -> np.ndarray:
    return np.asarray(file.variables[name][...]) if name in file.variables else np.zeros(otherwise)
