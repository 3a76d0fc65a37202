"""Paths of robots: read from tables, made, and stored as run files of postures, which pages, plots and films show."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut.dynamics.trajectory import Checkpoint, Trajectory, of_samples
from taut.errors import FileError, OptionError
from taut.kinetostatics.following import FollowedPath
from taut.kinetostatics.mode_stiffness import reduced_stiffness
from taut.kinetostatics.robot import Robot
from taut.kinetostatics.stretches import postures_along
from taut.measurement.files import SEPARATORS, read_measurements
from taut.measurement.units import bare_name
from taut.output.run_format import POSTURES
from taut.reprs import brief
from taut.statics.equilibrium import Equilibrium
from taut.statics.network import network
from taut.structure.files import text_of
from taut.structure.memory import memory_problem
from taut.structure.properties import bar_stiffness, stiffness
from taut.structure.records import AXES

SAMPLE = 5e-6
"""GB that a sample of a path takes, at least."""


def read_path(path: str | os.PathLike[str]) -> tuple[np.ndarray, np.ndarray]:
    """Times (k,) [s] and places (k, 3) [m] from a table with the columns time, x, y, z; not a number where open.

    Units other than s and m stand in the titles, as in "x [mm]". An axis is open all along where its column is not
    there or empty.
    """
    source = os.fspath(path)
    first = next(iter(text_of(source, "a path").splitlines()), "")
    separator = max(SEPARATORS, key=first.count)
    titles = [title.strip() for title in first.split(separator)]
    bare = {title: bare_name(title)[0].strip().lower() for title in titles}
    held = {title: f"node:path.{name}" for title, name in bare.items() if name in AXES and name}
    held |= {title: "time" for title, name in bare.items() if name in ("t", "time")}
    if not any(name in AXES for name in bare.values() if name):
        raise FileError(f"{source}: has no column x, y or z; write time, x, y, z into its first line")
    told = read_measurements(source, columns=held)
    places = told.nodes[:, 0]
    for axis, column in zip(AXES, places.T, strict=True):
        gaps = np.flatnonzero(np.isnan(column))
        if 0 < gaps.size < column.size:
            raise FileError(
                f"{source}: {axis} is empty at t = {told.time[gaps[0]]:g} s and told at other times; fill the column, "
                "or leave all of it empty to leave the axis open"
            )
    return told.time, places


def circle_path(
    centre: np.ndarray, radius: float, *, turns: float, duration: float, samples: int
) -> tuple[np.ndarray, np.ndarray]:
    """Times [s] and places [m] round a centre in the horizontal plane, from the side of x on; its height is open."""
    if not radius > 0.0 or not duration > 0.0 or samples < 2 or not np.isfinite([radius, duration, turns]).all():
        raise OptionError(
            f"a circle of radius {radius:g} m in {duration:g} s with {samples} samples makes no path: radius and "
            "duration must be more than zero, samples two or more"
        )
    if wrong := memory_problem(samples * SAMPLE):
        raise OptionError(f"samples = {samples} {wrong}")
    times = np.linspace(0.0, duration, samples)
    angle = 2.0 * np.pi * turns * times / duration
    places = np.full((samples, 3), np.nan)
    places[:, 0] = centre[0] + radius * np.cos(angle)
    places[:, 1] = centre[1] + radius * np.sin(angle)
    return times, places


@dataclass(frozen=True)
class PathPostures:
    """A path as a trajectory of postures, and the lowest stiffness [N/m] of each (k,), as it is commanded."""

    run: Trajectory
    lowest_stiffness: np.ndarray

    __repr__ = brief


def path_postures(robot: Robot, path: FollowedPath) -> PathPostures:
    """Every sample of a path as a posture. Nothing moves: velocities are zero, inputs are drives without a rate, and
    the work is that of a slow motion, the change of energy."""
    found = list(postures_along(robot, path))
    structure = path.structure
    lowest = np.array([_lowest(one) for one in found])
    nodes = np.array([one.structure.positions for one in found])
    tension = np.array([one.cable_tension for one in found])
    weight = network(structure, gravity=robot.gravity).external
    gravity = -np.einsum("tni,ni->t", nodes, weight)
    elastic = np.array([_elastic(one) for one in found])
    energy = gravity + elastic
    cables, zero = len(structure.cables), np.zeros(len(found))
    samples = {
        "time": path.times,
        "nodes": nodes,
        "velocities": np.zeros_like(nodes),
        "cable_length": np.array([one.length[:cables] for one in found]),
        "cable_tension": tension,
        "bar_force": np.array([one.bar_force for one in found]),
        "constraint_force": np.array([one.constraint_force for one in found]),
        "angle_torque": np.array([one.angle_torque for one in found]),
        "reaction": np.array([one.reaction for one in found]),
        "drive_value": path.values,
        "drive_rate": np.zeros_like(path.values),
        "drive_force": path.member_force[:, [one.member for one in robot.commanded]],
        "drive_power": np.zeros_like(path.values),
        "energy_kinetic": zero,
        "energy_elastic": elastic,
        "energy_gravity": gravity,
        "work": energy - energy[:1],
        "energy_violation": zero,
        "length_violation": np.array([_longer(one) for one in found]),
        "rate_violation": zero,
    }
    last = np.concatenate([nodes[-1].ravel(), np.zeros(nodes[-1].size + 1)])
    counts = {"steps": len(found), "rejected": 0, "evaluations": 0, "unbalanced": 0}
    made = replace(
        of_samples(structure, samples),
        status="finished" if path.ok else f"finished, but {path.status}",
        checkpoint=Checkpoint(last, np.zeros(1), np.zeros(1)),
        options={"method": POSTURES, "tolerance": 1e-10, "correction": "none", "drives": _drives(robot)},
        counts={**counts, "iterations": int(path.corrections.sum())},
        drive_names=robot.input_names,
        notes=("postures one after another, each at rest: no motion was computed between them",),
    )
    return PathPostures(made, lowest)


def _drives(robot: Robot) -> list[dict[str, Any]]:
    """Inputs as the drives of a run."""
    return [
        {"name": one.name, "member": one.name, "quantity": one.quantity, "unit": one.unit, "drum_radius": None}
        for one in robot.commanded
    ]


def _lowest(found: Equilibrium) -> float:
    values, _ = reduced_stiffness(found)
    return float(values[0]) if values.size else np.inf


def _elastic(found: Equilibrium) -> float:
    """[J] in springs; a cable that is commanded otherwise stores none."""
    structure, total = found.structure, 0.0
    for cable, tension in zip(structure.cables.values(), found.cable_tension.tolist(), strict=True):
        if cable.mode == "spring":
            total += 0.5 * tension**2 / (stiffness(structure, cable) or np.inf)
    for bar, force in zip(structure.bars.values(), found.bar_force.tolist(), strict=True):
        if bar.law == "compressible":
            total += 0.5 * force**2 / (bar_stiffness(structure, bar) or np.inf)
    return total


def _longer(found: Equilibrium) -> float:
    """By how much a rigid bar is off its length [m]."""
    bars = found.structure.bars.values()
    lengths = found.length[len(found.structure.cables) :].tolist()
    return max(
        (abs(now - bar.length) for bar, now in zip(bars, lengths, strict=True) if bar.law == "rigid" and bar.length),
        default=0.0,
    )
