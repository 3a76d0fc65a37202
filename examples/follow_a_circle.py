"""Let a robot of wires go, see it ring or fall as its posture says; then lead its plate around a circle at 1 kHz."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import least_squares

import taut
from taut.kinetostatics import FollowedPath, PlatePosition, PostureSolver, Robot, TensionSum, follow, posture

HELD = taut.read_model(Path(__file__).with_name("prismatic.yaml")).structure  # active wires held, passive ones sprung
PULLED = HELD.changed("cable:a*", mode="tension", command=90.0).changed("cable:p*", mode="tension", command=65.0)
ACTIVE = ("cable:a1", "cable:a2", "cable:a3")
GRAVITY = 9.80665
RATE = 1000.0  # [Hz]


class LetGo(NamedTuple):
    """Squares of frequencies of modes, below zero where they grow [1/s^2]: as computed at rest, and as in the run."""

    computed: np.ndarray
    seen: np.ndarray


def let_go(structure: taut.Structure, count: int, aside: float, duration: float) -> LetGo:
    """Release a robot in a posture that is slightly wrong, by so much [m] along each of its lowest modes."""
    rest = posture(Robot(structure, ACTIVE, GRAVITY))
    modes = taut.modes(rest, count=3 * len(structure.nodes))
    wrong = sum(aside * shape / abs(shape).max() for shape in modes.shapes[:count])
    plant = taut.assemble(structure.placed(rest.structure.positions + wrong), gravity=GRAVITY)
    run = taut.simulate(plant, duration, every=0.02, tolerance=1e-10, verify=False)
    moved = (run.nodes - rest.structure.positions).reshape(run.time.size, -1)
    parts = np.linalg.lstsq(modes.shapes.reshape(len(modes.shapes), -1).T, moved.T, rcond=None)[0]
    seen = [fitted(run.time, part, start) for part, start in zip(parts, modes.eigenvalue[:count], strict=False)]
    return LetGo(modes.eigenvalue[:count], np.array(seen))


def fitted(time: np.ndarray, part: np.ndarray, start: float) -> float:
    """The number s for which a part of a motion is nearest to a solution of part'' = -s part."""

    def left(ratio: np.ndarray) -> np.ndarray:
        root = np.emath.sqrt(start * ratio[0])
        waves = np.stack([np.cos(root * time), np.sin(root * time) / root], axis=1).real
        return part - waves @ np.linalg.lstsq(waves, part, rcond=None)[0]

    part = part / abs(part).max()
    return start * least_squares(left, [1.0], x_scale=1e-3, xtol=1e-14, ftol=1e-14, gtol=1e-14).x[0]


class Led(NamedTuple):
    """Farthest from the path [m]: the plate in motion, and where its wires would hold it at rest. left: [N, m] in the
    worst of all postures, which were solved by two steps of Newton's method each."""

    moving: float
    resting: float
    left: float
    speed: float  # [m/s] the greatest


def place(share: float, radius: float) -> tuple[float, float]:
    """After a share of the time: a circle through the origin, from rest to rest."""
    angle = 2.0 * np.pi * share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    return radius * (np.cos(angle) - 1.0), radius * np.sin(angle)


def planned(radius: float, samples: int = 101) -> FollowedPath:
    """The lengths of the active wires along the circle; their tensions add up to what they are at its start."""

    def tasks(share: float) -> list:
        return [PlatePosition("top", (*place(share, radius), None)), TensionSum(("cable:a*",), 270.0)]

    return follow(Robot(HELD, ACTIVE, GRAVITY), tasks, np.linspace(0.0, 1.0, samples))


def led(duration: float, radius: float) -> Led:
    """Wind the active wires as planned, every millisecond, and look where the plate is."""
    plan = planned(radius)
    lengths = CubicSpline(plan.times, plan.values)
    winches = [
        taut.Drive(name, name, "length", to=taut.Command(start=float(value)))
        for name, value in zip(ACTIVE, plan.values[0], strict=True)
    ]
    plant = taut.assemble(HELD, gravity=GRAVITY, drives=winches)
    sim = taut.start(plant, observe=["node:2*.position"], tolerance=1e-6, keep=False)
    robot = Robot(HELD, ACTIVE, GRAVITY)
    solver = PostureSolver(robot, posture(robot))
    moving, resting, left, count = 0.0, 0.0, 0.0, round(duration * RATE)
    path = [place(k / count, radius) for k in range(count + 1)]
    for k in range(1, count + 1):
        values = lengths(k / count)
        left = max(left, solver.solve(values))
        centre = sim.step(1.0 / RATE, values).reshape(3, 3).mean(axis=0)
        moving = max(moving, np.hypot(*(centre[:2] - path[k])))
        resting = max(resting, np.hypot(*(solver.positions[9:].mean(axis=0)[:2] - path[k])))
    speed = RATE * np.linalg.norm(np.diff(path, axis=0), axis=1).max()
    return Led(float(moving), float(resting), left, float(speed))


def main(durations: tuple[float, ...] = (15.0, 30.0), radius: float = 0.02) -> tuple[LetGo, LetGo, list[Led]]:
    """Print frequencies, growth and distances from the circle, and return them."""
    ringing, falling = let_go(HELD, 14, 2e-6, 6.0), let_go(PULLED, 2, 1e-7, 1.5)
    print("lengths held, mode:   computed      seen [Hz]")
    for k, (one, other) in enumerate(np.sqrt(np.array(ringing)).T / (2.0 * np.pi), 1):
        print(f"{k:19}{one:12.6f}{other:12.6f}")
    print("tensions held, it falls as exp(s t): computed, seen [1/s]")
    for one, other in np.sqrt(-np.array(falling)).T:
        print(f"{one:31.6f}{other:12.6f}")
    every = []
    for duration in durations:
        every.append(one := led(duration, radius))
        print(
            f"once around {1e3 * radius:g} mm in {duration:g} s, at most {1e3 * one.speed:.3g} mm/s: within "
            f"{1e3 * one.moving:.3g} mm; at rest its wires would hold it within {1e3 * one.resting:.2g} mm"
        )
    return ringing, falling, every


if __name__ == "__main__":
    main()
