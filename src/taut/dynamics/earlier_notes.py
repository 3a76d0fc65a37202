"""What a run to go on from has said and its end does not say anew."""

from __future__ import annotations

from taut.dynamics.drive_limits import BEYOND
from taut.dynamics.member_collisions import UNFELT
from taut.dynamics.stiffness_detection import STIFF
from taut.dynamics.trajectory import Trajectory
from taut.mechanics.imposed.support_drifts import WALKS
from taut.mechanics.operations.event_words import NEVER
from taut.structure.straight_angles import NEAR


def earlier_notes(start: Trajectory) -> tuple[str, ...]:
    """Notes without those on what is looked for over the whole run."""
    sampled = () if start.earlier.samples else (BEYOND, NEAR)  # what went to a sink is not here to look at
    anew = (UNFELT, STIFF, WALKS, *sampled)
    return tuple(note for note in start.notes if not note.endswith(NEVER) and not any(one in note for one in anew))
