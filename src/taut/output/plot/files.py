"""Figures as files: a blank one to draw on, without a window, and a name it is saved by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from taut.atomic_files import written_whole
from taut.errors import FileError, OptionError
from taut.output.plot.views import fill

SUFFIXES = (".png", ".pdf", ".svg")


def check_suffix(path: Path) -> None:
    if path.suffix not in SUFFIXES:
        raise FileError(f"{path}: a figure is saved as {', '.join(SUFFIXES)}")


def blank_figure(size: tuple[float, float]) -> Any:
    """A figure of this width and height [in]."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise OptionError('plots need matplotlib; install it with: pip install "taut[plot]"') from None
    figure = Figure(figsize=size, layout="constrained", dpi=200)
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Any, path: Path) -> None:
    for ax in figure.axes:
        fill(ax)
    with written_whole(path) as draft:
        figure.savefig(draft, format=path.suffix[1:])
