"""What a paper needs, made by several processes at once."""

from __future__ import annotations

import math
import operator
from functools import partial

import pytest

from taut.errors import TautError
from taut.papers.bench import Bench, Task
from taut.structure.files import read_model


def test_tasks_are_made_by_processes_one_after_what_it_needs() -> None:
    told: list[str] = []
    bench = Bench(told=told.append)
    root = Task("root", partial(math.sqrt, 4.0))
    tasks = [Task(f"times {k}", partial(operator.mul, k), (root,)) for k in (3, 5)]
    gone = Task("gone", partial(read_model, "nowhere.yaml"))
    bench.make_together([*tasks, gone], jobs=2)
    assert told[-1] == "3 runs at once"
    assert [bench.made(task) for task in (root, *tasks)] == [2.0, 6.0, 10.0]
    assert told[-1] == "3 runs at once", "nothing is made again"
    with pytest.raises(TautError, match="nowhere"):
        bench.made(gone)


def test_what_fails_is_left_whatever_it_is_and_whatever_needs_it() -> None:
    bench = Bench()
    slip = Task("slip", partial(math.sqrt, -1.0))
    needs = Task("needs it", math.fabs, (slip,))
    sound = [Task(f"{k}", partial(operator.add, k, 1)) for k in (1, 2)]
    bench.make_together([slip, *sound, needs], jobs=2)
    assert [bench.made(task) for task in sound] == [2, 3]
    for task in (slip, needs):
        with pytest.raises(ValueError, match="math domain error|nonnegative"):
            bench.made(task)


def test_one_process_makes_what_is_asked_for_when_it_is_asked_for() -> None:
    made: list[float] = []
    bench = Bench()
    task = Task("here", lambda: made.append(1.0) or 7.0)
    bench.make_together([task], jobs=1)
    assert not made
    assert (bench.made(task), bench.made(task), made) == (7.0, 7.0, [1.0])
