"""Ramps, smooth starts and sums as loads and as motions of supports: derivatives, closed forms, energy, other roads."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from plain_kernels import Dual, plain

import taut
from taut import (
    Cable,
    Constant,
    CosineRamp,
    Doublet,
    Feedback,
    Load,
    Motion,
    OptionError,
    SampledSignal,
    SignalSum,
    Sinusoid,
    SmoothStart,
    Structure,
    assemble,
    simulate,
)
from taut.mechanics.imposed.curve_values import curve_values
from taut.mechanics.imposed.support_curves import curves_of
from taut.mechanics.linear.linearisation import feedback_slopes
from taut.mechanics.signals import evaluated, in_order, pieces_of, signal_at, signal_value, tabulated
from taut.structure.signals import Signal

WAVE = Sinusoid(2.0, 1.3, 0.4, 0.1)
RAMP = CosineRamp(1.0, 3.0, 0.5, 1.7)
TABLE = SampledSignal((0.0, 1.0, 2.5), (0.0, 1.0, -1.0))
SIGNALS: dict[str, Signal] = {
    "number": 1.5,
    "constant": Constant(2.0),
    "sinusoid": WAVE,
    "doublet": Doublet(2.0, 0.6, 0.3),
    "ramp": RAMP,
    "table": TABLE,
    "smooth start": SmoothStart(WAVE, 0.7, 1.1),
    "started table": SmoothStart(TABLE, 0.3, 1.9),
    "twice started": SmoothStart(SmoothStart(RAMP, 0.2, 1.5), 0.4, 1.0),
    "sum": SignalSum((2.0, SmoothStart(SignalSum((RAMP, WAVE)), 0.1, 2.0), TABLE)),
}
OPTIONS: dict[str, Any] = {"every": 0.05, "tolerance": 1e-12, "method": "dp8"}


def worst(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max())


# --- values and derivatives


@pytest.mark.parametrize("name", SIGNALS)
def test_derivatives_are_exact(name: str) -> None:
    """Dual numbers through the kernel's own source."""
    table = tabulated([SIGNALS[name]])
    kernel, value = plain(signal_at, {}), plain(signal_value, {})
    times = np.linspace(-0.2, 4.0, 331)
    found = evaluated(SIGNALS[name], times)
    for t, inside, expected in zip(times, pieces_of(in_order(table.breaks), times), found, strict=True):
        given = (int(table.kind[0]), table.data, 0, Dual(float(t), 1.0), float(inside))
        here = [number if isinstance(number, Dual) else Dual(float(number)) for number in kernel(*given)]
        assert np.allclose([number.value for number in here], expected, rtol=1e-14, atol=1e-14)
        assert abs(here[0].slope - here[1].value) <= 1e-12
        assert abs(here[1].slope - here[2].value) <= 1e-11
        alone = value(*given)
        assert (alone.value if isinstance(alone, Dual) else alone) == here[0].value


def rise(s: np.ndarray) -> np.ndarray:
    s = np.clip(s, 0.0, 1.0)
    return np.asarray(10.0 * s**3 - 15.0 * s**4 + 6.0 * s**5)


def test_values_are_what_their_definitions_say() -> None:
    t = np.linspace(-0.5, 4.0, 91)
    ramp = 1.0 + 2.0 * 0.5 * (1.0 - np.cos(math.pi * np.clip((t - 0.5) / 1.2, 0.0, 1.0)))
    wave = 0.1 + 2.0 * np.sin(2.0 * math.pi * 1.3 * t + 0.4)
    assert worst(evaluated(RAMP, t)[:, 0], ramp) <= 1e-15
    assert worst(evaluated(SIGNALS["smooth start"], t)[:, 0], wave * rise((t - 0.7) / 1.1)) <= 1e-14
    nested = evaluated(SIGNALS["twice started"], t)[:, 0]
    assert worst(nested, ramp * rise((t - 0.2) / 1.5) * rise((t - 0.4) / 1.0)) <= 1e-14
    whole = 2.0 + (ramp + wave) * rise((t - 0.1) / 2.0) + evaluated(TABLE, t)[:, 0]
    assert worst(evaluated(SIGNALS["sum"], t)[:, 0], whole) <= 3e-14


def test_how_smooth_they_are() -> None:
    def jumps(signal: Signal, t: float) -> np.ndarray:
        before, after = evaluated(signal, np.array([t - 1e-12, t + 1e-12]))
        return np.abs(after - before)

    for edge in (0.5, 1.7):
        assert jumps(RAMP, edge)[:2].max() < 1e-10
        assert jumps(RAMP, edge)[2] == pytest.approx((math.pi / 1.2) ** 2)
    for edge in (0.7, 1.8):
        assert jumps(SIGNALS["smooth start"], edge).max() < 2e-9  # all three, at slopes of up to 1e3
    assert evaluated(SIGNALS["smooth start"], np.array([0.69]))[0].tolist() == [0.0, 0.0, 0.0]


def test_their_breaks_are_known_to_the_loop() -> None:
    assert tabulated([RAMP]).breaks == [0.5, 1.7]
    assert tabulated([SIGNALS["sum"]]).breaks == [0.5, 1.7, 0.1, 2.1, 0.1, 2.1, 0.0, 1.0, 2.5]
    plant = assemble(oscillator(), loads=[Load("m", "x", SIGNALS["sum"])])
    assert plant.breaks.tolist() == [-math.inf, 0.0, 0.1, 0.5, 1.0, 1.7, 2.1, 2.5, math.inf]


# --- an undamped oscillator, in closed form

MASS, STIFFNESS = 2.0, 200.0
RATE = math.sqrt(STIFFNESS / MASS)


def oscillator() -> Structure:
    """A mass that slides along x on a spring from a support."""
    return Structure(
        {"base": (-1.0, 0.0, 0.0), "m": (0.0, 0.0, 0.0)},
        cables=[Cable("s", ("base", "m"), stiffness=STIFFNESS, law="spring")],
        supports={"base": "xyz", "m": "yz"},
        point_masses={"m": MASS},
    )


Answer = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def held_on(during: Answer, length: float, force: float) -> Callable[[np.ndarray], np.ndarray]:
    """What follows a force that changed for a while and then stays: a swing about its balance."""

    def place(s: np.ndarray) -> np.ndarray:
        x, v = during(np.array([length]))
        angle = RATE * (s - length)
        after = force / STIFFNESS + (x - force / STIFFNESS) * np.cos(angle) + v / RATE * np.sin(angle)
        return np.asarray(np.where(s <= 0.0, 0.0, np.where(s < length, during(s)[0], after)))

    return place


def under_ramp(ramp: CosineRamp, t: np.ndarray) -> np.ndarray:
    """Of a force that grows from zero."""
    length, height = ramp.end - ramp.start, ramp.to
    w = math.pi / length

    def during(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        a, b = 0.5 * height / STIFFNESS, 0.5 * height / (MASS * (RATE**2 - w**2))
        x = a * (1.0 - np.cos(RATE * s)) - b * (np.cos(w * s) - np.cos(RATE * s))
        v = a * RATE * np.sin(RATE * s) + b * (w * np.sin(w * s) - RATE * np.sin(RATE * s))
        return x, v

    return held_on(during, length, height)(t - ramp.start)


def under_start(started: SmoothStart, height: float, t: np.ndarray) -> np.ndarray:
    """Of a constant force let in: a polynomial and its derivatives, and a swing."""
    push = height / MASS * Polynomial([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])(Polynomial([0.0, 1.0 / started.over]))
    steady = sum(((-1.0) ** j / RATE ** (2 * j + 2) * push.deriv(2 * j) for j in range(1, 3)), push / RATE**2)

    def during(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x0, v0 = steady(0.0), steady.deriv()(0.0)
        x = steady(s) - x0 * np.cos(RATE * s) - v0 / RATE * np.sin(RATE * s)
        v = steady.deriv()(s) + x0 * RATE * np.sin(RATE * s) - v0 * np.cos(RATE * s)
        return x, v

    return held_on(during, started.over, height)(t - started.start)


def under_wave(wave: Sinusoid, t: np.ndarray) -> np.ndarray:
    w = 2.0 * math.pi * wave.frequency
    return np.asarray(wave.amplitude / MASS / (RATE**2 - w**2) * (np.sin(w * t) - w / RATE * np.sin(RATE * t)))


PUSH = CosineRamp(0.0, 7.0, 0.31, 1.47)
LET_IN = SmoothStart(-5.0, 0.23, 0.9)
SWAY = Sinusoid(3.0, 0.7)
PUSHES: dict[str, tuple[Signal, Callable[[np.ndarray], np.ndarray]]] = {
    "ramp": (PUSH, lambda t: under_ramp(PUSH, t)),
    "smooth start": (LET_IN, lambda t: under_start(LET_IN, -5.0, t)),
    "sum": (
        SignalSum((SWAY, SignalSum((PUSH, LET_IN)))),
        lambda t: under_ramp(PUSH, t) + under_start(LET_IN, -5.0, t) + under_wave(SWAY, t),
    ),
}


def scaled(signal: Any, factor: float) -> Signal:
    if isinstance(signal, SignalSum):
        return SignalSum(tuple(scaled(part, factor) for part in signal.signals))
    if isinstance(signal, SmoothStart):
        return SmoothStart(scaled(signal.signal, factor), signal.start, signal.over)
    if isinstance(signal, CosineRamp):
        return CosineRamp(factor * signal.from_, factor * signal.to, signal.start, signal.end)
    if isinstance(signal, Sinusoid):
        return Sinusoid(factor * signal.amplitude, signal.frequency)
    return factor * float(signal)


@pytest.mark.parametrize("name", PUSHES)
def test_a_load_on_an_oscillator(name: str) -> None:
    signal, exact = PUSHES[name]
    run = simulate(assemble(oscillator(), loads=[Load("m", "x", signal)]), 3.0, **OPTIONS)
    assert np.ptp(run.nodes[:, 1, 0]) > 0.02
    assert worst(run.nodes[:, 1, 0], exact(run.time)) < 1e-11
    assert np.abs(run.energy_violation).max() < 1e-9


@pytest.mark.parametrize("name", PUSHES)
def test_a_displacement_of_the_support_of_an_oscillator(name: str) -> None:
    """Pushes through the spring, by its stiffness times the displacement."""
    signal, exact = PUSHES[name]
    moved = scaled(signal, 1.0 / STIFFNESS)
    run = simulate(assemble(oscillator(), motions=[Motion("base", "x", displacement=moved)]), 3.0, **OPTIONS)
    base = evaluated(moved, run.time)
    assert worst(run.nodes[:, 0, 0] + 1.0, base[:, 0]) < 1e-15
    assert worst(run.velocities[:, 0, 0], base[:, 1]) < 1e-15
    # A motion that begins with a velocity is no load: the closed form is of the spring's force, which is the same.
    assert worst(run.nodes[:, 1, 0], exact(run.time)) < 1e-11
    assert np.abs(run.energy_violation).max() < 1e-9


@pytest.mark.parametrize("name", PUSHES)
def test_an_acceleration_of_the_support_of_an_oscillator(name: str) -> None:
    """Seen from the support, it is a load of minus mass times acceleration."""
    signal, exact = PUSHES[name]
    motion = Motion("base", "x", acceleration=scaled(signal, -1.0 / MASS), velocity=0.1)
    run = simulate(assemble(oscillator(), motions=[motion], velocities={"m": (0.1, 0.0, 0.0)}), 3.0, **OPTIONS)
    base = run.nodes[:, 0, 0] + 1.0
    assert np.ptp(base - 0.1 * run.time) > 0.5
    assert worst(run.nodes[:, 1, 0] - base, exact(run.time)) < 1e-11
    assert np.abs(run.energy_violation).max() < 1e-9


# --- accelerations integrated twice


@pytest.mark.parametrize(
    "signal",
    [
        RAMP,
        SmoothStart(WAVE, 0.7, 1.1),
        SmoothStart(Sinusoid(2.0, 40.0, 0.4), 0.1, 1.0),
        SmoothStart(Sinusoid(2.0, 0.05, 0.4), 0.1, 0.2),
        SmoothStart(Doublet(2.0, 0.5, 0.2), 0.1, 0.9),
        SmoothStart(Constant(2.0), -0.5, 1.0),
        SmoothStart(SmoothStart(RAMP, 0.2, 1.5), 0.4, 1.0),
        SmoothStart(WAVE, -2.0, 1.0),
    ],
    ids=str,
)
def test_an_acceleration_is_integrated_to_round_off(signal: Signal) -> None:
    """Against Gauss's rule on short intervals."""
    (curve,) = curves_of(Motion("*", "x", acceleration=signal, velocity=0.3))
    breaks, times = in_order([0.0, *curve.knots]), np.array([0.05, 0.3, 0.8, 1.5, 1.9, 3.3])
    found = curve_values(curve.kind, curve.numbers, times, pieces_of(breaks, times))
    nodes, weights = np.polynomial.legendre.leggauss(20)
    for t, (d, v, a) in zip(times, found, strict=True):
        edges = np.unique([0.0, *np.linspace(0.0, t, 200), *breaks[(breaks > 0.0) & (breaks < t)]])
        half = 0.5 * np.diff(edges)[:, None]
        when = (edges[:-1, None] + half * (1.0 + nodes)).ravel()
        share, values = (half * weights).ravel(), evaluated(signal, when)[:, 0]
        assert abs(v - 0.3 - share @ values) < 3e-14
        assert abs(d - 0.3 * t - share @ (values * (t - when))) < 3e-14
        assert abs(a - evaluated(signal, np.array([t]))[0, 0]) < 1e-13


def test_a_record_let_in_is_straight_between_its_samples() -> None:
    record = SampledSignal((0.0, 0.5, 1.5, 2.0), (0.0, 4.0, -2.0, 0.0))
    (curve,) = curves_of(Motion("*", "x", acceleration=SmoothStart(record, 0.2, 1.1)))
    times = np.linspace(0.01, 3.0, 60)
    found = curve_values(curve.kind, curve.numbers, times, pieces_of(in_order(curve.knots), times))
    straight = np.interp(times, record.times, record.values, right=0.0)
    assert worst(found[:, 2], straight * rise((times - 0.2) / 1.1)) < 2e-15
    assert {1.5, 2.0} <= set(curve.knots), "what follows is the record's own curve"


def test_steps_are_short_enough_for_the_work_of_a_ramp_where_nothing_else_asks_for_it() -> None:
    structure = Structure(
        {"heavy": (0.0, 0.0, 0.0), "hook": (0.0, 0.0, 5.0), "light": (0.0, 0.0, 6.1)},
        cables=[Cable("slow", ("hook", "light"), stiffness=1.0, rest_length=1.0, law="spring")],
        supports={"heavy": "xyz", "hook": "xyz", "light": "xy"},
        point_masses={"heavy": 100.0, "light": 1.0},
    )
    for signal in (CosineRamp(0.0, 0.2, 0.5, 1.5), SmoothStart(0.2, 0.5, 1.0)):
        plant = assemble(structure, motions=[Motion("heavy", "y", displacement=signal)])
        run = simulate(plant, 2.0, every=0.01, tolerance=1e-9, correction="none")
        assert np.ptp(run.work) == pytest.approx(50.0 * evaluated(signal, np.array([1.0]))[0, 1] ** 2, rel=1e-3)
        assert np.abs(run.energy_violation).max() < 1e-8 * np.ptp(run.work)


# --- sums and the same things one by one


def test_a_sum_of_loads_is_the_loads_one_by_one() -> None:
    parts: list[Signal] = [PUSH, SWAY, LET_IN, 2.0]
    together = simulate(assemble(oscillator(), loads=[Load("m", "x", SignalSum(tuple(parts)))]), 2.0, **OPTIONS)
    apart = simulate(assemble(oscillator(), loads=[Load("m", "x", part) for part in parts]), 2.0, **OPTIONS)
    assert worst(together.nodes, apart.nodes) < 1e-14
    assert worst(together.work, apart.work) < 1e-13


@pytest.mark.parametrize("kind", ["displacement", "acceleration"])
def test_a_sum_of_motions_is_the_motions_one_by_one(kind: str) -> None:
    parts: list[Signal] = [scaled(part, 0.01) for part in (PUSH, SWAY, LET_IN)]

    def run(*signals: Signal) -> taut.Trajectory:
        motions = [Motion("base", "x", **{kind: signal}) for signal in signals]
        return simulate(assemble(oscillator(), motions=motions), 2.0, **OPTIONS)

    together, apart = run(SignalSum(tuple(parts))), run(*parts)
    assert np.array_equal(together.nodes, apart.nodes)
    assert np.array_equal(together.work, apart.work)


# --- Python functions inside


def test_a_function_inside_a_sum_and_a_smooth_start() -> None:
    def wave(t: float) -> float:
        return 3.0 * math.sin(2.0 * math.pi * 0.7 * t)

    inside = SignalSum((1.0, SmoothStart(wave, 0.1, 0.2)))
    known = SignalSum((1.0, SmoothStart(SWAY, 0.1, 0.2)))
    found, expected = (
        simulate(assemble(oscillator(), loads=[Load("m", "x", signal)]), 0.4, every=0.1, tolerance=1e-10)
        for signal in (inside, known)
    )
    assert worst(found.nodes, expected.nodes) < 1e-14
    with pytest.raises(OptionError, match="a Python function has no derivatives that are known"):
        evaluated(inside, np.zeros(1))


def test_a_feedback_let_in_counts_by_its_share() -> None:
    def law(t: float, nodes: np.ndarray, velocities: np.ndarray) -> float:
        return -30.0 * float(nodes[1, 0]) - 2.0 * float(velocities[1, 0])

    plant = assemble(oscillator(), loads=[Load("m", "x", SmoothStart(Feedback(law), 1.0, 0.5))])
    for t, share in ((0.5, 0.0), (1.2, float(rise(np.array(0.4)))), (2.0, 1.0)):
        by_place, by_speed = feedback_slopes(plant, plant.positions.ravel(), np.zeros(6), t)
        assert by_place[0, 3] == pytest.approx(-30.0 * share, abs=1e-9)
        assert by_speed[0, 3] == pytest.approx(-2.0 * share, abs=1e-9)
