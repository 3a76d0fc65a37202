"""The iterative solver against the direct one, on structures small enough for both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from random_cases import Case, cases

import taut
from benchmarks.scale import cubic_grid
from taut import Correction, OptionError, assemble, simulate


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases())
def test_accelerations_are_those_of_the_direct_solver(case: Case) -> None:
    direct, by_turns = np.zeros_like(case.state), np.zeros_like(case.state)
    options = {"gravity": case.gravity, "loads": case.loads, "damping": case.damping}
    case.plant.operations()["rate"](case.plant.pack, case.time, case.state, direct)
    other = assemble(case.structure, **options, solver="iterative")
    other.operations()["rate"](other.pack, case.time, case.state, by_turns)
    assert np.abs(direct - by_turns).max() <= 1e-9 * max(1.0, np.abs(direct).max())


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["mass", "euclidean"])
def test_a_grid_of_bars_moves_the_same_way(metric: str) -> None:
    grid = cubic_grid(3)
    random = np.random.default_rng(0)
    velocities = {node: tuple(random.normal(size=3)) for node in grid.nodes}
    runs = [
        simulate(
            assemble(grid, gravity=1.0, velocities=velocities, solver=solver),
            0.2,
            every=0.1,
            tolerance=1e-9,
            correction=Correction("energy", metric=metric),
        )
        for solver in ("direct", "iterative")
    ]
    assert all(run.ok for run in runs)
    assert np.abs(runs[0].nodes - runs[1].nodes).max() <= 1e-10
    assert np.abs(runs[0].bar_force - runs[1].bar_force).max() <= 1e-6
    assert runs[1].length_violation.max() <= 1e-13
    assert np.abs(runs[1].energy_violation).max() <= 1e-9


@pytest.mark.slow
def test_a_bar_said_twice_gets_half_the_force() -> None:
    structure = taut.generators.tower(2, class_=2).supported("bottom*")
    bar = next(iter(structure.bars.values()))
    double = structure.with_bars(replace(bar, name="again"))
    run = simulate(assemble(double, gravity=9.81, solver="iterative"), 0.1)
    place = list(double.bars).index(bar.name)
    assert np.allclose(run.bar_force[:, place], run.bar_force[:, -1], rtol=1e-9)


@pytest.mark.slow
def test_a_run_in_two_parts_is_the_run_in_one() -> None:
    plant = assemble(cubic_grid(2), gravity=1.0, velocities={"n0.0.0": (1.0, 0.0, 0.0)}, solver="iterative")
    whole = simulate(plant, 0.2, every=0.1)
    parts = simulate(plant, 0.2, every=0.1, start=simulate(plant, 0.1, every=0.1))
    assert np.array_equal(whole.nodes, parts.nodes)


@pytest.mark.slow
def test_lanes_iterate_too() -> None:
    plant = assemble(cubic_grid(2), solver="iterative")
    velocities = np.random.default_rng(0).normal(size=(3, *plant.positions.shape))
    together = taut.ensemble(plant, 0.05, every=0.05, velocities=velocities, method="rk4", step=5e-3)
    for k in range(3):
        given = dict(zip(plant.structure.nodes, map(tuple, velocities[k]), strict=True))
        alone = assemble(plant.structure, velocities=given, solver="iterative")
        run = simulate(alone, 0.05, every=0.05, method="rk4", step=5e-3)
        assert np.abs(together.nodes[k] - run.nodes).max() <= 1e-12


def test_an_unknown_solver_is_refused() -> None:
    with pytest.raises(
        OptionError, match='solver "itertive" is not one of direct, iterative; did you mean "iterative"'
    ):
        assemble(taut.generators.tbar(), solver="itertive")


@pytest.mark.slow
def test_what_does_not_converge_is_not_taken_for_an_answer() -> None:
    """A long straight chain pulled at its end: as many iterations as bars would be needed."""
    count = 12_000
    nodes = {f"n{i}": (float(i), 1e-3 * np.sin(i), 0.0) for i in range(count + 1)}
    bars = [taut.Bar(f"b{i}", (f"n{i}", f"n{i + 1}"), mass=1.0, inertia="lumped") for i in range(count)]
    pull = [taut.Load(f"n{count}", "x", taut.Constant(1e3))]
    plant = assemble(taut.Structure(nodes, bars), loads=pull, solver="iterative")
    y, out = np.append(plant.positions.ravel(), np.zeros(plant.coordinates + 1)), np.zeros(2 * plant.coordinates + 1)
    plant.operations()["rate"](plant.pack, 0.0, y, out)
    assert np.isnan(out[plant.coordinates : 2 * plant.coordinates]).all()


@pytest.mark.slow
def test_an_iterative_run_says_what_it_does_not_look_at() -> None:
    run = simulate(assemble(cubic_grid(2), solver="iterative"), 0.01)
    assert run.notes == ("the solver is iterative, so nothing is said of constraints that depend on one another",)
