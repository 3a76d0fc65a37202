"""The command for parameter studies: sweep."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut.cli.application import complain
from taut.cli.arguments import AsJson, ModelPath, Overrides, RecordFolders, Scheduler, model_at
from taut.cli.tables import show_table
from taut.errors import MANY_ALIKE, OptionError

if TYPE_CHECKING:
    from taut.output.study.study import Study
    from taut.structure.files import Model

MOST_REASONS = 10
"""Points that are told with why they failed; the file has all."""

GO_ON = "the same command goes on with the others"

Show = Annotated[
    str | None,
    typer.Option(help="What a figure of a study shows: max_tension, max_tension:c2, nodes:n3:z, worst_energy, ..."),
]


def sweep(
    model: ModelPath,
    axes: Annotated[
        list[str],
        typer.Argument(
            help="Keys as in --set, with values: 100:200:5 (evenly spaced), log:1:1000:4 (equal ratios), dp5,dp8.",
            metavar="KEY=VALUES",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The study file (.nc); by default MODEL-sweep.nc.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw it, too (.png, .pdf, .svg).", metavar="FILE")
    ] = None,
    show: Show = None,
    jobs: Annotated[int | None, typer.Option(help="Processes; by default one a processor. 1: all in this one.")] = None,
    scheduler: Scheduler = None,
    keep_runs: Annotated[
        Path | None, typer.Option("--keep-runs", help="Keep every run as a run file in this folder.", metavar="DIR")
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Forget what was computed before.")] = False,
    overrides: Overrides = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Run a model at many values of some of its entries, in parallel; several keys make a grid.

    Points are kept as they come: after Ctrl-C or a kill the same command goes on where it stopped.
    """
    from taut.clusters import on_cluster
    from taut.output.progress import progress_bar
    from taut.output.study.grid import axes_of, grid_of
    from taut.output.study.sweep import StoppedStudy
    from taut.output.study.sweep import sweep as compute

    told = axes_of(axes)
    grid = grid_of(told)
    loaded = model_at(model, overrides, records)
    target = output or Path(f"{model.stem}-sweep.nc")
    if plot is not None:
        _check_plot(plot, show or "", grid.keys, loaded)
    elif show is not None:
        raise OptionError("--show says what is drawn; say where, too, with --plot FILE.png")
    processes = (os.cpu_count() or 1) if jobs is None else jobs
    kept: dict[str, Any] = {"output": target, "keep_runs": keep_runs, "restart": restart}
    try:
        with on_cluster(scheduler) as executor, progress_bar(0.0, grid.count, "computed", "points") as report:
            study = compute(loaded, told, **kept, jobs=processes, executor=executor, progress=report)
    except StoppedStudy as error:
        raise typer.Exit(complain(str(error), 1)) from None
    except KeyboardInterrupt:  # a second one
        raise typer.Exit(complain(f"interrupted: what is done is kept; {GO_ON}", 1)) from None
    if plot is not None and not study.interrupted:
        from taut.output.plot.studies import save_study_sheet

        save_study_sheet(study, plot, show or "")
    _tell(study, target, plot, as_json=as_json)


def _check_plot(path: Path, show: str, keys: tuple[str, ...], model: Model) -> None:
    """Refuse before the work what could not be drawn after it."""
    from taut.atomic_files import check_writable
    from taut.output.plot.files import blank_figure, check_suffix
    from taut.output.plot.studies import check_drawable
    from taut.output.study.shown import chosen
    from taut.structure.joining import subdivided

    check_suffix(path)
    check_drawable(keys)
    blank_figure((1.0, 1.0))
    if not any(key.partition(".")[0] == "generate" for key in keys):  # else names may differ from point to point
        parts = subdivided(model.structure)
        chosen(show, {"node": [*parts.nodes], "cable": [*parts.cables], "bar": [*parts.bars]})
    check_writable(path)


def _tell(study: Study, target: Path, plot: Path | None, *, as_json: bool) -> None:
    """Say what came out and where it is; fail where a point did, or where some are still to come."""
    failures, done = study.failures(), int(study.ok.sum())
    left = study.ok.size - done - len(failures)
    if as_json:
        counts = {"points": study.ok.size, "finished": done, "failed": len(failures), "left": left}
        files = {"study_file": None if left else str(target), **({"plot": str(plot)} if plot and not left else {})}
        names = ("max_tension", "max_displacement", "worst_energy", "status")
        rows = [dict(zip((*study.keys, *names), map(_known, row), strict=True)) for row in _rows(study)]
        print(json.dumps({**counts, **files, "table": rows}, indent=2))
    elif not left:
        words = ("max tension [N]", "max displacement [m]", "worst energy [J]", "status")
        show_table((*study.keys, *words), ([_shortly(cell) for cell in row] for row in _rows(study)))
        print(f"\n{done} of {study.ok.size} points finished\nstudy file: {target}")
        if plot is not None:
            print(f"figure: {plot}")
        else:
            print(f"next: taut plot {target}")
    if left:
        kept = done + len(failures)
        complain(f"interrupted: {kept} of {study.ok.size} points are kept; {GO_ON}")
    _tell_failures(failures)
    raise typer.Exit(1 if left or failures else 0)


def _tell_failures(failures: dict[str, str]) -> None:
    """A line a point, and one for many that failed for the same reason."""
    reasons: dict[str, list[str]] = {}
    for point, why in failures.items():
        reasons.setdefault(why, []).append(point)
    lines = []
    for why, points in reasons.items():
        if len(points) < MANY_ALIKE:
            lines += [(f"{point}: {why}", 1) for point in points]
        else:
            lines.append((f"{points[0]}: {why} ... and {len(points) - 1} more like it", len(points)))
    for line, _ in lines[:MOST_REASONS]:
        complain(line)
    left = sum(count for _, count in lines[MOST_REASONS:])
    if left:
        complain(f"... and {left} points more that failed; `status` in the file has all")


def _known(value: str | float) -> str | float | None:
    return None if value != value else value  # JSON has no NaN


def _shortly(value: str | float) -> str | float:
    """As a table shows it: of a sentence its beginning, since the reasons are told after the table."""
    return "-" if value != value else value.partition(":")[0] if isinstance(value, str) else value


def _rows(study: Study) -> Iterator[tuple[str | float, ...]]:
    import numpy as np

    def most(values: Any) -> list[float]:
        flat = values.reshape(study.ok.size, -1)
        extreme: list[float] = (np.fmax.reduce(flat, axis=1) if flat.shape[1] else np.full(len(flat), np.nan)).tolist()
        return extreme

    columns = (most(study.max_tension), most(study.max_displacement), study.worst_energy.ravel().tolist())
    for k, (status, *numbers) in enumerate(zip(study.status.ravel().tolist(), *columns, strict=True)):
        yield (*study.grid.at(k).values(), *numbers, status)
