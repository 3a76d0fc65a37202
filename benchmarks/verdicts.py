"""How good the verdicts on runs are: random runs, from sensible to absurd, each compared with dp8 at 1e-11.

    python -m benchmarks.verdicts [RUNS] [SEED]

A miss is a run that is off by more than 1 % of its motion, up to the time until which the reference itself is certain,
and yet `ok` without a note. A false alarm is a run good to 0.01 % that is called unsound or is said to part earlier.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

import taut

MISSED, GOOD = 1e-2, 1e-4
REFERENCE, BETTER = 1e-11, 1e-12
CERTAIN = 1e-4
"""Fraction of the motion up to which the reference and a better one agree where it is taken for the truth."""
SMALLEST = 1e-5
"""[m] Motions smaller than this are not judged."""


@dataclass(frozen=True)
class Judged:
    """What came out for one run; error as a fraction of the motion."""

    words: str
    error: float
    ok: bool
    notes: tuple[str, ...]
    status: str
    accuracy: str

    @property
    def finished(self) -> bool:
        return self.status.startswith("finished")

    @property
    def missed(self) -> bool:
        return self.finished and self.error > MISSED and self.ok and not self.notes

    @property
    def good(self) -> bool:
        return self.finished and self.error <= GOOD

    @property
    def false_alarm(self) -> bool:
        return self.good and not self.ok


def _structure(random: np.random.Generator) -> tuple[str, taut.Structure]:
    kind = str(random.choice(["tbar", "prism", "tower", "robot", "held robot", "mast", "net"]))
    stiffness = float(10.0 ** random.uniform(2.0, 4.5))
    damping = float(random.choice([0.0, 0.0, 10.0 ** random.uniform(-3.0, -1.0)])) * math.sqrt(stiffness)
    if kind == "tbar":
        found = taut.generators.tbar()
    elif kind == "prism":
        found = taut.generators.prism(3).supported("bottom*")
    elif kind == "tower":
        found = taut.generators.tower(2, radius=0.3, height=0.6).supported("bottom*")
    elif kind in ("robot", "held robot"):
        found = taut.generators.icosahedron(0.6)
        found = found.supported(next(iter(found.nodes))) if kind == "held robot" else found
    elif kind == "mast":
        top = (float(random.uniform(0.01, 0.3)), 0.0, 1.0)
        found = taut.Structure(
            {"foot": (0, 0, 0), "left": (-1, 0, 0), "right": (1, 0, 0), "top": top},
            [taut.Bar("mast", ("foot", "top"), mass=2.0)],
            [taut.Cable(side, (side, "top"), rest_length=1.35) for side in ("left", "right")],
            supports=dict.fromkeys(("foot", "left", "right"), "xyz"),
        )
    else:
        places = random.uniform(-1.0, 1.0, (5, 3))
        names = [f"n{k}" for k in range(5)]
        corners = {"a": (-2, -2, 0), "b": (2, -2, 0), "c": (2, 2, 0), "d": (-2, 2, 1)}
        nodes = {**corners, **dict(zip(names, map(tuple, places.tolist()), strict=True))}
        cables = [(names[k], names[(k + 1) % 5]) for k in range(5)] + [(c, names[k]) for k, c in enumerate(corners)]
        slack = [float(random.uniform(0.7, 1.1)) * math.dist(nodes[a], nodes[b]) for a, b in cables]
        made = [taut.Cable(f"c{k}", ends, rest_length=slack[k]) for k, ends in enumerate(cables)]
        held, heavy = dict.fromkeys(corners, "xyz"), dict.fromkeys(names, 0.5)
        found = taut.Structure(nodes, (), made, supports=held, point_masses=heavy)
    return kind, found.changed("cable:*", stiffness=stiffness, damping=damping)


def _signal(random: np.random.Generator, size: float, duration: float) -> tuple[str, Any, Any]:
    """A load's name, the signal of the run, and that of the reference."""
    kind = str(random.choice(["constant", "wave", "wave", "doublet", "pulse"]))
    if kind == "constant":
        return kind, size, size
    if kind == "wave":
        signal = taut.Sinusoid(size, float(10.0 ** random.uniform(-0.5, 2.3)), float(random.uniform(0.0, 6.0)))
        return f"wave {signal.frequency:.3g} Hz", signal, signal
    width = duration * float(10.0 ** random.uniform(-3.5, -1.0))
    begin = float(random.uniform(0.1, 0.7)) * duration
    doublet = taut.Doublet(size, width, begin)
    if kind == "doublet":
        return f"doublet {width:.2g} s", doublet, doublet
    return (
        f"pulse {width:.2g} s",
        lambda t: size if begin <= t < begin + width else (-size if begin + width <= t < begin + 2 * width else 0.0),
        doublet,
    )


def _method(random: np.random.Generator, plant: taut.Plant) -> dict[str, Any]:
    calm = not plant.dampers
    names = ["dp5", "dp5", "dp8", "rk4", "rk4", "implicit3", "implicit4", *(["rattle2", "rattle4", "rattle8"] * calm)]
    name = str(random.choice(names))
    stable = plant.shortest_period / math.pi
    if name in ("dp5", "dp8") or (name.startswith("implicit") and random.random() < 0.5):
        options: dict[str, Any] = {"tolerance": float(10.0 ** random.uniform(-10.0, -1.0))}
    else:
        options = {"step": stable * float(10.0 ** random.uniform(-2.0, 0.7))}
    if name in ("dp5", "dp8", "rk4"):
        options["correction"] = str(random.choice(["energy", "constraints", "none"]))
    if random.random() < 0.2:
        options["locate"] = False
    return {"method": name, **options}


def judged(seed: int) -> Judged | None:
    """One random run; None where nothing moves, or where the reference cannot be had."""
    random = np.random.default_rng(seed)
    kind, structure = _structure(random)
    duration = float(random.choice([0.3, 1.0, 3.0]))
    gravity = float(random.choice([0.0, 9.81]))
    speeds = {name: tuple(random.normal(0.0, 0.5, 3).tolist()) for name in structure.nodes}
    words, loads, truths = [], [], []
    if random.random() < 0.6:
        node = str(random.choice([name for name in structure.nodes if "x" not in structure.supports.get(name, "")]))
        told, signal, truth = _signal(random, float(10.0 ** random.uniform(0.0, 2.5)), duration)
        words.append(told)
        loads.append(taut.Load(node, "x", signal))
        truths.append(taut.Load(node, "x", truth))
    given: dict[str, Any] = {"gravity": gravity, "velocities": speeds}
    plant = taut.assemble(structure, loads=loads, **given)
    if not plant.compiled:
        duration = min(duration, 0.3)
    options = _method(random, plant)
    told = ", ".join([f"seed {seed}", kind, f"{duration:g} s", *words, *(f"{k} {v}" for k, v in options.items())])
    true = taut.assemble(structure, loads=truths, **given)
    best = taut.simulate(true, duration, method="dp8", tolerance=BETTER, verify=False)
    reference = taut.simulate(true, duration, method="dp8", tolerance=REFERENCE, verify=False)
    if not (best.ok and reference.ok):
        return None
    size = float(np.abs(reference.nodes - reference.nodes[0]).max())
    if size < SMALLEST:
        return None
    apart = np.abs(best.nodes - reference.nodes).max(axis=(1, 2)) > CERTAIN * size
    certain = int(np.argmax(apart)) if apart.any() else apart.size
    run = taut.simulate(plant, duration, **options)
    count = min(certain, run.time.size)
    error = float(np.abs(run.nodes[:count] - reference.nodes[:count]).max(initial=0.0)) / size
    return Judged(told, error, run.ok, run.notes, run.status, run.accuracy)


def table(results: list[Judged]) -> str:
    """What came out, in words."""
    missed, good = [r for r in results if r.missed], [r for r in results if r.good]
    false, bad = [r for r in results if r.false_alarm], [r for r in results if r.finished and r.error > MISSED]
    lines = [
        f"{len(results)} runs: {sum(not r.finished for r in results)} did not finish, {len(bad)} finished and are off "
        f"by more than {MISSED:.0%}, {len(good)} are good to {GOOD:.2%}",
        f"missed: {len(missed)} of {len(bad)}",
        f"false alarms: {len(false)} of {len(good)}",
        *(f"  MISSED {r.error:.1e}: {r.words}; {r.accuracy}" for r in missed),
        *(f"  FALSE {r.error:.1e}: {r.words}; {r.notes}" for r in false),
    ]
    return "\n".join(lines)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    results: list[Judged] = []
    seed = first
    while len(results) < count:
        found = judged(seed)
        results += [found] if found else []
        seed += 1
    print(table(results))


if __name__ == "__main__":
    main()
