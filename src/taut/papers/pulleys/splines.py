"""Chapter 4: cubic Hermite splines."""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

from taut.dynamics.signal_derivatives import signal_values
from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, at_most
from taut.papers.drawing import curves, panels
from taut.papers.paper import Picture
from taut.structure.signals import SampledSignal

TIMES = (0.0, 2.0, 4.0, 6.0)
X, Y = (SampledSignal(TIMES, values, (0.0,) * 4) for values in ((0.0, 4.0, 0.0, 0.0), (0.0, 0.0, 3.0, 0.0)))
"""Table 4.1."""

BASIS = np.array([[1.0, 0.0, -6.0, 12.0], [0.0, 1.0, -4.0, 6.0], [0.0, 0.0, 6.0, -12.0], [0.0, 0.0, -2.0, 6.0]])
"""M_H, eq. (4.1.7)."""


def by_matrices(spline: SampledSignal, t: float, order: int, *, as_printed: bool) -> float:
    """C D M_H psi, eq. (4.2.2), or as printed in (4.3.2) with D and M_H the other way round."""
    k = min(int(np.searchsorted(spline.times, t, side="right")) - 1, len(spline.times) - 2)
    width, slopes = spline.times[k + 1] - spline.times[k], spline.slopes or ()
    control = np.array([spline.values[k], slopes[k], spline.values[k + 1], slopes[k + 1]])
    psi = np.zeros(4)
    for j in range(order, 4):
        psi[j] = (t - spline.times[k]) ** (j - order) / (factorial(j - order) * width**j)
    scale = np.diag([1.0, width, 1.0, width])
    return float(control @ (BASIS @ scale if as_printed else scale @ BASIS) @ psi)


def _table(bench: Bench) -> Measured:
    """Ours against the thesis's matrices, and at the control values."""
    times = np.linspace(0.0, 5.999, 601)
    off = 0.0
    for spline in (X, Y):
        for order in range(3):
            matrices = [by_matrices(spline, float(t), order, as_printed=False) for t in times]
            off = max(off, float(np.abs(signal_values(spline, times, derivative=order) - matrices).max()))
    knots = max(float(np.abs(signal_values(s, TIMES) - np.array(s.values)).max()) for s in (X, Y))
    return Measured(off, beside={"at the control values": knots, "largest rate [1/s]": _fastest()})


def _fastest() -> float:
    times = np.linspace(0.0, 6.0, 6001)
    return float(max(np.abs(signal_values(spline, times, derivative=1)).max() for spline in (X, Y)))


def _printed(bench: Bench) -> Measured:
    """What (4.3.2) makes of a spline whose knots have slopes: how far it is off its own control values."""
    sloped = SampledSignal((0.0, 2.0, 4.0, 6.0), X.values, (1.0, -1.0, 0.5, 0.0))
    misses = [
        abs(by_matrices(sloped, t - 1e-12, 0, as_printed=True) - v)
        for t, v in zip(TIMES[1:], sloped.values[1:], strict=True)
    ]
    right = [
        abs(by_matrices(sloped, t - 1e-12, 0, as_printed=False) - v)
        for t, v in zip(TIMES[1:], sloped.values[1:], strict=True)
    ]
    return Measured(
        max(misses),
        "An erratum: D M_H, as in (4.2.2), meets its control values, and M_H D of (4.3.2) does not.",
        {"with D M_H": max(right)},
    )


CLAIMS = (
    Claim(
        "spline", "Table 4.1, Fig. 4.1", "The spline of the example, by its matrices.", 1e-12, "-", at_most(), _table
    ),
    Claim(
        "spline-order",
        "(4.3.2)",
        "Splines are C M_H D psi, and meet their control values, slopes other than zero among them.",
        1e-12,
        "-",
        at_most(),
        _printed,
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    times = np.linspace(0.0, 6.0, 601)
    plane, over = panels(figure, ["x - y", "t - P, P'"])
    plane.plot(signal_values(X, times), signal_values(Y, times), linewidth=0.9)
    plane.set_aspect("equal")
    values = {name: signal_values(spline, times) for name, spline in (("x", X), ("y", Y))}
    values |= {f"{name}'": signal_values(spline, times, derivative=1) for name, spline in (("x", X), ("y", Y))}
    curves(over, times, values, "value, rate [1/s]")


PICTURES = (Picture("fig-4-1", "Fig. 4.1: a cubic Hermite spline", ("spline",), _draw),)
