"""What one evaluation of a tree's equations costs in CPU time, beside Pinocchio's part, a Newton matrix of implicit
steps, and a step with impulses.

python benchmarks/tree_steps.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import taut
from taut.trees import Body, ContactPoint, Tree, TreeEquations, TreeJoint, manipulator, single_strut, tree_plant

TIMES, ROUNDS = 500, 7


def cost(function: Callable[[], object], times: int = TIMES) -> float:
    """Microseconds of CPU, the least of some rounds."""
    function()
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(times):
            function()
        best = min(best, (time.process_time() - begun) / times)
    return 1e6 * best


def main() -> dict[str, float]:
    """Prints a table; returns microseconds of one forward-dynamics call."""
    found = {}
    print(f"{'':24}{'forward':>10}{'terms':>10}{'Pinocchio':>12}{'matrix':>10}   [us]")
    for tree in (single_strut(strain=0.009), manipulator(), manipulator(variant="length")):
        equations = TreeEquations(tree)
        q, v = equations.start()
        v = 0.1 * np.random.default_rng(0).standard_normal(equations.nv)
        u = np.zeros(len(equations.input_names))
        pin, model, data = equations._pin, equations._model, equations._data
        p = equations._still(q)[0]

        def tree_alone(pin=pin, model=model, data=data, p=p, v=v) -> None:  # type: ignore[no-untyped-def]
            pin.crba(model, data, p)
            pin.computeJointJacobiansTimeVariation(model, data, p, v)
            pin.nonLinearEffects(model, data, p, v)

        name = f"{tree.name}, {tree.joints[-1].cable.variant}" if tree.joints[-1].cable else tree.name
        found[name] = cost(lambda e=equations, q=q, v=v, u=u: e.forward(q, v, u))  # type: ignore[misc]
        terms = cost(lambda e=equations, q=q, v=v: e.terms(q, v))  # type: ignore[misc]
        print(f"{name:24}{found[name]:10.0f}{terms:10.0f}{cost(tree_alone):12.0f}{matrix(tree):10.0f}")
    for name, height in (("box in flight", 100.0), ("box at rest on corners", 0.05)):
        print(f"{name:24}{impulse_step(height):10.0f}   [us] a step with impulses")
    return found


def matrix(tree: Tree) -> float:
    """Microseconds of CPU for a Newton matrix."""
    plant = tree_plant(tree)
    space, ops = plant.own_tables(metric="mass", gains=(0.0, 0.0)), plant.operations()
    y = np.concatenate([*plant.start(), [0.0], plant.internal])
    return cost(lambda: ops["factor_newton"](space, 0.0, y, y, 1e-3), times=10)


def impulse_step(height: float) -> float:
    """Microseconds of CPU, the least of some runs."""
    sides = (0.2, 0.3, 0.1)
    free = TreeJoint("free", "floating", "world", Body.box("box", sides, 500.0), values=(0, 0, height, 0, 0, 0, 1))
    tree = Tree((free,), points=ContactPoint.corners("box", sides))
    plant = tree_plant(tree, ground=[taut.Ground("floor", friction=0.5)])
    best = float("inf")
    for _ in range(ROUNDS):
        sim = taut.start(plant, method="impulses", step=1e-3)
        sim.step(0.01)
        begun = time.process_time()
        sim.step(0.1)
        best = min(best, (time.process_time() - begun) / 100)
    return 1e6 * best


if __name__ == "__main__":
    main()
