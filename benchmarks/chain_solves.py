"""What the sparse saddle of long chains costs a bar, its factor and a solve: `python -m benchmarks.chain_solves`.

Three chains of bars, as in a class-2 tower, with directions at random: one system that a core's own cache holds and one
that it does not. Clock time, the least of many turns taken in turn; a solve by itself, and one that was begun with the
factor, as accelerations do it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from taut.numerics.saddle import Saddle, analyse, factorise, factorise_for, solve, solve_begun

SIZES = ((111, 3000), (11_111, 300))
"""Bars of a chain, and turns."""


def chains(bars: int, seed: int = 0) -> tuple[Saddle, np.ndarray, np.ndarray]:
    """Three chains of so many bars of mass 1, node k of each after node k - 1 of all, and a right-hand side."""
    random = np.random.default_rng(seed)
    first, axes = np.arange(3 * bars), np.arange(3)
    second, size = first + 3, 9 * (bars + 1)
    ends = np.stack([3 * first[:, None] + axes, 3 * second[:, None] + axes], axis=1)
    one, other = ends[:, 0].ravel(), ends[:, 1].ravel()
    mass = np.repeat([1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0], one.size)
    i, j = np.concatenate([one, other, one]), np.concatenate([one, other, other])
    weight = sp.coo_matrix((mass, (i, j)), (size, size))
    along = random.normal(size=(first.size, 3))
    along /= np.linalg.norm(along, axis=1)[:, None]
    saddle, places = analyse(weight, 6 * np.arange(first.size + 1), ends.ravel(), np.arange(size) // 3)
    saddle.values[places] = np.concatenate([-along, along], axis=1).ravel()
    return saddle, random.normal(size=size), random.normal(size=first.size)


def measure(bars: int, turns: int) -> dict[str, float]:
    """[s] a bar."""
    saddle, top, bottom = chains(bars)
    x, pull = np.zeros(top.size), np.zeros(bottom.size)
    works: dict[str, Callable[[], object]] = {
        "factor": lambda: factorise(saddle),
        "solve": lambda: solve(saddle, top, bottom, x, pull),
        "factor, solve begun": lambda: factorise_for(saddle, top, bottom, 1),
        "rest of the solve": lambda: solve_begun(saddle, top, bottom, x, pull, 1),
    }
    least = dict.fromkeys(works, np.inf)
    for turn in range(turns + 1):
        for name, work in works.items():
            begun = time.perf_counter()
            work()
            if turn:  # the first one compiles
                least[name] = min(least[name], time.perf_counter() - begun)
    return {name: taken / bottom.size for name, taken in least.items()}


def table(bars: int, found: dict[str, float]) -> str:
    told = ", ".join(f"{name} {1e9 * taken:.1f}" for name, taken in found.items())
    return f"3 chains of {bars} bars, ns a bar: {told}"


if __name__ == "__main__":
    for bars, turns in SIZES:
        print(table(bars, measure(bars, turns)), flush=True)
