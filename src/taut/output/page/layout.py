"""What a page needs to know of a structure: names, which node goes where, sizes to draw, numbers to show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from taut.output.faces import faces_of
from taut.output.page.embedding import Arrays
from taut.structure.plates import balanced_mass
from taut.structure.properties import bar_mass, cable_length, held_length, lumped_mass, rest_length, stiffness
from taut.structure.records import Cable
from taut.structure.structure import Structure
from taut.structure.topology import class_of


def described(structure: Structure, arrays: Arrays, pulleys: Iterable[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """Nodes, bars, cables, plates, pulleys and supports, by index where the drawing needs them and by name where people
    do. pulleys: beside those at guides, those of a tree of bodies."""
    place = {node: index for index, node in enumerate(structure.nodes)}
    cables = list(structure.cables.values())
    bars = list(structure.bars.values())
    pieces = [(place[a], place[b], k) for k, cable in enumerate(cables) for a, b in pairwise(cable.route)]
    middles, radii = _discs(structure, place, pulleys)
    return {
        "nodes": list(place),
        "bars": {
            "names": [bar.name for bar in bars],
            "ends": arrays.exact(np.array([[place[n] for n in bar.nodes] for bar in bars], dtype=int).reshape(-1, 2)),
            "radius": arrays.exact(np.array([bar.radius or 0.0 for bar in bars], dtype=float)),
            "mass": arrays.exact(np.array([bar_mass(structure, bar) or 0.0 for bar in bars], dtype=float)),
        },
        "cables": {
            "names": [cable.name for cable in cables],
            "pieces": arrays.exact(np.array(pieces, dtype=int).reshape(-1, 3)),
            "rest_length": arrays.exact(np.array([_length_given(structure, c) for c in cables], dtype=float)),
            "stiffness": arrays.exact(np.array([stiffness(structure, c) or 0.0 for c in cables], dtype=float)),
            "law": [cable.law for cable in cables],
        },
        "plates": {
            "names": list(structure.plates),
            "faces": arrays.exact(np.column_stack(faces_of(structure))),
        },
        "pulleys": {"nodes": arrays.exact(middles), "radius": arrays.exact(radii)},
        "supports": [{"node": place[node], "axes": axes} for node, axes in structure.supports.items()],
    }


def _discs(
    structure: Structure, place: Mapping[str, int], pulleys: Iterable[Mapping[str, Any]]
) -> tuple[np.ndarray, np.ndarray]:
    """(p, 3) the node in the middle of each pulley and two more in its plane, and (p,) radii [m]."""
    found = [(*one["nodes"], one["radius"]) for one in pulleys]
    for cable in structure.cables.values():
        found += zip(cable.route[1:], cable.route, cable.route[2:], cable.radii, strict=False)
    round_ones = [(nodes, radius) for *nodes, radius in found if radius]
    rows = [[place[node] for node in nodes] for nodes, _ in round_ones]
    return np.array(rows, dtype=int).reshape(-1, 3), np.array([radius for _, radius in round_ones], dtype=float)


def size_facts(structure: Structure) -> dict[str, str]:
    """The size of a structure in words."""
    mass = float(node_masses(structure).sum())
    return {
        "nodes": str(len(structure.nodes)),
        "bars": str(len(structure.bars)),
        "cables": str(len(structure.cables)),
        **({"plates": str(len(structure.plates))} if structure.plates else {}),
        "class": str(class_of(structure)),
        "mass": f"{mass:.6g} kg",
    }


def _length_given(structure: Structure, cable: Cable) -> float:
    """[m] without force, or at which it is held."""
    return held_length(structure, cable) if cable.mode == "length" else rest_length(structure, cable)


def node_masses(structure: Structure) -> np.ndarray:
    """Mass [kg] that each node stands for when the centre of mass is asked: half of every member at either end."""
    place = {node: index for index, node in enumerate(structure.nodes)}
    masses = np.zeros(len(place))
    for bar in structure.bars.values():
        masses[[place[n] for n in bar.nodes]] += (bar_mass(structure, bar) or 0.0) / 2.0
    for cable in structure.cables.values():
        for node, mass in lumped_mass(structure, cable).items():
            masses[place[node]] += mass
    for plate in structure.plates.values():
        for node, mass in balanced_mass(structure, plate).items():
            masses[place[node]] += mass
    for node, mass in structure.point_masses.items():
        masses[place[node]] += mass
    return masses


def centre_of_mass(structure: Structure, nodes: np.ndarray) -> np.ndarray:
    """(T, 3) [m] from node positions (T, n, 3); the middle of the nodes where no mass is known."""
    masses = node_masses(structure)
    weights = masses if masses.sum() > 0.0 else np.ones(len(masses))
    return np.asarray(np.einsum("tni,n->ti", nodes, weights / max(weights.sum(), 1e-300)))


def tensions_as_placed(structure: Structure) -> np.ndarray:
    """(c,) [N] by the law of each cable at the shape as it stands; not a number where that does not say it."""
    tensions = []
    for cable in structure.cables.values():
        length = cable_length(structure, cable)
        if cable.mode != "spring":
            commanded = {"tension": 1.0, "force_density": length}.get(cable.mode, np.nan)
            tensions.append(commanded * (cable.command or 0.0))
            continue
        known = stiffness(structure, cable)
        pull = np.nan if known is None else known * (length - rest_length(structure, cable))
        tensions.append(max(pull, 0.0) if cable.law == "cable" and known is not None else pull)
    return np.array(tensions, dtype=float)
