"""Nodes as a function of coordinates that someone has written (`taut.structure.coordinates.CoordinateMap`).

The function is called by its address, be it a Python function or compiled by numba, so that no time loop is compiled
again for another function. One call gives positions, velocities and b(v, v), another the columns of dx/dq. First
derivatives are complex steps, exact to round-off. b = d/ds (dx/dq (q + s v) v) is a difference of eighth order of
those. How far each coordinate goes for it is found at the start (`operations/map_checks.py`): a hundredth of the way
on which nodes move by a typical length, or less where they bend sooner, whatever its unit. That leaves b 1e-13 of its
size.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from taut.errors import ModelError, Problem, listed
from taut.mechanics.points.generalised_tables import WAY, generalised_in
from taut.mechanics.tables import coordinate_count, part_of, slot
from taut.numerics.code_stamps import is_kernel
from taut.numerics.compiled import inlined, kernel
from taut.numerics.differences import WEIGHTS
from taut.numerics.packing import Integers, Pack, Reals, counter, reader, reals_of
from taut.numerics.pointers import call_at, shifted
from taut.structure.coordinates import CoordinateMap
from taut.structure.structure import Structure

KIND = "mapped"
DONE, RAISED, WRONG_SHAPE = 0, 1, 2
PLACES, COLUMNS = 0.0, 1.0
"""What a call is to give."""
TINY = 1e-100


class Mapped(NamedTuple):
    """k coordinates of nodes that the function of m - f coordinates places, f coordinates of nodes of their own."""

    address: Integers  # (1,) of the function
    placed: Integers  # (k,)
    own: Integers  # (f,)
    rest: Reals  # (n,) where nodes are that nothing moves [m]
    now: Reals  # (2 (m - f) + 1,) coordinates, their rates, and the way on which b is found [s]
    out: Reals  # (max(3, m - f) k,)
    lost: Reals  # (1 + m - f,) how often the function gave what is not finite, and at which coordinates it did last


mapped_in = reader(Mapped, slot(KIND))
ADDRESS, LOST = (part_of(KIND, Mapped, name) for name in ("address", "lost"))
_placed = counter(part_of(KIND, Mapped, "placed"))
_own = counter(part_of(KIND, Mapped, "own"))
_now = counter(part_of(KIND, Mapped, "now"))


def tabulate(structure: Structure, given: CoordinateMap) -> Mapped:
    nodes, placed, held = list(structure.nodes), given.placed(structure), structure.supports
    places = [3 * nodes.index(node) + axis for node in placed for axis in range(3)]
    own = [
        3 * i + axis
        for i, node in enumerate(nodes)
        if node not in placed
        for axis in range(3)
        if "xyz"[axis] not in held.get(node, "")
    ]
    count = len(given.names)
    return Mapped(
        address=np.zeros(1, dtype=np.int64),
        placed=np.array(places, dtype=np.int64),
        own=np.array(own, dtype=np.int64),
        rest=structure.positions.ravel().copy(),
        now=np.zeros(2 * count + 1),
        out=np.zeros(max(3, count) * len(places)),
        lost=np.zeros(1 + count),
    )


@inlined
def _function_count(p: Pack) -> int:
    return (_now(p) - 1) // 2


@inlined
def generalised_count(p: Pack) -> int:
    """All coordinates: of the function, then of nodes that it does not place."""
    return _function_count(p) + _own(p)


@kernel
def _call(p: Pack, what: float) -> int:
    given, m = mapped_in(p), _function_count(p)
    size = _placed(p) * (3 if what == PLACES else m)
    done, sound, begun = call_at(given.address[0], what, given.now, m, given.rest, 0, given.out, size), 0.0, 0.0
    for i in range(size):
        if done != DONE:
            given.out[i] = np.nan
        sound += 0.0 * given.out[i]
    for i in range(m):
        begun += 0.0 * given.now[i]
    if done == DONE and begun == 0.0 and sound != 0.0:
        given.lost[0] += 1.0
        for i in range(m):
            given.lost[1 + i] = given.now[i]
    return done


@kernel
def place(p: Pack, q: np.ndarray, v: np.ndarray, x: np.ndarray, speed: np.ndarray, bias: np.ndarray) -> None:
    """As `taut.mechanics.points.joints.place`."""
    given, n, m, k = mapped_in(p), coordinate_count(p), _function_count(p), _placed(p)
    step, fastest = generalised_in(p).step, 0.0
    for i in range(m):
        given.now[i], given.now[m + i] = q[i], v[i]
        fastest = max(fastest, abs(v[i]) / step[i])
    given.now[2 * m] = 1.0 / fastest if fastest > 0.0 else 0.0
    _call(p, PLACES)
    for i in range(n):
        x[i], speed[i], bias[i] = given.rest[i], 0.0, 0.0
    for i in range(_own(p)):
        x[given.own[i]], speed[given.own[i]] = q[m + i], v[m + i]
    for i in range(k):
        at = given.placed[i]
        x[at], speed[at], bias[at] = given.out[i], given.out[k + i], given.out[2 * k + i]


@kernel
def columns(p: Pack, x: np.ndarray, out: np.ndarray) -> None:
    """As `taut.mechanics.points.joints.columns`: at the coordinates of the last `place`."""
    given, n, m, k = mapped_in(p), coordinate_count(p), _function_count(p), _placed(p)
    for i in range(_own(p)):
        out[(m + i) * n + given.own[i]] = 1.0
    _call(p, COLUMNS)
    for j in range(m):
        column, found = shifted(out, j * n), shifted(given.out, j * k)
        for i in range(k):
            column[given.placed[i]] = found[i]


def _evaluator(function: Callable[[np.ndarray], Any]) -> Callable[..., int]:
    """What a call does, written so that numba can compile it too."""

    def evaluate(what: float, now: Any, m: int, out: Any, size: int) -> int:
        z = np.empty(m, dtype=np.complex128)
        if what == COLUMNS:
            count = size // m
            for j in range(m):
                for i in range(m):
                    z[i] = complex(now[i], TINY if i == j else 0.0)
                found = function(z)
                if found.size != count:
                    return WRONG_SHAPE
                flat = found.reshape(-1)
                for i in range(count):
                    out[j * count + i] = flat[i].imag / TINY
            return DONE
        count, way = size // 3, now[2 * m]
        for i in range(2 * count, size):
            out[i] = 0.0
        for step in range(9):
            k = step - 4
            if k != 0 and way == 0.0:
                continue
            for i in range(m):
                z[i] = complex(now[i] + k * way * now[m + i], TINY * now[m + i])
            found = function(z)
            if found.size != count:
                return WRONG_SHAPE
            flat = found.reshape(-1)
            for i in range(count):
                rate = flat[i].imag / TINY
                if k == 0:
                    out[i], out[count + i] = flat[i].real, rate
                else:
                    weight = WEIGHTS[abs(k) - 1] / way
                    out[2 * count + i] += weight * rate if k > 0 else -weight * rate
        return DONE

    return evaluate


_POINTER = ctypes.POINTER(ctypes.c_double)
_FUNCTION = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_double, _POINTER, ctypes.c_int64, _POINTER, ctypes.c_int64, _POINTER, ctypes.c_int64
)


class MapFunction:
    """A map's function as a C function; lives as long as the plant that calls it."""

    def __init__(self, given: CoordinateMap, nodes: Sequence[str]) -> None:
        self.given, self.nodes = given, tuple(nodes)
        self._failures: dict[int, str] = {}
        self._stops: dict[int, BaseException] = {}
        if is_kernel(given.function):
            self._function = _compiled(given)
            self.address = int(self._function.address)
        else:
            self._evaluate = _evaluator(self._found)
            self._function = _FUNCTION(self._called)
            self.address = ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def __reduce__(self) -> Any:
        return MapFunction, (self.given, self.nodes)

    @property
    def failure(self) -> str:
        """What went wrong first in this thread."""
        return self._failures.get(threading.get_ident(), "")

    def forget(self) -> None:
        """A run begins: whatever went wrong before."""
        self._failures.pop(threading.get_ident(), None)

    def stop(self) -> None:
        """Raise what was to stop everything and not this run alone, such as Ctrl-C."""
        stop = self._stops.pop(threading.get_ident(), None)
        if stop is not None:
            raise stop

    def _found(self, q: np.ndarray) -> np.ndarray:
        return np.asarray(self.given.function(q.copy()), dtype=complex)

    def _called(self, what: float, now: Any, m: int, rest: Any, none: int, out: Any, size: int) -> int:
        """Never raises, since nothing can pass through compiled code: what the function does wrong is kept."""
        given = np.ctypeslib.as_array(now, (2 * m + 1,))
        if not np.isfinite(given).all():
            return RAISED  # something went wrong before
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # steps that are tried may lead anywhere
                done = self._evaluate(what, given, m, np.ctypeslib.as_array(out, (size,)), size)
        except Exception as error:
            self._failures.setdefault(threading.get_ident(), f"raised {type(error).__name__}: {error}")
            return RAISED
        except BaseException as stop:
            self._stops[threading.get_ident()] = stop
            return RAISED
        if done == WRONG_SHAPE:
            told = f"returned another number of places than its {len(self.nodes)} nodes have"
            self._failures.setdefault(threading.get_ident(), told)
        return done


def lost_at(tables: Pack, names: Sequence[str]) -> str:
    """The coordinates about which a function gave what is not finite last; nothing where it never did."""
    count, *at = reals_of(tables, LOST)
    told = listed([f"{name} = {value:.6g}" for name, value in zip(names, at, strict=False)], most=6)
    return f"{told}, or where it moves from there by {4.0 * WAY:.0%} of a typical length" if count else ""


def _compiled(given: CoordinateMap) -> Any:
    """The function as a C function; raises ModelError where numba cannot make one."""
    from numba import carray, cfunc, njit, types
    from numba.core.errors import NumbaError

    pointer, evaluate = types.CPointer(types.float64), njit(_evaluator(given.function))
    signature = types.int64(types.float64, pointer, types.int64, pointer, types.int64, pointer, types.int64)

    def called(what: float, now: Any, m: int, rest: Any, none: int, out: Any, size: int) -> int:
        return evaluate(what, carray(now, (2 * m + 1,)), m, carray(out, (size,)), size)

    try:
        return cfunc(signature)(called)
    except NumbaError as error:
        why = "; ".join([line.strip() for line in str(error).splitlines() if line.strip()][:2])
        told = f"numba cannot call it as function(q) of complex numbers that returns an array (n, 3): {why}"
        raise ModelError([Problem(("map", "function"), told)]) from error
