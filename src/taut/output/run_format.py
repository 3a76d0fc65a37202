"""What is in a run file: NetCDF-4, which xarray, MATLAB and any HDF5 tool open."""

from __future__ import annotations

from typing import NamedTuple

from taut.errors import TautError
from taut.structure.files import parse_model
from taut.structure.joining import subdivided
from taut.structure.structure import Structure

FORMAT = 1


class Variable(NamedTuple):
    """A variable of a run file."""

    dimensions: tuple[str, ...]
    unit: str
    meaning: str


VARIABLES = {
    "time": Variable(("time",), "s", "time since the start"),
    "nodes": Variable(("time", "node", "axis"), "m", "position of each node"),
    "velocities": Variable(("time", "node", "axis"), "m/s", "velocity of each node"),
    "cable_length": Variable(("time", "cable"), "m", "length of each cable"),
    "cable_tension": Variable(("time", "cable"), "N", "force in each cable, positive in tension"),
    "bar_force": Variable(("time", "bar"), "N", "force in each bar, positive in tension"),
    "constraint_force": Variable(("time", "constraint"), "N", "force of each constraint"),
    "reaction": Variable(("time", "support", "axis"), "N", "force of each support on the structure"),
    "load_force": Variable(("time", "loaded"), "N", "each load, along its axis"),
    "coordinate": Variable(("time", "freedom"), "m or rad", "each coordinate of a plant that has its own"),
    "coordinate_rate": Variable(("time", "freedom"), "m/s or rad/s", "its rate"),
    "multiplier": Variable(("time", "condition"), "N or N m", "force of each constraint among such coordinates"),
    "element_output": Variable(("time", "element"), "as its kind says", "what elements of other kinds show"),
    "energy_kinetic": Variable(("time",), "J", "kinetic energy"),
    "energy_elastic": Variable(("time",), "J", "energy stored in cables and compressible bars"),
    "energy_gravity": Variable(("time",), "J", "energy of weight"),
    "work": Variable(("time",), "J", "work of loads, dampers, moved supports and cuts since the start"),
    "energy_violation": Variable(("time",), "J", "energy less start energy less work"),
    "length_violation": Variable(("time",), "m", "largest residual of a bar or constraint"),
    "rate_violation": Variable(("time",), "m/s", "largest rate of such a residual"),
}
"""Every variable with samples: its dimensions, its unit and what it is."""

HISTORY = ("time", "step", "error", "accepted")
"""The columns of the history of steps, which is there on request."""

EVENTS = {"name": "what happened", "subject": "to what", "change": "in a word"}
"""The words of an event, each a variable `event_...` beside `event_time`."""

CHECKPOINT = {
    "y": "last state of the time loop: positions, velocities, work",
    "clock": "last clock of the time loop",
    "counts": "last counts of the time loop",
    "flags": "which cables were slack then, and where what was watched stood",
}


def labels_of(structure: Structure) -> dict[str, tuple[str, ...]]:
    """The labels of the dimensions that a structure gives."""
    return {
        "node": tuple(structure.nodes),
        "axis": ("x", "y", "z"),
        "cable": tuple(structure.cables),
        "bar": tuple(structure.bars),
        "constraint": tuple(structure.constraints),
        "support": tuple(structure.supported_nodes),
    }


def structure_of(text: str) -> Structure | None:
    """The structure that a run of this model has; None where the text does not say."""
    try:
        return subdivided(parse_model(text, limit=None).structure) if text else None
    except TautError:
        return None
