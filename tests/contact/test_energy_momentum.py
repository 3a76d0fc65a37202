"""Method "energy-momentum": what steps of 5 and 10 ms conserve, never make, and say of themselves. Quick tests are of
one Spec, that of structures without bars that meet, above a ground or on it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from on_ground import GRAVITY, followed, frame, inclined, point, robot, rod, slope
from scipy.spatial.transform import Rotation
from test_friction import DEGREES, DOWN, FLAT, NORMAL, falling, gained
from test_impacts import INSTANT, struck

import taut
from taut import (
    Bar,
    Cable,
    Drive,
    Ground,
    Load,
    OptionError,
    Sinusoid,
    Structure,
    Trajectory,
    Watch,
    assemble,
    simulate,
)
from taut.structure.files import parse_model

BY = {"method": "energy-momentum"}
FLOOR = Ground("floor", friction=0.6)
STEPS = (5e-3, 1e-2)


def energy(run: Trajectory) -> np.ndarray:
    return run.energy_kinetic + run.energy_elastic + run.energy_gravity


def thrown(seed: int, lift: float, *, stiffness: float = 600.0, damping: float = 0.0) -> tuple[Structure, dict]:
    """The robot turned at random, every node with another velocity."""
    draw = np.random.default_rng(seed)
    turned = Rotation.from_rotvec(draw.normal(size=3)).as_matrix()
    made = robot(lift, stiffness=stiffness, damping=damping, turned=turned)
    return made, {node: tuple(map(float, draw.normal(size=3))) for node in made.nodes}


def evenly(made: Structure) -> Structure:
    """The same with the mass of bars spread along them."""
    bars = [Bar(bar.name, bar.nodes, mass=0.5) for bar in made.bars.values()]
    return Structure(made.nodes, bars, made.cables.values())


def momenta(run: Trajectory, *, even: bool) -> tuple[np.ndarray, np.ndarray]:
    """Linear and angular momentum of bars of 0.5 kg, by hand."""
    index = {name: k for k, name in enumerate(run.structure.nodes)}
    linear, angular = np.zeros((2, run.time.size, 3))
    own, shared = (1.0 / 3.0, 1.0 / 6.0) if even else (0.5, 0.0)
    for bar in run.structure.bars.values():
        i, j = (index[node] for node in bar.nodes)
        for a, b, share in ((i, i, own), (j, j, own), (i, j, shared), (j, i, shared)):
            pushed = 0.5 * share * run.velocities[:, b]
            linear += pushed
            angular += np.cross(run.nodes[:, a], pushed)
    return linear, angular


# --- in flight


@pytest.mark.slow
@pytest.mark.parametrize("even", [False, True], ids=["lumped", "even"])
@pytest.mark.parametrize("stiffness", [600.0, 6e4])
def test_flight_keeps_energy_and_momentum_to_round_off(stiffness: float, even: bool) -> None:
    """Four hundred steps of 10 ms; the stiffer cables swing six times within one."""
    made, speeds = thrown(1, 3.0, stiffness=stiffness)
    run = followed(evenly(made) if even else made, FLOOR, 4.0, 1e-2, gravity=0.0, velocities=speeds, every=1e-2, **BY)
    linear, angular = momenta(run, even=even)
    assert np.abs(linear - linear[0]).max() < 1e-13
    assert np.abs(angular - angular[0]).max() < 1e-12
    assert np.abs(energy(run) / energy(run)[0] - 1.0).max() < 1e-12
    assert np.abs(run.energy_violation).max() < 1e-11
    assert run.length_violation.max() < 1e-14
    assert not run.contact_force.any()


@pytest.mark.slow
def test_flight_is_of_second_order() -> None:
    """Against dp8 at 1e-12; velocities meet the constraints to that order too, and do not drift off."""
    made, speeds = thrown(2, 50.0)
    speeds = {node: tuple(0.3 * x for x in speed) for node, speed in speeds.items()}
    wanted = simulate(assemble(made, gravity=GRAVITY, velocities=speeds), 0.5, method="dp8", tolerance=1e-12).nodes[-1]
    off, parting = [], []
    for step in (2.5e-3, 1.25e-3, 6.25e-4):
        run = followed(made, FLOOR, 0.5, step, velocities=speeds, every=step, **BY)
        off.append(np.abs(run.nodes[-1] - wanted).max())
        ends = np.array([[list(made.nodes).index(node) for node in bar.nodes] for bar in made.bars.values()]).T
        along, apart = (x[:, ends[1]] - x[:, ends[0]] for x in (run.nodes, run.velocities))
        rates = np.abs((along * apart).sum(axis=2)).max(axis=1) / 0.6
        parting.append(rates.max())
        assert rates[-20:].max() < 2.0 * rates[:200].max()
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.3)
    assert off[1] / off[2] == pytest.approx(4.0, rel=0.1)
    assert parting[0] / parting[2] > 10.0
    assert parting[2] < 1e-4


# --- drops


def _drops(count: int, stiffness: float, damping: float, step: float, ground: Ground, **options: Any) -> None:
    for seed in range(count):
        made, speeds = thrown(seed, 0.1, stiffness=stiffness, damping=damping)
        run = followed(made, ground, 0.6, step, velocities=speeds, every=step, **BY, **options)
        assert run.finished
        found, rises = energy(run), np.diff(energy(run))
        assert found.max() <= found[0] * (1.0 + 1e-12)
        assert rises.max() <= (0.0 if damping else 1e-12 * found[0])
        assert np.abs(run.energy_violation).max() < 1e-11
        assert run.work[-1] < -0.1
        assert run.nodes[..., 2].min() > -1e-15
        assert run.length_violation.max() < 1e-13
        assert not [note for note in run.notes if "converge" in note]


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(("stiffness", "damping"), [(600.0, 0.0), (6e4, 0.0), (600.0, 20.0), (6e4, 20.0)])
def test_drops_make_no_energy_in_any_step(stiffness: float, damping: float, step: float) -> None:
    """Of robots turned at random, with cables of one and of a hundred times the stiffness: from step to step energy
    rises by round-off at most, and with dampers never; the work of friction, impacts and dampers is all it falls by."""
    _drops(4, stiffness, damping, step, FLOOR)


@pytest.mark.slow
@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(("stiffness", "damping"), [(600.0, 0.0), (6e4, 0.0), (600.0, 20.0), (6e4, 20.0)])
def test_sixty_drops_make_no_energy(stiffness: float, damping: float, step: float, restitution: float) -> None:
    """A thousand over all of these."""
    _drops(63, stiffness, damping, step, Ground("floor", friction=0.6, restitution=restitution))


@pytest.mark.slow
def test_momentum_changes_by_the_impulses_of_the_ground() -> None:
    step = 1e-2
    run = followed(robot(0.1, turned=np.eye(3)), FLOOR, 0.5, step, every=step, **BY)
    momentum = 0.25 * run.velocities.sum(axis=1)
    pushed = np.cumsum(run.contact_force[1:].sum(axis=1) * step, axis=0)
    pushed[:, 2] -= 3.0 * GRAVITY * run.time[1:]
    assert run.contact_force.any()
    assert np.abs(momentum[1:] - momentum[0] - pushed).max() < 1e-12


@pytest.mark.slow
def test_impacts_converge() -> None:
    """A robot that strikes with three nodes at once while it drifts; to a motion that is near that of impulses, which
    have their friction in two parts, by how far from the ground the step of the impact began."""
    speeds = dict.fromkeys(robot(0.0).nodes, (0.3, 0.1, 0.0))
    by_impulses = followed(robot(0.02), FLOOR, 0.15, 1e-4, velocities=speeds).nodes[-1]
    coarse, fine, finest = (
        followed(robot(0.02), FLOOR, 0.15, h, velocities=speeds, **BY).nodes[-1] for h in (2e-3, 1.25e-4, 1e-5)
    )
    assert np.abs(fine - finest).max() < 0.3 * np.abs(coarse - finest).max()
    assert np.abs(fine - finest).max() < 1e-5
    assert np.abs(finest - by_impulses).max() < 3e-4


# --- friction and impacts, as by impulses


@pytest.mark.slow
def test_at_rest_the_ground_bears_the_weight() -> None:
    run = followed(robot(0.05, damping=20.0), FLOOR, 15.0, 1e-2, every=0.1, **BY)
    assert run.ok
    assert np.abs(run.velocities[-1]).max() < 1e-12
    assert run.contact_force[-1].sum(axis=0) == pytest.approx([0.0, 0.0, 3.0 * GRAVITY], abs=1e-9)
    assert np.count_nonzero(run.contact_force[-1, :, 2]) == 3
    assert run.nodes[:, :, 2].min() > -1e-15
    assert np.abs(run.nodes[-1] - run.nodes[-20]).max() < 1e-14
    assert (np.diff(energy(run)) <= 1e-14 * energy(run)[0]).all()


@pytest.mark.slow
@pytest.mark.parametrize("structure", [point(), FLAT], ids=["point", "bar"])
def test_it_sticks_or_slides_as_friction_says(structure: Structure) -> None:
    """A tenth of a degree on either side, five seconds in steps of 10 ms."""
    held = followed(structure, inclined(DEGREES, np.tan(np.radians(10.1))), 5.0, 1e-2, **BY)
    assert np.abs(held.nodes - held.nodes[0]).max() < 1e-15
    force = held.contact_force[1:].sum(axis=1)
    assert force @ DOWN / (force @ NORMAL) == pytest.approx(-np.tan(np.radians(DEGREES)), rel=1e-11)
    assert (held.contact_state[1:] == 1.0).all()
    friction = np.tan(np.radians(9.9))
    slid = followed(structure, inclined(DEGREES, friction), 5.0, 1e-2, **BY)
    assert (slid.nodes[-1] - slid.nodes[0]) @ DOWN == pytest.approx(12.5 * gained(friction), abs=1e-12)
    assert (slid.contact_state[1:] == 2.0).all()


@pytest.mark.slow
def test_a_robot_stands_still_on_a_slope() -> None:
    """10 degrees, settled for 15 s, then 5 s."""
    made, (down, normal) = robot(0.0, damping=20.0), slope(10.0)
    turned = np.array([down, np.cross(normal, down), normal]).T
    places = {name: turned @ np.array(place) for name, place in made.nodes.items()}
    low = min(place @ normal for place in places.values())
    nodes = {name: tuple(map(float, place - low * normal)) for name, place in places.items()}
    standing = Structure(nodes, made.bars.values(), made.cables.values())
    run = followed(standing, inclined(10.0, 0.6), 20.0, 1e-2, every=0.5, **BY)
    rest = run.nodes[run.time >= 15.0]
    assert np.abs(rest - rest[0]).max() < 1e-14
    force = run.contact_force[-1].sum(axis=0)
    assert -force @ down / (force @ normal) == pytest.approx(np.tan(np.radians(10.0)), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("friction", [0.0, 0.2])
def test_a_bar_falls_with_its_end_sliding(friction: float) -> None:
    """Against minimal coordinates, of second order."""
    wanted = falling(friction, 1.2, 0.25)
    off = [
        np.abs(followed(rod(1.2), Ground("floor", friction=friction), 0.25, step, **BY).nodes[-1] - wanted).max()
        for step in (1e-2, 5e-3, 2.5e-3)
    ]
    assert off[0] < 2e-4
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.05)
    assert off[1] / off[2] == pytest.approx(4.0, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(("angle", "across", "friction"), [(0.8, 0.5, 2.0), (0.8, 3.0, 0.3), (1.1, 0.2, 0.1)])
def test_a_bar_dropped_at_an_angle(angle: float, across: float, friction: float) -> None:
    wanted, change = struck(angle, across, friction)
    speeds, ground = dict.fromkeys("ab", (across, 0.0, -1.0)), Ground("floor", friction=friction)
    run = followed(rod(angle), ground, INSTANT, INSTANT, gravity=0.0, velocities=speeds, every=INSTANT, **BY)
    assert run.contact_force[-1, 0, [2, 0]] * INSTANT == pytest.approx(wanted, abs=1e-10)
    assert [event.change for event in run.events] == [change]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_restitution_and_friction_together_make_no_energy(seed: int) -> None:
    draw = np.random.default_rng(seed)
    angle, friction = draw.uniform(0.2, 1.4), draw.uniform(0.1, 1.5)
    speeds = {"a": (*draw.normal(size=2), -abs(draw.normal())), "b": tuple(draw.normal(size=3))}
    ground = Ground("floor", friction=friction, restitution=1.0)
    run = followed(rod(angle), ground, INSTANT, INSTANT, gravity=0.0, velocities=speeds, every=INSTANT, **BY)
    before, after = run.energy_kinetic[[0, -1]]
    assert after <= before * (1.0 + 1e-10)
    assert after - before == pytest.approx(run.work[-1], abs=1e-9 * before)


@pytest.mark.slow
def test_a_bouncing_ball_rises_to_the_right_height() -> None:
    run = followed(point((0, 0, 1)), Ground("floor", restitution=0.8), 0.9, 1e-3, every=1e-3, **BY)
    assert run.nodes[run.time > 0.5, 0, 2].max() == pytest.approx(0.64, abs=5e-3)


# --- other plants


def tripod(lift: float) -> Structure:
    """Six bars that meet, askew."""
    corners = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.1), "c": (0.3, 0.9, 0.2), "d": (0.4, 0.3, 0.9)}
    nodes = {name: (x, y, z + lift) for name, (x, y, z) in corners.items()}
    return Structure(nodes, [Bar(a + b, (a, b), mass=1.0) for k, a in enumerate("abcd") for b in "abcd"[k + 1 :]])


@pytest.mark.slow
@pytest.mark.parametrize(("friction", "restitution"), [(0.0, 0.0), (0.5, 0.0), (0.5, 0.3)])
def test_bars_that_meet_fall_and_come_to_rest(friction: float, restitution: float) -> None:
    speeds = dict.fromkeys("abcd", (0.5, 0.2, 0.0))
    ground = Ground("floor", friction=friction, restitution=restitution)
    run = followed(tripod(0.3), ground, 3.0, 5e-3, velocities=speeds, every=5e-3, **BY)
    assert run.finished
    assert np.diff(energy(run)).max() < 1e-12
    assert np.abs(run.energy_violation).max() < 1e-9
    assert (
        run.nodes[..., 2].min() > -1e-10
    )  # a search among contacts that jam may stop after a thousand sweeps, and says so
    assert run.length_violation.max() < 1e-13
    if friction:
        assert run.contact_force[-1].sum(axis=0) == pytest.approx([0.0, 0.0, 6.0 * GRAVITY], abs=1e-9)
        assert np.abs(run.velocities[-1]).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(("degrees", "friction", "moves"), [(15.0, 0.6, False), (15.0, 0.2, True)])
def test_a_braced_frame_slips_as_statics_says(degrees: float, friction: float, moves: bool) -> None:
    run = followed(frame(degrees, 0.4, 1.0), inclined(degrees, friction), 0.5, 1e-2, **BY)
    angle, moved = np.radians(degrees), (run.nodes[-1] - run.nodes[0]) @ slope(degrees)[0]
    wanted = 0.125 * GRAVITY * (np.sin(angle) - friction * np.cos(angle)) if moves else 0.0
    assert moved == pytest.approx(wanted, abs=1e-9 if moves else 1e-13)


DRIVEN = (
    Drive("winch", "cable:c1", "rest_length", by=Sinusoid(0.02, 3.0)),
    Drive("other", "cable:c2", "rest_length", by=Sinusoid(0.02, 2.0)),
)


@pytest.mark.slow
@pytest.mark.parametrize("damping", [0.0, 5.0])
def test_the_work_of_drives_is_exact(damping: float) -> None:
    """Winches that wind on a robot on the floor, with and without dampers, which feel them too; and the work is that of
    small steps by impulses, whose book closes by itself."""
    made = robot(0.0, damping=damping)
    names = list(made.cables)[:2]
    drives = [replace(drive, member=f"cable:{name}") for drive, name in zip(DRIVEN, names, strict=True)]
    run = followed(made, FLOOR, 1.0, 1e-2, drives=drives, **BY)
    assert run.finished
    assert np.abs(run.energy_violation).max() < 1e-11
    assert np.ptp(run.energy_elastic) > 0.1
    fine = followed(made, FLOOR, 0.2, 1e-4, drives=drives)
    near = followed(made, FLOOR, 0.2, 1e-3, drives=drives, **BY)
    assert near.work[-1] == pytest.approx(fine.work[-1], abs=0.02 * np.abs(fine.work).max())


@pytest.mark.slow
def test_telescoping_bars_and_loads_do_their_work() -> None:
    made = robot(0.0, damping=2.0)
    bar = next(iter(made.bars))
    drives = [Drive("strut", f"bar:{bar}", "length", by=Sinusoid(0.02, 2.0))]
    loads = [Load("n1", "x", Sinusoid(3.0, 1.5))]
    run = followed(made, FLOOR, 1.0, 1e-2, drives=drives, loads=loads, **BY)
    assert run.finished
    assert np.abs(run.energy_violation).max() < 1e-11
    assert np.abs(run.work).max() > 0.01
    assert np.ptp(np.linalg.norm(run.nodes[:, 1] - run.nodes[:, 0], axis=1)) > 0.0
    assert run.length_violation.max() < 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["routed", "compressible"])
def test_other_members_conserve_energy_too(mode: str) -> None:
    """A cable over a guide that goes slack and taut, and compressible bars; of second order against dp8."""
    nodes = {"top": (0.0, 0.0, 0.0), "a": (-0.5, 0.0, -0.9), "b": (0.5, 0.1, -0.95), "c": (0.1, 0.4, -1.5)}
    law: dict[str, Any] = {"law": "compressible", "stiffness": 2e4} if mode == "compressible" else {}
    bars = [Bar("ab", ("a", "b"), mass=2.0, **law), Bar("bc", ("b", "c"), mass=1.0, **law)]
    cables = [Cable("over", ("a", "top", "b"), rest_length=1.95, stiffness=4e3), Cable("low", ("a", "c"), 300.0, 1.0)]
    made = Structure(nodes, bars, cables, supports={"top": "xyz"})
    plant = assemble(made, gravity=GRAVITY, velocities={"c": (0.0, 1.0, 2.0)})
    run = simulate(plant, 5.0, every=1e-2, step=1e-2, verify=False, **BY)
    assert run.finished
    assert run.cable_tension[:, 0].min() == 0.0 < run.cable_tension[:, 0].max()
    assert np.abs(run.energy_violation).max() < 1e-10
    assert run.work[-1] == pytest.approx(0.0, abs=1e-12)
    wanted = simulate(plant, 0.3, method="dp8", tolerance=1e-12).nodes[-1]
    off = [np.abs(simulate(plant, 0.3, step=h, verify=False, **BY).nodes[-1] - wanted).max() for h in (1e-3, 5e-4)]
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.4)


# --- what it says of itself


@pytest.mark.slow
def test_a_step_that_is_too_long_ends_the_run_with_a_status() -> None:
    """Half a second, in which cables swing ten times; and a note says why."""
    made, speeds = thrown(4, 0.1)
    run = followed(made, FLOOR, 2.0, 0.5, velocities=speeds, **BY)
    assert run.status.startswith("stopped at t = 0 s: the next state is not finite; a step of 0.5 s is too long here")
    assert "Newton's method did not converge in 1 steps of up to 60 iterations" in run.notes[-1]


@pytest.mark.slow
def test_newton_counts_its_iterations() -> None:
    made, speeds = thrown(3, 0.1)
    run = followed(made, FLOOR, 0.5, 5e-3, velocities=speeds, **BY)
    assert 4 < run.counts["evaluations"] / run.counts["steps"] < 16


@pytest.mark.slow
def test_a_run_is_judged() -> None:
    made, speeds = thrown(4, 0.1)
    run = simulate(assemble(made, gravity=GRAVITY, velocities=speeds, ground=[FLOOR]), 0.1, step=2e-4, **BY)
    assert run.ok
    assert "by a run with step" in run.accuracy


@pytest.mark.slow
def test_it_goes_on_and_steps_to_the_same_bits(tmp_path: Path) -> None:
    plant = assemble(robot(0.05), gravity=GRAVITY, ground=[FLOOR])
    whole = simulate(plant, 0.4, every=0.01, step=5e-3, verify=False, **BY)
    taut.save(simulate(plant, 0.2, every=0.01, step=5e-3, verify=False, **BY), tmp_path / "half.nc")
    gone_on = simulate(plant, 0.4, start=taut.read(tmp_path / "half.nc"), step=5e-3, verify=False, **BY)
    assert np.array_equal(gone_on.nodes, whole.nodes)
    assert np.array_equal(gone_on.contact_force, whole.contact_force)
    stepped = taut.start(plant, step=5e-3, **BY)
    for k in range(20):
        stepped.step(0.01)
        assert np.array_equal(stepped.nodes, whole.nodes[k + 1])


def test_a_model_file_asks_for_it() -> None:
    text = """
        taut: 1
        nodes: {a: [0, 0, 0.3], b: [0.8, 0, 0.6]}
        bars: {ab: {nodes: [a, b], mass: 2}}
        scenario: {gravity: 9.81, duration: 0.1, ground: {floor: {friction: 0.4}}, method: energy-momentum, step: 0.01}
    """
    model = parse_model(text.replace("\n        ", "\n"))
    assert (model.scenario.method, model.scenario.step) == ("energy-momentum", 0.01)


def test_what_is_refused() -> None:
    made = robot(0.1)
    with pytest.raises(OptionError, match=r'method "energy-momentum" needs a step \[s\]$'):
        simulate(assemble(made, ground=[FLOOR]), 1.0, **BY)
    with pytest.raises(OptionError, match=r"conserves energy itself; leave the correction out"):
        simulate(assemble(made, ground=[FLOOR]), 1.0, step=1e-2, correction="energy", **BY)
    watched = assemble(made, ground=[FLOOR], events=[Watch.at_time("later", 0.5)])
    with pytest.raises(OptionError, match=r'"energy-momentum" notes what contacts do at the end of its steps'):
        simulate(watched, 1.0, step=1e-2, **BY)
    rubbed = Structure(
        {"a": (0, 0, 0), "b": (1, 0, 0), "c": (2, 0, 1)},
        cables=[Cable("rope", ("a", "b", "c"), stiffness=100.0, rest_length=2.0, friction=0.2)],
        supports={"b": "xyz"},
        point_masses={"a": 1.0, "c": 1.0},
    )
    with pytest.raises(OptionError, match=r'cable "rope" has friction at its guides, whose work over a step'):
        simulate(assemble(rubbed), 1.0, step=1e-2, **BY)
