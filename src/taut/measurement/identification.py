"""An Identification: estimates, how sure they are, whether the model fits, and what the measurements cannot tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from taut.errors import OptionError, suggestion
from taut.labelled import Labelled, Tabular, Variable
from taut.mechanics.plant import Plant
from taut.reprs import titled
from taut.statics.equilibrium import Equilibrium
from taut.structure.structure import Structure

REJECTED = 0.01
"""A model is rejected where residuals as large as its own would be rarer than this."""

VARIABLES = {
    "unit": Variable(("parameter",), "", "unit of each parameter, none of a factor"),
    "start": Variable(("parameter",), "", "where the search began"),
    "estimate": Variable(("parameter",), "", "estimate of each parameter"),
    "standard_error": Variable(("parameter",), "", "standard deviation of each estimate, infinite if undetermined"),
    "lower": Variable(("parameter",), "", "lower end of the 95 % confidence interval"),
    "upper": Variable(("parameter",), "", "upper end of the 95 % confidence interval"),
}


@dataclass(frozen=True, repr=False)
class Identification(Tabular):
    """p parameters estimated by weighted least squares from q measured numbers.

    estimate: of parameters that are undetermined, a value that the measurements allow, as near to the start as may be.
    covariance: to first order; infinite variances, and NaN beside them, for undetermined parameters.
    undetermined: a sentence for every direction of the parameters that the measurements cannot tell.
    residual: (measured - computed) / standard deviation. residual_names: "state 1: node:top1.z".
    chi_square: the sum of their squares. freedom: measured numbers less determined directions of the parameters.
    noise: "given" deviations, or "estimated" ones, whose common factor is `noise_factor`.
    structure: with the estimates put in. equilibria: of the states at rest. plants: of the motions, ready to run.
    status: "converged", or a sentence that says what went wrong.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    start: np.ndarray  # (p,)
    estimate: np.ndarray  # (p,)
    positive: np.ndarray  # (p,) which of them are more than zero by what they are
    covariance: np.ndarray  # (p, p)
    undetermined: tuple[str, ...]
    residual: np.ndarray  # (q,)
    residual_names: tuple[str, ...]
    chi_square: float
    freedom: int
    noise: str
    condition: float
    iterations: int
    structure: Structure
    equilibria: tuple[Equilibrium, ...]
    plants: tuple[Plant, ...]
    status: str = "converged"
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """The search converged and the model is not rejected."""
        return self.status == "converged" and self.fits is not False

    @property
    def standard_error(self) -> np.ndarray:
        """(p,), infinite where undetermined."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def determined(self) -> np.ndarray:
        """(p,) which parameters the measurements determine each by itself."""
        return np.asarray(np.isfinite(self.standard_error))

    @property
    def correlation(self) -> np.ndarray:
        """(p, p), NaN beside undetermined parameters."""
        size = np.where(self.determined, self.standard_error, np.nan)
        return np.asarray(self.covariance / np.outer(size, size))

    @property
    def noise_factor(self) -> float:
        """How much larger the scatter is than the deviations given; NaN where there are no numbers to spare."""
        return float(np.sqrt(self.chi_square / self.freedom)) if self.freedom > 0 else float("nan")

    def interval(self, confidence: float = 0.95) -> np.ndarray:
        """(p, 2) ends of the confidence interval of each parameter by itself.

        By the normal distribution where deviations are given, by Student's where they are estimated; of the logarithm
        of a parameter that is positive, which it fits better.
        """
        from scipy.special import ndtri, stdtrit

        _require_confidence(confidence)
        tail = 0.5 + 0.5 * confidence
        if self.noise == "given":
            factor = float(ndtri(tail))
        else:
            factor = float(stdtrit(self.freedom, tail)) if self.freedom else np.inf
        reach = factor * self._spread
        with np.errstate(over="ignore"):
            ends = [np.where(self.positive, self.estimate * np.exp(way * reach), way * reach) for way in (-1.0, 1.0)]
        return np.stack(ends, axis=1) + np.where(self.positive, 0.0, self.estimate)[:, None]

    def inside(self, values: Sequence[float] | np.ndarray, confidence: float = 0.95) -> bool:
        """Whether these parameters (p,), all at once, lie in the region that holds the true ones so often.

        An ellipsoid in the logarithms of what is positive; undetermined parameters may have any value.
        """
        from scipy.special import chdtri, fdtri

        _require_confidence(confidence)
        told, given = self.determined, np.asarray(values, dtype=float)
        if given.shape != self.estimate.shape:
            raise OptionError(f"values has {given.size} numbers; there are {self.estimate.size} parameters")
        if (self.positive & ~(given > 0.0)).any():
            return False
        scale = np.where(self.positive, self.estimate, 1.0)
        ratio = np.where(self.positive, given / scale, 1.0)
        off = np.where(self.positive, np.log(ratio), given - self.estimate)[told]
        spread = (self.covariance / np.outer(scale, scale))[np.ix_(told, told)]
        distance, size = float(off @ np.linalg.solve(spread, off)), off.size
        if self.noise == "given":
            return distance <= float(chdtri(size, 1.0 - confidence))
        return not self.freedom or distance <= size * float(fdtri(size, self.freedom, confidence))

    @property
    def _spread(self) -> np.ndarray:
        """(p,) standard errors, relative to the estimate where it is positive."""
        return np.asarray(self.standard_error / np.where(self.positive, self.estimate, 1.0))

    @cached_property
    def p_value(self) -> float:
        """How often noise alone would leave residuals as large; NaN where it is estimated, or nothing is to spare."""
        from scipy.special import chdtrc

        known = self.noise == "given" and self.freedom > 0
        return float(chdtrc(self.freedom, self.chi_square)) if known else float("nan")

    @property
    def fits(self) -> bool | None:
        """False where the model is rejected at 1 %; None where the measurements cannot say."""
        return None if np.isnan(self.p_value) else bool(self.p_value >= REJECTED)

    @property
    def verdict(self) -> str:
        """Whether the model fits, in words."""
        if self.noise == "estimated" and self.freedom:
            return f"the noise is {self.noise_factor:.3g} times the deviations given, if the model is right"
        if not self.freedom:
            return "there are no more measured numbers than unknowns, so nothing says whether the model is right"
        told = f"chi-square {self.chi_square:.4g} for {self.freedom} degrees of freedom, probability {self.p_value:.2g}"
        if self.fits:
            return f"the model fits: {told}"
        worst = int(np.argmax(np.abs(self.residual)))
        return (
            f"the model does not fit: {told}, less than {REJECTED:g}; farthest off is {self.residual_names[worst]}, "
            f"measured {self.residual[worst]:+.3g} standard deviations from what is computed. Something is missing "
            "among loads and unknowns, or the deviations are too small"
        )

    def __getitem__(self, name: str) -> float:
        """The estimate of a parameter by its name, "cable:a1.stiffness"."""
        if name not in self.names:
            raise OptionError(f'"{name}" was not unknown{suggestion(name, self.names)}')
        return float(self.estimate[self.names.index(name)])

    def labelled(self) -> Labelled:
        """One row a parameter."""
        lower, upper = self.interval().T
        values = {"unit": np.array(self.units), "start": self.start, "estimate": self.estimate}
        values |= {"standard_error": self.standard_error, "lower": lower, "upper": upper}
        facts = {"verdict": self.verdict, "status": self.status, "notes": "; ".join(self.notes)}
        facts |= {"undetermined": "; ".join(self.undetermined)}
        return Labelled(("parameter",), {"parameter": self.names}, VARIABLES, values, facts)

    def __repr__(self) -> str:
        left = len(self.undetermined)
        told = "fits" if self.fits else "does not fit" if self.fits is False else ""
        return titled(
            "Identification",
            "",
            f"{len(self.names)} parameters of {self.residual.size} measured numbers",
            f"{left} undetermined" if left else "",
            told,
            self.status,
        )


def _require_confidence(confidence: float) -> None:
    if not 0.0 < confidence < 1.0:
        raise OptionError(f"confidence = {confidence!r} must be more than 0 and less than 1")
