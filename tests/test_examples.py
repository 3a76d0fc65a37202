"""Every example runs; each with one number that says it did the right thing."""

from pathlib import Path

import numpy as np
import pytest
from example_scripts import EXAMPLES, script

import taut
from taut.output.model_runs import assembled
from taut.structure.properties import total_mass

NODAL = [path for path in sorted(EXAMPLES.glob("*.yaml")) if "\ntree:" not in path.read_text()]
"""Trees of bodies are run by tests/trees/test_tree_models.py."""


LONG = (
    *("ball_compressible", "damped_mast", "drop_on_stairs", "mechanism", "mechanism_joints", "mechanism_struts"),
    *("platform", "prismatic", "tower_earthquake", "winched_tower"),
)
"""Models whose loops are compiled for them alone; tests/points and tests/dynamics test the same kinds quickly."""


@pytest.mark.parametrize(
    "path", [pytest.param(p, marks=[pytest.mark.slow] if p.stem in LONG else [], id=p.stem) for p in NODAL]
)
def test_models_run_and_keep_their_bars_and_energy(path: Path) -> None:
    model = taut.read_model(path)
    scenario = model.scenario
    plant = assembled(model.structure, scenario)
    steps = {"method": scenario.method, "step": scenario.step} if scenario.ground else {}
    run = taut.simulate(plant, min(1.0, scenario.duration), tolerance=scenario.tolerance, **steps)
    assert run.ok
    assert run.length_violation.max() < 2e-13
    terms = run.energy_kinetic + run.energy_elastic + np.abs(run.energy_gravity) + np.abs(run.work)
    books = 1e-3 if scenario.ground else 3e-12  # the work of impacts is known to the order of a step
    assert np.abs(run.energy_violation).max() < max(1e-10, books * terms.max())
    assert np.ptp(run.nodes, axis=0).max() > 1e-4, "nothing moved"


def test_compare_corrections_finds_energy_correction_better_than_none() -> None:
    errors = script("compare_corrections").main(duration=5.0, tolerances=(1e-8,))
    assert errors["energy", 1e-8] < errors["constraints", 1e-8] < errors["none", 1e-8]


def test_a_tower_comes_down_cable_after_cable() -> None:
    model = taut.read_model(EXAMPLES / "tower_collapse.yaml")
    run = taut.simulate(assembled(model.structure, model.scenario), 1.0, every=0.01)
    breaks = [event for event in run.events if event.subject == "breaks"]
    assert len(breaks) > 5
    assert 0.1 < breaks[0].time < 0.3
    assert [event.change for event in run.events if event.subject == "down"] == ["falling"]
    assert run.cable_tension.max() <= 330.0 * (1.0 + 1e-6)
    assert run.work[-1] < -100.0, "what broken cables had stored is lost, and dampers took some"
    terms = run.energy_kinetic + run.energy_elastic + np.abs(run.energy_gravity) + np.abs(run.work)
    assert np.abs(run.energy_violation).max() < 3e-12 * terms.max()


def test_an_earthquake_bends_the_tower_and_leaves_its_base_at_rest() -> None:
    model = taut.read_model(EXAMPLES / "tower_earthquake.yaml")
    structure, scenario = model.structure, model.scenario
    plant = taut.assemble(structure, gravity=scenario.gravity, motions=scenario.motions)
    run = taut.simulate(plant, 3.0, every=0.01)
    base, top = (list(structure.nodes).index(node) for node in ("bottom1", "top1"))
    shift = run.nodes[:, [base, top], 0] - structure.positions[[base, top], 0]
    assert 0.04 < np.abs(shift[:, 0]).max() < 0.06
    assert 0.005 < np.abs(shift[:, 1] - shift[:, 0]).max() < 0.02, "how far the top sways over the base"
    assert np.abs(run.velocities[-1, base]).max() < 1e-14
    inertia = total_mass(structure) * np.abs(scenario.motions[0].acceleration.values).max()
    assert 0.5 * inertia < np.abs(run.reaction[:, :, 0].sum(axis=1)).max() < 1.5 * inertia


def test_the_tower_carries_its_weight() -> None:
    run = script("drop_a_tower").main(duration=1.0)
    weight = 9.81 * total_mass(run.structure)
    assert run.reaction[:, :, 2].sum(axis=1).mean() == pytest.approx(weight, rel=0.02)
    assert run.cable_tension.min() > 0.0


@pytest.mark.slow
def test_two_hundred_seconds_shows_what_corrections_are_worth(tmp_path: Path) -> None:
    figure = tmp_path / "errors.png"
    errors = script("two_hundred_seconds").main(20.0, rest_ratios=(0.5,), tolerances=(1e-8,), figure=str(figure))
    assert errors[0.5, 1e-8, "energy"] < errors[0.5, 1e-8, "constraints"] < errors[0.5, 1e-8, "none"]
    assert figure.stat().st_size > 10_000


def test_the_tower_stands_and_swings_about_its_balance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "tower.html"
    run = script("stand_a_tower").main(duration=0.5, page=str(page))
    said = capsys.readouterr().out
    assert "4 self-stress states (3 of them of a member between supports), 1 mechanism" in said
    assert "Super-stable" in said
    assert f"supports bear {9.81 * total_mass(run.structure):.5g} N" in said
    assert run.ok
    assert 0.001 < np.ptp(run.nodes, axis=0).max() < 0.1, "its weight comes on at once, so it bounces a little"
    assert page.stat().st_size > 1e5


def test_the_mast_is_held_up() -> None:
    falling, standing = script("hold_up_a_mast").main()
    assert falling.nodes[:, 1, 2].min() < 1.0
    assert standing.nodes[-1, 1, 2] == pytest.approx(2.0, abs=1e-6)


@pytest.mark.slow  # quick: winches by commands in tests/control
def test_the_tower_is_held_up_by_its_winches() -> None:
    falling, standing = script("hold_up_a_tower").main()
    assert falling.node("top1")[:, 2].min() < 0.0, "it falls over its foot"
    assert standing.ok
    aside = np.abs(standing.nodes - standing.structure.positions).max(axis=(1, 2))
    assert aside[-1] < 0.1 * aside.max() < 1e-3


@pytest.mark.slow  # quick: tests/kinetostatics/test_robots_in_motion.py
def test_a_plate_goes_around_a_circle(capsys: pytest.CaptureFixture[str]) -> None:
    """What its robot does when it is let go is tested in `kinetostatics/test_robots_in_motion.py`."""
    ringing, falling, (led,) = script("follow_a_circle").main(durations=(10.0,), radius=0.005)
    assert np.abs(ringing.seen / ringing.computed - 1.0).max() < 2e-4
    assert np.abs(falling.seen / falling.computed - 1.0).max() < 2e-4
    assert led.resting < 1e-7
    assert led.left <= 1e-8
    assert 1e-4 < led.moving < 2e-3
    assert "at rest its wires would hold it within" in capsys.readouterr().out


def test_every_script_has_a_test() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {
        "compare_corrections",
        "drop_a_tower",
        "follow_a_circle",
        "hold_up_a_mast",
        "hold_up_a_tower",
        "learn_to_roll",
        "move_a_manipulator",
        "move_a_robot",
        "roll_on_rough_ground",
        "roll_to_a_goal",
        "stand_a_tower",
        "two_hundred_seconds",
        "wind_up_a_strut",
    }


def test_winches_calm_a_mast_that_would_sway_on() -> None:
    run = {}
    for name, told in (("damped", []), ("alone", ["scenario.controllers={}"])):
        model = taut.read_model(EXAMPLES / "damped_mast.yaml", told)
        plant = assembled(model.structure, model.scenario)
        run[name] = taut.simulate(plant, model.scenario.duration, every=model.scenario.every, verify=False)
        assert run[name].ok
    late = run["damped"].time > 3.0
    assert np.abs(run["alone"].node("top")[late, 0]).max() > 0.2
    assert np.abs(run["damped"].node("top")[late, :2]).max() < 5e-4, "what is left is the noise of its sensors"
    assert not [note for note in run["damped"].notes if "limit" in note], "the winches are fast enough"
    assert np.abs(run["damped"].reading - run["damped"].node("top")[:, :2]).max() < 0.02, "a hundred times a second"


def test_a_robot_is_moved_within_micrometres_of_what_its_page_says(tmp_path: Path) -> None:
    between = script("move_a_robot").main(count=5, page=str(tmp_path / "robot.html"))
    assert between.area.found.all()
    assert between.error.nodes < 2e-5
    assert (tmp_path / "robot.html").stat().st_size > 100_000


@pytest.mark.slow
def test_rough_ground_takes_from_a_gait() -> None:
    """Less far than on a flat floor, by more than chance."""
    found = script("roll_on_rough_ground").main((0.0, 0.03), copies=6, duration=6.0)
    flat, rough = found[0.0], found[0.03]
    assert flat.size == 6
    assert rough.size >= 5
    assert rough.mean() < flat.mean()


def test_a_strut_is_leant_over_by_its_pulleys() -> None:
    told = script("wind_up_a_strut").main()
    assert 2e-3 < told["lean"] < 6e-3
    assert told["least tension"] > 3.0, "no cable goes slack"
    assert told["gap"] < 1e-12


def test_a_manipulator_keeps_its_end_effector_while_its_struts_turn() -> None:
    run, law = script("move_a_manipulator").main(duration=0.1)
    assert run.status == "finished"
    assert np.abs(run.coordinate[:, :3] - run.coordinate[0, :3]).max() < 1e-3
    turned = 2.0 * np.arcsin(np.abs(run.coordinate[-1, 5]))
    assert turned > 0.3, "no tensions of 20 MPa hold it as it is drawn"
    assert law.slackenings == ()
