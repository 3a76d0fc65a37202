"""Inverse kinematics by eqs. (25) to (29): what it takes to move the plate, and how far steps of eq. (29) drift."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from taut.errors import TautError
from taut.kinetostatics.following import FollowedPath, follow
from taut.kinetostatics.tasks import PlatePosition, Task
from taut.kinetostatics.tension_tasks import TensionSum
from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, at_most
from taut.papers.drawing import magnitudes, panels
from taut.papers.paper import Picture
from taut.papers.prismatic import equations
from taut.papers.prismatic.cases import DURATION, RAMP, TURNS, pull, robot
from taut.papers.prismatic.equations import NODES
from taut.papers.prismatic.printed import root
from taut.papers.prismatic.tables import MEAN_ERROR, SWAPPED

CIRCLE = 0.03
"""[m] Radius of the plate's path."""

STEPS = (175, 350, 700, 1400)
"""Of eq. (29) over 35 s."""

USUAL = 350
"""0.1 s each."""


def place(time: float) -> tuple[float, float]:
    """x and y of the plate [m]: a circle, eased in."""
    share = min(time / RAMP, 1.0)
    radius = CIRCLE * share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    angle = 2.0 * np.pi * TURNS * (time - RAMP) / (DURATION - RAMP)
    return float(radius * np.cos(angle)), float(radius * np.sin(angle))


def corrected(bench: Bench) -> FollowedPath:
    """The circle with corrections, at every 0.2 s; the sum of active tensions stays, and z is left open."""
    total = TensionSum(("cable:a*",), 3.0 * SWAPPED["active"])

    def tasks(time: float) -> list[Task]:
        return [PlatePosition("top", (*place(time), None)), total]

    def found() -> FollowedPath:
        path = follow(robot(), tasks, np.linspace(0.0, DURATION, STEPS[0] + 1))
        if not path.ok:
            raise TautError(path.status)
        return path

    return bench.once("circle of 30 mm, corrected", found)


def drifted(bench: Bench, steps: int) -> np.ndarray:
    """(k, n, 3) [m] the same circle by steps of eq. (29), with the sum of tensions instead of z, at every 0.2 s."""

    def found() -> np.ndarray:
        q, pulled = root(bench), pull(**SWAPPED)
        times, told = np.linspace(0.0, DURATION, steps + 1), [equations.nodes(q)]
        for begin, end in pairwise(times):
            system = np.zeros((25, 25))
            system[:22, :22], system[:22, 22:] = equations.jacobian(q, pulled), equations.by_tension(q, pulled)
            system[22, 12] = system[23, 13] = 1.0
            system[24, 22:] = 1.0
            way = np.subtract(place(float(end)), place(float(begin)))
            step = np.linalg.solve(system, np.concatenate([np.zeros(22), way, [0.0]]))
            q, pulled = q + step[:22], equations.Pull(pulled.active + step[22:], pulled.passive)
            told.append(equations.nodes(q))
        every = steps // STEPS[0]
        return np.array([[nodes[name] for name in NODES] for nodes in told[::every]])

    return bench.once(f"eq. (29) in {steps} steps", found)


def drift(bench: Bench, steps: int) -> np.ndarray:
    """(k, n) distances of nodes from those of the corrected path [m]."""
    return np.asarray(np.linalg.norm(drifted(bench, steps) - corrected(bench).nodes, axis=2))


def _drift(bench: Bench) -> Measured:
    path = corrected(bench)
    return Measured(
        float(drift(bench, USUAL)[:, 3:].mean()),
        "(29) is a differential; steps of it leave the postures at first order, half as far with steps half as long, "
        "and nothing brings them back. The drift is of the size of Table 3. With Newton's corrections after each step "
        "errors are round-off.",
        {
            **{f"worst in {steps} steps [m]": float(drift(bench, steps).max()) for steps in STEPS},
            "corrected: worst error of the plate [m]": float(np.abs(path.error[:, :2]).max()),
            "corrected: corrections a step of 0.2 s": float(path.corrections[1:].mean()),
        },
    )


def _lift(bench: Bench) -> Measured:
    q, pulled = root(bench), pull(**SWAPPED)
    slopes, other = equations.jacobian(q, pulled), [k for k in range(22) if k not in (12, 13, 14)]
    matrix = np.concatenate([slopes[:, other], equations.by_tension(q, pulled)], axis=1)  # that of (29)
    tensions = -np.linalg.solve(matrix, slopes[:, 12:15])[19:] * 1e-3  # (3, 3) [N] for 1 mm along x, y, z
    return Measured(
        float(np.abs(tensions[:, 2]).max()),
        "All three active wires would have to pull more by this to lift the plate by a millimetre: tensions scarcely "
        "change its height, which bars and saddle fix. A measured z, good to a part of a millimetre, asks (29) for "
        "tens of newtons. x, y and the sum of active tensions can be prescribed instead.",
        {
            "for 1 mm along x [N]": float(np.abs(tensions[:, 0]).max()),
            "for 1 mm along y [N]": float(np.abs(tensions[:, 1]).max()),
            "condition number of the matrix of (29)": float(np.linalg.cond(matrix)),
            "condition number of dc/dq": float(np.linalg.cond(slopes)),
        },
    )


CLAIMS = (
    Claim(
        "eq29-lift",
        "eq. (29)",
        "It gives the tensions of active wires for a motion of the plate: for 1 mm upwards, where 90 N are there.",
        SWAPPED["active"],
        "N",
        at_most(),
        _lift,
    ),
    Claim(
        "eq29-drift",
        "eqs. (26), (29)",
        "Small steps by (29) lead along a path: here a circle of 30 mm in 350 steps of 0.1 s, mean distance of the "
        "moving nodes from where they should be. The paper's number is the mean of Table 3, of which this should be a "
        "small part.",
        MEAN_ERROR,
        "m",
        at_most(0.1),
        _drift,
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    (axes,) = panels(figure, ["worst distance of a node from its posture"], columns=1)
    lines = {f"{steps} steps": drift(bench, steps).max(axis=1) for steps in STEPS}
    magnitudes(axes, corrected(bench).times, lines, "[m]")
    axes.set_ylim(1e-5, 1e-2)


PICTURES = (
    Picture("eq29", "Eq. (29): how steps of it drift, by their number over 35 s.", ("eq29-drift",), _draw, (6.0, 3.0)),
)
