"""Where nodes go: paths in the plane or in space, coordinates over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.output.palette import LINES
from taut.output.plot.axes import COLUMN, keyed, label, over_time, ready, require_samples
from taut.output.plot.shapes import outlined
from taut.output.plot.views import AXIS_PAIRS, chosen_view, fill, flat_labels, solid_labels, solid_limits
from taut.structure.records import AXES
from taut.structure.selectors import select
from taut.type_checks import checked_arguments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PATHS = 6
"""Nodes shown where none are chosen: those that move most."""


@checked_arguments
def paths(run: Trajectory, nodes: str = "", *, view: str = "", ax: Axes | None = None) -> Axes:
    """The paths [m] of the nodes that a selector names, over the structure as it was at the start.

    view: "xy", "xz", "yz" or "3d"; by default the plane the structure lies in, else "3d".
    """
    require_samples(run)
    wanted = chosen_view(view, run.nodes)
    solid = wanted == "3d"
    drawn = ready(ax, solid=solid, size=(COLUMN[0], 3.0))
    axes = [0, 1, 2] if solid else list(AXIS_PAIRS[wanted])
    names = list(run.structure.nodes)
    for place, index in enumerate(_chosen(run, nodes, MOST_PATHS)):
        path = run.nodes[:, index][:, axes].T
        colour = LINES[place % len(LINES)]
        drawn.plot(*path, linewidth=0.9, color=colour, label=label(names[index]))
    outlined(drawn, run.structure, run.nodes[0], wanted)
    if solid:
        solid_labels(drawn)
        solid_limits(drawn, run.nodes)
    else:
        flat_labels(drawn, wanted)
    keyed(drawn)
    fill(drawn)
    return drawn


@checked_arguments
def coordinates(run: Trajectory, nodes: str = "", *, axes: str = "", ax: Axes | None = None) -> Axes:
    """Coordinates [m] of nodes over time; by default of the one that moves most, along the axes it moves on."""
    require_samples(run)
    drawn = ready(ax)
    names = list(run.structure.nodes)
    for index in _chosen(run, nodes, 1):
        moved = np.ptp(run.nodes[:, index], axis=0)
        shown = axes or [axis for axis, span in zip(AXES, moved, strict=True) if span > 1e-6 * moved.max()] or AXES
        for axis in shown:
            path = run.nodes[:, index, AXES.index(axis)]
            drawn.plot(run.time, path, linewidth=1.0, label=f"{label(names[index])} {axis}")
    over_time(drawn, "coordinate [m]")
    keyed(drawn)
    return drawn


def _chosen(run: Trajectory, nodes: str, most: int) -> list[int]:
    names = list(run.structure.nodes)
    if nodes:
        return [names.index(name) for name in select(run.structure, nodes, "node")[1]]
    reach = np.linalg.norm(np.ptp(run.nodes, axis=0), axis=1)
    liveliest = np.argsort(-reach, kind="stable")[:most]
    return sorted(int(k) for k in liveliest if reach[k] > 0.0) or liveliest[:1].tolist()
