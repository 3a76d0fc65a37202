"""One gait on a flat floor and on a rough one: how far it goes, and how far copies that differ by noise spread."""

import numpy as np

import taut
from taut.locomotion import SinusoidGait, measures_of

PHASES = (2.91, 6.2, 3.93, 0.03, 5.87, 3.7)
"""Of examples/rolling.yaml."""


def rough(height: float, seed: int, spacing: float = 0.25, side: float = 16.0) -> taut.Terrain:
    """Random heights [m] of this standard deviation, level at the start."""
    count = round(side / spacing) + 1
    heights = height * np.random.default_rng(seed).normal(size=(count, count))
    places = -0.5 * side + spacing * np.arange(count)
    heights *= np.hypot(*np.meshgrid(places, places)) > 0.6
    return taut.Terrain.of(heights, spacing, (-0.5 * side, -0.5 * side))


def main(
    heights: tuple[float, ...] = (0.0, 0.01, 0.02), copies: int = 24, duration: float = 10.0, seed: int = 0
) -> dict[float, np.ndarray]:
    """Print mean distance with its standard error, and the spread; return the distances of all copies."""
    robot = taut.generators.six_strut_robot()
    gait = SinusoidGait(tuple(f"bar:{name}" for name in robot.bars), 0.1, 0.95, PHASES)
    found = {}
    for height in heights:
        shape = rough(height, seed) if height else taut.Plane()
        floor = taut.Ground("floor", shape, friction=0.6)
        plant = taut.assemble(robot, gravity=9.81, ground=[floor], drives=gait.drives(robot))
        options = {"noise": {"drive:*.phase": 0.01, "velocities": 0.01}, "every": 0.02, "fields": ("contact_state",)}
        got = measures_of(taut.rollout(plant, {}, duration, seeds=range(copies), **options))
        ways, changes = got.distance[got.ok], got.face_changes[got.ok]
        error = ways.std(ddof=1) / np.sqrt(ways.size)
        print(
            f"heights of {100.0 * height:g} cm: {ways.mean():.2f} +- {error:.2f} m in {duration:g} s, spread "
            f"{ways.std(ddof=1):.2f} m, {changes.mean():.1f} face changes, {ways.size} of {copies} copies"
        )
        found[height] = ways
    return found


if __name__ == "__main__":
    main()
