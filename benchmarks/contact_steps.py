"""What a step on the ground costs: the six-strut robot of 3 kg on a floor, by taut's impulses and by MuJoCo's steps.

Times are CPU microseconds a step, the least of several turns in this process, warm; taut's are calls of its time loop,
MuJoCo's are steps in C.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import taut
from benchmarks.six_strut_in_mujoco import AVAILABLE, InMujoco
from taut.dynamics.correction import Correction
from taut.dynamics.settings import Settings, prepared

STEP, DURATION, GRAVITY, FRICTION = 1e-3, 1.0, 9.81, 0.6
TURNS = 15


class Cost(NamedTuple):
    """[us] of CPU a step, by what is done."""

    name: str
    microseconds: float


def robot(lift: float, *, askew: float = 0.3, damping: float = 0.0) -> taut.Structure:
    """Half of a strut's mass at each end, cables of 600 N/m pulled by 40 N; turned off a face by an angle [rad]."""
    length, pull, firm = 0.6, 40.0, 600.0
    cable = length * np.sqrt(6.0) / 4.0
    made = taut.generators.icosahedron(length, stiffness=firm, rest_ratio=1.0 - pull / firm / cable)
    up, side = np.full(3, 1.0 / np.sqrt(3.0)), np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0)
    c, s = np.cos(askew), np.sin(askew)
    turned = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]) @ np.array([side, np.cross(up, side), up])
    places = np.array(list(made.nodes.values())) @ turned.T
    places[:, 2] += lift - places[:, 2].min()
    nodes = {name: tuple(map(float, place)) for name, place in zip(made.nodes, places, strict=True)}
    bars = [taut.Bar(bar.name, bar.nodes, mass=0.5, length=length, inertia="lumped") for bar in made.bars.values()]
    rest = cable - pull / firm
    cables = [
        taut.Cable(one.name, one.route, stiffness=firm, rest_length=rest, damping=damping)
        for one in made.cables.values()
    ]
    return taut.Structure(nodes, bars, cables)


def least(work: Callable[[], object], turns: int = TURNS) -> float:
    """CPU seconds of the quickest of several turns."""
    times = []
    for _ in range(turns):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def looped(plant: taut.Plant, method: str, step: float, duration: float) -> Callable[[], np.ndarray]:
    """A run that can be made again and again; returns the state at its end."""
    run, start, _ = prepared(Settings(plant, method, 1e-8, step, Correction("none"), False, False))

    def work() -> np.ndarray:
        point, states = start.copied(), np.zeros((1, start.y.size))
        run.words["time_loop"](
            *(run.handed, run.method.numbers, run.rules, plant.breaks, point.clock, point.counts, point.y),
            *(np.array([duration]), states, run.space, 10**9),
        )
        return states[0]

    return work


def by_taut(plant: taut.Plant, method: str, turns: int) -> float:
    """[us] a step."""
    return 1e6 * least(looped(plant, method, STEP, DURATION), turns) / (DURATION / STEP)


def by_mujoco(structure: taut.Structure, integrator: str, turns: int) -> float:
    """[us] a step."""
    places = structure.positions
    model = InMujoco(structure, places, np.zeros_like(places), GRAVITY, friction=FRICTION)
    return 1e6 * least(lambda: model.follow(integrator, STEP, DURATION, 1), turns) / (DURATION / STEP)


def measure(turns: int = TURNS) -> list[Cost]:
    floor = [taut.Ground("floor", friction=FRICTION)]
    high, low, flat = robot(50.0), robot(0.1), robot(0.0, askew=0.0, damping=20.0)
    free, (flying, tumbling, standing) = (
        taut.assemble(high, gravity=GRAVITY),
        (taut.assemble(made, gravity=GRAVITY, ground=floor) for made in (high, low, flat)),
    )
    found = [
        Cost("taut rattle2, in flight", by_taut(free, "rattle2", turns)),
        Cost("taut impulses, in flight", by_taut(flying, "impulses", turns)),
        Cost("taut impulses, tumbling", by_taut(tumbling, "impulses", turns)),
        Cost("taut impulses, at rest, damped", by_taut(standing, "impulses", turns)),
    ]
    if AVAILABLE:
        found += [Cost(f"MuJoCo {name}, tumbling", by_mujoco(low, name, turns)) for name in ("Euler", "RK4")]
    return found


def table(costs: list[Cost]) -> str:
    rows = "\n".join(f"| {one.name} | {one.microseconds:.2f} |" for one in costs)
    by = {one.name: one.microseconds for one in costs}
    ours, theirs = by["taut impulses, tumbling"], by.get("MuJoCo Euler, tumbling")
    told = f"\n\ntumbling, MuJoCo's Euler steps take {theirs / ours:.1f} times as long" if theirs else ""
    return f"| six struts, steps of {1e3 * STEP:g} ms | CPU us a step |\n|---|---|\n{rows}{told}"


if __name__ == "__main__":
    print(table(measure()))
