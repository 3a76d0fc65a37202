"""The command about papers: reproduce."""

from __future__ import annotations

import os
import textwrap
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from taut.cli.application import complain
from taut.cli.arguments import AsJson
from taut.cli.tables import show_table
from taut.errors import OptionError

if TYPE_CHECKING:
    from taut.papers.paper import Paper
    from taut.papers.report import Report

WIDTH = 100
"""Of what is said below the table [characters]."""


def reproduce(
    paper: Annotated[str | None, typer.Argument(help="A paper's key; all without one.", show_default=False)] = None,
    claims: Annotated[
        list[str] | None, typer.Option("--claim", help="Only this claim; may be given several times.", metavar="ID")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List papers, or the paper's claims, and stop.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Folder for report, pictures and run files; by default PAPER-report.", metavar="DIR"
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(help="Processes for papers and long runs; by default one a processor.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compute a paper's results again and say which hold; without a paper, all of them, into one HTML report."""
    from taut.output.progress import counting_bar
    from taut.papers.paper import PAPERS, paper_named
    from taut.papers.report import json_text
    from taut.papers.reproducing import reproduce as compute

    if paper is None:
        if claims:
            raise OptionError(f"--claim {claims[0]} needs a paper: {', '.join(PAPERS)}")
        if listed:
            for one in map(paper_named, PAPERS):
                print(f"{one.key}  {one.authors}: {one.title} ({len(one.claims)} claims)")
            return
        _reproduce_all(out or Path("papers-report"), jobs, as_json)
    count = (os.cpu_count() or 1) if jobs is None else jobs
    if count < 1:
        raise OptionError(f"jobs = {count} must be one or more")
    known = paper_named(paper)
    wanted = known.chosen(claims or ())
    if listed:
        _list(known)
        return
    folder = out or Path(f"{known.key}-report")
    with counting_bar(len(wanted), "claims") as report_progress:
        report = compute(known, claims=claims or (), out=folder, progress=report_progress, jobs=count)
    if as_json:
        print(json_text(report), end="")
    else:
        _show(report, folder)
    for why in dict.fromkeys(report.failures.values()):
        complain(f"{', '.join(name for name in report.failures if report.failures[name] == why)}: {why}", 1)
    raise typer.Exit(0 if report.ok else 1)


def _reproduce_all(folder: Path, jobs: int | None, as_json: bool) -> NoReturn:
    from taut.output.progress import counting_bar
    from taut.papers.all_papers import reproduce_all
    from taut.papers.all_reports import json_text
    from taut.papers.claims import VERDICTS
    from taut.papers.paper import PAPERS, paper_in

    complain("computing all papers, some 20 minutes of CPU; --list only lists them", 0)
    total = sum(len(paper_in(module).claims) for module in PAPERS.values())
    with counting_bar(total, "claims") as report_progress:
        reports = reproduce_all(PAPERS, out=folder, jobs=jobs, progress=report_progress)
    if as_json:
        print(json_text(reports), end="")
    else:
        verdicts = ((one["paper"], Counter(claim["verdict"] for claim in one["claims"]), one) for one in reports.papers)
        show_table(
            ("paper", *VERDICTS, "failed", "CPU [s]"),
            (
                (key, *(str(counts[one]) for one in VERDICTS), str(len(told["failures"])), f"{told['cpu_seconds']:.0f}")
                for key, counts, told in verdicts
            ),
        )
        print(f"\n{reports.summary}, in {reports.seconds:.0f} s ({reports.cpu_seconds:.0f} s of CPU time)")
        print(f"report: {folder / 'report.html'} and report.json; a folder for each paper beside them")
    for told in reports.papers:
        for why in dict.fromkeys(told["failures"].values()):
            names = [name for name, reason in told["failures"].items() if reason == why]
            complain(f"{told['paper']}: {', '.join(names)}: {why}", 1)
    raise typer.Exit(0 if reports.ok else 1)


def _list(paper: Paper) -> None:
    show_table(("claim", "place", "says"), ((claim.id, claim.place, claim.says) for claim in paper.claims))


def _show(report: Report, folder: Path) -> None:
    """The table, then why what does not hold does not."""
    from taut.papers.claims import REPRODUCED, number

    show_table(
        ("claim", "place", "paper", "ours", "unit", "verdict"),
        (
            (f.claim.id, f.claim.place, number(f.claim.paper), number(f.measured.ours), f.claim.unit, f.verdict)
            for f in report.findings
        ),
    )
    for finding in report.findings:
        if finding.verdict != REPRODUCED:
            told = f"{finding.claim.id}: {finding.claim.says} {finding.reason}"
            print("\n" + textwrap.fill(told, WIDTH, subsequent_indent="  "))
    print(f"\n{report.summary}, in {report.seconds:.0f} s ({report.cpu_seconds:.0f} s of CPU time)")
    for note in report.notes:
        print(f"note: {note}")
    print(f"report: {folder / 'report.md'}, with {len(report.pictures)} pictures and {len(report.runs)} run files")
