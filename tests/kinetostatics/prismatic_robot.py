"""The prismatic robot as a Robot, and its reference results."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import taut
from taut.kinetostatics import Robot, posture

ROOT = Path(__file__).parents[2]
POSTURE = np.load(ROOT / "tests" / "data" / "posture_sa90_sp65.npz")
CIRCLE = np.load(ROOT / "tests" / "data" / "ik_circle_sa90_sp65.npz")  # every tenth sample of the reference
GRAVITY = 9.80665


@cache
def structure(active: str = "tension", passive: str = "tension") -> taut.Structure:
    made = taut.read_model(ROOT / "examples" / "prismatic.yaml").structure
    if active == "tension":
        made = made.changed("cable:a*", mode="tension", command=90.0)
    if passive == "tension":
        made = made.changed("cable:p*", mode="tension", command=65.0)
    if passive == "length":
        made = made.changed("cable:p*", mode="length", command=float(POSTURE["Lp"][0]))
    return made


@cache
def robot(active: str = "tension", passive: str = "tension", inputs: tuple[str, ...] = ("cable:a*",)) -> Robot:
    return Robot(structure(active, passive), inputs, gravity=GRAVITY)


def around(positions: np.ndarray, spread: float, seed: int) -> np.ndarray:
    """Every node shifted by so much in some direction."""
    way = np.random.default_rng(seed).normal(size=positions.shape)
    return np.asarray(positions + spread * way / np.linalg.norm(way, axis=1)[:, None])


@cache
def posture_of(active: str, passive: str) -> taut.Equilibrium:
    return posture(robot(active, passive))
