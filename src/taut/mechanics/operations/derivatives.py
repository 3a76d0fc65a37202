"""Derivatives of the equations of motion, as linear models want them: blocks of stiffness, momenta, velocity terms."""

from __future__ import annotations

import numpy as np

from taut.mechanics.parts import (
    add_velocity_force,
    carry,
    conservative_force,
    row_bias,
    row_residuals,
    row_stiffness,
    term_stiffness,
)
from taut.mechanics.tables import coordinate_count
from taut.numerics.compiled import entry
from taut.numerics.packing import Pack
from taut.numerics.pointers import start_of


@entry
def stiffness_blocks(p: Pack, t: float, y: np.ndarray, k: float, c: float, out: np.ndarray) -> None:
    """k K + c C of all terms, exactly, a 3 x 3 block for every link."""
    term_stiffness(p, t, start_of(y), k, c, 1.0, 1.0, start_of(out))


@entry
def row_blocks(p: Pack, y: np.ndarray, multiplier: np.ndarray, brace: np.ndarray, out: np.ndarray) -> None:
    """-sum(multiplier d2(residual)/dq2), a 3 x 3 block for every link of a row."""
    row_stiffness(p, start_of(y), start_of(multiplier), 1.0, 1.0, start_of(brace), start_of(out))


@entry
def elastic_force(p: Pack, y: np.ndarray, out: np.ndarray) -> float:
    """out = conservative forces of all terms; returns their potential energy."""
    force = start_of(out)
    for i in range(coordinate_count(p)):
        force[i] = 0.0
    elastic, gravity, _ = conservative_force(p, start_of(y), force)
    return elastic + gravity


@entry
def fill_residuals(p: Pack, y: np.ndarray, residual: np.ndarray, rate: np.ndarray) -> None:
    """Residuals of all rows [m], and their rates."""
    row_residuals(p, start_of(y), start_of(residual), start_of(rate))


@entry
def momentum(p: Pack, y: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """out = M(q) v."""
    carry(p, start_of(y), start_of(v), start_of(out))


@entry
def velocity_force(p: Pack, y: np.ndarray, out: np.ndarray) -> None:
    """out = dT/dq - (dM/dt) v."""
    force = start_of(out)
    for i in range(coordinate_count(p)):
        force[i] = 0.0
    add_velocity_force(p, start_of(y), force)


@entry
def bias(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> None:
    """What G a must be."""
    row_bias(p, t, start_of(y), start_of(out))
