"""One RK4 step of the six-strut robot in free flight: taut's compiled Python against the same step in C.

The C file beside this one is compiled with -O3 where a compiler is found. Both step the same start and must agree; what
is compared is the time a step takes, over many steps, from the difference of a long and a short run.
"""

from __future__ import annotations

import ctypes
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import taut
from benchmarks.alone import ALONE
from taut.structure import generators  # as older checkouts have it, too

STEP = 1e-3
SOURCE = Path(__file__).with_name("six_strut.c")


class Model(ctypes.Structure):
    """The C file's `model`."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("nodes", "cables", "bars")),
        *((name, ctypes.c_void_p) for name in ("cable_first", "cable_second", "bar_first", "bar_second")),
        *((name, ctypes.c_void_p) for name in ("stiffness", "rest", "length", "own", "cross")),
    )


def robot() -> taut.Plant:
    structure = generators.icosahedron(0.6, stiffness=600.0)
    random = np.random.default_rng(0)
    velocities = {node: tuple(random.normal(size=3)) for node in structure.nodes}
    return taut.assemble(structure, velocities=velocities)


def by_taut(plant: taut.Plant, steps: int) -> taut.Trajectory:
    duration = steps * STEP
    return taut.simulate(
        plant, duration, every=duration, method="rk4", step=STEP, correction="none", locate=False, **ALONE
    )


class InC:
    """The C step of a plant's structure, its bars thin rods; only where a compiler is found (`available`)."""

    available = bool(shutil.which("cc") or shutil.which("gcc"))

    def __init__(self, plant: taut.Plant, folder: str) -> None:
        library = str(Path(folder) / "six_strut.so")
        compiler = shutil.which("cc") or shutil.which("gcc") or "cc"
        subprocess.run([compiler, "-O3", "-shared", "-fPIC", "-o", library, str(SOURCE), "-lm"], check=True)
        self.march = ctypes.CDLL(library).march
        self.march.argtypes = (ctypes.POINTER(Model), ctypes.c_void_p, ctypes.c_double, ctypes.c_long)
        structure = plant.structure
        cables, bars = structure.cables.values(), structure.bars.values()
        row = {node: k for k, node in enumerate(structure.nodes)}
        cable_ends = np.array([[row[end] for end in cable.route] for cable in cables])
        bar_ends = np.array([[row[end] for end in bar.nodes] for bar in bars])
        length = np.linalg.norm(np.subtract(*structure.positions[bar_ends.T]), axis=1)
        mass = length * [bar.material.density * np.pi * bar.radius**2 for bar in bars]
        self.arrays = [
            np.ascontiguousarray(array)
            for array in (
                *(3 * cable_ends.T),
                *(3 * bar_ends.T),
                *(np.array([getattr(cable, name) for cable in cables]) for name in ("stiffness", "rest_length")),
                *(length, 4.0 / mass, -2.0 / mass),  # a thin rod's mass matrix is m/6 [2 1; 1 2]
            )
        ]
        self.model = Model(len(row), len(cables), len(bars), *(array.ctypes.data for array in self.arrays))
        start = by_taut(plant, 1)
        self.start = np.concatenate([start.nodes[0].ravel(), start.velocities[0].ravel()])

    def follow(self, steps: int) -> np.ndarray:
        y = self.start.copy()
        self.march(ctypes.byref(self.model), y.ctypes.data, STEP, steps)
        return y


def measure(steps: int = 20_000, repeats: int = 7) -> dict[str, float]:
    """CPU time of a step [s] in either language, and the largest difference of their positions [m] after 500 steps."""
    plant = robot()
    with tempfile.TemporaryDirectory() as folder:
        peer = InC(plant, folder)
        by_taut(plant, 1)
        apart = np.abs(by_taut(plant, 500).nodes[-1].ravel() - peer.follow(500)[: plant.structure.positions.size]).max()
        here, there = [], []
        for _ in range(repeats):
            short = _spent(lambda: by_taut(plant, 100))
            here.append((_spent(lambda: by_taut(plant, 100 + steps)) - short) / steps)
            there.append(_spent(lambda: peer.follow(steps)) / steps)
    return {"taut": statistics.median(here), "c": statistics.median(there), "apart": float(apart)}


def _spent(work) -> float:  # type: ignore[no-untyped-def]
    begun = time.process_time()
    work()
    return time.process_time() - begun


def table(result: dict[str, float]) -> str:
    return (
        "Six-strut robot, free flight, one RK4 step with its bar constraints, CPU time, median\n"
        f"C -O3   {result['c'] * 1e6:6.2f} us\n"
        f"taut    {result['taut'] * 1e6:6.2f} us   {result['taut'] / result['c']:.2f} times C\n"
        f"positions after 500 steps differ by {result['apart']:.1e} m"
    )
