"""The gain of a linear system at many frequencies, from one Schur form: each costs a triangular solve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Gains(NamedTuple):
    """D + C (i w - A)^-1 B with A triangular."""

    triangle: np.ndarray
    reach: np.ndarray
    show: np.ndarray
    direct: np.ndarray

    def at(self, omega: float) -> np.ndarray:
        """(p, m) at a frequency [rad/s]; raises LinAlgError where it is infinite."""
        from scipy.linalg import solve_triangular

        if not len(self.triangle):
            return self.direct.astype(complex)
        shifted = 1j * omega * np.eye(len(self.triangle)) - self.triangle
        return np.asarray(self.direct + self.show @ solve_triangular(shifted, self.reach, check_finite=False))


def gains(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> Gains:
    from scipy.linalg import schur

    if not len(a):
        return Gains(a, b, c, d)
    triangle, turn = schur(a, output="complex")
    return Gains(triangle, turn.conj().T @ b, c @ turn, d)
