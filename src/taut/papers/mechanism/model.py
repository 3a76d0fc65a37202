"""The mechanism as structures: in nodes, in the coordinates of its joints, and in its older form with plain struts.

At rest the middles of the lines A_i C_i coincide (`equilibria.py` finds it), so that three spheres about the feet tell
where they meet, and all else follows. Angles theta are the paper's, negative; an elbow of taut is pi + theta.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from taut.structure.angles import Angle
from taut.structure.joints import Joint
from taut.structure.records import Bar, Cable
from taut.structure.structure import Structure

SIDE, STRUT = math.sqrt(0.5), math.sqrt(2.0)
MASS, STIFFNESS, DAMPING = 2.5, 1000.0, 100.0
"""L and L_s [m]; m [kg], K [N/m] and c_d [N s/m] of section 4.2.1."""

ZETA = np.radians([30.0, 150.0, -90.0])
LEGS, PAIRS = ("1", "2", "3"), (("1", "2"), ("2", "3"), ("3", "1"))
AT_START = np.radians([-90.0, -90.0, -90.0])
AT_END = np.radians([-70.55, -97.13, -84.01])
"""psi_0 and psi_F as printed [rad]."""

START = np.array([math.sqrt(2.0) / 4.0, math.sqrt(6.0) / 12.0, math.sqrt(30.0) / 3.0])
END = np.array([1.0, math.sqrt(6.0) / 12.0, math.sqrt(30.0) / 3.0])
"""x_0 and x_F [m]."""

STRUTS = (("p", "A", "B"), ("d", "B", "C"))

Place = tuple[float, float, float]
UPRIGHT = (1.0, 1.0, 1.0)
Member = TypeVar("Member", Bar, Cable, Angle)


def frame(leg: int) -> np.ndarray:
    """R of eq. (7)."""
    c, s = math.cos(ZETA[leg]), math.sin(ZETA[leg])
    return np.array([[c, 0.0, s], [s, 0.0, -c], [0.0, 1.0, 0.0]])


def span(theta: np.ndarray) -> np.ndarray:
    """rho of eq. (1) [m]."""
    return np.asarray(math.sqrt(2.0) * STRUT * np.sqrt(1.0 + np.cos(theta)))


def feet(mirror: tuple[float, ...] = UPRIGHT) -> np.ndarray:
    """A_i at rest: a triangle of side L; mirror: signs of its x and y."""
    return SIDE * np.array(
        [[0.0, 0.0, 0.0], [mirror[0], 0.0, 0.0], [0.5 * mirror[0], math.sqrt(0.75) * mirror[1], 0.0]]
    )


def rest(theta: np.ndarray, mirror: tuple[float, ...] = UPRIGHT) -> dict[str, Place]:
    """Where the nodes are at rest; mirror: signs of x, y and z."""
    base, half = feet(mirror), 0.5 * span(theta)
    flat = 2.0 * (base[1:] - base[0])[:, :2]
    square = half[0] ** 2 - half[1:] ** 2 + (base[1:] ** 2).sum(axis=1)
    middle = np.append(np.linalg.solve(flat, square), 0.0)
    middle[2] = mirror[2] * math.sqrt(half[0] ** 2 - middle @ middle)
    found: dict[str, Place] = {}
    for k, leg in enumerate(LEGS):
        far = 2.0 * middle - base[k]
        across = frame(k)[:, 2]
        way = (far - base[k]) / np.linalg.norm(far - base[k])
        out = across - (across @ way) * way
        elbow = middle + STRUT * math.sin(0.5 * theta[k]) * out / np.linalg.norm(out)
        found |= {f"A{leg}": place(base[k]), f"B{leg}": place(elbow), f"C{leg}": place(far)}
    return found


def place(values: np.ndarray) -> Place:
    return float(values[0]), float(values[1]), float(values[2])


def static_torque(theta: np.ndarray) -> np.ndarray:
    """Eq. (39) [N m], as -2 K L_s^2 sin theta."""
    return np.asarray(-2.0 * STIFFNESS * STRUT**2 * np.sin(theta))


def named(members: Iterable[Member]) -> dict[str, Member]:
    return {member.name: member for member in members}


def springs(damping: float) -> list[Cable]:
    """Three between the feet, six from a foot to the other corners; and the sides of the platform, which keep L."""
    ends = [(f"A{i}", f"A{j}") for i, j in PAIRS] + [(f"A{i}", f"C{j}") for i in LEGS for j in LEGS if i != j]
    return [
        *(Cable(a + b, (a, b), stiffness=STIFFNESS, rest_length=0.0, damping=damping) for a, b in ends),
        *(Cable(f"C{i}C{j}", (f"C{i}", f"C{j}"), rest_length=SIDE, mode="length") for i, j in PAIRS),
    ]


def legs() -> list[Bar]:
    return [Bar(f"{name}{leg}", (f"{a}{leg}", f"{b}{leg}"), mass=MASS) for leg in LEGS for name, a, b in STRUTS]


def elbows(torques: np.ndarray | None) -> list[Angle]:
    """The actuators: held at their angles, or free with torques [N m]."""
    found = [Angle.elbow(f"theta{leg}", (f"A{leg}", f"B{leg}", f"C{leg}")) for leg in LEGS]
    if torques is None:
        return found
    return [replace(one, mode="free", torque=float(torque)) for one, torque in zip(found, torques, strict=True)]


def ground() -> dict[str, Place]:
    """Directions that the universal joints at the feet keep: x and z of the frames (1)_i."""
    found = {"O": (0.0, 0.0, 0.0)}
    for k, leg in enumerate(LEGS):
        found |= {f"X{leg}": place(frame(k)[:, 0]), f"Z{leg}": place(frame(k)[:, 2])}
    return found


def universal_joints(damping: float) -> list[Angle]:
    """Rows of the universal joints; and dampers of alpha and beta [N m s/rad], where there are any."""
    found = []
    for leg in LEGS:
        found.append(Angle.universal_joint(f"cross{leg}", (f"A{leg}", f"B{leg}", f"C{leg}"), ("O", f"Z{leg}")))
        if damping:
            shaft, axis = (f"A{leg}", f"B{leg}"), ("O", f"Z{leg}")
            found.append(Angle(f"alpha{leg}", ("O", f"X{leg}"), shaft, axis, mode="free", damping=damping))
            found.append(Angle(f"beta{leg}", axis, shaft, mode="free", damping=damping))
    return found


def in_nodes(
    theta: np.ndarray = AT_START,
    *,
    torques: np.ndarray | None = None,
    damping: float = DAMPING,
    joint_damping: float = 0.0,
) -> Structure:
    """At rest at these angles, universal joints as rows. torques: of free elbows [N m]; None holds them."""
    fixed = ground()
    return Structure(
        rest(theta) | fixed,
        named(legs()),
        named(springs(damping)),
        {"A1": "xyz", "A2": "yz", "A3": "z", **dict.fromkeys(fixed, "xyz")},
        angles=named([*elbows(torques), *universal_joints(joint_damping)]),
        name="spatial mechanism",
    )


def in_joints(
    theta: np.ndarray = AT_START, *, torques: np.ndarray | None = None, damping: float = DAMPING
) -> tuple[Structure, tuple[Joint, ...]]:
    """The same in the coordinates of the paper, mu, alpha, beta and theta."""
    nodes = rest(theta)
    structure = Structure(
        nodes,
        named(legs()),
        named(springs(damping)),
        {"A1": "xyz"},
        angles=named(elbows(torques)),
        name="spatial mechanism, joints",
    )
    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    made = [
        Joint("mu1", "A2", ("A2",), slides=(x,), values=(nodes["A2"][0],)),
        Joint("mu", "A3", ("A3",), slides=(x, y), values=nodes["A3"][:2]),
    ]
    for k, leg in enumerate(LEGS):
        alpha, beta = universal_angles(nodes, k)
        first = place(frame(k)[:, 2])
        second = place(frame(k) @ [-math.sin(alpha), math.cos(alpha), 0.0])
        on = (None, "mu1", "mu")[k]
        made.append(Joint.universal(f"u{leg}", f"A{leg}", (first, second), (f"B{leg}",), on=on, values=(alpha, beta)))
        made.append(Joint.revolute(f"theta{leg}", f"B{leg}", second, (f"C{leg}",), on=f"u{leg}", value=float(theta[k])))
    return structure, tuple(made)


def universal_angles(nodes: dict[str, Place], leg: int) -> tuple[float, float]:
    """alpha and beta of a leg [rad]; of the two pairs that there are, the one in which C_i lies along +x_2."""
    a, b, c = (np.array(nodes[f"{letter}{LEGS[leg]}"]) for letter in "ABC")
    to_elbow, to_end = frame(leg).T @ (b - a), frame(leg).T @ (c - a)
    alpha = math.atan2(to_end[1], to_end[0])
    return alpha, math.atan2(-to_elbow[2], math.cos(alpha) * to_elbow[0] + math.sin(alpha) * to_elbow[1])


def with_struts(theta: np.ndarray = AT_START, mirror: tuple[float, ...] = UPRIGHT) -> Structure:
    """The older form: plain prismatic struts A_i C_i, of length rho_i."""
    nodes = {name: where for name, where in rest(theta, mirror).items() if name[0] != "B"}
    return Structure(
        nodes,
        named([Bar(f"s{leg}", (f"A{leg}", f"C{leg}"), mass=2.0 * MASS) for leg in LEGS]),
        named(springs(DAMPING)),
        {"A1": "xyz", "A2": "yz", "A3": "z"},
        name="spatial mechanism, plain struts",
    )


def platform(nodes: np.ndarray, structure: Structure) -> np.ndarray:
    """x, the middle of the C_i [m], of nodes (..., n, 3)."""
    names = list(structure.nodes)
    return np.asarray(nodes[..., [names.index(f"C{leg}") for leg in LEGS], :].mean(axis=-2))


def at_rest(theta: np.ndarray) -> np.ndarray:
    """x at rest [m]."""
    nodes = rest(theta)
    return np.asarray(np.mean([nodes[f"C{leg}"] for leg in LEGS], axis=0))
