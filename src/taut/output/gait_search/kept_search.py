"""A search that is kept after every generation, gone on with, and checked at the end; of trials of any kind."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from taut.atomic_files import check_writable
from taut.dynamics.interrupts import held_interrupts
from taut.errors import FileError, WriteError
from taut.locomotion.gait_spaces import GaitSpace
from taut.output.gait_search.store import load_gaits, save_gaits
from taut.output.study.plan import this_program
from taut.search.goals import MEASURES, Objective
from taut.search.options import SearchOptions
from taut.search.result import GaitSearch
from taut.search.searching import Asked, Candidate, Evaluate, Generation, Interrupted, Standing, searched
from taut.search.validation import FINAL_COPIES, finals, validated

FINISHED = "finished"
NOT_CHECKED = "all generations are done; the best gait is not checked"
ANEW = "give another name, or --restart (restart=True) to begin anew"


class StoppedSearch(WriteError):
    """A gait file that could not be written; `result` has all that was found."""

    def __init__(self, message: str, result: GaitSearch) -> None:
        super().__init__(message)
        self.result = result


class Trials(NamedTuple):
    """How gaits are tried: in the search, and the best of them at the end, of which more may be measured; and what it
    has to stand beside that, by what differs: a trial, and how many copies of it."""

    search: Evaluate
    told: Evaluate
    others: dict[str, tuple[Evaluate, int]]


def search_with(
    trials: Trials,
    space: GaitSpace,
    objective: Objective,
    options: SearchOptions,
    text: str,
    *,
    output: Path | None = None,
    resume: bool = False,
    restart: bool = False,
    check: bool = True,
    progress: Callable[[Standing], None] = lambda standing: None,
    told: Callable[[str], None] = lambda sentence: None,
) -> GaitSearch:
    """As `search_gaits` has it, with trials of any kind."""
    blank = GaitSearch(
        space, objective, options, (), (), np.zeros((0, 0, len(MEASURES))), np.zeros((0, len(MEASURES))), (),
        "begun", text, program_of(options.algorithm),
    )  # fmt: skip
    earlier = None if output is None else _earlier(output, blank, resume=resume, restart=restart)
    if earlier is not None and earlier.finished and len(earlier.generations) >= options.generations:
        return earlier
    file = _File(output, told)

    def keep(done: tuple[Generation, ...], best: tuple[Candidate, ...]) -> None:
        file.keep(replace(blank, generations=done, candidates=best, status=_interrupted(done, options)))

    with held_interrupts() as interrupted:
        try:
            done, best = searched(
                space, objective, options, trials.search,
                earlier=earlier.generations if earlier else (), keep=keep, progress=progress, interrupted=interrupted,
            )  # fmt: skip
        except Asked as error:
            raise FileError(
                f"{output}: {error}: another build of the libraries computes other numbers; {ANEW}"
            ) from None
        found = replace(blank, generations=done, candidates=best, status=_interrupted(done, options))
        if len(done) == options.generations:
            found = replace(found, status=NOT_CHECKED)
            if check:
                file.keep(found)
                found = _checked(found, trials, told, file.keep)
            file.keep(found)
    file.close(found)
    return found


def _interrupted(done: tuple[Generation, ...], options: SearchOptions) -> str:
    return f"interrupted after {len(done)} of {options.generations} generations"


def _checked(
    found: GaitSearch, trials: Trials, told: Callable[[str], None], keep: Callable[[GaitSearch], None]
) -> GaitSearch:
    """With the best few in order, and the best of them checked; kept after every check."""
    objective, options = found.objective, found.options
    try:
        told(f"the best gaits once more, {FINAL_COPIES} copies each")
        few, final = finals(found.candidates, objective, options, trials.told)
        # Identity, since candidates hold arrays.
        rest = tuple(one for one in found.candidates if all(one is not other for other in few))
        found = replace(found, candidates=(*few, *rest), final=final)
        for first, checks in validated(
            few[0].point,
            objective,
            options,
            trials.told,
            trials.others,
            lambda what: told(f"checking the best: {what}"),
        ):
            found = replace(found, first=first, checks=checks)
            keep(found)
    except Interrupted:
        made = f"{len(found.checks)} of {len(trials.others)} checks"
        return replace(found, status=f"interrupted after all generations and {made} of the best gait")
    return replace(found, status=FINISHED)


class _File:
    """The gait file in use; where it cannot be written the search goes on, and the next generation tries again."""

    def __init__(self, path: Path | None, told: Callable[[str], None]) -> None:
        self._path, self._told = path, told
        self._failure: WriteError | None = None
        self._kept = 0

    def keep(self, found: GaitSearch) -> None:
        if self._path is None:
            return
        try:
            save_gaits(found, self._path)
            self._failure, self._kept = None, len(found.generations)
        except WriteError as error:
            self._failure = error
            self._told(f"{error}; the file has {self._kept} generations, and the search goes on without it")

    def close(self, found: GaitSearch) -> None:
        if self._failure is not None:
            self.keep(found)
        if self._failure is not None:
            raise StoppedSearch(
                f"{self._failure}; the file has {self._kept} of {len(found.generations)} generations: make room, and "
                "--resume goes on with them",
                found,
            )


def _earlier(path: Path, wanted: GaitSearch, *, resume: bool, restart: bool) -> GaitSearch | None:
    if path.suffix != ".nc":
        raise FileError(f"{path}: a gait file's name must end in .nc")
    check_writable(path)
    if restart or not path.exists():
        return None
    if not resume:
        raise FileError(f"{path}: is there already; --resume (resume=True) goes on with it; or {ANEW}")
    found = load_gaits(path)
    if different := differences(found, wanted):
        raise FileError(f"{path}: is another search: {'; '.join(different)}; {ANEW}")
    return found


def differences(found: GaitSearch, wanted: GaitSearch) -> list[str]:
    """In which respects a search is not the one that is wanted, in words."""
    told = [] if found.model_text == wanted.model_text else [_first_difference(found.model_text, wanted.model_text)]
    for what in ("space", "objective", "options", "program"):
        own, other = _data(found, what), _data(wanted, what)
        names = [name for name in {**own, **other} if own.get(name) != other.get(name)]
        if what == "options":
            names = [name for name in names if name != "generations"]
        told += [f"its {name} is {json.dumps(own.get(name))}, not {json.dumps(other.get(name))}" for name in names]
    if len(found.generations) > wanted.options.generations:
        told.append(f"it has {len(found.generations)} generations already, not {wanted.options.generations}")
    return told


def _data(search: GaitSearch, what: str) -> dict[str, Any]:
    value = getattr(search, what)
    return dict(value) if isinstance(value, dict) else value.data()


def _first_difference(found: str, wanted: str) -> str:
    pairs = zip(found.splitlines(), wanted.splitlines(), strict=False)
    line, other = next(((a, b) for a, b in pairs if a != b), ("fewer lines", "more"))
    return f'its model has "{line.strip()[:80]}" where this one has "{other.strip()[:80]}"'


def program_of(algorithm: str) -> dict[str, str]:
    """Versions that the numbers of a search depend on."""
    names = {"ga": (), "nsga2": ("pymoo",), "cma": ("cma",)}.get(algorithm, ())
    return {
        "taut": this_program(),
        "machine": platform.machine(),
        **{name: _version(name) for name in ("numpy", "numba", *names)},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
