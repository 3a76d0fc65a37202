"""Pictures a second that pages draw in headless Chromium without a graphics card, and what a picture costs.

Wall clock depends on who else uses the machine; the processor time of all of the browser's processes does not.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import taut

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SOFTWARE = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
MEASURE = """async (seconds) => {
  taut.state.put({ playing: true, speed: 0.1 });
  const [first, begun] = [taut.scene.drawn, performance.now()];
  await new Promise((done) => setTimeout(done, 1000 * seconds));
  taut.state.put({ playing: false });
  return [taut.scene.drawn - first, (performance.now() - begun) / 1000];
}"""


@dataclass(frozen=True)
class Rate:
    """One page: size [B] without and with data, time to open [s], pictures a second, processor time of one [s]."""

    name: str
    members: int
    samples: int
    frame: int
    size: int
    opening: float
    rate: float
    cost: float


def cases(large: tuple[int, int, int] = (7, 6, 5), samples: int = 500) -> dict[str, taut.Trajectory]:
    ball = taut.generators.icosahedron().changed("cable:*", damping=5.0)
    lattice = taut.generators.lattice(*large)
    return {
        "icosahedron": _run(ball, 4.0, samples),
        "3-stage tower": _run(taut.generators.tower(3).supported("bottom*"), 2.0, samples),
        "lattice": _run(lattice.supported("bottom"), 0.2, samples),
    }


def _run(structure: taut.Structure, duration: float, samples: int) -> taut.Trajectory:
    push = {n: (0.3 * np.sin(p[2]), 0.2 * np.cos(p[0]), 0.0) for n, p in structure.nodes.items()}
    free = {n: v for n, v in push.items() if n not in structure.supports}
    plant = taut.assemble(structure, velocities=free)
    return taut.simulate(plant, duration, every=duration / (samples - 1), tolerance=1e-5, verify=False)


def measure(runs: dict[str, taut.Trajectory], seconds: float = 5.0) -> list[Rate]:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=list(SOFTWARE))
        rates = [_measured(browser, Path(folder), name, run, seconds) for name, run in runs.items()]
        browser.close()
    return rates


def _measured(browser: Any, folder: Path, name: str, run: taut.Trajectory, seconds: float) -> Rate:
    path = folder / "page.html"
    text = taut.page(run, path).html
    data = text.partition('id="data">')[2].partition("<")[0]
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    begun = time.monotonic()
    page.goto(path.as_uri())
    while not page.evaluate("Boolean(window.taut && window.taut.settled())"):
        time.sleep(0.02)
    opening = time.monotonic() - begun
    before = processor_time()
    drawn, took = page.evaluate(MEASURE, seconds)
    spent = processor_time() - before
    page.close()
    members = len(run.structure.bars) + len(run.structure.cables)
    frame = len(text) - len(data)
    return Rate(name, members, run.time.size, frame, len(text), opening, drawn / took, spent / max(drawn, 1))


def processor_time() -> float:
    """Of all processes that descend from this one [s]."""
    parents: dict[int, int] = {}
    times: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended meanwhile
                continue
            parents[int(entry.name)] = int(fields[1])
            times[int(entry.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def ours(process: int) -> bool:
        while process in parents and process != os.getpid():
            process = parents[process]
        return process == os.getpid()

    return sum(spent for process, spent in times.items() if process != os.getpid() and ours(process))


def table(rates: list[Rate]) -> str:
    head = f"{'page':<14} {'members':>8} {'samples':>8} {'frame [kB]':>11} {'page [MB]':>10} {'opens [s]':>10}"
    lines = [f"{head} {'pictures/s':>11} {'CPU ms each':>12}"]
    lines += [
        f"{r.name:<14} {r.members:>8} {r.samples:>8} {r.frame / 1e3:>11.0f} {r.size / 1e6:>10.2f} {r.opening:>10.2f} "
        f"{r.rate:>11.1f} {r.cost * 1e3:>12.0f}"
        for r in rates
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(measure(cases())))
