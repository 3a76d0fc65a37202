"""A number over two axes as coloured cells, with a bar that tells what colours mean."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.output.palette import MUTED, TEXT
from taut.output.plot.shapes import tension_scale


def cells(ax: Any, across: np.ndarray, up: np.ndarray, values: np.ndarray, limits: tuple[float, float]) -> Any:
    """Values (across, up) between the borders of cells; limits: of the colours. Where a value is NaN nothing is."""
    return ax.pcolormesh(
        across, up, np.ma.masked_invalid(values.T), cmap=tension_scale(), vmin=limits[0], vmax=limits[1],
        rasterized=True,
    )  # fmt: skip


def edges(places: np.ndarray, *, by_ratio: bool = False) -> np.ndarray:
    """The borders of cells with places inside: halfway between neighbours."""
    if places.size == 1:
        half = 0.5 * (abs(places[0]) or 1.0)
        return np.array([places[0] - half, places[0] + half])
    at = np.log(places) if by_ratio else places
    middle = 0.5 * (at[1:] + at[:-1])
    found = np.concatenate([[2.0 * at[0] - middle[0]], middle, [2.0 * at[-1] - middle[-1]]])
    return np.exp(found) if by_ratio else found


def colour_bar(ax: Any, beside: list[Any], drawn: Any, what: str) -> None:
    bar = ax.figure.colorbar(drawn, ax=beside, shrink=0.9, aspect=24, pad=0.03)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=8, width=0.6, length=3, color=MUTED)
    bar.set_label(what, fontsize=9, color=TEXT)
