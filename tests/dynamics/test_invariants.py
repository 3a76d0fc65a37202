"""What must hold at every instant for every structure: balances of power, force and moment, constraints, inertia."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from random_cases import Case, cases

from taut import Cable, Damping, LinearConstraint
from taut.mechanics.operations.outputs import columns
from taut.mechanics.plant import Plant
from taut.mechanics.signals import pieces_of

MANY = settings(max_examples=100, derandomize=True, deadline=None)
SOME = settings(MANY, max_examples=30)
CLOSE = 1e-10  # relative to the largest of the terms that must cancel


def rates(case: Case) -> tuple[np.ndarray, float]:
    """Accelerations (3 n,) and the power of loads and dampers."""
    y = case.state
    out = np.zeros_like(y)
    case.plant.operations()["rate"](case.plant.pack, case.time, y, out)
    size = case.structure.positions.size
    assert np.array_equal(out[:size], y[size : 2 * size]), "positions change at the velocities"
    return out[size : 2 * size], float(out[-1])


def outputs(case: Case) -> SimpleNamespace:
    """Forces and energies in the case's state, as the kernel fills them."""
    plant, times = case.plant, np.array([case.time])
    wanted = columns(len(case.structure.cables), plant.rows, plant.held.size, 0)
    out = np.zeros((1, sum(wanted.values())))
    observe = plant.composition.tools["observe"]
    rates = np.empty(2 * plant.coordinates + 1)
    observe(plant.pack, times, pieces_of(plant.breaks, times), case.state[None], plant.held, rates, out)
    found = dict(zip(wanted, np.split(out, np.cumsum(list(wanted.values()))[:-1], axis=1), strict=True))
    return SimpleNamespace(**{**found, "reaction": found["reaction"].reshape(1, -1, 3)})


def prepare(plant: Plant, y: np.ndarray) -> int:
    """How many constraints depend on others."""
    return int(plant.operations()["prepare_projection"](plant.pack, y))


def assert_cancels(*terms: np.ndarray, size: float = 0.0) -> None:
    """The terms, arrays of one shape, add up to nothing beside the largest of them.

    size: of what was added up to make the terms: terms that are nothing but for round-off have round-off of this.
    """
    largest = max(float(np.abs(term).max(initial=0.0)) for term in terms)
    assert np.abs(sum(terms)).max(initial=0.0) <= CLOSE * max(largest, size, 1e-3)


@SOME
@given(cases())
def test_accelerations_solve_the_equations_written_with_full_matrices(case: Case) -> None:
    acceleration, _ = rates(case)
    expected, _ = case.dense.motion(case.time, case.structure.positions.ravel(), case.velocities.ravel())
    assert_cancels(acceleration, -expected)


@SOME
@given(cases())
def test_energy_changes_by_the_power_of_loads_and_dampers(case: Case) -> None:
    acceleration, power = rates(case)
    dense, q, v = case.dense, case.structure.positions.ravel(), case.velocities.ravel()
    tiny = 1e-30
    change = dense.energy(q + tiny * 1j * v, v + tiny * 1j * acceleration).imag / tiny
    pushed, dragged = dense.load_force(case.time) * v, dense.damper_force(q, v) * v
    flows = np.concatenate([pushed, dragged, dense.elastic_force(q) * v, dense.weight * v])
    scale = max(float(np.abs(flows).sum()), 1e-3)
    assert abs(change - power) <= CLOSE * scale
    assert abs(pushed.sum() + dragged.sum() - power) <= CLOSE * scale


@SOME
@given(cases())
def test_reactions_loads_weight_and_inertia_are_in_balance(case: Case) -> None:
    acceleration, _ = rates(case)
    dense, out, places = case.dense, outputs(case), case.structure.positions
    v = case.velocities.ravel()
    drag = -case.damping.node * v - case.damping.mass * dense.mass @ v
    reaction = np.zeros_like(places)
    reaction[case.plant.held] = out.reaction[0]
    guides = np.zeros(dense.size)
    rows = dense.jacobian(places.ravel())[len(dense.bars) : len(dense.bars) + len(case.structure.constraints)]
    for row, force in zip(rows, out.multiplier[0, len(dense.bars) :], strict=True):
        guides += row / np.linalg.norm(row) * force
    terms = [dense.weight, dense.load_force(case.time), drag, guides, -dense.mass @ acceleration]
    forces = [reaction, *(term.reshape(-1, 3) for term in terms)]
    # Cables and bars pull their two ends alike, so neither force nor moment of theirs is left over.
    moments = [np.cross(places, force) for force in forces]
    for each in (forces, moments):
        assert_cancels(*(one.sum(axis=0) for one in each), size=max(float(np.abs(one).max()) for one in each))


@SOME
@given(cases())
def test_supports_and_bars_push_as_multipliers_of_the_full_equations_say(case: Case) -> None:
    dense, out = case.dense, outputs(case)
    q = case.structure.positions.ravel()
    _, multipliers = dense.motion(case.time, q, case.velocities.ravel())
    assert_cancels(out.reaction[0], -dense.reactions(multipliers)[case.plant.held])
    # The paper's bar constraint is b.b - l^2: its multiplier times 2 l is the push.
    push = 2.0 * np.array(dense.lengths) * multipliers[: len(dense.bars)]
    assert_cancels(-out.multiplier[0, : len(dense.bars)], push)


@SOME
@given(cases())
def test_a_node_is_held_only_along_its_supported_axes(case: Case) -> None:
    out, names = outputs(case), list(case.structure.nodes)
    for reaction, place in zip(out.reaction[0], case.plant.held, strict=True):
        loose = [axis not in case.structure.supports[names[place]] for axis in "xyz"]
        assert not reaction[loose].any()


@SOME
@given(cases())
def test_accelerations_keep_the_constraints(case: Case) -> None:
    acceleration, _ = rates(case)
    dense = case.dense
    rows, bending = dense.jacobian(case.structure.positions.ravel()), dense.bending(case.velocities.ravel())
    assert_cancels(rows @ acceleration, bending)
    held = [i for i in range(dense.size) if i not in dense.free]
    assert not acceleration[held].any()


@SOME
@given(cases(springs_only=True))
def test_energy_is_that_of_the_paper(case: Case) -> None:
    total, terms = case.plant.operations()["energy"](case.plant.pack, case.state)
    q, v = case.structure.positions.ravel(), case.velocities.ravel()
    assert abs(total - case.dense.energy(q, v)) <= 1e-13 * terms
    assert (
        abs(sum(getattr(outputs(case), f"energy_{part}")[0, 0] for part in ("kinetic", "elastic", "gravity")) - total)
        <= 1e-13 * terms
    )


@SOME
@given(cases())
def test_kinetic_energy_is_half_v_m_v(case: Case) -> None:
    # The velocity need not fit the constraints: M alone is looked at, each entry of it.
    random = np.random.default_rng(0)
    size = case.structure.positions.size
    pack, y, energy = case.plant.pack, case.state, case.plant.operations()["energy"]
    for _ in range(3):
        y[size : 2 * size] = v = random.normal(size=size)
        kinetic = 0.5 * v @ case.dense.mass @ v
        moving, terms = energy(pack, y)
        y[size : 2 * size] = 0.0
        assert abs(moving - energy(pack, y)[0] - kinetic) <= 1e-13 * terms


@SOME
@given(cases(loaded=False))
def test_dampers_only_take_energy(case: Case) -> None:
    _, power = rates(case)
    dense, q, v = case.dense, case.structure.positions.ravel(), case.velocities.ravel()
    assert power <= 0.0
    assert (power < 0.0) == bool(np.abs(dense.damper_force(q, v)).max(initial=0.0) > 0.0)


@SOME
@given(cases(loaded=False, damped=False))
def test_without_loads_and_dampers_there_is_no_power_at_all(case: Case) -> None:
    assert rates(case)[1] == 0.0


@SOME
@given(cases())
def test_a_slack_cable_does_nothing(case: Case) -> None:
    def loosened(cable: Cable) -> Cable:
        length = float(np.linalg.norm(np.subtract(*(case.structure.nodes[n] for n in cable.route))))
        return replace(cable, rest_length=1.01 * length, law="cable", mass=None, damping=3.0)

    loose = [loosened(cable) for cable in case.structure.cables.values()]
    slack = replace(case, structure=replace(case.structure, cables=loose), damping=Damping(0.1, 0.2, 0.3))
    bare = replace(slack, structure=replace(case.structure, cables=[]))
    assert np.array_equal(rates(slack)[0], rates(bare)[0])
    assert rates(slack)[1] == rates(bare)[1]
    assert not outputs(slack).tension.any()
    assert outputs(slack).energy_elastic[0, 0] == 0.0


@SOME
@given(cases())
def test_saying_a_constraint_twice_changes_nothing(case: Case) -> None:
    again = []
    for constraint in case.structure.constraints.values():
        # The same plane with another coefficient, and the same bar as a plane that touches its circle would not do:
        # only linear rows can be repeated for ever.
        terms = tuple((node, axis, -3.0 * coefficient) for node, axis, coefficient in constraint.terms)
        again.append(LinearConstraint(f"{constraint.name} again", terms))
    double = replace(case, structure=case.structure.with_constraints(*again))
    assert prepare(double.plant, double.state) == len(again)
    assert_cancels(rates(double)[0], -rates(case)[0])


@SOME
@given(cases())
def test_two_bars_in_one_place_move_as_one_of_both_masses(case: Case) -> None:
    halves, wholes = [], []
    dense = case.dense
    for bar, length in zip(dense.bars, dense.lengths, strict=True):
        mass = dense.bar_mass(bar, length)
        wholes.append(replace(bar, mass=mass))
        halves += [replace(bar, mass=0.3 * mass), replace(bar, name=f"{bar.name} again", mass=0.7 * mass)]
    whole, half = (replace(case, structure=replace(case.structure, bars=bars)) for bars in (wholes, halves))
    assert prepare(half.plant, half.state) == len(wholes)
    assert_cancels(rates(half)[0], -rates(whole)[0])


OTHER_CASES = {
    test_energy_is_that_of_the_paper: cases(springs_only=True),
    test_dampers_only_take_energy: cases(loaded=False),
    test_without_loads_and_dampers_there_is_no_power_at_all: cases(loaded=False, damped=False),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in globals() if name.startswith("test_")])
def test_they_hold_a_hundred_times(name: str) -> None:
    test: Any = globals()[name]
    MANY(given(OTHER_CASES.get(test, cases()))(test.hypothesis.inner_test))()
