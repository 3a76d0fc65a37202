"""What it costs to look for members that pass through one another: beside a run, and as structures grow.

The run is that of `examples/six_strut.yaml`, as it is run by default, with the comparison that says how far it is off,
and without. The large ones are crowds of six-strut robots that turn and drift among each other, 200 samples. CPU
seconds, the least of several turns in this process, warm.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import taut
from taut.dynamics.member_collisions import MOST, Collisions
from taut.dynamics.trajectory import of_samples
from taut.output.model_runs import assembled

EXAMPLE = Path(__file__).parents[1] / "examples" / "six_strut.yaml"
SAMPLES = 200


class Crowd(NamedTuple):
    """Members, CPU seconds for all samples, and collisions found."""

    members: int
    seconds: float
    found: int


def least(work: Callable[[], object], turns: int) -> float:
    """CPU seconds of the quickest of several turns."""
    times = []
    for _ in range(turns):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def beside_a_run(turns: int = 30) -> dict[str, float]:
    """Seconds of a look at the samples of a run, of the run without it, and with the comparison."""
    model = taut.read_model(EXAMPLE)
    plant, told = assembled(model.structure, model.scenario), model.scenario

    def run(*, verify: bool) -> taut.Trajectory:
        options = {"every": told.every, "method": told.method, "step": told.step, "on_collision": "ignore"}
        return taut.simulate(plant, told.duration, verify=verify, **options)

    samples = run(verify=False)
    look = lambda: Collisions(samples.structure, (), 0.0).look(samples)  # noqa: E731
    look()
    return {
        "look": least(look, turns),
        "run": least(lambda: run(verify=False), turns),
        "run and comparison": least(lambda: run(verify=True), turns),
    }


def crowd(members: int, turns: int = 2) -> Crowd:
    """So many members in robots of 30 that fill a cube, turn by half and drift by a quarter of their size in a run."""
    robot = taut.generators.icosahedron(0.6, stiffness=600.0, rest_ratio=0.9)
    count, random = max(1, round(members / 30)), np.random.default_rng(1)
    side = int(np.ceil(count ** (1.0 / 3.0)))
    cells = np.stack(np.meshgrid(*3 * [np.arange(side)], indexing="ij"), axis=-1).reshape(-1, 3)[:count]
    own = np.array(list(robot.nodes.values()))
    axes = random.normal(size=(count, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    drift = 0.15 * random.normal(size=(count, 3))
    moment = np.linspace(0.0, 1.0, SAMPLES)
    nodes, rates = np.zeros((SAMPLES, count, 12, 3)), np.zeros((SAMPLES, count, 12, 3))
    for k, t in enumerate(moment):
        along = np.einsum("ri,ni->rn", axes, own)[..., None] * axes[:, None]
        beside, across = own[None] - along, np.cross(axes[:, None], own[None])
        turned = along + np.cos(np.pi * t) * beside + np.sin(np.pi * t) * across
        nodes[k] = turned + (0.62 * cells + t * drift)[:, None]
        rates[k] = np.pi * np.cross(axes[:, None], turned) + drift[:, None]
    structure = taut.Structure(
        {f"{r}.{name}": (0.0, 0.0, float(r)) for r in range(count) for name in robot.nodes},
        [taut.Bar(f"{r}.{b.name}", _of(r, b.nodes), mass=1.0) for r in range(count) for b in robot.bars.values()],
        [taut.Cable(f"{r}.{c.name}", _of(r, c.route)) for r in range(count) for c in robot.cables.values()],
    )
    tension = np.ones((SAMPLES, len(structure.cables)))
    flat = {"nodes": nodes.reshape(SAMPLES, -1, 3), "velocities": rates.reshape(SAMPLES, -1, 3)}
    run = of_samples(structure, {"time": moment, "cable_tension": tension, **flat})
    looked = Collisions(structure, (), 0.0)
    looked.look(run)
    seconds = least(lambda: Collisions(structure, (), 0.0).look(run), turns)
    return Crowd(30 * count, seconds, len(looked.found) + looked.left_out)


def _of(robot: int, nodes: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{robot}.{node}" for node in nodes)


def report(sizes: Sequence[int] = (30, 300, 3000, 10_000)) -> str:
    cost = beside_a_run()
    lines = [
        f"six-strut robot, {SAMPLES} samples: a look takes {1e3 * cost['look']:.2f} ms, "
        f"{100 * cost['look'] / cost['run and comparison']:.1f} % of the run with its comparison and "
        f"{100 * cost['look'] / cost['run']:.1f} % of one without",
        f"{'members':>8} {'seconds':>9} {'found':>7}   (events up to {MOST} are kept)",
    ]
    lines += [f"{one.members:>8} {one.seconds:>9.4f} {one.found:>7}" for one in map(crowd, sizes)]
    return "\n".join(lines)


if __name__ == "__main__":
    print(report())
