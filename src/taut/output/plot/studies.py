"""Parameter studies: lines over one key, a map over two, a row of maps over three."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.errors import OptionError
from taut.output.palette import LINES, MUTED, TEXT
from taut.output.plot.axes import COLUMN, keyed, label, ready
from taut.output.plot.cells import cells, colour_bar, edges
from taut.output.plot.files import blank_figure, check_suffix, save_figure
from taut.output.study.grid import Value
from taut.output.study.shown import Choice, chosen, shown, words
from taut.output.study.study import Study
from taut.type_checks import checked_arguments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LINES = len(LINES)
MOST_PANELS = 9
"""Of a third key with more values some are left out, evenly."""
MOST_MARKED = 40
"""Points of a line that are marked."""
MOST_TICKS = 12
"""Texts along an axis."""


@checked_arguments
def study(swept: Study, show: str = "", *, ax: Axes | None = None) -> Axes:
    """A quantity over one key, as lines, or over two, as a map; crosses are points that did not finish.

    show: "max_tension" (the largest of any cable; the default), "max_tension:c2" (one cable's), "max_tension:*" (a line
        for each, over one key), "nodes:n3:z" (a coordinate), "worst_energy" and so on: the names of a Study's arrays.
    """
    choice = chosen(show, swept.names)
    if len(swept.keys) > 2:
        raise OptionError(
            f"{len(swept.keys)} keys do not fit one pair of axes; `taut plot` draws three, xarray takes any slice"
        )
    if len(swept.keys) == 1:
        drawn = ready(ax)
        _lines(drawn, swept, choice)
        return drawn
    values = _single(swept, choice)
    drawn = ready(ax, size=(COLUMN[0], 2.8))
    colour_bar(drawn, [drawn], _map(drawn, swept, values, swept.ok, _limits(values)), _what(choice))
    return drawn


def save_study_sheet(swept: Study, path: Path, show: str = "") -> None:
    """Draw a study of one to three keys to a file; the kind of file follows from its name."""
    check_suffix(path)
    check_drawable(swept.keys)
    if len(swept.keys) < 3:
        figure = blank_figure((4.6, 3.4))
        study(swept, show, ax=figure.add_subplot())
    else:
        figure = _panels(swept, chosen(show, swept.names))
    save_figure(figure, path)


def check_drawable(keys: tuple[str, ...]) -> None:
    if len(keys) > 3:
        raise OptionError(
            f"a study of {len(keys)} keys has no figure; open its file with xarray and take a slice of at most three"
        )


def _lines(ax: Any, swept: Study, choice: Choice) -> None:
    found = shown(swept, choice)
    title = ""
    if len(found) > MOST_LINES:
        title = f"{MOST_LINES} of {len(found)}: those that change most"
        change = [
            np.ptp(one.values[np.isfinite(one.values)]) if np.isfinite(one.values).any() else 0.0 for one in found
        ]
        found = [found[k] for k in sorted(np.argsort(-np.array(change), kind="stable")[:MOST_LINES].tolist())]
    order, values = _in_order(swept.values[0])
    places = _places(values)
    marker = {"marker": "o", "markersize": 2.8} if places.size <= MOST_MARKED else {}
    for one in found:
        ax.plot(places, one.values[order], linewidth=1.1, label=label(one.part) if len(found) > 1 else "_", **marker)
    bad = places[~swept.ok[order]]
    if bad.size:
        ax.plot(
            bad, np.zeros(bad.size), linestyle="", marker="x", markersize=4, color=MUTED, clip_on=False,
            transform=ax.get_xaxis_transform(), zorder=5, label="not finished",
        )  # fmt: skip
    _scale(ax, "x", swept.keys[0], values)
    ax.set_ylabel(
        _what(choice if len(found) == 1 else Choice(choice.quantity, (), choice.axis)), fontsize=9, color=TEXT
    )
    keyed(ax, title)


def _panels(swept: Study, choice: Choice) -> Any:
    """A map over the last two keys for each value of the first."""
    values = _single(swept, choice)
    count = swept.shape[0]
    kept = np.unique(np.linspace(0, count - 1, min(count, MOST_PANELS)).round().astype(int)).tolist()
    columns = min(3, len(kept))
    rows = -(-len(kept) // columns)
    figure = blank_figure((1.0 + 2.4 * columns, 0.5 + 2.2 * rows))
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    limits = _limits(values)
    for panel, k in zip(axes.flat, kept, strict=False):
        drawn = _map(ready(panel), swept, values[k], swept.ok[k], limits)
        panel.set(xlabel="", ylabel="")
        panel.set_title(f"{_named(swept.keys[0], 24)} = {_tick(swept.values[0][k])}", fontsize=8, color=TEXT)
    for panel in axes.flat[len(kept) :]:
        panel.set_visible(False)
    colour_bar(axes.flat[0], axes.ravel().tolist(), drawn, _what(choice))
    figure.supxlabel(_named(swept.keys[1]), fontsize=9, color=TEXT)
    figure.supylabel(_named(swept.keys[2]), fontsize=9, color=TEXT)
    if len(kept) < count:
        figure.suptitle(f"{len(kept)} of {count} values of {_named(swept.keys[0])}", fontsize=8, color=MUTED)
    return figure


def _map(ax: Any, swept: Study, values: np.ndarray, ok: np.ndarray, limits: tuple[float, float]) -> Any:
    """Values over the last two keys, the second last along x."""
    columns, across = _in_order(swept.values[-2])
    rows, up = _in_order(swept.values[-1])
    picture, bad = values[columns][:, rows], np.argwhere(~ok[columns][:, rows])
    along, beside = (edges(_places(own), by_ratio=_in_ratios(own)) for own in (across, up))
    drawn = cells(ax, along, beside, picture, limits)
    ax.plot(_places(across)[bad[:, 0]], _places(up)[bad[:, 1]], linestyle="", marker="x", markersize=3, color=MUTED)
    _scale(ax, "x", swept.keys[-2], across)
    _scale(ax, "y", swept.keys[-1], up)
    return drawn


def _single(swept: Study, choice: Choice) -> np.ndarray:
    found = shown(swept, choice)
    if len(found) > 1:
        some = ", ".join(one.part for one in found[:3])
        raise OptionError(f"a map shows one number a point, and this asks for {len(found)} ({some}, ...); name one")
    return found[0].values


def _limits(values: np.ndarray) -> tuple[float, float]:
    there = values[np.isfinite(values)]
    return (float(there.min()), float(there.max())) if there.size else (0.0, 1.0)


def _what(choice: Choice) -> str:
    return words(choice) + (f", {label(choice.parts[0])}" if len(choice.parts) == 1 else "")


def _in_order(values: tuple[Value, ...]) -> tuple[np.ndarray, tuple[Value, ...]]:
    """Values as an axis has them, numbers from low to high and texts as they were given, and where each was."""
    order = np.arange(len(values)) if isinstance(values[0], str) else np.argsort(_places(values), kind="stable")
    return order, tuple(values[k] for k in order.tolist())


def _places(values: tuple[Value, ...]) -> np.ndarray:
    """Where values stand along an axis; texts side by side."""
    return np.arange(float(len(values))) if isinstance(values[0], str) else np.array(values, dtype=float)


def _in_ratios(values: tuple[Value, ...]) -> bool:
    """Whether positive values stand in equal ratios, and so belong on a logarithmic axis."""
    places = _places(values)
    if isinstance(values[0], str) or places.size < 3 or places.min() <= 0.0:
        return False
    ratios = places[1:] / places[:-1]
    return bool(np.ptp(ratios) < 1e-9 * abs(ratios[0]) and max(ratios[0], 1.0 / ratios[0]) > 1.0)


def _scale(ax: Any, axis: str, key: str, values: tuple[Value, ...]) -> None:
    getattr(ax, f"set_{axis}label")(_named(key), fontsize=9, color=TEXT)
    if isinstance(values[0], str):
        step = -(-len(values) // MOST_TICKS)
        getattr(ax, f"set_{axis}ticks")(range(0, len(values), step), [_tick(value) for value in values[::step]])
    elif _in_ratios(values):
        getattr(ax, f"set_{axis}scale")("log")


def _named(key: str, longest: int = 44) -> str:
    """A key as axes show it: of a long one the end, since what is changed matters more than where."""
    begin = max(0, len(key) - longest)
    dot = key.find(".", begin) if begin else -1
    short = f"…{key[dot if dot >= 0 else begin :]}" if begin else key
    return short.replace("$", r"\$")


def _tick(value: Value) -> str:
    return label(value) if isinstance(value, str) else f"{value:.4g}"
