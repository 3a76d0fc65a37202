"""Commands that show: page, plot, film."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from taut.cli.arguments import model_at, placed
from taut.cli.load_cases import Cases, Combinations
from taut.cli.measured_options import Align, ColumnMap, MeasuredColumns, Scale, Shift, read_measured, told_shift
from taut.cli.page_files import check_page, tell_page
from taut.cli.sweeping import Show
from taut.errors import FileError, OptionError

if TYPE_CHECKING:
    from taut.dynamics.trajectory import Trajectory
    from taut.measurement.measurements import Measurements
    from taut.output.pictured import ModeShape, Still
    from taut.statics.cases import LoadCaseTable
    from taut.structure.structure import Structure


def page(
    files: Annotated[list[Path], typer.Argument(help="Run files (.nc) or model files (.yaml).", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The page (.html); by default FILE.html, in this folder.")
    ] = None,
    measured: Annotated[
        Path | None, typer.Option(help="Markers and tensions to lay over the first (.csv).", metavar="FILE")
    ] = None,
    columns: MeasuredColumns = None,
    mapped: ColumnMap = None,
    scale: Scale = None,
    align: Align = False,
    shift: Shift = "0",
    frames: Annotated[int | None, typer.Option(help="Samples to keep of each run, at most.")] = None,
    cases: Cases = None,
    combinations: Combinations = None,
) -> None:
    """Write a page that shows a run or a model in any browser, without a network; several runs are laid over each
    other. A model is shown with its forces and modes where it stands at its shape, or with load cases."""
    from taut.output.page.page import page as write_page
    from taut.structure.structure import Structure

    target = output or Path(f"{files[0].stem}.html")
    check_page(target)
    if measured is None and (columns or mapped or scale or align or shift != "0"):
        raise OptionError(
            "--column, --map, --scale, --align and --shift are of what was measured; name it with --measured"
        )
    if cases or combinations:
        if measured is not None:
            raise OptionError("--measured goes with one run or one structure, not with load cases")
        write_page(_with_cases(files, cases, combinations), target, frames=frames)
        tell_page(target)
        return
    loaded = {name: _pictured(path) for name, path in _names(files).items()}
    shown = {name: thing for name, (thing, _) in loaded.items()}
    modes = next(iter(loaded.values()))[1]
    first = next(iter(shown.values()))
    laid = None
    if measured is not None:
        structure = first if isinstance(first, Structure) else first.structure
        laid = _laid_over(first, read_measured(measured, structure, columns, mapped, scale), shift, align=align)
    write_page(shown if len(shown) > 1 else first, target, modes=modes, measured=laid, frames=frames)
    tell_page(target)


def _with_cases(files: list[Path], cases: list[str] | None, combinations: list[str] | None) -> LoadCaseTable:
    """A model under load cases."""
    from taut.output.files import RUN_SUFFIXES
    from taut.output.model_cases import solved_cases

    if len(files) > 1 or files[0].suffix in RUN_SUFFIXES:
        raise OptionError("--case and --combination load one model; give one model file (.yaml) with them")
    model = model_at(files[0], None)
    with placed(model):
        return solved_cases(model, cases, combinations)


def plot(
    run: Annotated[Path, typer.Argument(help="A run file or a study file (.nc).", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="A folder for one figure each, or a file for all (.png, .pdf, .svg)."),
    ] = None,
    show: Show = None,
) -> None:
    """Draw a run for paper: structure, energy, violations, forces and motion; or a study, a quantity over its keys."""
    from taut.output.files import read
    from taut.output.plot.sheets import figures, save_figures, save_sheet
    from taut.output.plot.studies import save_study_sheet
    from taut.output.study.study import Study

    loaded = read(run)
    if isinstance(loaded, Study):
        target = output or Path(f"{run.stem}.png")
        save_study_sheet(loaded, target, show or "")
        print(f"figure: {target}")
        return
    if show is not None:
        raise OptionError("--show is for studies; a run has all its figures drawn")
    trajectory = _as_run(run, loaded)
    target = output or Path(f"{run.stem}-plots")
    if target.suffix:
        save_sheet(trajectory, target)
        print(f"figure: {target}")
        return
    for path in save_figures(figures(trajectory), target):
        print(f"figure: {path}")


def film(
    files: Annotated[
        list[Path],
        typer.Argument(help="Run files (.nc), and a film (.mp4 or .gif) unless -o says it.", show_default=False),
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The film; by default RUN.mp4, in this folder.")
    ] = None,
    speed: Annotated[float, typer.Option(help="Seconds of the run in a second of the film.")] = 1.0,
    rate: Annotated[int, typer.Option(help="Pictures a second.")] = 30,
    size: Annotated[str, typer.Option(help="Width x height in pixels.")] = "1280x720",
    view: Annotated[str, typer.Option(help="askew, xy, xz or yz; by default what shows most.")] = "",
    drawn_by: Annotated[
        str,
        typer.Option(help="page (needs Chromium or Chrome) or matplotlib; by default the page where a browser starts."),
    ] = "",
) -> None:
    """Film a run; several are laid over each other."""
    from taut.output.film.filming import film as make_film
    from taut.output.progress import progress_bar

    paths, target = _filmed(files, output)
    runs = {name: _run(path) for name, path in _names(paths).items()}
    width, _, height = size.partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise OptionError(f'size "{size}" is not a width and a height, as in 1280x720')
    pixels = int(width), int(height)
    end = max(float(run.time[-1]) if run.time.size else 0.0 for run in runs.values())
    shown = runs if len(runs) > 1 else next(iter(runs.values()))
    with progress_bar(0.0, end, "filmed") as report:
        made = make_film(
            shown,
            target,
            speed=speed,
            rate=rate,
            size=pixels,
            view=view,
            drawn_by=drawn_by,
            progress=report,
            notice=_noticed,
        )
    print(f"film: {target} ({made} pictures, {made / rate:.1f} s)")


def _filmed(files: list[Path], output: Path | None) -> tuple[list[Path], Path]:
    """Runs and the film: what is no run at the end, unless an option says it."""
    from taut.output.drafts import is_draft
    from taut.output.files import RUN_SUFFIXES

    last = files[-1]
    if output is None and len(files) > 1 and not (last.suffix in RUN_SUFFIXES or is_draft(last)):
        return files[:-1], last
    return files, output or Path(f"{files[0].stem}.mp4")


def _noticed(told: str) -> None:
    print(f"note: {told}", file=sys.stderr)


def _laid_over(
    shown: Structure | Still | Trajectory, measured: Measurements, shift: str, *, align: bool
) -> Measurements:
    """What was measured in the frame and time of what is shown, where that is asked for."""
    import numpy as np

    from taut.dynamics.trajectory import Trajectory
    from taut.measurement.comparing import compare
    from taut.structure.structure import Structure

    if not align and shift == "0":
        return measured
    if isinstance(shown, Trajectory):
        return compare(shown, measured, align=align, shift=told_shift(shift)).measured
    if shift != "0":
        raise OptionError("--shift is of a run's time; what stands still is the same at all times: leave it out")
    still = shown if isinstance(shown, Structure) else shown.structure
    markers = replace(measured, member_names=(), tension=np.zeros((measured.time.size, 0)))
    return replace(measured, nodes=compare(still, markers, align=align).measured.nodes)


def _names(files: list[Path]) -> dict[str, Path]:
    """Files by a name to show: their own, with the folder where two have the same."""
    stems = [path.stem for path in files]
    return {(stem if stems.count(stem) == 1 else str(path)): path for stem, path in zip(stems, files, strict=True)}


def _pictured(path: Path) -> tuple[Structure | Still | Trajectory, tuple[ModeShape, ...]]:
    """What a file shows, and the modes to show with it."""
    from taut.output.drafts import is_draft
    from taut.output.files import RUN_SUFFIXES
    from taut.output.store import load_run

    if path.suffix in RUN_SUFFIXES or is_draft(path):
        return load_run(path), ()
    from taut.output.model_statics import pictured

    model = model_at(path, None, trees=True)
    with placed(model):
        return pictured(model)


def _run(path: Path) -> Trajectory:
    from taut.output.files import read

    return _as_run(path, read(path))


def _as_run(path: Path, found: object) -> Trajectory:
    from taut.dynamics.trajectory import Trajectory
    from taut.structure.structure import Structure

    if isinstance(found, Trajectory):
        return found
    if isinstance(found, Structure):
        raise FileError(f"{path}: is a model, not a run; run it first: taut run {path}")
    raise FileError(f"{path}: is a study of many runs, not a run; taut plot {path} shows it")
