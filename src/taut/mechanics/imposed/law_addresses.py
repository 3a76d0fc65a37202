"""Laws of controllers as C functions, which kernels call by their address.

A Python function is called through ctypes; one that numba has compiled becomes a C function itself, and no time loop is
compiled again for it. What went wrong in a Python function is kept here until someone asks, since no exception can pass
through compiled code.
"""

from __future__ import annotations

import ctypes
import reprlib
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from taut.errors import ModelError, Problem
from taut.mechanics.imposed.controllers import (
    BELOW,
    DONE,
    FAILED,
    NOT_FINITE,
    RAISED,
    REASON,
    WHEN,
    WHICH,
    WRONG_SHAPE,
)
from taut.mechanics.kinds import Given
from taut.numerics.code_stamps import is_kernel
from taut.structure.controllers import Controller, LinearLaw
from taut.structure.drives import QUANTITIES

_POINTER = ctypes.POINTER(ctypes.c_double)
_FUNCTION = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_double, _POINTER, ctypes.c_int64, _POINTER, ctypes.c_int64, _POINTER, ctypes.c_int64
)


class Law:
    """A controller's law as a C function; lives as long as the plant that calls it."""

    def __init__(self, controller: Controller) -> None:
        self.controller = controller
        self._failures: dict[int, str] = {}  # by thread, since variants of a plant share its laws
        self._stops: dict[int, BaseException] = {}
        self._function: Any = None
        self.address = 0
        if isinstance(controller.law, LinearLaw):
            return
        if is_kernel(controller.law):
            self._function = _compiled(controller)
            self.address = int(self._function.address)
        else:
            self._function = _FUNCTION(self._called)
            self.address = ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def __reduce__(self) -> Any:
        return Law, (self.controller,)

    @property
    def failure(self) -> str:
        """What went wrong last in this thread."""
        return self._failures.get(threading.get_ident(), "")

    def stop(self) -> None:
        """Raise what was to stop everything and not this run alone, such as Ctrl-C, where that came up in the law."""
        stop = self._stops.pop(threading.get_ident(), None)
        if stop is not None:
            raise stop

    def _failed(self, reason: int, told: str) -> int:
        self._failures[threading.get_ident()] = told
        return reason

    def _called(self, t: float, measured: Any, m: int, state: Any, s: int, command: Any, c: int) -> int:
        """Never raises, since nothing can pass through compiled code: what a law does wrong is kept."""
        begun, own = time.perf_counter(), _array(state, s)
        kept = own.copy()  # a law may keep what it is handed, and that must not change under it
        try:
            returned = self.controller.law(t, _array(measured, m).copy(), kept)  # type: ignore[operator]
            found = np.asarray(returned, dtype=float)
        except Exception as error:
            return self._failed(RAISED, f"raised {type(error).__name__}: {error}")
        except BaseException as stop:
            self._stops[threading.get_ident()] = stop
            return self._failed(RAISED, f"was stopped by {type(stop).__name__}")
        took, limit = time.perf_counter() - begun, self.controller.deadline
        if limit is not None and took > limit:
            return self._failed(RAISED, f"was too late: it took {took:.3g} s, and its deadline is {limit:.3g} s")
        if found.shape != (c,) and not (c == 1 and found.shape == ()):
            told = f"returned {reprlib.repr(returned)}, of shape {found.shape}, for {c} commands; return ({c},)"
            return self._failed(WRONG_SHAPE, told)
        own[:] = kept
        _array(command, c)[:] = found
        return DONE


def _array(pointer: Any, size: int) -> np.ndarray:
    return np.ctypeslib.as_array(pointer, (size,)) if size else np.zeros(0)


def _compiled(controller: Controller) -> Any:
    """law(t, measured, state) -> commands, as a C function; raises ModelError where numba cannot make one."""
    from numba import carray, cfunc, types
    from numba.core.errors import NumbaError

    law: Any = controller.law
    pointer = types.CPointer(types.float64)
    signature = types.int64(types.float64, pointer, types.int64, pointer, types.int64, pointer, types.int64)

    def called(t: float, measured: Any, m: int, state: Any, s: int, command: Any, c: int) -> int:
        found = law(t, carray(measured, (m,)), carray(state, (s,)))
        if found.size != c:
            return WRONG_SHAPE
        for k in range(c):
            command[k] = found[k]
        return DONE

    try:
        return cfunc(signature)(called)
    except NumbaError as error:
        why = "; ".join([line.strip() for line in str(error).splitlines() if line.strip()][:2])
        told = f"numba cannot call it as law(t, measured, state) that returns an array of numbers: {why}"
        raise ModelError([Problem(("controllers", controller.name, "law"), told)]) from error


def failure_of(given: Given, laws: Sequence[Law], memory: np.ndarray) -> str:
    """What a controller did wrong, in words; nothing where none did."""
    if not memory[FAILED]:
        return ""
    law = laws[int(memory[FAILED]) - 1]
    controller, reason = law.controller, int(memory[REASON])
    told = f'the controller "{controller.name}"'
    command = controller.commands[int(memory[WHICH])]
    if reason == NOT_FINITE:
        return f'{told} commands a number that is not finite for "{command}"; look at its law and what it measures'
    if reason == BELOW:
        drive = next(drive for drive in given.drives if drive.name == command.removeprefix("drive:"))
        least = QUANTITIES[drive.quantity].least
        what = f'the {drive.quantity} of "{drive.member}"'
        return f"{told} drives {what} to {least}, which it can never be; limit it (lowest)"
    if law.failure:
        return f"{told} {law.failure}"
    if reason == RAISED:
        return f"{told} raised an exception at t = {memory[WHEN]:.6g} s, which numba has printed"
    return f"{told} returns another number of commands than the {len(controller.commands)} it has"
