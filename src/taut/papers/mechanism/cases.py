"""Runs of the mechanism: its angles imposed, locked and kicked, or driven by torques; in nodes and in joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.papers.bench import Bench, Case
from taut.papers.mechanism import equations
from taut.papers.mechanism.equations import BEGIN, OVER
from taut.papers.mechanism.model import AT_END, AT_START, LEGS, SIDE, in_joints, in_nodes, place, platform
from taut.structure.corrections import Correction
from taut.structure.scenario import Drive, Scenario
from taut.structure.signals import CosineRamp

DURATION, EVERY = 10.0, 0.01
TIGHT = 1e-12
EXACT = Correction("constraints", tolerance=1e-16, iterations=20)
"""Constraints and their rates to round-off."""

KICK = np.array([0.5, -0.3, 0.4, 1.0, -0.8, 0.6, 0.9, -0.7, 0.5])
"""Rates of mu and of (alpha, beta) of each leg [m/s, rad/s]; a run brings them onto the constraints by mass."""

FORMS = ("nodes", "joints")


def drives(end: np.ndarray = AT_END, start: float = BEGIN, over: float = OVER) -> tuple[Drive, ...]:
    """Eq. (38) of the elbows, which are pi more than theta."""
    return tuple(
        Drive(
            f"motor{leg}", f"angle:theta{leg}", "angle", to=CosineRamp(float(np.pi + a), float(np.pi + b), start, over)
        )
        for leg, a, b in zip(LEGS, AT_START, end, strict=True)
    )


def _scenario(duration: float = DURATION, tolerance: float = TIGHT) -> Scenario:
    return Scenario(duration=duration, every=EVERY, method="dp8", tolerance=tolerance, correction=EXACT)


def imposed(form: str = "joints", tolerance: float = TIGHT) -> Case:
    """10 s of section 4.2.1."""
    scenario = replace(_scenario(tolerance=tolerance), drives=drives())
    name = f"mechanism-{form}-{tolerance:g}"
    if form == "nodes":
        return Case(name, in_nodes(), scenario)
    structure, joints = in_joints()
    return Case(name, structure, replace(scenario, joints=joints))


def kicked(form: str, damping: float = 0.0, duration: float = 5.0) -> Case:
    """Locked at psi_0, and pushed: what the imposed motion, slow as it is, hardly shows of inertia."""
    structure, joints = in_joints(damping=damping)
    names = {joint.name: joint for joint in joints}
    rates = {"mu1": KICK[:1], "mu": KICK[1:3], **{f"u{leg}": KICK[3 + 2 * k : 5 + 2 * k] for k, leg in enumerate(LEGS)}}
    joints = tuple(
        replace(joint, rates=tuple(map(float, rates[name]))) if name in rates else joint
        for name, joint in names.items()
    )
    locked = drives(AT_START)  # which the drives of the imposed motion are too, so that both share what is compiled
    scenario = replace(_scenario(duration), joints=joints, drives=locked)
    case = Case(f"mechanism-kick-{form}-{damping:g}", structure, scenario)
    if form == "joints":
        return case
    # What the first instant in joints, on the constraints, has as velocities of its nodes.
    first = replace(case, scenario=replace(scenario, duration=1e-3, every=1e-3))
    speeds = first.followed(first.plant()).velocities[0]
    velocities = {node: place(speed) for node, speed in zip(structure.nodes, speeds, strict=True)}
    velocities = {node: speed for node, speed in velocities.items() if any(speed)}
    return Case(
        case.name, in_nodes(damping=damping), replace(_scenario(duration), velocities=velocities, drives=locked)
    )


def middle(run: Trajectory) -> np.ndarray:
    """(T, 3) x [m]."""
    return platform(run.nodes, run.structure)


def reference(bench: Bench) -> equations.Motion:
    """The paper's own equations by scipy."""
    return bench.once("paper's equations, 10 s", lambda: equations.followed(DURATION, EVERY))


def sides(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """(T, 3) each: phi of eq. (10) [m^2] and its rate [m^2/s]."""
    names = list(run.structure.nodes)
    at = [names.index(f"C{leg}") for leg in LEGS]
    apart, rate = (part[:, at] - np.roll(part[:, at], -1, axis=1) for part in (run.nodes, run.velocities))
    return np.asarray((apart**2).sum(axis=2) - SIDE**2), np.asarray(2.0 * (apart * rate).sum(axis=2))
