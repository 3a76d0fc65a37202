"""What a Runge-Kutta step on a ground that gives way costs: the six-strut robot of 3 kg, by taut's rk4 and by MuJoCo's.

Times are CPU microseconds a step of 1 ms, the least of several turns in this process, warm. Events are not located, as
in MuJoCo, but where it says so: then steps end at touchdowns and the like, and there are more of them.
"""

from __future__ import annotations

import numpy as np

import taut
from benchmarks.contact_steps import DURATION, FRICTION, GRAVITY, STEP, Cost, by_mujoco, least, robot, table
from benchmarks.six_strut_in_mujoco import AVAILABLE
from taut.dynamics.correction import Correction
from taut.dynamics.settings import Settings, prepared

SOFT = taut.Compliance(stiffness=1e5, damping=50.0)


def by_rk4(structure: taut.Structure, *, grounded: bool = True, locate: bool = False) -> float:
    """[us] a step."""
    floor = [taut.Ground("floor", friction=FRICTION, compliance=SOFT)] if grounded else []
    plant = taut.assemble(structure, gravity=GRAVITY, ground=floor)
    run, start, _ = prepared(Settings(plant, "rk4", 1e-8, STEP, Correction("none"), False, locate))

    def work() -> None:
        point, states = start.copied(), np.zeros((1, start.y.size))
        run.words["time_loop"](
            *(run.handed, run.method.numbers, run.rules, plant.breaks, point.clock, point.counts, point.y),
            *(np.array([DURATION]), states, run.space, 10**9),
        )

    return 1e6 * least(work) / (DURATION / STEP)


def measure() -> list[Cost]:
    high, low, flat = robot(50.0), robot(0.1), robot(0.0, askew=0.0, damping=20.0)
    found = [
        Cost("taut rk4, in flight without a ground", by_rk4(high, grounded=False)),
        Cost("taut rk4, in flight", by_rk4(high)),
        Cost("taut rk4, tumbling", by_rk4(low)),
        Cost("taut rk4, at rest", by_rk4(flat)),
        Cost("taut rk4, tumbling, events located", by_rk4(low, locate=True)),
    ]
    if AVAILABLE:
        found += [
            Cost(f"MuJoCo RK4, {name}", by_mujoco(made, "RK4")) for name, made in (("tumbling", low), ("at rest", flat))
        ]
    return found


if __name__ == "__main__":
    print(table(measure()))
