"""The nodal kernels with an iteration in the place of their linear systems.

The same code, bound to `taut.mechanics.iterating`: kernels that never iterate would otherwise all be compiled with it,
which takes a third of the first run's time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from taut.mechanics import nodal, nodal_manifold, nodal_outputs
from taut.mechanics.iterating import prepare_iteration, solve_iteration
from taut.numerics.compiled import again, entry, kernel

ITERATIVE_SYSTEM: Mapping[str, Callable[..., Any]] = {
    "prepare_system": prepare_iteration,
    "solve_system": solve_iteration,
}


_accelerate = again(kernel, nodal._accelerate_saddle, ITERATIVE_SYSTEM, "_iterative")
_rate = again(entry, nodal.rate, {"accelerate": _accelerate}, "_iterative")

ITERATIVE_VERBS: Mapping[str, Callable[..., Any]] = {
    "rate": _rate,
    "prepare": again(entry, nodal_manifold.prepare, ITERATIVE_SYSTEM, "_iterative"),
    "project": again(entry, nodal_manifold.project, ITERATIVE_SYSTEM, "_iterative"),
}
"""Those that differ from `taut.mechanics.verb_sets.NODAL_VERBS`."""

observe = again(entry, nodal_outputs.observe, {"rate": _rate}, "_iterative")

SETS = {"iterative": (ITERATIVE_VERBS, observe)}
