"""A search without robots: gaits go as far as a hill is high where their point is, give or take a copy's luck.

As a script it searches into a gait file, so that tests can kill it:
`python hills.py FILE new|resume SECONDS_A_TRIAL GENERATIONS`.
"""

import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from taut.locomotion.gait_spaces import SinusoidSpace
from taut.output.gait_search.kept_search import Trials, search_with
from taut.search.goals import COLUMN, MEASURES, Objective
from taut.search.options import SearchOptions
from taut.search.result import GaitSearch
from taut.search.searching import Tried

SPACE = SinusoidSpace(("bar:x1", "bar:x2", "bar:y1"))
TOP = np.linspace(0.2, 0.8, SPACE.size)
OPTIONS = SearchOptions(generations=6, population=12, seed=5, copies=4, elite=4, extra=4, noise={"drive:*.phase": 0.01})
HEIGHT, LUCK = 5.0, 0.5


def climbed(points: np.ndarray, seeds: np.ndarray) -> Tried:
    """As high as the hill is there, with luck drawn from the seed alone."""
    luck = np.array([np.random.default_rng(seed).standard_normal() for seed in seeds]).reshape(len(points), -1)
    found = np.zeros((*luck.shape, len(MEASURES)))
    high = HEIGHT * np.exp(-3.0 * ((points - TOP) ** 2).sum(axis=1))
    found[..., COLUMN["distance"]] = high[:, None] + LUCK * luck
    found[..., COLUMN["x"]] = found[..., COLUMN["distance"]]
    found[..., COLUMN["energy"]] = 10.0 * points[:, :1]
    found[..., COLUMN["carried"]] = 29.43 * high[:, None]
    found[..., COLUMN["peak_tension"]] = 100.0 * points[:, 1:2]
    return Tried(found)


def search(path: Path | None, evaluate=climbed, **given) -> GaitSearch:
    trials = Trials(evaluate, evaluate, {"with twice the copies": (evaluate, 32)})
    told = {"space": SPACE, "objective": Objective(), "options": OPTIONS, "text": "a hill\n", **given}
    parts = [told.pop(name) for name in ("space", "objective", "options", "text")]
    return search_with(trials, *parts, output=path, **told)


def same(one: GaitSearch, other: GaitSearch) -> bool:
    """Whether two searches are the same to the last bit."""
    names = ("points", "copies", "elite", "fresh")
    pairs = [
        (getattr(a, name), getattr(b, name))
        for a, b in zip(one.generations, other.generations, strict=True)
        for name in names
    ]
    pairs += [(a.point, b.point) for a, b in zip(one.candidates, other.candidates, strict=True)]
    pairs += [(a.copies, b.copies) for a, b in zip(one.candidates, other.candidates, strict=True)]
    pairs += [(one.final, other.final), (one.first, other.first)]
    return one.checks == other.checks and all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)


def main() -> None:
    path, resume, seconds, generations = sys.argv[1:]

    def slowly(points: np.ndarray, seeds: np.ndarray) -> Tried:
        print("begun", flush=True)
        time.sleep(float(seconds))
        return climbed(points, seeds)

    options = replace(OPTIONS, generations=int(generations))
    search(Path(path), slowly, resume=resume == "resume", options=options)


if __name__ == "__main__":
    main()
