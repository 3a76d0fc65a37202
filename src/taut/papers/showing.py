"""What a paper shows beside its table: figures, and of some runs a page and a film."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from taut.errors import TautError, WriteError
from taut.output.film.filming import film
from taut.output.page.page import page
from taut.output.plot.files import blank_figure, save_figure
from taut.papers.bench import Bench
from taut.papers.claims import Claim
from taut.papers.paper import Paper, Scene

FILM_SIZE, FILM_RATE = (640, 360), 15
"""[px] and pictures a second: small films, which take little of the time of a paper."""

FRAMES = 600
"""Samples that a page keeps of a run."""


@dataclass(frozen=True)
class Shown:
    """Files by name as they are made, and what is to be said of those that are not there."""

    pictures: dict[str, Path] = field(default_factory=dict)
    pages: dict[str, Path] = field(default_factory=dict)
    films: dict[str, Path] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def show(paper: Paper, wanted: tuple[Claim, ...], bench: Bench, folder: Path, made: Shown) -> None:
    """The pictures of the claims that were asked for, and the scenes whose runs they needed."""
    ids = {claim.id for claim in wanted}
    for picture in paper.pictures:
        if not ids.intersection(picture.claims):
            continue
        try:
            sheet = blank_figure(picture.size)
            picture.draw(bench, sheet)
            save_figure(sheet, folder / f"{picture.name}.png")
        except TautError as error:  # no matplotlib, or a run that fails: the claims are worth having without pictures
            made.notes.append(f"no picture {picture.name}: {error}")
        else:
            made.pictures[picture.name] = folder / f"{picture.name}.png"
    for scene in paper.scenes:
        _shot(scene, bench, folder, made)


def _shot(scene: Scene, bench: Bench, folder: Path, made: Shown) -> None:
    run = bench.followed_already(scene.run)
    if run is None:  # its claims were not asked for, or it failed
        return
    target = folder / f"{scene.run}.html"
    page({scene.title: run}, target, frames=FRAMES)
    made.pages[scene.run] = target
    try:
        target = folder / f"{scene.run}.mp4"
        film(run, target, speed=scene.speed, rate=FILM_RATE, size=FILM_SIZE, notice=made.notes.append)
    except WriteError:
        raise
    except TautError as error:  # nothing that encodes films
        made.notes.append(f"no film of {scene.run}: {error}")
    else:
        made.films[scene.run] = target
