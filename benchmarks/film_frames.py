"""What a picture of a film costs by either way of drawing, without a graphics card: processor time, and how long.

Of the drawing alone; ffmpeg takes as much with both. The first picture is not counted. The page is drawn by a browser,
whose processes are all counted; it is started once for a film, which is told beside.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import taut
from benchmarks.page_frames import cases as structures
from benchmarks.page_frames import processor_time
from taut.output.film.canvas import Canvas
from taut.output.film.page_frames import page_frames
from taut.output.film.shot import Frames, Shot
from taut.output.model_runs import recorded
from taut.output.store import load_run

EXAMPLES = Path(__file__).parents[1] / "examples"
SIZE = (1280, 720)


@dataclass(frozen=True)
class Cost:
    """One way: time until its first picture [s] and its processor time [s], and both of every further one."""

    name: str
    members: int
    way: str
    opening: float
    opening_cost: float
    each: float
    cost: float


def cases() -> dict[str, taut.Trajectory]:
    lattice = structures(samples=60)["lattice"]
    return {
        "T-bar": _run("tbar", 2.0),
        "rolling robot": _run("rolling", 2.0),
        "cable dome": _run("dome", 0.5),
        "lattice": lattice,
    }


def _run(example: str, duration: float) -> taut.Trajectory:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "run.nc"
        recorded(taut.read_model(EXAMPLES / f"{example}.yaml"), target, {"duration": duration}, verify=False)
        return load_run(target)


def measure(runs: dict[str, taut.Trajectory], count: int = 30) -> Iterator[Cost]:
    for name, run in runs.items():
        for way in ("page", "matplotlib"):
            begun, before = time.monotonic(), _spent()
            shot = Shot({"": run}, SIZE)
            times = np.linspace(shot.begin, shot.end, count)
            with page_frames(shot, times) if way == "page" else _canvas(shot) as frames:
                frames.drawn(shot.begin)
                opening, opened = time.monotonic() - begun, _spent()
                begun = time.monotonic()
                for now in times.tolist():
                    frames.drawn(now)
                each, cost = (time.monotonic() - begun) / count, (_spent() - opened) / count
            members = len(run.structure.bars) + len(run.structure.cables)
            yield Cost(name, members, way, opening, opened - before, each, cost)


@contextmanager
def _canvas(shot: Shot) -> Iterator[Frames]:
    yield Canvas(shot)


def _spent() -> float:
    return time.process_time() + processor_time()


def main(count: int = 30) -> None:
    head = f"{'film':<14} {'members':>8} {'drawn by':>11} {'opens [s]':>10} {'CPU s':>7}"
    print(f"{head} {'ms each':>8} {'CPU ms each':>12}")
    for c in measure(cases(), count):
        print(
            f"{c.name:<14} {c.members:>8} {c.way:>11} {c.opening:>10.1f} {c.opening_cost:>7.1f} {c.each * 1e3:>8.0f} "
            f"{c.cost * 1e3:>12.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
