"""Members that pass through or touch one another: closed forms, near misses, fine sampling, and what a run does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import taut
from taut import Bar, Cable, Structure, Trajectory, assemble, simulate
from taut.dynamics import collisions
from taut.dynamics.trajectory import of_samples
from taut.errors import ModelError, OptionError
from taut.structure.files import model_text, parse_model

GRAVITY = 9.81
FALL = float(np.sqrt(2.0 / GRAVITY))
"""When what falls from 1 m is at zero [s]."""


def made(bars: Sequence[tuple[str, str]], cables: Sequence[tuple[str, ...]], radius: float | None = None) -> Structure:
    names = dict.fromkeys(node for one in (*bars, *cables) for node in one)
    return Structure(
        {name: (float(k), 0.3 * k * k, 0.1 * k**3) for k, name in enumerate(names)},
        [Bar("".join(ends), ends, mass=1.0, radius=radius) for ends in bars],
        [Cable("".join(route), tuple(route), stiffness=100.0, rest_length=0.1) for route in cables],
    )


def moved(
    structure: Structure, time: np.ndarray, nodes: np.ndarray, rates: np.ndarray, pull: float = 1.0
) -> Trajectory:
    """A run of these positions and velocities (T, n, 3)."""
    tension = np.full((time.size, len(structure.cables)), pull)
    return of_samples(structure, {"time": time, "nodes": nodes, "velocities": rates, "cable_tension": tension})


def falling(x: float = 0.1, *, tight: bool = True) -> Structure:
    """A bar along y that falls from 1 m onto a cable along x between supports."""
    return Structure(
        {"a": (-1.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0), "c": (x, -0.5, 1.0), "d": (x, 0.4, 1.0)},
        [Bar("f", ("c", "d"), mass=1.0)],
        [Cable("w", ("a", "b"), stiffness=100.0, rest_length=1.0 if tight else 3.0)],
        supports={"a": "xyz", "b": "xyz"},
    )


def fallen(structure: Structure, **options: object) -> Trajectory:
    return simulate(assemble(structure, gravity=GRAVITY), 0.6, every=0.05, verify=False, **options)  # type: ignore[arg-type]


def test_a_bar_that_falls_through_a_cable_is_told_with_its_time() -> None:
    run = fallen(falling())
    (event,) = run.collisions
    assert event.time == pytest.approx(FALL, rel=1e-12)
    assert event.name == 'cable "w" went through bar "f"'
    assert (event.subject, event.change) == ("cable:w bar:f", "through")
    assert event in run.events
    (note,) = run.notes
    assert note == (
        'members collided once, which the motion does not feel: cable "w" went through bar "f" at t = 0.451524 s '
        "(found between samples 0.05 s apart)"
    )
    assert run.ok
    assert run.time[-1] == pytest.approx(0.6)


def test_a_bar_that_falls_beside_a_cable_is_not_told() -> None:
    assert fallen(falling(1.0 - 1e-9)).collisions
    assert fallen(falling(1.0 + 1e-9)).collisions == ()


def test_a_slack_cable_is_left_out() -> None:
    assert fallen(falling(tight=False)).collisions == ()


def test_a_run_stops_where_it_is_to_and_can_go_on() -> None:
    """At the sample after the instant; what goes on from there is the run that did not stop."""
    whole = fallen(falling())
    run = fallen(falling(), on_collision="stop")
    assert run.status == 'finished at t = 0.5 s: cable "w" went through bar "f" at t = 0.451524 s'
    assert run.time[-1] == 0.5
    assert run.events == whole.events
    np.testing.assert_array_equal(run.nodes, whole.nodes[: run.time.size])
    further = fallen(falling(), start=run, on_collision="stop")
    assert further.status == "finished", "what was told is not told again"
    np.testing.assert_array_equal(further.nodes, whole.nodes)
    assert further.events == whole.events
    assert further.notes == whole.notes


def test_a_run_that_is_not_to_look_tells_nothing_and_can_be_looked_at_later() -> None:
    run = fallen(falling(), on_collision="ignore")
    assert run.events == ()
    assert run.notes == ()
    (event,) = collisions(run)
    assert event.time == pytest.approx(FALL, rel=1e-12)


def test_thick_members_touch_before_they_meet() -> None:
    """Where the bar has come down to the clearance above the cable."""
    for clearance, close in ((0.2, 1e-9), (1e-3, 1e-9), (1e-6, 1e-6)):  # of the last it is seen that it passes through
        (event,) = fallen(falling(), clearance=clearance).collisions
        assert event.time == pytest.approx(np.sqrt(2.0 * (1.0 - clearance) / GRAVITY), rel=close)
        assert event.name == 'cable "w" touched bar "f"'
    (event,) = fallen(falling().changed("bar:f", radius=0.03), clearance=0.02).collisions
    assert event.time == pytest.approx(np.sqrt(2.0 * 0.95 / GRAVITY), rel=1e-9)


def test_steps_by_hand_tell_it_too() -> None:
    sim = taut.start(assemble(falling(), gravity=GRAVITY))
    for _ in range(12):
        sim.step(0.05)
    run = sim.trajectory()
    (event,) = run.collisions
    assert event.time == pytest.approx(FALL, rel=1e-12)
    assert "members collided once" in run.notes[0]


def test_parts_that_go_to_a_sink_have_the_same_events(tmp_path: Path) -> None:
    parts: list[Trajectory] = []
    run = fallen(falling(), sink=parts.append, on_collision="stop")
    assert tuple(event for part in parts for event in part.events) == run.events == run.collisions
    whole = fallen(falling())
    taut.save(whole, tmp_path / "run.nc")
    assert taut.read(tmp_path / "run.nc").collisions == whole.collisions


def spun(rate: float, count: int, radius: float, height: float) -> Trajectory:
    """A bar of 2 m that spins about z with a rate [rad/s] for 1 s, over a bar upright at a radius that reaches to a
    height."""
    structure = made([("a", "b"), ("c", "d")], [])
    time = np.linspace(0.0, 1.0, count + 1)
    angle = rate * time + 0.1
    arm = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    turn = rate * np.stack([-np.sin(angle), np.cos(angle), 0.0 * angle], axis=1)
    still = np.broadcast_to([[radius, 0.0, -1.0], [radius, 0.0, height]], (time.size, 2, 3))
    nodes = np.concatenate([np.stack([-arm, arm], axis=1), still], axis=1)
    rates = np.concatenate([np.stack([-turn, turn], axis=1), 0.0 * still], axis=1)
    return moved(structure, time, nodes, rates)


@pytest.mark.parametrize("count", [40, 80, 160])
def test_a_spinning_bar_passes_an_upright_one_twice_a_turn(count: int) -> None:
    """Cubics between samples: instants are right to the fourth power of what it turns between two of them."""
    rate = 20.0
    found = [event.time for event in collisions(spun(rate, count, 0.7, 0.5))]
    wanted = [(k * np.pi - 0.1) / rate for k in range(1, 7) if (k * np.pi - 0.1) / rate <= 1.0]
    assert len(wanted) == 6
    # An end of a bar of 1 m is off its circle by x^4 / 384 between samples x apart; cut to eight chords, time is not.
    np.testing.assert_allclose(found, wanted, atol=2.0 * (rate / count) ** 4 / 384.0 / rate + 1e-12)


def test_a_spinning_bar_misses_what_is_out_of_its_reach() -> None:
    assert collisions(spun(20.0, 60, 1.001, 0.5)) == ()
    assert collisions(spun(20.0, 60, 0.7, -1e-3)) == ()
    assert len(collisions(spun(20.0, 60, 0.7, -1e-3), clearance=2e-3)) == 6


def test_parallel_members_do_not_pass_through_one_another() -> None:
    """They come side by side, and that is a touch where they are thick; what slides along its own line is nothing."""
    structure = made([("a", "b"), ("c", "d")], [])
    time = np.linspace(0.0, 1.0, 11)
    shift = np.array([0.0, 1.0, 0.0]) * (1.0 - 2.0 * time)[:, None]
    nodes = np.zeros((11, 4, 3))
    nodes[:, 1] = nodes[:, 3] = 1.0, 0.0, 0.0
    nodes[:, 2:] += shift[:, None]
    rates = np.zeros_like(nodes)
    rates[:, 2:] = 0.0, -2.0, 0.0
    nodes[:, 2:, 2] = 0.06  # in a plane members would pass beside each other
    run = moved(structure, time, nodes, rates)
    assert collisions(run) == ()
    (event,) = collisions(run, clearance=0.1)
    assert event.time == pytest.approx(0.46, abs=1e-12)


def test_members_in_a_plane_pass_beside_one_another() -> None:
    """Bars that turn over one another in a plane, also one that is askew."""
    structure = made([("a", "b"), ("c", "d")], [])
    time = np.linspace(0.0, 1.0, 21)
    angle = 3.0 * time
    nodes, rates = np.zeros((21, 4, 3)), np.zeros((21, 4, 3))
    nodes[:, 1] = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    rates[:, 1] = 3.0 * np.stack([-np.sin(angle), np.cos(angle), 0.0 * angle], axis=1)
    nodes[:, 2], nodes[:, 3] = (0.2, 0.5, 0.0), (-0.2, 0.5, 0.0)
    assert collisions(moved(structure, time, nodes, rates)) == ()
    turn, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))
    assert collisions(moved(structure, time, nodes @ turn, rates @ turn), clearance=0.01) == ()
    nodes[0, 0, 2] = 0.01  # thick ones touch where it is no plane
    assert len(collisions(moved(structure, time, nodes, rates), clearance=0.01)) == 1


def test_members_that_share_a_node_do_not_count_near_it() -> None:
    """Two bars at a hinge that close like scissors: never without thickness, else where their far halves come near."""
    structure = made([("a", "b"), ("a", "c"), ("d", "e")], [])
    time = np.linspace(0.0, 1.0, 41)
    angle = 1.0 - time
    nodes, rates = np.zeros((41, 5, 3)), np.zeros((41, 5, 3))
    nodes[:, 3:] = (5.0, 1.0, 0.0), (5.0, 2.0, 0.0)  # another, out of the plane in which they turn
    nodes[:, 1] = 1.0, 0.0, 0.0
    nodes[:, 2] = np.stack([np.cos(angle), 0.0 * angle, np.sin(angle)], axis=1)
    rates[:, 2] = np.stack([np.sin(angle), 0.0 * angle, -np.cos(angle)], axis=1)
    run = moved(structure, time, nodes, rates)
    assert collisions(run) == ()
    (event,) = collisions(run, clearance=0.1)
    # What is left of both begins in their middles, which are 2 . 0.5 sin(angle / 2) apart.
    assert event.time == pytest.approx(1.0 - 2.0 * np.arcsin(0.1), abs=1e-8)


def test_a_cable_over_a_guide_is_looked_at_stretch_by_stretch() -> None:
    """One that goes from a to b to c is passed in its second stretch; its own stretches are no pair."""
    structure = made([("d", "e")], [("a", "b", "c")])
    place = {name: k for k, name in enumerate(structure.nodes)}
    time = np.linspace(0.0, 1.0, 9)
    nodes, rates = np.zeros((9, 5, 3)), np.zeros((9, 5, 3))
    for name, at in (("a", (-1.0, 0.0, 0.0)), ("b", (0.0, 0.0, 1.0)), ("c", (1.0, 0.0, 0.0))):
        nodes[:, place[name]] = at
    for name, y in (("d", -0.5), ("e", 0.5)):
        nodes[:, place[name]] = np.stack([0.5 + 0 * time, y + 0 * time, 2.0 - 2.0 * time], axis=1)
        rates[:, place[name]] = 0.0, 0.0, -2.0
    (event,) = collisions(moved(structure, time, nodes, rates))
    assert event.time == pytest.approx(0.75, abs=1e-12)
    assert event.subject == "cable:abc bar:de"


def test_there_and_back_again_between_two_samples_is_seen() -> None:
    """A bar thrown up that just reaches above a cable and falls back: twice, in one interval of samples."""
    structure = made([("a", "b")], [("c", "d")])
    time, top, middle = np.array([0.0, 1.0]), 1e-4, 0.44  # not where an eighth of the interval ends
    height = top - 4.0 * (time - middle) ** 2
    nodes, rates = np.zeros((2, 4, 3)), np.zeros((2, 4, 3))
    nodes[:, 0], nodes[:, 1] = (0.0, -1.0, 0.0), (0.1, 1.0, 0.0)
    nodes[:, :2, 2] = height[:, None]
    rates[:, :2, 2] = -8.0 * (time - middle)[:, None]
    nodes[:, 2], nodes[:, 3] = (-1.0, 0.0, 0.0), (1.0, 0.1, 0.0)
    found = collisions(moved(structure, time, nodes, rates))
    half = np.sqrt(top) / 2.0
    assert [event.time for event in found] == pytest.approx([middle - half, middle + half], abs=1e-9)


def random_motion(seed: int, count: int, duration: float) -> tuple[Structure, np.ndarray, np.ndarray, np.ndarray]:
    """Struts that go, turn and telescope at random, each end along a cubic that samples describe exactly."""
    random = np.random.default_rng(seed)
    ends = [(f"a{k}", f"b{k}") for k in range(count)]
    parts = random.normal(size=(4, 2 * count, 3)) * np.array([1.0, 1.0, 0.5, 0.3])[:, None, None]
    time = np.linspace(0.0, duration, 4)
    powers = np.stack([np.ones_like(time), time, time**2, time**3])
    slopes = np.stack([0.0 * time, np.ones_like(time), 2.0 * time, 3.0 * time**2])
    nodes, rates = (np.einsum("kt,kni->tni", some, parts) for some in (powers, slopes))
    made_of = made(ends, [])
    return (
        replace(made_of, bars=[replace(b, law="pneumatic", force=0.0) for b in made_of.bars.values()]),
        time,
        nodes,
        rates,
    )


def brute(nodes: np.ndarray, rates: np.ndarray, time: np.ndarray, fine: int) -> list[tuple[float, int, int]]:
    """Passings by signs of volumes at many times, each cubic evaluated by numpy, every pair by itself."""
    found = []
    for k in range(time.size - 1):
        h = time[k + 1] - time[k]
        t = np.linspace(0.0, 1.0, fine + 1)[:, None, None]
        p = (2 * t**3 - 3 * t**2 + 1) * nodes[k] + (t**3 - 2 * t**2 + t) * h * rates[k]
        p = p + (3 * t**2 - 2 * t**3) * nodes[k + 1] + (t**3 - t**2) * h * rates[k + 1]
        for i in range(nodes.shape[1] // 2):
            for j in range(i + 1, nodes.shape[1] // 2):
                a, b, c, d = p[:, 2 * i], p[:, 2 * i + 1], p[:, 2 * j], p[:, 2 * j + 1]
                u, w, r = b - a, d - c, c - a
                across = np.cross(u, w)
                volumes = np.einsum("ti,ti->t", across, r)
                size = np.einsum("ti,ti->t", across, across)
                s = np.einsum("ti,ti->t", np.cross(r, w), across) / size
                q = np.einsum("ti,ti->t", np.cross(r, u), across) / size
                inside = (s > 0) & (s < 1) & (q > 0) & (q < 1)
                for at in np.flatnonzero((np.sign(volumes[1:]) != np.sign(volumes[:-1])) & inside[1:] & inside[:-1]):
                    share = volumes[at] / (volumes[at] - volumes[at + 1])
                    found.append((time[k] + (at + share) / fine * h, i, j))
    return sorted(found)


@pytest.mark.parametrize("seed", range(6))
def test_random_motions_agree_with_fine_sampling(seed: int) -> None:
    structure, time, nodes, rates = random_motion(seed, 16, 1.5)
    found = [
        (event.time, *sorted(map(_number, event.subject.split())))
        for event in collisions(moved(structure, time, nodes, rates))
    ]
    wanted = brute(nodes, rates, time, 4000)
    assert len(wanted) > 10
    assert [one[1:] for one in found] == [one[1:] for one in wanted]
    np.testing.assert_allclose([one[0] for one in found], [one[0] for one in wanted], atol=1e-6)


def _number(selector: str) -> int:
    return int(selector.rpartition("b")[2])


@pytest.mark.parametrize("seed", range(3))
def test_many_members_are_looked_at_among_their_neighbours_alone(seed: int) -> None:
    """Beyond ALL_PAIRS boxes are swept: the same as every pair gives, with thickness and without."""
    from taut.dynamics import member_collisions as own

    structure, time, nodes, rates = random_motion(seed, own.ALL_PAIRS + 40, 0.4)
    run = moved(structure, time, nodes, rates)
    swept = collisions(run), collisions(run, clearance=0.01)
    assert len(swept[0]) > 500
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(own, "ALL_PAIRS", 10**6)
        assert (collisions(run), collisions(run, clearance=0.01)) == swept


def test_thick_random_motions_agree_with_fine_sampling() -> None:
    """Distances at many times, by the ends of each to the other and by the lines."""
    count = 16
    structure, time, nodes, rates = random_motion(11, count, 1.5)
    clearance, fine = 0.05, 3000
    found = {
        tuple(sorted(map(_number, e.subject.split()))): e.time
        for e in reversed(collisions(moved(structure, time, nodes, rates), clearance=clearance))
    }
    first: dict[tuple[int, int], float] = {}
    start = set()
    for k in range(time.size - 1):
        h = time[k + 1] - time[k]
        t = np.linspace(0.0, 1.0, fine + 1)[:, None, None]
        p = (2 * t**3 - 3 * t**2 + 1) * nodes[k] + (t**3 - 2 * t**2 + t) * h * rates[k]
        p = p + (3 * t**2 - 2 * t**3) * nodes[k + 1] + (t**3 - t**2) * h * rates[k + 1]
        for i in range(count):
            for j in range(i + 1, count):
                near = distances(p[:, 2 * i], p[:, 2 * i + 1], p[:, 2 * j], p[:, 2 * j + 1]) < clearance
                if k == 0 and near[0]:
                    start.add((i, j))
                if near.any() and (i, j) not in first:
                    first[i, j] = time[k] + h * int(np.argmax(near)) / fine
    for pair in start:
        first.pop(pair)
        found.pop(pair, None)
    assert len(first) > 8
    assert found.keys() == first.keys()
    np.testing.assert_allclose([found[pair] for pair in first], list(first.values()), atol=1.1 * 0.5 / fine)


def distances(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """(T,) of segments: the least of the four ends to the other segment, and of the lines where they meet inside."""

    def to_segment(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        way = z - y
        share = np.clip(np.einsum("ti,ti->t", x - y, way) / np.einsum("ti,ti->t", way, way), 0.0, 1.0)
        return np.asarray(np.linalg.norm(x - y - share[:, None] * way, axis=1))

    u, w, r = b - a, d - c, c - a
    across = np.cross(u, w)
    size = np.einsum("ti,ti->t", across, across)
    s = np.einsum("ti,ti->t", np.cross(r, w), across) / size
    q = np.einsum("ti,ti->t", np.cross(r, u), across) / size
    lines = np.abs(np.einsum("ti,ti->t", across, r)) / np.sqrt(size)
    inside = (s > 0) & (s < 1) & (q > 0) & (q < 1)
    ends = [to_segment(a, c, d), to_segment(b, c, d), to_segment(c, a, b), to_segment(d, a, b)]
    return np.minimum(np.min(ends, axis=0), np.where(inside, lines, np.inf))


def test_a_bar_that_is_cut_does_not_count() -> None:
    """Its ends go their own ways, and no bar is between them."""
    structure = made([("a", "b")], [("c", "d")])
    time = np.linspace(0.0, 1.0, 11)
    nodes, rates = np.zeros((11, 4, 3)), np.zeros((11, 4, 3))
    nodes[:, 0], nodes[:, 1] = (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0)
    nodes[:, 0, 2] = nodes[:, 1, 2] = 0.5 - time
    rates[:, :2, 2] = -1.0
    nodes[:, 2], nodes[:, 3] = (0.1, -1.0, 0.0), (0.1, 1.0, 0.0)
    assert len(collisions(moved(structure, time, nodes, rates))) == 1
    apart = np.maximum(time - 0.2, 0.0)
    nodes[:, 1, 0] += apart
    rates[:, 1, 0] = apart > 0.0
    assert collisions(moved(structure, time, nodes, rates)) == ()
    driven = replace(moved(structure, time, nodes, rates), options={"drives": [{"member": "bar:ab"}]})
    assert len(collisions(driven)) == 1, "one that telescopes is longer and whole"


def grown() -> taut.Plant:
    """A strut that grows, as a drive says, until it passes over a cable that it was too short for."""
    structure = Structure(
        {"a": (0.0, 0.0, 0.0), "b": (0.5, 0.0, 0.5), "c": (0.8, -1.0, 0.2), "d": (0.8, 1.0, 0.2)},
        [Bar("strut", ("a", "b"), mass=1.0)],
        [Cable("w", ("c", "d"), stiffness=100.0, rest_length=1.0)],
        supports={"a": "xyz", "c": "xyz", "d": "xyz"},
    )
    longer = taut.Drive("out", "bar:strut", "length", by=taut.CosineRamp(0.0, 0.6, 0.0, 0.1))
    return assemble(structure, gravity=GRAVITY, drives=[longer])


@pytest.mark.slow
def test_variants_and_steps_by_hand_know_of_driven_bars() -> None:
    """A bar that is driven is longer and whole; unless told so it counts as cut, and nothing is found."""
    plant = grown()
    alone = simulate(plant, 0.6, every=0.01, verify=False)
    (event,) = alone.collisions
    assert np.linalg.norm(alone.nodes[-1, 1] - alone.nodes[-1, 0]) > 1.5 * 0.5**0.5
    both = taut.ensemble([plant, plant], 0.6, every=0.01)
    assert collisions(both[1]) == collisions(alone) == (event,)
    rolled = taut.rollout(plant, {"gravity": [[0.0, 0.0, -GRAVITY]]}, 0.6, method="dp5", step=None, every=0.01)
    assert collisions(rolled[0]) == (event,)
    sim = taut.start(plant)
    for _ in range(60):
        sim.step(0.01)
    by_hand = sim.trajectory()
    assert collisions(by_hand) == by_hand.collisions
    assert by_hand.collisions[0].time == pytest.approx(event.time, abs=1e-7), "its steps end at others' times"
    few = taut.ensemble([plant], 0.05, fields=("nodes",))
    with pytest.raises(OptionError, match="by velocities and cable_tension; name them in the `fields` of the ensemble"):
        collisions(few[0])


def test_what_makes_no_sense_is_told() -> None:
    with pytest.raises(
        OptionError, match=r'on_collision "stopp" is not one of warn, stop, ignore; did you mean "stop"'
    ):
        fallen(falling(), on_collision="stopp")
    with pytest.raises(OptionError, match="a clearance of -0.1 m makes no sense: give zero or more"):
        fallen(falling(), clearance=-0.1)
    text = "taut: 1\nnodes: {a: [0, 0, 0]}\npoint_masses: {a: 1}\nscenario:\n  on_collision: halt\n  clearance: -1\n"
    with pytest.raises(ModelError) as raised:
        parse_model(text)
    assert '"halt" is not one of warn, stop, ignore' in str(raised.value)
    assert "-1 m must be zero or more" in str(raised.value)


def test_a_model_file_says_it_and_is_written_back() -> None:
    scenario = taut.Scenario(on_collision="stop", clearance=0.002)
    assert parse_model(model_text(falling(), scenario)).scenario == scenario


def test_members_whose_ends_are_tied_are_not_told_for_round_off() -> None:
    """Two bars that meet at nodes of their own which a constraint keeps together, to 1e-13 m: nothing passes."""
    structure = made([("a", "b"), ("c", "d"), ("e", "f")], [])
    random = np.random.default_rng(2)
    time = np.linspace(0.0, 1.0, 201)
    angle = 3.0 * time
    wheel = np.stack([np.cos(angle), np.sin(angle), 0.3 * np.sin(2.0 * angle)], axis=1)
    rate = 3.0 * np.stack([-np.sin(angle), np.cos(angle), 0.6 * np.cos(2.0 * angle)], axis=1)
    nodes, rates = np.zeros((201, 6, 3)), np.zeros((201, 6, 3))
    nodes[:, 1] = nodes[:, 2] = wheel
    rates[:, 1] = rates[:, 2] = rate
    nodes[:, 3] = wheel + np.array([0.0, 0.5, 1.0])
    rates[:, 3] = rate
    nodes[:, 4:] = (0.0, 0.0, 5.0), (1.0, 0.0, 5.0)
    nodes[:, 2] += 1e-13 * random.normal(size=(201, 3))
    whole = replace(structure, bars=[replace(b, law="pneumatic", force=0.0) for b in structure.bars.values()])
    assert collisions(moved(whole, time, nodes, rates)) == ()
