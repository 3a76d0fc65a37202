"""Figures 2 and 3: what shorter steps are worth, in flight and on the ground, and what the energy does."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, about, at_most, same_order
from taut.papers.drawing import curves, panels
from taut.papers.paper import Picture
from taut.papers.rolling.cases import MASS, NODE_MASS, STEP, dropped, moving, on_floor, robot, springs
from taut.papers.rolling.penalty import GRAVITY, Soil, energy, followed

HEIGHT = 0.02
"""[m] Slightly above the ground, as section 8 has it."""

STEPS = (1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5, 2e-5)
FINEST = 5e-6
AFTER = 3.0
"""[s]"""

FLIGHT_STEPS = (5e-4, 2.5e-4, 1.25e-4, 6.25e-5)
FINEST_FLIGHT = 1.5625e-5


def landed_errors(bench: Bench) -> list[float]:
    """[m] of the furthest node after 3 s, let fall from 2 cm, by step; against the finest."""
    ends = {step: dropped(bench, HEIGHT, step, AFTER, 10).places[-1] for step in (*STEPS, FINEST)}
    return [float(np.abs(ends[step] - ends[FINEST]).max()) for step in STEPS]


def flight_errors(bench: Bench) -> list[float]:
    """[m] of the furthest node after 1 s of free flight, all cables taut."""

    def found() -> list[float]:
        ends = {
            step: followed(
                robot().positions, moving(), NODE_MASS, springs(damping=0.0), None, 1.0, step, samples=1
            ).places[-1]
            for step in (*FLIGHT_STEPS, FINEST_FLIGHT)
        }
        return [float(np.abs(ends[step] - ends[FINEST_FLIGHT]).max()) for step in FLIGHT_STEPS]

    return bench.once("errors in free flight", found)


def _order(steps: tuple[float, ...], errors: list[float]) -> float:
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def _told(steps: tuple[float, ...], errors: list[float]) -> dict[str, float | str]:
    return {f"error at {step:g} s [m]": error for step, error in zip(steps, errors, strict=True)}


def _smooth(bench: Bench) -> Measured:
    errors = flight_errors(bench)
    return Measured(
        _order(FLIGHT_STEPS[1:], errors[1:]),
        "In free flight with all cables taut, from steps of 0.25 ms on: above, struts vibrate faster than steps "
        "resolve.",
        _told(FLIGHT_STEPS, errors),
    )


def _plateau(bench: Bench) -> Measured:
    errors = landed_errors(bench)
    return Measured(
        _order(STEPS[2:], errors[2:]),
        "Let fall from 2 cm, friction by the switch. Steps that straddle a touchdown or a switch are of first order, "
        "and their number grows as steps become shorter: errors go on falling, unevenly, and no faster.",
        _told(STEPS, errors),
    )


def _gain(bench: Bench) -> Measured:
    errors = landed_errors(bench)
    return Measured(errors[0] / errors[2], "", {"error at 1 ms [m]": errors[0], "at 0.25 ms [m]": errors[2]})


def settled_energy(bench: Bench) -> tuple[np.ndarray, np.ndarray]:
    """[s], [J] over 10 s at 1 ms, by the report's model."""
    motion = dropped(bench, HEIGHT, STEP, 10.0, 1000)
    return motion.time, energy(springs(), Soil(), NODE_MASS, motion)


def _drift(bench: Bench) -> Measured:
    times, told = settled_energy(bench)
    late = told[times >= 2.0]
    run = bench.run(on_floor("rolling-settling", robot(HEIGHT), 10.0))
    ours = run.energy_kinetic + run.energy_elastic + run.energy_gravity
    return Measured(
        float(np.ptp(late)),
        "It settles, by dampers and friction. That a damped robot's energy comes to rest says nothing of the step, "
        "though: a wrong motion comes to rest as well, and the error of positions at 1 ms is that of fig2-gain.",
        {
            "first less last energy [J]": float(told[0] - told[-1]),
            "by impulses, after 2 s [J]": float(np.ptp(ours[run.time >= 2.0])),
            "error of its book, energy less work [J]": float(np.abs(run.energy_violation).max()),
            "energy of the prestress alone [J]": 24 * 0.5 * 40.0**2 / 600.0,
            "of the weight above the floor [J]": MASS * GRAVITY * float(robot().positions[:, 2].mean()),
        },
    )


def _real_time(bench: Bench) -> Measured:
    def spent() -> float:
        begun = time.process_time()
        followed(robot(HEIGHT).positions, np.zeros((12, 3)), NODE_MASS, springs(), Soil(), 10.0, STEP)
        return time.process_time() - begun

    settled_energy(bench)  # compiled before
    return Measured(
        min(bench.once(f"time of 10 s, {k}", spent) for k in range(3)) / 10.0,
        "CPU time of the model written out and compiled here, for a simulated second at 1 ms.",
    )


CLAIMS = (
    Claim(
        "abstract-time",
        "abstract",
        "The motion is computed in real time: CPU seconds for a simulated one.",
        1.0,
        "s/s",
        at_most(),
        _real_time,
    ),
    Claim("fig2-smooth", "Fig. 2", "For smooth motion RK4 is of order four.", 4.0, "order", about(0.05), _smooth),
    Claim(
        "fig2-plateau",
        "Fig. 2",
        "Below 0.3 ms the error hardly falls any more: of first order at best.",
        1.0,
        "order",
        at_most(),
        _plateau,
    ),
    Claim(
        "fig2-gain",
        "Fig. 2, section 5",
        "Steps of 0.25 ms are seven times as accurate as those of 1 ms, after 3 s.",
        7.0,
        "ratio",
        same_order(),
        _gain,
    ),
    Claim(
        "fig3-drift",
        "Fig. 3, section 7.1",
        "After 2 s the energy changes by no more than 0.25 J.",
        0.25,
        "J",
        at_most(),
        _drift,
    ),
)


def _draw_errors(bench: Bench, figure: Any) -> None:
    (axes,) = panels(figure, ["error of positions by step"], columns=1)
    flight, landed = flight_errors(bench), landed_errors(bench)
    axes.loglog(FLIGHT_STEPS, flight, "o-", linewidth=1.0, label="free flight, 1 s")
    axes.loglog(STEPS, landed, "s-", linewidth=1.0, label="on the ground, 3 s")
    axes.loglog(STEPS[:4], landed[0] * (np.array(STEPS[:4]) / STEPS[0]) ** 4, "--", linewidth=0.8, label="fourth order")
    axes.set_xlabel("step [s]", fontsize=9)
    axes.set_ylabel("[m]", fontsize=9)
    axes.legend(fontsize=8, frameon=False)


def _draw_energy(bench: Bench, figure: Any) -> None:
    (axes,) = panels(figure, ["total energy, let fall from 2 cm"], columns=1)
    times, told = settled_energy(bench)
    run = bench.run(on_floor("rolling-settling", robot(HEIGHT), 10.0))
    ours = run.energy_kinetic + run.energy_elastic + run.energy_gravity
    curves(axes, times, {"penalty, RK4 at 1 ms": told, "impulses, 1 ms": np.interp(times, run.time, ours)}, "[J]")


PICTURES = (
    Picture(
        "fig2",
        "Figure 2: errors of node positions by step, in flight and on the ground.",
        ("fig2-smooth", "fig2-plateau", "fig2-gain"),
        _draw_errors,
        (5.0, 3.5),
    ),
    Picture("fig3", "Figure 3: total energy over 10 s.", ("fig3-drift",), _draw_energy, (6.0, 3.0)),
)
