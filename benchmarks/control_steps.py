"""What one decision of near-rigid control takes on the single strut and the manipulator, its program alone beside it,
and one call of forward dynamics: CPU time, the least of several rounds, and how much faster than real time at 1 kHz."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from taut import SampledSignal
from taut.control import near_rigid_control
from taut.dynamics import curve_of
from taut.numerics.quadratic_programs import Program, solve_program
from taut.trees import Tree, TreeEquations, manipulator, single_strut

RATE = 1000.0
STRUTS = ("B1-strutJt", "B2-strutJt", "B3-strutJt")


class Cost(NamedTuple):
    """[s] of CPU."""

    machine: str
    terms: float
    forward: float
    program: float
    decision: float

    @property
    def real_time(self) -> float:
        """How many seconds at RATE are decided in a second."""
        return 1.0 / (RATE * self.decision)


def least(work: Callable[[], object], calls: int, rounds: int) -> float:
    """[s] of CPU of a call, in the best of some rounds: others use the machine too."""
    spent = []
    for _ in range(rounds):
        begun = time.process_time()
        for _ in range(calls):
            work()
        spent.append((time.process_time() - begun) / calls)
    return min(spent)


def measure(machine: str, calls: int = 20, rounds: int = 150) -> Cost:
    tree: Tree = single_strut(youngs_modulus=2e9, viscosity=1e7, strain=0.01) if machine == "strut" else manipulator()
    equations = TreeEquations(tree)
    q, v = equations.start()
    outputs = ("x-revoluteJt", "y-revoluteJt") if machine == "strut" else tuple(f"floatingJt.{a}" for a in "xyz")
    places = [equations.position_names.index(one) for one in outputs]
    wanted = curve_of([SampledSignal((0.0, 1.0), (float(q[k]), float(q[k]) + 0.1), (0.0, 0.0)) for k in places])
    more = {} if machine == "strut" else {"free_weight": 10.0, "free_damping": 10.0, "free": STRUTS}
    law = near_rigid_control(
        equations, outputs, wanted, least_strain=0.01, most_strain=0.03, proportional=100.0, derivative=20.0, **more
    )
    inputs, s, f = len(equations.input_names), len(equations.cable_names), 0 if machine == "strut" else 3
    rng = np.random.default_rng(0)
    size, n = inputs + s + f, equations.nv - equations.rows
    program = Program(
        np.diag([*[1.0] * inputs, *[0.0] * s, *[10.0] * f]),
        np.zeros(size),
        rng.normal(size=(n, size)),
        rng.normal(size=n),
        np.concatenate([np.full(inputs, -np.inf), np.full(s, -0.1), np.full(f, -np.inf)]),
        np.full(size, np.inf),
        np.ones(size),
    )
    law(0.5, q, v)
    return Cost(
        machine,
        least(lambda: equations.terms(q, v), calls, rounds),
        least(lambda: equations.forward(q, v, np.zeros(inputs)), calls, rounds),
        least(lambda: solve_program(program), calls, rounds),
        least(lambda: law(0.5, q, v), calls, rounds),
    )


def table(costs: list[Cost]) -> str:
    lines = ["CPU time [us] of            terms  forward dynamics  program  decision   real time at 1 kHz"]
    for one in costs:
        numbers = [1e6 * part for part in one[1:]]
        lines.append(
            f"{one.machine:<24} {numbers[0]:8.0f} {numbers[1]:17.0f} {numbers[2]:8.0f} {numbers[3]:9.0f}"
            f"   {one.real_time:.2f} times"
        )
    return "\n".join(lines)


def report() -> str:
    return table([measure(machine) for machine in ("strut", "manipulator")])


if __name__ == "__main__":
    print(report())
