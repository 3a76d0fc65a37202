"""A mass on a taut cable along x, which is linear, and a PD that holds it: what controllers are tried on."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import expm

from taut import (
    Cable,
    Command,
    Controller,
    Load,
    Structure,
    assemble,
)
from taut.control import LinearLaw

MASS, FIRM, REST = 2.0, 100.0, 0.5
RATE = 50.0
GAIN = np.array([[-30.0, -6.0]])
GOAL = 1.05
MEASURED = ("node:b.position.x", "node:b.velocity.x")
DYNAMICS = np.array([[0.0, 1.0], [-FIRM / MASS, 0.0]])
ACTING = np.array([[0.0], [1.0 / MASS]])
START = 1.0


def bead(controllers: Any = (), push: Any = None, **options: Any) -> Any:
    """A mass on a taut cable along x; nothing else moves, so that it is linear."""
    structure = Structure(
        {"a": (0.0, 0.0, 0.0), "b": (START, 0.0, 0.0)},
        cables=[Cable("c", ("a", "b"), stiffness=FIRM, rest_length=REST)],
        supports={"a": "xyz", "b": "yz"},
        point_masses={"b": MASS},
    )
    loads = [Load("b", "x", Command() if push is None else push, name="push")]
    return assemble(structure, loads=loads, controllers=controllers, **options)


def pd(**options: Any) -> Controller:
    law = LinearLaw(GAIN, measured_offset=np.array([GOAL, 0.0]), command_offset=FIRM * (GOAL - REST))
    return Controller("pd", MEASURED, ("push",), options.pop("law", law), rate=options.pop("rate", RATE), **options)


def went(x: np.ndarray, begin: float, end: float, seconds: float) -> np.ndarray:
    """The exact state after a push that goes along a line from one value to another."""
    if seconds <= 0.0:
        return x
    size = np.zeros((4, 4))
    size[:2, :2], size[:2, 2:3], size[2, 3] = DYNAMICS, ACTING, 1.0
    forced = np.array([x[0] - REST, x[1], begin, (end - begin) / seconds])
    after = expm(size * seconds) @ forced
    return np.array([after[0] + REST, after[1]])


def commanded(x: np.ndarray) -> float:
    return float((GAIN @ (x - [GOAL, 0.0]))[0] + FIRM * (GOAL - REST))
