"""What hangs on what: the class of a structure and its connected parts."""

from __future__ import annotations

from collections import Counter

from taut.structure.structure import Structure


def class_of(structure: Structure) -> int:
    """The largest number of bars that meet in one node; a tensegrity of class 1 has no bar touching another."""
    ends = Counter(node for bar in structure.bars.values() for node in bar.nodes)
    return max(ends.values(), default=0)


def parts(structure: Structure) -> list[list[str]]:
    """Nodes that hang together through bars, cables and constraints, the largest part first."""
    leader = {node: node for node in structure.nodes}

    def find(node: str) -> str:
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    links: list[tuple[str, ...]] = [bar.nodes for bar in structure.bars.values()]
    links += [cable.route for cable in structure.cables.values()]
    links += [tuple(node for node, _, _ in c.terms) for c in structure.constraints.values()]
    for nodes in links:
        for node in nodes[1:]:
            leader[find(node)] = find(nodes[0])
    gathered: dict[str, list[str]] = {}
    for node in structure.nodes:
        gathered.setdefault(find(node), []).append(node)
    return sorted(gathered.values(), key=len, reverse=True)
