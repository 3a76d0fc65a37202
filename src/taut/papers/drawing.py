"""Charts of several panels for papers, in the style of `taut.plot`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from taut.output.palette import MUTED
from taut.output.plot.axes import keyed, label, over_time, ready


def panels(figure: Any, titles: list[str], columns: int = 2) -> list[Any]:
    """Axes in rows, one for each title."""
    rows = -(-len(titles) // columns)
    made = []
    for place, title in enumerate(titles, 1):
        axes = ready(figure.add_subplot(rows, columns, place))
        axes.set_title(title, fontsize=9, loc="left")
        made.append(axes)
    return made


def curves(axes: Any, time: np.ndarray, values: Mapping[str, np.ndarray], what: str) -> None:
    """Values over time, a line each."""
    for name, line in values.items():
        axes.plot(time, line, linewidth=0.8, label=label(name))
    over_time(axes, what)
    axes.yaxis.get_offset_text().set_fontsize(8)
    keyed(axes)


def largest_so_far(values: np.ndarray) -> np.ndarray:
    """The envelope of what swings too fast to be drawn."""
    return np.maximum.accumulate(np.abs(values))


def magnitudes(
    axes: Any, time: np.ndarray, values: Mapping[str, np.ndarray], what: str, paper: float | None = None
) -> None:
    """Sizes over time on a logarithmic scale, zeros left out, and the paper's number as a dashed line."""
    for name, line in values.items():
        sizes = np.abs(line)
        axes.plot(time, np.where(sizes > 0.0, sizes, np.nan), linewidth=0.7, label=label(name))
    if paper is not None:
        axes.axhline(paper, color=MUTED, linewidth=0.9, linestyle=(0, (5, 3)), label="paper")
    axes.set_yscale("log")
    over_time(axes, what)
    keyed(axes)
