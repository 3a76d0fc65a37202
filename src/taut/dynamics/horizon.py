"""The horizon of predictability, until which a run can be trusted: the run once more, finer, and when the two part.

Small violations of lengths and energy do not mean that a motion is right: a chaotic one keeps both to round-off and is
yet another motion after a while. What tells is how fast two runs drift apart that differ in their tolerance only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from taut.dynamics.correction import Correction
from taut.dynamics.driver import Progress
from taut.dynamics.parting import Predictability, compared, distance
from taut.dynamics.setup import LEAST_TOLERANCE
from taut.dynamics.simulating import simulate
from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError
from taut.mechanics.plant_protocol import PlantProtocol
from taut.structure.properties import route_length
from taut.type_checks import checked_arguments

PART = 0.01
"""Two runs have parted when a node is this fraction of a mean member away from itself."""

FINER = 10.0
"""The tolerance of the second run is finer by this factor; a fixed step is halved."""


@checked_arguments
def predictability(
    plant: PlantProtocol, run: Trajectory, *, part: float = PART, progress: Progress | None = None
) -> Predictability:
    """Repeat a run of a plant with a finer tolerance (or half the step) and see when the two part.

    part: the distance at which they have parted, as a fraction of the mean member length.
    """
    if not part > 0.0:
        raise OptionError(f"part {part} must be more than zero")
    if not run.finished:
        raise OptionError(f"the run did not reach its end ({run.status}), so it has no horizon")
    if run.time.size < 2:
        raise OptionError("the run has no samples to compare; run it longer, or without a sink")
    if "samples" not in run.options:
        raise OptionError("the run was stepped by hand or is one of an ensemble; give one that simulate made")
    other, finer = finer_run(plant, run.options, float(run.time[-1]), progress)
    count = min(run.time.size, other.time.size)
    difference = distance(run.nodes[:count], other.nodes[:count])
    return compared(run.time[:count], difference, part * mean_member(run), finer)


def finer_run(
    plant: PlantProtocol, options: Mapping[str, Any], duration: float, progress: Progress | None = None
) -> tuple[Trajectory, str]:
    """The same run with a tenth of the tolerance, or half the step, and what that is."""
    given: dict[str, Any] = {name: options[name] for name in ("method", "every", "samples", "locate")}
    if options.get("step") is not None:
        given["step"] = options["step"] / 2.0
        finer = f"step {given['step']:g} s"
    elif options["tolerance"] / FINER < LEAST_TOLERANCE:
        raise OptionError(
            f"a tolerance of {options['tolerance']:g} leaves no room for a finer run; take {FINER * LEAST_TOLERANCE:g} "
            "or more"
        )
    else:
        given["tolerance"] = options["tolerance"] / FINER
        finer = f"tolerance {given['tolerance']:g}"
    correction = Correction.of_options(options)
    return simulate(plant, duration, correction=correction, verify=False, progress=progress, **given), finer


def mean_member(run: Trajectory) -> float:
    """Mean length of the members at the start of a run [m]."""
    structure = run.structure
    routes = [bar.nodes for bar in structure.bars.values()] + [c.route for c in structure.cables.values()]
    if not routes:
        return float(np.ptp(structure.positions, axis=0).max(initial=0.0)) or 1.0
    return float(np.mean([route_length(structure, route) for route in routes]))
