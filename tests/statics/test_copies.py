"""Copies of a structure balanced side by side: every way of doing it finds the same equilibria."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.numerics.link_blocks import pattern
from taut.statics import copies
from taut.statics.linearised import Linearised, linearised


def scattered(view: Linearised, count: int, width: float) -> copies.Scattered:
    chance = np.random.default_rng(5)
    members = view.setting.rest_length.size
    return copies.Scattered(
        view.setting.rest_length + width * chance.normal(size=(count, members)),
        1.0 + 0.02 * chance.normal(size=(count, members)),
        np.tile(view.setting.anchors, (count, 1, 1)),
    )


def tower() -> Linearised:
    made = taut.generators.tower(4).supported("bottom*").changed("cable:*", rest_ratio=0.96)
    return linearised(taut.balance(made))


def nothing(view: Linearised, made: copies._Copies, _: copies.Scattered, state: copies._State) -> tuple:
    return state, np.zeros(made.count, dtype=bool)


def test_chords_newton_and_one_by_one_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    view = tower()
    given = scattered(view, 6, 1e-3)
    by_chords = copies.balanced_copies(view, given)
    monkeypatch.setattr(copies, "_alone", None)  # nobody comes so far
    monkeypatch.setattr(copies, "_chords", nothing)
    by_newton = copies.balanced_copies(view, given)
    monkeypatch.undo()
    monkeypatch.setattr(copies, "_chords", nothing)
    monkeypatch.setattr(copies, "_newton", nothing)
    one_by_one = copies.balanced_copies(view, given)
    for other in (by_newton, one_by_one):
        assert other.converged.all()
        np.testing.assert_allclose(other.positions, by_chords.positions, rtol=0.0, atol=1e-11)
        np.testing.assert_allclose(other.tension, by_chords.tension, rtol=1e-9)


def test_chords_are_enough_for_small_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_newton", None)
    view = tower()
    assert copies.balanced_copies(view, scattered(view, 20, 1e-4)).converged.all()


def test_plates_go_one_by_one() -> None:
    made = taut.generators.prism(3, plate_thickness=0.005).supported("bottom*").changed("cable:*", rest_ratio=0.97)
    standing = taut.balance(made)
    view = linearised(standing)
    assert view.problem.elements is not None
    found = copies.balanced_copies(view, scattered(view, 2, 1e-4))
    assert found.converged.all()
    assert 0.0 < np.abs(found.tension - standing.member_force).max() < 0.2 * np.abs(standing.member_force).max()


def test_a_pattern_of_copies_is_that_of_all_their_links() -> None:
    first, second = np.array([0, 1, 2]), np.array([1, 2, 0])
    unknown = np.array([-1, 0, 1, 2, 3, -1, 4, 5, 6])
    one = pattern(first, second, unknown, 7)
    shifted = np.concatenate([np.where(unknown < 0, -1, unknown + 7 * k) for k in range(3)])
    numbers = [np.concatenate([ends + 3 * k for k in range(3)]) for ends in (first, second)]
    whole = pattern(*numbers, shifted, 21)
    blocks = np.random.default_rng(0).normal(size=(9, 3, 3))
    np.testing.assert_array_equal(one.repeated(3, 3).matrix(blocks).toarray(), whole.matrix(blocks).toarray())
    np.testing.assert_array_equal(one.repeated(3, 3).diagonal, whole.diagonal)
