"""`taut.film`: a run, or several laid over each other, as a film (.mp4 or .gif), made without a screen."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from taut.atomic_files import check_still_there, written_whole
from taut.dynamics.trajectory import Trajectory
from taut.errors import FileError, OptionError, suggestion
from taut.output.film.browser import BrowserError, NoBrowserError
from taut.output.film.canvas import Canvas
from taut.output.film.encoding import FORMATS, encoder, encoding
from taut.output.film.page_frames import page_frames
from taut.output.film.shot import VIEWS, Frames, Shot
from taut.type_checks import checked_arguments

WAYS = ("page", "matplotlib")
"""Who can draw."""


@checked_arguments
def film(
    shown: Trajectory | Sequence[Trajectory] | Mapping[str, Trajectory],
    path: str | Path,
    *,
    speed: float = 1.0,
    rate: int = 30,
    size: tuple[int, int] = (1280, 720),
    view: str = "",
    drawn_by: str = "",
    progress: Callable[[float, float], None] | None = None,
    notice: Callable[[str], None] | None = None,
) -> int:
    """Film a run; returns the count of pictures.

    shown: a trajectory, or several to lay over each other: in a list, or by the names to show. One that ends before the
        others stays where it is, and the legend says when it ended.
    speed: seconds of the run in a second of the film; the picture says it where it is not 1. rate: pictures a second.
    size: width and height [px], even.
    view: "askew", "xy", "xz" or "yz"; by default what shows most.
    drawn_by: "page", as `taut.page` draws, in Chromium or Chrome without a window (the one that the environment
        variable TAUT_BROWSER names, else the first on the path); or "matplotlib". By default the page where a browser
        starts.
    progress: is told the time reached and the last [s].
    notice: is told in a line why matplotlib draws where a browser did not start; by default it is a warning.
    Between samples positions and tensions change in proportion.
    """
    target, runs = Path(path), _named(shown)
    _check(runs, target, speed, rate, size, view, drawn_by)
    program = encoder()
    shot = Shot(runs, size, view, speed)
    begin, end = shot.begin, shot.end
    count = max(1, round((end - begin) / speed * rate)) + 1
    times = np.minimum(begin + np.arange(count) * speed / rate, end)
    with (
        written_whole(target) as draft,
        _frames(shot, times, drawn_by, notice or _warn) as frames,
        encoding(program, target.suffix, draft, frames.given, rate) as send,
    ):
        for time in times.tolist():
            picture = frames.drawn(time)
            check_still_there(draft)
            send(picture)
            if progress is not None:
                progress(time, end)
    return count


@contextmanager
def _frames(shot: Shot, times: np.ndarray, drawn_by: str, notice: Callable[[str], None]) -> Iterator[Frames]:
    """Who draws: the page unless it was not asked for and no browser starts."""
    with ExitStack() as until_filmed:
        frames: Frames | None = None
        if drawn_by != "matplotlib":
            try:
                frames = until_filmed.enter_context(page_frames(shot, times))
            except BrowserError as error:
                if drawn_by == "page":
                    raise
                if not isinstance(error, NoBrowserError):
                    notice(f"drawn by matplotlib, since {error}")
        yield frames or Canvas(shot)


def _warn(told: str) -> None:
    warnings.warn(told, stacklevel=2)


def _named(shown: Trajectory | Sequence[Trajectory] | Mapping[str, Trajectory]) -> dict[str, Trajectory]:
    if isinstance(shown, Trajectory):
        return {"": shown}
    if isinstance(shown, Mapping):
        return {str(name): run for name, run in shown.items()}
    return {f"{k}": run for k, run in enumerate(shown, 1)}


def _check(
    runs: Mapping[str, Trajectory],
    target: Path,
    speed: float,
    rate: int,
    size: tuple[int, int],
    view: str,
    drawn_by: str,
) -> None:
    if target.suffix not in FORMATS:
        raise FileError(f"{target}: a film is saved as {' or '.join(FORMATS)}")
    if not runs:
        raise OptionError("a film shows trajectories, not nothing")
    for name, run in runs.items():
        if not run.time.size:
            raise OptionError(f"{f'run {name}' if name else 'this run'} has no samples, so there is nothing to film")
    if not speed > 0.0 or not np.isfinite(speed):
        raise OptionError(f"speed must be more than zero, not {speed:g}")
    if not 1 <= rate <= 240:
        raise OptionError(f"rate must be 1 to 240 pictures a second, not {rate}")
    if any(side % 2 or not 64 <= side <= 7680 for side in size):
        raise OptionError(f"width and height must be even and 64 to 7680 pixels, not {size[0]} x {size[1]}")
    if view and view not in VIEWS:
        raise OptionError(f'view "{view}" is not one of {", ".join(VIEWS)}')
    if drawn_by and drawn_by not in WAYS:
        raise OptionError(f'drawn_by "{drawn_by}" is not one of {", ".join(WAYS)}{suggestion(drawn_by, WAYS)}')
