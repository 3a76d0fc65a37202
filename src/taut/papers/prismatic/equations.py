"""The paper's 22 equations, (2) to (23), in its own symbols: as printed, or with any of the corrections that they need.

They know nothing of the library's statics, so that each is a check of the other (`tests/kinetostatics`).

q = (th01x th01y th02x th02y th03x th03y  th21x th21y th22x th22y th23x th23y  up (3)  phi (3)  f21 f22 f23  ss)

Everything takes leading axes: many q at once, complex ones too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

NODES = ("01", "02", "03", "11", "12", "13", "1a", "1b", "1c", "21", "22", "23")
LOWER, UPPER = (("01", "13"), ("02", "11"), ("03", "12")), (("21", "1b"), ("22", "1a"), ("23", "1c"))
"""Bars: the end that is held by a joint, and the other one."""

ACTIVE = (("22", "12", "02"), ("21", "13", "03"), ("23", "11", "01"))
PASSIVE = (("22", "1b", "03"), ("21", "1c", "01"), ("23", "1a", "02"))
LOOP = ("11", "1c", "13", "1b", "12", "1a", "11")

COMPONENTS, MID_WEIGHT, PLATE_WEIGHT = "components", "weight of mid nodes", "weight of the plate"
CORRECTIONS = {
    COMPONENTS: "(10): both components of each moment across its bar instead of its magnitude, which has no slope at a "
    "root; (14) is left out, as (19)-(21) imply it",
    MID_WEIGHT: "(19)-(21): + (m_n + m_L/2) g, as in (7)-(13), instead of - (m_n + m_L) g",
    PLATE_WEIGHT: "(15): + 3 m_L/2 g, the upper halves of the bars that end at the plate",
}
"""What each one does. Besides, e^(k theta) of (2) is taken right-handed and plate angles as 60, 180 and -60 deg, as in
Table 2; (5) gets the e^(k rp_i) that it lacks, and (11)-(13) the brackets. Without these it is not the robot."""

ALL = tuple(CORRECTIONS)

BASE_ANGLES, PLATE_ANGLES = np.radians([0.0, -120.0, 120.0]), np.radians([60.0, 180.0, -60.0])
COMPLEX = 1e-30


@dataclass(frozen=True)
class Table1:
    """The robot of Table 1 [m, kg, m/s^2, N/m]; the saddle's length is that of the simulated nodes in Table 2."""

    bar: float = 1.0
    side: float = 0.45
    plate_mass: float = 0.86
    bar_mass: float = 0.18
    node_mass: float = 0.1
    gravity: float = 9.80665
    spring: float = 1800.0
    saddle: float = 1.758

    @property
    def weight(self) -> np.ndarray:
        """g [m/s^2]."""
        return np.array([0.0, 0.0, -self.gravity])


ROBOT = Table1()


def _turn(axis: int, angle: np.ndarray) -> np.ndarray:
    """(..., 3, 3) right-handed, about x, y or z."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    made = np.zeros((*np.shape(angle), 3, 3), dtype=np.result_type(angle, float))
    made[..., axis, axis] = 1.0
    made[..., i, i] = made[..., j, j] = np.cos(angle)
    made[..., i, j], made[..., j, i] = -np.sin(angle), np.sin(angle)
    return made


def _tilted(angles: np.ndarray) -> np.ndarray:
    """(..., 3, 3) e^(i x) e^(j y) of angles (..., 2)."""
    return np.asarray(_turn(0, angles[..., 0]) @ _turn(1, angles[..., 1]))


def nodes(q: np.ndarray, robot: Table1 = ROBOT) -> dict[str, np.ndarray]:
    """(..., 3) each [m], eqs. (3) to (6)."""
    radius, up, along = robot.side / np.sqrt(3.0), q[..., 12:15], robot.bar * np.eye(3)[2]
    plate = _tilted(q[..., 15:17]) @ _turn(2, q[..., 17])
    found = {f"0{i + 1}": radius * np.array([np.cos(a), np.sin(a), 0.0]) for i, a in enumerate(BASE_ANGLES)}
    for k, (foot, end) in enumerate(LOWER):
        found[end] = found[foot] + _tilted(q[..., 2 * k : 2 * k + 2]) @ along
    for k, (head, end) in enumerate(UPPER):
        arm = radius * np.array([np.cos(PLATE_ANGLES[k]), np.sin(PLATE_ANGLES[k]), 0.0])
        found[head] = up + plate @ arm
        found[end] = found[head] - plate @ _tilted(q[..., 6 + 2 * k : 8 + 2 * k]) @ along
    return found


def _size(vector: np.ndarray) -> np.ndarray:
    """(..., 1) |v|, for complex steps too."""
    return np.asarray(np.sqrt((vector * vector).sum(axis=-1, keepdims=True)))


@dataclass(frozen=True)
class Pull:
    """Tensions of wires [N]. active, passive: (3,), or (3, 2) where those above and below the guide differ by friction.

    saddle: (6,) of the segments of `LOOP`, over s_s.
    """

    active: np.ndarray
    passive: np.ndarray
    saddle: np.ndarray = field(default_factory=lambda: np.ones(6))

    @property
    def segments(self) -> dict[tuple[str, str], np.ndarray]:
        """Of active and passive wires, by their ends."""
        told = {}
        for routes, tension in ((ACTIVE, self.active), (PASSIVE, self.passive)):
            each = np.broadcast_to(np.asarray(tension).reshape(3, -1), (3, 2))
            for (end, guide, foot), (above, below) in zip(routes, each, strict=True):
                told[end, guide], told[guide, foot] = above, below
        return told


def moments(q: np.ndarray, pull: Pull, robot: Table1 = ROBOT) -> np.ndarray:
    """(..., 6, 3) T01 T02 T03 T21 T22 T23 [N m], eqs. (7) to (9) and (11) to (13)."""
    n = nodes(q, robot)
    return _moments(n, _pulls(n, q[..., 21, None], pull), (*LOWER, *UPPER), robot)


def _moments(
    n: Mapping[str, np.ndarray], pulls: Mapping[str, np.ndarray], bars: Sequence[tuple[str, str]], robot: Table1
) -> np.ndarray:
    half = (robot.node_mass + robot.bar_mass / 2.0) * robot.weight
    return np.stack([np.cross(n[end] - n[joint], pulls[end] + half) for joint, end in bars], axis=-2)


def _pulls(n: Mapping[str, np.ndarray], ss: np.ndarray, pull: Pull) -> dict[str, np.ndarray]:
    """(..., 3) what all wires do to each node [N]."""
    found = {name: np.zeros(3) for name in NODES}
    tensions = {ends: tension * np.ones(1) for ends, tension in pull.segments.items()}
    tensions |= {ends: share * ss for ends, share in zip(pairwise(LOOP), pull.saddle, strict=True)}
    for (a, b), tension in tensions.items():
        along = tension * (n[b] - n[a]) / _size(n[b] - n[a])
        found[a], found[b] = found[a] + along, found[b] - along
    return found


def residuals(q: np.ndarray, pull: Pull, corrections: Collection[str] = ALL, robot: Table1 = ROBOT) -> np.ndarray:
    """(..., 22) c_v [N m, N, m]: what (10), (14), (15) and (19) to (23) leave at q.

    With moments by components: two for each lower bar, plate force, nodes 1a 1b 1c, plate moment, saddle. With
    magnitudes: (10) of the three lower and (14) of the three upper bars first.
    """
    n, forces = nodes(q, robot), q[..., 18:21]
    pulls = _pulls(n, q[..., 21, None], pull)
    turning = _moments(n, pulls, LOWER if COMPONENTS in corrections else (*LOWER, *UPPER), robot)
    if COMPONENTS in corrections:
        across = [np.swapaxes(_tilted(q[..., 2 * k : 2 * k + 2]), -1, -2)[..., :2, :] for k in range(3)]
        first = [(ways @ turning[..., k, :, None])[..., 0] for k, ways in enumerate(across)]
    else:
        first = [_size(turning)[..., 0]]
    mid = robot.node_mass + robot.bar_mass / 2.0 if MID_WEIGHT in corrections else -robot.node_mass - robot.bar_mass
    plate = robot.plate_mass + 3.0 * robot.node_mass + (1.5 * robot.bar_mass if PLATE_WEIGHT in corrections else 0.0)
    on_plate, ends = {}, {}
    for k, (head, end) in enumerate(UPPER):
        push = forces[..., k, None] * (n[head] - n[end]) / _size(n[head] - n[end])
        on_plate[head] = pulls[head] + push
        ends[end] = pulls[end] - push + mid * robot.weight  # (19)-(21)
    summed = sum(on_plate.values()) + plate * robot.weight  # (15)
    about = sum(np.cross(n[head] - q[..., 12:15], force) for head, force in on_plate.items())  # (22)
    saddle = sum(_size(n[b] - n[a]) for a, b in pairwise(LOOP)) - robot.saddle  # (23)
    return np.concatenate([*first, summed, ends["1a"], ends["1b"], ends["1c"], about, saddle], axis=-1)


def jacobian(q: np.ndarray, pull: Pull, corrections: Collection[str] = ALL, robot: Table1 = ROBOT) -> np.ndarray:
    """(22, 22) dc/dq by complex steps, exact to round-off."""
    steps = q + 1j * COMPLEX * np.eye(q.size)
    return np.asarray(residuals(steps, pull, corrections, robot).imag.T / COMPLEX)


def by_tension(q: np.ndarray, pull: Pull, robot: Table1 = ROBOT) -> np.ndarray:
    """(22, 3) dc/dsa of the corrected equations."""
    ahead = [replace(pull, active=pull.active + 1j * COMPLEX * way) for way in np.eye(3)]
    return np.array([residuals(q, one, robot=robot).imag / COMPLEX for one in ahead]).T


def passive_lengths(n: Mapping[str, np.ndarray]) -> np.ndarray:
    """(3,) l_p1 l_p2 l_p3 [m], eq. (17)."""
    return np.array([sum(_size(n[b] - n[a])[..., 0] for a, b in pairwise(route)) for route in PASSIVE])


def passive_tensions(n: Mapping[str, np.ndarray], lengths: np.ndarray, stretch: float) -> np.ndarray:
    """(3,) s_p [N], eq. (18): with the lengths l_p that it takes off and the initial stretch l_pi [m]."""
    return np.asarray((passive_lengths(n) - lengths + stretch) * ROBOT.spring)


def unknowns(places: Mapping[str, np.ndarray], forces: np.ndarray) -> np.ndarray:
    """q of nodes that are where the robot can be; forces: f21 f22 f23 ss [N]."""
    up = (places["21"] + places["22"] + places["23"]) / 3.0
    flat = np.array([(np.cos(a), np.sin(a), 0.0) for a in PLATE_ANGLES])
    arms = np.array([places[head] - up for head, _ in UPPER])
    left, _, right = np.linalg.svd(flat.T @ arms)  # the turn that brings one onto the other
    plate = right.T @ np.diag([1.0, 1.0, np.linalg.det(right.T @ left.T)]) @ left.T
    phi = np.append(_tilt(plate[:, 2]), np.arctan2(-plate[0, 1], plate[0, 0]))
    lower = [_tilt(places[end] - places[foot]) for foot, end in LOWER]
    upper = [_tilt(plate.T @ (places[head] - places[end])) for head, end in UPPER]
    return np.concatenate([*lower, *upper, up, phi, forces])


def _tilt(way: np.ndarray) -> np.ndarray:
    """The angles x, y for which e^(i x) e^(j y) turns z this way."""
    way = way / np.linalg.norm(way)
    return np.array([np.arctan2(-way[1], way[2]), np.arcsin(way[0])])


def newton(
    q: np.ndarray,
    pull: Pull,
    corrections: Collection[str] = ALL,
    *,
    steps: int = 20,
    tolerance: float = 1e-10,
) -> tuple[np.ndarray, int]:
    """Full steps of Newton-Raphson, as the paper has it; -1 steps where it does not converge."""
    for step in range(steps + 1):
        left = residuals(q, pull, corrections)
        if not np.isfinite(left).all():
            return q, -1
        if np.abs(left).max() <= tolerance:
            return q, step
        try:
            q = q - np.linalg.solve(jacobian(q, pull, corrections), left)
        except np.linalg.LinAlgError:
            return q, -1
    return q, -1
