"""Gaits that come with taut: they are listed, run, and come to what is told of them."""

import json
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.cli import main
from taut.errors import OptionError
from taut.locomotion import measures_of
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
    climb = next(one for one in gaits_shipped() if one.slope)
    gravity = np.array(zoo_model(climb).scenario.gravity)
    assert np.degrees(np.arcsin(np.linalg.norm(gravity[:2]) / 9.81)) == pytest.approx(5.0)


@pytest.mark.slow
@pytest.mark.parametrize("one", gaits_shipped(), ids=lambda one: one.name)
def test_a_gait_comes_to_what_is_told_of_it(one) -> None:
    """By 32 copies of other noise, within a tenth or four standard errors of the difference."""
    model = sloped(taut.read_model(example(one.model)), one.slope, one.heading)
    options = SearchOptions(duration=one.duration, step=one.step)
    told = measures_of(runs_of(model, one.gait, options, 9000 + np.arange(32)), ("displacement", "distance"))
    ahead = told.displacement @ np.array(uphill(model, one.heading))
    went = told.distance if one.goal == "distance" else ahead
    error = np.hypot(one.distance.error, went.std(ddof=1) / np.sqrt(went.size))
    assert told.ok.all()
    assert abs(went.mean() - one.distance.value) < max(0.1 * one.distance.value, 4.0 * error)
