"""Runs of the mechanism with torques at its elbows: those of the imposed motion again, PD about them, and a controller
of x; and what linear models say of the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.linalg import expm

from taut.control.linear_model import LinearModel
from taut.control.linearising import linearise
from taut.control.tracking import Tracking, computed_torque, pd_tracking
from taut.dynamics.simulating import simulate
from taut.dynamics.trajectory import Trajectory
from taut.mechanics.assemble import assemble
from taut.mechanics.plant import Plant
from taut.papers.bench import Bench
from taut.papers.mechanism import equations
from taut.papers.mechanism.cases import DURATION, EVERY, imposed
from taut.papers.mechanism.equations import BEGIN, OVER
from taut.papers.mechanism.model import AT_END, AT_START, LEGS, Place, at_rest, in_nodes, static_torque
from taut.structure.scenario import Drive
from taut.structure.signals import Command, SampledSignal, Signal
from taut.structure.structure import Structure

FINE, TIGHTEST = 2e-3, 1e-14
"""[s] between samples of torques that are given again, and the tolerance of runs with them and before them: errors of
1e-12 in a step grow as fast as one of 1e-12 rad at the start."""

ELBOWS = tuple(f"theta{leg}" for leg in LEGS)
TORQUES = tuple(f"angle:{name}.torque" for name in ELBOWS)
ANGLES = tuple(f"angle:{name}.angle" for name in ELBOWS)
APART = 1e-9
"""[s] over which a signal of samples jumps."""


# --- torques over time


def replayed(bench: Bench) -> dict[str, SampledSignal]:
    """The torques of the imposed motion, which jump at its two ends, as signals."""
    return bench.once("torques of the imposed motion", lambda: _signals(_finely_imposed()))


def _finely_imposed() -> Trajectory:
    case = imposed("nodes")
    case = replace(case, scenario=replace(case.scenario, every=FINE, tolerance=TIGHTEST))
    return case.followed(case.plant())


def _signals(run: Trajectory) -> dict[str, SampledSignal]:
    found = {}
    for k, name in enumerate(ELBOWS):
        times, values, slopes = list[float](), list[float](), list[float]()
        for begin, end in ((0.0, BEGIN), (BEGIN, OVER), (OVER, DURATION)):
            inside = (run.time >= begin - 1e-9) & (run.time < end - (1e-9 if end < DURATION else -1e-9))
            curve = make_interp_spline(run.time[inside], run.angle_torque[inside, k], 5)
            at = run.time[inside].copy()
            if end < DURATION:
                at = np.append(at, end - APART)
            times += at.tolist()
            values += curve(at).tolist()
            slopes += curve.derivative()(at).tolist()
        found[name] = SampledSignal(tuple(times), tuple(values), tuple(slopes))
    return found


def wanted(time: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Angles of the elbows and their rates by eq. (38)."""
    found = [equations.imposed(float(t)) for t in time]
    return (
        {name: np.array([np.pi + one[0][k] for one in found]) for k, name in enumerate(ELBOWS)},
        {name: np.array([one[1][k] for one in found]) for k, name in enumerate(ELBOWS)},
    )


def static_signals() -> dict[str, Signal]:
    """Eq. (39) along eq. (38)."""
    time = np.arange(round(DURATION / EVERY) + 1) * EVERY
    torques = np.array([static_torque(equations.imposed(float(t))[0]) for t in time])
    return {name: SampledSignal(tuple(time.tolist()), tuple(torques[:, k].tolist())) for k, name in enumerate(ELBOWS)}


# --- runs


def followed(
    structure: Structure,
    tracking: Tracking,
    duration: float,
    every: float = EVERY,
    velocities: Mapping[str, Place] | None = None,
    tolerance: float = 1e-12,
) -> Trajectory:
    plant = assemble(structure, drives=tracking.drives, controllers=tracking.controllers, velocities=velocities or {})
    return simulate(plant, duration, every=every, method="dp8", tolerance=tolerance, verify=False)


def tracked(bench: Bench, proportional: float, derivative: float, how: str = "inverse dynamics") -> Trajectory:
    """Eq. (38) by PD and torques that are known ahead: those of inverse dynamics, or of eq. (39)."""

    def make() -> Trajectory:
        time = np.arange(round(DURATION / EVERY) + 1) * EVERY
        known = replayed(bench) if how == "inverse dynamics" else static_signals()
        led = pd_tracking(
            time, *wanted(time), proportional=proportional, derivative=derivative, feed_forward=dict(known)
        )
        return followed(in_nodes(torques=static_torque(AT_START)), led, DURATION)

    return bench.once(f"PD {proportional:g}, {derivative:g}, {how}", make)


def open_loop(bench: Bench, error: float) -> Trajectory:
    """The torques of the imposed motion and nothing else, from a first elbow that is off by so much [rad]."""

    def make() -> Trajectory:
        time = np.array([0.0, DURATION])
        angles, rates = wanted(time)
        led = pd_tracking(time, angles, rates, proportional=0.0, derivative=0.0, feed_forward=dict(replayed(bench)))
        start = AT_START + np.array([error, 0.0, 0.0])
        return followed(in_nodes(start, torques=static_torque(AT_START)), led, 6.0, tolerance=TIGHTEST)

    return bench.once(f"open loop, {error:g} rad", make)


def elbow_angles(run: Trajectory) -> np.ndarray:
    """(T, 3) theta of the legs [rad]."""
    names = list(run.structure.nodes)
    found = np.zeros((run.time.size, 3))
    for k, leg in enumerate(LEGS):
        a, b, c = (run.nodes[:, names.index(f"{letter}{leg}")] for letter in "ABC")
        one, other = a - b, c - b
        found[:, k] = np.arctan2(np.linalg.norm(np.cross(one, other), axis=1), np.sum(one * other, axis=1))
    return found - np.pi


def angle_error(run: Trajectory) -> np.ndarray:
    """(T,) the largest of the elbows' errors against eq. (38) [rad]."""
    goal = np.array([equations.imposed(float(t))[0] for t in run.time])
    return np.asarray(np.abs(elbow_angles(run) - goal).max(axis=1))


def collapse(run: Trajectory, error: float = 0.1) -> float:
    """[s] when the angles are off by so much [rad], between samples by the growth of the error; inf if never."""
    off = angle_error(run)
    late = np.flatnonzero(off >= error)
    if not late.size:
        return float("inf")
    k = int(late[0])
    share = np.log(error / off[k - 1]) / np.log(off[k] / off[k - 1]) if k else 0.0
    return float(run.time[k - 1] + share * (run.time[k] - run.time[k - 1])) if k else 0.0


# --- the same by linear models


def model_at(structure: Structure, run: Trajectory | None = None, sample: int = 0) -> LinearModel:
    """With torques as inputs; outputs are all places and speeds, then the elbows' angles."""
    plant = assemble(structure)
    state = {} if run is None else {"positions": run.nodes[sample], "velocities": run.velocities[sample]}
    return linearise(plant, inputs=TORQUES, outputs=["node:*.position", "node:*.velocity", *ANGLES], **state)


def falling(bench: Bench) -> LinearModel:
    """At psi_F with the torques that hold it, and no control."""
    return bench.once("linear model at psi_F", lambda: model_at(in_nodes(AT_END, torques=static_torque(AT_END))))


def closed(model: LinearModel, proportional: float, derivative: float) -> np.ndarray:
    """The matrix of the loop with PD of the elbows."""
    show = model.C[-3:]
    return np.asarray(model.A - model.B @ (proportional * show + derivative * show @ model.A))


def threshold(model: LinearModel, derivative: float) -> float:
    """[N m/rad] from which PD keeps the mechanism up, by bisection."""
    low, high = 0.0, 1e4
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        grows = np.linalg.eigvals(closed(model, middle, derivative)).real.max() > 0.0
        low, high = (middle, high) if grows else (low, middle)
    return high


def predicted_collapse(bench: Bench, errors: tuple[float, ...], off: float = 0.1) -> list[float]:
    """[s] By linear models along the imposed motion, one every 0.02 s: how a small error of the start grows."""
    sizes, times = bench.once("growth of small errors along the motion", lambda: _growth(bench.run(imposed("nodes"))))
    return [float(np.interp(np.log(off / error), np.log(sizes), times)) for error in errors]


def _growth(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """The largest error of angles per radian of the first at the start, over time; from where it only grows."""
    skip, structure = 2, in_nodes(torques=static_torque(AT_START))
    tiny, moving = 1e-6, None
    start = in_nodes(AT_START + np.array([tiny, 0.0, 0.0])).positions - in_nodes(AT_START).positions
    times, sizes, shift = [0.0], [1.0], np.array([])
    for k in range(skip // 2, round(6.0 / EVERY), skip):
        model = model_at(_with_torques(structure, run.angle_torque[k, :3]), run, k)
        count = (len(model.outputs) - 3) // 2
        if moving is None:
            moving = _places_of(model, count, structure)
            shift = np.concatenate([start.ravel()[moving] / tiny, np.zeros(count)])
        reading = model.reading.reshape(len(model.states), 2, -1)[:, :, moving].reshape(len(model.states), -1)
        x = expm(model.A * skip * EVERY) @ (reading @ shift)
        shift = model.C[:-3] @ x
        times.append(float(run.time[k]) + 0.5 * skip * EVERY)
        sizes.append(float(np.abs(model.C[-3:] @ x).max()))
    grown = np.array(sizes)
    last = len(grown) - int(np.argmax(np.diff(grown)[::-1] <= 0.0)) - 1 if np.any(np.diff(grown) <= 0.0) else 0
    return grown[last:], np.array(times)[last:]


def _with_torques(structure: Structure, torques: np.ndarray) -> Structure:
    angles = [
        replace(one, torque=float(torques[ELBOWS.index(one.name)])) if one.name in ELBOWS else one
        for one in structure.angles.values()
    ]
    return replace(structure, angles=angles)  # type: ignore[arg-type]


def _places_of(model: LinearModel, count: int, structure: Structure) -> np.ndarray:
    names = list(structure.nodes)
    found = []
    for output in model.outputs[:count]:
        node, _, axis = output.removeprefix("node:").partition(".position.")
        found.append(3 * names.index(node) + "xyz".index(axis))
    return np.array(found)


# --- a controller of x


def straight(end: np.ndarray) -> Callable[[float], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The platform along a line from x_0 in the time of eq. (38), with its cosine."""
    begin = at_rest(AT_START)
    rise, pace = end - begin, np.pi / (OVER - BEGIN)

    def at(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if not BEGIN <= t <= OVER:
            return (begin if t < BEGIN else end), np.zeros(3), np.zeros(3)
        w = pace * (t - BEGIN)
        return begin + 0.5 * rise * (1.0 - np.cos(w)), 0.5 * rise * pace * np.sin(w), 0.5 * rise * pace**2 * np.cos(w)

    return at


CARTESIAN_RATE, LED = 500.0, 6.0
"""[Hz] With 200 Hz the hold of 5 ms is late enough for what x does not show, 38 rad/s, to grow. [s] of that run."""


def cartesian_plant() -> Plant:
    torque = static_torque(AT_START)
    drives = [
        Drive(f"motor{leg}", f"angle:theta{leg}", "torque", to=Command(float(one)))
        for leg, one in zip(LEGS, torque, strict=True)
    ]
    return assemble(in_nodes(torques=torque), drives=drives)


def in_task_space(bench: Bench) -> Trajectory:
    """x itself is led along a line, by computed torques."""

    def make() -> Trajectory:
        plant = cartesian_plant()
        places = [f"node:C{leg}.position.{axis}" for leg in LEGS for axis in "xyz"]
        controller = computed_torque(
            "cartesian",
            plant,
            places,
            straight(at_rest(AT_END)),
            proportional=100.0,
            derivative=20.0,
            rate=CARTESIAN_RATE,
            combine=np.tile(np.eye(3) / 3.0, 3),
        )
        return followed(plant.structure, Tracking(plant.given.drives, (controller,)), LED)

    return bench.once("x led by computed torques", make)
