"""The operations of trees that strike rigid grounds: those of all trees, with what steps with impulses ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from taut.mechanics.trees import embedding as on_sphere
from taut.mechanics.trees.contact.tree_impulses import IMPULSES, look
from taut.mechanics.trees.tree_operations import OPERATIONS, Workspace, prepare_projection, pushed


def prepare_both(d: Workspace, y: np.ndarray) -> int:
    """For corrections, and for impulses."""
    look(d, y[: d.n])
    return prepare_projection(d, y)


def noted_forces(d: Workspace, t: float, y: np.ndarray, out: np.ndarray) -> float:
    """The same as `forces`; what acted is kept, by which bounces are bounded."""
    _, _, q, v = d.split(y)
    force, watts = pushed(d, t, y, q, v, d.equations._terms(q, v))
    d.striking.note(q, v, force)
    out[: d.n] = on_sphere.matrix(d.embedding, y[: d.n]).T @ force
    return watts


STRIKING: Mapping[str, Callable[..., Any]] = {
    **OPERATIONS,
    **{operation.__name__: operation for operation in IMPULSES},
    "prepare_projection": prepare_both,
    "forces": noted_forces,
}
"""Of trees that strike rigid grounds."""
