"""`sweep`: a model and the values of some of its entries in, a Study out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextlib import ExitStack
from pathlib import Path

from taut.atomic_files import check_writable, made_folder
from taut.dynamics.interrupts import held_interrupts
from taut.errors import FileError, OptionError, WriteError
from taut.output.study.grid import Grid, Values, grid_of
from taut.output.study.journal import RESTART, Journal, journal_of, opened_journal
from taut.output.study.plan import Plan, this_program
from taut.output.study.points import Variant
from taut.output.study.quantities import Outcome
from taut.output.study.store import load_study, save_study
from taut.output.study.study import Study, study_of
from taut.output.study.workers import spread
from taut.structure.files import Model, parse_model, read_model, without_tree
from taut.structure.format.lines import read_document
from taut.structure.format.overriding import override
from taut.structure.structure import Structure


class StoppedStudy(WriteError):
    """A file that could not be written after a study had begun."""


def sweep(
    model: Model | str | os.PathLike[str],
    axes: Mapping[str, Values],
    *,
    output: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    executor: Executor | Callable[[], Executor] | None = None,
    keep_runs: str | os.PathLike[str] | None = None,
    restart: bool = False,
    progress: Callable[[float, float], None] | None = None,
) -> Study:
    """Run a model at every combination of the values of some of its entries, as its scenario says.

    model: a model file, or what `read_model` gave.
    axes: by key, as in "cables.c1.stiffness" or "scenario.method" (the paths of error messages and of `--set`), its
        values: numbers or texts, or a text like "100:200:5", "log:1:1000:4" or "1,2,5".
    output: the study file (.nc). Points are kept beside it as they come, so that the same call goes on where an earlier
        one stopped; a study that is finished is only read. Without it the study is in memory only.
    jobs: processes that compute at once. A script with more than one must call this under `if __name__ == "__main__":`,
        and a point whose process dies is tried once more, then marked as failed.
    executor: computes points instead of processes of this machine: any of `concurrent.futures`, such as a cluster's,
        or a function that makes one, by which what dies with a process is computed again.
    keep_runs: a folder for the run file of every point.
    restart: forget what an earlier call kept.
    progress: called with the points that are done and their number.
    A point that fails is part of the study, with its reason as its status. Ctrl-C ends with the points that are done.
    Results are the same bits whatever the number of jobs.
    """
    loaded = without_tree(_model(model))
    grid = grid_of(axes)
    if jobs < 1:
        raise OptionError(f"jobs = {jobs} must be one or more")
    override(read_document(loaded.written, loaded.source), _assignments(loaded, grid, 0), loaded.source)
    runs = None if keep_runs is None else Path(keep_runs)
    plan = Plan(loaded.text, grid, this_program(), "" if runs is None else str(runs.resolve()))
    target = None if output is None else Path(output)
    with ExitStack() as stack:
        journal = None
        finished = None if target is None else _earlier(target, plan, restart=restart)
        if finished is not None:
            return finished
        if runs is not None:
            _check_folder(runs)
        if target is not None:
            journal = stack.enter_context(opened_journal(journal_of(target), plan, restart=restart))
        try:
            outcomes = _outcomes(loaded, plan, runs, jobs, executor, journal, progress)
            study = study_of(plan, outcomes)
            if target is not None and not study.interrupted:
                save_study(study, target)
                journal_of(target).unlink(missing_ok=True)
        except FileError as error:
            kept = "; the points that were computed are kept, and the same call goes on" if journal else ""
            raise StoppedStudy(f"{error}{kept}") from None
    return study


def _model(given: Model | str | os.PathLike[str]) -> Model:
    if isinstance(given, Structure):
        raise OptionError(
            "sweep takes a model file, or what read_model gives, not a Structure: keys are entries of a file"
        )
    if not isinstance(given, Model):
        return read_model(given)
    told = parse_model(given.written, given.source, given.overrides, limit=None)
    if (told.structure, told.scenario) != (given.structure, given.scenario):
        raise OptionError(
            "the structure or scenario of this model is not what its text says; save it, and read it again"
        )
    return given


def _outcomes(
    model: Model,
    plan: Plan,
    runs: Path | None,
    jobs: int,
    executor: Executor | Callable[[], Executor] | None,
    journal: Journal | None,
    progress: Callable[[float, float], None] | None,
) -> dict[int, Outcome]:
    grid = plan.grid
    outcomes = {} if journal is None else journal.outcomes
    left = [point for point in range(grid.count) if point not in outcomes]
    variants = ((point, _variant(model, grid, point, runs)) for point in left)
    if progress is not None and outcomes:
        progress(len(outcomes), grid.count)
    with held_interrupts() as interrupted:
        for point, found in spread(variants, len(left), jobs, interrupted, executor):
            if journal is None:
                outcomes[point] = found
            else:
                journal.add(point, found)
            if progress is not None:
                progress(len(outcomes), grid.count)
    return outcomes


def _variant(model: Model, grid: Grid, point: int, runs: Path | None) -> Variant:
    name = f"point-{point:0{len(str(grid.count - 1))}}.nc"
    file = None if runs is None else runs / name
    return Variant(model.written, model.source, _assignments(model, grid, point), file)


def _assignments(model: Model, grid: Grid, point: int) -> tuple[str, ...]:
    return (*model.overrides, *grid.assignments(point))


def _earlier(target: Path, plan: Plan, *, restart: bool) -> Study | None:
    """The study if the file has it already; raises FileError where the file cannot be written, or holds another."""
    if target.suffix != ".nc":
        raise FileError(f"{target}: a study file's name must end in .nc")
    check_writable(target)
    if restart or journal_of(target).exists() or not target.exists():
        return None
    try:
        study = load_study(target)
    except FileError as error:
        raise FileError(f"{error}; give the study another name, or {RESTART}") from None
    different = plan.differences(study.plan)
    if different:
        raise FileError(f"{target}: is a study with {different}; give this one another name, or {RESTART}")
    return study


def _check_folder(folder: Path) -> None:
    check_writable(made_folder(folder) / "point.nc")
