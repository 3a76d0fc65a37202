"""A static path: how far nodes go as a load case comes on, what is unstable, and what happens on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.errors import OptionError, suggestion
from taut.output.palette import LINES, RULE, TEXT
from taut.output.plot.axes import keyed, label, ready
from taut.statics.paths import LoadPath
from taut.structure.records import AXES
from taut.type_checks import checked_arguments

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@checked_arguments
def static_path(path: LoadPath, node: str = "", axis: str = "", *, ax: Axes | None = None) -> Axes:
    """How far it is from the start, 0, to the case, 1, over the displacement [m] of a node along an axis.

    Dashed where it is unstable. By default the node and the axis that go furthest. Events are dots with their names.
    """
    if not path.factor.size:
        raise OptionError(f"this path has no points, so there is nothing to plot ({path.status})")
    names = list(path.structure.nodes)
    if node and node not in path.structure.nodes:
        raise OptionError(f'no node "{node}"{suggestion(node, names)}')
    if axis and axis not in AXES:
        raise OptionError(f'axis "{axis}" is not one of {", ".join(AXES)}')
    moves = path.nodes - path.nodes[0]
    reach = np.abs(moves).max(axis=0)
    index = names.index(node) if node else int(np.argmax(reach.max(axis=1)))
    along = AXES.index(axis) if axis else int(np.argmax(reach[index]))
    way = moves[:, index, along]
    drawn = ready(ax)
    drawn.plot(way, path.factor, linewidth=1.1, linestyle=(0, (3, 2)), color=LINES[0], label="unstable")
    drawn.plot(way, np.where(path.unstable == 0, path.factor, np.nan), linewidth=1.4, color=LINES[0], label="stable")
    if not path.unstable.any():
        drawn.lines[-2].remove()
    for k, kind in enumerate(dict.fromkeys(event.kind for event in path.events), 1):
        at = [event.point for event in path.events if event.kind == kind]
        colour = LINES[k % len(LINES)]
        drawn.plot(way[at], path.factor[at], linestyle="", marker="o", markersize=3.5, color=colour, label=kind)
    drawn.axhline(0.0, color=RULE, linewidth=0.5, zorder=0)
    drawn.set_xlabel(f"{label(names[index])}, displacement along {AXES[along]} [m]", fontsize=9, color=TEXT)
    drawn.set_ylabel("way from the start to the case [-]", fontsize=9, color=TEXT)
    keyed(drawn)
    return drawn
