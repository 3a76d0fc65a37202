"""Time-stepping methods as data: one file a family, found by name."""

from __future__ import annotations

from taut.dynamics.methods.dp8 import DP8
from taut.dynamics.methods.rattle import RATTLE2, RATTLE4, RATTLE6, RATTLE8
from taut.dynamics.methods.runge_kutta import DP5, RK4
from taut.dynamics.methods.tableau import Method, Rattle
from taut.errors import OptionError, suggestion

METHODS: dict[str, Method | Rattle] = {
    method.name: method for method in (DP5, DP8, RK4, RATTLE2, RATTLE4, RATTLE6, RATTLE8)
}


def method_named(name: str) -> Method | Rattle:
    if name not in METHODS:
        raise OptionError(f'method "{name}" is not one of {", ".join(METHODS)}{suggestion(name, METHODS)}')
    return METHODS[name]
