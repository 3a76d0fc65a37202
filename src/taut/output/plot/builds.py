"""Building tolerances: where the tensions of many builds lie, member by member."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from taut.measurement.tolerance_results import Tolerances
from taut.output.palette import LINES, MUTED, RULE, TEXT
from taut.output.plot.axes import ready
from taut.type_checks import checked_arguments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = (6.0, 3.2)

NAMED = 60
"""Members up to which each has its name below."""


@checked_arguments
def tension_scatter(builds: Tolerances, *, ax: Axes | None = None) -> Axes:
    """How far the forces of 95 % of the builds lie from those of the design [N], member by member, beside what linear
    propagation says of them."""
    drawn = ready(ax, size=WIDE)
    places = np.arange(builds.nominal.size)
    low, median, high = (builds.quantile(share) - builds.nominal for share in (0.025, 0.5, 0.975))
    reach = 1.96 * builds.linear.tension
    drawn.vlines(places + 0.2, -reach, reach, color=MUTED, linewidth=1.0, label="by linear propagation")
    drawn.vlines(places - 0.2, low, high, color=LINES[0], linewidth=2.0, label=f"95 % of {builds.status.size} builds")
    drawn.plot(places - 0.2, median, linestyle="", marker="_", color=LINES[1], markersize=5, label="median")
    drawn.axhline(0.0, color=RULE, linewidth=0.5, zorder=0)
    if places.size <= NAMED:
        drawn.set_xticks(places, [name.partition(":")[2] for name in builds.members], rotation=90, fontsize=6)
    drawn.set_xlabel("member, cables first", fontsize=9, color=TEXT)
    drawn.set_ylabel("force less that of the design [N]", fontsize=9, color=TEXT)
    above: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": 3}  # names are below
    drawn.legend(**above, frameon=False, fontsize=8, labelcolor=TEXT)
    return drawn
