"""Kinds from outside get everything: a term, rows and an imposed quantity, each a short file of its own, run with every
method, correction, event, linear model, statics question, run file and ensemble that was there before them.

What they do is compared with closed forms, with quadrature and with twins made of built-in parts; nothing here looks at
the code of a kind but where it says so.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from small_structures import KINDS, ROUND_OFF, GroundSpring, OnSphere, WoundCable

import taut
from taut import (
    Bar,
    Cable,
    Compliance,
    Ground,
    OptionError,
    Plane,
    Structure,
    Trajectory,
    assemble,
    balance,
    ensemble,
    linearise,
    modes,
    simulate,
)
from taut import extending as ex
from taut.dynamics.loops import words_for
from taut.mechanics import spec
from taut.mechanics.assemble import reassembled
from taut.mechanics.batch import alike, side_by_side
from taut.mechanics.operations.redundancy import jacobian_matrix
from taut.numerics.compiled import again, entry

ensembles = sys.modules["taut.dynamics.ensembles"]
G = 9.81
FILES = ("ground_spring", "on_sphere", "wound_cable")

# A mass dropped onto ground.
MASS, FIRM, CUBIC, HEIGHT = 2.0, 5000.0, 2e5, 0.05
SWING = np.sqrt(FIRM / MASS)
IMPACT = np.sqrt(2.0 * G * HEIGHT)
# A mass on a sphere.
RADIUS = 0.8
# A mass hung by a cable that is wound.
PULL, REST, WINDING, HERTZ = 400.0, 1.0, 0.02, 1.5


def dropped(cubic: float = CUBIC, mass: float = MASS, height: float = HEIGHT) -> Any:
    structure = Structure({"a": (0.1, 0.2, 0.3 + height)}, point_masses={"a": mass})
    return assemble(structure, gravity=G, elements=[GroundSpring("a", FIRM, cubic, level=0.3)])


BESIDE = np.array([0.6, 0.0, -0.8]) * RADIUS
SPEED = (0.3, 0.9, 0.225)  # along the sphere: 0.6 0.3 - 0.8 0.225 = 0


def on_a_sphere(speed: tuple[float, float, float] = SPEED, mass: float = 1.5) -> Any:
    structure = Structure({"a": tuple(BESIDE)}, point_masses={"a": mass})
    elements = [OnSphere("a", (0.0, 0.0, 0.0), RADIUS)]
    return assemble(structure, gravity=G, velocities={"a": speed}, elements=elements)


def hung(amplitude: float = WINDING, stiffness: float = PULL, hertz: float = HERTZ, mass: float = MASS) -> Any:
    """The mass begins where it would hang on the cable as it is at first."""
    structure = Structure(
        {"top": (0.0, 0.0, 0.0), "a": (0.0, 0.0, -REST - mass * G / stiffness)},
        cables=[Cable("c", ("top", "a"), rest_length=REST, stiffness=stiffness)],
        supports={"top": "xyz"},
        point_masses={"a": mass},
    )
    return assemble(structure, gravity=G, elements=[WoundCable("c", REST, amplitude, hertz)])


PLANTS = {"ground_spring": dropped, "on_sphere": on_a_sphere, "wound_cable": hung}
DURATION, EVERY = 0.3, 0.02


@cache
def plant(kind: str) -> Any:
    return PLANTS[kind]()


@cache
def reference(kind: str) -> Trajectory:
    return simulate(plant(kind), DURATION, every=EVERY, method="dp8", tolerance=1e-12)


# --- a file each


@pytest.mark.parametrize("name", FILES)
def test_a_kind_is_a_short_file_that_knows_of_one_module_only(name: str) -> None:
    """At most 100 lines, and of taut nothing but `taut.extending`."""
    text = (KINDS / f"{name}.py").read_text()
    assert len(text.splitlines()) <= 100
    known: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            known |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            known |= {f"taut.{alias.name}" for alias in node.names} if node.module == "taut" else {str(node.module)}
    assert {name for name in known if name.split(".")[0] == "taut"} == {"taut.extending"}


# --- methods and corrections


class Way(NamedTuple):
    """Options of a method, and how far it may be from dp8 at 1e-12 [m].

    Equal steps h: SWING = 50 rad/s is the fastest there is, amplitudes are 0.02 m, so that order p leaves at most
    0.02 (50 h)^p (50 DURATION) = 0.3 (50 h)^p. By tolerance: a hundred times it, for a metre.
    """

    method: str
    options: dict[str, float]
    apart: float


WAYS = (
    Way("dp5", {"tolerance": 1e-11}, 1e-9),
    Way("dp8", {"tolerance": 1e-11}, 1e-9),
    Way("rk4", {"step": 2e-4}, 0.3 * 0.01**4),
    Way("rattle2", {"step": 1e-4}, 0.3 * 0.005**2),
    Way("rattle4", {"step": 2e-4}, 0.3 * 0.01**4),
    Way("rattle6", {"step": 1e-3}, 0.3 * 0.05**6),
    Way("rattle8", {"step": 1e-3}, 0.3 * 0.05**8 + ROUND_OFF),
    Way("implicit3", {"tolerance": 1e-10}, 1e-8),
    Way("implicit4", {"tolerance": 1e-10}, 1e-8),
)


QUICK = {"dp": "ground_spring", "rk": "ground_spring", "rattle": "on_sphere", "implicit": "on_sphere"}
"""The one kind whose runs by these methods are among the quick tests: each pair is compiled by itself."""


def followed(way: Way, kind: str) -> Any:
    slow = QUICK.get(way.method.rstrip("0123456789"), kind) != kind
    return pytest.param(kind, way, id=f"{way.method}-{kind}", marks=[pytest.mark.slow] if slow else [])


@pytest.mark.parametrize(("kind", "way"), [followed(way, kind) for way in WAYS for kind in FILES])
def test_every_method_follows_every_kind(kind: str, way: Way) -> None:
    """Explicit, implicit and RATTLE runs are the same motion, bounces included."""
    run, wanted = simulate(plant(kind), DURATION, every=EVERY, method=way.method, **way.options), reference(kind)
    assert run.ok, run.status
    assert np.abs(run.nodes - wanted.nodes).max() <= way.apart
    assert np.ptp(wanted.nodes, axis=0).max() > 0.01, "what does not move is no test"


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("correction", ["none", "constraints", "energy", "baumgarte"])
def test_every_correction_goes_with_every_kind(kind: str, correction: str) -> None:
    """dp5 at 1e-10 with any of them: the same motion to a hundred times the tolerance; energy less work is kept to
    1e-12 of some 20 J where it is corrected and to 1e-7 J else, and the sphere to round-off where that is corrected."""
    run = simulate(plant(kind), DURATION, every=EVERY, method="dp5", tolerance=1e-10, correction=correction)
    assert run.ok, run.status
    assert np.abs(run.nodes - reference(kind).nodes).max() <= 1e-8
    assert np.abs(run.energy_violation).max() <= (5e-11 if correction == "energy" else 1e-7)
    if kind == "on_sphere":
        off = np.abs(np.linalg.norm(run.nodes[:, 0], axis=1) - RADIUS).max()
        assert off <= (1e-14 if correction in ("constraints", "energy") else 1e-8)


# --- located events


def bounces(cubic: float, until: float) -> list[float]:
    """Times at which a mass dropped onto ground touches down and lifts off, in turn.

    Free fall is closed form; the time of contact is, without the cubic part, 2 (pi - atan(v w / g)) / w, and with it
    the integral of dd / v(d) down to the deepest place and back, v(d)^2 = v0^2 + 2 g d - k d^2 / m - c d^4 / (2 m).
    With d = deepest (1 - s^2) the integrand is smooth.
    """

    def squared(d: float) -> float:
        return float(IMPACT**2 + 2.0 * G * d - FIRM * d * d / MASS - cubic * d**4 / (2.0 * MASS))

    if cubic:
        deepest = brentq(squared, 1e-6, 1.0, xtol=1e-16, rtol=1e-15)
        rise = 2.0 * G - 2.0 * FIRM * deepest / MASS - 2.0 * cubic * deepest**3 / MASS

        def slowness(s: float) -> float:
            fell = squared(deepest * (1.0 - s * s)) if s > 1e-3 else -rise * deepest * s * s * (1.0 + s * s * bend)
            return 2.0 * deepest * s / np.sqrt(fell) if s > 0.0 else 2.0 * np.sqrt(deepest / -rise)

        second = -2.0 * FIRM / MASS - 6.0 * cubic * deepest**2 / MASS
        bend = -0.5 * second * deepest / rise
        contact = 2.0 * quad(slowness, 0.0, 1.0, epsabs=1e-13, epsrel=1e-13)[0]
    else:
        contact = 2.0 * (np.pi - np.arctan(IMPACT * SWING / G)) / SWING
    times, t = [], np.sqrt(2.0 * HEIGHT / G)
    while t < until:
        times += [t, t + contact]
        t += contact + 2.0 * IMPACT / G
    return [time for time in times if time < until]


@pytest.mark.parametrize("cubic", [0.0, CUBIC])
@pytest.mark.parametrize(
    "method", ["dp8", "dp5", "rk4", *(pytest.param(m, marks=pytest.mark.slow) for m in ("rattle4", "implicit4"))]
)
def test_touch_down_and_lift_off_are_where_they_should_be(cubic: float, method: str) -> None:
    """The first touch-down, after free fall, to 1e-14 s; all later ones to 1e-10 s by dp8 at 1e-12 and to 1e-6 s by the
    others, whose places are good to 1e-8 m or better and pass the ground with 1 m/s."""
    options = {"step": 2e-4} if method in ("rk4", "rattle4") else {"tolerance": 1e-12 if method == "dp8" else 1e-9}
    run = simulate(dropped(cubic), 1.0, every=0.05, method=method, correction="none", **options)
    wanted = bounces(cubic, 1.0)
    assert [event.change for event in run.events] == ["touches down", "lifts off"] * (len(wanted) // 2) + [
        "touches down"
    ] * (len(wanted) % 2)
    assert len(wanted) >= 6
    assert run.events[0].name == 'ground spring "a" touches down'
    found = np.array([event.time for event in run.events])
    if method != "implicit4":  # whose steps are not exact for a parabola to round-off
        assert abs(found[0] - wanted[0]) < 1e-13
    assert np.abs(found - wanted).max() < (1e-10 if method == "dp8" else 1e-6)


def test_energy_is_kept_through_bounces() -> None:
    """Without any correction: dp8 at 1e-12 over three bounces leaves 1e-10 J of 1 J; and the sum is what it should be,
    kinetic, spring and weight written out here."""
    run = simulate(dropped(), 1.0, every=0.001, method="dp8", tolerance=1e-12, correction="none")
    z, v = run.nodes[:, 0, 2], run.velocities[:, 0, 2]
    d = np.maximum(0.3 - z, 0.0)
    total = 0.5 * MASS * v**2 + 0.5 * FIRM * d**2 + 0.25 * CUBIC * d**4 + MASS * G * z
    assert d.max() > 0.01
    assert np.abs(total - total[0]).max() < 1e-10
    assert np.abs(run.energy_elastic - (0.5 * FIRM * d**2 + 0.25 * CUBIC * d**4)).max() < 1e-12


@pytest.mark.slow
def test_the_order_of_accuracy_is_kept_through_a_bounce() -> None:
    """rk4 by steps of 4, 2 and 1 ms through contact and back: located, errors go down at least 13-fold a halving (16 is
    the order, the rest its next term); not located, the kink leaves more than ten times as much at 1 ms."""
    errors, blind = [], []
    exact = reference("ground_spring").nodes
    for step in (4e-3, 2e-3, 1e-3):
        for located, kept in ((True, errors), (False, blind)):
            run = simulate(
                plant("ground_spring"),
                DURATION,
                every=EVERY,
                method="rk4",
                step=step,
                correction="none",
                locate=located,
            )
            kept.append(np.abs(run.nodes - exact).max())
    assert errors[0] > 13.0 * errors[1]
    assert errors[1] > 13.0 * errors[2]
    assert blind[2] > 10.0 * errors[2]


def test_friction_by_a_threshold_holds_what_terms_from_outside_push_with() -> None:
    """At rest on a slope of 0.2 rad, pressed in by 2 mm, a mass is pushed up by a ground spring: no force is left along
    the slope."""
    normal = np.array([np.sin(0.2), 0.0, np.cos(0.2)])
    soft = Compliance(stiffness=1e4, friction_law="threshold")
    slope = Ground("slope", Plane(tuple(map(float, normal))), friction=0.9, compliance=soft)
    place = -0.002 * normal
    structure = Structure({"a": tuple(map(float, place))}, point_masses={"a": 1.0})
    spring = GroundSpring("a", 1000.0, level=float(place[2]) + 0.004)
    made = assemble(structure, gravity=G, ground=[slope], elements=[spring])
    state = np.concatenate([place, np.zeros(4 + made.internal.size)])
    rates = np.zeros_like(state)
    made.operations()["rate"](made.own_tables(metric="mass", gains=(0.0, 0.0)), 0.0, state, rates)
    pushed = (20.0 + (4.0 - G) * normal[2]) * normal
    np.testing.assert_allclose(rates[3:6], pushed, atol=1e-12)


# --- statics and linear models


def depth() -> float:
    """Where k d + c d^3 = m g."""
    return float(brentq(lambda d: FIRM * d + CUBIC * d**3 - MASS * G, 0.0, 1.0, xtol=1e-16, rtol=1e-15))


def stiffness_there() -> float:
    return FIRM + 3.0 * CUBIC * depth() ** 2


def test_a_mass_on_ground_springs_sinks_to_the_root_of_the_cubic() -> None:
    """`balance` from above and from below the ground; 1e-10 of the weight over the stiffness is 4e-13 m."""
    for start in (0.31, 0.25):
        structure = Structure({"a": (0.1, 0.2, start)}, point_masses={"a": MASS})
        found = balance(structure, gravity=G, elements=[GroundSpring("a", FIRM, CUBIC, level=0.3)])
        assert found.ok, found.status
        assert abs(0.3 - found.structure.positions[0, 2] - depth()) < 1e-12
        assert found.residual <= 1e-9 * MASS * G


def test_modes_on_ground_springs() -> None:
    """One mode up and down, sqrt((k + 3 c d^2) / m); sideways nothing holds it."""
    structure = Structure({"a": (0.1, 0.2, 0.25)}, point_masses={"a": MASS})
    found = modes(balance(structure, gravity=G, elements=[GroundSpring("a", FIRM, CUBIC, level=0.3)]))
    frequency = np.sqrt(stiffness_there() / MASS) / (2.0 * np.pi)
    assert found.frequency[-1] == pytest.approx(frequency, rel=1e-9)
    assert len(found.frequency) + len(found.rigid_motions) == 3


def test_linear_model_on_ground_springs() -> None:
    """The same from the equations of motion; sideways two poles at zero each."""
    structure = Structure({"a": (0.1, 0.2, 0.3 - depth())}, point_masses={"a": MASS})
    model = linearise(assemble(structure, gravity=G, elements=[GroundSpring("a", FIRM, CUBIC, level=0.3)]))
    swing = np.sqrt(stiffness_there() / MASS)
    assert np.sort(np.abs(model.poles)) == pytest.approx([0.0, 0.0, 0.0, 0.0, swing, swing], rel=1e-9, abs=1e-6)
    above = linearise(dropped())
    assert np.abs(above.poles).max() < 1e-6, "in free fall nothing holds it"


def test_a_node_on_a_sphere_comes_to_rest_at_the_bottom() -> None:
    """`balance` from beside: to 1e-9 m."""
    structure = Structure({"a": tuple(BESIDE)}, point_masses={"a": 1.5})
    found = balance(structure, gravity=G, elements=[OnSphere("a", (0.0, 0.0, 0.0), RADIUS)])
    assert found.ok, found.status
    assert found.structure.positions[0] == pytest.approx([0.0, 0.0, -RADIUS], abs=1e-9)


def test_modes_of_a_node_on_a_sphere() -> None:
    """About the bottom: twice sqrt(g / R), from the force with which the sphere holds the node."""
    structure = Structure({"a": (0.0, 0.0, -RADIUS)}, point_masses={"a": 1.5})
    found = modes(balance(structure, gravity=G, elements=[OnSphere("a", (0.0, 0.0, 0.0), RADIUS)]))
    assert found.frequency == pytest.approx([np.sqrt(G / RADIUS) / (2.0 * np.pi)] * 2, rel=1e-8)


def test_linear_model_of_a_node_on_a_sphere() -> None:
    """The same from the equations of motion, undamped."""
    swing = np.sqrt(G / RADIUS)
    there = Structure({"a": (0.0, 0.0, -RADIUS)}, point_masses={"a": 1.5})
    model = linearise(assemble(there, gravity=G, elements=[OnSphere("a", (0.0, 0.0, 0.0), RADIUS)]))
    assert np.sort(np.abs(model.poles)) == pytest.approx([swing] * 4, rel=1e-10)
    assert np.abs(model.poles.real).max() < 1e-9


@pytest.mark.parametrize(
    ("element", "swing", "ways"),
    [
        (GroundSpring("a", FIRM, CUBIC, level=-RADIUS + 0.01), np.sqrt(stiffness_there() / MASS), 1),
        (OnSphere("a", (0.0, 0.0, 0.0), RADIUS), np.sqrt(G / RADIUS), 2),
    ],
    ids=["ground_spring", "on_sphere"],
)
def test_a_linear_model_of_an_equilibrium_keeps_its_elements(element: Any, swing: float, ways: int) -> None:
    """`linearise(balance(...))` swings as `linearise(assemble(...))` does there: what holds the node is not left behind
    with the equilibrium."""
    structure = Structure({"a": (0.0, 0.0, -RADIUS)}, point_masses={"a": MASS})
    model = linearise(balance(structure, gravity=G, elements=[element]))
    assert np.sort(np.abs(model.poles))[-2 * ways :] == pytest.approx([swing] * (2 * ways), rel=1e-8)


def test_statics_says_that_a_winch_follows_time() -> None:
    with pytest.raises(OptionError, match='"wound_cable" follows time, and statics has none'):
        balance(plant("wound_cable").structure, gravity=G, elements=[WoundCable("c", REST, WINDING, HERTZ)])


# --- outputs


def test_outputs_are_the_forces_by_hand() -> None:
    """Of two springs: names say which, numbers are k d + c d^3 of the places in the run, and zero above ground."""
    structure = Structure({"a": (0.0, 0.0, 0.05), "b": (1.0, 0.0, 0.02)}, point_masses={"a": 2.0, "b": 1.0})
    laws = {"a": (FIRM, CUBIC, 0.0), "b": (800.0, 0.0, 0.01)}
    springs = [GroundSpring(node, *law) for node, law in laws.items()]
    run = simulate(assemble(structure, gravity=G, elements=springs), DURATION, every=0.002)
    assert run.element_names == ("ground_spring_force[0]", "ground_spring_force[1]")
    assert run.element_output.shape == (run.time.size, 2)
    for k, (stiffness, cubic, level) in enumerate(laws.values()):
        d = np.maximum(level - run.nodes[:, k, 2], 0.0)
        assert np.abs(run.element_output[:, k] - (stiffness * d + cubic * d**3)).max() < 1e-12 * stiffness
        assert run.element_output[:, k].max() > 10.0
        assert run.element_output[:, k].min() == 0.0


@pytest.mark.slow
def test_the_force_of_a_sphere_is_that_of_a_pendulum() -> None:
    """What m a needs beyond the weight, along the normal, is minus the pull m (v^2 - g z) / R of a rod."""
    run, found = reference("on_sphere"), plant("on_sphere")
    own, normal = found.own_tables(metric="mass", gains=(0.0, 0.0)), []
    for place, speed in zip(run.nodes[:, 0], run.velocities[:, 0], strict=True):
        rate = np.zeros(7)
        found.operations()["rate"](own, 0.0, np.concatenate([place, speed, [0.0]]), rate)
        normal.append(1.5 * np.dot(rate[3:6] + np.array([0.0, 0.0, G]), place) / RADIUS)
    z, v = run.nodes[:, 0, 2], run.velocities[:, 0]
    assert found.constraint_names == ('sphere of node "a"',)
    assert np.abs(np.array(normal) + 1.5 * ((v * v).sum(axis=1) - G * z) / RADIUS).max() < 1e-9


# --- run files


LOADED_WITHOUT = """
import sys, taut
try:
    taut.read(sys.argv[1])
except taut.FileError as error:
    print("refused:", error)
else:
    print("loaded")
"""


@pytest.mark.parametrize("kind", FILES)
def test_a_run_goes_through_a_file_and_on(kind: str, tmp_path: Path) -> None:
    """A file names the kinds and holds their numbers. What comes back is the same, and goes on as one long run does, to
    the last bit; where the kind is not known, the file says which is missing and what to do."""
    path = tmp_path / "run.nc"
    half = simulate(plant(kind), 0.5 * DURATION, every=EVERY, method="dp8", tolerance=1e-10)
    taut.save(half, path)
    found = taut.read(path)
    (element,) = found.options["elements"]
    record = {
        "ground_spring": {"node": "a", "stiffness": FIRM, "cubic": CUBIC, "level": 0.3},
        "on_sphere": {"node": "a", "centre": [0.0, 0.0, 0.0], "radius": RADIUS},
        "wound_cable": {"cable": "c", "mean": REST, "amplitude": WINDING, "frequency": HERTZ},
    }[kind]
    assert element == {"kind": kind, **record}
    assert found.options == half.options
    assert found.element_names == half.element_names
    assert found.element_output.tobytes() == half.element_output.tobytes()
    whole, on = (
        simulate(plant(kind), DURATION, every=EVERY, method="dp8", tolerance=1e-10, start=start)
        for start in (None, found)
    )
    for name in ("nodes", "velocities", "element_output", "work", "time"):
        assert getattr(on, name).tobytes() == getattr(whole, name).tobytes(), name
    assert [event.time for event in on.events] == [event.time for event in whole.events]
    told = subprocess.run(
        [sys.executable, "-c", LOADED_WITHOUT, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(taut.__file__).parents[1])},
    ).stdout
    assert told.startswith("refused:")
    assert f'the kind "{kind}" is not registered here' in told
    assert "import the module that defines it" in told


def test_a_run_does_not_go_on_with_other_elements() -> None:
    half = simulate(plant("ground_spring"), 0.5 * DURATION, every=EVERY)
    with pytest.raises(OptionError, match="the trajectory to continue was made with other"):
        simulate(dropped(cubic=2.0 * CUBIC), DURATION, every=EVERY, start=half)


# --- ensembles


VARIANTS = {
    "ground_spring": lambda k: dropped(cubic=(0.5 + 0.2 * k) * CUBIC, mass=1.5 + 0.1 * k, height=0.03 + 0.004 * k),
    "on_sphere": lambda k: on_a_sphere((0.3, 0.5 + 0.1 * k, 0.225), mass=1.0 + 0.1 * k),
    "wound_cable": lambda k: hung(WINDING * (1.0 + 0.3 * k), mass=1.5 + 0.2 * k),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["on_sphere", "ground_spring", "wound_cable"])
def test_ensembles_agree_with_each_alone(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """rk4 by 0.5 ms, five plants that differ in whatever a kind has: what declares lanes goes in lanes, in one group;
    what does not goes one by one. Either way each is as it is alone, without locating events, to 1e-12 m."""
    went: list[str] = []

    def noting(name: str) -> Any:
        way = getattr(ensembles, name)

        def noted(*given: Any) -> Any:
            went.append(name)
            return way(*given)

        return noted

    for name in ("in_lanes", "one_by_one"):
        monkeypatch.setattr(ensembles, name, noting(name))
    plants = [VARIANTS[kind](k) for k in range(5)]
    together = ensemble(plants, 0.15, every=EVERY, method="rk4", step=5e-4)
    assert together.ok.all(), together.status
    assert went == (["one_by_one"] * 5 if kind == "wound_cable" else ["in_lanes"])
    for k, one in enumerate(plants):
        alone = simulate(one, 0.15, every=EVERY, method="rk4", step=5e-4, locate=False)
        assert np.abs(together.nodes[k] - alone.nodes).max() < 1e-12
        assert np.abs(together.element_output[k] - alone.element_output).max(initial=0.0) < 1e-12 * FIRM * 10.0
    assert np.ptp(together.nodes[:, -1], axis=0).max() > 1e-3, "variants that are all alike are no test"


def test_an_ensemble_refuses_plants_with_elements_elsewhere() -> None:
    """The node of a spring is no number that may vary."""
    structure = Structure({"a": (0.0, 0.0, 0.05), "b": (1.0, 0.0, 0.05)}, point_masses={"a": 2.0, "b": 1.0})
    plants = [assemble(structure, gravity=G, elements=[GroundSpring(node, FIRM)]) for node in "ab"]
    with pytest.raises(OptionError, match="an ensemble varies numbers only"):
        ensemble(plants, 0.1, method="rk4", step=5e-4)


# --- derivatives of the kinds' kernels


def sloped(function: Any, x: np.ndarray, step: float) -> np.ndarray:
    """Differences over five points, exact for cubics but for round-off."""
    columns = []
    for i in range(x.size):
        way = np.eye(x.size)[i] * step
        near = np.asarray(function(x + way)) - function(x - way)
        far = np.asarray(function(x + 2.0 * way)) - function(x - 2.0 * way)
        columns.append((8.0 * near - far) / (12.0 * step))
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("place", [0.28, 0.32], ids=["down", "up"])
def test_the_stiffness_of_ground_is_the_slope_of_its_force(place: float) -> None:
    """Against differences of the force, 1e-9 of 5000 N/m (round-off of 100 N over 1 mm is 1e-11 N/m times 1e3), and the
    force against differences of the energy."""
    found = plant("ground_spring")
    own, tools = found.own_tables(metric="mass", gains=(0.0, 0.0)), found.composition.tools

    def force(q: np.ndarray) -> np.ndarray:
        out = np.zeros(3)
        tools["elastic_force"](own, np.append(q, np.zeros(4)), out)
        return out

    def energy(q: np.ndarray) -> np.ndarray:
        return np.array([tools["elastic_force"](own, np.append(q, np.zeros(4)), np.zeros(3))])

    q, block = np.array([0.1, 0.2, place]), np.zeros(9)
    tools["stiffness_blocks"](own, 0.0, np.append(q, np.zeros(4)), 1.0, 0.0, block)
    assert np.abs(block.reshape(3, 3) + sloped(force, q, 1e-3)).max() < 1e-5
    assert np.abs(force(q) + sloped(energy, q, 1e-3)[0]).max() < 1e-7
    assert (block[8] > 1000.0) == (place < 0.3)


def test_the_derivatives_of_a_sphere_are_those_of_its_residual() -> None:
    """G against differences of the residual, its rate against differences along the velocity, the bias, d(G v)/dq, and
    the stiffness -l d2(residual)/dq2, at a state off the sphere; all quadratic, so exact but for round-off."""
    found = plant("on_sphere")
    own, tools, size = found.own_tables(metric="mass", gains=(0.0, 0.0)), found.composition.tools, 3
    q, v, way = np.array([0.4, -0.5, 0.3]), np.array([0.7, 0.2, -0.4]), np.array([0.1, -0.3, 0.9])
    y = np.concatenate([q, v, [0.0]])

    def residual(x: np.ndarray) -> np.ndarray:
        out = np.zeros(1)
        tools["fill_residuals"](own, np.concatenate([x, v, [0.0]]), out, np.zeros(1))
        return out

    def gradient(x: np.ndarray) -> np.ndarray:
        tools["fill_jacobian"](found.pack, np.concatenate([x, v, [0.0]]))
        return jacobian_matrix(found.tables).toarray()[0]

    def rate(x: np.ndarray) -> np.ndarray:
        out = np.zeros(1)
        tools["fill_residuals"](own, np.concatenate([x, v, [0.0]]), np.zeros(1), out)
        return out

    assert residual(q)[0] == pytest.approx((q @ q - RADIUS**2) / (2.0 * RADIUS))
    assert np.abs(gradient(q) - sloped(residual, q, 1e-2)[0]).max() < 1e-12
    assert rate(q)[0] == pytest.approx(gradient(q) @ v, abs=1e-14)
    along, bias, block = np.zeros(1), np.zeros(1), np.zeros(9)
    found.operations()["jacobian_rate"](own, y, way, along)
    assert along[0] == pytest.approx(sloped(rate, q, 1e-2)[0] @ way, abs=1e-12)
    tools["bias"](own, 0.0, y, bias)
    assert bias[0] == pytest.approx(-sloped(rate, q, 1e-2)[0] @ v, abs=1e-12)
    multiplier = np.array([2.5])
    tools["row_blocks"](own, y, multiplier, np.zeros(1), block)
    assert np.abs(block.reshape(size, size) + 2.5 * sloped(gradient, q, 1e-2)).max() < 1e-11


# --- twins


@pytest.mark.parametrize("method", ["dp8", pytest.param("rattle8", marks=pytest.mark.slow)])
def test_a_node_on_a_sphere_is_a_pendulum(method: str) -> None:
    """The twin hangs by a bar of next to no mass, half of it at either end; a pendulum's motion does not depend on its
    mass. Both swing around in space for a second, more than half a turn: 1e-8 m."""
    rod = Bar("rod", ("pin", "a"), mass=1e-6, inertia="lumped", length=RADIUS)
    structure = Structure(
        {"pin": (0.0, 0.0, 0.0), "a": tuple(BESIDE)}, [rod], supports={"pin": "xyz"}, point_masses={"a": 1.5}
    )
    twin = assemble(structure, gravity=G, velocities={"a": SPEED})
    options = {"tolerance": 1e-12} if method == "dp8" else {"step": 2e-3}
    one, other = (
        simulate(each, 1.0, every=0.05, method=method, **options).nodes[:, -1] for each in (on_a_sphere(), twin)
    )
    assert np.ptp(one, axis=0).max() > RADIUS
    assert np.abs(one - other).max() < 1e-8


class Wound(NamedTuple):
    """A mass m on a cable that is wound, taut throughout: m x'' = m g - k (x - r0 - a sin(w t)), from rest at balance.

    x - r0 - m g / k = a w0^2 / (w0^2 - w^2) (sin(w t) - w / w0 sin(w0 t))
    """

    below: np.ndarray
    speed: np.ndarray
    tension: np.ndarray
    work: np.ndarray


def wound(t: np.ndarray, amplitude: float = WINDING, hertz: float = HERTZ) -> Wound:
    own, w = np.sqrt(PULL / MASS), 2.0 * np.pi * hertz
    size = amplitude * own**2 / (own**2 - w**2)
    sag = MASS * G / PULL

    def tension(t: Any) -> Any:
        beyond = size * (np.sin(w * t) - w / own * np.sin(own * t))
        return PULL * (sag + beyond - amplitude * np.sin(w * t))

    below = REST + sag + size * (np.sin(w * t) - w / own * np.sin(own * t))
    speed = size * w * (np.cos(w * t) - np.cos(own * t))
    work = [
        quad(lambda s: -tension(s) * amplitude * w * np.cos(w * s), 0.0, end, epsabs=1e-13, limit=400)[0] for end in t
    ]
    return Wound(below, speed, tension(t), np.array(work))


@pytest.mark.parametrize("method", ["dp8", "rk4", "rattle8", pytest.param("implicit4", marks=pytest.mark.slow)])
def test_a_wound_cable_is_the_linear_equation(method: str) -> None:
    """Over two seconds, three windings: places, tension and the work of the winch against closed form and quadrature,
    and work = change of energy. dp8 at 1e-12: 1e-10; rk4 by 1 ms: 0.04 m (14 / 1000)^4 14 2 = 4e-8 m, times 400 N/m in
    tension; implicit at 1e-10: a hundred times it and tenfold for two seconds."""
    options = {"dp8": {"tolerance": 1e-12}, "rk4": {"step": 1e-3}, "rattle8": {"step": 2e-3}}
    run = simulate(
        plant("wound_cable"),
        2.0,
        every=0.05,
        method=method,
        correction="none",
        **options.get(method, {"tolerance": 1e-10}),
    )
    wanted = wound(run.time)
    close = {"dp8": 1e-10, "rk4": 4e-8, "rattle8": 1e-9, "implicit4": 1e-7}[method]
    assert wanted.tension.min() > 1.0, "taut throughout"
    assert run.events == ()
    assert np.abs(-run.nodes[:, 1, 2] - wanted.below).max() < close
    assert np.abs(-run.velocities[:, 1, 2] - wanted.speed).max() < 20.0 * close
    assert np.abs(run.cable_tension[:, 0] - wanted.tension).max() < PULL * close
    if not method.startswith("rattle"):
        assert np.abs(run.work - wanted.work).max() < 100.0 * close
    energy = run.energy_kinetic + run.energy_elastic + run.energy_gravity
    by_hand = 0.5 * MASS * wanted.speed**2 + 0.5 * wanted.tension**2 / PULL - MASS * G * wanted.below
    assert np.abs(energy - by_hand).max() < 100.0 * close
    assert np.abs((by_hand - by_hand[0]) - wanted.work).max() < 1e-11, "the closed form itself balances"
    assert np.ptp(wanted.work) > 0.1


def test_rattle_accounts_for_the_work_of_a_winch() -> None:
    """Its work is a sum of second order a substep, so it is not as good as its motion: 2 ms leaves less than
    1e-3 J, and half the step a quarter of that."""
    left = []
    for step in (2e-3, 1e-3):
        run = simulate(plant("wound_cable"), 1.0, every=0.05, method="rattle2", step=step)
        left.append(np.abs(run.work - wound(run.time).work).max())
    assert left[0] < 1e-3
    assert left[0] > 3.0 * left[1]


SLACKENING = 0.2
"""[m], so much winding that the cable slackens and tightens again and again."""


@pytest.mark.parametrize("method", ["dp8", "dp5"])
def test_a_wound_cable_that_slackens_balances_energy(method: str) -> None:
    """Nothing corrected, tolerance 1e-12, three seconds with slack and taut in turn: energy less the winch's work stays
    to 1e-9 J of 40 J, and at every event the cable is as long as its rest length of that time to 1e-12 m."""
    run = simulate(hung(SLACKENING), 3.0, every=0.01, method=method, tolerance=1e-12, correction="none")
    assert run.ok, run.status
    assert len(run.events) >= 8
    changes = [event.change for event in run.events]
    assert changes == ["slack", "taut"] * (len(changes) // 2) + ["slack"] * (len(changes) % 2)
    assert np.abs(run.energy_violation).max() < 1e-9
    assert np.ptp(run.work) > 1.0
    w = 2.0 * np.pi * HERTZ
    for event in run.events[:3]:
        there = simulate(hung(SLACKENING), event.time, every=event.time, method=method, tolerance=1e-12)
        rest = REST + SLACKENING * np.sin(w * there.time[-1])
        assert abs(-there.nodes[-1, 1, 2] - rest) < 1e-11


@pytest.mark.parametrize("tolerance", [1e-8, 1e-6])
def test_a_cable_that_a_winch_lets_slacken_for_a_moment_is_not_missed(tolerance: float) -> None:
    """A winch at 20 Hz gives out a little more than the cable is stretched, so that it is slack for some milliseconds
    with the mass next to at rest: what changes the margin is the winding, not the mass. All events are found at any
    tolerance, and the motion is as good as its tolerance (a hundred times it)."""
    sag = MASS * G / PULL
    fast = hung(1.005 * sag, hertz=20.0)
    wanted = simulate(fast, 0.5, every=0.01, method="dp8", tolerance=1e-13, correction="none")
    run = simulate(fast, 0.5, every=0.01, method="dp8", tolerance=tolerance, correction="none")
    assert [event.change for event in run.events] == [event.change for event in wanted.events]
    assert np.abs(run.nodes - wanted.nodes).max() < 100.0 * tolerance


# --- kernels from a factory


def _through(x: float) -> float:
    return law(x) + 0.0


def law(x: float) -> float:
    """Stands for a law that is made by `proportional`."""
    raise NotImplementedError


def proportional(factor: float) -> Any:
    @ex.inlined
    def by_factor(x: float) -> float:
        return factor * x

    return by_factor


def test_kernels_that_a_factory_makes_keep_their_own_numbers() -> None:
    """Two laws with the same code and another number within: what calls them is compiled for each, as it is where kinds
    are folded into a plant, and does not come out of the cache with the number of the other."""
    found = [again(entry, _through, {"law": proportional(factor)})(1.0) for factor in (2.0, 3.0)]
    assert found == [2.0, 3.0]


# --- what is refused


@dataclass(frozen=True)
class Stranger:
    node: str


def test_a_record_of_no_registered_kind_is_refused() -> None:
    structure = Structure({"a": (0.0, 0.0, 0.0)}, point_masses={"a": 1.0})
    for use in (assemble, balance):
        with pytest.raises(OptionError) as refusal:
            use(structure, elements=[Stranger("a")])
        told = str(refusal.value)
        assert "Stranger(node='a') is not an element of any registered kind" in told
        assert "ground_spring" in told
        assert "call taut.register with its kind first" in told


def test_two_kinds_of_one_name_are_refused() -> None:
    """Another record under a name that is taken; the same kind once more, as when a module is loaded again, is not."""
    from ground_spring import GROUND_SPRING

    with pytest.raises(OptionError, match='another kind is registered as "ground_spring"; give yours another name'):
        taut.register(GROUND_SPRING._replace(record=Stranger))
    assert taut.register(GROUND_SPRING) is GROUND_SPRING
    with pytest.raises(OptionError, match='the kind "nameless" has no record'):
        ex.register(GROUND_SPRING._replace(name="nameless", record=None))


def test_a_built_in_name_is_not_for_kinds_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind called "springs" would have its records taken and the built-in one in its place."""
    from ground_spring import GROUND_SPRING

    monkeypatch.setattr(spec, "_REGISTERED", dict(spec._REGISTERED))  # whatever comes of it is forgotten
    with pytest.raises(OptionError, match="springs"):
        taut.register(GROUND_SPRING._replace(name="springs", record=Stranger))


def test_a_node_that_is_not_there_is_said_by_name() -> None:
    """A slip in a record is a problem of the model, not a KeyError from inside a kind."""
    structure = Structure({"a": (0.0, 0.0, 0.0)}, point_masses={"a": 1.0})
    with pytest.raises(taut.TautError, match="b"):
        assemble(structure, elements=[GroundSpring("b", FIRM)])


def test_a_kind_that_says_half_is_refused() -> None:
    """What goes together, and what a term has to say that does work no potential knows."""
    from ground_spring import GROUND_SPRING

    half = GROUND_SPRING._replace(name="half", links=None)
    with pytest.raises(OptionError, match='the kind "half" has to say both stiffness and links, or neither'):
        taut.register(half)
    with pytest.raises(OptionError, match='the kind "half" has to say both observe and shows, or neither'):
        taut.register(GROUND_SPRING._replace(name="half", shows=None))
    bare = GROUND_SPRING._replace(name="half", force=GROUND_SPRING.conservative_force, conservative_force=None)
    with pytest.raises(OptionError, match='the term "half" has a force that no potential knows: say works=True'):
        taut.register(bare)


def test_a_kind_may_be_registered_again_when_its_module_is_loaded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a notebook, where a cell is run once more. Tests that come later on this worker have the first one back."""
    import importlib

    import wound_cable

    monkeypatch.setattr(spec, "_REGISTERED", dict(spec._REGISTERED))
    again = importlib.reload(wound_cable)
    assert taut.register(again.WOUND_CABLE) is again.WOUND_CABLE


def pushed(plant: Any) -> float:
    """The force along z on the only node of a plant, where it starts [N]."""
    q, v = plant.start()
    tables, out = plant.own_tables(metric="mass", gains=(0.0, 0.0)), np.zeros(q.size)
    plant.operations()["forces"](tables, 0.0, np.concatenate([q, v, [0.0], plant.internal]), out)
    return float(out[2])


def test_a_cell_that_is_run_once_more_has_its_new_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is composed, and compiled in lanes, was found by the names of kinds: the first law stayed."""
    monkeypatch.setattr(spec, "_REGISTERED", {})
    text, depth = (KINDS / "ground_spring.py").read_text(), 0.01
    firmer = text.replace("s.stiffness[k] * d + s.cubic", "2.0 * s.stiffness[k] * d + s.cubic")
    assert firmer != text

    def run_cell(told: str) -> tuple[Any, Any]:
        names: dict[str, Any] = {"__name__": "cell"}
        exec(compile(told, "cell", "exec", dont_inherit=True), names)
        record = names["GroundSpring"]("a", FIRM, level=depth)
        return record, assemble(Structure({"a": (0.0, 0.0, 0.0)}, point_masses={"a": MASS}), elements=[record])

    (old, before), (_, after) = run_cell(text), run_cell(firmer)
    assert pushed(after) == pytest.approx(2.0 * FIRM * depth)
    assert pushed(before) == pytest.approx(FIRM * depth), "a plant keeps the kind that it was assembled with"
    assert before.fingerprint == after.fingerprint, "which is of numbers"
    lanes = [words_for(side_by_side(alike([plant, plant]), 0))[0]["time_loop"] for plant in (before, after)]
    assert lanes[0] is not lanes[1]
    with pytest.raises(OptionError, match="other kinds of things than plant 0"):
        alike([before, after])
    for use in (assemble, balance):
        with pytest.raises(OptionError, match='was made before the kind "ground_spring" was registered again, with'):
            use(before.structure, elements=[old])
    with pytest.raises(OptionError, match="with another GroundSpring; make it once more"):
        reassembled(before.given, (), iterative=False)


@pytest.mark.slow
def test_what_a_kind_raises_is_raised_by_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    from ground_spring import GROUND_SPRING, depth_and_push, spring_count

    @ex.inlined
    def conservative_force(p, y, out):  # type: ignore[no-untyped-def]
        for k in range(spring_count(p)):
            if depth_and_push(p, k, y)[0] > 0.0:
                raise ValueError("the ground is not there")
        return 0.0, 0.0, 0.0

    hollow = GROUND_SPRING._replace(conservative_force=conservative_force)
    monkeypatch.setitem(spec._REGISTERED, "ground_spring", hollow)
    sim = taut.start_many(dropped(), 2, method="rk4", step=1e-3)
    fall = float(np.sqrt(2.0 * HEIGHT / G))
    sim.step(0.9 * fall)
    assert not sim.ended.any()
    with pytest.raises(ValueError, match="the ground is not there"):
        sim.step(0.2 * fall)


def test_rattle_refuses_a_term_that_does_work_no_potential_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """It books no work for it, and would be of first order."""
    from ground_spring import GROUND_SPRING

    monkeypatch.setitem(spec._REGISTERED, "ground_spring", GROUND_SPRING._replace(works=True))
    with pytest.raises(OptionError, match='is for motion without damping, but the kind "ground_spring" damps'):
        simulate(dropped(), 0.01, method="rattle4", step=1e-3)
