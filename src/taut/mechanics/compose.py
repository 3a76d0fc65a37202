"""From a Spec to the operations of a plant: its own kernels in the places that `taut.mechanics.parts` names.

Kernels of one kind are folded into one (`folds.py`), and whatever reaches a part
is made again with it. Nothing that a plant does not have is compiled for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from taut.mechanics import folds, parts
from taut.mechanics.conserving import secant, secant_parts
from taut.mechanics.contact import (
    books,
    in_lanes,
    lengths,
    near_contacts,
    pressing,
    responses,
    strings,
)
from taut.mechanics.contact import parts as contact_parts
from taut.mechanics.folds import completed, completed_source
from taut.mechanics.grounds import compliances, readings
from taut.mechanics.grounds import outputs as outputs_of_contacts
from taut.mechanics.imposed import commands, controllers, drive_outputs
from taut.mechanics.inertia import cylinders, thin
from taut.mechanics.kinds import EventSource
from taut.mechanics.operations import (
    events,
    momentum,
    motion,
)
from taut.mechanics.operations.lists import (
    CONTACT,
    IN_LANES,
    MOTION,
    MOVED,
    NEWTON,
    PRESSED,
    PRESSING,
    SECANT,
    TOOLS,
    TURNING,
    named,
)
from taut.mechanics.rows import bars, driven_bars, held_lengths
from taut.mechanics.spec import Spec, imposed_of, rows_of, sources_of, steps_go_on, terms_of
from taut.mechanics.systems import minres, pairs, saddle
from taut.mechanics.terms import contacts, routes, springs, torques
from taut.mechanics.terms import states as term_states
from taut.numerics.compiled import Rebinding, again, folded, inlined

SYSTEMS = {"pairs": pairs, "saddle": saddle, "minres": minres}


class Composition(NamedTuple):
    """The operations of all plants of one Spec, by the names of `taut.dynamics.operations`."""

    motion: Mapping[str, Any]
    newton: Mapping[str, Any]
    secant: Mapping[str, Any]
    tools: Mapping[str, Any]


@cache
def composed(spec: Spec) -> Composition:
    """Each operation bound to the plant's own parts; compiled when it is first called."""
    made = Rebinding(_parts(spec))
    tools = TOOLS | {"sense": controllers.sense}
    tools |= {"fill_gaps": books.fill_gaps} if "contacts" in spec.terms else {}
    tools |= {"observe_drives": drive_outputs.observe_drives} if "drives" in spec.imposed else {}
    tools |= {"observe_contacts": outputs_of_contacts.observe_contacts} if "compliances" in spec.terms else {}
    tools |= TURNING if "torques" in spec.terms else {}
    motion = _bound(made, _motion_of(spec))
    return Composition(motion, _bound(made, NEWTON), _secant(spec, made), _bound(made, tools))


def _motion_of(spec: Spec) -> dict[str, Any]:
    """What a run asks of a plant of a Spec; not bound yet."""
    # Where nothing is imposed there is nothing to call, either; algorithms know what that means.
    imposed = {
        "impose": motion.impose_on,
        "pass_break": events.pass_imposed_break,
    }
    own = MOTION | (imposed if spec.imposed else {})
    own |= {} if steps_go_on(spec) else {"imposes": motion.imposes_something}
    own |= {"decide": controllers.decide} if "controllers" in spec.imposed else {}
    own |= CONTACT if "contacts" in spec.terms else {}
    if "contacts" in spec.terms and any(kind.accelerates for kind in imposed_of(spec)):
        own |= MOVED
    return own


def _secant(spec: Spec, made: Rebinding) -> dict[str, Any]:
    """Of steps that conserve energy: while they move, impulses do what Newton's matrix says, and at the end as ever."""
    if "contacts" not in spec.terms:
        return _bound(made, SECANT)
    moving = {
        parts.fill_response: responses.fill_whole,
        parts.push_response: responses.push_whole,
        parts.body_of: responses.body_whole,
        contact_parts.keep_velocities: lengths.keep_whole,
        contact_parts.follow_velocities: lengths.follow_whole,
        responses.respond_to: secant.respond_by_newton,
    }
    return _bound(Rebinding(_parts(spec) | moving), SECANT | PRESSING) | _bound(made, PRESSED)


@cache
def composed_in_lanes(spec: Spec) -> Mapping[str, Any]:
    """The operations that move many plants of a Spec in lanes: others than those of one where they touch grounds."""
    own, instead = _motion_of(spec), dict[Any, Any]()
    if spec.imposed:
        own["pass_break"] = events.pass_break_in_lanes
    if "compliances" in spec.terms:
        instead[compliances.depth_at] = compliances.depth_in_plane
    if "contacts" in spec.terms:
        own |= IN_LANES
        instead |= {
            near_contacts.look_if_moved: in_lanes.look_nowhere,
            contact_parts.note_mates: in_lanes.note_mates,
            contacts.gap_at: in_lanes.gap_of_plane,
        }
    return _bound(Rebinding(_parts(spec) | instead), own)


@cache
def composed_with(spec: Spec, operation: Any) -> Any:
    """An operation written elsewhere against `parts`, bound to the kernels of a Spec."""
    return Rebinding(_parts(spec))(operation)


def bound_by_name(spec: Spec, operations: Iterable[Any], instead: Mapping[Any, Any] | None = None) -> dict[str, Any]:
    """Operations written elsewhere against `parts`, bound together to the kernels of a Spec, by their names.

    instead: further kernels, and what stands in their places.
    """
    return _bound(Rebinding({**_parts(spec), **(instead or {})}), named(operations))


def _bound(made: Rebinding, operations: Mapping[str, Any]) -> dict[str, Any]:
    return {name: made(operation) for name, operation in operations.items()}


def _parts(spec: Spec) -> dict[Any, Any]:
    """What stands in the place of each part."""
    terms = [completed(term) for term in terms_of(spec)]
    rows, imposed, system = rows_of(spec), imposed_of(spec), SYSTEMS[spec.system]
    works = any(term.works and term.record is not None for term in terms)
    found: dict[Any, Any] = {
        parts.prepare_system: system.prepare,
        parts.solve_system: system.solve,
        parts.solve_motion: system.solve_motion,
        parts.carry: thin.carry,
        parts.kinetic: thin.kinetic,
        parts.turning_masses: thin.turning_masses,
        secant_parts.loses_energy: secant.always if spec.imposed or works else secant.damps,
    }
    if not spec.held:
        found[parts.keep_momentum_of] = momentum.without_rigid_motion
    if spec.system == "pairs" and "driven_bars" in spec.rows:
        found |= {
            bars.kept_count: driven_bars.kept_count,
            bars.kept_bar: driven_bars.kept_bar,
            bars.length_growth: driven_bars.length_growth,
        }
    if spec.system == "saddle":
        found[parts.weakest_pivot] = saddle.weakest_pivot
    if spec.inertia == "cylinders":
        found |= {
            parts.carry: cylinders.carry,
            parts.kinetic: folded(folds.kinetics, (thin.kinetic, cylinders.kinetic)),
            parts.turning_masses: folded(folds.turning, (thin.turning_masses, cylinders.turning_masses)),
            parts.add_velocity_force: cylinders.add_velocity_force,
            parts.add_kinetic_gradient: cylinders.add_kinetic_gradient,
            parts.carry_change: cylinders.carry_change,
            parts.fill_inertia: cylinders.fill,
            parts.inertia_blocks: cylinders.blocks,
        }
    if "commands" in spec.imposed:
        found[parts.let_in] = commands.let_in
    if "held_lengths" in spec.rows:
        found |= {parts.cut_held: held_lengths.cut, parts.held_tension: held_lengths.tension_at}
    if any(term.states is not None for term in terms):
        found |= {
            parts.give_state_rates: term_states.give_rates,
            parts.state_error: term_states.largest_error,
            parts.set_stage: term_states.enter_stage,
        }
    if "contacts" in spec.terms:
        local = spec.system == "pairs"
        found |= {
            secant_parts.add_pressing: pressing.add_pressing,
            secant_parts.refresh_responses: pressing.fill_again,
            secant_parts.touches: pressing.touches,
        }
        found |= {
            parts.fill_response: responses.fill_local if local else responses.fill_whole,
            parts.push_response: responses.push_local if local else responses.push_whole,
            parts.meet_rows: lengths.meet_local if local else lengths.meet_whole,
            parts.meet_row_rates: lengths.meet_rates_local if local else lengths.meet_rates_whole,
            parts.respond: lengths.respond_local if local else lengths.respond_whole,
            parts.body_of: responses.body_local if local else responses.body_whole,
            contact_parts.meet_rows_again: lengths.meet_again_local if local else lengths.meet_whole,
            contact_parts.keep_velocities: lengths.keep_local if local else lengths.keep_whole,
            contact_parts.follow_velocities: lengths.follow_local if local else lengths.follow_whole,
            contact_parts.contact_reading: readings.contact_reading,
        }
    if "contacts" in spec.terms and "held_lengths" in spec.rows:
        found |= {
            parts.held_tension: strings.tension,
            contact_parts.string_count: strings.count,
            contact_parts.string_gap: strings.gap,
            contact_parts.string_rate: strings.rate,
            contact_parts.string_velocity: strings.velocity,
            contact_parts.aim_string: strings.aim,
            contact_parts.pull_string: strings.pull,
            contact_parts.pull_string_at: strings.pull_at,
            contact_parts.string_event: strings.event,
            contact_parts.hold_strings: strings.hold,
        }
    if "routes" in spec.terms:
        found |= {springs.member_state: routes.member_state, springs.lost_energy: routes.lost_energy}
    if "torques" in spec.terms:
        found[parts.free_torque] = torques.free_torque
    if any(kind.accelerates for kind in imposed):
        found |= {
            parts.right_side: motion.right_side_of_known,
            parts.give_known: motion.give_what_is_known,
            parts.moved_power: motion.power_of_moved,
        }
    if "drives" in spec.imposed and any(kind.driven for kind in rows):
        found |= {parts.row_power: motion.power_of_driven_rows, parts.find_multipliers: motion.multipliers_of}
    for part, template, kernels in (
        (parts.applied_force, folds.forces, [term.force for term in terms]),
        # In the other order, so that a sum of forces and weight is rounded as it always was.
        (parts.conservative_force, folds.conservative, [term.conservative_force for term in reversed(terms)]),
        (parts.potential, folds.potentials, [term.potential for term in terms]),
        (parts.load_power, folds.powers, [term.load_power for term in terms]),
        (parts.term_stiffness, folds.stiffnesses, [term.stiffness for term in terms]),
        (secant_parts.secant_force, folds.secant_forces, [term.secant_force for term in terms]),
        (secant_parts.secant_stiffness, folds.secant_stiffnesses, [term.secant_stiffness for term in terms]),
        (parts.accept_step, folds.done, [term.accept_step for term in terms]),
        (parts.observe_terms, folds.shown, [term.observe for term in terms]),
        (parts.row_residuals, folds.residuals, [kind.residuals for kind in rows]),
        (parts.row_values, folds.values, [kind.values for kind in rows]),
        (parts.row_bias, folds.biases, [kind.bias for kind in rows]),
        (parts.row_jacobian_rate, folds.jacobian_rates, [kind.jacobian_rate for kind in rows]),
        (parts.row_stiffness, folds.row_stiffnesses, [kind.stiffness for kind in rows]),
        (parts.impose, folds.imposed, [kind.impose for kind in imposed]),
        (parts.imposed_power, folds.powers, [kind.power for kind in imposed]),
    ):
        present = [k for k in kernels if k is not None]
        if present:
            found[part] = folded(template, present)
    return found | _events([completed_source(source) for _, source in sources_of(spec)])


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
            for name, (_, template) in folds.EVENT_TEMPLATES.items()
        }
        total = total._replace(
            **pair,
            count=folded(folds.counts, (total.count, source.count)),
            keep=folded(folds.done, (total.keep, source.keep)),
        )
    placed = {part: getattr(total, name) for name, (part, _) in folds.EVENT_TEMPLATES.items()}
    return {**placed, parts.event_count: total.count, parts.keep_laws: total.keep}
