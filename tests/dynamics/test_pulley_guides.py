"""Pulleys of a radius at the guides of cables: closed forms, exact slopes, the point guide as limit, what cannot be."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from routes_by_numpy import route_forces
from scipy.optimize import brentq

import taut
from taut import Cable, ModelError, OptionError, Structure, assemble, simulate
from taut.structure.properties import cable_length, rest_length

PLACES = {
    "a": (0.0, 0.0, 0.0),
    "p": (0.7, 0.3, -0.8),
    "r": (1.0, 0.4, 0.5),
    "q": (1.4, -0.2, -0.9),
    "b": (2.0, 0.1, 0.0),
}
MASSES = {"p": 1.0, "q": 2.0, "r": 1.5}
RADII = (0.12, 0.0, 0.2)


def five_nodes(*, commanded: bool = True, **over: object) -> Structure:
    given = {"stiffness": 200.0, "rest_length": 3.0, "radii": RADII, **over}
    cables = [
        Cable("w", ("a", "p", "r", "q", "b"), **given),  # type: ignore[arg-type]
        Cable("pull", ("p", "r", "b"), mode="tension", command=3.0, radii=(0.1,)),
        Cable("draw", ("p", "q", "r"), mode="force_density", command=5.0, radii=(0.15,)),
        Cable("plain", ("a", "q", "r"), stiffness=50.0, rest_length=2.0),
    ]
    kept = [cable for cable in cables if commanded or cable.mode == "spring"]
    return Structure(PLACES, cables=kept, supports={"a": "xyz", "b": "xyz"}, point_masses=MASSES)


def forces_of(plant: taut.Plant) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    def force(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        out = np.zeros(q.size)
        plant.operations()["forces"](plant.pack, 0.0, np.concatenate([q, v, [0.0]]), out)
        return out

    return force


def test_forces_and_their_slopes_are_those_of_tangents_and_arcs() -> None:
    """Against tangents and arcs written down again, with their slopes in a complex step."""
    structure, random = five_nodes(), np.random.default_rng(3)
    plant = assemble(structure)
    force, still = forces_of(plant), np.zeros(15)
    for _ in range(5):
        q = plant.positions.ravel() + 0.1 * random.normal(size=15)
        wanted = route_forces(structure, q)
        assert np.abs(force(q, still) - wanted).max() <= 1e-11 * np.abs(wanted).max()
    q = plant.positions.ravel()
    found = plant.linearised(q, still, 0.0, "rest_length")
    exact = -np.array([route_forces(structure, q + 1e-30j * way).imag / 1e-30 for way in np.eye(15)]).T
    wanted = exact[np.ix_(found.moving, found.moving)]
    assert np.abs(found.stiffness - wanted).max() <= 1e-11 * np.abs(wanted).max()


def test_forces_are_slopes_of_the_energy() -> None:
    """By eighth-order differences of what is stored, without commanded cables."""
    plant = assemble(five_nodes(commanded=False))
    q, weights, h = plant.positions.ravel(), (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0), 1e-3

    def energy(x: np.ndarray) -> float:
        return float(plant.operations()["energy"](plant.pack, np.append(x, np.zeros(16)))[0])

    slopes = [
        sum(w * (energy(q + k * h * way) - energy(q - k * h * way)) for k, w in enumerate(weights, 1)) / h
        for way in np.eye(15)
    ]
    force = forces_of(plant)(q, np.zeros(15))
    assert np.abs(force + slopes).max() <= 1e-10 * np.abs(force).max()


def test_dampers_turn_with_the_cable() -> None:
    """K and C of a moving, damped cable against differences of the compiled forces."""
    plant = assemble(five_nodes(damping=7.0))
    q, v, force = plant.positions.ravel(), np.zeros(15), forces_of(plant)
    v[3:12] = np.random.default_rng(4).normal(size=9)
    found = plant.linearised(q, v, 0.0, "rest_length")
    h, weights = 1e-3, (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
    for matrix, moved in ((found.stiffness, lambda d: (q + d, v)), (found.damping, lambda d: (q, v + d))):
        slopes = [
            sum(w * (force(*moved(k * h * way)) - force(*moved(-k * h * way))) for k, w in enumerate(weights, 1)) / h
            for way in np.eye(15)[found.moving]
        ]
        assert np.abs(matrix + np.array(slopes).T[found.moving]).max() <= 1e-9 * np.abs(matrix).max()


@pytest.mark.slow
def test_two_weights_over_a_pulley_are_atwoods_machine() -> None:
    """The cable hangs straight down on both sides, half a turn of it on the pulley; stretched as much as the tension
    2 m n g / (m + n) wants, it stays so, and the weights have the acceleration (m - n) g / (m + n)."""
    m, n, g, r, firm = 3.0, 2.0, 9.81, 0.3, 1e4
    pull = 2.0 * m * n * g / (m + n)
    nodes = {"over": (0.0, 0.0, 0.0), "left": (-r, 0.0, -1.0), "right": (r, 0.0, -1.5)}
    whole = 2.5 + math.pi * r
    cable = Cable("rope", ("left", "over", "right"), whole - pull / firm, firm, radii=(r,))
    machine = Structure(nodes, cables=[cable], supports={"over": "xyz"}, point_masses={"left": m, "right": n})
    assert cable_length(machine, cable) == pytest.approx(whole, rel=1e-15)
    run = simulate(assemble(machine, gravity=g), 0.4, every=0.1, method="dp8", tolerance=1e-12)
    assert run.ok, run.status
    fall = 0.5 * (m - n) / (m + n) * g * run.time**2
    assert np.abs(run.nodes[:, 1] - [-r, 0.0, -1.0] + np.outer(fall, [0.0, 0.0, 1.0])).max() < 1e-11
    assert np.abs(run.nodes[:, 2] - [r, 0.0, -1.5] - np.outer(fall, [0.0, 0.0, 1.0])).max() < 1e-11
    assert run.cable_tension[:, 0] == pytest.approx(pull, rel=1e-9)
    assert run.cable_length[:, 0] == pytest.approx(whole, rel=1e-12)
    assert np.abs(run.reaction[:, 0] - [0.0, 0.0, 2.0 * pull]).max() < 1e-7


def test_energy_is_kept_while_cables_slacken_and_go_taut() -> None:
    """A pulley with a weight, thrown up from where it hangs in its cable, comes down into it, out of its plane too."""
    nodes = {"a": (-1.0, 0.0, 0.0), "p": (0.0, 0.0, -1.0), "b": (1.0, 0.0, 0.0)}
    cable = Cable("w", ("a", "p", "b"), 2.9, 500.0, radii=(0.2,))
    hung = Structure(nodes, cables=[cable], supports={"a": "xyz", "b": "xyz"}, point_masses={"p": 4.0})
    plant = assemble(hung, gravity=9.81, velocities={"p": (0.3, 0.5, 2.0)})
    run = simulate(plant, 1.0, every=0.02, method="dp8", tolerance=1e-12, correction="none", verify=False)
    assert run.finished, run.status
    assert {event.change for event in run.events} == {"slack", "taut"}
    total = run.energy_kinetic + run.energy_elastic + run.energy_gravity
    assert np.ptp(total) < 1e-10 * run.overall.energy_in_play


@pytest.mark.parametrize(
    "method", ["rk4", *(pytest.param(m, marks=pytest.mark.slow) for m in ("implicit4", "rattle4"))]
)
def test_methods_agree(method: str) -> None:
    plant = assemble(five_nodes(), gravity=9.81)
    wanted = simulate(plant, 0.1, every=0.05, method="dp8", tolerance=1e-12, verify=False)
    options = {"implicit4": {"tolerance": 1e-9}}.get(method, {"step": 1e-4})
    run = simulate(plant, 0.1, every=0.05, method=method, verify=False, **options)  # type: ignore[arg-type]
    assert run.finished, run.status
    assert np.abs(run.nodes - wanted.nodes).max() < {"implicit4": 1e-6}.get(method, 1e-7)


def test_a_small_pulley_is_nearly_a_point() -> None:
    """Length and forces differ from those of a point by what goes like the radius."""
    off = []
    for scale in (1e-3, 5e-4):
        structure = five_nodes(radii=tuple(scale * r for r in (1.0, 0.0, 2.0)))
        plain = five_nodes(radii=())
        q, still = assemble(plain).positions.ravel(), np.zeros(15)
        difference = forces_of(assemble(structure))(q, still) - forces_of(assemble(plain))(q, still)
        longer = cable_length(structure, structure.cables["w"]) - cable_length(plain, plain.cables["w"])
        off.append((np.abs(difference).max(), longer))
    for one, half in zip(*off, strict=True):
        assert one / half == pytest.approx(2.0, rel=5e-3)


def test_a_pulley_hangs_where_its_weight_is_borne() -> None:
    """A pulley with a weight in a cable between two hooks: tangents from these bear it; there nothing moves."""
    r, firm, mass, rest = 0.2, 500.0, 4.0, 2.4

    def legs(depth: float) -> tuple[float, float]:
        """The length of the cable, and the sine of the angle by which its legs slope down."""
        far = math.hypot(1.0, depth)
        straight = math.sqrt(far**2 - r**2)
        sloped = math.atan2(depth, 1.0) + math.asin(r / far)
        return 2.0 * (straight + r * sloped), math.sin(sloped)

    def out_of_balance(depth: float) -> float:
        length, sine = legs(depth)
        return 2.0 * firm * (length - rest) * sine - mass * 9.81

    depth = float(brentq(out_of_balance, 0.5, 1.5, xtol=1e-15))
    nodes = {"a": (-1.0, 0.0, 0.0), "p": (0.0, 0.0, -depth), "b": (1.0, 0.0, 0.0)}
    cable = Cable("w", ("a", "p", "b"), rest, firm, radii=(r,))
    hung = Structure(nodes, cables=[cable], supports={"a": "xyz", "b": "xyz"}, point_masses={"p": mass})
    assert cable_length(hung, cable) == pytest.approx(legs(depth)[0], rel=1e-14)
    plant = assemble(hung, gravity=9.81)
    run = simulate(plant, 1.0, every=0.25, method="dp8", tolerance=1e-12, verify=False)
    assert np.abs(run.nodes - run.nodes[0]).max() < 1e-11
    stiffness = plant.linearised(plant.positions.ravel(), np.zeros(9), 0.0, "rest_length").stiffness
    h = 1e-5
    assert stiffness[2, 2] == pytest.approx((out_of_balance(depth + h) - out_of_balance(depth - h)) / (2 * h), rel=1e-8)


@pytest.mark.slow
def test_winding_in_does_the_work_that_the_books_say() -> None:
    drive = taut.Drive("reel", "cable:w", "rest_length", by=taut.Sinusoid(-0.1, 3.0))
    run = simulate(assemble(five_nodes(), gravity=9.81, drives=[drive]), 0.1, method="dp8", tolerance=1e-11)
    assert run.ok, run.status
    total = run.energy_kinetic + run.energy_elastic + run.energy_gravity
    assert np.ptp(total - run.work) < 1e-8
    assert abs(run.work[-1]) > 1.0


def test_a_cable_that_comes_straight_ends_the_run() -> None:
    """The pulley is pulled up through the line between the hooks, where the side of the cable is not known."""
    nodes = {"a": (-1.0, 0.0, 0.0), "p": (0.0, 0.0, -0.5), "b": (1.0, 0.0, 0.0)}
    cable = Cable("w", ("a", "p", "b"), 2.0, 500.0, radii=(0.1,))
    hung = Structure(nodes, cables=[cable], supports={"a": "xyz", "b": "xyz"}, point_masses={"p": 1.0})
    run = simulate(assemble(hung), 1.0, method="dp8", verify=False)
    assert 'cable "w" would next have no way over its pulley at "p"' in run.status
    assert -0.5 < run.nodes[-1, 1, 2] < -0.005


@pytest.mark.parametrize(
    ("over", "told"),
    [
        ({"radii": (0.1, 0.1)}, "cables.w.radii: there are 2 for 3 guides; give one for each, or none at all"),
        ({"radii": (-0.1, 0.0, 0.0)}, "cables.w.radii: -0.1 m must be finite, and zero or more"),
        ({"radii": (0.1, 0.1, 0.0)}, 'cables.w.radii: "p" and "r" are pulleys next to one another'),
        ({"radii": (2.0, 0.0, 0.0)}, 'cables.w.radii: the pulley of 2 m at "p" reaches "a", 1.10454 m away'),
        ({"friction": 0.1}, "cables.w.radii: does not go with friction at guides; a pulley turns freely"),
        ({"mode": "length", "stiffness": None, "rest_length": None}, "cables.w.radii: does not go with a held length"),
    ],
)
def test_what_cannot_be_is_told(over: dict[str, object], told: str) -> None:
    with pytest.raises(ModelError, match=told):
        assemble(five_nodes(**over))


def test_what_does_not_know_pulleys_refuses_them() -> None:
    with pytest.raises(ModelError, match="cables.w.radii: pulleys of a radius go with runs only, and not with statics"):
        taut.balance(five_nodes())
    plant = assemble(five_nodes())
    with pytest.raises(OptionError, match='cable "w" goes over pulleys of a radius, whose work over a step method'):
        simulate(plant, 0.1, method="energy-momentum", step=1e-3)
    with pytest.raises(OptionError, match='the length of cable "w" goes over pulleys of a radius, which sensors'):
        assemble(five_nodes(), sensors=[taut.Sensor("how long", "cable:w.length", rate=10.0)])
    straight = Structure(
        {"a": (0.0, 0.0, 0.0), "p": (1.0, 0.0, 0.0), "b": (2.0, 0.0, 0.0)},
        cables=[Cable("w", ("a", "p", "b"), stiffness=1.0, radii=(0.1,))],
        supports={"a": "xyz", "b": "xyz"},
        point_masses={"p": 1.0},
    )
    with pytest.raises(ModelError, match='cables.w.radii: the cable is straight over the pulley at "p", or'):
        assemble(straight)


def test_model_files_have_radii(tmp_path: Path) -> None:
    text = """taut: 1
nodes: {a: [0, 0, 0], p: [1, 0, -1], b: [2, 0, 0]}
cables: {w: {route: [a, p, b], stiffness: 100, rest_ratio: 0.9, radii: [0.2]}}
supports: {a: xyz, b: xyz}
point_masses: {p: 1}
"""
    (tmp_path / "hung.yaml").write_text(text)
    structure = taut.read_model(tmp_path / "hung.yaml").structure
    cable = structure.cables["w"]
    assert cable.radii == (0.2,)
    assert rest_length(structure, cable) == pytest.approx(0.9 * cable_length(structure, cable), rel=1e-15)
    taut.save(structure, tmp_path / "again.yaml")
    assert taut.read_model(tmp_path / "again.yaml").structure.cables["w"] == cable
