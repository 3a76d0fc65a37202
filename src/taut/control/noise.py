"""Process and measurement noise of a sampled model, as covariances."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from taut.control.exponentials import noise_over_span
from taut.control.sampled_model import SampledModel
from taut.errors import OptionError

ProcessNoise = np.ndarray | Mapping[str, float]
"""The covariance of what is added to the plant's states from sample to sample; or input of the continuous model -> the
intensity of white noise there: its covariance is intensity times Dirac's delta [unit^2 s]."""

MeasurementNoise = np.ndarray | Mapping[str, float]
"""The covariance of what is added to all outputs when they are read; or output -> standard deviation, for those that
are measured."""


class Noise(NamedTuple):
    process: np.ndarray  # (n, n) of the plant's states, from one sample to the next
    measurement: np.ndarray  # (p, p) of the measured outputs
    rows: list[int]  # which outputs are measured


def noise_of(model: SampledModel, process: ProcessNoise, measurement: MeasurementNoise) -> Noise:
    rows = model.places("outputs", list(measurement) if isinstance(measurement, Mapping) else None)
    return Noise(_process(model, process), _measurement(model, rows, measurement), rows)


def _process(model: SampledModel, given: ProcessNoise) -> np.ndarray:
    if not isinstance(given, Mapping):
        return _covariance("process_noise", given, model.plant_size, "the states that are not earlier commands")
    source = model.continuous
    if source is None:
        raise OptionError(
            "the model does not know what was sampled, so noise at its inputs between the samples is not known; give "
            "process_noise as the covariance from sample to sample"
        )
    pushed = source.chosen(inputs=list(given))
    for name, intensity in given.items():
        if not (math.isfinite(intensity) and intensity >= 0.0):
            raise OptionError(f'the intensity {intensity:g} of the noise at "{name}" must be finite, zero or more')
    felt = np.abs(pushed.D) * np.array(list(given.values()))
    if np.any(felt):
        row, column = np.unravel_index(int(np.argmax(felt)), felt.shape)
        raise OptionError(
            f'"{pushed.outputs[row]}" feels "{pushed.inputs[column]}" at once, so white noise there would make its '
            "readings infinitely large; take away that output, or give process_noise as a covariance of states"
        )
    return noise_over_span(pushed, np.diag(list(given.values())), model.period)


def _measurement(model: SampledModel, rows: list[int], given: MeasurementNoise) -> np.ndarray:
    if not rows:
        raise OptionError("measurement_noise names no output; name those that are measured, with their deviations")
    if isinstance(given, Mapping):
        for name, deviation in given.items():
            if not (math.isfinite(deviation) and deviation > 0.0):
                raise OptionError(
                    f'the deviation {deviation:g} of "{name}" must be finite and more than zero: no reading is exact'
                )
        return np.diag(np.square(list(given.values())))
    found = _covariance("measurement_noise", given, len(rows), "the outputs")
    if np.linalg.eigvalsh(found).min() <= 0.0:
        raise OptionError("measurement_noise must be positive definite: no reading is exact")
    return found


def _covariance(name: str, given: np.ndarray, size: int, of: str) -> np.ndarray:
    found = np.asarray(given, dtype=float)
    if found.shape != (size, size):
        raise OptionError(f"{name} of shape {found.shape} does not fit {of}: give ({size}, {size}), or names")
    if not np.all(np.isfinite(found)):
        raise OptionError(f"{name} must have finite numbers only")
    largest = np.abs(found).max(initial=0.0)
    if not np.allclose(found, found.T, atol=1e-9 * largest) or np.linalg.eigvalsh(found).min() < -1e-12 * largest:
        raise OptionError(f"{name} must be symmetric and nowhere negative")
    return np.asarray(0.5 * (found + found.T))
