"""`reproduce_all`: all papers at once, each in a process of its own, and what came of them as one record."""

from __future__ import annotations

import multiprocessing
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from importlib.metadata import version
from pathlib import Path
from typing import Any

from taut.atomic_files import made_folder, written_whole
from taut.dynamics.interrupts import held_interrupts
from taut.errors import OptionError, TautError
from taut.executors import Lane, Lost, spread
from taut.output.study.plan import this_program
from taut.output.worker_processes import DeafPool, asked_to_stop, begin_work, deaf
from taut.papers.all_reports import AllReports, json_text
from taut.papers.claims import Finding
from taut.papers.html_report import html_page
from taut.papers.paper import PAPERS, paper_in
from taut.papers.report import Report
from taut.papers.reproducing import INTERRUPTED, computed, slip

TRIES = 2
"""Of a paper whose process dies."""

Told = Callable[[int, str], None]
"""Called with how many claims are done, of all papers, and what is being made."""

Facts = Mapping[str, Any]

_tell: Callable[[tuple[str, int, str, Facts | None]], None] | None = None


def reproduce_all(
    papers: Mapping[str, str] = PAPERS, *, out: str | Path, jobs: int | None = None, progress: Told | None = None
) -> AllReports:
    """Compute all papers again, into a folder for each and one report of all, report.html and report.json.

    papers: modules that have a PAPER, by the key that is also the name of the folder. jobs: processes at once, by
    default one a processor. Ctrl-C ends every paper after the claim it is at; what was found is reported.
    A script must call this under `if __name__ == "__main__":`.
    """
    count = (os.cpu_count() or 1) if jobs is None else jobs
    if count < 1:
        raise OptionError(f"jobs = {count} must be one or more")
    begun, folder = time.perf_counter(), made_folder(Path(out))
    found = dict(_computed(papers, folder, count, progress))
    told = tuple(found.get(key) or _cut_short(module, [], INTERRUPTED) for key, module in papers.items())
    reports = AllReports(told, time.perf_counter() - begun, _machine())
    for name, text in (("report.json", json_text(reports)), ("report.html", html_page(reports))):
        with written_whole(folder / name) as draft:
            draft.write_text(text, encoding="utf-8")
    return reports


def _computed(papers: Mapping[str, str], folder: Path, jobs: int, progress: Told | None) -> Iterator[tuple[str, Facts]]:
    context = multiprocessing.get_context("spawn")
    with deaf():
        stop = context.Event()
    queues: list[Any] = []
    done = dict.fromkeys(papers, 0)
    found: dict[str, dict[str, Facts]] = {key: {} for key in papers}

    def process() -> Executor:
        queues.append(context.SimpleQueue())  # one each: a process that is killed may leave its own locked
        return DeafPool(max_workers=1, mp_context=context, initializer=_begin, initargs=(stop, queues[-1]))

    def pass_on() -> None:
        for queue in queues:
            while not queue.empty():
                key, done[key], what, claim = queue.get()
                if claim is not None:
                    found[key][claim["id"]] = claim
                elif progress is not None:
                    progress(sum(done.values()), f"{key}: {what}")

    # Papers that came last take longest (docs/reproductions.md): they go first, so that no long one is left at the end.
    tasks = [(key, (key, module, str(folder / key), jobs)) for key, module in reversed(list(papers.items()))]
    with held_interrupts() as interrupted:

        def stopping() -> bool:
            pass_on()
            if interrupted():
                stop.set()
            return bool(stop.is_set())

        lanes = [Lane(process, most=1) for _ in range(min(jobs, len(papers)))]
        try:
            for key, facts in spread(tasks, lanes, _reproduced, stopping, tries=TRIES):
                pass_on()
                done[key] = len(paper_in(papers[key]).claims)
                if progress is not None:
                    progress(sum(done.values()), f"{key}: done")
                if isinstance(facts, Lost):
                    facts = _cut_short(papers[key], found[key].values(), str(facts))
                yield key, facts
        finally:
            stop.set()
            for lane in lanes:
                lane.close()


def _begin(stop: Any, queue: Any) -> None:
    """In a new process."""
    global _tell
    _tell = queue.put
    begin_work(stop)


def _reproduced(task: tuple[str, str, str, int]) -> Facts:
    """In another process: the facts of a paper's report, whose claims are functions that no pipe takes."""
    key, module, folder, jobs = task
    found: list[Facts] = []

    def heed(done: int, what: str) -> None:
        if asked_to_stop():
            raise KeyboardInterrupt
        if _tell is not None:
            _tell((key, done, what, None))

    def keep(finding: Finding) -> None:
        found.append(finding.facts())
        if _tell is not None:  # at once: where this process is killed, what it found is not lost
            _tell((key, len(found), finding.claim.id, found[-1]))

    try:
        paper = paper_in(module)
        # A paper with long runs spreads them too: where others are done sooner, processors would be idle.
        return computed(paper, paper.claims, made_folder(Path(folder)), heed, keep, jobs).facts()
    except TautError as error:
        return _cut_short(module, found, str(error))
    except Exception as error:  # whatever it is, it must not take the other papers with it
        return _cut_short(module, found, slip(error))


def _cut_short(module: str, found: Iterable[Facts], why: str) -> Facts:
    """The facts of a paper of which no more was computed than this."""
    paper, claims = paper_in(module), list(found)
    known = {claim["id"] for claim in claims}
    lost = {claim.id: why for claim in paper.claims if claim.id not in known}
    spent = float(sum(claim["cpu_seconds"] for claim in claims))
    return {**Report(paper, (), lost, {}, (), 0.0, spent).facts(), "claims": claims}


def _machine() -> str:
    told = [f"taut {this_program()}", *(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba"))]
    where = (f"Python {platform.python_version()}", platform.platform(), f"{os.cpu_count()} processors")
    return ", ".join([*told, *where])
