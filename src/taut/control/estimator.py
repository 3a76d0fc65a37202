"""`kalman`: the estimate of least variance from noisy outputs; `lqg`: a regulator that acts on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from taut.control.compensator import Compensator, check_nothing_at_once, offset_of
from taut.control.controllability import Reach, reach
from taut.control.noise import MeasurementNoise, ProcessNoise, noise_of
from taut.control.regulator import UNREACHED, Regulator, told_motions
from taut.control.sampled_model import SampledModel
from taut.errors import OptionError
from taut.reprs import brief
from taut.type_checks import checked_arguments


@dataclass(frozen=True)
class Estimator:
    """x^[k] = x-[k] + gain (y[k] - C x-[k]),  x-[k+1] = A x^[k] + B u[k], which has settled.

    predicted, filtered: covariance of x - x- (before a reading) and of x - x^ (after it). Earlier commands are known.
    measured: the outputs that are read, in the order of the gain's columns. poles: of the error of the plant's states,
    from sample to sample, the slowest first.
    """

    model: SampledModel
    gain: np.ndarray  # (k, p)
    predicted: np.ndarray  # (k, k)
    filtered: np.ndarray  # (k, k)
    measured: tuple[str, ...]
    poles: np.ndarray  # (n,)

    __repr__ = brief


@checked_arguments
def kalman(model: SampledModel, process_noise: ProcessNoise, measurement_noise: MeasurementNoise) -> Estimator:
    """The Kalman filter of a sampled model that has run for long.

    process_noise: input of the continuous model -> intensity of white noise there [unit^2 s], which is integrated over
        the period exactly; or the covariance of what is added to the plant's states from sample to sample.
    measurement_noise: output -> standard deviation, for those that are measured; or the covariance of all.
    Motions that do not die away must be shown by the outputs, and those that neither grow must feel the noise.
    """
    from scipy.linalg import cho_factor, cho_solve, solve_discrete_are

    check_nothing_at_once(model)
    if not model.plant_size:
        raise OptionError("the model has no states but its commands, so there is nothing to estimate")
    process, measurement, rows = noise_of(model, process_noise, measurement_noise)
    plant = model.without_memory().chosen(outputs=[model.outputs[k] for k in rows])
    _check_shown(plant)
    _check_shaken(plant, process)
    a, show, size = plant.A, plant.C, model.plant_size
    try:
        before = solve_discrete_are(a.T, show.T, process, measurement)
    except np.linalg.LinAlgError:
        raise OptionError(
            "no estimate of the model settles with this noise; measure outputs that feel every motion which does not "
            "die away, and let some noise reach it"
        ) from None
    gain = cho_solve(cho_factor(show @ before @ show.T + measurement), show @ before).T
    left = np.eye(size) - gain @ show
    after = left @ before @ left.T + gain @ measurement @ gain.T
    poles = np.linalg.eigvals(a @ left)
    kept = (0, len(model.memory))
    return Estimator(
        model,
        np.pad(gain, (kept, (0, 0))),
        np.pad(before, (kept, kept)),
        np.pad(after, (kept, kept)),
        plant.outputs,
        poles[model.slowest_first(poles)],
    )


@checked_arguments
def lqg(regulator: Regulator, estimator: Estimator) -> Compensator:
    """The regulator's command for the estimate, from the reading of the same sample; z is the estimate before it."""
    model = estimator.model
    same = isinstance(regulator.model, SampledModel) and regulator.model.period == model.period
    same = same and (regulator.model.states, regulator.model.inputs) == (model.states, model.inputs)
    if not same or not np.array_equal(regulator.model.A, model.A) or not np.array_equal(regulator.model.B, model.B):
        raise OptionError(
            f"the regulator is of {regulator.model!r} and the estimator of {model!r}; make both of one sampled model"
        )
    rows = model.places("outputs", estimator.measured)
    left = np.eye(len(model.states)) - estimator.gain @ model.C[rows]
    closed = model.A - model.B @ regulator.gain
    return Compensator(
        closed @ left,
        closed @ estimator.gain,
        -regulator.gain @ left,
        -regulator.gain @ estimator.gain,
        estimator.measured,
        model.inputs,
        offset_of(model, rows),
        np.zeros(len(model.inputs)),
        model.period,
        (*model.notes, *regulator.notes),
        model.hold,
        model.delay,
    )


def _check_shown(plant: SampledModel) -> None:
    """Outputs show the motions which the same numbers, as inputs of the transposed model, reach."""
    names = (plant.states, plant.outputs, ())
    none = np.zeros((0, len(plant.A))), np.zeros((0, len(plant.C)))
    turned = SampledModel(plant.A.T, plant.C.T, *none, *names, period=plant.period)
    found = Reach(reach(turned).measure, np.argmax(np.abs(turned.eigen.left), axis=0))
    lasting = ~turned.decaying & (turned.poles.imag >= 0.0)
    unseen = told_motions(turned, found, lasting & (found.measure < UNREACHED), "shown")
    if unseen:
        raise OptionError(
            f"the measured outputs do not show {unseen}, so nothing is learnt of it; measure more outputs"
        )


def _check_shaken(plant: SampledModel, process: np.ndarray) -> None:
    sizes, turn = np.linalg.eigh(process)
    shaken = replace(
        plant,
        B=turn * np.sqrt(np.maximum(sizes, 0.0)),
        D=np.zeros((len(plant.outputs), len(turn))),
        inputs=tuple(f"noise {k + 1}" for k in range(len(turn))),
    )
    found = reach(shaken)
    circling = ~plant.decaying & (np.abs(plant.poles) <= 1.0 + plant.pole_error) & (plant.poles.imag >= 0.0)
    still = told_motions(plant, found, circling & (found.measure < UNREACHED), "reached")
    if still:
        raise OptionError(
            f"the process noise does not reach {still}, which neither dies away nor grows, so its estimate never "
            "settles; let some noise reach it"
        )
