"""Contacts of nodes with grounds that give way: forces, energy, stiffness. The laws of one: `grounds/yielding.py`.

The depth of a node in a terrain is taken along z, so that its energy is continuous where patches meet: along the normal
the ground is stiffer by the square of the slope's secant. Bristles are states of this term, three numbers each, along
x, y and z; their energy is 1/2 k |z|^2 and stays in the books until they have sprung back.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.mechanics.grounds.surfaces import (
    LEVEL,
    PLANE,
    TERRAIN,
    add_turning,
    distance_from,
    left_of_radius,
    surface_of,
)
from taut.mechanics.grounds.yielding import grip, pressed, resistance
from taut.mechanics.kinds import Given
from taut.mechanics.operations.event_table import AS_GIVEN
from taut.mechanics.tables import coordinate_count, part_of, slot, term_states_begin, term_states_in
from taut.mechanics.terms.contacts import OPEN, SLIDING, STICKING, Candidate
from taut.numerics.compiled import inlined, kernel
from taut.numerics.lanes import every, some, where
from taut.numerics.packing import Integers, Pack, Reals, counter, reader
from taut.numerics.pointers import shifted
from taut.structure.ground_checks import touching

KIND = "compliances"

SMOOTH, BRISTLE, REGULARISED, THRESHOLD = range(4)
"""Laws of friction; the first has none."""
LAWS = {"bristle": BRISTLE, "regularised": REGULARISED, "threshold": THRESHOLD}


class Compliances(NamedTuple):
    """c contacts that there can be, b of them with bristles."""

    node: Integers  # (c,) first coordinate
    surface: Integers  # (c,)
    law: Integers  # (c,) of friction
    bristle: Integers  # (c,) where its state begins among those of this term, -1 where it has none
    bristles: Integers  # (b,) the contacts that have one
    first_state: Integers  # (1,) where those of this term begin among those of all terms
    mode: Integers  # (c,) OPEN, STICKING, SLIDING or LANDED while that is kept for a step, AS_GIVEN else
    doing: Integers  # (c,) what it did when forces were last asked for: OPEN, STICKING, SLIDING
    push: Reals  # (3 c,) with which force on the node then [N]
    radius: Reals  # (c,) [m]
    stiffness: Reals  # (c,)
    damping: Reals  # (c,)
    tangential_stiffness: Reals  # (c,)
    tangential_damping: Reals  # (c,)
    threshold: Reals  # (c,) [m/s]
    static: Reals  # (c,) friction
    kinetic: Reals  # (c,)
    kind: Integers  # (s,) of each surface
    start: Integers  # (s,) where its numbers begin
    data: Reals


compliances_in = reader(Compliances, slot(KIND))
compliance_count = counter(part_of(KIND, Compliances, "node"))


def touching_nodes(given: Given) -> list[Candidate]:
    """Nodes with every ground that gives way and may touch them."""
    found = []
    for surface, ground in enumerate(given.compliant_grounds):
        nodes, _ = touching(given.structure, ground)
        found += [Candidate(ground, surface, (node, node), "", f"{node} on {ground.name}") for node in nodes]
    return found


def tabulate(given: Given) -> Compliances:
    found, whole = touching_nodes(given), np.int64
    grounds = [one.ground for one in found]
    soft = [ground.compliance for ground in grounds if ground.compliance is not None]
    static = [g.friction if g.static_friction is None else g.static_friction for g in grounds]
    law = [LAWS[one.friction_law] if mu > 0.0 else SMOOTH for one, mu in zip(soft, static, strict=True)]
    bristles = np.flatnonzero(np.array(law, dtype=whole) == BRISTLE).astype(whole)
    bristle = np.full(len(found), -1, dtype=whole)
    bristle[bristles] = 3 * np.arange(bristles.size)
    surfaces = [surface_of(ground.shape, ground.radius) for ground in given.compliant_grounds]
    return Compliances(
        node=np.array([given.coordinate[one.nodes[0]] for one in found], dtype=whole),
        surface=np.array([one.surface for one in found], dtype=whole),
        law=np.array(law, dtype=whole),
        bristle=bristle,
        bristles=bristles,
        first_state=np.zeros(1, dtype=whole),
        mode=np.full(len(found), AS_GIVEN, dtype=whole),
        doing=np.zeros(len(found), dtype=whole),
        push=np.zeros(3 * len(found)),
        radius=np.array([left_of_radius(ground) for ground in grounds], dtype=float),
        stiffness=np.array([one.stiffness for one in soft], dtype=float),
        damping=np.array([one.damping for one in soft], dtype=float),
        tangential_stiffness=np.array([one.along[0] for one in soft], dtype=float),
        tangential_damping=np.array([one.along[1] for one in soft], dtype=float),
        threshold=np.array([one.threshold for one in soft], dtype=float),
        static=np.array(static, dtype=float),
        kinetic=np.array([ground.friction for ground in grounds], dtype=float),
        kind=np.array([one.kind for one in surfaces], dtype=whole),
        start=np.cumsum([0, *(one.data.size for one in surfaces[:-1])]).astype(whole),
        data=np.concatenate([one.data for one in surfaces]),
    )


@inlined
def depth_at(p: Pack, c: int, y: np.ndarray) -> tuple[float, float, float, float, float]:
    """How deep a node is in the ground [m], the unit normal, and how much faster that grows than along the normal."""
    table = compliances_in(p)
    i, s = table.node[c], table.surface[c]
    data, kind = shifted(table.data, table.start[s]), table.kind[s]
    if kind == PLANE:  # most are, and most are open
        return depth_in_plane(p, c, y)
    gap, nx, ny, nz = distance_from(kind, data, y[i], y[i + 1], y[i + 2])
    lean = 1.0 / nz if kind == TERRAIN else 1.0
    return (table.radius[c] - gap) * lean, nx, ny, nz, lean


@inlined
def depth_in_plane(p: Pack, c: int, y: np.ndarray) -> tuple[float, float, float, float, float]:
    """In the place of `depth_at` where many plants go in lanes, on planes."""
    table = compliances_in(p)
    i, data = table.node[c], shifted(table.data, table.start[table.surface[c]])
    nx, ny, nz = data[0], data[1], data[2]
    return table.radius[c] + data[LEVEL] - (nx * y[i] + ny * y[i + 1] + nz * y[i + 2]), nx, ny, nz, 1.0


@inlined
def is_closed(p: Pack, c: int, depth: float) -> bool:
    mode = compliances_in(p).mode[c]
    return mode != OPEN if mode < AS_GIVEN else depth > 0.0


class Rub(NamedTuple):
    """What a bristle does: T along x, y, z, its size [N], the limit mu N [N], the speed along the ground [m/s]."""

    x: float
    y: float
    z: float
    size: float
    limit: float
    speed: float


@inlined
def rub_at(p: Pack, c: int, y: np.ndarray, nx: float, ny: float, nz: float, normal: float) -> Rub:
    """Of a contact with bristles, at a stage of an implicit step with its z0."""
    table, n, i = compliances_in(p), coordinate_count(p), compliances_in(p).node[c]
    at = term_states_begin(p) + table.first_state[0] + table.bristle[c]
    k, s = table.tangential_stiffness[c], term_states_in(p).stage[0]
    firm = table.tangential_damping[c] + s * k
    vx, vy, vz = along(y[n + i], y[n + i + 1], y[n + i + 2], nx, ny, nz)
    zx, zy, zz = along(y[at], y[at + 1], y[at + 2], nx, ny, nz)
    x, w, z = k * zx + firm * vx, k * zy + firm * vy, k * zz + firm * vz
    speed = math.sqrt(vx * vx + vy * vy + vz * vz)
    limit = normal * grip(table.static[c], table.kinetic[c], speed, table.threshold[c])
    return Rub(x, w, z, math.sqrt(x * x + w * w + z * z), limit, speed)


@inlined
def along(x: float, y: float, z: float, nx: float, ny: float, nz: float) -> tuple[float, float, float]:
    """What of a vector is along the ground."""
    across = x * nx + y * ny + z * nz
    return x - across * nx, y - across * ny, z - across * nz


@inlined
def share_held(p: Pack, c: int, rub: Rub) -> float:
    """1 where a bristle sticks, else what is left of T."""
    mode = compliances_in(p).mode[c]
    slides = mode != STICKING if mode < AS_GIVEN else rub.size > rub.limit
    slides = slides & (rub.size > 0.0)
    return where(slides, rub.limit, 1.0) / where(slides, rub.size, 1.0)


@inlined
def _bend(
    p: Pack, c: int, y: np.ndarray, n: tuple[float, float, float], closed: bool, fx: float, fy: float, fz: float
) -> float:
    """Leave the rate of a bristle that pushes with f; returns the rate at which it stores energy. In lanes that are not
    closed it springs back."""
    table, states = compliances_in(p), term_states_in(p)
    m = table.first_state[0] + table.bristle[c]
    k, s, at = table.tangential_stiffness[c], states.stage[0], term_states_begin(p) + m
    firm = table.tangential_damping[c] + s * k
    zx, zy, zz = along(y[at], y[at + 1], y[at + 2], n[0], n[1], n[2])
    rx, ry, rz = (fx - k * zx) / firm, (fy - k * zy) / firm, (fz - k * zz) / firm
    stored = k * (rx * (y[at] + s * rx) + ry * (y[at + 1] + s * ry) + rz * (y[at + 2] + s * rz))
    if not every(closed):
        freed = _spring_back(p, c, y)
        stored = where(closed, stored, freed)
        rx, ry, rz = (
            where(closed, rx, states.rate[m]),
            where(closed, ry, states.rate[m + 1]),
            where(closed, rz, states.rate[m + 2]),
        )
    states.rate[m], states.rate[m + 1], states.rate[m + 2] = rx, ry, rz
    return stored


@inlined
def _spring_back(p: Pack, c: int, y: np.ndarray) -> float:
    """The same of a bristle that nothing bends: all of it, whatever the normal is now."""
    table, states = compliances_in(p), term_states_in(p)
    m = table.first_state[0] + table.bristle[c]
    k, s, at = table.tangential_stiffness[c], states.stage[0], term_states_begin(p) + m
    x, w, z = y[at], y[at + 1], y[at + 2]
    if every((x == 0.0) & (w == 0.0) & (z == 0.0)):
        states.rate[m], states.rate[m + 1], states.rate[m + 2] = 0.0, 0.0, 0.0
        return 0.0 * k
    back = k / (table.tangential_damping[c] + s * k)
    states.rate[m], states.rate[m + 1], states.rate[m + 2] = -back * x, -back * w, -back * z
    return -k * back * (1.0 - s * back) * (x * x + w * w + z * z)


@inlined
def _friction(
    p: Pack, c: int, y: np.ndarray, n: tuple[float, float, float], closed: bool, normal: float, out: np.ndarray
) -> tuple[float, float, float, bool, float]:
    """Along x, y, z [N], whether the contact sticks, and the rate at which its bristle stores energy. normal: zero in
    lanes that are not closed."""
    table, law, none = compliances_in(p), compliances_in(p).law[c], 0.0 * normal
    if law == SMOOTH:
        return none, none, none, normal < 0.0, none
    if law == BRISTLE:
        rub = rub_at(p, c, y, n[0], n[1], n[2], normal)
        held = share_held(p, c, rub)
        fx, fy, fz = held * rub.x, held * rub.y, held * rub.z
        return -fx, -fy, -fz, held == 1.0, _bend(p, c, y, n, closed, fx, fy, fz)
    size, i, slow = coordinate_count(p), table.node[c], table.threshold[c]
    vx, vy, vz = along(y[size + i], y[size + i + 1], y[size + i + 2], n[0], n[1], n[2])
    speed, limit = math.sqrt(vx * vx + vy * vy + vz * vz), table.kinetic[c] * normal
    rubbed = limit / max(speed, slow)
    fx, fy, fz, sticks = -rubbed * vx, -rubbed * vy, -rubbed * vz, speed < slow
    if law == THRESHOLD and some(sticks):
        # All other terms have been added by now: what is left are constraints, and what makes a mass matrix change.
        px, py, pz = along(out[i], out[i + 1], out[i + 2], n[0], n[1], n[2])
        pull = math.sqrt(px * px + py * py + pz * pz)
        held = where(pull > 0.0, min(1.0, table.static[c] * normal / where(pull > 0.0, pull, 1.0)), 0.0)
        fx, fy, fz = where(sticks, -held * px, fx), where(sticks, -held * py, fy), where(sticks, -held * pz, fz)
    return fx, fy, fz, sticks, none


@kernel
def force(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    table, size, power = compliances_in(p), coordinate_count(p), 0.0
    for c in range(compliance_count(p)):
        depth, nx, ny, nz, lean = depth_at(p, c, y)
        push = shifted(table.push, 3 * c)
        closed = is_closed(p, c, depth)
        if not some(closed):
            table.doing[c], push[0], push[1], push[2] = OPEN, 0.0, 0.0, 0.0
            power += _spring_back(p, c, y) if table.law[c] == BRISTLE else 0.0
            continue
        i = table.node[c]
        vx, vy, vz = y[size + i], y[size + i + 1], y[size + i + 2]
        sinking = -lean * (nx * vx + ny * vy + nz * vz)
        pressing, _ = pressed(table.stiffness[c], table.damping[c], depth, sinking)
        pressing, elastic = where(closed, pressing, 0.0), where(closed, table.stiffness[c] * depth, 0.0)
        normal = pressing * lean
        fx, fy, fz, sticks, stored = _friction(p, c, y, (nx, ny, nz), closed, normal, out)
        fx, fy, fz = where(closed, fx, 0.0), where(closed, fy, 0.0), where(closed, fz, 0.0)
        power += stored + fx * vx + fy * vy + fz * vz - (pressing - elastic) * sinking
        table.doing[c] = STICKING if every(sticks) else SLIDING  # in lanes nobody asks for it
        push[0], push[1], push[2] = fx + normal * nx, fy + normal * ny, fz + normal * nz
        out[i] += push[0]
        out[i + 1] += push[1]
        out[i + 2] += push[2]
    return power


@kernel
def conservative_force(p: Pack, y: np.ndarray, out: np.ndarray) -> tuple[float, float, float]:
    table, stored, squared = compliances_in(p), 0.0, 0.0
    for c in range(compliance_count(p)):
        depth, nx, ny, nz, lean = depth_at(p, c, y)
        if table.law[c] == BRISTLE:
            at = term_states_begin(p) + table.first_state[0] + table.bristle[c]
            bent = y[at] * y[at] + y[at + 1] * y[at + 1] + y[at + 2] * y[at + 2]
            stored += 0.5 * table.tangential_stiffness[c] * bent
        closed = is_closed(p, c, depth)
        if some(closed):
            i, push = table.node[c], where(closed, table.stiffness[c] * depth, 0.0)
            stored, squared = stored + 0.5 * push * depth, squared + push * push
            out[i] += push * lean * nx
            out[i + 1] += push * lean * ny
            out[i + 2] += push * lean * nz
    return stored, 0.0, squared


@kernel
def stiffness(
    p: Pack, t: float, y: np.ndarray, k: float, c: float, pushing: float, exact: float, out: np.ndarray
) -> int:
    """A block a contact, between its node and the ground: firm n n^T + rub (1 - n n^T - t t^T where it slides), and,
    exact, how friction grows with the normal force, -mu firm t n^T, and how normals turn that are pushed along."""
    table, size = compliances_in(p), coordinate_count(p)
    for m in range(compliance_count(p)):
        block = shifted(out, 9 * m)
        for e in range(9):
            block[e] = 0.0
        depth, nx, ny, nz, lean = depth_at(p, m, y)
        if not is_closed(p, m, depth):
            continue
        i, law = table.node[m], table.law[m]
        vx, vy, vz = y[size + i], y[size + i + 1], y[size + i + 2]
        pressing, damped = pressed(table.stiffness[m], table.damping[m], depth, -lean * (nx * vx + ny * vy + nz * vz))
        firm = lean * lean * resistance(k * table.stiffness[m], c * table.damping[m], damped)
        tx, ty, tz, rubbed, mu = 0.0, 0.0, 0.0, 0.0, 0.0
        if law == BRISTLE:
            rub = rub_at(p, m, y, nx, ny, nz, pressing * lean)
            held = share_held(p, m, rub)
            rubbed = held * (k * table.tangential_stiffness[m] + c * table.tangential_damping[m])
            if held != 1.0:
                tx, ty, tz = rub.x / rub.size, rub.y / rub.size, rub.z / rub.size
                mu = grip(table.static[m], table.kinetic[m], rub.speed, table.threshold[m])
        elif law != SMOOTH:
            wx, wy, wz = along(vx, vy, vz, nx, ny, nz)
            speed, mu = math.sqrt(wx * wx + wy * wy + wz * wz), table.kinetic[m]
            rubbed = c * mu * pressing * lean / max(speed, table.threshold[m])
            if speed > 0.0:
                tx, ty, tz = wx / speed, wy / speed, wz / speed
            if speed < table.threshold[m]:
                rubbed, mu = (0.0 if law == THRESHOLD else rubbed), mu * speed / table.threshold[m]
        slides = 1.0 if law != BRISTLE or mu > 0.0 else 0.0
        if law == REGULARISED and mu < table.kinetic[m]:
            slides = 0.0
        for e in range(9):
            a, b = e // 3, e % 3
            na, nb = (nx if a == 0 else ny if a == 1 else nz), (nx if b == 0 else ny if b == 1 else nz)
            ta, tb = (tx if a == 0 else ty if a == 1 else tz), (tx if b == 0 else ty if b == 1 else tz)
            block[e] = firm * (na * nb - exact * mu * ta * nb)
            block[e] += rubbed * ((1.0 if a == b else 0.0) - na * nb - slides * ta * tb)
        if exact > 0.0 and table.kind[table.surface[m]] != PLANE:
            data = shifted(table.data, table.start[table.surface[m]])
            add_turning(table.kind[table.surface[m]], data, y[i], y[i + 1], y[i + 2], exact * k * pressing, block)
    return 9 * compliance_count(p)
