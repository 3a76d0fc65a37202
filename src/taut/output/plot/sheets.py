"""All figures of a run at once: one file each, or one sheet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from taut.atomic_files import made_folder
from taut.dynamics.sensor_facts import sensors_of
from taut.dynamics.trajectory import Trajectory
from taut.output.plot.axes import LARGE, require_samples
from taut.output.plot.commands import drives, readings
from taut.output.plot.contacts import contact_forces, contact_states, touched
from taut.output.plot.energies import energy, violations
from taut.output.plot.files import blank_figure, check_suffix, save_figure
from taut.output.plot.forces import tensions
from taut.output.plot.motion import coordinates, paths
from taut.output.plot.shapes import structure
from taut.output.plot.views import chosen_view

Draw = Callable[[Any], Any]

SHEET = (8.27, 11.69)
"""Width and height [in] of a sheet: A4."""


def figures(run: Trajectory) -> dict[str, tuple[Draw, bool]]:
    """What there is to draw of a run: by name, how, and whether it needs three dimensions."""
    require_samples(run)
    view = chosen_view("", run.nodes)
    solid = view == "3d"
    driven = {"drives": (lambda ax: drives(run, ax=ax), False)} if run.drive_value.shape[1] else {}
    units = list(dict.fromkeys(fact.unit for fact in sensors_of(run)))
    names = ["readings"] if len(units) == 1 else [f"readings_{k}" for k in range(1, len(units) + 1)]
    sensed = {name: (partial(_readings, run, unit), False) for name, unit in zip(names, units, strict=True)}
    stood = {}
    if touched(run):  # an ensemble may have kept forces without states, or states without forces
        if run.contact_force.shape[1]:
            stood["contact_forces"] = (lambda ax: contact_forces(run, ax=ax), False)
        if run.contact_state.shape[1]:
            stood["contact_states"] = (lambda ax: contact_states(run, ax=ax), False)
    return {
        "structure": (lambda ax: structure(run, view=view, ax=ax), solid),
        "energy": (lambda ax: energy(run, ax=ax), False),
        "violations": (lambda ax: violations(run, ax=ax), False),
        "tensions": (lambda ax: tensions(run, ax=ax), False),
        "paths": (lambda ax: paths(run, view=view, ax=ax), solid),
        "coordinates": (lambda ax: coordinates(run, ax=ax), False),
        **stood,
        **driven,
        **sensed,
    }


def _readings(run: Trajectory, unit: str, ax: Any) -> Any:
    return readings(run, unit, ax=ax)


def save_figures(drawings: Mapping[str, tuple[Draw, bool]], folder: Path) -> list[Path]:
    """A file for each, as PNG, in a folder that is made if need be."""
    made_folder(folder)
    made = []
    for name, (draw, solid) in drawings.items():
        figure = blank_figure(LARGE if solid else (3.5, 3.0 if name in ("structure", "paths") else 2.6))
        draw(figure.add_subplot(projection="3d" if solid else None))
        path = folder / f"{name}.png"
        save_figure(figure, path)
        made.append(path)
    return made


def save_sheet(run: Trajectory, path: Path) -> None:
    """All of them on one sheet; the kind of file follows from its name."""
    check_suffix(path)
    drawings = figures(run)
    figure = blank_figure(SHEET)
    for place, (draw, solid) in enumerate(drawings.values(), 1):
        draw(figure.add_subplot(max(3, (len(drawings) + 1) // 2), 2, place, projection="3d" if solid else None))
    save_figure(figure, path)
