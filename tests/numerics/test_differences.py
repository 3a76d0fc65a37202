"""How far differences go, found without knowing the size of what they go along."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from taut.numerics.differences import fitting_step, jacobian


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize(
    ("function", "most", "lowest", "slope"),
    [
        (lambda x: np.array([2.0 * x, 7.0]), 1e3, 1e3, (2.0, 0.0)),
        (lambda x: np.array([np.sin(x)]), 0.01, 0.01, (1.0,)),
        (lambda x: np.array([np.sin(x)]), 1e6, 0.01, (1.0,)),
        (lambda x: np.array([1.0 + 1e-3 * np.sin(x + 0.5)]), 1e3, 0.01, (1e-3 * np.cos(0.5),)),
        (lambda x: np.array([np.sqrt(1.0 + x)]) if x > -1.0 else np.array([np.nan]), 1e3, 1e-3, (0.5,)),
        (lambda x: np.array([0.0]), 3.0, 3.0, (0.0,)),
    ],
    ids=["straight", "short", "far too long", "small beside what stands there", "that ends", "nothing"],
)
def test_a_step_fits(
    function: Callable[[float], np.ndarray], most: float, lowest: float, slope: tuple[float, ...], unit: float
) -> None:
    step = fitting_step(lambda x: function(x / unit), most * unit) / unit
    assert step == pytest.approx(most) if lowest == most else lowest < step < 0.2
    found = jacobian(lambda x: function(float(x[0])), np.zeros(1), step)[:, 0]
    assert found == pytest.approx(slope, rel=1e-11, abs=1e-15)


def test_steps_do_not_hit_upon_one_phase_of_a_wave() -> None:
    """Some whole turns and a little more look like that little alone: from wherever steps begin, none such is taken."""
    for most in np.geomspace(1.0, 1e4, 2000):
        assert fitting_step(lambda x: np.array([np.sin(x + 0.5)]), most) < 0.1


def test_where_round_off_hides_what_is_there_the_nearest_is_taken() -> None:
    """Noise of 1e-9 beside a sine: steps of some tenths are best, and neither 1e3 nor what is left after halving it."""
    noise = np.random.default_rng(4)
    step = fitting_step(lambda x: np.array([np.sin(x) + 1e-9 * noise.normal()]), 1e3)
    assert 0.02 < step < 1.0
