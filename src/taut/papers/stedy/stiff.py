"""Are compressible bars stiff? The T-bar by lengths and angles of its bars, followed by scipy (section 4).

A bar on its foot, of length l at the angle a, has T = (m/3 l'^2 + J a'^2) / 2 with J = m l^2 / 3 + m r^2 / 4 and
r = r0 (l / l0)^-nu. Nothing is shared with taut's own equations and methods.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, at_most
from taut.papers.paper import Picture
from taut.papers.stedy.cases import SHORT, TOLERANCE, upper_nodes
from taut.papers.stedy.minimal import BASE, LENGTH, STIFFNESS
from taut.papers.stedy.soft import MATERIALS, soft_case

RADIUS, DURATION = 0.05, 1.0
IMPLICIT, EXPLICIT = "Radau", "DOP853"


class Followed(NamedTuple):
    """Evaluations of the right-hand side, and x3 z3 x4 z4 at the samples, (T, 4) [m]."""

    evaluations: int
    places: np.ndarray


class ByAngles:
    """State: l, a and their rates, of both bars; the second is the mirror image of the first."""

    def __init__(self, material: str) -> None:
        made = MATERIALS[material]
        area = math.pi * RADIUS**2
        self.mass, self.spring = (made.density or 0.0) * area * LENGTH, (made.youngs_modulus or 0.0) * area / LENGTH
        self.power = -2.0 * (made.poisson_ratio or 0.0)

    def rate(self, t: float, y: np.ndarray) -> list[float]:
        (l3, a3, l4, a4), (dl3, da3, dl4, da4) = y[:4], y[4:]
        x3, z3, x4, z4 = _places(l3, a3, l4, a4)
        right, left, top = _pull(x3 - BASE, z3, 0.9), _pull(x4, z4, 0.9), _pull(x3 - x4, z3 - z4, 1.0)
        third, fourth = (right[0] + top[0], right[1] + top[1]), (left[0] - top[0], left[1] - top[1])
        bar3 = self._bar(l3, dl3, da3, *_turned(third[0], third[1], a3))
        bar4 = self._bar(l4, dl4, da4, *_turned(-fourth[0], fourth[1], a4))
        return [dl3, da3, dl4, da4, *bar3, *bar4]

    def _bar(self, length: float, parting: float, turning: float, along: float, across: float) -> tuple[float, float]:
        thick = self.mass * RADIUS**2 / 4.0 * (length / LENGTH) ** self.power
        inertia = self.mass * length**2 / 3.0 + thick
        slope = 2.0 * self.mass * length / 3.0 + self.power * thick / length
        pushed = along - self.spring * (length - LENGTH) + 0.5 * slope * turning**2
        return pushed / (self.mass / 3.0), (across * length - slope * parting * turning) / inertia

    def follow(self, method: str, tolerance: float) -> Followed:
        from scipy.integrate import solve_ivp

        times = np.arange(round(DURATION / SHORT[1]) + 1) * SHORT[1]
        start = np.array([LENGTH, math.pi / 4.0, LENGTH, math.pi / 4.0, 0.0, 0.0, 0.0, 0.0])
        found = solve_ivp(
            self.rate, (0.0, times[-1]), start, method=method, rtol=tolerance, atol=tolerance, t_eval=times
        )
        return Followed(int(found.nfev), np.stack(_places(*found.y[:4]), axis=1))


def _places(l3: float, a3: float, l4: float, a4: float) -> tuple[float, float, float, float]:
    return l3 * np.cos(a3), l3 * np.sin(a3), BASE - l4 * np.cos(a4), l4 * np.sin(a4)


def _pull(dx: float, dz: float, ratio: float) -> tuple[float, float]:
    """The force of a spring on the end that is at (dx, dz) from the other."""
    density = STIFFNESS * (1.0 - ratio * BASE / math.hypot(dx, dz))
    return -density * dx, -density * dz


def _turned(fx: float, fz: float, angle: float) -> tuple[float, float]:
    """Along the bar and across it."""
    c, s = math.cos(angle), math.sin(angle)
    return fx * c + fz * s, fz * c - fx * s


def compared(bench: Bench) -> dict[str, Followed]:
    """The explicit method at the paper's tolerance and at a much finer, and the loosest implicit run as good as it."""

    def found() -> dict[str, Followed]:
        tbar = ByAngles("HDPE")
        exact, explicit = tbar.follow(EXPLICIT, 1e-13), tbar.follow(EXPLICIT, TOLERANCE)
        for tolerance in (1e-7, 1e-8, 1e-9, TOLERANCE):
            implicit = tbar.follow(IMPLICIT, tolerance)
            if _off(implicit, exact) <= _off(explicit, exact):
                break
        return {"exact": exact, EXPLICIT: explicit, IMPLICIT: implicit}

    return bench.once("compressible T-bar by lengths and angles", found)


def _off(run: Followed, exact: Followed) -> float:
    return float(np.abs(run.places - exact.places).max())


def _stiff(bench: Bench) -> Measured:
    runs = compared(bench)
    exact = runs["exact"]
    ours = upper_nodes(bench.run(soft_case("HDPE")))[: len(exact.places)]
    return Measured(
        runs[IMPLICIT].evaluations / runs[EXPLICIT].evaluations,
        "The bars ring undamped and are set ringing at the start, so the ringing is part of the motion and every "
        "method has to follow it: steps are short for accuracy, not for stability. Here scipy's Radau, for stiff "
        "equations, at the loosest tolerance at which it is as accurate as scipy's explicit DOP853 at 1e-10, both on "
        "equations in lengths and angles written for this alone. Radau's Jacobians and factors are not even counted. "
        "The authors' MATLAB solver is not here.",
        {
            **{f"{method}: evaluations in 1 s": float(runs[method].evaluations) for method in (IMPLICIT, EXPLICIT)},
            **{f"{method}: error in 1 s [m]": _off(runs[method], exact) for method in (IMPLICIT, EXPLICIT)},
            "taut, dp8, 1e-10: error in 1 s [m]": float(np.abs(ours - exact.places).max()),
        },
    )


CLAIMS = (
    Claim(
        "sec4-stiff",
        "section 4",
        "Compressible bars make the problem stiff, so that a solver for stiff equations is needed: it has less to do "
        "than an explicit one for the same error, HDPE.",
        1.0,
        "work ratio",
        at_most(),
        _stiff,
    ),
)

PICTURES: tuple[Picture, ...] = ()
