"""A gait that was found, as a model that runs by it: to look at it, to keep it, to run copies of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.dynamics.ensemble_result import Ensemble
from taut.dynamics.rollouts import rollout
from taut.locomotion.gait_spaces import Gait, controllers_of, noise_of
from taut.output.gait_search.finding import plant_by, trial_of
from taut.search.options import SearchOptions
from taut.search.result import GaitSearch
from taut.structure.files import Model, parse_model
from taut.structure.format.writing import model_text

COPY_SEED = 20_000
"""Noise of copies that are drawn begins with this seed."""


def moved_by(model: Model, gait: Gait, options: SearchOptions, source: str) -> Model:
    """The model with a gait for its drives, run as a search runs it.

    A law that reacts is in the scenario, but not in the model's text, which holds no code: the text tells of the model
    as it stands.
    """
    scenario = replace(
        model.scenario,
        drives=(),
        duration=options.duration,
        every=options.every,
        method="impulses",
        step=options.told_step,
    )
    drives, controllers = gait.drives(model.structure), controllers_of(gait, model.structure)
    if not controllers:
        return parse_model(model_text(model.structure, replace(scenario, drives=drives)), source, limit=None)
    standing = parse_model(model_text(model.structure, scenario), source, limit=None)
    return replace(standing, scenario=replace(standing.scenario, drives=drives, controllers=controllers))


def runs_of(
    model: Model, gait: Gait, options: SearchOptions, seeds: np.ndarray, threads: int | None = None
) -> Ensemble:
    """Copies of a gait, one a seed, with noise as in a search."""
    return rollout(
        plant_by(model, gait), {}, options.duration, seeds=seeds, noise=options.noise or noise_of(gait),
        every=options.every, step=options.told_step, threads=threads,
    )  # fmt: skip


def searched_model(found: GaitSearch) -> Model:
    """What was searched for gaits of."""
    return parse_model(found.model_text, "the model of the search", limit=None)


def replayed(found: GaitSearch, rank: int = 1) -> Model:
    """The model with the gait of this rank."""
    return moved_by(searched_model(found), found.gait(rank), found.options, f"gait {rank} of the search")


def copies_of(found: GaitSearch, rank: int = 1, copies: int = 64, threads: int | None = None) -> Ensemble:
    """Runs of one gait with noise as in the search."""
    told = replace(found.options, step=found.options.told_step, tell_step=None)
    trial = trial_of(searched_model(found), found.space, told, threads=threads)
    return trial.runs(found.candidate(rank).point[None], COPY_SEED + np.arange(copies))
