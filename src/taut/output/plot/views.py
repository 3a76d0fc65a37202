"""Directions to look from, and the labels of axes with lengths on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.errors import OptionError, suggestion
from taut.structure.records import AXES

AXIS_PAIRS = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}

FILLED = 0.96
"""How much of its place a solid picture fills with its labels; the numbers at its ticks need a little of the rest."""

ROUNDS = 4
"""Labels keep their size as the box grows, so that it is found step by step how much room there is."""

FLAT = 0.02
"""A structure thinner than this share of its size is looked at as a plane."""


def chosen_view(view: str, nodes: np.ndarray) -> str:
    """The view by its name; without one, the plane that positions (..., 3) lie in, else "3d"."""
    known = (*AXIS_PAIRS, "3d")
    if view and view not in known:
        raise OptionError(f'view "{view}" is not one of {", ".join(known)}{suggestion(view, known)}')
    return view or flat_plane(nodes) or "3d"


def flat_plane(nodes: np.ndarray) -> str:
    """The plane in which positions (..., 3) lie, or nothing."""
    places = nodes.reshape(-1, 3)
    spans = np.ptp(places, axis=0) if len(places) else np.ones(3)
    thin = int(np.argmin(spans))
    if spans[thin] > FLAT * spans.max():
        return ""
    return "".join(axis for k, axis in enumerate(AXES) if k != thin)


def flat_labels(ax: Any, view: str) -> None:
    ax.set_xlabel(f"{view[0]} [m]", fontsize=9)
    ax.set_ylabel(f"{view[1]} [m]", fontsize=9)


def solid_labels(ax: Any) -> None:
    """Labels and quiet panes for three dimensions."""
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
        axis._axinfo["grid"].update({"linewidth": 0.4, "color": "#e3e6eb"})
    ax.set_xlabel("x [m]", fontsize=9, labelpad=9)
    ax.set_ylabel("y [m]", fontsize=9, labelpad=9)
    ax.set_zlabel("z [m]", fontsize=9, labelpad=9)
    for axis, pad in (("x", -1.0), ("y", -1.0), ("z", 2.0)):
        ax.tick_params(axis=axis, pad=pad)
    ax.view_init(elev=20, azim=-62)


def solid_limits(ax: Any, nodes: np.ndarray) -> None:
    """Limits that hold positions (..., 3), with equal scales, and as large as the axes are."""
    places = nodes.reshape(-1, 3)
    low, high = places.min(axis=0), places.max(axis=0)
    pad = 0.05 * max(float((high - low).max()), 1e-9)
    spans = high - low + 2.0 * pad
    for axis, place in zip((ax.xaxis, ax.yaxis, ax.zaxis), range(3), strict=True):
        axis.set_major_locator(_few_ticks(4.0 * spans[place] / spans.max()))
        getattr(ax, f"set_{AXES[place]}lim")(low[place] - pad, high[place] + pad)
    ax.set_box_aspect(spans)


def fill(ax: Any) -> None:
    """Draw solid axes as large as their place in the figure allows with whole labels; others fill theirs anyway.

    Where the labels of solid axes are is known once they are drawn, and layouts of figures do not ask for it.
    """
    if ax.name != "3d":
        return
    for _ in range(ROUNDS):
        ax.figure.draw_without_rendering()
        low, high = ax.transData.inverted().transform(_drawn(ax))
        half = max(high - low) / 2.0 / FILLED
        (left, bottom), (right, top) = (low + high) / 2.0 - half, (low + high) / 2.0 + half
        ax.viewLim.intervalx, ax.viewLim.intervaly = (left, right), (bottom, top)


def _drawn(ax: Any) -> np.ndarray:
    """The lower left and the upper right corner of the box and its labels, as it is drawn [px]."""
    from mpl_toolkits.mplot3d import proj3d

    corners = np.array(np.meshgrid(ax.get_xlim(), ax.get_ylim(), ax.get_zlim())).reshape(3, -1)
    box = ax.transData.transform(np.transpose(proj3d.proj_transform(*corners, ax.get_proj())[:2]))
    labels = [axis.label.get_window_extent().get_points() for axis in (ax.xaxis, ax.yaxis, ax.zaxis)]
    seen = np.concatenate([box, *labels])
    return np.array([seen.min(axis=0), seen.max(axis=0)])


def _few_ticks(count: float) -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(max(2, round(count)), steps=[1, 2, 5, 10])
