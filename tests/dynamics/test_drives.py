"""Drives: rest lengths, bars and compressible bars whose lengths signals decide, against equations written apart from
the kernels, closed forms, and the balance of energy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import taut
from taut import (
    Bar,
    Cable,
    CosineRamp,
    Damping,
    Doublet,
    Drive,
    Feedback,
    LinearConstraint,
    Material,
    Motion,
    Plant,
    SampledSignal,
    SignalSum,
    Sinusoid,
    SmoothStart,
    Structure,
    assemble,
    ensemble,
    simulate,
)
from taut.mechanics.spec import Spec

G = 9.81


# --- a telescoping strut


BOB, ROD, REACH, HERTZ = 2.0, 1.0, 0.2, 0.7


def pendulum(**options: Any) -> Any:
    """A rod of mass hangs from a support with a bob at its end, in a plane, and telescopes."""
    structure = Structure(
        {"o": (0.0, 0.0, 0.0), "a": (0.6, 0.0, -0.8)},
        bars=[Bar("b", ("o", "a"), mass=ROD)],
        supports={"o": "xyz", "a": "y"},
        point_masses={"a": BOB},
    )
    drive = Drive("strut", "bar:b", "length", by=Sinusoid(REACH, HERTZ))
    return assemble(structure, gravity=G, drives=[drive], **options)


def strut_length(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    w = 2.0 * np.pi * HERTZ
    return 1.0 + REACH * np.sin(w * t), REACH * w * np.cos(w * t)


def swung(times: np.ndarray) -> np.ndarray:
    """(T, 3): (s^2 (M + m / 3) angle')' = -(M + m / 2) g s sin(angle), the mass m even along the rod."""

    def rate(t: float, x: np.ndarray) -> list[float]:
        s, speed = strut_length(np.asarray(t))
        pull = (BOB + ROD / 2.0) / (BOB + ROD / 3.0) * G / s * np.sin(x[0])
        return [x[1], float(-2.0 * speed / s * x[1] - pull)]

    begin = [np.arctan2(0.6, 0.8), 0.0]
    found = solve_ivp(rate, (0.0, times[-1]), begin, method="DOP853", rtol=1e-13, atol=1e-13, t_eval=times)
    s, _ = strut_length(times)
    return np.stack([s * np.sin(found.y[0]), 0.0 * s, -s * np.cos(found.y[0])], axis=1)


@cache
def pendulum_run(method: str, **options: float) -> taut.Trajectory:
    return simulate(pendulum(), 2.0, every=0.1, method=method, **options)


@pytest.mark.parametrize(
    ("method", "options", "apart", "energy"),
    [
        ("dp8", {"tolerance": 1e-12}, 1e-10, 1e-10),
        ("rk4", {"step": 1e-3}, 1e-9, 1e-9),
        pytest.param("rattle2", {"step": 1e-3}, 1e-5, 1e-4, marks=pytest.mark.slow),
        pytest.param("rattle6", {"step": 5e-3}, 1e-8, 1e-7, marks=pytest.mark.slow),
        pytest.param("rattle8", {"step": 5e-3}, 1e-10, 1e-9, marks=pytest.mark.slow),
        pytest.param("implicit4", {"tolerance": 1e-11}, 1e-8, 1e-7, marks=pytest.mark.slow),
    ],
)
def test_a_driven_strut_is_the_pendulum_of_variable_length(
    method: str, options: dict[str, float], apart: float, energy: float
) -> None:
    """The bob within 1e-10 m of an independent integration (dp8), and every other method as near as its order allows;
    its force times its speed is the work."""
    run = pendulum_run(method, **options)
    assert run.ok, run.status
    assert np.abs(run.node("a") - swung(run.time)).max() <= apart
    assert np.abs(run.energy_violation).max() <= energy
    assert np.allclose(run.drive_value[:, 0], strut_length(run.time)[0], rtol=0, atol=1e-15)
    assert np.allclose(run.drive_power[:, 0], -run.bar_force[:, 0] * strut_length(run.time)[1], rtol=0, atol=1e-12)
    assert run.length_violation.max() <= 1e-9


def test_the_force_in_a_driven_strut_is_that_of_the_equations() -> None:
    """Along the rod: tension = (M + m / 3) (s angle'^2 - s'') + (M + m / 2) g cos(angle), from differences of nothing
    but the run's own state."""
    run = pendulum_run("dp8", tolerance=1e-12)
    (s, _), place, speed = strut_length(run.time), run.node("a"), run.velocities[:, 1]
    turning = (place[:, 0] * speed[:, 2] - place[:, 2] * speed[:, 0]) / s**2
    pulled = -REACH * (2.0 * np.pi * HERTZ) ** 2 * np.sin(2.0 * np.pi * HERTZ * run.time)
    wanted = (BOB + ROD / 3.0) * (s * turning**2 - pulled) - (BOB + ROD / 2.0) * G * place[:, 2] / s
    assert np.abs(run.drive_force[:, 0] - wanted).max() <= 1e-9


# --- winching a weight


WEIGHT, FIRM, REST = 3.0, 900.0, 1.0


def hung(drives: list[Drive], damping: float = 0.0, **options: Any) -> Any:
    structure = Structure(
        {"top": (0.0, 0.0, 0.0), "a": (0.0, 0.0, -REST - WEIGHT * G / FIRM)},
        cables=[Cable("c", ("top", "a"), rest_length=REST, stiffness=FIRM, damping=damping)],
        supports={"top": "xyz"},
        point_masses={"a": WEIGHT},
    )
    return assemble(structure, gravity=G, drives=drives, **options)


def test_winching_a_weight_is_a_mass_on_a_spring_whose_rest_length_is_ramped() -> None:
    """Wound in at a constant speed u from 0.2 s on, the weight rises by u t - u / w sin(w t), w = sqrt(k / m); and the
    power is the tension times u."""
    speed, begin, end = 0.05, 0.2, 1.7
    straight = SampledSignal((begin, end), (0.0, -speed * (end - begin)), (-speed, -speed))
    run = simulate(hung([Drive("winch", "cable:c", "rest_length", by=straight)]), 1.6, every=0.05, tolerance=1e-12)
    assert run.ok, run.status
    w, since = np.sqrt(FIRM / WEIGHT), np.maximum(run.time - begin, 0.0)
    rise = speed * since - speed / w * np.sin(w * since)
    assert np.abs(run.node("a")[:, 2] - run.node("a")[0, 2] - rise).max() <= 1e-11
    wound = run.time > begin + 1e-9
    assert np.allclose(run.drive_power[wound, 0], speed * run.tension("c")[wound], rtol=1e-12)
    assert np.abs(run.energy_violation).max() <= 1e-11
    fine = simulate(
        hung([Drive("winch", "cable:c", "rest_length", by=straight)]), 1.6, every=0.002, tolerance=1e-9, verify=False
    )
    # The power jumps to 1.5 W at a sample, and trapezoids take half of that for a step of 2 ms.
    assert np.abs(fine.drive_work[:, 0] - fine.work).max() <= 0.5 * 0.002 * 1.5 * 1.01


@pytest.mark.slow
def test_a_rest_length_that_jumps_does_its_work_at_once() -> None:
    """A doublet on the rest length: the elastic energy jumps by k/2 ((s - a)^2 - s^2) and that is work; cables slacken
    and tighten at the jump, which is told."""
    step = Doublet(0.06, 0.31, start=0.2)
    run = simulate(hung([Drive("winch", "cable:c", "rest_length", by=step)]), 1.2, every=0.01, tolerance=1e-11)
    assert run.ok, run.status
    assert np.abs(run.energy_violation).max() <= 1e-10
    assert run.work[-1] > 1.0
    told = [event for event in run.events if abs(event.time - 0.2) < 1e-9]
    assert [event.change for event in told] == ["slack"]
    fine = simulate(
        hung([Drive("winch", "cable:c", "rest_length", by=step)]), 1.2, every=0.01, tolerance=1e-13, locate=False
    )
    assert np.abs(run.nodes - fine.nodes).max() <= 1e-8


# --- a driven cable that slackens


@pytest.mark.slow
def test_a_driven_cable_that_slackens_located_and_tightly_integrated() -> None:
    """Let out faster than the weight falls, so that the cable goes slack and catches it: located runs and steps of
    1e-14 that go over the instants are the same to 1e-9 m."""
    drive = Drive("winch", "cable:c", "rest_length", by=SmoothStart(Sinusoid(0.06, 2.3), 0.1, 0.3))
    plant = hung([drive])
    run = simulate(plant, 1.5, every=0.05, method="dp8", tolerance=1e-12)
    tight = simulate(plant, 1.5, every=0.05, method="dp8", tolerance=1e-14, locate=False, verify=False)
    assert run.ok, run.status
    assert len(run.events) >= 4
    assert np.abs(run.nodes - tight.nodes).max() <= 1e-9
    assert np.abs(run.energy_violation).max() <= 1e-10


# --- everything together


STEEL = Material("steel", density=0.0001, youngs_modulus=2e5)


def all_at_once(*, damped: bool, moved: bool, jumps: bool) -> Any:
    """A telescoping strut hangs from a support; a weight hangs from it by a winched cable, whose stiffness is given,
    and is tied to a second one by a cable of a material and by a compressible bar to the wall: all four driven."""
    structure = Structure(
        {
            "o": (0.0, 0.0, 0.0),
            "a": (0.6, 0.0, -0.8),
            "b": (0.7, 0.1, -1.9),
            "c": (1.5, -0.1, -1.7),
            "w": (2.4, 0.0, -1),
        },
        bars=[
            Bar("strut", ("o", "a"), mass=0.5),
            Bar("soft", ("w", "c"), mass=0.3, law="compressible", stiffness=700.0, damping=0.4 * damped),
        ],
        cables=[
            Cable("hoist", ("a", "b"), rest_length=1.05, stiffness=500.0, damping=0.5 * damped),
            Cable("tie", ("b", "c"), rest_length=0.8, material=STEEL, radius=0.02),
        ],
        supports={"o": "xyz", "w": "xyz"},
        point_masses={"a": 0.5, "b": 1.5, "c": 0.8},
    )
    table = SampledSignal((0.0, 0.3, 0.7, 1.0), (0.0, 0.05, -0.08, 0.02))
    winding = SignalSum((Sinusoid(0.05, 1.7), Doublet(0.03, 0.23, start=0.15))) if jumps else Sinusoid(0.05, 1.7)
    drives = [
        Drive("telescope", "bar:strut", "length", by=SmoothStart(Sinusoid(0.1, 1.1), 0.05, 0.3)),
        Drive("hoist", "cable:hoist", "rest_length", by=winding, drum_radius=0.05),
        Drive("tie", "cable:tie", "rest_length", to=CosineRamp(0.8, 0.6, 0.1, 0.8)),
        Drive("soft", "bar:soft", "rest_length", by=table),
    ]
    motions = [Motion("w", "z", displacement=Sinusoid(0.05, 0.9))] if moved else []
    return assemble(
        structure, gravity=G, drives=drives, motions=motions, damping=Damping(node=0.05 * damped), velocities={}
    )


@cache
def together(damped: bool, moved: bool, jumps: bool) -> Any:
    return all_at_once(damped=damped, moved=moved, jumps=jumps)


@cache
def reference(damped: bool, moved: bool, jumps: bool) -> taut.Trajectory:
    """Without correction, which would make up for work that is wrong."""
    options: dict[str, Any] = {"method": "dp8", "tolerance": 1e-13, "correction": "none"}
    return simulate(together(damped, moved, jumps), 1.0, every=0.05, **options)


@pytest.mark.slow
def test_energy_balances_with_all_drives_and_events() -> None:
    """To 1e-9 J, with cables that slacken, jumps, dampers and moved supports."""
    run = reference(True, True, True)
    assert run.ok, run.status
    assert {event.subject for event in run.events} == {"hoist", "tie"}
    assert np.abs(run.energy_violation).max() <= 1e-9
    assert np.abs(run.work).max() > 1.0
    power = run.drive_power.sum(axis=1)
    assert np.abs(power).max() > 1.0


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["none", "constraints", "energy"])
def test_energy_balances_with_every_correction(correction: str) -> None:
    run = simulate(
        together(True, True, True), 1.0, every=0.05, method="dp8", tolerance=1e-12, correction=correction, verify=False
    )
    assert np.abs(run.energy_violation).max() <= 1e-9
    assert np.abs(run.nodes - reference(True, True, True).nodes).max() <= 1e-8


@pytest.mark.slow
def test_corrections_bring_driven_runs_back() -> None:
    """With loose steps: energy less work is off by 1e-6 J and more without a correction and within 1e-9 J with it, and
    the telescoping strut is as long as it is told."""
    options: dict[str, Any] = {"every": 0.05, "method": "dp5", "tolerance": 1e-5, "verify": False}
    loose, kept, held = (
        simulate(together(True, True, True), 1.0, correction=kind, **options)
        for kind in ("none", "energy", "constraints")
    )
    assert np.abs(loose.energy_violation).max() > 1e-6
    assert np.abs(kept.energy_violation).max() <= 1e-9
    assert loose.length_violation.max() > 1e-9
    assert max(kept.length_violation.max(), held.length_violation.max()) <= 1e-13


@pytest.mark.slow  # the quick one is in test_all_drives.py
@pytest.mark.parametrize(
    ("method", "options", "apart", "energy"),
    [
        ("dp5", {"tolerance": 1e-12}, 1e-8, 1e-9),
        ("rk4", {"step": 2e-4}, 1e-8, 1e-9),
        ("rattle4", {"step": 5e-4}, 1e-6, 1e-5),
        ("rattle8", {"step": 1e-3}, 1e-9, 1e-9),
        ("implicit4", {"tolerance": 1e-11}, 1e-6, 1e-5),
    ],
)
def test_every_method_follows_drives(method: str, options: dict[str, float], apart: float, energy: float) -> None:
    """Without damping and moved supports, so that RATTLE goes too; jumps and slack cables are there."""
    run = simulate(together(False, False, True), 1.0, every=0.05, method=method, verify=False, **options)
    wanted = reference(False, False, True)
    assert run.finished, run.status
    assert np.abs(run.nodes - wanted.nodes).max() <= apart
    assert np.abs(run.energy_violation).max() <= energy


# --- what is as before


def test_plants_without_drives_have_the_spec_they_had() -> None:
    """Their kernels are found by the Spec, so they are the same."""
    structure = Structure(
        {"o": (0.0, 0.0, 0.0), "a": (0.6, 0.0, -0.8)}, bars=[Bar("b", ("o", "a"), mass=1.0)], supports={"o": "xyz"}
    )
    plant = assemble(structure, gravity=G)
    assert plant.spec == Spec(held=True)
    assert "drives" not in plant.tables
    assert "driven_bars" not in plant.tables
    assert assemble(structure, drives=[Drive("d", "bar:b", "length", by=0.0)]).spec == Spec(
        rows=("bars", "driven_bars"), imposed=("drives",), held=True
    )


MEETING = (Bar("one", ("a", "b"), mass=1.0), Bar("two", ("c", "d"), mass=0.8), Bar("joins", ("b", "c"), mass=0.5))
"""Without the last no bar meets another."""


def telescoping(bars: tuple[Bar, ...], stroke: float, more: tuple[LinearConstraint, ...] = ()) -> Plant:
    """Two bars on cables, of which the first is driven."""
    places = {"a": (0.0, 0.0, 1.0), "b": (0.9, 0.1, 1.1), "c": (1.0, 0.8, 1.6), "d": (0.1, 0.9, 1.5)}
    anchors = {"p": (-1.0, 0.0, 0.0), "q": (2.0, 0.0, 0.0), "r": (0.5, 2.0, 3.0), "s": (0.5, -1.0, 3.0)}
    ends = ("pa", "qb", "rc", "sd", "ac", "bd", "sa", "rd", "qc")
    cables = [Cable(end, (end[0], end[1]), stiffness=150.0, rest_length=0.7, damping=1.0) for end in ends]
    structure = Structure(
        {**places, **anchors, "m": (5.0, 0.0, 0.0)},
        bars,
        cables,
        supports=dict.fromkeys(anchors, "xyz"),
        point_masses={"m": 1.0},
        constraints=more,
    )
    return assemble(structure, gravity=G, drives=[Drive("screw", "bar:one", "length", by=Sinusoid(stroke, 2.0))])


@pytest.mark.slow
def test_driven_bars_in_closed_form_move_as_by_the_factor() -> None:
    """A mass that falls aside, kept from going along x, where nothing pulls it, makes it one for the sparse system."""
    idle = LinearConstraint("idle", (("m", "x", 1.0),))
    explicit, factored = telescoping(MEETING[:2], 0.1), telescoping(MEETING[:2], 0.1, (idle,))
    assert (explicit.spec.system, factored.spec.system) == ("pairs", "saddle")
    one, other = (simulate(plant, 0.5, every=0.05, tolerance=1e-12, verify=False) for plant in (explicit, factored))
    assert np.abs(one.nodes - other.nodes).max() <= 1e-10
    assert np.abs(one.bar_force - other.bar_force).max() <= 1e-7
    assert np.abs(one.drive_power - other.drive_power).max() <= 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("bars", [MEETING[:2], MEETING], ids=["apart", "meeting"])
def test_driven_bars_go_in_lanes(bars: tuple[Bar, ...]) -> None:
    plants = [telescoping(bars, stroke) for stroke in (0.02, 0.05, 0.1)]
    together = ensemble(plants, 0.3, every=0.05, method="rk4", step=1e-3, correction="none")
    for k, plant in enumerate(plants):
        alone = simulate(plant, 0.3, every=0.05, method="rk4", step=1e-3, correction="none", locate=False, verify=False)
        assert np.array_equal(together.nodes[k], alone.nodes)


@pytest.mark.slow
def test_a_bar_driven_to_its_own_length_moves_as_one_that_is_not() -> None:
    structure = Structure(
        {"o": (0.0, 0.0, 0.0), "a": (0.6, 0.0, -0.8), "b": (0.9, 0.3, -1.4)},
        bars=[Bar("one", ("o", "a"), mass=1.0), Bar("two", ("a", "b"), mass=0.7)],
        supports={"o": "xyz"},
    )
    plain = simulate(assemble(structure, gravity=G), 1.0, every=0.1, tolerance=1e-12)
    still = [Drive("d", "bar:two", "length", by=0.0)]
    driven = simulate(assemble(structure, gravity=G, drives=still), 1.0, every=0.1, tolerance=1e-12)
    assert np.abs(plain.nodes - driven.nodes).max() <= 1e-10
    assert np.abs(plain.bar_force - driven.bar_force).max() <= 1e-8


# --- Python functions


@pytest.mark.slow
def test_a_rest_length_that_is_a_python_function() -> None:
    """The same motion as by the signal it computes, and the same work."""
    wave = Sinusoid(0.05, 1.5)
    by_function = Drive("winch", "cable:c", "rest_length", by=lambda t: 0.05 * np.sin(2.0 * np.pi * 1.5 * t))
    known = simulate(hung([Drive("winch", "cable:c", "rest_length", by=wave)], 2.0), 0.6, every=0.1, tolerance=1e-9)
    run = simulate(hung([by_function], 2.0), 0.6, every=0.1, tolerance=1e-9, verify=False)
    assert np.abs(run.nodes - known.nodes).max() <= 1e-8
    assert np.allclose(run.drive_rate, known.drive_rate, rtol=0, atol=1e-11)
    assert np.abs(run.energy_violation).max() <= 1e-8


@pytest.mark.slow
def test_a_rest_length_that_answers_to_the_motion() -> None:
    """r = r0 - g (z - z0) - h z', against the equation of the weight written out; the work of the winch closes the
    balance, with a damper in the cable too."""
    ratio, delay = 0.2, 0.01
    begin = -REST - WEIGHT * G / FIRM

    def law(t: float, nodes: np.ndarray, velocities: np.ndarray) -> float:
        return float(-ratio * (nodes[1, 2] - begin) - delay * velocities[1, 2])

    def rate(t: float, x: np.ndarray) -> list[float]:
        low = -x[0]
        rest = REST + law(t, np.array([[0, 0, 0], [0, 0, x[0]]]), np.array([[0, 0, 0], [0, 0, x[1]]]))
        return [x[1], FIRM / WEIGHT * (low - rest) - G]

    drive = Drive("winch", "cable:c", "rest_length", by=Feedback(law))
    for damping in (0.0, 3.0):
        plant = hung([drive], damping, velocities={"a": (0.0, 0.0, 0.2)})
        run = simulate(plant, 0.5, every=0.05, tolerance=1e-10, verify=False)
        assert np.abs(run.energy_violation).max() <= 1e-8
        if damping == 0.0:
            found = solve_ivp(rate, (0.0, 0.5), [begin, 0.2], rtol=1e-12, atol=1e-12, t_eval=run.time)
            assert np.abs(run.node("a")[:, 2] - found.y[0]).max() <= 1e-8


@pytest.mark.slow
def test_a_bar_that_cannot_move_beside_a_driven_one() -> None:
    plant = telescoping((*MEETING[:2], Bar("idle", ("p", "q"), mass=1.0)), 0.1)
    assert plant.spec.system == "pairs"
    run = simulate(plant, 0.05, every=0.01, tolerance=1e-12, verify=False)
    assert np.abs(run.bar_force[:, 2]).max() == 0.0
    assert run.nodes == pytest.approx(
        simulate(telescoping(MEETING[:2], 0.1), 0.05, every=0.01, tolerance=1e-12, verify=False).nodes, abs=1e-12
    )
