"""What a learner sees and what it is rewarded for: quantities by name, of all copies at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError, suggestion
from taut.numerics.hull_faces import fill_faces_below

EVEN = 1e-9
"""How near the plane of a face a node belongs to it [m]."""

TOUCHING = 1e-4
"""[m] above a level floor below which a node counts as touching it."""


class Seen(NamedTuple):
    """N copies of a robot with n nodes and m actuators, now; and what was before the last step."""

    nodes: np.ndarray  # (N, n, 3) [m]
    velocities: np.ndarray  # (N, n, 3) [m/s]
    commands: np.ndarray  # (N, m) [m] changes of length
    phase: np.ndarray  # (N,) [rad] of the clock
    centre_before: np.ndarray  # (N, 3) [m]
    commands_before: np.ndarray  # (N, m)
    weights: np.ndarray  # (n,) shares of the nodes in the mass

    @property
    def centre(self) -> np.ndarray:
        """(N, 3) of mass [m]."""
        return np.asarray(np.einsum("kni,n->ki", self.nodes, self.weights))


def _relative(seen: Seen) -> np.ndarray:
    return np.asarray(seen.nodes - seen.centre[:, None])


def below(seen: Seen) -> np.ndarray:
    """(N, n) 1 for the nodes of the face below the centre of mass, 0 for others."""
    found = np.zeros(seen.nodes.shape[:2], dtype=np.int64)
    fill_faces_below(np.ascontiguousarray(_relative(seen)).reshape(len(found), -1), EVEN, found)
    return found.astype(float)


OBSERVATIONS: Mapping[str, Callable[[Seen], np.ndarray]] = {
    "nodes": lambda seen: _relative(seen).reshape(len(seen.nodes), -1),
    "velocities": lambda seen: seen.velocities.reshape(len(seen.nodes), -1),
    "centre": lambda seen: seen.centre,
    "centre_velocity": lambda seen: np.einsum("kni,n->ki", seen.velocities, seen.weights),
    "heights": lambda seen: seen.nodes[:, :, 2],
    "face": below,
    "touch": lambda seen: (seen.nodes[:, :, 2] < TOUCHING).astype(float),
    "commands": lambda seen: seen.commands,
    "clock": lambda seen: np.stack([np.sin(seen.phase), np.cos(seen.phase)], axis=1),
}
"""Each gives (N, k): nodes about the centre of mass [m], their velocities [m/s], the centre and its velocity, heights
[m], the nodes of the face below, those on the floor, commands [m], sine and cosine of the clock."""

REWARDS: Mapping[str, Callable[[Seen], np.ndarray]] = {
    "forward": lambda seen: (seen.centre - seen.centre_before)[:, 0],
    "sideways": lambda seen: np.abs((seen.centre - seen.centre_before)[:, 1]),
    "way": lambda seen: np.linalg.norm((seen.centre - seen.centre_before)[:, :2], axis=1),
    "effort": lambda seen: np.abs(seen.commands - seen.commands_before).sum(axis=1),
    "height": lambda seen: seen.centre[:, 2],
}
"""Each gives (N,): the way of the centre of mass along x in the step, across it, along the floor, the change of all
commands, all in [m]; and how high the centre is [m]."""


def check_names(what: str, names: Sequence[str], known: Mapping[str, object]) -> None:
    """Raises OptionError on a name that is none, and where there are none at all."""
    if not names:
        raise OptionError(f"{what}: name at least one of {', '.join(known)}")
    for name in names:
        if name not in known:
            raise OptionError(f'{what}: "{name}" is none{suggestion(name, known)}; there are {", ".join(known)}')


def observed(seen: Seen, names: Sequence[str]) -> np.ndarray:
    """(N, k) quantities side by side."""
    return np.concatenate([OBSERVATIONS[name](seen) for name in names], axis=1).astype(np.float32)


def rewarded(seen: Seen, weights: Mapping[str, float]) -> np.ndarray:
    """(N,) the sum of weight times quantity."""
    return np.asarray(sum(weight * REWARDS[name](seen) for name, weight in weights.items()))
