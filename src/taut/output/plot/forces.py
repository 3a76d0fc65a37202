"""Tensions over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.output.plot.axes import keyed, label, over_time, ready, require_samples
from taut.structure.selectors import select
from taut.type_checks import checked_arguments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LINES = 6
"""Cables shown where none are chosen: those whose tension changes most."""


@checked_arguments
def tensions(run: Trajectory, cables: str = "", *, ax: Axes | None = None) -> Axes:
    """Tensions [N] of the cables that a selector names, as in "cable:top*"; by default of the liveliest ones."""
    require_samples(run)
    drawn = ready(ax)
    names = list(run.structure.cables)
    title = ""
    if cables:
        chosen = [names.index(name) for name in select(run.structure, cables, "cable")[1]]
    else:
        spread = np.ptp(run.cable_tension, axis=0)
        chosen = sorted(np.argsort(-spread, kind="stable")[:MOST_LINES].tolist())
        if len(names) > MOST_LINES:
            title = f"{MOST_LINES} of {len(names)} cables: those that change most"
    for index in chosen:
        drawn.plot(run.time, run.cable_tension[:, index], linewidth=1.0, label=label(names[index]))
    over_time(drawn, "tension [N]")
    keyed(drawn, title)
    return drawn
