"""Pictures a second of live pages in headless Chromium without a graphics card, how much of real time they reach, and
what a picture costs; and the size of the pages.

Wall clock depends on who else uses the machine; the processor time of all of the browser's processes less so, and the
load is told beside it. The browser goes as Chromium does by itself without a card: the processor puts the page
together. `python -m benchmarks.live_frames forced` lets SwiftShader do that too (--use-angle=swiftshader), which alone
takes 20 to 30 ms of processor time a picture of this size, whatever is on it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import taut
from benchmarks.page_frames import CHROMIUM, SOFTWARE, processor_time
from taut.live.plants import Live, live_plant
from taut.output.page.lively import live_model
from taut.output.pictured import Still
from taut.structure.files import read_model

PROCESSOR = ("--no-sandbox", "--enable-unsafe-swiftshader")
EXAMPLES = Path(__file__).parents[1] / "examples"
MEASURE = """async (seconds) => {
  const [first, begun, from] = [taut.scene.drawn, performance.now(), taut.live.time];
  await new Promise((done) => setTimeout(done, 1000 * seconds));
  const took = (performance.now() - begun) / 1000;
  return [taut.scene.drawn - first, took, (taut.live.time - from) / took, taut.scene.sharpness];
}"""


def cases() -> dict[str, Live]:
    tower = taut.generators.tower(40).supported("bottom*").changed("cable:*", damping=1.0)
    lattice = taut.generators.lattice(3, 3, 3)
    return {
        "six struts on ground": live_model(read_model(EXAMPLES / "rolling.yaml")),
        # Its weight is more than it bears: it comes down, with hundreds of cables that slacken and are located.
        "tower that comes down": live_plant(taut.assemble(tower, gravity=9.81), tolerance=1e-5),
        "tower without weight": live_plant(taut.assemble(tower), tolerance=1e-5),
        "lattice": live_plant(taut.assemble(lattice.supported("bottom")), tolerance=1e-5),
    }


def measure(lives: dict[str, Live], seconds: float = 5.0, flags: Sequence[str] = PROCESSOR) -> list[str]:
    from playwright.sync_api import sync_playwright

    head = f"{'page':<22} {'bars':>5} {'members':>8} {'page [kB]':>10} {'pictures/s':>11} {'of real time':>13}"
    lines = [f"{head} {'CPU ms each':>12} {'sharpness':>10} {'load':>6}"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=list(flags))
        lines += [_measured(browser, Path(folder), name, live, seconds) for name, live in lives.items()]
        browser.close()
    return lines


def _measured(browser: Any, folder: Path, name: str, live: Live, seconds: float) -> str:
    path, structure = folder / "page.html", live.plant.structure
    size = len(taut.page(Still(structure), path, live=live).html)
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(path.as_uri())
    while not page.evaluate("Boolean(window.taut && window.taut.live.time > 0)"):
        time.sleep(0.1)
    page.wait_for_timeout(4000)
    before = processor_time()
    drawn, took, rate, sharpness = page.evaluate(MEASURE, seconds)
    spent = processor_time() - before
    page.close()
    bars, members = len(structure.bars), len(structure.bars) + len(structure.cables)
    told = f"{name:<22} {bars:>5} {members:>8} {size / 1e3:>10.0f} {drawn / took:>11.1f} {rate:>13.2f}"
    return f"{told} {1e3 * spent / max(drawn, 1):>12.0f} {sharpness:>10.2f} {os.getloadavg()[0]:>6.1f}"


if __name__ == "__main__":
    print("\n".join(measure(cases(), flags=SOFTWARE if "forced" in sys.argv else PROCESSOR)))
