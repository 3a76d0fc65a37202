"""The points of a study given to an executor, such as that of a cluster, in batches that are worth sending."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import islice

from taut.errors import TautError
from taut.output.study.points import NOBODY, Variant, computed
from taut.output.study.quantities import Outcome, outcome

LARGEST = 16
"""Points of a batch: sending one and hearing of it takes about 30 ms, a small point 8."""

BATCHES = 64
"""Batches, at least, that a study is cut into, so that many workers have something to do."""

AHEAD = 512
"""Batches that are with the executor at once."""

LATENCY = 0.1
"""Seconds until Ctrl-C is heard."""

Points = list[tuple[int, Variant]]


def by_executor(
    variants: Iterator[tuple[int, Variant]], count: int, executor: Executor, interrupted: Callable[[], bool]
) -> Iterator[tuple[int, Outcome]]:
    """Points and what came of them, as they come; those of a batch that was lost say so."""
    size = max(1, min(LARGEST, count // BATCHES))
    busy: dict[Future[list[Outcome]], Points] = {}

    def give() -> None:
        while len(busy) < AHEAD and (batch := list(islice(variants, size))):
            busy[executor.submit(_all_computed, [variant for _, variant in batch])] = batch

    give()
    while busy and not interrupted():
        for future in wait(busy, LATENCY, FIRST_COMPLETED).done:
            batch = busy.pop(future)
            yield from zip((point for point, _ in batch), _outcomes(future, len(batch)), strict=True)
        give()
    for future in busy:
        future.cancel()


def _outcomes(future: Future[list[Outcome]], count: int) -> list[Outcome]:
    try:
        return future.result()
    except TautError:  # a file that cannot be written, for one: it would be so for all
        raise
    except Exception as error:  # a worker that died again and again, or that has another taut
        told = " ".join(str(error).split())[:300] or type(error).__name__
        return [outcome(f"failed: the worker was lost ({told})", NOBODY, {}) for _ in range(count)]


def _all_computed(variants: list[Variant]) -> list[Outcome]:
    found = [computed(variant, _unheeding) for variant in variants]
    return [one if one is not None else outcome("failed: its worker was interrupted", NOBODY, {}) for one in found]


def _unheeding(now: float, end: float) -> None:
    """Interrupts are for who gave the work."""
