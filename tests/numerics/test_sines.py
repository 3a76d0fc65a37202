"""Sine and cosine beside numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from taut.numerics.sines import MOST, fill_sines


@pytest.mark.parametrize("most", [1.0, 100.0, MOST, 1e9])
def test_right_to_the_last_place(most: float) -> None:
    angles = np.random.default_rng(0).uniform(-most, most, 20_000)
    angles = np.concatenate([angles, 0.25 * np.pi * np.arange(-40, 41), [0.0, 1e-300]])
    found = np.empty((angles.size, 2))
    fill_sines(angles, found)
    for column, exact in enumerate((np.sin(angles.astype(np.longdouble)), np.cos(angles.astype(np.longdouble)))):
        off = np.abs(found[:, column] - exact)
        assert (off <= 1.0 * np.spacing(np.abs(exact.astype(float)))).all() or off.max() < 1.2e-16
        assert off.max() <= 1.2e-16


def test_no_numbers_have_none() -> None:
    found = np.empty((2, 2))
    fill_sines(np.array([np.nan, np.inf]), found)
    assert np.isnan(found).all()
