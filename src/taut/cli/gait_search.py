"""The command `gait search`: a model in, its best gaits out, live while it goes on."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut.cli.application import complain
from taut.cli.arguments import AsJson, ModelPath, Overrides, RecordFolders, Scheduler, by_selector, model_at, placed
from taut.errors import OptionError

if TYPE_CHECKING:
    from taut.search.goals import Goal, Objective
    from taut.search.result import GaitSearch
    from taut.structure.structure import Structure

UPHILL = "uphill"


def search(
    model: ModelPath,
    generations: Annotated[int, typer.Option(help="How many.")] = 30,
    population: Annotated[int, typer.Option(help="Gaits in each.")] = 64,
    seed: Annotated[int, typer.Option(help="The same gives the same search.")] = 0,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The gait file (.nc); by default MODEL-gaits.nc.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the search in the gait file.")] = False,
    restart: Annotated[bool, typer.Option("--restart", help="Replace the gait file.")] = False,
    algorithm: Annotated[str, typer.Option(help="ga, nsga2 (several goals) or cma.")] = "ga",
    each: Annotated[
        list[str] | None, typer.Option(help="Members that move, each by itself; bar:* by default.", metavar="SELECTOR")
    ] = None,
    members: Annotated[
        list[str] | None, typer.Option(help="Members that move alike, as in bar:x*; several times.", metavar="SELECTOR")
    ] = None,
    goal: Annotated[
        list[str] | None,
        typer.Option(
            help="distance, along=X,Y,Z, uphill, cost_of_transport, energy, slip; several with nsga2.", metavar="GOAL"
        ),
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(help="peak_tension [N], peak_power [W], peak_speed [m/s].", metavar="NAME=NUMBER"),
    ] = None,
    slope: Annotated[float, typer.Option(help="Of the ground [degrees].")] = 0.0,
    heading: Annotated[float, typer.Option(help="Of uphill in the model's axes, from x towards y [degrees].")] = 0.0,
    start: Annotated[
        Path | None, typer.Option("--from", help="Begin with the gaits of this gait file, too.", metavar="GAITS.nc")
    ] = None,
    amplitude: Annotated[str, typer.Option(help="Least and most [m].", metavar="LOW:HIGH")] = "0.02:0.12",
    frequency: Annotated[str, typer.Option(help="Least and most [Hz].", metavar="LOW:HIGH")] = "0.4:2",
    mean: Annotated[str, typer.Option(help="Least and most [m].", metavar="LOW:HIGH")] = "0:0",
    shared: Annotated[
        str, typer.Option(help="What is the same for all members.", metavar="NAMES")
    ] = "amplitude,frequency,mean",
    symmetry: Annotated[
        str | None,
        typer.Option(help="Only gaits of this class, as Th/D2h-1; `taut gait symmetries` lists them.", metavar="H/K"),
    ] = None,
    reactive: Annotated[
        bool, typer.Option("--reactive", help="Members answer to where their ends are, all by one law.")
    ] = False,
    period: Annotated[float, typer.Option(help="Between decisions of a reactive gait [s].")] = 0.05,
    reach: Annotated[float, typer.Option(help="Largest change by a reactive gait [m].")] = 0.1,
    copies: Annotated[int, typer.Option(help="Perturbed copies of every gait.")] = 8,
    elite: Annotated[int, typer.Option(help="How many of the best so far are tried again.")] = 8,
    extra: Annotated[int, typer.Option(help="Fresh copies of the best so far, in every generation.")] = 16,
    duration: Annotated[float, typer.Option(help="Of a run [s].")] = 10.0,
    step: Annotated[float, typer.Option(help="Of time [s].")] = 1e-3,
    tell_step: Annotated[float | None, typer.Option(help="By which the best is told and checked [s].")] = None,
    check: Annotated[bool, typer.Option(help="Try the best at h/10, on another ground and with fresh noise.")] = True,
    jobs: Annotated[int | None, typer.Option(help="Threads; by default one a processor.")] = None,
    scheduler: Scheduler = None,
    overrides: Overrides = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Search for gaits by which a model on a ground moves best, over perturbed copies of each.

    The gait file is written after every generation: after Ctrl-C, a kill or a full disk --resume goes on where it was.
    """
    from taut.cli.search_progress import search_progress
    from taut.clusters import on_cluster
    from taut.locomotion.gait_classes import gait_symmetry
    from taut.locomotion.gait_spaces import SinusoidSpace
    from taut.locomotion.reactive import ReactiveSpace
    from taut.output.gait_search.finding import search_gaits, sloped, started_from, uphill
    from taut.output.gait_search.kept_search import StoppedSearch
    from taut.search.options import SearchOptions

    loaded = sloped(model_at(model, overrides, records), slope, heading)
    who = _entries(loaded.structure, each, members)
    alike = tuple(name.strip() for name in shared.split(",") if name.strip())
    ranges = {"amplitude": amplitude, "frequency": frequency, "mean": mean}
    bounds: dict[str, Any] = {name: _range(name, text) for name, text in ranges.items()}
    tied = gait_symmetry(loaded.structure, who, symmetry) if symmetry else None
    space: SinusoidSpace | ReactiveSpace = SinusoidSpace(who, **bounds, shared=alike, symmetry=tied)
    if reactive:
        if symmetry:
            raise OptionError("--symmetry is of sinusoids; in a reactive gait all members have one law")
        space = ReactiveSpace(who, reach=reach, period=period)
    objective = _objective(goal or [UPHILL if slope else "distance"], limit, uphill(loaded, heading))
    options = SearchOptions(
        algorithm,
        generations,
        population,
        seed,
        copies,
        elite=min(elite, population),
        extra=extra,
        duration=duration,
        step=step,
        tell_step=tell_step,
        start=started_from(start, space, population) if start else (),
    )
    target = output or Path(f"{model.stem}-gaits.nc")
    try:
        with on_cluster(scheduler) as executor, search_progress(objective.goals[0]) as shown, placed(loaded):
            found = search_gaits(
                loaded, space, objective, options, output=target, resume=resume, restart=restart, check=check,
                threads=jobs, executor=executor, progress=shown.standing, told=shown.say,
            )  # fmt: skip
    except StoppedSearch as error:
        print(error.result.summary())
        raise typer.Exit(complain(str(error), 1)) from None
    except KeyboardInterrupt:  # a second one
        told = f"interrupted: generations that were finished are in {target}; the same command with --resume goes on"
        raise typer.Exit(complain(told, 1)) from None
    _tell(found, target, as_json=as_json)


def symmetries(
    model: ModelPath,
    each: Annotated[
        list[str] | None, typer.Option(help="Members that move, each by itself; bar:* by default.", metavar="SELECTOR")
    ] = None,
    overrides: Overrides = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Symmetry classes of gaits: which members do the same, some a part of a period ahead of others.

    H/K: turns and mirrorings of the robot that a gait has with a shift of time, and those that it has without.
    """
    from dataclasses import asdict

    from taut.cli.tables import show_table
    from taut.locomotion.gait_classes import gait_symmetries

    structure = model_at(model, overrides, records).structure
    who = _entries(structure, each, None)
    found = gait_symmetries(structure, who)
    if as_json:
        print(json.dumps([{**asdict(one), "members": who} for one in found], indent=2))
        return
    show_table(("symmetry", "free", "members"), ((one.name, len(one.free), one.words(who)) for one in found))
    print(f"\nnext: taut gait search {model} --symmetry {found[-1].name}")


def _entries(structure: Structure, each: list[str] | None, members: list[str] | None) -> tuple[str, ...]:
    """Selectors of what moves, each by itself or alike."""
    from taut.structure.drives import members_of
    from taut.structure.scenario import Drive

    if each is None and members is None:
        if not structure.bars:
            raise OptionError("this model has no bars to move; name members that move with --each cable:*")
        each = ["bar:*"]
    entries: list[str] = []
    for selector in each or ():
        kind, names = members_of(structure, Drive("", selector, ""))
        entries += [f"{kind}:{name}" for name in names]
    entries += members or ()
    for selector in members or ():
        members_of(structure, Drive("", selector, ""))
    return tuple(dict.fromkeys(entries))


def _range(name: str, text: str) -> tuple[float, float]:
    low, _, high = text.partition(":")
    try:
        return float(low), float(high or low)
    except ValueError:
        raise OptionError(f'--{name} "{text}" is not the least and the most, as in 0.02:0.12') from None


def _objective(goals: list[str], limits: list[str] | None, up: tuple[float, float, float]) -> Objective:
    from taut.search.goals import Limit, Objective

    told = by_selector("--limit", limits) or {}
    return Objective(tuple(_goal(one, up) for one in goals), tuple(Limit(name, value) for name, value in told.items()))


def _goal(text: str, up: tuple[float, float, float]) -> Goal:
    from taut.search.goals import Goal

    name, _, where = text.partition("=")
    if name == UPHILL:
        return Goal("along", up)
    if not where:
        return Goal(name)
    try:
        x, y, z = map(float, [*where.split(","), "0", "0"][: max(3, where.count(",") + 1)])
    except ValueError:
        raise OptionError(f'--goal "{text}" is not a goal and a direction, as in along=0,1,0') from None
    return Goal(name, (x, y, z))


def _tell(found: GaitSearch, target: Path, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({**_facts(found), "gait_file": str(target)}, indent=2))
    else:
        print(found.summary())
        print(f"gait file: {target}")
        print(f"next: taut gait replay {target} -o run.nc --page run.html; taut gait plot {target} gaits.png")
    if not found.finished and found.status.startswith("interrupted"):
        raise typer.Exit(complain(f"{found.status}; the same command with --resume goes on", 1))


def _facts(found: GaitSearch) -> dict[str, Any]:
    gaits = [
        {"rank": k, "scores": [_known(one) for one in found.scores(k)], "numbers": found.candidate(k).point.tolist()}
        for k in range(1, len(found.candidates) + 1)
    ]
    checks = [{"what": one.what, "score": _known(one.score), "holds": one.holds} for one in found.checks]
    facts = {"status": found.status, "generations": len(found.generations), "runs": found.runs}
    return {**facts, "seconds": found.seconds, "names": list(found.space.names), "gaits": gaits, "checks": checks}


def _known(score: Any) -> dict[str, Any]:
    numbers = {"value": score.value, "error": score.error}
    return {**{k: v if math.isfinite(v) else None for k, v in numbers.items()}, "copies": score.copies}
