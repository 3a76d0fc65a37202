"""Powers with the same bits everywhere: right to some units in the last place."""

from __future__ import annotations

import math

import numpy as np
import pytest

from taut.numerics.powers import raised


def test_powers_are_those_of_the_library_but_for_some_last_digits() -> None:
    draw = np.random.default_rng(7)
    bases, exponents = 10.0 ** draw.uniform(-12.0, 12.0, 3000), draw.uniform(-0.5, 0.5, 3000)
    found = np.array([raised(float(b), float(e)) for b, e in zip(bases, exponents, strict=True)])
    wanted = np.array([math.pow(b, e) for b, e in zip(bases, exponents, strict=True)])
    np.testing.assert_allclose(found, wanted, rtol=4e-15)


@pytest.mark.parametrize("exponent", [-0.2, 0.0, 0.17])
def test_one_stays_one(exponent: float) -> None:
    assert raised(1.0, exponent) == 1.0


def test_bits_are_known() -> None:
    """As on any machine; another number is another motion."""
    assert raised(3.7e-5, -0.17).hex() == (5.667685025952993).hex()
