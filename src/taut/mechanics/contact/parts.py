"""More parts of a plant, as `taut.mechanics.parts`: what contacts are read by, and cables held at a length, which are
contacts behind all others. These kernels do nothing; `taut.mechanics.compose` puts others in their places."""

from __future__ import annotations

import numpy as np

from taut.numerics.compiled import inlined
from taut.numerics.packing import Pack


@inlined
def contact_reading(p: Pack, which: int, start: int, end: int, contacts: np.ndarray, y: np.ndarray) -> float:
    """What a sensor measures of contacts, those from start to end in a list (`grounds/readings.py`)."""
    return 0.0


@inlined
def meet_rows_again(p: Pack, h: float, y: np.ndarray) -> float:
    """`taut.mechanics.parts.meet_rows` once more, after impulses at closed contacts alone have changed a move."""
    return 0.0


@inlined
def keep_velocities(p: Pack, v: np.ndarray) -> None:
    """Keep those that impulses at closed contacts can change (`Responses.before`)."""


@inlined
def follow_velocities(p: Pack, h: float, v: np.ndarray, y: np.ndarray) -> None:
    """Move the end of a move of h by how much velocities have changed since they were kept."""


@inlined
def note_mates(p: Pack, a: int, c: int) -> None:
    """An entry is made of a contact; for those who want to know which others it may close (`contact/in_lanes.py`)."""


@inlined
def string_count(p: Pack) -> int:
    """How many cables are held at a length, which are contacts behind all others (`contact/strings.py`)."""
    return 0


@inlined
def string_gap(p: Pack, k: int, y: np.ndarray) -> float:
    """How much longer such a cable could be [m]."""
    return 0.0


@inlined
def string_rate(p: Pack, k: int) -> float:
    """How fast the length that is held changes [m/s]."""
    return 0.0


@inlined
def string_velocity(p: Pack, k: int, v: np.ndarray) -> float:
    """How fast it becomes shorter [m/s], along the directions kept."""
    return 0.0


@inlined
def aim_string(p: Pack, k: int, y: np.ndarray) -> None:
    """Keep along which directions it pulls its nodes at these positions."""


@inlined
def pull_string(p: Pack, k: int, impulse: float, out: np.ndarray) -> None:
    """Add an impulse of it, along the directions kept."""


@inlined
def pull_string_at(p: Pack, k: int, tension: float, y: np.ndarray, out: np.ndarray) -> None:
    """Add what it pulls its nodes with at a state [N]."""


@inlined
def string_event(p: Pack, k: int, pulls: bool) -> tuple[int, int]:
    """Its number among all events, and what it does."""
    return 0, 0


@inlined
def hold_strings(p: Pack) -> None:
    """From now on impulses hold all cables of this kind."""
