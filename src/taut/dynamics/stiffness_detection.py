"""Whether a run was held to short steps by stability: then it was stiff, and an implicit method would be faster."""

from __future__ import annotations

import numpy as np

from taut.dynamics import workspace as at
from taut.dynamics.methods.tableau import Implicit, Method
from taut.dynamics.setup import Run
from taut.dynamics.trajectory import Checkpoint
from taut.mechanics import capabilities

WORTH_A_WORD = 1000
"""Fewer steps than this cost nothing, whatever holds them down."""

AT_THE_EDGE = 2.0
"""Steps times the fastest rate. Explicit steps are stable up to about 3.3 (dp5) or 6 (dp8) where motion is damped; what
oscillates is followed with less than 1 at any tolerance that is used."""

STIFF = "the run is stiff, and method"
"""What a note on it has in it."""

ROUNDS, NUDGE = 20, 1e-7


def stiffness_notes(run: Run, point: Checkpoint) -> tuple[str, ...]:
    """What is to be said where the mean step of an explicit run is about as long as stability allows at its end."""
    steps, method = int(point.counts[at.STEPS]), run.method
    explicit = isinstance(method, Method) and method.adaptive and not isinstance(method, Implicit)
    if not explicit or steps < WORTH_A_WORD or not np.isfinite(point.y).all():
        return ()
    if any((capabilities.IMPLICIT, feature) in capabilities.REFUSED for feature in capabilities.features_of(run.plant)):
        return ()
    mean = float(point.clock[at.TIME]) / steps
    fastest = fastest_rate(run, point)
    if not mean * fastest > AT_THE_EDGE:
        return ()
    return (
        f"steps of {mean:.1e} s are as long as stability allows, since the fastest motion has a rate of "
        f'{fastest:.1e} 1/s; {STIFF} "implicit3" or "implicit4" can take longer ones',
    )


def fastest_rate(run: Run, point: Checkpoint) -> float:
    """The largest |eigenvalue| [1/s] of the linearised motion, by power iteration on differences of rates."""
    y, t, size = point.y, float(point.clock[at.TIME]), 2 * run.plant.coordinates
    here, there = np.zeros_like(y), np.zeros_like(y)
    run.words["rate"](run.tables, t, y, here)
    way = np.zeros_like(y)
    way[:size] = np.random.default_rng(0).standard_normal(size)
    grown = np.zeros(ROUNDS)
    for n in range(ROUNDS):
        way *= NUDGE / np.abs(way).max()
        run.words["rate"](run.tables, t, y + way, there)
        change = there - here
        change[size:] = 0.0
        if not np.isfinite(change).all() or not change.any():
            return 0.0
        grown[n] = np.linalg.norm(change) / np.linalg.norm(way)
        way = change
    # Two rounds together: what oscillates turns positions into velocities and back, and grows by their ratio in turn.
    return float(np.sqrt(grown[-1] * grown[-2]))
