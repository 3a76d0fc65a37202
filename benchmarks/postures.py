"""What a posture costs: one after another in real time, and a map of ten thousand.

Alone: `OPENBLAS_NUM_THREADS=1 python -m benchmarks.postures`. CPU time; the robot is `examples/prismatic.yaml`, with
all tensions commanded (37 unknowns) and with lengths held (40).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import taut
from taut.kinetostatics import PlatePosition, PostureSolver, Robot, TensionSum, follow, posture, workspace

EXAMPLE = Path(__file__).parents[1] / "examples" / "prismatic.yaml"
GRAVITY = 9.80665


@dataclass(frozen=True)
class Costs:
    """warm: CPU time of one posture from the one before, two Newton steps, and the worst that was left [s, N].
    mapped: of a whole map and of how many postures; asked: with stiffness and dexterity too. followed: of one sample of
    a path by inverse kinematics."""

    kind: str
    unknowns: int
    warm: float
    left: float
    mapped: float
    asked: float
    postures: int
    followed: float


def robots() -> dict[str, Robot]:
    held = taut.read_model(EXAMPLE).structure
    pulled = held.changed("cable:a*", mode="tension", command=90.0).changed("cable:p*", mode="tension", command=65.0)
    return {"tensions": Robot(pulled, ("cable:a*",), GRAVITY), "lengths": Robot(held, ("cable:a*",), GRAVITY)}


def measure(kind: str, *, repeats: int = 2000, side: int = 22, samples: int = 100) -> Costs:
    robot = robots()[kind]
    solver = PostureSolver(robot, posture(robot))
    size = 0.005 if kind == "tensions" else 2e-6
    angles = 2.0 * np.pi * np.arange(repeats)[:, None] / 1000.0 + 2.0 * np.pi / 3.0 * np.arange(3)
    commands = robot.values + 100.0 * size * (np.cos(angles) - np.cos(angles[0]))
    for values in commands[:10]:
        solver.solve(values)
    left, begun = 0.0, time.process_time()
    for values in commands:
        left = max(left, solver.solve(values))
    warm = (time.process_time() - begun) / repeats
    reach = (4.0, 0.015)[kind == "lengths"]
    grid = {f"cable:a{k + 1}": robot.values[k] + np.linspace(-reach, reach, side) for k in range(3)}
    took = []
    for stiffness in (False, True):
        begun = time.process_time()
        found = workspace(robot, grid, stiffness=stiffness)
        took.append(time.process_time() - begun)

    def path(at: float) -> list[PlatePosition | TensionSum]:
        where = (0.03 * at * np.cos(4.0 * at), 0.03 * at * np.sin(4.0 * at), None)
        return [PlatePosition("top", where), TensionSum(("cable:a*",), 270.0)]

    begun = time.process_time()
    follow(robot, path, np.linspace(0.0, 1.0, samples))
    followed = (time.process_time() - begun) / samples
    return Costs(kind, solver.right.size, warm, left, took[0], took[1], int(found.found.sum()), followed)


def table(found: list[Costs]) -> str:
    lines = ["commanded  unknowns  warm posture  worst left  map         with stiffness  postures  path sample"]
    lines += [
        f"{one.kind:9}  {one.unknowns:8}  {one.warm * 1e6:9.1f} us  {one.left:8.1e} N  {one.mapped:8.2f} s"
        f"  {one.asked:12.2f} s  {one.postures:8}  {one.followed * 1e3:8.2f} ms"
        for one in found
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table([measure(kind) for kind in ("tensions", "lengths")]))
