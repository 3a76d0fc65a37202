"""`taut.film`: a run as a film (.mp4 or .gif), drawn without a screen.

Drawn with matplotlib's Agg on flat axes: points are projected here, and lines are laid on one another from far to
near, which is several times faster than its three-dimensional axes.
"""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from taut.atomic_files import check_still_there, written_whole
from taut.dynamics.trajectory import Trajectory
from taut.errors import FileError, OptionError
from taut.output.faces import faces_of
from taut.output.film_ground import FilmGround
from taut.output.page.layout import centre_of_mass
from taut.output.palette import BAR, MUTED, NODE, PLATE, SUPPORT, TEXT
from taut.output.plot.shapes import cable_colours, tension_scale
from taut.output.plot.views import flat_plane
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

FORMATS = {
    ".mp4": ("libx264", "yuv420p", ["-f", "mp4", "-pix_fmt", "yuv420p", "-crf", "19", "-movflags", "+faststart"]),
    ".gif": ("gif", "pal8", ["-f", "gif", "-filter_complex", "split[a][b];[a]palettegen[p];[b][p]paletteuse"]),
}

VIEWS = {"xy": (-90.0, 90.0), "xz": (-90.0, 0.0), "yz": (0.0, 0.0), "askew": (-62.0, 20.0)}
"""Where the viewer stands: angle about z and above the floor [deg]."""

MANY_NODES = 500
"""Beyond this nodes have no dots, which would lie over the lines before them."""

FAR = 2.5
"""A run that spreads over so many times the size of its structure is followed."""


@checked_arguments
def film(
    run: Trajectory,
    path: str | Path,
    *,
    speed: float = 1.0,
    rate: int = 30,
    size: tuple[int, int] = (1280, 720),
    view: str = "",
    progress: Callable[[float, float], None] | None = None,
) -> int:
    """Film a run; returns the count of pictures.

    speed: seconds of the run in a second of the film. rate: pictures a second. size: width and height [px], even.
    view: "askew", "xy", "xz" or "yz"; by default what shows most. progress: is told the time reached and the last [s].
    Between samples positions and tensions change in proportion.
    """
    target = Path(path)
    _check(run, target, speed, rate, size, view)
    program = _encoder()
    begin, end = float(run.time[0]), float(run.time[-1])
    count = max(1, round((end - begin) / speed * rate)) + 1
    times = np.minimum(begin + np.arange(count) * speed / rate, end)
    with written_whole(target) as draft, _encoding(program, target.suffix, draft, size, rate) as send:
        for time, picture in zip(times, pictures(run, times, size=size, view=view), strict=True):
            check_still_there(draft)
            send(picture)
            if progress is not None:
                progress(float(time), end)
    return count


def _encoder() -> str:
    try:
        import imageio_ffmpeg
    except ImportError:
        raise OptionError('films need imageio-ffmpeg; install it with: pip install "taut[plot]"') from None
    return str(imageio_ffmpeg.get_ffmpeg_exe())


@contextmanager
def _encoding(
    program: str, suffix: str, draft: Path, size: tuple[int, int], rate: int
) -> Iterator[Callable[[bytes], Any]]:
    """Gives the function that takes picture after picture; raises OSError where ffmpeg could not write all of them.

    Called here and not by imageio, which does not say whether ffmpeg failed: a film that a full disk cut off passed.
    """
    codec, colours, options = FORMATS[suffix]
    given = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", str(rate), "-i", "-", "-an"]
    wanted = ["-vcodec", codec, "-pix_fmt", colours, *options]
    command = [program, "-y", "-v", "error", *given, *wanted, str(draft)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            with contextlib.suppress(BrokenPipeError):  # it has ended, and says why below
                yield process.stdin.write
                process.stdin.close()
            said = process.stderr.read().decode(errors="replace").strip().splitlines()
            if process.wait():
                raise OSError(f"ffmpeg failed ({said[-1] if said else f'code {process.returncode}'})")
        except BaseException:
            process.kill()
            with contextlib.suppress(OSError):
                process.stdin.close()
            raise


def pictures(run: Trajectory, times: np.ndarray, *, size: tuple[int, int], view: str = "") -> Iterator[bytes]:
    """The run at these times, each as rows of red, green and blue bytes."""
    canvas = _Canvas(run, size, view or flat_plane(run.nodes) or "askew")
    for time in times:
        after = int(np.clip(np.searchsorted(run.time, time), 1, max(run.time.size - 1, 1)))
        before = after - 1 if run.time.size > 1 else (after := 0)
        span = run.time[after] - run.time[before]
        share = float(np.clip((time - run.time[before]) / span, 0.0, 1.0)) if span > 0.0 else 0.0
        nodes, tension = (
            values[before] + share * (values[after] - values[before]) if share else values[before]
            for values in (run.nodes, run.cable_tension)
        )
        yield canvas.drawn(float(time), nodes, tension, (before, after, share))


class _Canvas:
    """A figure that is drawn again and again; only lines, dots and the clock change."""

    def __init__(self, run: Trajectory, size: tuple[int, int], view: str) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.collections import LineCollection, PolyCollection
        from matplotlib.colors import to_rgb
        from matplotlib.figure import Figure

        yaw, pitch = np.radians(VIEWS[view])
        self.right = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
        self.up = np.array([-np.sin(pitch) * np.cos(yaw), -np.sin(pitch) * np.sin(yaw), np.cos(pitch)])
        self.near = np.array([np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)])
        self.structure = run.structure
        self.pieces, self.cable_of = _pieces(run.structure)
        self.limit = float(np.nanmax(run.cable_tension, initial=0.0))
        dpi = 100.0
        self.figure = Figure(figsize=(size[0] / dpi, size[1] / dpi), dpi=dpi, facecolor="white")
        self.canvas = FigureCanvasAgg(self.figure)
        self.ax = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.ax.set_axis_off()
        self.followed = self._frame(run, size)
        crowd = min(1.0, (60.0 / max(1, len(self.pieces))) ** 0.25) * size[1] / 720.0
        self.widths = np.where(self.cable_of < 0, 5.5 * crowd, 1.7 * crowd)
        self.ground = FilmGround(run, self.ax, (self.right, self.up, self.near), self.pieces, self.widths)
        self.tone = np.array(to_rgb(PLATE))
        self.faces = faces_of(run.structure)[0]
        self.plates = self.ax.add_collection(PolyCollection([], zorder=1.5, linewidths=0.3))
        self.lines = self.ax.add_collection(LineCollection([], capstyle="round", zorder=2))
        size_of_dots = 5.0 * crowd if len(run.structure.nodes) <= MANY_NODES else 0.0
        (self.dots,) = self.ax.plot([], [], "o", color=NODE, markersize=size_of_dots, zorder=3)
        (self.held,) = self.ax.plot([], [], "^", color=SUPPORT, markersize=11.0 * crowd, zorder=1)
        places = {node: k for k, node in enumerate(run.structure.nodes)}
        self.supported = [places[node] for node in run.structure.supports]
        self._labels(run, size)

    def drawn(self, time: float, nodes: np.ndarray, tension: np.ndarray, rows: tuple[int, int, float]) -> bytes:
        shift = centre_of_mass(self.structure, nodes[None])[0] if self.followed else np.zeros(3)
        flat = np.stack([(nodes - shift) @ self.right, (nodes - shift) @ self.up], axis=1)
        depth = (nodes @ self.near)[self.pieces].mean(axis=1)
        order = np.argsort(depth, kind="stable")
        tones = np.array([*cable_colours(tension, self.limit or 1.0), BAR], dtype=object)
        self.ground.draw(time, nodes, rows, shift)
        self._draw_plates(flat, nodes)
        self.lines.set_segments(flat[self.pieces[order]])
        self.lines.set_color(tones[self.cable_of[order]].tolist())
        self.lines.set_linewidth(self.widths[order])
        self.dots.set_data(*flat.T)
        self.held.set_data(*flat[self.supported].T)
        self.clock.set_text(f"t = {time:.2f} s")
        self.canvas.draw()
        return np.asarray(self.canvas.buffer_rgba())[..., :3].tobytes()

    def _draw_plates(self, flat: np.ndarray, nodes: np.ndarray) -> None:
        """From far to near, lighter where they face the viewer."""
        if not len(self.faces):
            return
        corners = nodes[self.faces]
        order = np.argsort((corners @ self.near).mean(axis=1), kind="stable")
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        facing = np.abs(normals @ self.near) / np.maximum(np.linalg.norm(normals, axis=1), 1e-300)
        tones = np.outer(0.7 + 0.3 * facing[order], self.tone)
        self.plates.set_verts(flat[self.faces[order]])
        self.plates.set_facecolor(tones)
        self.plates.set_edgecolor(tones)

    def _frame(self, run: Trajectory, size: tuple[int, int]) -> bool:
        """Set limits that hold the whole run; or its size, where it travels far and has to be followed."""
        spread = np.ptp(run.nodes.reshape(-1, 3), axis=0).max()
        followed = bool(spread > FAR * max(np.ptp(run.nodes[0], axis=0).max(), 1e-300))
        nodes = run.nodes - centre_of_mass(run.structure, run.nodes)[:, None] if followed else run.nodes
        spans = [(float(np.min(nodes @ axis)), float(np.max(nodes @ axis))) for axis in (self.right, self.up)]
        middle = [(low + high) / 2.0 for low, high in spans]
        aspect = size[0] / size[1]
        # A tenth is left free on every side, at the bottom more for the legend.
        half = max((spans[0][1] - spans[0][0]) / 1.6 / aspect, (spans[1][1] - spans[1][0]) / 1.5, 1e-9)
        self.ax.set_xlim(middle[0] - half * aspect, middle[0] + half * aspect)
        self.ax.set_ylim(middle[1] - 1.1 * half, middle[1] + 0.9 * half)
        return followed

    def _labels(self, run: Trajectory, size: tuple[int, int]) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        scale = max(size[1] / 720.0, 0.65)
        name = (run.structure.name or "tensegrity structure").replace("$", r"\$")
        look = {"transform": self.ax.transAxes, "fontsize": 15 * scale, "color": TEXT, "va": "top"}
        self.ax.text(0.025, 0.955, name, weight="bold", **look)
        self.clock = self.ax.text(0.975, 0.955, "", ha="right", **look)
        if self.limit <= 0.0:
            return
        place = self.figure.add_axes((0.025, 0.085, 0.2, 0.014))
        bar = self.figure.colorbar(
            ScalarMappable(Normalize(0.0, self.limit), tension_scale()), cax=place, orientation="horizontal"
        )
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=10 * scale, length=0, colors=MUTED)
        bar.ax.set_title("cable tension [N]", fontsize=10.5 * scale, color=TEXT, loc="left", pad=4)


def _pieces(structure: Structure) -> tuple[np.ndarray, np.ndarray]:
    """Ends of all lines by node, and the cable each belongs to; -1 for bars."""
    place = {node: k for k, node in enumerate(structure.nodes)}
    lines = [((place[bar.nodes[0]], place[bar.nodes[1]]), -1) for bar in structure.bars.values()]
    for k, cable in enumerate(structure.cables.values()):
        lines += [((place[a], place[b]), k) for a, b in zip(cable.route, cable.route[1:], strict=False)]
    return np.array([ends for ends, _ in lines], dtype=int).reshape(-1, 2), np.array([k for _, k in lines], dtype=int)


def _check(run: Trajectory, target: Path, speed: float, rate: int, size: tuple[int, int], view: str) -> None:
    if target.suffix not in FORMATS:
        raise FileError(f"{target}: a film is saved as {' or '.join(FORMATS)}")
    if not run.time.size:
        raise OptionError("this run has no samples, so there is nothing to film")
    if not speed > 0.0 or not np.isfinite(speed):
        raise OptionError(f"speed must be more than zero, not {speed:g}")
    if not 1 <= rate <= 240:
        raise OptionError(f"rate must be 1 to 240 pictures a second, not {rate}")
    if any(side % 2 or not 64 <= side <= 7680 for side in size):
        raise OptionError(f"width and height must be even and 64 to 7680 pixels, not {size[0]} x {size[1]}")
    if view and view not in VIEWS:
        raise OptionError(f'view "{view}" is not one of {", ".join(VIEWS)}')
