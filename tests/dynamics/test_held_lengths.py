"""Cables held at a length: closed forms of strings that slacken and catch, and what a catch may and may not do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from taut import (
    Cable,
    Load,
    OptionError,
    StepSignal,
    Structure,
    Trajectory,
    Watch,
    assemble,
    ensemble,
    linearise,
    simulate,
)

G = 9.81


def pendulum(mass: float = 2.0) -> Structure:
    nodes = {"o": (0.0, 0.0, 0.0), "p": (0.0, 0.0, -1.0)}
    return Structure(
        nodes, cables=[Cable("w", ("o", "p"), mode="length")], supports={"o": "xyz"}, point_masses={"p": mass}
    )


def balance_of(run: Trajectory) -> np.ndarray:
    return np.asarray(run.energy_kinetic + run.energy_elastic + run.energy_gravity - run.work)


@pytest.mark.slow
def test_a_string_slackens_and_catches_where_the_closed_form_says() -> None:
    """Thrown from below with v, the string slackens at the height (v^2 / g - 2 l) / 3; from there a parabola leads back
    to its circle, where the speed along the string is lost."""
    speed, mass = 6.5, 2.0
    run = simulate(assemble(pendulum(mass), gravity=G, velocities={"p": (speed, 0.0, 0.0)}), 1.5, tolerance=1e-12)
    assert run.ok, run.status
    slack, catch = run.events[0], run.events[1]
    assert (slack.change, catch.change) == ("slack", "taut")
    height = (speed**2 / G - 2.0) / 3.0
    # The time to there, by the pendulum's own equation.
    swing = solve_ivp(
        lambda t, x: (x[1], -G * math.sin(x[0])), (0.0, 1.5), (0.0, speed), "DOP853", rtol=1e-13, atol=1e-14,
        events=lambda t, x: -math.cos(x[0]) - height,
    )  # fmt: skip
    assert slack.time == pytest.approx(float(swing.t_events[0][0]), abs=1e-9)
    angle, turning = swing.y_events[0][0]
    x, z = math.sin(angle), -math.cos(angle)
    vx, vz = turning * math.cos(angle), turning * math.sin(angle)

    def off(t: float) -> float:
        return math.hypot(x + vx * t, z + vz * t - 0.5 * G * t * t) - 1.0

    flown = brentq(off, 0.05, 1.5, xtol=1e-15)
    assert catch.time == pytest.approx(slack.time + flown, abs=1e-9)
    ux, uz = x + vx * flown, z + vz * flown - 0.5 * G * flown**2
    along = ux * vx + uz * (vz - G * flown)
    assert run.work[-1] == pytest.approx(-0.5 * mass * along**2, rel=1e-9)
    assert np.ptp(balance_of(run)) < 1e-9
    assert run.cable_length.max() < 1.0 + 1e-12
    assert run.cable_tension.min() >= 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", ["dp5", "rk4", *(pytest.param(m, marks=pytest.mark.slow) for m in ("rattle4", "implicit4"))]
)
def test_every_method_catches_alike(method: str) -> None:
    plant = assemble(pendulum(), gravity=G, velocities={"p": (6.5, 0.0, 0.3)})
    wanted = simulate(plant, 1.4, every=0.1, method="dp8", tolerance=1e-12, verify=False)
    assert len(wanted.events) >= 2
    options = {"dp5": {"tolerance": 1e-10}, "implicit4": {"tolerance": 1e-9}}.get(method, {"step": 5e-4})
    run = simulate(plant, 1.4, every=0.1, method=method, verify=False, **options)
    assert run.finished
    assert np.abs(run.nodes - wanted.nodes).max() < {"implicit4": 1e-5}.get(method, 1e-7)
    assert len(run.events) == len(wanted.events)


@pytest.mark.slow
def test_a_bead_on_a_string_moves_as_on_its_ellipse() -> None:
    """One coordinate on the ellipse with the fixed points as foci, by its own equation of motion."""
    c, a = 1.0, 1.4  # half the distance of the foci, half the length of the string
    b, start = math.sqrt(a * a - c * c), -2.2
    nodes = {"f": (-c, 0.0, 0.0), "g": (c, 0.0, 0.0), "bead": (a * math.cos(start), 0.0, b * math.sin(start))}
    string = Cable("w", ("f", "bead", "g"), mode="length")
    bead = Structure(nodes, cables=[string], supports={"f": "xyz", "g": "xyz"}, point_masses={"bead": 0.7})
    run = simulate(assemble(bead, gravity=G), 2.0, every=0.2, method="dp8", tolerance=1e-12)
    assert run.ok

    def moving(t: float, s: np.ndarray) -> tuple[float, float]:
        e, w = s
        size = (a * math.sin(e)) ** 2 + (b * math.cos(e)) ** 2
        return w, -(0.5 * (a * a - b * b) * math.sin(2.0 * e) * w * w + G * b * math.cos(e)) / size

    wanted = solve_ivp(moving, (0.0, 2.0), (start, 0.0), "DOP853", run.time, rtol=1e-13, atol=1e-14).y[0]
    assert np.abs(run.nodes[:, 2, 0] - a * np.cos(wanted)).max() < 1e-10
    assert np.abs(run.nodes[:, 2, 2] - b * np.sin(wanted)).max() < 1e-10
    assert np.ptp(run.cable_length) < 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("beside", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["a post", "nothing"])
def test_a_catch_between_free_masses_keeps_momentum(beside: bool) -> None:
    """Two masses fly apart until the string between them catches: then they move on with their common velocity; with a
    post beside them, which they never touch, they are compiled as the pendulum is."""
    nodes = {"a": (0.0, 0.0, 0.0), "b": (0.5, 0.0, 0.0)} | ({"post": (0.0, 9.0, 0.0)} if beside else {})
    string = Cable("w", ("a", "b"), mode="length", command=1.0)
    held = {"post": "xyz"} if beside else {}
    pair = Structure(nodes, cables=[string], supports=held, point_masses={"a": 1.0, "b": 3.0})
    run = simulate(assemble(pair, velocities={"b": (2.0, 0.0, 0.0)}), 0.5, every=0.05, tolerance=1e-11)
    assert [event.change for event in run.events] == ["taut"]
    assert run.events[0].time == pytest.approx(0.25, abs=1e-12)
    assert run.velocities[-1, :2, 0] == pytest.approx([1.5, 1.5], rel=1e-12)
    assert run.work[-1] == pytest.approx(-0.5 * (1.0 * 3.0 / 4.0) * 4.0, rel=1e-12)
    assert run.cable_tension[0, 0] == 0.0, "it starts slack, and is not pulled to its length"


def test_the_tension_of_a_moving_string_does_not_change_where_the_whole_motion_is_turned() -> None:
    """Over a free guide the length is no square root of one square, so that rates of G change with places, too."""
    nodes = {"a": (0.0, 0.0, 0.0), "g": (0.5, 0.3, -0.4), "b": (1.2, 0.1, 0.2), "post": (0.0, 9.0, 0.0)}
    string = Cable("w", ("a", "g", "b"), mode="length")
    free = Structure(nodes, cables=[string], supports={"post": "xyz"}, point_masses={"a": 1.0, "g": 0.5, "b": 2.0})
    moving = {"a": (-0.4, 0.7, -0.2), "g": (0.3, -0.5, -0.9), "b": (-0.8, -0.1, 0.6)}  # apart: else it is slack
    model = linearise(assemble(free, velocities=moving), outputs=["cable:w.tension"])
    turning = np.cross((0.3, -0.5, 0.8), model.about.reshape(-1, 3))
    turning[3] = 0.0  # the post
    assert model.offset[0] > 1.0
    assert abs((model.C @ model.reading @ turning.ravel())[0]) < 1e-9


def test_a_linear_model_says_which_string_would_have_to_push() -> None:
    standing, hanging = ({"p": (0.0, 0.0, place)} for place in (1.0, -1.0))
    plant = assemble(pendulum(), gravity=G)
    told = [" ".join(linearise(plant, positions=one).notes) for one in (standing, hanging)]
    assert 'would push here, so that a run lets go of it, and counted as a rod: "w"' in told[0]
    assert told[1] == ""


@pytest.mark.slow
def test_an_impulse_never_pushes() -> None:
    """A ball swings on one string until another, tied beside it, catches: that pulls it towards both anchors, and the
    first string would have to push to stay long; it is let go, and the loss is that along the second alone."""
    nodes = {"o": (0.0, 0.0, 0.0), "q": (0.6, 0.0, 0.0), "ball": (math.sin(1.0), 0.0, -math.cos(1.0))}
    strings = [Cable("swing", ("o", "ball"), mode="length"), Cable("stop", ("q", "ball"), mode="length", command=0.9)]
    ball = Structure(nodes, cables=strings, supports={"o": "xyz", "q": "xyz"}, point_masses={"ball": 1.0})
    run = simulate(assemble(ball, gravity=G), 0.6, every=0.01, tolerance=1e-12, verify=False)
    assert [(event.subject, event.change) for event in run.events[:2]] == [("stop", "taut"), ("swing", "slack")]
    caught = run.events[0].time
    assert run.events[1].time == pytest.approx(caught, abs=1e-12)
    # Where its circle meets that of the second string, and how fast it comes there.
    angle = brentq(lambda x: math.hypot(math.sin(x) - 0.6, math.cos(x)) - 0.9, 0.0, 1.0, xtol=1e-15)
    speed = math.sqrt(2.0 * G * (math.cos(angle) - math.cos(1.0)))
    along = speed * (-math.cos(angle) * (math.sin(angle) - 0.6) + math.sin(angle) * math.cos(angle)) / 0.9
    assert run.work[-1] == pytest.approx(-0.5 * along**2, rel=1e-9)
    assert np.all(run.cable_length <= np.array([1.0, 0.9]) + 1e-9)
    assert np.ptp(balance_of(run)) < 1e-10
    assert run.cable_tension.min() > -1e-9


@pytest.mark.slow
def test_strings_on_both_sides_keep_a_ball_between_them() -> None:
    """Caught by both, it moves on along the circle on which both are taut, and loses nothing more."""
    nodes = {"top": (0.0, 0.0, 1.0), "low": (0.1, 0.0, -1.0), "ball": (0.0, 0.0, 0.0)}
    strings = [
        Cable("up", ("top", "ball"), mode="length", command=1.02),
        Cable("down", ("low", "ball"), mode="length", command=1.05),
    ]
    ball = Structure(nodes, cables=strings, supports={"top": "xyz", "low": "xyz"}, point_masses={"ball": 1.0})
    run = simulate(assemble(ball, velocities={"ball": (0.3, 0.1, 1.0)}), 3.0, every=0.01, tolerance=1e-11, verify=False)
    assert [event.change for event in run.events] == ["taut", "taut"]
    assert np.ptp(run.energy_kinetic[100:]) < 1e-10
    assert np.all(np.diff(run.energy_kinetic) < 1e-9), "nothing gives it energy"
    assert np.ptp(balance_of(run)) < 1e-10


@pytest.mark.slow
def test_a_run_goes_on_where_it_stopped() -> None:
    """In one piece or in two, over a catch: the same to the last digit."""
    plant = assemble(pendulum(), gravity=G, velocities={"p": (6.5, 0.0, 0.0)})
    whole = simulate(plant, 1.4, every=0.1, verify=False)
    first = simulate(plant, 0.8, every=0.1, verify=False)
    second = simulate(plant, 1.4, every=0.1, start=first, verify=False)
    assert np.abs(whole.nodes[-1] - second.nodes[-1]).max() < 1e-8


@pytest.mark.slow
def test_a_held_cable_can_be_cut() -> None:
    cut = Watch.at_time("snap", 0.2, then="cut", cut=["cable:w"])
    run = simulate(assemble(pendulum(), gravity=G, events=[cut]), 0.5, every=0.1)
    assert run.nodes[-1, 1, 2] == pytest.approx(-1.0 - 0.5 * G * 0.3**2, abs=1e-10)
    assert run.cable_tension[:, 0] == pytest.approx([2.0 * G, 2.0 * G, 2.0 * G, 0.0, 0.0, 0.0], abs=1e-9)


@pytest.mark.slow
def test_the_tension_of_a_string_can_be_watched_and_cut_it() -> None:
    """Let go from 1.2 rad it pulls with m g (3 cos x - 2 cos 1.2); where that reaches the limit the string breaks."""
    nodes = {"o": (0.0, 0.0, 0.0), "p": (math.sin(1.2), 0.0, -math.cos(1.2))}
    string = Cable("w", ("o", "p"), mode="length")
    swing = Structure(nodes, cables=[string], supports={"o": "xyz"}, point_masses={"p": 2.0})
    limit = 40.0
    run = simulate(
        assemble(swing, gravity=G, events=[Watch.at_tension("breaks", "w", limit, then="cut")]), 0.6, tolerance=1e-11
    )
    angle = math.acos((limit / (2.0 * G) + 2.0 * math.cos(1.2)) / 3.0)
    fall = solve_ivp(
        lambda t, x: (x[1], -G * math.sin(x[0])), (0.0, 0.6), (1.2, 0.0), "DOP853", rtol=1e-13, atol=1e-14,
        events=lambda t, x: x[0] - angle,
    )  # fmt: skip
    (event,) = run.events
    assert event.subject == "breaks"
    assert event.time == pytest.approx(float(fall.t_events[0][0]), abs=1e-9)
    assert run.cable_tension[-1, 0] == 0.0
    assert run.cable_tension[:, 0].max() < limit


@pytest.mark.slow
def test_a_linear_model_of_a_string_swings_as_a_pendulum() -> None:
    model = linearise(assemble(pendulum(), gravity=G), inputs=["node:p.x"], outputs=["node:p.x"])
    found = np.abs(np.linalg.eigvals(model.A).imag)
    assert np.unique(np.round(found[found > 0.1], 9)) == pytest.approx([math.sqrt(G)])


@pytest.mark.slow
def test_what_needs_instants_says_so() -> None:
    plant = assemble(pendulum(), gravity=G)
    for run in (
        lambda: simulate(plant, 0.1, locate=False),
        lambda: ensemble(plant, 0.1, velocities=np.zeros((2, 2, 3)), method="rk4", step=1e-3),
    ):
        with pytest.raises(OptionError, match='cable "w" is held at its length: it goes slack and catches at instants'):
            run()
    found = ensemble(plant, 0.1, velocities=np.zeros((2, 2, 3)), method="dp5")
    assert found.cable_tension[:, -1, 0] == pytest.approx(2.0 * G)


def test_a_string_just_long_enough_lets_go_of_what_is_thrown_or_pushed_inwards() -> None:
    """It took the velocity away, and pushed with 20.19 N where a load came."""
    swing = pendulum(1.0)
    thrown = simulate(assemble(swing, gravity=G, velocities={"p": (0.0, 0.0, 1.0)}), 0.2, every=0.1, verify=False)
    assert thrown.nodes[:, 1, 2] == pytest.approx(-1.0 + thrown.time - 0.5 * G * thrown.time**2, abs=1e-12)
    push = Load("p", "z", StepSignal((0.0, 0.1), (0.0, 30.0)))
    pushed = simulate(assemble(swing, gravity=G, loads=[push]), 0.2, every=0.1, verify=False)
    assert [str(event) for event in pushed.events] == ['cable "w" slack at 0.1 s']
    assert pushed.cable_tension[:, 0] == pytest.approx([G, 0.0, 0.0], abs=1e-12)
    assert pushed.reaction[:, 0, 2] == pytest.approx([G, 0.0, 0.0], abs=1e-12)
    plant = assemble(swing, gravity=G, loads=[push])
    nothing = plant.observed(
        plant.own_tables(metric="mass", gains=(0.0, 0.0)), np.zeros(0), np.zeros((0, 2 * plant.coordinates + 1))
    )
    assert nothing["cable_tension"].shape == (0, 1), "of a part of a run that has no samples"
