"""The report of all papers as one HTML file: claims with verdicts and reasons, figures within it, no network."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from taut.papers.all_reports import AllReports
from taut.papers.claims import CANNOT, NOT_REPRODUCED, REPRODUCED, number

CLASSES = {REPRODUCED: "yes", NOT_REPRODUCED: "no", CANNOT: "open"}

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em; color: #223; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; vertical-align: top; padding: 0.3em 0.6em; border-bottom: 1px solid #dde; }
td.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.yes { color: #17713a; } .no { color: #a8231c; } .open { color: #7a6a12; }
.about { white-space: pre-wrap; max-width: 60em; }
figure { margin: 1.5em 0; } img { max-width: 100%; border: 1px solid #dde; } figcaption { font-size: 13px; }
"""


def html_page(reports: AllReports) -> str:
    """What `reproduce_all` found, whole in one file."""
    return "\n".join(_lines(reports)) + "\n"


def _lines(reports: AllReports) -> Iterator[str]:
    yield '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Papers computed again</title>'
    yield f"<style>{STYLE}</style></head><body><h1>Papers computed again</h1>"
    took = f"{reports.seconds:.0f} s, {reports.cpu_seconds:.0f} s of CPU time"
    yield f"<p>{escape(reports.summary)}; {took}. {escape(reports.machine)}.</p>"
    yield "<p>Papers were computed side by side: CPU times among their numbers are of a busy machine.</p>"
    yield "<ul>"
    for paper in reports.papers:
        key, title = escape(paper["paper"]), escape(paper["title"])
        yield f'<li><a href="#{key}">{key}</a>: {escape(paper["authors"])}: {title}. {_counts(paper)}</li>'
    yield "</ul>"
    for paper in reports.papers:
        yield from _paper(paper)
    yield "</body></html>"


def _counts(paper: Mapping[str, Any]) -> str:
    verdicts = [claim["verdict"] for claim in paper["claims"]]
    told = [f'<span class="{CLASSES[one]}">{verdicts.count(one)} {one}</span>' for one in CLASSES if one in verdicts]
    return ", ".join([*told, *([f"{len(paper['failures'])} could not be computed"] if paper["failures"] else [])])


def _paper(paper: Mapping[str, Any]) -> Iterator[str]:
    key = escape(paper["paper"])
    took = f"{paper['seconds']:.0f} s, {paper['cpu_seconds']:.0f} s of CPU time"
    yield f'<h2 id="{key}">{escape(paper["title"])}</h2><p>{escape(paper["authors"])}. {_counts(paper)}; {took}.</p>'
    yield f'<div class="about">{escape(paper["about"])}</div>'
    heads = ("claim", "place", "says", "paper", "tolerance", "ours", "unit", "verdict", "reason")
    yield f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>"
    for claim in paper["claims"]:
        yield _row(claim)
    yield "</table>"
    if paper["failures"]:
        lost = "".join(f"<li>{escape(name)}: {escape(why)}</li>" for name, why in paper["failures"].items())
        yield f"<h3>Could not be computed</h3><ul>{lost}</ul>"
    yield from (f"<p>{escape(note)}</p>" for note in paper["notes"])
    for name, path in paper["pictures"].items():
        content = base64.b64encode(Path(path).read_bytes()).decode("ascii")
        yield f'<figure><img alt="{escape(name)}" src="data:image/png;base64,{content}">'
        yield f"<figcaption>{escape(name)}: {escape(paper['picture_titles'][name])}</figcaption></figure>"
    if paper["runs"]:
        files = ", ".join(f"{key}/{escape(Path(run).name)}" for run in paper["runs"])
        yield f"<p>Run files, for <code>taut page</code> and <code>taut plot</code>: {files}</p>"


def _row(claim: Mapping[str, Any]) -> str:
    beside = "; ".join(f"{name}: {number(value)}" for name, value in claim["beside"].items())
    reason = " ".join(text for text in (claim["reason"], f"Beside it: {beside}." if beside else "") if text)
    texts = [f"<td>{escape(claim[name])}</td>" for name in ("id", "place", "says")]
    texts.append(f'<td class="n">{number(claim["paper"])}</td><td>{escape(claim["relation"])}</td>')
    texts.append(f'<td class="n">{number(claim["ours"])}</td><td>{escape(claim["unit"])}</td>')
    texts.append(f'<td class="{CLASSES[claim["verdict"]]}">{claim["verdict"]}</td><td>{escape(reason)}</td>')
    return f"<tr>{''.join(texts)}</tr>"
