"""Steppers: order of their tables and of their runs, steps that land on breaks, signals, samples between steps."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from minimal_models import Rod, TBar, followed

from taut import Doublet, Load, SampledSignal, Sinusoid, Structure, Trajectory, assemble, simulate
from taut.dynamics.methods import METHODS
from taut.dynamics.methods.tableau import ERRORS, NODES, RESULT, Method
from taut.generators import tbar
from taut.mechanics.signals import evaluated

CORRECTIONS = ("none", "constraints", "energy", "baumgarte")
START = [math.pi / 4.0, 3.0 * math.pi / 4.0, 0.0, 0.0, 0.0]
HEIGHT = 5.0 / math.sqrt(2.0)


# --- tables: order conditions on rooted trees (Butcher), each a tuple of the trees on its root

Tree = tuple["Tree", ...]


@functools.cache
def trees(nodes: int) -> set[Tree]:
    """All rooted trees of so many nodes: 1, 1, 2, 4, 9, ..."""
    if nodes == 1:
        return {()}
    return {
        tuple(sorted((*tree, twig))) for size in range(1, nodes) for twig in trees(size) for tree in trees(nodes - size)
    }


def size_of(tree: Tree) -> int:
    return 1 + sum(map(size_of, tree))


def density(tree: Tree) -> int:
    return size_of(tree) * math.prod(map(density, tree))


def stage_weights(weights: np.ndarray, tree: Tree) -> np.ndarray:
    """The elementary weight of each stage."""
    return math.prod((weights @ stage_weights(weights, twig) for twig in tree), start=np.ones(len(weights)))


def defects(weights: np.ndarray, result: np.ndarray, order: int) -> Iterator[float]:
    """By how much each condition of exactly this order is missed."""
    for tree in sorted(trees(order)):
        yield abs(float(result @ stage_weights(weights, tree)) - 1.0 / density(tree))


def test_there_are_as_many_trees_as_there_should_be() -> None:
    assert [len(trees(n)) for n in range(1, 7)] == [1, 1, 2, 4, 9, 20]


TABLES = {name: method for name, method in METHODS.items() if isinstance(method, Method)}


@pytest.mark.parametrize("method", TABLES.values(), ids=TABLES)
def test_a_table_has_the_order_it_says_and_no_more(method: Method) -> None:
    weights, lines = method.numbers.weights, method.numbers.lines
    np.testing.assert_allclose(weights.sum(axis=1), lines[NODES], rtol=0.0, atol=1e-15 * 32)
    for order in range(1, method.order + 1):
        assert max(defects(weights, lines[RESULT], order)) <= 5e-15
    assert max(defects(weights, lines[RESULT], method.order + 1)) > 1e-7


def test_the_error_of_dp5_is_measured_against_a_result_of_order_four() -> None:
    method = METHODS["dp5"]
    table = method.numbers
    for error in table.lines[ERRORS:]:
        lower = table.lines[RESULT] - error
        for order in range(1, (method.error_order or 0) + 1):
            assert max(defects(table.weights, lower, order)) <= 5e-15
        assert max(defects(table.weights, lower, (method.error_order or 0) + 1)) > 1e-5


# --- order of runs


def tbar_model(load=lambda t: np.zeros((2, 2))) -> TBar:
    return TBar(Rod(6.25 * math.pi, 5.0), HEIGHT, 100.0, 0.9 * HEIGHT, HEIGHT, load=load)


def top(run: Trajectory) -> np.ndarray:
    return run.nodes[:, 2:, ::2].reshape(-1, 4)


def exact_top(model: TBar, times: np.ndarray, breaks: tuple[float, ...] = ()) -> np.ndarray:
    return np.array([model.ends(state)[0] for state in followed(model.rate, START, times, breaks)])


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_rk4_is_of_order_four_with_any_correction(correction: str) -> None:
    plant, exact = assemble(tbar()), exact_top(tbar_model(), np.array([0.0, 3.0]))[-1]
    errors = []
    for step in (0.04, 0.02, 0.01, 0.005):
        run = simulate(plant, 3.0, every=3.0, method="rk4", step=step, correction=correction)
        assert run.counts["steps"] == round(3.0 / step)
        errors.append(np.linalg.norm(top(run)[-1] - exact))
    slopes = -np.diff(np.log2(errors))
    np.testing.assert_allclose(slopes, 4.0, rtol=0.0, atol=0.1)


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_the_error_of_dp5_follows_its_tolerance(correction: str) -> None:
    plant, times = assemble(tbar()), np.linspace(0.0, 4.0, 9)
    exact = exact_top(tbar_model(), times)
    tolerances = [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10]
    runs = [simulate(plant, 4.0, every=0.5, tolerance=tolerance, correction=correction) for tolerance in tolerances]
    errors = [np.abs(top(run) - exact).max() for run in runs]
    slope = np.polyfit(np.log(tolerances), np.log(errors), 1)[0]
    assert slope == pytest.approx(1.0, abs=0.15)
    assert (
        max(error / tolerance for error, tolerance in zip(errors, tolerances, strict=True)) <= 5.0 * 5.0
    )  # five bar lengths
    # Steps of order five: a tenth of the tolerance costs 10^(1/5) more steps.
    growth = np.polyfit(np.log(tolerances), np.log([run.counts["steps"] for run in runs]), 1)[0]
    assert growth == pytest.approx(-0.2, abs=0.03)


# --- breaks

DOUBLET = Doublet(30.0, width=0.37, start=0.41)
EDGES = (0.41, 0.78, 1.15)


def doublet_force(t: float) -> np.ndarray:
    value = 30.0 * (0.41 <= t < 0.78) - 30.0 * (0.78 <= t < 1.15)
    return np.array([[value, 0.0], [0.0, 0.0]])


@pytest.mark.parametrize("options", [{"tolerance": 1e-10}, {"method": "rk4", "step": 0.004}], ids=["dp5", "rk4"])
def test_jumps_of_a_load_cost_no_accuracy(options: dict) -> None:
    errors = []
    for loads, force in (((), None), ((Load("n3", "x", DOUBLET),), doublet_force)):
        run = simulate(assemble(tbar(), loads=loads), 2.0, every=0.1, **options)
        model = tbar_model(force) if force else tbar_model()
        errors.append(np.abs(top(run) - exact_top(model, run.time, EDGES if force else ())).max())
    assert errors[0] < 1e-8
    assert errors[1] <= 10.0 * errors[0]


@pytest.mark.parametrize("start", [0.3, 0.7, 0.1 + 0.2, 0.6, 0.30000001])
@pytest.mark.parametrize("step", [0.1, 0.05, 0.001])
def test_breaks_a_hair_off_the_grid_do_not_stop_a_run(start: float, step: float) -> None:
    # 3 * 0.1 is not 0.3: no step fits between the two.
    mass = Structure({"m": (0, 0, 0)}, supports={"m": "yz"}, point_masses={"m": 2.0})
    plant = assemble(mass, loads=[Load("m", "x", Doublet(3.0, 0.2, start)), Load("m", "x", Doublet(3.0, 0.1, 0.3))])
    for options in ({"method": "rk4", "step": step}, {"tolerance": 1e-9}):
        run = simulate(plant, 1.2, every=step, correction="none", **options)
        assert run.ok
        assert run.nodes[-1, 0, 0] == pytest.approx(0.06 + 0.015, abs=1e-10)


# --- signals


def test_a_table_with_slopes_is_exact_for_a_cubic_and_so_is_the_motion() -> None:
    def cubic(t):
        return 2.0 - 3.0 * t + 1.5 * t**2 + 4.0 * t**3

    knots = np.array([0.0, 0.3, 0.45, 1.1, 2.0])
    slopes = -3.0 + 3.0 * knots + 12.0 * knots**2
    table = SampledSignal(tuple(knots), tuple(cubic(knots)), tuple(slopes))
    structure = Structure({"m": (0, 0, 0)}, supports={"m": "yz"}, point_masses={"m": 2.0})
    run = simulate(assemble(structure, loads=[Load("m", "x", table)]), 2.0, every=0.07, correction="none")
    t = run.time
    np.testing.assert_allclose(run.load_force[:, 0], cubic(t), rtol=0.0, atol=1e-13 * 40.0)
    place = (t**2 - 0.5 * t**3 + 0.125 * t**4 + 0.2 * t**5) / 2.0  # a fifth-order method makes no error in it
    assert np.abs(run.nodes[:, 0, 0] - place).max() <= 1e-13 * place.max()


def test_a_table_without_slopes_is_exact_for_a_parabola_and_flat_outside() -> None:
    knots = np.array([0.2, 0.5, 0.9, 1.0])
    table = SampledSignal(tuple(knots), tuple(1.0 + knots - 2.0 * knots**2))
    structure = Structure({"m": (0, 0, 0)}, supports={"m": "yz"}, point_masses={"m": 2.0})
    run = simulate(assemble(structure, loads=[Load("m", "x", table)]), 1.5, every=0.05, correction="none")
    t = np.clip(run.time, 0.2, 1.0)
    np.testing.assert_allclose(run.load_force[:, 0], 1.0 + t - 2.0 * t**2, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize(
    "options",
    [{"tolerance": 1e-7}, pytest.param({"method": "rk4", "step": 0.01}, marks=pytest.mark.slow)],
    ids=["dp5", "rk4"],
)
@pytest.mark.parametrize(
    "correction", [pytest.param(c, marks=[pytest.mark.slow] if c != "energy" else []) for c in CORRECTIONS]
)
def test_a_python_function_moves_it_to_the_last_bit_as_the_same_signal(options: dict, correction: str) -> None:
    signal = Sinusoid(20.0, 0.7, 0.3, mean=2.0)
    signals = (signal, lambda t: float(evaluated(signal, np.array([t]))[0, 0]))
    runs = [
        simulate(assemble(tbar(), loads=[Load("n3", "x", signal)]), 1.0, every=0.1, correction=correction, **options)
        for signal in signals
    ]
    assert runs[0].counts == runs[1].counts
    for part in ("nodes", "velocities", "work", "load_force", "bar_force", "reaction"):
        assert np.array_equal(getattr(runs[0], part), getattr(runs[1], part)), part


# --- samples


def test_samples_do_not_depend_on_what_else_is_sampled() -> None:
    plant = assemble(tbar(), gravity=9.81)
    runs = {every: simulate(plant, 2.0, every=every, tolerance=1e-10) for every in (0.5, 0.1, 0.01, 0.005)}
    for every, run in runs.items():
        stride = round(0.5 / every)
        assert np.abs(run.nodes[::stride] - runs[0.5].nodes).max() <= 1e-12
        assert np.abs(run.velocities[::stride] - runs[0.5].velocities).max() <= 1e-12
        assert run.length_violation.max() <= 1e-13
        assert run.counts["steps"] == runs[0.5].counts["steps"], "samples come beside the steps, not instead of them"


def test_samples_between_steps_are_as_good_as_steps() -> None:
    run = simulate(assemble(tbar()), 2.0, every=0.003, tolerance=1e-7)
    assert run.counts["steps"] < run.time.size / 5, "most samples lie between steps"
    assert np.abs(top(run)[::37] - exact_top(tbar_model(), run.time[::37])).max() <= 2e-8
    assert run.length_violation.max() <= 1e-13
    assert np.abs(run.energy_violation).max() <= 2e-12 * 12.5
