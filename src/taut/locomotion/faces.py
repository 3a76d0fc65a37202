"""What a robot stands on: nodes that touch the ground, the face below its centre of mass, and how faces follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError
from taut.locomotion.course import centre_path, down_of
from taut.reprs import brief
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
    side = np.linalg.svd(down[None])[2][1:]
    if np.linalg.det(np.vstack([side, -down])) < 0.0:
        side = side[::-1]
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
    from scipy.spatial import ConvexHull, QhullError

    down, centres, names = down_of(run), centre_path(run), list(run.structure.nodes)
    found: list[Face] = []
    for places, centre in zip(run.nodes, centres, strict=True):
        try:
            hull = ConvexHull(places)
        except QhullError:
            found.append(())
            continue
        normals, offsets = hull.equations[:, :3], hull.equations[:, 3]
        outwards = normals @ down
        with np.errstate(divide="ignore", invalid="ignore"):
            away = np.where(outwards > 0.0, -(normals @ centre + offsets) / outwards, np.inf)
        lowest = int(away.argmin())
        even = np.abs(hull.equations - hull.equations[lowest]).max(axis=1) < EVEN
        found.append(tuple(names[k] for k in np.unique(hull.simplices[even])))
    return found


@checked_arguments
def stands(run: Trajectory, *, hold: float = HOLD) -> tuple[Stand, ...]:
    """The faces that a robot stood on, one after another, no face twice in a row.

    A face counts where it is below the centre of mass for `hold` seconds without a break, so that wobbling over an edge
    does not, and where each of its nodes touches the ground at some instant of them, so that flight and balancing on a
    node do not. What rolls fast seldom has all of them down together. Known to the time between samples.
    """
    if not hold >= 0.0:
        raise OptionError(f"stands: hold = {hold:g} s must be zero or more")
    faces, touched = faces_below(run), touching_nodes(run)
    place = {name: k for k, name in enumerate(run.structure.nodes)}
    ends = [k for k in range(1, len(faces)) if faces[k] != faces[k - 1]]
    found: list[Stand] = []
    for first, last in zip([0, *ends], [*ends, len(faces)], strict=True):
        face, until = faces[first], min(last, len(faces) - 1)
        begin, end = float(run.time[first]), float(run.time[until])
        down = touched[first:last][:, [place[node] for node in face]]
        if not face or end - begin < hold or not down.any(axis=0).all():
            continue
        bore = float(down.all(axis=1).mean() * (end - begin))
        if found and found[-1].face == face:
            found[-1] = Stand(face, found[-1].begin, end, found[-1].borne + bore)
        else:
            found.append(Stand(face, begin, end, bore))
    return tuple(found)
