"""The spatial mechanism of three degrees of freedom (Arsenault and Gosselin) with its torques instead of its angles.

At rest the middles of its struts coincide, so the shape follows from three spheres, and the torques are
-2 K Ls^2 sin theta. With these torques held, and nothing else, it does not stay there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from taut import Angle, Bar, Cable, Structure, assemble, linearise

SIDE, STRUT, SPRING, DAMPER, MASS = math.sqrt(0.5), math.sqrt(2.0), 1000.0, 100.0, 2.5
BASE = SIDE * np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, math.sqrt(0.75), 0.0]])
LEANING = np.radians([30.0, 150.0, -90.0])
PAIRS = ("12", "23", "31")


def mechanism(theta: np.ndarray) -> Structure:
    """At rest with these angles [rad] of its actuators, which are free and have the torques that hold it."""
    reach = STRUT * np.cos(0.5 * theta)  # of the common middle from each corner of the base
    flat = 2.0 * (BASE[1:] - BASE[0])[:, :2]
    square = reach[0] ** 2 - reach[1:] ** 2 + (BASE[1:] ** 2).sum(axis=1)
    middle = np.append(np.linalg.solve(flat, square), 0.0)
    middle[2] = math.sqrt(reach[0] ** 2 - middle @ middle)
    nodes: dict[str, Any] = {"O": (0.0, 0.0, 0.0)}
    for i, a in enumerate(BASE):
        c = 2.0 * middle - a
        across = np.array([math.sin(LEANING[i]), -math.cos(LEANING[i]), 0.0])
        out = across - (across @ (c - a)) * (c - a) / ((c - a) @ (c - a))
        b = middle + STRUT * math.sin(0.5 * theta[i]) * out / np.linalg.norm(out)
        nodes |= {f"A{i + 1}": tuple(a), f"B{i + 1}": tuple(b), f"C{i + 1}": tuple(c), f"Z{i + 1}": tuple(across)}
    springs = [(f"A{i}", f"A{j}") for i, j in PAIRS] + [(f"A{i}", f"C{j}") for i in "123" for j in "123" if i != j]
    torque = -2.0 * SPRING * STRUT**2 * np.sin(theta)
    angles = [
        Angle.elbow(f"theta{i}", (f"A{i}", f"B{i}", f"C{i}"), mode="free", torque=float(torque[int(i) - 1]))
        for i in "123"
    ]
    angles += [Angle(f"u{i}", (f"A{i}", f"B{i}", f"C{i}"), ("O", f"Z{i}"), value=0.5 * math.pi) for i in "123"]
    return Structure(
        nodes,
        [Bar(f"{a}{b}{i}", (f"{a}{i}", f"{b}{i}"), mass=MASS) for i in "123" for a, b in ("AB", "BC")],
        [
            *(Cable("".join(ends), ends, stiffness=SPRING, rest_length=0.0, damping=DAMPER) for ends in springs),
            *(Cable(f"C{i}C{j}", (f"C{i}", f"C{j}"), rest_length=SIDE, mode="length") for i, j in PAIRS),
        ],
        {"A1": "xyz", "A2": "yz", "A3": "z", "O": "xyz", **dict.fromkeys(("Z1", "Z2", "Z3"), "xyz")},
        angles=angles,
    )


@pytest.mark.slow
def test_held_torques_let_it_fall() -> None:
    """Growth rates of 7.963 and 2.989 1/s at the end posture as printed, with the torques of eq. (39)."""
    theta = np.radians([-70.55, -97.13, -84.01])
    plant = assemble(mechanism(theta))
    torques = [plant.structure.angles[f"theta{i}"].torque for i in "123"]
    assert torques == pytest.approx([3771.73, 3969.07, 3978.16], abs=6e-3)
    x = np.mean([plant.structure.nodes[f"C{i}"] for i in "123"], axis=0)
    assert x == pytest.approx([1.0, 0.204125, 1.825742], abs=2e-4)
    names = [f"angle:theta{i}.torque" for i in "123"]
    model = linearise(plant, inputs=names, outputs=["angle:theta1.angle", "angle:theta1.torque"])
    assert np.abs(model.drift).max() < 1e-9
    growing = np.sort(model.poles.real)[::-1]
    assert growing[:2] == pytest.approx([7.963, 2.989], abs=5e-4)
    assert growing[2] < 1e-6
    assert model.offset == pytest.approx([math.pi + theta[0], torques[0]], abs=1e-9)
    assert np.array_equal(model.D, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])


@pytest.mark.slow
def test_its_first_posture_is_neutral() -> None:
    """Of 4000 N m each at -90 degrees the torques change nothing to first order: it neither falls nor returns."""
    plant = assemble(mechanism(np.full(3, -0.5 * math.pi)))
    assert plant.structure.angles["theta2"].torque == pytest.approx(4000.0, abs=1e-9)
    model = linearise(plant, inputs=["angle:theta1.torque"], outputs="node:C1.x")
    assert np.abs(model.drift).max() < 1e-9
    assert np.abs(model.poles.real).min() < 1e-4
    assert model.poles.real.max() < 1e-4
