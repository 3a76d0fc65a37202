"""The T-bar with compressible bars in the coordinates x3 z3 x4 z4, from its energies alone.

A bar of mass m, length l and radius r = r0 (l / l0)^-nu has the kinetic energy of its middle, of its turning (half of
m / 12 + m r^2 / (4 l^2) times the square of how fast its ends move apart across it) and of its stretching (m / 24 times
the square of the rate of its length); it is a spring of E pi r0^2 / l0.
"""

from __future__ import annotations

import math

import numpy as np

from taut import LagrangianPlant

HEIGHT = 5.0 / math.sqrt(2.0)
FEET = (np.array([0.0, 0.0]), np.array([HEIGHT, 0.0]))
NAMES = ("x3", "z3", "x4", "z4")
RADIUS, LENGTH = 0.05, 5.0

Springs = tuple[float, float]
"""Stiffness [N/m], and rest length / height of the square for the verticals."""

PAPER: Springs = (100.0, 0.9)
NYLON: Springs = (2e9 * math.pi * 1e-3**2 / HEIGHT, 1.0)
"""Of the authors' script for Table 2: strings of 1 mm radius without prestress, so the T-bar stands as a square."""

Material = tuple[float, float, float]
HDPE: Material = (1e9, 960.0, 0.46)
ALUMINIUM: Material = (200e9, 2700.0, 0.30)
"""Young's modulus [Pa] (that of the authors' script), density [kg/m^3], Poisson's ratio."""


def tops(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return q[:2], q[2:]


def springs(q: np.ndarray, ratio: float) -> list[tuple[np.ndarray, float, np.ndarray]]:
    """Span, rest length and d span / dq of the right, top and left springs; the fourth cannot move."""
    third, fourth = tops(q)
    one, none = np.eye(2), np.zeros((2, 2))
    return [
        (third - FEET[1], ratio * HEIGHT, np.hstack([one, none])),
        (fourth - third, HEIGHT, np.hstack([-one, one])),
        (FEET[0] - fourth, ratio * HEIGHT, np.hstack([none, -one])),
    ]


def tbar(
    material: Material, kind: Springs = PAPER, damping: float = 0.0, q: np.ndarray | None = None
) -> LagrangianPlant:
    (modulus, density, nu), (spring, ratio) = material, kind
    mass = density * math.pi * RADIUS**2 * LENGTH
    stiffness = modulus * math.pi * RADIUS**2 / LENGTH

    def spans(q: np.ndarray) -> list[np.ndarray]:
        return [top - foot for top, foot in zip(tops(q), FEET, strict=True)]

    def inertia(q: np.ndarray) -> np.ndarray:
        whole = np.zeros((4, 4), dtype=np.asarray(q).dtype)
        for k, span in enumerate(spans(q)):
            length = np.sqrt(span @ span)
            unit = span / length
            radius = RADIUS * (length / LENGTH) ** -nu
            along = np.outer(unit, unit)
            turning = mass / 12.0 + mass * radius**2 / (4.0 * length**2)
            block = mass / 4.0 * np.eye(2) + turning * (np.eye(2) - along) + mass / 12.0 * along
            whole[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = block
        return whole

    def potential(q: np.ndarray) -> complex:
        stretches = [np.sqrt(span @ span) - LENGTH for span in spans(q)]
        pulls = [np.sqrt(span @ span) - rest for span, rest, _ in springs(q, ratio)]
        return 0.5 * stiffness * sum(s * s for s in stretches) + 0.5 * spring * sum(s * s for s in pulls)

    def drag(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        total = np.zeros(4)
        for span, _, slope in springs(q, ratio):
            unit = span / np.linalg.norm(span)
            total -= damping * (unit @ slope @ v) * (unit @ slope)
        return total

    return LagrangianPlant(
        NAMES,
        inertia,
        potential,
        np.array([HEIGHT, HEIGHT, 0.0, HEIGHT]) if q is None else q,
        np.zeros(4),
        load=drag if damping else None,
        damped=bool(damping),
        size=HEIGHT,
        name="compressible T-bar",
    )


def at_rest(material: Material, kind: Springs = PAPER, damping: float = 0.0) -> LagrangianPlant:
    """The same where it stands, by Newton's method on complex steps and differences of its potential."""
    plant = tbar(material, kind)
    q = np.asarray(plant.positions, dtype=float)
    for _ in range(30):
        slopes = plant.linearised(q, np.zeros(4), 0.0, "rest_length")
        q = q + np.linalg.solve(slopes.stiffness, slopes.mass @ slopes.acceleration)
    return tbar(material, kind, damping, q)
