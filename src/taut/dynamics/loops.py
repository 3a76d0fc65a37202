"""Which functions a run is made of: algorithms bound to a plant's operations, and the time loop compiled.

The loop of one plant calls operations by their addresses, so that it is compiled once for all plants: once for each
stepper, with samples dense or at steps, with events located or not. Plants in lanes have loops of their own, into
which their operations dissolve.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from taut.dynamics import time_loop as loop
from taut.dynamics.operations import addresses_for, asked_by, by_address, called, compiled, spoken
from taut.mechanics.plant_protocol import PlantProtocol
from taut.numerics.code_stamps import reachable_stamp

STRIKING = ("impulses", "energy-momentum")
"""Steppers whose steps strike grounds."""

Words = dict[str, Callable[..., Any]]

_COMPILED: dict[tuple[Any, ...], Words] = {}
_LAYOUTS: dict[str, Any] = {}
_ADDRESSES: dict[tuple[Any, ...], np.ndarray] = {}
"""Loops in lanes and addresses by the operations themselves, which they so hold on to: machine code that nobody holds
is gone, and kinds of one name may have other kernels by now."""


def words_for(
    plant: PlantProtocol,
    stepper: str = "explicit",
    *,
    dense: bool = False,
    watches: bool = False,
    printed: bool = False,
) -> tuple[Words, np.ndarray | None]:
    """The algorithms bound to a plant's operations, the time loop compiled if these are kernels; and the addresses of
    the operations, where the loop calls them by these.

    What is called only at the start of a run stays as it is, except for what Python could not do with lanes.
    """
    algorithm, operations = loop.algorithm(stepper, dense=dense, watches=watches, printed=printed), plant.operations()
    if not plant.compiled:
        return spoken(algorithm, operations), None
    shared = (*loop.SHARED, "advance") if watches and stepper != "impulses" else loop.SHARED
    way = (stepper, dense, watches, printed)
    if plant.lanes:
        key: tuple[Any, ...] = (*operations.items(), *way)
        if key not in _COMPILED:
            _COMPILED[key] = compiled(algorithm, operations, ("time_loop", "remember"), shared)
        words = spoken(algorithm, operations)
        return {**words, **{name: _COMPILED[key][name] for name in ("time_loop", "remember")}}, None
    # Where things stand in a state is no call; plants of other kinds have functions of their own for it, all the same.
    layout = _LAYOUTS.setdefault(reachable_stamp(operations["layout"]), operations["layout"])
    key, asked = (layout, *way), asked_by(algorithm, strikes=stepper in STRIKING)
    if key not in _COMPILED:
        calls = {**called(asked), "layout": layout}
        _COMPILED[key] = compiled(algorithm, calls, ("time_loop",), shared)
    own = (*operations.items(), *way)
    if own not in _ADDRESSES:
        _ADDRESSES[own] = addresses_for(asked, operations)
    words = spoken(algorithm, {**operations, **by_address(asked, _ADDRESSES[own])})
    return {**words, "time_loop": _COMPILED[key]["time_loop"]}, _ADDRESSES[own]
