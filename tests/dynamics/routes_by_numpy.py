"""Forces of cables over guides, written down again: every stretch by itself, for complex places too."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from taut import Cable, Structure
from taut.structure.properties import rest_length


def _unit(way: np.ndarray) -> np.ndarray:
    return np.asarray(way / np.sqrt(np.sum(way * way)))


def _towards(node: np.ndarray, centre: np.ndarray, other: np.ndarray, r: float) -> np.ndarray:
    """The unit vector along a cable from a node to where it touches a pulley, on the side away from the other node."""
    out = node - centre
    far = np.sqrt(np.sum(out * out))
    e = out / far
    aside = other - centre
    aside = _unit(aside - np.sum(aside * e) * e)  # in the plane, towards the other node
    touch = centre + r * (r / far * e - np.sqrt(1.0 - (r / far) ** 2) * aside)
    return _unit(touch - node)


def _wrapped(places: np.ndarray, index: dict[str, int], cable: Cable, k: int) -> complex:
    """What a pulley adds to the polygon: tangents and the arc between their ends, less the two stretches."""
    a, c, b = (places[index[node]] for node in cable.route[k : k + 3])
    r, ways = cable.radii[k], [_towards(a, c, b, cable.radii[k]), -_towards(b, c, a, cable.radii[k])]
    flat = [np.sqrt(np.sum((node - c) ** 2)) for node in (a, b)]
    turn = 2.0 * np.arcsin(np.sqrt(np.sum((ways[0] - ways[1]) ** 2)) / 2.0)  # less than half a turn
    if np.real(np.sum(np.cross(a - c, b - c) * np.cross(ways[0], ways[1]))) > 0.0:
        turn = 2.0 * np.pi - turn
    return sum(np.sqrt(f**2 - r**2) - f for f in flat) + r * turn  # type: ignore[no-any-return]


def route_forces(structure: Structure, q: np.ndarray) -> np.ndarray:
    """(3 n,) [N] of all cables at places q (3 n,), which may be complex."""
    index = {name: i for i, name in enumerate(structure.nodes)}
    places, out = q.reshape(-1, 3), np.zeros((len(index), 3), dtype=q.dtype)
    for cable in structure.cables.values():
        ends = [(index[a], index[b]) for a, b in pairwise(cable.route)]
        spans = [places[b] - places[a] for a, b in ends]
        lengths = [np.sqrt(np.sum(span * span)) for span in spans]
        whole = sum(lengths) + sum(_wrapped(places, index, cable, k) for k, r in enumerate(cable.radii) if r > 0.0)
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
        for k, r in enumerate(cable.radii):
            if r > 0.0:
                a, c, b = (index[node] for node in cable.route[k : k + 3])
                for node, other in ((a, b), (b, a)):
                    pull = _towards(places[node], places[c], places[other], r) - _unit(places[c] - places[node])
                    out[node] += tension * pull
                    out[c] -= tension * pull
    return out.ravel()
