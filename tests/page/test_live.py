"""Live pages in a real browser, from a file: the same bits as here, under a real mouse; and where they cannot run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taut
from taut.live.plants import live_plant
from taut.live.replaying import replay
from taut.live.session import Session
from taut.output.page.lively import live_model
from taut.output.pictured import Still
from taut.structure.files import parse_model, read_model

EXAMPLES = Path(__file__).parents[2] / "examples"

FOLLOWED = """([until, every]) => {
  const { engine } = taut.live;
  taut.live.running = false;
  taut.live.reset();
  const rows = [];
  for (let k = 1; k * every <= until + 1e-9; k++) {
    engine.follow(engine.onGrid(k * every + 1e-9));
    rows.push(Array.from(engine.sample));
  }
  return rows;
}"""


@pytest.fixture(scope="module")
def page_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def write(name: str) -> Path:
        if name not in made:
            live = live_model(read_model(EXAMPLES / f"{name}.yaml"))
            made[name] = tmp_path_factory.mktemp("live") / f"{name}.html"
            taut.page(Still(live.plant.structure), made[name], live=live)
        return made[name]

    return write


def plant_of(name: str) -> taut.Plant:
    model = read_model(EXAMPLES / f"{name}.yaml")
    return taut.assemble(model.structure, **model.scenario.physics)


def test_the_robot_rolls_by_its_gait_with_the_bits_of_a_run(opened: Callable, page_of: Callable[[str], Path]) -> None:
    one = opened(page_of("rolling"))
    rows = np.array(one.page.evaluate(FOLLOWED, [5.0, 0.1]))
    run = taut.simulate(plant_of("rolling"), 5.0, every=0.1, method="impulses", step=5e-4, verify=False)
    size = run.nodes[0].size
    assert (rows[:, :size] == run.nodes[1:].reshape(-1, size)).all()
    assert (rows[:, size : 2 * size] == run.velocities[1:].reshape(-1, size)).all()
    assert np.ptp(run.nodes[:, :, 0].mean(axis=1)) > 0.3, "it rolls"
    assert one.complaints == []
    assert len(one.requests) == 1


def test_the_tilt_of_the_world_is_that_beside_the_slope_of_the_ground(
    opened: Callable, page_of: Callable[[str], Path]
) -> None:
    """Of a floor it is the tilt itself; it begins as gravity is, and turns from there."""
    level = opened(page_of("rolling"))
    assert level.page.get_by_label("Tilt of the ground", exact=True).get_attribute("aria-valuetext") == "0.0 °"
    model = read_model(EXAMPLES / "rolling.yaml")
    slope = taut.Ground("slope", taut.Plane((0.3, 0.0, 1.0), (0.0, 0.0, -2.0)))
    pull = (0.0, 9.0 * np.sin(0.1), -9.0 * np.cos(0.1))
    plant = taut.assemble(model.structure, **{**model.scenario.physics, "ground": [slope], "gravity": pull})
    one = opened(Still(model.structure), live=live_plant(plant, method="impulses", step=1e-3))
    assert one.page.get_by_label("Tilt of the ground", exact=True).count() == 0
    told = {name: one.page.get_by_label(name) for name in ("Additional tilt of the ground", "Downhill from x")}
    assert [one.get_attribute("aria-valuetext") for one in told.values()] == ["5.7 °", "90 °"]
    ((kind, *turned),) = one.run("(() => { taut.live.setWorld({ gravity: 18 }); return [...taut.live.queue]; })()")
    assert kind == "gravity"
    np.testing.assert_allclose(turned, 2.0 * np.array(pull), atol=1e-12)
    assert one.complaints == []


@pytest.mark.parametrize(
    ("shape", "level"),
    [
        (taut.Plane(), True),
        (taut.Plane((0.0, 0.0, -2.0)), True),
        (taut.Plane((1e-6, 0.0, 1.0)), False),
        (taut.Box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), turned=0.3), True),
        (taut.Terrain(((0.1, 0.1), (0.1, 0.1))), True),
        (taut.Terrain(((0.1, 0.1), (0.1, 0.2))), False),
    ],
)
def test_grounds_say_whether_they_are_level(shape: Any, level: bool) -> None:
    assert shape.level is level


def drag(one: Any, node: str) -> None:
    """Take hold of a node where it is seen, and pull it up and aside by the mouse."""
    place = "taut.pixel(...taut.positions().slice(3 * k, 3 * k + 3))"
    one.run("taut.live.speed = 0.01")  # a node that rolls is not where it was seen
    x, y = one.run(f"(() => {{ const k = taut.runs[0].index.node.get('{node}'); return {place}; }})()")
    mouse = one.page.mouse
    mouse.move(x, y)
    mouse.down()
    one.until("taut.live.hand")
    one.run("taut.live.speed = 1")
    for k in range(1, 9):
        mouse.move(x + 8 * k, y - 14 * k)
        one.page.wait_for_timeout(25)
    one.until("taut.live.hand && Math.hypot(...taut.live.hand.force) > 0.5")
    one.page.wait_for_timeout(150)
    mouse.up()
    one.until("!taut.live.hand")


def test_a_mouse_drags_cuts_and_winds_and_python_replays_it(opened: Callable, page_of: Callable[[str], Path]) -> None:
    one = opened(page_of("rolling"))
    one.until("taut.live.time > 0.2", 60.0)
    one.run("taut.state.put({ follow: false })")
    heights = one.run("taut.positions().filter((_, k) => k % 3 === 2)")
    drag(one, one.run("taut.runs[0].structure.nodes")[int(np.argmax(heights))])
    one.run("taut.state.put({ selection: { run: 0, kind: 'cable', index: taut.runs[0].index.cable.get('c3') } })")
    one.page.click(".live button.cut")
    one.until("taut.live.engine.gone.size && !taut.live.queue.length", 30.0)
    one.run("taut.state.put({ selection: { run: 0, kind: 'cable', index: taut.runs[0].index.cable.get('c9') } })")
    winch = one.page.locator(".live .lever input[aria-label='Rest length']")
    winch.evaluate("(it) => { it.value = 0.2; it.dispatchEvent(new Event('input')); }")
    one.until("!taut.live.queue.length && taut.live.engine.log.some((a) => a[1] === 'rest')", 30.0)
    since = one.run("taut.live.time")
    one.until(f"taut.live.time > {since} + 0.1", 60.0)
    log = one.run("(() => { taut.live.running = false; return taut.live.actions(); })()")
    state = np.array(one.run("Array.from(taut.live.engine.sample)"))
    told = json.loads(log)
    assert {action[1] for action in told["actions"]} == {"hand", "cut", "rest"}
    assert max(abs(number) for a in told["actions"] if a[1] == "hand" for number in a[3:]) > 0.5
    run = replay(log, plant_of("rolling"))
    size = run.nodes[-1].size
    assert run.time[-1] == told["until"]
    assert (run.nodes[-1].ravel() == state[:size]).all()
    assert (run.velocities[-1].ravel() == state[size : 2 * size]).all()
    assert run.work[-1] == state[2 * size]
    assert not any("another version" in note for note in run.notes)
    assert one.complaints == []


def test_it_is_kept_as_a_recorded_motion_and_as_a_model(opened: Callable, page_of: Callable[[str], Path]) -> None:
    one = opened(page_of("rolling"))
    one.until("taut.live.time > 0.15", 60.0)
    one.run("taut.live.running = false")
    one.settle()
    last, nodes = one.run("taut.live.time"), one.run("taut.positions()")
    model = parse_model(one.run("taut.live.modelText()"))
    np.testing.assert_allclose(model.structure.positions.ravel(), nodes, atol=1e-6)
    assert taut.assemble(model.structure, **model.scenario.physics).coordinates == len(nodes)
    one.page.get_by_text("Keep the motion").click()
    one.settle()
    assert one.run("taut.live.on") is False
    assert one.run("taut.runs[0].end") == last
    one.put(time=last)
    np.testing.assert_allclose(one.run("taut.positions()"), nodes, atol=1e-6)
    assert one.page.locator("#transport").is_visible()


def test_what_is_singular_stops_is_told_and_can_begin_again(opened: Callable, page_of: Callable[[str], Path]) -> None:
    one = opened(page_of("rolling"))
    one.until("taut.live.time > 0.02", 60.0)
    one.run("taut.live.act('gravity', 0, 0, -1e200)")
    one.until("taut.live.ended", 30.0)
    one.until("taut.livePanel.status.textContent.includes('Reset begins again')")
    assert "the next state is not finite" in one.page.locator(".live .status").inner_text()
    one.page.click(".live button:has-text('Reset')")
    one.until("!taut.live.ended && taut.live.time < 0.02")


def test_only_a_live_page_may_run_webassembly(tbar: taut.Trajectory, page_of: Callable[[str], Path]) -> None:
    policy = "script-src 'sha256-"
    still, live = taut.page(tbar).html, page_of("rolling").read_text()
    assert policy in still
    assert "wasm-unsafe-eval" not in still.partition("<style>")[0]
    assert live.partition("<style>")[0].count("'wasm-unsafe-eval'") == 1
    assert "'unsafe-eval'" not in live.partition("<style>")[0]


def test_without_webassembly_the_recorded_run_still_plays(opened: Callable) -> None:
    run = taut.simulate(plant_of("rolling"), 0.1, every=0.01, method="impulses", step=5e-4, verify=False)
    one = opened(run, live=plant_of("rolling"), first="delete globalThis.WebAssembly")
    one.page.get_by_role("tab", name="Live").click()
    assert "This browser has no WebAssembly" in one.page.locator(".live").inner_text()
    one.put(time=0.1)
    np.testing.assert_allclose(one.run("taut.positions()"), run.nodes[-1].ravel(), atol=1e-6)


def test_a_run_without_its_model_wants_the_plant(tbar: taut.Trajectory) -> None:
    with pytest.raises(taut.OptionError, match="give the plant: page"):
        taut.page(replace(tbar, model_text=""), live=True)


def test_where_the_processor_draws_a_live_motion_is_painted(opened: Callable, page_of: Callable[[str], Path]) -> None:
    one = opened(page_of("rolling"))
    assert one.run("taut.scene.painted") is True
    one.until("taut.scene.drawn > 3", 60.0)
    assert one.complaints == []


def test_a_finger_drags_a_node(opened: Callable, page_of: Callable[[str], Path]) -> None:
    one = opened(page_of("rolling"), size=(390, 844), touch=True)
    one.until("taut.live.time > 0.05", 60.0)
    one.run("taut.state.put({ follow: false })")
    heights = one.run("taut.positions().filter((_, k) => k % 3 === 2)")
    k = int(np.argmax(heights))
    one.run("taut.live.speed = 0.01")
    x, y = one.run(f"taut.pixel(...taut.positions().slice({3 * k}, {3 * k + 3}))")
    session = one.page.context.new_cdp_session(one.page)

    def touch(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": px, "y": py} for px, py in places]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", (x + 6, y + 6))
    one.until("taut.live.hand")
    one.run("taut.live.speed = 1")
    for step in range(1, 6):
        touch("touchMove", (x + 8 * step, y - 12 * step))
        one.page.wait_for_timeout(25)
    one.until("taut.live.hand && Math.hypot(...taut.live.hand.force) > 0.5", 60.0)
    touch("touchEnd")
    one.until("!taut.live.hand")
    assert one.run("taut.live.engine.log.filter((a) => a[1] === 'hand').length") > 1
    assert one.complaints == []


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, taut.Structure]:
    """A tower that stands, live, of the motions that others have too."""
    tower = taut.generators.tower(2, radius=0.3, height=0.6).supported("bottom*").changed("cable:*", damping=5.0)
    path = tmp_path_factory.mktemp("live") / "tower.html"
    taut.page(tower, path, live=taut.assemble(tower, gravity=9.81))
    return path, tower


@pytest.mark.slow
def test_it_settles_where_statics_says_and_tells_its_weakest_mode(opened: Callable, standing: Any) -> None:
    path, tower = standing
    one = opened(path)
    one.until("taut.live.time > 0")
    cable = next(iter(tower.cables))
    firm = 1.5 * (tower.cables[cable].stiffness or 0.0)
    one.run(f"taut.live.stiffen(0, {firm})")
    one.page.get_by_role("button", name="Let it settle").click()
    one.until("taut.live.rested", 90.0)
    assert one.run("taut.live.rested").startswith("At rest, after")
    still = taut.balance(tower.changed(f"cable:{cable}", stiffness=firm), gravity=9.81)
    nodes = np.array(one.run("Array.from(taut.live.engine.sample)"))[: 3 * len(tower.nodes)]
    np.testing.assert_allclose(nodes, still.structure.positions.ravel(), atol=1e-5)
    tensions = np.array(one.run("taut.tensions()"))
    np.testing.assert_allclose(tensions, still.cable_tension, atol=1e-2)
    weakest, second = taut.modes(still).frequency[:2].tolist()
    assert second == pytest.approx(weakest), "as it is the same after a turn"
    for _ in range(5):  # of two modes that are as weak round-off chooses, another each time that it settles
        assert one.run("taut.live.mode.frequency") == pytest.approx(weakest, rel=1e-6)
        one.page.get_by_role("button", name="Let it settle").click()
        one.until("!taut.live.settling && taut.live.mode", 90.0)
    assert f"has {one.run('taut.live.mode.frequency'):.4g} Hz" in one.page.locator(".live").inner_text()
    assert firm == parse_model(one.run("taut.live.modelText()")).structure.cables[cable].stiffness
    assert one.complaints == []


def braced() -> taut.Structure:
    """Five nodes and a bar between any two of them, one more than makes them one body, among eight cables."""
    nodes = {"a": (0.3, 0, 1), "b": (-0.1, 0.25, 1.05), "c": (-0.2, -0.3, 1), "n": (0, 0, 1.45), "s": (0.05, 0, 0.6)}
    corners = {f"{x}{y}{z}": (1.6 * x - 0.8, 1.4 * y - 0.7, 2.0 * z) for x in (0, 1) for y in (0, 1) for z in (0, 1)}
    pairs = [(one, other) for one in nodes for other in nodes if one < other]
    stays = zip("scnasbnb", corners, strict=True)
    made = taut.Structure(
        {**nodes, **corners},
        [taut.Bar("".join(pair), pair, mass=0.3) for pair in pairs],
        [taut.Cable("".join(pair), pair, stiffness=900.0, damping=4.0) for pair in stays],
        supports=dict.fromkeys(corners, "xyz"),
    )
    return made.changed("cable:*", rest_ratio=0.9)


@pytest.mark.slow
def test_bars_that_are_redundant_take_no_motion_from_the_weakest_mode(opened: Callable, tmp_path: Path) -> None:
    """It has six motions, of which the tenth bar took one: the search ended before it had found the weakest."""
    body, path = braced(), tmp_path / "braced.html"
    taut.page(body, path, live=taut.assemble(body, gravity=9.81))
    one = opened(path)
    one.until("taut.live.time > 0", 60.0)
    one.page.get_by_role("button", name="Let it settle").click()
    one.until("taut.live.rested", 90.0)
    assert one.run("taut.live.rested").startswith("At rest, after")
    weakest = float(taut.modes(taut.balance(body, gravity=9.81)).frequency[0])
    assert one.run("taut.live.mode.frequency") == pytest.approx(weakest, rel=1e-4)
    assert one.complaints == []


@pytest.mark.slow
def test_edits_are_replayed_to_the_last_bit(opened: Callable, standing: Any) -> None:
    path, tower = standing
    one = opened(path)
    held = list(tower.nodes).index(next(iter(tower.supports)))
    x, y, z = tower.positions[held]
    script = """([cable, held, x, y, z]) => {
      const { engine } = taut.live;
      taut.live.running = false;
      taut.live.reset();
      engine.land(0.01); engine.act("stiffness", cable, 700);
      engine.land(0.02); engine.act("still");
      for (let k = 1; k < 6; k++) { engine.land(0.02 + 0.004 * k); engine.act("place", held, x + 0.002 * k, y, z); }
      engine.land(0.05); engine.act("rest", cable, 0.2);
      engine.follow(0.06);
      taut.live.shown = 0.06;
      return [Array.from(engine.sample), taut.live.actions(), engine.ended];
    }"""
    cable = next(iter(tower.cables))
    state, log, ended = one.page.evaluate(script, [cable, held, x, y, z])
    assert ended == ""
    run = replay(log, taut.assemble(tower, gravity=9.81))
    size = run.nodes[-1].size
    assert run.nodes[-1][held][0] == x + 0.01
    assert (run.nodes[-1].ravel() == np.array(state)[:size]).all()
    assert (run.velocities[-1].ravel() == np.array(state)[size : 2 * size]).all()
    assert run.work[-1] == state[2 * size]
    assert np.abs(run.length_violation).max() < 1e-9, "bars came along"


def test_a_support_is_carried_by_the_mouse_and_a_node_stays_held(opened: Callable, standing: Any) -> None:
    path, tower = standing
    one = opened(path)
    one.until("taut.live.time > 0")
    held = list(tower.nodes).index(next(iter(tower.supports)))
    before = np.array(one.run("taut.positions()")).reshape(-1, 3)
    drag_to(one, held, (14, 0))
    one.until("taut.live.engine.log.some((a) => a[1] === 'place')", 30.0)
    assert np.linalg.norm(np.array(one.run("taut.positions()")).reshape(-1, 3)[held] - before[held]) > 1e-3
    one.page.get_by_label("hold a node where it is let go").check()
    top = int(np.argmax(before[:, 2]))
    drag_to(one, top, (10, 10))
    assert one.run("taut.live.hand.node") == top
    one.page.get_by_label("hold a node where it is let go").uncheck()
    assert one.run("taut.live.hand") is None
    assert one.complaints == []


def drag_to(one: Any, node: int, by: tuple[float, float]) -> None:
    one.run("taut.live.speed = 0.01")
    x, y = one.run(f"taut.pixel(...taut.positions().slice({3 * node}, {3 * node + 3}))")
    one.page.mouse.move(x, y)
    one.page.mouse.down()
    one.until("taut.live.hand")
    one.run("taut.live.speed = 1")
    one.page.mouse.move(x + by[0], y + by[1], steps=4)
    one.page.wait_for_timeout(300)
    one.page.mouse.up()


def test_keys_wind_drives_that_are_numbers(opened: Callable, tmp_path: Path) -> None:
    model = read_model(EXAMPLES / "rolling.yaml")
    drives = tuple(taut.Drive(n, f"bar:{n}", quantity="length", by=taut.Constant(0.0)) for n in ("x1", "y1"))
    physics = {**model.scenario.physics, "drives": drives}
    path = tmp_path / "gait.html"
    taut.page(model.structure, path, live=taut.assemble(model.structure, **physics))
    one = opened(path)
    one.until("taut.live.time > 0", 60.0)
    one.page.keyboard.press("2")
    one.until("taut.live.engine.log.some((a) => a[1] === 'drive' && a[2] === 'y1' && a[3] > 0)", 30.0)
    one.page.keyboard.press("Shift+Digit1")
    one.until("taut.live.engine.log.some((a) => a[1] === 'drive' && a[2] === 'x1' && a[3] < 0)", 30.0)
    assert "a drive out by a tenth" in one.page.locator("#keys").text_content()
    assert one.complaints == []


@pytest.mark.slow
def test_class_k_on_a_ground_has_the_bits_of_a_run(opened: Callable, tmp_path: Path) -> None:
    """The Arm, of bars that share nodes, falls onto a floor just below it."""
    structure = replace(read_model(EXAMPLES / "arm.yaml").structure, supports={})
    low = float(structure.positions[:, 2].min())
    floor = taut.Ground("floor", taut.Plane(point=(0.0, 0.0, low - 0.005)))
    plant = taut.assemble(structure, gravity=9.81, ground=(floor,))
    path = tmp_path / "arm.html"
    taut.page(structure, path, live=live_plant(plant, method="impulses", step=5e-4))
    one = opened(path)
    assert one.run("taut.live.given.log.module") == "class_k_on_ground"
    rows = np.array(one.page.evaluate(FOLLOWED, [0.3, 0.05]))
    run = taut.simulate(plant, 0.3, every=0.05, method="impulses", step=5e-4, verify=False)
    size = run.nodes[0].size
    assert np.any(run.contact_state > 0), "it touches the floor"
    assert (rows[:, :size] == run.nodes[1:].reshape(-1, size)).all()
    assert (rows[:, size : 2 * size] == run.velocities[1:].reshape(-1, size)).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["icosahedron", "arm"])
def test_other_modules_have_the_bits_of_a_session(opened: Callable, page_of: Callable[[str], Path], name: str) -> None:
    """Class 1 and class k, with events that are located, a hand, a cut and another gravity."""
    one = opened(page_of(name))
    cable = one.run("taut.runs[0].structure.cables.names[2]")
    script = """([cable]) => {
      const { engine } = taut.live;
      taut.live.running = false;
      taut.live.reset();
      engine.land(0.02); engine.act("hand", 5, 2, -1, 3);
      engine.land(0.06); engine.act("hand", 5, 0, 0, 0);
      engine.land(0.08); engine.act("gravity", 0.5, 0, -1);
      engine.land(0.1); engine.act("cut", "cable", cable);
      engine.follow(0.2);
      return [Array.from(engine.sample), engine.log, engine.happened.length, engine.ended];
    }"""
    state, log, happened, ended = one.page.evaluate(script, [cable])
    assert ended == ""
    session = Session(live_model(read_model(EXAMPLES / f"{name}.yaml")))
    for time, kind, *given in log:
        session.land(time)
        session.act(kind, *given)
    assert (session.follow(0.2) == np.array(state)).all()
    assert len(session.trajectory().events) == happened
    assert one.complaints == []
