"""Torques instead of angles: why it falls, what holds it up, and what control makes of the delay (section 4.2.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigvals

from taut.control.tracking import pd_tracking
from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, at_least, at_most
from taut.papers.drawing import curves, magnitudes, panels
from taut.papers.mechanism.cases import imposed, middle
from taut.papers.mechanism.model import AT_END, AT_START, LEGS, at_rest, in_nodes, place, static_torque
from taut.papers.mechanism.motion import settling
from taut.papers.mechanism.torque_runs import (
    ELBOWS,
    angle_error,
    closed,
    collapse,
    elbow_angles,
    falling,
    followed,
    in_task_space,
    model_at,
    open_loop,
    predicted_collapse,
    straight,
    threshold,
    tracked,
)
from taut.papers.paper import Picture
from taut.structure.signals import Constant

ERRORS = (1e-3, 1e-6, 1e-9, 1e-12)
"""[rad] of the first elbow at the start."""

PROPORTIONAL, DERIVATIVE, TOO_LITTLE = 2000.0, 50.0, 1300.0
"""[N m/rad], [N m s/rad], and a gain that looks enough."""


SMALL = 1e-5
"""[rad] at which a run begins along a motion of the linear model."""


def _growing(bench: Bench, gains: tuple[float, float], which: int) -> tuple[float, float]:
    """[1/s] The growth of a motion near psi_F: of the linear model, and of a run that begins along it."""
    model = falling(bench)
    values, vectors = np.linalg.eig(closed(model, *gains))
    order = np.argsort(-values.real)
    rate = values[order[which]]

    def make() -> float:
        way = model.C[:-3] @ vectors[:, order[which]].real
        structure = in_nodes(AT_END, torques=static_torque(AT_END))
        count = way.size // 2
        shift, speed = np.zeros((2, len(structure.nodes), 3))
        for k, output in enumerate(model.outputs[:count]):
            node, _, axis = output.removeprefix("node:").partition(".position.")
            at = list(structure.nodes).index(node), "xyz".index(axis)
            shift[at], speed[at] = way[k], way[count + k]
        size = SMALL / np.abs(model.C[-3:] @ vectors[:, order[which]].real).max()
        moved = structure.placed(structure.positions + size * shift)
        time = np.array([0.0, 10.0])
        held = {name: np.full(2, np.pi + theta) for name, theta in zip(ELBOWS, AT_END, strict=True)}
        still = {name: np.zeros(2) for name in ELBOWS}
        known = {name: Constant(float(one)) for name, one in zip(ELBOWS, static_torque(AT_END), strict=True)}
        led = pd_tracking(time, held, still, proportional=gains[0], derivative=gains[1], feed_forward=known)
        velocities = {name: place(size * one) for name, one in zip(structure.nodes, speed, strict=True) if one.any()}
        duration = min(10.0, 2.0 / abs(rate.real))
        run = followed(moved, led, duration, every=duration / 50, velocities=velocities)
        off = np.abs(elbow_angles(run) - AT_END).max(axis=1)
        return float(np.log(off[-1] / off[0]) / (run.time[-1] - run.time[0]))

    return float(rate.real), bench.once(f"growth at psi_F, gains {gains[0]:g}, {gains[1]:g}, motion {which}", make)


def _unstable(bench: Bench) -> Measured:
    (first, seen), (second, seen_second) = (_growing(bench, (0.0, 0.0), which) for which in (0, 1))
    neutral = bench.once(
        "linear model at psi_0", lambda: model_at(in_nodes(AT_START, torques=static_torque(AT_START)))
    ).poles.real.max()
    return Measured(
        first,
        "It is the mechanism that falls, not the numbers: with the torques that hold it and nothing else, psi_F is an "
        "unstable equilibrium, as (40) would have it for one leg, and psi_0 a neutral one. No method can follow it for "
        "long.",
        {
            "second growth [1/s]": second,
            "the same from runs [1/s]": f"{seen:.3f}, {seen_second:.3f}",
            "largest growth at psi_0 [1/s]": float(neutral),
        },
    )


ROUNDED = 1e-10
"""[rad] Errors at the start below this are not larger than those of the torques that are given again."""


def _collapse(bench: Bench) -> Measured:
    found = {error: collapse(open_loop(bench, error)) for error in ERRORS}
    linear = dict(zip(ERRORS, predicted_collapse(bench, ERRORS), strict=True))
    later = float(np.diff([time for error, time in found.items() if error > ROUNDED]).mean())
    return Measured(
        later,
        "The torques of the imposed motion, given again, keep to it the longer the smaller the error at the start, but "
        "only by the logarithm: ln(1000) over the growth at psi_F for three digits more. It is a physical instability, "
        "which smaller errors delay and cannot take away. (The torques are curves through samples every 2 ms, whose "
        "own error, with round-off some 1e-12 rad, counts beside the smallest one at the start: with other tolerances "
        "and samples that run is off after 4.6 to 5.2 s, so the delay is that of the others.)",
        {
            **{f"0.1 rad off from {error:g} rad [s]": one for error, one in found.items()},
            **{f"the same by linear models along the motion, {error:g} rad [s]": one for error, one in linear.items()},
            "ln(1000) / growth at psi_F [s]": float(np.log(1000.0) / falling(bench).poles.real.max()),
        },
    )


def _pd(bench: Bench) -> Measured:
    model = falling(bench)
    exact, static = (tracked(bench, PROPORTIONAL, DERIVATIVE, how) for how in ("inverse dynamics", "eq. (39)"))
    return Measured(
        float(angle_error(static).max()),
        "PD at the elbows, whose gain is above what (40) takes away, holds it up; eq. (39) as the only torque that is "
        "known ahead is enough.",
        {
            "largest error with the torques of inverse dynamics [rad]": float(angle_error(exact).max()),
            "stable from [N m/rad]": threshold(model, DERIVATIVE),
            "4000 cos(70.55 deg) [N m/rad]": float(4000.0 * np.cos(AT_END[0])),
        },
    )


def _too_little(bench: Bench) -> Measured:
    linear, seen = _growing(bench, (TOO_LITTLE, DERIVATIVE), 0)
    return Measured(
        linear,
        "A little below the limit it falls too, but so slowly that ten seconds do not show it.",
        {
            "the same from a run [1/s]": seen,
            "error after 10 s of eq. (38) [rad]": float(angle_error(tracked(bench, TOO_LITTLE, DERIVATIVE))[-1]),
        },
    )


def _cartesian(bench: Bench) -> Measured:
    led, before = in_task_space(bench), bench.run(imposed())
    goal = np.array([straight(at_rest(AT_END))(float(t))[0] for t in led.time])
    names = [list(led.structure.angles).index(name) for name in ELBOWS]
    return Measured(
        settling(led) / settling(before),
        "x is led along a line by computed torques, with the places and speeds of all nodes measured. What x does not "
        "show swings on, and decays: x is an output of minimum phase.",
        {
            "settling of x with control, within 1 mm [s]": settling(led),
            "settling of x with imposed angles [s]": settling(before),
            "within 0.1 mm, with control [s]": settling(led, 1e-4),
            "within 0.1 mm, imposed angles [s]": settling(before, 1e-4),
            "x off its way, largest [m]": float(np.abs(middle(led) - goal).max()),
            "largest torque [N m]": float(np.abs(led.angle_torque[:, names]).max()),
            "largest zero of the linear model from torques to x [1/s]": zeros(bench).real.max(),
        },
    )


def zeros(bench: Bench) -> np.ndarray:
    """[1/s] Of the linear model at psi_F, from torques to x."""
    model = falling(bench)
    names = [f"node:C{leg}.position.{axis}" for leg in LEGS for axis in "xyz"]
    show = np.tile(np.eye(3) / 3.0, 3) @ model.C[[model.outputs.index(name) for name in names]]
    size, count = len(model.states), len(model.inputs)
    whole = np.block([[model.A, model.B], [show, np.zeros((3, count))]])
    kept = np.zeros_like(whole)
    kept[:size, :size] = np.eye(size)
    found = eigvals(whole, kept)
    return np.asarray(found[np.isfinite(found) & (np.abs(found) < 1e6)])


CLAIMS = (
    Claim(
        "sec4-unstable",
        "section 4.2.2",
        "Torques as inputs are hard to simulate, for numerical errors: without them the mechanism would stay, its "
        "largest growth at psi_F being zero.",
        0.0,
        "1/s",
        at_most(),
        _unstable,
    ),
    Claim(
        "sec4-collapse",
        "section 4.2.2",
        "Numerical errors make it collapse: with errors a thousand times smaller it would stand much longer, here a "
        "thousand times 0.01 s.",
        10.0,
        "s longer",
        at_least(),
        _collapse,
    ),
    Claim(
        "sec4-pd",
        "section 4.2.2",
        "A control of the actuators can follow the motion where torques alone cannot: with Kp = 2000 and Kd = 50 "
        "within 0.05 rad.",
        0.05,
        "rad",
        at_most(),
        _pd,
    ),
    Claim(
        "sec4-limit",
        "section 4.2.2",
        "With Kp = 1300, below the limit, it falls too: it grows at least by 0.1 1/s.",
        0.1,
        "1/s",
        at_least(),
        _too_little,
    ),
    Claim(
        "sec4-cartesian",
        "section 4.2.2",
        "A Cartesian control of the torques could reduce the delay after t = 3 s: at least by half.",
        0.5,
        "of the delay",
        at_most(),
        _cartesian,
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    left, right = panels(figure, ["torques of the motion given again", "x with imposed angles, and led itself"])
    for error in ERRORS:
        run = open_loop(bench, error)
        magnitudes(left, run.time, {f"{error:g} rad": angle_error(run)}, "error of the angles [rad]")
    led, before = in_task_space(bench), bench.run(imposed())
    late = before.time >= 2.5
    curves(right, before.time[late], {"imposed": middle(before)[late, 0]}, "x [m]")
    curves(right, led.time[led.time >= 2.5], {"led": middle(led)[led.time >= 2.5, 0]}, "x [m]")


PICTURES = (
    Picture(
        "torques",
        "Section 4.2.2: open-loop collapse, and the delay with and without a control of x.",
        ("sec4-unstable", "sec4-collapse", "sec4-cartesian"),
        _draw,
        (8.0, 3.2),
    ),
)
