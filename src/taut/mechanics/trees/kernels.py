"""The loops over points and cables that every evaluation of a tree makes: kernels, since each is many small sums.

Symbols as in `loops.py` and `involutes.py`. Pinocchio's arrays come in as they are; outputs are filled.
"""

from __future__ import annotations

import numpy as np

from taut.numerics.compiled import entry

ONE_SIDED, BOTH_WAYS, GONE = 0.0, 1.0, 2.0
"""What a cable's law is now: as given, without resistance to compression; a spring that would push too; no force."""


@entry
def fill_points(
    turns: np.ndarray,
    places: np.ndarray,
    local: np.ndarray,
    carried: np.ndarray,
    tree: np.ndarray,
    tree_rate: np.ndarray,
    w: np.ndarray,
    place: np.ndarray,
    jacobian: np.ndarray,
    moves: np.ndarray,
) -> None:
    """Of every point: its place (p, 3), Jacobian (p, 3, nv), and (p, 12) angular velocity, velocity, and the angular
    and linear acceleration that velocities make.

    turns: (3 p, 3) rotations of the bodies one below the other; places: (3 p) their origins.
    """
    count, nv = local.shape[0], tree.shape[1]
    for p in range(count):
        x = (
            places[3 * p]
            + turns[3 * p, 0] * local[p, 0]
            + turns[3 * p, 1] * local[p, 1]
            + turns[3 * p, 2] * local[p, 2]
        )
        y = places[3 * p + 1]
        y += turns[3 * p + 1, 0] * local[p, 0] + turns[3 * p + 1, 1] * local[p, 1] + turns[3 * p + 1, 2] * local[p, 2]
        z = places[3 * p + 2]
        z += turns[3 * p + 2, 0] * local[p, 0] + turns[3 * p + 2, 1] * local[p, 1] + turns[3 * p + 2, 2] * local[p, 2]
        place[p, 0], place[p, 1], place[p, 2] = x, y, z
        ux, uy, uz, rx, ry, rz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        ax, ay, az, bx, by, bz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for c in range(nv):
            if carried[p, c] == 0.0:
                jacobian[p, 0, c] = jacobian[p, 1, c] = jacobian[p, 2, c] = 0.0
                continue
            ox, oy, oz = tree[3, c], tree[4, c], tree[5, c]
            jx, jy, jz = tree[0, c] + oy * z - oz * y, tree[1, c] + oz * x - ox * z, tree[2, c] + ox * y - oy * x
            jacobian[p, 0, c], jacobian[p, 1, c], jacobian[p, 2, c] = jx, jy, jz
            s = w[c]
            if s != 0.0:
                ux, uy, uz = ux + ox * s, uy + oy * s, uz + oz * s
                rx, ry, rz = rx + jx * s, ry + jy * s, rz + jz * s
                dx, dy, dz = tree_rate[3, c] * s, tree_rate[4, c] * s, tree_rate[5, c] * s
                ax, ay, az = ax + dx, ay + dy, az + dz
                bx += tree_rate[0, c] * s + dy * z - dz * y
                by += tree_rate[1, c] * s + dz * x - dx * z
                bz += tree_rate[2, c] * s + dx * y - dy * x
        moves[p, 0], moves[p, 1], moves[p, 2] = ux, uy, uz
        moves[p, 3], moves[p, 4], moves[p, 5] = rx, ry, rz
        moves[p, 6], moves[p, 7], moves[p, 8] = ax, ay, az
        # A point moves with the body too: omega x (its velocity) beside what J' says at a fixed place.
        moves[p, 9], moves[p, 10], moves[p, 11] = bx + uy * rz - uz * ry, by + uz * rx - ux * rz, bz + ux * ry - uy * rx


@entry
def change_coordinates(
    slide: np.ndarray,
    angle: np.ndarray,
    by_angle: np.ndarray,
    by_second: np.ndarray,
    growth: np.ndarray,
    mass: np.ndarray,
    bias: np.ndarray,
    rows: np.ndarray,
    right: np.ndarray,
) -> None:
    """M, c, K and k of turns and slides as those of cables: w = T v with T of two entries a cable, in their place.

    slide, angle: places of each cable's slide and turn among Pinocchio's velocities. growth: (dT/dt) v at the slides.
    """
    n, count = mass.shape[0], rows.shape[0]
    for k in range(slide.size):
        s = slide[k]
        if growth[k] != 0.0:
            for i in range(n):
                bias[i] += mass[i, s] * growth[k]
            for r in range(count):
                right[r] -= rows[r, s] * growth[k]
    for k in range(slide.size):
        s, a = slide[k], angle[k]
        for i in range(n):
            mass[i, a] += by_angle[k] * mass[i, s]
            mass[i, s] *= by_second[k]
        for i in range(n):
            mass[a, i] += by_angle[k] * mass[s, i]
            mass[s, i] *= by_second[k]
        bias[a] += by_angle[k] * bias[s]
        bias[s] *= by_second[k]
        for r in range(count):
            rows[r, a] += by_angle[k] * rows[r, s]
            rows[r, s] *= by_second[k]


@entry
def stretch_cables(
    numbers: np.ndarray, q: np.ndarray, v: np.ndarray, places: np.ndarray, out: np.ndarray, torques: np.ndarray
) -> None:
    """Of every cable (a column of each): fill what it is at a state, and add its generalised forces.

    numbers: radius, stiffness, damping, consistent, what its law is now, compliant, a, b, c. places: of phi among
    positions and velocities; q2 follows it. out: as in `involutes.Standing`.

    Printed torques are (3.1.16), (3.1.17): e = F du/dq, d = D du/dq. Consistent ones: e = d(E A eps^2 l0 / 2)/dq, by
    -r E A eps^2 / 2 at phi more, and d = l0 D d(eps)/dq, by -r D eps at phi more, which never gives energy.
    """
    for k in range(numbers.shape[1]):
        r, stiffness, damping, consistent = numbers[0, k], numbers[1, k], numbers[2, k], numbers[3, k]
        compliant, a, b, c = numbers[5, k] != 0.0, numbers[6, k], numbers[7, k], numbers[8, k]
        at, rate = places[0, k], places[1, k]
        phi, turn = q[at], v[rate]
        second = q[at + 1] if compliant else 0.0
        second_rate = v[rate + 1] if compliant else 0.0
        natural = r * phi
        length = a * natural + b * second + c * natural * second
        strain = (a - 1.0) + c * second + (b * second / natural if natural != 0.0 else 0.0)
        by_angle, by_second = r * (a + c * second), b + c * natural
        length_rate = by_angle * turn + by_second * second_rate
        strain_rate = (length_rate - (1.0 + strain) * r * turn) / natural if natural != 0.0 else 0.0
        elastic, viscous, law = 0.0, 0.0, numbers[4, k]
        if compliant and law != GONE and (law == BOTH_WAYS or strain > 0.0):
            elastic, viscous = stiffness * strain, damping * strain_rate
            if law == ONE_SIDED and consistent != 0.0 and viscous < -elastic:
                viscous = -elastic  # it shortens so fast that its damper takes all of its tension
        pull = elastic + viscous
        out[0, k], out[1, k], out[2, k], out[3, k] = length, strain, by_angle, by_second
        out[4, k], out[5, k], out[6, k], out[7, k] = 2.0 * c * r * turn * second_rate, length_rate, pull, strain_rate
        taken = consistent * r * (0.5 * elastic + viscous) * strain
        torques[rate] -= pull * (by_angle - r) - taken
        if compliant:
            torques[rate + 1] -= pull * by_second
        # What of this power is no slope of the energy: damping, and what printed torques leave out.
        damped = viscous * (length_rate - r * turn) - consistent * r * viscous * strain * turn
        out[8, k] = -damped - (1.0 - consistent) * 0.5 * r * elastic * strain * turn
        out[9, k] = 0.5 * elastic * strain * natural
