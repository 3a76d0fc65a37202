"""Maps over a workspace: a quantity over one input as a line, over two as cells; a slice of more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.errors import OptionError, suggestion
from taut.kinetostatics.reach_maps import ReachMap
from taut.kinetostatics.workspace_maps import NUMBERS, WorkspaceMap
from taut.output.palette import MUTED, RULE, SLACK, TEXT
from taut.output.plot.axes import COLUMN, label, ready
from taut.output.plot.cells import cells, colour_bar, edges
from taut.output.plot.files import blank_figure, check_suffix, save_figure
from taut.type_checks import checked_arguments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORDS = {
    "lowest_stiffness": "lowest stiffness [N/m]",
    "plate_stiffness": "least stiffness of the plate [N/m]",
    "dexterity": "dexterity",
    "wrench_margin": "margin of tensions under wrenches [N]",
}
MOST_SLICES = 3
"""On a sheet, of a third axis."""


@checked_arguments
def workspace(
    area: WorkspaceMap, show: str = "lowest_stiffness", *, at: Mapping[str, float] | None = None, ax: Axes | None = None
) -> Axes:
    """A number of a map over its first two axes as cells, or over its only one as a line; hatched: no posture.

    show: "lowest_stiffness", "plate_stiffness", "dexterity" or "wrench_margin". at: for the other axes, the values at
    which the slice is taken (the nearest of the grid); those nearest to the robot's own commands if not told. A line is
    drawn where the number is zero: on one side it does not stand, or a wrench is not borne.
    """
    if show not in NUMBERS:
        raise OptionError(f'show = "{show}" is none of {", ".join(NUMBERS)}{suggestion(show, list(NUMBERS))}')
    values = getattr(area, show)
    if not np.isfinite(values).any():
        why = "wrenches=[...]" if show == "wrench_margin" else "stiffness=True and a plate"
        raise OptionError(f"the map has no {show.replace('_', ' ')}; ask workspace for it with {why}")
    units = {name: area.inputs_of(name)[0].unit for name in area.axes}
    middle = {name: float(area.robot.values[_first_input(area, name)]) for name in area.axes}
    return _drawn(area, values, area.found, WORDS[show], {**middle, **_told(area, at)}, units, ax, "no posture")


@checked_arguments
def reach(
    found: ReachMap, show: str = "reached", *, at: Mapping[str, float] | None = None, ax: Axes | None = None
) -> Axes:
    """Which targets a robot reaches over the first two axes of a map; hatched are those that it does not.

    show: "reached", "error", or an input whose command is shown, as "cable:a1". at: as in `workspace`, else the middle.
    """
    inputs = list(found.robot.input_names)
    if show == "reached":
        values, words = np.where(found.reached, 1.0, np.nan), "reached"
    elif show == "error":
        values, words = np.where(np.isfinite(found.error), found.error, np.nan), "error that is left"
    elif show in inputs:
        one = found.robot.commanded[inputs.index(show)]
        values, words = found.values[..., inputs.index(show)], f"{show} [{one.unit}]"
    else:
        known = ["reached", "error", *inputs]
        raise OptionError(f'show = "{show}" is none of {", ".join(known)}{suggestion(show, known)}')
    middle = {name: float(np.median(own)) for name, own in found.axes.items()}
    return _drawn(
        found,
        values,
        found.reached,
        words,
        {**middle, **_told(found, at)},
        dict.fromkeys(found.axes, ""),
        ax,
        "not reached",
    )


def save_workspace_sheet(area: WorkspaceMap, path: Path) -> None:
    """All numbers of a map to a file, a row each, with some slices of a third axis; its kind follows from the name."""
    check_suffix(path)
    shown = [name for name in NUMBERS if np.isfinite(getattr(area, name)).any()]
    if not shown:
        raise OptionError("the map has no numbers to draw: it was asked without stiffness and wrenches")
    names = list(area.axes)
    slices: list[dict[str, float]] = [{}]
    if len(names) > 2:
        own = np.sort(area.axes[names[2]])
        kept = np.unique(np.linspace(0, own.size - 1, min(own.size, MOST_SLICES)).round().astype(int))
        slices = [{names[2]: float(own[k])} for k in kept]
    figure = blank_figure((1.2 + 2.9 * len(slices), 0.4 + 2.5 * len(shown)))
    axes = figure.subplots(len(shown), len(slices), squeeze=False)
    for row, name in zip(axes, shown, strict=True):
        for panel, place in zip(row, slices, strict=True):
            workspace(area, name, at=place, ax=panel)
    save_figure(figure, path)


def _first_input(area: WorkspaceMap, axis: str) -> int:
    return area.robot.input_names.index(area.inputs_of(axis)[0].name)


def _told(found: WorkspaceMap | ReachMap, at: Mapping[str, float] | None) -> Mapping[str, float]:
    for name in at or {}:
        if name not in found.axes:
            raise OptionError(
                f'at: no axis "{name}"{suggestion(name, list(found.axes))}; there are {", ".join(found.axes)}'
            )
    return at or {}


def _drawn(
    found: WorkspaceMap | ReachMap,
    values: np.ndarray,
    there: np.ndarray,
    words: str,
    place: Mapping[str, float],
    units: Mapping[str, str],
    ax: Axes | None,
    missing: str,
) -> Axes:
    """A slice through a place."""
    names = list(found.axes)
    if not names:
        raise OptionError("a map without axes has no picture")
    order = [np.argsort(found.axes[name]) for name in names]
    fixed = {name: int(np.argmin(np.abs(found.axes[name] - place[name]))) for name in names[2:]}
    whole = tuple(np.ix_(*order))
    chosen = (slice(None),) * min(len(names), 2) + tuple(
        int(np.flatnonzero(own == fixed[name])[0]) for name, own in zip(names[2:], order[2:], strict=True)
    )
    picture, known = values[whole][chosen], there[whole][chosen]
    drawn = ready(ax, size=(COLUMN[0], 2.8))
    across = np.sort(found.axes[names[0]])
    drawn.set_xlabel(_axis(names[0], units), fontsize=9, color=TEXT)
    if len(names) == 1:
        _line(drawn, across, picture, known, words, missing)
        return drawn
    up = np.sort(found.axes[names[1]])
    drawn.set_ylabel(_axis(names[1], units), fontsize=9, color=TEXT)
    drawn.set_facecolor(SLACK)
    spread = values[np.isfinite(values)]
    limits = (float(spread.min()), float(spread.max())) if spread.size and words != "reached" else (0.0, 1.0)
    mesh = cells(drawn, edges(across), edges(up), picture, limits)
    lost = not (known & np.isfinite(picture)).all()
    if lost:
        drawn.patch.set(hatch="////", edgecolor=MUTED)
    _zero_line(drawn, across, up, picture)
    if words != "reached":
        colour_bar(drawn, [drawn], mesh, words)
    told = ", ".join(f"{label(name)} = {found.axes[name][k]:.5g} {units[name]}".strip() for name, k in fixed.items())
    titles = [told, "reached" if words == "reached" else "", f"hatched: {missing}" if lost else ""]
    drawn.set_title("; ".join(filter(None, titles)), fontsize=8, color=TEXT)
    return drawn


def _axis(name: str, units: Mapping[str, str]) -> str:
    return f"{label(name)} [{units[name]}]" if units[name] else label(name)


def _line(ax: Any, across: np.ndarray, values: np.ndarray, known: np.ndarray, words: str, missing: str) -> None:
    ax.plot(across, values, linewidth=1.1, marker="o", markersize=2.8)
    ax.set_ylabel(words, fontsize=9, color=TEXT)
    if np.nanmin(values, initial=0.0) < 0.0:
        ax.axhline(0.0, color=RULE, linewidth=0.8, zorder=0)
    if not known.all():
        ax.plot(
            across[~known], np.zeros(int((~known).sum())), linestyle="", marker="x", markersize=4, color=MUTED,
            clip_on=False, transform=ax.get_xaxis_transform(), zorder=5, label=missing,
        )  # fmt: skip
        ax.legend(fontsize=7.5, frameon=False)


def _zero_line(ax: Any, across: np.ndarray, up: np.ndarray, values: np.ndarray) -> None:
    """Where the number changes its sign."""
    finite = values[np.isfinite(values)]
    if min(values.shape) > 1 and finite.size and finite.min() < 0.0 < finite.max():
        ax.contour(
            across, up, np.where(np.isfinite(values), values, np.nan).T, levels=[0.0], colors=[TEXT], linewidths=1.4
        )
