"""Pictures of films by the page: `taut.page` without its panels, in a browser without a window."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from math import gcd
from pathlib import Path

import numpy as np

from taut.errors import FileError
from taut.output.film.browser import Browser, BrowserError, Page, browser, browser_program, profile_folder
from taut.output.film.shot import Shot, samples_beside
from taut.output.page.content import MOST_NUMBERS, sample_numbers
from taut.output.page.page import pictured_page

VIEWS = {"xy": "from_above", "xz": "along_y", "yz": "along_x", "askew": "askew"}
"""What the page calls them (camera.js)."""

HEIGHT = 720
"""[CSS px] of the page, about, whatever the size of the pictures: words and lines grow with them."""

FINEST, COARSEST = 2.0, 0.65
"""Pixels of a picture for one of the page: no more than its canvas has (SHARPEST in scene.js), and what can be read."""

OPENED = """(() => {
  if (window.taut?.picture) return true;
  const trouble = document.getElementById("trouble");
  return trouble && !trouble.hidden ? trouble.textContent : false;
})()"""


class PageFrames:
    """A page that is open and shows one time after another."""

    given = ("-f", "image2pipe", "-c:v", "png")

    def __init__(self, page: Page, shot: Shot) -> None:
        self.page, self.shot = page, shot

    def drawn(self, time: float) -> bytes:
        told = (time, self.shot.clock(time), self.shot.legend(time))
        self.page.run(f"taut.picture.show({', '.join(map(json.dumps, told))})")
        return base64.b64decode(self.page.picture())


@contextmanager
def page_frames(shot: Shot, times: np.ndarray) -> Iterator[PageFrames]:
    """The page, drawn once; raises BrowserError where there is no browser, or it does not start or draw."""
    program = browser_program()
    samples = {name: samples_beside(run, times) for name, run in shot.runs.items()}
    numbers = sum(samples[name].size * sample_numbers(run) for name, run in shot.runs.items())
    if numbers > MOST_NUMBERS:
        raise BrowserError(
            f"the film has {numbers / 1e6:.0f} million numbers and a page holds {MOST_NUMBERS / 1e6:.0f}; take fewer "
            "pictures a second or a higher speed"
        )
    picture = {"view": VIEWS[shot.view], "follow": shot.follows, "speed": shot.told_speed}
    document = pictured_page(shot.runs, samples, picture)
    with profile_folder() as folder:
        path = folder / "film.html"
        try:
            document.save(path)
        except FileError as error:
            raise BrowserError(f"the page could not be put before the browser: {error}") from error
        with browser(program, folder) as found:
            yield _opened(found, path, shot)


def _opened(found: Browser, path: Path, shot: Shot) -> PageFrames:
    """The page in the browser, when it draws pictures of the size that is asked for."""
    frames = PageFrames(found.open(path.as_uri(), *_window(shot.size)), shot)
    frames.page.until(OPENED)
    size = struct.unpack(">II", frames.drawn(shot.begin)[16:24])  # where a PNG says it
    if size != shot.size:
        raise found.trouble(f"draws {size[0]} x {size[1]} pixels where {shot.size[0]} x {shot.size[1]} are asked for")
    return frames


def _window(size: tuple[int, int]) -> tuple[int, int, float]:
    """Width and height [CSS px] and the pixels for each, of which the picture is made exactly."""
    width, height = size
    common = gcd(width, height)
    wanted = min(max(height / HEIGHT, COARSEST), FINEST)
    parts = max(1, round(common / wanted))
    return width // common * parts, height // common * parts, common / parts
