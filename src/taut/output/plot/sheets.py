"""All figures of a run at once: one file each, or one sheet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from taut.dynamics.trajectory import Trajectory
from taut.errors import FileError, OptionError
from taut.output.plot.axes import require_samples
from taut.output.plot.energies import energy, violations
from taut.output.plot.forces import tensions
from taut.output.plot.motion import coordinates, paths
from taut.output.plot.shapes import structure
from taut.output.plot.views import chosen_view
from taut.output.whole_files import made_folder, written_whole

Draw = Callable[[Any], Any]

SUFFIXES = (".png", ".pdf", ".svg")


def figures(run: Trajectory) -> dict[str, tuple[Draw, bool]]:
    """What there is to draw of a run: by name, how, and whether it needs three dimensions."""
    require_samples(run)
    view = chosen_view("", run.nodes)
    solid = view == "3d"
    return {
        "structure": (lambda ax: structure(run, view=view, ax=ax), solid),
        "energy": (lambda ax: energy(run, ax=ax), False),
        "violations": (lambda ax: violations(run, ax=ax), False),
        "tensions": (lambda ax: tensions(run, ax=ax), False),
        "paths": (lambda ax: paths(run, view=view, ax=ax), solid),
        "coordinates": (lambda ax: coordinates(run, ax=ax), False),
    }


def save_figures(drawings: Mapping[str, tuple[Draw, bool]], folder: Path) -> list[Path]:
    """A file for each, as PNG, in a folder that is made if need be."""
    made_folder(folder)
    made = []
    for name, (draw, solid) in drawings.items():
        figure = blank_figure((3.5, 3.0 if name in ("structure", "paths") else 2.6))
        draw(figure.add_subplot(projection="3d" if solid else None))
        path = folder / f"{name}.png"
        write_figure(figure, path)
        made.append(path)
    return made


def save_sheet(run: Trajectory, path: Path) -> None:
    """All of them on one sheet; the kind of file follows from its name."""
    if path.suffix not in SUFFIXES:
        raise FileError(f"{path}: a figure is saved as {', '.join(SUFFIXES)}")
    drawings = figures(run)
    figure = blank_figure((7.2, 9.0))
    for place, (draw, solid) in enumerate(drawings.values(), 1):
        draw(figure.add_subplot(3, 2, place, projection="3d" if solid else None))
    write_figure(figure, path)


def blank_figure(size: tuple[float, float]) -> Any:
    """An empty matplotlib figure of this size [in]."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise OptionError('plots need matplotlib; install it with: pip install "taut[plot]"') from None
    figure = Figure(figsize=size, layout="constrained", dpi=200)
    FigureCanvasAgg(figure)
    return figure


def write_figure(figure: Any, path: Path) -> None:
    """Write a matplotlib figure; the kind of file follows from its name."""
    with written_whole(path) as draft:
        figure.savefig(draft, format=path.suffix[1:])
