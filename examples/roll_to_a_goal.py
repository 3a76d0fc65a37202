"""Roll a robot to a goal 5 m away round a box: measure what rolls come to, plan with it, plan again after each roll."""

from dataclasses import dataclass

import numpy as np

import taut
from taut.locomotion import (
    FacePolicy,
    RobotShape,
    Roll,
    RollNoise,
    RollPlanner,
    RollTransition,
    do_roll,
    measured_transitions,
)

STRUTS = tuple(f"bar:{axis}{number}" for axis in "xyz" for number in (1, 2))
GOAL, NEAR, MOST_ROLLS = (5.0, 0.0), 0.25, 80
BOX = taut.Box((2.5, 0.0, 0.2), (0.8, 1.6, 0.4))
NOISE = RollNoise(friction=(0.4, 0.8), velocity=0.05, changes=0.003)

ROLLS = (
    Roll(("x2b", "y2b", "z2b"), ("x2b", "y2b"), (-0.149, 0.025, -0.038, -0.059, -0.131, 0.104), -0.30),
    Roll(("x1b", "x2b", "z2b"), ("x2b", "z2b"), (0.128, 0.014, -0.023, 0.01, -0.017, 0.029), 0.04),
    Roll(("x1b", "x2b", "z2b"), ("x1b", "x2b"), (-0.127, -0.119, 0.144, -0.131, 0.039, 0.038)),
)
"""Changes of the struts [m], found by an evolution strategy (cma), to which misses of the face, the scatter of where
noisy trials end and what still moves then were costs: from a face of three cables over an edge; from one with a side
that no cable spans over an edge that a cable spans, and over that side. By symmetry these are all there are. Last, the
way that they go, as measured, from straight across the edge [rad]."""


@dataclass(frozen=True)
class Try:
    """reached: whether the goal was. path: (k, 2) [m] of the centre of mass, before and after each roll. as_planned: in
    how many rolls the face came up that was planned for."""

    reached: bool
    path: np.ndarray
    as_planned: int


def standing(face_down: str = "closed") -> taut.Structure:
    return taut.generators.six_strut_robot(face_down=face_down)


def measured(trials: int = 48, seed: int = 0) -> tuple[RollTransition, ...]:
    """What the rolls come to, of robots that stand on a closed and on an open face."""
    policy = FacePolicy(STRUTS, ROLLS)
    robots = [standing(kind) for kind in ("closed", "open")]
    return measured_transitions(
        RobotShape(standing()), robots, policy, trials=trials, noise=NOISE, seed=seed, threads=2
    )


def tries(found: tuple[RollTransition, ...], count: int = 10, seed: int = 0) -> list[Try]:
    """So many robots on their way, each with a start, a friction and errors of its own."""
    robot, draw = standing(), np.random.default_rng(seed)
    policy, shape = FacePolicy(STRUTS, ROLLS), RobotShape(robot)
    grounds = [taut.Ground("floor", friction=0.6), taut.Ground("box", BOX, friction=0.6)]
    plant = taut.assemble(robot, gravity=9.81, ground=grounds, drives=policy.drives(robot))
    batch = taut.start_many(plant, count, threads=2)
    planner = RollPlanner(shape, STRUTS, found, GOAL, near=NEAR, obstacles=[BOX])
    starts = np.array([_turned(robot.positions, angle) for angle in draw.uniform(-np.pi, np.pi, count)])
    batch.reset(
        positions=starts,
        velocities=NOISE.velocity * draw.normal(size=starts.shape),
        parameters={"ground:*.friction": np.repeat(draw.uniform(*NOISE.friction, (count, 1)), 2, axis=1)},
    )
    batch.step(0.4, np.zeros(6))
    paths: list[list[np.ndarray]] = [[] for _ in range(count)]
    right, expected, going = [0] * count, [frozenset[str]()] * count, [True] * count
    for _ in range(MOST_ROLLS + 1):
        changes = np.zeros((count, 6))
        for k in (k for k in range(count) if going[k]):
            pose = planner.pose(batch.nodes[k])
            paths[k].append(pose.place)
            right[k] += expected[k] == frozenset(pose.face)
            plan = planner.plan(pose)
            going[k] = not (planner.there(pose) or batch.ended[k]) and bool(plan.rolls)
            if going[k]:
                changes[k] = np.array(plan.rolls[0].changes) + NOISE.changes * draw.normal(size=6)
                expected[k] = frozenset(plan.faces[0])
        if not any(going):
            break
        do_roll(batch, policy, changes)
    reached = [np.linalg.norm(path[-1] - np.array(GOAL)) <= NEAR for path in paths]
    return [Try(bool(got), np.array(path), many) for got, path, many in zip(reached, paths, right, strict=True)]


def _turned(places: np.ndarray, angle: float) -> np.ndarray:
    """About the vertical through the origin."""
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(places @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]))


def draw_paths(done: list[Try], figure: str) -> None:
    """The paths of all tries, seen from above."""
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(9.0, 4.5), layout="constrained")
    low, size = np.array(BOX.centre[:2]) - 0.5 * np.array(BOX.size[:2]), BOX.size[:2]
    ax.add_patch(plt.Rectangle(tuple(low), *size, color="0.6"))
    ax.add_patch(plt.Circle(GOAL, NEAR, fill=False, color="tab:green", linewidth=2))
    for one in done:
        ax.plot(*one.path.T, ".-", linewidth=1, color="tab:blue" if one.reached else "tab:red", alpha=0.7)
    ax.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    reached = sum(one.reached for one in done)
    ax.set_title(f"{reached} of {len(done)} tries reach the goal; a dot before and after every roll")
    plt.savefig(figure)
    plt.close()


def main(count: int = 10, seed: int = 0, trials: int = 48, figure: str = "") -> list[Try]:
    """Measure, roll to the goal in so many tries, tell how they went."""
    found = measured(trials, seed)
    for one in found:
        first = one.outcomes[0]
        way = 100.0 * np.hypot(*first.shift[:2])
        print(
            f"{' '.join(one.roll.face)} over {' '.join(one.roll.over)}: {first.share:.0%} of {one.trials} onto "
            f"{' '.join(first.face)}, {way:.1f} cm, scatter {100.0 * first.scatter:.2f} cm and "
            f"{np.degrees(first.turn_scatter):.2f} deg"
        )
    done = tries(found, count, seed)
    for k, one in enumerate(done):
        rolls = len(one.path) - 1
        told = "reached the goal" if one.reached else "did not reach the goal"
        print(f"try {k}: {told} in {rolls} rolls, {one.as_planned} of them as planned")
    print(f"{sum(one.reached for one in done)} of {count} tries reached the goal")
    if figure:
        draw_paths(done, figure)
    return done


if __name__ == "__main__":
    main(figure="roll_to_a_goal.png")
