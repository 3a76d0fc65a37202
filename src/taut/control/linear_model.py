"""A LinearModel: four matrices with names, and what they are about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.control.state_space import StateSpace


@dataclass(frozen=True, repr=False)
class LinearModel(StateSpace):
    """x' = A x + B u + drift,  y = C x + D u; u and y are differences from what they are at the state it is about.

    states, inputs, outputs: names, in the order of rows and columns. SI units; poles in rad/s.
    drift: x' at x = 0: zero at an equilibrium. offset: the outputs at x = 0.
    about: the plant's coordinates and rates [q, v] there, and reading: x = reading ([q, v] - about) close to it.
    notes: sentences about what is not as one might think.
    """

    @property
    def sample_time(self) -> float:
        return 0.0

    def speeds(self, poles: np.ndarray) -> np.ndarray:
        return poles

    @property
    def frequency(self) -> np.ndarray:
        """(k,) |pole| / 2 pi [Hz]: the undamped natural frequency of each pole."""
        return np.asarray(np.abs(self.poles) / (2.0 * np.pi))

    @property
    def damping_ratio(self) -> np.ndarray:
        """(k,) -Re / |pole|: 1 for no swing, 0 for no damping, negative for what grows."""
        size = np.abs(self.poles)
        return np.asarray(np.where(size > 0.0, -self.poles.real / np.where(size > 0.0, size, 1.0), 0.0))

    @property
    def decaying(self) -> np.ndarray:
        """(k,) which poles lie left of the imaginary axis by more than round-off could have put them there."""
        return np.asarray(self.poles.real < -self.pole_error)
