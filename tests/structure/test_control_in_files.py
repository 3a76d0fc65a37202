"""Sensors, controllers, commands and steps in model files: read, written to the last bit, changed, and bad ones."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taut
from taut import Angle, Command, Constant, Controller, Drive, Load, ModelError, Scenario, Sensor, SignalSum, StepSignal
from taut.control import LinearLaw, pd
from taut.structure.files import model_text, parse_model

MODEL = """taut: 1
nodes: {a: [0, 0, 0], b: [1, 0, 0], c: [1, 0, 1], low: [1, 1, 0]}
cables: {c1: {route: [a, b], stiffness: 100, rest_length: 0.5}, c2: {route: [b, c], stiffness: 100, rest_length: 0.5}}
supports: {a: xyz, c: xyz, low: xyz}
point_masses: {b: 2}
scenario:
  loads:
    push: {node: b, axis: x, signal: command}
    shove: {node: b, axis: y, signal: {steps: {times: [0, 0.5], values: [1, -2]}}}
  drives:
    winch: {member: "cable:c1", quantity: rest_length, by: {command: -0.1}}
  sensors:
    place: node:b.position.x
    speed: {quantity: "node:b.velocity.x", rate: 50, noise: 1e-3, bias: 0.1, resolution: 1e-4, delay: 0.02, seed: 3}
    bend: {angle: {elbow: [a, b, c]}, rate: 25}
  controllers:
    hold:
      measured: [place]
      commands: push
      law: {pd: {proportional: 30, derivative: 6, setpoint: 1.05, filter: 0.01, command_offset: 55}}
      rate: 50
      delay: 0.02
      lowest: [-inf]
      highest: 80
    wind:
      measured: [place, bend]
      commands: [winch]
      law: {linear: {d: [0.1, 0], a: 0.5, b: [0.1, 0.2], c: 1, measured_offset: [1, 0], command_offset: -0.1}}
      rate: 25
      hold: first
      fastest: 2
      state: [0.3]
"""
PD_LAW = "{pd: {proportional: 30, derivative: 6, setpoint: 1.05, filter: 0.01, command_offset: 55}}"


def same_bits(first: LinearLaw, second: LinearLaw) -> bool:
    pairs = ((getattr(first, name), getattr(second, name)) for name in LinearLaw.__dataclass_fields__)
    return all(a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in pairs)


def assert_same_again(structure: taut.Structure, scenario: Scenario) -> None:
    again = parse_model(model_text(structure, scenario)).scenario
    assert again == scenario
    for name in ("sensors", "loads", "drives"):
        assert repr(getattr(again, name)) == repr(getattr(scenario, name))
    for one, other in zip(again.controllers, scenario.controllers, strict=True):
        assert repr(one) == repr(other)
        assert same_bits(one.law, other.law)


def test_what_a_file_says_is_what_python_says() -> None:
    scenario = parse_model(MODEL).scenario
    assert [load.signal for load in scenario.loads] == [Command(), StepSignal((0.0, 0.5), (1.0, -2.0))]
    assert scenario.drives[0].by == Command(-0.1)
    assert scenario.sensors == (
        Sensor("place", "node:b.position.x"),
        Sensor("speed", "node:b.velocity.x", 50.0, 1e-3, 0.1, 1e-4, 0.02, 3),
        Sensor("bend", Angle.elbow("bend", ("a", "b", "c")), rate=25.0),
    )
    hold, wind = scenario.controllers
    designed = pd(["y"], ["u"], 30.0, 6.0, rate=50.0, filter=0.01)
    law = LinearLaw(designed.d, designed.a, designed.b, designed.c, 1.05, 55.0)
    assert hold == Controller("hold", ("place",), ("push",), law, 50.0, 0.02, lowest=(-math.inf,), highest=80.0)
    assert same_bits(hold.law, law), "the formula of taut.control.pd, to the last bit"
    assert wind == Controller(
        "wind",
        ("place", "bend"),
        ("winch",),
        LinearLaw(np.array([[0.1, 0.0]]), [[0.5]], [[0.1, 0.2]], [[1.0]], np.array([1.0, 0.0]), -0.1),
        25.0,
        hold="first",
        fastest=2.0,
        state=(0.3,),
    )
    taut.assemble(
        parse_model(MODEL).structure,
        **{k: getattr(scenario, k) for k in ("loads", "drives", "sensors", "controllers")},
    )


def test_it_round_trips_to_the_last_bit() -> None:
    model = parse_model(MODEL)
    assert_same_again(model.structure, model.scenario)
    text = model_text(model.structure, model.scenario)
    assert "\n    push: {node: b, axis: x, signal: command}\n" in text
    assert '\n    place: "node:b.position.x"\n' in text


def test_odd_numbers_and_loads_without_names_round_trip() -> None:
    structure = parse_model(MODEL).structure
    law = LinearLaw(
        np.array([[0.1, -0.0], [1e-300, 1 / 3]]),
        np.array([[0.2]]),
        np.array([[-0.0, 1e17]]),
        np.array([[math.pi], [-1.5]]),
        np.array([0.0, -0.0]),
        np.array([1e-9, 0.0]),
    )
    scenario = Scenario(
        loads=(
            Load("b", "x", SignalSum((Command(-0.0), Constant(3.0)))),
            Load("b", "y", Command()),
            Load("b", "y", Command(2.0)),
        ),
        drives=(Drive("w", "cable:c1", "rest_length", by=Command()),),
        controllers=(
            Controller(
                "k", ("node:b.position.xz",), ("b.x", "b.y#2"), law, 20.0, highest=(math.inf, 3.0), state=(-0.0,)
            ),
            Controller("f", (), ("w",), LinearLaw(np.zeros((1, 0)), command_offset=0.01), 20.0, deadline=0.5),
        ),
    )
    assert_same_again(structure, scenario)
    again = parse_model(model_text(structure, scenario)).scenario.loads[0].signal
    assert isinstance(again, SignalSum)
    assert math.copysign(1.0, again.signals[0].start) == -1.0
    bent = Sensor("t", Angle("t", ("b", "a"), ("b", "c"), about=("b", "low")), rate=10.0, delay=0.1)
    assert_same_again(structure, Scenario(sensors=(bent,)))


def test_laws_are_equal_by_their_numbers() -> None:
    one, same = (LinearLaw(np.array([[1.0, 2.0]]), command_offset=3.0) for _ in range(2))
    other = LinearLaw(np.array([[1.0, 2.0]]), command_offset=4.0)
    assert one == same != other
    assert hash(one) == hash(same)
    assert one != 3
    assert LinearLaw(np.zeros((1, 2))) != LinearLaw(np.zeros((2, 1)))


def test_what_only_python_can_do_is_not_written() -> None:
    model = parse_model(MODEL)
    decided = Controller("mine", ("place",), ("push",), lambda t, y, z: [0.0], 50.0)
    with pytest.raises(ModelError, match=r"^scenario.controllers.mine.law: decides by a Python function, which a file"):
        model_text(model.structure, Scenario(controllers=(decided,)))


def test_single_entries_are_set_from_outside() -> None:
    def changed(*told: str) -> Scenario:
        return parse_model(MODEL, "m.yaml", told).scenario

    hold = changed("scenario.controllers.hold.law.pd.derivative=0").controllers[0]
    assert hold.law == LinearLaw([[-30.0]], measured_offset=1.05, command_offset=55.0)
    gain = changed("scenario.controllers.hold.law.linear={d: -3}").controllers[0]
    assert gain.law == LinearLaw([[-3.0]]), "one law drives out the other"
    assert changed("scenario.controllers.hold.lowest[0]=-5").controllers[0].lowest == (-5.0,)
    assert changed("scenario.sensors.place.noise=2").sensors[0] == Sensor("place", "node:b.position.x", noise=2.0)
    assert changed("scenario.sensors.bend.quantity=node:b.position.y").sensors[2].quantity == "node:b.position.y"
    assert changed("scenario.loads.push.signal.command.start=4").loads[0].signal == Command(4.0)
    assert changed("scenario.drives.winch.by=command").drives[0].by == Command()
    assert changed("scenario.controllers={}", "scenario.sensors={}").controllers == ()
    with pytest.raises(ModelError, match=r'derivitive=3: unknown key "derivitive" under .*hold.law.pd; did you mean'):
        changed("scenario.controllers.hold.law.pd.derivitive=3")
    with pytest.raises(ModelError, match=r"m.yaml:13: .*place.noise: -3.0 must be .* \(from --set scenario.sensors"):
        changed("scenario.sensors.place.noise=-3")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("x, signal: command", "x, signal: {command: {strat: 2}}", r'8: .*signal.command: unknown key "strat"; did'),
        ("x, signal: command", "x, signal: comand", r'8: .*: "comand" is not a number; did you mean "command"'),
        ("x, signal: command", "x, signal: 3", r'19: .*"load:push" has a signal of its own; make it a C'),
        ("values: [1, -2]", "values: [1]", r"9: .*signal.steps.values: has 1 numbers for 2 times"),
        ("times: [0, 0.5]", "times: [1, 0.5]", r"9: .*steps.times\[1\]: 0.5 s comes after 1.0 s; times must increase"),
        ("place: node:b.position.x", "place: node:q.position.x", r'13: .*place.quantity: "node:q" selects no node'),
        ("place: node:b.position.x", "place: node:b.position", r"13: .*is 3 numbers, .*; a sensor measures one"),
        ("place: node:b.position.x", "place: {rate: 50}", r"13: .*sensors.place: must say one of quantity, angle"),
        ("{angle: ", "{quantity: q, angle: ", r"15: .*bend: must say one of quantity, angle, not quantity and angle"),
        ("[a, b, c]}, rate", "[a, b, q]}, rate", r'15: scenario.sensors.bend.angle.between: .*"q"'),
        ("elbow: [a, b, c]", "elbow: [a, b, c], about: [a, b]", r'15: .*bend.angle: "about" does not go with elbow'),
        ("seed: 3", "seed: 3.5", r'14: .*speed.seed: "3.5" is not a whole number'),
        ("rate: 50, noise", "rate: 35, noise", r"14: .*speed.rate: 35 Hz does not go into the fastest rate, 50 Hz"),
        ("delay: 0.02, seed", "delay: 0.013, seed", r"14: .*speed.delay: 0.013 s is 0.65 times the time between meas"),
        ("measured: [place]", "measured: [plac]", r'18: .*hold.measured\[0\]: "plac" is not .*; did you mean "place"'),
        ("commands: push", "commands: pusch", r'19: .*commands\[0\]: no load or drive "pusch"; did you mean "push"'),
        (PD_LAW, "{pid: {}}", r'20: .*hold.law: unknown key "pid"; did you mean "pd"'),
        (PD_LAW, "{pd: {proportional: 3}, linear: {d: 3}}", r"20: .*law: must say one of linear, pd, not linear and"),
        (PD_LAW, "pd", r'20: .*hold.law: must hold entries such as "[a-z_]+: ...", not the text "pd"'),
        (PD_LAW, "{pd: {derivative: 3}}", r'20: .*hold.law.pd: needs "proportional"'),
        (PD_LAW, "{linear: {d: [1, 2]}}", r"20: .*hold.law: has 2 measured and 1 commanded numbers, but the"),
        (PD_LAW, "{linear: {d: 1, a: 1, b: [1, 2]}}", r"20: .*linear.b: has the shape \(1, 2\), but 1 measured and"),
        (PD_LAW, "{linear: {d: 1, measured_offset: [1, 2]}}", r"20: .*linear.measured_offset: has the shape \(2,\)"),
        ("proportional: 30", "proportional: [[1, 2], [3]]", r"20: .*pd.proportional: has rows of 1 and 2 numbers; all"),
        ("proportional: 30", "proportional: [1, 2]", r"20: .*pd.proportional: of shape \(1, 2\) does not fit: give"),
        ("proportional: 30", "proportional: much", r'20: .*pd.proportional: "much" is not a number'),
        ("setpoint: 1.05", "setpoint: [1, 2]", r"20: .*pd.setpoint: has 2 numbers; give one for all, or 1"),
        ("setpoint: 1.05", "setpoint: [x]", r'20: .*pd.setpoint\[0\]: "x" is not a number'),
        ("filter: 0.01", "filter: -1", r"20: .*pd.filter: -1 must be a finite number, zero or more \[s\]"),
        ("      rate: 50\n", "      rate: -5\n", r"21: .*hold.rate: -5.0 Hz must be a finite number more than zero"),
        ("      rate: 50\n      delay: 0.02\n", "", r"20: .*pd.derivative: is taken from one decision to the next"),
        ("      rate: 25\n      hold: first\n      fastest: 2\n", "", r"25: .*without a rate it acts at every eval"),
        ("lowest: [-inf]", "lowest: [nan]", r"23: .*hold.lowest: \(nan,\) makes no sense as a limit"),
        ("lowest: [-inf]", "lowest: [1, 2]", r"23: .*hold.lowest: has 2 numbers for 1 commands; give one, or one each"),
        ("lowest: [-inf]", "lowest: 90", r"23: .*hold.lowest: is above `highest`: no command fits"),
        ("highest: 80", "higest: 80", r'24: .*controllers.hold: unknown key "higest"; did you mean "highest"'),
        ("commands: [winch]", "commands: [push]", r'27: .*wind.commands\[0\]: "load:push" is commanded by "hold" al'),
        ("delay: 0.02, seed", "delay: 2e5, seed", r"14: .*speed.delay: 200000 s is 1e\+07 periods at 50 Hz"),
        ("      delay: 0.02\n", "      delay: 2e5\n", r"22: .*hold.delay: 200000 s is 1e\+07 periods at 50 Hz"),
        ("quantity: rest_length", "quantity: rest", r'11: .*winch.quantity: "rest" is not one of rest_length'),
        ("state: [0.3]", "state: [1, 2]", r"32: .*wind.state: has 2 numbers, but the law has 1"),
        ('quantity: "node:b.v', "quantity: node:b.v", r'14: is not valid YAML: .*with a colon needs quotes, as'),
    ],
)  # fmt: skip
def test_each_mistake_has_its_line_and_its_sentence(old: str, new: str, said: str) -> None:
    assert old in MODEL
    with pytest.raises(ModelError, match=rf"(?m)^m.yaml:{said}"):
        parse_model(MODEL.replace(old, new, 1), "m.yaml")


def test_what_is_wrong_with_a_drive_or_a_sensor_has_its_line_beside_a_controller_without_a_rate() -> None:
    text = MODEL.replace("      rate: 50\n      delay: 0.02\n", "").replace("derivative: 6", "derivative: 0")
    with pytest.raises(ModelError, match='^m.yaml:11: scenario.drives.winch.member: "cable:zz" selects no cable'):
        parse_model(text.replace('"cable:c1"', '"cable:zz"'), "m.yaml")
    with pytest.raises(ModelError, match='^m.yaml:13: scenario.sensors.place.quantity: "node:q" selects no node'):
        parse_model(text.replace("node:b.position", "node:q.position"), "m.yaml")


def test_a_law_with_states_needs_a_rate_in_python_too() -> None:
    model = parse_model(MODEL)
    law = LinearLaw([[1.0]], [[0.5]], [[1.0]], [[1.0]])
    with pytest.raises(ModelError, match="controllers.k.rate: without a rate it acts at every evaluation"):
        taut.assemble(
            model.structure,
            loads=[Load("b", "x", Command(), name="push")],
            controllers=[Controller("k", ("node:b.position.x",), ("push",), law)],
        )


def run_of(path: Path, *told: str) -> Any:
    from taut.output.model_runs import followed

    parts: list[taut.Trajectory] = []
    followed(taut.read_model(path, told), parts.append)
    return parts[-1]


def test_a_file_runs_as_python_does(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(MODEL + "  duration: 0.3\n  every: 0.02\n")
    model = taut.read_model(path)
    s = model.scenario
    plant = taut.assemble(model.structure, loads=s.loads, drives=s.drives, sensors=s.sensors, controllers=s.controllers)
    wanted = taut.simulate(plant, 0.3, every=0.02)
    run = run_of(path)
    assert run.nodes.tobytes() == wanted.nodes.tobytes()
    assert run.reading.tobytes() == wanted.reading.tobytes()
    assert run.sensor_names == ("place", "speed", "bend")
    without = run_of(path, "scenario.controllers={}")
    assert np.abs(without.load_force[:, 0]).max() == 0.0 < np.abs(run.load_force[:, 0]).max()
