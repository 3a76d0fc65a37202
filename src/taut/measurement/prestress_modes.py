"""Prestress as a few numbers: the self-stress states that chosen cables can bring into a structure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from taut.errors import OptionError, listed
from taut.numerics.subspaces import null_space
from taut.statics.matrices import equilibrium_matrix
from taut.statics.network import network
from taut.structure import properties
from taut.structure.structure import Structure


def prestress_modes(structure: Structure, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """(s, c) tensions of the named cables in each self-stress state, (s,) how much of each there is [N].

    States in which other elastic members keep their force; of rigid bars they may have any. The largest tension of a
    state is 1, so that its number is the force in that cable. Cables between supports have a state each by itself,
    which no other part of the structure knows of: they are left out.
    """
    net = network(structure, elastic=False)
    matrix = equilibrium_matrix(net).tocsc()
    place = {name: k for k, name in enumerate(structure.cables)}
    chosen = np.array([place[name] for name in names])
    rigid = [net.cables + k for k, bar in enumerate(structure.bars.values()) if bar.law == "rigid"]
    rigid += [k for k, cable in enumerate(structure.cables.values()) if cable.mode == "length" and k not in chosen]
    loose = np.flatnonzero(np.diff(matrix.indptr)[chosen] > 0)
    columns = np.concatenate([chosen[loose], np.array(rigid, dtype=np.int64)])
    states = null_space(matrix[:, columns])[: loose.size].T
    _, sizes, ways = np.linalg.svd(states, full_matrices=False)
    count = int(np.count_nonzero(sizes > 1e-9))
    if not count:
        raise OptionError(f"cables {listed(list(names))} have no self-stress state together; choose more of them")
    modes = np.zeros((count, len(names)))
    modes[:, loose] = ways[:count]
    for mode in modes:
        mode /= mode[np.argmax(np.abs(mode))]
        mode *= 1.0 if mode.sum() >= 0.0 else -1.0
    here = np.array([tension_as_drawn(structure, name) for name in names])
    return modes, np.linalg.lstsq(modes[:, loose].T, here[loose], rcond=None)[0]


def tension_as_drawn(structure: Structure, name: str) -> float:
    """[N] of a cable stretched to the distance of its nodes as drawn; a push where it is longer than that."""
    cable = structure.cables[name]
    length = properties.route_length(structure, cable.route)
    return (properties.stiffness(structure, cable) or 0.0) * (length - properties.rest_length(structure, cable))
