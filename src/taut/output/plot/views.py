"""Directions to look from, and the labels of axes with lengths on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.errors import OptionError, suggestion
from taut.structure.records import AXES

AXIS_PAIRS = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}

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
    ax.set_xlabel("x [m]", fontsize=9)
    ax.set_ylabel("y [m]", fontsize=9)
    ax.set_zlabel("z [m]", fontsize=9)
    ax.view_init(elev=20, azim=-62)


def solid_limits(ax: Any, nodes: np.ndarray) -> None:
    """Limits that hold positions (..., 3), with equal scales."""
    places = nodes.reshape(-1, 3)
    low, high = places.min(axis=0), places.max(axis=0)
    pad = 0.05 * max(float((high - low).max()), 1e-9)
    spans = high - low + 2.0 * pad
    for axis, place in zip((ax.xaxis, ax.yaxis, ax.zaxis), range(3), strict=True):
        axis.set_major_locator(_few_ticks(4.0 * spans[place] / spans.max()))
        getattr(ax, f"set_{AXES[place]}lim")(low[place] - pad, high[place] + pad)
    ax.set_box_aspect(spans)


def _few_ticks(count: float) -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(max(2, round(count)), steps=[1, 2, 5, 10])
