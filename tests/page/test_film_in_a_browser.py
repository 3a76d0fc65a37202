"""Films that the page draws: the same scene as the page shows, at the same time, of the size that was asked for."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.dynamics.trajectory import Trajectory
from taut.output.film import browser
from taut.output.film.page_frames import page_frames
from taut.output.film.shot import Shot, samples_beside
from taut.output.page.page import pictured_page

ffmpeg = pytest.importorskip("imageio_ffmpeg")
image = pytest.importorskip("PIL.Image", reason="comes with matplotlib")


@pytest.fixture(autouse=True)
def program() -> None:
    try:
        browser.browser_program()
    except browser.NoBrowserError:
        pytest.skip("no chromium here; on Debian: apt-get install chromium")


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def test_a_film_shows_what_the_page_shows_at_the_same_time(opened: Callable, prism: Trajectory) -> None:
    """The page's own canvas, from the same place, beside the film's picture: alike, and unlike at other times."""
    shot = Shot({"": prism}, (1280, 720), "xz")
    times = (0.0, 0.4, 0.9)
    with page_frames(shot, np.array(times)) as frames:
        drawn = [pixels(frames.drawn(time)) for time in times]
        camera = frames.page.run("JSON.stringify(taut.camera)")
    assert drawn[0].shape == (720, 1280, 3)
    one = opened(prism, size=(1280 + 372, 800))
    height = one.run("document.getElementById('stage').clientHeight")
    assert one.run("document.getElementById('stage').clientWidth") == 1280
    one.page.set_viewport_size({"width": 1280 + 372, "height": 800 + 720 - height})
    one.until("document.getElementById('scene').height === 720")  # fitted anew, as it is whenever the window changes
    one.settle()
    words = "#heading, #legend, #tools, #overlay { visibility: hidden; }"
    one.run(
        f"(() => {{ const s = new CSSStyleSheet(); s.replaceSync('{words}'); document.adoptedStyleSheets = [s]; }})()"
    )
    one.run(f"Object.assign(taut.camera, {camera})")
    apart = np.zeros((3, 3))
    for k, time in enumerate(times):
        one.put(time=time)
        one.run("taut.redraw()")
        shown = pixels(one.page.locator("#scene").screenshot())
        assert shown.shape == drawn[k].shape
        middle = np.s_[120:600, 300:1000]  # without words
        apart[k] = [(np.abs(shown[middle] - film[middle]).max(axis=2) > 60).mean() for film in drawn]
    assert np.diag(apart).max() < 0.012, apart
    assert (apart + np.eye(3)).min() > 2.0 * np.diag(apart).max(), apart


def test_every_picture_is_drawn_whole_before_it_is_taken(prism: Trajectory, tmp_path: Path) -> None:
    """Picture for picture as at leisure, with the clock, which is no part of the canvas."""
    shot = Shot({"a": prism, "b": prism}, (640, 360), "askew", 0.5)
    times = [0.0, 0.3, 0.6, 0.9]
    with page_frames(shot, np.array(times)) as frames:
        quick = [frames.drawn(time) for time in times]
        for time, seen in zip(times, quick, strict=True):
            frames.drawn(time)
            frames.page.run("new Promise((done) => setTimeout(done, 120))")
            np.testing.assert_allclose(pixels(seen), pixels(frames.drawn(time)), rtol=0, atol=8)  # rounding of colours
        assert frames.page.run("document.querySelector('.filmed').innerText") == "t = 0.90 s\n0.5 x"
        assert frames.page.run("document.getElementById('runs').innerText").split() == ["a", "b"]
        assert frames.page.run("document.getElementById('panel').checkVisibility()") is False
        with pytest.raises(
            browser.BrowserError, match="had an error in the page: ReferenceError: nothing is not defined"
        ):
            frames.page.run("nothing")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the reader leaves its pipes open
def test_a_film_of_two_runs_by_the_page(prism: Trajectory, tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    count = taut.film({"a": prism, "b": prism}, path, rate=4, size=(854, 480), drawn_by="page")
    reader = ffmpeg.read_frames(str(path), pix_fmt="rgb24")
    assert next(reader)["size"] == (854, 480)
    found = [np.frombuffer(frame, np.uint8).reshape(480, 854, 3).astype(int) for frame in reader]
    assert len(found) == count == 5
    assert np.abs(found[0] - found[2]).max() > 50
    assert [one.name for one in tmp_path.iterdir()] == ["film.mp4"]


def test_a_run_that_travels_is_followed_and_stays_in_view(opened: Callable, tmp_path: Path) -> None:
    ball = taut.generators.icosahedron()
    run = taut.simulate(taut.assemble(ball, velocities=dict.fromkeys(ball.nodes, (3.0, 0.0, 0.0))), 2.0, every=0.02)
    shot = Shot({"": run}, (1280, 720))
    path = tmp_path / "film.html"
    picture = {"view": "askew", "follow": shot.follows, "speed": ""}
    samples = samples_beside(run, np.arange(0.0, 2.0, 0.1))
    pictured_page(shot.runs, {"": samples}, picture).save(path)
    one = opened(path, size=(1280, 720))
    for time in (0.0, 1.0, 2.0):
        one.run(f"taut.picture.show({time}, 't', [])")
        places = np.array(one.run("taut.positions()")).reshape(-1, 3)
        assert places.mean(axis=0)[0] == pytest.approx(3.0 * time, abs=1e-4)
        seen = np.array([one.run(f"taut.pixel({', '.join(map(str, place))})") for place in places])
        assert (seen > [40, 40]).all(), time
        assert (seen < [1240, 680]).all(), time
        assert np.ptp(seen[:, 1]) > 300, "and fills the picture"
    assert one.complaints == []


def test_a_leap_between_other_samples_stays_in_view(prism: Trajectory) -> None:
    """A page looks at some 40 samples to fit; a film cannot be fitted again."""
    nodes = prism.nodes.copy()
    nodes[21:23, :, 0] += 1.2 * np.ptp(prism.nodes[0], axis=0).max()
    leaping = replace(prism, nodes=nodes)
    assert leaping.time.size > 80
    shot = Shot({"": leaping}, (640, 360), "xz")
    assert not shot.follows
    with page_frames(shot, leaping.time) as frames:
        frames.drawn(float(leaping.time[22]))
        places = "taut.runs[0].structure.nodes.map((_, k) => taut.positions().slice(3 * k, 3 * k + 3))"
        seen = np.array(frames.page.run(f"{places}.map((place) => taut.pixel(...place))"))
        window = frames.page.run("[innerWidth, innerHeight]")
    assert (seen > 0.0).all()
    assert (seen < window).all()
