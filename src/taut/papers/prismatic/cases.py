"""The robot of the prismatic paper: its postures by tensions, and the motion of its winches over 35 s."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from taut.errors import TautError
from taut.kinetostatics.posture_search import posture
from taut.kinetostatics.posture_solver import PostureSolver
from taut.kinetostatics.robot import Robot
from taut.papers.bench import Bench, Case
from taut.papers.prismatic import equations
from taut.papers.prismatic.tables import SWAPPED
from taut.statics.equilibrium import Equilibrium
from taut.structure.examples import example
from taut.structure.files import read_model
from taut.structure.scenario import Drive, Scenario, Sinusoid, SmoothStart
from taut.structure.structure import Structure

GRAVITY = equations.ROBOT.gravity

DURATION, RAMP, TURNS = 35.0, 5.0, 2
"""Of the motion [s]: eased in over the ramp, then so many turns."""

STROKE = 0.005
"""Of the winches [m]; the paper does not give its own."""

LINE_STIFFNESS = 5e4
"""[N/m] of an active wire where it has friction: a held length has one tension."""


@cache
def held() -> Structure:
    """Near 90 N and 65 N: active wires held at their lengths, passive ones on springs."""
    return read_model(example("prismatic")).structure


def robot(active: str = "tension", passive: str = "tension", inputs: tuple[str, ...] = ("cable:a*",)) -> Robot:
    """active: "tension" or "length"; passive: "tension" or "spring"."""
    made = held()
    if active == "tension":
        made = made.changed("cable:a*", mode="tension", command=SWAPPED["active"])
    if passive == "tension":
        made = made.changed("cable:p*", mode="tension", command=SWAPPED["passive"])
    return Robot(made, inputs, gravity=GRAVITY)


def at_tensions(bench: Bench, active: float, passive: float, saddle: float = equations.ROBOT.saddle) -> Equilibrium:
    """The posture with these tensions [N] and this length of the saddle [m]; raises where there is none."""

    def found() -> Equilibrium:
        made = robot(inputs=("cable:a*", "cable:p*", "cable:saddle"))
        told = posture(made, {"cable:a*": active, "cable:p*": passive, "cable:saddle": saddle})
        if not told.ok:
            raise TautError(told.status)
        return told

    return bench.once(f"posture at {active:g} and {passive:g} N, saddle {saddle:g} m", found)


def unknowns_of(found: Equilibrium) -> np.ndarray:
    """q of the paper's equations."""
    structure = found.structure
    force = dict(zip(structure.bars, found.bar_force.tolist(), strict=True))
    tension = dict(zip(structure.cables, found.cable_tension.tolist(), strict=True))
    forces = np.array([-force["upper1"], -force["upper2"], -force["upper3"], tension["saddle"]])
    places = {name: np.array(place) for name, place in structure.nodes.items()}
    return equations.unknowns(places, forces)


def pull(active: float, passive: float) -> equations.Pull:
    return equations.Pull(np.full(3, active), np.full(3, passive))


def _scenario(quantity: str) -> Scenario:
    rate = TURNS / (DURATION - RAMP)
    drives = [
        Drive(
            f"winch{k + 1}",
            f"cable:a{k + 1}",
            quantity,
            by=SmoothStart(Sinusoid(STROKE, rate, 2.0 * math.pi * (k / 3.0 - rate * RAMP)), 0.0, RAMP),
        )
        for k in range(3)
    ]
    return Scenario(gravity=(0.0, 0.0, -GRAVITY), drives=tuple(drives), duration=DURATION, every=0.1)


def sinusoids() -> Case:
    """Three winches, a third of a turn apart; passive wires on springs."""
    return Case("prismatic-sinusoids", held(), _scenario("length"))


def rubbing(friction: float) -> Case:
    """The same with friction at the guides of active and passive wires."""
    made = held().changed("cable:p*", friction=friction)
    for name in ("a1", "a2", "a3"):
        length = made.cables[name].command or 0.0
        made = made.changed(
            f"cable:{name}",
            mode="spring",
            command=None,
            stiffness=LINE_STIFFNESS,
            rest_length=length - SWAPPED["active"] / LINE_STIFFNESS,
            friction=friction,
        )
    return Case(f"prismatic-friction-{friction:g}", made, _scenario("rest_length"))


def postures_along(bench: Bench, passive: str) -> np.ndarray:
    """(T, n, 3) [m] at rest at every sample of `sinusoids`; passive: "spring" or "tension", held constant."""

    def found() -> np.ndarray:
        made, run = robot("length", passive), bench.run(sinusoids())
        solver, places = PostureSolver(made, posture(made)), []
        for time, lengths in zip(run.time, run.drive_value, strict=True):
            left = solver.solve(lengths, steps=12, tolerance=1e-10)
            if not left <= 1e-8:
                raise TautError(f"no posture at t = {time:g} s: {left:g} N is left")
            places.append(solver.positions.copy())
        return np.array(places)

    return bench.once(f"postures along the sinusoids, passive wires by {passive}", found)


def radii(places: np.ndarray) -> np.ndarray:
    """(n,) half the mean width along x and y of the paths of nodes [m]; places: (T, n, 3) of whole turns."""
    return np.asarray(np.ptp(places, axis=0)[:, :2].mean(axis=1) / 2.0)


def of_turns(places: np.ndarray) -> np.ndarray:
    """Those after the ramp."""
    return places[round(RAMP / DURATION * (len(places) - 1)) :]
