"""Which kernels a nodal plant uses: the common ones, and others in their places where it has something special.

What is special is compiled and paid for only by plants that have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from taut.mechanics import nodal, nodal_events, nodal_manifold, nodal_momentum, nodal_outputs, nodal_switching

NODAL_VERBS: Mapping[str, Callable[..., Any]] = {
    "lend_plant": nodal.lend_plant,
    "rate": nodal.rate,
    "forces": nodal.forces,
    "power": nodal.power,
    "firmness": nodal_manifold.firmness,
    "enter": nodal.enter,
    "mismatch": nodal_manifold.mismatch,
    "gaps": nodal_manifold.gaps,
    "prepare": nodal_manifold.prepare,
    "project": nodal_manifold.project,
    "bend": nodal_manifold.bend,
    "energy": nodal_manifold.energy,
    "energy_slope": nodal_manifold.energy_slope,
    "keep_momentum": nodal_momentum.keep_momentum,
    "crossing": nodal_events.crossing,
    "margin": nodal_events.margin,
    "due": nodal_events.due,
    "strike": nodal_switching.strike,
}
"""What a stepper or a correction may ask of a plant's tables. A formulation is one more set of these."""


class VerbSet(NamedTuple):
    """The functions of `taut.dynamics.verbs`, the one that reads outputs off states, and a name for them."""

    name: str
    verbs: Mapping[str, Callable[..., Any]]
    observe: Callable[..., None]


def verb_set(*, moved: bool, iterative: bool, thick: bool) -> VerbSet:
    """moved: supports. iterative: linear systems. thick: bars whose mass matrix changes with their shape."""
    if not (moved or iterative or thick):
        return VerbSet("nodal", NODAL_VERBS, nodal_outputs.observe)
    if moved:
        from taut.mechanics import moved_verbs as special
    elif iterative:
        from taut.mechanics import iterative_verbs as special  # type: ignore[no-redef]
    else:
        from taut.mechanics import thick_verbs as special  # type: ignore[no-redef]
    kind = "iterative" if iterative else "thick" if thick else "plain"
    verbs, observe = special.SETS[kind]
    return VerbSet(f"nodal{'_moved' if moved else ''}_{kind}", {**NODAL_VERBS, **verbs}, observe)
