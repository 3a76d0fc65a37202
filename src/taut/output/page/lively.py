"""What makes a page a live one: the plant of what it shows, and the ground around it."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError
from taut.live.content import live_content
from taut.live.plants import Live, live_plant
from taut.mechanics.plant import Plant
from taut.output.model_runs import assembled
from taut.output.model_statics import driven_names
from taut.output.page.content import driven_places
from taut.output.page.embedding import Arrays
from taut.output.page.grounds import ground_numbers
from taut.structure.corrections import Correction
from taut.structure.files import Model, parse_model, without_tree

AROUND = 8.0
"""Of the size of what is shown: how far from it a ground is drawn, since nobody knows where it will go."""

OPTIONS = ("method", "tolerance", "step", "correction")


def live_part(shown: Any, entry: dict[str, Any], live: bool | Plant | Live, arrays: Arrays) -> dict[str, Any]:
    """The live part of a page's content; the entry of what it shows is given a ground that reaches further."""
    made = _live(shown, live)
    structure = made.plant.structure
    if list(structure.nodes) != entry["structure"]["nodes"]:
        raise OptionError("the plant that is to go live is not of the structure that is shown; show that of the plant")
    entry["driven"] = driven_places(structure, driven_names(structure, made.plant.given.drives).items())
    if made.plant.grounds:
        low, high, size = (np.array(one) for one in entry["bounds"])
        reach = AROUND * max(float(np.linalg.norm(size)), 1e-9) * np.array([1.0, 1.0, 0.0])
        entry["bounds"] = [(low - reach).tolist(), (high + reach).tolist(), size.tolist()]
        entry["grounds"] = ground_numbers(made.plant.grounds, entry["bounds"])
    return live_content(made, arrays)


def _live(shown: Any, live: bool | Plant | Live) -> Live:
    if isinstance(live, Live):
        return live
    options: dict[str, Any] = {}
    if isinstance(shown, Trajectory):
        known = shown.options
        options = {name: known[name] for name in ("method", "tolerance", "step") if name in known}
        options |= {"correction": Correction.of_options(known)} if "correction" in known else {}
    if isinstance(live, Plant):
        return live_plant(live, **options)
    if not isinstance(shown, Trajectory) or not shown.model_text:
        raise OptionError("what is shown does not say what moves it; give the plant: page(..., live=plant)")
    return live_model(parse_model(shown.model_text, limit=None), **options)


def live_model(model: Model, **options: Any) -> Live:
    """A model that goes live as its scenario says, but for what is given."""
    scenario = without_tree(model).scenario
    wanted = {name: getattr(scenario, name) for name in OPTIONS}
    return live_plant(assembled(model.structure, scenario), **wanted | options)
