"""Templates by which two kernels of one kind become one, and what follows for a kind that leaves something out.

`first` and `second` stand for the two; `taut.numerics.compiled.folded` puts kernels in their places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from taut.mechanics import parts
from taut.mechanics.kinds import EventSource, Term
from taut.mechanics.operations.event_table import AS_GIVEN, FOLLOWED
from taut.mechanics.tables import work_in
from taut.numerics.compiled import again, inlined
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted


def first(*given: Any) -> Any:
    """Stands for one of two kernels in a template, `second` for the other."""
    raise NotImplementedError


def second(*given: Any) -> Any:
    raise NotImplementedError


def before(p: Pack) -> int:
    """Stands for how many events there are of the first source."""
    raise NotImplementedError


# --- templates of two


def forces(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    power = first(p, t, y, out)
    return power + second(p, t, y, out)


def powers(p: Pack, t: float, y: np.ndarray) -> float:
    return first(p, t, y) + second(p, t, y)


def conservative(p: Pack, y: np.ndarray, out: np.ndarray) -> tuple[float, float, float]:
    a, b, c = first(p, y, out)
    d, e, f = second(p, y, out)
    return a + d, b + e, c + f


def potentials(p: Pack, y: np.ndarray) -> tuple[float, float, float]:
    a, b, c = first(p, y)
    d, e, f = second(p, y)
    return a + d, b + e, c + f


def stiffnesses(
    p: Pack, t: float, y: np.ndarray, k: float, c: float, pushing: float, exact: float, out: np.ndarray
) -> int:
    filled = first(p, t, y, k, c, pushing, exact, out)
    return filled + second(p, t, y, k, c, pushing, exact, shifted(out, filled))


def secant_forces(p: Pack, t: float, h: float, start: np.ndarray, end: np.ndarray, out: np.ndarray) -> float:
    work = first(p, t, h, start, end, out)
    return work + second(p, t, h, start, end, out)


def secant_stiffnesses(
    p: Pack,
    t: float,
    h: float,
    start: np.ndarray,
    end: np.ndarray,
    middle: np.ndarray,
    k: float,
    c: float,
    pushing: float,
    out: np.ndarray,
) -> int:
    filled = first(p, t, h, start, end, middle, k, c, pushing, out)
    return filled + second(p, t, h, start, end, middle, k, c, pushing, shifted(out, filled))


def done(p: Pack) -> None:
    first(p)
    second(p)


def shown(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> int:
    filled = first(p, t, y, out)
    return filled + second(p, t, y, shifted(out, filled))


def imposed(p: Pack, t: float, y: np.ndarray) -> None:
    first(p, t, y)
    second(p, t, y)


def residuals(p: Pack, y: np.ndarray, residual: np.ndarray, rate: np.ndarray) -> int:
    count = first(p, y, residual, rate)
    return count + second(p, y, shifted(residual, count), shifted(rate, count))


def values(p: Pack, y: np.ndarray, value: np.ndarray) -> int:
    count = first(p, y, value)
    return count + second(p, y, shifted(value, count))


def biases(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> int:
    count = first(p, t, y, out)
    return count + second(p, t, y, shifted(out, count))


def jacobian_rates(p: Pack, y: np.ndarray, direction: np.ndarray, out: np.ndarray) -> int:
    count = first(p, y, direction, out)
    return count + second(p, y, direction, shifted(out, count))


def row_stiffnesses(
    p: Pack, y: np.ndarray, multiplier: np.ndarray, k: float, pushing: float, brace: np.ndarray, out: np.ndarray
) -> tuple[int, int]:
    rows, filled = first(p, y, multiplier, k, pushing, brace, out)
    others, more = second(p, y, shifted(multiplier, rows), k, pushing, shifted(brace, rows), shifted(out, filled))
    return rows + others, filled + more


def kinetics(p: Pack, y: np.ndarray) -> float:
    return first(p, y) + second(p, y)


def turning(p: Pack, y: np.ndarray, cx: float, cy: float, cz: float) -> tuple[float, float, float, float, float, float]:
    xx, yy, zz, xy, yz, zx = first(p, y, cx, cy, cz)
    a, b, c, d, e, f = second(p, y, cx, cy, cz)
    return xx + a, yy + b, zz + c, xy + d, yz + e, zx + f


# --- what a kind leaves out


def _force(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    first(p, y, out)
    return 0.0


def _potential(p: Pack, y: np.ndarray) -> tuple[float, float, float]:
    return first(p, y, work_in(p).balance)


def _middle_stiffness(
    p: Pack,
    t: float,
    h: float,
    start: np.ndarray,
    end: np.ndarray,
    middle: np.ndarray,
    k: float,
    c: float,
    pushing: float,
    out: np.ndarray,
) -> int:
    return first(p, t, middle, k, c, pushing, 0.0, out)


def _toggle(p: Pack, e: int, state: int, chatters: bool, y: np.ndarray) -> tuple[int, int, int]:
    new = AS_GIVEN if chatters else 1 - state
    first(p, e, new)
    return new, 1, FOLLOWED


@inlined
def _never_clear(p: Pack, e: int, state: int, y: np.ndarray, h: float) -> bool:
    return False


@inlined
def _keep_nothing(p: Pack) -> None:
    """Laws that `put` can write without having kept anything."""


def _made(template: Callable[..., Any], kernel: Any) -> Any:
    return again(inlined, template, {"first": kernel})


def completed(term: Term) -> Term:
    """The term with what it leaves out and what follows from the rest."""
    if term.conservative_force is not None:
        term = term._replace(
            force=term.force or _made(_force, term.conservative_force),
            potential=term.potential or _made(_potential, term.conservative_force),
        )
    if term.stiffness is not None and term.secant_stiffness is None:
        term = term._replace(secant_stiffness=_made(_middle_stiffness, term.stiffness))
    return term


def completed_source(source: EventSource) -> EventSource:
    """The source with what it leaves out."""
    return source._replace(
        happen=source.happen or _made(_toggle, source.put),
        clear=source.clear or _never_clear,
        keep=source.keep or _keep_nothing,
    )


# --- events: by their number, source after source


def counts(p: Pack) -> int:
    return first(p) + second(p)


def _margin(p: Pack, e: int, state: int, y: np.ndarray) -> tuple[float, float, int]:
    own = before(p)
    return first(p, e, state, y) if e < own else second(p, e - own, state, y)


def _clear(p: Pack, e: int, state: int, y: np.ndarray, h: float) -> bool:
    own = before(p)
    return first(p, e, state, y, h) if e < own else second(p, e - own, state, y, h)


def _happen(p: Pack, e: int, state: int, chatters: bool, y: np.ndarray) -> tuple[int, int, int]:
    own = before(p)
    return first(p, e, state, chatters, y) if e < own else second(p, e - own, state, chatters, y)


def _put(p: Pack, e: int, state: int) -> None:
    own = before(p)
    if e < own:
        first(p, e, state)
    else:
        second(p, e - own, state)


def _begin(p: Pack, e: int, y: np.ndarray) -> int:
    own = before(p)
    return first(p, e, y) if e < own else second(p, e - own, y)


EVENT_TEMPLATES: Mapping[str, tuple[Any, Callable[..., Any]]] = {
    "margin": (parts.event_margin, _margin),
    "clear": (parts.event_clear, _clear),
    "happen": (parts.event_happen, _happen),
    "put": (parts.event_put, _put),
    "begin": (parts.event_begin, _begin),
}
