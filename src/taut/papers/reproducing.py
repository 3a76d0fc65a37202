"""`reproduce`: a paper's claims computed again, its runs and pictures saved, and a report of it all."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

from taut.atomic_files import made_folder, written_whole
from taut.errors import TautError, WriteError
from taut.papers.bench import Bench
from taut.papers.claims import Claim, Finding
from taut.papers.paper import Paper, paper_named
from taut.papers.report import Report, json_text, markdown
from taut.papers.showing import Shown, show

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
    out: a folder for report.md, report.json, pictures, run files, pages and films; None writes nothing.
    jobs: processes at once for long runs; with more than one a script must call this under
        `if __name__ == "__main__":`.
    Ctrl-C and a claim that fails leave the others as they are; `report.failures` says which and why.
    """
    known = paper_named(paper) if isinstance(paper, str) else paper
    return computed(known, known.chosen(claims), None if out is None else made_folder(Path(out)), progress, jobs=jobs)


def computed(
    paper: Paper,
    wanted: tuple[Claim, ...],
    folder: Path | None,
    progress: Told | None = None,
    found: Callable[[Finding], None] | None = None,
    jobs: int = 1,
) -> Report:
    """The report of these claims. found: is given every finding at once, for those who may not live to see the last."""
    begun, worked = time.perf_counter(), _worked()
    findings: list[Finding] = []
    failures: dict[str, str] = {}

    def tell(what: str) -> None:
        if progress:
            progress(len(findings) + len(failures), what)

    bench, shown = Bench(folder, tell), Shown()
    try:
        bench.make_together((task for claim in wanted for task in claim.tasks), jobs)
        for claim in wanted:
            tell(claim.id)
            finding = _asked(claim, bench, failures)
            if finding is not None:
                findings.append(finding)
                if found:
                    found(finding)
        if folder is not None:
            _show(paper, wanted, bench, folder, shown, failures)
    except KeyboardInterrupt:
        asked = {finding.claim.id for finding in findings} | set(failures)
        failures |= {claim.id: INTERRUPTED for claim in wanted if claim.id not in asked}
        failures["pictures"] = INTERRUPTED
    took = time.perf_counter() - begun, _worked() - worked
    report = Report(
        paper,
        tuple(findings),
        failures,
        shown.pictures,
        tuple(bench.files),
        *took,
        tuple(shown.notes),
        shown.pages,
        shown.films,
    )
    if folder is not None:
        _write(folder / "report.md", markdown(report))
        _write(folder / "report.json", json_text(report))
    return report


def _worked() -> float:
    """CPU seconds of this process and of those that it started and that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _asked(claim: Claim, bench: Bench, failures: dict[str, str]) -> Finding | None:
    worked = time.process_time()
    try:
        return Finding(claim, claim.measure(bench), time.process_time() - worked)
    except WriteError:  # the next run could not be saved either
        raise
    except TautError as error:
        failures[claim.id] = str(error)
    except Exception as error:  # a slip in one claim is told, and is not the end of the others
        failures[claim.id] = slip(error)
    return None


def _show(
    paper: Paper, wanted: tuple[Claim, ...], bench: Bench, folder: Path, shown: Shown, failures: dict[str, str]
) -> None:
    """Claims are worth having without pictures, whatever is wrong with those."""
    try:
        show(paper, wanted, bench, folder, shown)
    except WriteError:
        raise
    except TautError as error:
        failures["pictures"] = str(error)
    except Exception as error:
        failures["pictures"] = slip(error)


def slip(error: Exception) -> str:
    """An error that is not the user's: its kind, its words and where it was raised."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} (in {place.name}, {Path(place.filename).name} line {place.lineno})"


def _write(path: Path, text: str) -> None:
    with written_whole(path) as draft:
        draft.write_text(text, encoding="utf-8")
