"""A new term with a state: a spring and a dashpot in series (Maxwell) that hold a node at its height at the start.

The dashpot has gone u, a state of the term with a rate of its own: force -k (z - z0 - u), u' = (z - z0 - u) / T.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut import extending as ex
from taut.extending import inlined, term_states_begin, term_states_in

KIND = "maxwell"


@dataclass(frozen=True)
class Maxwell:
    node: str
    stiffness: float  # [N/m]
    relaxation: float  # [s], T


class Maxwells(NamedTuple):
    node: ex.Integers
    first_state: ex.Integers  # (1,) where its states begin among those of all terms
    stiffness: ex.Reals
    relaxation: ex.Reals
    start: ex.Reals  # z0 [m]


maxwells_in, maxwell_count = ex.table(KIND, Maxwells)


@inlined
def force(p, t, y, out):
    m, states, power = maxwells_in(p), term_states_in(p), 0.0
    for k in range(maxwell_count(p)):
        i, e = m.node[k] + 2, m.first_state[0] + k
        s, u = states.stage[0], y[term_states_begin(p) + e]
        # u + s u' is what it is at a stage of an implicit step, where s is not zero.
        rate = (y[i] - m.start[k] - u) / (m.relaxation[k] + s)
        pull = m.stiffness[k] * (y[i] - m.start[k] - u - s * rate)
        states.rate[e] = rate
        out[i] -= pull
        power -= pull * rate
    return power


@inlined
def conservative_force(p, y, out):
    m, stored, squared = maxwells_in(p), 0.0, 0.0
    for k in range(maxwell_count(p)):
        i, u = m.node[k] + 2, y[term_states_begin(p) + m.first_state[0] + k]
        pull = m.stiffness[k] * (y[i] - m.start[k] - u)
        out[i] -= pull
        stored, squared = stored + 0.5 * pull * pull / m.stiffness[k], squared + pull * pull
    return stored, 0.0, squared


@inlined
def stiffness(p, t, y, k, c, pushing, exact, out):
    m, s = maxwells_in(p), term_states_in(p).stage[0]
    for e in range(9 * maxwell_count(p)):
        firm = m.stiffness[e // 9] * m.relaxation[e // 9] / (m.relaxation[e // 9] + s)
        out[e] = k * firm if e % 9 == 8 else 0.0
    return 9 * maxwell_count(p)


def tabulate(given):
    records = given.records(KIND)
    heights = [given.structure.nodes[r.node][2] for r in records]
    numbers = np.array([[r.stiffness, r.relaxation, z] for r, z in zip(records, heights, strict=True)], float).T
    return Maxwells(np.array([given.coordinate[r.node] for r in records]), np.zeros(1, np.int64), *numbers)


MAXWELL = ex.Term(
    *(KIND, Maxwells, tabulate),
    **{f.py_func.__name__: f for f in (force, conservative_force, stiffness)},
    links=lambda table: (table.node, np.full(table.node.size, -1)),
    node_stiffness=lambda table, size: np.bincount(table.node + 2, table.stiffness, size),
    states=lambda table, typical: np.full(table.node.size, typical),
    relaxation=lambda table: table.relaxation.min(),
    dampers=lambda given, table: tuple(f'the dashpot at "{r.node}"' for r in given.records(KIND)),
    record=Maxwell,
    works=True,
)
ex.register(MAXWELL)
