"""What all cables of a tree are at a state: those of involute joints, then spans. Events do not ask which is which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from taut.mechanics.trees.plant import TreePlant
    from taut.mechanics.trees.tree_operations import Workspace


class CableStates(NamedTuple):
    """A number of every cable."""

    length: np.ndarray
    stretch: np.ndarray  # how much longer than without force [m]
    stretch_rate: np.ndarray
    pull: np.ndarray  # tension over stiffness by its law when taut [m]
    tension: np.ndarray  # [N]
    strain_rate: np.ndarray


def cable_states(d: Workspace, q: np.ndarray, v: np.ndarray) -> CableStates:
    at, cables = d.equations.standing(q, v), d.equations.cables
    natural = cables.radius * q[cables.angle]
    relaxation = cables.damping / np.where(cables.stiffness > 0.0, cables.stiffness, 1.0)
    own = CableStates(
        at.length,
        at.length - natural,
        at.length_rate - cables.radius * v[cables.angle_rate],
        (at.strain + relaxation * at.strain_rate) * natural,
        at.tension,
        at.strain_rate,
    )
    spans = d.pushes.spans
    if spans is None:
        return own
    d.equations._terms(q, v)
    found = spans.act(q, *d.equations.tree_jacobians())[2]
    relaxation = np.array([span.damping / span.stiffness for span in spans.cables])
    more = CableStates(
        found.length,
        found.length - found.natural,
        found.stretch_rate,
        (found.strain + relaxation * found.strain_rate) * found.natural,
        found.tension,
        found.strain_rate,
    )
    return CableStates(*map(np.concatenate, zip(own, more, strict=True)))


def cable_energies(d: Workspace, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """[J] of every cable."""
    own, spans = d.equations.standing(q, v).energy, d.pushes.spans
    return own if spans is None else np.concatenate([own, spans.energies(q)])


def all_names(plant: TreePlant) -> tuple[str, ...]:
    return (*plant.equations.cable_names, *(span.name for span in plant.tree.spans))


def stiffness_and_damping(plant: TreePlant, number: int) -> tuple[float, float]:
    """E A [N] and mu A [N s] of a cable."""
    cables = plant.equations.cables
    if number < len(cables.names):
        return float(cables.stiffness[number]), float(cables.damping[number])
    span = plant.tree.spans[number - len(cables.names)]
    return span.stiffness, span.damping


def can_go_limp(plant: TreePlant) -> np.ndarray:
    """Whether each cable has a damper that can take all of its tension."""
    cables = plant.equations.cables
    spans = [span.damping > 0.0 for span in plant.tree.spans]
    return np.concatenate([(cables.damping > 0.0) & (cables.consistent > 0.0), np.array(spans, dtype=bool)])


def law_of(d: Workspace, number: int) -> float:
    cables, spans = d.equations.cables, d.pushes.spans
    count = len(cables.names)
    return float(cables.law[number] if spans is None or number < count else spans.law[number - count])


def set_laws(d: Workspace, numbers: Sequence[int] | np.ndarray, laws: Sequence[float] | float) -> None:
    """Give these cables other laws, words of `kernels`."""
    count, spans = len(d.equations.cable_names), d.pushes.spans
    for number, law in np.broadcast(np.asarray(numbers, dtype=np.int64), laws):
        if spans is None or number < count:
            d.equations.cables.law[number] = law
        else:
            spans.law[number - count] = law
