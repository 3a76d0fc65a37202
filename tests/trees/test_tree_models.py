"""Trees in model files: read, told what is wrong with its line, run by the command."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import taut
from taut.cli.application import app
from taut.output.contact_places import contact_places
from taut.output.page.content import run_content
from taut.output.page.embedding import Arrays
from taut.output.page.lively import live_model
from taut.trees import Body, LoopJoint, Tree, TreeJoint, manipulator, plant_of_model, single_strut, tree_plant

EXAMPLES = Path(__file__).parents[2] / "examples"
DATA = Path(__file__).parents[1] / "data"
CRANK = """taut: 1
name: crank
tree:
  joints:
    hip: {kind: revolute, body: {name: rod, tube: TUBE}, axes: [[1, 0, 0]], values: [0.4], driven: true}
    slide: {kind: prismatic, body: {name: block, mass: 1.2}, at: [0, 0, -0.5], turned: TURNED, axes: [[1, 0, 0]]}
    coupler: {kind: spherical, parent: block, body: {name: link, cylinder: {radius: 0.02, height: 0.6, density: 2700}}}
  loops:
    pin: {predecessor: rod, successor: link, at: [0, 0, -0.5], to: [0, 0, 0.3]}
  wrenches:
    wind: {body: block, force: [0, 1, 0], signal: {sinusoid: {amplitude: 1, frequency: 2}}}
  torques: {hip: 0.5}
scenario: {gravity: 9.81, duration: 0.1, every: 0.02, events: {late: {time: 0.05}}}
""".replace(
    "TUBE", "{outer_diameter: 0.04, inner_diameter: 0.03, length: 0.5, density: 2700, centre: [0, 0, -0.25]}"
).replace("TURNED", "{about: [0, 0, 1], by: 1.5707963267948966}")


def test_a_file_is_the_same_tree_as_in_python(tmp_path: Path) -> None:
    (tmp_path / "crank.yaml").write_text(CRANK)
    model = taut.read_model(tmp_path / "crank.yaml")
    assert model.tree is not None
    rod = Body.tube("rod", 0.04, 0.03, 0.5, 2700.0, centre=(0.0, 0.0, -0.25))
    turn = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    same = Tree(
        (
            TreeJoint("hip", "revolute", "world", rod, axes=((1, 0, 0),), values=(0.4,), driven=True),
            TreeJoint(
                *("slide", "prismatic", "world", Body("block", 1.2), (0.0, 0.0, -0.5), turn), axes=((1.0, 0.0, 0.0),)
            ),
            TreeJoint("coupler", "spherical", "block", Body.cylinder("link", 0.02, 0.6, 2700.0)),
        ),
        (LoopJoint("pin", "rod", "link", at=(0.0, 0.0, -0.5), to=(0.0, 0.0, 0.3)),),
        (taut.trees.Wrench("wind", "block", (0.0, 1.0, 0.0), signal=taut.Sinusoid(1.0, 2.0)),),
    )
    one = taut.simulate(plant_of_model(model.tree, model.scenario), 0.1, every=0.02, verify=False)
    two = taut.simulate(tree_plant(same, torques={"hip": 0.5}), 0.1, every=0.02, verify=False)
    np.testing.assert_allclose(one.coordinate, two.coordinate, rtol=0, atol=1e-12)
    assert [event.subject for event in one.events] == ["late"]
    taut.save(model, tmp_path / "again.yaml")
    assert taut.read_model(tmp_path / "again.yaml").tree == model.tree
    longer = replace(model, scenario=replace(model.scenario, duration=2.0))
    with pytest.raises(taut.OptionError, match="the tree or scenario of this model is not what its text says"):
        taut.save(longer, tmp_path / "longer.yaml")
    with pytest.raises(taut.FileError, match="crank.yaml: is a tree of bodies and has no structure"):
        taut.read(tmp_path / "crank.yaml")


@pytest.mark.parametrize(("name", "made"), [("single_strut", single_strut), ("manipulator", manipulator)])
def test_examples_say_every_choice(name: str, made: object) -> None:
    model = taut.read_model(EXAMPLES / f"{name}.yaml")
    assert model.tree is not None
    assert model.tree.tree == made(), "with the values that Python takes by itself"  # type: ignore[operator]
    text = (EXAMPLES / f"{name}.yaml").read_text()
    named = set(made.__wrapped__.__annotations__) - {"return", "gravity"}  # type: ignore[attr-defined]
    assert all(f"{option}:" in text for option in named)


@pytest.mark.parametrize(("name", "until"), [("single_strut", 0.03), ("manipulator", 0.005)])
def test_examples_run_and_keep_their_loops_and_energy(name: str, until: float) -> None:
    model = taut.read_model(EXAMPLES / f"{name}.yaml")
    assert model.tree is not None
    scenario = model.scenario
    plant = plant_of_model(model.tree, scenario)
    options = {"method": scenario.method, "tolerance": scenario.tolerance, "step": scenario.step}
    run = taut.simulate(plant, until, correction=scenario.correction, verify=False, **options)
    assert run.status == "finished"
    assert run.length_violation.max() < 1e-12
    assert np.abs(run.energy_violation).max() < 1e-7 * run.overall.energy_in_play
    assert np.ptp(run.coordinate, axis=0).max() > 1e-4, "nothing moved"


@pytest.mark.parametrize(
    ("change", "line", "told"),
    [
        (("kind: spherical", "kind: sphrical"), 7, 'tree.joints.coupler: is of kind "sphrical"; did you mean "spheri'),
        (("about: [0, 0, 1]", "about: [0, 0, 0]"), 6, "tree.joints.slide.turned: turns about no axis; give one, as in"),
        (("radius: 0.02", "radius: -1"), 7, "tree.joints.coupler.body: its radius is -1; give a finite number more"),
        (("cylinder: {", "mass: 1, cylinder: {"), 7, 'tree.joints.coupler.body: "mass" does not go with cylinder'),
        (("successor: link", "successor: lnk"), 9, 'tree.loops.pin: joins "lnk", which is no body of the tree; did'),
        (("  torques: {hip", "  torques: {hop"), 12, 'tree.torques: torques name "hop", which is no driven joint'),
        (("gravity: 9.81", "gravity: [1, 0, 0]"), 13, "scenario.gravity: [1.0, 0.0, 0.0] is not down; of a tree it is"),
        (("{gravity", "{loads: {}, gravity"), 13, "scenario.loads: does not go with a tree of bodies; use torques"),
        (("name: crank\n", "nodes: {a: [0, 0, 0]}\n"), 2, "nodes: does not go with a tree, whose bodies stand under"),
        (("time: 0.05", "node: rodd, axis: z, level: 1"), 13, 'scenario.events.late.node: no node "rodd"; did you'),
        (("predecessor: rod", "predecessor: slab"), 9, 'tree.loops.pin: joins "slab", which is no body of the tree'),
        (
            ("rod, successor: link, at: [0, ", "world, successor: link, at: [5, "),
            9,
            'tree.loops.pin: cannot close: "world"',
        ),
        (("  joints:", "  generate: {single_strut: {}}\n  joints:"), 3, "tree: must say one of generate, urdf, joints"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, change: tuple[str, str], line: int, told: str) -> None:
    (tmp_path / "m.yaml").write_text(CRANK.replace(*change))
    said = CliRunner().invoke(app, ["check", str(tmp_path / "m.yaml")])
    assert said.exit_code != 0
    whole = f"{said.output}{said.exception}"
    assert told in whole
    assert f"m.yaml:{line}: " in whole


def test_gravity_of_a_machine_by_rule_is_said_in_the_scenario(tmp_path: Path) -> None:
    """A file that said it of the generator had none at all."""
    text = "taut: 1\ntree: {generate: {single_strut: {gravity: 1.62}}}\nscenario: {duration: 1}\n"
    (tmp_path / "m.yaml").write_text(text)
    with pytest.raises(taut.ModelError, match="tree.generate.single_strut.gravity: is that of the scenario in a model"):
        taut.read_model(tmp_path / "m.yaml")


def test_a_tree_without_joints_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text("taut: 1\ntree:\n  joints: {}\n")
    said = CliRunner().invoke(app, ["check", str(tmp_path / "m.yaml")])
    assert "m.yaml:3: tree.joints: there are none; a tree needs one at least" in f"{said.output}{said.exception}"
    (tmp_path / "empty.urdf").write_text("\n")
    (tmp_path / "n.yaml").write_text("taut: 1\ntree:\n  urdf: empty.urdf\n")
    with pytest.raises(taut.ModelError, match="n.yaml:3: tree.urdf: is empty; give the description of a robot"):
        taut.read_model(tmp_path / "n.yaml")


def test_the_command_runs_a_robot_description(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(DATA / "arm.urdf", tmp_path)
    Path("arm.yaml").write_text(
        "taut: 1\ntree:\n  urdf: arm.urdf\n  start: {shoulder: {values: [0.3]}, elbow: {rates: [1]}}\n"
        "scenario: {gravity: 9.81, duration: 0.1, every: 0.02}\n"
    )
    command = CliRunner()
    told = json.loads(command.invoke(app, ["info", "arm.yaml", "--json"]).output)
    assert told["degrees of freedom"] == 3
    assert told["actuation"].startswith("properly actuated")
    assert command.invoke(app, ["run", "arm.yaml", "--page", "arm.html", "--no-verify"]).exit_code == 0
    assert Path("arm.html").stat().st_size > 10_000
    Path("lost.yaml").write_text(Path("arm.yaml").read_text().replace("elbow:", "elbw:"))
    lost = command.invoke(app, ["check", "lost.yaml"])
    assert "lost.yaml:4: tree.start.elbw: there is no such joint; did you mean" in f"{lost.output}{lost.exception}"
    Path("arm.urdf").unlink()
    assert command.invoke(app, ["run", "--from", "arm.nc", "--duration", "0.2", "--no-verify"]).exit_code == 0
    on = taut.read("arm-continued.nc")
    assert isinstance(on, taut.Trajectory)
    assert on.time[-1] == pytest.approx(0.2)
    refused = command.invoke(app, ["check", "arm.yaml"])
    assert "arm.urdf: there is no such file" in f"{refused.output}{refused.exception}"


@pytest.mark.parametrize(
    "told", ["modes MODEL", "live MODEL", "sweep MODEL scenario.gravity=1,2", "gait search MODEL", "linear MODEL"]
)
def test_commands_that_take_no_trees_say_so(told: str) -> None:
    said = CliRunner().invoke(app, told.replace("MODEL", str(EXAMPLES / "single_strut.yaml")).split())
    assert "is a tree of bodies, which this does not take" in f"{said.output}{said.exception}"


def test_functions_that_take_no_trees_say_so() -> None:
    model = taut.read_model(EXAMPLES / "single_strut.yaml")
    with pytest.raises(taut.OptionError, match="is a tree of bodies, which this does not take"):
        taut.sweep(model, {"scenario.gravity": [1.0]})
    with pytest.raises(taut.OptionError, match="is a tree of bodies, which this does not take"):
        live_model(model)


def test_what_is_shown_of_bodies_has_their_mass() -> None:
    tree = single_strut()
    bars = tree_plant(tree).structure.bars.values()
    bodies = {bar.name.split(" ")[0] for bar in bars}
    assert bodies
    assert sum(bar.mass or 0.0 for bar in bars) == pytest.approx(sum(tree.bodies[name].mass for name in bodies))


STANDING = """taut: 1
name: hopper
tree:
  urdf: {file: arm.urdf, floating: true}
  points:
    heel: {body: base, at: [0, 0.1, -0.1]}
    toe: {body: base, at: [0.1, -0.1, -0.1]}
    side: {body: base, at: [-0.1, -0.1, -0.1]}
    hand: {body: slider}
  start: {root_joint: {values: [0, 0, 0.12, 0, 0, 0, 1], rates: [0.3, 0, 0, 0, 0, 0]}}
scenario:
  gravity: 9.81
  ground: {floor: {friction: 0.6}}
  method: impulses
  step: 2e-3
  every: 0.02
  duration: 0.1
"""


def test_a_robot_on_a_floor_is_read_run_continued_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    weight = '<inertial><mass value="5"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
    robot = (DATA / "arm.urdf").read_text().replace('<link name="base"/>', f'<link name="base">{weight}</link>')
    Path("arm.urdf").write_text(robot)
    Path("hopper.yaml").write_text(STANDING)
    command = CliRunner()
    ran = command.invoke(app, ["run", "hopper.yaml", "--page", "hopper.html", "--no-verify"])
    assert ran.exit_code == 0, f"{ran.output}{ran.exception}"
    run = taut.read("hopper.nc")
    assert isinstance(run, taut.Trajectory)
    assert run.contact_names == tuple(f"{name} on floor" for name in ("heel", "toe", "side", "hand"))
    assert {event.subject for event in run.events} == {"heel on floor", "toe on floor", "side on floor"}
    assert run.contact_force[-1].sum(axis=0)[2] > 10.0
    assert contact_places(run).at(run.nodes)[-1, 0, 2] == pytest.approx(0.0, abs=1e-9)
    assert Path("hopper.html").stat().st_size > 10_000
    shown = run_content("hopper", run, Arrays(), None)
    assert len(shown["grounds"]) >= 18, "two triangles at least"
    assert "contact" in str(shown["arrows"])
    assert command.invoke(app, ["run", "--from", "hopper.nc", "--duration", "0.2", "--no-verify"]).exit_code == 0
    longer = command.invoke(
        app, ["run", "hopper.yaml", "--set", "scenario.duration=0.2", "-o", "whole.nc", "--no-verify"]
    )
    assert longer.exit_code == 0, f"{longer.output}{longer.exception}"
    on, whole = taut.read("hopper-continued.nc"), taut.read("whole.nc")
    assert np.array_equal(on.nodes[-1], whole.nodes[-1])  # type: ignore[union-attr]
    for change, told in (
        (
            ("body: slider", "body: slidr"),
            'hopper.yaml:9: tree.points.hand: is on "slidr", which is no body of the tree',
        ),
        (("{friction: 0.6}", "{touched_by: ['node:hnd']}"), "hopper.yaml:13: scenario.ground.floor.touched_by: "),
    ):
        Path("hopper.yaml").write_text(STANDING.replace(*change))
        said = command.invoke(app, ["check", "hopper.yaml"])
        assert told in f"{said.output}{said.exception}"
