"""A new term: ground that pushes a node up with stiffness d + cubic d^3 while it is d = level - z below its level."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut import extending as ex
from taut.extending import coordinate_count, events_in, inlined, where

KIND, UP, DOWN = "ground_spring", 0, 1


@dataclass(frozen=True)
class GroundSpring:
    node: str
    stiffness: float  # [N/m]
    cubic: float = 0.0  # [N/m^3]
    level: float = 0.0  # [m]


class GroundSprings(NamedTuple):
    node: ex.Integers
    stiffness: ex.Reals
    cubic: ex.Reals
    level: ex.Reals
    mode: ex.Reals  # 0 off, 1 on even where it would pull, AS_GIVEN pushes only


springs_in, spring_count = ex.table(KIND, GroundSprings)


@inlined
def depth_and_push(p, k, y):
    s, d = springs_in(p), springs_in(p).level[k] - y[springs_in(p).node[k] + 2]
    d = where(s.mode[k] > 1.5, max(d, 0.0), s.mode[k] * d)
    return d, s.stiffness[k] * d + s.cubic[k] * d * d * d


@inlined
def conservative_force(p, y, out):
    s, stored, squared = springs_in(p), 0.0, 0.0
    for k in range(spring_count(p)):
        d, push = depth_and_push(p, k, y)
        out[s.node[k] + 2] += push
        stored, squared = stored + d * d * (0.5 * s.stiffness[k] + 0.25 * s.cubic[k] * d * d), squared + push * push
    return stored, 0.0, squared


@inlined
def stiffness(p, t, y, k, c, pushing, exact, out):
    s = springs_in(p)
    for m in range(spring_count(p)):
        d, _ = depth_and_push(p, m, y)
        for e in range(9):
            on = e == 8 and (s.mode[m] == 1.0 or d > 0.0)
            out[9 * m + e] = k * (s.stiffness[m] + 3.0 * s.cubic[m] * d * d) if on else 0.0
    return 9 * spring_count(p)


@inlined
def observe(p, t, y, out):
    for k in range(spring_count(p)):
        out[k] = depth_and_push(p, k, y)[1]
    return spring_count(p)


@inlined
def margin(p, e, state, y):
    s, i, per = springs_in(p), springs_in(p).node[e] + 2, (1.0 if state == UP else -1.0) / events_in(p).band[0]
    return (np.inf if state > DOWN else per * (y[i] - s.level[e])), per * y[coordinate_count(p) + i], 1


@inlined
def put(p, e, state):
    springs_in(p).mode[e] = 1.0 * state


def tabulate(given):
    records = given.records(KIND)
    numbers = np.array([[r.stiffness, r.cubic, r.level, ex.AS_GIVEN] for r in records], float).T
    return GroundSprings(np.array([given.coordinate[r.node] for r in records]), *numbers)


EVENTS = ex.EventSource(
    *(spring_count, margin, put, inlined(lambda p, e, y: int(y[springs_in(p).node[e] + 2] < springs_in(p).level[e]))),
    subjects=lambda given, table: tuple(("ground spring", r.node) for r in given.records(KIND)),
    changes={UP: "lifts off", DOWN: "touches down", ex.AS_GIVEN: "chatters"},
)
GROUND_SPRING = ex.Term(
    *(KIND, GroundSprings, tabulate),
    **{f.py_func.__name__: f for f in (conservative_force, stiffness, observe)},
    links=lambda table: (table.node, np.full(table.node.size, -1)),
    events=EVENTS,
    shows=lambda given: {"ground_spring_force": len(given.records(KIND))},
    node_stiffness=lambda table, size: np.bincount(table.node + 2, table.stiffness, size),
    record=GroundSpring,
    lanes=True,
)
ex.register(GROUND_SPRING)
