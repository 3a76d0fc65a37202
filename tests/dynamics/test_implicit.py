"""Implicit methods: their order, their damping, stiff structures that settle, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from test_other_coordinates import four_bar

import taut
from taut import (
    Bar,
    Cable,
    Correction,
    Damping,
    Doublet,
    Load,
    Material,
    OptionError,
    Sinusoid,
    Structure,
    Trajectory,
    assemble,
    balance,
    ensemble,
    on_plane,
    prestress,
    simulate,
)
from taut.dynamics.methods import METHODS
from taut.generators import tbar, tower
from taut.mechanics.signals import evaluated

IMPLICIT = ("implicit3", "implicit4")
STEEL = Material("steel", density=7850.0, youngs_modulus=2.1e11)


def error(run: Trajectory, exact: Trajectory) -> float:
    return float(max(np.abs(run.nodes - exact.nodes).max(), np.abs(run.velocities - exact.velocities).max()))


# --- order


def net() -> Structure:
    """Two masses between springs, one of them damped: no constraint at all."""
    springs = [
        Cable("c1", ("a", "m"), stiffness=20.0, rest_length=0.2, law="spring"),
        Cable("c2", ("b", "m"), stiffness=10.0, rest_length=0.3, law="spring"),
        Cable("c3", ("m", "n"), stiffness=10.0, rest_length=0.3, law="spring", damping=0.5),
    ]
    places = {"a": (0, 0, 0), "b": (1.2, 0, 0), "m": (0.5, 0.1, 0.3), "n": (0.4, 0.9, -0.3)}
    return Structure(places, cables=springs, supports={"a": "xyz", "b": "xyz"}, point_masses={"m": 1.0, "n": 2.0})


def chain() -> Structure:
    """Three bars that share nodes, damped springs across, the last node on a plane: a sparse saddle with a guide."""
    places = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1.5, 0.8, 0), "d": (2.4, 0.5, 0.3)}
    bars = [Bar(first + second, (first, second), mass=1.0) for first, second in ("ab", "bc", "cd")]
    springs = [
        Cable("across", ("a", "c"), stiffness=40.0, rest_length=1.5, damping=1.0, law="spring"),
        Cable("over", ("b", "d"), stiffness=40.0, rest_length=1.4, damping=1.0, law="spring"),
    ]
    return Structure(places, bars, springs, supports={"a": "xyz"}, constraints=[on_plane("p", "d", (1.0, 1.0, 0.0))])


CASES = {
    "net": (net, {"implicit3": 3.0, "implicit4": 4.0}),
    "T-bar": (lambda: tbar().changed("cable:*", damping=5.0), {"implicit3": 3.0, "implicit4": 3.0}),
    "chain": (chain, {"implicit3": 3.0, "implicit4": 3.0}),
}


@pytest.mark.slow
@pytest.mark.parametrize("method", IMPLICIT)
@pytest.mark.parametrize("name", CASES)
def test_order_of_runs(name: str, method: str) -> None:
    """What the table says; with rigid bars 3 of implicit4, whose stages are of order 2."""
    build, orders = CASES[name]
    plant = assemble(build(), gravity=3.0, loads=[Load(list(build().nodes)[-1], "z", Sinusoid(2.0, 0.7))])
    exact = simulate(plant, 1.0, every=1.0, method="dp8", tolerance=1e-13)
    errors = []
    for step in (0.02, 0.01, 0.005):
        run = simulate(plant, 1.0, every=1.0, method=method, step=step, tolerance=1e-12)
        assert run.ok
        assert run.counts["steps"] == round(1.0 / step)
        assert run.length_violation.max() <= 1e-13
        assert run.rate_violation.max() <= 1e-12
        errors.append(error(run, exact))
    slopes = -np.diff(np.log2(errors))
    assert slopes[-1] >= orders[method] - 0.25
    if orders[method] == METHODS[method].order:
        np.testing.assert_allclose(slopes, orders[method], rtol=0.0, atol=0.25)


@pytest.mark.parametrize("method", IMPLICIT)
def test_adapted_steps_follow_the_tolerance_and_the_work_too(method: str) -> None:
    plant = assemble(chain(), gravity=3.0, loads=[Load("d", "z", Sinusoid(2.0, 0.7))])
    exact = simulate(plant, 2.0, every=0.1, method="dp8", tolerance=1e-13)
    errors, lost = [], []
    for tolerance in (1e-4, 1e-6, 1e-8):
        run = simulate(plant, 2.0, every=0.1, method=method, tolerance=tolerance)
        errors.append(error(run, exact))
        lost.append(np.abs(run.energy_violation).max())
        assert run.length_violation.max() <= 1e-13
        assert run.options["correction"] == "constraints"
        assert run.options["samples"] == "dense"
    assert errors[0] <= 1e-2
    assert errors[1] <= 3e-4
    assert errors[2] <= 1e-5
    assert lost[0] > 3.0 * lost[1] > 9.0 * lost[2]
    assert np.abs(run.work - exact.work).max() <= 1e-5


# --- one step of a linear oscillator is the table's stability function


SWING = 1e-6


def oscillator(rate: float, damping: float) -> Structure:
    """1 kg on a spring along x that is stretched by a millionth: linear, however far stages reach."""
    spring = Cable("s", ("a", "m"), stiffness=rate**2, rest_length=1.0, damping=damping, law="spring")
    places = {"a": (0, 0, 0), "m": (1.0 + SWING, 0, 0)}
    return Structure(places, cables=[spring], supports={"a": "xyz", "m": "yz"}, point_masses={"m": 1.0})


def amplified(method: str, flow: np.ndarray) -> np.ndarray:
    """R(z) of the table for a matrix z."""
    table, count = METHODS[method].numbers, METHODS[method].stages
    weights, result = table.weights[:count, :count], table.lines[1][:count]
    stages = np.linalg.solve(np.eye(2 * count) - np.kron(weights, flow), np.tile(np.eye(2), (count, 1)))
    return np.asarray(np.eye(2) + np.kron(result[None], flow) @ stages)


@pytest.mark.parametrize("ratio", [0.0, 0.5, 20.0])
@pytest.mark.parametrize("reach", [0.1, 3.0, 1e3])
@pytest.mark.parametrize("method", IMPLICIT)
def test_a_step_is_what_theory_says(method: str, reach: float, ratio: float) -> None:
    """reach: the step times the frequency. At a thousand nothing is left of the swing, and so of every further step."""
    step, rate = 0.1, reach / 0.1
    plant = assemble(oscillator(rate, 2.0 * ratio * rate), velocities={"m": (3.0 * SWING * rate, 0.0, 0.0)})
    run = simulate(plant, step, every=step, method=method, step=step, tolerance=1e-12)
    flow = step * np.array([[0.0, 1.0], [-(rate**2), -2.0 * ratio * rate]])
    stability = amplified(method, flow)
    wanted = stability @ np.array([SWING, 3.0 * SWING * rate])
    scale = np.array([SWING, SWING * rate])
    found = np.array([run.nodes[-1, 1, 0] - 1.0, run.velocities[-1, 1, 0]])
    np.testing.assert_allclose(found / scale, wanted / scale, rtol=0.0, atol=1e-8)
    if ratio == 0.0:
        radius = np.abs(np.linalg.eigvals(stability)).max()
        assert radius <= 1.0
        assert radius >= 1.0 - 1e-5 if reach == 0.1 else radius <= {3.0: 1.0, 1e3: 0.02}[reach]


@pytest.mark.parametrize("method", IMPLICIT)
def test_steps_of_a_thousand_periods_are_stable(method: str) -> None:
    rate = 1e5
    plant = assemble(oscillator(rate, 0.0))
    run = simulate(plant, 10.0, every=10.0, method=method, step=0.1)
    assert abs(run.nodes[-1, 1, 0] - 1.0) <= 1e-12, "at rest where the spring is"


# --- stiff structures


def stiff_tower() -> Structure:
    """Steel cables, ten to a hundred thousand times as stiff as what bends."""
    made = tower(stages=3, class_=1).supported("bottom*")
    return prestress(
        made.changed("cable:*", material=STEEL, radius=0.002, stiffness=None), {"cable:vertical": 500.0}
    ).structure


@pytest.mark.parametrize("method", IMPLICIT)
def test_a_stiff_tower_settles_where_statics_says(method: str) -> None:
    structure = stiff_tower()
    damping = Damping(node=100.0, stiffness=0.01)
    plant = assemble(structure, gravity=9.81, loads=[Load("top1", "x", 50.0)], damping=damping)
    rest = balance(structure, gravity=9.81, loads={"top1": (50.0, 0.0, 0.0)}, tolerance=1e-12)
    assert rest.ok
    run = simulate(plant, 20.0, method=method, tolerance=1e-6)
    assert run.ok
    assert np.abs(run.nodes[-1] - run.nodes[0]).max() > 1e-3
    assert np.abs(run.nodes[-1] - rest.structure.positions).max() <= 1e-8
    assert run.counts["steps"] <= 200
    assert run.notes == ()
    short = simulate(plant, 0.05, tolerance=1e-6)
    same = simulate(plant, 0.05, method=method, tolerance=1e-6)
    assert short.counts["steps"] >= 50 * same.counts["steps"]
    assert np.abs(short.nodes - same.nodes).max() <= 1e-6
    (note,) = short.notes
    assert note.endswith('the run is stiff, and method "implicit3" or "implicit4" can take longer ones')


def test_what_follows_its_motion_is_not_called_stiff() -> None:
    assert simulate(assemble(tbar()), 10.0, tolerance=1e-11).notes == ()
    assert simulate(assemble(tbar().changed("cable:*", damping=5.0)), 40.0, tolerance=1e-9).notes == ()


@pytest.mark.parametrize("method", IMPLICIT)
def test_cables_that_go_slack_and_bars_that_fall_over(method: str) -> None:
    """A bar balanced on its end in a stiff cable's reach: it pushes, S is not positive, it falls and is caught."""
    places = {"a": (0, 0, 0), "b": (0.01, 0, math.sqrt(1 - 1e-4)), "c": (-1.0, 0, 0.5)}
    catch = Cable("catch", ("c", "b"), stiffness=1e4, rest_length=1.5, damping=100.0)
    bar = Structure(places, [Bar("bar", ("a", "b"), mass=1.0)], [catch], supports={"a": "xyz", "c": "xyz"})
    plant = assemble(bar, gravity=9.81, damping=Damping(node=0.1))
    exact = simulate(plant, 3.0, every=0.1, method="dp8", tolerance=1e-11)
    assert (exact.cable_tension[:, 0] == 0.0).any()
    assert exact.cable_tension.max() > 2.0
    run = simulate(plant, 3.0, every=0.1, method=method, tolerance=1e-8)
    assert run.ok
    assert np.abs(run.nodes - exact.nodes).max() <= 1e-4


def test_a_load_that_jumps_while_steps_are_long() -> None:
    plant = assemble(
        stiff_tower(), loads=[Load("top1", "x", Doublet(50.0, 2.0, 3.0))], damping=Damping(100.0, 0.0, 0.01)
    )
    run = simulate(plant, 9.0, every=0.5, method="implicit3", tolerance=1e-6)
    finer = simulate(plant, 9.0, every=0.5, method="implicit4", tolerance=1e-8)
    assert np.abs(finer.nodes[8] - finer.nodes[0]).max() > 1e-3
    assert np.abs(run.nodes - finer.nodes).max() <= 1e-6


# --- the same run however it is asked for


@pytest.mark.parametrize("options", [{"tolerance": 1e-6}, {"step": 0.013}], ids=["adapted", "fixed"])
def test_a_run_in_two_parts_is_the_run_in_one(options: dict) -> None:
    plant = assemble(chain(), gravity=3.0)
    whole = simulate(plant, 0.6, every=0.1, method="implicit3", **options)
    first = simulate(plant, 0.3, every=0.1, method="implicit3", **options)
    parts = simulate(plant, 0.6, every=0.1, method="implicit3", start=first, **options)
    assert np.array_equal(whole.nodes, parts.nodes)
    assert np.array_equal(whole.checkpoint.y, parts.checkpoint.y)
    other = {"step": 0.013} if "tolerance" in options else {"tolerance": 1e-6}
    changed = simulate(plant, 0.6, every=0.1, method="implicit3", start=first, **other)
    assert np.abs(changed.nodes - whole.nodes).max() <= 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"tolerance": 1e-6}, {"step": 0.01}], ids=["adapted", "fixed"])
def test_a_python_function_moves_it_to_the_last_bit_as_the_same_signal(options: dict) -> None:
    signals = (Sinusoid(2.0, 0.7), lambda t: float(evaluated(Sinusoid(2.0, 0.7), np.array([t]))[0, 0]))
    runs = [
        simulate(assemble(chain(), loads=[Load("d", "z", signal)]), 0.3, method="implicit4", **options)
        for signal in signals
    ]
    assert runs[0].counts == runs[1].counts
    assert np.array_equal(runs[0].nodes, runs[1].nodes)
    assert np.array_equal(runs[0].work, runs[1].work)


@pytest.mark.parametrize("options", [{"tolerance": 1e-6}, {"step": 0.01}], ids=["adapted", "fixed"])
def test_variants_are_followed_one_by_one(options: dict) -> None:
    plant = assemble(chain(), gravity=3.0)
    rest = np.array([[1.5, 1.4], [1.4, 1.3]])
    several = ensemble(plant, 0.3, rest_length=rest, every=0.1, method="implicit3", **options)
    alone = simulate(plant, 0.3, every=0.1, method="implicit3", **options)
    assert several.ok.all()
    assert np.array_equal(several.nodes[0], alone.nodes)
    assert np.abs(several.nodes[1] - alone.nodes).max() > 1e-3


@pytest.mark.slow
def test_with_the_iterative_solver_too() -> None:
    plants = [assemble(chain(), gravity=3.0, solver=solver) for solver in ("direct", "iterative")]
    runs = [simulate(plant, 0.3, method="implicit3", tolerance=1e-8) for plant in plants]
    assert error(*runs) <= 1e-10


# --- what they refuse


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"step": 0.0}, "step 0.0 must be a finite number more than zero"),
        ({"step": math.nan}, "step nan must be"),
        ({"tolerance": 0.0}, "tolerance 0.0 must be"),
        ({"correction": "baumgarte"}, 'method "implicit3" meets the constraints itself, by mass; leave the correction'),
        ({"correction": Correction(metric="euclidean")}, 'method "implicit3" meets the constraints itself, by mass'),
        ({"samples": "thick"}, 'samples "thick" of method "implicit3": say "steps", or "dense" with dp5, dp8 or'),
    ],
)
def test_absurd_options(options: dict, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        simulate(assemble(chain()), 0.1, method="implicit3", **options)


def test_other_coordinates_have_no_newton_matrix() -> None:
    plant, *_ = four_bar()
    with pytest.raises(OptionError, match="implicit methods need the Newton matrix of a structure .*; use dp5 or dp8"):
        simulate(plant, 0.1, method="implicit4")


def test_a_step_too_long_to_be_solved_is_a_status() -> None:
    plant = assemble(tbar(), velocities={"n3": (50.0, 0.0, 30.0)})
    run = simulate(plant, 10.0, every=1.0, method="implicit3", step=5.0)
    assert run.status.startswith("stopped at t = 0 s: the next state is not finite; a step of 5 s is too long here: ")
    assert run.time.size == 1


@pytest.mark.parametrize(
    "options",
    [
        {"locate": False},
        *(pytest.param({"locate": x, "samples": "steps"}, marks=pytest.mark.slow) for x in (False, True)),
    ],
    ids=str,
)
def test_a_tower_with_compressible_bars_settles_as_with_explicit_steps(options: dict) -> None:
    """Rigid and compressible bars, mixed; slack cables found by the steps or stepped over."""
    steel = taut.Material("steel", youngs_modulus=2e9, density=2700.0)
    tower = taut.generators.tower(2, radius=0.3, height=0.6, class_=2).supported("bottom*")
    tower = tower.changed("cable:*", damping=20.0, rest_ratio=0.98)
    some = list(tower.bars)[1::2]
    for name in some:
        tower = tower.changed(f"bar:{name}", law="compressible", material=steel, radius=0.01, damping=50.0)
    plant = taut.assemble(tower, gravity=9.81, loads=[taut.Load("top1", "x", taut.Constant(20.0))])
    best = taut.simulate(plant, 0.2, every=0.02, method="dp8", tolerance=1e-11)
    run = taut.simulate(plant, 0.2, every=0.02, method="implicit4", tolerance=1e-8, **options)
    assert run.ok
    assert np.abs(run.nodes - best.nodes).max() < 2e-6
    assert run.length_violation.max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("method", IMPLICIT)
@pytest.mark.parametrize(
    "changes",
    [
        {"motions": [taut.Motion("*", "x", acceleration=Sinusoid(8.0, 4.0))]},
        {"bars": "compressible"},
        {"bars": "compressible", "motions": [taut.Motion("*", "z", displacement=Sinusoid(0.01, 4.0))]},
    ],
    ids=["supports that move", "thickness that counts", "both"],
)
def test_supports_that_move_and_thickness_that_counts_as_with_explicit_steps(changes: dict, method: str) -> None:
    rubber = taut.Material("rubber", youngs_modulus=2e6, density=900.0)
    tower = taut.generators.tower(1, radius=0.3, height=0.6).supported("bottom*").changed("cable:*", damping=20.0)
    tower = tower.changed("bar:*", material=rubber, radius=0.05, inertia="cylinder")
    plant = taut.assemble(tower, gravity=9.81, **changes)
    assert plant.constant_mass == ("bars" not in changes)
    exact = taut.simulate(plant, 0.2, every=0.02, method="dp8", tolerance=1e-12)
    run = taut.simulate(plant, 0.2, every=0.02, method=method, tolerance=1e-8)
    assert exact.ok
    assert run.ok
    assert np.ptp(exact.nodes, axis=0).max() > 1e-2, "what does not move is no test"
    assert np.abs(run.nodes - exact.nodes).max() < 2e-6
    assert np.abs(run.velocities - exact.velocities).max() < 2e-4
    assert run.length_violation.max(initial=0.0) < 1e-12
    assert np.abs(run.work - exact.work).max() <= 1e-4 * np.abs(exact.work).max()
    loose = taut.simulate(plant, 0.2, every=0.02, method=method, tolerance=1e-6)
    assert np.abs(loose.nodes - exact.nodes).max() > 2.0 * np.abs(run.nodes - exact.nodes).max()
