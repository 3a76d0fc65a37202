"""Cables over guides at rest: one tension, closed forms, and derivatives against complex steps and differences."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import null_space
from scipy.optimize import brentq

import taut
from taut.numerics.quasidefinite import factored
from taut.statics import (
    LoadCase,
    counts,
    derivatives,
    elastic_sizes,
    formfind,
    least_mass,
    modes,
    self_stress_basis,
    solve_cases,
    stability,
    utilisation,
)
from taut.statics.equilibrium_equations import equations_of
from taut.statics.linearised import linearised
from taut.statics.matrices import equilibrium_matrix, geometric_stiffness, length_curvature
from taut.statics.network import network
from taut.structure.topology import ordered

STEP = 1e-30
SPAN, RISE, WEIGHT = 2.0, 0.3, 100.0


def pulley(**cable) -> taut.Structure:
    """A node that hangs on a cable between two fixed points, one higher than the other."""
    return taut.Structure(
        nodes={"left": (0, 0, 0), "pulley": (0.9, 0.1, -0.8), "right": (SPAN, 0, RISE)},
        cables={"rope": taut.Cable("rope", ("left", "pulley", "right"), **cable)},
        supports={"left": "xyz", "right": "xyz"},
        point_masses={"pulley": 5.0},
    )


def hanging(length: float) -> tuple[np.ndarray, float]:
    """Where a weight hangs on a rope of a length, at equal angles to the vertical, and the tension."""
    sine = SPAN / length
    cosine = math.sqrt(1.0 - sine**2)
    left = (length - RISE / cosine) / 2.0
    return np.array([left * sine, 0.0, -left * cosine]), WEIGHT / (2.0 * cosine)


LENGTH = 2.7
TENSION = hanging(LENGTH)[1]


def length_of_spring(stiffness: float, rest: float) -> float:
    return float(brentq(lambda length: stiffness * (length - rest) - hanging(length)[1], 2.05, 5.0, xtol=1e-15))


@pytest.mark.parametrize(
    ("cable", "length"),
    [
        ({"mode": "length", "command": LENGTH}, LENGTH),
        ({"stiffness": 900.0, "rest_length": 2.3}, length_of_spring(900.0, 2.3)),
        ({"mode": "tension", "command": TENSION}, LENGTH),
        ({"mode": "force_density", "command": TENSION / LENGTH}, LENGTH),
    ],
    ids=["held", "spring", "tension", "force density"],
)
def test_a_weight_on_a_rope_hangs_at_equal_angles(cable: dict, length: float) -> None:
    found = taut.balance(pulley(**cable), loads={"pulley": (0.0, 0.0, -WEIGHT)})
    assert found.ok, found.status
    assert not found.notes
    place, tension = hanging(length)
    assert found.structure.positions[1] == pytest.approx(place, abs=1e-11)
    assert found.cable_tension[0] == pytest.approx(tension, rel=1e-11)
    assert found.length[0] == pytest.approx(length, rel=1e-12)
    assert found.force_density[0] == pytest.approx(tension / length, rel=1e-11)
    for support in (0, 1):
        anchor = found.structure.positions[(0, 2)[support]]
        away = (place - anchor) / np.linalg.norm(place - anchor)
        assert found.reaction[support] == pytest.approx(-tension * away, abs=1e-9)
    again = taut.balance(found.structure, loads={"pulley": (0.0, 0.0, -WEIGHT)})
    assert again.structure.positions == pytest.approx(found.structure.positions, abs=1e-12), "it stands as it is"


def test_a_rope_over_three_guides_has_the_weight_at_its_end_everywhere() -> None:
    """Five nodes: what the guides bear is the tension along both segments that meet there."""
    places = {"end": (0, 0, -1), "a": (0, 0, 0), "b": (1, 0.5, 0.3), "c": (2, -0.4, 0.1), "fast": (2.5, 0.2, -0.9)}
    rope = taut.Cable("rope", tuple(places), stiffness=5000.0)
    made = taut.Structure(
        nodes=places, cables={"rope": rope}, supports=dict.fromkeys(["a", "b", "c", "fast"], "xyz")
    ).supported("end", "xy")
    found = taut.balance(made, loads={"end": (0, 0, -40.0)})
    assert found.cable_tension[0] == pytest.approx(40.0, rel=1e-10)
    at = found.structure.positions
    names = list(found.structure.nodes)
    for support, row in zip(found.supports, found.reaction, strict=True):
        k = names.index(support)
        if support == "end":
            continue
        near = [at[j] - at[k] for j in (k - 1, k + 1) if j < len(at)]
        assert row == pytest.approx(-40.0 * sum(v / np.linalg.norm(v) for v in near), abs=1e-8), support


def rich(slack: bool = False) -> taut.Structure:
    """Every mode, straight and over guides, a loop, a node passed twice, bars of both laws, a slack cable."""
    rng = np.random.default_rng(5)
    nodes = {f"n{k}": tuple(map(float, place)) for k, place in enumerate(rng.normal(size=(8, 3)))}
    cables = [
        taut.Cable("spring", ("n0", "n3", "n1", "n4"), stiffness=300.0, rest_length=1.5),
        taut.Cable("twice", ("n2", "n5", "n3", "n5", "n6"), stiffness=120.0, rest_length=2.0),
        taut.Cable("loop", ("n1", "n4", "n6", "n1"), mode="length", command=None),
        taut.Cable("pulled", ("n7", "n2", "n0"), mode="tension", command=35.0),
        taut.Cable("dense", ("n6", "n7", "n3", "n2"), mode="force_density", command=12.0),
        taut.Cable("straight", ("n0", "n7"), stiffness=250.0, rest_length=0.5),
        taut.Cable("held", ("n4", "n7"), mode="length"),
        taut.Cable("pulled straight", ("n5", "n7"), mode="tension", command=8.0),
        taut.Cable("dense straight", ("n5", "n0"), mode="force_density", command=20.0),
        taut.Cable("pushing", ("n0", "n6", "n2"), stiffness=90.0, rest_length=9.0, law="spring"),
        taut.Cable("slack", ("n3", "n7", "n5"), stiffness=100.0, rest_length=30.0),
    ]
    if slack:
        cables.append(taut.Cable("loose", ("n3", "n6", "n7"), mode="length", command=30.0))
    bars = [
        taut.Bar("rigid", ("n1", "n5"), mass=1.0),
        taut.Bar("soft", ("n2", "n4"), mass=1.0, law="compressible", stiffness=400.0),
    ]
    return taut.Structure(
        nodes=nodes,
        cables={c.name: c for c in cables},
        bars={b.name: b for b in bars},
        supports={"n0": "xz"},
        constraints={c.name: c for c in [taut.on_plane("wall", "n6", (1.0, 2.0, 0.5))]},
    )


def forces_by_hand(structure: taut.Structure, places: np.ndarray, held: dict[str, float]) -> np.ndarray:
    """(3 n,) of cables and of the soft bar, each cable's law written out once more; held: name -> tension."""
    index = {name: k for k, name in enumerate(structure.nodes)}
    found = np.zeros(places.shape, dtype=places.dtype)
    for cable in structure.cables.values():
        ends = [(index[a], index[b]) for a, b in pairwise(cable.route)]
        spans = [places[b] - places[a] for a, b in ends]
        sizes = [np.sqrt((span * span).sum()) for span in spans]
        length = sum(sizes)
        stretch = length - (cable.rest_length or 0.0)
        tension = {
            "spring": 0.0 if cable.law == "cable" and np.real(stretch) < 0 else (cable.stiffness or 0.0) * stretch,
            "tension": cable.command,
            "force_density": (cable.command or 0.0) * length,
            "length": held.get(cable.name, 0.0),
        }[cable.mode]
        for (a, b), span, size in zip(ends, spans, sizes, strict=True):
            found[a] += tension * span / size
            found[b] -= tension * span / size
    a, b = (index[node] for node in structure.bars["soft"].nodes)
    span = places[b] - places[a]
    size = np.sqrt((span * span).sum())
    rest = np.linalg.norm(np.subtract(*[structure.nodes[node] for node in structure.bars["soft"].nodes]))
    found[a] += 400.0 * (size - rest) * span / size
    found[b] -= 400.0 * (size - rest) * span / size
    return found.ravel()


def rich_problem():
    made = rich(slack=True)
    problem = equations_of(network(made))
    rng = np.random.default_rng(3)
    places = problem.network.positions + 0.05 * rng.normal(size=problem.network.positions.shape)
    places = problem.placed(places, problem.setting)
    multipliers = 50.0 * rng.normal(size=problem.rows)
    loose = problem.network.names.index("loose")
    slack = np.zeros(problem.network.members, dtype=bool)
    slack[loose] = True
    multipliers[list(problem.rigid).index(loose)] = 0.0
    return made, problem.with_slack(slack), places, multipliers


def test_the_stiffness_is_the_complex_step_of_the_unbalance() -> None:
    _, problem, places, multipliers = rich_problem()
    setting = problem.setting
    matrix = problem.stiffness(places, multipliers, setting).toarray()
    rows = problem.free_rows(places, setting).toarray()
    for k, at in enumerate(problem.free):
        shifted = places.astype(complex).ravel()
        shifted[at] += 1j * STEP
        there = shifted.reshape(-1, 3)
        column = problem.unbalance(there, multipliers, setting)[problem.free].imag / STEP
        assert np.abs(matrix[:, k] - column).max() <= 1e-12 * np.abs(matrix).max()
        assert np.abs(rows[:, k] - problem.residuals(there, setting).imag / STEP).max() <= 1e-13
    for k in range(problem.rows):
        shifted = multipliers.astype(complex)
        shifted[k] += 1j * STEP
        column = problem.unbalance(places, shifted, setting)[problem.free].imag / STEP
        assert np.abs(rows[k] - column).max() <= 1e-13


def test_forces_and_stiffness_are_those_of_laws_written_out_by_hand() -> None:
    """The unbalance against them, the stiffness against their differences."""
    made, problem, places, multipliers = rich_problem()
    setting, names = problem.setting, problem.network.names
    held = {names[k]: y for k, y in zip(problem.rigid, multipliers, strict=False) if names[k] in made.cables}
    assert set(held) == {"loop", "held", "loose"}
    none = multipliers.copy()
    none[problem.held.size :] = 0.0  # the rigid bar and the wall are not cables
    by_hand = forces_by_hand(made, places, held)
    assert problem.unbalance(places, none, setting) == pytest.approx(-by_hand, abs=1e-11)

    matrix = problem.stiffness(places, none, setting).toarray()
    h = 1e-3
    for k, at in enumerate(problem.free):
        step = np.zeros(places.size)
        step[at] = h
        ways = {
            s: forces_by_hand(made, places + s * step.reshape(-1, 3), held)[problem.free] for s in (-3, -2, -1, 1, 2, 3)
        }
        sixth = 45.0 * (ways[1] - ways[-1]) - 9.0 * (ways[2] - ways[-2]) + (ways[3] - ways[-3])
        assert np.abs(matrix[:, k] + sixth / (60.0 * h)).max() <= 1e-9 * np.abs(matrix).max()


def test_the_energy_is_that_of_the_forces() -> None:
    _, problem, places, multipliers = rich_problem()
    none = np.zeros_like(multipliers)
    way = np.random.default_rng(1).normal(size=places.shape)
    h = 1e-4
    ahead, behind = (problem.energy(places + s * h * way, problem.setting)[0] for s in (1.0, -1.0))
    slope = problem.unbalance(places, none, problem.setting) @ way.ravel()
    assert (ahead - behind) / (2.0 * h) == pytest.approx(slope, rel=1e-7)


def test_the_tangent_over_all_coordinates_is_the_one_over_free_ones() -> None:
    found = taut.balance(pulley(stiffness=900.0, rest_length=2.3), loads={"pulley": (0.0, 0.0, -WEIGHT)})
    view = linearised(found)
    free = view.problem.free
    assert view.everywhere.toarray()[np.ix_(free, free)] == pytest.approx(view.stiffness.toarray(), abs=1e-11)


def test_geometric_stiffness_is_the_second_difference_of_length_times_tension() -> None:
    """And not the force-density matrix, in which a long route would be as stiff as all its segments by themselves."""
    net = network(rich(), elastic=False)
    rng = np.random.default_rng(9)
    tension, way = rng.uniform(1.0, 50.0, net.members), rng.normal(size=net.positions.shape)
    density = tension / net.lengths()
    h = 1e-3

    def second(value) -> float:
        at = [value(net.lengths(net.positions + k * h * way)) for k in (-2, -1, 0, 1, 2)]
        return (-at[0] + 16.0 * at[1] - 30.0 * at[2] + 16.0 * at[3] - at[4]) / (12.0 * h * h)

    flat = way.ravel()
    assert flat @ length_curvature(net, tension) @ flat == pytest.approx(second(lambda size: tension @ size), rel=1e-7)
    whole = geometric_stiffness(net, density, sp.identity(net.positions.size, format="csr"))
    assert flat @ whole @ flat == pytest.approx(second(lambda length: density @ length**2 / 2.0), rel=1e-7)
    as_straight = net.incidence.T @ sp.diags(tension[net.owner] / net.spans()) @ net.incidence
    naive = flat @ sp.kron(as_straight, sp.identity(3)) @ flat
    assert abs(naive - flat @ whole @ flat) > 0.05 * abs(naive)


def test_equilibrium_columns_are_gradients_of_lengths() -> None:
    net = network(rich(), elastic=False)
    columns = equilibrium_matrix(net, sp.identity(net.positions.size, format="csr")).toarray()
    h = 1e-4
    for k in range(net.positions.size):
        step = np.zeros(net.positions.size)
        step[k] = h
        ahead, behind = (net.lengths(net.positions + s * step.reshape(-1, 3)) for s in (1.0, -1.0))
        assert columns[k] == pytest.approx(-(ahead - behind) / (2.0 * h), abs=1e-6)


def four_bar_loop() -> taut.Structure:
    """A square on two crossing struts, held together by one loop: free-standing, with one self-stress."""
    return taut.Structure(
        nodes={"e": (1, 0, 0), "n": (0, 1, 0), "w": (-1, 0, 0), "s": (0, -1, 0)},
        bars={"x": taut.Bar("x", ("e", "w"), mass=1.0), "y": taut.Bar("y", ("n", "s"), mass=1.0)},
        cables={"loop": taut.Cable("loop", ("e", "n", "w", "s", "e"), stiffness=100.0)},
        supports=dict.fromkeys("enws", "z"),
    )


def test_a_loop_about_two_struts_has_one_self_stress_and_is_a_mechanism() -> None:
    """By hand: each strut pushes with sqrt(2) times the tension; struts slide and turn against each other."""
    made = four_bar_loop()
    basis = self_stress_basis(made)
    assert basis.shape == (3, 1)
    assert basis[:, 0] / basis[0, 0] == pytest.approx([1.0, -math.sqrt(2.0), -math.sqrt(2.0)], abs=1e-12)
    told = counts(made)
    assert (told.members, told.free_coordinates, told.rank) == (3, 8, 2)
    assert (told.self_stress_states, told.rigid_motions, told.mechanisms) == (1, 3, 3)


def test_prestress_of_a_loop() -> None:
    found = taut.prestress(four_bar_loop(), {"cable:loop": 50.0})
    assert found.cable_tension == pytest.approx([50.0])
    assert found.bar_force == pytest.approx([-50.0 * math.sqrt(2.0)] * 2)
    assert found.residual < 1e-12
    assert found.structure.cables["loop"].rest_length == pytest.approx(4.0 * math.sqrt(2.0) - 0.5)
    assert taut.balance(found.structure).cable_tension == pytest.approx([50.0], rel=1e-10)


def test_super_stability_is_withheld_where_a_cable_runs_over_guides() -> None:
    """With four straight cables the square is super-stable; with one loop struts slide and the square is not held.

    The geometric stiffness of each mechanism is checked against second differences of the loop's length.
    """
    made = four_bar_loop()
    ring = ("e", "n", "w", "s", "e")
    sides = {f"side{k}": taut.Cable(f"side{k}", pair, stiffness=100.0) for k, pair in enumerate(pairwise(ring))}
    straight = stability(taut.prestress(replace(made, cables=sides), {"cable:*": 50.0}))
    assert straight.verdict == "super-stable"
    assert "Super-stability" not in straight.sentence

    found = taut.prestress(made, {"cable:loop": 50.0})
    told = stability(found)
    assert not told.super_stable
    assert told.verdict != "super-stable"
    assert told.force_density_margin == 0.0
    assert "Super-stability is not claimed: its theorem is on straight members that keep their lengths" in told.sentence
    assert told.mechanisms == 3
    assert told.mode is not None
    # Along the mode the bars bend their lengths only to second order; with the tensions as multipliers
    # sum(tension * length) has the second derivative that is told.
    net = network(found.structure)
    forces = found.member_force
    h = 1e-3
    at = [forces @ net.lengths(net.positions + k * h * told.mode) for k in (-1, 0, 1)]
    assert told.stiffness == pytest.approx((at[0] - 2.0 * at[1] + at[2]) / (h * h), abs=1e-3)


def test_a_bead_on_a_rope_swings_as_on_its_ellipse() -> None:
    """In the plane on a curve of radius a^2 / b at its lowest point, across it as a pendulum of length b."""
    span, length, gravity = 2.0, 2.6, 9.81
    made = taut.Structure(
        nodes={"left": (0, 0, 0), "bead": (1.0, 0, -0.8), "right": (span, 0, 0)},
        cables={"rope": taut.Cable("rope", ("left", "bead", "right"), mode="length", command=length)},
        supports={"left": "xyz", "right": "xyz"},
        point_masses={"bead": 0.7},
    )
    found = taut.balance(made, gravity=gravity)
    major, minor = length / 2.0, math.sqrt(length**2 - span**2) / 2.0
    assert found.structure.positions[1] == pytest.approx([1.0, 0.0, -minor], abs=1e-12)
    swings = modes(found, 3).frequency
    expected = sorted([math.sqrt(gravity * minor) / major, math.sqrt(gravity / minor)])
    assert 2.0 * math.pi * swings == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("of", ["rest_length", "stiffness"])
def test_derivatives_by_a_routed_cable_against_the_closed_form(of: str) -> None:
    found = taut.balance(pulley(stiffness=900.0, rest_length=2.3), loads={"pulley": (0.0, 0.0, -WEIGHT)})
    told = derivatives(found, of, "cable:rope")
    h = 1e-3 if of == "rest_length" else 1.0

    def at(step: float) -> np.ndarray:
        stiffness, rest = (900.0, 2.3 + step) if of == "rest_length" else (900.0 + step, 2.3)
        place, tension = hanging(length_of_spring(stiffness, rest))
        return np.append(place, tension)

    seen = (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h)
    assert told.nodes[0, 1] == pytest.approx(seen[:3], rel=1e-7, abs=1e-9)
    assert told.member_force[0, 0] == pytest.approx(seen[3], rel=1e-7)


STEEL = taut.Material("steel", density=7850.0, youngs_modulus=2e11, yield_stress=3e8)


def test_sizes_and_utilisation_of_a_routed_cable() -> None:
    """Determinate: the rope needs tension / strength, and a rope of that radius is used up."""
    made = pulley(material=STEEL, radius=0.001)
    case = {"load": LoadCase(loads={"pulley": (0.0, 0.0, -WEIGHT)})}
    sized = elastic_sizes(made, case)
    assert sized.ok, sized.status
    force = sized.member_force[0, 0]
    assert sized.area[0] == pytest.approx(max(force / 3e8, math.pi * 1e-8), rel=1e-6)
    table = solve_cases(sized.structure, case)
    used = utilisation(next(iter(table.equilibria.values())))
    assert used.share[0] == pytest.approx(force / (3e8 * sized.area[0]), rel=1e-6)
    place, tension = hanging(LENGTH)
    there = made.placed(np.array([[0, 0, 0], place, [SPAN, 0, RISE]]))
    light = least_mass(there, case)
    assert light.ok
    assert light.member_force[0, 0] == pytest.approx(tension, rel=1e-9)
    assert light.mass == pytest.approx(7850.0 * LENGTH * tension / 3e8, rel=1e-9)


def test_relaxation_finds_the_form_that_balance_finds() -> None:
    made = pulley(stiffness=900.0, rest_length=2.3)
    found = formfind(made, "relaxation", loads={"pulley": (0.0, 0.0, -WEIGHT)})
    assert found.ok, found.status
    assert found.structure.positions[1] == pytest.approx(hanging(length_of_spring(900.0, 2.3))[0], abs=1e-8)


@pytest.mark.parametrize(
    ("method", "options"), [("adaptive", {}), ("force_density", {"force_densities": {"cable:*": 1.0}}), ("lengths", {})]
)
def test_form_finding_by_force_densities_refuses_guides_by_name(method: str, options: dict) -> None:
    with pytest.raises(taut.ModelError, match=f'rope.*runs over guides, and method "{method}".*relaxation'):
        formfind(pulley(stiffness=900.0), method, **options)


def test_relaxation_refuses_commands_by_name() -> None:
    with pytest.raises(taut.ModelError, match='rope.*mode.*is "tension".*balance'):
        formfind(pulley(mode="tension", command=5.0), "relaxation")


def test_ordered_puts_all_nodes_of_a_route_next_to_each_other() -> None:
    """A chain that hangs together only by the nodes in the middle of routes."""
    rng = np.random.default_rng(0)
    names = [f"n{k}" for k in rng.permutation(30)]
    nodes = {name: (float(k), 0.0, 0.0) for k, name in enumerate(sorted(names))}
    cables = {f"c{k}": taut.Cable(f"c{k}", tuple(names[k : k + 3]), stiffness=1.0) for k in range(0, 28, 2)}
    place = {name: k for k, name in enumerate(ordered(taut.Structure(nodes=nodes, cables=cables)).nodes)}
    assert max(abs(place[a] - place[b]) for c in cables.values() for a, b in pairwise(c.route)) == 1


def test_rows_that_all_but_depend_on_one_another_are_solved() -> None:
    """Refinements alone leave most of what is wanted along such a row."""
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(5, 12))
    rows[4] = rows[:4].sum(axis=0) + 1e-2 * rng.normal(size=12)
    matrix = sp.csc_matrix(np.diag(rng.uniform(1.0, 5.0, 12)))
    top, bottom = rng.normal(size=12), rng.normal(size=5)
    x, y = factored(matrix, sp.csr_matrix(rows)).solve(top, bottom)
    assert rows @ x == pytest.approx(bottom, abs=1e-8)
    assert matrix @ x + rows.T @ y == pytest.approx(top, abs=1e-5 * np.abs(y).max())
    kernel = null_space(rows)
    assert kernel.T @ (matrix @ x - top) == pytest.approx(np.zeros(7), abs=1e-8)


def test_derivatives_by_a_support_that_a_routed_cable_ends_at() -> None:
    """Against balances with the support settled to either side."""
    made, load = pulley(stiffness=900.0, rest_length=2.3), {"pulley": (0.0, 0.0, -WEIGHT)}
    told = derivatives(taut.balance(made, loads=load), "position", "node:right")
    h = 1e-3
    for k, axis in enumerate(np.eye(3)):
        assert told.parameters[k] == f"right.{'xyz'[k]}"
        cases = {
            str(s): LoadCase(loads=load, settlements={"right": tuple((s * h * axis).tolist())}) for s in (-2, -1, 1, 2)
        }
        table = solve_cases(made, cases, tolerance=1e-14)
        for part, seen in (("nodes", table.nodes), ("member_force", table.member_force), ("reaction", table.reaction)):
            slope = (8.0 * (seen[2] - seen[1]) - (seen[3] - seen[0])) / (12.0 * h)
            assert getattr(told, part)[k] == pytest.approx(slope, rel=1e-7, abs=1e-6), part
