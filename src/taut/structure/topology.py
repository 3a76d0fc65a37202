"""What is joined to what: the class of a structure and its connected parts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

from taut.structure.plates import points_of
from taut.structure.structure import Structure


def class_of(structure: Structure) -> int:
    """The largest number of bars and plates that meet in one node; in a tensegrity of class 1 no two of them touch."""
    ends = Counter(node for bar in structure.bars.values() for node in bar.nodes)
    ends.update(node for plate in structure.plates.values() for node in plate.nodes)
    return max(ends.values(), default=0)


def parts(structure: Structure) -> list[list[str]]:
    """Nodes that hang together through bars, cables, plates and constraints, the largest part first."""
    leader = {node: node for node in structure.nodes}

    def find(node: str) -> str:
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    links: list[tuple[str, ...]] = [bar.nodes for bar in structure.bars.values()]
    links += [cable.route for cable in structure.cables.values()]
    links += [points_of(structure, plate) for plate in structure.plates.values()]
    links += [tuple(node for node, _, _ in c.terms) for c in structure.constraints.values()]
    for nodes in links:
        for node in nodes[1:]:
            leader[find(node)] = find(nodes[0])
    gathered: dict[str, list[str]] = {}
    for node in structure.nodes:
        gathered.setdefault(find(node), []).append(node)
    return sorted(gathered.values(), key=len, reverse=True)


def ordered(structure: Structure) -> Structure:
    """The same structure with neighbouring nodes next to each other, and members in the order of their nodes.

    By reverse Cuthill and McKee (1969). A processor works faster on what lies close together.
    """
    import numpy as np
    import scipy.sparse as sp
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    index = {node: i for i, node in enumerate(structure.nodes)}
    routes = [bar.nodes for bar in structure.bars.values()] + [cable.route for cable in structure.cables.values()]
    routes += [points_of(structure, plate) for plate in structure.plates.values()]
    steps = [(index[a], index[b]) for route in routes for a, b in pairwise(route)]
    first, last = np.array(steps, dtype=np.int64).reshape(-1, 2).T
    links = sp.csr_matrix((np.ones(first.size), (first, last)), shape=(len(index), len(index)))
    names = list(structure.nodes)
    sequence = [names[i] for i in reverse_cuthill_mckee(sp.csr_matrix(links + links.T), symmetric_mode=True)]
    rank = {node: i for i, node in enumerate(sequence)}
    return replace(
        structure,
        nodes={node: structure.nodes[node] for node in sequence},
        bars={b.name: b for b in sorted(structure.bars.values(), key=lambda b: min(rank[n] for n in b.nodes))},
        cables={c.name: c for c in sorted(structure.cables.values(), key=lambda c: min(rank[n] for n in c.route))},
    )
