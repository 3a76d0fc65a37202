"""What 1 % of a displacement costs on the ground, and what rests on a slope: taut's impulses beside MuJoCo.

The six-strut robot with damped cables stands on its face, settled, and is pushed at 1 m/s: it slides to a stop and
trembles on the way, but does not tip, so that where it comes to rest does not hang on the last digit. How far it goes
in two seconds is compared with taut's own at a step of 10 us. MuJoCo's contacts are as firm as its steps allow, two of
them, since with its usual 20 ms it slides less than half as far; rolling on the balls is prevented by bars that hardly
turn about themselves. Then gravity leans by 10 degrees, and what stands still should not move.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import taut
from benchmarks.contact_steps import GRAVITY, least, looped, robot
from benchmarks.six_strut_in_mujoco import AVAILABLE, InMujoco

SPEED, FRICTION, DURATION = (1.0, 0.0, 0.0), 0.3, 2.0
REFERENCE = 1e-5
ALLOWED = 0.01
STEPS = {
    "taut": (1e-3, 2e-3, 4e-3, 5e-3, 8e-3, 1e-2, 1.25e-2),
    "MuJoCo": (2e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 4e-3, 5e-3),
}
SLOPE, ROUGH, SETTLED, STOOD = 10.0, 0.6, 3.0, 5.0
"""[degrees], friction, and for how long it may settle there before it is watched, and is [s]."""


class Slide(NamedTuple):
    """By which engine, with which step [s], how far [m], how wrong, and CPU milliseconds for a simulated second."""

    engine: str
    step: float
    way: float
    error: float
    milliseconds: float


class Drift(NamedTuple):
    """[m], of the node on the slope that moved most."""

    engine: str
    moved: float


def settled(duration: float = 8.0) -> taut.Structure:
    """The robot on its face, at rest under its weight."""
    made = robot(0.0, askew=0.0, damping=20.0)
    plant = taut.assemble(made, gravity=GRAVITY, ground=[taut.Ground("floor", friction=FRICTION)])
    rest = taut.simulate(plant, duration, every=duration, method="impulses", step=1e-3, verify=False)
    places = {name: tuple(map(float, place)) for name, place in zip(made.nodes, rest.nodes[-1], strict=True)}
    return taut.Structure(places, made.bars.values(), made.cables.values())


def taut_slide(made: taut.Structure, step: float) -> Callable[[], np.ndarray]:
    """What follows the push, and gives the places of nodes in which it ends."""
    plant = taut.assemble(
        made,
        gravity=GRAVITY,
        ground=[taut.Ground("floor", friction=FRICTION)],
        velocities=dict.fromkeys(made.nodes, SPEED),
    )
    work = looped(plant, "impulses", step, DURATION)
    return lambda: work()[: plant.coordinates].reshape(-1, 3)


def mujoco_slide(made: taut.Structure, step: float) -> Callable[[], np.ndarray]:
    places = made.positions
    speeds = np.tile(SPEED, (len(places), 1))
    model = InMujoco(made, places, speeds, GRAVITY, axial=1.0, friction=FRICTION, firm=2.0 * step)
    return lambda: model.follow("Euler", step, DURATION, 1)[-1]


def slid(made: taut.Structure, work: Callable[[], np.ndarray], turns: int) -> tuple[float, float]:
    """How far the middle goes [m], and CPU milliseconds a simulated second."""
    went = np.linalg.norm((work() - made.positions).mean(axis=0)[:2])
    return float(went), 1e3 * least(work, turns) / DURATION


def slides(
    made: taut.Structure, steps: dict[str, tuple[float, ...]], reference: float = REFERENCE, turns: int = 7
) -> list[Slide]:
    true, _ = slid(made, taut_slide(made, reference), 1)
    found = []
    for engine, run in (("taut", taut_slide), ("MuJoCo", mujoco_slide)):
        for step in steps[engine] if engine == "taut" or AVAILABLE else ():
            way, cost = slid(made, run(made, step), turns)
            found.append(Slide(engine, step, way, abs(way / true - 1.0), cost))
    return found


def drifts(made: taut.Structure, settle: float = SETTLED, stand: float = STOOD) -> list[Drift]:
    """With steps of 1 ms."""
    lean = np.radians(SLOPE)
    pull = tuple(map(float, GRAVITY * np.array([np.sin(lean), 0.0, -np.cos(lean)])))
    low = made.positions[:, 2] < 1e-3
    plant = taut.assemble(made, gravity=pull, ground=[taut.Ground("slope", friction=ROUGH)])
    run = taut.simulate(plant, settle + stand, every=settle + stand, method="impulses", step=1e-3, verify=False)
    begun = taut.simulate(plant, settle, every=settle, method="impulses", step=1e-3, verify=False)
    found = [Drift("taut impulses", float(np.abs(run.nodes[-1] - begun.nodes[-1])[low].max()))]
    for name, firm in (("MuJoCo, as it comes", None), ("MuJoCo, firm", 2e-3)) if AVAILABLE else ():
        still = np.zeros_like(made.positions)
        model = InMujoco(made, made.positions, still, pull, axial=1.0, friction=ROUGH, firm=firm)
        before, after = (model.follow("Euler", 1e-3, time, 1)[-1] for time in (settle, settle + stand))
        found.append(Drift(name, float(np.abs(after - before)[low].max())))
    return found


def slide_table(found: list[Slide]) -> str:
    rows = "\n".join(
        f"| {one.engine} | {1e3 * one.step:g} | {one.way:.5f} | {100.0 * one.error:.2f} % | {one.milliseconds:.3f} |"
        for one in found
    )
    head = "| slides to a stop | step [ms] | way [m] | error | CPU ms a simulated second |\n|---|---|---|---|---|\n"
    best = {}
    for engine in ("taut", "MuJoCo"):
        good = [one for one in found if one.engine == engine and one.error <= ALLOWED]
        if good:
            best[engine] = min(good, key=lambda one: one.milliseconds)
    told = [f"{name}: 1 % with steps of {1e3 * one.step:g} ms" for name, one in best.items()]
    if len(best) == 2:
        told.append(f"taut takes {best['MuJoCo'].milliseconds / best['taut'].milliseconds:.1f} times less CPU")
    return head + rows + "\n\n" + "; ".join(told)


def drift_table(found: list[Drift]) -> str:
    rows = "\n".join(f"| {one.engine} | {one.moved:.1e} |" for one in found)
    return f"| {STOOD:g} s on {SLOPE:g} degrees, friction {ROUGH:g} | moved [m] |\n|---|---|\n{rows}"


def report() -> str:
    made = settled()
    return slide_table(slides(made, STEPS)) + "\n\n" + drift_table(drifts(made))


if __name__ == "__main__":
    print(report())
