"""Least squares: residuals of all that was measured as a function of the parameters, and the search for the least.

Gauss-Newton steps in a trust region (Levenberg and Marquardt; `scipy.optimize.least_squares`) on the residuals in
standard deviations, with the logarithms of what is positive as variables. Directions that nothing measured depends on
are left out of the search, so that parameters stay where they began along them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError, listed
from taut.measurement.computed_motion import MotionModel
from taut.measurement.computed_rest import RestModel, Standing
from taut.measurement.identifiability import BY_DIFFERENCES, EXACT, Determined, decomposed
from taut.measurement.observations import AtRest, InMotion, Observation, deviations_by_name, named, readings
from taut.measurement.parametrised import Parametrised, written_out
from taut.measurement.unknowns import Unknown, parameters_of
from taut.structure.scenario import Damping
from taut.structure.structure import Structure

ROUNDS = 6
"""Searches one after another: where parameters went far, other directions may be determined than at the start."""

SETTLED = 1e-6
"""What a further Gauss-Newton step could take from chi-square, at most, when the search is over."""

FAR = 1.0
"""A first step changes no parameter by more than a factor of e, or by its scale."""

FARTHEST = float(np.log(1000.0))
"""A positive parameter stays within a thousand times its start, or a thousandth: beyond, no model is left of it."""


@dataclass
class Fit:
    """All that was measured, as a function of u: the logarithm of a positive parameter over its start, or how far
    another is from it by its scale.

    standing, latest: the equilibria where derivatives were asked for, to start from, and where anything was.
    last: what was computed last, since a search asks for some of it twice. rough: of differences of motions."""

    of: Parametrised
    parts: tuple[RestModel | MotionModel, ...]
    standing: dict[int, Standing] = field(default_factory=dict)
    latest: dict[int, Standing] = field(default_factory=dict)
    rough: float = 0.0
    last: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    @property
    def tolerance(self) -> float:
        return BY_DIFFERENCES if any(isinstance(part, MotionModel) for part in self.parts) else EXACT

    def given(self, u: np.ndarray) -> np.ndarray:
        """(p,) the parameters in their own units."""
        parameters = zip(self.of.parameters, u.tolist(), strict=True)
        return np.array([one.start * np.exp(x) if one.positive else one.start + one.scale * x for one, x in parameters])

    def growth(self, u: np.ndarray) -> np.ndarray:
        """(p,) how they change with u."""
        values = zip(self.of.parameters, self.given(u).tolist(), strict=True)
        return np.array([value if one.positive else one.scale for one, value in values])

    def stand(self, number: int, u: np.ndarray) -> Standing | None:
        part, given, latest = self.parts[number], self.given(u), self.latest.get(number)
        if latest is not None and np.array_equal(latest.given, given):
            return latest
        found = part.stand(given, self.standing.get(number)) if isinstance(part, RestModel) else None
        if found is not None:
            self.latest[number] = found
        return found

    def beyond(self, u: np.ndarray, share: float = 1.0) -> list[str]:
        """Parameters that went as far as they may, or farther than a share of it."""
        pairs = zip(self.of.parameters, np.abs(u).tolist(), strict=True)
        return [one.name for one, x in pairs if one.positive and x > share * FARTHEST]

    def refusal(self, u: np.ndarray) -> str:
        """Why a residual cannot be computed; nothing where it can."""
        for number, part in enumerate(self.parts):
            if isinstance(part, RestModel) and self.stand(number, u) is None:
                return part.refusal(self.given(u))
        if np.isfinite(self.residual(u)).all():
            return ""
        labels = [part.label for part in self.parts if isinstance(part, MotionModel)]
        return f"{listed(labels)}: the run with the start values fails; start nearer, or give a shorter step"

    def residual(self, u: np.ndarray) -> np.ndarray:
        """(q,) computed less measured, in standard deviations; NaN where a state does not stand or a run fails."""
        return self._once("residual", u, self._residual)

    def jacobian(self, u: np.ndarray) -> np.ndarray:
        """(q, p) of the residual by u."""
        return self._once("jacobian", u, self._jacobian)

    def _once(self, name: str, u: np.ndarray, compute: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        known = self.last.get(name)
        if known is None or not np.array_equal(known[0], u):
            self.last[name] = known = (u.copy(), compute(u))
        return known[1]

    def _residual(self, u: np.ndarray) -> np.ndarray:
        if self.beyond(u):
            return np.full(sum(part.readings.value.size for part in self.parts), np.nan)
        found = []
        for number, part in enumerate(self.parts):
            told = part.readings
            if isinstance(part, MotionModel):
                computed = part.computed(self.given(u))
            else:
                stands = self.stand(number, u)
                computed = np.full(told.value.size, np.nan) if stands is None else stands.computed
            found.append((computed - told.value) / told.deviation)
        return np.concatenate(found)

    def _jacobian(self, u: np.ndarray) -> np.ndarray:
        found, self.rough = [], 0.0
        for number, part in enumerate(self.parts):
            if isinstance(part, MotionModel):
                slopes, rough = part.jacobian(self.given(u))
                self.rough = max(self.rough, rough)
            else:
                stands = self.stand(number, u)
                if stands is None:
                    raise OptionError(part.refusal(self.given(u)))
                slopes, self.standing[number] = stands.jacobian, stands
            found.append(slopes / part.readings.deviation[:, None])
        return np.asarray(np.concatenate(found) * self.growth(u))


def fit_of(
    structure: Structure,
    observations: Sequence[Observation],
    unknowns: Sequence[Unknown],
    deviations: Mapping[str, float],
) -> Fit:
    whole = written_out(structure)
    motions = [one for one in observations if isinstance(one, InMotion)]
    of = Parametrised(whole, parameters_of(whole, unknowns, _damping(motions, unknowns), len(motions)))
    known, labels = deviations_by_name(whole, deviations), named(observations)
    parts: list[RestModel | MotionModel] = []
    for one, label in zip(observations, labels, strict=True):
        told = readings(whole, one, label, known)
        if isinstance(one, AtRest):
            parts.append(RestModel(of, one, told, label))
        else:
            place = sum(isinstance(part, MotionModel) for part in parts)  # among the motions
            parts.append(MotionModel(of, one, told, label, place))
    return Fit(of, tuple(parts))


def _damping(motions: Sequence[InMotion], unknowns: Sequence[Unknown]) -> Damping | None:
    """Of the scenarios, which have to share it where it is to be found."""
    if not motions:
        return None
    shared = motions[0].scenario.damping
    if any(one.selector == "damping" for one in unknowns) and any(one.scenario.damping != shared for one in motions):
        raise OptionError(
            "the scenarios of the motions have different damping, of which one is unknown; give all the same"
        )
    return shared


class Searched(NamedTuple):
    """Where a search ended."""

    u: np.ndarray
    residual: np.ndarray  # computed less measured
    determined: Determined
    steps: int
    status: str


def searched(fit: Fit, iterations: int) -> Searched:
    """From the start of all parameters to the least sum of squares."""
    from scipy.optimize import least_squares

    u, used = np.zeros(len(fit.of.parameters)), 0
    if wrong := fit.refusal(u):
        raise OptionError(wrong)
    for _ in range(ROUNDS):
        left, found = fit.residual(u), decomposed(fit.jacobian(u), fit.tolerance)
        along = found.left.T @ left
        gain = float(along @ along)
        if gain <= SETTLED or used >= iterations:
            break
        basis, origin, step = found.basis, u, along / found.singular
        reach = float(np.abs(basis @ step).max())
        solved = least_squares(
            lambda z, basis=basis, origin=origin: fit.residual(origin + basis @ z),
            np.zeros(found.rank),
            jac=lambda z, basis=basis, origin=origin: fit.jacobian(origin + basis @ z) @ basis,
            x_scale=float(np.linalg.norm(step)) * min(1.0, FAR / reach),
            ftol=1e-6,
            xtol=1e-9,
            gtol=1e-9,
            max_nfev=iterations - used,
        )
        used += int(solved.nfev)
        u = origin + basis @ solved.x
    else:
        left, found = fit.residual(u), decomposed(fit.jacobian(u), fit.tolerance)
        gain = float(np.sum((found.left.T @ left) ** 2))
    status = "converged"
    if gain > SETTLED:
        lost = fit.beyond(u, 0.9)
        more = f"{listed(lost)} ran away; look at the model" if lost else "start nearer, or allow more iterations"
        status = f"not converged after {used} steps: one more could lower chi-square by {gain:.2g}; {more}"
    return Searched(u, left, found, used, status)
