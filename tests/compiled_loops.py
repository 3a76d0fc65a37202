"""Which time loops tests ask for, and what compiling took: `PYTHONPATH=tests pytest -p compiled_loops tests/dynamics`.

Operations are compiled for each formulation; the loop for each stepper, and whether samples are dense and instants
located; in lanes for each formulation, too. Told at the end: every formulation with a loop and the tests that ask for
it, those of fewest first, and tests with more than ten CPU seconds of compiling.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Generator
from typing import Any

import pytest
from numba.core import event

LONG = 10.0
"""CPU seconds that a quick test may take."""

loops: dict[str, list[str]] = defaultdict(list)
seconds: dict[str, float] = defaultdict(float)
now = [""]


class Compiling(event.Listener):  # type: ignore[misc]
    """CPU time of compilations, each with all that it compiles on its way."""

    depth, begun = 0, 0.0

    def on_start(self, happened: Any) -> None:
        if self.depth == 0:
            self.begun = time.process_time()
        self.depth += 1

    def on_end(self, happened: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            seconds[now[0]] += time.process_time() - self.begun


def pytest_configure(config: pytest.Config) -> None:
    from taut.dynamics import setup

    words_for = setup.words_for

    def noting(plant: Any, stepper: str = "explicit", **options: bool) -> Any:
        if plant.compiled:
            asked = [
                stepper,
                *(name for name, wanted in options.items() if wanted),
                *(["lanes"] if plant.lanes else []),
            ]
            loops[f"{plant.formulation} {' '.join(asked)}"].append(now[0])
        return words_for(plant, stepper, **options)

    setup.words_for = noting  # type: ignore[assignment]
    event.register("numba:compile", Compiling())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    now[0] = item.nodeid
    return (yield)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.section(f"{len(loops)} time loops, {sum(seconds.values()):.0f} CPU seconds of compiling")
    for loop, tests in sorted(loops.items(), key=lambda found: len(set(found[1]))):
        asking = sorted(set(tests))
        terminalreporter.write_line(f"{loop}\n    {len(asking)}: {', '.join(asking[:3])}")
    for test, took in sorted(seconds.items(), key=lambda found: -found[1]):
        if took > LONG:
            terminalreporter.write_line(f"{took:6.1f} s {test}")
