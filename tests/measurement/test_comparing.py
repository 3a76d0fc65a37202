"""Measurements beside runs and equilibria: errors, interpolation, frames, clocks, and what cannot be compared."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import taut
from taut.measurement import Measurements, compare
from taut.measurement.comparing import _Pairing
from taut.measurement.finding_shifts import mean_squares
from taut.measurement.interpolating import course_of


@cache
def run() -> taut.Trajectory:
    prism = taut.generators.prism(3).supported("bottom*").changed("cable:*", stiffness=5e3, rest_ratio=0.95)
    return taut.simulate(taut.assemble(prism, gravity=30.0), 0.5, every=0.01, tolerance=1e-10)


@cache
def finely() -> taut.Trajectory:
    prism = taut.generators.prism(3).supported("bottom*").changed("cable:*", stiffness=5e3, rest_ratio=0.95)
    return taut.simulate(taut.assemble(prism, gravity=30.0), 0.5, every=0.0005, tolerance=1e-10)


def seen(motion: taut.Trajectory, rows: Any = slice(None)) -> Measurements:
    """All of it, as if it had been measured."""
    names = [*(f"cable:{name}" for name in motion.structure.cables), *(f"bar:{name}" for name in motion.structure.bars)]
    force = np.concatenate([motion.cable_tension, motion.bar_force], axis=1)
    return Measurements(motion.time[rows], tuple(motion.structure.nodes), motion.nodes[rows], tuple(names), force[rows])


TURN = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
TURN = TURN * np.sign(np.linalg.det(TURN))


def test_a_run_beside_itself_has_no_error() -> None:
    found = compare(run(), seen(run()))
    assert np.abs(found.node_error).max() < 1e-15
    assert np.abs(found.force_error).max() == 0.0
    assert found.nodes.count.tolist() == [run().time.size] * 6
    assert (found.outside, found.shift, found.notes) == (0, 0.0, ())


def test_errors_of_each_node_and_member_are_told() -> None:
    measured = seen(run())
    nodes, tension = measured.nodes.copy(), measured.tension.copy()
    nodes[:, 4] += (0.003, 0.0, 0.004)
    nodes[7, 4] += (0.003, 0.0, 0.004)
    nodes[9, 4] = np.nan
    nodes[:, 5, 2] = np.nan
    nodes[:, 5, 0] += 0.002
    nodes[:, 3] = np.nan
    tension[:, 1] -= 2.0
    tension[3, 1] -= 8.0
    found = compare(run(), replace(measured, nodes=nodes, tension=tension))
    table = found.columns()
    node = {name: column[4] for name, column in table.items()}
    count = run().time.size - 1
    assert (node["part"], node["unit"], node["count"]) == (f"node:{measured.node_names[4]}", "m", count)
    assert node["mean"] == pytest.approx(0.005 + 0.005 / count, abs=1e-12)
    assert node["rms"] == pytest.approx(np.sqrt(0.005**2 * (count + 3) / count))
    assert (node["largest"], node["time"]) == (pytest.approx(0.01), run().time[7])
    assert found.nodes.rms[5] == pytest.approx(0.002), "one coordinate is not seen"
    assert found.nodes.count[3] == 0
    assert np.isnan(found.nodes.rms[3])
    assert np.isnan(found.nodes.time[3])
    cable = {name: column[6 + 1] for name, column in table.items()}
    assert (cable["part"], cable["unit"]) == (measured.member_names[1], "N")
    assert (cable["largest"], cable["time"]) == (pytest.approx(-10.0), run().time[3])
    assert found.forces.mean[1] == pytest.approx(-2.0 - 8.0 / run().time.size)


def test_between_samples_nodes_go_along_cubics() -> None:
    found = compare(run(), seen(finely()))
    course, way = course_of(run()), finely().nodes
    linear = np.array([np.interp(finely().time, run().time, run().nodes[:, 4, k]) for k in range(3)]).T
    straight = np.abs(linear - way[:, 4]).max()
    assert np.abs(found.node_error).max() < 0.1 * straight
    errors = []
    for every in (4, 2, 1):  # a Hermite cubic has order four
        sparse = replace(course, time=course.time[::every], nodes=course.nodes[::every])
        sparse = replace(sparse, velocities=course.velocities[::every])
        here = sparse.covers(finely().time)
        errors.append(np.abs(sparse.nodes_at(finely().time[here], np.arange(6)) - way[here]).max())
    assert errors[1] / errors[2] > 10.0
    assert errors[0] / errors[1] > 8.0


def test_the_frame_of_the_markers_is_found() -> None:
    measured = seen(run())
    shift = np.array([1.0, -2.0, 0.5])
    turned = replace(measured, nodes=(measured.nodes - shift) @ TURN)
    gaps = turned.nodes.copy()
    gaps[::3, 2, 1] = np.nan
    found = compare(run(), replace(turned, nodes=gaps), align=True)
    np.testing.assert_allclose(found.motion.rotation, TURN, atol=1e-12)
    np.testing.assert_allclose(found.motion.translation, shift, atol=1e-12)
    assert found.node_rms < 1e-12
    assert compare(run(), turned).node_rms > 0.1
    mirrored = replace(measured, nodes=measured.nodes * (1.0, 1.0, -1.0))
    apart = compare(run(), mirrored, align=True)
    assert np.linalg.det(apart.motion.rotation) == pytest.approx(1.0), "a mirror is no motion"
    assert apart.node_rms > 0.05


@pytest.mark.parametrize("align", [False, True])
def test_the_clock_of_the_measurement_is_found(align: bool) -> None:
    fine = seen(finely(), slice(100, 700, 20))
    frame = fine.nodes @ TURN if align else fine.nodes
    late = replace(fine, time=fine.time - 0.1234, nodes=frame)
    found = compare(run(), late, align=align, shift="find")
    assert found.shift == pytest.approx(0.1234, abs=2e-6)
    assert found.node_rms < 2e-6
    by_force = replace(late, node_names=(), nodes=np.zeros((late.time.size, 0, 3)))
    if not align:
        assert compare(run(), by_force, shift="find").shift == pytest.approx(0.1234, abs=1e-4)


@cache
def swinging() -> taut.Trajectory:
    """A mass on a cable that swings at 16 Hz for a minute, about a place that moves slowly."""
    cable = taut.Cable("c", ("a", "b"), stiffness=2e4, rest_length=0.5)
    nodes, supports = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)}, {"a": "xyz", "b": "yz"}
    bead = taut.Structure(nodes, cables=[cable], supports=supports, point_masses={"b": 2.0})
    load = taut.Load("b", "x", taut.SampledSignal((0.0, 5.0, 60.0), (0.0, 3000.0, 0.0)))
    plant = taut.assemble(bead, loads=[load], damping=taut.Damping(node=0.2))
    return taut.simulate(plant, 60.0, every=0.005, verify=False)


@pytest.mark.parametrize(("noise", "uneven"), [(0.0, False), (0.01, False), (0.0, True)])
def test_the_clock_is_found_among_the_minima_of_a_motion_that_swings(noise: float, uneven: bool) -> None:
    rng = np.random.default_rng(1)
    time = np.sort(rng.uniform(2.0, 50.0, 2000)) if uneven else np.arange(2.0, 50.0, 0.02)
    places = course_of(swinging()).nodes_at(time, np.array([1])) + noise * rng.normal(size=(time.size, 1, 3))
    found = compare(swinging(), Measurements(time - 1.234, ("b",), places), shift="find")
    assert found.shift == pytest.approx(1.234, abs=1e-8 if noise == 0.0 else 1e-4)
    assert not found.notes, "the minimum a period away is worse by far"


def test_shifts_that_fit_about_as_well_are_told() -> None:
    time = np.arange(300) * 0.01
    course = course_of(swinging())
    wave = 0.1 * np.sin(2.0 * np.pi * 4.0 * (swinging().time[:, None, None] + np.zeros((1, 2, 3))))
    rate = 0.8 * np.pi * np.cos(2.0 * np.pi * 4.0 * (swinging().time[:, None, None] + np.zeros((1, 2, 3))))
    again = replace(swinging(), nodes=wave, velocities=rate)
    places = replace(course, nodes=wave, velocities=rate).nodes_at(time + 7.1, np.array([1])) + 1e-3
    found = compare(again, Measurements(time, ("b",), places), shift="find")
    assert (found.shift - 7.1) / 0.25 == pytest.approx(round((found.shift - 7.1) / 0.25), abs=1e-3), "whole periods"
    told = r"the shift of .* s is not certain: .* s leaves an rms 1(\.0\d*)? times as large, and there are more like it"
    assert re.search(told, found.notes[0])


def test_newtons_are_not_held_against_metres() -> None:
    """Where markers are seen they alone tell the shift, not forces at a shift that leaves all markers outside."""
    time = np.arange(100) * 0.005
    course, at = course_of(run()), np.arange(len(run().structure.nodes))
    nodes = np.full((time.size, at.size, 3), np.nan)
    nodes[90:] = course.nodes_at(time[90:], at) + 1e-3
    names, members = seen(run()).member_names, np.arange(len(seen(run()).member_names))
    tension = course.force_at(np.clip(time + 0.0995125, 0.0, 0.5), members)  # as if all were that much later
    found = compare(run(), Measurements(time, seen(run()).node_names, nodes, names, tension), shift="find")
    assert found.shift == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(("what", "align"), [("nodes", False), ("nodes", True), ("forces", False)])
def test_mean_squares_at_all_shifts_are_those_at_each(what: str, align: bool) -> None:
    measured = seen(run(), slice(5, 30))
    gaps = measured.nodes @ TURN if align else measured.nodes.copy()
    gaps[::3, 2, 1] = np.nan
    gaps[:7, 4] = np.nan
    if what == "forces":
        gaps[:] = np.nan
    tension = measured.tension.copy()
    tension[3:9, 2] = np.nan
    measured = replace(measured, nodes=gaps, tension=tension)
    places = measured.node_places(run().structure), measured.member_places(run().structure)
    pairing = _Pairing(course_of(run()), measured, *places, align)
    tried = mean_squares(course_of(run()), measured, *places, align=align)
    chosen = np.flatnonzero(np.isfinite(tried.square))
    assert tried.step <= 0.005
    assert chosen.size > 60
    wanted = [pairing.square(float(tried.shift[k]) + 1e-13) for k in chosen]
    np.testing.assert_allclose(tried.square[chosen], wanted, rtol=1e-6, atol=1e-12 * max(wanted))


def test_rows_outside_the_run_are_counted() -> None:
    found = compare(run(), seen(run()), shift=0.105)
    assert found.outside == 11
    assert found.nodes.count[0] == run().time.size - 11
    assert found.notes[0] == "11 of 51 measured rows lie outside the time of the run, 0 to 0.5 s, and are left out"
    assert repr(found).endswith("11 rows outside the run>")


def test_a_structure_at_rest() -> None:
    prism = taut.generators.prism(3).supported("bottom*").changed("cable:*", stiffness=5e3, rest_ratio=0.95)
    rest = taut.balance(prism, gravity=9.81)
    places = rest.structure.positions[None] + 0.001
    measured = Measurements([17.0], tuple(prism.nodes), places, ("cable:top1",), [[rest.cable_tension[0] * 0 + 5.0]])
    found = compare(rest, measured)
    np.testing.assert_allclose(found.nodes.mean, 0.001 * np.sqrt(3.0), rtol=1e-9)
    index = list(prism.cables).index("top1")
    assert found.forces.mean[0] == pytest.approx(5.0 - rest.cable_tension[index])
    only = Measurements([0.0], tuple(prism.nodes), prism.positions[None])
    assert compare(prism, only).node_rms == 0.0
    with pytest.raises(taut.OptionError, match="a structure alone has no forces to compare with; balance it"):
        compare(prism, measured)


def test_other_units_are_noted() -> None:
    measured = seen(run())
    found = compare(run(), replace(measured, nodes=1e3 * measured.nodes))
    assert "if they are in mm" in found.notes[0]
    slow = replace(measured, time=1e3 * measured.time)
    assert 'if they are in ms, say scale={"time": "ms"}' in compare(run(), slow).notes[1]


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (
            {"time": [7.0]},
            {},
            r"none of the 1 measured rows, 7 to 7 s, lies in the time of the run, 0 to 0.5 s; say shift=",
        ),
        ({}, {"shift": float("nan")}, r'shift = nan must be a finite number \[s\], or "find"'),
        ({}, {"shift": "auto"}, r"shift = 'auto' must be a finite number \[s\], or"),
        ({}, {"shift": "find"}, 'shift="find" needs a run and more than one measured time'),
        (
            {"node_names": ("topp1", "b", "c", "d", "e", "f")},
            {},
            'measured is node "topp1", which the structure has not',
        ),
        ({"nodes": np.full((1, 6, 3), np.nan)}, {"align": True}, "align needs three markers or more .* there are 0"),
        ({"nodes": np.arange(18.0).reshape(1, 6, 3)}, {"align": True}, "the markers are turned: they lie on a line"),
    ],
)
def test_what_cannot_be_compared(change: dict[str, Any], options: dict[str, Any], message: str) -> None:
    one = seen(run(), slice(1, 2))
    with pytest.raises((taut.OptionError, taut.SelectionError), match=message):
        compare(run(), replace(one, **change), **options)
