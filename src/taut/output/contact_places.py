"""Where a run touches its grounds: the place of every contact over time, and the footprints that they leave."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.output.ground_heights import terrain_heights
from taut.structure.ground_facts import grounds_from
from taut.structure.grounds import Box, Ground, Plane

MOST_FOOTPRINTS = 2000
"""Of more only the last are kept."""

APART = 0.02
"""Of the size of a structure: how far a contact slides until it leaves another footprint."""

USUAL = 3.0
"""The longest arrow of a contact force stands for so many times the median of all that act, or for the largest."""

EDGE = ", edge "


@dataclass(frozen=True)
class ContactPlaces:
    """k contacts that were closed at some sample, of those that there could be.

    column: (k,) of each in `run.contact_names`. ends: (k, 2) two nodes, the same one twice where it is no bar's.
    share: (T, k) how far between them it is, 0 to 1. ground: the ground of each.
    """

    column: np.ndarray
    ends: np.ndarray
    share: np.ndarray
    ground: tuple[Ground, ...]

    def at(self, nodes: np.ndarray) -> np.ndarray:
        """(T, k, 3) [m] with nodes at (T, n, 3)."""
        first, second = nodes[:, self.ends[:, 0]], nodes[:, self.ends[:, 1]]
        return np.asarray(first + self.share[..., None] * (second - first))


def grounds_of(run: Trajectory) -> list[Ground]:
    """What a run stood on."""
    return grounds_from(run.options.get("ground", ()))


def closed(run: Trajectory) -> np.ndarray:
    """(T, p) whether each contact is closed at each sample."""
    acting = np.any(run.contact_force != 0.0, axis=2)
    if acting.shape != run.contact_state.shape:  # one of them was not kept
        return acting if acting.shape[1] else np.asarray(run.contact_state > 0.0)
    return np.asarray((run.contact_state > 0.0) | acting)


def usual_force(forces: np.ndarray) -> tuple[float, bool]:
    """What the longest arrow of contact forces (T, p, 3) stands for [N], and whether some are larger.

    Impacts would leave nothing to see of what carries a weight.
    """
    sizes = np.linalg.norm(np.where(np.isfinite(forces), forces, 0.0), axis=2)
    sizes = sizes[sizes > 0.0]
    largest, usual = float(sizes.max(initial=0.0)), USUAL * float(np.median(sizes)) if sizes.size else 0.0
    return min(largest, usual), usual < largest


def ground_forces(run: Trajectory) -> dict[str, np.ndarray]:
    """(T,) [N] of each ground that was touched: the size of the force of all its contacts together."""
    grounds, found = grounds_of(run), dict[str, np.ndarray]()
    for column in np.flatnonzero(closed(run).any(axis=0)).tolist() if run.contact_force.shape[1] else ():
        ground = _told(run.contact_names[column], grounds)[1]
        name = ground.name if ground is not None else run.contact_names[column].rpartition(" on ")[2]
        found[name] = found.get(name, 0.0) + run.contact_force[:, column]
    return {name: np.asarray(np.linalg.norm(force, axis=1)) for name, force in found.items()}


def contact_places(run: Trajectory) -> ContactPlaces:
    """Nodes where they are, and bars across an edge where they are nearest to it."""
    node = {name: k for k, name in enumerate(run.structure.nodes)}
    grounds = grounds_of(run)
    kept: list[tuple[int, tuple[int, int], np.ndarray, Ground]] = []
    for column in np.flatnonzero(closed(run).any(axis=0)).tolist():
        what, ground, edge = _told(run.contact_names[column], grounds)
        if ground is None:
            continue
        if edge is None and what in node:
            kept.append((column, (node[what], node[what]), np.zeros(run.time.size), ground))
        elif edge is not None and what in run.structure.bars and isinstance(ground.shape, Box):
            a, b = (node[end] for end in run.structure.bars[what].nodes)
            kept.append((column, (a, b), _nearest(run.nodes[:, a], run.nodes[:, b], ground.shape.edges[edge]), ground))
    return ContactPlaces(
        np.array([one[0] for one in kept], dtype=int),
        np.array([one[1] for one in kept], dtype=int).reshape(-1, 2),
        np.array([one[2] for one in kept]).reshape(len(kept), run.time.size).T,
        tuple(one[3] for one in kept),
    )


def _told(name: str, grounds: list[Ground]) -> tuple[str, Ground | None, int | None]:
    """What a contact's name says: "a on floor" is of a node, "ab on step, edge 6" of a bar across an edge."""
    for ground in grounds:
        if name.endswith(f" on {ground.name}"):
            return name.removesuffix(f" on {ground.name}"), ground, None
        before, found, number = name.rpartition(f" on {ground.name}{EDGE}")
        if found and number.isdigit():
            return before, ground, int(number) - 1
    return name, None, None


def _nearest(first: np.ndarray, second: np.ndarray, edge: np.ndarray) -> np.ndarray:
    """(T,) how far along bars (T, 3) each, 0 to 1, they are nearest to the line of an edge."""
    along = edge[1] - edge[0]
    across = np.cross(second - first, along)
    size = np.einsum("ti,ti->t", across, across)
    share = np.einsum("ti,ti->t", np.cross(edge[0] - first, along), across) / np.where(size > 0.0, size, np.inf)
    return np.asarray(np.clip(share, 0.0, 1.0))


def footprints(run: Trajectory, places: ContactPlaces) -> np.ndarray:
    """(f, 7) where and when contacts came to be: x, y, z [m], the time [s], and the direction out of the ground.

    One for every touching down, and one more wherever a contact has gone a little further.
    """
    at, shut = places.at(run.nodes), closed(run)[:, places.column]
    size = float(np.linalg.norm(np.ptp(run.nodes[0], axis=0))) if run.time.size else 0.0
    found = []
    for k, ground in enumerate(places.ground):
        last = None
        for row in np.flatnonzero(shut[:, k]).tolist():
            fresh = row == 0 or not shut[row - 1, k]
            if last is None or fresh or np.linalg.norm(at[row, k] - last) > APART * size:
                last = at[row, k]
                out = outwards(ground, last)
                found.append([*(last - ground.radius * out), run.time[row], *out])
    ordered = np.array(sorted(found, key=lambda one: one[3]), dtype=float).reshape(-1, 7)
    return ordered[-MOST_FOOTPRINTS:]


def outwards(ground: Ground, place: np.ndarray) -> np.ndarray:
    """The direction out of a ground at a place on it."""
    shape = ground.shape
    if isinstance(shape, Box):
        own = shape.axes @ (place - np.array(shape.centre))
        axis = int(np.argmax(np.abs(own) - 0.5 * np.array(shape.size)))
        return np.asarray((1.0 if own[axis] >= 0.0 else -1.0) * shape.axes[axis])
    if isinstance(shape, Plane):
        return np.asarray(np.array(shape.normal) / np.linalg.norm(shape.normal))
    small = 1e-3 * min(shape.spacing)
    (x, y, _), steps = place, np.array([[small, 0.0], [-small, 0.0], [0.0, small], [0.0, -small]])
    right, left, behind, before = terrain_heights(shape, np.array([x, y]) + steps)
    normal = np.array([left - right, before - behind, 2.0 * small])
    return np.asarray(normal / np.linalg.norm(normal))
