"""Cables over guides and commanded cables: one tension, exact slopes, closed forms, the same motion by every method."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from routes_by_numpy import route_forces

from taut import (
    Bar,
    Cable,
    ModelError,
    Motion,
    OptionError,
    Structure,
    Trajectory,
    Watch,
    assemble,
    ensemble,
    linearise,
    simulate,
)
from taut.statics.equilibrium_equations import equations_of
from taut.statics.network import network
from taut.structure.properties import lumped_mass, route_length

PLACES = {
    "a": (0.0, 0.0, 0.0),
    "p": (0.7, 0.3, -0.8),
    "r": (1.0, 0.4, 0.5),
    "q": (1.4, -0.2, -0.9),
    "b": (2.0, 0.1, 0.0),
}
MASSES = {"p": 1.0, "q": 2.0, "r": 1.5}


def five_nodes(**over: object) -> Structure:
    cable = Cable("w", ("a", "p", "r", "q", "b"), **{"stiffness": 200.0, "rest_length": 3.0, **over})
    return Structure(PLACES, cables=[cable], supports={"a": "xyz", "b": "xyz"}, point_masses=MASSES)


def many_kinds() -> Structure:
    """A route, a loop, a route that passes a node twice, commanded tension and force density, a straight cable."""
    cables = [
        Cable("w", ("a", "p", "r", "q", "b"), stiffness=200.0, rest_length=3.0),
        Cable("loop", ("p", "q", "r", "p"), stiffness=150.0, rest_length=2.0),
        Cable("twice", ("a", "p", "q", "p", "b"), stiffness=90.0, rest_length=2.5),
        Cable("pull", ("p", "q", "b"), mode="tension", command=3.0),
        Cable("draw", ("q", "r"), mode="force_density", command=5.0),
        Cable("straight", ("a", "q"), stiffness=50.0, rest_length=1.4),
    ]
    return Structure(PLACES, cables=cables, supports={"a": "xyz", "b": "xyz"}, point_masses=MASSES)


def total(run: Trajectory) -> np.ndarray:
    return np.asarray(run.energy_kinetic + run.energy_elastic + run.energy_gravity)


def test_one_tension_all_along() -> None:
    """What the cable does to each of its five nodes is its one tension along both stretches that meet there."""
    plant = assemble(five_nodes())
    out, y = np.zeros(15), np.append(plant.positions.ravel(), np.zeros(16))
    plant.operations()["forces"](plant.pack, 0.0, y, out)
    places = plant.positions
    spans = np.diff(places, axis=0)
    units = spans / np.linalg.norm(spans, axis=1)[:, None]
    tension = 200.0 * (np.linalg.norm(spans, axis=1).sum() - 3.0)
    wanted = np.zeros((5, 3))
    wanted[:-1] += tension * units
    wanted[1:] -= tension * units
    assert np.abs(out.reshape(5, 3) - wanted).max() < 1e-12 * tension
    run = simulate(plant, 0.01, verify=False)
    assert run.cable_tension[0, 0] == pytest.approx(tension, rel=1e-13)


def test_forces_are_those_of_a_complex_step_on_the_energy() -> None:
    """Of springs: minus the gradient of an energy written down again in numpy, at random places, to 1e-12."""
    structure = many_kinds()
    plant, random = assemble(structure), np.random.default_rng(3)
    for _ in range(5):
        q = plant.positions.ravel() + 0.2 * random.normal(size=15)
        out = np.zeros(15)
        plant.operations()["forces"](plant.pack, 0.0, np.append(q, np.zeros(16)), out)
        wanted = route_forces(structure, q)
        assert np.abs(out - wanted).max() <= 1e-12 * np.abs(wanted).max()


def test_stiffness_of_linear_models_is_that_of_a_complex_step() -> None:
    """K of the linear model against the complex-step derivative of numpy's forces, to 1e-12, and of eighth-order
    differences of the compiled ones, to 1e-9."""
    structure = many_kinds()
    plant = assemble(structure)
    q = plant.positions.ravel()
    found = plant.linearised(q, np.zeros(15), 0.0, "rest_length")
    exact = np.array([route_forces(structure, q + 1e-30j * way).imag / 1e-30 for way in np.eye(15)]).T
    free = found.moving
    wanted = -exact[np.ix_(free, free)]
    assert np.abs(found.stiffness - wanted).max() <= 1e-12 * np.abs(wanted).max()

    def force(x: np.ndarray) -> np.ndarray:
        out = np.zeros(15)
        plant.operations()["forces"](plant.pack, 0.0, np.append(x, np.zeros(16)), out)
        return out

    weights, h = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0), 1e-3
    by_differences = np.array(
        [
            sum(w * (force(q + k * h * way) - force(q - k * h * way)) for k, w in enumerate(weights, 1)) / h
            for way in np.eye(15)
        ]
    ).T
    assert np.abs(found.stiffness + by_differences[np.ix_(free, free)]).max() <= 1e-9 * np.abs(wanted).max()


def test_statics_and_linear_models_have_one_stiffness() -> None:
    """Of the same structure at the same shape, to round-off; statics and mechanics write it down apart."""
    structure = many_kinds()
    plant, problem = assemble(structure), equations_of(network(structure))
    q = plant.positions.ravel()
    by_mechanics = plant.linearised(q, np.zeros(15), 0.0, "rest_length").stiffness
    by_statics = problem.stiffness(plant.positions, np.zeros(0), problem.setting).toarray()
    assert np.abs(by_mechanics - by_statics).max() <= 1e-12 * np.abs(by_statics).max()


def test_dampers_turn_with_the_route() -> None:
    """K and C of a moving, damped route against differences of the compiled forces."""
    plant = assemble(five_nodes(damping=7.0))
    q, v = plant.positions.ravel(), np.zeros(15)
    v[3:12] = np.random.default_rng(4).normal(size=9)
    found = plant.linearised(q, v, 0.0, "rest_length")
    free = found.moving

    def force(x: np.ndarray, speed: np.ndarray) -> np.ndarray:
        out = np.zeros(15)
        plant.operations()["forces"](plant.pack, 0.0, np.concatenate([x, speed, [0.0]]), out)
        return out[free]

    h, weights = 1e-3, (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
    for matrix, moved in ((found.stiffness, lambda d: (q + d, v)), (found.damping, lambda d: (q, v + d))):
        slopes = [
            sum(w * (force(*moved(k * h * way)) - force(*moved(-k * h * way))) for k, w in enumerate(weights, 1)) / h
            for way in np.eye(15)[free]
        ]
        assert np.abs(matrix + np.array(slopes).T).max() <= 1e-9 * np.abs(matrix).max()


@pytest.mark.parametrize(
    "method", ["dp5", "rk4", *(pytest.param(m, marks=pytest.mark.slow) for m in ("implicit4", "rattle4"))]
)
def test_every_method_moves_it_alike(method: str) -> None:
    """Against dp8 at 1e-12, over cables that slacken; energy less work closes to 1e-9 J where steps are tight."""
    plant = assemble(many_kinds(), gravity=9.81)
    wanted = simulate(plant, 0.3, every=0.05, method="dp8", tolerance=1e-12, verify=False)
    assert any(event.change == "slack" for event in wanted.events)
    assert np.ptp(total(wanted) - wanted.work) < 1e-9
    options = {"dp5": {"tolerance": 1e-10}, "implicit4": {"tolerance": 1e-9}}.get(method, {"step": 1e-4})
    run = simulate(plant, 0.3, every=0.05, method=method, verify=False, **options)
    assert run.finished
    assert np.abs(run.nodes - wanted.nodes).max() < {"implicit4": 1e-6}.get(method, 1e-7)
    assert len(run.events) == len(wanted.events)


def test_a_bead_on_a_taut_cable_follows_its_ellipse() -> None:
    """Stiff, light and pulled tight, so that the length of the cable hardly changes: the bead stays on the ellipse with
    the fixed points as foci; what is left goes like one over the stiffness."""
    off = []
    for stiffness in (1e4, 1e6):
        nodes = {"a": (0.0, 0.0, 0.0), "b": (2.0, 0.0, 0.0), "bead": (0.6, 0.0, -0.9)}
        length = route_length(Structure(nodes), ("a", "bead", "b"))
        cable = Cable("w", ("a", "bead", "b"), stiffness=stiffness, rest_length=length)
        bead = Structure(nodes, cables=[cable], supports={"a": "xyz", "b": "xyz"}, point_masses={"bead": 1.0})
        run = simulate(assemble(bead, gravity=9.81), 0.5, tolerance=1e-10, verify=False)
        spans = [np.linalg.norm(run.nodes[:, 2] - run.nodes[:, end], axis=1) for end in (0, 1)]
        off.append(np.abs(sum(spans) - length).max())
        assert np.ptp(run.nodes[:, 2, 0]) > 0.2, "it slides"
    assert off[1] < 1e-4
    assert off[0] / off[1] == pytest.approx(100.0, rel=0.2)


@pytest.mark.slow
def test_two_masses_over_a_guide_are_atwoods_machine() -> None:
    """A held cable over a fixed node: acceleration (m - n) g / (m + n), tension 2 m n g / (m + n), to round-off."""
    m, n, g = 3.0, 2.0, 9.81
    nodes = {"over": (-0.5, 0.0, 0.0), "next": (0.5, 0.0, 0.0), "left": (-0.5, 0.0, -1.0), "right": (0.5, 0.0, -1.0)}
    fixed = {"over": "xyz", "next": "xyz", "left": "xy", "right": "xy"}
    cable = Cable("string", ("left", "over", "next", "right"), mode="length")
    machine = Structure(nodes, cables=[cable], supports=fixed, point_masses={"left": m, "right": n})
    run = simulate(assemble(machine, gravity=g), 0.3, every=0.1)
    assert run.ok
    fall = 0.5 * (m - n) / (m + n) * g * run.time**2
    assert np.abs(run.nodes[:, 2, 2] + 1.0 + fall).max() < 1e-12
    assert np.abs(run.nodes[:, 3, 2] + 1.0 - fall).max() < 1e-12
    assert run.cable_tension[:, 0] == pytest.approx(2.0 * m * n * g / (m + n), rel=1e-12)


def test_a_commanded_tension_pulls_a_mass_over_a_guide() -> None:
    """Constant acceleration (T - m g) / m, the work is that of the winch, -T times the shortening, and a height is
    passed when it should be."""
    nodes = {"winch": (1.0, 0.0, 0.0), "guide": (0.0, 0.0, 0.0), "mass": (0.0, 0.0, -2.0)}
    cable = Cable("rope", ("winch", "guide", "mass"), mode="tension", command=30.0)
    held = {"winch": "xyz", "guide": "xyz", "mass": "xy"}
    hoist = Structure(nodes, cables=[cable], supports=held, point_masses={"mass": 2.0})
    passed = Watch.at_plane("up", "mass", "z", -1.8)
    run = simulate(assemble(hoist, gravity=9.81, events=[passed]), 0.4, every=0.1)
    lifted = 0.5 * (30.0 / 2.0 - 9.81) * run.time**2
    assert [event.time for event in run.events] == pytest.approx([math.sqrt(2.0 * 0.2 / (30.0 / 2.0 - 9.81))])
    assert np.abs(run.nodes[:, 2, 2] + 2.0 - lifted).max() < 1e-12
    assert run.work == pytest.approx(30.0 * lifted, abs=1e-11)
    assert run.energy_elastic.max() == 0.0


def test_mass_lies_along_the_route_by_length() -> None:
    """And falls as one; the post, which it never touches, is there so that it is compiled as the others here are."""
    nodes = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0), "c": (1.0, 3.0, 0.0), "post": (9.0, 0.0, 0.0)}
    structure = Structure(nodes, cables=[Cable("w", ("a", "b", "c"), stiffness=1.0, mass=8.0)])
    assert lumped_mass(structure, structure.cables["w"]) == pytest.approx({"a": 1.0, "b": 4.0, "c": 3.0})
    falling = structure.supported("node:?", "xy").supported("post")
    run = simulate(assemble(falling, gravity=1.0), 0.1, verify=False)
    assert run.nodes[-1, :3, 2] == pytest.approx(-0.005, rel=1e-9)


def test_events_watches_and_cuts_know_routes() -> None:
    """Whatever the order of the cables: a watch, a cut and the outputs mean the cable of that name."""
    structure = many_kinds()
    turned = Structure(
        structure.nodes,
        cables=list(reversed(structure.cables.values())),
        supports=structure.supports,
        point_masses=structure.point_masses,
    )
    watches = [Watch.at_time("snap", 0.1, then="cut", cut=["cable:loop", "cable:pull"])]
    watches += [Watch.at_tension("strained", "w", 60.0, sense="rising")]
    one, other = (
        simulate(
            assemble(s, gravity=9.81, events=watches),
            0.2,
            every=0.02,
            tolerance=1e-11,
            verify=False,
            on_collision="ignore",
        )
        for s in (structure, turned)
    )
    assert np.abs(one.nodes - other.nodes).max() < 1e-9
    names = list(structure.cables)
    assert one.cable_tension[:, ::-1] == pytest.approx(other.cable_tension, abs=1e-6)
    assert np.all(one.cable_tension[-1, [names.index("loop"), names.index("pull")]] == 0.0)
    assert np.ptp(total(one) - one.work) < 1e-8
    assert [e.subject for e in one.events] == [e.subject for e in other.events]


def test_an_ensemble_varies_the_stiffness_of_routes() -> None:
    structure = many_kinds()
    plant = assemble(structure, gravity=9.81)
    firm = np.array([[220.0, 150.0, 90.0, 0.0, 5.0, 50.0], [200.0, 160.0, 90.0, 0.0, 5.0, 55.0]])
    found = ensemble(plant, 0.05, stiffness=firm, method="dp5", tolerance=1e-10)
    for k, row in enumerate(firm):
        one = structure
        for name in ("w", "loop", "twice", "straight"):
            rest = one.cables[name].rest_length
            one = one.changed(
                f"cable:{name}", stiffness=float(row[list(structure.cables).index(name)]), rest_length=rest
            )
        alone = simulate(assemble(one, gravity=9.81), 0.05, tolerance=1e-10, verify=False)
        assert np.abs(found.nodes[k, -1] - alone.nodes[-1]).max() < 1e-8


@pytest.mark.slow
def test_a_linear_model_takes_the_rest_length_of_a_route() -> None:
    """Its input against a difference of the compiled accelerations, its outputs against those of a run."""
    structure = five_nodes()
    plant = assemble(structure)
    seen = ["cable:w.tension", "cable:w.length", *(f"node:{node}.{axis}" for node in "prq" for axis in "xyz")]
    model = linearise(plant, inputs=["cable:w.rest_length"], outputs=seen)
    h, rates = 1e-6, []
    for change in (-h, h):
        other = assemble(structure.changed("cable:w", rest_length=3.0 + change))
        out = np.zeros(31)
        other.operations()["rate"](other.pack, 0.0, np.append(other.positions.ravel(), np.zeros(16)), out)
        rates.append(out[18:27])
    accelerated = (model.C @ model.A @ model.B)[2:, 0]
    assert accelerated == pytest.approx((rates[1] - rates[0]) / (2.0 * h), rel=1e-7)
    assert model.D[:2, 0] == pytest.approx([-200.0, 0.0])


# --- friction at guides


def _dragged(friction: float, speed: float, *, duration: float = 0.2) -> tuple[np.ndarray, float, Trajectory]:
    """A cable over three fixed guides, both ends moved so that it slides and keeps its length.

    Returns the tensions at its ends, from the reactions there, the angle by which it turns, and the run.
    """
    nodes = {
        "first": (0.0, 0.0, 0.0),
        "g1": (1.0, 0.0, 0.0),
        "g2": (1.5, 0.0, -1.0),
        "g3": (2.5, 0.3, -1.0),
        "last": (2.5, 0.3, -2.0),
        "bob": (0.0, 5.0, 0.0),
    }
    route = ("first", "g1", "g2", "g3", "last")
    cable = Cable("w", route, stiffness=1000.0, friction=friction)
    cable = replace(cable, rest_length=route_length(Structure(nodes), route) - 0.1)
    held = dict.fromkeys(route, "xyz")
    structure = Structure(nodes, cables=[cable], supports=held, point_masses={"bob": 1.0})
    moved = [
        Motion("first", "x", acceleration=0.0, velocity=speed),
        Motion("last", "z", acceleration=0.0, velocity=-speed),
    ]
    run = simulate(assemble(structure, motions=moved), duration, every=0.05, tolerance=1e-10, verify=False)
    spans = np.diff([nodes[node] for node in route], axis=0)
    units = spans / np.linalg.norm(spans, axis=1)[:, None]
    turned = sum(math.acos(float(a @ b)) for a, b in pairwise(units))
    ends = [list(structure.supported_nodes).index(name) for name in ("first", "last")]
    return np.linalg.norm(run.reaction[-1][ends], axis=1), turned, run


@pytest.mark.slow
@pytest.mark.parametrize("speed", [0.05, -0.05])
def test_a_sliding_cable_has_the_ratio_of_a_capstan(speed: float) -> None:
    """exp(mu phi), by the direction in which it slides; their mean by length is what the spring says."""
    (first, last), turned, run = _dragged(0.3, speed)
    ratio = last / first if speed > 0.0 else first / last
    assert ratio == pytest.approx(math.exp(0.3 * turned), rel=1e-9)
    assert run.cable_tension[-1, 0] == pytest.approx(100.0, rel=1e-9)
    (first, last), _, _ = _dragged(0.0, speed)
    assert first == pytest.approx(last, rel=1e-12)


@pytest.mark.slow
def test_friction_takes_what_the_supports_give() -> None:
    """The cable keeps its length and its energy, so all that the supports do is lost at the guides."""
    (first, last), _, run = _dragged(0.3, 0.05)
    given = (last - first) * 0.05 * run.time[-1]
    assert given > 0.1
    assert np.abs(run.work).max() < 1e-3 * given, "given and taken are both work"
    assert np.ptp(total(run)) < 1e-10


@pytest.mark.parametrize("method", ["dp5", pytest.param("implicit4", marks=pytest.mark.slow)])
def test_a_mass_sticks_where_friction_holds_it_and_slides_where_not(method: str) -> None:
    """Two masses over a guide with a right angle each: they stay, to a creep of a fraction of the slip speed, up to the
    ratio exp(mu pi), and beyond it fall with (m - n e) g / (m + n e), e = exp(mu pi)."""
    g, n, friction = 9.81, 1.0, 0.2
    e = math.exp(friction * math.pi)
    nodes = {"over": (-0.5, 0.0, 0.0), "next": (0.5, 0.0, 0.0), "left": (-0.5, 0.0, -5.0), "right": (0.5, 0.0, -5.0)}
    fixed = {"over": "xyz", "next": "xyz", "left": "xy", "right": "xy"}
    rope = Cable("rope", ("left", "over", "next", "right"), stiffness=2e5, friction=friction, damping=200.0)
    for m, slides in ((0.9 * e * n, False), (2.0 * e * n, True)):
        machine = Structure(nodes, cables=[rope], supports=fixed, point_masses={"left": m, "right": n})
        plant = assemble(machine, gravity=g)
        run = simulate(plant, 0.5, every=0.1, method=method, tolerance=1e-7, verify=False)
        assert run.finished, run.status
        speed = -(run.velocities[-1, 2, 2] - run.velocities[0, 2, 2])
        if slides:
            wanted = (m - n * e) * g / (m + n * e) * 0.5
            assert speed == pytest.approx(wanted, rel=0.02)
        else:
            assert abs(speed) < 3e-3


@pytest.mark.parametrize("method", ["dp5", pytest.param("implicit4", marks=pytest.mark.slow)])
def test_methods_agree_with_friction(method: str) -> None:
    nodes = {"a": (0.0, 0.0, 0.0), "p": (1.0, 0.2, -0.6), "b": (2.0, 0.0, 0.0)}
    cable = Cable("w", ("a", "p", "b"), stiffness=300.0, rest_length=2.1, friction=0.3)
    bead = Structure(nodes, cables=[cable], supports={"a": "xyz", "b": "xyz"}, point_masses={"p": 1.0})
    plant = assemble(bead, gravity=9.81, velocities={"p": (0.5, 0.0, 0.0)})
    wanted = simulate(plant, 0.1, every=0.02, method="dp8", tolerance=1e-11, verify=False)
    assert np.ptp(total(wanted) - wanted.work) < 1e-9
    assert wanted.work[-1] < -0.05, "friction takes energy"
    run = simulate(plant, 0.1, every=0.02, method=method, tolerance=1e-9, verify=False)
    assert np.abs(run.nodes - wanted.nodes).max() < 1e-6


def test_friction_has_no_linear_model_and_no_rattle() -> None:
    nodes = {"a": (0.0, 0.0, 0.0), "p": (1.0, 0.2, -0.6), "b": (2.0, 0.0, 0.0)}
    cable = Cable("w", ("a", "p", "b"), stiffness=300.0, rest_length=2.1, friction=0.3)
    bead = Structure(nodes, cables=[cable], supports={"a": "xyz", "b": "xyz"}, point_masses={"p": 1.0})
    with pytest.raises(OptionError, match='cable "w" has friction at its guides, which sticks or slides'):
        linearise(assemble(bead), inputs=["node:p.x"], outputs=["node:p.x"])
    with pytest.raises(OptionError, match='cable "w" damps'):
        simulate(assemble(bead), 0.1, method="rattle4", step=1e-3)


# --- what cannot be


@pytest.mark.parametrize(
    ("cable", "told"),
    [
        (Cable("w", ("a", "p", "p", "b"), stiffness=1.0), 'runs from node "p" to itself'),
        (Cable("w", ("a", "p", "b"), mode="tension", command=-3.0), "-3 N would push; a cable only pulls"),
        (Cable("w", ("a", "p", "b"), mode="tension"), r"is missing: the tension \[N\] that is commanded"),
        (Cable("w", ("a", "p", "b"), mode="tensoin", command=3.0), '"tensoin" is not one of spring, tension'),
        (Cable("w", ("a", "p", "b"), mode="length", command=1.5), "1.5 m is shorter than the 2 m between its ends"),
        (Cable("w", ("a", "p", "b"), stiffness=1.0, command=3.0), "3 goes with a mode of tension"),
        (Cable("w", ("a", "p", "b"), stiffness=1.0, friction=-0.1), "-0.1.*must be zero or more"),
        (Cable("w", ("a", "p", "b"), mode="length", friction=0.1), "does not go with a held length"),
        (Cable("w", ("a", "p", "b"), stiffness=1.0, mass=1.0, segments=3), "only a straight cable"),
        (Cable("w", ("a", "p", "b")), "is not known; give a stiffness"),
    ],
)
def test_what_cannot_be_is_told(cable: Cable, told: str) -> None:
    nodes = {"a": (0.0, 0.0, 0.0), "p": (1.0, 0.2, -0.6), "b": (2.0, 0.0, 0.0)}
    bead = Structure(nodes, cables=[cable], supports={"a": "xyz", "b": "xyz"}, point_masses={"p": 1.0})
    with pytest.raises(ModelError, match=told):
        assemble(bead)


# --- pneumatic struts


def test_a_pneumatic_strut_lifts_a_mass_with_its_force() -> None:
    """Constant acceleration by its push and its own mass, half of which, with the rotary share, moves with its head; a
    height is passed when it should be."""
    nodes = {"foot": (0.0, 0.0, 0.0), "head": (0.0, 0.0, 1.0)}
    strut = Bar("strut", ("foot", "head"), mass=3.0, law="pneumatic", force=80.0)
    jack = Structure(nodes, [strut], supports={"foot": "xyz", "head": "xy"}, point_masses={"head": 4.0})
    passed = Watch.at_plane("up", "head", "z", 1.1)
    run = simulate(assemble(jack, gravity=9.81, events=[passed]), 0.3, every=0.1)
    assert run.ok
    acceleration = (80.0 - (4.0 + 1.5) * 9.81) / (4.0 + 1.0)  # a rod that stretches evenly: a third of its mass
    assert [event.time for event in run.events] == pytest.approx([math.sqrt(2.0 * 0.1 / acceleration)])
    assert run.nodes[:, 1, 2] == pytest.approx(1.0 + 0.5 * acceleration * run.time**2, rel=1e-12)
    assert run.bar_force[:, 0] == pytest.approx(-80.0)
    assert run.work == pytest.approx(80.0 * (run.nodes[:, 1, 2] - 1.0), abs=1e-11)


@pytest.mark.parametrize(
    ("bar", "told"),
    [
        (Bar("strut", ("a", "b"), mass=1.0, law="pneumatic"), r"is missing: the force \[N\]"),
        (Bar("strut", ("a", "b"), mass=1.0, force=3.0), "3 N goes with a pneumatic bar"),
        (Bar("strut", ("a", "b"), mass=1.0, law="pneumatic", force=-3.0), "-3 N must be zero or more"),
        (
            Bar("strut", ("a", "b"), mass=1.0, radius=0.1, inertia="cylinder", law="pneumatic", force=3.0),
            "of a bar that telescopes is thin or lumped",
        ),
    ],
)
def test_what_a_pneumatic_strut_cannot_be(bar: Bar, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        assemble(Structure({"a": (0.0, 0.0, 0.0), "b": (0.0, 0.0, 1.0)}, [bar]))
