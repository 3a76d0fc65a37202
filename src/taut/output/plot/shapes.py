"""A structure as it stands: bars, cables by tension or force density, nodes, supports; and its mode shapes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError
from taut.output.faces import faces_of
from taut.output.page.layout import tensions_as_placed
from taut.output.palette import BAR, MUTED, NODE, PLATE, PUSH, SLACK, SUPPORT, TENSION, UNKNOWN
from taut.output.pictured import ModeShape, Still, checked_mode, mode_shapes
from taut.output.plot.axes import COLUMN, label, ready
from taut.output.plot.views import AXIS_PAIRS, chosen_view, fill, flat_labels, solid_labels, solid_limits
from taut.statics.equilibrium import Equilibrium
from taut.statics.vibrations import Modes
from taut.structure.properties import cable_length
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURINGS = {"tension": "tension [N]", "force_density": "force density [N/m]", "": ""}


@checked_arguments
def structure(
    shown: Structure | Still | Equilibrium | Trajectory,
    *,
    view: str = "",
    sample: int = 0,
    colour: str = "tension",
    ax: Axes | None = None,
) -> Axes:
    """A structure, an equilibrium, or a sample of a run (-1 is the last).

    view: "xy", "xz", "yz" or "3d"; by default the plane the structure lies in, else "3d".
    colour: what the cables show, "tension" or "force_density"; "" for nothing. Slack cables are pale.
    """
    if colour not in COLOURINGS:
        raise OptionError(f'colour "{colour}" is not one of tension, force_density or an empty text')
    members, tension = _at(shown, sample)
    values = tension
    if colour == "force_density":
        lengths = np.array([cable_length(members, cable) for cable in members.cables.values()])
        values = tension / lengths
    drawn, wanted = _axes(members.positions, view, ax)
    limit = float(np.nanmax(values, initial=0.0)) if colour else 0.0
    colours = cable_colours(values, limit) if colour else [UNKNOWN] * len(values)
    _draw(drawn, members, members.positions, wanted, colours, 1.0)
    if wanted == "3d":
        solid_limits(drawn, members.positions)
    if limit > 0.0:
        _colour_bar(drawn, limit, COLOURINGS[colour])
    fill(drawn)
    return drawn


@checked_arguments
def mode(
    shown: Structure | Modes,
    shape: ModeShape | int = 1,
    *,
    size: float = 0.15,
    view: str = "",
    ax: Axes | None = None,
) -> Axes:
    """A mode shape over the structure at rest: `mode(taut.modes(balance), 1)` is the lowest.

    shape: the number of a mode, counted from 1; or a shape made by hand, where a structure is shown.
    size: its largest displacement as a share of the structure's size.
    """
    if isinstance(shown, Modes):
        shape = _numbered(shown, shape)
        shown = shown.structure
    elif not isinstance(shape, ModeShape):
        raise OptionError("a structure alone has no numbered modes; give taut.modes(balance) or a ModeShape")
    displacement = checked_mode(shown, shape)
    largest = float(np.linalg.norm(displacement, axis=1).max(initial=0.0)) or 1.0
    extent = float(np.linalg.norm(np.ptp(shown.positions, axis=0)))
    moved = shown.positions + displacement * (size * extent / largest)
    drawn, wanted = _axes(np.concatenate([shown.positions, moved]), view, ax)
    plain = [UNKNOWN] * len(shown.cables)
    outlined(drawn, shown, shown.positions, wanted)
    _draw(drawn, shown, moved, wanted, plain, 1.0)
    if wanted == "3d":
        solid_limits(drawn, np.concatenate([shown.positions, moved]))
    rate = f", {shape.frequency:.4g} Hz" if np.isfinite(shape.frequency) else ""
    drawn.set_title(f"{label(shape.name)}{rate}", fontsize=9)
    fill(drawn)
    return drawn


def _numbered(modes: Modes, number: ModeShape | int) -> ModeShape:
    if isinstance(number, ModeShape):
        return number
    shapes = mode_shapes(modes)
    if not 1 <= number <= len(shapes):
        raise OptionError(f"mode {number} is not there; these modes are numbered from 1 to {len(shapes)}")
    return shapes[number - 1]


def outlined(ax: Any, members: Structure, positions: np.ndarray, view: str) -> None:
    """The structure at these positions, pale, for other things to be seen against."""
    _draw(ax, members, positions, view, [UNKNOWN] * len(members.cables), 0.22)


def cable_colours(values: np.ndarray, limit: float) -> list[Any]:
    """A colour for each value: the scale from 0 to the limit; slack, pushing and unknown ones have their own."""
    scale = tension_scale()
    return [
        UNKNOWN if np.isnan(value) else SLACK if value == 0.0 else PUSH if value < 0.0 else scale(value / limit)
        for value in values.tolist()
    ]


def tension_scale() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("tension", TENSION)


def _at(shown: Structure | Still | Equilibrium | Trajectory, sample: int) -> tuple[Structure, np.ndarray]:
    if isinstance(shown, Trajectory):
        if not -shown.time.size <= sample < shown.time.size:
            raise OptionError(f"sample {sample} is not there; this trajectory has {shown.time.size}")
        return shown.structure.placed(shown.nodes[sample]), shown.cable_tension[sample]
    if isinstance(shown, Equilibrium):
        return shown.structure, shown.cable_tension
    if isinstance(shown, Still):
        known = shown.cable_tension
        return shown.structure, tensions_as_placed(shown.structure) if known is None else np.asarray(known)
    return shown, tensions_as_placed(shown)


def _axes(positions: np.ndarray, view: str, ax: Axes | None) -> tuple[Any, str]:
    wanted = chosen_view(view, positions)
    drawn = ready(ax, solid=wanted == "3d", size=(COLUMN[0], 3.0))
    if wanted == "3d":
        solid_labels(drawn)
    else:
        flat_labels(drawn, wanted)
    return drawn, wanted


def _draw(ax: Any, members: Structure, positions: np.ndarray, view: str, colours: list[Any], strength: float) -> None:
    from matplotlib.collections import LineCollection, PolyCollection
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    axes = [0, 1, 2] if view == "3d" else list(AXIS_PAIRS[view])
    places = dict(zip(members.nodes, positions[:, axes], strict=True))
    lines = Line3DCollection if view == "3d" else LineCollection
    routes = [[places[node] for node in cable.route] for cable in members.cables.values()]
    pieces = [(pair, tone) for route, tone in zip(routes, colours, strict=True) for pair in pairwise(route)]
    thin = min(1.0, (40.0 / max(1, len(members.bars) + len(pieces))) ** 0.25)
    bars = [[places[node] for node in bar.nodes] for bar in members.bars.values()]
    kinds = (
        (bars, BAR, 3.2 * thin, 1),
        ([pair for pair, _ in pieces], [tone for _, tone in pieces], 1.2 * thin, 2),
    )
    faces = [positions[:, axes][face] for face in faces_of(members.placed(positions))[0]]
    if faces:
        filled = Poly3DCollection if view == "3d" else PolyCollection
        look = {"facecolors": PLATE, "edgecolors": "none" if view == "3d" else PLATE, "linewidths": 0.3}
        ax.add_collection(filled(faces, alpha=0.75 * strength, zorder=0.5, **look))
    for segments, tone, width, order in kinds:
        if segments:
            ax.add_collection(
                lines(segments, colors=tone, linewidths=width, capstyle="round", alpha=strength, zorder=order)
            )
    held = [places[node] for node in members.supports]
    if held and strength == 1.0:
        ax.plot(*np.transpose(held), linestyle="", marker="^", markersize=7 * thin, color=SUPPORT, zorder=0)
    dots = np.array(list(places.values())).reshape(-1, len(axes)).T
    ax.plot(*dots, linestyle="", marker="o", markersize=3.4 * thin, color=NODE, alpha=strength, zorder=3)
    if view != "3d":
        ax.set_aspect("equal", adjustable="datalim")


def _colour_bar(ax: Any, limit: float, words: str) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    scale = ScalarMappable(Normalize(0.0, limit), tension_scale())
    bar = ax.figure.colorbar(scale, ax=ax, shrink=0.7, aspect=22, pad=0.03)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=8, width=0.6, length=3, color=MUTED)
    bar.set_label(words, fontsize=9)
