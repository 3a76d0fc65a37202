"""Spans of a plant that starts elsewhere than they have their natural lengths: at other positions, or as a run left
it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.errors import OptionError
from taut.mechanics.trees import embedding as on_sphere
from taut.mechanics.trees.equations import TreeEquations
from taut.mechanics.trees.spans.span_cables import Spans, turned_names
from taut.mechanics.trees.spans.turns import Counted

if TYPE_CHECKING:
    from taut.mechanics.trees.plant import TreePlant


def begun(plant: TreePlant, equations: TreeEquations) -> Spans | None:
    """Spans that count from where they have their natural lengths; none where there are none."""
    if plant.counted is None:
        return None
    spans = Spans(equations)
    spans.begin(on_sphere.configuration(plant.embedding, plant.counted.natural_at))
    spans.turned = plant.turned
    return spans


def turned_at_start(plant: TreePlant) -> np.ndarray:
    """(2 spans,) [rad]."""
    if plant.counted is None:
        return np.zeros(0)
    natural_at, at, q = (
        on_sphere.configuration(plant.embedding, x)
        for x in (plant.counted.natural_at, plant.counted.at, plant.positions)
    )
    if np.array_equal(q, at):
        return plant.counted.turned
    spans = Spans(plant.equations)
    spans.begin(natural_at)
    return spans.turned_at(q, at, plant.counted.turned)


def left_by(plant: TreePlant, run: Any, sample: int) -> TreePlant:
    """The plant as a run of it was at a sample; turns of spans are among what runs show."""
    names, wanted = tuple(run.element_names), turned_names(plant.tree.spans)
    if run.coordinate.shape[1] != plant.coordinates or not set(wanted) <= set(names):
        raise OptionError(
            f"the run has {run.coordinate.shape[1]} coordinates and shows {', '.join(names) or 'nothing'}; give a run "
            f"of this plant, which has {plant.coordinates} coordinates"
        )
    if not -len(run.time) <= sample < len(run.time):
        raise OptionError(f"the run has {len(run.time)} samples, and no number {sample}")
    if gone := _cut(plant, run, float(run.time[sample])):
        raise OptionError(
            f'the event "{gone}" has cut cables by then, which this plant still has; make a tree without them that '
            "starts there"
        )
    x, counted = run.coordinate[sample].copy(), plant.counted
    if counted is not None:
        turned = run.element_output[sample, [names.index(name) for name in wanted]]
        counted = Counted(counted.natural_at, x, turned)
    return replace(plant, positions=x, velocities=run.coordinate_rate[sample].copy(), counted=counted)


def _cut(plant: TreePlant, run: Any, until: float) -> str:
    """The first watch that has cut cables of a run; nothing where none has."""
    watched = () if plant.watcher is None else plant.watcher.watched
    cuts = {thing.watch.name for thing in watched if thing.watch.then == "cut"}
    named = (one for one in run.events if one.time <= until and one.subject in cuts and one.name.startswith("event"))
    return next((one.subject for one in named), "")
