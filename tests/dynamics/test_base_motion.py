"""Moved supports against other roads: the frame that moves along, closed forms, minimal coordinates, energy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import taut
from taut import (
    Bar,
    Cable,
    Correction,
    Damping,
    Doublet,
    Load,
    Motion,
    OptionError,
    Plant,
    SampledSignal,
    Sinusoid,
    Structure,
    Trajectory,
    assemble,
    simulate,
)

TIMES = tuple(0.05 * k for k in range(13))
RECORD = SampledSignal(TIMES, (0.0, *(6.0 * math.sin(7.0 * t) * math.cos(31.0 * t) for t in TIMES[1:-1]), 0.0))
"""A made-up record of accelerations [m/s^2], straight between its samples."""


def tower(class_: int = 2) -> Structure:
    """Rigid bars, which meet at nodes in class 2, and damped cables."""
    bare = taut.generators.tower(2, radius=0.3, height=0.6, class_=class_)
    return bare.supported("bottom*").changed("cable:*", damping=5.0)


def worst(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max())


def balanced(run: Trajectory, *, to: float = 3e-12) -> bool:
    """Whether energy less start less work is round-off of the energies present."""
    terms = run.energy_kinetic + run.energy_elastic + np.abs(run.energy_gravity) + np.abs(run.work)
    return float(np.abs(run.energy_violation).max()) <= to * float(terms.max())


# --- a uniform motion is the frame that moves along, with inertia as loads


def shares(plant: Plant) -> np.ndarray:
    """What each node has of the mass: M times ones, from the records and not from the tables."""
    nodes = list(plant.structure.nodes)
    mass = np.zeros(len(nodes))
    for member in (*plant.structure.bars.values(), *plant.structure.cables.values()):
        ends = member.nodes if isinstance(member, Bar) else (member.route[0], member.route[-1])
        for end in ends:
            mass[nodes.index(end)] += 0.5 * (member.mass or 0.0)
    return mass


def ramps(table: SampledSignal, factor: float) -> list[SampledSignal]:
    """A table that is straight between its times, and nothing at either end, as a sum of signals for loads."""
    corners = zip(table.times, table.times[1:], table.values, table.values[1:], strict=False)
    return [
        SampledSignal((t, u), (0.0, factor * (b - a)), (factor * (b - a) / (u - t),) * 2)
        for t, u, a, b in corners
        if a != b
    ]


def inertia(signal: Sinusoid | Doublet | SampledSignal, mass: float) -> list[Sinusoid | Doublet | SampledSignal]:
    if isinstance(signal, Sinusoid):
        return [Sinusoid(-mass * signal.amplitude, signal.frequency, signal.phase, -mass * signal.mean)]
    if isinstance(signal, Doublet):
        return [Doublet(-mass * signal.amplitude, signal.width, signal.start)]
    return list(ramps(signal, -mass))


@pytest.mark.slow
@pytest.mark.parametrize("class_", [1, 2])
@pytest.mark.parametrize(
    "signal", [Sinusoid(4.0, 2.5, 0.3, 0.2), Doublet(5.0, 0.11, 0.07), RECORD], ids=["sinusoid", "doublet", "record"]
)
def test_a_shaken_base_is_a_still_one_with_inertia_loads(
    signal: Sinusoid | Doublet | SampledSignal, class_: int
) -> None:
    structure = tower(class_).changed("bar:*", mass=0.8)
    shaken = assemble(structure, gravity=9.81, motions=[Motion("*", "y", acceleration=signal)])
    masses = dict(zip(structure.nodes, shares(shaken), strict=True))
    loads = [Load(node, "y", part) for node, mass in masses.items() for part in inertia(signal, mass)]
    still = assemble(structure, gravity=9.81, loads=loads)
    options = {"every": 0.05, "tolerance": 1e-12, "method": "dp8"}
    run, relative = simulate(shaken, 0.8, **options), simulate(still, 0.8, **options)
    base = list(structure.nodes).index("bottom1")
    carried = run.nodes[:, base] - structure.positions[base]
    assert np.abs(carried[:, 1]).max() > 0.01
    assert worst(run.nodes - carried[:, None], relative.nodes) < 1e-10
    assert worst(run.cable_tension, relative.cable_tension) < 1e-6
    assert worst(run.bar_force, relative.bar_force) < 1e-6
    assert worst(run.reaction, relative.reaction) < 1e-6
    assert balanced(run)
    assert run.length_violation.max() < 2e-14


@pytest.mark.slow
def test_a_shaken_base_under_thick_compressible_bars() -> None:
    """Bars whose mass matrix changes with their shape; together they move as their mass would, whatever their shape."""
    soft = taut.Material("soft", youngs_modulus=5e6, poisson_ratio=0.4)
    fields = {"law": "compressible", "inertia": "cylinder", "material": soft, "radius": 0.05, "mass": 0.8}
    structure = tower(2).changed("bar:*", **fields)
    signal = Sinusoid(4.0, 2.5, 0.3, 0.2)
    shaken = assemble(structure, gravity=9.81, motions=[Motion("*", "y", acceleration=signal)])
    masses = dict(zip(structure.nodes, shares(shaken), strict=True))
    loads = [Load(node, "y", part) for node, mass in masses.items() for part in inertia(signal, mass)]
    still = assemble(structure, gravity=9.81, loads=loads)
    options = {"every": 0.05, "tolerance": 1e-11, "method": "dp8"}
    run, relative = simulate(shaken, 0.4, **options), simulate(still, 0.4, **options)
    base = list(structure.nodes).index("bottom1")
    carried = run.nodes[:, base] - structure.positions[base]
    assert worst(run.nodes - carried[:, None], relative.nodes) < 1e-8
    assert worst(run.bar_force, relative.bar_force) < 1e-4
    assert worst(run.reaction, relative.reaction) < 1e-4
    assert balanced(run)
    assert np.ptp(run.bar_force) > 10.0


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dp5", "dp8"])
def test_steps_are_short_enough_for_the_work_where_nothing_else_asks_for_it(method: str) -> None:
    # A carried mass of 100 kg is shaken at 2 Hz, and beside it a free one swings slowly: the free motion alone would
    # do with steps of a tenth of the shaking's period, and the work that carries the mass would be 9e-4 J off (dp5).
    structure = Structure(
        {"heavy": (0.0, 0.0, 0.0), "hook": (0.0, 0.0, 5.0), "light": (0.0, 0.0, 6.1)},
        cables=[Cable("slow", ("hook", "light"), stiffness=1.0, rest_length=1.0, law="spring")],
        supports={"heavy": "xyz", "hook": "xyz", "light": "xy"},
        point_masses={"heavy": 100.0, "light": 1.0},
    )
    plant = assemble(structure, motions=[Motion("heavy", "y", displacement=Sinusoid(0.1, 2.0))])
    run = simulate(plant, 2.0, every=0.01, method=method, tolerance=1e-9, correction="none")
    assert np.ptp(run.work) == pytest.approx(0.5 * 100.0 * (0.1 * 4.0 * math.pi) ** 2, rel=1e-2)
    assert np.abs(run.energy_violation).max() < 1e-8 * np.ptp(run.work)


# --- closed forms and minimal coordinates


def on_springs(*places: float) -> Structure:
    """A mass of 2 kg at 0 that slides along x, on springs of 200 N/m from supports on x."""
    ends = {f"base{k}": (place, 0.0, 0.0) for k, place in enumerate(places)}
    springs = [Cable(f"s{k}", (end, "m"), stiffness=200.0, law="spring") for k, end in enumerate(ends)]
    held = {**dict.fromkeys(ends, "xyz"), "m": "yz"}
    return Structure({**ends, "m": (0.0, 0.0, 0.0)}, cables=springs, supports=held, point_masses={"m": 2.0})


def driven(size: float, rate: float, stiffness: float, t: np.ndarray) -> np.ndarray:
    """Of x'' = -w^2 x + (200 / 2) size sin(rate t) from rest, w^2 = stiffness / 2."""
    w = math.sqrt(stiffness / 2.0)
    return 100.0 * size / (w**2 - rate**2) * (np.sin(rate * t) - rate / w * np.sin(w * t))


def test_a_mass_on_a_shaken_spring() -> None:
    motion = Motion("base0", "x", displacement=Sinusoid(0.05, 1.1))
    run = simulate(assemble(on_springs(-1.0), motions=[motion]), 3.0, tolerance=1e-12, method="dp8")
    exact = driven(0.05, 2.0 * math.pi * 1.1, 200.0, run.time)
    assert worst(run.nodes[:, 1, 0], exact) < 1e-11
    force = 200.0 * (exact - 0.05 * np.sin(2.0 * math.pi * 1.1 * run.time))
    assert worst(run.reaction[:, 0, 0], -force) < 1e-8
    assert balanced(run)


def test_supports_that_move_differently() -> None:
    motions = [
        Motion("base0", "x", displacement=Sinusoid(0.05, 1.1)),
        Motion("base1", "x", displacement=Sinusoid(0.03, 0.4)),
    ]
    run = simulate(assemble(on_springs(-1.0, 1.5), motions=motions), 3.0, tolerance=1e-12, method="dp8")
    exact = driven(0.05, 2.0 * math.pi * 1.1, 400.0, run.time) + driven(0.03, 2.0 * math.pi * 0.4, 400.0, run.time)
    assert worst(run.nodes[:, 2, 0], exact) < 1e-11
    assert balanced(run)


@pytest.mark.slow
@pytest.mark.parametrize("pointed", [False, True], ids=["alone", "with a stay"])
def test_a_rod_on_a_moved_pivot(pointed: bool) -> None:
    """A rod of 2 kg and 1.2 m with 0.5 kg at its end; the stay, a second rod, makes it class 2."""
    rod, tip, length, g = 2.0, 0.5, 1.2, 9.81
    nodes = {"pivot": (0.0, 0.0, 0.0), "end": (length * math.sin(0.7), 0.0, -length * math.cos(0.7))}
    bars, held, ends = [Bar("rod", ("pivot", "end"), mass=rod)], {"pivot": "xyz", "end": "y"}, {"end": tip}
    if pointed:
        nodes["aside"] = (0.0, 3.0, 0.0)
        bars.append(Bar("other", ("pivot", "aside"), mass=1.0))
        held["aside"] = "xyz"
    structure = Structure(nodes, bars, supports=held, point_masses=ends)
    sway, lift = Sinusoid(0.2, 0.8, 0.4), Sinusoid(0.1, 1.7)
    chosen = ("pivot", "aside") if pointed else "pivot"
    motions = [Motion(chosen, "x", displacement=sway), Motion(chosen, "z", displacement=lift)]
    plant = assemble(structure, gravity=g, motions=motions)
    run = simulate(plant, 3.0, every=0.1, tolerance=1e-12, method="dp8")

    def bend(signal: Sinusoid, t: float) -> float:
        w = 2.0 * math.pi * signal.frequency
        return -signal.amplitude * w * w * math.sin(w * t + signal.phase)

    def slide(signal: Sinusoid, t: float) -> float:
        w = 2.0 * math.pi * signal.frequency
        return signal.amplitude * w * math.cos(w * t + signal.phase)

    moment, about = length * (rod / 2.0 + tip), length**2 * (rod / 3.0 + tip)

    def swing(t: float, y: np.ndarray) -> list[float]:
        pull = (g + bend(lift, t)) * math.sin(y[0]) + bend(sway, t) * math.cos(y[0])
        return [y[1], -moment / about * pull]

    # The end starts with what is left of its velocity, none, when the rod takes the pivot's along: least by mass.
    first = math.atan2(run.nodes[0, 1, 0] - run.nodes[0, 0, 0], run.nodes[0, 0, 2] - run.nodes[0, 1, 2])
    relative = run.velocities[0, 1] - run.velocities[0, 0]
    spin = (relative[0] * math.cos(first) + relative[2] * math.sin(first)) / length
    exact = solve_ivp(swing, (0.0, 3.0), [first, spin], "DOP853", run.time, rtol=1e-13, atol=1e-13)
    angle = exact.y[0]
    pivot = [[0.2 * math.sin(1.6 * math.pi * t + 0.4), 0.0, 0.1 * math.sin(3.4 * math.pi * t)] for t in run.time]
    end = np.array(pivot) + length * np.array([[math.sin(a), 0.0, -math.cos(a)] for a in angle])
    assert worst(run.nodes[:, 0], np.array(pivot)) < 1e-15
    assert worst(run.nodes[:, 1], end) < 1e-10
    assert abs(relative[0] - spin * length * math.cos(first)) < 1e-13
    assert run.length_violation.max() < 2e-14
    assert balanced(run)
    rates = exact.y[1]
    turns = np.array([swing(t, y)[1] for t, y in zip(run.time, exact.y.T, strict=True)])
    across = moment * (turns * np.cos(angle) - rates**2 * np.sin(angle))
    mass = rod + tip + (1.0 if pointed else 0.0)
    whole = across + mass * np.array([bend(sway, t) for t in run.time])
    assert worst(run.reaction[:, :, 0].sum(axis=1), whole) < 1e-7
    assert slide(sway, 0.0) == pytest.approx(run.velocities[0, 0, 0], rel=1e-14)


# --- what a motion is


def integrated(record: SampledSignal) -> tuple[np.ndarray, np.ndarray]:
    """Velocity and displacement at the samples of a record that is straight between them: Simpson is exact."""
    a, width = np.array(record.values), np.diff(record.times)
    speed = np.concatenate([[0.0], np.cumsum(0.5 * width * (a[:-1] + a[1:]))])
    middle = speed[:-1] + width * (3.0 * a[:-1] + a[1:]) / 8.0
    return speed, np.concatenate([[0.0], np.cumsum(width / 6.0 * (speed[:-1] + 4.0 * middle + speed[1:]))])


@pytest.mark.parametrize(
    "options",
    [
        {"tolerance": 1e-6},
        {"tolerance": 1e-8, "method": "dp8"},
        {"tolerance": 1e-6, "correction": "none"},
        pytest.param({"tolerance": 1e-6, "samples": "dense"}, marks=pytest.mark.slow),
        {"method": "rk4", "step": 2e-3, "correction": "constraints"},
        {"method": "rk4", "step": 2e-3, "correction": "baumgarte"},
    ],
    ids=str,
)
def test_supports_are_where_the_signal_says_to_round_off(options: dict) -> None:
    wave = Sinusoid(0.05, 1.3, 0.2, 0.01)
    motions = [Motion("*", "x", acceleration=RECORD, velocity=0.1), Motion("bottom*", "z", displacement=wave)]
    run = simulate(assemble(tower(), gravity=9.81, motions=motions), 0.75, every=0.025, **options)
    assert run.ok
    if options.get("correction") not in ("none", "baumgarte"):
        assert run.length_violation.max() < 2e-14, "corrected with supports where they are, not about there"
    place = run.nodes[:, :3] - tower().positions[:3]
    angle = 2.0 * math.pi * 1.3 * run.time + 0.2
    assert worst(place[:, :, 2], (0.01 + 0.05 * np.sin(angle))[:, None]) < 2e-16
    assert worst(run.velocities[:, :3, 2], (0.05 * 2.0 * math.pi * 1.3 * np.cos(angle))[:, None]) < 3e-16
    speed, shift = integrated(RECORD)
    knots = run.time[:25:2]
    assert worst(place[:25:2, :, 0], (shift + 0.1 * knots)[:, None]) < 2e-16
    assert worst(run.velocities[:25:2, :3, 0], (speed + 0.1)[:, None]) < 3e-16
    assert worst(run.velocities[25:, :3, 0], np.full((6, 3), speed[-1] + 0.1)) < 3e-16, "nothing after the record"


@pytest.mark.parametrize(
    "options",
    [
        {"tolerance": 1e-4},
        {"tolerance": 1e-5, "method": "dp8"},
        pytest.param({"tolerance": 1e-5, "samples": "dense"}, marks=pytest.mark.slow),
        {"method": "rk4", "step": 0.05},
    ],
    ids=str,
)
def test_long_steps_are_corrected_with_supports_where_they_are(options: dict) -> None:
    """A slow rod takes steps over which a sinusoid is not integrated to round-off."""
    structure = Structure(
        {"pivot": (0.0, 0.0, 0.0), "end": (0.6, 0.0, -0.8)},
        [Bar("rod", ("pivot", "end"), mass=1.0)],
        supports={"pivot": "xyz"},
    )
    plant = assemble(structure, gravity=9.81, motions=[Motion("pivot", "x", displacement=Sinusoid(0.3, 0.7))])
    run = simulate(plant, 2.0, every=0.015, **options)
    assert run.ok
    assert run.counts["steps"] < 150
    assert run.length_violation.max() < 2e-14
    assert run.rate_violation.max() < 1e-12


def test_a_table_of_displacements_is_a_hermite_curve_that_rests_before_and_after() -> None:
    table = SampledSignal((0.1, 0.3, 0.6), (0.0, 0.2, 0.1))
    run = simulate(assemble(on_springs(-1.0), motions=[Motion("base0", "x", table)]), 0.8, every=0.05)
    from scipy.interpolate import CubicHermiteSpline

    slope = (0.2 / 0.2 * 0.3 - 0.1 / 0.3 * 0.2) / 0.5
    curve = CubicHermiteSpline([0.1, 0.3, 0.6], [0.0, 0.2, 0.1], [0.0, slope, 0.0])
    inside = (run.time > 0.1) & (run.time < 0.6)
    moved = run.nodes[:, 0, 0] + 1.0
    assert worst(moved[inside], curve(run.time[inside])) < 1e-15
    assert worst(run.velocities[inside, 0, 0], curve(run.time[inside], 1)) < 1e-14
    assert np.all(moved[run.time <= 0.1] == 0.0)
    assert worst(moved[run.time >= 0.6], np.full(5, 0.1)) < 1e-15


def test_motions_of_one_support_add_up_and_a_record_may_begin_before_the_run() -> None:
    early = SampledSignal((-0.2, 0.2, 0.5), (0.0, 2.0, -1.0))
    cut = SampledSignal((0.0, 0.2, 0.5), (1.0, 2.0, -1.0))
    constant = Motion("base0", "x", acceleration=0.5)
    runs = [
        simulate(assemble(on_springs(-1.0), motions=[Motion("base0", "x", acceleration=signal), constant]), 0.6)
        for signal in (early, cut)
    ]
    assert worst(runs[0].nodes, runs[1].nodes) < 1e-13
    speed, _ = integrated(cut)
    assert runs[0].velocities[-1, 0, 0] == pytest.approx(speed[-1] + 0.3, abs=1e-15)


# --- energy, order, continuing


@pytest.mark.slow
@pytest.mark.parametrize("class_", [1, 2])
def test_the_work_of_supports_is_their_force_times_their_speed(class_: int) -> None:
    """Energy is not corrected here, so what is left over is the error of the integration alone."""
    motions = [
        Motion("bottom1", "x", acceleration=RECORD),
        Motion(("bottom2", "bottom3"), "x", displacement=SampledSignal((0.0, 0.2, 0.5), (0.0, 0.004, -0.002))),
        Motion("*", "z", displacement=Sinusoid(0.02, 3.0)),
    ]
    loads = [Load("bottom1", "x", Sinusoid(20.0, 4.0)), Load("bottom2", "z", lambda t: 3.0 * t)]
    damping = Damping(node=0.2, mass=0.3)
    plant = assemble(tower(class_), gravity=9.81, motions=motions, loads=loads, damping=damping)
    run = simulate(plant, 0.5, tolerance=1e-12, method="dp8", correction="constraints")
    assert run.ok
    assert np.abs(run.work).max() > 0.1
    assert np.abs(run.energy_violation).max() < 1e-9
    assert run.length_violation.max() < 2e-14


def test_energy_stays_balanced_to_round_off() -> None:
    motions = [Motion("bottom1", "x", acceleration=RECORD), Motion("*", "z", displacement=Sinusoid(0.02, 3.0))]
    run = simulate(assemble(tower(), gravity=9.81, motions=motions), 1.0, tolerance=1e-8)
    assert run.ok
    assert balanced(run)
    assert run.length_violation.max() < 2e-14
    assert run.rate_violation.max() < 5e-12


@pytest.mark.slow
def test_the_order_is_kept_across_the_knots_of_a_record() -> None:
    """Springs that pull and push, so that no cable goes slack; steps do not fit the knots."""
    structure = tower().changed("cable:*", law="spring", damping=0.0)
    plant = assemble(structure, gravity=9.81, motions=[Motion("*", "x", acceleration=RECORD)])
    exact = simulate(plant, 0.7, every=0.7, method="dp8", tolerance=1e-13).nodes[-1]
    errors = [
        worst(simulate(plant, 0.7, every=0.7, method="rk4", step=h, correction="constraints").nodes[-1], exact)
        for h in (8e-4, 4e-4, 2e-4)
    ]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(orders > 3.7), (errors, orders)


@pytest.mark.parametrize(
    "options", [{}, {"method": "dp8", "tolerance": 1e-10}, {"method": "rk4", "step": 1e-3}], ids=str
)
def test_a_run_in_two_parts_is_the_run_in_one(options: dict) -> None:
    motions = [Motion("*", "x", acceleration=RECORD), Motion("bottom1", "z", displacement=Sinusoid(0.01, 3.0))]
    plant = assemble(tower(), gravity=9.81, motions=motions)
    whole = simulate(plant, 0.9, every=0.03, **options)
    first = simulate(plant, 0.37, every=0.03, **options)
    again = simulate(plant, 0.9, every=0.03, start=first, **options)
    for name in ("nodes", "velocities", "work", "reaction", "bar_force"):
        assert np.array_equal(getattr(again, name), getattr(whole, name)), name


def test_another_motion_is_other_physics() -> None:
    first = simulate(assemble(on_springs(-1.0), motions=[Motion("*", "x", displacement=Sinusoid(0.1, 1.0))]), 0.1)
    for motions in ([], [Motion("*", "x", displacement=Sinusoid(0.1, 1.1))]):
        with pytest.raises(OptionError, match="other loads, motions, drives, ground, elements, gravity or damping"):
            simulate(assemble(on_springs(-1.0), motions=motions), 0.2, start=first)


@pytest.mark.slow
def test_the_iterative_solver_moves_them_the_same_way() -> None:
    motions = [Motion("*", "x", acceleration=RECORD)]
    runs = [
        simulate(assemble(tower(), gravity=9.81, motions=motions, solver=solver), 0.2, every=0.05, tolerance=1e-10)
        for solver in ("direct", "iterative")
    ]
    assert worst(runs[0].nodes, runs[1].nodes) < 1e-11
    assert worst(runs[0].reaction, runs[1].reaction) < 1e-7


def test_a_bar_between_moved_supports_weighs_on_them() -> None:
    nodes = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)}
    structure = Structure(nodes, [Bar("ab", ("a", "b"), mass=3.0)], supports=dict.fromkeys(nodes, "xyz"))
    run = simulate(assemble(structure, gravity=9.81, motions=[Motion("*", "z", acceleration=2.0)]), 0.5)
    assert run.ok
    assert worst(run.reaction[:, :, 2], np.full((run.time.size, 2), 1.5 * (9.81 + 2.0))) < 1e-12
    assert balanced(run)
    torn = simulate(assemble(structure, motions=[Motion("a", "x", acceleration=2.0)]), 0.5, method="rk4", step=0.01)
    assert "stopped at t = 0 s: the correction could not bring the bars back to their lengths" in torn.status


def test_euclidean_corrections_and_guides_take_moved_supports() -> None:
    """The top is tied to a support that moves, so that the guide's row reaches a moved coordinate."""
    structure = tower().with_constraints(taut.tied("rail", "bottom1", "top1", "x"))
    sway = Sinusoid(0.01, 2.0, -0.5 * math.pi, 0.01)  # from rest: the metric decides how a start is projected
    plant = assemble(structure, gravity=9.81, motions=[Motion("*", "x", displacement=sway)])
    runs = [
        simulate(plant, 0.3, every=0.1, tolerance=1e-11, method="dp8", correction=Correction("energy", metric=metric))
        for metric in ("mass", "euclidean")
    ]
    assert worst(runs[0].nodes, runs[1].nodes) < 1e-9
    assert all(balanced(run) and run.length_violation.max() < 1e-13 for run in runs)
    bottom, top = (list(structure.nodes).index(node) for node in ("bottom1", "top1"))
    apart = runs[0].nodes[:, top, 0] - runs[0].nodes[:, bottom, 0]
    assert np.ptp(apart) < 1e-13
    assert runs[0].counts["iterations"] < 0.1 * runs[0].counts["steps"], "the equations keep it, not the correction"


def test_rattle_and_ensembles_are_refused() -> None:
    plant = assemble(on_springs(-1.0), motions=[Motion("*", "x", displacement=Sinusoid(0.1, 1.0))])
    said = 'rattle4" is for supports that stand still, but node "base0" is moved; use dp5 or dp8'
    with pytest.raises(OptionError, match=said):
        simulate(plant, 1.0, method="rattle4", step=1e-3)
    with pytest.raises(OptionError, match="an ensemble needs supports that stand still"):
        taut.ensemble(plant, 1.0, velocities=np.zeros((2, 2, 3)))
