"""The scenario of a model file, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from taut.errors import Problem, suggestion
from taut.structure.corrections import Correction, faults
from taut.structure.drives import drive_problems
from taut.structure.format.controlling import controlled
from taut.structure.format.lines import Path
from taut.structure.format.scenario_schema import (
    CorrectionEntry,
    DriveEntry,
    GroundEntry,
    JointEntry,
    MotionEntry,
    ScenarioEntry,
    SignalEntry,
    WatchEntry,
)
from taut.structure.ground_checks import problems_of_grounds
from taut.structure.grounds import Box, Compliance, Ground, Plane, Terrain
from taut.structure.joints import Joint, problems_of_joints
from taut.structure.motions import motion_problems
from taut.structure.records import AXES
from taut.structure.scenario import ON_COLLISION, SOLVERS, Damping, Drive, Load, Motion, Scenario, Watch
from taut.structure.signal_checks import signal_problems
from taut.structure.signals import (
    Command,
    Constant,
    CosineRamp,
    Doublet,
    SampledSignal,
    Signal,
    SignalSum,
    Sinusoid,
    SmoothStart,
    StepSignal,
)
from taut.structure.structure import Structure
from taut.structure.watches import problems_of_watches


def staged(
    entry: ScenarioEntry, structure: Structure, velocities: Mapping[str, list[float]], *, watched: bool = True
) -> tuple[Scenario, list[Problem]]:
    """The scenario and its problems; the names of methods are the business of those who run them.

    watched: whether what is to be watched, and what touches grounds, is held against the structure; a tree's is known
    later.
    """
    x, y, z = entry.gravity
    nodes = structure.nodes
    loads = tuple(Load(load.node, load.axis, signal_of(load.signal), name) for name, load in entry.loads.items())
    drives = tuple(_drive(name, drive) for name, drive in entry.drives.items())
    ground = tuple(_ground(name, one) for name, one in entry.ground.items())
    sensors, controllers, out_of_control = controlled(
        entry.sensors, entry.controllers, structure, loads, drives, ground
    )
    scenario = Scenario(
        gravity=(x, y, z),
        loads=loads,
        motions=tuple(_motion(name, motion) for name, motion in entry.motions.items()),
        drives=drives,
        sensors=sensors,
        controllers=controllers,
        ground=ground,
        joints=tuple(_joint(name, joint) for name, joint in entry.joints.items()),
        damping=Damping(entry.damping.node, entry.damping.mass, entry.damping.stiffness),
        events=tuple(_watch(name, watch) for name, watch in entry.events.items()),
        velocities={node: (v[0], v[1], v[2]) for node, v in velocities.items()},
        duration=entry.duration,
        every=entry.every,
        method=entry.method,
        tolerance=entry.tolerance,
        step=entry.step,
        correction=_correction(entry.correction),
        locate=entry.locate,
        on_collision=entry.on_collision,
        clearance=entry.clearance,
        solver=entry.solver,
    )
    problems = [
        *_number_problems(entry),
        *_load_problems(scenario.loads, nodes),
        *(
            Problem(("scenario", *found.path), found.message)
            for found in (problems_of_watches(structure, scenario.events) if watched else ())
        ),
        *_motion_problems(entry, scenario, structure),
        *_drive_problems(scenario, structure),
        *out_of_control,
        *_ground_problems(entry, scenario, structure if watched else None),
        *(
            Problem(("scenario", *found.path), found.message)
            for found in problems_of_joints(structure, scenario.joints)
        ),
        *(_unknown_node(("scenario", "velocities", n), n, nodes) for n in velocities if n not in nodes),
    ]
    return scenario, problems


def _watch(name: str, entry: WatchEntry) -> Watch:
    given = entry.own()
    for key in ("normal", "nodes", "cut"):
        if key in given:
            given[key] = tuple(given[key])
    return Watch(name, **given)


def _motion(name: str, entry: MotionEntry) -> Motion:
    displacement, acceleration = entry.displacement, entry.acceleration
    return Motion(
        entry.supports[0] if len(entry.supports) == 1 else tuple(entry.supports),
        entry.axis,
        None if displacement is None else signal_of(displacement),
        None if acceleration is None else signal_of(acceleration),
        entry.velocity,
        name,
    )


def _drive(name: str, entry: DriveEntry) -> Drive:
    to, by = (None if signal is None else signal_of(signal) for signal in (entry.to, entry.by))
    return Drive(name, entry.member, entry.quantity, to, by, entry.drum_radius, entry.speed_limit, entry.force_limit)


def _ground(name: str, entry: GroundEntry) -> Ground:
    """A plane z = 0 where no shape is told; of several the first, which is a problem."""
    shape: Plane | Box | Terrain = Plane()
    if entry.plane is not None:
        shape = Plane(_three(entry.plane.normal), _three(entry.plane.point))
    elif entry.box is not None:
        shape = Box(_three(entry.box.centre), _three(entry.box.size), entry.box.turned)
    elif entry.terrain is not None:
        told = entry.terrain
        shape = Terrain(tuple(map(tuple, told.heights)), _two(told.spacing), _two(told.corner))
    return Ground(
        *(name, shape, entry.friction, entry.static_friction, entry.restitution),
        *(tuple(entry.touched_by), entry.radius),
        None if entry.compliance is None else Compliance(**entry.compliance.own()),
    )


def _joint(name: str, entry: JointEntry) -> Joint:
    turns, slides = (tuple(_three(axis) for axis in axes) for axes in (entry.turns, entry.slides))
    at = entry.at if isinstance(entry.at, str) else _three(entry.at)
    numbers = (entry.values, entry.rates, entry.stiffness, entry.damping, entry.rest)
    return Joint(name, at, tuple(entry.carries), turns, slides, entry.on, *map(tuple, numbers))


def _three(values: list[float]) -> tuple[float, float, float]:
    return values[0], values[1], values[2]


def _two(values: list[float]) -> tuple[float, float]:
    return values[0], values[1]


def _ground_problems(entry: ScenarioEntry, scenario: Scenario, structure: Structure | None) -> Iterator[Problem]:
    for name, ground in entry.ground.items():
        shapes = [shape for shape in ("plane", "box", "terrain") if getattr(ground, shape) is not None]
        if len(shapes) > 1:
            yield Problem(("scenario", "ground", name), f"it is a {' and a '.join(shapes)}; give each its own ground")
    for found in () if structure is None else problems_of_grounds(structure, scenario.ground):
        yield Problem(("scenario", *found.path), found.message)


def _correction(entry: CorrectionEntry | None) -> Correction | None:
    """None where there is none, or where what is told makes no sense."""
    told = entry.own() if entry else {}
    if "gains" in told:
        told["gains"] = tuple(told["gains"])
    return None if any(faults(told)) else Correction(**told)


def signal_of(entry: SignalEntry) -> Signal:
    if entry.sinusoid is not None:
        wave = entry.sinusoid
        return Sinusoid(wave.amplitude, wave.frequency, wave.phase, wave.mean)
    if entry.doublet is not None:
        return Doublet(entry.doublet.amplitude, entry.doublet.width, entry.doublet.start)
    if entry.cosine_ramp is not None:
        ramp = entry.cosine_ramp
        return CosineRamp(getattr(ramp, "from"), ramp.to, ramp.start, ramp.end)
    if entry.table is not None:
        slopes = entry.table.slopes
        return SampledSignal(
            tuple(entry.table.times), tuple(entry.table.values), None if slopes is None else tuple(slopes)
        )
    if entry.steps is not None:
        return StepSignal(tuple(entry.steps.times), tuple(entry.steps.values))
    if entry.command is not None:
        return Command(entry.command.start)
    if entry.smooth_start is not None:
        started = entry.smooth_start
        return SmoothStart(signal_of(started.signal), started.start, started.over)
    if entry.sum is not None:
        return SignalSum(tuple(map(signal_of, entry.sum)))
    return Constant(0.0 if entry.constant is None else entry.constant.value)


def _number_problems(entry: ScenarioEntry) -> Iterator[Problem]:
    for key, unit in (("duration", " s"), ("every", " s"), ("step", " s"), ("tolerance", "")):
        value = getattr(entry, key)
        if value is not None and value <= 0.0:
            yield Problem(("scenario", key), f"{value:g}{unit} must be more than zero")
    for key in ("node", "mass", "stiffness"):
        value = getattr(entry.damping, key)
        if value < 0.0:
            yield Problem(("scenario", "damping", key), f"{value:g} must be zero or more; damping takes energy away")
    if entry.clearance < 0.0:
        yield Problem(("scenario", "clearance"), f"{entry.clearance:g} m must be zero or more")
    for key, words in (("solver", SOLVERS), ("on_collision", ON_COLLISION)):
        told = getattr(entry, key)
        if told not in words:
            known = f"{', '.join(words)}{suggestion(told, words)}"
            yield Problem(("scenario", key), f'"{told}" is not one of {known}')
    for key, message in faults(entry.correction.own()) if entry.correction else ():
        yield Problem(("scenario", "correction", key), message)


def _load_problems(loads: tuple[Load, ...], known: Collection[str]) -> Iterator[Problem]:
    for load in loads:
        path = ("scenario", "loads", load.name)
        if load.node not in known:
            yield _unknown_node((*path, "node"), load.node, known)
        if load.axis not in tuple(AXES):
            yield Problem((*path, "axis"), f'"{load.axis}" is not an axis; say x, y or z')
        for found in signal_problems(load.signal):
            yield Problem((*path, "signal", *found.path), found.message)


def _motion_problems(entry: ScenarioEntry, scenario: Scenario, structure: Structure) -> Iterator[Problem]:
    for name, motion in zip(entry.motions, scenario.motions, strict=True):
        for problem in motion_problems(structure, motion):
            yield Problem(("scenario", "motions", name, *problem.path), problem.message)


def _drive_problems(scenario: Scenario, structure: Structure) -> Iterator[Problem]:
    for index, problem in drive_problems(structure, scenario.drives):
        yield Problem(("scenario", "drives", scenario.drives[index].name, *problem.path), problem.message)


def _unknown_node(path: Path, node: str, known: Collection[str]) -> Problem:
    return Problem(path, f'no node "{node}"{suggestion(node, known)}')
