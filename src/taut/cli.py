"""The `taut` command. Thin: each command reads, calls the library, prints.

Exit code 0, 1 (ran, but failed), 2 (bad input).
What is wrong goes to stderr, one line a problem: `model.yaml:12: bars.b1: ...` where a file is at fault, `error: ...`
elsewhere. Heavy imports happen inside the commands, so that `taut --help` answers at once.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut import __version__
from taut.errors import FileError, ModelError, OptionError, Problem, TautError, suggestion

if TYPE_CHECKING:
    from taut.dynamics.trajectory import Trajectory
    from taut.structure.files import Model
    from taut.structure.scenario import Scenario

app = typer.Typer(
    help="Tensegrity structures: check, simulate, look at the numbers.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # it would take the units in [..] for markup
)

UsageError: Any = typer.BadParameter.__bases__[0]
"""What typer raises on a wrong command line; it belongs to click, which some versions of typer carry inside."""

MOST_LINES = 60
"""Of an error message; a file with more problems than that is better mended in parts."""

ModelPath = Annotated[Path, typer.Argument(help="A model file (.yaml).", show_default=False)]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change one entry of the model, as in scenario.duration=2.", metavar="KEY=VALUE"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def main(arguments: Sequence[str] | None = None) -> None:
    """The command's entry point: whatever goes wrong is told in plain words on stderr, never as a traceback."""
    raise SystemExit(_exit_code(arguments))


def _exit_code(arguments: Sequence[str] | None) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names may hold letters that a terminal does not know
    try:
        code = int(app(arguments, prog_name="taut", standalone_mode=False) or 0)
        print(end="", flush=True)
        return code
    except TautError as error:
        placed = isinstance(error, FileError) or (isinstance(error, ModelError) and error.source)
        return _complain(str(error) if placed else f"error: {error}")
    except UsageError as error:
        command = error.ctx.command_path if error.ctx else "taut"
        return _complain(f"error: {error.format_message()} (see `{command} --help`)")
    except (typer.Abort, KeyboardInterrupt):
        return _complain("error: interrupted before there was anything to keep", 1)
    except MemoryError as error:
        return _complain(
            f"error: not enough memory ({error or 'no details'}); take fewer samples or a smaller model", 1
        )
    except OSError as error:
        # Our output cannot be printed; without this Python would complain once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1 if isinstance(error, BrokenPipeError) else _complain(f"error: {error}", 1)


def _complain(message: str, code: int = 2) -> int:
    lines = message.splitlines()
    more = [f"... and {len(lines) - MOST_LINES} problems more"] if len(lines) > MOST_LINES else []
    print("\n".join(lines[:MOST_LINES] + more), file=sys.stderr)
    return code


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        print(f"taut {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="Where the run file goes.")] = Path("tbar.nc"),
) -> None:
    """Simulate the T-bar of Hsu, Tadiparthi and Bhattacharya for 10 s and print the summary."""
    from taut.output.model_runs import recorded
    from taut.structure.files import read_model

    print("The T-bar: two bars, four springs, no damping, let go from rest; `taut examples tbar` copies its file here.")
    print("The first run on a machine compiles the equations, which takes a while; later ones start at once.\n")
    _finish(*recorded(read_model(_example("tbar")), output, {}), output)


@app.command()
def examples(name: Annotated[str | None, typer.Argument(help="The example to copy here.")] = None) -> None:
    """List the examples, or copy one into this folder."""
    if name is None:
        found = _examples()
        width = max((len(path.name) for path in found), default=0)
        for path in found:
            print(f"{path.name:<{width}}  {_first_comment(path)}")
        return
    from taut.output.whole_files import written_whole

    source = _example(name)
    target = Path(source.name)
    if target.exists():
        raise FileError(f"{target}: is here already; move it away first")
    with written_whole(target) as draft:
        draft.write_bytes(source.read_bytes())
    then = f"taut check {target}, taut run {target}" if source.suffix == ".yaml" else f"python {target}"
    print(f"wrote {target}; next: {then}")


@app.command()
def check(model: ModelPath, overrides: Overrides = None) -> None:
    """Say whether a model file is sound; list every problem with its line."""
    from taut.mechanics.survey import problems_of_motion
    from taut.structure.files import located

    loaded = _model(model, overrides)
    found = [*problems_of_motion(loaded.structure), *_method_problems(loaded.scenario)]
    if found:
        raise located(loaded, found)
    print(f"{model}: sound; {_size(loaded)}")


@app.command()
def info(model: ModelPath, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Size, class, mass and degrees of freedom of a model."""
    from taut.mechanics.survey import facts

    values = facts(_model(model, overrides).structure)
    if as_json:
        print(json.dumps(values, indent=2))
        return
    width = max(map(len, values))
    for name, value in values.items():
        print(f"{name.replace('_', ' '):<{width}}  {_plainly(value)}")


@app.command()
def run(
    model: Annotated[Path | None, typer.Argument(help="A model file (.yaml).", show_default=False)] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The run file (.nc); by default MODEL.nc, in this folder.")
    ] = None,
    duration: Annotated[float | None, typer.Option(help="How long to simulate, counted from the start [s].")] = None,
    every: Annotated[float | None, typer.Option(help="Time between samples [s].")] = None,
    method: Annotated[
        str | None, typer.Option(help="dp5 or dp8 (adaptive); rk4, rattle2, ..4, ..6 or ..8 (fixed step).")
    ] = None,
    tolerance: Annotated[float | None, typer.Option(help="Relative error allowed a step; alone it means dp5.")] = None,
    step: Annotated[float | None, typer.Option(help="Step [s]; alone it means rk4.")] = None,
    correction: Annotated[str | None, typer.Option(help="none, constraints, energy or baumgarte.")] = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="Continue this run file, with the model in it.", metavar="RUN.nc")
    ] = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a model and write a run file; or continue one. Ctrl-C keeps what was computed."""
    from taut.output.model_runs import RUN_OPTIONS, continued, recorded

    values = (duration, every, method, tolerance, step, correction)
    given = {name: value for name, value in zip(RUN_OPTIONS, values, strict=True) if value is not None}
    if source is not None:
        other = None if model is None else _model(model, overrides)
        loaded, start = continued(source, other, overrides or ())
        target = output or source.with_name(f"{source.stem}-continued.nc")
    elif model is not None:
        loaded, start = _model(model, overrides), None
        target = output or Path(f"{model.stem}.nc")
    else:
        raise OptionError("nothing to run: give a model file, or --from RUN.nc to continue a run")
    _finish(*recorded(loaded, target, given, start), target, as_json=as_json)


@app.command()
def warmup() -> None:
    """Compile everything now, so that later runs start at once."""
    from taut.dynamics.simulate import simulate
    from taut.mechanics.plant import assemble
    from taut.mechanics.survey import facts
    from taut.numerics.compiled import forget_others
    from taut.structure.generators import tbar

    forgotten = forget_others()
    simulate(assemble(tbar()), 0.01)
    facts(tbar())
    if forgotten:
        print(f"removed {forgotten} files compiled from other versions")
    print("ready: the compiled equations are cached for later runs")


def _model(path: Path, overrides: list[str] | None) -> Model:
    from taut.structure.files import read_model

    if path.suffix == ".nc" and path.is_file():
        raise FileError(f"{path}: is a run file, not a model; to continue it, taut run --from {path}")
    return read_model(path, overrides or ())


def _method_problems(scenario: Scenario) -> list[Problem]:
    from taut.dynamics.methods import method_named

    try:
        method = method_named(scenario.method)
    except OptionError as error:
        return [Problem(("scenario", "method"), str(error))]
    if method.adaptive and scenario.step is not None:
        return [Problem(("scenario", "step"), f'method "{method.name}" chooses its own step; leave it out, or use rk4')]
    if not method.adaptive and scenario.step is None:
        return [Problem(("scenario", "method"), f'method "{method.name}" needs a step [s], as in step: 1e-3')]
    return []


def _finish(result: Trajectory, failure: FileError | None, target: Path, *, as_json: bool = False) -> None:
    """Say what came out and where it is, and fail if the run did or could not be kept."""
    code = 0 if result.ok else 1
    saved = str(target)
    if failure is not None:
        saved, code = "-", _complain(str(failure), 1)
    if as_json:
        print(json.dumps({**_numbers(result), "run_file": saved}, indent=2))
    else:
        print(f"{result.summary()}\n\nrun file: {saved}")
        if result.status.startswith("interrupted"):
            print(f"to go on: taut run --from {saved}")
    raise typer.Exit(code)


def _numbers(result: Trajectory) -> dict[str, Any]:
    """The summary for programs: SI units, nothing rounded."""
    overall = result.overall
    return {
        "status": result.status,
        "samples": overall.samples,
        "reached": overall.end,
        "options": dict(result.options),
        "counts": dict(result.counts),
        "worst": {name: getattr(overall, f"worst_{name}") for name in ("length", "rate", "energy")},
        "work": overall.work,
        "wall_time": result.wall_time,
        "notes": list(result.notes),
    }


def _examples() -> list[Path]:
    """The examples that came with the installation, or those of the checkout."""
    here = Path(__file__).parent
    folder = next((f for f in (here / "examples", here.parents[1] / "examples") if f.is_dir()), here)
    return sorted(path for path in folder.iterdir() if path.suffix in (".yaml", ".py"))


def _example(name: str) -> Path:
    known = {path.stem: path for path in _examples()} | {path.name: path for path in _examples()}
    if name not in known:
        raise OptionError(f'no example "{name}"{suggestion(name, known) or "; `taut examples` lists them"}')
    return known[name]


def _first_comment(path: Path) -> str:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    return first.strip('#" ')


def _size(model: Model) -> str:
    s = model.structure
    return f"{len(s.nodes)} nodes, {len(s.bars)} bars, {len(s.cables)} cables"


def _plainly(value: Any) -> str:
    return "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
