"""The bench on which a paper's runs are made: each once, for every claim and picture, saved where a folder is given."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from taut.dynamics.simulating import simulate
from taut.dynamics.trajectory import Trajectory
from taut.errors import TautError
from taut.mechanics.assemble import assembled_as_printed
from taut.mechanics.plant import Plant
from taut.mechanics.points.generalised import GeneralisedPlant
from taut.output.model_runs import assembled
from taut.output.recording import save_run
from taut.papers.made_together import made_together
from taut.reprs import brief
from taut.structure.files import model_text
from taut.structure.scenario import RUN_OPTIONS, Scenario
from taut.structure.structure import Structure

Made = TypeVar("Made")


@dataclass(frozen=True)
class Case:
    """One run of a paper. name: of its file, unique in the paper. samples: as `simulate` takes them.

    bars: as `assemble` takes them. printed: compressible bars by the printed equations, see `assembled_as_printed`.
    """

    name: str
    structure: Structure
    scenario: Scenario
    samples: str = "steps"
    bars: str | None = None
    printed: bool = False

    __repr__ = brief

    def plant(self) -> Plant | GeneralisedPlant:
        if self.printed:
            return assembled_as_printed(self.structure, **self.scenario.physics)
        return assembled(self.structure, self.scenario, bars=self.bars)

    def followed(self, plant: Plant | GeneralisedPlant) -> Trajectory:
        """The run of its plant."""
        wanted: dict[str, Any] = {name: getattr(self.scenario, name) for name in RUN_OPTIONS}
        return simulate(plant, wanted.pop("duration"), **wanted, samples=self.samples, verify=False)


class Task(NamedTuple):
    """What is made once on a bench, by another process where there is one: `make`, of what the tasks `after` which it
    comes made. It goes through a pipe, so `make` is a function of a module, or a `partial` of one."""

    name: str
    make: Callable[..., Any]
    after: tuple[Task, ...] = ()


class Bench:
    """Runs and other results by name, made when they are first asked for.

    folder: for run files; None keeps them in memory only. told: called with the name of what is made next.
    """

    def __init__(self, folder: Path | None = None, told: Callable[[str], None] | None = None) -> None:
        self._folder, self._told = folder, told
        self._made: dict[str, Any] = {}
        self.files: list[Path] = []

    def run(self, case: Case) -> Trajectory:
        """The trajectory of a case; raises where it does not reach its end."""
        return self.once(f"run {case.name}", lambda: self._followed(case))

    def followed_already(self, name: str) -> Trajectory | None:
        """The trajectory of a case by its name, where something asked for it."""
        return self._made.get(f"run {name}")

    def seconds(self, case: Case, repeats: int = 7) -> float:
        """CPU time [s] of a run, assembled and compiled before: the least of several, as others use the machine."""
        return self.once(f"time of {case.name}", lambda: self._timed(case, repeats))

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """What `make` gives, made once."""
        if name not in self._made:
            if self._told is not None:
                self._told(name)
            self._made[name] = make()
        return self._made[name]  # type: ignore[no-any-return]

    def made(self, task: Task) -> Any:
        """What the task gives, made once."""
        return self.once(task.name, lambda: task.make(*map(self.made, task.after)))

    def make_together(self, tasks: Iterable[Task], jobs: int) -> None:
        """Make what is not there yet, so many at once, each in a process of its own; those that fail are left, and fail
        when they are asked for."""
        wanted = {task.name: task for task in tasks if task.name not in self._made}
        before = {one.name: one for task in wanted.values() for one in task.after}
        if before.keys() - self._made.keys():
            self.make_together(before.values(), jobs)
        if jobs < 2 or len(wanted) < 2:
            return  # made here, when they are asked for
        work = dict[str, Callable[[], Any]]()
        for name, task in wanted.items():
            with suppress(Exception):  # what it needs fails; it is told when the task itself is asked for
                work[name] = partial(task.make, *map(self.made, task.after))
        if self._told is not None:
            self._told(f"{len(work)} runs at once")
        for name, found in made_together(work, min(jobs, len(work))):
            self._made[name] = found

    def _followed(self, case: Case) -> Trajectory:
        run = case.followed(case.plant())
        if run.status.startswith("interrupted"):
            raise KeyboardInterrupt
        if not run.finished:
            raise TautError(f"run {case.name}: {run.status}")
        if self._folder is not None:
            path = self._folder / f"{case.name}.nc"
            save_run(replace(run, model_text=model_text(case.structure, case.scenario)), path)
            self.files.append(path)
        return run

    def _timed(self, case: Case, repeats: int) -> float:
        self.run(case)  # compiled, and known to reach its end
        plant, spent = case.plant(), []
        for _ in range(repeats):
            begun = time.process_time()
            case.followed(plant)
            spent.append(time.process_time() - begun)
        return min(spent)
