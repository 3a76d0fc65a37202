"""Commands that simulate: demo, run, warmup."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut.cli.application import complain
from taut.cli.arguments import AsJson, Overrides, RecordFolders, model_at, placed
from taut.cli.page_files import check_page, tell_page
from taut.errors import FileError, OptionError

if TYPE_CHECKING:
    from taut.dynamics.trajectory import Trajectory


def demo(
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Where the run file goes; the page goes beside it.")
    ] = Path("tbar.nc"),
) -> None:
    """Simulate the T-bar of Hsu, Tadiparthi and Bhattacharya for 10 s, print the summary and write its page."""
    from taut.output.model_runs import recorded
    from taut.structure.examples import example
    from taut.structure.files import read_model

    print("The T-bar: two bars, four springs, no damping, let go from rest; `taut examples tbar` copies its file here.")
    print()
    finish_run(*recorded(read_model(example("tbar")), output, {}), output, page=output.with_suffix(".html"))


def run(
    model: Annotated[Path | None, typer.Argument(help="A model file (.yaml).", show_default=False)] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The run file (.nc); by default MODEL.nc, in this folder.")
    ] = None,
    duration: Annotated[float | None, typer.Option(help="How long to simulate, counted from the start [s].")] = None,
    every: Annotated[float | None, typer.Option(help="Time between samples [s].")] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="dp5 or dp8 (adaptive); rk4, rattle2, ..4, ..6 or ..8 (fixed step); "
            "implicit3 or implicit4 (adaptive or fixed step, for stiff motion); on a ground impulses, or "
            "energy-momentum in large steps (fixed step)."
        ),
    ] = None,
    tolerance: Annotated[float | None, typer.Option(help="Relative error allowed a step; alone it means dp5.")] = None,
    step: Annotated[float | None, typer.Option(help="Step [s]; alone it means rk4.")] = None,
    correction: Annotated[
        str | None, typer.Option(help="none, constraints, energy, baumgarte, filter or least-norm.")
    ] = None,
    locate: Annotated[
        bool | None, typer.Option("--locate/--no-locate", help="Find the instants at which cables slacken.")
    ] = None,
    on_collision: Annotated[
        str | None,
        typer.Option("--collisions", help="Of members that pass through or touch one another: warn, stop or ignore."),
    ] = None,
    clearance: Annotated[float | None, typer.Option(help="How far apart members stay, beside radii [m].")] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", help="Continue this run file or draft, with the model in it.", metavar="RUN.nc"),
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="Write a page to look at too (.html).", metavar="FILE")
    ] = None,
    events: Annotated[bool, typer.Option("--events", help="List every event, not only the first few.")] = False,
    horizon: Annotated[
        bool, typer.Option("--horizon", help="Run it once more, finer, and say how long it can be trusted.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Compare with another run to say how far this one is off.")
    ] = True,
    overrides: Overrides = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a model and write a run file; or continue one. Ctrl-C keeps what was computed, and so does a kill."""
    from taut.output.drafts import draft_of, is_draft
    from taut.output.model_runs import continued, recorded
    from taut.structure.scenario import RUN_OPTIONS

    values = (duration, every, method, tolerance, step, correction, locate, on_collision, clearance)
    given = {name: value for name, value in zip(RUN_OPTIONS, values, strict=True) if value is not None}
    if source is not None:
        other = None if model is None else model_at(model, overrides, records, trees=True)
        loaded, start = continued(source, other, overrides or ())
        begun = draft_of(source) if is_draft(source) else source.with_name(f"{source.stem}-continued.nc")
        target = output or begun
    elif model is not None:
        loaded, start = model_at(model, overrides, records, trees=True), None
        target = output or Path(f"{model.stem}.nc")
    else:
        raise OptionError("nothing to run: give a model file, or --from RUN.nc to continue a run")
    check_page(page)
    _offer_drafts(target, source)
    result, failure = recorded(loaded, target, given, start, verify=verify, horizon=horizon)
    if source is not None and is_draft(source) and failure is None:
        source.unlink(missing_ok=True)  # the run file has all that was in it
    finish_run(result, failure, target, page=page, as_json=as_json, events=events)


def warmup(
    models: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Models (.yaml) whose runs are to start at once; usual ones by default.",
            metavar="[MODEL]...",
            show_default=False,
        ),
    ] = None,
    copies: Annotated[
        bool,
        typer.Option(
            "--copies", help="Also what many copies at once take: rollouts, and gait searches of models with drives."
        ),
    ] = False,
) -> None:
    """Compile now what runs need, so that they start at once."""
    from taut.numerics.compiled import forget_others
    from taut.output.warming import warm, warm_usual

    if copies and not models:
        raise OptionError("--copies is of models; name one")
    forgotten = forget_others()
    loaded = [model_at(path, None, trees=True) for path in models or ()]
    for model in loaded:
        with placed(model):
            warm(model, copies=copies)
    if not loaded:
        warm_usual()
    if forgotten:
        print(f"removed {forgotten} files compiled from other versions")
    print("ready: the compiled equations are cached for later runs")


def _offer_drafts(target: Path, source: Path | None) -> None:
    """Say which unfinished runs of this name could go on; the new one leaves them as long as they reach further."""
    from taut.output.drafts import go_on, left_over

    for draft in left_over(target):
        if source is None or draft.path.resolve() != source.resolve():
            complain(
                f"an unfinished draft of {target} reaches {draft.reached:.6g} s; {go_on(draft.path)} goes on with it"
            )


def finish_run(
    result: Trajectory,
    failure: FileError | None,
    target: Path,
    *,
    page: Path | None = None,
    as_json: bool = False,
    events: bool = False,
) -> None:
    """Say what came out and where it is, and fail if the run did or could not be kept."""
    saved, code = str(target), 0 if result.ok else 1
    if failure is None and page is not None:
        failure = _shown(target, page)
    elif failure is not None:
        saved = "-"
    if failure is not None:
        page, code = None, complain(str(failure), 1)
    if as_json:
        print(json.dumps({**_numbers(result), "run_file": saved, **({"page": str(page)} if page else {})}, indent=2))
    else:
        for event in result.events if events else ():
            print(event)
        print(f"{result.summary()}\n\nrun file: {saved}")
        if result.status.startswith("interrupted"):
            print(f"to go on: taut run --from {saved}")
        tell_page(page)
    raise typer.Exit(code)


def _shown(run_file: Path, page: Path) -> FileError | None:
    """Write the page of a run file; returns why it is not there if it is not."""
    from taut.output.page.page import page as write_page
    from taut.output.store import load_run

    try:
        write_page(load_run(run_file), page)
    except FileError as error:
        return error
    return None


def _numbers(result: Trajectory) -> dict[str, Any]:
    """The summary for programs: SI units, nothing rounded."""
    overall = result.overall
    return {
        "status": result.status,
        "ok": result.ok,
        "accuracy": result.accuracy,
        "samples": overall.samples,
        "reached": overall.end,
        "options": dict(result.options),
        "counts": dict(result.counts),
        "worst": {name: getattr(overall, f"worst_{name}") for name in ("length", "rate", "energy")},
        "work": overall.work,
        "wall_time": result.wall_time,
        "horizon": result.horizon,
        "notes": list(result.notes),
        "events": [asdict(event) for event in result.events],
    }
