"""`signal_values`: signals at times, with derivatives and with both sides of a break; and several as one curve.

A SampledSignal is a cubic Hermite spline: with the control values C = [P0 P0' P1 P1'] of a piece from t0 to t1,

    P(t) = C D M_H psi(t),    D = diag(1, t1 - t0, 1, t1 - t0),    psi_k = ((t - t0) / (t1 - t0))^k / k!

and its value and rate have no jump at a knot while its second and third derivatives may. Which side of a knot is meant
is told: "right" for what follows it, "left" for what leads up to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from taut.errors import OptionError
from taut.mechanics.signals import evaluated, in_order, pieces_of, signal_at, tabulated
from taut.numerics.compiled import entry
from taut.numerics.curves import hermite_third, three_point_slopes
from taut.structure.signals import SampledSignal, Signal, parts_of
from taut.type_checks import checked_arguments

SIDES = ("right", "left")

Curve = Callable[[float], tuple[np.ndarray, np.ndarray, np.ndarray]]
"""t -> values, rates and second rates, (n,) each."""


@checked_arguments
def signal_values(
    signal: Signal, times: np.ndarray | Sequence[float], *, derivative: int = 0, side: str = "right"
) -> np.ndarray:
    """(times,) a signal, or a derivative of it by time.

    derivative: 0 is the value; a SampledSignal has any, all other signals have two.
    side: which limit is meant at a break, "right" for what follows it or "left" for what leads up to it.
    """
    if side not in SIDES:
        raise OptionError(f'side = "{side}" is none; there are {" and ".join(SIDES)}')
    if derivative < 0:
        raise OptionError(f"derivative = {derivative} is none; 0 is the value")
    when = np.asarray(times, dtype=float)
    if derivative <= 2:
        return np.asarray(evaluated(signal, when.ravel(), side=side)[:, derivative].reshape(when.shape))
    if not all(isinstance(part.signal, SampledSignal) and not part.rises for part in parts_of(signal)):
        raise OptionError(
            f"{signal!r} has its value and two derivatives; derivative {derivative} is that of a SampledSignal only"
        )
    evaluated(signal, when[:0])  # says what is wrong with it
    tables = [part.signal for part in parts_of(signal) if isinstance(part.signal, SampledSignal)]
    return sum((_higher(table, when, derivative, side) for table in tables), np.zeros(when.shape))


def _higher(table: SampledSignal, when: np.ndarray, derivative: int, side: str) -> np.ndarray:
    """Of third order it is a constant in every piece, beyond it zero; and so it is outside."""
    times, values = np.array(table.times, dtype=float), np.array(table.values, dtype=float)
    slopes = three_point_slopes(times, values) if table.slopes is None else np.array(table.slopes, dtype=float)
    thirds = hermite_third(times[:-1], times[1:], values[:-1], values[1:], slopes[:-1], slopes[1:])
    pieces = np.concatenate([[0.0], thirds if derivative == 3 else 0.0 * thirds, [0.0]])
    return np.asarray(pieces[np.searchsorted(times, when, side="right" if side == "right" else "left")])


@entry
def _evaluate(kind: np.ndarray, start: np.ndarray, data: np.ndarray, t: float, inside: float, out: np.ndarray) -> None:
    """Value, first and second derivative of every signal of a table, (signals, 3)."""
    for k in range(kind.size):
        out[k, 0], out[k, 1], out[k, 2] = signal_at(kind[k], data, start[k], t, inside)


@checked_arguments
def curve_of(signals: Sequence[Signal]) -> Curve:
    """Signals as one function of time, t -> (values, rates, second rates), as controllers that follow a motion want it.

    At a break it is what follows it.
    """
    table = tabulated(signals)
    if table.functions:
        raise OptionError("a Python function has no derivatives that are known; give a SampledSignal of its values")
    breaks = in_order(table.breaks)

    def curve(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        out = np.empty((table.kind.size, 3))
        inside = float(pieces_of(breaks, np.array([t]))[0])
        _evaluate(table.kind, table.start, table.data, t, inside, out)
        return out[:, 0], out[:, 1], out[:, 2]

    return curve
