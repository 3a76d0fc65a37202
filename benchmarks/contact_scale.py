"""What a step on the ground costs against size: robots of class 1 side by side to 10,000 members with 1,000 contacts
closed, and braced boxes, whose bars meet, as many as there is room for their responses.

CPU, the least of several turns in this process, warm, over steps of 1 ms on a floor. A contact is counted where it
pushes at the end.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import NamedTuple

import numpy as np

import taut
from benchmarks.contact_steps import GRAVITY, least, looped, robot
from taut.mechanics.tables import state_layout
from taut.mechanics.terms.contacts import NUMBERS

STEP, FRICTION = 1e-3, 0.6
SIZES = {"robots": (1, 10, 100, 334), "boxes": (1, 10, 100, 556)}
STEPS = {"robots": 50, "boxes": 10}


class Size(NamedTuple):
    kind: str
    members: int
    contacts: int  # closed
    microseconds: float  # a step


def robots(count: int) -> taut.Structure:
    """On their faces, two metres apart along x."""
    one = robot(0.0, askew=0.0)
    nodes, bars, cables = {}, [], []
    for k in range(count):
        nodes |= {f"{k}{name}": (x + 2.0 * k, y, z) for name, (x, y, z) in one.nodes.items()}
        bars += [
            taut.Bar(f"{k}{bar.name}", (f"{k}{bar.nodes[0]}", f"{k}{bar.nodes[1]}"), mass=0.5, inertia="lumped")
            for bar in one.bars.values()
        ]
        cables += [
            taut.Cable(
                *(f"{k}{cable.name}", tuple(f"{k}{node}" for node in cable.route)),
                stiffness=cable.stiffness,
                rest_length=cable.rest_length,
            )
            for cable in one.cables.values()
        ]
    return taut.Structure(nodes, bars, cables)


def boxes(count: int) -> taut.Structure:
    """Rigid: twelve edges and a diagonal in every face; each slides at its own pace."""
    nodes, bars = {}, []
    for k in range(count):
        corners = {f"{k}-{a}{b}{c}": (a + 2.0 * k, float(b), float(c)) for a, b, c in product((0, 1), repeat=3)}
        nodes |= corners
        for one, other in combinations(corners, 2):
            apart = sum(a != b for a, b in zip(one[-3:], other[-3:], strict=True))
            if apart == 1 or (apart == 2 and one[-3:].count("1") % 2 == 0):
                bars.append(taut.Bar(f"{one}{other}", (one, other), mass=1.0))
    return taut.Structure(nodes, bars)


KINDS = {"robots": robots, "boxes": boxes}


def measure(kind: str, count: int, steps: int = 50) -> Size:
    made = KINDS[kind](count)
    floor = [taut.Ground("floor", friction=FRICTION)]
    speeds = dict.fromkeys(made.nodes, (0.5, 0.2, 0.0))
    plant = taut.assemble(made, gravity=GRAVITY, ground=floor, velocities=speeds)
    work = looped(plant, "impulses", STEP, steps * STEP)
    begin = state_layout(plant.coordinates, plant.internal.size, 0).internal
    forces = work()[begin : begin + plant.internal.size].reshape(-1, NUMBERS)
    turns = 15 if count < 100 and kind == "robots" else 3
    cost = 1e6 * least(work, turns) / steps
    return Size(kind, len(made.bars) + len(made.cables), int(np.count_nonzero(forces[:, 3])), cost)


def table(sizes: list[Size]) -> str:
    rows = "\n".join(
        f"| {one.kind} | {one.members} | {one.contacts} | {one.microseconds:.1f} |"
        f" {1e3 * one.microseconds / one.members:.0f} |"
        for one in sizes
    )
    return f"| on the ground | members | contacts | CPU us a step | ns a member |\n|---|---|---|---|---|\n{rows}"


def report() -> str:
    return table([measure(kind, count, STEPS[kind]) for kind, counts in SIZES.items() for count in counts])


if __name__ == "__main__":
    print(report())
