"""One point of a study: the model with its values, run; what is kept of it is small whatever the run's length."""

from __future__ import annotations

import time as clocks
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from taut.dynamics.driver import Progress
from taut.dynamics.trajectory import Trajectory
from taut.errors import FileError, TautError
from taut.output.model_runs import followed
from taut.output.recording import recording
from taut.output.study.quantities import Names, Outcome, outcome
from taut.structure.files import parse_model

NOBODY: Names = ((), (), ())


@dataclass(frozen=True)
class Variant:
    """All that is to be known to compute a point, wherever that happens; text and source are those of the model file.

    run_file: where the whole run is to be kept, if it is.
    """

    text: str
    source: str
    assignments: tuple[str, ...]
    run_file: Path | None = None


def computed(variant: Variant, progress: Progress) -> Outcome | None:
    """Run a variant; None where it was interrupted, by Ctrl-C or by a KeyboardInterrupt from `progress`.

    Whatever is wrong with the variant itself is its status. A file that cannot be written is raised, since it will be
    so for the next ones too.
    """
    begun, spent = clocks.perf_counter(), clocks.process_time()
    seen = _Extremes()
    run = None
    try:
        run = _run(variant, seen, progress)
        status = run.status if run.sound else f"not to be believed: {run.notes[-1]}"
    except KeyboardInterrupt:
        return None
    except FileError:
        raise
    except TautError as error:
        status = f"could not begin: {'; '.join(str(error).splitlines())}"
    except MemoryError as error:
        status = f"failed: not enough memory ({str(error) or 'no details'})"
    except Exception as error:  # one point that taut cannot compute must not stop the others
        status = f"failed: {type(error).__name__}: {' '.join(str(error).split())}"
    known = seen.known(run) if run is not None else {}
    known["wall_time"] = clocks.perf_counter() - begun
    known["cpu_time"] = clocks.process_time() - spent
    return outcome(status, seen.names if run is not None else NOBODY, known)


def _run(variant: Variant, seen: _Extremes, progress: Progress) -> Trajectory:
    model = parse_model(variant.text, variant.source, variant.assignments)
    if variant.run_file is None:
        return _whole(followed(model, seen.add, progress))
    with recording(variant.run_file) as recorder:

        def add(part: Trajectory) -> None:
            recorder.add(part)
            seen.add(part)

        run = _whole(followed(model, add, progress))
        recorder.finish(run)
    return run


def _whole(run: Trajectory) -> Trajectory:
    if run.status.startswith("interrupted"):
        raise KeyboardInterrupt
    return run


class _Extremes:
    """What is kept of the samples of a run, part by part as they come."""

    def __init__(self) -> None:
        self.names = NOBODY
        self._start = np.zeros((0, 3))
        self._most: dict[str, np.ndarray] = {}
        self._last: dict[str, float | np.ndarray] = {}

    def add(self, part: Trajectory) -> None:
        if not part.time.size:
            return
        if not self._last:
            self.names = tuple(map(tuple, (part.structure.nodes, part.structure.cables, part.structure.bars)))
            self._start = part.nodes[0].copy()
        far = np.sqrt(((part.nodes - self._start) ** 2).sum(axis=2))
        found = {
            "max_displacement": far.max(axis=0),
            "max_tension": part.cable_tension.max(axis=0),
            "min_tension": -part.cable_tension.min(axis=0),
            "max_bar_force": part.bar_force.max(axis=0),
            "min_bar_force": -part.bar_force.min(axis=0),
        }
        self._most = {name: np.maximum(self._most.get(name, value), value) for name, value in found.items()}
        energies = ("energy_kinetic", "energy_elastic", "energy_gravity")
        self._last = {"nodes": part.nodes[-1].copy(), **{name: float(getattr(part, name)[-1]) for name in energies}}

    def known(self, run: Trajectory) -> dict[str, float | np.ndarray]:
        overall = run.overall
        signed = {name: -value if name.startswith("min") else value for name, value in self._most.items()}
        return {
            **self._last,
            **signed,
            "reached": overall.end,
            "steps": float(run.counts["steps"]),
            "work": overall.work,
            "worst_length": overall.worst_length,
            "worst_rate": overall.worst_rate,
            "worst_energy": overall.worst_energy,
        }
