"""`taut page`, `taut plot`, `taut film`, `taut run --page`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def run(taut: Callable, tbar: Path) -> Path:
    assert taut("run", tbar, "--duration", "0.2", "-o", "r.nc").code == 0
    return Path("r.nc")


def test_page(taut: Callable, run: Path, tbar: Path) -> None:
    code, out, err = taut("page", run)
    assert (code, err) == (0, "")
    assert out.startswith("page: r.html (0.")
    assert Path("r.html").resolve().as_uri() in out
    assert Path("r.html").read_text().startswith("<!doctype html>")
    assert taut("page", run, tbar, "-o", "both.html").code == 0
    assert taut("page", tbar).out.startswith("page: tbar.html")
    assert taut("page", "nothing.nc").code == 2
    assert "frames must be at least 2" in taut("page", run, "--frames", "1").err


def test_run_writes_a_page_too(taut: Callable, tbar: Path) -> None:
    code, out, _ = taut("run", tbar, "--duration", "0.2", "-o", "r.nc", "--page", "p.html")
    assert code == 0
    assert f"MB); double-click it, or open {Path('p.html').resolve().as_uri()} in a browser" in out
    out = taut("run", tbar, "--duration", "0.2", "-o", "r.nc", "--page", "p.html", "--json").out
    assert json.loads(out)["page"] == "p.html"
    code, out, err = taut("run", tbar, "--duration", "0.2", "-o", "q.nc", "--page", "no/p.html")
    assert (code, out) == (2, "")
    assert err.startswith("no/p.html: cannot be written")
    assert not Path("q.nc").exists(), "found before the run"


def test_plot(taut: Callable, run: Path, tbar: Path) -> None:
    pytest.importorskip("matplotlib")
    code, out, err = taut("plot", run)
    assert (code, err) == (0, "")
    names = ["structure", "energy", "violations", "tensions", "paths", "coordinates"]
    assert out == "".join(f"figure: r-plots/{name}.png\n" for name in names)
    assert all((Path("r-plots") / f"{name}.png").stat().st_size > 5000 for name in names)
    assert taut("plot", run, "-o", "all.pdf") == (0, "figure: all.pdf\n", "")
    assert Path("all.pdf").read_bytes().startswith(b"%PDF")
    assert taut("plot", run, "-o", "all.docx").err == "all.docx: a figure is saved as .png, .pdf, .svg\n"
    assert taut("plot", tbar).err == f"{tbar}: is a model, not a run; run it first: taut run {tbar}\n"


def test_film(taut: Callable, run: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    small = ("--size", "160x120", "--rate", "10", "--drawn-by", "matplotlib")
    code, out, err = taut("film", run, "r.gif", *small)
    assert (code, out, err) == (0, "film: r.gif (3 pictures, 0.3 s)\n", "")
    assert Path("r.gif").read_bytes().startswith(b"GIF")
    shutil.copy(run, "again.nc")
    assert taut("film", run, "again.nc", "-o", "both.gif", *small).out == "film: both.gif (3 pictures, 0.3 s)\n"
    assert taut("film", run, "again.nc", *small).out == "film: r.mp4 (3 pictures, 0.3 s)\n"
    assert taut("film", run, "again.nc", "last.gif", *small).out == "film: last.gif (3 pictures, 0.3 s)\n"
    assert taut("film", run, "r.gif", "-o", "x.gif", *small).code == 2, "r.gif is no run"
    assert 'size "big" is not a width and a height' in taut("film", run, "r.gif", "--size", "big").err
    assert taut("film", run, "r.avi").err == "r.avi: a film is saved as .mp4 or .gif\n"
    assert 'drawn_by "hand" is not one of page, matplotlib' in taut("film", run, "r.gif", "--drawn-by", "hand").err


def test_a_film_says_why_no_browser_drew_it(taut: Callable, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("imageio_ffmpeg")
    monkeypatch.setenv("TAUT_BROWSER", "no-such-browser")
    code, _, err = taut("film", run, "r.gif", "--size", "160x120", "--rate", "10")
    assert code == 0
    assert err == "note: drawn by matplotlib, since TAUT_BROWSER names no-such-browser, which is no program here\n"
    code, _, err = taut("film", run, "s.gif", "--drawn-by", "page")
    assert (code, Path("s.gif").exists()) == (2, False)
    assert err == "error: TAUT_BROWSER names no-such-browser, which is no program here\n"
