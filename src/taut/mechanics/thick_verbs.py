"""The nodal kernels with bars whose mass matrix changes with their shape.

The same code, bound to `taut.mechanics.thick`: plants without such bars are neither compiled with it nor slowed by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from taut.mechanics import nodal, nodal_manifold, nodal_momentum, nodal_outputs, thick
from taut.mechanics.thick import add_kinetic_slope, forces_of_motion, kinetic_of_thickness
from taut.numerics.compiled import again, entry, inlined, kernel, woven
from taut.numerics.packing import Pack
from taut.numerics.pointers import start_of

THICK_MASS: Mapping[str, Callable[..., Any]] = {"carried": thick.carried}
THICK_SYSTEM: Mapping[str, Callable[..., Any]] = {"prepare_system": thick.prepare_thick_system}

_applied = again(inlined, nodal.applied_forces, THICK_MASS, "_thick")
thick_forces = again(inlined, forces_of_motion, {"applied_forces": _applied}, "_thick")
_accelerate = again(kernel, nodal._accelerate_saddle, {**THICK_SYSTEM, "applied_forces": thick_forces}, "_thick")
_rate = again(entry, nodal.rate, {"accelerate": _accelerate}, "_thick")


@kernel
def thick_energies(p: Pack, y: np.ndarray) -> tuple[float, float, float, float]:
    kinetic, elastic, height, squared = nodal.energies(p, y)
    return kinetic + kinetic_of_thickness(p, y), elastic, height, squared


_constant_slope = again(kernel, nodal_manifold.energy_slope, THICK_MASS, "_thick")


@entry
def energy_slope(p: Pack, y: np.ndarray, along_q: np.ndarray, along_v: np.ndarray) -> tuple[float, float]:
    """dE/dq and dE/dv; returns what `energy` does."""
    found, terms = _constant_slope(p, y, along_q, along_v)
    add_kinetic_slope(p, start_of(y), start_of(along_q))
    return found, terms


THICK_VERBS: Mapping[str, Callable[..., Any]] = {
    "rate": _rate,
    "prepare": again(entry, nodal_manifold.prepare, THICK_SYSTEM, "_thick"),
    "energy": again(entry, nodal_manifold.energy, {"energies": thick_energies}, "_thick"),
    "energy_slope": energy_slope,
    "keep_momentum": again(
        entry,
        nodal_momentum.keep_momentum,
        {**THICK_MASS, "carried_along": thick.carried_along, "of_thickness": thick.of_thickness},
        "_thick",
    ),
}
"""Those that differ from `taut.mechanics.verb_sets.NODAL_VERBS`."""

thick_imbalance = again(woven, nodal_outputs.imbalance, THICK_MASS, "_thick")
OUTPUTS: Mapping[str, Callable[..., Any]] = {"energies": thick_energies, "imbalance": thick_imbalance}

observe = again(entry, nodal_outputs.observe, {**OUTPUTS, "rate": _rate}, "_thick")

SETS = {"thick": (THICK_VERBS, observe)}
