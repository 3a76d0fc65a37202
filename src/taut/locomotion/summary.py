"""Locomotion: what a run on the ground came to, in one record."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.locomotion.costs import drive_cost
from taut.locomotion.course import course_of, gravity_of, mass_of
from taut.locomotion.faces import HOLD, Stand, stands
from taut.locomotion.slipping import slip_distance
from taut.reprs import counted, titled
from taut.type_checks import checked_arguments


@dataclass(frozen=True, repr=False)
class Locomotion:
    """How far a robot went, on which faces, how much it slipped, and what it cost; SI units.

    distance: from start to end. direction: [rad] from x towards y. way: length of the path of the centre of mass.
    stands: faces in turn. slip: of all nodes together. energy_positive, energy_net: as `DriveCost` has them.
    cost_of_transport: energy_positive / (weight x distance); infinite where it went nowhere.
    """

    name: str
    duration: float
    mass: float
    distance: float
    direction: float
    way: float
    stands: tuple[Stand, ...]
    slip: float
    energy_positive: float
    energy_net: float
    cost_of_transport: float
    peak_power: float
    peak_speed: float
    peak_force: float
    peak_tension: float

    @property
    def face_changes(self) -> int:
        return changes_of(self.stands)

    @property
    def speed(self) -> float:
        """[m/s] from start to end."""
        return self.distance / self.duration

    def __repr__(self) -> str:
        return titled(
            "Locomotion",
            self.name,
            f"{self.distance:.3g} m in {self.duration:g} s",
            f"{self.face_changes} face changes",
            f"cost of transport {self.cost_of_transport:.3g}",
        )

    def numbers(self) -> dict[str, float]:
        """For programs: nothing rounded; no infinities or faces."""
        plain = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("name", "stands")}
        told = {**plain, "speed": self.speed, "face_changes": float(self.face_changes)}
        return {name: float(value) for name, value in told.items() if math.isfinite(value)}

    def facts(self) -> dict[str, str]:
        """As words and values."""
        borne = sum(one.borne for one in self.stands)
        faces = counted(len({one.face for one in self.stands}), "face") or "no face"
        return {
            "went": f"{self.distance:.4g} m in {self.duration:g} s, {math.degrees(self.direction):.4g} deg from x to y",
            "way": f"{self.way:.4g} m of the centre of mass, seen from above",
            "face changes": f"{self.face_changes}, on {faces}, {borne:.3g} s with all nodes down",
            "slip": f"{self.slip:.4g} m of all nodes together",
            "energy": f"{self.energy_positive:.4g} J put in by drives, {self.energy_net:.4g} J net",
            "cost of transport": f"{self.cost_of_transport:.4g} (weight {self.mass:.4g} kg)",
            "peaks": f"{self.peak_power:.4g} W, {self.peak_speed:.4g} m/s, {self.peak_force:.4g} N in a driven member, "
            f"{self.peak_tension:.4g} N in a cable",
        }

    def summary(self) -> str:
        """A table in plain text."""
        rows = self.facts()
        width = max(map(len, rows))
        return "\n".join(f"{name:<{width}}  {value}" for name, value in rows.items())


@checked_arguments
def locomotion_of(run: Trajectory, *, hold: float = HOLD) -> Locomotion:
    """What a run on a ground came to. hold: [s] for which a face has to be below the centre of mass to count.

    Energies and slips are integrals over samples, and faces are looked at there: 50 samples a second are good for
    robots that roll a few times a second.
    """
    gone, cost = course_of(run), drive_cost(run)
    return Locomotion(
        name=run.structure.name,
        duration=float(run.time[-1] - run.time[0]),
        mass=mass_of(run),
        distance=gone.distance,
        direction=gone.direction,
        way=gone.length,
        stands=stands(run, hold=hold),
        slip=float(slip_distance(run).sum()),
        energy_positive=cost.positive,
        energy_net=cost.net,
        cost_of_transport=transport_cost(run, cost.positive, gone.distance),
        peak_power=cost.peak_power,
        peak_speed=cost.peak_speed,
        peak_force=cost.peak_force,
        peak_tension=cost.peak_tension,
    )


def changes_of(found: Sequence[Stand]) -> int:
    """How often the face changed."""
    return max(len(found) - 1, 0)


def transport_cost(run: Trajectory, energy: float, distance: float) -> float:
    """Energy [J] over weight times distance [m]; infinite where it went nowhere."""
    carried = mass_of(run) * float(np.linalg.norm(gravity_of(run))) * distance
    return energy / carried if carried > 0.0 else math.inf
