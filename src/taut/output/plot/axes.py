"""Axes as papers want them: small type, thin rules, no box, colours that everyone can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError
from taut.output.palette import LINES, RULE, TEXT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMN = (3.5, 2.4)
"""Width and height [in] of a figure that fits a column."""

LARGE = (6.4, 5.4)
"""Of a figure in three dimensions, which has more to show."""


LONGEST_LABEL = 22
"""Characters of a name in a legend."""


def ready(ax: Axes | None, *, solid: bool = False, size: tuple[float, float] = COLUMN) -> Any:
    """The axes to draw on: the given ones, or new ones; with three dimensions where the thing is solid."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise OptionError('plots need matplotlib; install it with: pip install "taut[plot]"') from None
    if ax is None:
        figure = plt.figure(figsize=LARGE if solid else size, layout="constrained", dpi=150)
        ax = figure.add_subplot(projection="3d" if solid else None)
    elif solid and ax.name != "3d":
        raise OptionError('a view "3d" needs axes with projection="3d"')
    elif not solid and ax.name == "3d":
        raise OptionError('axes with projection="3d" take the view "3d" only')
    ax.tick_params(labelsize=8, colors=TEXT, width=0.6, length=3)
    if not solid:
        ax.set_prop_cycle(color=list(LINES))
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_linewidth(0.6)
    return ax


def require_samples(run: Trajectory) -> None:
    if not run.time.size:
        raise OptionError("this run has no samples, so there is nothing to plot")


def require_kept(run: Trajectory, field: str) -> None:
    """An ensemble keeps what it is told to."""
    if not getattr(run, field).shape[1]:
        raise OptionError(f"{field} was not kept in this run; name it among the ensemble's fields")


def over_time(ax: Any, what: str) -> None:
    """Labels and rules of a chart over time."""
    ax.set_xlabel("time [s]", fontsize=9)
    ax.set_ylabel(what, fontsize=9)
    ax.grid(axis="y", color=RULE, linewidth=0.5)
    ax.set_axisbelow(True)
    ax.margins(x=0)


def keyed(ax: Any, title: str = "") -> None:
    """A legend under the axes, where it hides nothing."""
    handles, _ = ax.get_legend_handles_labels()
    if not handles:
        return
    below = -0.22 if ax.name != "3d" else -0.02  # the labels of solid axes lie within them
    ax.legend(
        fontsize=7.5, frameon=False, ncols=2 if len(handles) > 1 else 1, loc="upper center", borderaxespad=0,
        bbox_to_anchor=(0.5, below), handlelength=1.4, columnspacing=1.2, title=title or None, title_fontsize=7.5,
    )  # fmt: skip


def label(name: str) -> str:
    """A name as a legend shows it: no formulas, not too long, and not hidden because it begins with an underscore."""
    short = name if len(name) <= LONGEST_LABEL else f"{name[: LONGEST_LABEL - 1]}…"
    escaped = short.replace("$", r"\$")
    return f" {escaped}" if escaped.startswith("_") else escaped
