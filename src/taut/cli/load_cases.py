"""Commands about structures under load: cases, path, size."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut.cli.application import complain
from taut.cli.arguments import AsJson, ModelPath, OutputModel, Overrides, RecordFolders, model_at, output_model, placed
from taut.cli.page_files import check_page, tell_page
from taut.cli.table_files import Csv, check_csv, json_columns, save_table, tell_csv
from taut.cli.tables import show_table
from taut.errors import OptionError

if TYPE_CHECKING:
    from taut.statics.cases import LoadCaseTable
    from taut.statics.lightest import Sizing
    from taut.statics.paths import LoadPath

Cases = Annotated[
    list[str] | None,
    typer.Option(
        "--case",
        help="A load case, as in wind={loads: {top1: [20, 0, 0]}}; entries are gravity, loads, temperature, misfits, "
        "rest_lengths, settlements, commands. What is not told does not act, gravity too; without --case the model's "
        "gravity and steady loads do.",
        metavar="NAME={...}",
    ),
]
Combinations = Annotated[
    list[str] | None,
    typer.Option(
        "--combination", help="Cases times factors, as in storm={weight: 1.35, wind: 1.5}.", metavar="NAME={...}"
    ),
]
Bars = Annotated[str | None, typer.Option(help="rigid or compressible, whatever the model says.")]
SIZINGS = ("elastic", "least-mass")


def cases(
    model: ModelPath,
    told: Cases = None,
    combinations: Combinations = None,
    bars: Bars = None,
    table: Csv = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="Write a page to choose among them (.html).", metavar="FILE")
    ] = None,
    overrides: Overrides = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Balance load cases and their combinations: every member's force, utilisation and reactions, case by case."""
    from taut.output.model_cases import solved_cases
    from taut.reprs import counted

    loaded = model_at(model, overrides, records)
    check_csv(table)
    check_page(page)
    with placed(loaded):
        found = solved_cases(loaded, told, combinations, bars)
    save_table(found, table)
    if page is not None:
        from taut.output.page.page import page as write_page

        write_page(found, page)
    if as_json:
        named = {"page": str(page)} if page else {}
        told_of = {"status": found.status, "cases": list(found.cases), **json_columns(found, table), **named}
        print(json.dumps(told_of, indent=2))
    else:
        columns = found.columns()
        shown = ["part", *(name for name in columns if name.startswith("force.")), "utilisation"]
        show_table([name.replace("force.", "") + (" [N]" if "force." in name else "") for name in shown], _rows(found))
        for name, one in found.equilibria.items():
            for note in one.notes:
                print(f"note: {name}: {note}")
        if any(map(isnan, found.utilisation.flat)):
            print(
                "note: the utilisation of what has no limit is nan; give a material with a yield_stress, and a radius"
            )
        print(f"\n{counted(len(found.cases), 'case')}; {found.status}")
        tell_csv(table)
        tell_page(page)
    if not found.ok:
        raise typer.Exit(complain(f"{model}: {found.status}", 1))


def path(
    model: ModelPath,
    case: Annotated[
        str | None,
        typer.Option(
            "--case",
            help="What acts in the end, and what stays too, as in {gravity: 9.81, loads: {top1: [200, 0, 0]}}.",
            metavar="{...}",
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option("--start", help="What acts at first, as in {gravity: 9.81}.", metavar="{...}"),
    ] = None,
    until: Annotated[
        float, typer.Option(help="How far from the start to the case, 1 is all the way; with --control it moves [m].")
    ] = 1.0,
    method: Annotated[str, typer.Option(help="arc-length (goes on past limit points) or load.")] = "arc-length",
    control: Annotated[
        str | None, typer.Option(help="Move this node along this axis instead, as in top1.z.", metavar="NODE.AXIS")
    ] = None,
    switch: Annotated[
        int, typer.Option(help="Leave the path at this bifurcation; -1 at the first, to the other side.")
    ] = 0,
    step: Annotated[float, typer.Option(help="The first step, and the longest.")] = 0.05,
    points: Annotated[int, typer.Option(help="The path ends after so many.")] = 500,
    bars: Bars = None,
    node: Annotated[str, typer.Option(help="The node to show; by default the one that goes furthest.")] = "",
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw it, too (.png, .pdf, .svg).", metavar="FILE")
    ] = None,
    table: Csv = None,
    overrides: Overrides = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Follow a load case as it comes on, past limit points, with what happens on the way."""
    from taut.atomic_files import check_writable
    from taut.output.model_cases import scenario_case, told_case
    from taut.output.model_statics import steady_structure
    from taut.output.plot.files import check_suffix
    from taut.statics.load_case import LoadCase
    from taut.statics.paths import path as follow

    loaded = model_at(model, overrides, records)
    check_csv(table)
    if plot is not None:
        check_suffix(plot)
        check_writable(plot)
    if node and node not in loaded.structure.nodes:
        loaded.structure.select(node, "node")  # which says what there is
        raise OptionError(f'--node "{node}" is not the name of one node')
    moved, _, axis = (control or "").rpartition(".")
    with placed(loaded):
        wanted = told_case("--case", case, scenario_case(loaded.scenario))
        begin = told_case("--start", start, LoadCase())
        found = follow(
            *(steady_structure(loaded), wanted),
            start=begin,
            until=until,
            method="displacement" if control else method,
            control=(moved, axis) if control else None,
            switch=switch,
            step=step,
            points=points,
            bars=bars,
        )
    save_table(found, table)
    if plot is not None and found.factor.size:
        _draw(found, node, plot)
    if as_json:
        events = [{"factor": e.factor, "kind": e.kind, "member": e.member, "point": e.point} for e in found.events]
        drawn = {"plot": str(plot)} if plot is not None and found.factor.size else {}
        print(json.dumps({"status": found.status, "events": events, **json_columns(found, table), **drawn}, indent=2))
    else:
        name = node or _furthest(found)
        words = (f"{name} moves along {axis} [m]" for axis in "xyz")
        show_table(("way to the case", *words, "unstable", "event"), _points(found, name))
        print(f"\n{found.factor.size} points, {len(found.events)} events; {found.status}")
        if plot is not None and found.factor.size:
            print(f"figure: {plot}")
        tell_csv(table)
    if not found.ok:
        raise typer.Exit(complain(f"{model}: {found.status}", 1))


def size(
    model: ModelPath,
    output: OutputModel = None,
    told: Cases = None,
    method: Annotated[
        str, typer.Option(help="elastic (rest lengths as they are) or least-mass (forces free, with a bound).")
    ] = "elastic",
    minimum_tension: Annotated[float, typer.Option(help="Of every cable in every case [N].")] = 0.0,
    minimum_radius: Annotated[
        float | None, typer.Option(help="elastic: of every member [m]; 1e-4 by default.", show_default=False)
    ] = None,
    safety: Annotated[float, typer.Option(help="Forces times this must be borne.")] = 1.0,
    buckling: Annotated[
        bool | None,
        typer.Option("--buckling/--no-buckling", help="least-mass: whether pushed bars may bend out; they may."),
    ] = None,
    table: Csv = None,
    overrides: Overrides = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Give every member the thinnest round section that bears all load cases; writes the model that has them."""
    from taut.output.files import save
    from taut.output.model_cases import told_cases
    from taut.statics.lightest import least_mass
    from taut.statics.sizing import elastic_sizes

    if method not in SIZINGS:
        raise OptionError(f'--method "{method}" is not one of {", ".join(SIZINGS)}')
    own: dict[str, Any] = {"minimum_radius": minimum_radius} if method == "elastic" else {"buckling": buckling}
    other = {"--buckling": buckling} if method == "elastic" else {"--minimum-radius": minimum_radius}
    for option, value in other.items():
        if value is not None:
            raise OptionError(f"{option} is not of --method {method}; leave it out, or take the other method")
    loaded = model_at(model, overrides, records)
    target = output_model(model, output, "sized")
    check_csv(table)
    given: dict[str, Any] = {"minimum_tension": minimum_tension, "safety": safety}
    given |= {name: value for name, value in own.items() if value is not None}
    with placed(loaded):
        wanted = told_cases(told, loaded.scenario)
        if method == "elastic":
            found = elastic_sizes(loaded.structure, wanted, **given)
        else:
            found = least_mass(loaded.structure, wanted, **given)
    save_table(found, table)
    if found.ok:
        save(replace(loaded, structure=found.structure), target)
    if as_json:
        facts = {"status": found.status, "mass": found.mass, "lower_bound": found.lower_bound}
        facts |= {"certificate": found.certificate, "model_file": str(target) if found.ok else None}
        print(json.dumps({**facts, "unused": list(found.unused), **json_columns(found, table)}, indent=2))
    else:
        words = ("member", "radius [m]", "at its limit of", "lowest force [N]", "highest force [N]")
        show_table(words, _sizes(found))
        print(f"\n{found.mass:.6g} kg; {found.certificate}")
        if found.ok:
            print(f"model file: {target}; next: taut cases {target}")
        tell_csv(table)
    if not found.ok:
        raise typer.Exit(complain(f"{model}: {found.status}", 1))


def _rows(found: LoadCaseTable) -> Iterator[list[str | float]]:
    """One a member and one a held axis: its force in every case, and the largest share of its limit."""
    from taut.structure.records import AXES

    columns, held = found.columns(), found.structure.supports
    free = {f"node:{node}.reaction.{axis}" for node, axes in held.items() for axis in AXES if axis not in axes}
    forces = [column for name, column in columns.items() if name.startswith("force.")]
    for k, part in enumerate(columns["part"].tolist()):
        share = float(found.utilisation[:, k].max()) if k < len(found.members) else "-"
        if part not in free:
            yield [part, *(float(force[k]) for force in forces), share]


def _furthest(found: LoadPath) -> str:
    """The node that moves most along a path."""
    names = list(found.structure.nodes)
    if not found.factor.size:
        return names[0]
    return names[int(((found.nodes - found.nodes[0]) ** 2).sum(axis=2).max(axis=0).argmax())]


def _points(found: LoadPath, node: str) -> Iterator[list[str | float]]:
    index = list(found.structure.nodes).index(node)
    events = found.columns()["event"].tolist() if found.factor.size else []
    for k, event in enumerate(events):
        way = (found.nodes[k, index] - found.nodes[0, index]).tolist()
        yield [float(found.factor[k]), *way, float(found.unstable[k]), event]


def _sizes(found: Sizing) -> Iterator[list[str | float]]:
    columns = found.columns()
    names = ("member", "radius", "governed", "lowest_force", "highest_force")
    for member, radius, governed, lowest, highest in zip(*(columns[name].tolist() for name in names), strict=True):
        yield [member, radius, governed or "none", lowest, highest]


def _draw(found: LoadPath, node: str, target: Path) -> None:
    from taut.output.plot.files import blank_figure, save_figure
    from taut.output.plot.static_paths import static_path

    figure = blank_figure((5.0, 3.6))
    static_path(found, node, ax=figure.add_subplot())
    save_figure(figure, target)
