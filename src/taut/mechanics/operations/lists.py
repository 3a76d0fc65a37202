"""Lists of operations: what steppers, corrections, the time loop and plants themselves ask of kernels, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from taut.mechanics.conserving import secant
from taut.mechanics.contact import books, impulses, in_lanes, lengths, moved_supports, pressing
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
from taut.mechanics.terms import states as term_states
from taut.mechanics.terms import torques


def named(kernels: Iterable[Any]) -> dict[str, Any]:
    return {k.py_func.__name__: k for k in kernels}


MOTION: dict[str, Any] = {
    **named(
        (
            motion.layout,
            motion.rate,
            motion.forces,
            motion.power,
            motion.drive_power,
            motion.enter_piece,
            motion.pass_break,
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
            events.overdue,
            events.switch,
        )
    ),
}
"""What a stepper, a correction or the time loop may ask of a plant's tables."""

NEWTON: Mapping[str, Any] = named(
    (
        newton_matrix.factor_newton,
        newton_matrix.newton_residual,
        newton_matrix.solve_newton,
        term_states.finish_states,
        newton_matrix.keep_multipliers,
        newton_matrix.recall_multipliers,
    )
)
"""What implicit steps ask beside them."""

SECANT: dict[str, Any] = named(
    (
        secant.secant_residual,
        secant.factor_secant,
        secant.secant_change,
        secant.count_effort,
        secant.gives_way,
        secant.meet_rates,
    )
)
"""What steps that conserve energy ask beside those."""

PRESSING: dict[str, Any] = named((pressing.press, pressing.book_press))
PRESSED: dict[str, Any] = named((pressing.settle_contacts,))
"""And of contacts, while they move and where they end."""

CONTACT: Mapping[str, Any] = named(
    (
        impulses.begin_contacts,
        impulses.resume_contacts,
        impulses.move_apart,
        impulses.keep_apart,
        lengths.keep_rates,
        lengths.accelerate,
        impulses.foresee,
        impulses.strike,
        books.book_contacts,
        books.leave_forces,
        books.note_contacts,
    )
)
"""What steps with impulses ask beside them."""

IN_LANES: Mapping[str, Any] = named(
    (
        in_lanes.begin_contacts,
        in_lanes.resume_contacts,
        in_lanes.move_apart,
        in_lanes.foresee,
        in_lanes.strike,
        in_lanes.book_contacts,
        in_lanes.leave_forces,
        in_lanes.note_contacts,
    )
)
"""Those of them that differ where many plants go in lanes."""

MOVED: Mapping[str, Any] = named(
    (moved_supports.even_supports, moved_supports.lead_supports, moved_supports.support_work)
)
"""And of supports that move."""

TURNING: Mapping[str, Any] = named((outputs.observe_torques, torques.add_commanded, torques.fill_angle_slopes))
"""What a plant with free angles asks of its own tables beside them."""

TOOLS: dict[str, Any] = named(
    (
        outputs.observe,
        outputs.observe_energies,
        outputs.observe_loads,
        events.begin_events,
        events.keep_given,
        events.freeze,
        events.release,
        events.cut,
        redundancy.fill_jacobian,
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
