"""What a run stands on, in a film: grounds, the shadow of the structure on them, footprints and contact forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.output.contact_places import contact_places, footprints, grounds_of, usual_force
from taut.output.ground_heights import heights_below
from taut.output.page.content import common_bounds
from taut.output.page.grounds import ground_triangles
from taut.output.palette import CONTACT, GROUND, SHADOW
from taut.structure.grounds import Box, Ground, Plane

PIECES = 12
"""Parts of a member's shadow, each of which falls on what is below it."""

ARROW = 0.16
"""Of the size of a structure: the longest arrow of a contact force."""

RING, SIDES = 0.018, 20
"""Of the size of a structure: the radius of a footprint; and how many corners it has."""


class FilmGround:
    """Drawn under the lines of a film, and forces over them; nothing where a run has no ground.

    runs: all of the film. axes: right, up, near, (3,) each, of the picture. pieces: (m, 2) nodes of all lines of the
    run. widths: (m,) [pt]. before: those that were made for the runs before; what they draw is not drawn again.
    """

    def __init__(
        self,
        run: Trajectory,
        runs: Sequence[Trajectory],
        ax: Any,
        axes: tuple[np.ndarray, np.ndarray, np.ndarray],
        pieces: np.ndarray,
        widths: Any,
        before: Sequence[FilmGround] = (),
    ) -> None:
        from matplotlib.collections import LineCollection, PolyCollection

        self.run, self.pieces, self.widths = run, pieces, widths
        self.right, self.up, self.near = axes
        self.grounds = grounds_of(run)
        if not self.grounds:
            return
        self.size = float(np.linalg.norm(np.ptp(run.nodes[0], axis=0)))
        known = [(ground.shape, ground.radius) for one in before for ground in one.grounds]
        fresh = [ground for ground in self.grounds if (ground.shape, ground.radius) not in known]
        self.triangles, tones = self._surfaces(fresh, common_bounds(runs))
        look = {"facecolors": tones, "edgecolors": tones, "linewidths": 0.4}
        self.surface = ax.add_collection(PolyCollection([], zorder=0.1, **look))
        self.rims = ax.add_collection(LineCollection([], colors=SHADOW, alpha=0.16, capstyle="butt", zorder=0.3))
        self.shadow = ax.add_collection(LineCollection([], colors=SHADOW, alpha=0.28, capstyle="butt", zorder=0.31))
        self.places = contact_places(run)
        self.prints = footprints(run, self.places)
        self.rings = ax.add_collection(LineCollection([], colors=CONTACT, linewidths=1.3, zorder=0.4))
        self.arrows = ax.add_collection(LineCollection([], colors=CONTACT, linewidths=2.2, capstyle="round", zorder=4))
        forces = [usual_force(one.contact_force) for one in runs]
        self.usual, exceeded = max(usual for usual, _ in forces), any(beyond for _, beyond in forces)
        if self.usual > 0.0 and not any(one.grounds for one in before):
            told = f"contact forces, longest {self.usual:.3g} N{' and more' if exceeded else ''}; rings: footprints"
            small = 10.5 * max(ax.figure.get_size_inches()[1] * ax.figure.dpi / 720.0, 0.65)
            ax.text(
                0.25 if len(runs) == 1 else 0.025,
                0.0853,
                told,
                transform=ax.transAxes,
                fontsize=small,
                color=CONTACT,
                va="bottom",
            )
        ends, angles = np.zeros((0, SIDES + 1, 3)), np.linspace(0.0, 2.0 * np.pi, SIDES + 1)
        for x, y, z, _, *out in self.prints:
            one = np.cross(out, np.eye(3)[int(np.argmin(np.abs(out)))])
            one /= np.linalg.norm(one)
            ring = np.outer(np.cos(angles), one) + np.outer(np.sin(angles), np.cross(out, one))
            ends = np.concatenate([ends, (np.array([x, y, z]) + RING * self.size * ring)[None]])
        self.circles = ends

    def draw(self, time: float, nodes: np.ndarray, rows: tuple[int, int, float], shift: np.ndarray) -> None:
        """As it is at a time between two samples: rows are both and the share of the second."""
        if not self.grounds:
            return
        self.surface.set_verts(self._flat(self.triangles, shift))
        self._cast(nodes, shift)
        self.rings.set_segments(self._flat(self.circles[self.prints[:, 3] <= time], shift))
        if not self.run.contact_force.shape[1]:  # not kept
            return
        before, after, share = rows
        force = (1.0 - share) * self.run.contact_force[before] + share * self.run.contact_force[after]
        force = force[self.places.column]
        size = np.linalg.norm(force, axis=1)
        along = (1.0 - share) * self.places.share[before] + share * self.places.share[after]
        first, second = nodes[self.places.ends[:, 0]], nodes[self.places.ends[:, 1]]
        tails = first + along[:, None] * (second - first)
        there = size > 0.0
        scale = ARROW * self.size / np.maximum(size, self.usual or 1.0)
        tips = tails + scale[:, None] * force
        self.arrows.set_segments(_arrows(self._flat(np.stack([tails, tips], axis=1)[there], shift)))

    def _flat(self, places: np.ndarray, shift: np.ndarray) -> np.ndarray:
        """(..., 2) in the picture."""
        return np.stack([(places - shift) @ self.right, (places - shift) @ self.up], axis=-1)

    def _surfaces(self, grounds: list[Ground], bounds: list[list[float]]) -> tuple[np.ndarray, np.ndarray]:
        """Triangles that face the viewer, from far to near, planes first; and their colours: darker where they are
        steep."""
        from matplotlib.colors import to_rgb

        found = [np.zeros((0, 3, 3))]
        for ground in sorted(grounds, key=self._layer):
            triangles = ground_triangles([ground], bounds)
            if isinstance(ground.shape, Box):
                out = triangles.mean(axis=1) - np.array(ground.shape.centre)
                normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
                facing = np.einsum("ki,ki->k", normals, out) * (normals @ self.near)
                triangles = triangles[facing > 0.0]
            found.append(triangles[np.argsort((triangles @ self.near).mean(axis=1), kind="stable")])
        triangles = np.concatenate(found)
        normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        light = 0.88 + 0.12 * np.abs(normals[:, 2]) - 0.05 * np.abs(normals[:, 0])
        return triangles, np.outer(light, to_rgb(GROUND))

    def _layer(self, ground: Ground) -> tuple[int, float]:
        """Planes lie behind all, boxes before one another by their middles."""
        if isinstance(ground.shape, Box):
            return 2, float(np.array(ground.shape.centre) @ self.near)
        return (0, 0.0) if isinstance(ground.shape, Plane) else (1, 0.0)

    def _cast(self, nodes: np.ndarray, shift: np.ndarray) -> None:
        """The vertical shadow of every line, in as many parts as it falls on."""
        shares = np.linspace(0.0, 1.0, PIECES + 1)
        first, second = nodes[self.pieces[:, 0], None], nodes[self.pieces[:, 1], None]
        points = first + shares[:, None] * (second - first)
        points[..., 2] = heights_below(self.grounds, points.reshape(-1, 3)).reshape(points.shape[:2])
        with np.errstate(invalid="ignore"):
            fall = np.abs(np.diff(points[..., 2], axis=1))
        length = np.linalg.norm(np.diff(points[..., :2], axis=1), axis=2)
        broken = ~(fall <= 2.0 * length + 0.02 * self.size)  # over an edge, or where there is no ground
        flat = self._flat(np.where(np.isfinite(points), points, 0.0), shift)
        lines, widths = [], []
        for member, width in enumerate(self.widths):
            for part in np.split(np.arange(PIECES + 1), np.flatnonzero(broken[member]) + 1):
                if part.size > 1:
                    lines.append(flat[member, part])
                    widths.append(width)
        for drawn, wider in ((self.rims, 2.6), (self.shadow, 1.3)):
            drawn.set_segments(lines)
            drawn.set_linewidth(wider * np.array(widths))


def _arrows(shafts: np.ndarray) -> list[np.ndarray]:
    """Lines (k, 2, 2) with heads: each a shaft and two strokes."""
    found: list[np.ndarray] = []
    for tail, tip in shafts:
        way = tip - tail
        beside = np.array([-way[1], way[0]])
        found += [np.array([tail, tip])]
        found += [np.array([tip - 0.3 * way + side * 0.14 * beside, tip]) for side in (-1.0, 1.0)]
    return found
