"""What a gait costs: the power of drives over time, what they put in, and what that is for the way gone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.dynamics.trajectory import Trajectory, require_kept
from taut.reprs import brief


@dataclass(frozen=True)
class DriveCost:
    """positive: [J] that drives put in, each for itself, where nothing is got back from those that give way.

    net: [J] put in less got back. peak_power: [W] of all drives together. peak_force: [N] in a driven member, pushed or
    pulled. peak_speed: the fastest drive, in its unit per second [m/s]. peak_tension: [N] of any cable. Peaks are NaN
    where an ensemble did not keep what they are read off.
    """

    positive: float
    net: float
    peak_power: float
    peak_force: float
    peak_speed: float
    peak_tension: float

    __repr__ = brief


def drive_cost(run: Trajectory) -> DriveCost:
    """Of a run's samples; power is taken to change evenly between them, so that it is as good as they are close."""
    require_kept(run, "what a gait costs is told", "drive_power")
    return kept_cost(run)


def kept_cost(run: Trajectory) -> DriveCost:
    """The same of what an ensemble kept; energies of zero where that is nothing."""
    power = run.drive_power
    return DriveCost(
        positive=float(_positive(run.time, power).sum()),
        net=float((0.5 * np.diff(run.time)[:, None] * (power[1:] + power[:-1])).sum()),
        peak_power=float(power.sum(axis=1).max(initial=0.0)),
        peak_force=_peak(np.abs(run.drive_force), len(run.drive_names)),
        peak_speed=_peak(np.abs(run.drive_rate), len(run.drive_names)),
        peak_tension=_peak(run.cable_tension, len(run.structure.cables)),
    )


def _peak(values: np.ndarray, there: int) -> float:
    """NaN of what is there and was not kept."""
    return float("nan") if there and not values.shape[1] else float(values.max(initial=0.0))


def _positive(time: np.ndarray, power: np.ndarray) -> np.ndarray:
    """(d,) [J] the integral of what is above zero of a line through the samples, to round-off."""
    first, last, step = power[:-1], power[1:], np.diff(time)[:, None]
    high, low = np.maximum(first, last), np.minimum(first, last)
    with np.errstate(divide="ignore", invalid="ignore"):
        above = np.where(low >= 0.0, 0.5 * (high + low), np.where(high > 0.0, 0.5 * high * high / (high - low), 0.0))
    return np.asarray((above * step).sum(axis=0))
