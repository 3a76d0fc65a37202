"""`search_gaits`: a model with a ground and a space of gaits in, the best gaits out, kept after every generation."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.locomotion.gait_spaces import Gait, GaitSpace, SinusoidSpace, controllers_of
from taut.locomotion.reactive import ReactiveSpace
from taut.mechanics.plant import Plant
from taut.output.gait_search.kept_search import Trials, search_with
from taut.output.gait_search.store import load_gaits
from taut.output.model_runs import assembled
from taut.search.goals import Objective
from taut.search.options import SearchOptions
from taut.search.result import GaitSearch
from taut.search.searching import Evaluate, Standing
from taut.search.trials import Trial
from taut.search.validation import COPIES
from taut.structure.files import Model, read_model, without_tree
from taut.structure.format.writing import model_text
from taut.structure.grounds import Compliance
from taut.type_checks import checked_arguments

SOFT = Compliance(stiffness=2e4, damping=50.0)
"""Of the ground by which a gait is checked once more: 0.25 kg at a node strike it for 11 ms."""

SOFT_STEP = 2e-4
"""[s] by rk4 on it: the fastest of its motions take 22 ms, and struts keep their lengths."""


@checked_arguments
def search_gaits(
    model: Model | str | os.PathLike[str],
    space: GaitSpace,
    objective: Objective | None = None,
    options: SearchOptions | None = None,
    *,
    output: str | os.PathLike[str] | None = None,
    resume: bool = False,
    restart: bool = False,
    check: bool = True,
    threads: int | None = None,
    executor: Executor | Callable[[], Executor] | None = None,
    progress: Callable[[Standing], None] | None = None,
    told: Callable[[str], None] | None = None,
) -> GaitSearch:
    """Search for gaits of a model that has a ground; its own drives are left out.

    model: a model file, or what `read_model` gave. space: of gaits, such as a SinusoidSpace.
    output: the gait file (.nc), written whole after every generation. resume: go on with the search that is in it,
        which has to be the same but for the number of generations. restart: replace what is there.
    check: try the best gait with fresh noise, twice the copies, steps of a tenth, and on a ground that gives way.
    threads, executor: where runs are computed, as `taut.rollout` has it; every bit is the same wherever that is.
    progress: called after every generation. told: called with a sentence where there is something to say.
    Ctrl-C ends it with the generations that are done.
    """
    loaded = without_tree(model if isinstance(model, Model) else read_model(model))
    objective, options = objective or Objective(), _perturbed(options or SearchOptions(), space)
    trial = trial_of(loaded, space, options, threads=threads, executor=executor)
    telling = replace(trial, step=options.told_step)
    others = other_trials(loaded, telling.only_for(objective)) if check else {}
    trials = Trials(trial.only_for(objective), telling, others)
    return search_with(
        trials, space, objective, options, model_text(loaded.structure, loaded.scenario),
        output=None if output is None else Path(output), resume=resume, restart=restart, check=check,
        progress=progress or (lambda standing: None), told=told or (lambda sentence: None),
    )  # fmt: skip


def trial_of(
    model: Model,
    space: GaitSpace,
    options: SearchOptions,
    *,
    threads: int | None = None,
    executor: Executor | Callable[[], Executor] | None = None,
) -> Trial:
    """How gaits of this model are tried."""
    return Trial(
        _plant(model, space), space, _perturbed(options, space).noise or {}, options.duration, options.step,
        options.every,
        threads=threads, executor=executor,
    )  # fmt: skip


def _perturbed(options: SearchOptions, space: GaitSpace) -> SearchOptions:
    """With the noise of the space where they say nothing."""
    return replace(options, noise=dict(space.noise)) if options.noise is None else options


def other_trials(model: Model, trial: Trial) -> dict[str, tuple[Evaluate, int]]:
    """What the best gait has to stand: twice the copies, steps of a tenth, another model of contact.

    The last two take ten times as long for each copy, and so have fewer.
    """
    soft = tuple(replace(ground, compliance=SOFT, restitution=0.0) for ground in model.scenario.ground)
    on_soft = replace(
        trial, plant=_plant(model, trial.space, ground=soft), method="rk4", step=min(trial.step, SOFT_STEP)
    )
    return {
        f"with {2 * COPIES} copies of fresh noise": (trial, 2 * COPIES),
        "at h/10": (trial.finer(10.0), COPIES // 2),
        "on a ground that gives way (rk4)": (on_soft, COPIES // 4),
    }


def _plant(model: Model, space: GaitSpace, **changed: Any) -> Plant:
    return plant_by(model, space.gait(np.full(space.size, 0.5)), **changed)


def plant_by(model: Model, gait: Gait, **changed: Any) -> Plant:
    """The model's plant that moves by a gait; its own drives and controllers are left out."""
    check_ground(model)
    moved = {"drives": gait.drives(model.structure), "controllers": controllers_of(gait, model.structure)}
    plant = assembled(model.structure, model.scenario, **moved, **changed)
    if not isinstance(plant, Plant):
        raise OptionError("gaits are searched for in the coordinates of nodes; leave scenario.joints out")
    return plant


def started_from(path: Path, space: GaitSpace, most: int) -> tuple[tuple[float, ...], ...]:
    """Points of the best gaits of another search, in this space."""
    found = load_gaits(path)
    gaits = [found.gait(rank) for rank in range(1, min(most, len(found.candidates)) + 1)]
    if isinstance(space, SinusoidSpace | ReactiveSpace):
        return tuple(tuple(space.point(gait).tolist()) for gait in gaits)
    raise OptionError(f"{path}: gaits to begin with are those of sinusoids or of reactive gaits, not of {space!r}")


def check_ground(model: Model) -> None:
    """Raise where a model has nothing to roll on."""
    if not model.scenario.ground:
        raise OptionError(f"{model.source or 'the model'}: has no ground to roll on; scenario.ground says what it is")
    if not np.linalg.norm(model.scenario.gravity):
        raise OptionError(
            f"{model.source or 'the model'}: has no gravity, so that nothing rolls; scenario.gravity has it"
        )


def uphill(model: Model, heading: float = 0.0) -> tuple[float, float, float]:
    """Level, and up the slope that `sloped` made with this heading."""
    check_ground(model)
    gravity = np.array(model.scenario.gravity)
    down = gravity / np.linalg.norm(gravity)
    way = np.array([math.cos(math.radians(heading)), math.sin(math.radians(heading)), 0.0])
    level = way - (way @ down) * down
    x, y, z = (level / np.linalg.norm(level)).tolist()
    return x, y, z


def sloped(model: Model, degrees: float, heading: float = 0.0) -> Model:
    """The model on a slope: its gravity leans. heading: [degrees] of uphill in the model's axes, from x towards y."""
    if not abs(degrees) < 90.0:
        raise OptionError(f"a slope of {degrees:g} degrees is none to roll on; give less than 90")
    if not degrees:
        return model
    size, angle, way = float(np.linalg.norm(model.scenario.gravity)), math.radians(degrees), math.radians(heading)
    level = -size * math.sin(angle)
    gravity = (level * math.cos(way), level * math.sin(way), -size * math.cos(angle))
    return replace(model, scenario=replace(model.scenario, gravity=gravity))
