"""What came out of a paper: a Report, as Markdown for people and JSON for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from taut.papers.claims import VERDICTS, Finding, number
from taut.papers.paper import Paper
from taut.reprs import brief


@dataclass(frozen=True)
class Report:
    """findings: in the paper's order. failures: claims that could not be computed, and why.

    pictures: files by name. runs: run files. seconds, cpu_seconds: how long it took, of wall and of CPU time.
    notes: pictures that are missing. pages, films: files by the name of the run that they show.
    """

    paper: Paper
    findings: tuple[Finding, ...]
    failures: Mapping[str, str]
    pictures: Mapping[str, Path]
    runs: tuple[Path, ...]
    seconds: float
    cpu_seconds: float
    notes: tuple[str, ...] = ()
    pages: Mapping[str, Path] = field(default_factory=dict)
    films: Mapping[str, Path] = field(default_factory=dict)

    __repr__ = brief

    @property
    def ok(self) -> bool:
        """Whether every claim was computed, whatever the verdicts."""
        return not self.failures

    @property
    def summary(self) -> str:
        """As in: 20 reproduced, 4 not reproduced, 5 cannot be checked here."""
        counts = Counter(finding.verdict for finding in self.findings)
        return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict]) or "no claims"

    def facts(self) -> dict[str, Any]:
        """For programs: nothing rounded."""
        return {
            "paper": self.paper.key,
            "title": self.paper.title,
            "authors": self.paper.authors,
            "about": self.paper.about,
            "claims": [finding.facts() for finding in self.findings],
            "failures": dict(self.failures),
            "pictures": {name: str(path) for name, path in self.pictures.items()},
            "picture_titles": {one.name: one.title for one in self.paper.pictures if one.name in self.pictures},
            "runs": [str(path) for path in self.runs],
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "notes": list(self.notes),
            "errata": list(self.paper.errata),
            "pages": {name: str(path) for name, path in self.pages.items()},
            "films": {name: str(path) for name, path in self.films.items()},
            "scene_titles": {one.run: one.title for one in self.paper.scenes if one.run in self.pages},
        }


def json_text(report: Report) -> str:
    return json.dumps(report.facts(), indent=2) + "\n"


def markdown(report: Report) -> str:
    """The table, then every claim with its reason and the numbers beside it, then pictures and run files by name."""
    return "\n".join(_lines(report)) + "\n"


def table(report: Report) -> str:
    """The table alone, in Markdown."""
    rows = [("claim", "place", "paper", "", "ours", "unit", "verdict"), ("---",) * 7]
    for finding in report.findings:
        claim = finding.claim
        found = number(finding.measured.ours)
        rows.append(
            (claim.id, claim.place, number(claim.paper), claim.relation.words, found, claim.unit, finding.verdict)
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _lines(report: Report) -> Iterator[str]:
    paper = report.paper
    took = f"{report.seconds:.0f} s, {report.cpu_seconds:.0f} s of CPU time"
    yield from (f"# {paper.title}", "", f"{paper.authors}. `taut reproduce {paper.key}`: {report.summary}; {took}.", "")
    yield from (paper.about, "", table(report), "", *_errata(paper), "## Claim by claim", "")
    for finding in report.findings:
        claim = finding.claim
        yield f"**{claim.id}** ({claim.place}), {finding.verdict}. {claim.says}"
        if finding.reason:
            yield f"{finding.reason}"
        yield from (f"- {name}: {number(value)}" for name, value in finding.measured.beside.items())
        yield ""
    if report.failures:
        yield from ("## Could not be computed", "")
        yield from (f"- {name}: {why}" for name, why in report.failures.items())
        yield ""
    yield from (f"{note}\n" for note in report.notes)
    titles = {picture.name: picture.title for picture in paper.pictures}
    if report.pictures:
        yield from ("## Pictures", "")
        for name, path in report.pictures.items():
            yield from (f"![{name}]({path.name})", "", titles[name], "")
    if report.pages:
        yield from ("## Pages and films", "")
        for scene in paper.scenes:
            shown = [made[scene.run].name for made in (report.pages, report.films) if scene.run in made]
            if shown:
                yield f"- {scene.title}: {', '.join(f'[{name}]({name})' for name in shown)}"
        yield ""
    if report.runs:
        yield from ("## Run files", "", "`taut page FILE` shows one, `taut plot FILE` draws it.", "")
        yield from (f"- {path.name}" for path in report.runs)


def _errata(paper: Paper) -> Iterator[str]:
    if paper.errata:
        yield from ("## Errata", "")
        yield from (f"- {one}" for one in paper.errata)
        yield ""
