"""Motions that every version of taut has to repeat: examples, and small runs that each ask for something else.

Only names that users have are used, so that any checkout can be asked, in a process of its own:
`python -m benchmarks.motions FILE.npz RUNS [WORD ...]` follows each, or those with such a word in their name, once, and
nudged for further runs, and keeps what came out. A motion is told by arrays with a row a sample: places, velocities,
forces, energies, work; the instants of its events and their names.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import taut
from benchmarks.trees import check_origin
from taut.structure import generators  # as older checkouts have it, too

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
PHYSICS = ("gravity", "loads", "motions", "damping", "events", "velocities", "solver")
OPTIONS = ("every", "method", "tolerance", "step", "correction", "locate")
QUANTITIES = (
    *("cable_length", "cable_tension", "bar_force", "constraint_force", "reaction", "load_force", "multiplier"),
    *("energy_kinetic", "energy_elastic", "energy_gravity", "work", "time"),
)
STEEL = taut.Material("steel", density=7850.0, youngs_modulus=2.1e11)

Told = dict[str, np.ndarray]


class Nudge(NamedTuple):
    """How far [m] one node is moved along x before the start: the first or the last of those that can move so."""

    by: float = 0.0
    node: int = -1


STILL = Nudge()
NUDGES = tuple(Nudge(by, node) for node in (-1, 0) for by in (1e-15, -1e-15))
"""Each is another run; where motions are chaotic they differ among themselves by a factor of ten."""


def nudged(structure: taut.Structure, nudge: Nudge) -> taut.Structure:
    """The structure with one of its nodes that can move along x moved along x."""
    places = structure.positions.copy()
    free = [k for k, node in enumerate(structure.nodes) if "x" not in structure.supports.get(node, "")]
    places[free[nudge.node], 0] += nudge.by
    if nudge.by and np.array_equal(places, structure.positions):
        raise ValueError(f"a nudge of {nudge.by:g} m is lost in the round-off of {places[free[nudge.node], 0]:g} m")
    return structure.placed(places)


def told(run: taut.Trajectory) -> Told:
    """What is compared of a run; a plant in coordinates of its own has these for places."""
    own = run.nodes.shape[1] == 0
    collisions = getattr(run, "collisions", ())  # of members, which older checkouts do not look for
    events = [event for event in run.events if event not in collisions]
    return {
        "places": run.coordinate if own else run.nodes,
        "velocities": run.coordinate_rate if own else run.velocities,
        **{name: getattr(run, name) for name in QUANTITIES},
        "event times": np.array([event.time for event in events]),
        "words": np.array([run.status, *(event.name for event in events)]),
    }


def example(name: str, duration: float, nudge: Nudge, **other: object) -> Told:
    """An example as its file says, for this long [s]; other: options instead of the file's."""
    model = taut.read_model(EXAMPLES / f"{name}.yaml")
    physics = {part: getattr(model.scenario, part) for part in PHYSICS}
    plant = taut.assemble(nudged(model.structure, nudge), **physics)
    options = {name: getattr(model.scenario, name) for name in OPTIONS} | other
    return told(taut.simulate(plant, duration, **options))


def implicit_tower(method: str, nudge: Nudge) -> Told:
    """The tower of `benchmarks.stiff_motion`: steel cables, damped, loaded from the side at once."""
    made = generators.tower(3).supported("bottom*").changed("cable:*", material=STEEL, radius=0.002, stiffness=None)
    made = taut.prestress(made, {"cable:vertical": 100.0}).structure
    damping = taut.Damping(node=100.0, stiffness=0.01)
    plant = taut.assemble(nudged(made, nudge), gravity=9.81, loads=[taut.Load("top1", "x", 150.0)], damping=damping)
    return told(taut.simulate(plant, 0.5, every=0.01, method=method, tolerance=1e-6))


def class_2_tower(nudge: Nudge) -> Told:
    """Bars that meet: four stages on a fixed foot, pushed at the top, swinging in gravity."""
    made = generators.tower(4, class_=2).supported("bottom").changed("cable:*", rest_ratio=0.93)
    speeds = dict.fromkeys(made.select("node:top*"), (0.5, 0.2, 0.0))
    plant = taut.assemble(nudged(made, nudge), gravity=9.81, velocities=speeds)
    return told(taut.simulate(plant, 1.0, every=0.01, method="dp8", tolerance=1e-9))


def guided_tower(nudge: Nudge) -> Told:
    """Linear constraints: one top node on a plane, one on a line, and two nodes tied along z; damped and pushed."""
    made = generators.tower(2).supported("bottom").changed("cable:*", rest_ratio=0.95)
    rows = (taut.on_plane("plane", "top1", (1.0, 2.0, 0.5)), *taut.on_line("line", "top2", (0.2, 0.1, 1.0)))
    made = nudged(made, nudge).with_constraints(*rows, *taut.tied("tie", "top3", "top1", "z"))
    push = taut.Load("top3", "x", taut.Sinusoid(20.0, 1.5))
    plant = taut.assemble(made, gravity=9.81, loads=[push], damping=taut.Damping(node=0.5, mass=0.1, stiffness=1e-4))
    return told(taut.simulate(plant, 1.0, every=0.01, tolerance=1e-9))


def lanes(nudge: Nudge) -> Told:
    """Twenty six-strut robots in free flight, sixteen in one kernel and four in another."""
    structure, random = generators.icosahedron(0.6, stiffness=600.0), np.random.default_rng(0)
    plant = taut.assemble(structure)
    velocities = random.normal(size=(20, *structure.positions.shape))
    positions = np.repeat(nudged(structure, nudge).positions[None], 20, axis=0)
    run = taut.ensemble(
        plant, 0.5, positions=positions, velocities=velocities, every=0.01, method="rk4", step=1e-3, threads=1
    )
    return {
        "places": run.nodes.swapaxes(0, 1),
        "velocities": run.velocities.swapaxes(0, 1),
        "time": run.time,
        "words": np.array(run.status),
    }


def double_pendulum(nudge: Nudge) -> Told:
    """Two thin rods by their angles below the x axis, uncompiled, in coordinates of their own."""
    mass, length = np.array([2.0, 1.2]), np.array([1.0, 0.7])

    def inertia(q: np.ndarray) -> np.ndarray:
        cross = 0.5 * mass[1] * length[0] * length[1] * np.cos(q[0] - q[1])
        first = (mass[0] / 3.0 + mass[1]) * length[0] ** 2
        return np.array([[first, cross], [cross, mass[1] * length[1] ** 2 / 3.0]])

    def potential(q: np.ndarray) -> complex:
        upper = (0.5 * mass[0] + mass[1]) * length[0] * np.sin(q[0])
        return -9.81 * (upper + 0.5 * mass[1] * length[1] * np.sin(q[1]))

    start = np.array([0.3, -0.4])
    start[nudge.node] += nudge.by
    plant = taut.LagrangianPlant(("upper", "lower"), inertia, potential, start, np.array([0.0, 1.0]), typical_time=0.3)
    return told(taut.simulate(plant, 1.0, every=0.02, tolerance=1e-8))


MOTIONS: dict[str, Callable[[Nudge], Told]] = {
    "T-bar": partial(example, "tbar", 10.0),
    "Arm": partial(example, "arm", 1.0),
    "Ball": partial(example, "ball", 2.0),
    "compressible Ball": partial(example, "ball_compressible", 1.0),
    "earthquake tower": partial(example, "tower_earthquake", 2.0),
    "collapse": partial(example, "tower_collapse", 1.0),
    "implicit tower, implicit3": partial(implicit_tower, "implicit3"),
    "implicit tower, implicit4": partial(implicit_tower, "implicit4"),
    "class-2 tower": class_2_tower,
    "linear constraints": guided_tower,
    "T-bar by RATTLE": partial(example, "tbar", 2.0, method="rattle4", step=0.01, tolerance=1e-8, correction=None),
    "ensemble in lanes": lanes,
    "double pendulum": double_pendulum,
}


def followed(runs: int, words: Sequence[str] = ()) -> Told:
    """Every motion, as it is and then nudged, so often in all; keys: motion, run, quantity. A failure is told too."""
    found: Told = {}
    for name, motion in MOTIONS.items():
        if words and not any(word in name for word in words):
            continue
        for number, nudge in enumerate((STILL, *NUDGES)[:runs]):
            try:
                made = motion(nudge)
            except Exception as error:
                made = {"words": np.array([f"failed: {type(error).__name__}: {error}"])}
            found |= {f"{name}|{number}|{quantity}": values for quantity, values in made.items()}
    return found


def main(file: str, runs: str, *words: str) -> None:
    check_origin()
    np.savez(file, **followed(int(runs), words))


if __name__ == "__main__":
    main(*sys.argv[1:])
