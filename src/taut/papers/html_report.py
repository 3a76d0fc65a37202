"""The report of all papers as one HTML file: claims with verdicts and reasons, figures within it, no network."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from taut.papers.all_reports import AllReports
from taut.papers.claims import CANNOT, NOT_REPRODUCED, REPRODUCED, number

CLASSES = {REPRODUCED: "yes", NOT_REPRODUCED: "no", CANNOT: "open"}
LOST, LOST_CLASS = "not computed", "lost"

STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 88em; padding: 0 1.2em; color: #223; }
h1 { margin-bottom: 0.2em; } h2 { margin: 2.2em 0 0.2em; border-top: 2px solid #ccd; padding-top: 0.8em; }
p, .about, .errata { max-width: 62em; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; margin: 0.8em 0; }
th, td { text-align: left; vertical-align: top; padding: 0.3em 0.6em; border-bottom: 1px solid #dde; }
th { background: #f3f4f8; position: sticky; top: 0; }
td.id, td.verdict { white-space: nowrap; } td.id { font-weight: 600; }
td.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.reason { min-width: 22em; } td.says { min-width: 14em; }
.beside { color: #667; }
.yes { color: #17713a; } .no { color: #a8231c; } .open { color: #7a6a12; } .lost { color: #777; }
.about { white-space: pre-line; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(30em, 1fr)); gap: 1em 1.4em; }
figure { margin: 0; } img { max-width: 100%; border: 1px solid #dde; } figcaption { font-size: 13px; }
"""


def html_page(reports: AllReports) -> str:
    """What `reproduce_all` found, whole in one file; pages and films lie beside it."""
    return "\n".join(_lines(reports)) + "\n"


def _lines(reports: AllReports) -> Iterator[str]:
    yield '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Papers computed again</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>{STYLE}</style></head><body><h1>Papers computed again</h1>"
    took = f"{reports.seconds:.0f} s, {reports.cpu_seconds:.0f} s of CPU time"
    yield f"<p>{escape(reports.summary)}; {took}.</p><p>{escape(reports.machine)}.</p>"
    yield "<p>Papers were computed side by side: CPU times among their numbers are of a busy machine.</p>"
    heads = ("paper", *CLASSES, LOST, "CPU [s]", "")
    yield f'<div class="scroll"><table><tr>{"".join(f"<th>{head}</th>" for head in heads)}</tr>'
    yield from map(_overview, reports.papers)
    yield "</table></div>"
    for paper in reports.papers:
        yield from _paper(paper)
    yield "</body></html>"


def _overview(paper: Mapping[str, Any]) -> str:
    key, verdicts = escape(paper["paper"]), [claim["verdict"] for claim in paper["claims"]]
    counts = {CLASSES[one]: verdicts.count(one) for one in CLASSES} | {LOST_CLASS: len(_lost(paper))}
    cells = "".join(f'<td class="{name}">{count}</td>' for name, count in counts.items())
    title = f"{escape(paper['authors'])}: {escape(paper['title'])}"
    spent = f"<td>{paper['cpu_seconds']:.0f}</td>"
    return f'<tr><td class="id"><a href="#{key}">{key}</a></td>{cells}{spent}<td class="says">{title}</td></tr>'


def _lost(paper: Mapping[str, Any]) -> dict[str, str]:
    return dict(paper["failures"])


def _paper(paper: Mapping[str, Any]) -> Iterator[str]:
    key = escape(paper["paper"])
    took = f"{paper['seconds']:.0f} s, {paper['cpu_seconds']:.0f} s of CPU time"
    yield f'<h2 id="{key}">{escape(paper["title"])}</h2>'
    yield f"<p>{escape(paper['authors'])}. <code>taut reproduce {key}</code>, {took}.</p>"
    yield f'<div class="about">{_marked(_unwrapped(paper["about"]))}</div>'
    if paper["errata"]:
        yield f"<h3>Errata</h3>{_listed((_marked(one) for one in paper['errata']), 'errata')}"
    yield "<h3>Claims</h3>"
    heads = ("claim", "place", "says", "paper", "tolerance", "ours", "unit", "verdict", "reason", "CPU [s]")
    yield f'<div class="scroll"><table><tr>{"".join(f"<th>{head}</th>" for head in heads)}</tr>'
    yield from map(_row, paper["claims"])
    yield from (_lost_row(name, why) for name, why in _lost(paper).items())
    yield "</table></div>"
    yield from (f"<p>{escape(note)}</p>" for note in paper["notes"])
    if paper["pages"]:
        yield f"<h3>Pages and films</h3>{_listed((_scene(paper, name) for name in paper['pages']), 'scenes')}"
    if paper["pictures"]:
        yield '<h3>Figures</h3><div class="figures">'
        for name, path in paper["pictures"].items():
            content = base64.b64encode(Path(path).read_bytes()).decode("ascii")
            yield f'<figure><img alt="{escape(name)}" src="data:image/png;base64,{content}">'
            yield f"<figcaption>{escape(name)}: {escape(paper['picture_titles'][name])}</figcaption></figure>"
        yield "</div>"
    if paper["runs"]:
        files = ", ".join(f"{key}/{escape(Path(run).name)}" for run in paper["runs"])
        yield f"<details><summary>{len(paper['runs'])} run files, for <code>taut page</code> and"
        yield f" <code>taut plot</code></summary>{files}</details>"


def _scene(paper: Mapping[str, Any], name: str) -> str:
    """Links to what lies in the paper's folder, beside this file."""
    kinds = (("page", paper["pages"]), ("film", paper["films"]))
    links = [f'<a href="{paper["paper"]}/{Path(made[name]).name}">{kind}</a>' for kind, made in kinds if name in made]
    return f"{escape(paper['scene_titles'][name])}: {', '.join(links)}"


def _row(claim: Mapping[str, Any]) -> str:
    beside = "; ".join(f"{escape(name)}: {escape(number(value))}" for name, value in claim["beside"].items())
    reason = escape(claim["reason"]) + (f' <span class="beside">Beside it: {beside}.</span>' if beside else "")
    texts = [f'<td class="{name}">{escape(claim[name])}</td>' for name in ("id", "place", "says")]
    texts.append(f'<td class="n">{number(claim["paper"])}</td><td>{escape(claim["relation"])}</td>')
    texts.append(f'<td class="n">{number(claim["ours"])}</td><td>{escape(claim["unit"])}</td>')
    texts.append(f'<td class="verdict {CLASSES[claim["verdict"]]}">{claim["verdict"]}</td>')
    texts.append(f'<td class="reason">{reason.strip()}</td><td class="n">{claim["cpu_seconds"]:.1f}</td>')
    return f"<tr>{''.join(texts)}</tr>"


def _lost_row(name: str, why: str) -> str:
    unknown = "<td></td>" * 6
    told = f'<td class="verdict {LOST_CLASS}">{LOST}</td><td class="reason">{escape(why)}</td><td></td>'
    return f'<tr><td class="id">{escape(name)}</td>{unknown}{told}</tr>'


def _listed(items: Iterator[str], kind: str) -> str:
    return f'<ul class="{kind}">{"".join(f"<li>{one}</li>" for one in items)}</ul>'


def _unwrapped(text: str) -> str:
    """Lines of a paragraph as one."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text)


def _marked(text: str) -> str:
    """The little Markdown there is: code and bold."""
    told = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", told)
