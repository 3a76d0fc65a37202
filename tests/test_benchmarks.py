"""The benchmarks run and compare like with like; how fast is not a test's business."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[1]))


@pytest.mark.slow
def test_c_and_python_take_the_same_steps() -> None:
    from benchmarks import six_strut_against_c as bench

    if not bench.InC.available:
        pytest.skip("no C compiler here")
    result = bench.measure(steps=200, repeats=1)
    assert result["apart"] < 1e-12
    assert "times C" in bench.table(result)


def test_mujoco_and_taut_see_the_same_motion() -> None:
    from benchmarks import six_strut_against_mujoco as bench

    if not bench.AVAILABLE:
        assert "mujoco is not installed" in bench.report()
        pytest.skip("mujoco is not installed; it comes with the extra bench")
    for motion, close in zip(bench.MOTIONS, (1e-10, 1e-7), strict=True):  # kinks cost the second its order
        flight = bench.measure(motion, duration=0.125, halvings=6, repeats=1)
        assert flight.sweeps[bench.BASELINE][-1].error < close
        assert flight.apart[-1] < 1e-12
        assert flight.axial < 1e-12
        assert flight.doubt < 1e-11
        text = bench.table(flight)
        assert all(name in text for name in flight.sweeps)


def test_time_at_equal_error_is_read_between_runs_and_luck_does_not_count() -> None:
    from benchmarks.six_strut_against_mujoco import Point, seconds_at

    sweep = [Point(0.1, 1.0, 1e-2), Point(0.01, 10.0, 1e-6), Point(0.001, 100.0, 1e-4), Point(1e-4, 1e3, 1e-8)]
    assert seconds_at(sweep, 1e-3) == pytest.approx(10**0.5)
    assert seconds_at(sweep, 1e-6) == pytest.approx(10**2.5)
    assert np.isnan(seconds_at(sweep, 1e-9))
    assert np.isnan(seconds_at(sweep, 1e-1))


@pytest.mark.slow
def test_the_benchmark_of_control_decides_for_both_machines() -> None:
    from benchmarks import control_steps as bench

    costs = [bench.measure(machine, calls=2, rounds=1) for machine in ("strut", "manipulator")]
    assert all(one.decision > one.terms > 0.0 for one in costs)
    assert bench.table(costs).count(" times") == 2


def test_the_benchmark_of_collisions_finds_what_crowds_do() -> None:
    from benchmarks import member_collisions as bench

    alone, few, many = (bench.crowd(members, turns=1) for members in (30, 90, 900))
    assert (alone.members, alone.found) == (30, 0), "a robot that turns as a whole collides with nobody"
    assert 0 < few.found < many.found


@pytest.mark.slow
def test_the_scale_benchmark_measures_what_it_names() -> None:
    from benchmarks import scale

    sizes = [scale.measure(kind, 200, work=1e3) for kind in scale.KINDS]
    assert all(20 < size.members < 1000 and size.memory > 1e4 for size in sizes)
    assert scale.table(sizes).count("\n") == len(sizes)


def test_the_tbar_benchmark_compares_at_equal_accuracy() -> None:
    from benchmarks import tbar_against_scipy

    results = tbar_against_scipy.measure(duration=1.0, repeats=1)
    taut, *peers = results
    assert taut.position <= 1e-10
    assert taut.length <= 2e-13
    assert taut.energy <= 1e-10
    assert len(peers) == 1 + len(tbar_against_scipy.PEERS)
    for peer in peers:
        assert 0.0 < peer.position <= taut.position
        assert peer.length <= 1e-9
        assert peer.energy <= 1e-7
    text = tbar_against_scipy.table(results)
    assert all(result.seconds > 0.0 and result.name in text for result in results)


@pytest.mark.slow
def test_the_compressible_tbar_benchmark_solves_the_same_equations() -> None:
    from benchmarks import tbar_compressible as bench

    for material in (bench.HDPE, bench.ALUMINIUM):
        results = bench.measure(material, duration=0.2, repeats=1, peers=material is bench.HDPE)
        mine, own, *peers, right, printed = results
        assert own.position <= 1e-11
        assert mine.position <= 1e-9
        assert mine.energy <= 1e-9
        assert all(peer.position <= 1e-9 for peer in peers)
        assert right.position <= 1e-11
        assert printed.energy > 100.0 * right.energy
        text = bench.table(material, results)
        assert all(result.name in text for result in results)


@pytest.mark.slow
def test_the_page_benchmark_counts_pictures() -> None:
    from benchmarks import page_frames

    if page_frames.CHROMIUM is None:
        pytest.skip("no chromium here; on Debian: apt-get install chromium")
    # In a thread of its own: the browser tests may keep a browser, and its event loop, in this one.
    with ThreadPoolExecutor(1) as pool:
        rates = pool.submit(page_frames.measure, page_frames.cases(large=(2, 1, 1), samples=11), seconds=2.0).result()
    assert [rate.name for rate in rates] == ["icosahedron", "3-stage tower", "lattice"]
    assert all(rate.rate > 0.0 and rate.frame < 1e6 < 1e6 + rate.size for rate in rates)
    assert page_frames.table(rates).count("\n") == 3


@pytest.mark.slow
def test_the_film_benchmark_measures_both_ways() -> None:
    from benchmarks import film_frames, page_frames

    if page_frames.CHROMIUM is None:
        pytest.skip("no chromium here; on Debian: apt-get install chromium")
    runs = {"ball": page_frames.cases(large=(2, 1, 1), samples=11)["icosahedron"]}
    costs = list(film_frames.measure(runs, 5))
    assert [cost.way for cost in costs] == ["page", "matplotlib"]
    assert all(0.0 < cost.cost < 10.0 and cost.members == 30 and cost.opening > 0.0 for cost in costs)


@pytest.mark.slow
def test_the_lanes_benchmark_measures_what_it_names() -> None:
    from benchmarks import six_strut_in_lanes as bench

    costs = [bench.measure(correction, robots=16, steps=20) for correction in bench.CORRECTIONS]
    assert costs[0].iterations == 0.0
    assert 0.5 < costs[1].iterations <= 3.0
    assert bench.table(costs).count("\n") == 4


def test_the_statics_benchmark_balances_and_finds_the_same_modes_either_way() -> None:
    from benchmarks import statics_scale

    sizes = [statics_scale.measure(kind, 400) for kind in statics_scale.KINDS]
    assert all(size.status == "balanced" and size.lowest > 0.0 and size.memory > 1e7 for size in sizes)
    direct = statics_scale.measure("lattice", 400, solver="direct")
    assert direct.lowest == pytest.approx(sizes[-1].lowest, rel=1e-6)
    assert statics_scale.table([*sizes, direct]).count("\n") == len(sizes) + 1


@pytest.mark.slow
def test_the_workers_of_a_study_are_compared() -> None:
    from benchmarks import study_workers

    found = study_workers.measure("tbar", points=3, workers=1)
    assert min(found.alone, found.in_threads, found.in_processes) > 0.0
    assert "tbar" in study_workers.table([found])


@pytest.mark.slow
def test_the_stiff_benchmark_compares_at_equal_accuracy() -> None:
    from benchmarks import stiff_motion as bench

    results, doubt = bench.measure(duration=0.02, repeats=1, accuracy=1e-5)
    assert doubt <= 1e-7
    assert [result.name for result in results] == [*bench.OURS, bench.RADAU]
    assert all(0.0 < result.error <= 1e-5 and result.seconds > 0.0 for result in results)
    assert bench.table(results, doubt).count("\n") == len(results) + 1
    sizes = [bench.measure_size(kind, 200, steps=2) for kind in bench.KINDS]
    assert all(1.0 <= size.iterations <= 10.0 for size in sizes)
    assert bench.size_table(sizes).count("\n") == len(sizes)


@pytest.mark.slow
def test_locating_events_is_measured_on_the_arm() -> None:
    from benchmarks import located_events as bench

    (row,) = bench.measure(100.0, (("dp8", 1e-9),))
    assert max(row.located) < 2e-8
    assert row.steps[0] < row.steps[1]
    assert bench.table(100.0, [row]).count("\n") == 2
    assert 1e-14 < bench.nudged(300.0, 1e-15) < 1e-9


@pytest.mark.slow
def test_rollouts_are_measured() -> None:
    from benchmarks import rollouts as bench

    cost = bench.measure(variants=2, duration=0.1, repeats=1)
    assert min(cost.overhead, cost.measures, cost.threads) > 0.0
    assert math.isfinite(cost.step), "a difference of two times, of either sign where so little is measured"
    assert "two threads against one" in bench.table(cost)
    found = bench.stepping(robots=2, turns=3)
    assert [one.step for one in found] == list(bench.STEPS)
    assert found[0].most == 0.0
    assert 0.0 < found[1].most < 1e-3
    assert bench.stepped_table(found).count("\n") == len(found) + 1


@pytest.mark.slow
def test_stepping_and_controlling_are_measured_beside_the_same_motion() -> None:
    from benchmarks import stepping as bench

    found = bench.stepping(steps=20, repeats=1)
    assert found.apart == 0.0, "steps and one run with the same inputs have the same bits"
    assert min(found.stepped, found.kept, found.run) > 0.0
    assert bench.stepping_table(found).count("sim.step") == 2
    taken = bench.jitter(20)
    assert taken.shape == (20,)
    assert "20 steps on the clock: median" in bench.jitter_table(taken)
    costs = bench.controlled(steps=20, repeats=1)
    assert [*costs] == [bench.FREE, bench.GRID, *bench.LAWS]
    assert bench.controlled_table(costs).count(" %") == 2 * len(costs), "what each adds, and its quartiles"


@pytest.mark.slow
def test_two_checkouts_are_asked_for_the_same_steps(tmp_path: Path) -> None:
    from benchmarks import beside, costs, trees

    asked = [costs.explicit(kind, 100) for kind in costs.scale.KINDS] + [costs.implicit(100)]
    asked.append(costs.six_strut(str(tmp_path)))
    for one in asked:
        assert one.members * one.steps >= 1
        brief = replace(one, steps=2)
        assert brief.times().keys() == one.runs.keys()
    assert {what for what, _, _ in beside.STEPS} == {*costs.scale.KINDS, costs.IMPLICIT}
    assert trees.spent(lambda: sum(range(1000))) >= 0.0


def test_a_ratio_or_what_one_checkout_has_by_itself_is_held_against_the_limit() -> None:
    from benchmarks.beside import Row

    assert str(Row("a", "s", 4.0, 2.0, 0.5)).endswith("0.50  met")
    assert str(Row("a", "s", 4.0, 2.1, 0.5)).endswith("MISSED")
    assert "MISSED" in str(Row("a", "times C", 4.0, 1.2, 1.15, by_itself=True))
    assert "met" in str(Row("a", "times C", 1.0, 1.1, 1.15, by_itself=True))
    assert "met" not in str(Row("a", "s", 4.0, 2.0))
    assert "0.500  0.400 to 0.600" in str(Row("a", "s", 4.0, 2.0, turns=[0.3, 0.4, 0.5, 0.6, 0.7])), "its quartiles"


def test_the_least_of_all_turns_counts_and_ratios_are_those_of_each_turn() -> None:
    from benchmarks.beside import Steps

    found = Steps(1, [{"taut": 2.0}, {"taut": 1.0}], [{"taut": [2.0, 4.0]}, {"taut": [1.0, 3.0]}])
    assert found.ratios("taut") == [0.5, 0.75]


def test_a_process_of_a_checkout_refuses_another_taut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks import trees

    with pytest.raises(SystemExit, match="no checkout of taut"):
        trees.tree(tmp_path, str(tmp_path), "other")
    here = trees.tree(trees.HERE, str(tmp_path), "this")
    monkeypatch.setenv("TAUT_TREE", here.environment()["TAUT_TREE"])
    trees.check_origin()
    monkeypatch.setenv("TAUT_TREE", str(tmp_path))
    with pytest.raises(SystemExit, match="not in"):
        trees.check_origin()


@pytest.mark.slow
def test_long_chains_are_solved_link_by_link() -> None:
    from benchmarks import chain_solves as bench

    saddle, _, _ = bench.chains(4)
    assert saddle.sizes[2] >= 3 * 4, "links"
    found = bench.measure(4, turns=1)
    assert min(found.values()) > 0.0
    assert bench.table(4, found).count(",") == 1 + len(found), "one name has a comma"


@pytest.mark.slow
def test_steps_where_bars_meet_are_measured() -> None:
    from benchmarks import class_k_steps as bench

    costs = [bench.measure(kind, 100, work=2e3, repeats=1) for kind in (*bench.KINDS, bench.IMPLICIT)]
    assert all(20 < cost.members < 1000 for cost in costs)
    assert bench.table(costs).count("\n") == len(costs)


def test_builds_are_where_balance_finds_them() -> None:
    from benchmarks import tolerances as bench

    kind, design = next(iter(bench.designs().items()))
    found = bench.measure(kind, design, builds=20, sample=2)
    assert found.apart < 1e-9
    assert "examples/tower.yaml" in bench.table([found])


@pytest.mark.slow
def test_the_benchmark_of_postures_solves_what_it_times() -> None:
    from benchmarks import postures as bench

    found = [bench.measure(kind, repeats=60, side=3, samples=21) for kind in ("tensions", "lengths")]
    for one in found:
        assert max(one.warm.left, one.fast.left) <= 1e-8, "two Newton steps are enough"
        assert one.warm.moved == pytest.approx(12.566e-6, rel=3e-2)
        assert one.fast.moved == pytest.approx(125.66e-6, rel=3e-2)
    assert all(one.postures > 20 for one in found), "steps of the grid are long here"
    assert [one.unknowns for one in found] == [37, 40]
    assert bench.table(found).count("\n") == 6


@pytest.mark.slow
def test_more_points_carry_postures_better() -> None:
    from benchmarks import posture_interpolation as bench

    worst = bench.measured(0.006, bench.grids(7)["equal"])
    assert worst["6"][0] < 0.2 * worst["4"][0] < 0.2 * 0.2 * worst["2"][0]
    assert worst["6"][1] < worst["4"][1] < worst["2"][1]


@pytest.mark.slow
def test_steps_on_the_ground_are_measured() -> None:
    from benchmarks import contact_against_mujoco, contact_scale, contact_steps

    costs = contact_steps.measure(turns=1)
    assert all(cost.microseconds > 0.0 for cost in costs)
    assert "tumbling" in contact_steps.table(costs)
    sizes = [contact_scale.measure("robots", 2, steps=5), contact_scale.measure("boxes", 3, steps=5)]
    assert [size.contacts for size in sizes] == [6, 12]
    assert [size.members for size in sizes] == [60, 54]
    assert contact_scale.table(sizes).count("\n") == 3
    made = contact_against_mujoco.settled(2.0)
    found = contact_against_mujoco.slides(made, {"taut": (5e-3,), "MuJoCo": (2e-3,)}, reference=1e-3, turns=1)
    assert found[0].error < 1e-3
    assert all(one.error < 0.02 for one in found)
    assert "taut: 1 % with steps of 5 ms" in contact_against_mujoco.slide_table(found)
    drifts = contact_against_mujoco.drifts(made, 1.0, 1.0)
    assert drifts[0].moved < 1e-9
    assert contact_against_mujoco.drift_table(drifts).count("\n") == 1 + len(drifts)


@pytest.mark.slow
def test_steps_of_environments_are_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks import environment_steps as bench

    for name, value in (("PERIODS", 3), ("TURNS", 1)):
        monkeypatch.setattr(bench, name, value)
    cost = bench.measured(1e-3, bench.FEW, copies=2)
    assert 0.0 < cost["look"] < cost["whole"]
    assert min(cost["side by side"], cost["one by one"]) > 0.0


def test_a_thousand_cores_are_no_slower_than_one_and_never_free() -> None:
    from benchmarks import search_overheads as bench

    costs = bench.Costs(run=0.05, gait=1e-3, task=5e-4, trip=5e-3)
    options = replace(bench.SEARCHES[0].options, population=4096, elite=512)
    spent = [bench.seconds(costs, options, cores) for cores in bench.CORES]
    assert spent == sorted(spent, reverse=True)
    runs = options.runs * costs.run
    assert spent[0] == pytest.approx(runs + 4096 * costs.gait)
    assert spent[-1] > runs / 1000.0
    assert "1000 cores" in bench.table(costs)


def test_the_search_beside_gaits_at_random_tells_the_command_that_finds_the_same() -> None:
    from benchmarks import gait_search as bench

    commands = {one.name: one.command for one in bench.SEARCHES}
    assert "--slope 5" in commands["climb"]
    assert "--symmetry D2h/D2h --amplitude" in commands["pairs"]
    assert "--reactive --period 0.05 --slope 5 --heading 180 --from react.nc" in commands["react-climb"]
    assert bench.SEARCHES[1].objective.goals[0].what == "along"
    shipped = bench.gaits_shipped()
    assert [one.name for one in shipped] == [one.name for one in bench.SEARCHES if one.ships]
    page = (bench.EXAMPLES.parent / "docs" / "gait-search.md").read_text()
    assert bench.table(shipped) in page, "the page tells of the gaits that come with taut"


@pytest.mark.slow
def test_first_runs_after_a_wheel_with_code_was_installed_compile_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks import first_runs

    monkeypatch.syspath_prepend(str(first_runs.ROOT / "shipping"))
    import compiled_code

    tbar = ["run", "tbar.yaml", "-o", "x.nc"]
    compiled_code.made(tmp_path / "store", [tbar])
    wheels = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path)]
    settings = {**os.environ, "TAUT_COMPILED_CODE": str(tmp_path / "store")}
    subprocess.run([*wheels, str(first_runs.ROOT)], env=settings, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    done, other = first_runs.measured(wheel, [tbar, ["run", "six_strut.yaml", "-o", "y.nc"]])
    assert (done.code, done.compiled) == (0, False), done
    assert (other.code, other.compiled) == (0, True), "its code was not put in, so that there is something to see"
    assert "nothing compiled" in str(done)


@pytest.mark.slow
def test_shipped_code_is_measured_beside_that_of_this_processor() -> None:
    from benchmarks import shipped_speed

    rows = list(shipped_speed.measured(turns=1))
    assert rows[0].what == "six-strut robot"
    assert all(row.other > 0.0 and row.this > 0.0 for row in rows)


@pytest.mark.slow
def test_peers_fly_the_same_motion_at_equal_error() -> None:
    from benchmarks.peers import flight

    short = flight.Flight(duration=2.0**-4)
    (row,) = flight.equal_error(short, targets=(1e-6,), halvings=4, decades=5, turns=1)
    told = {entry.name: entry for entry in row.entries if entry.ratios}
    assert row.ours.name == "taut dp8, constraints"
    assert {"scipy DOP853, numpy", "scipy DOP853, taut's accelerations"} <= told.keys()
    for module, name in ((flight.mujoco_model, "MuJoCo RK4"), (flight.in_exudyn, "exudyn RK44")):
        assert (name in told) == module.AVAILABLE
    assert ("Pinocchio ABA, scipy DOP853" in told) == flight.in_pinocchio.AVAILABLE
    assert all(0.0 < entry.error <= 1e-6 for entry in told.values())
    step = flight.equal_step(short, turns=1)
    errors = [entry.error for entry in step.entries]
    assert max(errors) < 1.01 * min(errors), "one method, one step, one error"
    many = flight.batch(robots=4, steps=8, turns=1)
    assert all(entry.error < 1e-7 for entry in many.entries)


def test_sizes_are_measured_in_processes_of_their_own() -> None:
    from benchmarks.peers import sizes

    (row,) = sizes.growing((100,), turns=1)
    assert row.members > 50
    assert {entry.name for entry in row.entries} == {name for name, (_, here) in sizes.ENGINES.items() if here}
    assert row.ours.memory is not None


@pytest.mark.slow
def test_other_works_beside_peers() -> None:
    from benchmarks.peers import works

    row = works.tbar(duration=0.5, error=1e-8, turns=1)
    assert [entry.error <= 1e-8 for entry in row.entries] == [True] * 4
    steps = {"taut": (5e-3,), "MuJoCo": (1e-3,)}
    slide = works.sliding(steps, reference=1e-3, settling=2.0, turns=1)
    assert slide.ours.error < 1e-2
    assert slide.members == 30
    tower = works.stiff(duration=0.02, accuracy=1e-5, turns=1)
    assert [entry.name.split()[0] for entry in tower.entries] == ["taut", "scipy"]
    assert all(entry.error <= 1e-5 for entry in tower.entries)


def _rows(ratio: float) -> list:
    from benchmarks.peers.turns import Entry, Row

    ours = Entry("taut rk4", 1e-3, 1e-7, 1e-3, (1.0, 1.0, 1.0), memory=2e3)
    peers = (
        Entry("MuJoCo RK4", ratio * 1e-3, 1e-7, 1e-3, (ratio, ratio, 2.0 * ratio)),
        Entry("slow", 1.0, note="tired"),
    )
    return [Row(key, f"work of {key}", "run", (ours, *peers), members=100) for key in ("flight-step", "size-100")]


def test_the_page_of_peers_is_written_from_rows(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from benchmarks.peers import page

    text = page.text(_rows(8.0), busy="It was busy.")
    assert "## Work of flight-step, 100 members" in text
    assert "| MuJoCo RK4 | 8 ms | 8 | 8 to 12 | 1.0e-07 | 0.001 |  |" in text
    assert "| 100 | slow | 1 s | - | - |  | tired |" in text
    assert "It was busy." in text
    page.draw(_rows(8.0), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {page.PICTURE, page.SIZES_PICTURE}


def test_rows_are_kept_and_replaced_one_by_one(tmp_path: Path) -> None:
    from benchmarks.peers import stored

    first, path = _rows(8.0), tmp_path / "rows.json"
    assert stored.read(path) == []
    assert stored.write(first, path) == first
    again = _rows(4.0)[:1]
    assert stored.write(again, path) == [*again, first[1]]
    assert stored.read(path) == [*again, first[1]]


def test_a_slower_commit_is_seen(tmp_path: Path) -> None:
    from benchmarks.peers import history

    path = tmp_path / "history.jsonl"
    for commit, ratio in (("a", 8.0), ("b", 10.0), ("c", 9.0)):
        history.write(history.lines_of(_rows(ratio), commit, "machine"), path)
    assert not any(slow for *_, slow in history.compared(history.read(path)))
    history.write(history.lines_of(_rows(6.0), "d", "machine"), path)
    history.write(history.lines_of(_rows(6.5), "d", "machine"), path)
    lines = history.read(path)
    assert len(lines) == 8, "a commit that is measured again replaces its lines"
    assert history.compared(lines)[0] == ("flight-step", 6.5, 9.0, True)
    assert history.comparison(lines).count("SLOWER") == 2


def test_the_contestant_that_is_right_by_luck_does_not_count() -> None:
    from benchmarks.peers.turns import loosest

    assert loosest((4.0, 3.0, 2.0, 1.0), (1e-9, 1e-3, 1e-7, 1e-8), 1e-6) == 2
    assert loosest((4.0, 3.0), (1e-3, 1e-3), 1e-6) is None
    assert loosest((4.0, 3.0), (1e-9, float("nan")), 1e-6) is None
