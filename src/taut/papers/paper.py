"""A Paper: its claims and pictures, and the list of those that are here."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from taut.errors import OptionError, suggestion
from taut.papers.bench import Bench
from taut.papers.claims import Claim

PAPERS = {
    "stedy": "taut.papers.stedy.paper",
    "prismatic": "taut.papers.prismatic.paper",
    "rolling": "taut.papers.rolling.paper",
    "mechanism": "taut.papers.mechanism.paper",
    "pulleys": "taut.papers.pulleys.paper",
}
"""By key, the module whose PAPER it is."""


@dataclass(frozen=True)
class Picture:
    """A figure: the claims it belongs to, and a function that draws it on an empty matplotlib figure."""

    name: str
    title: str
    claims: tuple[str, ...]
    draw: Callable[[Bench, Any], None]
    size: tuple[float, float] = (7.0, 3.0)


@dataclass(frozen=True)
class Scene:
    """A run of a paper that is shown as a page and as a film. run: the name of its Case.

    speed: seconds of the run in a second of the film.
    """

    run: str
    title: str
    speed: float = 1.0


@dataclass(frozen=True)
class Paper:
    """key: as on the command line. about: what has to be known to read the report, in Markdown.

    errata: what is wrong in print, a sentence each, with what is right.
    """

    key: str
    title: str
    authors: str
    about: str
    claims: tuple[Claim, ...]
    pictures: tuple[Picture, ...] = ()
    errata: tuple[str, ...] = ()
    scenes: tuple[Scene, ...] = ()

    def chosen(self, ids: Iterable[str]) -> tuple[Claim, ...]:
        """The claims by these ids, in the paper's order; all of them where none is given."""
        wanted, known = list(ids), [claim.id for claim in self.claims]
        for name in wanted:
            if name not in known:
                hint = suggestion(name, known) or f"; `taut reproduce {self.key} --list` shows them"
                raise OptionError(f'paper "{self.key}" has no claim "{name}"{hint}')
        return tuple(claim for claim in self.claims if not wanted or claim.id in wanted)


def paper_named(key: str) -> Paper:
    """A paper by its key."""
    if key not in PAPERS:
        hint = suggestion(key, PAPERS) or f"; there is {', '.join(PAPERS)}"
        raise OptionError(f'no paper "{key}"{hint}')
    return paper_in(PAPERS[key])


def paper_in(module: str) -> Paper:
    """The PAPER of a module."""
    found: Paper = importlib.import_module(module).PAPER
    return found
