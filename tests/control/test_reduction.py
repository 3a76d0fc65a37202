"""Balanced reduction: the error stays between the first Hankel value left out and the bound, whatever the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import block_diag, expm
from test_norms import damped_tower, made

import taut
from taut import LinearModel, OptionError, assemble, linearise
from taut.control import (
    controllability_gramian,
    frequency_response,
    hinf_norm,
    observability_gramian,
    reduced,
    step_response,
)
from taut.control.gramian_factors import gramian_factor


def difference(one: LinearModel, other: LinearModel) -> LinearModel:
    return LinearModel(
        block_diag(one.A, other.A),
        np.concatenate([one.B, other.B]),
        np.concatenate([one.C, -other.C], axis=1),
        one.D - other.D,
        (*one.states, *other.states),
        one.inputs,
        one.outputs,
    )


def random_model(seed: int, size: int = 7) -> LinearModel:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(size, size))
    a -= (np.linalg.eigvals(a).real.max() + rng.uniform(0.05, 1.0)) * np.eye(size)
    return made(a, *(rng.normal(size=s) for s in ((size, 2), (3, size), (3, 2))))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("steady", [False, True])
def test_the_error_lies_within_its_bounds(seed: int, steady: bool) -> None:
    model = random_model(seed)
    for kept in range(len(model.states)):
        found = reduced(model, states=kept, steady=steady)
        assert len(found.model.states) == kept
        assert found.model.stable
        error = hinf_norm(difference(model, found.model)).value
        assert found.hankel[kept] * (1.0 - 1e-9) <= error <= found.bound * (1.0 + 1e-9)
        assert found.bound == pytest.approx(2.0 * found.hankel[kept:].sum())
    whole = reduced(model, states=len(model.states), steady=steady)
    assert (whole.bound, whole.notes) == (0.0, ())
    assert hinf_norm(difference(model, whole.model)).value < 1e-12 * hinf_norm(model).value
    np.testing.assert_allclose(np.sort_complex(whole.model.poles), np.sort_complex(model.poles), rtol=1e-9)


@pytest.mark.parametrize("steady", [False, True])
def test_a_towers_model_is_reduced_within_its_bounds(steady: bool) -> None:
    model = damped_tower()
    largest = hinf_norm(model).value
    for kept in (2, 6, 12, 24, 38):
        found = reduced(model, states=kept, steady=steady)
        error = hinf_norm(difference(model, found.model)).value
        assert found.hankel[kept] * (1.0 - 1e-6) <= error <= found.bound * (1.0 + 1e-6)
    few = reduced(model, error=0.1 * largest, steady=steady)
    assert few.bound <= 0.1 * largest < reduced(model, states=len(few.model.states) - 1).bound
    assert len(few.model.states) < 20 < len(model.states)


def test_hankel_values_are_those_of_the_gramians_and_of_their_coordinates() -> None:
    model = damped_tower()
    found = reduced(model, states=20)
    product = controllability_gramian(model) @ observability_gramian(model)
    wanted = np.sqrt(np.sort(np.linalg.eigvals(product).real)[::-1])
    np.testing.assert_allclose(found.hankel[:10], wanted[:10], rtol=1e-7)
    whole = reduced(model, states=42).model
    for gramian in (controllability_gramian(whole), observability_gramian(whole)):
        np.testing.assert_allclose(gramian, np.diag(found.hankel), atol=1e-9 * found.hankel[0])


def test_small_hankel_values_keep_their_digits() -> None:
    """Two lags, one shown by 1e-8 of the other: in the product of the gramians no digit of that is left."""
    rng = np.random.default_rng(3)
    turn = rng.normal(size=(2, 2))
    lags, back = np.diag([-1.0, -2.0]), np.linalg.inv(turn)
    model = made(turn @ lags @ back, turn, np.diag([1.0, 1e-8]) @ back)
    np.testing.assert_allclose(reduced(model, states=1).hankel, [0.5, 0.25e-8], rtol=1e-6)
    product = controllability_gramian(model) @ observability_gramian(model)
    assert abs(np.sqrt(np.abs(np.linalg.eigvals(product)).min()) / 0.25e-8 - 1.0) > 0.1
    for _ in range(5):
        stable = random_model(int(rng.integers(1000))).A
        push = rng.normal(size=(7, 1)) * np.array([[1.0], *[[0.0]] * 6])  # of low rank
        factor = gramian_factor(stable, push)
        left = stable @ factor @ factor.T + factor @ factor.T @ stable.T + push @ push.T
        assert np.abs(left).max() < 1e-13 * np.abs(factor @ factor.T).max() * np.abs(stable).max() * 10.0
        assert factor.dtype == float


def test_the_steady_state_is_kept_where_that_is_wanted() -> None:
    model = random_model(11)
    still = np.zeros(1)
    exact = frequency_response(model, still)
    kept, cut = reduced(model, states=3, steady=True), reduced(model, states=3)
    np.testing.assert_allclose(frequency_response(kept.model, still), exact, rtol=1e-10)
    assert np.abs(frequency_response(cut.model, still) - exact).max() > 1e-3
    assert np.array_equal(cut.model.D, model.D)
    # A drift is an input that does not change: where it leads is kept too, by both parts of the model.
    pushed = replace(model, drift=np.linspace(1.0, 2.0, 7), offset=np.array([1.0, 2.0, 3.0]))
    few = reduced(pushed, states=3, steady=True).model
    settled = pushed.offset - pushed.C @ np.linalg.solve(pushed.A, pushed.drift)
    np.testing.assert_allclose(few.offset - few.C @ np.linalg.solve(few.A, few.drift), settled, rtol=1e-10)


def test_equal_hankel_values_count_once() -> None:
    # Three like lags beside one another, from an input each to an output each: three values of 1/2, of 1/6 twice.
    model = made(np.diag([-1.0, -1.0, -1.0, -3.0, -3.0]), np.eye(5), np.eye(5))
    found = reduced(model, states=3)
    np.testing.assert_allclose(found.hankel, [0.5, 0.5, 0.5, 1 / 6, 1 / 6])
    assert found.bound == pytest.approx(2.0 / 6.0)
    assert found.notes == ()
    assert hinf_norm(difference(model, found.model)).value == pytest.approx(1.0 / 3.0)
    between = reduced(model, states=2)
    assert "have one Hankel value, 0.5: any mixture" in between.notes[0]
    assert len(reduced(model, error=0.4).model.states) == 3
    assert len(reduced(model, error=0.0).model.states) == 5


def test_what_does_not_die_away_is_kept_whole() -> None:
    """A swing without damping and a growing motion beside five lags, mixed by a matrix."""
    calm, rng = random_model(2, 5), np.random.default_rng(1)
    wild = made(block_diag([[0, 3], [-3, 0]], [[0.4]]), rng.normal(size=(3, 2)), rng.normal(size=(3, 3)))
    turn = rng.normal(size=(8, 8))
    back = np.linalg.inv(turn)
    both = made(
        back @ block_diag(calm.A, wild.A) @ turn,
        back @ np.concatenate([calm.B, wild.B]),
        np.concatenate([calm.C, wild.C], axis=1) @ turn,
        calm.D,
    )
    alone = reduced(calm, states=2)
    found = reduced(both, states=5)
    np.testing.assert_allclose(found.hankel, alone.hankel, rtol=1e-8)
    assert found.bound == pytest.approx(alone.bound)
    assert found.notes == ("3 states do not die away and are kept whole; the bound is that of the others",)
    assert found.model.states == ("lasting 1", "lasting 2", "lasting 3", "balanced 1", "balanced 2")
    np.testing.assert_allclose(
        np.sort_complex(found.model.poles[found.model.poles.real > -1e-9]), np.sort_complex(wild.poles), atol=1e-8
    )
    frequency = np.geomspace(0.01, 10.0, 60)
    apart = frequency_response(both, frequency) - frequency_response(found.model, frequency)
    assert np.linalg.norm(apart, 2, axis=(1, 2)).max() <= found.bound
    # States read off the plant, and a drift: with all states kept, every motion is the same.
    start = rng.normal(size=8)
    read = reduced(replace(both, reading=np.eye(8), drift=start), states=8).model
    wanted = both.C @ expm(0.3 * both.A) @ start
    np.testing.assert_allclose(read.C @ expm(0.3 * read.A) @ read.reading @ start, wanted, rtol=1e-8)
    np.testing.assert_allclose(read.C @ expm(0.3 * read.A) @ read.drift, wanted, rtol=1e-8)
    with pytest.raises(OptionError, match=r"states = 2 must be from 3 to 8; 3 of them do not die away and are kept"):
        reduced(both, states=2)


def test_what_nobody_reaches_or_sees_is_left_out_and_said() -> None:
    a, b, c = np.diag([-1.0, -2.0, -3.0, 5.0]), np.array([[1.0], [1.0], [0.0], [0.0]]), np.ones((1, 4))
    found = reduced(made(a, b, c), states=4)
    assert len(found.model.states) == 2
    assert [note.partition(" ")[0] for note in found.notes] == ["1", "1"]
    assert "do not die away either, but no input reaches them" in found.notes[0]
    assert "that die away are not reached or not shown" in found.notes[1]
    robot = taut.generators.icosahedron(0.6, stiffness=600.0).changed("cable:*", damping=5.0)
    shape = linearise(assemble(robot), inputs="node:*", outputs="cable:*.tension")
    small = reduced(shape, states=20)
    assert small.model.stable
    assert small.notes[0].startswith("14 states do not die away either")


def test_its_states_are_read_off_the_plant() -> None:
    """From coordinates and rates that an impulse leads to, the small model goes on as the large one does."""
    model = damped_tower()
    x = expm(0.05 * model.A) @ model.B[:, 0]
    pushed = np.linalg.lstsq(model.reading, x)[0]
    for kept, most in ((42, 1e-9), (24, 1e-2)):
        few = reduced(model, states=kept).model
        later = few.C @ expm(0.1 * few.A) @ few.reading @ pushed
        wanted = model.C @ expm(0.1 * model.A) @ x
        np.testing.assert_allclose(later, wanted, atol=most * np.abs(wanted).max())
    near = step_response(model, 0.5).output - step_response(few, 0.5).output
    assert np.abs(near).max() < 1e-2 * np.abs(step_response(model, 0.5).output).max()


def test_what_cannot_be_reduced_is_told() -> None:
    model = random_model(0)
    with pytest.raises(OptionError, match=r"say either how many states to keep \(states=...\) or how large"):
        reduced(model)
    with pytest.raises(OptionError, match=r"say either how many states"):
        reduced(model, states=2, error=1.0)
    with pytest.raises(OptionError, match=r"states = 8 must be from 0 to 7$"):
        reduced(model, states=8)
    with pytest.raises(OptionError, match=r"error -1 must be zero or more, in units of outputs per unit of inputs"):
        reduced(model, error=-1.0)
    with pytest.raises(OptionError, match=r"error nan must be"):
        reduced(model, error=np.nan)
