"""The six-strut robot in free flight: one run at equal error, one step at equal length, and many robots at once.

The motion is the first of `six_strut_against_mujoco`, in which all cables stay taut: smooth, and the same physics for
everybody. An error is the largest of any coordinate of any node at the end of two seconds; the exact end is taut's dp8
at 1e-13. Times of taut are whole calls of `simulate`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

import taut
from benchmarks import six_strut_in_mujoco as mujoco_model
from benchmarks.peers import in_exudyn, in_pinocchio
from benchmarks.peers.in_scipy import InScipy
from benchmarks.peers.turns import Contestant, Entry, Row, at_equal_error, beside, errors_of, in_turn
from benchmarks.six_strut_against_mujoco import MOTIONS

TARGETS = (1e-4, 1e-6, 1e-8)
STEP = 2.0**-10
ROBOTS = 64


@dataclass(frozen=True)
class Flight:
    """duration: a whole multiple of the coarsest step, 2^-7 s."""

    duration: float = 2.0

    @cached_property
    def plant(self) -> taut.Plant:
        return MOTIONS[0].plant()

    @cached_property
    def exact(self) -> np.ndarray:
        return self.by_taut("dp8", "constraints", tolerance=1e-13)

    @cached_property
    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of nodes as taut begins: bars keep their lengths."""
        run = taut.simulate(self.plant, STEP, every=STEP, method="rk4", step=STEP, locate=False, verify=False)
        return run.nodes[0], run.velocities[0]

    def by_taut(self, method: str, correction: str, **size: float) -> np.ndarray:
        options = {"method": method, "correction": correction, "locate": False, "verify": False, **size}
        return taut.simulate(self.plant, self.duration, every=self.duration, **options).nodes[-1]

    @cached_property
    def in_mujoco(self) -> mujoco_model.InMujoco:
        return mujoco_model.InMujoco(self.plant.structure, *self.start, 0.0)

    @cached_property
    def in_exudyn(self) -> in_exudyn.InExudyn:
        return in_exudyn.InExudyn(self.plant.structure, *self.start)

    def contest(self, halvings: int, decades: int) -> list[Contestant]:
        """Everybody who is installed. halvings: of the coarsest step. decades: of tolerances, from 1e-3."""
        plant, duration, start = self.plant, self.duration, self.start
        steps = tuple(2.0 ** -(7 + k) for k in range(halvings + 1))
        tolerances = tuple(10.0 ** -(3 + k) for k in range(decades + 1))

        def taut_by(method: str, correction: str) -> Contestant:
            return Contestant(
                f"taut {method}, {correction}",
                lambda tolerance: self.by_taut(method, correction, tolerance=tolerance),
                tolerances,
            )

        made = [
            taut_by("dp8", "constraints"),
            taut_by("dp5", "energy"),
            Contestant("taut rk4, none", lambda step: self.by_taut("rk4", "none", step=step), steps),
        ]
        if mujoco_model.AVAILABLE:
            made.append(
                Contestant(
                    "MuJoCo RK4",
                    lambda step: self.in_mujoco.follow("RK4", step, duration, 1)[-1],
                    steps,
                    "equal steps only; sensors, contacts and constraints switched off",
                )
            )
        if in_exudyn.AVAILABLE:
            few = max(1, round(20 * duration))
            note = "springs that could push; Lie-group rotations"
            made += [
                Contestant(
                    "exudyn DOPRI5",
                    lambda tolerance: self.in_exudyn.follow("DOPRI5", duration, few, tolerance),
                    tolerances,
                    note,
                ),
                Contestant(
                    "exudyn RK44",
                    lambda step: self.in_exudyn.follow("RK44", duration, round(duration / step)),
                    steps,
                    note,
                ),
            ]
        compiled, plain = InScipy(plant, *start, compiled=True), InScipy(plant, *start, compiled=False)
        made += [
            Contestant(
                "scipy DOP853, taut's accelerations",
                lambda tolerance: compiled.follow("DOP853", duration, tolerance),
                tolerances,
                "as fast as scipy can be: the compiled right-hand side of taut itself",
            ),
            Contestant(
                "scipy DOP853, numpy",
                lambda tolerance: plain.follow("DOP853", duration, tolerance),
                tolerances,
                "the equations as a user writes them",
            ),
        ]
        if in_pinocchio.AVAILABLE:
            flyers = in_pinocchio.InPinocchio(plant.structure, *start)
            made.append(
                Contestant(
                    "Pinocchio ABA, scipy DOP853",
                    lambda tolerance: flyers.follow("DOP853", duration, tolerance),
                    tolerances,
                    "it has no cables and no time loop: both are numpy and Python",
                )
            )
        return made


def equal_error(
    flight: Flight | None = None,
    targets: tuple[float, ...] = TARGETS,
    halvings: int = 6,
    decades: int = 8,
    turns: int = 5,
) -> list[Row]:
    """A row for each error."""
    made = flight or Flight()
    contest = made.contest(halvings, decades)
    errors = [errors_of(one, made.exact) for one in contest]
    members = len(made.plant.structure.bars) + len(made.plant.structure.cables)
    return [
        replace(
            at_equal_error(
                f"flight-{target:.0e}", f"one run, error {target:.0e} m at the end", target, contest, errors, turns
            ),
            members=members,
        )
        for target in targets
    ]


def equal_step(flight: Flight | None = None, turns: int = 7) -> Row:
    """The same RK4 with the same step of about a millisecond, by everybody who has it."""
    made = flight or Flight()
    steps = round(made.duration / STEP)
    runs = {"taut rk4": lambda: made.by_taut("rk4", "none", step=STEP)}
    notes = {"taut rk4": "with the whole call of `simulate`"}
    if mujoco_model.AVAILABLE:
        runs["MuJoCo RK4"] = lambda: made.in_mujoco.follow("RK4", STEP, made.duration, 1)[-1]
    if in_exudyn.AVAILABLE:
        runs["exudyn RK44"] = lambda: made.in_exudyn.follow("RK44", made.duration, steps)
        notes["exudyn RK44"] = "springs that could push; Lie-group rotations"
    errors = [float(np.abs(run() - made.exact).max()) for run in runs.values()]
    entries = beside(list(runs), in_turn(list(runs.values()), turns), [float(steps)] * len(runs))
    told = tuple(
        Entry(e.name, e.seconds, error, STEP, e.ratios, note=notes.get(e.name, ""))
        for e, error in zip(entries, errors, strict=True)
    )
    return Row("flight-step", f"one step of RK4 of {1e3 * STEP:.3g} ms", "step", told, members=30)


def batch(robots: int = ROBOTS, steps: int = 512, turns: int = 5) -> Row:
    """Robots that begin with other velocities, RK4 with equal steps, one thread: what a step of one costs."""
    flight = Flight(duration=steps * STEP)
    plant, (positions, _) = flight.plant, flight.start
    speeds = np.random.default_rng(0).normal(size=(robots, *positions.shape))
    options = {"method": "rk4", "step": STEP, "correction": "none"}

    def lanes() -> np.ndarray:
        return taut.ensemble(
            plant, flight.duration, every=flight.duration, velocities=speeds, threads=1, **options
        ).nodes[:, -1]

    runs, notes = {"taut, in lanes": lanes}, {"taut, in lanes": "one thread, vectors across robots"}
    if mujoco_model.AVAILABLE:
        starts = _projected(plant, speeds)
        models = [mujoco_model.InMujoco(plant.structure, positions, start, 0.0) for start in starts]
        runs["MuJoCo rollout"] = lambda: _rolled_out(models, steps)
        notes["MuJoCo rollout"] = "mujoco.rollout, one thread; all states are written, as it has no other way"
    ends = [run() for run in runs.values()]
    entries = beside(list(runs), in_turn(list(runs.values()), turns), [float(robots * steps)] * len(runs))
    told = tuple(
        Entry(e.name, e.seconds, float(np.abs(end - ends[0]).max()), STEP, e.ratios, note=notes[e.name])
        for e, end in zip(entries, ends, strict=True)
    )
    what = f"{robots} robots at once, one step of RK4 of one of them (error: how far from taut's)"
    return Row("batch", what, "robot and step", told, members=30)


def _projected(plant: taut.Plant, speeds: np.ndarray) -> np.ndarray:
    """As taut begins: velocities that keep bars' lengths."""
    brief = {"method": "rk4", "step": STEP, "correction": "none", "threads": 1}
    return taut.ensemble(plant, STEP, every=STEP, velocities=speeds, **brief).velocities[:, 0]


def _rolled_out(models: list[mujoco_model.InMujoco], steps: int) -> np.ndarray:
    import mujoco
    from mujoco import rollout

    model, data = models[0].model, models[0].data
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, STEP
    mujoco.mj_resetData(model, data)
    starts = []
    for one in models:
        data.qpos[:], data.qvel[:] = one.qpos, one.qvel
        state = np.empty(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
        mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        starts.append(state)
    states, _ = rollout.rollout(model, data, np.array(starts), nstep=steps)
    ends = []
    for state in states[:, -1]:
        mujoco.mj_setState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        mujoco.mj_kinematics(model, data)
        ends.append(data.site_xpos[models[0].sites].copy())
    return np.array(ends)
