"""Ramps, smooth starts and sums: what they are made of, in Python and in model files, and what is wrong with them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

import taut
from taut import CosineRamp, Doublet, Load, ModelError, Motion, SampledSignal, SignalSum, Sinusoid, SmoothStart
from taut.output.model_statics import steady_loads
from taut.structure.files import parse_model
from taut.structure.format.overriding import overridden
from taut.structure.format.writing import model_text
from taut.structure.signals import DEEPEST, Part, Rise, Signal, parts_of, shortest_period, steady_value

RAMP = CosineRamp(0.0, 3.0, 0.5, 1.5)
WAVE = Sinusoid(2.0, 4.0, 0.1, 0.3)
STARTED = SmoothStart(WAVE, 1.0, 0.5)
NESTED = SmoothStart(SignalSum((1.5, SmoothStart(RAMP, 0.2, 0.3))), 0.1, 0.6)

MODEL = """taut: 1
nodes: {a: [0, 0, 0], b: [1, 0, 0]}
cables: {c: [a, b]}
properties: {"cable:*": {stiffness: 100}}
supports: {a: xyz}
point_masses: {b: 1}
scenario:
  loads:
    push: {node: b, axis: x, signal: SIGNAL}
"""


def nested(depth: int) -> Signal:
    signal: Signal = WAVE
    for _ in range(depth):
        signal = SignalSum((signal,))
    return signal


def test_a_signal_is_a_sum_of_plain_ones_times_rises() -> None:
    assert parts_of(WAVE) == [Part(WAVE)]
    outer = Rise(0.1, 0.6)
    assert parts_of(NESTED) == [Part(1.5, (outer,)), Part(RAMP, (outer, Rise(0.2, 0.3)))]
    assert parts_of(SignalSum((NESTED, WAVE)))[2] == Part(WAVE)


def test_the_shortest_period_of_what_a_signal_holds() -> None:
    assert shortest_period(SignalSum((RAMP, SmoothStart(WAVE, 0.0, 1.0), Sinusoid(1.0, -3.0)))) == 0.25
    assert shortest_period(NESTED) == shortest_period(None) == shortest_period(Sinusoid(1.0, 0.0)) == math.inf


def test_what_acts_before_anything_happens() -> None:
    assert steady_value(SignalSum((2.0, CosineRamp(1.0, 5.0, 0.0, 1.0), WAVE, Doublet(9.0, 1.0), STARTED))) == 3.3
    scenario = taut.Scenario(loads=(Load("b", "x", SignalSum((2.0, RAMP))), Load("b", "y", STARTED)))
    assert steady_loads(scenario) == {"b": (2.0, 0.0, 0.0)}


# --- files


@pytest.mark.parametrize(
    ("signal", "text"),
    [
        (RAMP, "{cosine_ramp: {from: 0, to: 3, start: 0.5, end: 1.5}}"),
        (CosineRamp(-0.0, 1e-300, -1.0, 0.1 + 0.2), "{cosine_ramp: {from: -0, to: 1e-300, start: -1, end: 0."),
        (STARTED, "{smooth_start: {signal: {sinusoid: {amplitude: 2, frequency: 4, "),
        (SmoothStart(taut.Constant(2.0), 0.0, 1.0), "{smooth_start: {signal: 2, start: 0, over: 1}}"),
        (SignalSum((taut.Constant(1.0), RAMP)), "{sum: [1, {cosine_ramp: {"),
        (
            SmoothStart(SignalSum((SampledSignal((0.0, 1.0), (0.0, 2.0)), SignalSum((STARTED, RAMP)))), 0.1, 0.6),
            "{smooth_start: {signal: {sum: [{table: {times: ",
        ),
        (nested(DEEPEST), "{sum: [{sum: ["),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_a_file_holds_them_to_the_last_bit(signal: Signal, text: str) -> None:
    model = parse_model(MODEL.replace("SIGNAL", "0"), "m.yaml")
    scenario = replace(model.scenario, loads=(Load("b", "x", signal, "push"),))
    written = model_text(model.structure, scenario)
    assert f"signal: {text}" in written
    again = parse_model(written, "m.yaml").scenario
    assert again == scenario
    assert repr(again.loads[0].signal) == repr(signal)
    moved = replace(scenario, loads=(), motions=(Motion("a", "x", displacement=signal, name="shake"),))
    assert parse_model(model_text(model.structure, moved), "m.yaml").scenario == moved


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (
            "{cosine_ramp: {from: 0, to: 1, start: 2, end: 2}}",
            r"m.yaml:9: scenario.loads.push.signal.cosine_ramp.end: 2 s is not after its start at 2 s",
        ),
        ("{cosine_ramp: {to: 1, start: 2, end: 3}}", r'm.yaml:9: .*signal.cosine_ramp: needs "from"'),
        ("{cosine_ramp: {from_: 0, to: 1, start: 2, end: 3}}", 'unknown key "from_"; did you mean "from"'),
        ("{cosine_ramp: {from: low, to: 1, start: 2, end: 3}}", 'm.yaml:9: .*cosine_ramp.from: "low" is not a number'),
        ("{sum: []}", r"m.yaml:9: scenario.loads.push.signal.sum: adds up no signals; give one or more"),
        (
            "{sum: [1, {smooth_start: {signal: {sum: []}, start: 0, over: 1}}]}",
            r"signal.sum\[1\].smooth_start.signal.sum: adds up no signals",
        ),
        ("{sum: 3}", r"signal.sum: must be a list such as \[a, b\], not the text \"3\""),
        ("{sum: [1, {}]}", r"signal.sum\[1\]: must be a number or one of constant, .*, smooth_start, sum"),
        (
            "{smooth_start: {signal: 1, start: 0, over: 0}}",
            r"m.yaml:9: .*signal.smooth_start.over: 0 s must be more than zero; what starts at once is a doublet",
        ),
        ("{smooth_start: {start: 0, over: 1}}", r'signal.smooth_start: needs "signal"'),
        (
            "{smooth_start: {signal: {doublet: {amplitude: 1, width: 0}}, start: 0, over: 1}}",
            r"signal.smooth_start.signal.doublet.width: 0 s must be more than zero",
        ),
        ("{sum: [" * 9 + "1" + "]}" * 9, "push.signal: sums and smooth starts are nested more than 8 deep"),
        ("{sum: [{record: {file: a.csv}}]}", r"signal.sum\[0\]: a record is read beside a model file"),
    ],
    ids=lambda value: value[:40],
)
def test_each_mistake_in_a_file_has_its_sentence_and_line(told: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        parse_model(MODEL.replace("SIGNAL", told), "m.yaml")


def test_records_inside_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "quake.csv").write_text("0, 0\n1, 2\n2, 0\n")
    model = tmp_path / "m.yaml"
    told = "{sum: [1, {smooth_start: {signal: {record: {file: quake.csv, scale: 2}}, start: 0, over: 1}}]}"
    model.write_text(MODEL.replace("SIGNAL", told))
    table = SampledSignal((0.0, 1.0, 2.0), (0.0, 4.0, 0.0))
    expected = SignalSum((taut.Constant(1.0), SmoothStart(table, 0.0, 1.0)))
    assert taut.read_model(model).scenario.loads[0].signal == expected
    model.write_text(MODEL.replace("SIGNAL", told.replace("quake", "quakes")))
    with pytest.raises(ModelError, match=r"yaml:9: .*sum\[1\].smooth_start.signal.record.file: .*did you mean"):
        taut.read_model(model)


def test_numbers_inside_them_can_be_set() -> None:
    text = MODEL.replace("SIGNAL", "{sum: [1, {cosine_ramp: {from: 0, to: 1, start: 2, end: 3}}]}")
    key = "scenario.loads.push.signal"
    changed = overridden(text, [f"{key}.sum[1].cosine_ramp.from=0.5", f"{key}.sum[0]=7"])
    expected = SignalSum((taut.Constant(7.0), CosineRamp(0.5, 1.0, 2.0, 3.0)))
    assert parse_model(changed, "m.yaml").scenario.loads[0].signal == expected
    replaced = overridden(text, [f"{key}.cosine_ramp={{from: 1, to: 2, start: 0, end: 1}}"])
    assert parse_model(replaced, "m.yaml").scenario.loads[0].signal == CosineRamp(1.0, 2.0, 0.0, 1.0)


# --- Python


def test_nested_too_deep() -> None:
    nested(DEEPEST)
    with pytest.raises(ModelError, match="SignalSum: sums and smooth starts are nested more than 8 deep; write them"):
        nested(DEEPEST + 1)
    with pytest.raises(ModelError, match="SmoothStart: sums and smooth starts are nested more than 8 deep"):
        SmoothStart(nested(DEEPEST), 0.0, 1.0)


@pytest.mark.parametrize(
    ("signal", "said"),
    [
        (CosineRamp(0.0, 1.0, 2.0, 1.0), r"loads\[0\].signal.cosine_ramp.end: 1 s is not after its start at 2 s"),
        (CosineRamp(0.0, math.nan, 1.0, 2.0), r"loads\[0\].signal: CosineRamp\(.*: nan is not a finite number"),
        (SignalSum(()), r"loads\[0\].signal.sum: adds up no signals; give one or more"),
        (SmoothStart(1.0, 0.0, -1.0), r"loads\[0\].signal.smooth_start.over: -1 s must be more than zero"),
        (SmoothStart(1.0, math.inf, 1.0), r"loads\[0\].signal: SmoothStart\(.*: inf is not a finite number"),
        (SmoothStart(1e31, 0.0, 1.0), r"loads\[0\].signal.smooth_start.signal: 1e\+31 is more than 1e\+30 in size"),
        (SignalSum((1.0, Doublet(1.0, 0.0))), r"signal.sum\[1\].doublet.width: 0 s must be more than zero"),
        (Doublet(1.0, -1.0), r"loads\[0\].signal.doublet.width: -1 s must be more than zero"),
        (SampledSignal((0.0, 1.0), (1.0,)), r"loads\[0\].signal.table.values: has 1 numbers for 2 times"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_each_mistake_in_a_load_has_its_sentence(signal: Signal, said: str) -> None:
    tower = taut.generators.tower(2, class_=2).supported("bottom*")
    with pytest.raises(ModelError, match=said):
        taut.assemble(tower, loads=[Load("top1", "x", signal)])


@pytest.mark.parametrize(
    ("motion", "said"),
    [
        (
            Motion("*", "x", SmoothStart(Doublet(1.0, 1.0), 0.0, 1.0)),
            r"displacement.smooth_start.signal: a doublet jumps",
        ),
        (Motion("*", "x", SignalSum((1.0, lambda t: t))), r"displacement.sum\[1\]: is a Python function"),
        (
            Motion("*", "x", None, SignalSum((SampledSignal((0.0,), (1.0,)),))),
            r"acceleration.sum\[0\].table.times: needs two",
        ),
        (
            Motion("*", "x", None, SmoothStart(Sinusoid(1.0, 1e6), 0.0, 1.0)),
            r"acceleration.smooth_start.over: 1e\+06 waves pass in 1 s, more than the 10000 that can be integrated",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_each_mistake_in_a_motion_has_its_sentence(motion: Motion, said: str) -> None:
    tower = taut.generators.tower(2, class_=2).supported("bottom*")
    with pytest.raises(ModelError, match=said):
        taut.assemble(tower, motions=[motion])


def test_a_python_function_inside_cannot_be_saved() -> None:
    model = parse_model(MODEL.replace("SIGNAL", "0"), "m.yaml")
    scenario = replace(model.scenario, loads=(Load("b", "x", SignalSum((1.0, lambda t: t))),))
    with pytest.raises(ModelError, match="driven by a Python function, which a file cannot hold"):
        model_text(model.structure, scenario)
