"""Searches for gaits: how they went on, fronts of two goals, phases as a wheel, and where copies of a gait go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.dynamics.ensemble_result import Ensemble
from taut.errors import OptionError
from taut.locomotion.gaits import SinusoidGait, drive_names
from taut.mechanics.inertia.masses import inertia
from taut.output.palette import LINES, MUTED, RULE, TEXT
from taut.output.plot.axes import label, ready
from taut.output.plot.files import blank_figure, check_suffix, save_figure
from taut.search.goals import Score
from taut.search.result import GaitSearch
from taut.type_checks import checked_arguments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHEET = (8.0, 6.6)


@checked_arguments
def search_progress(found: GaitSearch, *, ax: Axes | None = None) -> Axes:
    """Generation by generation: the first goal of every gait by its copies, their mean, and the best so far by copies
    that had no part in choosing it, with twice its standard error."""
    drawn, goal = ready(ax), found.objective.goals[0]
    if not found.generations:
        raise OptionError("this search has no generations yet, so there is nothing to plot")
    number = np.arange(1, len(found.generations) + 1)
    every = [[goal.score(own).value for own in one.copies] for one in found.generations]
    best = [max(scores, key=lambda score: goal.sense * score.value) for scores in _pooled(found)]
    for k, values in zip(number, every, strict=True):
        drawn.plot(np.full(len(values), k), values, ".", color=MUTED, alpha=0.35, markersize=2.5, zorder=1)
    drawn.plot(
        number, [np.nanmean(values) for values in every], color=MUTED, linewidth=1.0, label="mean of a generation"
    )
    middle, width = np.array([one.value for one in best]), 2.0 * np.array([one.error for one in best])
    drawn.fill_between(number, middle - width, middle + width, color=LINES[0], alpha=0.2, linewidth=0.0)
    drawn.plot(number, middle, color=LINES[0], linewidth=1.4, label="best so far, by fresh copies")
    if found.checks:
        told = found.scores()[0]
        drawn.errorbar(
            [number[-1]], [told.value], [2.0 * told.error], fmt="o", color=LINES[1], markersize=4, capsize=2,
            label="best, as it is told",
        )  # fmt: skip
    drawn.xaxis.get_major_locator().set_params(integer=True)
    drawn.set_xlabel("generation", fontsize=9)
    drawn.set_ylabel(_axis(goal.words, goal.unit), fontsize=9)
    drawn.grid(axis="y", color=RULE, linewidth=0.5)
    drawn.set_axisbelow(True)
    drawn.legend(frameon=False, fontsize=7.5, labelcolor=TEXT, loc="best")
    return drawn


@checked_arguments
def front(found: GaitSearch, *, ax: Axes | None = None) -> Axes:
    """Two goals of the best gaits, with standard errors; those that no other beats in both are joined."""
    drawn, goals = ready(ax), found.objective.goals
    if len(goals) < 2:
        raise OptionError("a front is of two goals, and this search has one; search with nsga2 and two of them")
    scores = [found.scores(rank) for rank in range(1, len(found.candidates) + 1)]
    x, y, dx, dy = (
        np.array([getattr(one[goal], what) for one in scores]) for what in ("value", "error") for goal in (0, 1)
    )
    drawn.errorbar(x, y, dy, dx, fmt=".", color=MUTED, markersize=4, linewidth=0.6, label="best gaits")
    on = np.array(found.front) - 1
    on = on[np.argsort(x[on])]
    drawn.plot(x[on], y[on], "o-", color=LINES[0], markersize=4, linewidth=1.0, label="nothing beats them in both")
    drawn.set_xlabel(_axis(goals[0].words, goals[0].unit), fontsize=9)
    drawn.set_ylabel(_axis(goals[1].words, goals[1].unit), fontsize=9)
    drawn.grid(color=RULE, linewidth=0.5)
    drawn.set_axisbelow(True)
    drawn.legend(frameon=False, fontsize=7.5, labelcolor=TEXT)
    return drawn


@checked_arguments
def phase_wheel(gait: SinusoidGait, *, ax: Axes | None = None) -> Axes:
    """Every entry of a gait as a hand: its phase as the angle, its amplitude [m] as the length."""
    drawn = ready(ax, size=(3.0, 3.0))
    names, count = drive_names(gait.members), len(gait.members)
    phases = np.broadcast_to(gait.phase, count)
    sizes = np.broadcast_to(gait.amplitude, count)
    most = float(np.abs(sizes).max())
    turn = np.linspace(0.0, 2.0 * np.pi, 181)
    drawn.plot(most * np.cos(turn), most * np.sin(turn), color=RULE, linewidth=0.8)
    for k, (name, phase, size) in enumerate(zip(names, phases, sizes, strict=True)):
        end = size * np.array([np.cos(phase), np.sin(phase)])
        drawn.plot([0.0, end[0]], [0.0, end[1]], "-o", color=LINES[k // 2 % len(LINES)], markersize=3.5, linewidth=1.3)
        out = size + (0.14 + 0.13 * _crowded(phases, k)) * most
        drawn.text(
            out * np.cos(phase), out * np.sin(phase), label(name), ha="center", va="center", fontsize=8, color=TEXT
        )
    drawn.set_aspect("equal")
    drawn.set(xlim=(-1.45 * most, 1.45 * most), ylim=(-1.45 * most, 1.45 * most))
    drawn.axis("off")
    rates = np.unique(np.broadcast_to(gait.frequency, count))
    told = ", ".join(f"{rate:.3g}" for rate in rates[:3])
    drawn.set_title(f"{told} Hz, amplitude {most:.3g} m", fontsize=8, color=TEXT)
    return drawn


def _pooled(found: GaitSearch) -> Iterator[list[Score]]:
    """After every generation the scores of its elite, by all copies that each had since it was chosen."""
    pooled: dict[bytes, np.ndarray] = {}
    for one in found.generations:
        before, pooled = pooled, {}
        for point, fresh in zip(one.elite, one.fresh, strict=True):
            key = point.tobytes()
            pooled[key] = np.vstack([before.get(key, fresh[:0]), fresh])
        yield [found.objective.goals[0].score(copies) for copies in pooled.values()]


def _crowded(phases: np.ndarray, k: int) -> int:
    """How many entries before this one point nearly its way, so that names do not lie on each other."""
    apart = np.abs((phases[:k] - phases[k] + np.pi) % (2.0 * np.pi) - np.pi)
    return int((apart < 0.2).sum())


@checked_arguments
def spread_of_paths(copies: Ensemble, *, ax: Axes | None = None) -> Axes:
    """Paths of the centre of mass of copies of one gait, seen from above, from where they start."""
    drawn = ready(ax, size=(3.5, 3.2))
    weights = inertia(copies.structure).weighing
    centre = np.einsum("ktni,n->kti", copies.nodes, weights / weights.sum())[:, :, :2]
    centre = centre - centre[:, :1]
    for path in centre:
        drawn.plot(path[:, 0], path[:, 1], color=LINES[0], linewidth=0.5, alpha=0.35, zorder=1)
    ends = centre[copies.ok, -1]
    drawn.plot(ends[:, 0], ends[:, 1], ".", color=LINES[1], markersize=4, zorder=2)
    drawn.plot([0.0], [0.0], "o", color=TEXT, markersize=4, zorder=3)
    mean = float(np.linalg.norm(ends, axis=1).mean()) if len(ends) else float("nan")
    drawn.set_title(f"{len(ends)} copies, {copies.time[-1]:g} s: {mean:.3g} m in the mean", fontsize=8, color=TEXT)
    drawn.set_aspect("equal", adjustable="datalim")
    drawn.grid(color=RULE, linewidth=0.5)
    drawn.set_axisbelow(True)
    drawn.set_xlabel("x [m]", fontsize=9)
    drawn.set_ylabel("y [m]", fontsize=9)
    return drawn


def save_search_sheet(found: GaitSearch, path: Path, rank: int, copies: Ensemble | None) -> None:
    """All of them on one sheet; without copies no paths."""
    check_suffix(path)
    gait = found.gait(rank)
    draws: list[Any] = [lambda ax: search_progress(found, ax=ax)]
    if len(found.objective.goals) > 1:
        draws.append(lambda ax: front(found, ax=ax))
    if isinstance(gait, SinusoidGait):
        draws.append(lambda ax: phase_wheel(gait, ax=ax))
    if copies is not None:
        draws.append(lambda ax: spread_of_paths(copies, ax=ax))
    rows = (len(draws) + 1) // 2
    figure = blank_figure((SHEET[0], SHEET[1] * rows / 2.0))
    for place, draw in enumerate(draws, 1):
        draw(figure.add_subplot(rows, 2, place))
    save_figure(figure, path)


def _axis(words: str, unit: str) -> str:
    return f"{words} [{unit}]" if unit else words
