"""Measurements beside a run or an equilibrium: `compare`, with the frame and the clock of the measurement if asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError
from taut.measurement.alignment import STILL, RigidMotion, laid_over
from taut.measurement.comparison import Comparison
from taut.measurement.finding_shifts import Shift, least, mean_squares
from taut.measurement.interpolating import Course, course_of
from taut.measurement.measurements import Measurements
from taut.measurement.units import FAR_OFF, unit_hints
from taut.reprs import brief
from taut.statics.equilibrium import Equilibrium
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments


@checked_arguments
def compare(
    computed: Trajectory | Equilibrium | Structure,
    measured: Measurements,
    *,
    align: bool = False,
    shift: float | str = 0.0,
) -> Comparison:
    """How far measured nodes and forces are from those of a run, an equilibrium or a structure as it is given.

    Between samples of a run nodes go along cubics through places and velocities, forces along straight lines. Rows
    outside its time are counted and left out.

    align: turn and shift the markers' frame, without mirroring, to where the squares of distances are least.
    shift: [s] added to measured times; "find" takes the one with the least mean square.
    """
    course = course_of(computed)
    if measured.member_names and isinstance(computed, Structure):
        raise OptionError("a structure alone has no forces to compare with; balance it, or measure no members")
    pairing = _Pairing(
        course, measured, measured.node_places(course.structure), measured.member_places(course.structure), align
    )
    if (isinstance(shift, str) and shift != "find") or (not isinstance(shift, str) and not np.isfinite(shift)):
        raise OptionError(f'shift = {shift!r} must be a finite number [s], or "find"')
    found = pairing.found_shift() if isinstance(shift, str) else Shift(float(shift))
    moved = found.value
    if not pairing.inside(moved).any():
        raise OptionError(_nothing_inside(course, measured, moved))
    motion = pairing.motion(moved)
    here, node_error, force_error = pairing.errors(moved, motion)
    outside = int(np.count_nonzero(~pairing.inside(moved)))
    notes = (*found.notes, *_notes(course, here, outside))
    return Comparison(here, node_error, force_error, motion, moved, outside, notes)


@dataclass(frozen=True)
class _Pairing:
    course: Course
    measured: Measurements
    nodes: np.ndarray  # (k,) places among those of the structure
    members: np.ndarray  # (m,)
    align: bool

    __repr__ = brief

    def inside(self, shift: float) -> np.ndarray:
        """(T,) rows that the run covers."""
        return self.course.covers(self.measured.time + shift)

    def motion(self, shift: float) -> RigidMotion:
        if not self.align:
            return STILL
        rows = self.inside(shift)
        computed = self.course.nodes_at(self.measured.time[rows] + shift, self.nodes)
        markers = self.measured.nodes[rows]
        whole = np.isfinite(markers).all(axis=2)
        return laid_over(markers[whole], computed[whole])

    def errors(self, shift: float, motion: RigidMotion) -> tuple[Measurements, np.ndarray, np.ndarray]:
        """What was measured in the frame and time of the run; its errors in nodes (T, k, 3) and forces (T, m)."""
        here = replace(self.measured, time=self.measured.time + shift, nodes=motion.applied(self.measured.nodes))
        rows = self.inside(shift)
        node_error, force_error = np.full(here.nodes.shape, np.nan), np.full(here.tension.shape, np.nan)
        time = here.time[rows]
        node_error[rows] = here.nodes[rows] - self.course.nodes_at(time, self.nodes)
        force_error[rows] = here.tension[rows] - self.course.force_at(time, self.members)
        return here, node_error, force_error

    def found_shift(self) -> Shift:
        if self.course.at_rest or self.measured.time.size < 2:
            raise OptionError('shift="find" needs a run and more than one measured time; at rest there is none to find')
        tried = mean_squares(self.course, self.measured, self.nodes, self.members, align=self.align)
        return least(tried, self.square)

    def square(self, shift: float) -> float:
        """The mean square of distances, or of forces where no marker is ever seen."""
        if not self.inside(shift).any():
            return np.inf
        _, node_error, force_error = self.errors(shift, self.motion(shift))
        error = node_error if self.measured.sees_nodes else force_error
        known = error[np.isfinite(error)]
        return float(np.mean(known**2)) if known.size else np.inf


def _nothing_inside(course: Course, measured: Measurements, shift: float) -> str:
    time = measured.time + shift
    return (
        f"none of the {time.size} measured rows, {time[0]:g} to {time[-1]:g} s, lies in the time of the run, "
        f'{course.time[0]:g} to {course.time[-1]:g} s; say shift= or shift="find", or the unit of the times'
    )


def _notes(course: Course, measured: Measurements, outside: int) -> Iterator[str]:
    if outside:
        yield (
            f"{outside} of {measured.time.size} measured rows lie outside the time of the run, "
            f"{course.time[0]:g} to {course.time[-1]:g} s, and are left out"
        )
        if np.ptp(measured.time) > FAR_OFF * np.ptp(course.time):
            yield 'measured times go much further than the run; if they are in ms, say scale={"time": "ms"}'
    for _, hint in unit_hints(measured, course.structure):
        yield hint
