"""A real browser, one for all tests, and pages opened in it from files. What a page complains of is an error."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import taut
from taut.dynamics.trajectory import Trajectory

EXAMPLES = Path(__file__).parents[2] / "examples"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# As Chromium goes on a machine without a graphics card: the processor puts pages together, and SwiftShader draws WebGL.
SOFTWARE = (
    *("--no-sandbox", "--enable-unsafe-swiftshader", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
STALLS = "GPU stall due to ReadPixels"
"""What Chromium says of itself where the processor puts WebGL on a page."""


@dataclass
class Opened:
    """A page in the browser, with everything it asked for and complained of."""

    page: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def run(self, script: str) -> Any:
        return self.page.evaluate(script)

    def until(self, condition: str, seconds: float = 20.0) -> None:
        """Wait until a condition in the page holds. (Playwright's own way needs eval, which the page forbids.)"""
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({condition})"):
            trouble = self.run("document.getElementById('trouble').textContent")
            assert time.monotonic() < end, f"{condition} never came true; {trouble or 'no trouble told'}"
            assert not trouble, trouble
            time.sleep(0.03)

    def settle(self) -> None:
        self.until("window.taut && window.taut.settled()")

    def put(self, **changes: object) -> None:
        self.page.evaluate("changes => window.taut.state.put(changes)", changes)
        self.settle()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no chromium here; on Debian: apt-get install chromium")
    api = pytest.importorskip("playwright.sync_api", reason="no playwright here; pip install playwright")
    with api.sync_playwright() as player:
        found = player.chromium.launch(executable_path=CHROMIUM, args=list(SOFTWARE))
        yield found
        found.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """`opened(run, ...)`: what `taut.page` writes, in the browser, where the script `first` has run before it."""
    contexts = []

    def show(
        shown: Any,
        *,
        size: tuple[int, int] = (1280, 800),
        theme: str = "light",
        touch: bool = False,
        first: str = "",
        **options: Any,
    ) -> Opened:
        path = shown if isinstance(shown, Path) else tmp_path / f"page{len(contexts)}.html"
        if not isinstance(shown, Path):
            taut.page(shown, path, **options)
        viewport = {"width": size[0], "height": size[1]}
        context = browser.new_context(viewport=viewport, color_scheme=theme, offline=True, has_touch=touch)
        contexts.append(context)
        one = Opened(context.new_page())
        one.page.on("request", lambda request: one.requests.append(request.url))
        one.page.on("console", lambda said: STALLS in said.text or one.complaints.append(said.text))
        one.page.on("pageerror", lambda error: one.complaints.append(str(error)))
        one.page.on("dialog", lambda dialog: (one.complaints.append(dialog.message), dialog.dismiss()))
        one.page.add_init_script(first)
        one.page.goto(path.as_uri())
        one.settle()
        return one

    yield show
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def tbar() -> Trajectory:
    model = taut.read_model(EXAMPLES / "tbar.yaml")
    return taut.simulate(taut.assemble(model.structure), 2.0, every=0.01, model_text=model.text)


@pytest.fixture(scope="session")
def prism() -> Trajectory:
    """A run with a load and supports in space."""
    model = taut.read_model(EXAMPLES / "prism.yaml")
    scenario = model.scenario
    plant = taut.assemble(model.structure, gravity=scenario.gravity, loads=scenario.loads)
    return taut.simulate(plant, 1.0, every=0.01, model_text=model.text)
