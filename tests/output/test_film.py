"""Films: as many pictures as they should have, of the right size, showing what the run says."""

from __future__ import annotations

import os
import re
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taut
from taut.dynamics.trajectory import SAMPLED, Trajectory
from taut.output.film import browser, page_frames
from taut.output.film.canvas import Canvas, pictures
from taut.output.film.shot import Shot, samples_beside
from taut.output.palette import LINES

ffmpeg = pytest.importorskip("imageio_ffmpeg")


def images(path: Path) -> list[np.ndarray]:
    """The pictures of a film, read back."""
    reader = ffmpeg.read_frames(str(path), pix_fmt="rgb24")
    size = next(reader)["size"]
    return [np.frombuffer(frame, np.uint8).reshape(size[1], size[0], 3) for frame in reader]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the reader leaves its pipes open
@pytest.mark.parametrize("suffix", [".mp4", ".gif"])
def test_a_film_has_its_pictures_and_tells_how_far_it_is(prism: Trajectory, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"film{suffix}"
    told: list[tuple[float, float]] = []
    count = taut.film(
        prism, path, speed=0.05, rate=10, size=(320, 240), drawn_by="matplotlib", progress=lambda *now: told.append(now)
    )
    assert count == 11
    assert told[0] == (0.0, 0.05)
    assert told[-1] == (0.05, 0.05)
    found = images(path)
    assert len(found) == 11
    assert found[0].shape == (240, 320, 3)
    assert found[0].min() < 100, "something is drawn"
    assert np.abs(found[0].astype(int) - found[-1]).max() > 50, "and it moves"


def test_pictures_show_the_nodes_where_they_are() -> None:
    """A single bar in the x-z plane: its dark ends are where the projection puts them."""
    bar = taut.Structure({"a": (0, 0, 0), "b": (2, 0, 0)}, [taut.Bar("bar", ("a", "b"), mass=1.0)], name="")
    run = taut.simulate(taut.assemble(bar, velocities={"b": (0.0, 0.0, 0.1)}), 0.5, every=0.1)
    frame = next(pictures(run, run.time[:1], size=(400, 200), view="xz"))
    seen = np.frombuffer(frame, np.uint8).reshape(200, 400, 3).astype(int)
    drawn = np.argwhere(seen[40:180].sum(axis=2) < 600)
    left, right = drawn[:, 1].min(), drawn[:, 1].max()
    assert left + right == pytest.approx(400, abs=3), "in the middle"
    assert 150 < right - left < 390


def test_what_cannot_be_filmed_is_refused(prism: Trajectory, tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    with pytest.raises(taut.FileError, match="a film is saved as .mp4 or .gif"):
        taut.film(prism, tmp_path / "film.avi")
    for options, told in (
        ({"speed": 0.0}, "speed must be more than zero, not 0"),
        ({"rate": 0}, "rate must be 1 to 240 pictures a second, not 0"),
        ({"size": (321, 240)}, "must be even and 64 to 7680 pixels, not 321 x 240"),
        ({"view": "back"}, 'view "back" is not one of'),
        ({"drawn_by": "pages"}, 'drawn_by "pages" is not one of page, matplotlib; did you mean "page"'),
    ):
        with pytest.raises(taut.OptionError, match=told):
            taut.film(prism, path, **options)
    with pytest.raises(taut.OptionError, match="no samples"):
        taut.film(replace(prism, **{name: getattr(prism, name)[:0] for name in SAMPLED}), path)
    with pytest.raises(taut.OptionError, match="a film shows trajectories, not nothing"):
        taut.film({}, path)
    assert list(tmp_path.iterdir()) == []


def moved(run: Trajectory, count: int, along: tuple[float, float, float]) -> Trajectory:
    """The first samples of a run, somewhere else."""
    kept = {name: getattr(run, name)[:count] for name in SAMPLED}
    return replace(run, **kept | {"nodes": run.nodes[:count] + np.array(along)})


def near(picture: np.ndarray, colour: str) -> np.ndarray:
    """(k, 2) places with about that colour, names of runs and their marks aside."""
    wanted = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)])
    found = np.argwhere(np.abs(picture.astype(int) - wanted).max(axis=2) < 12)
    return found[(found[:, 0] > 0.25 * len(picture)) | (found[:, 1] > 0.3 * picture.shape[1])]


def seen(canvas: Canvas, time: float) -> np.ndarray:
    width, height = canvas.shot.size
    return np.frombuffer(canvas.drawn(time), np.uint8).reshape(height, width, 3)


def test_several_runs_have_colours_of_their_own_and_one_that_ends_stays(prism: Trajectory) -> None:
    aside = moved(prism, 3, (2.0, 0.0, 0.0))  # until 0.02 s of 0.05 s
    canvas = Canvas(Shot({"whole": prism, "short": aside}, (640, 360), "xz"))
    first, middle, last = (seen(canvas, time) for time in (0.0, 0.02, 0.05))
    one, other = (near(first, colour)[:, 1].mean() for colour in LINES[:2])
    assert other - one > 150, "beside each other, 2 m apart"
    assert near(first, LINES[1]).shape != near(middle, LINES[1]).shape, "it moves"
    np.testing.assert_array_equal(near(middle, LINES[1]), near(last, LINES[1]))
    assert not np.array_equal(near(middle, LINES[0]), near(last, LINES[0]))
    assert canvas.shot.legend(0.02) == ["whole", "short"]
    assert canvas.shot.legend(0.03) == ["whole", "short, ended at 0.020 s"] or canvas.shot.legend(0.03)[1].startswith(
        "short, ended at 0.02"
    )


def test_a_film_of_several_runs_lasts_as_long_as_the_longest(prism: Trajectory, tmp_path: Path) -> None:
    runs = [moved(prism, 3, (1.0, 0.0, 0.0)), prism]
    options: dict[str, Any] = {"rate": 10, "size": (128, 96), "drawn_by": "matplotlib"}
    assert taut.film(runs, tmp_path / "film.gif", speed=0.05, **options) == 11
    assert taut.film({"a": runs[0], "b": runs[0]}, tmp_path / "film.gif", speed=0.05, **options) == 5


def test_the_picture_says_the_speed_that_is_not_that_of_time(prism: Trajectory) -> None:
    real, slow = (Canvas(Shot({"": prism}, (640, 360), "xz", speed)) for speed in (1.0, 0.5))
    assert (real.shot.told_speed, slow.shot.told_speed) == ("", "0.5 x")
    changed = np.argwhere((seen(real, 0.0) != seen(slow, 0.0)).any(axis=2))
    assert len(changed) > 20
    assert changed[:, 0].max() < 60, "below the clock"
    assert changed[:, 1].min() > 500


def test_the_first_of_several_runs_is_followed(prism: Trajectory) -> None:
    way = np.linspace(0.0, 20.0, prism.time.size)[:, None] * np.array([1.0, 0.0, 0.0])
    travels = replace(prism, nodes=prism.nodes + way[:, None])
    shot = Shot({"": travels}, (640, 360), "xz")
    assert shot.follows
    np.testing.assert_allclose(np.diff(shot.drift(prism.time), axis=0)[:, 0], np.diff(way[:, 0]), atol=0.1)
    assert not Shot({"": prism, "far": travels}, (640, 360)).follows, "the first stays"
    canvas = Canvas(Shot({"": travels}, (640, 360), "xz"))
    middles = [np.argwhere(seen(canvas, time)[80:280].sum(axis=2) < 600)[:, 1].mean() for time in (0.0, 0.05)]
    assert middles[0] == pytest.approx(middles[1], abs=8)


def program(folder: Path, script: str) -> str:
    path = folder / "browser"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(os.name != "posix", reason="no browser is driven there")
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo no display here >&2; exit 3", r"browser ended with code 3 \(no display here\)"),
        ("exec sleep 1000", r"browser did not answer Target.createTarget within 0.5 s"),
        ("printf 'hello\\0' >&4; sleep 1000", "answered Target.createTarget with what is no message: b'hello'"),
        ('printf \'{"id": 1, "error": {"message": "no"}}\\0\' >&4; sleep 9', "refused Target.createTarget: no"),
    ],
    ids=["fails", "hangs", "babbles", "refuses"],
)
def test_a_browser_that_does_not_work_is_told_and_matplotlib_draws(
    prism: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, why: str
) -> None:
    (own := tmp_path / "own").mkdir()
    monkeypatch.setattr(browser, "PATIENCE", 0.5)
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    monkeypatch.setenv(browser.VARIABLE, program(tmp_path, script))
    told: list[str] = []
    path, small = tmp_path / "film.gif", {"size": (64, 64), "rate": 20}
    begun = time.monotonic()
    assert taut.film(prism, path, notice=told.append, **small) == 2
    assert path.read_bytes().startswith(b"GIF")
    assert len(told) == 1
    assert re.match("drawn by matplotlib, since the browser .*" + why, told[0]), told
    with pytest.warns(UserWarning, match=why):
        taut.film(prism, path, **small)
    path.unlink()
    with pytest.raises(browser.BrowserError, match=why):
        taut.film(prism, path, drawn_by="page", **small)
    assert time.monotonic() - begun < 60.0
    assert not path.exists()
    assert list(own.iterdir()) == [], "profiles are gone"


def test_without_a_browser_matplotlib_draws_and_says_nothing(
    prism: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(browser.VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    small = {"size": (64, 64), "rate": 20}
    assert taut.film(prism, tmp_path / "film.gif", **small) == 2
    with pytest.raises(browser.NoBrowserError, match=r"none of chromium, .* name one in the environment variable"):
        taut.film(prism, tmp_path / "film.gif", drawn_by="page", **small)


@pytest.mark.parametrize("size", [(1280, 720), (640, 480), (854, 480), (1366, 768), (3840, 2160), (66, 7678)])
def test_the_window_of_the_page_makes_pictures_of_the_size(size: tuple[int, int]) -> None:
    width, height, scale = page_frames._window(size)
    assert (width * scale, height * scale) == pytest.approx(size, abs=1e-9)


def test_a_film_is_made_of_the_samples_beside_its_times(prism: Trajectory) -> None:
    assert prism.time.size == 6
    assert samples_beside(prism, prism.time[4:5]).tolist() == [0, 3, 4, 5]
    assert samples_beside(prism, np.array([0.5 * (prism.time[2] + prism.time[3]), 9.0])).tolist() == [0, 2, 3, 4, 5]


def test_what_a_page_cannot_hold_is_drawn_by_matplotlib(
    prism: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_frames, "MOST_NUMBERS", 10)
    monkeypatch.setattr(page_frames, "browser_program", lambda: "never started")
    said: list[str] = []
    assert taut.film(prism, tmp_path / "film.gif", rate=2, size=(160, 120), notice=said.append) == 2
    assert re.match("drawn by matplotlib, since the film has .* numbers and a page holds .*; take fewer", said[0])
