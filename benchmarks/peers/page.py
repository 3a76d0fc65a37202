"""docs/benchmarks.md and its plots, written from rows; nothing in them is entered by hand."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from benchmarks.peers.turns import TAUT, Entry, Row

DOCS = Path(__file__).parents[2] / "docs"
PICTURE, SIZES_PICTURE = "benchmarks.png", "benchmarks-sizes.png"
PROGRAMS = ("taut", "mujoco", "exudyn", "scipy", "pin", "numpy", "numba")

SCALES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))

HEAD = """\
# Beside other programs

This page is written by `make bench` (`python -m benchmarks`). Everybody who can do the same work does it in turn, in
one run on one machine. Times are CPU times, the least of all turns; *times taut's* is the median of the ratios turn
by turn, with quartiles, which a busy machine hardly changes. Errors are measured, not asked for. `pip install
"taut[bench]"` brings the others; what is not installed is left out.
"""

FAIRNESS = """\
## What is not like for like

- A run of taut is the whole call of `simulate`, with its checks, energies and samples; that takes some milliseconds
  by itself, which short runs show and a long one does not. `size-30` counts steps alone.
- taut and scipy have thin bars as two nodes with a constraint; MuJoCo, exudyn and Pinocchio have rigid bodies. The
  motion is the same, to the errors shown.
- MuJoCo has equal steps only; RK4 is its most accurate integrator. Its Euler and implicit steps are of first order,
  for games and robots with contact, and are not in the rows of equal error.
- exudyn's springs push as well as pull, so motions here are those in which no cable slackens. Its implicit methods,
  with which it follows constraints and stiff systems, are not in the table. Its contact was not tried.
- Pinocchio gives accelerations, and has neither cables nor a time loop: what stands here is Python around it, as a
  user has it.
- scipy with taut's accelerations is what a fast right-hand side is worth to it; with numpy, what a user has who
  writes the equations.
- Contact in MuJoCo gives way, by design, and taut's does not: equal is how far the robot gets, not the model.
- Nobody here used more than one thread. MuJoCo and exudyn can use several; so can taut's ensembles.
"""


def shown(value: float) -> str:
    """A time as people read it."""
    if value != value:
        return "-"
    scale, name = next((pair for pair in SCALES if value >= pair[0]), SCALES[-1])
    return f"{value / scale:.3g} {name}"


def machine() -> str:
    """The class of machine, without a name of it."""
    model = next((line.split(":")[1].strip() for line in _cpu_lines() if line.startswith("model name")), "")
    return f"{model or platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"


def _cpu_lines() -> list[str]:
    facts = Path("/proc/cpuinfo")
    return facts.read_text(encoding="utf-8").splitlines() if facts.exists() else []


def versions() -> str:
    found = []
    for name in PROGRAMS:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} not installed")
    return ", ".join(found)


def text(rows: Sequence[Row], *, busy: str = "") -> str:
    """The whole page."""
    return "\n".join(_lines(rows, busy)) + "\n"


def _lines(rows: Sequence[Row], busy: str) -> Iterator[str]:
    yield HEAD
    yield f"{datetime.now(UTC).date().isoformat()}; {machine()}; {versions()}.{f' {busy}' if busy else ''}\n"
    yield f"![How many times taut's CPU time others take](pictures/{PICTURE})\n"
    flights = [row for row in rows if not row.key.startswith("size-")]
    for row in flights:
        members = f", {row.members} members" if row.members else ""
        yield f"## {row.what[0].upper()}{row.what[1:]}{members}\n"
        yield f"`{row.key}`: CPU time of one {row.unit}.\n"
        yield "| | CPU time | times taut's | quartiles | error | step or tolerance | |"
        yield "|---|---|---|---|---|---|---|"
        yield from map(_entry, row.entries)
        yield ""
    sizes = [row for row in rows if row.key.startswith("size-")]
    if sizes:
        yield f"## From {sizes[0].members} to {sizes[-1].members} members\n"
        yield "One step of RK4 of a flat lattice of separate bars (30 members: the six-strut robot), CPU time for each"
        yield "member; memory: peak of a process above that of the smallest structure, for each member.\n"
        yield f"![CPU time and memory of a step with size](pictures/{SIZES_PICTURE})\n"
        yield "| members | | CPU time a member | times taut's | quartiles | memory a member | |"
        yield "|---|---|---|---|---|---|---|"
        for row in sizes:
            yield from (_size(row, entry) for entry in row.entries)
        yield ""
    yield FAIRNESS
    yield "## History\n"
    yield "`benchmarks/history.jsonl` has a line for each commit and row: the fastest peer and how many times taut's"
    yield "CPU time it took. `python -m benchmarks --compare` holds the newest lines against those before, and says"
    yield "which rows are slower."


def _entry(entry: Entry) -> str:
    error = "" if entry.error is None else f"{entry.error:.1e}"
    setting = "" if entry.setting is None else f"{entry.setting:.2g}"
    return f"| {entry.name} | {shown(entry.seconds)} | {_ratio(entry)} | {error} | {setting} | {entry.note} |"


def _ratio(entry: Entry) -> str:
    low, middle, high = entry.quartiles
    return f"{middle:.3g} | {low:.3g} to {high:.3g}" if middle == middle else "- | -"


def _size(row: Row, entry: Entry) -> str:
    memory = "" if entry.memory is None or row.members <= 30 else f"{entry.memory / 1e3:.2g} kB"
    return f"| {row.members} | {entry.name} | {shown(entry.seconds)} | {_ratio(entry)} | {memory} | {entry.note} |"


def draw(rows: Sequence[Row], folder: Path) -> None:
    """Both plots."""
    from taut.output.plot.files import blank_figure, save_figure

    contests = [row for row in rows if not row.key.startswith("size-")]
    if contests:
        figure = blank_figure((8.0, 0.6 + 0.9 * len(contests)))
        _bars(figure.add_subplot(), contests)
        save_figure(figure, folder / PICTURE)
    sizes = [row for row in rows if row.key.startswith("size-")]
    if sizes:
        figure = blank_figure((8.0, 3.2))
        _growth(figure, sizes)
        save_figure(figure, folder / SIZES_PICTURE)


def _bars(axes: object, rows: Sequence[Row]) -> None:
    """Ratios on a logarithmic scale, a line for each contestant with its quartiles."""
    from taut.output.plot.axes import ready

    plot = ready(axes)
    labels, place = [], 0.0
    for row in rows:
        for entry in row.entries:
            low, middle, high = entry.quartiles
            if middle != middle:
                continue
            colour = "#17713a" if entry.name.startswith(TAUT) else "#33558b"
            plot.barh(place, middle, height=0.7, left=0.0, color=colour, alpha=0.75)
            plot.plot([low, high], [place, place], color="#222", linewidth=1.0)
            labels.append((place, f"{row.key}: {entry.name}"))
            place -= 1.0
        place -= 0.6
    plot.set_xscale("log")
    plot.set_yticks([at for at, _ in labels], [name for _, name in labels], fontsize=6)
    plot.axvline(1.0, color="#222", linewidth=0.6)
    plot.set_xlabel("CPU time, times taut's", fontsize=8)
    plot.figure.set_size_inches(8.0, 0.8 + 0.17 * len(labels) + 0.1 * len(rows))


def _growth(figure: object, rows: Sequence[Row]) -> None:
    from taut.output.plot.axes import keyed, ready

    names = list(dict.fromkeys(entry.name for row in rows for entry in row.entries))
    for place, (title, unit) in enumerate((("CPU time", "ns a member and step"), ("memory", "kB a member")), 1):
        axes = ready(figure.add_subplot(1, 2, place))
        for name in names:
            found = [(row.members, entry) for row in rows for entry in row.entries if entry.name == name]
            if place == 2:
                found = [pair for pair in found if pair[0] > 30]
            values = [e.seconds * 1e9 if place == 1 else (e.memory or np.nan) / 1e3 for _, e in found]
            axes.plot([members for members, _ in found], values, marker="o", markersize=3, linewidth=1.0, label=name)
        axes.set_xscale("log")
        if place == 1:
            axes.set_yscale("log")
        else:
            axes.set_xlim(axes.figure.axes[0].get_xlim())
            axes.set_ylim(bottom=0.0)
        axes.set_title(title, fontsize=9, loc="left")
        axes.set_xlabel("members", fontsize=8)
        axes.set_ylabel(unit, fontsize=8)
        keyed(axes)
