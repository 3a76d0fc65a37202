"""The site of these pages (`make docs`): links mean what they mean in the repository, and nothing needs a network.

The whole repository is its source, so that `../CONTRIBUTING.md` and `../examples/dome.yaml` are found from docs/.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import typer

import taut
from taut.cli import app as taut_command

PACKAGES = (
    *("taut", "taut.generators", "taut.statics", "taut.kinetostatics", "taut.dynamics", "taut.control"),
    *("taut.measurement", "taut.locomotion", "taut.search", "taut.learning", "taut.mechanisms", "taut.trees"),
    *("taut.live", "taut.output"),
)

project = "taut"
author = "taut developers"
release = taut.__version__
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = ["docs/**.md", "CONTRIBUTING.md", "CHANGELOG.md"]
exclude_patterns = [".venv", ".git", "build", "dist", "src", "tests", "benchmarks", "examples", ".*_cache"]
myst_heading_anchors = 4
html_theme = "furo"  # keeps its fonts, styles and scripts beside the pages
html_static_path = ["site"]
html_css_files = ["wrapped.css"]
html_title = f"taut {release}"
html_show_sourcelink = False
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "monokai"


def setup(app: Any) -> None:
    app.connect("source-read", _fill_in_names)


def _fill_in_names(app: Any, page: str, source: list[str]) -> None:
    """The pages of public names and of commands end with all of them, as they are in the library at hand."""
    if page == "docs/api":
        source[0] += "\n".join(_names())
    if page == "docs/commands":
        source[0] += "\n".join(_commands("taut", typer.main.get_command(taut_command)))


def _commands(name: str, command: Any) -> Iterator[str]:
    """The command and those below it, as --help prints them."""
    context = type(command).context_class(command, info_name=name, terminal_width=110, max_content_width=110)
    yield from ("", f"## {name}", "", "```text", command.get_help(context).rstrip(), "```")
    for below, one in getattr(command, "commands", {}).items():
        yield from _commands(f"{name} {below}", one)


def _names() -> Iterator[str]:
    for package in PACKAGES:
        module = importlib.import_module(package)
        yield from ("", f"## {package}", "", inspect.cleandoc(module.__doc__ or ""), "")
        for name in sorted(module.__all__, key=str.lower):
            if not inspect.ismodule(value := getattr(module, name)):
                yield from _described(f"{package}.{name}", value)


def _described(name: str, value: Any) -> Iterator[str]:
    yield from (f"### {name}", "", "```text")
    try:
        yield f"{name.rpartition('.')[2]}{_unquoted(inspect.signature(value))}"
    except (TypeError, ValueError):
        yield name.rpartition(".")[2]
    yield from ("", inspect.getdoc(value) or "", "```", "")


class _Annotation(str):
    """Shown without quotes."""

    __repr__ = str.__str__


def _unquoted(told: inspect.Signature) -> inspect.Signature:
    def shown(one: Any) -> Any:
        return _Annotation(one) if isinstance(one, str) else one

    given = [one.replace(annotation=shown(one.annotation)) for one in told.parameters.values()]
    return told.replace(parameters=given, return_annotation=shown(told.return_annotation))
