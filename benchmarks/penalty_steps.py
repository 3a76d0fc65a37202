"""What a Runge-Kutta step on a ground that gives way costs: the six-strut robot of 3 kg, by taut's rk4 and by MuJoCo's.

Times are CPU microseconds a step of 1 ms, as `contact_steps` measures them. Events are not located, as in MuJoCo; what
locating them adds is told beside it.
"""

from __future__ import annotations

import taut
from benchmarks.contact_steps import FRICTION, GRAVITY, Cost, by_mujoco, by_taut, robot, table
from benchmarks.six_strut_in_mujoco import AVAILABLE

SOFT = taut.Compliance(stiffness=1e5, damping=50.0)


def measure() -> list[Cost]:
    floor = [taut.Ground("floor", friction=FRICTION, compliance=SOFT)]
    high, low, flat = robot(50.0), robot(0.1), robot(0.0, askew=0.0, damping=20.0)
    found = [Cost("taut rk4, in flight without a ground", by_taut(taut.assemble(high, gravity=GRAVITY), "rk4"))]
    for name, made in (("in flight", high), ("tumbling", low), ("at rest", flat)):
        found.append(Cost(f"taut rk4, {name}", by_taut(taut.assemble(made, gravity=GRAVITY, ground=floor), "rk4")))
    if AVAILABLE:
        found += [Cost(f"MuJoCo RK4, {name}", by_mujoco(made, "RK4")) for name, made in (("tumbling", low),)]
    return found


if __name__ == "__main__":
    print(table(measure()))
