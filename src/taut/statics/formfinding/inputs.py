"""The structures that form-finding refuses because no method could help, and the starts it makes up."""

from __future__ import annotations

import numpy as np

from taut.errors import ModelError, OptionError, Problem, listed
from taut.statics.matrices import parts
from taut.statics.network import Network


def whole(network: Network) -> None:
    """Raise ModelError where the structure falls apart or has nothing that could hold it open."""
    structure = network.structure
    names = list(structure.nodes)
    label = parts(network)
    count = int(label.max()) + 1
    held = {label[i] for i, node in enumerate(names) if node in structure.supports}
    if count > 1 and len(held) < count:
        loose = [part for part in range(count) if part not in held]
        shown = [listed([names[i] for i in np.flatnonzero(label == part)]) for part in loose[:3]]
        raise ModelError(
            [
                Problem(
                    ("nodes",),
                    f"the structure is in {count} parts that no member joins, and {len(loose)} of them held by no "
                    f"support: {'; '.join(shown)}; join or support them, or find the form of each part alone",
                )
            ]
        )
    pushing = structure.bars or any(cable.law == "spring" for cable in structure.cables.values())
    if not pushing and not structure.supports:
        raise ModelError(
            [
                Problem(
                    ("bars",),
                    "there are only cables and no supports, so it would shrink to a point; "
                    "add bars, or hold nodes with supported(...)",
                )
            ]
        )
    bodies = [*(("plates", name) for name in structure.plates), *(("angles", name) for name in structure.angles)]
    if bodies:
        message = "form-finding moves every node by itself, and what holds {} would not let it; leave it out"
        raise ModelError([Problem(path, message.format(path[0])) for path in bodies])
    if structure.constraints:
        raise ModelError(
            [
                Problem(("constraints", name), "form-finding takes supports but no linear constraints; leave it out")
                for name in structure.constraints
            ]
        )


def straight(network: Network, method: str) -> None:
    """Raise ModelError where a cable runs over guides: its tension over its length is no force density of segments."""
    bent = [network.names[i] for i in np.flatnonzero(network.routed)]
    if bent:
        message = (
            f'runs over guides, and method "{method}" is about force densities of straight members; find the form with '
            'method "relaxation" or balance(...), or with a straight cable in each of its segments'
        )
        raise ModelError([Problem(("cables", name, "route"), message) for name in bent])


def sprung(network: Network, method: str) -> None:
    """Raise ModelError where a cable has a command instead of a rest length."""
    told = [cable for cable in network.structure.cables.values() if cable.mode != "spring"]
    if told:
        message = f'method "{method}" takes cables with rest lengths; balance(...) finds the form with commands'
        raise ModelError([Problem(("cables", c.name, "mode"), f'is "{c.mode}", and {message}') for c in told])


def free_axes(network: Network) -> list[int]:
    """The axes along which a free-standing structure extends: those along which not every node is held.

    Raises OptionError where nodes are held in any other way, since a free-standing method would let go of them.
    """
    held = np.ones(network.positions.shape, dtype=bool)
    held.ravel()[network.free] = False
    axes = [axis for axis in range(3) if not held[:, axis].all()]
    some = [name for name, row in zip(network.structure.nodes, held, strict=True) if row[axes].any()]
    if some:
        raise OptionError(
            f"{listed(some)} held by supports, and this method is for structures that stand alone; "
            'free them with supported("*", ""), or use method "force_density" or "relaxation"'
        )
    if not axes:
        raise OptionError("every node is held along every axis: there is no form to find")
    return axes


def random_nodes(network: Network, lengths: np.ndarray, seed: int) -> np.ndarray:
    """Places in a cloud as large as the longest member, about the centre of the given nodes; (n, 3) [m]."""
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise OptionError(f"seed = {seed!r} must be a whole number, zero or more")
    cloud = np.random.default_rng(seed).standard_normal(network.positions.shape)
    return np.asarray(network.positions.mean(axis=0) + cloud * lengths.max() / 2.0)
