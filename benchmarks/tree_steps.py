"""What one evaluation of a tree's equations costs in CPU time, beside Pinocchio's own part of it.

python benchmarks/tree_steps.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from taut.trees import TreeEquations, manipulator, single_strut

TIMES, ROUNDS = 500, 7


def cost(function: Callable[[], object]) -> float:
    """Microseconds of CPU, the least of some rounds."""
    function()
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(TIMES):
            function()
        best = min(best, (time.process_time() - begun) / TIMES)
    return 1e6 * best


def main() -> dict[str, float]:
    """Prints a table; returns microseconds of one forward-dynamics call."""
    found = {}
    print(f"{'':24}{'forward':>10}{'terms':>10}{'Pinocchio':>12}   [us]")
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
        print(f"{name:24}{found[name]:10.0f}{terms:10.0f}{cost(tree_alone):12.0f}")
    return found


if __name__ == "__main__":
    main()
