"""Write a live page of every model that comes along into a folder: `python docs/live_gallery.py build/site/docs/live`.

What cannot go live is told with its reason; docs/gallery.md has both.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import taut
from taut.output.page.lively import live_model
from taut.output.pictured import Still
from taut.structure.files import read_model

EXAMPLES = Path(__file__).parents[1] / "examples"


def main(folder: Path, names: Sequence[str] = ()) -> Iterator[tuple[str, Path | str]]:
    """Models by name, all unless some are given, each with its page or with why there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(EXAMPLES.glob("*.yaml")):
        if names and path.stem not in names:
            continue
        try:
            live = live_model(read_model(path))
        except taut.TautError as error:
            yield path.stem, str(error)
            continue
        page = folder / f"{path.stem}.html"
        taut.page(Still(live.plant.structure), page, live=live)
        yield path.stem, page


if __name__ == "__main__":
    for name, made in main(Path(sys.argv[1]), sys.argv[2:]):
        print(f"{name}: {made}")
