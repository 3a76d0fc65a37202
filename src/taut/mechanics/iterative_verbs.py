"""The nodal kernels with an iteration in the place of their linear systems.

The same code, bound to `taut.mechanics.iterating`: kernels that never iterate would otherwise all be compiled with it,
which takes a third of the first run's time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from taut.mechanics import nodal, nodal_manifold, nodal_outputs
from taut.mechanics.iterating import prepare_iteration, solve_iteration
from taut.numerics.compiled import bound, entry, kernel

_SYSTEM: Mapping[str, Callable[..., Any]] = {"prepare_system": prepare_iteration, "solve_system": solve_iteration}


def _again(decorate: Callable[..., Any], function: Callable[..., Any], words: Mapping[str, Callable[..., Any]]) -> Any:
    copy = bound(function, words)
    copy.__qualname__ += "_iterative"
    return decorate(copy)


_accelerate = _again(kernel, nodal._accelerate_saddle, _SYSTEM)
_rate = _again(entry, nodal.rate, {"accelerate": _accelerate})

ITERATIVE_VERBS: Mapping[str, Callable[..., Any]] = {
    "rate": _rate,
    "prepare": _again(entry, nodal_manifold.prepare, _SYSTEM),
    "project": _again(entry, nodal_manifold.project, _SYSTEM),
}
"""Those that differ from `taut.mechanics.plant.NODAL_VERBS`."""

observe = _again(entry, nodal_outputs.observe, {"rate": _rate})
