"""Energy and what a run violates, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.output.palette import TEXT
from taut.output.plot.axes import keyed, over_time, ready, require_samples
from taut.type_checks import checked_arguments

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@checked_arguments
def energy(run: Trajectory, *, ax: Axes | None = None) -> Axes:
    """Kinetic, elastic and gravity energy, work of loads, dampers and supports, and the sum of the energies [J]."""
    require_samples(run)
    drawn = ready(ax)
    parts = {"elastic": run.energy_elastic, "gravity": run.energy_gravity, "work": run.work}
    drawn.plot(run.time, run.energy_kinetic, linewidth=1.0, label="kinetic")
    for name, values in parts.items():
        if np.any(values != 0.0):
            drawn.plot(run.time, values, linewidth=1.0, label=name)
    total = run.energy_kinetic + run.energy_elastic + run.energy_gravity
    drawn.plot(run.time, total, linewidth=1.0, color=TEXT, linestyle=(0, (5, 2)), label="total")
    over_time(drawn, "energy [J]")
    keyed(drawn)
    return drawn


@checked_arguments
def violations(run: Trajectory, *, ax: Axes | None = None) -> Axes:
    """By how much bar lengths, their rates and the energy are off, on a logarithmic scale; zeros are left out."""
    require_samples(run)
    drawn = ready(ax)
    gaps = {
        "bar length [m]": run.length_violation,
        "bar rate [m/s]": run.rate_violation,
        "energy [J]": run.energy_violation,
    }
    for name, values in gaps.items():
        sizes = np.abs(values)
        drawn.plot(run.time, np.where(sizes > 0.0, sizes, np.nan), linewidth=0.7, label=name)
    if any(np.any(values != 0.0) for values in gaps.values()):
        drawn.set_yscale("log")
    over_time(drawn, "violation")
    keyed(drawn)
    return drawn
