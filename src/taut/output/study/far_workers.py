"""The points of a study given to an executor, such as that of a cluster, in batches that are worth sending."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from itertools import islice

from taut.executors import Lane, Lost, spread
from taut.output.study.points import NOBODY, Variant, computed
from taut.output.study.quantities import Outcome, outcome

LARGEST = 16
"""Points of a batch: sending one and hearing of it takes about 30 ms, a small point 8."""

BATCHES = 64
"""Batches, at least, that a study is cut into, so that many workers have something to do."""

TRIES = 3
"""Of a batch whose workers die, where a fresh pool can be made."""

AHEAD = 512
"""Batches that are with the executor at once."""


def by_executor(
    variants: Iterator[tuple[int, Variant]],
    count: int,
    executor: Executor | Callable[[], Executor],
    interrupted: Callable[[], bool],
) -> Iterator[tuple[int, Outcome]]:
    """Points and what came of them, as they come; those of a batch whose workers died say so."""
    size = max(1, min(LARGEST, count // BATCHES))

    def batches() -> Iterator[tuple[tuple[int, ...], list[Variant]]]:
        while batch := list(islice(variants, size)):
            yield tuple(point for point, _ in batch), [variant for _, variant in batch]

    for points, found in spread(batches(), [Lane(executor, AHEAD)], _all_computed, interrupted, tries=TRIES):
        told = [outcome(str(found), NOBODY, {})] * len(points) if isinstance(found, Lost) else found
        yield from zip(points, told, strict=True)


def _all_computed(variants: list[Variant]) -> list[Outcome]:
    found = [computed(variant, _unheeding) for variant in variants]
    return [one if one is not None else outcome("failed: its worker was interrupted", NOBODY, {}) for one in found]


def _unheeding(now: float, end: float) -> None:
    """Interrupts are for who gave the work."""
