"""Statics has cables and bars as arrays over members, motion has them as kernels: one law, to the last digits."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.numerics.link_blocks import pattern
from taut.statics.equilibrium_equations import equations_of
from taut.statics.network import network


def tower() -> taut.Structure:
    """Class 2, a third of its cables slack, some of its bars compressible, pushed out of its shape."""
    made = (
        taut.generators.tower(stages=2, class_=2)
        .supported("bottom*")
        .changed("cable:*", stiffness=900.0, rest_ratio=0.97)
    )
    random = np.random.default_rng(4)
    slack = [f"cable:{name}" for name in list(made.cables)[::3]]
    for selector in slack:
        made = made.changed(selector, rest_ratio=1.4)
    soft = [f"bar:{name}" for name in list(made.bars)[::2]]
    for selector in soft:
        made = made.changed(selector, law="compressible", stiffness=4e4)
    return made.placed(made.positions + 0.02 * random.normal(size=made.positions.shape))


@pytest.fixture(scope="module")
def both() -> tuple[taut.Plant, object]:
    structure = tower()
    return taut.assemble(structure), equations_of(network(structure))


def test_forces_and_energy(both: tuple[taut.Plant, object]) -> None:
    plant, problem = both
    q = plant.positions.ravel()
    force, tools = np.zeros(q.size), plant.composition.tools
    stored = tools["elastic_force"](plant.pack, np.concatenate([q, np.zeros(q.size + 1)]), force)
    none = np.zeros(problem.rows)
    left = -problem.unbalance(plant.positions, none, problem.setting)
    energy, _ = problem.energy(plant.positions, problem.setting)
    assert np.abs(force).max() > 1.0, "nothing pulls, nothing is compared"
    np.testing.assert_allclose(force, left, atol=1e-12 * np.abs(left).max())
    assert stored == pytest.approx(energy, rel=1e-13)


def test_stiffness(both: tuple[taut.Plant, object]) -> None:
    plant, problem = both
    springs, free = plant.tables["springs"], plant.tables["nodes"].free
    y, blocks = (
        np.concatenate([plant.positions.ravel(), np.zeros(plant.coordinates + 1)]),
        np.zeros(9 * springs.first.size),
    )
    plant.composition.tools["stiffness_blocks"](plant.pack, 0.0, y, 1.0, 0.0, blocks)
    unknown = np.full(plant.coordinates, -1, dtype=np.int64)
    unknown[free] = np.arange(free.size)
    moving = pattern(springs.first // 3, springs.second // 3, unknown, free.size).matrix(blocks.reshape(-1, 3, 3))
    still = problem.stiffness(plant.positions, np.zeros(problem.rows), problem.setting)
    np.testing.assert_allclose(moving.toarray(), still.toarray(), atol=1e-12 * np.abs(still).max())


def test_constraints(both: tuple[taut.Plant, object]) -> None:
    plant, problem = both
    y = np.concatenate([plant.positions.ravel() * 1.01, np.zeros(plant.coordinates + 1)])
    residual, rate = np.zeros(plant.rows), np.zeros(plant.rows)
    plant.operations()["residuals"](plant.pack, y, residual, rate)
    assert np.abs(residual).max() > 1e-3
    np.testing.assert_allclose(residual, problem.residuals(1.01 * plant.positions, problem.setting), atol=1e-14)
