"""`taut.page`: runs and structures as one HTML file, or shown in a notebook."""

from __future__ import annotations

import html as escaping
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from taut.atomic_files import written_whole
from taut.dynamics.trajectory import Trajectory
from taut.errors import FileError, OptionError
from taut.kinetostatics.interpolation import InterpolatedMap, interpolated
from taut.kinetostatics.workspace_maps import WorkspaceMap
from taut.live.plants import Live
from taut.measurement.measurements import Measurements
from taut.mechanics.plant import Plant
from taut.output.page.assembling import html
from taut.output.page.cases import case_content
from taut.output.page.content import common_bounds, kept_samples, run_content, still_content, with_extras
from taut.output.page.embedding import Arrays
from taut.output.page.lively import live_part
from taut.output.page.measured import measured_content
from taut.output.page.postures import posture_content
from taut.output.pictured import ModeShape, Still, mode_shapes, still_of
from taut.reprs import brief
from taut.statics.cases import LoadCaseTable
from taut.statics.equilibrium import Equilibrium
from taut.statics.vibrations import Modes
from taut.structure.events import Event
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

Maps = WorkspaceMap | InterpolatedMap
Shown = Structure | Still | Equilibrium | Trajectory | LoadCaseTable | Maps

ALONE: dict[str, tuple[Any, str]] = {
    "a workspace": (Maps, "its sliders move nothing else"),
    "a table of load cases": (LoadCaseTable, "a reader chooses among its own cases"),
}
"""What is shown by itself, since it has something else where runs have time."""

NOTEBOOK_HEIGHT = 620
"""Of the page in a notebook [px]."""


@dataclass(frozen=True)
class Page:
    """A page: its text, and a frame around it where a notebook shows it."""

    html: str = field(repr=False)

    __repr__ = brief

    def save(self, path: str | Path) -> None:
        """Write the page; a file that is there already is replaced as a whole."""
        if Path(path).suffix not in (".html", ".htm"):
            raise FileError(f"{path}: a page's name must end in .html")
        with written_whole(path) as draft:
            draft.write_text(self.html, encoding="utf-8", newline="\n")

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escaping.escape(self.html)}" sandbox="allow-scripts" title="taut" '
            f'style="width: 100%; height: {NOTEBOOK_HEIGHT}px; border: 1px solid #8884; border-radius: 8px"></iframe>'
        )


@checked_arguments
def page(
    shown: Shown | Sequence[Shown] | Mapping[str, Shown],
    path: str | Path | None = None,
    *,
    modes: Modes | Iterable[ModeShape] = (),
    events: Iterable[Event] = (),
    measured: Measurements | None = None,
    frames: int | None = None,
    live: bool | Plant | Live = False,
) -> Page:
    """A run or a structure as a page that turns, plays and explains itself in any browser; a file if a path is given.

    shown: a trajectory, an equilibrium, a structure, or several to lay over each other: in a list, or by the names to
    show. Or, alone, load cases that were solved, to choose from; or a map of a robot's workspace: its inputs are
    sliders, and the error of what is shown between its points is measured (`taut.kinetostatics.interpolated`).
    modes (as `taut.modes` finds them, or made by hand), events beside those of the run itself: of the first.
    measured: markers and forces to lay over the first, in its frame and time (`taut.measurement.compare` finds them).
    frames: samples to keep of each run (2000 unless it is very big).
    live: with the simulator itself in the page, to pull, cut and wind the first while it moves: True takes the plant of
        the run's model, or give the plant.

    In a notebook the value is shown as it is: `taut.page(run)`.
    """
    if frames is not None and frames < 2:
        raise OptionError(f"frames must be at least 2, not {frames}")
    things = _named(shown)
    _check_alone(
        things, {"modes": modes, "events": events, "measured": measured, "frames": frames, "live": live or None}
    )
    arrays = Arrays()
    moving = [thing for thing in things.values() if isinstance(thing, Trajectory) and thing.time.size]
    bounds = common_bounds(moving) if moving else None
    entries = [_entry(name, thing, arrays, frames, bounds) for name, thing in things.items()]
    first = next(iter(things.values()))
    structure = _structure(first)
    shapes = mode_shapes(modes) if isinstance(modes, Modes) else modes
    entries[0] = with_extras(entries[0], structure, arrays, shapes, events)
    if measured is not None:
        time = first.time if isinstance(first, Trajectory) else np.zeros(1)
        entries[0]["measured"] = measured_content(measured, structure, time, arrays)
        entries[0]["facts"] |= {"measured": entries[0]["measured"]["told"]}
    content = _content(structure, entries)
    if live:
        content["live"] = live_part(first, entries[0], live, arrays)
    made = Page(html(arrays.document(content), live=bool(live)))
    if path is not None:
        made.save(path)
    return made


def pictured_page(
    runs: Mapping[str, Trajectory], samples: Mapping[str, np.ndarray], picture: Mapping[str, Any]
) -> Page:
    """Runs as a page that is the picture alone, for films: no panels, `taut.picture` shows a time.

    samples: those that it has, by the names of runs. picture: the view (camera.js), whether the first run is followed,
    and what is said of the speed.
    """
    arrays = Arrays()
    bounds = common_bounds(runs.values())
    entries = [run_content(name, run, arrays, samples[name], bounds) for name, run in runs.items()]
    structure = next(iter(runs.values())).structure
    return Page(html(arrays.document({**_content(structure, entries), "picture": dict(picture)})))


def _content(structure: Structure, entries: list[dict[str, Any]]) -> dict[str, Any]:
    from taut import __version__

    return {
        "title": structure.name or "tensegrity structure",
        "maker": f"taut {__version__}",
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "runs": entries,
    }


def _entry(
    name: str, thing: Shown, arrays: Arrays, frames: int | None, bounds: list[list[float]] | None
) -> dict[str, Any]:
    if isinstance(thing, Trajectory):
        if thing.time.size:
            return run_content(name, thing, arrays, kept_samples(thing, frames), bounds)
        return still_content(name, Still(thing.structure, facts=thing.facts()), arrays)
    if isinstance(thing, Maps):
        return posture_content(name, interpolated(thing) if isinstance(thing, WorkspaceMap) else thing, arrays)
    if isinstance(thing, LoadCaseTable):
        return case_content(name, thing, arrays)
    if isinstance(thing, Equilibrium):
        return still_content(name, still_of(thing), arrays)
    return still_content(name, thing if isinstance(thing, Still) else Still(thing), arrays)


def _check_alone(things: Mapping[str, Shown], options: Mapping[str, Any]) -> None:
    """Nothing goes with what has inputs or cases where a run has time."""
    for words, (kind, why) in ALONE.items():
        if not any(isinstance(thing, kind) for thing in things.values()):
            continue
        if len(things) > 1:
            raise OptionError(f"{words} is shown alone, not with {len(things) - 1} more; {why}")
        for name, told in options.items():
            if told is not None and told != ():
                raise OptionError(f"{name} belongs to runs and structures; a page of {words} has none")


def _structure(thing: Shown) -> Structure:
    if isinstance(thing, Maps):
        return (thing if isinstance(thing, WorkspaceMap) else thing.area).robot.structure
    return thing if isinstance(thing, Structure) else thing.structure


def _named(shown: Shown | Sequence[Shown] | Mapping[str, Shown]) -> dict[str, Shown]:
    """What is shown by its names; alone it goes by the name of its structure."""
    if isinstance(shown, Shown):
        things: dict[str, Shown] = {"": shown}
    elif isinstance(shown, Mapping):
        things = {str(name): thing for name, thing in shown.items()}
    else:
        things = {f"{k}": thing for k, thing in enumerate(shown, 1)}
    if not things:
        raise OptionError("a page shows trajectories, equilibria, structures and workspaces, not nothing")
    return things
