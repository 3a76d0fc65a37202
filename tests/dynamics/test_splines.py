"""Cubic Hermite splines as signals: a reference, the thesis's matrices, derivatives of all orders, sides of knots."""

from __future__ import annotations

from math import factorial
from pathlib import Path

import numpy as np
import pytest

from taut import OptionError, SampledSignal, SignalSum, Sinusoid, SmoothStart
from taut.dynamics import curve_of, signal_values

DATA = Path(__file__).parents[1] / "data" / "pulleys_hermite.npz"
UNEVEN = SampledSignal((0.0, 0.7, 1.0, 2.6), (0.2, -1.0, 0.5, 0.1), (0.3, -0.4, 2.0, -1.0))
BASIS = np.array([[1.0, 0.0, -6.0, 12.0], [0.0, 1.0, -4.0, 6.0], [0.0, 0.0, 6.0, -12.0], [0.0, 0.0, -2.0, 6.0]])


def by_matrices(spline: SampledSignal, t: float, order: int, *, as_printed: bool = False) -> float:
    """(4.2.2), with the derivative (4.2.4) of the basis; (4.3.2) has D and M_H the other way round."""
    k = min(int(np.searchsorted(spline.times, t, side="right")) - 1, len(spline.times) - 2)
    width = spline.times[k + 1] - spline.times[k]
    slopes = spline.slopes or ()
    control = np.array([spline.values[k], slopes[k], spline.values[k + 1], slopes[k + 1]])
    psi = [
        (t - spline.times[k]) ** (j - order) / (factorial(j - order) * width**j) if j >= order else 0.0
        for j in range(4)
    ]
    scale = np.diag([1.0, width, 1.0, width])
    return float(control @ (BASIS @ scale if as_printed else scale @ BASIS) @ np.array(psi))


def test_the_spline_of_table_5_6_is_that_of_the_reference() -> None:
    """Value and two derivatives, at knots those that lead up to them."""
    known = np.load(DATA)
    for column in range(2):
        values = tuple(known["PK"][:, column].tolist())
        spline = SampledSignal(tuple(known["TK"].tolist()), values, (0.0,) * 5)
        for order in range(3):
            found = signal_values(spline, known["t"], derivative=order, side="left")
            expected = known["P"][:, order, column]
            assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("order", range(6))
def test_all_derivatives_are_those_of_the_matrices(order: int) -> None:
    times = np.linspace(0.01, 2.59, 173)
    found = signal_values(UNEVEN, times, derivative=order)
    expected = np.array([by_matrices(UNEVEN, t, order) for t in times])
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-11)
    assert np.abs(expected).max() > 0.9 if order < 4 else not expected.any()


def test_the_printed_order_of_matrices_misses_the_knots() -> None:
    """M_H D as in (4.3.2) takes rates for values; D M_H as in (4.2.2) does not."""
    first, second = (by_matrices(UNEVEN, t, 0, as_printed=True) for t in (0.0, 0.7 - 1e-12))
    assert first == pytest.approx(0.2)
    assert abs(second - -1.0) > 0.1
    assert by_matrices(UNEVEN, 0.7 - 1e-12, 0) == pytest.approx(-1.0)


def test_a_knot_has_two_sides() -> None:
    left, right = (
        [signal_values(UNEVEN, np.array([0.7]), derivative=k, side=side)[0] for k in range(4)]
        for side in ("left", "right")
    )
    assert left[:2] == pytest.approx([-1.0, -0.4], abs=1e-14)
    assert right[:2] == pytest.approx([-1.0, -0.4], abs=1e-14)
    assert min(abs(left[2] - right[2]), abs(left[3] - right[3])) > 1.0
    before, after = (signal_values(UNEVEN, np.array([0.7 + off]), derivative=2)[0] for off in (-1e-9, 1e-9))
    assert (left[2], right[2]) == pytest.approx((before, after), rel=1e-6)


def test_without_slopes_they_are_differences_exact_for_parabolas() -> None:
    times = np.array([0.0, 0.4, 1.1, 1.3, 2.0])
    spline = SampledSignal(tuple(times.tolist()), tuple((3.0 * times**2 - times).tolist()))
    when = np.linspace(0.0, 1.99, 50)
    assert signal_values(spline, when) == pytest.approx(3.0 * when**2 - when, abs=1e-13)
    assert signal_values(spline, when, derivative=1) == pytest.approx(6.0 * when - 1.0, abs=1e-12)
    even = SampledSignal((0.0, 1.0, 2.0), (0.0, 4.0, 1.0))
    assert signal_values(even, np.array([1.0]), derivative=1) == pytest.approx([0.5]), "the mean of both secants"


def test_signals_as_one_curve() -> None:
    wave = Sinusoid(2.0, 1.3)
    curve = curve_of([UNEVEN, SignalSum((UNEVEN, wave))])
    for t in (0.0, 0.35, 0.7, 2.0, 3.0):
        for order, found in enumerate(curve(t)):
            alone = [signal_values(one, np.array([t]), derivative=order)[0] for one in (UNEVEN, wave)]
            assert found == pytest.approx([alone[0], sum(alone)], rel=1e-14, abs=1e-14)
    with pytest.raises(OptionError, match="a Python function has no derivatives"):
        curve_of([lambda t: t])


def test_sums_of_splines_have_all_derivatives_and_other_signals_two() -> None:
    twice = SignalSum((UNEVEN, UNEVEN))
    one, both = (signal_values(signal, np.array([0.5, 5.0]), derivative=3) for signal in (UNEVEN, twice))
    assert both == pytest.approx(2.0 * one)
    assert one[1] == 0.0
    for signal in (Sinusoid(1.0, 1.0), SmoothStart(UNEVEN, 0.0, 1.0)):
        with pytest.raises(OptionError, match="has its value and two derivatives; derivative 3 is that of a Sampled"):
            signal_values(signal, np.array([0.5]), derivative=3)
    with pytest.raises(OptionError, match='side = "both" is none; there are right and left'):
        signal_values(UNEVEN, np.array([0.5]), side="both")
    with pytest.raises(OptionError, match="derivative = -1 is none"):
        signal_values(UNEVEN, np.array([0.5]), derivative=-1)
