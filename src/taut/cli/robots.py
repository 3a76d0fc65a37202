"""Commands about robots that are moved by their cables: posture, follow."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut.cli.application import complain
from taut.cli.arguments import (
    AsJson,
    ModelPath,
    RecordFolders,
    by_selector,
    model_at,
    number_or_by_selector,
    output_model,
    placed,
)
from taut.cli.page_files import check_page
from taut.cli.robot_tables import (
    command_numbers,
    fact_numbers,
    finite,
    several_numbers,
    show_path,
    show_posture,
    verdict,
)
from taut.cli.statics import equilibrium_numbers
from taut.cli.table_files import json_columns
from taut.errors import FileError, OptionError

if TYPE_CHECKING:
    from taut.kinetostatics.following import FollowedPath
    from taut.kinetostatics.robot import Robot
    from taut.output.model_robots import PostureFacts
    from taut.output.robot_paths import PathPostures
    from taut.statics.equilibrium import Equilibrium
    from taut.structure.files import Model

Inputs = Annotated[
    list[str] | None,
    typer.Option("--input", help="What is commanded, as in cable:a*; by default every cable.", metavar="SELECTOR"),
]
Commands = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="What an input is commanded to, as in cable:a1=91 [N or m], or an entry of the model, as in "
        "scenario.gravity=0.",
        metavar="INPUT=VALUE",
    ),
]
Modes = Annotated[
    list[str] | None,
    typer.Option(
        "--mode",
        help="Command cables by tension, length, spring or force_density, as in cable:a*=tension, at what they have in "
        "the model's own posture.",
        metavar="SELECTOR=MODE",
    ),
]
PageFile = Annotated[Path | None, typer.Option("--page", help="Write a page that shows it (.html).", metavar="FILE")]
MEMBERS = ("cable:", "bar:")


def posture(
    model: ModelPath,
    inputs: Inputs = None,
    told: Commands = None,
    modes: Modes = None,
    several: Annotated[
        int | None, typer.Option(help="Look for all postures of these commands, from so many starts.", metavar="TRIES")
    ] = None,
    spread: Annotated[float, typer.Option(help="several: how far starts are from the shape of the model [m].")] = 0.05,
    seed: Annotated[int, typer.Option(help="several: the same gives the same starts.")] = 0,
    save_as: Annotated[
        Path | None, typer.Option("-o", "--save", help="Write the model in this posture (.yaml).", metavar="FILE")
    ] = None,
    page: PageFile = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Find where a robot is with its cables commanded, stable or not: nodes, forces, stiffness, answer to inputs."""
    from taut.kinetostatics.several_postures import postures
    from taut.output.files import save
    from taut.output.model_robots import posture_facts

    target = None if save_as is None else output_model(model, save_as, "posture")
    _check_outputs(page)
    loaded, robot, found = _standing(model, inputs, modes, told, records)
    if not found.ok:
        if as_json:
            print(json.dumps({**equilibrium_numbers(found), **command_numbers(robot.at(found))}, indent=2))
        raise typer.Exit(complain(f"{model}: {found.status}", 1))
    here = robot.at(found)
    facts = posture_facts(here, found)
    others = None if several is None else postures(here, tries=several, spread=spread, seed=seed)
    if target is not None:
        save(replace(loaded, structure=found.structure), target)
    if page is not None:
        _write_page(found, page, facts)
    if as_json:
        values = {**equilibrium_numbers(found), **command_numbers(here), **fact_numbers(facts)}
        values |= {"postures": several_numbers(others)} if others else {}
        print(json.dumps({**values, **_files(model_file=target, page=page)}, indent=2))
        return
    show_posture(here, found, facts)
    if others is not None:
        print(f"\n{others.sentence}")
    for note in (*found.notes, *facts.notes):
        print(f"note: {note}")
    if target is not None:
        print(f"model file: {target}; next: taut page {target}, taut run {target}")
    if page is not None:
        print(f"page: {page}")


def follow(
    model: ModelPath,
    plate: Annotated[
        str | None, typer.Option(help="The plate whose centre follows the path; by default the only one.")
    ] = None,
    node: Annotated[str | None, typer.Option(help="A node that follows it, instead.")] = None,
    path: Annotated[
        Path | None,
        typer.Option("--path", help="A table (.csv): time, x, y, z [s, m]; an empty axis is open.", metavar="FILE"),
    ] = None,
    circle: Annotated[
        float | None,
        typer.Option(help="A circle instead, of this radius [m] round where it is, level, its height open."),
    ] = None,
    turns: Annotated[float, typer.Option(help="circle: how often round; less than zero goes clockwise.")] = 1.0,
    duration: Annotated[float, typer.Option(help="circle: [s].")] = 30.0,
    samples: Annotated[int, typer.Option(help="circle: how many.")] = 61,
    sums: Annotated[
        list[str] | None,
        typer.Option("--hold-sum", help="Tensions that add up to this [N], as in cable:a*=270.", metavar="SELECTOR=N"),
    ] = None,
    level: Annotated[str | None, typer.Option("--level", help="Keep this plate level, too.", metavar="PLATE")] = None,
    lowest: Annotated[
        list[str] | None, typer.Option(help="Least tension [N], of all cables or SELECTOR=N.", metavar="N")
    ] = None,
    highest: Annotated[
        list[str] | None, typer.Option(help="Greatest tension [N], of all cables or SELECTOR=N.", metavar="N")
    ] = None,
    iterations: Annotated[int, typer.Option(help="Corrections of a sample, at most.")] = 60,
    inputs: Inputs = None,
    told: Commands = None,
    modes: Modes = None,
    outputs: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--out",
            help="Write the path: every number of it (.csv), or a run file that page, plot and film take (.nc).",
            metavar="FILE",
        ),
    ] = None,
    page: PageFile = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Lead a plate or node along a path by inverse kinematics: what to command at every sample, and what it does not
    reach."""
    from taut.kinetostatics.stretches import follow_all
    from taut.output.model_robots import path_tasks, tension_limits, told_led
    from taut.output.robot_paths import circle_path, path_postures, read_path

    if (path is None) == (circle is None):
        raise OptionError("give either --path FILE or --circle RADIUS")
    _check_outputs(page, outputs or ())
    limits = tension_limits(
        number_or_by_selector("--lowest", lowest, None), number_or_by_selector("--highest", highest, None)
    )
    held = by_selector("--hold-sum", sums) or {}
    laid = None if path is None else read_path(path)
    loaded, robot, found = _standing(model, inputs, modes, told, records)
    with placed(loaded):
        led = told_led(loaded.structure, plate, node)
        centre = led.place(found)
        if not found.ok:
            raise typer.Exit(complain(f"{model}: {found.status}", 1))
        robot = robot.at(found)
        if laid is None:
            laid = circle_path(centre, circle or 0.0, turns=turns, duration=duration, samples=samples)
        tasks = path_tasks(led, *laid, held, level)
        way, gaps = follow_all(robot, tasks, laid[0], limits=limits, start=found, iterations=iterations)
    postures = path_postures(robot, way) if way.times.size else None
    written = _save_path(way, postures, outputs or (), page)
    if as_json:
        values: dict[str, Any] = {"status": way.status, "inputs": list(way.inputs), "samples": int(laid[0].size)}
        values["unreached"] = [{"begin": g.begin, "end": g.end, "samples": g.samples, "reason": g.status} for g in gaps]
        values["lowest_stiffness"] = [] if postures is None else list(map(finite, postures.lowest_stiffness.tolist()))
        print(json.dumps({**values, **json_columns(way, None), "files": written}, indent=2))
    else:
        show_path(robot, way, postures, laid[0].size)
        for file in written:
            print(f"file: {file}")
    if gaps:
        raise typer.Exit(complain("\n".join(f"{model}: {gap.sentence}" for gap in gaps), 1))


def _standing(
    model: Path, inputs: list[str] | None, modes: list[str] | None, told: list[str] | None, records: list[Path] | None
) -> tuple[Model, Robot, Equilibrium]:
    """A model, its robot, and the posture with the commands that are told."""
    from taut.output.model_robots import standing_robot, told_modes

    entries = [one for one in told or () if not one.startswith(MEMBERS)]
    values = by_selector("--set", [one for one in told or () if one.startswith(MEMBERS)])
    loaded = model_at(model, entries, records)
    with placed(loaded):
        robot, found = standing_robot(loaded, inputs or ("cable:*",), told_modes("--mode", modes), values)
    return loaded, robot, found


def _check_outputs(page: Path | None, outputs: tuple[Path, ...] | list[Path] = ()) -> None:
    """Refuse what cannot be written before the work begins."""
    from taut.atomic_files import check_writable
    from taut.output.csv_files import CSV_SUFFIXES
    from taut.output.files import RUN_SUFFIXES

    for output in outputs:
        if output.suffix not in (*CSV_SUFFIXES, *RUN_SUFFIXES):
            raise FileError(f"{output}: a path is written as a table (.csv) or as a run file (.nc)")
        check_writable(output)
    check_page(page)


def _save_path(
    way: FollowedPath, postures: PathPostures | None, outputs: tuple[Path, ...] | list[Path], page: Path | None
) -> list[str]:
    """Whatever was asked for; nothing where no sample was reached."""
    from taut.output.files import save

    if postures is None:
        return []
    for output in outputs:
        save(way if output.suffix == ".csv" else postures.run, output)
    if page is not None:
        from taut.output.page.page import page as write_page

        write_page(postures.run, page)
    return [str(file) for file in (*outputs, *([page] if page else []))]


def _write_page(found: Equilibrium, page: Path, facts: PostureFacts) -> None:
    from taut.output.page.page import page as write_page
    from taut.output.pictured import still_of

    told = {name: f"{one.lowest:.4g} N/m, {verdict(one)}" for name, one in facts.stiffness.items()}
    write_page(still_of(found, told), page)


def _files(**told: Path | None) -> dict[str, str]:
    return {name: str(path) for name, path in told.items() if path is not None}
