"""What large steps on the ground cost: the six-strut robot by steps of 5 and 10 ms that conserve energy, beside
impulses in steps of half a millisecond, with cables of 600 N/m and of 60 kN/m.

CPU microseconds a step and milliseconds a simulated second, the least of several turns in this process, warm; the most
that energy rises by within a run of one second, as a fraction of that at the start; and iterations of Newton's method.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import taut
from benchmarks.contact_steps import FRICTION, GRAVITY, least, robot
from taut.dynamics.correction import Correction
from taut.dynamics.settings import Settings, prepared

DURATION = 1.0
METHODS = (("impulses", 5e-4), ("energy-momentum", 5e-3), ("energy-momentum", 1e-2))


class Cost(NamedTuple):
    name: str
    method: str
    step: float
    microseconds: float  # of CPU a step
    rise: float
    evaluations: float  # of forces a step

    @property
    def milliseconds(self) -> float:
        """Of CPU a simulated second."""
        return 1e-3 * self.microseconds / self.step


def stiffened(made: taut.Structure, times: float) -> taut.Structure:
    """Cables so many times as stiff, pulled as before."""
    places = dict(zip(made.nodes, made.positions, strict=True))
    cables = []
    for cable in made.cables.values():
        length = float(np.linalg.norm(places[cable.route[1]] - places[cable.route[0]]))
        firm = times * (cable.stiffness or 0.0)
        rest = length - (length - (cable.rest_length or 0.0)) / times
        cables.append(taut.Cable(cable.name, cable.route, stiffness=firm, rest_length=rest, damping=cable.damping))
    return taut.Structure(made.nodes, made.bars.values(), cables)


def measured(name: str, structure: taut.Structure, method: str, step: float) -> Cost:
    plant = taut.assemble(structure, gravity=GRAVITY, ground=[taut.Ground("floor", friction=FRICTION)])
    run, start, _ = prepared(Settings(plant, method, 1e-8, step, Correction("none"), False, False))

    def work() -> None:
        point, states = start.copied(), np.zeros((1, start.y.size))
        run.words["time_loop"](
            *(run.handed, run.method.numbers, run.rules, plant.breaks, point.clock, point.counts, point.y),
            *(np.array([DURATION]), states, run.space, 10**9),
        )

    shown = taut.simulate(plant, DURATION, every=step, method=method, step=step, verify=False)
    energy = shown.energy_kinetic + shown.energy_elastic + shown.energy_gravity
    rise = float((energy - energy[0]).max() / energy[0]) if shown.finished else np.inf
    micro = 1e6 * least(work) / (DURATION / step)
    return Cost(name, method, step, micro, rise, shown.counts["evaluations"] / max(shown.counts["steps"], 1))


def measure() -> list[Cost]:
    cases = {
        "in flight": robot(50.0),
        "tumbling": robot(0.1),
        "at rest": robot(0.0, askew=0.0, damping=20.0),
        "tumbling, 100 times as stiff": stiffened(robot(0.1), 100.0),
    }
    return [measured(name, structure, *method) for name, structure in cases.items() for method in METHODS]


def table(costs: list[Cost]) -> str:
    rows = "\n".join(
        f"| {one.name} | {one.method} | {1e3 * one.step:g} | {one.microseconds:.1f} | {one.milliseconds:.1f} | "
        f"{one.evaluations:.1f} | {one.rise:.0e} |"
        for one in costs
    )
    head = (
        "| six struts | method | step [ms] | CPU us a step | CPU ms a second | evaluations a step | energy rises by |"
    )
    return f"{head}\n|---|---|---|---|---|---|---|\n{rows}"


if __name__ == "__main__":
    print(table(measure()))
