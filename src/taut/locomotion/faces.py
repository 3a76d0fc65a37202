"""What a robot stands on: nodes that touch the ground, the face below its centre of mass, and how faces follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.dynamics.trajectory import Trajectory, require_kept
from taut.errors import OptionError
from taut.locomotion.course import centre_path, down_of
from taut.reprs import brief
from taut.structure.plates import auxiliary_points
from taut.type_checks import checked_arguments

EVEN = 1e-9
"""Faces whose normals differ by no more lie in one plane, and are one."""

HOLD = 0.1
"""[s] for which a face has to be held to count."""

Face = tuple[str, ...]
"""Nodes, in the structure's order."""


@dataclass(frozen=True)
class Stand:
    """A time [s] on one face: below the centre of mass from begin to end, its nodes on the ground, together or in turn.

    borne: [s] for which all of them were on it together.
    """

    face: Face
    begin: float
    end: float
    borne: float

    __repr__ = brief


def touching_nodes(run: Trajectory) -> np.ndarray:
    """(T, n) whether each node touches a ground; contacts of bars across edges are not counted."""
    if not run.contact_names:
        raise OptionError("this run has no ground; give assemble one, and simulate method='impulses' with a step")
    require_kept(run, "what touches the ground is told", "contact_state")
    place = {name: k for k, name in enumerate(run.structure.nodes)}
    found = np.zeros((run.time.size, len(place)), dtype=bool)
    for column, name in enumerate(run.contact_names):
        node = name.partition(" on ")[0]
        if node in place and ", edge " not in name:
            found[:, place[node]] |= run.contact_state[:, column] != 0
    return found


def base_polygon(run: Trajectory, sample: int = -1) -> tuple[Face, np.ndarray]:
    """The nodes that touch the ground at a sample and span its base, in turn around it, and their places (k, 3) [m].

    Seen along gravity, counter-clockwise from above; nodes inside the base are left out, and so is all where fewer than
    three touch.
    """
    from scipy.spatial import ConvexHull, QhullError

    names = list(run.structure.nodes)
    down, places = down_of(run), run.nodes[sample]
    touched = np.flatnonzero(touching_nodes(run)[sample])
    side = _sideways(down)
    try:
        order = touched[ConvexHull(places[touched] @ side.T).vertices] if touched.size > 2 else touched[:0]
    except QhullError:  # all in a line
        order = touched[:0]
    return tuple(names[k] for k in order), places[order]


def faces_below(run: Trajectory) -> list[Face]:
    """Of every sample, the face of the nodes' convex hull that is met on the way straight down from the centre of mass.

    A face is a triangle, or all triangles that lie in one plane. It is told whether it touches the ground or not; where
    all nodes lie in one plane, as those of a robot that has collapsed, there is none.
    """
    names = list(run.structure.nodes)
    return [tuple(names[k] for k in np.flatnonzero(row)) for row in nodes_below(run)]


def nodes_below(run: Trajectory) -> np.ndarray:
    """(T, n) whether each node is one of the face below the centre of mass."""
    from taut.numerics.hull_faces import fill_faces_below

    if not run.time.size:
        raise OptionError("this run has no samples, which went to a sink; read them from there")
    down = down_of(run)
    frame = np.vstack([_sideways(down), -down])
    apart = auxiliary_points(run.structure)
    outside = [k for k, node in enumerate(run.structure.nodes) if node not in apart]
    seen = np.ascontiguousarray((run.nodes[:, outside] - centre_path(run)[:, None]) @ frame.T)
    marked = np.zeros(seen.shape[:2], dtype=np.int64)
    fill_faces_below(seen.reshape(len(seen), -1), EVEN, marked)
    found = np.zeros(run.nodes.shape[:2], dtype=bool)
    found[:, outside] = marked == 1
    return found


def _sideways(down: np.ndarray) -> np.ndarray:
    """(2, 3) directions across the way down, counter-clockwise seen from above."""
    side = np.linalg.svd(down[None])[2][1:]
    return np.asarray(side if np.linalg.det(np.vstack([side, -down])) > 0.0 else side[::-1])


@checked_arguments
def stands(run: Trajectory, *, hold: float = HOLD) -> tuple[Stand, ...]:
    """The faces that a robot stood on, one after another, no face twice in a row.

    A face counts where it is below the centre of mass for `hold` seconds without a break, so that wobbling over an edge
    does not, and where each of its nodes touches the ground at some instant of them, so that flight and balancing on a
    node do not. What rolls fast seldom has all of them down together. Known to the time between samples.
    """
    if not hold >= 0.0:
        raise OptionError(f"stands: hold = {hold:g} s must be zero or more")
    below, touched, names = nodes_below(run), touching_nodes(run), list(run.structure.nodes)
    ends = (1 + np.flatnonzero((below[1:] != below[:-1]).any(axis=1))).tolist()
    found: list[Stand] = []
    for first, last in zip([0, *ends], [*ends, len(below)], strict=True):
        until, nodes = min(last, len(below) - 1), np.flatnonzero(below[first])
        begin, end = float(run.time[first]), float(run.time[until])
        down = touched[first:last][:, nodes]
        if not nodes.size or end - begin < hold or not down.any(axis=0).all():
            continue
        face = tuple(names[k] for k in nodes)
        bore = float(down.all(axis=1).mean() * (end - begin))
        if found and found[-1].face == face:
            found[-1] = Stand(face, found[-1].begin, end, found[-1].borne + bore)
        else:
            found.append(Stand(face, begin, end, bore))
    return tuple(found)
