"""The `taut` command. Thin: each command reads, calls the library, prints. Exit code 0, 1 (ran, but failed), 2 (bad
input)."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut import __version__
from taut.errors import FileError, ModelError, TautError, suggestion

if TYPE_CHECKING:
    from taut.dynamics.trajectory import Trajectory
    from taut.structure.files import Model

app = typer.Typer(
    help="Tensegrity structures: check, simulate, look at the numbers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

ModelPath = Annotated[Path, typer.Argument(help="A model file (.yaml).", show_default=False)]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change one entry of the model, as in scenario.duration=2.", metavar="KEY=VALUE"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def main() -> None:
    """The command's entry point: errors as one plain message on stderr."""
    try:
        app()
    except TautError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        print(f"taut {__version__}")
        raise typer.Exit


@app.command()
def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="Where the run file goes.")] = Path("tbar.nc"),
) -> None:
    """Simulate the T-bar of Hsu, Tadiparthi and Bhattacharya for 10 s and print the summary."""
    from taut.structure.files import read_model

    print("The T-bar: two bars, four springs, no damping, let go from rest; see examples/tbar.yaml.")
    print("The first run on a machine compiles the equations, which takes a while; later ones start at once.\n")
    _finish(_simulated(read_model(_example("tbar")), output, {}), output)


@app.command()
def examples(name: Annotated[str | None, typer.Argument(help="The example to copy here.")] = None) -> None:
    """List the examples, or copy one into this folder."""
    if name is None:
        for path in _examples():
            print(f"{path.stem:<16} {_first_comment(path)}")
        return
    source = _example(name)
    target = Path(source.name)
    if target.exists():
        raise FileError(f"{target} is here already; move it away first")
    target.write_bytes(source.read_bytes())
    print(
        f"wrote {target}; next: taut check {target}, taut run {target}"
        if source.suffix == ".yaml"
        else f"wrote {target}"
    )


@app.command()
def check(model: ModelPath, overrides: Overrides = None) -> None:
    """Say whether a model file is sound; list every problem with its line."""
    from taut.mechanics.survey import problems_of_motion

    loaded = _model(model, overrides)
    found = problems_of_motion(loaded.structure)
    if found:
        raise ModelError(found, str(model))
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
        Path | None, typer.Option("-o", "--output", help="The run file; MODEL.nc here by default.")
    ] = None,
    duration: Annotated[float | None, typer.Option(help="How long to simulate, counted from the start [s].")] = None,
    every: Annotated[float | None, typer.Option(help="Time between samples [s].")] = None,
    method: Annotated[str | None, typer.Option(help="dp5 (adaptive) or rk4 (fixed step).")] = None,
    tolerance: Annotated[
        float | None, typer.Option(help="Relative error allowed a step, for adaptive methods.")
    ] = None,
    step: Annotated[float | None, typer.Option(help="Step [s], for fixed-step methods.")] = None,
    correction: Annotated[str | None, typer.Option(help="none, constraints, energy or baumgarte.")] = None,
    source: Annotated[Path | None, typer.Option("--from", help="Continue this run file.", metavar="RUN.nc")] = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a model and write a run file; or continue one."""
    given = {
        "duration": duration,
        "every": every,
        "method": method,
        "tolerance": tolerance,
        "step": step,
        "correction": correction,
    }
    options = {name: value for name, value in given.items() if value is not None}
    if source is None:
        if model is None:
            raise FileError("nothing to run: give a model file, or --from RUN.nc to continue a run")
        loaded, start = _model(model, overrides), None
        target = output or Path(f"{model.stem}.nc")
    else:
        loaded, start = _continued(source, model, overrides)
        target = output or source.with_name(f"{source.stem}-continued.nc")
        kept = ("method", "tolerance", "step", "correction", "every")
        options = {**{name: start.options[name] for name in kept if name in start.options}, **options}
        if "duration" not in options:
            raise FileError(f"{source} ends at {start.time[-1]:g} s; say how far to go on with --duration")
    result = _simulated(loaded, target, options, start)
    _finish(result, target, as_json)


@app.command()
def warmup() -> None:
    """Compile everything now, so that later runs start at once."""
    from taut.dynamics.simulate import simulate
    from taut.mechanics.plant import assemble
    from taut.structure.generators import tbar

    simulate(assemble(tbar()), 0.01)
    print("ready: the compiled equations are cached for later runs")


def _model(path: Path, overrides: list[str] | None) -> Model:
    from taut.structure.files import read_model

    return read_model(path, overrides or ())


def _continued(source: Path, model: Path | None, overrides: list[str] | None) -> tuple[Model, Trajectory]:
    from taut.output.store import load_run
    from taut.structure.files import parse_model

    start = load_run(source)
    if model is not None:
        return _model(model, overrides), start
    if not start.model_text:
        raise FileError(f"{source} holds no model; name the model file too")
    return parse_model(start.model_text, str(source), overrides or ()), start


def _simulated(model: Model, target: Path, options: dict[str, Any], start: Trajectory | None = None) -> Trajectory:
    """Run a model with its scenario's options, overridden by those given; a file that cannot be written is found
    first."""
    from taut.dynamics.simulate import simulate
    from taut.mechanics.plant import assemble
    from taut.output.store import check_writable

    check_writable(target)
    scenario = model.scenario
    wanted = {
        "duration": scenario.duration,
        "every": scenario.every,
        "method": scenario.method,
        "tolerance": scenario.tolerance,
        "step": scenario.step,
        "correction": scenario.correction,
    } | options
    if "step" in options and "method" not in options:
        wanted["method"] = "rk4"
    if "tolerance" in options and "method" not in options and "step" not in options:
        wanted["step"] = None
    plant = assemble(
        model.structure,
        gravity=scenario.gravity,
        loads=scenario.loads,
        damping=scenario.damping,
        velocities=scenario.velocities,
    )
    with _progress() as report:
        return simulate(plant, wanted.pop("duration"), **wanted, start=start, progress=report, model_text=model.text)


@contextmanager
def _progress() -> Iterator[Callable[[float, float], None] | None]:
    """A bar with simulated time and time left, where someone watches; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.completed:8.3f} of {task.total:g} s"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("run", total=None)
        yield lambda now, end: bar.update(task, completed=now, total=end)


def _finish(result: Trajectory, target: Path, as_json: bool = False) -> None:
    """Save, say what came out, and fail if the run did."""
    from taut.output.store import save_run

    save_run(result, target)
    if as_json:
        print(json.dumps({**result.facts(), "run_file": str(target)}, indent=2))
    else:
        print(result.summary())
        print(f"\nrun file: {target}")
    if not result.ok:
        raise typer.Exit(1)


def _examples() -> list[Path]:
    """The examples that came with the installation, or those of the checkout."""
    here = Path(__file__).parent
    folder = next((f for f in (here / "examples", here.parents[1] / "examples") if f.is_dir()), here)
    return sorted(path for path in folder.iterdir() if path.suffix in (".yaml", ".py"))


def _example(name: str) -> Path:
    known = {path.stem: path for path in _examples()} | {path.name: path for path in _examples()}
    if name not in known:
        raise FileError(f'no example "{name}"{suggestion(name, known)}; `taut examples` lists them')
    return known[name]


def _first_comment(path: Path) -> str:
    first = path.read_text().splitlines()[0]
    return first.strip('#" ')


def _size(model: Model) -> str:
    s = model.structure
    return f"{len(s.nodes)} nodes, {len(s.bars)} bars, {len(s.cables)} cables"


def _plainly(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
