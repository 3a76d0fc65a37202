"""Gaits that come with taut: they are listed, run, and come to what is told of them."""

import json
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.cli import main
from taut.errors import OptionError
from taut.locomotion import SinusoidGait, SinusoidSpace, gait_symmetries, measures_of, stands
from taut.output.gait_search.finding import sloped, uphill
from taut.output.gait_search.replaying import runs_of
from taut.output.gait_search.zoo import gait_named, gaits_shipped, zoo_model
from taut.search.options import SearchOptions
from taut.structure.examples import example


def test_the_zoo_has_gaits_on_the_flat_and_uphill() -> None:
    shipped = gaits_shipped()
    assert {one.slope for one in shipped} == {0.0, 5.0}
    best = shipped[0]
    assert best.distance.copies == 64
    assert best.distance.value > 3.0
    assert best.gait.drives(taut.read_model(example(best.model)).structure)


def test_the_zoo_has_a_gait_of_every_symmetry_and_each_has_its_own() -> None:
    robot = taut.read_model(example("six_strut")).structure
    struts = tuple(f"bar:{name}" for name in robot.bars)
    known = {one.name: one for one in gait_symmetries(robot, struts)}
    waves = [one for one in gaits_shipped() if isinstance(one.gait, SinusoidGait)]
    assert sorted(one.symmetry for one in waves) == sorted(known)
    for one in waves:
        own = known[one.symmetry]
        space = SinusoidSpace(struts, (0.0, 0.15), (0.4, 3.0), shared=("frequency", "mean"), symmetry=own)
        assert space.point(one.gait).shape == (space.size,), "it would be refused if it had not this symmetry"
        assert f"--symmetry {one.symmetry} " in one.search or one.symmetry == "C1/C1"


def test_the_zoo_is_listed_and_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for given in (["gait", "zoo"], ["gait", "zoo", "--json"]):
        with pytest.raises(SystemExit) as ended:
            main(given)
        assert not ended.value.code
    told = capsys.readouterr().out
    assert all(one.name in told for one in gaits_shipped())
    assert json.loads(told[told.index("[\n") :])[0]["model"] == "six_strut"
    target = tmp_path / "moved.yaml"
    with pytest.raises(SystemExit):
        main(["gait", "zoo", gaits_shipped()[0].name, "--model", str(target)])
    assert len(taut.read_model(target).scenario.drives) == 6
    with pytest.raises(OptionError, match='no gait "rolll"; did you mean "roll"'):
        gait_named("rolll")


def test_a_gait_uphill_has_a_gravity_that_leans() -> None:
    climb = gait_named("react-climb")
    gravity = np.array(zoo_model(climb).scenario.gravity)
    assert np.degrees(np.arcsin(np.linalg.norm(gravity[:2]) / 9.81)) == pytest.approx(5.0)


@pytest.mark.slow
@pytest.mark.parametrize("one", gaits_shipped(), ids=lambda one: one.name)
def test_a_gait_comes_to_what_is_told_of_it(one) -> None:
    """By 32 copies of other noise, within a tenth or four standard errors of the difference."""
    model = sloped(taut.read_model(example(one.model)), one.slope, one.heading)
    options = SearchOptions(duration=one.duration, step=one.step)
    runs = runs_of(model, one.gait, options, 9000 + np.arange(32))
    told = measures_of(runs, ("displacement", "distance", "face_changes"))
    ahead = told.displacement @ np.array(uphill(model, one.heading))
    went = told.distance if one.goal == "distance" else ahead
    error = np.hypot(one.distance.error, went.std(ddof=1) / np.sqrt(went.size))
    assert told.ok.all()
    assert abs(went.mean() - one.distance.value) < max(0.1 * one.distance.value, 4.0 * error)
    changes = told.face_changes
    assert abs(changes.mean() - one.faces.changes) < max(0.5, 4.0 * changes.std(ddof=1) * np.sqrt(2.0 / changes.size))
    first = len(one.faces.faces)
    same = [tuple(stand.face for stand in stands(runs[k])[:first]) == one.faces.faces for k in range(len(runs))]
    assert np.mean(same) > 0.25, "half of the copies or more did when it was told"
