"""Commands about gaits that were found: replay, plot, zoo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from taut.cli.arguments import AsJson
from taut.cli.page_files import check_page
from taut.cli.running import finish_run
from taut.cli.tables import show_table
from taut.errors import FileError, OptionError

if TYPE_CHECKING:
    from taut.structure.files import Model

GaitFile = Annotated[Path, typer.Argument(help="A gait file (.nc) of `taut gait search`.", show_default=False)]
Rank = Annotated[int, typer.Option(help="Which of the gaits, from 1 for the best.")]
RunFile = Annotated[Path | None, typer.Option("-o", "--output", help="The run file (.nc).")]
Page = Annotated[Path | None, typer.Option("--page", help="Write a page to look at too (.html).", metavar="FILE")]
ModelFile = Annotated[
    Path | None, typer.Option("--model", help="Write the model with the gait, which `taut run` takes.", metavar="FILE")
]


def replay(
    gaits: GaitFile,
    rank: Rank = 1,
    output: RunFile = None,
    page: Page = None,
    model: ModelFile = None,
    as_json: AsJson = False,
) -> None:
    """Run a gait that was found, into a run file and a page; or write the model that runs by it."""
    from taut.output.gait_search.replaying import replayed
    from taut.output.gait_search.store import load_gaits

    _check_outputs(output, page, model)
    moved = replayed(load_gaits(gaits), rank)
    _run(moved, output or Path(f"{gaits.stem}-{rank}.nc"), page, model, as_json=as_json)


def plot(
    gaits: GaitFile,
    figure: Annotated[Path, typer.Argument(help="The figure (.png, .pdf, .svg).", show_default=False)],
    rank: Rank = 1,
    copies: Annotated[int, typer.Option(help="Paths of the gait that are drawn; 0 for none.")] = 64,
    jobs: Annotated[int | None, typer.Option(help="Threads; by default one a processor.")] = None,
) -> None:
    """Draw how a search went on, its front where it has several goals, phases, and where copies of a gait go."""
    from taut.atomic_files import check_writable
    from taut.output.gait_search.replaying import copies_of
    from taut.output.gait_search.store import load_gaits
    from taut.output.plot.files import check_suffix
    from taut.output.plot.gait_searches import save_search_sheet

    if copies < 0:
        raise OptionError(f"--copies {copies} must be zero or more")
    found = load_gaits(gaits)
    found.candidate(rank)
    check_suffix(figure)
    check_writable(figure)
    save_search_sheet(found, figure, rank, copies_of(found, rank, copies, jobs) if copies else None)
    print(f"figure: {figure}")


def zoo(
    name: Annotated[str | None, typer.Argument(help="Which; without it they are listed.", show_default=False)] = None,
    output: RunFile = None,
    page: Page = None,
    model: ModelFile = None,
    as_json: AsJson = False,
) -> None:
    """Gaits of the six-strut robot that come with taut, by symmetry, with their statistics; or run one of them."""
    from taut.output.gait_search.zoo import COLUMNS, gait_named, gaits_shipped, zoo_model

    if name is None:
        if (output, page, model) != (None, None, None):
            raise OptionError("-o, --page and --model are of one gait; name one, as `taut gait zoo` lists them")
        shipped = gaits_shipped()
        if as_json:
            print(json.dumps([one.data() for one in shipped], indent=2))
            return
        show_table(COLUMNS, (one.row() for one in shipped))
        print("\nfaces: closed (c) and open (o) ones that at least half of the copies stand on first, in this order")
        print("next: taut gait zoo NAME -o run.nc --page run.html")
        return
    _check_outputs(output, page, model)
    chosen = gait_named(name)
    _run(zoo_model(chosen), output or Path(f"{name}.nc"), page, model, as_json=as_json)


def _check_outputs(output: Path | None, page: Path | None, model: Path | None) -> None:
    """Refuse what does not go together, or cannot be written, before the work begins."""
    if model is not None and (output, page) != (None, None):
        raise OptionError("--model writes a model and runs nothing, so -o and --page have no run; leave it or them out")
    check_page(page)


def _run(moved: Model, target: Path, page: Path | None, written: Path | None, *, as_json: bool) -> None:
    from taut.output.model_runs import recorded
    from taut.structure.files import write_model

    if written is not None:
        if written.suffix not in (".yaml", ".yml"):
            raise FileError(f"{written}: a model file's name must end in .yaml")
        if moved.scenario.controllers:
            raise OptionError("a reactive gait is a law, which model files cannot hold; run it by -o instead")
        write_model(written, moved.structure, moved.scenario)
        print(json.dumps({"model_file": str(written)}, indent=2) if as_json else f"model: {written}")
        return
    finish_run(*recorded(moved, target, {}, verify=False), target, page=page, as_json=as_json)
