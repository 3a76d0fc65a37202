"""The pages together: links lead somewhere, all examples are in the gallery, the site is built without a warning."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from importlib.util import find_spec
from pathlib import Path

import pytest

import taut
from taut.output.page.lively import live_model
from taut.structure.files import read_model

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)
BUILT = ROOT / "build" / "site" / "docs" / "live"
GALLERY = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
LIVE = re.findall(r'<a href="live/(\w+)\.html">', GALLERY)
"""Models that the gallery says can go live."""
SECTIONS = ["Start", "Tutorials", "How-to", "Concepts", "Theory", "Reference", "Validation", "Limits", "Developers"]


def prose(page: Path) -> str:
    """A page less its code, in which brackets mean something else."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "code", text)


def anchors(page: Path) -> set[str]:
    """Of its headings, as GitHub and the site make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ +(.*?) *$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(page: Path) -> list[str]:
    """The links of a page to files, folders and headings that are not there."""
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if BUILT in target.parents and target.stem in LIVE:
            continue  # `make docs` writes it
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_broken_links_are_seen(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# What it is: a test\n")
    page = tmp_path / "page.md"
    page.write_text("[a](other.md#what-it-is-a-test) [b](other.md#what) [c](gone.md) [d](https://x.org) `[e](code)`\n")
    assert broken_links(page) == ["other.md#what", "gone.md"]


def test_every_example_is_in_the_gallery() -> None:
    told = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    examples = {path.name for path in (ROOT / "examples").iterdir() if path.suffix in (".yaml", ".py")}
    assert set(re.findall(r"\(\.\./examples/([^)]+)\)", told)) == examples


def test_every_picture_of_a_page_is_drawn_by_a_script() -> None:
    """By docs/pictures.py itself, by the blocks of a tutorial, which it runs, or by the benchmarks."""
    drawing = ("docs/pictures.py", "benchmarks/peers/page.py")
    script = "".join((ROOT / path).read_text(encoding="utf-8") for path in drawing)
    tutorials = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "tutorials").glob("*.md"))
    shown = {name for page in PAGES for name in re.findall(r"pictures/([\w-]+\.png)", prose(page))}
    assert shown == {path.name for path in (ROOT / "docs" / "pictures").iterdir()}
    assert all(f'"{name}"' in script or f'savefig("{name}")' in tutorials for name in shown)


def test_the_gallery_says_which_models_go_live_and_make_docs_writes_them() -> None:
    models = {path.stem for path in (ROOT / "examples").glob("*.yaml")}
    refused = set(re.findall(r"\(\.\./examples/(\w+)\.yaml\).*\| not: ", GALLERY))
    assert {*LIVE} | refused == models
    assert not refused & {*LIVE}
    assert "docs/live_gallery.py build/site/docs/live" in (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.slow
def test_what_the_gallery_says_of_live_pages_is_so() -> None:
    for path in (ROOT / "examples").glob("*.yaml"):
        model, name = read_model(path), path.stem
        if name in LIVE:
            assert live_model(model).module
        else:
            with pytest.raises(taut.OptionError, match="cannot go live|is a tree of bodies"):
                live_model(model)


@pytest.mark.slow
def test_the_script_of_the_gallery_writes_pages_and_tells_reasons(tmp_path: Path) -> None:
    script = [sys.executable, str(ROOT / "docs" / "live_gallery.py"), str(tmp_path), "tbar", "platform"]
    told = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    assert "platform: this plant cannot go live: it has plates" in told
    assert "wasm-unsafe-eval" in (tmp_path / "tbar.html").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["tbar.html"]


@pytest.mark.skipif(
    not all(map(find_spec, ("sphinx", "myst_parser", "furo"))), reason='no sphinx; pip install "taut[docs]"'
)
def test_the_site_is_built_without_warnings_and_asks_no_network(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-c", "docs", "-d", str(tmp_path / "trees")]
    built = subprocess.run([*command, ".", str(tmp_path / "site")], cwd=ROOT, capture_output=True, text=True)
    assert (built.returncode, built.stderr) == (0, "")
    front = (tmp_path / "site" / "docs" / "index.html").read_text(encoding="utf-8")
    captions = re.findall(r'class="caption-text">([^<]+)<', front)
    assert [caption.split()[0] for caption in captions] == SECTIONS
    for page in (tmp_path / "site").rglob("*.html"):
        loaded = re.findall(r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"([^\"]+)\"", page.read_text("utf-8"))
        assert not [place for place in loaded if re.match(r"(https?:)?//", place)], page.name
    for style in (tmp_path / "site" / "_static").rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import\s+['\"]https?:", style.read_text("utf-8")), style.name
    names = unescape((tmp_path / "site" / "docs" / "api.html").read_text(encoding="utf-8"))
    assert "simulate(plant: " in names
    assert "objective: str = 'least_squares'" in names, "what is a word stays one"
    assert "taut.generators.tower" in names
    commands = unescape((tmp_path / "site" / "docs" / "commands.html").read_text(encoding="utf-8"))
    assert "Usage: taut gait search" in commands
