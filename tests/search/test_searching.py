"""The search finds the top of a hill through noise, is kept, and goes on to the last bit; bad input is refused."""

import errno
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hills import HEIGHT, OPTIONS, SPACE, TOP, climbed, same, search

from taut import FileError, OptionError
from taut.locomotion.gait_spaces import SinusoidSpace
from taut.output.gait_search import kept_search, store
from taut.output.gait_search.kept_search import StoppedSearch
from taut.output.gait_search.store import load_gaits
from taut.search.algorithms import folded
from taut.search.goals import Goal, Objective
from taut.search.options import SearchOptions
from taut.search.ranking import ranked
from taut.search.searching import Tried

HILLS = Path(__file__).with_name("hills.py")


def long(algorithm: str) -> SearchOptions:
    return replace(OPTIONS, algorithm=algorithm, generations=25, population=24)


@pytest.mark.parametrize("algorithm", ["ga", "cma"])
def test_it_finds_the_top_of_a_hill_and_says_how_high_it_is(algorithm: str) -> None:
    """The best of as many points at random is 3.2 m high in the mean; what is told of the best is not its luck."""
    found = search(None, options=long(algorithm))
    high = climbed(found.candidate().point[None], np.arange(4000)).copies[0]
    truth = Goal().score(high).value
    assert truth > 0.95 * HEIGHT
    score = found.scores()[0]
    assert abs(score.value - truth) < 4.0 * score.error
    assert found.finished
    assert found.holds
    assert "holds with twice the copies: yes" in found.summary()


@pytest.mark.parametrize("algorithm", ["ga", "nsga2", "cma"])
def test_a_search_may_begin_with_known_gaits(algorithm: str) -> None:
    options = replace(OPTIONS, algorithm=algorithm, generations=1, start=(tuple(TOP.tolist()),))
    found = search(None, options=options, check=False)
    assert found.scores()[0].value > 0.8 * HEIGHT
    with pytest.raises(OptionError, match="gaits to start from have 2 numbers, and those of the space 5"):
        search(None, options=replace(options, start=((0.5, 0.5),)))
    with pytest.raises(OptionError, match="a gait to start from has the number 1.5; those of a space go from 0 to 1"):
        search(None, options=replace(options, start=((0.5, 0.5, 1.5, 0.5, 0.5),)))
    with pytest.raises(OptionError, match="13 gaits to start from are more than a population"):
        replace(options, start=options.start * 13)


def test_a_front_of_two_goals() -> None:
    options = replace(long("nsga2"), elite=12)
    found = search(None, objective=Objective((Goal(), Goal("energy"))), options=options)
    scores = np.array([[one.value for one in found.scores(rank)] for rank in found.front])
    assert len(scores) > 3
    order = np.argsort(scores[:, 0])
    assert (np.diff(scores[order, 1]) > 0.0).all()  # who goes farther spends more
    assert scores[:, 0].max() > 0.7 * HEIGHT


@pytest.mark.parametrize("algorithm", [pytest.param("ga", marks=pytest.mark.slow), "nsga2", "cma"])
def test_a_search_goes_on_to_the_last_bit(tmp_path: Path, algorithm: str) -> None:
    options = replace(OPTIONS, algorithm=algorithm)
    whole = search(tmp_path / "whole.nc", options=options)
    calls = 0

    def stopped(points: np.ndarray, seeds: np.ndarray) -> Tried:
        nonlocal calls
        calls += 1
        if calls > 5:  # in the middle of the third generation
            os.kill(os.getpid(), signal.SIGINT)
        return climbed(points, seeds)

    part = search(tmp_path / "part.nc", stopped, options=options)
    assert part.status == "interrupted after 3 of 6 generations"
    assert load_gaits(tmp_path / "part.nc").status == part.status
    assert same(search(tmp_path / "part.nc", resume=True, options=options), whole)
    assert same(load_gaits(tmp_path / "part.nc"), whole)
    # A finished one is only read; a longer one goes on with it.
    assert same(search(tmp_path / "part.nc", stopped, resume=True, options=options), whole)
    longer = search(tmp_path / "part.nc", resume=True, options=replace(options, generations=8))
    assert same(longer, search(None, options=replace(options, generations=8)))


def killed_and_resumed(path: Path, kills: int) -> None:
    """Killed at a moment drawn from the time that a generation takes and a half, which is anywhere in it."""
    options, draw = replace(OPTIONS, generations=kills + 2), random.Random(7)
    whole, resume = search(None, options=options), "new"
    command = [sys.executable, str(HILLS), str(path)]
    for _ in range(kills):
        process = subprocess.Popen([*command, resume, "0.05", f"{kills + 2}"], stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"begun\n"
        time.sleep(draw.uniform(0.0, 0.15))
        process.kill()
        assert process.wait() == -signal.SIGKILL
        process.stdout.close()
        resume = "resume" if path.exists() else "new"
    subprocess.run([*command, resume, "0", f"{kills + 2}"], check=True, stdout=subprocess.DEVNULL)
    assert same(load_gaits(path), whole)
    assert [one.name for one in path.parent.iterdir()] == [path.name]  # no half of a file is left


def test_a_search_that_was_killed_goes_on(tmp_path: Path) -> None:
    killed_and_resumed(tmp_path / "gaits.nc", kills=2)


@pytest.mark.slow
def test_a_search_that_was_killed_twenty_times_goes_on(tmp_path: Path) -> None:
    killed_and_resumed(tmp_path / "gaits.nc", kills=20)


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, said, whole = tmp_path / "gaits.nc", list[str](), search(None)
    real, calls = store.written_netcdf, 0

    def full(target):
        nonlocal calls
        calls += 1
        if calls in (3, 4):
            from taut.errors import WriteError

            raise WriteError(f"{target}: cannot be written: {os.strerror(errno.ENOSPC)}")
        return real(target)

    monkeypatch.setattr(store, "written_netcdf", full)
    assert same(search(path, told=said.append), whole)
    assert same(load_gaits(path), whole)
    assert "No space left on device; the file has 2 generations, and the search goes on" in said[0]

    calls, path = -(10**6), tmp_path / "other.nc"
    monkeypatch.setattr(store, "written_netcdf", lambda target: full(target) if calls < -(10**6) + 2 else boom(target))

    def boom(target):
        from taut.errors import WriteError

        raise WriteError(f"{target}: cannot be written: {os.strerror(errno.ENOSPC)}")

    with pytest.raises(StoppedSearch, match="the file has 2 of 6 generations: make room, and --resume") as caught:
        search(path)
    assert same(caught.value.result, whole)
    monkeypatch.setattr(store, "written_netcdf", real)
    assert same(search(path, resume=True), whole)


def test_another_search_is_refused_with_the_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "gaits.nc"
    search(path)
    with pytest.raises(FileError, match="is there already; --resume"):
        search(path)
    with pytest.raises(FileError, match='its model has "a hill" where this one has "a higher hill"'):
        search(path, resume=True, text="a higher hill\n")
    with pytest.raises(FileError, match="its copies is 4, not 6; its noise is .*0.01.*, not .*0.02"):
        search(path, resume=True, options=replace(OPTIONS, copies=6, noise={"drive:*.phase": 0.02}))
    with pytest.raises(FileError, match=r"its goals is .*distance.*, not .*slip"):
        search(path, resume=True, objective=Objective((Goal("slip"),)))
    with pytest.raises(FileError, match=r"its amplitude is \[0.02, 0.12\], not \[0.02, 0.1\]"):
        search(path, resume=True, space=replace(SPACE, amplitude=(0.02, 0.1)))
    with pytest.raises(FileError, match="it has 6 generations already, not 4"):
        search(path, resume=True, options=replace(OPTIONS, generations=4))
    monkeypatch.setattr(kept_search, "this_program", lambda: "9.9 (other)")
    with pytest.raises(
        FileError, match=r'its taut is "0.1.0 .*", not "9.9 \(other\)"; give another name, or --restart'
    ):
        search(path, resume=True)
    assert search(path, restart=True).finished


def test_a_broken_or_foreign_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gaits.nc"
    search(path)
    content = path.read_bytes()
    path.write_bytes(content[:-200] + b"x" + content[-199:])
    with pytest.raises(FileError, match="is damaged"):
        search(path, resume=True)
    with pytest.raises(FileError, match="must end in .nc"):
        search(tmp_path / "gaits.txt")


def test_all_failed_is_told_with_the_reason() -> None:
    def failing(points: np.ndarray, seeds: np.ndarray) -> Tried:
        return Tried(np.full_like(climbed(points, seeds).copies, np.nan), "the step is too long")

    with pytest.raises(OptionError, match="no copy of any gait of generation 1 finished.*the step is too long"):
        search(None, failing)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"population": 1}, r"population = 1 must be 2 or more \(one has nobody to be compared with\)"),
        ({"generations": 0}, "generations = 0 must be 1 or more"),
        ({"elite": 13}, "elite = 13 must be no more than population = 12"),
        ({"step": 0.0}, "step = 0 s must be more than zero"),
        ({"tell_step": 0.1}, "tell_step = 0.1 s must be above zero, and no more than step = 0.001 s"),
        ({"algorithm": "gaa"}, 'algorithm "gaa" is not one of ga, nsga2, cma'),
    ],
)
def test_bad_options(changed: dict[str, object], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        search(None, options=replace(OPTIONS, **changed))


def test_a_space_needs_members_and_something_to_search_for() -> None:
    with pytest.raises(OptionError, match="needs members to move"):
        SinusoidSpace(())
    with pytest.raises(OptionError, match="everything is fixed"):
        SinusoidSpace(("bar:x1",), (0.1, 0.1), (1.0, 1.0), (0.0, 0.0))
    with pytest.raises(OptionError, match="the least and the most"):
        SinusoidSpace(("bar:x1",), (0.1, 0.05))


def test_a_gait_and_its_point_are_one() -> None:
    space = SinusoidSpace(("bar:x1", "bar:y1"), mean=(-0.02, 0.03), shared=("frequency",))
    assert space.names[:3] == ("amplitude x1", "amplitude y1", "frequency")
    point = np.random.default_rng(0).random(space.size)
    gait = space.gait(point)
    assert space.point(gait) == pytest.approx(point, abs=1e-12)
    told = space.parameters(np.array([point, TOP[0] + 0.0 * point]))
    assert told["drive:*.phase"][0].tolist() == pytest.approx(gait.phase)
    assert told["drive:*.frequency"].shape == (2, 2)
    with pytest.raises(OptionError, match="frequency = 9 lies outside of 0.4 to 2"):
        space.point(replace(gait, frequency=9.0))


def test_folding_goes_round_or_is_reflected() -> None:
    assert folded(np.array([[1.2, 1.2, -0.1]]), np.array([True, False, False]))[0] == pytest.approx([0.2, 0.8, 0.1])


def test_ranking_keeps_limits_first_and_then_fronts() -> None:
    assert ranked(np.array([[1.0], [0.0], [np.nan]]), np.array([0.0, 0.5, 0.0])).tolist() == [0, 2, 1]
    costs = np.array([[2.0, 2.0], [1.0, 3.0], [3.0, 1.0], [3.0, 3.0]])
    assert sorted(ranked(costs, np.zeros(4))[:3].tolist()) == [0, 1, 2]
