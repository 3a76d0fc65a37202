"""What follows from masses, lengths and springs together: a typical length and time, and what moves with the whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from taut.mechanics.inertia import thin as thin_inertia
from taut.mechanics.inertia.thin import Thin
from taut.mechanics.kinds import Given, Rows
from taut.mechanics.terms.springs import Springs
from taut.structure.plates import size_of
from taut.structure.properties import bar_length, route_length


def scale_of(given: Given, thin: Thin, springs: Springs) -> tuple[float, float]:
    """Typical length [m] and time [s]: the mean member, and the root of the mass over the stiffness of the cables."""
    structure, bars = given.structure, list(given.structure.bars.values())
    lengths = [bar_length(structure, bars[k]) for k in thin_inertia.bar_order(given)]
    lengths += [route_length(structure, cable.route) for cable in structure.cables.values()]
    lengths += [size_of(structure, plate) for plate in structure.plates.values()]
    return float(np.mean(lengths)) if lengths else 1.0, slowness_of(given, thin, springs)


def slowness_of(given: Given, thin: Thin, springs: Springs) -> float:
    """The typical time [s]."""
    # Stiff bars tremble; the structure swings by its cables, and has only bars to swing by where it has none.
    cables, mass = [*given.cable.values()], thin.diagonal[::3]
    swinging = springs.stiffness[cables] if springs.stiffness[cables].any() else springs.stiffness
    return float(np.sqrt(mass.sum() / swinging.sum())) if swinging.any() and mass.any() else 1.0


def shares_of(thin: Thin, free: np.ndarray, rows: list[Rows], tables: Mapping[str, Any]) -> np.ndarray:
    """What each coordinate has of the mass that moves when the whole structure shifts; none where it cannot shift."""
    share = thin.diagonal.reshape(-1, 3).copy()
    for end in (thin.first, thin.second):
        np.add.at(share, end // 3, thin.coupling[:, None])
    held = [np.setdiff1d(np.arange(thin.diagonal.size), free)]
    held += [kind.pattern(tables[kind.name])[1] for kind in rows if not kind.internal]
    share[:, np.unique(np.concatenate(held) % 3)] = 0.0
    return share.ravel()
