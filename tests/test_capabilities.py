"""What goes with what: every Spec with every method, correction and solver either runs and is right, or is refused with
the sentence of the table.

Plants, steps and how far methods may be apart are those of `small_structures`. What is refused is worked out here from
what each case is made of, said by hand, and not from what the plant says of itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from small_structures import (
    CASES,
    DEEP,
    FASTEST,
    ON_GROUND,
    REACH,
    STEPS,
    Case,
    allowance,
    features_of_run,
    in_flight,
    options_of,
)

from taut import Correction, Load, OptionError, Trajectory, assemble, ensemble, simulate
from taut.dynamics.methods import METHODS
from taut.dynamics.methods.tableau import EnergyMomentum, Implicit, Impulses, Rattle
from taut.dynamics.setup import EXPLICIT_ONLY, check_options
from taut.mechanics import capabilities
from taut.mechanics.capabilities import (
    BATCH,
    CONSERVING,
    COORDINATES,
    CYLINDERS,
    DAMPING,
    EXPLICIT,
    GROUND,
    IMPLICIT,
    IMPULSES,
    ITERATION,
    ITERATIVE,
    JOINTS,
    MOVED,
)
from taut.mechanics.capabilities import RATTLE as BY_RATTLE
from taut.mechanics.spec import Spec

DURATION, EVERY = 0.04, 0.01
CORRECTIONS = ("none", "constraints", "energy", "baumgarte", "filter", "least-norm")
SOLVERS = ("direct", "iterative")
Combination = tuple[str, str, str, str]  # case, solver, method, correction


def use_of(method: str) -> str:
    found = METHODS[method]
    if isinstance(found, EnergyMomentum):
        return CONSERVING
    if isinstance(found, Impulses):
        return IMPULSES
    return BY_RATTLE if isinstance(found, Rattle) else IMPLICIT if isinstance(found, Implicit) else EXPLICIT


def solvers_of(case: Case) -> tuple[str, ...]:
    """A plant in coordinates of its own has no solver to choose."""
    return SOLVERS if case.nodal else SOLVERS[:1]


def sentences(name: str, solver: str, method: str, correction: str, metric: str = "mass") -> set[str]:
    """What a refusal may say; none where the combination has to run."""
    case, use, table = CASES[name], use_of(method), capabilities.REFUSED
    if solver == "iterative" and CYLINDERS in case.features:
        return {table[ITERATION, CYLINDERS].format(method=method, what=case.features[CYLINDERS])}
    if use != EXPLICIT and (correction in EXPLICIT_ONLY or metric != "mass"):
        return {f'method "{method}" meets the constraints itself, by mass; leave the correction out'}
    if use == IMPULSES and correction == "energy":
        return {
            f'method "{method}" knows the work of impacts to the order of its step, so that there is no energy to '
            "correct to; leave the correction out"
        }
    if use == CONSERVING and correction == "energy":
        return {f'method "{method}" conserves energy itself; leave the correction out'}
    features = features_of_run(case, solver)
    return {table[use, f].format(method=method, what=what) for f, what in features.items() if (use, f) in table}


def combinations() -> Iterator[Combination]:
    for name, case in CASES.items():
        for solver in solvers_of(case):
            for method in METHODS:
                for correction in CORRECTIONS:
                    yield name, solver, method, correction


REFUSED = [given for given in combinations() if sentences(*given)]
ALLOWED = [given for given in combinations() if not sentences(*given)]


@cache
def plant(name: str, solver: str) -> Any:
    return CASES[name].made(solver)


def places(run: Trajectory) -> np.ndarray:
    return run.coordinate if run.coordinate.size else run.nodes


@cache
def reference(name: str) -> Trajectory:
    """By dp8 at 1e-12, with the direct solver; what strikes a ground by impulses in steps a twentieth as long."""
    if GROUND in CASES[name].features:
        return simulate(plant(name, "direct"), DURATION, every=EVERY, method="impulses", step=STEPS["impulses"] / 20.0)
    return simulate(plant(name, "direct"), DURATION, every=EVERY, method="dp8", tolerance=1e-12)


def check(name: str, solver: str, method: str, correction: str) -> None:
    """Raise what a run would raise before its first step."""
    options = options_of(method)
    check_options(
        plant(name, solver),
        METHODS[method],
        Correction(correction),
        DURATION,
        EVERY,
        options.get("tolerance", 1e-8),
        options.get("step"),
    )


# --- what is refused


@pytest.mark.slow  # quick: each refusal of a run below
def test_what_is_refused_is_what_the_table_says() -> None:
    """Over all combinations: those that are refused before the first step are those of the table and of the rule that
    RATTLE and implicit methods meet the constraints themselves, and that impulses have no energy to go by; and each in
    a sentence that is foretold to the letter.
    """
    told: dict[Combination, str] = {}
    for given in combinations():
        try:
            check(*given)
        except OptionError as error:
            told[given] = str(error)
    assert set(told) == set(REFUSED)
    assert {given: told[given] for given in REFUSED if told[given] not in sentences(*given)} == {}
    assert len(REFUSED) > 100
    assert len(ALLOWED) > 300


@pytest.mark.parametrize("method", [name for name in METHODS if use_of(name) != EXPLICIT])
def test_another_metric_is_refused_where_methods_meet_the_constraints_by_mass(method: str) -> None:
    (sentence,) = sentences("pairs", "direct", method, "constraints", "euclidean")
    with pytest.raises(OptionError) as refusal:
        simulate(
            plant("pairs", "direct"),
            DURATION,
            method=method,
            correction=Correction("constraints", metric="euclidean"),
            **options_of(method),
        )
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    "given",
    [
        given
        for given in REFUSED
        if given[3] in ("constraints", "baumgarte") and ("grounded" not in given[0] or given[0] == "grounded, pairs")
    ],
    ids=", ".join,
)
def test_a_run_is_refused_in_the_words_of_the_table(given: Combination) -> None:
    """`simulate` itself refuses, and says one of the sentences that are foretold."""
    name, solver, method, correction = given
    with pytest.raises(OptionError) as refusal:
        simulate(plant(name, solver), DURATION, every=EVERY, method=method, correction=correction, **options_of(method))
    assert str(refusal.value) in sentences(*given)


def test_every_entry_of_the_table_is_met_by_some_case() -> None:
    """So that no refusal stands in the table that nothing here would notice to be wrong."""
    met = {(use_of(m), f) for n, s, m, _ in combinations() for f in features_of_run(CASES[n], s)}
    met |= {(capabilities.UNLOCATED, capabilities.HELD), (capabilities.LINEAR, capabilities.FRICTION)}
    met |= {(capabilities.LINEAR, GROUND)}
    met |= {(IMPLICIT, capabilities.SWITCHED), (capabilities.LINEAR, capabilities.SWITCHED)}
    met |= {(use, capabilities.STATES) for use in (BY_RATTLE, IMPULSES, CONSERVING)}  # test_term_states.py
    met |= {(CONSERVING, capabilities.WATCHED), (CONSERVING, capabilities.FRICTION)}
    met |= {(CONSERVING, capabilities.PULLEYS)}  # tests/dynamics/test_pulley_guides.py
    met |= {(use, capabilities.BODIES) for use in (BY_RATTLE, IMPLICIT, CONSERVING, BATCH)}  # tests/trees
    met |= {(use, capabilities.TREES) for use in (BY_RATTLE, CONSERVING, BATCH, IMPULSES)}  # tests/trees
    met |= {(ITERATION, CYLINDERS), (BATCH, COORDINATES), (BATCH, MOVED), (BATCH, capabilities.FUNCTIONS)}
    met |= {(BATCH, JOINTS), (capabilities.LINEAR, capabilities.YIELDING_UNDER_JOINTS)}
    refused = (MOVED, capabilities.FUNCTIONS, capabilities.HELD_WATCHED)  # tests/points
    met |= {(capabilities.IN_COORDINATES, feature) for feature in refused}
    assert set(capabilities.REFUSED) <= met


def ran_before(given: Combination) -> bool:
    """What the release before kinds did: RATTLE wanted a mass matrix that does not change, supports that stand still
    and no damping; implicit methods wanted supports that stand still and no cylinders; both wanted nodes; iteration
    wanted no cylinders. There were no kinds from outside, and no drives."""
    name, solver, method, correction = given
    case, use = CASES[name], use_of(method)
    if any(
        kind in name
        for kind in (
            *("ground spring", "on sphere", "wound cable", "all three"),
            *("routed", "held", "driven", "plated", "controlled", "grounded", "yielding", "jointed"),
        )
    ):
        return False
    if (solver == "iterative" and CYLINDERS in case.features) or (use != EXPLICIT and correction in EXPLICIT_ONLY):
        return False
    if use in (IMPULSES, CONSERVING):
        return False
    never = {
        BY_RATTLE: {COORDINATES, CYLINDERS, MOVED, DAMPING},
        IMPLICIT: {COORDINATES, CYLINDERS, MOVED},
        EXPLICIT: set(),
    }
    return not never[use] & set(case.features)


def test_what_ran_at_the_last_release_is_not_refused() -> None:
    """By the rules of then, so that whatever the table of now adds is noticed."""
    before = [given for given in combinations() if ran_before(given)]
    now_refused = []
    for given in before:
        try:
            check(*given)
        except OptionError:
            now_refused.append(given)
    assert len(before) > 200
    assert now_refused == []


# --- ensembles


@pytest.mark.parametrize("name", CASES)
def test_ensembles_refuse_what_the_table_says(name: str) -> None:
    """Plants in coordinates of their own and moved supports; whatever else there is goes, and lanes are for thin bars
    and kinds that declare them."""
    case, one = CASES[name], plant(name, "direct")
    wrong = [feature for feature in (COORDINATES, JOINTS, MOVED) if feature in case.features]
    found = capabilities.features_of(one)
    if wrong:
        with pytest.raises(OptionError) as refusal:
            ensemble([one, one], 1e-3, method="rk4", step=5e-4)
        said = [capabilities.REFUSED[BATCH, one].format(method="", what=case.features[one]) for one in wrong]
        assert str(refusal.value) in said
    else:
        capabilities.check(BATCH, found)
    words = ("wound", "all three", "routed", "held", "plated", "controlled", "sprung joint")
    # On rigid ground only bars that meet no other, with planes.
    alone = any(word in name for word in words) or ("grounded" in name and "grounded, pairs" not in name)
    apart = {COORDINATES, JOINTS, CYLINDERS, MOVED} & set(case.features) or alone
    assert capabilities.goes_in_lanes(found) == (not apart)


def test_ensembles_refuse_loads_as_python_functions() -> None:
    loaded = assemble(plant("pairs", "direct").structure, loads=[Load("a", "x", lambda t: 1.0)])
    with pytest.raises(OptionError) as refusal:
        ensemble([loaded, loaded], 1e-3, method="rk4", step=5e-4)
    assert str(refusal.value) == capabilities.REFUSED[BATCH, capabilities.FUNCTIONS]


# --- what is compiled for whom


def test_plants_of_different_kinds_do_not_share_what_is_compiled() -> None:
    """Plants of one formulation share their time loop, so those of Specs that differ have formulations that differ: of
    all cases, and of a kind "a_b" beside kinds "a" and "b"."""
    plants = [plant(name, solver) for name, solver, *_ in ALLOWED if CASES[name].nodal]
    plants += [replace(plants[0], spec=Spec(terms=(*Spec().terms, *names))) for names in (("a_b",), ("a", "b"))]
    assert len({made.formulation for made in plants}) == len({made.spec for made in plants}) > 10


# --- what runs

QUICK_CASES = ("pairs",)
QUICK_METHODS = ("dp5", "dp8", "rk4", "rattle2", "rattle4", "implicit3", "implicit4")


def _marked(given: Combination) -> Any:
    """Quick: all that one Spec can do, and Python plants; compiling the others is what takes long."""
    name, solver, method, correction = given
    quick = name in QUICK_CASES and solver == "direct" and method in QUICK_METHODS
    quick = quick or (name == "double pendulum" and method == "dp5" and correction in ("none", "energy"))
    return pytest.param(given, id=", ".join(given), marks=() if quick else pytest.mark.slow)


@pytest.mark.parametrize("given", [_marked(given) for given in ALLOWED])
def test_what_is_not_refused_runs_and_agrees(given: Combination) -> None:
    """The same motion as by dp8 at 1e-12 with the direct solver, to what the method's order and step, or its tolerance,
    leave (`small_structures.allowance`)."""
    name, solver, method, correction = given
    run = simulate(
        plant(name, solver), DURATION, every=EVERY, method=method, correction=correction, **options_of(method)
    )
    wanted = reference(name)
    assert run.ok, run.status
    assert wanted.ok, wanted.status
    assert np.array_equal(run.time, wanted.time)
    moved = np.abs(places(wanted)[-1] - places(wanted)[0]).max()
    assert moved > 5e-3, "what does not move is no test"
    apart = np.abs(places(run) - places(wanted)).max()
    assert apart <= allowance(method, DURATION)
    assert allowance(method, DURATION) < 0.01 * moved, "an allowance of the size of the motion is no test"


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n == "pairs" else pytest.mark.slow) for n in CASES])
def test_energy_and_constraints_are_kept_in_the_reference(name: str) -> None:
    """What all others are compared with: energy less work stays to 1e-10 J of some 30 J, constraints to 1e-13 m. What
    strikes a ground loses an energy that is known to the order of its step."""
    run = reference(name)
    assert np.abs(run.energy_violation).max() < (1e-5 if GROUND in CASES[name].features else 1e-10)
    assert run.length_violation.max() < 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("name", ON_GROUND)
def test_far_above_a_ground_impulses_go_as_dp8_does(name: str) -> None:
    """Every kind, by another method: a step of h is wrong by REACH (FASTEST h)^3, of second order, for nothing
    strikes; three times that, for what slackens within a step."""
    step = 5e-5
    run = simulate(in_flight(name, DEEP).made("direct"), DURATION, every=EVERY, method="impulses", step=step)
    wanted = simulate(in_flight(name, None).made("direct"), DURATION, every=EVERY, method="dp8", tolerance=1e-12)
    assert run.ok, run.status
    assert np.abs(run.nodes[-1] - run.nodes[0]).max() > 5e-3
    assert np.abs(run.nodes - wanted.nodes).max() < 3.0 * REACH * (FASTEST * step) ** 3 * DURATION / step
    assert np.abs(run.energy_violation).max() < 1e-4


def test_iterating_is_asked_for_where_bars_meet_only() -> None:
    """The Spec of every case is the one it is meant to show."""
    for name, case in CASES.items():
        if not case.nodal:
            continue
        for solver in SOLVERS if CYLINDERS not in case.features else SOLVERS[:1]:
            found = plant(name, solver)
            wanted = ("minres" if solver == "iterative" else "saddle") if case.meets else "pairs"
            assert found.spec.system == wanted, name
            assert found.spec.inertia == ("cylinders" if CYLINDERS in case.features else "thin"), name
            assert ("supports" in found.spec.imposed) == (MOVED in case.features), name
            assert (ITERATIVE in features_of_run(case, solver)) == (wanted == "minres")
