"""A sampled model closed by a compensator: its poles, and what noise does to it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from taut.control.compensator import Compensator, offset_of
from taut.control.noise import MeasurementNoise, ProcessNoise, noise_of
from taut.control.sampled_model import SampledModel
from taut.errors import OptionError
from taut.reprs import brief
from taut.type_checks import checked_arguments

SAME = 1e-9
"""Periods that differ by less of themselves are one."""


@checked_arguments
def closed_loop(model: SampledModel, compensator: Compensator) -> SampledModel:
    """The loop as a model: states of the model, then those of the compensator; the inputs add to what it commands.

    Where the compensator's offsets are not those of the state that the model is about, it pushes there: see `drift`.
    """
    rows, columns = _places(model, compensator)
    seen = model.C[rows]
    a, b, c, d = compensator.a, compensator.b, compensator.c, compensator.d
    at_once = d @ model.D[np.ix_(rows, columns)]
    if np.any(at_once):
        raise OptionError(
            "the compensator answers at once to outputs that feel its command at once (D is not zero): such a loop has "
            "no order of events; a model made by taut.control.sampled reads first"
        )
    inside, count = len(a), len(model.inputs)
    command = np.zeros((count, len(model.states) + inside))  # by the states of the loop
    command[columns] = np.concatenate([d @ seen, c], axis=1)
    felt = model.D[rows]
    whole = np.pad(model.C, ((0, 0), (0, inside)))
    later = np.concatenate([np.pad(model.A, ((0, 0), (0, inside))), np.concatenate([b @ seen, a], axis=1)])
    push = np.concatenate([model.B, b @ felt])
    drift = model.drift if model.drift.size else np.zeros(len(model.states))
    away = offset_of(model, rows) - compensator.measured_offset  # what it measures of the state the model is about
    steady = compensator.driven_offset + d @ away
    names = tuple(f"compensator {k + 1}" for k in range(inside))
    reading = np.pad(model.reading, ((0, inside), (0, 0))) if model.reading.size else model.reading
    return replace(
        model,
        A=later + push @ command,
        B=push + push[:, columns] @ d @ felt,
        C=whole + model.D @ command,
        D=model.D + model.D[:, columns] @ d @ felt,
        states=(*model.states, *names),
        drift=np.concatenate([drift, b @ away]) + push[:, columns] @ steady,
        offset=offset_of(model, list(range(len(model.outputs)))) + model.D[:, columns] @ steady,
        reading=reading,
        memory=(),
        continuous=None,
    )


@dataclass(frozen=True)
class LoopCovariance:
    """What noise does to a closed loop that has run for long.

    loop: the closed loop; joint: covariance of its states, those of the model first and then those of the compensator.
    output: of the model's outputs as they are, without the noise of reading them. command: of what is driven.
    """

    loop: SampledModel
    joint: np.ndarray  # (k + n, k + n)
    output: np.ndarray  # (p, p)
    command: np.ndarray  # (m, m)
    driven: tuple[str, ...]

    __repr__ = brief

    @property
    def deviations(self) -> dict[str, float]:
        """Standard deviations of outputs and commands by name."""
        spread = np.sqrt(np.concatenate([np.diag(self.output), np.diag(self.command)])).tolist()
        return dict(zip((*self.loop.outputs, *self.driven), spread, strict=True))


@checked_arguments
def loop_covariance(
    model: SampledModel, compensator: Compensator, process_noise: ProcessNoise, measurement_noise: MeasurementNoise
) -> LoopCovariance:
    """Covariances of a closed loop by the discrete Lyapunov equation; the noise is given as to `kalman`."""
    from scipy.linalg import solve_discrete_lyapunov

    loop = closed_loop(model, compensator)
    if not loop.stable:
        worst = loop.equivalent_poles[~loop.decaying][0]
        raise OptionError(
            f"the loop is not stable, so its covariance grows for ever: the pole {worst:.3g} rad/s does not die away"
        )
    noise = noise_of(model, process_noise, measurement_noise)
    known = [model.outputs[k] for k in noise.rows]
    missing = [name for name in compensator.measured if name not in known]
    if missing:
        raise OptionError(f'the compensator measures "{missing[0]}", for which measurement_noise says nothing')
    chosen = [known.index(name) for name in compensator.measured]
    reading = noise.measurement[np.ix_(chosen, chosen)]
    rows, columns = _places(model, compensator)
    # What is added to readings goes on into commands at once, and with these into what feels them at once.
    felt = model.D[:, columns] @ compensator.d
    enters = np.concatenate([model.B[:, columns] @ compensator.d, compensator.b @ (np.eye(len(rows)) + felt[rows])])
    shaken = enters @ reading @ enters.T
    shaken[: model.plant_size, : model.plant_size] += noise.process
    joint = solve_discrete_lyapunov(loop.A, shaken)
    joint = 0.5 * (joint + joint.T)
    command = np.concatenate([compensator.d @ model.C[rows], compensator.c], axis=1)
    return LoopCovariance(
        loop,
        joint,
        loop.C @ joint @ loop.C.T + felt @ reading @ felt.T,
        command @ joint @ command.T + compensator.d @ reading @ compensator.d.T,
        compensator.driven,
    )


def _places(model: SampledModel, compensator: Compensator) -> tuple[list[int], list[int]]:
    """Which outputs are measured and which inputs are driven."""
    if abs(model.period - compensator.period) > SAME * model.period:
        raise OptionError(
            f"the compensator acts every {compensator.period:g} s and the model is sampled every {model.period:g} s; "
            "make both of one rate"
        )
    return model.places("outputs", compensator.measured), model.places("inputs", compensator.driven)
