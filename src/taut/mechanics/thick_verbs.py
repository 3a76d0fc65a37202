"""The nodal kernels with bars whose mass matrix changes with their shape.

The same code, bound to `taut.mechanics.thick`: plants without such bars are neither compiled with it nor slowed by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from taut.mechanics import nodal, nodal_manifold, nodal_momentum, nodal_outputs, thick
from taut.mechanics.thick import add_kinetic_slope, forces_of_motion, kinetic_of_thickness
from taut.numerics.compiled import bound, entry, inlined, kernel, woven
from taut.numerics.packing import Pack
from taut.numerics.pointers import start_of


def _again(decorate: Callable[..., Any], function: Callable[..., Any], words: Mapping[str, Callable[..., Any]]) -> Any:
    copy = bound(function, words)
    copy.__qualname__ += "_thick"
    return decorate(copy)


_MASS: Mapping[str, Callable[..., Any]] = {"carried": thick.carried}
_SYSTEM: Mapping[str, Callable[..., Any]] = {"prepare_system": thick.prepare_thick_system}

_applied = _again(inlined, nodal.applied_forces, _MASS)
_forces = _again(inlined, forces_of_motion, {"applied_forces": _applied})
_accelerate = _again(kernel, nodal._accelerate_saddle, {**_SYSTEM, "applied_forces": _forces})
_rate = _again(entry, nodal.rate, {"accelerate": _accelerate})


@kernel
def _energies(p: Pack, y: np.ndarray) -> tuple[float, float, float, float]:
    kinetic, elastic, height, squared = nodal.energies(p, y)
    return kinetic + kinetic_of_thickness(p, y), elastic, height, squared


_constant_slope = _again(kernel, nodal_manifold.energy_slope, _MASS)


@entry
def energy_slope(p: Pack, y: np.ndarray, along_q: np.ndarray, along_v: np.ndarray) -> tuple[float, float]:
    """dE/dq and dE/dv; returns what `energy` does."""
    found, terms = _constant_slope(p, y, along_q, along_v)
    add_kinetic_slope(p, start_of(y), start_of(along_q))
    return found, terms


THICK_VERBS: Mapping[str, Callable[..., Any]] = {
    "rate": _rate,
    "prepare": _again(entry, nodal_manifold.prepare, _SYSTEM),
    "energy": _again(entry, nodal_manifold.energy, {"energies": _energies}),
    "energy_slope": energy_slope,
    "keep_momentum": _again(
        entry,
        nodal_momentum.keep_momentum,
        {**_MASS, "carried_along": thick.carried_along, "of_thickness": thick.of_thickness},
    ),
}
"""Those that differ from `taut.mechanics.plant.NODAL_VERBS`."""

observe = _again(
    entry,
    nodal_outputs.observe,
    {"rate": _rate, "energies": _energies, "_imbalance": _again(woven, nodal_outputs._imbalance, _MASS)},
)
