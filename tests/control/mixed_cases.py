"""The random structures of the tests of dynamics with some of their bars made compressible, and supports that move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from dense_model import DenseModel
from hypothesis import strategies as st
from random_cases import Case, cases

from taut import Bar, Material, Motion, Plant, Sinusoid, Structure, assemble


@dataclass(frozen=True)
class Mixed(Case):
    """Bars of both laws in any order."""

    motions: tuple[Motion, ...] = ()

    @property
    def plant(self) -> Plant:
        start = dict(zip(self.structure.nodes, map(tuple, self.velocities.tolist()), strict=True))
        return assemble(
            self.structure,
            gravity=self.gravity,
            loads=self.loads,
            motions=self.motions,
            damping=self.damping,
            velocities=start,
        )

    @property
    def rigid(self) -> DenseModel:
        """What is constrained: the structure without its compressible bars."""
        kept = [bar for bar in self.structure.bars.values() if bar.law == "rigid"]
        return DenseModel(replace(self.structure, bars=kept))

    @property
    def soft(self) -> list[str]:
        return [bar.name for bar in self.structure.bars.values() if bar.law == "compressible"]


@st.composite
def mixed_cases(draw: Callable[..., int], *, moved: bool = False, **options: bool) -> Mixed:
    """moved: with supports that move, where there are any."""
    case = draw(cases(**options))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    some = draw(st.sampled_from((0.5, 1.0, 0.0)))
    bars = [
        _softened(random, case.structure, bar) if random.random() < some else bar
        for bar in case.structure.bars.values()
    ]
    held = [(node, axis) for node, axes in case.structure.supports.items() for axis in axes]
    motions = tuple(
        Motion(
            node, axis, displacement=Sinusoid(float(random.uniform(0.05, 0.2)), 0.7, float(random.uniform(0.0, 6.0)))
        )
        for node, axis in (held if moved else [])
        if random.random() < 0.7
    )
    facts = {name: getattr(case, name) for name in ("gravity", "loads", "damping", "velocities", "time")}
    mixed = Mixed(replace(case.structure, bars=bars), **facts, motions=motions)
    speeds = mixed.rigid.admissible(
        mixed.rigid.start, random.normal(size=case.velocities.size)
    )  # soft bars stretch too
    return replace(mixed, velocities=speeds.reshape(-1, 3))


def _softened(random: np.random.Generator, structure: Structure, bar: Bar) -> Bar:
    """Under force, thick or thin, given by its stiffness or its material; the mass does not follow the length."""
    first, second = (np.array(structure.nodes[node]) for node in bar.nodes)
    return replace(
        bar,
        law="compressible",
        mass=float(random.uniform(0.5, 4.0)),
        length=float(np.linalg.norm(second - first) * random.uniform(0.8, 1.2)),
        radius=float(random.uniform(0.1, 0.4)),
        inner_radius=0.05,
        inertia=("thin", "cylinder", "cylinder", "lumped")[random.integers(4)],
        material=Material("foam", youngs_modulus=2e3, poisson_ratio=float(random.uniform(-0.9, 0.5))),
        stiffness=float(random.uniform(50.0, 500.0)) if random.random() < 0.5 else None,
        damping=float(random.uniform(0.0, 5.0)) if random.random() < 0.5 else 0.0,
    )
