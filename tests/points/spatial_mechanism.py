"""The spatial mechanism of Arsenault and Gosselin in nodes and in joints, from its drawing; nothing of the paper's
equations."""

from __future__ import annotations

import numpy as np

from taut import Angle, Bar, Cable, CosineRamp, Drive, Structure
from taut.mechanisms import Joint

SIDE, STRUT = np.sqrt(2.0) / 2.0, np.sqrt(2.0)
MASS, STIFFNESS, DAMPING = 2.5, 1000.0, 100.0
ALPHA, BETA, THETA = float(np.arctan2(np.sqrt(30.0), np.sqrt(6.0))), np.pi / 4.0, -np.pi / 2.0
ZETA = np.radians([30.0, 150.0, -90.0])
AT_END = np.radians([-70.55, -97.13, -84.01])
LEGS = ("1", "2", "3")


def frame(leg: int) -> np.ndarray:
    """Eq. (7)."""
    c, s = np.cos(ZETA[leg]), np.sin(ZETA[leg])
    return np.array([[c, 0.0, s], [s, 0.0, -c], [0.0, 1.0, 0.0]])


def vector(values: np.ndarray) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])


def places() -> dict[str, tuple[float, float, float]]:
    """At the start: elbows at right angles."""
    base = np.array([[0.0, 0.0, 0.0], [SIDE, 0.0, 0.0], [SIDE / 2.0, np.sqrt(3.0) / 2.0 * SIDE, 0.0]])
    found = {}
    for k, leg in enumerate(LEGS):
        first = np.array([np.cos(ALPHA) * np.cos(BETA), np.sin(ALPHA) * np.cos(BETA), -np.sin(BETA)])
        both = BETA + THETA
        second = np.array([np.cos(ALPHA) * np.cos(both), np.sin(ALPHA) * np.cos(both), -np.sin(both)])
        elbow = base[k] + STRUT * frame(k) @ first
        found |= {f"A{leg}": vector(base[k]), f"B{leg}": vector(elbow)}
        found[f"C{leg}"] = vector(elbow + STRUT * frame(k) @ second)
    return found


def members(damping: float) -> tuple[list[Bar], list[Cable]]:
    bars = [Bar(f"{name}{leg}", (f"{a}{leg}", f"{b}{leg}"), mass=MASS) for leg in LEGS for name, a, b in ("pAB", "dBC")]
    springs = [(f"A{i}", f"A{j}") for i, j in ("12", "23", "31")]
    springs += [(f"A{i}", f"C{j}") for i in LEGS for j in LEGS if i != j]
    cables = [Cable(a + b, (a, b), stiffness=STIFFNESS, rest_length=0.0, damping=damping) for a, b in springs]
    sides = [Cable(f"C{i}C{j}", (f"C{i}", f"C{j}"), rest_length=SIDE, mode="length") for i, j in ("12", "23", "31")]
    return bars, cables + sides


def elbows() -> list[Angle]:
    return [Angle.elbow(f"theta{leg}", (f"A{leg}", f"B{leg}", f"C{leg}")) for leg in LEGS]


def in_nodes(damping: float = DAMPING) -> Structure:
    """With universal joints at A as rows: the plane of a leg keeps the direction z_1 of its frame."""
    bars, cables = members(damping)
    ground = {"O": (0.0, 0.0, 0.0)}
    ground |= {f"Z{leg}": (float(np.sin(ZETA[k])), float(-np.cos(ZETA[k])), 0.0) for k, leg in enumerate(LEGS)}
    joints = [Angle.universal_joint(f"cross{leg}", (f"A{leg}", f"B{leg}", f"C{leg}"), ("O", f"Z{leg}")) for leg in LEGS]
    held = {"A1": "xyz", "A2": "yz", "A3": "z", **dict.fromkeys(ground, "xyz")}
    return Structure(places() | ground, bars, cables, angles=[*elbows(), *joints], supports=held)


def in_joints(damping: float = DAMPING) -> tuple[Structure, list[Joint]]:
    """The coordinates of the paper: mu, alpha, beta and theta."""
    bars, cables = members(damping)
    structure = Structure(places(), bars, cables, angles=elbows(), supports={"A1": "xyz"})
    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    joints = [
        Joint("mu1", "A2", ("A2",), slides=(x,), values=(float(SIDE),)),
        Joint("mu", "A3", ("A3",), slides=(x, y), values=(float(SIDE / 2.0), float(np.sqrt(3.0) / 2.0 * SIDE))),
    ]
    for k, leg in enumerate(LEGS):
        first = vector(frame(k) @ [0.0, 0.0, 1.0])
        second = vector(frame(k) @ [-np.sin(ALPHA), np.cos(ALPHA), 0.0])
        on = (None, "mu1", "mu")[k]
        joints.append(Joint.universal(f"u{leg}", f"A{leg}", (first, second), (f"B{leg}",), on=on, values=(ALPHA, BETA)))
        joints.append(Joint.revolute(f"theta{leg}", f"B{leg}", second, (f"C{leg}",), on=f"u{leg}", value=THETA))
    return structure, joints


def imposed() -> list[Drive]:
    """Eq. (38) for the angles at the elbows, pi less those of the paper."""
    ends = [(np.pi + THETA, float(np.pi + AT_END[k])) for k in range(3)]
    return [
        Drive(f"motor{leg}", f"angle:theta{leg}", "angle", to=CosineRamp(a, b, 1.0, 3.0))
        for leg, (a, b) in zip(LEGS, ends, strict=True)
    ]
