"""Random structures in random states, for tests of what must hold for all of them.

Hypothesis draws what the case is made of (and makes that smaller when a test fails), a seed the numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from dense_model import DenseModel, Force, Vector
from hypothesis import assume
from hypothesis import strategies as st

from taut import (
    Bar,
    Cable,
    Constant,
    Damping,
    LinearConstraint,
    Load,
    Material,
    Plant,
    Sinusoid,
    Structure,
    assemble,
    on_plane,
    tied,
)

WOOD = Material("wood", density=500.0)


@dataclass(frozen=True)
class Case:
    """A structure, what acts on it, and a state that its constraints allow."""

    structure: Structure
    gravity: Vector
    loads: tuple[Load, ...]
    damping: Damping
    velocities: np.ndarray  # (n, 3)
    time: float

    @property
    def dense(self) -> DenseModel:
        return DenseModel(self.structure, self.gravity, tuple(map(_force, self.loads)), self.damping)

    @property
    def plant(self) -> Plant:
        start = dict(zip(self.structure.nodes, map(tuple, self.velocities.tolist()), strict=True))
        return assemble(self.structure, gravity=self.gravity, loads=self.loads, damping=self.damping, velocities=start)

    @property
    def state(self) -> np.ndarray:
        """q, v and no work yet."""
        return np.concatenate([self.structure.positions.ravel(), self.velocities.ravel(), [0.0]])


def _force(load: Load) -> Force:
    """The load as a function of time, written once more so as not to trust the tables."""
    signal = load.signal
    if isinstance(signal, Constant):
        value = signal.value
        return load.node, load.axis, lambda t: value
    assert isinstance(signal, Sinusoid)
    mean, amplitude, frequency, phase = signal.mean, signal.amplitude, signal.frequency, signal.phase
    return load.node, load.axis, lambda t: mean + amplitude * math.sin(2.0 * math.pi * frequency * t + phase)


@st.composite
def cases(
    draw: Callable[..., int],
    *,
    supports: str = "axes",
    springs_only: bool = False,
    damped: bool = True,
    loaded: bool = True,
    heavy: bool = True,
    guided: bool = True,
) -> Case:
    """supports: "axes" (single axes of some nodes), "nodes" (some nodes entirely) or "none" (free flight)."""
    count = draw(st.integers(2, 8))
    bars = draw(st.integers(0, count))
    apart = draw(st.booleans())  # of class 1: no bar touches another
    cables = draw(st.integers(0, 2 * count))
    holds = draw(st.integers(0, 3)) if supports != "none" else 0
    guides = draw(st.integers(0, 2)) if guided else 0
    pushes = draw(st.integers(0, 3)) if loaded else 0
    drags = draw(st.booleans()) if damped else False
    falls = draw(st.booleans()) if heavy else False
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    places = _places(random, count)
    names = [f"n{i}" for i in range(count)]
    pairs = [(names[i], names[j]) for i, j in combinations(range(count), 2)]
    random.shuffle(pairs)
    if apart:
        lone: list[tuple[str, str]] = []
        for pair in pairs:
            if not any(set(pair) & set(other) for other in lone):
                lone.append(pair)
        pairs = lone + [pair for pair in pairs if pair not in lone]
        bars = min(bars, len(lone))
    structure = Structure(
        dict(zip(names, map(tuple, places.tolist()), strict=True)),
        [_bar(random, k, pair) for k, pair in enumerate(pairs[:bars])],
        [
            _cable(random, k, pair, places, names, springs_only, damped)
            for k, pair in enumerate(pairs[bars : bars + cables])
        ],
    )
    weights = {n: float(random.uniform(0.5, 3.0)) for n in names}
    jointed = {n for bar in structure.bars.values() for n in bar.nodes}
    chosen = random.choice(names, size=min(holds, count - 1), replace=False)
    structure = replace(
        structure,
        # A node without a bar needs a mass, some others have one too.
        point_masses={n: m for n, m in weights.items() if n not in jointed or random.random() < 0.3},
        supports={str(n): "xyz" if supports == "nodes" else _axes(random) for n in chosen},
        constraints=_guides(random, names, guides),
    )
    loads = tuple(_load(random, names) for _ in range(pushes))
    damping = Damping(*random.uniform(0.0, 2.0, 2), float(random.uniform(0.0, 0.1))) if drags else Damping()
    gravity = tuple(random.normal(scale=6.0, size=3).tolist()) if falls else (0.0, 0.0, 0.0)
    case = Case(structure, gravity, loads, damping, np.zeros((count, 3)), float(random.uniform(0.0, 5.0)))
    dense = case.dense
    rows = dense.jacobian(dense.start)
    rows = rows / np.linalg.norm(rows, axis=1)[:, None]
    # Redundant constraints have tests of their own; close to redundant, round-off is all one would see.
    assume(len(rows) < dense.size)
    assume(not len(rows) or np.linalg.svd(rows, compute_uv=False).min() > 1e-2)
    speeds = dense.admissible(dense.start, random.normal(size=dense.size))
    return replace(case, velocities=speeds.reshape(-1, 3))


def _places(random: np.random.Generator, count: int) -> np.ndarray:
    """Points in a box, none close to another."""
    places: list[np.ndarray] = []
    while len(places) < count:
        place = random.uniform(-1.5, 1.5, 3)
        if all(np.linalg.norm(place - other) > 0.4 for other in places):
            places.append(place)
    return np.array(places)


def _bar(random: np.random.Generator, k: int, ends: tuple[str, str]) -> Bar:
    inertia = ("thin", "cylinder", "lumped")[random.integers(3)]
    if random.random() < 0.5:
        return Bar(f"b{k}", ends, material=WOOD, radius=0.05, inner_radius=0.02, inertia=inertia)
    return Bar(f"b{k}", ends, mass=float(random.uniform(0.5, 4.0)), radius=0.1, inertia=inertia)


def _cable(
    random: np.random.Generator,
    k: int,
    ends: tuple[str, str],
    places: np.ndarray,
    names: list[str],
    springs_only: bool,
    damped: bool,
) -> Cable:
    i, j = (names.index(end) for end in ends)
    return Cable(
        f"c{k}",
        ends,
        rest_length=float(np.linalg.norm(places[j] - places[i]) * random.uniform(0.7, 1.2)),  # some are slack
        stiffness=float(random.uniform(10.0, 300.0)),
        damping=float(random.uniform(0.0, 5.0)) if damped and random.random() < 0.5 else 0.0,
        mass=float(random.uniform(0.0, 1.0)) if random.random() < 0.3 else None,
        law="spring" if springs_only or random.random() < 0.3 else "cable",
    )


def _axes(random: np.random.Generator) -> str:
    return ("x", "y", "z", "xy", "xz", "yz", "xyz")[random.integers(7)]


def _guides(random: np.random.Generator, names: list[str], count: int) -> list[LinearConstraint]:
    rows: list[LinearConstraint] = []
    for k in range(count):
        first, second = random.choice(names, size=2, replace=False)
        if random.random() < 0.5:
            rows.append(on_plane(f"g{k}", str(first), tuple(random.normal(size=3).tolist())))
        else:
            rows += tied(f"g{k}", str(first), str(second), axes=_axes(random)[0])
    return rows


def _load(random: np.random.Generator, names: list[str]) -> Load:
    node, axis = str(random.choice(names)), "xyz"[random.integers(3)]
    if random.random() < 0.5:
        return Load(node, axis, Constant(float(random.normal(scale=20.0))))
    return Load(node, axis, Sinusoid(*random.normal(scale=10.0, size=1).tolist(), frequency=1.3, phase=0.4, mean=2.0))
