"""Forces of cables over guides, written down again: every stretch by itself, for complex places too."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from taut import Structure
from taut.structure.properties import rest_length


def route_forces(structure: Structure, q: np.ndarray) -> np.ndarray:
    """(3 n,) [N] of all cables at places q (3 n,), which may be complex."""
    index = {name: i for i, name in enumerate(structure.nodes)}
    places, out = q.reshape(-1, 3), np.zeros((len(index), 3), dtype=q.dtype)
    for cable in structure.cables.values():
        ends = [(index[a], index[b]) for a, b in pairwise(cable.route)]
        spans = [places[b] - places[a] for a, b in ends]
        lengths = [np.sqrt(np.sum(span * span)) for span in spans]
        whole = sum(lengths)
        if cable.mode == "tension":
            tension = cable.command
        elif cable.mode == "force_density":
            tension = cable.command * whole
        else:
            stretch = whole - rest_length(structure, cable)
            tension = cable.stiffness * stretch if np.real(stretch) > 0.0 else 0.0
        for (a, b), span, length in zip(ends, spans, lengths, strict=True):
            out[a] += tension * span / length
            out[b] -= tension * span / length
    return out.ravel()
