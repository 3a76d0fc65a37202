"""Pictures of films by matplotlib, for machines without a browser, and frames of trials.

Drawn with its Agg on flat axes: points are projected here, and lines are laid on one another from far to near, which
is several times faster than its three-dimensional axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.output.faces import faces_of
from taut.output.film.ground import FilmGround
from taut.output.film.shot import VIEWS, Rows, Shot, between, rows_at
from taut.output.palette import BAR, LINES, MUTED, NODE, PLATE, SUPPORT, TEXT
from taut.output.plot.shapes import cable_colours, tension_scale
from taut.structure.records import AXES
from taut.structure.structure import Structure

MANY_NODES = 500
"""Beyond this nodes have no dots, which would lie over the lines before them."""


def pictures(run: Trajectory, times: np.ndarray, *, size: tuple[int, int], view: str = "") -> Iterator[bytes]:
    """The run at these times, each as rows of red, green and blue bytes."""
    canvas = Canvas(Shot({"": run}, size, view))
    for time in times.tolist():
        yield canvas.drawn(time)


class Canvas:
    """A figure that is drawn again and again; only lines, dots and words that change with time do."""

    def __init__(self, shot: Shot) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.collections import LineCollection, PolyCollection
        from matplotlib.colors import to_rgb
        from matplotlib.figure import Figure

        self.shot, size = shot, shot.size
        self.given = ("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}")
        self.runs = list(shot.runs.values())
        yaw, pitch = np.radians(VIEWS[shot.view])
        self.right = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
        self.up = np.array([-np.sin(pitch) * np.cos(yaw), -np.sin(pitch) * np.sin(yaw), np.cos(pitch)])
        self.near = np.array([np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)])
        self.starts = np.cumsum([0, *(len(run.structure.nodes) for run in self.runs)]).tolist()
        own = [_pieces(run.structure) for run in self.runs]
        self.pieces = np.concatenate([ends + at for (ends, _), at in zip(own, self.starts, strict=False)])
        self.cable_of = np.concatenate([cable for _, cable in own])
        self.run_of = np.repeat(np.arange(len(own)), [len(cable) for _, cable in own])
        self.limit = max(float(np.nanmax(run.cable_tension, initial=0.0)) for run in self.runs)
        dpi = 100.0
        self.figure = Figure(figsize=(size[0] / dpi, size[1] / dpi), dpi=dpi, facecolor="white")
        self.canvas = FigureCanvasAgg(self.figure)
        self.ax = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.ax.set_axis_off()
        self._frame()
        crowd = min(1.0, (60.0 * len(own) / max(1, len(self.pieces))) ** 0.25) * size[1] / 720.0
        self.widths = np.where(self.cable_of < 0, 5.5 * crowd, 1.7 * crowd)
        self.grounds = self._grounds()
        tones = [PLATE] if len(own) == 1 else [self._tone(k) for k in range(len(own))]
        faces = [faces_of(run.structure)[0] for run in self.runs]
        self.faces = np.concatenate([part + at for part, at in zip(faces, self.starts, strict=False)])
        self.plate_tones = np.repeat([to_rgb(tone) for tone in tones], [len(part) for part in faces], axis=0)
        self.plates = self.ax.add_collection(PolyCollection([], zorder=1.5, linewidths=0.3))
        self.lines = self.ax.add_collection(LineCollection([], capstyle="round", zorder=2))
        many = max(len(run.structure.nodes) for run in self.runs) > MANY_NODES
        look = {"markersize": 0.0 if many else 5.0 * crowd, "zorder": 3}
        tones = [NODE] if len(own) == 1 else tones
        self.dots = [self.ax.plot([], [], "o", color=tone, **look)[0] for tone in tones]
        (self.held,) = self.ax.plot([], [], "^", color=SUPPORT, markersize=11.0 * crowd, zorder=1)
        self.supported = [
            at + place
            for run, at in zip(self.runs, self.starts, strict=False)
            for place, node in enumerate(run.structure.nodes)
            if any(self._seen(axis) for axis in run.structure.supports.get(node, ""))
        ]
        self._labels()

    def drawn(self, time: float) -> bytes:
        rows = [rows_at(run, time) for run in self.runs]
        own = [between(run.nodes, at) for run, at in zip(self.runs, rows, strict=True)]
        shift = self.shot.drift(np.array([time]))[0]
        nodes = np.concatenate(own)
        flat = np.stack([(nodes - shift) @ self.right, (nodes - shift) @ self.up], axis=1)
        depth = (nodes @ self.near)[self.pieces].mean(axis=1)
        order = np.argsort(depth, kind="stable")
        for ground, places, at in zip(self.grounds, own, rows, strict=True):
            ground.draw(time, places, at, shift)
        self._draw_plates(flat, nodes)
        self.lines.set_segments(flat[self.pieces[order]])
        self.lines.set_color(self._colours(rows)[order].tolist())
        self.lines.set_linewidth(self.widths[order])
        for dots, first, last in zip(self.dots, self.starts, self.starts[1:], strict=False):
            dots.set_data(*flat[first:last].T)
        self.held.set_data(*flat[self.supported].T)
        self.clock.set_text(self.shot.clock(time))
        for label, name in zip(self.names, self.shot.legend(time), strict=False):
            label.set_text(name.replace("$", r"\$"))
        self.canvas.draw()
        return np.asarray(self.canvas.buffer_rgba())[..., :3].tobytes()

    def _seen(self, axis: str) -> bool:
        """Whether it does not point at the viewer."""
        return bool(abs(self.near[AXES.index(axis)]) < 0.99)

    @staticmethod
    def _tone(number: int) -> str:
        """The colour of one of several runs."""
        return LINES[number % len(LINES)]

    def _colours(self, rows: list[Rows]) -> np.ndarray:
        """(m,) of all lines: of several runs each has its own, else cables show their tension."""
        if len(self.runs) > 1:
            return np.array([self._tone(k) for k in range(len(self.runs))], dtype=object)[self.run_of]
        tension = between(self.runs[0].cable_tension, rows[0])
        tones = np.empty(len(tension) + 1, dtype=object)
        tones[:] = [*cable_colours(tension, self.limit or 1.0), BAR]
        return np.asarray(tones[self.cable_of])

    def _grounds(self) -> list[FilmGround]:
        """What each run stands on; a ground that several stand on is drawn once."""
        axes, made = (self.right, self.up, self.near), list[FilmGround]()
        for k, run in enumerate(self.runs):
            own = self.run_of == k
            pieces = self.pieces[own] - self.starts[k]
            made.append(FilmGround(run, self.runs, self.ax, axes, pieces, self.widths[own], made))
        return made

    def _draw_plates(self, flat: np.ndarray, nodes: np.ndarray) -> None:
        """From far to near, lighter where they face the viewer."""
        if not len(self.faces):
            return
        corners = nodes[self.faces]
        order = np.argsort((corners @ self.near).mean(axis=1), kind="stable")
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        facing = np.abs(normals @ self.near) / np.maximum(np.linalg.norm(normals, axis=1), 1e-300)
        tones = (0.7 + 0.3 * facing[order])[:, None] * self.plate_tones[order]
        self.plates.set_verts(flat[self.faces[order]])
        self.plates.set_facecolor(tones)
        self.plates.set_edgecolor(tones)

    def _frame(self) -> None:
        """Set limits that hold all of the runs; or their size, where what travels far is followed."""
        places = [(run.nodes - self.shot.drift(run.time)[:, None]).reshape(-1, 3) for run in self.runs]
        nodes = np.concatenate(places)
        spans = [(float(np.nanmin(nodes @ axis)), float(np.nanmax(nodes @ axis))) for axis in (self.right, self.up)]
        middle = [(low + high) / 2.0 for low, high in spans]
        aspect = self.shot.size[0] / self.shot.size[1]
        # A tenth is left free on every side, at the top more for names of runs and at the bottom for the legend.
        above = 0.15 + (0.1 * self._lettering * len(self.runs) if len(self.runs) > 1 else 0.0)
        filled = max(1.65 - above, 0.4)
        half = max((spans[0][1] - spans[0][0]) / 1.6 / aspect, (spans[1][1] - spans[1][0]) / filled, 1e-9)
        self.ax.set_xlim(middle[0] - half * aspect, middle[0] + half * aspect)
        top = middle[1] + (above + filled / 2.0) * half
        self.ax.set_ylim(top - 2.0 * half, top)

    @property
    def _lettering(self) -> float:
        """How much larger words are than in pictures of 720 lines, beside the picture."""
        return max(1.0, 0.65 * 720.0 / self.shot.size[1])

    def _labels(self) -> None:
        scale = max(self.shot.size[1] / 720.0, 0.65)
        name = self.shot.title.replace("$", r"\$")
        look: dict[str, Any] = {"transform": self.ax.transAxes, "fontsize": 15 * scale, "color": TEXT, "va": "top"}
        small = {**look, "fontsize": 11.5 * scale}
        self.ax.text(0.025, 0.955, name, weight="bold", **look)
        self.clock = self.ax.text(0.975, 0.955, "", ha="right", **look)
        self.ax.text(0.975, 0.9, self.shot.told_speed, ha="right", **{**small, "color": MUTED})
        self.names: list[Any] = []
        if len(self.runs) > 1:
            for k in range(len(self.runs)):
                height = 1.0 - (0.115 + 0.042 * k) * self._lettering
                mark = {"color": self._tone(k), "linewidth": 4.0 * scale, "solid_capstyle": "round"}
                place = {"transform": self.ax.transAxes, "scalex": False, "scaley": False}
                self.ax.plot([0.027, 0.042], [height, height], **mark, **place)
                self.names.append(self.ax.text(0.052, height, "", **{**small, "va": "center_baseline"}))
        elif self.limit > 0.0:
            self._scale_of_tensions(scale)

    def _scale_of_tensions(self, scale: float) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        place = self.figure.add_axes((0.025, 0.085, 0.2, 0.014))
        bar = self.figure.colorbar(
            ScalarMappable(Normalize(0.0, self.limit), tension_scale()), cax=place, orientation="horizontal"
        )
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=10 * scale, length=0, colors=MUTED)
        bar.ax.xaxis.get_offset_text().set(fontsize=10 * scale, color=MUTED)
        bar.ax.set_title("cable tension [N]", fontsize=10.5 * scale, color=TEXT, loc="left", pad=4)


def _pieces(structure: Structure) -> tuple[np.ndarray, np.ndarray]:
    """Ends of all lines by node, and the cable each belongs to; -1 for bars."""
    place = {node: k for k, node in enumerate(structure.nodes)}
    lines = [((place[bar.nodes[0]], place[bar.nodes[1]]), -1) for bar in structure.bars.values()]
    for k, cable in enumerate(structure.cables.values()):
        lines += [((place[a], place[b]), k) for a, b in zip(cable.route, cable.route[1:], strict=False)]
    return np.array([ends for ends, _ in lines], dtype=int).reshape(-1, 2), np.array([k for _, k in lines], dtype=int)
