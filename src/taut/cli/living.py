"""`taut live`: a model as a page in which it moves under the reader's hands, and the replay of what was done there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from taut.cli.arguments import model_at
from taut.cli.page_files import check_page, tell_page
from taut.errors import FileError


def live(
    model: Annotated[Path, typer.Argument(help="A model file (.yaml).", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The page (.html), or with --replay the run file (.nc); in this folder."),
    ] = None,
    replay: Annotated[
        Path | None, typer.Option(help="A log that such a page saved: compute the same motion here.", metavar="LOG")
    ] = None,
    every: Annotated[float, typer.Option(help="Of a replay, the time between samples [s].")] = 1.0 / 60.0,
) -> None:
    """Write a page with the simulator in it: pull at nodes, cut and wind members, tilt the ground, offline, in any
    browser."""
    from taut.atomic_files import check_writable
    from taut.output.csv_files import CSV_SUFFIXES
    from taut.output.files import RUN_SUFFIXES
    from taut.output.page.lively import live_model
    from taut.output.page.page import page
    from taut.output.pictured import Still

    read = model_at(model, None)
    if replay is not None:
        target = output or Path(f"{replay.name.partition('.')[0]}.nc")
        if target.suffix not in (*RUN_SUFFIXES, *CSV_SUFFIXES):
            raise FileError(f"{target}: a replay is written as a run file (.nc) or as a table (.csv)")
        check_writable(target)
        from taut.live.replaying import replay as replayed
        from taut.output.files import save
        from taut.output.model_runs import assembled
        from taut.structure.files import text_of

        plant = assembled(read.structure, read.scenario)
        run = replayed(text_of(str(replay), "log"), plant, every=every)
        save(run, target)
        print(f"run: {target}, {run.time.size} samples to t = {run.time[-1]:g} s; {run.status}")
        return
    target = output or Path(f"{model.stem}.html")
    check_page(target)
    made = live_model(read)
    page(Still(made.plant.structure), target, live=made)
    for told in made.told:
        print(f"note: {told}")
    tell_page(target)
