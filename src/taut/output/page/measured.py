"""What a page shows of measurements: markers at their places and forces in the charts, over the time of a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.measurement.measurements import Measurements
from taut.output.page.embedding import Arrays
from taut.structure.structure import Structure

MOST_ROWS = 8000
"""Measured rows a page keeps; every k-th of more."""

MOST_NUMBERS = 3_000_000


def measured_content(measured: Measurements, structure: Structure, time: np.ndarray, arrays: Arrays) -> dict[str, Any]:
    """time: (T,) of the run's samples, or the one of a structure at rest, beside which all rows are kept."""
    nodes, members = measured.node_places(structure), measured.member_places(structure)
    inside = np.flatnonzero((measured.time >= time[0]) & (measured.time <= time[-1])) if time.size > 1 else np.arange(1)
    if time.size > 1 and measured.time.size > 1 and not inside.size:
        raise OptionError(
            f"none of the {measured.time.size} measured rows, {measured.time[0]:g} to {measured.time[-1]:g} s, lies in "
            f"the time of the run, {time[0]:g} to {time[-1]:g} s; "
            'taut.measurement.compare(run, measured, shift="find").measured has them in the time of the run'
        )
    rows = inside if measured.time.size > 1 else np.arange(1)
    each = max(1, 3 * nodes.size + members.size)
    stride = -(-rows.size // min(MOST_ROWS, max(2, MOST_NUMBERS // each)))
    kept = rows[:: max(1, stride)]
    cables = len(structure.cables)
    return {
        "time": arrays.exact(measured.time[kept]),
        "nodes": nodes.tolist(),
        "places": arrays.sampled(measured.nodes[kept]),
        "members": [
            {"kind": "cable" if k < cables else "bar", "index": int(k if k < cables else k - cables)} for k in members
        ],
        "forces": arrays.sampled(measured.tension[kept]),
        "told": _told(measured, kept.size),
    }


def _told(measured: Measurements, kept: int) -> str:
    share = f"{kept} of {measured.time.size} rows" if kept < measured.time.size else f"{kept} rows"
    return (
        f"{share}, {len(measured.node_names)} nodes, {len(measured.member_names)} members; straight lines between rows"
    )
