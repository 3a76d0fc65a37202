"""What this checkout costs beside another one: `python benchmarks/beside.py OTHER_CHECKOUT [--only WORD ...]`.

CPU times, of both in turn within one run, and of several turns the least, so that a machine with other work to do says
the same; beside them the quartiles of the ratios turn by turn, which say how much it had to do. Steps are warm:
everything was compiled before, and what a run takes to begin is taken off. A cold run is the first `taut run` with
nothing compiled yet, a warm one any later one. The limits are what a rebuilt mechanics may cost.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.trees import HERE, Tree, commit, tree

STEPS = (
    *(("lattice, class 1", size, 1.03) for size in (1000, 100_000)),
    *(("planar lattice, class 1", size, 1.03) for size in (1000, 100_000)),
    *(("tower, class 2", size, 0.5) for size in (1000, 100_000)),
    *(("linked towers, class 3", size, 0.6) for size in (1000, 100_000)),
    *(("cubic grid, class 6", size, 0.6) for size in (1000, 10_000)),
    *(("implicit tower", size, 1.03) for size in (1000, 10_000)),
)
"""Structure of `benchmarks.costs`, about how many members, and the largest ratio."""
SIX_STRUT, OF_C = "six-strut robot", 1.15
COLD, WARM = 0.8, 0.85
RUNS = ("tbar", "arm")


@dataclass(frozen=True)
class Row:
    """One line of the table; measured against the limit is the ratio, or what this checkout has by itself."""

    what: str
    unit: str
    other: float
    this: float
    limit: float | None = None
    by_itself: bool = False
    turns: Sequence[float] = ()

    @property
    def ratio(self) -> float:
        return self.this / self.other

    def __str__(self) -> str:
        held = self.this if self.by_itself else self.ratio
        limit = "" if self.limit is None else f"{self.limit:>6.2f}  {'met' if held <= self.limit else 'MISSED'}"
        if self.limit is not None and self.by_itself:
            limit += ", of this alone"
        quartiles = "{:.3f} to {:.3f}".format(*np.quantile(self.turns, (0.25, 0.75))) if self.turns else ""
        times = f"{self.other:>9.4g} {self.this:>9.4g} {self.ratio:>6.3f}"
        return f"{self.what:<34} {self.unit:<14} {times}  {quartiles:<14}  {limit}".rstrip()


class Worker:
    """A process of one checkout that says what steps cost; `benchmarks.costs` is the other end."""

    def __init__(self, checkout: Tree, what: str, members: int) -> None:
        self.root = checkout.root
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = checkout.start("costs", what, str(members), **pipes)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def heard(self) -> dict[str, float] | dict[str, tuple[float, float]]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.root}: what its steps cost could not be measured")
        return json.loads(line)

    def asked(self) -> dict[str, tuple[float, float]]:
        assert self.process.stdin is not None
        print(file=self.process.stdin, flush=True)
        return self.heard()


@dataclass(frozen=True)
class Steps:
    """Members, and of both checkouts by name: CPU time of a step [s], the least of all turns, and of every turn."""

    members: int
    least: list[dict[str, float]]
    every: list[dict[str, list[float]]]

    def ratios(self, name: str) -> list[float]:
        """This checkout's over the other's, turn by turn."""
        other, this = (each[name] for each in self.every)
        return [b / a for a, b in zip(other, this, strict=True) if a > 0.0]


def steps(trees: Sequence[Tree], what: str, members: int, turns: int) -> Steps:
    with ExitStack() as stack:
        workers, said = [], []
        for checkout in trees:  # one after the other, so that neither is disturbed nor compiles twice
            workers.append(stack.enter_context(Worker(checkout, what, members)))
            said.append(workers[-1].heard())
        found: list[dict[str, list[tuple[float, float]]]] = [{}, {}]
        for turn in range(turns):
            for k in (0, 1) if turn % 2 else (1, 0):
                for name, times in workers[k].asked().items():
                    found[k].setdefault(name, []).append(times)
    if said[0] != said[1]:
        raise SystemExit(f"{what}: {said[0]} in one checkout, {said[1]} in the other")
    count, least, every = said[0]["steps"], [], []
    for each in found:
        pairs = {name: np.array(times) for name, times in each.items()}
        shortest = {name: times.min(axis=0) for name, times in pairs.items()}
        least.append({name: float(long - short) / count for name, (short, long) in shortest.items()})
        every.append({name: ((times[:, 1] - shortest[name][0]) / count).tolist() for name, times in pairs.items()})
    return Steps(said[0]["members"], least, every)


def of_steps(trees: Sequence[Tree], only: Sequence[str], turns: int) -> Iterator[Row]:
    for what, size, limit in STEPS:
        if chosen(what, only):
            found = steps(trees, what, size, 3 * turns)
            per, members, ratios = 1e9 / found.members, found.members, found.ratios("taut")
            other, this = (per * each["taut"] for each in found.least)
            yield Row(f"{what}, {members}", "ns/step/member", other, this, limit, turns=ratios)
    if chosen(SIX_STRUT, only):
        found = steps(trees, SIX_STRUT, 0, 30 * turns)
        before, now = found.least
        yield Row(SIX_STRUT, "us, RK4 step", 1e6 * before["taut"], 1e6 * now["taut"], turns=found.ratios("taut"))
        if "C" in now:
            in_c = min(before["C"], now["C"])
            yield Row(f"{SIX_STRUT}, C -O3 alike", "us", 1e6 * before["C"], 1e6 * now["C"], turns=found.ratios("C"))
            yield Row(f"{SIX_STRUT}, step of C's", "times C", before["taut"] / in_c, now["taut"] / in_c, OF_C, True)


def of_runs(trees: Sequence[Tree], folder: str, only: Sequence[str], turns: int) -> Iterator[Row]:
    for name in RUNS:
        model = HERE / "examples" / f"{name}.yaml"
        if chosen(f"cold run {name}", only):
            cold: list[list[float]] = [[], []]
            for _ in range(max(2, turns // 3)):
                for k, checkout in enumerate(trees):
                    with tempfile.TemporaryDirectory(dir=folder) as empty:
                        cold[k].append(checkout.taut_run(model, Path(empty)))
            yield Row(f"cold run {name}", "s", min(cold[0]), min(cold[1]), COLD, turns=_ratios(*cold))
        if chosen(f"warm run {name}", only):
            warm: list[list[float]] = [[], []]
            for turn in range(2 * turns + 1):  # short runs are the noisiest
                for k, checkout in enumerate(trees):
                    took = checkout.taut_run(model)
                    if turn:  # the first one compiles what is not yet
                        warm[k].append(took)
            yield Row(f"warm run {name}", "s", min(warm[0]), min(warm[1]), WARM, turns=_ratios(*warm))


def _ratios(other: Sequence[float], this: Sequence[float]) -> list[float]:
    return [b / a for a, b in zip(other, this, strict=True)]


def chosen(what: str, only: Sequence[str]) -> bool:
    return not only or any(word in what for word in only)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, help="the other checkout")
    parser.add_argument("--this", type=Path, default=HERE, help="another one than that of this file")
    parser.add_argument("--only", nargs="+", default=(), help="rows with one of these words in their name")
    parser.add_argument("--turns", type=int, default=7)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        trees = tree(asked.other, folder, "other"), tree(asked.this, folder, "this")
        print(f"other: {asked.other} at {commit(asked.other)}, this: {asked.this} at {commit(asked.this)}")
        print(
            f"{'CPU time':<34} {'':<14} {'other':>9} {'this':>9} {'ratio':>6}  {'turn by turn':<14}  {'limit':>6}",
            flush=True,
        )
        for row in of_runs(trees, folder, asked.only, asked.turns):
            print(row, flush=True)
        for row in of_steps(trees, asked.only, asked.turns):
            print(row, flush=True)


if __name__ == "__main__":
    main()
