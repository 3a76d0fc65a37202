"""The Python blocks of the pages in docs/ run, one after another, as the pages say."""

from pathlib import Path

import numpy as np
import pytest
from page_blocks import ROOT, run_blocks


def test_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = run_blocks("README.md", 1)
    assert names["run"].ok
    assert (tmp_path / "tower.nc").exists()
    assert (tmp_path / "tower.html").exists()


def test_the_first_own_model_stands_and_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = run_blocks("docs/start.md", 2)
    assert names["standing"].ok
    assert names["standing"].cable_tension.min() > 0.0
    assert names["run"].ok
    assert (tmp_path / "prism4.yaml").exists()
    assert (tmp_path / "prism4.html").exists()


@pytest.mark.slow
def test_the_tour_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = run_blocks("docs/tour.md", 2)
    assert names["run"].ok
    assert names["flights"].nodes.shape == (64, 201, 12, 3)
    assert names["flights"].ok.all()


def test_the_page_of_linear_models_runs() -> None:
    names = run_blocks("docs/linear-models.md", 7)
    assert names["model"].stable
    assert names["gain"].shape == (50, 1, 1)
    assert not names["upright"].stable
    assert abs(names["run"].nodes[-1, 1, 0]) < 1e-3
    assert not names["discrete"].stable
    assert names["loop"].stable
    assert names["spread"].deviations["node:top.position.x"] < 0.01
    assert not names["command"].any()
    assert all(each.stable for each in names["closed"])
    assert len(names["small"].model.states) == 6
    assert 0.0 < names["rough"].bound <= 1e-4 < names["small"].bound


@pytest.mark.slow
def test_the_page_of_contact_runs() -> None:
    names = run_blocks("docs/contact.md", 7)
    assert names["run"].finished
    assert abs(names["calm"].energy_violation).max() < 1e-10
    assert names["run"].contact_force[-1].sum(axis=0) == pytest.approx([0.0, 0.0, 2.0 * 9.81], rel=1e-6)
    down = 0.5 * 9.81 * (np.sin(names["angle"]) - 0.1 * np.cos(names["angle"]))
    assert np.linalg.norm(names["slid"].nodes[-1, 0]) == pytest.approx(down, abs=1e-12)
    assert names["landed"].ok
    assert names["landed"].contact_force.max() > 10.0


def test_the_page_of_collisions_runs() -> None:
    names = run_blocks("docs/collisions.md", 1)
    (event,) = names["run"].collisions
    assert event.time == pytest.approx(np.sqrt(2.0 / 9.81))
    assert names["stopped"].status == 'finished at t = 0.45 s: cable "w" touched bar "f" at t = 0.446986 s'
    assert len(names["later"]) == 1


@pytest.mark.slow
def test_the_page_of_gait_search_runs() -> None:
    names = run_blocks("docs/gait-search.md", 1)
    assert len(names["found"].generations) == 2
    assert len(names["drives"]) == 6


@pytest.mark.slow
def test_the_page_of_locomotion_runs() -> None:
    names = run_blocks("docs/locomotion.md", 8)
    assert names["told"].face_changes >= 5
    assert names["told"].distance > 1.8
    assert len(names["drives"]) == len(names["some"]) + 3
    assert len(names["came"].slip) == 4
    assert names["copies"].ok.all()
    assert names["same"].varied["drive:*.phase"] is not None
    assert names["robots"].time.tolist() == pytest.approx([0.1, 0.0, 0.1])


@pytest.mark.slow
def test_the_page_of_joints_runs() -> None:
    names = run_blocks("docs/joints.md", 4)
    assert names["run"].ok
    assert names["hanging"].ok
    assert names["hanging"].stable
    assert names["plant"].names == ("hip", "knee")


@pytest.mark.slow
def test_the_page_of_trees_runs() -> None:
    names = run_blocks("docs/trees.md", 5)
    assert {event.subject for event in names["slid"].events} >= {"crate corner 1 on floor"}
    assert names["stopped"].events[-1].subject == "nearly slack"
    assert names["run"].ok
    assert len(names["reduced"].names) == 5
    assert np.abs(names["at_work"].equations.loop_error(names["at_work"].positions)).max() < 1e-9


@pytest.mark.slow
def test_the_page_of_stepping_runs() -> None:
    names = run_blocks("docs/stepping.md", 3)
    assert names["best"] == 0.001, "let out, it rises"
    assert names["path"].nodes.shape == (51, 6, 3)
    assert names["sim"].time == pytest.approx(0.5)


@pytest.mark.slow
def test_the_page_of_control_runs() -> None:
    names = run_blocks("docs/control.md", 6)
    assert names["needed"].unbalanced[0] < 1e-12
    for name in ("run", "held", "seen", "designed", "follower"):
        assert names[name].ok, name
    assert names["loop"].stable
    assert np.abs(names["held"].node("top")[-50:, 0]).max() < 0.1 * np.abs(names["held"].node("top")[:, 0]).max()
    assert np.abs(names["designed"].node("top")[-1, 0]) < 1e-3
    assert np.abs(names["follower"].node("top")[:, 0] - names["way"]).max() < 1e-3


@pytest.mark.slow
def test_the_statics_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    names = run_blocks("docs/statics.md", 11)
    assert names["ball"].force_density[-1] / names["ball"].force_density[0] == pytest.approx(-1.5)
    for name in ("ball", "balance", "loaded", "table", "path", "sized", "lightest", "hung", "wound"):
        assert names[name].ok, name
    assert names["verdict"].verdict == "super-stable"
    assert [event.kind for event in names["aside"].events][:1] == ["bifurcation"]
    assert abs(names["aside"].nodes[-1, 2, 0]) > 0.1, "it went aside"


@pytest.mark.slow
def test_the_page_of_kinetostatics_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prismatic.yaml").write_text((ROOT / "examples" / "prismatic.yaml").read_text())
    names = run_blocks("docs/kinetostatics.md", 8)
    assert [one.status for one in names["variants"]] == ["balanced", "balanced"]
    assert names["rest"].ok
    assert names["aside"].ok
    assert not names["lost"].ok
    assert [one.stable for one in names["by_mode"].values()] == [False, False, False, True, True]
    assert len(names["several"].found) == 1
    assert names["found"].ok
    assert names["level"].ok
    assert "tension of a3 at its lowest, 89 N" in names["kept"].status
    assert names["path"].ok
    assert names["left"] <= 1e-8
    assert names["area"].found.all()
    assert names["between"].error.nodes < 1e-4
    assert (tmp_path / "robot.html").is_file()
    assert names["targets"].reached.all()


@pytest.mark.slow
def test_the_page_of_identification_runs() -> None:
    names = run_blocks("docs/identification.md", 4)
    found, vague, moving = (names[name] for name in ("found", "vague", "moving"))
    assert found.fits
    assert found.inside([1.15e4] * 3 + [names["built"].cables[f"top{k}"].rest_length for k in (1, 2, 3)], 0.999)
    assert vague.undetermined == ("nothing measured depends on stiffness of cable:[tv]* all by one factor",)
    assert moving.fits
    assert moving.inside([1.08, 1.4, 1.1], 0.999)
    assert names["again"].ok


def test_the_sweeps_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("xarray")
    import taut

    monkeypatch.chdir(tmp_path)
    model = (ROOT / "examples" / "tbar.yaml").read_text()
    (tmp_path / "tbar.yaml").write_text(model.replace("duration: 10 ", "duration: 1 "))
    axes = {"properties.cable:*.stiffness": "50:200:4", "properties.cable:vertical.rest_ratio": "0.6:0.95:2"}
    taut.sweep("tbar.yaml", axes, output="map.nc")
    names = run_blocks("docs/sweeps.md", 2)
    names["grid"].close()
    assert names["study"].max_tension.shape == (3, 2, 4)
    assert names["study"].ok.all()
    assert taut.read("study.nc").ok.all()


@pytest.mark.slow
def test_the_page_of_learning_runs() -> None:
    names = run_blocks("docs/learning.md", 1)
    assert names["truncated"].shape == (8,)
    assert names["run"].time[-1] == pytest.approx(2.0)
    assert names["seen"].shape == (8, 2 + 12 + 36 + 36)


def test_the_page_of_inverse_dynamics_runs() -> None:
    names = run_blocks("docs/inverse-dynamics.md", 5)
    assert names["spline"].times[-1] == 6.0
    assert names["best"].inputs == pytest.approx([0.0, 2.0, 3.0], abs=1e-9)
    assert names["found"].effort.min() == pytest.approx(5.0, abs=1e-6)
    assert names["found"].relaxed == ()
    assert names["run"].status == "finished"
    assert names["law"].slackenings == ()
    assert np.abs(names["run"].coordinate[-1, :2]).max() < 0.01
