"""Kernels that are called by their addresses, as batches call a time loop."""

from __future__ import annotations

import numpy as np
import pytest

from taut.numerics.compiled import address_of, entry
from taut.numerics.pointers import done_by_kernel_at, number_by_kernel_at


@entry
def counted(most: int, out: np.ndarray) -> int:
    if most > out.size:
        raise ValueError("more than there is room for")
    return most


@entry
def filled(most: int, out: np.ndarray) -> None:
    if most > out.size:
        raise ValueError("no room for so many")
    for k in range(most):
        out[k] = 1.0


@entry
def by_address(count: int, fill: int, most: int, out: np.ndarray) -> int:
    found = number_by_kernel_at(count, (most, out)) if count else 0
    done_by_kernel_at(fill, (most, out))
    return found


def test_what_a_called_kernel_raises_is_raised() -> None:
    """The status that it returns was dropped, so that a batch went on with numbers that nobody had written."""
    out = np.zeros(3)
    count, fill = (address_of(one, 0, out) for one in (counted, filled))
    assert by_address(count, fill, 2, out) == 2
    assert out.tolist() == [1.0, 1.0, 0.0]
    with pytest.raises(ValueError, match="more than there is room for"):
        by_address(count, fill, 4, out)
    with pytest.raises(ValueError, match="no room for so many"):
        by_address(0, fill, 4, out)
