"""`identify`: parameters of a structure from what was measured on it, and what can be said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from taut.errors import OptionError, listed
from taut.measurement.computed_motion import MotionModel
from taut.measurement.fitting import Fit, Searched, fit_of, searched
from taut.measurement.identifiability import in_words, undetermined_in_words
from taut.measurement.identification import Identification
from taut.measurement.observations import AtRest, InMotion
from taut.measurement.unknowns import Unknown
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

NOISE = ("given", "estimated")

ILL = 1e4
"""A condition number from which on it is said that some combination is hardly determined."""

COARSE = 0.1
"""Standard deviations: a step of the runs that moves computed numbers by more is named."""

ROUGH = 1e-3
"""Differences of second order that are off by more say that those of fourth order may be off by its square."""

TOO_GOOD = 1e-3
"""Residuals that are smaller than noise would leave them this rarely are named."""


@checked_arguments
def identify(
    structure: Structure,
    observations: Sequence[AtRest | InMotion],
    unknowns: Sequence[Unknown],
    *,
    deviations: Mapping[str, float],
    noise: str = "given",
    iterations: int = 50,
) -> Identification:
    """Estimate unknowns of a structure from states at rest and motions that were measured.

    structure: with all that is known, and with guesses of what is not.
    deviations: selector -> standard deviation of what was measured there: "node:*" of coordinates [m], "cable:*" and
        "bar:*" of forces [N]; a later line wins.
    noise: "given" takes the deviations as they are, so that the fit can be tested; "estimated" takes them for
        proportions, and their common factor from the residuals.
    iterations: steps of the search, at most.
    """
    if noise not in NOISE:
        raise OptionError(f'noise = "{noise}" is not one of {", ".join(NOISE)}')
    if not observations:
        raise OptionError("nothing was measured; give a state at rest or a motion, AtRest(...) or InMotion(...)")
    if iterations < 1:
        raise OptionError(f"iterations = {iterations} must be one or more")
    fit = fit_of(structure, observations, unknowns, deviations)
    found = searched(fit, iterations)
    told = undetermined_in_words(found.determined, fit.of.parameters, unknowns)
    if not found.determined.rank:
        raise OptionError(f"none of the unknowns can be told from what was measured: {'; '.join(told[:4])}")
    given, residual, parameters = fit.given(found.u), -found.residual, fit.of.parameters
    chi_square, freedom = float(residual @ residual), residual.size - found.determined.rank
    covariance = _covariance(fit, found)
    if noise == "estimated":
        covariance *= chi_square / freedom if freedom else np.inf
    result = Identification(
        names=tuple(one.name for one in parameters),
        units=tuple(one.unit for one in parameters),
        start=fit.of.start,
        estimate=given,
        positive=np.array([one.positive for one in parameters]),
        covariance=covariance,
        undetermined=told,
        residual=residual,
        residual_names=tuple(name for part in fit.parts for name in part.readings.names),
        chi_square=chi_square,
        freedom=freedom,
        noise=noise,
        condition=found.determined.condition,
        iterations=found.steps,
        structure=fit.of.made(given),
        equilibria=tuple(one.equilibrium() for one in fit.standing.values()),
        plants=tuple(part.plant(given) for part in fit.parts if isinstance(part, MotionModel)),
        status=found.status,
    )
    return replace(result, notes=_notes(fit, found, result))


def _covariance(fit: Fit, found: Searched) -> np.ndarray:
    """(p, p) of the parameters where the deviations are right; infinite where undetermined, with NaN beside it."""
    growth, told = fit.growth(found.u), found.determined.told
    whole = found.determined.covariance * np.outer(growth, growth)
    whole[~told], whole[:, ~told] = np.nan, np.nan
    whole[~told, ~told] = np.inf
    return np.asarray(whole)


def _notes(fit: Fit, found: Searched, result: Identification) -> tuple[str, ...]:
    notes, parameters = [], fit.of.parameters
    if result.condition > ILL:
        weakest = in_words(found.determined.weakest, found.determined.lengths, parameters)
        notes.append(f"nearly undetermined, with a condition number of {result.condition:.1e}: {weakest}")
    relative = result.standard_error / np.abs(result.estimate)
    vague = [k for k, one in enumerate(parameters) if one.positive and 1.0 < relative[k] < np.inf]
    if vague:
        told = [f"{result.names[k]} ({100.0 * relative[k]:.0f} %)" for k in vague]
        notes.append(f"the standard error is larger than the estimate: {listed(told)}")
    if result.p_value > 1.0 - TOO_GOOD:
        notes.append(
            f"residuals are smaller than the deviations say, by a factor of {result.noise_factor:.2g}; "
            "deviations that are too large make intervals too wide"
        )
    for number, standing in fit.standing.items():
        if standing.slack:
            notes.append(
                f"{fit.parts[number].label}: slack, so nothing is told of their stiffness: {listed(standing.slack)}"
            )
    for part in fit.parts:
        if isinstance(part, MotionModel):
            off = part.discretisation(result.estimate)
            if off > COARSE:
                notes.append(
                    f"{part.label}: steps of half {part.step:.2g} s move computed numbers by up to {off:.2g} standard "
                    "deviations; give a scenario with a shorter step"
                )
    if fit.rough > ROUGH:
        notes.append(
            f"derivatives of the motion may be off by {fit.rough**2:.1e} of their size: it answers to the parameters "
            "unevenly, as when cables slacken or the motion is chaotic; take a shorter part of it"
        )
    return tuple(notes)
