"""The H2 and H-infinity norms of a linear model, and its gramians."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from taut.control.gains import Gains, gains
from taut.control.linear_model import LinearModel
from taut.control.splitting import Part, Split, split
from taut.errors import OptionError
from taut.type_checks import checked_arguments

CLOSE = 1e-10
"""The H-infinity norm is found to this fraction."""

ROUNDS = 60

LASTS = 1e-9
"""Real parts of poles below this part of their size are told as zero."""


@dataclass(frozen=True)
class Norm:
    """The value of a norm; `reason` says why it is infinite, or what was left out of a finite one.

    frequency: at which the H-infinity norm is reached [Hz], NaN for the H2 norm.
    """

    value: float
    reason: str = ""
    frequency: float = math.nan

    def __float__(self) -> float:
        return self.value


@checked_arguments
def h2_norm(model: LinearModel) -> Norm:
    """The root of the energy of all outputs after a unit impulse at each input in turn (also: their spread in noise).

    Infinite where an input reaches an output at once (D is not zero), or where an input reaches a motion that does not
    die away and an output shows it.
    """
    if np.any(model.D):
        row, column = np.unravel_index(int(np.argmax(np.abs(model.D))), model.D.shape)
        at_once = f'"{model.inputs[column]}" reaches "{model.outputs[row]}" at once, so an impulse has infinite energy'
        return Norm(math.inf, at_once)
    parts = split(model)
    if parts.lasting.size:
        return Norm(math.inf, _lasting(parts))
    gone = parts.decaying
    energy = float(np.trace(gone.C @ _lyapunov(gone.A, gone.B @ gone.B.T) @ gone.C.T)) if gone.size else 0.0
    return Norm(math.sqrt(max(energy, 0.0)), _unseen(parts))


@checked_arguments
def hinf_norm(model: LinearModel) -> Norm:
    """The largest gain from inputs to outputs at any frequency, and where it is (Bruinsma and Steinbuch 1990).

    A gain g is exceeded somewhere exactly if a Hamiltonian matrix has imaginary eigenvalues, and those say between
    which frequencies; the best of the middles is the next g. Infinite where an input reaches a motion that does not
    die away and an output shows it.
    """
    parts = split(model)
    if parts.lasting.size:
        return Norm(math.inf, _lasting(parts), abs(_worst(parts).imag) / (2.0 * math.pi))
    gone = parts.decaying
    gain = gains(gone.A, gone.B, gone.C, model.D)
    poles = np.diag(gain.triangle)
    peaks = np.sqrt(np.maximum(np.abs(poles) ** 2 - 2.0 * poles.real**2, 0.0))[poles.imag >= 0.0]
    best, where = _largest(gain, np.append(0.0, peaks))
    far = float(np.linalg.norm(model.D, 2)) if model.D.size else 0.0
    if far > best:
        best, where = far, math.inf
    for _ in range(ROUNDS if best > 0.0 else 0):
        crossings = _crossings(gone, model.D, (1.0 + CLOSE) * best)
        if not crossings.size:
            break
        edges = np.concatenate([[0.0], crossings])
        higher, at = _largest(gain, np.concatenate([0.5 * (edges[1:] + edges[:-1]), crossings]))
        if higher <= (1.0 + CLOSE) * best:
            break
        best, where = higher, at
    return Norm(best, _unseen(parts), where / (2.0 * math.pi))


@checked_arguments
def controllability_gramian(model: LinearModel) -> np.ndarray:
    """The integral of e^{A t} B B^T e^{A^T t}: how far inputs of unit energy move the states; of a stable model."""
    _check_stable(model, "controllability")
    return _lyapunov(model.A, model.B @ model.B.T)


@checked_arguments
def observability_gramian(model: LinearModel) -> np.ndarray:
    """The integral of e^{A^T t} C^T C e^{A t}: the energy that states leave in the outputs; of a stable model."""
    _check_stable(model, "observability")
    return _lyapunov(model.A.T, model.C.T @ model.C)


def _check_stable(model: LinearModel, what: str) -> None:
    if not model.stable:
        worst = model.poles[~model.decaying][0]
        raise OptionError(
            f"the {what} gramian of a model that is not stable does not exist: the pole {_told(worst)} does not die "
            "away; add damping, or close a loop first"
        )


def _lyapunov(a: np.ndarray, q: np.ndarray) -> np.ndarray:
    """X with a X + X a^T + q = 0."""
    from scipy.linalg import solve_continuous_lyapunov

    if not len(a):
        return np.zeros_like(a)
    found = solve_continuous_lyapunov(a, -q)
    return np.asarray(0.5 * (found + found.T))


def _lasting(parts: Split) -> str:
    return f"the pole {_told(_worst(parts))} does not die away, and an input reaches it and an output shows it"


def _worst(parts: Split) -> complex:
    """The pole that grows fastest, or the slowest of those that last."""
    poles = np.linalg.eigvals(parts.lasting.A)
    growing = poles[poles.real > LASTS * np.abs(poles).max()]
    return complex(growing[np.argmax(growing.real)] if growing.size else poles[np.argmin(np.abs(poles))])


def _unseen(parts: Split) -> str:
    if not parts.unseen:
        return ""
    count = f"{parts.unseen} state{'s' if parts.unseen > 1 else ''}"
    return f"left out, as no input reaches it or no output shows it: what does not die away in {count}"


def _told(pole: complex) -> str:
    swing = f" (it swings at {abs(pole.imag) / (2.0 * math.pi):.4g} Hz)" if abs(pole.imag) > 0.0 else ""
    real = pole.real if abs(pole.real) > LASTS * abs(pole) else 0.0
    return f"{real:.3g}{pole.imag:+.4g}j rad/s{swing}"


def _largest(gain: Gains, omega: np.ndarray) -> tuple[float, float]:
    """The largest gain among some frequencies [rad/s], and the frequency."""
    sizes = [float(np.linalg.norm(found, 2)) if (found := gain.at(each)).size else 0.0 for each in omega]
    best = int(np.argmax(sizes))
    return sizes[best], float(omega[best])


def _crossings(part: Part, direct: np.ndarray, gain: float) -> np.ndarray:
    """Frequencies [rad/s] in order at which some singular value may be equal to the gain."""
    if not part.size:
        return np.zeros(0)
    outer = gain**2 * np.eye(direct.shape[1]) - direct.T @ direct
    inner = gain**2 * np.eye(direct.shape[0]) - direct @ direct.T
    push = np.linalg.solve(outer, part.B.T)
    show = np.linalg.solve(inner, part.C)
    drift = part.A + part.B @ np.linalg.solve(outer, direct.T @ part.C)
    # Scaled so that both corners are of one size, since forces and displacements are not.
    shown, pushed = float(np.linalg.norm(part.C.T @ show)), float(np.linalg.norm(part.B @ push))
    size = gain * math.sqrt(shown / pushed) if shown and pushed else 1.0
    matrix = np.block([[drift, size * part.B @ push], [-(gain**2) / size * part.C.T @ show, -drift.T]])
    values = np.linalg.eigvals(matrix)
    # Pairs that have just met on the axis are off it by the root of round-off; too many tries do no harm.
    near = np.abs(values.real) <= 1e-7 * np.maximum(np.abs(values), 1e-7 * np.abs(values).max(initial=0.0))
    return np.sort(np.abs(values.imag[near]))
