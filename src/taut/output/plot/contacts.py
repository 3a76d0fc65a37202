"""Contacts over time: what grounds push with, and which contacts stick and slide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError
from taut.output.contact_places import closed, ground_forces
from taut.output.palette import LINES, RULE, TEXT
from taut.output.plot.axes import keyed, label, over_time, ready, require_kept, require_samples
from taut.type_checks import checked_arguments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 24
"""Contacts in a strip chart: those that are closed longest."""

STATES = {1.0: ("sticks", LINES[0]), 2.0: ("slides", LINES[1])}


@checked_arguments
def contact_forces(run: Trajectory, contact: str = "", *, ax: Axes | None = None) -> Axes:
    """The size of the force [N] of each ground on the structure; or of one contact, as in "a on floor".

    The scale is linear up to the median of all that act, and logarithmic above: impacts are far larger than weights.
    """
    _require_contacts(run, "contact_force")
    if contact and contact not in run.contact_names:
        raise OptionError(f'this run has no contact "{contact}"; there are {_some(run)}')
    shown = ground_forces(run)
    if contact:
        shown = {contact: np.linalg.norm(run.contact_force[:, run.contact_names.index(contact)], axis=1)}
    drawn = ready(ax)
    for name, force in shown.items():
        drawn.plot(run.time, force, linewidth=1.0, drawstyle="steps-pre", label=label(name))
    acting = np.concatenate([force[force > 0.0] for force in shown.values()])
    if acting.size and acting.max() > 20.0 * np.median(acting):
        drawn.set_yscale("symlog", linthresh=float(np.median(acting)))
    drawn.set_ylim(bottom=0.0)
    over_time(drawn, "contact force [N]")
    keyed(drawn)
    return drawn


@checked_arguments
def contact_states(run: Trajectory, *, ax: Axes | None = None) -> Axes:
    """A strip for each contact that was ever closed: where it sticks and where it slides."""
    _require_contacts(run, "contact_state")
    shut = closed(run)
    lasting = shut.sum(axis=0)
    chosen = np.flatnonzero(lasting)
    if chosen.size > MOST_ROWS:
        chosen = np.sort(chosen[np.argsort(-lasting[chosen], kind="stable")[:MOST_ROWS]])
    drawn = ready(ax)
    for row, column in enumerate(chosen.tolist()):
        for state, (_, colour) in STATES.items():
            spans = _spans(run.time, run.contact_state[:, column] == state)
            drawn.broken_barh(spans, (row - 0.35, 0.7), facecolors=colour, linewidth=0)
    for word, colour in STATES.values():
        drawn.broken_barh([], (0.0, 0.0), facecolors=colour, label=word)
    drawn.set_yticks(range(chosen.size), [label(run.contact_names[column]) for column in chosen], color=TEXT)
    drawn.tick_params(axis="y", labelsize=8 if chosen.size <= 10 else 5.5, length=0)
    drawn.set_ylim(chosen.size - 0.5, -0.5)
    drawn.set_xlim(float(run.time[0]), float(run.time[-1]))
    over_time(drawn, "")
    drawn.grid(axis="x", color=RULE, linewidth=0.5)
    drawn.grid(visible=False, axis="y")
    keyed(
        drawn,
        f"{MOST_ROWS} of {np.count_nonzero(lasting)} contacts: those closed longest"
        if np.count_nonzero(lasting) > MOST_ROWS
        else "",
    )
    return drawn


def touched(run: Trajectory) -> bool:
    """Whether there is anything of contacts to draw."""
    return bool(run.contact_names) and bool(closed(run).any())


def _spans(time: np.ndarray, there: np.ndarray) -> list[tuple[float, float]]:
    """Beginning and length of the times in which something is so; a state stands since the sample before it."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]]).astype(int)))
    begins, ends = edges[::2], edges[1::2]
    return [
        (float(time[max(a - 1, 0)]), float(time[b - 1] - time[max(a - 1, 0)]))
        for a, b in zip(begins, ends, strict=True)
    ]


def _require_contacts(run: Trajectory, field: str) -> None:
    require_samples(run)
    if not touched(run):
        raise OptionError("this run touches no ground, so there are no contacts to draw")
    require_kept(run, field)


def _some(run: Trajectory) -> Any:
    names = list(run.contact_names)
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
