"""One step of RK4 and its memory, from 30 members to a million: bars that touch no other, which everybody can have.

A flat lattice of separate bars and cables (`scale.KINDS`), each engine and size in a process of its own, which takes
turns with the others: steps are asked for in rounds, and CPU time is counted inside. Memory is the peak of the process
above that of an engine with the smallest structure, for each member. A peer that takes too long to be built, or too
much memory, is left out from there on, and it is said so.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

import taut
from benchmarks import six_strut_in_mujoco as mujoco_model
from benchmarks.peak_memory import peak_memory
from benchmarks.peers import in_exudyn
from benchmarks.peers.turns import TAUT, Entry, Row
from benchmarks.scale import KINDS

KIND = "planar lattice, class 1"
STEP = 1e-4
SIZES = (30, 300, 3_000, 30_000, 100_000)
WORK = 3e5
"""Members that are passed in a turn, so that small structures take many steps."""
PATIENCE, ROOM = 120.0, 8e9
"""[s] of CPU time until a peer has to be ready, its model built and its first step done, and [B] that it may take."""

STEPS_MORE = {"taut rk4": 20}
"""Of an engine whose steps are short beside the call that takes them, whose time is taken off."""

Steps = Callable[[int], object]
"""Takes so many steps from the start."""


def structure(members: int) -> taut.Structure:
    return taut.generators.icosahedron(0.6, stiffness=600.0) if members <= 30 else KINDS[KIND](members)


def _taut(made: taut.Structure, velocities: dict[str, tuple[float, float, float]]) -> Steps:
    plant = taut.assemble(made, velocities=velocities)
    options = {"method": "rk4", "step": STEP, "correction": "none", "locate": False, "verify": False}
    return lambda steps: taut.simulate(plant, steps * STEP, every=steps * STEP, **options)


def _mujoco(made: taut.Structure, velocities: dict[str, tuple[float, float, float]]) -> Steps:
    model = mujoco_model.InMujoco(made, made.positions, np.array(list(velocities.values())), 0.0)
    return lambda steps: model.follow("RK4", STEP, steps * STEP, 1)


def _exudyn(made: taut.Structure, velocities: dict[str, tuple[float, float, float]]) -> Steps:
    sparse = len(made.bars) > 30
    system = in_exudyn.InExudyn(made, made.positions, np.array(list(velocities.values())), sparse=sparse)
    return lambda steps: system.follow("RK44", steps * STEP, steps)


ENGINES: dict[str, tuple[Callable[[taut.Structure, Any], Steps], bool]] = {
    "taut rk4": (_taut, True),
    "MuJoCo RK4": (_mujoco, mujoco_model.AVAILABLE),
    "exudyn RK44": (_exudyn, in_exudyn.AVAILABLE),
}


def _serve(engine: str, members: int, line: Connection, patience: float) -> None:
    """In a process of its own: builds, tells its size, and takes as many steps as it is asked for."""
    try:
        _serve_while_asked(engine, members, line, patience)
    except Exception as error:  # a peer that runs out of memory says so in whatever words: they go into the table
        if engine.startswith(TAUT):
            raise
        line.send(f"{type(error).__name__}: {error}")


def _serve_while_asked(engine: str, members: int, line: Connection, patience: float) -> None:
    make, _ = ENGINES[engine]
    if not engine.startswith(TAUT):
        resource.setrlimit(resource.RLIMIT_CPU, (int(patience), resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_AS, (int(ROOM), resource.RLIM_INFINITY))
    make(structure(30), _wave(structure(30)))(2)
    empty = peak_memory()
    made = structure(members)
    steps = make(made, _wave(made))
    steps(2)
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    count = len(made.bars) + len(made.cables)
    line.send((count, (peak_memory() - empty) / count))
    while asked := line.recv():
        begun = time.process_time()
        steps(2)
        middle = time.process_time()
        steps(2 + asked)
        line.send(max((time.process_time() - middle) - (middle - begun), 0.0) / asked)


def _wave(made: taut.Structure) -> dict[str, tuple[float, float, float]]:
    """Small velocities that differ from node to node."""
    places = np.arange(len(made.nodes))
    speeds = 1e-3 * np.sin(np.outer(places, [1.0, 3.0, 2.0]))
    return dict(zip(made.nodes, map(tuple, speeds.tolist()), strict=True))


class Served:
    """An engine in its process; `memory` is for a member [B]."""

    def __init__(self, engine: str, members: int, patience: float) -> None:
        context = multiprocessing.get_context("spawn")
        self.engine, (self.line, other) = engine, context.Pipe()
        self.process = context.Process(target=_serve, args=(engine, members, other, patience), daemon=True)
        self.process.start()
        other.close()
        self.members, self.memory, self.why_not = 0, float("nan"), ""

    def ready(self) -> bool:
        """Whether it could be built; else `why_not` has its words, or that it was ended."""
        try:
            told = self.line.recv()
        except EOFError:
            told = "ended by the system"
        if isinstance(told, str):
            self.why_not = told
            self.process.join()
            return False
        self.members, self.memory = told
        return True

    def step(self, steps: int) -> float:
        """CPU seconds of a step."""
        self.line.send(steps)
        found: float = self.line.recv()
        return found

    def end(self) -> None:
        if self.process.is_alive():
            self.line.send(0)
        self.process.join()


def measure(
    members: int, turns: int = 5, work: float = WORK, patience: float = PATIENCE, tired: tuple[str, ...] = ()
) -> Row:
    """tired: engines that were too slow for a smaller one."""
    able = {name: Served(name, members, patience) for name, (_, here) in ENGINES.items() if here and name not in tired}
    ready = {name: one for name, one in able.items() if one.ready()}
    count = ready["taut rk4"].members
    steps = max(2, int(work / count))
    times = [[one.step(steps * STEPS_MORE.get(name, 1)) for name, one in ready.items()] for _ in range(turns)]
    for one in ready.values():
        one.end()
    table = np.array(times) / count
    ratios = table / table[:, :1]
    entries = [
        Entry(name, float(table[:, k].min()), ratios=tuple(map(float, ratios[:, k])), memory=one.memory)
        for k, (name, one) in enumerate(ready.items())
    ]
    late = [name for name, (_, here) in ENGINES.items() if here and name not in ready]
    entries += [
        Entry(
            name,
            float("nan"),
            note=f"not built in {patience:g} s of CPU time and {ROOM / 1e9:g} GB: {able[name].why_not}"
            if name in able
            else "not built at a smaller size",
        )
        for name in late
    ]
    assert entries[0].name.startswith(TAUT)
    return Row(f"size-{members}", f"RK4 step of {count} members", "member and step", tuple(entries), members=count)


def growing(sizes: tuple[int, ...] = SIZES, turns: int = 5, patience: float = PATIENCE) -> Iterator[Row]:
    tired: tuple[str, ...] = ()
    for size in sizes:
        row = measure(size, turns, patience=patience, tired=tired)
        tired = tuple(e.name for e in row.entries if np.isnan(e.seconds))
        yield row
