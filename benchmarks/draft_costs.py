"""What keeping a run's draft costs beside the run: CPU time to write it part by part and to read it back at the end."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import taut
from taut.dynamics.trajectory import Trajectory
from taut.output.drafts import drafting
from taut.output.model_runs import followed
from taut.output.recording import recording

EXAMPLES = Path(__file__).parents[1] / "examples"


@dataclass(frozen=True)
class Cost:
    """CPU time [s] of a run, of writing its draft, of reading it, and of the run file; size of the draft [MB]."""

    samples: int
    computed: float
    written: float
    read: float
    filed: float
    size: float


def measure(every: float, duration: float) -> Cost:
    spent = {"written": 0.0, "read": 0.0}
    model = taut.read_model(EXAMPLES / "tbar.yaml", [f"scenario.every={every}", f"scenario.duration={duration}"])

    def timed(name: str, work: Callable[[], Trajectory | None]) -> Trajectory | None:
        begun = time.process_time()
        done = work()
        spent[name] += time.process_time() - begun
        return done

    with tempfile.TemporaryDirectory() as folder, drafting(Path(folder) / "r.nc") as draft:

        def sink(part: Trajectory) -> None:
            timed("written", lambda: draft.add(part))

        begun = time.process_time()
        run = followed(model, sink)
        middle = time.process_time()
        parts: Iterator[Trajectory] = draft.parts()
        with recording(Path(folder) / "r.nc") as recorder:
            while (part := timed("read", lambda: next(parts, None))) is not None:
                recorder.add(part)
            recorder.finish(run)
        end = time.process_time()
        size = draft.path.stat().st_size / 1e6
    filed = end - middle - spent["read"]
    return Cost(run.overall.samples, middle - begun - spent["written"], spent["written"], spent["read"], filed, size)


def table(costs: list[Cost]) -> str:
    rows = [f"{'samples':>10}{'run [s]':>10}{'file [s]':>10}{'draft [s]':>10}{'of all':>8}{'draft [MB]':>12}"]
    for cost in costs:
        draft = cost.written + cost.read
        part = draft / (cost.computed + cost.filed + draft)
        rows.append(
            f"{cost.samples:>10}{cost.computed:>10.2f}{cost.filed:>10.2f}{draft:>10.3f}{part:>8.1%}{cost.size:>12.1f}"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    measure(0.1, 1.0)
    print(table([measure(0.01, 10.0), measure(0.01, 200.0), measure(0.0005, 100.0)]))
