"""One HTML text from the parts of the page: template, style sheets, scripts and data.

The scripts are modules that also run as they are; here their imports and exports are taken away and they become one.
A policy in the page names the checksums of style and script, so a browser runs nothing else and asks the network for
nothing. No text of a model stands in the HTML: names travel in the data and are shown as text by the scripts.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

STYLES = ("colours.css", "layout.css", "controls.css")

SCRIPTS = (
    "format.js",
    "maths.js",
    "grid.js",
    "data.js",
    "colours.js",
    "state.js",
    "gl.js",
    "shaders.js",
    "ground.js",
    "layers.js",
    "camera.js",
    "pointer.js",
    "underfoot.js",
    "lens.js",
    "paintedground.js",
    "painted.js",
    "scene.js",
    "picking.js",
    "picture.js",
    "overlay.js",
    "chart.js",
    "charts.js",
    "player.js",
    "legend.js",
    "toggles.js",
    "cases.js",
    "panels.js",
    "inputs.js",
    "posture.js",
    "map.js",
    "keyboard.js",
    "engine.js",
    "keeping.js",
    "settling.js",
    "weakest.js",
    "live.js",
    "livepanel.js",
    "framing.js",
    "hold.js",
    "main.js",
)
"""In an order in which everything comes before it is used."""

LIVE = ("engine.js", "keeping.js", "settling.js", "weakest.js", "live.js", "livepanel.js", "hold.js")
"""Scripts that only a live page carries; nothing of them is called in others."""

NOWHERE = "base-uri 'none'; form-action 'none'"
"""`default-src` does not cover where relative addresses lead and where forms are sent."""

_IMPORT = re.compile(r'^import [^;]*? from "\./[a-z]+\.js";\n', re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"^ *(//[^\n]*|/\*\*.*?\*/ *)\n", re.MULTILINE | re.DOTALL)
_ASIDE = re.compile(r"(?<=[;,{()\]}]) // [^\n`\"']*$", re.MULTILINE)
_INDENT = re.compile(r"^ +", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(async )?function|class|const|let)", re.MULTILINE)


WASM = "'wasm-unsafe-eval'"
"""What lets a live page compile the module that it carries, and nothing else."""


def html(document: str, *, live: bool = False) -> str:
    """The page around a document in base64. live: with leave to run WebAssembly."""
    style, script = _parts(live)
    text = _part("index.html")
    allowed = f"{_checksum(script)} {WASM}" if live else _checksum(script)
    for place, content in (
        ("{{policy}}", f"default-src 'none'; {NOWHERE}; style-src {_checksum(style)}; script-src {allowed}"),
        ("{{style}}", style),
        ("{{script}}", script),
        ("{{data}}", document),
    ):
        text = text.replace(place, content, 1)
    return text


@cache
def _parts(live: bool) -> tuple[str, str]:
    style = "".join(map(_part, STYLES))
    carried = (name for name in SCRIPTS if live or name not in LIVE)
    script = "".join(_EXPORT.sub("", _IMPORT.sub("", _part(name))) for name in carried)
    # Comments and indents are for those who read the parts.
    for unread in (_COMMENT, _ASIDE, _INDENT):
        script = unread.sub("", script)
    return style, script


def _part(name: str) -> str:
    return (files("taut.output.page") / "parts" / name).read_text(encoding="utf-8")


def _checksum(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
