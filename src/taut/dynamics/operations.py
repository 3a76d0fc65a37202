"""The operations: all that steppers, corrections and the time loop ask of a plant.

Algorithms import these names and call them as plain functions. Before a run they are bound to the plant's own functions
(`taut.numerics.compiled.bound`): kernels for a nodal plant, and then the algorithm is compiled too, or Python functions
for any other plant, and then the very same code runs as it is. `plant` is whatever tables those functions want;
y = [positions, velocities, work]. Other vectors may be longer than what they are for, with zeros at the end.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from taut.dynamics import conserving_operations, contact_operations
from taut.dynamics.conserving_operations import UNASKED
from taut.dynamics.contact_operations import CONTACT_UNASKED
from taut.numerics.called import Called, Matrix, addresses_of, calling, handed_on
from taut.numerics.code_stamps import callees, is_kernel
from taut.numerics.compiled import again, bound, entry, inlined, kernel, woven
from taut.numerics.pointers import row_of


def rate(plant: Any, t: float, y: np.ndarray, out: np.ndarray) -> None:
    """out = dy/dt."""
    raise NotImplementedError


def forces(plant: Any, t: float, y: np.ndarray, out: np.ndarray) -> float:
    """out = all forces but those of constraints; returns the power of loads and dampers."""
    raise NotImplementedError


def power(plant: Any, t: float, y: np.ndarray) -> float:
    """Power of the loads at the velocities of y."""
    raise NotImplementedError


def drive_power(plant: Any, t: float, y: np.ndarray) -> float:
    """Power of what is imposed, where things stand at this time."""
    raise NotImplementedError


def independence(plant: Any) -> float:
    """How independent the constraints were at worst since the last call: 1 fully, 0 not at all."""
    raise NotImplementedError


def enter_piece(plant: Any, inside: float) -> None:
    """A smooth piece of the signals begins; `inside` is a time inside it."""
    raise NotImplementedError


def error_size(plant: Any, y: np.ndarray, trial: np.ndarray, error: np.ndarray, tolerance: float, h: float) -> float:
    """Size of an error estimate as a fraction of what the tolerance allows, and round-off in a step of h."""
    raise NotImplementedError


def residuals(plant: Any, y: np.ndarray, residual: np.ndarray, residual_rate: np.ndarray) -> tuple[float, float]:
    """Fill the residuals of the constraints and their rates; returns the worst of each without dimension."""
    raise NotImplementedError


def prepare_projection(plant: Any, y: np.ndarray) -> int:
    """Make `project` ready at these positions; negative if that fails."""
    raise NotImplementedError


def project(plant: Any, covector: np.ndarray, rates: np.ndarray, direction: np.ndarray) -> None:
    """direction = W^-1 (covector - G^T l) with G direction = rates."""
    raise NotImplementedError


def jacobian_rate(plant: Any, y: np.ndarray, direction: np.ndarray, rates: np.ndarray) -> None:
    """rates = d(G v)/dq . direction."""
    raise NotImplementedError


def energy(plant: Any, y: np.ndarray) -> tuple[float, float]:
    """Total energy, and the size of its terms."""
    raise NotImplementedError


def energy_gradient(plant: Any, y: np.ndarray, along_q: np.ndarray, along_v: np.ndarray) -> tuple[float, float]:
    """Fill dE/dq and dE/dv; returns what `energy` does."""
    raise NotImplementedError


def keep_momentum(plant: Any, y: np.ndarray, shift: np.ndarray, swing: np.ndarray) -> None:
    """Turn a change of velocities so that, with the change of positions, it leaves alone a momentum the plant keeps."""
    raise NotImplementedError


def crossing(
    plant: Any, t: float, h: float, y: np.ndarray, trial: np.ndarray, skipped: int
) -> tuple[int, float, float]:
    """The first event in a step of h: its number (-1 for none), about which fraction of the step it happens at, and a
    later fraction at which it is overdue."""
    raise NotImplementedError


def margin(plant: Any, t: float, event: int, y: np.ndarray) -> tuple[float, float]:
    """How far an event is from happening, in units of round-off, negative when it is overdue; and its rate, zero where
    that is not known."""
    raise NotImplementedError


def due(plant: Any, t: float) -> int:
    """The number of an event that was to happen at this time and has not yet; -1 if there is none."""
    raise NotImplementedError


def overdue(plant: Any, t: float, y: np.ndarray, after: int, acts: int) -> int:
    """The next watched event after that of this number that is overdue, as one that acts (1: it stops the run or cuts
    members) or is only recorded (0); -1 if there is none."""
    raise NotImplementedError


def switch(plant: Any, event: int, t: float, y: np.ndarray, log: Matrix, filled: int) -> tuple[int, int]:
    """Let an event happen and log it; returns what is left to do (0 nothing, 1 stop, 2 cut), and how much of the log
    is filled."""
    raise NotImplementedError


def impose(plant: Any, t: float, y: np.ndarray) -> None:
    """Put into the state at the end of a step, and into the plant, what time alone decides.

    This is what it means for plants without anything imposed.
    """


def imposes(plant: Any) -> bool:
    """Whether forces or loads hang on what `impose` does in a step; this is what it means where it winds cables only,
    or nothing is imposed."""
    return False


def pass_break(plant: Any, t: float, inside: float, y: np.ndarray, log: Matrix, filled: int) -> int:
    """Enter the smooth piece that begins at t, with `inside` in it; returns how much of the log of events is filled.

    What jumps there does work at once, and may let things happen. The plant stands at y (`impose`).
    """
    raise NotImplementedError


def decide(plant: Any, t: float, y: np.ndarray) -> float:
    """Let the controllers decide that are due, for the next break to let in; returns when the next is due.

    Negative where one failed. The plant stands at y (`impose`). This is what it means for plants without controllers.
    """
    return math.inf


@kernel
def _decide_nothing(plant: Any, t: float, y: np.ndarray) -> float:
    """The same in kernels."""
    return math.inf


@woven
def _impose_nothing(plant: Any, t: float, y: np.ndarray) -> None:
    """The same in kernels."""


@woven
def _imposes_nothing(plant: Any) -> bool:
    """The same in kernels."""
    return False


def layout(plant: Any) -> Any:
    """Where things stand in a state: a `taut.mechanics.tables.Layout`."""
    raise NotImplementedError


def factor_newton(plant: Any, t: float, y: np.ndarray, base: np.ndarray, s: float) -> int:
    """Make `solve_newton` ready at this state of a stage with v0 from `base`, s [s] being the step times the diagonal;
    negative if that fails.

    This and the next five are asked of plants that take implicit steps only.
    """
    raise NotImplementedError


def newton_residual(plant: Any, t: float, y: np.ndarray, base: np.ndarray, s: float, out: np.ndarray) -> float:
    """out = s^2 (forces and those of constraints) - s M (v - v0), with v0 from `base`; returns the rate of work."""
    raise NotImplementedError


def solve_newton(plant: Any, covector: np.ndarray, rates: np.ndarray, direction: np.ndarray, gain: float) -> None:
    """direction = (M + s C + s^2 K)^-1 (covector + G^T l) with G direction = rates; multipliers += gain * l."""
    raise NotImplementedError


def finish_states(plant: Any, s: float, y: np.ndarray, rates: np.ndarray) -> None:
    """Bring states of terms to the end of a stage, by the rates that the last `newton_residual` found; fill these."""
    raise NotImplementedError


def keep_multipliers(plant: Any) -> None:
    """Keep the multipliers that the last `rate` found."""
    raise NotImplementedError


def recall_multipliers(plant: Any) -> None:
    """Go back to the multipliers kept."""
    raise NotImplementedError


def row(matrix: np.ndarray, number: int) -> np.ndarray:
    """A row of a matrix; not the plant's, but bound like an operation because kernels have a cheaper way to it."""
    return np.asarray(matrix[number])


_UNASKED: Mapping[Callable[..., Any], Callable[..., Any]] = {
    impose: _impose_nothing,
    imposes: _imposes_nothing,
    decide: _decide_nothing,
    **CONTACT_UNASKED,
    **UNASKED,
}
"""What plants do not have to have: functions that do nothing, and the same as kernels."""


def spoken(
    algorithm: Iterable[Callable[..., Any]], operations: Mapping[str, Callable[..., Any]]
) -> dict[str, Callable[..., Any]]:
    """An algorithm's functions, each of which may call those before it, bound to a plant's operations."""
    words = {**{function.__name__: function for function in _UNASKED}, **operations}
    for function in algorithm:
        words[function.__name__] = bound(function, words)
    return words


SMALL = (
    *("accelerate", "book_contacts", "keep_rates", "leave_forces", "note_contacts", "resume_contacts"),
    *("power", "prepare_projection"),
)
"""Those that do so little in a step with impulses that the call would take as long."""


LINKED = ("layout", "row")
"""Operations that are no calls: what they return has no type that every plant's has."""

ASKED: Mapping[str, Callable[..., Any]] = {
    name: function
    for module in (globals(), vars(contact_operations), vars(conserving_operations))
    for name, function in module.items()
    if isinstance(function, FunctionType) and next(iter(inspect.signature(function).parameters), "") == "plant"
    if name not in LINKED and not name.startswith("_")
}
"""All that an algorithm may ask of a plant, by name; its place is its number where it is called by its address."""


def asked_by(algorithm: Iterable[Callable[..., Any]], *, strikes: bool) -> dict[str, int]:
    """The operations that an algorithm calls by their addresses, and their numbers.

    strikes: whether steps strike grounds; where not, what contacts would do is nothing, and not called.
    """
    mentioned = {name for function in algorithm for name in callees(function)}
    mentioned -= set() if strikes else {plain.__name__ for plain in (*CONTACT_UNASKED, *UNASKED)}
    return {name: k for k, name in enumerate(ASKED) if name in mentioned}


def called(asked: Mapping[str, int]) -> dict[str, Any]:
    """In the place of a plant's operations: calls of what stands at their addresses, the same for all plants."""
    return {name: calling(ASKED[name], k) for name, k in asked.items()}


def addresses_for(asked: Mapping[str, int], operations: Mapping[str, Any]) -> np.ndarray:
    """Where operations of a plant stand; those that it does not have to have do nothing."""
    own = {**_entries_of_nothing(), **operations}
    return addresses_of(((k, ASKED[name], own[name]) for name, k in asked.items()), len(ASKED))


def by_address(asked: Mapping[str, int], addresses: np.ndarray) -> dict[str, Any]:
    """Operations of a plant for Python, which calls what stands at their addresses, too."""

    def one(name: str, number: int) -> Any:
        call = handed_on(ASKED[name], number)
        return lambda plant, *given: call(Called(plant.integers, plant.reals, addresses), *given)

    return {name: one(name, number) for name, number in asked.items()}


@cache
def _entries_of_nothing() -> dict[str, Any]:
    return {plain.__name__: again(entry, nothing, {}) for plain, nothing in _UNASKED.items()}


def compiled(
    algorithm: Iterable[Callable[..., Any]],
    operations: Mapping[str, Callable[..., Any]],
    entries: Iterable[str],
    shared: Iterable[str],
) -> dict[str, Callable[..., Any]]:
    """The same for kernels: the functions that Python calls, and those of several callers, are compiled.

    All others are woven into their callers.
    """
    words = {
        **{plain.__name__: kernel for plain, kernel in _UNASKED.items()},
        **operations,
        **_small(operations),
        "row": row_of,
    }
    for function in algorithm:
        name = function.__name__
        decorator = entry if name in entries else kernel if name in shared else woven
        words[name] = _once(decorator, function, tuple((n, words[n]) for n in callees(function) if n in words))
    return words


@cache
def _once(decorator: Callable[..., Any], function: Callable[..., Any], words: tuple[tuple[str, Any], ...]) -> Any:
    """A function compiled with some words: once, whichever loop it is a part of."""
    return again(decorator, function, dict(words))


def _small(operations: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    linked = "strike" in operations and is_kernel(operations["strike"])
    return {name: again(inlined, operations[name], {}) for name in SMALL} if linked else {}
