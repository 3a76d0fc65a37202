"""What the members of a build have to hold: a least and a largest tension, yield and Euler's load."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from taut.errors import OptionError
from taut.reprs import brief
from taut.statics.by_selector import given_by_selector
from taut.statics.network import Network
from taut.statics.sections import require_safety
from taut.statics.strengths import Strengths, strengths

CONFIDENT = 1.96
"""Standard deviations on either side of a confidence of 95 %."""


@dataclass(frozen=True)
class Limits:
    """Of m members; NaN or infinite where there is none."""

    minimum: np.ndarray  # (m,) [N]
    maximum: np.ndarray  # (m,) [N]
    strengths: Strengths
    safety: float

    __repr__ = brief

    def broken(self, tension: np.ndarray) -> np.ndarray:
        """(k, m) True where a member of a build is beyond one of its limits."""
        share, _ = self.strengths.used(self.safety * tension)
        loose = np.isfinite(self.minimum) & ~(tension > self.minimum)
        return np.asarray(loose | (tension > self.maximum) | (share > 1.0))


def limits_of(
    network: Network,
    minimum_tension: float | Mapping[str, float] | None,
    maximum_tension: float | Mapping[str, float] | None,
    safety: float,
) -> Limits:
    """A single number is for all cables: the least for those that can slacken."""
    require_safety(safety)
    cables = np.arange(network.members) < network.cables
    least = _given(network, "minimum_tension", minimum_tension, network.unilateral)
    most = _given(network, "maximum_tension", maximum_tension, cables)
    over = np.flatnonzero(least >= most)
    if over.size:
        name = network.names[over[0]]
        raise OptionError(
            f'minimum_tension of "{name}" is {least[over[0]]:g} N, its maximum_tension {most[over[0]]:g} N; '
            "nothing lies between"
        )
    return Limits(least, np.where(np.isnan(most), np.inf, most), strengths(network.structure), safety)


def _given(
    network: Network, option: str, given: float | Mapping[str, float] | None, everything: np.ndarray
) -> np.ndarray:
    if given is None:
        return np.full(network.members, np.nan)
    if isinstance(given, Mapping):
        return given_by_selector(network, option, given)
    if not np.isfinite(given):
        raise OptionError(f"{option} = {given!r} must be a finite number [N]")
    return np.where(everything, float(given), np.nan)


def wilson(count: int, of: int) -> tuple[float, float]:
    """The interval of 95 % confidence for a share of which count out of `of` were seen (Wilson 1927)."""
    z, share = CONFIDENT, count / of
    middle = (share + z * z / (2.0 * of)) / (1.0 + z * z / of)
    reach = z / (1.0 + z * z / of) * np.sqrt(share * (1.0 - share) / of + z * z / (4.0 * of * of))
    return max(float(middle - reach), 0.0), min(float(middle + reach), 1.0)
