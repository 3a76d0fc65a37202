"""Draw the pictures of README.md and of the pages here into docs/pictures: `python docs/pictures.py [TUTORIAL ...]`.

Tutorials draw their own, by the blocks that they show; named ones alone are drawn, without a name all pictures.
"""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

import taut
from taut.locomotion import course_of
from taut.output.model_runs import assembled
from taut.output.palette import BAR, NODE
from taut.output.plot.shapes import cable_colours
from taut.structure.examples import example

FOLDER = Path(__file__).with_name("pictures")
TUTORIALS = sorted(Path(__file__).with_name("tutorials").glob("*.md"))
SHADOW = "0.88"
README = Path(__file__).parents[1] / "README.md"

Angles = tuple[float, float]


def main(*tutorials: str) -> list[Path]:
    FOLDER.mkdir(exist_ok=True)
    drawn = [] if tutorials else [_saved(front(), "front.png"), _saved(first_tower(), "tower.png")]
    for page in TUTORIALS:
        if not tutorials or page.stem in tutorials:
            drawn += by_its_own_blocks(page)
    return drawn


def front() -> Figure:
    """A robot that rolls, a cable dome under snow, a tower."""
    figure = Figure(figsize=(10.0, 3.0), dpi=110)
    _roll(figure.add_axes((0.0, 0.0, 0.5, 1.0)))
    dome = taut.balance(taut.read(example("dome")))
    _show(figure.add_axes((0.5, 0.1, 0.33, 0.8)), dome.structure, dome.cable_tension, (-80.0, 22.0))
    tower = taut.prestress(taut.generators.needle_tower(4, radius=0.6, height=3.0), minimum=5.0)
    _show(figure.add_axes((0.84, 0.02, 0.16, 0.96)), tower.structure, tower.cable_tension, (-70.0, 10.0))
    return figure


def first_tower() -> Figure:
    """The run of the example in README.md: the tower at its end, and the way of its top."""
    names, _ = _run(README)
    run = names["run"]
    figure = Figure(figsize=(8.0, 2.9), dpi=110)
    taut.plot.structure(run, sample=-1, ax=figure.add_axes((0.0, 0.02, 0.42, 0.96), projection="3d"))
    taut.plot.coordinates(run, f"node:{names['push'].node}", axes="x", ax=figure.add_axes((0.62, 0.18, 0.36, 0.74)))
    return figure


def by_its_own_blocks(tutorial: Path) -> list[Path]:
    """What the blocks of a tutorial save."""
    _, pictures = _run(tutorial)
    return pictures


def _run(page: Path) -> tuple[dict[str, Any], list[Path]]:
    """What the Python blocks of a page leave behind: names, and pictures, which are kept."""
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        for block in blocks:
            exec(compile(block, page.name, "exec"), names)
        pictures = [Path(shutil.copy(picture, FOLDER)) for picture in sorted(Path().glob("*.png"))]
    return names, pictures


def _roll(ax: Any) -> None:
    """The first seconds of examples/rolling.yaml: where the robot is every so often, and the way of its centre."""
    model = taut.read_model(example("rolling"))
    scenario = model.scenario
    plant = assembled(model.structure, scenario)
    run = taut.simulate(plant, 6.0, every=0.02, method=scenario.method, step=scenario.step, verify=False)
    course = course_of(run)
    seen_from = (np.degrees(course.direction) - 75.0, 25.0)  # it goes from left to right
    path = course.centre * (1.0, 1.0, 0.0)
    ax.plot(*_flat(path, seen_from)[:, :2].T, color=SHADOW, linewidth=1.5, zorder=0)
    times = np.searchsorted(course.centre @ course.displacement, np.linspace(0.0, 1.0, 5) * course.distance**2)
    for sample in np.minimum(times, len(run.time) - 1).tolist():
        _show(ax, run.structure.placed(run.nodes[sample]), run.cable_tension[sample], seen_from, shadow=True)


def _show(ax: Any, shown: taut.Structure, tension: np.ndarray, seen_from: Angles, *, shadow: bool = False) -> None:
    """Bars and cables from far to near, cables coloured by their tension."""
    places = dict(zip(shown.nodes, shown.positions, strict=True))
    routes = [[places[node] for node in cable.route] for cable in shown.cables.values()]
    cables = [
        (pair, tone)
        for route, tone in zip(routes, cable_colours(tension, tension.max()), strict=True)
        for pair in pairwise(route)
    ]
    bars = [([places[node] for node in bar.nodes], BAR) for bar in shown.bars.values()]
    lines = [(np.array(ends), tone, 3.2) for ends, tone in bars] + [
        (np.array(ends), tone, 1.3) for ends, tone in cables
    ]
    lines.sort(key=lambda line: float(_flat(line[0], seen_from)[:, 2].mean()))
    if shadow:
        low = [_flat(ends * (1.0, 1.0, 0.0), seen_from)[:, :2] for ends, _, _ in lines]
        ax.add_collection(LineCollection(low, colors=SHADOW, linewidths=[width for *_, width in lines], zorder=0))
    flat = [_flat(ends, seen_from)[:, :2] for ends, _, _ in lines]
    colours, widths = [tone for _, tone, _ in lines], [width for *_, width in lines]
    ax.add_collection(LineCollection(flat, colors=colours, linewidths=widths, capstyle="round", zorder=1))
    ax.plot(*_flat(shown.positions, seen_from)[:, :2].T, "o", color=NODE, markersize=2.5, zorder=2)
    ax.set_aspect("equal")
    ax.margins(0.04)
    ax.set_axis_off()


def _flat(places: np.ndarray, seen_from: Angles) -> np.ndarray:
    """To the right, up and towards the viewer, who stands at these angles [deg] about z and above the floor."""
    about, above = np.radians(seen_from)
    right = (-np.sin(about), np.cos(about), 0.0)
    near = (np.cos(above) * np.cos(about), np.cos(above) * np.sin(about), np.sin(above))
    return np.asarray(places @ np.transpose([right, np.cross(near, right), near]))


def _saved(figure: Figure, name: str) -> Path:
    figure.savefig(FOLDER / name)
    return FOLDER / name


if __name__ == "__main__":
    main(*sys.argv[1:])
