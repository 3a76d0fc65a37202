"""A robot's gaits are searched for, the same wherever that is computed; replayed, drawn, and refused where need be."""

import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from hills import same

import taut
from taut.cli import main
from taut.errors import OptionError
from taut.locomotion import locomotion_of
from taut.locomotion.gait_spaces import SinusoidSpace, TableSpace, gait_space_from
from taut.output.gait_search.finding import search_gaits, sloped, trial_of, uphill
from taut.output.gait_search.replaying import replayed
from taut.output.gait_search.store import load_gaits
from taut.search.goals import COLUMN, Goal, Limit, Objective
from taut.search.options import SearchOptions
from taut.structure.examples import example

MODEL = example("six_strut")
STRUTS = tuple(f"bar:{name}" for name in ("x1", "x2", "y1", "y2", "z1", "z2"))
SPACE = SinusoidSpace(STRUTS)
OPTIONS = SearchOptions(generations=2, population=4, copies=2, elite=2, extra=2, duration=0.4)


def taut_command(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(one) for one in arguments])
    return int(ended.value.code or 0)


def test_a_search_is_the_same_in_threads_and_on_one(tmp_path: Path) -> None:
    one = search_gaits(MODEL, SPACE, None, OPTIONS, check=False, threads=1, output=tmp_path / "one.nc")
    assert same(one, search_gaits(MODEL, SPACE, None, OPTIONS, check=False, threads=2))
    assert one.status == "all generations are done; the best gait is not checked"
    assert same(search_gaits(MODEL, SPACE, None, OPTIONS, check=False, output=tmp_path / "one.nc", resume=True), one)


def test_a_trial_measures_what_a_run_by_the_gait_does() -> None:
    """A copy without noise is the run that `simulate` makes by the gait's own drives, and measured as that is."""
    model = taut.read_model(MODEL)
    trial = trial_of(model, SPACE, replace(OPTIONS, noise={}))
    point = np.random.default_rng(2).random(SPACE.size)
    tried = trial(point[None], np.arange(2)).copies[0]
    gait = SPACE.gait(point)
    plant = taut.assemble(
        model.structure, gravity=9.81, ground=model.scenario.ground, drives=gait.drives(model.structure)
    )
    run = taut.simulate(
        plant, OPTIONS.duration, every=OPTIONS.every, method="impulses", step=OPTIONS.step, verify=False
    )
    told = locomotion_of(run)
    expected = {"distance": told.distance, "slip": told.slip, "energy": told.energy_positive}
    expected |= {"peak_tension": told.peak_tension, "carried": told.mass * 9.81 * told.distance}
    for name, value in expected.items():
        assert tried[0, COLUMN[name]] == pytest.approx(value, rel=1e-9), name
    assert np.array_equal(tried[0], tried[1])
    asked = trial.only_for(Objective((Goal(),), (Limit("peak_tension", 100.0),)))(point[None], np.arange(2)).copies[0]
    assert asked[0, COLUMN["peak_tension"]] == tried[0, COLUMN["peak_tension"]]
    assert np.isnan(asked[0, COLUMN["slip"]])


def test_a_table_is_what_its_gait_is() -> None:
    """A copy by the numbers of a rollout is the run by the drives of the gait."""
    space = TableSpace(STRUTS[:2], rows=3, period=0.25, duration=0.6)
    assert gait_space_from(json.loads(json.dumps(space.data()))) == space
    model = taut.read_model(MODEL)
    point = np.random.default_rng(4).random(space.size)
    noise = {"velocities": 0.0}
    told = trial_of(model, space, replace(OPTIONS, noise=noise)).runs(point[None], np.arange(2))
    drives = space.gait(point).drives(model.structure)
    plant = taut.assemble(model.structure, gravity=9.81, ground=model.scenario.ground, drives=drives)
    run = taut.simulate(
        plant, OPTIONS.duration, every=OPTIONS.every, method="impulses", step=OPTIONS.step, verify=False
    )
    assert np.abs(told.nodes[1] - run.nodes).max() < 1e-12
    own = trial_of(model, space, replace(OPTIONS, noise=None))
    assert own.noise == {"drive:*.values": pytest.approx(0.0012)}
    noisy = own.runs(point[None], np.arange(2))
    assert set(noisy.status) == {"finished"}
    assert 1e-5 < np.abs(noisy.nodes[1] - run.nodes).max() < 0.1


def test_a_slope_is_a_gravity_that_leans_and_uphill_is_level() -> None:
    model = sloped(taut.read_model(MODEL), 5.0)
    gravity, way = np.array(model.scenario.gravity), np.array(uphill(model))
    assert np.linalg.norm(gravity) == pytest.approx(9.81)
    assert gravity[0] == pytest.approx(-9.81 * np.sin(np.radians(5.0)))
    assert way @ gravity == pytest.approx(0.0, abs=1e-12)
    assert way[0] > 0.99
    turned = np.array(sloped(taut.read_model(MODEL), 5.0, 90.0).scenario.gravity)
    assert turned == pytest.approx([0.0, gravity[0], gravity[2]])
    with pytest.raises(OptionError, match="a slope of 95 degrees is none to roll on"):
        sloped(model, 95.0)


def test_the_command_searches_goes_on_replays_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gaits, run, figure = tmp_path / "gaits.nc", tmp_path / "run.nc", tmp_path / "gaits.png"
    asked = ["gait", "search", MODEL, "--population", "4", "--copies", "2", "--duration", "0.4", "--seed", "3"]
    asked += ["--no-check", "-o", gaits, "--slope", "5"]
    assert taut_command(*asked, "--generations", "1") == 0
    told = capsys.readouterr()
    assert "generation 1 of 1, best" in told.err
    assert "along 0.996 0 -0.0872" in told.out
    assert taut_command(*asked, "--generations", "2") == 2
    assert "is there already; --resume (resume=True) goes on with it" in capsys.readouterr().err
    assert taut_command(*asked, "--generations", "2", "--resume", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["generations"], len(found["gaits"])) == (2, 4)
    assert taut_command(*asked, "--generations", "2", "--resume", "--seed", "4") == 2
    assert "is another search: its seed is 3, not 4" in capsys.readouterr().err
    assert taut_command("gait", "replay", gaits, "--rank", "2", "-o", run) == 0
    assert taut.read(run).drive_names == ("x1", "x2", "y1", "y2", "z1", "z2")
    assert taut_command("gait", "replay", gaits, "--rank", "9") == 2
    assert "rank 9: there are 4 gaits, from 1 for the best" in capsys.readouterr().err
    assert taut_command("gait", "plot", gaits, figure, "--copies", "3") == 0
    assert figure.read_bytes()[:4] == b"\x89PNG"
    model = tmp_path / "moved.yaml"
    assert taut_command("gait", "replay", gaits, "--model", model) == 0
    assert taut.read_model(model).scenario.drives == replayed(load_gaits(gaits)).scenario.drives


@pytest.mark.slow
def test_the_command_searches_one_symmetry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert taut_command("gait", "symmetries", MODEL) == 0
    assert "x1 x2 y1+1/3 y2+1/3 z1+2/3 z2+2/3" in capsys.readouterr().out
    assert taut_command("gait", "symmetries", MODEL, "--json") == 0
    assert len(json.loads(capsys.readouterr().out)) == 16
    gaits = tmp_path / "gaits.nc"
    asked = ["gait", "search", MODEL, "--population", "4", "--copies", "2", "--duration", "0.4", "--generations", "1"]
    assert taut_command(*asked, "--no-check", "-o", gaits, "--symmetry", "Th/D2h-1") == 0
    found = load_gaits(gaits)
    assert found.space.names == ("amplitude", "frequency", "phase x1")
    phases = np.array(found.gait().phase)
    assert (phases - phases[0]) / (2.0 * np.pi) == pytest.approx([0, 0, 1 / 3, 1 / 3, 2 / 3, 2 / 3])
    assert taut_command(*asked, "--no-check", "-o", gaits, "--symmetry", "Th/D2h-2", "--resume") == 2
    assert "is another search: its symmetry is" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--population", "1"], "population = 1 must be 2 or more"),
        (["--members", "bar:q*"], "bar:q"),
        (["--each", "cable:none"], "cable:none"),
        (["--goal", "distanse"], 'goal "distanse" is not one of'),
        (["--goal", "along=a,b"], "is not a goal and a direction, as in along=0,1,0"),
        (["--amplitude", "little"], 'amplitude "little" is not the least and the most'),
        (["--limit", "peak_tension"], "--limit"),
        (["--set", "scenario.gravity=0"], "has no gravity, so that nothing rolls"),
        (["--algorithm", "cma", "--goal", "distance", "--goal", "energy"], "cma has one goal, not 2"),
        (["--scheduler", "tcp://127.0.0.1:9"], "no scheduler of dask answers there within 5 s"),
        (["--symmetry", "Th/D2h"], 'there is no symmetry "Th/D2h" of gaits of these members; did you mean "Th/D2h-'),
        (["--symmetry", "Th/Th", "--members", "bar:x*"], '"bar:x*" is no member by itself'),
        (["--symmetry", "Th/Th", "--reactive"], "--symmetry is of sinusoids"),
        (["-o", "gaits.txt"], "a gait file's name must end in .nc"),
    ],
)
def test_what_cannot_be_searched_for_is_refused(
    given: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert taut_command("gait", "search", MODEL, "--no-check", *given) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_models_without_ground_or_bars_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert taut_command("gait", "search", example("icosahedron"), "--no-check") == 2
    assert "has no ground to roll on" in capsys.readouterr().err
    bare = taut.read_model(MODEL)
    with pytest.raises(OptionError, match="needs members to move"):
        search_gaits(bare, SinusoidSpace(()), None, OPTIONS)


@pytest.mark.slow
def test_processes_give_the_same_bits_and_the_best_is_checked() -> None:
    options = replace(OPTIONS, duration=1.0)
    here = search_gaits(MODEL, SPACE, None, options)
    assert here.finished
    assert [check.what for check in here.checks] == [
        "with 128 copies of fresh noise",
        "at h/10",
        "on a ground that gives way (rk4)",
    ]
    assert "holds at h/10: " in here.summary()
    processes = partial(ProcessPoolExecutor, 2, get_context("spawn"))
    assert same(search_gaits(MODEL, SPACE, None, options, executor=processes), here)
