"""The `taut` command. Thin: each command reads, calls the library, prints. One file for each group of commands.

Heavy imports happen inside the commands, so that `taut --help` answers at once.
"""

from __future__ import annotations

from taut.cli.application import app, main
from taut.cli.gait_files import plot as plot_gaits
from taut.cli.gait_files import replay, zoo
from taut.cli.gait_search import search, symmetries
from taut.cli.gaits import gait, summary
from taut.cli.identifying import identify
from taut.cli.linear import linear
from taut.cli.living import live
from taut.cli.load_cases import cases, path, size
from taut.cli.measuring import compare, tolerances
from taut.cli.models import check, examples, info
from taut.cli.papers import reproduce
from taut.cli.pictures import film, page, plot
from taut.cli.robots import follow, posture
from taut.cli.running import demo, run, warmup
from taut.cli.statics import formfind, modes, prestress
from taut.cli.sweeping import sweep
from taut.cli.workspaces import workspace

__all__ = ["main"]

for _command in (
    *(demo, examples, check, info, formfind, prestress, modes, cases, path, size, posture, follow, workspace),
    *(tolerances, linear, run, sweep, compare, identify, page, live, plot, film, reproduce, warmup),
):
    app.command()(_command)

for _gait_command in (search, symmetries, replay, plot_gaits, summary, zoo):
    gait.command()(_gait_command)

app.add_typer(gait, name="gait")
