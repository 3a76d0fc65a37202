"""Commands about real structures: compare (with what was measured), tolerances (of what is built)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut.cli.application import complain
from taut.cli.arguments import (
    AsJson,
    ModelPath,
    Overrides,
    RecordFolders,
    Scheduler,
    model_at,
    number_or_by_selector,
    placed,
)
from taut.cli.measured_options import Align, ColumnMap, MeasuredColumns, Scale, Shift, read_measured, told_shift
from taut.cli.table_files import check_csv, json_columns, save_table, tell_csv
from taut.cli.tables import show_table
from taut.errors import FileError

if TYPE_CHECKING:
    from taut.dynamics.trajectory import Trajectory
    from taut.measurement.comparison import Comparison
    from taut.measurement.tolerance_results import Tolerances
    from taut.statics.equilibrium import Equilibrium

Table = Annotated[Path | None, typer.Option("-o", "--csv", help="Write all of it as a table (.csv).", metavar="FILE")]
Scattering = Annotated[list[str] | None, typer.Option(metavar="NUMBER or SELECTOR=NUMBER")]


def compare(
    computed: Annotated[
        Path, typer.Argument(help="A run file (.nc), or a model file (.yaml) at rest.", show_default=False)
    ],
    measured: Annotated[Path, typer.Argument(help="What was measured (.csv).", show_default=False)],
    columns: MeasuredColumns = None,
    mapped: ColumnMap = None,
    scale: Scale = None,
    align: Align = False,
    shift: Shift = "0",
    table: Table = None,
    as_json: AsJson = False,
) -> None:
    """Hold measured markers and tensions against a run, or against a model where it comes to rest."""
    from taut.measurement.comparing import compare as hold_against

    check_csv(table)
    standing = computed_at(computed)
    found = hold_against(
        standing,
        read_measured(measured, standing.structure, columns, mapped, scale),
        align=align,
        shift=told_shift(shift),
    )
    save_table(found, table)
    if as_json:
        facts = {"shift": found.shift, "outside": found.outside, "notes": list(found.notes)}
        facts |= {"rotation": found.motion.rotation.tolist(), "translation": found.motion.translation.tolist()}
        print(json.dumps({**facts, **json_columns(found, table)}, indent=2))
        return
    show_table(("part", "unit", "rows", "mean", "rms", "largest", "at [s]"), _rows(found))
    print("\n" + "; ".join(_overall(found)))
    if align:
        turned, moved = found.motion.rotation.round(4).tolist(), found.motion.translation.round(6).tolist()
        print(f"markers turned by {turned} and shifted by {moved} m")
    if shift != "0":
        print(f"measured times shifted by {found.shift:.6g} s")
    for note in found.notes:
        print(f"note: {note}")
    tell_csv(table)


def tolerances(
    model: ModelPath,
    cut_length: Scattering = None,
    cut_ratio: Scattering = None,
    stiffness: Scattering = None,
    supports: Scattering = None,
    distribution: Annotated[
        str, typer.Option(help="normal (numbers are standard deviations) or uniform (half widths).")
    ] = "normal",
    minimum_tension: Annotated[
        list[str] | None,
        typer.Option(
            help="Limit [N], of all cables or SELECTOR=NUMBER; by default none may be slack.", metavar="NUMBER"
        ),
    ] = None,
    maximum_tension: Annotated[
        list[str] | None, typer.Option(help="Limit [N], of all cables or SELECTOR=NUMBER.", metavar="NUMBER")
    ] = None,
    safety: Annotated[float, typer.Option(help="Forces times this must stay below yield and Euler's load.")] = 1.0,
    builds: Annotated[int, typer.Option(help="How many are built.")] = 10_000,
    seed: Annotated[int, typer.Option(help="The same gives the same builds.")] = 0,
    threads: Annotated[int | None, typer.Option(help="By default one for each processor.")] = None,
    scheduler: Scheduler = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the scatter, too (.png, .pdf, .svg).", metavar="FILE")
    ] = None,
    table: Table = None,
    overrides: Overrides = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Build a model many times, a little off each time: how tensions scatter, and how many builds hold their limits.

    Lengths are cut off by --cut-length [m] or --cut-ratio (a part of the length), --stiffness scatters as a part of it,
    --supports [m] along each held axis; a number for all, or cable:top*=1e-3, several times.
    """
    from taut.clusters import on_cluster
    from taut.measurement.building import tolerances as build
    from taut.output.model_statics import steady_loads, steady_structure

    loaded = model_at(model, overrides, records)
    check_csv(table)
    _check_figure(plot)
    told = {"--cut-length": cut_length, "--cut-ratio": cut_ratio, "--stiffness": stiffness, "--supports": supports}
    given: dict[str, Any] = {
        name[2:].replace("-", "_"): number_or_by_selector(name, texts, 0.0) for name, texts in told.items()
    }
    given["minimum_tension"] = number_or_by_selector("--minimum-tension", minimum_tension, 0.0)
    given["maximum_tension"] = number_or_by_selector("--maximum-tension", maximum_tension, None)
    weight: dict[str, Any] = {"gravity": loaded.scenario.gravity, "loads": steady_loads(loaded.scenario)}
    with placed(loaded), on_cluster(scheduler) as executor:
        found = build(
            steady_structure(loaded),
            **given,
            **weight,
            distribution=distribution,
            safety=safety,
            builds=builds,
            seed=seed,
            threads=threads,
            executor=executor,
        )
    save_table(found, table)
    if plot is not None:
        _draw(found, plot)
    low, high = found.share_interval
    if as_json:
        facts = {"builds": builds, "share": found.share, "share_interval": [low, high], "notes": list(found.notes)}
        print(json.dumps({**facts, **json_columns(found, table)}, indent=2))
        return
    show_table(
        (
            "member",
            "designed [N]",
            "mean [N]",
            "deviation [N]",
            "linear [N]",
            "2.5 % [N]",
            "97.5 % [N]",
            "slack",
            "broken",
        ),
        _scattered(found),
    )
    held = int(found.holds.sum())
    print(f"\n{held} of {builds} builds hold their limits: {found.share:.2%}, from {low:.2%} to {high:.2%} (95 %)")
    for note in found.notes:
        print(f"note: {note}")
    if plot is not None:
        print(f"figure: {plot}")
    tell_csv(table)


def computed_at(path: Path) -> Trajectory | Equilibrium:
    """A run file, or a model where it comes to rest."""
    from taut.dynamics.trajectory import Trajectory
    from taut.output.files import read
    from taut.output.model_statics import resting

    if path.suffix != ".nc":
        loaded = model_at(path, None)
        with placed(loaded):
            found = resting(loaded)
        if not found.ok:
            raise typer.Exit(complain(f"{path}: {found.status}", 1))
        return found
    run = read(path)
    if not isinstance(run, Trajectory):
        raise FileError(f"{path}: is a study, not a run; compare one of its runs")
    return run


def _rows(found: Comparison) -> Iterator[list[str | float]]:
    columns = found.columns()
    for part, unit, count, *numbers in zip(*(column.tolist() for column in columns.values()), strict=True):
        yield [part, unit, float(count), *("-" if number != number else number for number in numbers)]


def _overall(found: Comparison) -> Iterator[str]:
    rows = found.measured.time.size
    yield f"{rows - found.outside} of {rows} measured rows compared"
    if found.measured.node_names:
        yield f"nodes off by {found.node_rms:.4g} m (rms)"
    if found.measured.member_names:
        yield f"forces off by {found.force_rms:.4g} N (rms)"


def _scattered(found: Tolerances) -> Iterator[list[str | float]]:
    columns = found.columns()
    names = ("member", "nominal", "mean", "deviation", "linear_deviation", "low", "high", "slack_share", "broken_share")
    yield from (list(row) for row in zip(*(columns[name].tolist() for name in names), strict=True))


def _check_figure(plot: Path | None) -> None:
    from taut.atomic_files import check_writable
    from taut.output.plot.files import check_suffix

    if plot is not None:
        check_suffix(plot)
        check_writable(plot)


def _draw(found: Tolerances, target: Path) -> None:
    from taut.output.plot.builds import tension_scatter
    from taut.output.plot.files import blank_figure, save_figure

    figure = blank_figure((6.0, 3.6))
    tension_scatter(found, ax=figure.add_subplot())
    save_figure(figure, target)
