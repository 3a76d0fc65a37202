"""Tables 1 to 3 as printed [mm, N], and what is measured between nodes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from taut.papers.prismatic.equations import LOOP, LOWER, NODES, UPPER

TABLE_1 = {"active": 65.0, "passive": 90.0, "saddle": 120.0}
"""Tensions [N]."""

SWAPPED = {"active": 90.0, "passive": 65.0}
"""Those at which a posture is near Table 2."""

_TABLE_2 = """
01  250    0    0   267    1  1.6   17   1  1.6
02 -130 -225    0  -127 -232  1.6    3   7  1.6
03 -130  225    0  -127  232  1.6    3   7  1.6
11  144   50  920   148   49  921    4   1    1
12  -50 -150  920   -56 -148  872    6   2   48
13 -130  110  910  -120  130  901   10  20    9
1a  125  -70  673   112  -64  684   13   6   11
1b  135  -70  662   122  -68  677   13   2   15
1c  -14  150  671   -12  142  651    2  15    2
21   18  257 1590    17  218 1620    1  39   30
22 -250 -104 1600  -260 -101 1614   10   3   14
23  197 -156 1600   178 -160 1602   19   4    2
"""
TABLE_2 = np.array([line.split()[1:] for line in _TABLE_2.strip().splitlines()], dtype=float)
"""(12, 9) [mm]: simulation, experiment, difference; x y z each."""

MISPRINTED = {("01", 0): 260.0, ("1b", 0): -135.0, ("1b", 3): -122.0}
"""Entries of Table 2 that the others contradict, and what they have to be: 450 mm / sqrt 3, and three mid nodes 120 deg
apart."""

TABLE_3 = dict(zip(NODES, (1.6, 1.6, 1.6, 0.76, 0.89, 1.0, 0.73, 1.1, 0.42, 0.156, 0.653, 0.327), strict=True))
"""Mean distances [mm] between simulation and experiment in motion."""

MEAN_ERROR = float(np.mean([TABLE_3[name] for name in NODES[3:]])) / 1e3
"""[m] Of the nodes that move."""


def _mended() -> np.ndarray:
    table = TABLE_2.copy()
    for (node, column), value in MISPRINTED.items():
        table[NODES.index(node), column] = value
    return table / 1e3


SIMULATED, MEASURED = _mended()[:, :3], _mended()[:, 3:6]
"""(12, 3) [m], misprints mended."""

MOVING = slice(3, 12)
"""Nodes that are not held."""


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """Root mean square of the distances of the nine nodes that move [m]."""
    return float(np.sqrt(((one - other)[MOVING] ** 2).sum(axis=1).mean()))


def azimuth(positions: np.ndarray) -> float:
    """Of node 21 about the vertical [deg], by which the robot is twisted; node 01 is at 0."""
    x, y, _ = positions[NODES.index("21")]
    return float(np.degrees(np.arctan2(y, x)))


def distance(positions: np.ndarray, ends: tuple[str, str]) -> float:
    a, b = (positions[NODES.index(node)] for node in ends)
    return float(np.linalg.norm(b - a))


def around(positions: np.ndarray) -> float:
    """Length of the saddle [m]."""
    return sum(distance(positions, ends) for ends in pairwise(LOOP))


def rigid_errors(positions: np.ndarray) -> dict[str, float]:
    """How far bars are from 1 m and sides of the plate from 0.45 m [m]."""
    sides = (("21", "22"), ("22", "23"), ("23", "21"))
    wanted = {**dict.fromkeys((*LOWER, *UPPER), 1.0), **dict.fromkeys(sides, 0.45)}
    return {"-".join(ends): distance(positions, ends) - length for ends, length in wanted.items()}


TURNED = ("03", "01", "02", "13", "11", "12", "1c", "1a", "1b", "22", "23", "21")
"""Where each node comes to when the robot is turned by 120 deg."""


def asymmetry(positions: np.ndarray) -> float:
    """The largest distance of a moving node from where the turn by 120 deg brings another [m]."""
    turn = np.array([[-0.5, -np.sqrt(0.75), 0.0], [np.sqrt(0.75), -0.5, 0.0], [0.0, 0.0, 1.0]])
    images = positions[[NODES.index(node) for node in TURNED]]
    return float(np.linalg.norm(positions @ turn.T - images, axis=1)[MOVING].max())
