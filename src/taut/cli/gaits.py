"""The commands `gait ...`: what a run on the ground came to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from taut.cli.arguments import AsJson
from taut.cli.tables import show_table

gait = typer.Typer(help="Robots that move over the ground.", rich_markup_mode=None)


@gait.callback(invoke_without_command=True)
def _help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


def summary(
    run: Annotated[Path, typer.Argument(help="A run file (.nc) of a model with a ground.", show_default=False)],
    hold: Annotated[float, typer.Option(help="A face counts when it is held for so long [s].")] = 0.1,
    faces: Annotated[bool, typer.Option("--faces", help="List the faces it stood on.")] = False,
    as_json: AsJson = False,
) -> None:
    """How far a robot went, on which faces, how much it slipped, and what its drives put in."""
    from taut.dynamics.trajectory import Trajectory
    from taut.errors import FileError
    from taut.locomotion.summary import locomotion_of
    from taut.output.files import read

    loaded = read(run)
    if not isinstance(loaded, Trajectory):
        raise FileError(f"{run}: is no run; taut run MODEL -o FILE.nc makes one")
    told = locomotion_of(loaded, hold=hold)
    if as_json:
        stands = [{"face": list(one.face), "begin": one.begin, "end": one.end} for one in told.stands]
        print(json.dumps({**told.numbers(), "stands": stands}, indent=2))
        return
    print(told.summary())
    if faces:
        print()
        show_table(
            ("from [s]", "to [s]", "all nodes down [s]", "face"),
            ((one.begin, one.end, one.borne, " ".join(one.face)) for one in told.stands),
        )
