"""Films: as many pictures as they should have, of the right size, showing what the run says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.dynamics.trajectory import SAMPLED, Trajectory
from taut.output.film.canvas import pictures

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
    count = taut.film(prism, path, speed=0.05, rate=10, size=(320, 240), progress=lambda *now: told.append(now))
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
    ):
        with pytest.raises(taut.OptionError, match=told):
            taut.film(prism, path, **options)
    with pytest.raises(taut.OptionError, match="no samples"):
        taut.film(replace(prism, **{name: getattr(prism, name)[:0] for name in SAMPLED}), path)
    assert list(tmp_path.iterdir()) == []
