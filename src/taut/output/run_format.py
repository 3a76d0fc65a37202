"""What is in a run file: NetCDF-4, which xarray, MATLAB and any HDF5 tool open."""

from __future__ import annotations

from functools import lru_cache

from taut.errors import TautError
from taut.structure.files import parse_model
from taut.structure.joining import subdivided
from taut.structure.structure import Structure

FORMAT = 1


HISTORY = ("time", "step", "error", "accepted")
"""The columns of the history of steps, which is there on request."""

POSTURES = "inverse kinematics"
"""What stands in the place of a method where samples are postures of a path, each at rest, and no motion."""

EVENTS = {"name": "what happened", "subject": "to what", "change": "in a word"}
"""The words of an event, each a variable `event_...` beside `event_time`."""

CHECKPOINT = {
    "y": "last state of the time loop: positions, velocities, work",
    "clock": "last clock of the time loop",
    "counts": "last counts of the time loop",
    "memory": "what controllers remembered then",
    "flags": "which cables were slack then, and where what was watched stood",
}


@lru_cache(maxsize=1)  # a run that is written asks three times
def structure_of(text: str) -> Structure | None:
    """The structure that a run of this model has; None where the text does not say."""
    try:
        return subdivided(parse_model(text, limit=None).structure) if text else None
    except TautError:
        return None
