"""What a page shows, as plain data: one entry for each run or still. Everything that is drawn or charted starts here.

Long or big runs are thinned out to what a browser holds: every k-th sample and the last one, 16-bit numbers. The page
says so, with the largest error that this makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.errors import TautError
from taut.output.contact_places import ContactPlaces, contact_places, footprints, grounds_of, usual_force
from taut.output.page.charts import charts_of
from taut.output.page.embedding import Arrays, quantised, rounded
from taut.output.page.grounds import ground_numbers
from taut.output.page.layout import centre_of_mass, described, size_facts, tensions_as_placed
from taut.output.pictured import ModeShape, Still, checked_mode
from taut.structure.events import Event
from taut.structure.files import parse_model
from taut.structure.records import AXES
from taut.structure.structure import Structure

MOST_FRAMES = 2000
"""Samples a page keeps of a run, unless told otherwise."""

MOST_EVENTS = 500
"""Events a page marks on its charts; of more only the first."""

MOST_NUMBERS = 12_000_000
"""Positions and forces a page keeps of a run; fewer samples where there would be more."""

FINE_NUMBERS = 1_500_000
"""Up to this many they are stored as 32-bit floats, beyond it as 16-bit integers."""

NUMERICS = (
    *("accuracy", "horizon", "worst bar length", "worst bar rate", "worst energy", "not corrected", "method", "steps"),
    *("evaluations", "correction", "iterations", "force left over", "wall time"),
)
"""Facts of how it was computed, which a page has on a tab of their own, in this order."""

LONGEST_MODEL_TEXT = 50_000
"""Characters of a model's text up to which the page carries it."""


def run_content(
    name: str, run: Trajectory, arrays: Arrays, kept: np.ndarray | None, bounds: list[list[float]] | None = None
) -> dict[str, Any]:
    """A run: positions, forces and charts over the samples that are kept, by default `kept_samples`.

    bounds: of all runs that are shown, as far as which grounds are drawn; by default its own.
    """
    structure = run.structure
    kept, places = kept_samples(run, None) if kept is None else kept, contact_places(run)
    nodes = run.nodes[kept]
    tension = _with_gaps(run.cable_tension[kept], len(structure.cables))
    bar_force = _with_gaps(run.bar_force[kept], len(structure.bars))
    store = Store(arrays, fine=nodes.size + tension.size + bar_force.size <= FINE_NUMBERS)
    charts = charts_of(run, kept, arrays)
    entry = {
        "name": name,
        "kind": "run",
        "structure": described(structure, arrays, run.options.get("pulleys", ())),
        "driven": driven_places(structure, [(one["member"], one["name"]) for one in run.options.get("drives", ())]),
        "time": arrays.exact(run.time[kept]),
        "positions": store.positions(nodes),
        "cable_tension": store.forces(tension),
        "bar_force": store.forces(bar_force),
        "centre": arrays.sampled(centre_of_mass(structure, nodes)),
        "bounds": bounds_of(run.nodes),
        "arrows": _run_arrows(run, kept, store, places),
        "grounds": ground_numbers(grounds_of(run), bounds or bounds_of(run.nodes)),
        "footprints": arrays.exact(footprints(run, places)),
        "charts": charts,
        **told(run.facts(), structure),
        "finished": run.ok,
        "model": run.model_text if len(run.model_text) <= LONGEST_MODEL_TEXT else "",
        "events": _listed(run.events),
        "modes": [],
        "measured": None,
    }
    peaks = [chart["name"].lower() for chart in charts if chart.get("peaks")]
    entry["kept"] = _kept_in_words(run.time.size, kept.size, store, peaks)
    return entry


def _with_gaps(forces: np.ndarray, members: int) -> np.ndarray:
    """(T, members): not numbers where forces were not kept, as of variants of a rollout."""
    return forces if forces.shape[1] == members else np.full((len(forces), members), np.nan)


def still_content(name: str, still: Still, arrays: Arrays) -> dict[str, Any]:
    """A structure at one shape: a run of a single sample, without charts."""
    structure = still.structure
    store = Store(arrays, fine=True)
    nodes = structure.positions[None]
    held = list(structure.supported_nodes.values())
    tension = tensions_as_placed(structure) if still.cable_tension is None else np.asarray(still.cable_tension)
    bar_force = np.full(len(structure.bars), np.nan) if still.bar_force is None else np.asarray(still.bar_force)
    arrows = []
    if still.reaction is not None:
        arrows.append(arrows_of("reaction", "tip", held, np.asarray(still.reaction)[None], store))
    if still.external is not None:
        pulled = np.flatnonzero(np.any(still.external, axis=1))
        arrows.append(arrows_of("load", "tail", pulled.tolist(), np.asarray(still.external)[None, pulled], store))
    return {
        "name": name,
        "kind": "still",
        "structure": described(structure, arrays, still.pulleys),
        "driven": driven_places(structure, still.driven.items()),
        "time": arrays.exact(np.zeros(1)),
        "positions": store.positions(nodes),
        "cable_tension": store.forces(tension[None]),
        "bar_force": store.forces(bar_force[None]),
        "centre": arrays.sampled(centre_of_mass(structure, nodes)),
        "bounds": bounds_of(nodes),
        "arrows": arrows,
        "grounds": [],
        "footprints": arrays.exact(np.zeros((0, 7))),
        "charts": [],
        **told(still.facts, structure),
        "finished": True,
        "model": "",
        "events": [],
        "modes": [],
        "measured": None,
        "kept": "",
    }


def told(facts: Mapping[str, str], structure: Structure) -> dict[str, dict[str, str]]:
    """What is told in words and values: of the thing itself, with its size, and of how it was computed."""
    own = {name: value for name, value in facts.items() if name not in NUMERICS}
    return {
        "facts": {**own, **size_facts(structure)},
        "numerics": {name: facts[name] for name in NUMERICS if name in facts},
    }


def with_extras(
    entry: dict[str, Any],
    structure: Any,
    arrays: Arrays,
    modes: Iterable[ModeShape],
    events: Iterable[Event],
) -> dict[str, Any]:
    """An entry with mode shapes, scaled to a largest displacement of 1, and events."""
    shapes = []
    for mode in modes:
        shape = checked_mode(structure, mode)
        largest = float(np.linalg.norm(shape, axis=1).max(initial=0.0)) or 1.0
        known = np.isfinite(mode.frequency)
        shapes.append(
            {
                "name": mode.name,
                "frequency": float(mode.frequency) if known else None,
                "displacement": arrays.sampled(shape[None] / largest),
            }
        )
    happened = sorted([*entry["events"], *_listed(events)], key=lambda event: event["time"])
    return {**entry, "modes": shapes, "events": happened[:MOST_EVENTS]}


def _listed(events: Iterable[Event]) -> list[dict[str, Any]]:
    return [{"time": float(event.time), "name": event.name} for event in events]


def kept_samples(run: Trajectory, frames: int | None) -> np.ndarray:
    """Indices of the samples that a page keeps: every k-th and the last."""
    count = run.time.size
    most = max(2, min(frames or MOST_FRAMES, MOST_NUMBERS // sample_numbers(run)))
    stride = max(1, -(-(count - 1) // (most - 1)))
    return np.unique(np.append(np.arange(0, count, stride), count - 1))


def sample_numbers(run: Trajectory) -> int:
    """How many numbers a sample of a run has on a page."""
    return max(1, run.nodes[0].size + run.cable_tension.shape[1] + run.bar_force.shape[1]) if run.time.size else 1


class Store:
    """Puts positions and forces into the arrays, fine or coarse, and remembers the largest errors of that."""

    def __init__(self, arrays: Arrays, *, fine: bool) -> None:
        self.arrays, self.fine = arrays, fine
        self.errors = {"positions": 0.0, "forces": 0.0}

    def positions(self, values: np.ndarray) -> dict[str, int]:
        return self._put(values, "positions")

    def forces(self, values: np.ndarray) -> dict[str, int]:
        return self._put(values, "forces")

    def _put(self, values: np.ndarray, what: str) -> dict[str, int]:
        about_zero = what == "forces"
        if self.fine:
            back = rounded(values).astype(float)
        else:
            levels, scale, offset = quantised(values, about_zero=about_zero)
            back = (offset + scale * levels.reshape(-1, offset.size)).reshape(values.shape)
        known = np.isfinite(values) & np.isfinite(back)
        error = float(np.abs(values - back)[known].max(initial=0.0))
        self.errors[what] = max(self.errors[what], error)
        return self.arrays.sampled(values) if self.fine else self.arrays.coarse(values, about_zero=about_zero)


def _kept_in_words(count: int, kept: int, store: Store, peaks: Sequence[str]) -> str:
    """peaks: charts that have the largest since the sample before."""
    if kept < count:
        share = f"{kept} of {count} samples are in this page"
        if peaks:
            share += f"; charts of {', '.join(peaks)} have the largest since the sample before"
        share += "; all else is as at these samples, so what peaks between two of them is not seen"
    else:
        share = f"All {count} samples are in this page"
    bits = 32 if store.fine else 16
    return (
        f"{share}; positions are within {store.errors['positions']:.1g} m and forces within "
        f"{store.errors['forces']:.1g} N of the run ({bits}-bit numbers); straight lines between samples"
    )


def bounds_of(nodes: np.ndarray) -> list[list[float]]:
    """The box [m] that holds all nodes at all times, and that of the first; of moments whose places are known."""
    whole = nodes[np.isfinite(nodes).all(axis=(1, 2))]
    if not whole.size:
        return [[0.0] * 3, [0.0] * 3, [0.0] * 3]
    return [whole.min(axis=(0, 1)).tolist(), whole.max(axis=(0, 1)).tolist(), np.ptp(whole[0], axis=0).tolist()]


def common_bounds(runs: Iterable[Trajectory]) -> list[list[float]]:
    """The box [m] that holds all runs, and the largest box of one moment."""
    low, high, size = zip(*(bounds_of(run.nodes) for run in runs), strict=True)
    return [np.min(low, axis=0).tolist(), np.max(high, axis=0).tolist(), np.max(size, axis=0).tolist()]


def _run_arrows(run: Trajectory, kept: np.ndarray, store: Store, places: ContactPlaces) -> list[dict[str, Any]]:
    place = {node: index for index, node in enumerate(run.structure.nodes)}
    arrows = []
    if run.reaction.shape[1]:
        arrows.append(arrows_of("reaction", "tip", [place[n] for n in run.supports], run.reaction[kept], store))
    loaded = [
        (k, place[node], AXES.index(axis))
        for k, (node, axis) in enumerate(_load_places(run))
        if node in place and axis in AXES
    ]
    if loaded and run.load_force.shape[1]:
        forces = np.zeros((kept.size, len(loaded), 3))
        for row, (k, _, axis) in enumerate(loaded):
            forces[:, row, axis] = run.load_force[kept, k]
        arrows.append(arrows_of("load", "tail", [node for _, node, _ in loaded], forces, store))
    if places.column.size and run.contact_force.shape[1]:
        first, second = places.ends.T.tolist()
        forces = run.contact_force[kept][:, places.column]
        between = {"others": second, "shares": store.arrays.sampled(places.share[kept])}  # along bars that lie on edges
        # From where they act: with their tips there they would be inside the ground.
        longest, exceeded = usual_force(run.contact_force)
        own = arrows_of("contact", "tail", first, forces, store)
        arrows.append({**own, **between, "largest": longest, "exceeded": exceeded})
    return arrows


def _load_places(run: Trajectory) -> list[tuple[str, str]]:
    """Node and axis of each load: as the model's text says, else as the load is named where nobody named it."""
    if run.model_text:
        try:
            loads = parse_model(run.model_text, limit=None).scenario.loads
        except TautError:
            loads = ()
        if len(loads) == len(run.load_names):
            return [(load.node, load.axis) for load in loads]
    plain = [name.split("#")[0].rpartition(".") for name in run.load_names]
    return [(node, axis) for node, _, axis in plain]


def arrows_of(name: str, anchor: str, nodes: list[int], forces: np.ndarray, store: Store) -> dict[str, Any]:
    """Forces (T, k, 3) on nodes; the arrow's tip or its tail is at the node."""
    sizes = np.linalg.norm(np.where(np.isfinite(forces), forces, 0.0), axis=2)
    largest = float(sizes.max(initial=0.0))
    return {"name": name, "anchor": anchor, "nodes": nodes, "largest": largest, "forces": store.forces(forces)}


def driven_places(structure: Structure, told: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """Driven members, "cable:a1" and the drive's name each, by kind and place; of angles nothing is drawn."""
    places = {"cable": list(structure.cables), "bar": list(structure.bars)}
    found = []
    for member, drive in told:
        kind, _, name = member.partition(":")
        if name in places.get(kind, ()):
            found.append({"kind": kind, "index": places[kind].index(name), "drive": drive})
    return found
