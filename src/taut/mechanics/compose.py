"""From a Spec to the operations of a plant: its own kernels in the places that `taut.mechanics.parts` names.

Kernels of one kind are folded into one (`first` and `second` below stand for two of them), and whatever reaches a part
is made again with it. Nothing that a plant does not have is compiled for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from taut.mechanics import parts
from taut.mechanics.inertia import cylinders, thin
from taut.mechanics.kinds import EventSource, Term
from taut.mechanics.operations import (
    derivatives,
    energy,
    events,
    momentum,
    motion,
    newton_matrix,
    outputs,
    projection,
    redundancy,
)
from taut.mechanics.operations.event_table import AS_GIVEN, FOLLOWED
from taut.mechanics.spec import Spec, imposed_of, rows_of, terms_of
from taut.mechanics.systems import minres, pairs, saddle
from taut.mechanics.tables import work_in
from taut.numerics.compiled import Rebinding, again, folded, inlined
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


def _forces(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    power = first(p, t, y, out)
    return power + second(p, t, y, out)


def _powers(p: Pack, t: float, y: np.ndarray) -> float:
    return first(p, t, y) + second(p, t, y)


def _conservative(p: Pack, y: np.ndarray, out: np.ndarray) -> tuple[float, float, float]:
    a, b, c = first(p, y, out)
    d, e, f = second(p, y, out)
    return a + d, b + e, c + f


def _potentials(p: Pack, y: np.ndarray) -> tuple[float, float, float]:
    a, b, c = first(p, y)
    d, e, f = second(p, y)
    return a + d, b + e, c + f


def _stiffnesses(
    p: Pack, t: float, y: np.ndarray, k: float, c: float, pushing: float, exact: float, out: np.ndarray
) -> int:
    filled = first(p, t, y, k, c, pushing, exact, out)
    return filled + second(p, t, y, k, c, pushing, exact, shifted(out, filled))


def _done(p: Pack) -> None:
    first(p)
    second(p)


def _shown(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> int:
    filled = first(p, t, y, out)
    return filled + second(p, t, y, shifted(out, filled))


def _imposed(p: Pack, t: float, y: np.ndarray) -> None:
    first(p, t, y)
    second(p, t, y)


def _residuals(p: Pack, y: np.ndarray, residual: np.ndarray, rate: np.ndarray) -> int:
    count = first(p, y, residual, rate)
    return count + second(p, y, shifted(residual, count), shifted(rate, count))


def _values(p: Pack, y: np.ndarray, value: np.ndarray) -> int:
    count = first(p, y, value)
    return count + second(p, y, shifted(value, count))


def _biases(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> int:
    count = first(p, t, y, out)
    return count + second(p, t, y, shifted(out, count))


def _jacobian_rates(p: Pack, y: np.ndarray, direction: np.ndarray, out: np.ndarray) -> int:
    count = first(p, y, direction, out)
    return count + second(p, y, direction, shifted(out, count))


def _row_stiffnesses(
    p: Pack, y: np.ndarray, multiplier: np.ndarray, k: float, pushing: float, brace: np.ndarray, out: np.ndarray
) -> tuple[int, int]:
    rows, filled = first(p, y, multiplier, k, pushing, brace, out)
    others, more = second(p, y, shifted(multiplier, rows), k, pushing, shifted(brace, rows), shifted(out, filled))
    return rows + others, filled + more


def _kinetics(p: Pack, y: np.ndarray) -> float:
    return first(p, y) + second(p, y)


def _turning(
    p: Pack, y: np.ndarray, cx: float, cy: float, cz: float
) -> tuple[float, float, float, float, float, float]:
    xx, yy, zz, xy, yz, zx = first(p, y, cx, cy, cz)
    a, b, c, d, e, f = second(p, y, cx, cy, cz)
    return xx + a, yy + b, zz + c, xy + d, yz + e, zx + f


# --- what a kind leaves out


def _force(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    first(p, y, out)
    return 0.0


def _potential(p: Pack, y: np.ndarray) -> tuple[float, float, float]:
    return first(p, y, work_in(p).balance)


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


def _completed(term: Term) -> Term:
    """The term with what it leaves out and what follows from the rest."""
    if term.conservative_force is not None:
        term = term._replace(
            force=term.force or _made(_force, term.conservative_force),
            potential=term.potential or _made(_potential, term.conservative_force),
        )
    if term.events is None:
        return term
    return term._replace(
        events=term.events._replace(
            happen=term.events.happen or _made(_toggle, term.events.put),
            clear=term.events.clear or _never_clear,
            keep=term.events.keep or _keep_nothing,
        )
    )


# --- events: by their number, source after source


def _count(p: Pack) -> int:
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

SYSTEMS = {"pairs": pairs, "saddle": saddle, "minres": minres}


class Composition(NamedTuple):
    """The operations of all plants of one Spec, by the names of `taut.dynamics.operations`."""

    spec: Spec
    motion: Mapping[str, Any]
    newton: Mapping[str, Any]
    tools: Mapping[str, Any]


@cache
def composed(spec: Spec) -> Composition:
    """Each operation bound to the plant's own parts; compiled when it is first called."""
    made = Rebinding(_parts(spec))
    return Composition(spec, _bound(made, MOTION), _bound(made, NEWTON), _bound(made, TOOLS))


def _bound(made: Rebinding, operations: Mapping[str, Any]) -> dict[str, Any]:
    return {name: made(operation) for name, operation in operations.items()}


def _parts(spec: Spec) -> dict[Any, Any]:
    """What stands in the place of each part."""
    terms = [_completed(term) for term in terms_of(spec)]
    rows, imposed, system = rows_of(spec), imposed_of(spec), SYSTEMS[spec.system]
    found: dict[Any, Any] = {
        parts.prepare_system: system.prepare,
        parts.solve_system: system.solve,
        parts.solve_motion: system.solve_motion,
        parts.carry: thin.carry,
        parts.kinetic: thin.kinetic,
        parts.turning_masses: thin.turning_masses,
    }
    if spec.system == "saddle":
        found[parts.weakest_pivot] = saddle.weakest_pivot
    if spec.inertia == "cylinders":
        found |= {
            parts.carry: cylinders.carry,
            parts.kinetic: folded(_kinetics, (thin.kinetic, cylinders.kinetic)),
            parts.turning_masses: folded(_turning, (thin.turning_masses, cylinders.turning_masses)),
            parts.add_velocity_force: cylinders.add_velocity_force,
            parts.add_kinetic_gradient: cylinders.add_kinetic_gradient,
            parts.carry_change: cylinders.carry_change,
            parts.fill_inertia: cylinders.fill,
            parts.inertia_blocks: cylinders.blocks,
        }
    if any(kind.accelerates for kind in imposed):
        found |= {
            parts.right_side: motion.right_side_of_known,
            parts.give_known: motion.give_what_is_known,
            parts.moved_power: motion.power_of_moved,
        }
    for part, template, kernels in (
        (parts.applied_force, _forces, [term.force for term in terms]),
        # In the other order, so that a sum of forces and weight is rounded as it always was.
        (parts.conservative_force, _conservative, [term.conservative_force for term in reversed(terms)]),
        (parts.potential, _potentials, [term.potential for term in terms]),
        (parts.load_power, _powers, [term.load_power for term in terms]),
        (parts.term_stiffness, _stiffnesses, [term.stiffness for term in terms]),
        (parts.accept_step, _done, [term.accept_step for term in terms]),
        (parts.observe_terms, _shown, [term.observe for term in terms]),
        (parts.row_residuals, _residuals, [kind.residuals for kind in rows]),
        (parts.row_values, _values, [kind.values for kind in rows]),
        (parts.row_bias, _biases, [kind.bias for kind in rows]),
        (parts.row_jacobian_rate, _jacobian_rates, [kind.jacobian_rate for kind in rows]),
        (parts.row_stiffness, _row_stiffnesses, [kind.stiffness for kind in rows]),
        (parts.impose, _imposed, [kind.impose for kind in imposed]),
        (parts.imposed_power, _powers, [kind.power for kind in imposed]),
    ):
        present = [k for k in kernels if k is not None]
        if present:
            found[part] = folded(template, present)
    return found | _events([term.events for term in terms if term.events is not None])


def _events(sources: list[EventSource]) -> dict[Any, Any]:
    """All sources of events as one, an event's number telling whose it is."""
    if not sources:
        return {}
    total, *others = sources
    for source in others:
        pair = {
            name: again(
                inlined,
                template,
                {"first": getattr(total, name), "second": getattr(source, name), "before": total.count},
            )
            for name, (_, template) in EVENT_TEMPLATES.items()
        }
        total = total._replace(
            **pair,
            count=folded(_count, (total.count, source.count)),
            keep=folded(_done, (total.keep, source.keep)),
        )
    placed = {part: getattr(total, name) for name, (part, _) in EVENT_TEMPLATES.items()}
    return {**placed, parts.event_count: total.count, parts.keep_laws: total.keep}


def _named(kernels: Iterable[Any]) -> dict[str, Any]:
    return {k.py_func.__name__: k for k in kernels}


MOTION: Mapping[str, Any] = {
    **_named(
        (
            motion.lend_plant,
            motion.layout,
            motion.rate,
            motion.forces,
            motion.power,
            motion.drive_power,
            motion.enter_piece,
            energy.error_size,
            projection.residuals,
            projection.prepare_projection,
            projection.project,
            projection.jacobian_rate,
            projection.independence,
            energy.energy,
            energy.energy_gradient,
            momentum.keep_momentum,
            events.crossing,
            events.margin,
            events.due,
            events.switch,
        )
    ),
    "impose": motion.impose_on,
}
"""What a stepper, a correction or the time loop may ask of a plant's tables."""

NEWTON: Mapping[str, Any] = _named(
    (
        newton_matrix.factor_newton,
        newton_matrix.newton_residual,
        newton_matrix.solve_newton,
        newton_matrix.keep_multipliers,
        newton_matrix.recall_multipliers,
    )
)
"""What implicit steps ask beside them."""

TOOLS: Mapping[str, Any] = _named(
    (
        outputs.observe,
        events.begin_events,
        events.freeze,
        events.release,
        events.cut,
        redundancy.fill_jacobian,
        redundancy.null_vectors,
        derivatives.stiffness_blocks,
        derivatives.row_blocks,
        derivatives.elastic_force,
        derivatives.fill_residuals,
        derivatives.momentum,
        derivatives.velocity_force,
        derivatives.bias,
    )
)
"""What a plant asks of its own tables."""
