"""A gait that was found, as a model that runs by it: to look at it, to keep it, to run copies of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.dynamics.ensemble_result import Ensemble
from taut.locomotion.gaits import PatternGait, SinusoidGait, TableGait
from taut.output.gait_search.finding import trial_of
from taut.search.options import SearchOptions
from taut.search.result import GaitSearch
from taut.structure.files import Model, parse_model
from taut.structure.format.writing import model_text

COPY_SEED = 20_000
"""Noise of copies that are drawn begins with this seed."""


def moved_by(model: Model, gait: SinusoidGait | TableGait | PatternGait, options: SearchOptions, source: str) -> Model:
    """The model with a gait for its drives, run as a search runs it."""
    scenario = replace(
        model.scenario,
        drives=gait.drives(model.structure),
        duration=options.duration,
        every=options.every,
        method="impulses",
        step=options.told_step,
    )
    return parse_model(model_text(model.structure, scenario), source, limit=None)


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
