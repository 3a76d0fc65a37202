"""What a posture costs: one after another in real time, and a map of ten thousand.

Alone: `OPENBLAS_NUM_THREADS=1 python -m benchmarks.postures`. CPU time; the robot is `examples/prismatic.yaml`, with
all tensions commanded (37 unknowns) and with lengths held (40).

A warm posture is `PostureSolver.solve` with new commands: exactly two steps of Newton's method from the posture before,
called from Python. The commands are those of inverse kinematics, a millisecond apart on the circle of 30 mm that the
plate goes around in 15 s; and ten times as fast, so that moves are ten times as long. What is left is the largest force
[N] that is unbalanced or length [m] that is off, of all postures.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

import taut
from taut.kinetostatics import PlatePosition, PostureSolver, Robot, TensionSum, follow, posture, workspace

EXAMPLE = Path(__file__).parents[1] / "examples" / "prismatic.yaml"
GRAVITY = 9.80665


RADIUS, TURN, STEP = 0.03, 15.0, 1e-3  # [m], [s], [s]


class Warm(NamedTuple):
    """Of one posture from the one before: CPU time, what was left of the worst, how far the plate went.
    [s, N or m, m]"""

    seconds: float
    left: float
    moved: float


@dataclass(frozen=True)
class Costs:
    """warm, fast: postures a millisecond apart, on the way and ten times as fast. mapped: CPU time of a whole map and
    of how many postures; asked: with stiffness and dexterity too. followed: of one sample of a path by inverse
    kinematics [s]."""

    kind: str
    unknowns: int
    warm: Warm
    fast: Warm
    mapped: float
    asked: float
    postures: int
    followed: float


def robots() -> dict[str, Robot]:
    held = taut.read_model(EXAMPLE).structure
    pulled = held.changed("cable:a*", mode="tension", command=90.0).changed("cable:p*", mode="tension", command=65.0)
    return {"tensions": Robot(pulled, ("cable:a*",), GRAVITY), "lengths": Robot(held, ("cable:a*",), GRAVITY)}


def on_circle(angle: float) -> list[PlatePosition | TensionSum]:
    where = (RADIUS * np.cos(angle), RADIUS * np.sin(angle), None)
    return [PlatePosition("top", where), TensionSum(("cable:a*",), 270.0)]


def warm(robot: Robot, commands: CubicSpline, speed: float, repeats: int) -> Warm:
    """Two steps of Newton's method each, along the circle."""
    angles = speed * 2.0 * np.pi * STEP / TURN * np.arange(repeats)
    values = [np.ascontiguousarray(one) for one in commands(angles % (2.0 * np.pi))]
    solver = PostureSolver(robot, posture(robot))
    for share in np.linspace(0.0, 1.0, 100):
        solver.solve(robot.values + share * (values[0] - robot.values), steps=10)
    left, begun = 0.0, time.process_time()
    for one in values:
        left = max(left, solver.solve(one, steps=2, tolerance=0.0))
    seconds = (time.process_time() - begun) / repeats
    ends = []
    for one in values[-2:]:
        solver.solve(one, steps=10)
        ends.append(solver.positions[9:].mean(axis=0))
    return Warm(seconds, left, float(np.linalg.norm(ends[1] - ends[0])))


def measure(kind: str, *, repeats: int = 2000, side: int = 22, samples: int = 101) -> Costs:
    robot = robots()[kind]
    angles = np.linspace(0.0, 2.0 * np.pi, samples)
    begun = time.process_time()
    path = follow(robot, on_circle, angles)
    followed = (time.process_time() - begun) / samples
    commands = CubicSpline(angles, path.values)
    first, fast = (warm(robot, commands, speed, repeats) for speed in (1.0, 10.0))
    reach = (4.0, 0.015)[kind == "lengths"]
    grid = {f"cable:a{k + 1}": robot.values[k] + np.linspace(-reach, reach, side) for k in range(3)}
    took = []
    for stiffness in (False, True):
        begun = time.process_time()
        found = workspace(robot, grid, stiffness=stiffness)
        took.append(time.process_time() - begun)
    unknowns = PostureSolver(robot).right.size
    return Costs(kind, unknowns, first, fast, took[0], took[1], int(found.found.sum()), followed)


def table(found: list[Costs]) -> str:
    lines = ["commanded  unknowns  warm posture  plate moves  worst left  ten times as far  worst left"]
    lines += [
        f"{one.kind:9}  {one.unknowns:8}  {one.warm.seconds * 1e6:9.1f} us  {one.warm.moved * 1e6:8.1f} um"
        f"  {one.warm.left:10.1e}  {one.fast.moved * 1e6:13.1f} um  {one.fast.left:10.1e}"
        for one in found
    ]
    lines += ["", "commanded  map         with stiffness  postures  path sample"]
    lines += [
        f"{one.kind:9}  {one.mapped:8.2f} s  {one.asked:12.2f} s  {one.postures:8}  {one.followed * 1e3:8.2f} ms"
        for one in found
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table([measure(kind) for kind in ("tensions", "lengths")]))
