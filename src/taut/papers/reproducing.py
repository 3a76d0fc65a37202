"""`reproduce`: a paper's claims computed again, its runs and pictures saved, and a report of it all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from taut.atomic_files import made_folder, written_whole
from taut.errors import TautError, WriteError
from taut.output.plot.files import blank_figure, save_figure
from taut.papers.bench import Bench
from taut.papers.claims import Claim, Finding
from taut.papers.paper import Paper, paper_named
from taut.papers.report import Report, json_text, markdown

INTERRUPTED = "interrupted"

Told = Callable[[int, str], None]
"""Called with how many claims are done and what is being made."""


def reproduce(
    paper: Paper | str,
    *,
    claims: Iterable[str] = (),
    out: str | Path | None = None,
    progress: Told | None = None,
    jobs: int = 1,
) -> Report:
    """Compute a paper's claims again.

    paper: its key, as in "stedy". claims: ids of those wanted; all by default.
    out: a folder for report.md, report.json, the pictures and the run files; None writes nothing.
    jobs: processes at once for long runs; with more than one a script must call this under
        `if __name__ == "__main__":`.
    Ctrl-C and a claim that fails leave the others as they are; `report.failures` says which and why.
    """
    begun, worked = time.perf_counter(), time.process_time()
    known = paper_named(paper) if isinstance(paper, str) else paper
    wanted = known.chosen(claims)
    folder = None if out is None else made_folder(Path(out))
    findings: list[Finding] = []
    bench = Bench(folder, (lambda what: progress(len(findings), what)) if progress else None)
    failures: dict[str, str] = {}
    pictures: dict[str, Path] = {}
    notes: tuple[str, ...] = ()
    try:
        bench.make_together((task for claim in wanted for task in claim.tasks), jobs)
        for claim in wanted:
            if progress:
                progress(len(findings), claim.id)
            _ask(claim, bench, findings, failures)
        if folder is not None:
            notes = _draw(known, wanted, bench, folder, pictures)
    except KeyboardInterrupt:
        asked = {finding.claim.id for finding in findings} | set(failures)
        failures |= {claim.id: INTERRUPTED for claim in wanted if claim.id not in asked}
        failures["pictures"] = INTERRUPTED
    took = time.perf_counter() - begun, time.process_time() - worked
    report = Report(known, tuple(findings), failures, pictures, tuple(bench.files), *took, notes)
    if folder is not None:
        _write(folder / "report.md", markdown(report))
        _write(folder / "report.json", json_text(report))
    return report


def _ask(claim: Claim, bench: Bench, findings: list[Finding], failures: dict[str, str]) -> None:
    try:
        findings.append(Finding(claim, claim.measure(bench)))
    except WriteError:  # the next run could not be saved either
        raise
    except TautError as error:
        failures[claim.id] = str(error)


def _draw(
    paper: Paper, wanted: tuple[Claim, ...], bench: Bench, folder: Path, made: dict[str, Path]
) -> tuple[str, ...]:
    """The pictures of the claims that were asked for; returns what is to be said of those that are not there."""
    ids = {claim.id for claim in wanted}
    notes = []
    for picture in paper.pictures:
        if not ids.intersection(picture.claims):
            continue
        try:
            sheet = blank_figure(picture.size)
            picture.draw(bench, sheet)
            save_figure(sheet, folder / f"{picture.name}.png")
        except TautError as error:  # no matplotlib, or a run that fails: the claims are worth having without pictures
            notes.append(f"no picture {picture.name}: {error}")
        else:
            made[picture.name] = folder / f"{picture.name}.png"
    return tuple(notes)


def _write(path: Path, text: str) -> None:
    with written_whole(path) as draft:
        draft.write_text(text, encoding="utf-8")
