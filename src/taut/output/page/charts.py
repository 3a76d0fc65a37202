"""The charts that come with a run on a page, as plain data.

A series may go in steps: `since` the sample before (what an impulse left over a step), or `until` the next (what a
sensor showed last). Of charts with `peaks` a kept sample has the largest size since the kept one before; all others
have what is at it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.sensor_facts import sensors_of
from taut.dynamics.trajectory import Trajectory
from taut.output.contact_places import ground_forces
from taut.output.page.embedding import Arrays


def charts_of(run: Trajectory, kept: np.ndarray, arrays: Arrays) -> list[dict[str, Any]]:
    """Contacts, what drives are told, what sensors show, energy, and violations, which belong to numerics."""
    names = {"kinetic": "energy_kinetic", "elastic": "energy_elastic", "gravity": "energy_gravity", "work": "work"}
    parts = {name: run.scalar(field) for name, field in names.items()}
    parts["total"] = parts["kinetic"] + parts["elastic"] + parts["gravity"]
    energy = [
        {"name": name, "unit": "J", "values": arrays.sampled(values[kept]), "sum": name == "total"}
        for name, values in parts.items()
        if np.isfinite(values).any() and (name in ("kinetic", "total") or np.any(values != 0.0))
    ]
    gaps = (
        ("bar length", "m", run.scalar("length_violation")),
        ("bar rate", "m/s", run.scalar("rate_violation")),
        ("energy", "J", run.scalar("energy_violation")),
    )
    worst = [
        {"name": name, "unit": unit, "values": arrays.sampled(_largest_since(values, kept))}
        for name, unit, values in gaps
        if np.isfinite(values).any()
    ]
    charts = [
        *_contact_charts(run, kept, arrays),
        *_drive_charts(run, kept, arrays),
        *_reading_charts(run, kept, arrays),
        {"name": "Energy", "unit": "J", "scale": "linear", "series": energy},
        {"name": "Violations", "unit": "", "scale": "log", "series": worst, "numerics": True, "peaks": True},
    ]
    return [chart for chart in charts if chart["series"]]


def _contact_charts(run: Trajectory, kept: np.ndarray, arrays: Arrays) -> list[dict[str, Any]]:
    """What each ground pushes with, all its contacts together, and how many contacts stick and slide."""
    pushed = ground_forces(run)
    if not pushed:
        return []
    states = {"sticking": 1.0, "sliding": 2.0} if run.contact_state.shape[1] else {}
    counts = {name: np.sum(run.contact_state == state, axis=1) for name, state in states.items()}
    return [
        {
            "name": name,
            "unit": unit,
            "scale": "linear",
            "series": [
                {"name": each, "unit": unit, "values": arrays.sampled(_largest_since(values, kept)), "steps": "since"}
                for each, values in shown.items()
            ],
            "peaks": True,
        }
        for name, unit, shown in (("Contact force", "N", pushed), ("Contacts", "", counts))
    ]


def _drive_charts(run: Trajectory, kept: np.ndarray, arrays: Arrays) -> list[dict[str, Any]]:
    """What drives are told, a chart for each unit, and their power."""
    told = list(run.options.get("drives", ()))[: min(run.drive_value.shape[1], run.drive_power.shape[1])]
    charts: dict[str, list[tuple[str, np.ndarray]]] = {}
    for k, drive in enumerate(told):
        charts.setdefault(drive["unit"], []).append((drive["name"], run.drive_value[:, k]))
    shown = [("Drives" if len(charts) == 1 else f"Drives, {unit}", unit, series) for unit, series in charts.items()]
    if told:
        shown.append(("Power of drives", "W", [(d["name"], run.drive_power[:, k]) for k, d in enumerate(told)]))
    return [
        {
            "name": name,
            "unit": unit,
            "scale": "linear",
            "series": [{"name": each, "unit": unit, "values": arrays.sampled(v[kept])} for each, v in series],
        }
        for name, unit, series in shown
    ]


def _reading_charts(run: Trajectory, kept: np.ndarray, arrays: Arrays) -> list[dict[str, Any]]:
    """What sensors show, a chart for each unit; what is measured at a rate stands until the next, in steps."""
    charts: dict[str, list[dict[str, Any]]] = {}
    for k, (name, unit, rate) in enumerate(sensors_of(run)[: run.reading.shape[1]]):
        values = arrays.sampled(run.reading[kept, k])
        steps = "" if rate is None else "until"
        charts.setdefault(unit, []).append({"name": name, "unit": unit, "values": values, "steps": steps})
    return [
        {
            "name": "Readings" if len(charts) == 1 else f"Readings, {unit}",
            "unit": unit,
            "scale": "linear",
            "series": series,
        }
        for unit, series in charts.items()
    ]


def _largest_since(values: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """For each kept sample the largest size of a value since the kept one before it."""
    if not kept.size:
        return np.zeros(0)
    return np.asarray(np.maximum.reduceat(np.abs(values), np.append(0, kept[:-1] + 1)))
