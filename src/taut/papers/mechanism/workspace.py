"""What the platform reaches (section 4.2.1): by statics of the springs, as a map of targets, and in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.kinetostatics.reach_maps import ReachMap, reach
from taut.papers.bench import Bench
from taut.papers.drawing import panels
from taut.papers.mechanism.kinematics import PlatformAt, angles_in_closed_form, angles_of, robot
from taut.papers.mechanism.model import END, START, STRUT, feet
from taut.papers.paper import Picture

ACROSS, UP = np.linspace(-1.2, 2.0, 9), np.linspace(0.4, 2.8, 9)
"""[m] x and z of targets in the plane y of x_0."""


def reached(bench: Bench) -> tuple[ReachMap, np.ndarray]:
    """Targets that some lengths of struts lead to, and which of them elbows can have: 0 < |theta| < pi."""

    def tasks(x: float, z: float) -> list[PlatformAt]:
        return [PlatformAt((float(x), float(START[1]), float(z)))]

    found = bench.once("targets of the platform", lambda: reach(robot(), {"x": ACROSS, "z": UP}, tasks))
    within = np.nan_to_num(found.values, nan=np.inf).max(axis=-1) < 2.0 * STRUT
    return found, found.reached & within


def compared(bench: Bench) -> dict[str, float]:
    """The map beside the closed form."""
    found, within = reached(bench)
    places = [np.array([x, START[1], z]) for x in ACROSS for z in UP]
    closed = np.array([np.isfinite(conditioning(place)) for place in places])
    off = [
        np.abs(angles_of(values) - angles_in_closed_form(place)).max()
        for values, place, yes in zip(found.values.reshape(-1, 3), places, within.ravel(), strict=True)
        if yes
    ]
    return {
        f"of {within.size} targets, reached by statics": int(within.sum()),
        "the same in closed form": int(closed.sum()),
        "targets on which the two differ": int((closed != within.ravel()).sum()),
        "theta by statics against the closed form [rad]": float(max(off)),
    }


def conditioning(x: np.ndarray) -> float:
    """How much larger an error of theta is, as a part of a radian, than that of rho as a part of it: the larger of
    |d ln rho / d theta| and its inverse over the legs; NaN out of reach."""
    base = feet()
    spans = np.linalg.norm(x + base.mean(axis=0) - 2.0 * base, axis=1)
    if np.any(spans >= 2.0 * STRUT) or np.any(spans <= 0.0):
        return float("nan")
    half = np.arccos(spans / (2.0 * STRUT))
    slopes = 0.5 * np.tan(half)
    return float(max(slopes.max(), 1.0 / slopes.min()))


def _draw(bench: Bench, figure: Any) -> None:
    """What of a level plane the platform reaches with 0 < |theta| < pi, and how well conditioned eq. (1) is there."""
    left, right = panels(figure, ["largest condition number of eq. (1)", "the same, through x_0 and x_F"])
    across = np.linspace(-1.6, 2.3, 120)
    for axes, level in ((left, None), (right, START[2])):
        up = np.linspace(0.1, 2.9, 110) if level is None else np.linspace(-1.8, 2.2, 110)
        values = np.full((up.size, across.size), np.nan)
        for i, v in enumerate(up):
            for j, x in enumerate(across):
                place = np.array([x, START[1], v] if level is None else [x, v, level])
                values[i, j] = conditioning(place)
        shown = axes.contourf(across, up, np.clip(values, None, 5.0), levels=np.linspace(0.0, 5.0, 11), cmap="viridis")
        figure.colorbar(shown, ax=axes)
        axes.plot([START[0], END[0]], [START[2], END[2]] if level is None else [START[1], END[1]], "r.-", linewidth=0.8)
        axes.set_xlabel("x [m]")
        axes.set_ylabel("z [m]" if level is None else "y [m]")
        axes.set_aspect("equal")
    _, within = reached(bench)
    x, z = np.meshgrid(ACROSS, UP, indexing="ij")
    left.plot(x[within], z[within], "w.", markersize=3)
    left.plot(x[~within], z[~within], "kx", markersize=3, linewidth=0.5)


PICTURES = (
    Picture(
        "workspace",
        "Section 4.2.1: what the platform reaches, and where theta is too near 0 or pi; the way of eq. (38) is red. "
        "Dots and crosses are targets that statics reach, and do not, with 0 < |theta| < pi.",
        ("sec4-start", "psi-first", "psi-second", "psi-third"),
        _draw,
        (8.0, 3.4),
    ),
)
