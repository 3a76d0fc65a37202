"""The command for maps over a robot's workspace: workspace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut.cli.application import complain
from taut.cli.arguments import AsJson, ModelPath, Overrides, RecordFolders, model_at, placed
from taut.cli.page_files import check_page, tell_page
from taut.cli.table_files import Csv, check_csv, save_table, tell_csv
from taut.cli.tables import show_table
from taut.errors import OptionError

if TYPE_CHECKING:
    import numpy as np

    from taut.kinetostatics.interpolation import InterpolatedMap
    from taut.kinetostatics.workspace_maps import WorkspaceMap


def workspace(
    model: ModelPath,
    grid: Annotated[
        list[str],
        typer.Option(
            help="An input and its values, evenly spaced as in cable:a1=1.63:1.65:7, or 1.63,1.64; once for each axis. "
            "Tensions [N], force densities [N/m], lengths or rest lengths [m], by the mode of the cable.",
            metavar="INPUT=VALUES",
            show_default=False,
        ),
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Option(help="What is commanded besides, as cable:p*; it counts for dexterity.", metavar="SELECTOR"),
    ] = None,
    plate: Annotated[str, typer.Option(help="The plate that is looked at; by default the only one.")] = "",
    wrenches: Annotated[
        list[str] | None,
        typer.Option("--wrench", help="Force [N] and moment [N m] on the plate, as in 0,0,-10,0,0,0.", metavar="SIX"),
    ] = None,
    lowest: Annotated[float, typer.Option(help="Tensions under wrenches are to be at least so much [N].")] = 0.0,
    highest: Annotated[float, typer.Option(help="And at most so much [N].")] = float("inf"),
    page: Annotated[
        Path | None, typer.Option("--page", help="Write a page with a slider for each input (.html).", metavar="FILE")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw maps of it (.png, .pdf, .svg).", metavar="FILE")
    ] = None,
    table: Csv = None,
    overrides: Overrides = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Find a robot's postures over a grid of commands: which there are, which stand, what it reaches."""
    from taut.kinetostatics.interpolation import interpolated
    from taut.kinetostatics.robot import Robot
    from taut.kinetostatics.workspace_maps import workspace as computed
    from taut.output.model_cases import scenario_case
    from taut.output.model_statics import steady_structure

    loaded = model_at(model, overrides, records)
    _check_files(page, plot)
    check_csv(table)
    axes = _axes(grid)
    loads = [_wrench(text) for text in wrenches or ()]
    with placed(loaded):
        acting = scenario_case(loaded.scenario)
        commanded = tuple(dict.fromkeys([*axes, *(inputs or ())]))
        robot = Robot(steady_structure(loaded), commanded, gravity=acting.gravity, loads=acting.loads)
        area = computed(robot, axes, plate=plate, wrenches=loads, lowest=lowest, highest=highest)
    save_table(area, table)
    shown = interpolated(area) if page is not None and area.found.any() else None
    if shown is not None and page is not None:
        from taut.output.page.page import page as write_page

        write_page(shown, page)
    if plot is not None and area.found.any():
        from taut.output.plot.workspaces import save_workspace_sheet

        save_workspace_sheet(area, plot)
    told = _summary(area, shown)
    if as_json:
        files = {"page": page, "plot": plot} if area.found.any() else {}  # else there was nothing to show
        files |= {"csv": table}
        print(json.dumps({**told, **{name: str(path) for name, path in files.items() if path is not None}}, indent=2))
    else:
        grid_words = " x ".join(f"{values.size} {name}" for name, values in area.axes.items())
        show_table(("map", grid_words), _rows(area, told))
        if shown is not None and shown.error is not None:
            print(f"\nbetween the points: {shown.error.sentence}")
        tell_page(page if shown is not None else None)
        if plot is not None and area.found.any():
            print(f"figure: {plot}")
        tell_csv(table)
    if not area.found.any():
        why = "take commands nearer to those of the model"
        raise typer.Exit(complain(f"{model}: no posture was found at any of {area.found.size} points; {why}", 1))


def _check_files(page: Path | None, plot: Path | None) -> None:
    """Refuse what cannot be written before the work begins."""
    from taut.atomic_files import check_writable
    from taut.output.plot.files import blank_figure, check_suffix

    check_page(page)
    if plot is not None:
        check_suffix(plot)
        blank_figure((1.0, 1.0))
        check_writable(plot)


def _axes(told: list[str]) -> dict[str, list[float]]:
    from taut.output.study.grid import axes_of, grid_of

    grid = grid_of(axes_of(told))
    found: dict[str, list[float]] = {}
    for key, values in zip(grid.keys, grid.values, strict=True):
        words = next((value for value in values if isinstance(value, str)), None)
        if words is not None:
            raise OptionError(f'--grid {key}: "{words}" is no number; give values as in {key}=1.63:1.65:7')
        found[key] = [float(value) for value in values]
    return found


def _wrench(text: str) -> list[float]:
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if len(found) != 6:
        raise OptionError(f'--wrench "{text}" is not six numbers, three of force [N] and three of moment [N m]')
    return found


def _summary(area: WorkspaceMap, shown: InterpolatedMap | None) -> dict[str, Any]:
    """For programs: SI units, None for what is not known."""
    import numpy as np

    from taut.kinetostatics.workspace_maps import NUMBERS

    found = area.found
    told: dict[str, Any] = {"points": int(found.size), "found": int(found.sum()), "stable": int(area.stable.sum())}
    for name in NUMBERS:
        values = getattr(area, name)
        known = np.isfinite(values)
        least = np.unravel_index(int(np.argmin(np.where(known, values, np.inf))), values.shape)
        told[name] = {
            "least": float(values[known].min()) if known.any() else None,
            "greatest": float(values[known].max()) if known.any() else None,
            "least_at": _place(area, least) if known.any() else None,
        }
    asked = bool((~np.isnan(area.wrench_margin)).any())
    told["wrenches_borne"] = int(area.wrench_feasible.sum()) if asked else None
    told["plate"], told["reach"] = area.plate or None, None
    if area.plate and found.any():
        centre = area.plate_centre[found]
        spread = zip("xyz", centre.min(axis=0).tolist(), centre.max(axis=0).tolist(), strict=True)
        told["reach"] = {axis: [low, high] for axis, low, high in spread}
    error = None if shown is None else shown.error
    names = ("solved", "drawn", "missed", "share", "nodes", "member_force", *list(NUMBERS)[:3], "doubtful", "misjudged")
    told["interpolation"] = None if error is None else {name: _known(getattr(error, name)) for name in names}
    return told


def _known(value: float) -> float | None:
    return value if value == value else None  # JSON has no NaN


def _place(area: WorkspaceMap, at: tuple[np.intp, ...]) -> dict[str, float]:
    return {name: float(values[k]) for (name, values), k in zip(area.axes.items(), at, strict=True)}


def _rows(area: WorkspaceMap, told: dict[str, Any]) -> list[tuple[str, str]]:
    from taut.kinetostatics.workspace_maps import NUMBERS

    rows = [("postures found", f"{told['found']} of {told['points']}")]
    if told["lowest_stiffness"]["least"] is not None:
        rows.append(("stable", f"{told['stable']} of {told['found']}"))
    units = {name: area.inputs_of(name)[0].unit for name in area.axes}
    for name, one in NUMBERS.items():
        if told[name]["least"] is None:
            continue
        where = ", ".join(f"{key} {value:.6g} {units[key]}" for key, value in told[name]["least_at"].items())
        ends = " to ".join(f"{told[name][end]:.4g}" for end in ("least", "greatest"))
        rows.append((name.replace("_", " "), f"{ends} {one.unit}".strip() + f", least at {where}"))
    if told["wrenches_borne"] is not None:
        rows.append(("wrenches borne", f"at {told['wrenches_borne']} of {told['found']}"))
    for axis, (low, high) in (told["reach"] or {}).items():
        rows.append((f"{axis} of plate {area.plate}", f"{low:.5g} to {high:.5g} m"))
    return rows
