"""What a ground that gives way does: who creeps on a slope, how far it is from a rigid ground, and what its books lose.

Prints the numbers of docs/decisions/contact.md.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import taut
from benchmarks.contact_steps import GRAVITY, robot
from taut.structure.grounds import FRICTION_LAWS


def drift(law: str, uphill: float) -> float:
    """[m] down a slope of 10 degrees from 2 to 7 s, friction 0.6, rk4 at 1 ms; thrown uphill [m/s] at the start."""
    angle = np.radians(10.0)
    down = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    soft = taut.Compliance(friction_law=law)
    ground = taut.Ground("slope", taut.Plane((np.sin(angle), 0.0, np.cos(angle))), friction=0.6, compliance=soft)
    point = taut.Structure({"a": (0.0, 0.0, 0.0)}, point_masses={"a": 1.0})
    thrown = {"a": (-uphill * down[0], 0.0, -uphill * down[2])}
    plant = taut.assemble(point, gravity=GRAVITY, ground=[ground], velocities=thrown)
    run = taut.simulate(plant, 7.0, every=1.0, method="rk4", step=1e-3, verify=False)
    return float((run.nodes[7, 0] - run.nodes[2, 0]) @ down)


def from_rigid(friction: float, pushed: float, stiffness: float) -> float:
    """[m] A bar of 1 m and 2 kg falls over with an end on the floor, pushed along it [m/s]: after 0.3 s."""
    ends = {"a": (0.0, 0.0, 0.0), "b": (float(np.cos(1.0)), 0.0, float(np.sin(1.0)))}
    bar = taut.Structure(ends, [taut.Bar("ab", ("a", "b"), mass=2.0)])
    soft = taut.Compliance(stiffness=stiffness, damping=float(np.sqrt(0.5 * stiffness)))
    found = []
    for compliance, options in ((None, {"method": "impulses", "step": 1e-5}), (soft, {"method": "dp8"})):
        ground = taut.Ground("floor", friction=friction, compliance=compliance)
        velocities = dict.fromkeys("ab", (-pushed, 0.0, 0.0))
        plant = taut.assemble(bar, gravity=GRAVITY, ground=[ground], velocities=velocities)
        found.append(taut.simulate(plant, 0.3, every=0.3, verify=False, **options).nodes[-1])  # type: ignore[arg-type]
    return float(np.abs(found[0] - found[1]).max())


def lost(tolerance: float) -> tuple[float, float]:
    """[J] by which energy less work changes, and the work, of the robot that falls on random hills: 0.5 s of dp8."""
    heights = np.random.default_rng(1).uniform(0.0, 0.1, (8, 8)).tolist()
    hills = taut.Terrain(tuple(map(tuple, heights)), (0.25, 0.25), (-0.8, -0.8))
    ground = taut.Ground("hills", hills, compliance=taut.Compliance())
    plant = taut.assemble(robot(0.15, damping=5.0), gravity=GRAVITY, ground=[ground])
    options = {"method": "dp8", "tolerance": tolerance, "correction": "constraints", "verify": False}
    run = taut.simulate(plant, 0.5, every=0.01, **options)  # type: ignore[arg-type]
    return float(np.abs(run.energy_violation).max()), float(run.work[-1])


def lines() -> Iterator[str]:
    for law in FRICTION_LAWS:
        yield f"drift in 5 s, {law}: {1e3 * drift(law, 0.0):.3g} mm, thrown uphill {1e3 * drift(law, 1.0):.3g} mm"
    for words, friction, pushed in (
        ("smooth", 0.0, 0.0),
        ("sticks", 1.0, 0.0),
        ("slides", 0.3, 1.0),
        ("slips", 0.3, 0.0),
    ):
        apart = ", ".join(f"{from_rigid(friction, pushed, k):.2e}" for k in (1e5, 1e6, 1e7))
        yield f"from the rigid ground at 1e5, 1e6, 1e7 N/m, {words}: {apart} m"
    for tolerance in (1e-8, 1e-10, 1e-12):
        off, work = lost(tolerance)
        yield f"energy less work on hills at {tolerance:g}: {off:.1e} J of {-work:.2g} J lost"


if __name__ == "__main__":
    for line in lines():
        print(line)
