"""How far postures between the points of a map are off, by how many points carry them: the prismatic robot.

python -m benchmarks.posture_interpolation prints the worst of some postures drawn at random, for grids of equal steps
and of Chebyshev's points, carried by 2, 4 or 6 values of each axis, or by all.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import taut
from taut.kinetostatics import Robot, workspace
from taut.kinetostatics.interpolation_errors import exact_postures
from taut.kinetostatics.stencils import blended, stencil

EXAMPLES = Path(__file__).parents[1] / "examples"
CARRIED = {"2": (2,), "4": (4,), "6": (6,), "all": (1000,)}
HALVES = (0.006, 0.009)
COUNTS = (5, 7, 9, 13)
DRAWN = 100


def grids(count: int) -> dict[str, np.ndarray]:
    """From -1 to 1."""
    return {"equal": np.linspace(-1.0, 1.0, count), "chebyshev": -np.cos(np.pi * np.arange(count) / (count - 1))}


def measured(half: float, places: np.ndarray) -> dict[str, tuple[float, float]]:
    """The worst error of nodes [m] and forces [N] by the number of points."""
    model = taut.read_model(EXAMPLES / "prismatic.yaml")
    robot = Robot(model.structure, ("cable:a*",), gravity=model.scenario.gravity)
    axes = {name: own + half * places for name, own in zip(robot.input_names, robot.values, strict=True)}
    area = workspace(robot, axes, stiffness=False)
    drawn = robot.values + half * np.random.default_rng(0).uniform(-1.0, 1.0, (DRAWN, 3))
    exact = exact_postures(area, drawn)
    worst = {}
    for name, carried in CARRIED.items():
        shown = [blended(area, stencil(area, place, carried)) for place in drawn]
        nodes = max(np.linalg.norm(one.nodes - exact.nodes[k], axis=1).max() for k, one in enumerate(shown))
        worst[name] = (
            float(nodes),
            float(max(np.abs(one.member_force - exact.force[k]).max() for k, one in enumerate(shown))),
        )
    return worst


def main() -> None:
    print(f"{'half [mm]':>9} {'grid':>10} {'count':>5}" + "".join(f" {name + ': mm, N':>20}" for name in CARRIED))
    for half in HALVES:
        for count in COUNTS:
            for kind, places in grids(count).items():
                told = "".join(f" {1e3 * mm:>10.2g} {n:>9.2g}" for mm, n in measured(half, places).values())
                print(f"{1e3 * half:>9.3g} {kind:>10} {count:>5}{told}", flush=True)


if __name__ == "__main__":
    main()
