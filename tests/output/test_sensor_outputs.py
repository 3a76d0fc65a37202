"""What a run tells of its sensors: in files, drafts, tables, on the page, in plots; and controllers in statics."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
import pytest

import taut
from taut import OptionError, Sensor
from taut.dynamics.sensor_facts import SensorFacts, sensors_of
from taut.dynamics.trajectory import SAMPLED
from taut.measurement import InMotion, Measurements, Unknown, identify
from taut.output.drafts import drafting, load_draft, reach
from taut.output.linear_files import linear_model
from taut.output.model_runs import assembled, continued, recorded
from taut.output.model_statics import resting
from taut.output.page.content import run_content
from taut.output.page.embedding import Arrays
from taut.output.plot.sheets import figures
from taut.structure.files import parse_model

matplotlib.use("Agg")
STIFF, REST = 1000.0, 0.9

MODEL = """taut: 1
nodes: {a: [0, 0, 0], b: [1, 0, 0], c: [2, 0, 0]}
cables: {l: [a, b], r: [b, c]}
properties: {"cable:*": {stiffness: 1000, rest_length: 0.9}}
supports: {a: xyz, b: yz, c: xyz}
point_masses: {b: 2}
scenario:
  loads:
    push: {node: b, axis: x, signal: {command: {start: 10}}}
  drives:
    winch: {member: "cable:l", quantity: rest_length, by: {command: -0.02}}
  sensors:
    tension: {quantity: "cable:l.tension", rate: 50, noise: 0.1, resolution: 0.5}
    place: {quantity: "node:b.position.x", rate: 50, delay: 0.02}
    now: node:b.position.x
  controllers:
    hold:
      measured: [place]
      commands: [push, winch]
      law: {pd: {proportional: [[100], [0]], derivative: [[20], [0.01]], setpoint: 1, filter: 0.02}}
      rate: 50
      hold: first
      delay: 0.03
  duration: 0.5
  every: 0.01
"""


def model() -> taut.Model:
    return parse_model(MODEL, "m.yaml")


@cache
def run() -> taut.Trajectory:
    plant = assembled(model().structure, model().scenario)
    return taut.simulate(plant, 0.5, every=0.01, model_text=MODEL)


def test_a_run_keeps_name_unit_and_rate_of_its_sensors(tmp_path: Path) -> None:
    wanted = [SensorFacts("tension", "N", 50.0), SensorFacts("place", "m", 50.0), SensorFacts("now", "m", None)]
    assert sensors_of(run()) == wanted
    taut.save(run(), tmp_path / "run.nc")
    again = taut.read(tmp_path / "run.nc")
    assert sensors_of(again) == wanted
    assert again.reading.tobytes() == run().reading.tobytes()
    assert np.array_equal(run().reading[:, 2], run().node("b")[:, 0])
    assert np.unique(run().reading[:, 0] % 0.5).size == 1, "multiples of the resolution"


def test_a_killed_run_goes_on_from_its_draft_to_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant = assembled(model().structure, model().scenario)
    monkeypatch.setattr("taut.dynamics.driver.CHUNK", 7 * 8 * (2 * plant.coordinates + 1))
    parts: list[taut.Trajectory] = []
    taut.simulate(plant, 0.5, every=0.01, sink=parts.append, model_text=MODEL)
    killed = tmp_path / f".r.nc.{'0' * 16}.draft"
    with drafting(tmp_path / "r.nc") as draft:
        for part in parts[:4]:
            draft.add(part)
        shutil.copy(draft.path, killed)
    assert 0.1 < reach(killed) < 0.4
    start = load_draft(killed)
    assert sensors_of(start) == sensors_of(run())
    again, begun = continued(killed, None, ())
    result, failure = recorded(again, tmp_path / "r.nc", {"duration": 0.5}, begun)
    assert failure is None
    assert result.ok
    read = taut.read(tmp_path / "r.nc")
    for name in SAMPLED:
        assert getattr(read, name).tobytes() == getattr(run(), name).tobytes(), name
    assert read.sensor_names == run().sensor_names


def test_other_controllers_are_no_continuation(tmp_path: Path) -> None:
    taut.save(run(), tmp_path / "run.nc")
    with pytest.raises(OptionError, match=r"scenario.controllers is not what it was when .* was made"):
        continued(tmp_path / "run.nc", None, ["scenario.controllers.hold.law.pd.filter=0.01"])


def test_tables_have_a_column_for_each(tmp_path: Path) -> None:
    taut.save(run(), tmp_path / "run.csv")
    header = (tmp_path / "run.csv").read_text().splitlines()[0].split(",")
    assert [name for name in header if name.startswith("sensor:")] == ["sensor:tension", "sensor:place", "sensor:now"]
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    frame = run().to_dataframe()
    assert np.array_equal(frame["sensor:place"], run().reading[:, 1])
    labelled = run().to_xarray()
    assert list(labelled.reading.sensor.values) == list(run().sensor_names)


def test_the_page_charts_readings_by_unit_and_in_steps() -> None:
    content = run_content("run", run(), Arrays(), None)
    charts = {chart["name"]: chart["series"] for chart in content["charts"]}
    assert [(one["name"], one["steps"]) for one in charts["Readings, N"]] == [("tension", "until")]
    assert [(one["name"], one["steps"]) for one in charts["Readings, m"]] == [("place", "until"), ("now", "")]
    assert [one["name"] for one in charts["Drives"]] == ["winch"]


def test_readings_are_plotted_where_there_are_sensors() -> None:
    axes = taut.plot.readings(run(), "m")
    assert [line.get_drawstyle() for line in axes.get_lines()] == ["steps-post", "default"]
    assert axes.get_ylabel() == "reading [m]"
    assert [text.get_text() for text in taut.plot.readings(run()).get_legend().get_texts()] == [
        "tension [N]",
        "place [m]",
        "now [m]",
    ]
    assert list(figures(run()))[-3:] == ["drives", "readings_1", "readings_2"]
    with pytest.raises(OptionError, match=r'no sensor shows "mm"; there are N, m'):
        taut.plot.readings(run(), "mm")
    bare = taut.simulate(taut.assemble(model().structure), 0.05)
    assert "readings" not in figures(bare)
    with pytest.raises(OptionError, match="this run has no sensors to draw"):
        taut.plot.readings(bare)


@pytest.mark.slow
def test_runs_stepped_by_hand_show_their_readings_without_units() -> None:
    plant = taut.assemble(model().structure, sensors=[Sensor("place", "node:b.position.x")])
    sim = taut.start(plant)
    sim.step(0.01)
    trajectory = sim.trajectory()
    assert [fact.name for fact in sensors_of(trajectory)] == ["place"]
    assert taut.plot.readings(trajectory).get_ylabel() == "reading"


def test_statics_takes_commands_at_their_start_and_leaves_controllers_out() -> None:
    found = resting(model())
    left_out = 'controllers are left out ("hold"): what they command is at its start'
    # 1000 (x - 0.88) = 1000 (2 - x - 0.9) + 10
    assert found.structure.nodes["b"][0] == pytest.approx((0.88 + 1.1 + 0.01) / 2.0, abs=1e-12)
    assert left_out in found.notes
    for rest in (None, found):
        linear = linear_model(model(), None, None, rest=rest, held="rest_length")
        assert left_out in linear.notes
        assert np.allclose(np.abs(linear.poles), np.sqrt(2.0 * STIFF / 2.0))
        assert np.allclose(linear.drift, 0.0 if rest else [0.0, (10.0 + 20.0 * -1.0) / np.sqrt(2.0)])


@pytest.mark.slow
def test_identification_runs_what_was_measured_under_control() -> None:
    """The stiffness by which a bead swings while a controller holds it."""
    seen = Measurements(run().time, ("b",), run().node("b")[:, None])
    guess = model().structure.changed("cable:*", stiffness=1100.0)
    unknown = Unknown("cable:*", "stiffness", together=True)
    found = identify(guess, [InMotion(seen, model().scenario)], [unknown], deviations={"node:*": 1e-6})
    assert found.structure.cables["r"].stiffness == pytest.approx(STIFF, rel=1e-4)


def test_a_drive_is_at_its_start_in_statics_whatever_it_drives() -> None:
    """A value that stands from the start on is what a run has at t = 0, too."""
    text = MODEL.replace("by: {command: -0.02}", "to: 0.88").replace("[push, winch]", "[push]")
    text = text.replace("[[100], [0]], derivative: [[20], [0.01]]", "100, derivative: 20")
    assert resting(parse_model(text)).structure.nodes["b"][0] == pytest.approx(0.995, abs=1e-12)
    pulled = MODEL.replace("l: [a, b]", "l: {route: [a, b], mode: tension, command: 50}")
    pulled = pulled.replace("rest_length, by: {command: -0.02}", "tension, to: {command: 120}")
    pulled = pulled.replace('"cable:*"', '"cable:r"')
    found = resting(parse_model(pulled))
    assert found.structure.nodes["b"][0] == pytest.approx(1.1 - 0.11, abs=1e-12)


def test_a_study_changes_a_gain() -> None:
    study = taut.sweep(model(), {"scenario.controllers.hold.law.pd.filter": [0.02, 0.05]})
    assert study.ok.all()
    assert study.max_tension[0].tobytes() == run().cable_tension.max(axis=0).tobytes()
    assert not np.array_equal(study.max_tension[0], study.max_tension[1])
