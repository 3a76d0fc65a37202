"""Many robots on the ground: what a step of one costs in lanes of one thread, and in MuJoCo's threaded rollout.

The six-strut robot of `contact_steps.py`, dropped from 0.1 m with velocities of its own, sixteen times; then the same
with all cables wound by sines, for which there is no MuJoCo model here: in lanes it stands beside taut alone. Times are
CPU microseconds a step and robot, the least of several turns, in turn in one process, warm. taut's are calls of the
time loop, MuJoCo's of `mujoco.rollout` with one thread, which leaves out Python as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

import taut
from benchmarks.contact_steps import FRICTION, GRAVITY, Cost, least, looped, robot
from benchmarks.penalty_steps import SOFT
from benchmarks.six_strut_in_mujoco import AVAILABLE, InMujoco
from taut.dynamics.correction import Correction
from taut.dynamics.methods import method_for
from taut.dynamics.setup import beginning, prepare_run
from taut.mechanics.batch import Variants, side_by_side, varied
from taut.numerics.lanes import WIDTH

STEP, STEPS, TURNS = 1e-3, 1000, 12
SPREAD = 0.3
"""[m/s] of the velocities at the start."""


def variants(plant: taut.Plant) -> Variants:
    velocities = SPREAD * np.random.default_rng(1).normal(size=(WIDTH, *plant.positions.shape))
    return varied(plant, positions=None, velocities=velocities, cables={}, loads=None)


def on_rigid() -> taut.Plant:
    return taut.assemble(robot(0.1), gravity=GRAVITY, ground=[taut.Ground("floor", friction=FRICTION)])


def on_soft() -> taut.Plant:
    floor = taut.Ground("floor", friction=FRICTION, compliance=SOFT)
    return taut.assemble(robot(0.1), gravity=GRAVITY, ground=[floor])


def with_gait() -> taut.Plant:
    made = robot(0.0, askew=0.0)
    drives = [
        taut.Drive(
            name, f"cable:{name}", "rest_length", by=taut.SmoothStart(taut.Sinusoid(0.04, 1.0, 0.7 * k), 0.0, 0.2)
        )
        for k, name in enumerate(made.cables)
    ]
    return taut.assemble(made, gravity=GRAVITY, ground=[taut.Ground("floor", friction=FRICTION)], drives=drives)


def alone(many: Variants, method: str) -> Callable[[], list[np.ndarray]]:
    runs = [looped(many.single(k), method, STEP, STEP * STEPS) for k in range(WIDTH)]
    return lambda: [run() for run in runs]


def in_lanes(many: Variants, method: str) -> Callable[[], np.ndarray]:
    """A run of all of them that can be made again and again; returns their states at its end."""
    chosen = method_for(method, 1e-8, STEP)
    run = prepare_run(side_by_side(many, 0), chosen, Correction("none"), 1e-8, STEP, dense=False, history=0)
    start, _ = beginning(run)

    def work() -> np.ndarray:
        point, states = start.copied(), np.zeros((1, *start.y.shape))
        run.words["time_loop"](
            *(run.handed, run.method.numbers, run.rules, many.plant.breaks, point.clock, point.counts, point.y),
            *(np.array([STEP * STEPS]), states, run.space, 10**9),
        )
        return states[0]

    return work


def in_mujoco(many: Variants, integrator: str) -> Callable[[], object]:
    """The same robots, by `mujoco.rollout` on one thread."""
    import mujoco
    from mujoco import rollout

    made = [
        InMujoco(many.plant.structure, many.positions[k], _kept(many, k), GRAVITY, friction=FRICTION)
        for k in range(WIDTH)
    ]
    model = made[0].model
    model.opt.integrator, model.opt.timestep = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}"), STEP
    whole = mujoco.mjtState.mjSTATE_FULLPHYSICS
    starts = np.zeros((WIDTH, mujoco.mj_stateSize(model, whole)))
    for row, one in zip(starts, made, strict=True):
        one.data.qpos[:], one.data.qvel[:] = one.qpos, one.qvel
        mujoco.mj_getState(model, one.data, row, whole)
    data = [mujoco.MjData(model)]
    return lambda: rollout.rollout(model, data, starts, nstep=STEPS)


def _kept(many: Variants, k: int) -> np.ndarray:
    """Velocities that leave bars as long as they are, with which taut begins too."""
    run = taut.simulate(many.single(k), STEP, every=STEP, method="impulses", step=STEP, verify=False)
    return run.velocities[0]


def compared(works: Sequence[tuple[str, Callable[[], object]]], turns: int) -> list[Cost]:
    """All in turn, so that what else the machine does hits all alike."""
    best = dict.fromkeys((name for name, _ in works), np.inf)
    for _ in range(turns):
        for name, work in works:
            best[name] = min(best[name], least(work, 1))
    return [Cost(name, 1e6 * seconds / (WIDTH * STEPS)) for name, seconds in best.items()]


def measure(turns: int = TURNS) -> list[Cost]:
    rigid, soft, gait = (variants(make()) for make in (on_rigid, on_soft, with_gait))
    works: list[tuple[str, Callable[[], object]]] = [
        (f"taut {method}, {name}, {way}", make(many, method))
        for many, method, name in (
            (rigid, "impulses", "tumbling"),
            (soft, "rk4", "tumbling"),
            (gait, "impulses", "with a gait"),
        )
        for way, make in (("alone", alone), ("in lanes", in_lanes))
    ]
    for (_, apart), (_, together) in zip(works[::2], works[1::2], strict=True):
        size = 2 * rigid.plant.coordinates
        same = np.array_equal(np.stack(apart())[:, :size].T, together()[:size])  # type: ignore[index]
        assert same, "in lanes they move otherwise than alone"
    if AVAILABLE:
        works += [(f"MuJoCo {name}, tumbling, rollout", in_mujoco(rigid, name)) for name in ("Euler", "RK4")]
    for _, work in works:
        work()
    return compared(works, turns)


def table(costs: list[Cost]) -> str:
    by = {one.name: one.microseconds for one in costs}
    rows = [f"| {name} | {cost:.2f} |" for name, cost in by.items()]
    told = [
        f"| {WIDTH} robots of six struts, steps of {1e3 * STEP:g} ms | CPU us a step and robot |",
        "|---|---|",
        *rows,
        "",
    ]
    for name, cost in by.items():
        if name.startswith("taut"):
            beside = [f"MuJoCo's {i} {by[full] / cost:.1f}" for i in ("Euler", "RK4") if (full := _full(i)) in by]
            told.append(
                f"{name}: times as long take " + ", ".join(beside) if "gait" not in name else f"{name}: {cost:.2f} us"
            )
    return "\n".join(told)


def _full(integrator: str) -> str:
    return f"MuJoCo {integrator}, tumbling, rollout"


if __name__ == "__main__":
    print(table(measure()))
