"""What a page shows of a workspace: its postures as rows, and the grid of inputs on which they lie.

The page interpolates between them as `kinetostatics/stencils.py` does (parts/grid.js), and tells the error that
was measured.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.kinetostatics.interpolation import InterpolatedMap
from taut.kinetostatics.interpolation_errors import InterpolationError, rounded_up
from taut.kinetostatics.plate_responses import plate_nodes
from taut.kinetostatics.stencils import never_pushing, stencil
from taut.kinetostatics.workspace_maps import WorkspaceMap
from taut.output.page.content import MOST_NUMBERS, Store, bounds_of, told
from taut.output.page.embedding import Arrays, rounded
from taut.output.page.layout import centre_of_mass, described

ROUNDED = 200
"""Places at which it is measured what 32-bit numbers add to the error."""

NUMBERS = ("lowest_stiffness", "plate_stiffness", "dexterity")
"""Interpolated beside places and forces."""

CHARTS = (
    ("Stiffness", "N/m", {"lowest": "lowest_stiffness", "of the plate": "plate_stiffness"}),
    ("Dexterity", "", {"dexterity": "dexterity"}),
)


def posture_content(name: str, shown: InterpolatedMap, arrays: Arrays) -> dict[str, Any]:
    """Postures over inputs: a run whose samples lie on a grid instead of one after the other."""
    area = shown.area
    structure, cables = area.robot.structure, len(area.robot.structure.cables)
    places = np.flatnonzero(area.found)
    nodes = area.nodes.reshape(area.found.size, -1, 3)[places]
    force = area.member_force.reshape(area.found.size, -1)[places]
    if nodes.size + force.size > MOST_NUMBERS:
        each = (nodes.size + force.size) // places.size
        raise OptionError(
            f"{places.size} postures of {each} numbers are more than the {MOST_NUMBERS} that a page holds; "
            f"take a coarser grid, of {MOST_NUMBERS // each} points at most"
        )
    store = Store(arrays, fine=True)
    numbers = {one: getattr(area, one).ravel()[places] for one in NUMBERS}
    stored = {one: arrays.sampled(own) for one, own in numbers.items() if np.isfinite(own).any()}
    error = _with_rounding(shown, store_sizes=(np.abs(nodes).max(), np.abs(force).max()))
    return {
        "name": name,
        "kind": "postures",
        "structure": described(structure, arrays),
        "driven": _commanded(area),
        "time": arrays.exact(np.zeros(1)),
        "positions": store.positions(nodes),
        "cable_tension": store.forces(force[:, :cables]),
        "bar_force": store.forces(force[:, cables:]),
        "pulls": never_pushing(area)[:cables].tolist(),
        "centre": arrays.sampled(centre_of_mass(structure, nodes)),
        "bounds": bounds_of(nodes),
        "arrows": [],
        "grounds": [],
        "footprints": arrays.exact(np.zeros((0, 7))),
        "charts": _charts(stored),
        **told(_facts(area), structure),
        "finished": True,
        "model": "",
        "events": [],
        "modes": [],
        "measured": None,
        "kept": _error_in_words(error),
        "grid": {
            "axes": _axes(area, arrays),
            "row": arrays.exact(_rows(area)),
            "joined": arrays.exact((area.joined.astype(int) << np.arange(len(area.axes))).sum(axis=-1).ravel()),
            "start": _start(area),
            "numbers": stored,
            "plate": {"name": area.plate, "nodes": plate_nodes(structure, area.plate).tolist()} if area.plate else None,
            "error": _error(error),
        },
    }


def _rows(area: WorkspaceMap) -> np.ndarray:
    """The row of the posture of every point; -1 where there is none."""
    return np.where(area.found.ravel(), np.cumsum(area.found) - 1, -1)


def _axes(area: WorkspaceMap, arrays: Arrays) -> list[dict[str, Any]]:
    told = []
    for name, values in area.axes.items():
        one = area.inputs_of(name)[0]
        quantity = one.quantity.replace("_", " ")
        told.append({"name": name, "unit": one.unit, "quantity": quantity, "values": arrays.exact(values)})
    return told


def _start(area: WorkspaceMap) -> list[float]:
    """What the robot itself commands, where there is a posture; else the point of the grid that is nearest to it."""
    axes, robot = area.axes, area.robot
    wanted = np.array(
        [np.mean([robot.values[robot.input_names.index(one.name)] for one in area.inputs_of(name)]) for name in axes]
    )
    low, high = (np.array([values[k] for values in axes.values()]) for k in (0, -1))
    place = np.clip(wanted, low, high)
    if stencil(area, place) is not None:
        return [float(value) for value in place]
    points = np.stack(np.meshgrid(*axes.values(), indexing="ij"), axis=-1)[area.found]
    nearest = points[np.argmin((((points - place) / (high - low)) ** 2).sum(axis=1))]
    return [float(value) for value in nearest]


def _commanded(area: WorkspaceMap) -> list[dict[str, Any]]:
    """Members that a slider moves, by kind and place."""
    cables = len(area.robot.structure.cables)
    return [
        {
            "kind": "cable" if one.member < cables else "bar",
            "index": one.member if one.member < cables else one.member - cables,
            "drive": name,
        }
        for name in area.axes
        for one in area.inputs_of(name)
    ]


def _charts(stored: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    for name, unit, series in CHARTS:
        lines = [{"name": k, "unit": unit, "values": stored[one]} for k, one in series.items() if one in stored]
        if lines:
            found.append({"name": name, "unit": unit, "scale": "linear", "series": lines})
    return found


def _facts(area: WorkspaceMap) -> dict[str, str]:
    told = {"status": f"{int(area.found.sum())} of {area.found.size} postures found"}
    lowest = area.lowest_stiffness[area.found]
    if np.isfinite(lowest).any():
        told["stable"] = f"{int(area.stable.sum())} of these"
        told["lowest stiffness"] = f"{lowest.min():.4g} to {lowest.max():.4g} N/m"
    dexterity = area.dexterity[area.found]
    if np.isfinite(dexterity).any():
        told["dexterity"] = f"{np.nanmin(dexterity):.3g} to {np.nanmax(dexterity):.3g}"
    if area.plate:
        centre = area.plate_centre[area.found]
        told[f"centre of {area.plate}"] = "; ".join(
            f"{axis} {low:.4g} to {high:.4g} m"
            for axis, low, high in zip("xyz", centre.min(axis=0), centre.max(axis=0), strict=True)
        )
    own = zip(area.robot.commanded, area.robot.values.tolist(), strict=True)
    moved = {one.name for name in area.axes for one in area.inputs_of(name)}
    still = [f"{one.name} {value:.6g} {one.unit}" for one, value in own if one.name not in moved]
    return {**told, **({"other inputs": ", ".join(still)} if still else {})}


def _with_rounding(shown: InterpolatedMap, *, store_sizes: tuple[float, float]) -> InterpolationError | None:
    """The error of a map with what 32-bit numbers add to it, in the postures of the grid and in what is shown."""
    error, area = shown.error, shown.area
    if error is None:
        return None
    low, high = (np.array([values[k] for values in area.axes.values()]) for k in (0, -1))
    off = [getattr(area, name).reshape(area.found.size, -1) for name in ("nodes", "member_force")]
    off = [values - rounded(values) for values in off]
    worst = np.zeros(2)
    for place in np.random.default_rng(0).uniform(low, high, (ROUNDED, low.size)):
        carried = stencil(area, place)
        if carried is not None:
            moved, forced = (carried.weights @ values[carried.rows] for values in off)
            worst = np.maximum(worst, [np.linalg.norm(moved.reshape(-1, 3), axis=1).max(), np.abs(forced).max()])
    worst += np.finfo(np.float32).eps * np.array(store_sizes)
    return replace(error, nodes=error.nodes + worst[0], member_force=error.member_force + worst[1])


def _error(error: InterpolationError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    names = ("nodes", "member_force", *NUMBERS, "doubtful")
    told = {name: getattr(error, name) for name in names}
    return {name: rounded_up(value) if np.isfinite(value) else None for name, value in told.items()}


def _error_in_words(error: InterpolationError | None) -> str:
    told = "the error was not measured" if error is None else error.sentence
    return f"Between the postures of the grid everything is interpolated: {told}"
