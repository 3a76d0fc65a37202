"""Time-stepping methods as data: one file a family, found by name."""

from __future__ import annotations

from dataclasses import replace

from taut.dynamics.methods.dp8 import DP8
from taut.dynamics.methods.energy_momentum import ENERGY_MOMENTUM
from taut.dynamics.methods.implicit import IMPLICIT3, IMPLICIT4
from taut.dynamics.methods.rattle import IMPULSES, RATTLE2, RATTLE4, RATTLE6, RATTLE8
from taut.dynamics.methods.runge_kutta import DP5, RK4
from taut.dynamics.methods.tableau import Implicit, Method, Rattle
from taut.errors import OptionError, suggestion

METHODS: dict[str, Method | Rattle] = {
    method.name: method
    for method in (DP5, DP8, RK4, RATTLE2, RATTLE4, RATTLE6, RATTLE8, IMPLICIT3, IMPLICIT4, IMPULSES, ENERGY_MOMENTUM)
}


def method_named(name: str) -> Method | Rattle:
    if name not in METHODS:
        raise OptionError(f'method "{name}" is not one of {", ".join(METHODS)}{suggestion(name, METHODS)}')
    return METHODS[name]


def method_for(name: str, tolerance: float, step: float | None) -> Method | Rattle:
    """The method of that name; an implicit one solves its stages by the tolerance and takes a fixed step if asked."""
    method = method_named(name)
    if not isinstance(method, Implicit):
        return method
    return replace(method, tolerance=tolerance, error_order=method.error_order if step is None else None)
