"""The paper's own equations in its own coordinates, apart from taut's mechanics: eqs. (4)-(28) and (38), and their
integration by scipy. Nothing but the errata of eqs. (21) and (35), which are sizes of matrices, is put right.

    u = [mu1 mu2 mu3 alpha1 beta1 alpha2 beta2 alpha3 beta3 theta1 theta2 theta3]
    M u'' + V + G = Lambda tau + Gamma^T lambda        (27)
    Gamma u'' + (dGamma/dt) u' = 0                     (28)

Positions of the nodes and their rates are written out; M = J^T m J, and the rates of J are complex steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from taut.papers.mechanism.model import AT_END, AT_START, DAMPING, MASS, SIDE, STIFFNESS, STRUT, frame

FREE, DRIVEN = slice(0, 9), slice(9, 12)
FRAMES = np.array([frame(leg) for leg in range(3)])
A, B, C = slice(0, 3), slice(3, 6), slice(6, 9)
SPRINGS = [(0, 1), (1, 2), (2, 0)] + [(i, 6 + j) for i in range(3) for j in range(3) if i != j]
SIDES = [(6, 7), (7, 8), (8, 6)]
TINY = 1e-30
BEGIN, OVER = 1.0, 3.0
"""t_0 and t_F of eq. (38) [s]."""


def _legs(u: np.ndarray) -> tuple[np.ndarray, ...]:
    alpha, beta = u[..., 3:9:2], u[..., 4:9:2]
    return np.cos(alpha), np.sin(alpha), beta, beta + u[..., 9:12]


def points(u: np.ndarray) -> np.ndarray:
    """(9, 3): A, B and C by eqs. (4)-(7)."""
    ca, sa, beta, both = _legs(u)
    zero = np.zeros_like(u[..., 0])
    base = np.stack(
        [np.stack([zero, zero, zero]), np.stack([u[..., 0], zero, zero]), np.stack([u[..., 1], u[..., 2], zero])]
    )
    near, far = (np.stack([ca * np.cos(w), sa * np.cos(w), -np.sin(w)], axis=-1) for w in (beta, both))
    elbow = base + STRUT * np.einsum("kij,kj->ki", FRAMES, near)
    return np.concatenate([base, elbow, elbow + STRUT * np.einsum("kij,kj->ki", FRAMES, far)])


def speeds(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(..., 9, 3): J v, for any number of v."""
    ca, sa, beta, both = _legs(u)
    turn, dip = v[..., 3:9:2], v[..., 4:9:2]
    zero = np.zeros_like(v[..., 0] + u[0])
    base = np.stack(
        [
            np.stack([zero, zero, zero], axis=-1),
            np.stack([v[..., 0] + zero, zero, zero], axis=-1),
            np.stack([v[..., 1] + zero, v[..., 2] + zero, zero], axis=-1),
        ],
        axis=-2,
    )

    def moved(w: np.ndarray, rate: np.ndarray) -> np.ndarray:
        c, s = np.cos(w), np.sin(w)
        parts = [-sa * c * turn - ca * s * rate, ca * c * turn - sa * s * rate, -c * rate]
        return np.asarray(STRUT * np.einsum("kij,...kj->...ki", FRAMES, np.stack(parts, axis=-1)))

    elbow = base + moved(beta, dip)
    return np.concatenate([base, elbow, elbow + moved(both, dip + v[..., 9:12])], axis=-2)


def _inertia() -> np.ndarray:
    """(9, 9) of thin rods between nodes: their energy is m (|p'|^2 + p'.q' + |q'|^2) / 6, which is eq. (14)."""
    found = np.zeros((9, 9))
    for k in range(3):
        for p, q in ((k, 3 + k), (3 + k, 6 + k)):
            found[np.ix_([p, q], [p, q])] += MASS / 6.0 * np.array([[2.0, 1.0], [1.0, 2.0]])
    return found


INERTIA = _inertia()


class Terms(NamedTuple):
    """What eqs. (27) and (28) are made of at a state."""

    mass: np.ndarray  # (12, 12)
    force: np.ndarray  # (12,) -V - G
    rows: np.ndarray  # (3, 12) Gamma
    bent: np.ndarray  # (3,) (dGamma/dt) u'
    phi: np.ndarray  # (3,)


def terms(u: np.ndarray, v: np.ndarray, damping: float = DAMPING) -> Terms:
    p, motion, columns = points(u), speeds(u, v), speeds(u, np.eye(12))
    bias = speeds(u + 1j * TINY * v, v).imag / TINY
    acting = -INERTIA @ bias
    for i, j in SPRINGS:
        apart, rate = p[j] - p[i], motion[j] - motion[i]
        pull = STIFFNESS * apart + damping * apart * (apart @ rate) / (apart @ apart)
        acting[i] += pull
        acting[j] -= pull
    rows, bent, phi = np.zeros((3, 12)), np.zeros(3), np.zeros(3)
    for k, (i, j) in enumerate(SIDES):
        apart, rate = p[i] - p[j], motion[i] - motion[j]
        rows[k] = 2.0 * (columns[:, i] - columns[:, j]) @ apart
        bent[k] = 2.0 * (rate @ rate + apart @ (bias[i] - bias[j]))
        phi[k] = apart @ apart - SIDE**2
    mass = np.einsum("kni,nm,lmi->kl", columns, INERTIA, columns)
    return Terms(mass, np.einsum("kni,ni->k", columns, acting), rows, bent, phi)


def imposed(t: float, end: np.ndarray = AT_END) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eq. (38) with its rates; inside the motion also at its ends."""
    rise, pace = end - AT_START, np.pi / (OVER - BEGIN)
    if not BEGIN <= t <= OVER:
        return (AT_START if t < BEGIN else end), np.zeros(3), np.zeros(3)
    w = pace * (t - BEGIN)
    return (
        AT_START - 0.5 * rise * (np.cos(w) - 1.0),
        0.5 * rise * pace * np.sin(w),
        0.5 * rise * pace**2 * np.cos(w),
    )


def solved(found: Terms, turning: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q'' and tau of eqs. (27)-(28) where psi'' is imposed."""
    system = np.block([[found.mass[FREE, FREE], -found.rows[:, FREE].T], [found.rows[:, FREE], np.zeros((3, 3))]])
    right = np.concatenate(
        [found.force[FREE] - found.mass[FREE, DRIVEN] @ turning, -found.bent - found.rows[:, DRIVEN] @ turning]
    )
    answer = np.linalg.solve(system, right)
    q, multiplier = answer[:9], answer[9:]
    inertia = found.mass[DRIVEN, FREE] @ q + found.mass[DRIVEN, DRIVEN] @ turning
    return q, inertia - found.force[DRIVEN] - found.rows[:, DRIVEN].T @ multiplier


def start() -> np.ndarray:
    """(9,) q at psi_0."""
    leg = [float(np.arctan2(np.sqrt(30.0), np.sqrt(6.0))), np.pi / 4.0]
    return np.array([SIDE, 0.5 * SIDE, np.sqrt(0.75) * SIDE, *leg, *leg, *leg])


class Motion(NamedTuple):
    """What eq. (38) makes of the mechanism, at samples."""

    time: np.ndarray  # (T,)
    coordinate: np.ndarray  # (T, 9)
    x: np.ndarray  # (T, 3)
    torque: np.ndarray  # (T, 3)


def followed(duration: float, every: float, tolerance: float = 1e-12) -> Motion:
    """By DOP853 of scipy from rest, in the pieces before, during and after the motion."""
    time = np.arange(round(duration / every) + 1) * every
    states = np.zeros((time.size, 18))
    y = np.concatenate([start(), np.zeros(9)])

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        angles, turn, turning = imposed(min(max(t, inside[0]), inside[1]))
        if inside[0] >= OVER:
            turning = np.zeros(3)
        found = terms(np.concatenate([y[:9], angles]), np.concatenate([y[9:], turn]))
        return np.concatenate([y[9:], solved(found, turning)[0]])

    states[time <= BEGIN] = y  # it is at rest there, which fig3-still shows of the whole equations
    for inside in ((BEGIN, OVER), (OVER, duration)):
        wanted = (time > inside[0] + 1e-9) & (time <= inside[1] + 1e-9)
        found = solve_ivp(
            rate, inside, y, "DOP853", t_eval=np.minimum(time[wanted], inside[1]), rtol=tolerance, atol=tolerance
        )
        states[wanted], y = found.y.T, found.y[:, -1]
    return Motion(time, states[:, :9], *_read(time, states))


def _read(time: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and tau at every sample, tau as a limit from the right."""
    x, torque = np.zeros((time.size, 3)), np.zeros((time.size, 3))
    for k, (t, y) in enumerate(zip(time, states, strict=True)):
        angles, turn, turning = imposed(t)
        if abs(t - OVER) < 1e-9:
            turn, turning = np.zeros(3), np.zeros(3)
        u = np.concatenate([y[:9], angles])
        x[k] = points(u)[C].mean(axis=0)
        torque[k] = solved(terms(u, np.concatenate([y[9:], turn])), turning)[1]
    return x, torque
