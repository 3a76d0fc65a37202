"""Python functions in loads and drives: their values written into a plant's tables before its kernels look at them.

A kernel cannot call them, so the operations of such a plant are wrapped, and it runs uncompiled. What is driven needs
the rate of its value too: of a function of time by differences, of a Feedback along the motion, with the acceleration
that the plant has then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.errors import OptionError
from taut.mechanics.imposed.drives import DRIVE_DATA
from taut.mechanics.signals import Called, function_value
from taut.mechanics.terms.loads import LOAD_DATA
from taut.numerics.differences import WEIGHTS
from taut.numerics.packing import Pack, reals_of
from taut.structure.drives import QUANTITIES
from taut.structure.signals import Feedback, parts_of

if TYPE_CHECKING:
    from taut.mechanics.plant import Plant

TIMED: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("rate", "forces", "power", "drive_power", "impose", "decide"), (1, 2)),
    **dict.fromkeys(("newton_residual", "factor_newton", "secant_residual"), (1, 2)),
    **dict.fromkeys(("margin", "pass_break"), (1, 3)),
    "switch": (2, 3),
}
"""Operations that look at a time and a state: which of their arguments those are. `crossing` looks at two."""

LOADED = ("rate", "forces", "power", "newton_residual", "secant_residual", "decide")
"""Those that look at loads."""

STEP = 1e-3
"""Of the typical time: how far apart a function is looked at for its rate."""

PASSES = 8
"""A Feedback's rate needs the acceleration, and that of a damped cable the rate: found by repetition."""


def with_functions(plant: Plant, operations: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """Operations that see the values of Python functions; as they are where there are none."""
    found = dict(operations)
    if plant.functions or plant.driving:
        names = TIMED if plant.driving else LOADED
        found |= {name: _timely(plant, found[name], *TIMED[name]) for name in names if name in found}
    if plant.driving and "crossing" in found:
        found["crossing"] = _at_the_end(plant, found["crossing"])
    return found


def _timely(plant: Plant, operation: Callable[..., Any], time: int, state: int) -> Callable[..., Any]:
    def timely(*given: Any) -> Any:
        set_functions(plant, given[0], given[time], given[state])
        return operation(*given)

    return timely


def _at_the_end(plant: Plant, crossing: Callable[..., Any]) -> Callable[..., Any]:
    """Whether something happened in a step is decided by its end; where, by `margin`, which is told each time."""

    def timely(pack: Pack, t: float, h: float, y: np.ndarray, trial: np.ndarray, skipped: int) -> Any:
        set_functions(plant, pack, t + h, trial)
        return crossing(pack, t, h, y, trial, skipped)

    return timely


def set_functions(plant: Plant, pack: Pack, t: float, y: np.ndarray) -> None:
    """Write the values of all functions at a time and a state into a pack of the plant."""
    size = plant.coordinates
    nodes, velocities = y[:size].reshape(-1, 3), y[size : 2 * size].reshape(-1, 3)
    for called in plant.functions:
        value = value_of(plant, called, t, nodes, velocities, drives=False)
        reals_of(pack, LOAD_DATA)[called.place] = value
    if not plant.driving or not np.isfinite(y).all():
        return
    data, step = reals_of(pack, DRIVE_DATA), STEP * plant.typical_time
    for called in plant.driving:
        value = value_of(plant, called, t, nodes, velocities, drives=True)
        _check_bound(plant, called, t, value)
        data[called.place] = value
    answering = any(isinstance(called.function, Feedback) for called in plant.driving)
    rates = np.zeros_like(y)
    for _ in range(PASSES):
        before = [data[called.place + 1] for called in plant.driving]
        acceleration = np.zeros_like(nodes)
        if answering:
            plant.composition.motion["rate"](pack, t, y, rates)
            acceleration = rates[size : 2 * size].reshape(-1, 3)
        for called in plant.driving:

            def along(s: float, called: Called = called, a: np.ndarray = acceleration) -> float:
                return value_of(plant, called, t + s, nodes + s * velocities, velocities + s * a, drives=True)

            shares = (w * (along(k * step) - along(-k * step)) for k, w in enumerate(WEIGHTS, 1))
            data[called.place + 1] = sum(shares) / step
        after = [data[called.place + 1] for called in plant.driving]
        if not answering or np.allclose(after, before, rtol=1e-13, atol=1e-15):
            return


def _check_bound(plant: Plant, called: Called, t: float, value: float) -> None:
    """Raise OptionError where a function drives a quantity to what it can never be."""
    driven = plant.given.driven[called.signal]
    quantity = QUANTITIES[driven.drive.quantity]
    if not quantity.least or len(parts_of(driven.drive.signal)) > 1:
        return
    whole = float(plant.tables["drives"].own[called.signal]) + called.share(t) * value
    if whole < 0.0 or (whole == 0.0 and quantity.least != "negative"):
        raise OptionError(
            f'the drive "{driven.label}" drives the {driven.drive.quantity} of {driven.kind} "{driven.member}" to '
            f"{whole:.6g} {quantity.unit} at t = {t:.6g} s; it can never be {quantity.least}"
        )


def value_of(
    plant: Plant, called: Called, t: float, nodes: np.ndarray, velocities: np.ndarray, *, drives: bool
) -> float:
    """What a function of the plant's loads, or of its drives, returns at a time and a state."""
    if drives:
        driven = plant.given.driven[called.signal]
        told, unit = f'the drive "{driven.label}"', f"{driven.drive.quantity} [{driven.unit}]"
    else:
        load = plant.loads[called.signal]
        told = f'the load "{load.name}"' if load.name else "the load"
        told, unit = f'{told} on node "{load.node}" along {load.axis}', "force [N]"
    return function_value(told, unit, called.function, t, nodes, velocities)


def check_drives(plant: Plant) -> None:
    """Raise OptionError where a drive answers to the motion, which tangents do not know."""
    for called in plant.driving:
        if isinstance(called.function, Feedback):
            name = plant.drive_names[called.signal]
            raise OptionError(f'the drive "{name}" answers to the motion; linearise the plant without it')
