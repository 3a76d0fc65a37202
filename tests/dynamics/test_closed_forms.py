"""Motions that have a formula: a spinning bar, springs, guides, tied nodes, cables that go slack, cables that hang."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

from taut import Bar, Cable, Damping, Load, Material, Structure, Trajectory, assemble, on_line, on_plane, simulate, tied
from taut.structure.properties import total_mass

GRAVITY = 9.81


def one_mass(mass: float, supports: str = "", **parts) -> Structure:
    """A point mass m at the origin and a wall w one metre up."""
    held = {"w": "xyz", **({"m": supports} if supports else {})}
    return Structure({"m": (0, 0, 0), "w": (0, 0, 1.0)}, supports=held, point_masses={"m": mass}, **parts)


# --- bars and springs


@pytest.mark.parametrize("inertia", ["thin", "cylinder", "lumped"])
def test_a_free_bar_spins_evenly_while_its_middle_goes_straight(inertia: str) -> None:
    random = np.random.default_rng(3)
    direction = random.normal(size=3)
    direction /= np.linalg.norm(direction)
    across = np.cross(direction, random.normal(size=3))
    across /= np.linalg.norm(across)
    length, spin, drift, middle = 1.4, 5.0, np.array([0.3, -0.2, 0.7]), np.array([1.0, 2.0, 3.0])
    ends = [middle - length / 2 * direction, middle + length / 2 * direction]
    speeds = [drift - spin * length / 2 * across, drift + spin * length / 2 * across]
    structure = Structure(
        {"a": tuple(ends[0]), "b": tuple(ends[1])}, [Bar("bar", ("a", "b"), mass=2.5, radius=0.1, inertia=inertia)]
    )
    plant = assemble(structure, gravity=GRAVITY, velocities={"a": tuple(speeds[0]), "b": tuple(speeds[1])})
    run = simulate(plant, 3.0, every=0.05, tolerance=1e-11)
    t = run.time[:, None]
    centre = middle + drift * t - 0.5 * GRAVITY * t**2 * np.array([0.0, 0.0, 1.0])
    arm = length / 2 * (np.cos(spin * t) * direction + np.sin(spin * t) * across)
    assert np.abs(run.node("a") - (centre - arm)).max() <= 1e-9
    assert np.abs(run.node("b") - (centre + arm)).max() <= 1e-9
    # At x from the middle the force is m spin^2 (l^2 / 4 - x^2) / (2 l), thick or not: m spin^2 l / 12 on average.
    share = {"thin": 1 / 12, "cylinder": 1 / 12, "lumped": 1 / 4}[inertia]
    np.testing.assert_allclose(run.bar_force[:, 0], 2.5 * share * spin**2 * length, rtol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("poisson", [0.0, 0.3])
def test_the_force_in_a_thick_bar_is_that_of_a_very_stiff_compressible_one(poisson: float) -> None:
    # The rigid bar: 2 kg, 1 m, r 0.2 m at 3 rad/s has 1.5 N. A compressible one shows E A times its strain, from which
    # the pull across it takes nu m r^2 spin^2 / (4 l). Stretched by that much it spins on without a tremor.
    mass, length, radius, spin, modulus = 2.0, 1.0, 0.2, 3.0, 1e9
    across = mass * radius**2 * spin**2 / (4.0 * length)
    stretch = (1.5 - poisson * across) * length / (modulus * math.pi * radius**2)
    stiff = Material("stiff", youngs_modulus=modulus, poisson_ratio=poisson)
    speeds = {"a": (0.0, -spin * length / 2, 0.0), "b": (0.0, spin * length / 2, 0.0)}
    forces = {}
    for law, natural in (("rigid", length), ("compressible", length - stretch)):
        made = {"mass": mass, "length": natural, "radius": radius, "inertia": "cylinder"}
        strut = Bar("bar", ("a", "b"), material=stiff, law=law, **made)
        turning = Structure({"a": (-length / 2, 0.0, 0.0), "b": (length / 2, 0.0, 0.0)}, [strut])
        run = simulate(assemble(turning, velocities=speeds), 0.02, every=1e-4, method="dp8", tolerance=1e-11)
        forces[law] = run.bar_force[:, 0]
    np.testing.assert_allclose(forces["rigid"], 1.5, rtol=1e-9)
    np.testing.assert_allclose(forces["compressible"], forces["rigid"] - poisson * across, rtol=1e-5)


@pytest.mark.parametrize("damping", [0.0, 6.0])
def test_a_mass_on_a_spring_swings_as_a_cosine_that_decays(damping: float) -> None:
    mass, stiffness, rest = 2.0, 50.0, 0.8
    spring = Cable("spring", ("w", "m"), stiffness=stiffness, rest_length=rest, damping=damping, law="spring")
    structure = one_mass(mass, "xy", cables=[spring])
    run = simulate(assemble(structure, gravity=GRAVITY), 4.0, every=0.05, tolerance=1e-11)
    balance = 1.0 - rest - mass * GRAVITY / stiffness
    decay = damping / (2.0 * mass)
    turn = math.sqrt(stiffness / mass - decay**2)
    t = run.time
    swing = -balance * np.exp(-decay * t) * (np.cos(turn * t) + decay / turn * np.sin(turn * t))
    assert np.abs(run.node("m")[:, 2] - balance - swing).max() <= 1e-9
    pull = stiffness * (1.0 - rest - run.node("m")[:, 2]) - damping * run.velocities[:, 0, 2]
    assert np.abs(run.tension("spring") - pull).max() <= 1e-9
    wall = run.reaction[:, run.supports.index("w"), 2]
    assert np.abs(wall - pull).max() <= 1e-9, "the wall holds the spring"


def test_mass_damping_slows_every_mass_alike_and_node_damping_by_its_weight() -> None:
    structure = Structure({"light": (0, 0, 0), "heavy": (1, 0, 0)}, point_masses={"light": 1.0, "heavy": 4.0})
    start = {"light": (1.0, 0, 0), "heavy": (1.0, 0, 0)}
    for damping, rates in ((Damping(mass=0.7), (0.7, 0.7)), (Damping(node=0.6), (0.6, 0.15))):
        run = simulate(assemble(structure, damping=damping, velocities=start), 2.0, tolerance=1e-11)
        for node, decay in zip((0, 1), rates, strict=True):
            assert np.abs(run.velocities[:, node, 0] - np.exp(-decay * run.time)).max() <= 1e-9


# --- guides


@pytest.mark.slow
@pytest.mark.parametrize("slope", [0.2, 0.9])
def test_a_node_on_an_inclined_plane_slides_with_g_sin(slope: float) -> None:
    normal = (-math.sin(slope), 0.0, math.cos(slope))
    structure = one_mass(3.0, constraints=[on_plane("incline", "m", normal)])
    run = simulate(assemble(structure, gravity=GRAVITY, velocities={"m": (0, 0.5, 0)}), 1.0, tolerance=1e-11)
    fallen = -0.5 * GRAVITY * math.sin(slope) * run.time**2
    expected = np.column_stack([fallen * math.cos(slope), 0.5 * run.time, fallen * math.sin(slope)])
    assert np.abs(run.node("m") - expected).max() <= 1e-10
    assert np.abs(np.abs(run.constraint_force[:, 0]) - 3.0 * GRAVITY * math.cos(slope)).max() <= 1e-9


def test_a_bead_on_a_line_feels_only_what_points_along_it() -> None:
    along = np.array([1.0, 2.0, -2.0]) / 3.0
    structure = one_mass(2.0, constraints=on_line("wire", "m", tuple(along)))
    push = np.array([4.0, 0.0, 1.0])
    loads = [Load("m", axis, force) for axis, force in zip("xyz", push, strict=True)]
    run = simulate(assemble(structure, gravity=GRAVITY, loads=loads), 1.0, tolerance=1e-11)
    acceleration = (push / 2.0 - np.array([0.0, 0.0, GRAVITY])) @ along
    assert np.abs(run.node("m") - 0.5 * acceleration * run.time[:, None] ** 2 * along).max() <= 1e-10
    assert run.length_violation.max() <= 1e-14


def swinging(tied_apart: bool) -> Trajectory:
    """A bar on a pivot with a spring to a wall at its end; the end is one node, or two tied at a distance."""
    nodes = {"pivot": (0, 0, 0), "end": (1.0, 0, 0), "wall": (2.0, 0.5, 1.0)}
    offset = (0.0, 0.0, 0.0)
    spring_at, masses, ties = "end", {"end": 2.0}, ()
    if tied_apart:
        offset = (0.3, -0.2, 0.1)
        nodes |= {"twin": tuple(np.add(nodes["end"], offset)), "wall": tuple(np.add(nodes["wall"], offset))}
        spring_at, masses, ties = "twin", {"end": 0.5, "twin": 1.5}, tied("glue", "end", "twin")
    structure = Structure(
        nodes,
        [Bar("bar", ("pivot", "end"), mass=1.0)],
        [Cable("spring", (spring_at, "wall"), stiffness=40.0, rest_length=0.5, law="spring")],
        supports={"pivot": "xyz", "wall": "xyz"},
        point_masses=masses,
        constraints=ties,
    )
    return simulate(assemble(structure, gravity=GRAVITY), 2.0, tolerance=1e-11)


def test_two_tied_nodes_move_as_one_of_both_masses() -> None:
    one, two = swinging(False), swinging(True)
    assert np.abs(one.node("end") - two.node("end")).max() <= 1e-9
    assert np.abs(two.node("twin") - two.node("end") - [0.3, -0.2, 0.1]).max() <= 1e-13


def test_a_support_stops_what_a_start_velocity_asks_for() -> None:
    structure = one_mass(2.0, "xz")
    run = simulate(assemble(structure, velocities={"m": (1.0, 2.0, 3.0), "w": (4.0, 5.0, 6.0)}), 1.0)
    assert np.abs(run.node("m") - np.outer(run.time, [0.0, 2.0, 0.0])).max() <= 1e-14
    assert np.array_equal(run.node("w"), np.broadcast_to([0.0, 0.0, 1.0], run.node("w").shape))
    assert run.energy_kinetic == pytest.approx(4.0, rel=1e-14)
    assert any("velocities did not fit" in note for note in run.notes)


# --- cables


def test_a_ball_between_two_slack_cables_flies_and_turns() -> None:
    # Along x: free flight between -gap and gap, half a cosine beyond, then back again.
    mass, stiffness, gap, speed = 1.5, 60.0, 0.3, 2.0
    structure = Structure(
        {"ball": (0, 0, 0), "left": (-1, 0, 0), "right": (1, 0, 0)},
        cables=[
            Cable(f"to {side}", ("ball", side), stiffness=stiffness, rest_length=1.0 + gap)
            for side in ("left", "right")
        ],
        supports={"ball": "yz", "left": "xyz", "right": "xyz"},
        point_masses={"ball": mass},
    )
    run = simulate(assemble(structure, velocities={"ball": (speed, 0, 0)}), 3.0, every=0.01, tolerance=1e-12)
    frequency = math.sqrt(stiffness / mass)
    flight, turn = 2.0 * gap / speed, math.pi / frequency
    phase = run.time + flight / 2.0  # since it last left a cable, at -gap
    half, inside = np.divmod(phase, flight + turn)
    flying = -gap + speed * np.minimum(inside, flight)
    turning = speed / frequency * np.sin(frequency * np.maximum(inside - flight, 0.0))
    expected = np.where(half % 2 == 0, 1.0, -1.0) * (flying + turning)
    assert np.abs(run.node("ball")[:, 0] - expected).max() <= 1e-9
    slack = np.abs(expected) < gap - 1e-6
    assert not run.cable_tension[slack].any()
    assert run.cable_tension.min() >= 0.0
    assert run.cable_tension[~slack].max() > 1.0


def hanging(segments: int, sag_stiffness: float = 5e4) -> tuple[Structure, Trajectory]:
    """A cable of 2 kg and 2.4 m between walls 2 m apart, come to rest from a straight line by drag."""
    cable = Cable(
        "rope", ("a", "b"), stiffness=sag_stiffness, rest_length=2.4, mass=2.0, segments=segments, damping=2.0
    )
    structure = Structure({"a": (0, 0, 0), "b": (2.0, 0, 0)}, cables=[cable], supports={"a": "xyz", "b": "xyz"})
    plant = assemble(structure, gravity=GRAVITY, damping=Damping(mass=4.0))
    return plant.structure, simulate(plant, 8.0, every=0.1, tolerance=1e-8, correction="constraints")


def test_a_cable_in_segments_weighs_what_it_weighed_and_hangs_with_the_least_energy() -> None:
    structure, run = hanging(4)
    assert total_mass(structure) == pytest.approx(2.0, rel=1e-14)
    assert list(structure.nodes) == ["a", "b", "rope~1", "rope~2", "rope~3"]
    assert run.ok
    assert np.abs(run.velocities[-1]).max() < 1e-6
    assert run.reaction[-1].sum(axis=0) == pytest.approx([0.0, 0.0, 2.0 * GRAVITY], abs=1e-5)

    def energy(inner: np.ndarray) -> float:
        points = np.vstack([[0.0, 0.0], inner.reshape(3, 2), [2.0, 0.0]])
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
        # Half a piece's mass at either of its ends, four pieces in a row are four times as stiff each.
        return float(0.5 * 4 * 5e4 * np.sum((lengths - 0.6) ** 2) + 0.5 * GRAVITY * points[1:4, 1].sum())

    found = run.nodes[-1, 2:, ::2].ravel()
    best = minimize(energy, found, method="BFGS", options={"gtol": 1e-7})
    assert np.abs(found - best.x).max() <= 1e-5
    assert energy(found) <= best.fun + 1e-9
    assert run.energy_elastic[-1] + run.energy_gravity[-1] == pytest.approx(energy(found), abs=1e-9)


def test_more_segments_come_closer_to_the_catenary() -> None:
    # Inextensible: 2 c sinh(1 / c) = 2.4, where c is the horizontal tension over the weight of a metre.
    c = brentq(lambda c: 2.0 * c * math.sinh(1.0 / c) - 2.4, 0.3, 5.0)
    sag = c * (math.cosh(1.0 / c) - 1.0)
    errors = [abs(-hanging(n)[1].nodes[-1, :, 2].min() - sag) for n in (4, 8)]
    assert errors[1] < 0.35 * errors[0] < 0.35 * 0.1 * sag


def test_half_the_mass_of_a_cable_goes_to_either_end() -> None:
    steel = Material("steel", density=7850.0, youngs_modulus=1e6)
    cable = Cable("heavy", ("w", "m"), material=steel, radius=0.02, rest_length=1.0)
    structure = one_mass(1.0, cables=[cable])
    mass = 7850.0 * math.pi * 0.02**2
    run = simulate(assemble(structure, gravity=GRAVITY), 1e-3, every=1e-3)
    assert run.reaction[0, 0, 2] == pytest.approx(mass / 2.0 * GRAVITY, rel=1e-12), "half the cable hangs on the wall"
    assert run.velocities[1, 0, 2] == pytest.approx(-GRAVITY * 1e-3, rel=1e-3), "the rest falls with the mass"
    assert run.energy_kinetic[1] == pytest.approx(0.5 * (1.0 + mass / 2.0) * run.velocities[1, 0, 2] ** 2, rel=1e-12)


def test_a_damped_cable_lets_go_but_never_pushes() -> None:
    """Closing at 20 m/s, its damper alone would push with 400 N against the 50 N it pulls with."""
    structure = Structure(
        {"wall": (0.0, 0.0, 0.0), "ball": (1.0, 0.0, 0.0)},
        cables={"rope": Cable("rope", ("wall", "ball"), rest_length=0.5, stiffness=100.0, damping=20.0)},
        supports={"wall": "xyz"},
        point_masses={"ball": 1.0},
    )
    run = simulate(assemble(structure, velocities={"ball": (-20.0, 0.0, 0.0)}), 0.02, every=0.001, tolerance=1e-10)
    assert run.cable_tension.min() == 0.0
    # Nothing pulls and nothing pushes: it flies on.
    np.testing.assert_allclose(run.node("ball")[:, 0], 1.0 - 20.0 * run.time, rtol=0, atol=1e-9)
    assert np.abs(run.energy_violation).max() < 1e-9
