"""Every mistake in a model file: one sentence each, with its line, all at once, fast and small."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut.errors import ModelError, TautError
from taut.structure.files import parse_model

MODEL = Path(__file__).with_name("square.yaml").read_text()


def changed(*edits: tuple[str, str]) -> str:
    text = MODEL
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def complaint(text: str) -> str:
    with pytest.raises(ModelError) as caught:
        parse_model(text, "m.yaml")
    return str(caught.value)


def test_every_problem_comes_at_once_with_its_line() -> None:
    text = changed(
        ("b1: [a, c]", "b1: [a, cc]"),
        ("[c, d_4]", "[c, d4]"),
        ("density: 500", "density: -5"),
        ("supports: {a", "supports: {q"),
        ("{node: c", "{node: z"),
        ("tolerance: 1e-10", "duration: -1\n  every: 0"),
    )
    assert complaint(text).splitlines() == [
        "m.yaml:8: materials.wood.density: -5 kg/m^3 must be zero or more",
        'm.yaml:10: bars.b1.nodes: no node "cc"; did you mean "c"?',
        'm.yaml:15: cables.c3.route: no node "d4"; did you mean "d_4"?',
        'm.yaml:20: supports.q: no node "q"',
        'm.yaml:24: scenario.loads.push.node: no node "z"',
        "m.yaml:26: scenario.duration: -1 s must be more than zero",
        "m.yaml:27: scenario.every: 0 s must be more than zero",
    ]


def test_every_departure_from_the_form_comes_at_once() -> None:
    text = changed(
        ("a: [0, 0, 0]", "a: [0, 0]"),
        ("b: [1, 0, 0]", "b: [1, nan, 0]"),
        ("mass: 2,", "mas: 2,"),
        ("law: spring", "stiffness: stiff"),
        ("{stiffness: 100", "{stifness: 100"),
        ("axis: z, ", ""),
        ("  tolerance: 1e-10", "sceanrio: {}"),
    )
    assert complaint(text).splitlines() == [
        "m.yaml:4: nodes.a: needs 3 values, not 2",
        "m.yaml:5: nodes.b[1]: nan is not a finite number",
        'm.yaml:11: bars.b2: unknown key "mas"; did you mean "mass"?',
        'm.yaml:15: cables.c3.stiffness: "stiff" is not a number',
        'm.yaml:18: properties.cable:*: unknown key "stifness"; did you mean "stiffness"?',
        'm.yaml:24: scenario.loads.push: needs "axis"',
        'm.yaml:26: unknown key "sceanrio"; did you mean "scenario"?',
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("taut: 1", "taut: 2", 'm.yaml:1: taut: format version "2" is not known here; this taut reads version 1'),
        ("taut: 1\n", "", r'm.yaml:1: the key "taut" is missing; a model starts with "taut: 1"'),
        ("b: [1, 0, 0]", "b: [0, 0, 0]", 'cables.c1.route: nodes "a" and "b" are at the same place, .* zero length'),
        ("c: [1, 0, 1]", "c: [0, 0, 0]", 'bars.b1.nodes: nodes "a" and "c" are at the same place, .* zero length'),
        ("stiffness: 100", "stiffness: -1", r"m.yaml:18: properties.cable:\*.stiffness: -1 N/m must be more than zero"),
        ("length: 1.41", "length: 1.51", r"m.yaml:11: bars.b2.length: is 1.51\d* m but its nodes are 1.41421 m apart"),
        ("b2: {", "b1: {", 'm.yaml:11: bars.b1: "b1" is already at line 10; a name may appear only once'),
        (
            "name: square",
            "name: !!python/object:os.system x",
            "m.yaml:2: name: the tag !!python/object:os.system is not",
        ),
        ("name: square", "<<: {a: b}", "m.yaml:2: <<: merge keys are not part of the format"),
        ("name: square", "? [a]\n: b", "m.yaml:2: a key must be a plain name"),
        ("name: square", "bars:", 'm.yaml:9: bars: "bars" is already at line 2'),
        ("rest_length: 0.5", "rest_length: 0.5, tension: 3", r"c2: has more than one rule .*\(rest_length, tension\)"),
        ("rest_ratio: 0.9", "rest_ratio: -1", r"m.yaml:18: properties.cable:\*.rest_ratio: -1 must be zero or more"),
        (
            "tension: 5",
            "tension: 5000",
            'm.yaml:19: properties.cable:upright.tension: 5000 leaves cable "c3" of 1 m no',
        ),
        ("{material: wood", "{material: wodo", r'properties.bar:\*.material: no material "wodo"; did you mean "wood"'),
        ('"cable:upright"', '"cable:uprihgt"', 'selects no cable; did you mean "upright"'),
        ('"cable:upright"', "upright", 'properties.upright: the selector must start with "bar:" or "cable:"'),
        ("law: spring", "segments: 1.5", 'cables.c3.segments: "1.5" is not a whole number'),
        ("law: spring", "law: rubber", 'm.yaml:15: cables.c3.law: "rubber" is not one of cable, spring'),
        ("[a, b]", "[a]", "m.yaml:13: cables.c1.route: a route needs two nodes or more, not 1"),
        ("[a, b]", "{stiffness: 1}", 'm.yaml:13: cables.c1: needs "route"'),
        ("[a, b]", "a", 'cables.c1: must hold entries such as "[a-z_]+: ...", not the text "a"; known are .*route'),
        ("[a, b]", "[a, [b]]", r"cables.c1\[1\]: must be a name, not a list"),
        ("{a: xyz,", "{a: q,", 'm.yaml:20: supports.a: "q" is not a choice of axes'),
        ("{a: xyz,", '{"*": xyz,', r'm.yaml:20: supports.\*: no node "\*"; a pattern is written "node:\*"'),
        ("{a: xyz,", '{"node:zz*": xyz,', "m.yaml:20: supports.node:zz.*selects no node"),
        ("gravity: 9.81", "gravity: [0, 9.81]", "m.yaml:23: scenario.gravity: needs 3 values, not 2"),
        ("gravity: 9.81", "gravity: down", 'scenario.gravity: "down" is not a number, nor a list of three'),
        ("gravity: 9.81", "gravity: .inf", "scenario.gravity: .*not a number"),
        (
            "gravity: 9.81",
            "correction: enrgy",
            'scenario.correction.kind: "enrgy" is not one of .*did you mean "energy"',
        ),
        (
            "gravity: 9.81",
            "correction: {kind: enrgy}",
            'correction.kind: "enrgy" is not one of .*did you mean "energy"',
        ),
        ("gravity: 9.81", "correction: {metric: mas}", 'correction.metric: "mas" is not one of .*did you mean "mass"'),
        (
            "gravity: 9.81",
            "correction: [energy]",
            'correction: must hold entries such as "kind: ...", not a list; known are kind',
        ),
        (
            "gravity: 9.81",
            "correction: {kind: energy, tolerence: 1}",
            'm.yaml:23: scenario.correction: unknown key "tolerence"; did you mean "tolerance"',
        ),
        (
            "gravity: 9.81",
            "correction:\n    time: 0",
            "m.yaml:24: scenario.correction.time: 0.0 must be a finite number",
        ),
        ("gravity: 9.81", "correction: {iterations: 2.5}", 'correction.iterations: "2.5" is not a whole number'),
        (
            "gravity: 9.81",
            "correction: {iterations: 0}",
            "correction.iterations: 0 must be a whole number, one or more",
        ),
        ("gravity: 9.81", "correction: {gains: [1]}", "scenario.correction.gains: needs 2 values, not 1"),
        (
            "gravity: 9.81",
            "correction: {gains: [1, -1]}",
            r"correction.gains: \[1.0, -1.0\] must be two finite numbers",
        ),
        ("gravity: 9.81", "damping: {node: -1}", "scenario.damping.node: -1 must be zero or more"),
        ("velocities: {c", "velocities: {x", 'm.yaml:25: scenario.velocities.x: no node "x"'),
        ("axis: z", "axis: up", 'm.yaml:24: scenario.loads.push.axis: "up" is not an axis; say x, y or z'),
        ("amplitude: 300, ", "", 'scenario.loads.push.signal.sinusoid: needs "amplitude"'),
        ("sinusoid: ", "sine: ", 'push.signal: unknown key "sine"; '),
        ("{sinusoid: {amplitude: 300, frequency: 0.159}}", "{}", "signal: must be a number or one of constant, sin"),
        (
            "{sinusoid: {amplitude: 300, frequency: 0.159}}",
            "{table: {times: [0, 2, 1], values: [1, 2]}}",
            r"values: has 2 numbers for 3 times(.|\n)*times\[2\]: 1.0 s comes after 2.0 s; times must increase",
        ),
        (
            "{sinusoid: {amplitude: 300, frequency: 0.159}}",
            "{doublet: {amplitude: 1, width: 0}}",
            "signal.doublet.width: 0 s must be more than zero",
        ),
        *(
            ("  tolerance: 1e-10", f"  motions: {{quake: {{{said}}}}}", f"m.yaml:26: scenario.motions.quake{complaint}")
            for said, complaint in (
                ("axis: x", r": has neither a displacement \[m\] nor an acceleration \[m/s\^2\]; a motion is one"),
                ("axis: x, displacement: 1, acceleration: 2", ": has both a displacement"),
                ("displacement: 1", ': needs "axis"'),
                ("axis: up, displacement: 1", '.axis: "up" is not an axis; say x, y or z'),
                ("axis: x, displacement: nan", ".displacement.*: nan is not a finite number"),
                ("axis: x, displacement: far", '.displacement.*"far" is not a number'),
                ("axis: x, displacement: {doublet: {amplitude: 1, width: 1}}", ".displacement: a doublet jumps"),
                ("axis: x, displacement: {sine: {}}", '.displacement: unknown key "sine"'),
                ("axis: x, supports: aa, displacement: 1", '.supports: "aa" selects no node; did you mean "a"'),
                ('axis: x, supports: "node:z*", displacement: 1', '.supports: "node:z.*selects no node'),
                ("axis: x, supports: [a, b], displacement: 1", '.supports: node "b" cannot be moved along x: no supp'),
                ("axis: x, supports: [[a]], displacement: 1", r".supports\[0\]: must be a name, not a list"),
                ("axis: x, displacement: 1, velocity: 2", ".velocity: 2 m/s goes with an acceleration"),
                (
                    "axis: x, acceleration: {table: {times: [0, 2, 1], values: [0, 1, 2]}}",
                    r".acceleration.table.times\[2\]: 1.0 s comes after 2.0 s; times must increase",
                ),
                (
                    "axis: x, acceleration: {table: {times: [0, 1], values: [0, .nan]}}",
                    r".acceleration.table.values\[1\]: .* is not a",
                ),
                (
                    "axis: x, acceleration: {table: {times: [0], values: [0]}}",
                    ".*table.times: needs two times or more",
                ),
                ("axis: x, acceleration: {doublet: {amplitude: 1, width: 0}}", ".acceleration.doublet.width: 0 s must"),
            )
        ),
        ("name: square", "constraints: {k: {on_plane: a}}", 'constraints.k: needs "normal"'),
        ("name: square", "constraints: {k: {on_line: a, direction: [0, 0, 0]}}", "k: the direction .* gives no line"),
        ("name: square", "constraints: {k: {}}", "k: must say one of on_plane, on_line, tied, terms"),
        ("name: square", "constraints: {k: {terms: [[a, x]]}}", r"k.terms\[0\]: needs a node, an axis and a coeff"),
        ("name: square", "constraints: {k: {tied: [a, b], axes: xx}}", 'k.axes: "xx" is not a choice of axes'),
        (
            "name: square",
            "constraints: {k: {on_line: zz, direction: [1, 0, 0]}}",
            'm.yaml:2: constraints.k: no node "zz"',
        ),
        ("name: square", f"point_masses: {{{'k' * 300}: 1}}", "has 300 characters; at most 200"),
        ("name: square", "point_masses: {a: -1}", "m.yaml:2: point_masses.a: -1 kg must be more than zero"),
    ],
)
def test_each_mistake_has_its_sentence(old: str, new: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        parse_model(changed((old, new)), "m.yaml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", 'm.yaml:1: is empty; a model starts with "taut: 1"'),
        ("# only a comment\n", "m.yaml:1: is empty"),
        ("- a\n- b\n", 'm.yaml:1: must hold entries such as "nodes: ..." at its top, not a list'),
        ("hello", 'at its top, not the text "hello"'),
        (
            MODEL[: MODEL.index("b1: [a, c") + 9],
            r"m.yaml:10: is not valid YAML: .*line 10; the text ends there: is the file",
        ),
        ("taut: 1\nname: 'x", "m.yaml:2: is not valid YAML: .* the text ends there"),
        ("taut: 1\nname: a: b\nnodes: {}", "m.yaml:2: is not valid YAML: mapping values are not allowed"),
        ("taut: 1\nnodes:\n\ta: [0, 0, 0]", "m.yaml:3: is not valid YAML: the line begins with a tab; indent"),
        (
            "taut: 1\nnodes:\n  a: [0, 0, 0]\n  \tb: [1, 0, 0]",
            "m.yaml:4: is not valid YAML: the line begins with a tab; indent",
        ),
        (
            "taut: 1\nnodes: {\n\ta: [0, 0, 0],\n\tb: [0, 0 0}",
            "m.yaml:4: is not valid YAML: did not find expected ',' or ']' while .* line 4",
        ),
        ("taut: 1\nnodes: {\n\ta: @x}", "m.yaml:3: is not valid YAML: found character that cannot start any token"),
        ("taut: 1\ngroups: {\n\tg: [bar:b1]}", "m.yaml:3: is not valid YAML: .*text with a colon needs quotes"),
        ("taut: 1\nname: \x07", "m.yaml:2: holds a control character"),
        ("taut: 1\n---\ntaut: 1\n", "m.yaml:2: a second document starts here"),
        ("taut: 1\nname: *x", r"m.yaml:2: name: the alias \*x repeats nothing"),
        ("taut: 1\nname: &x [*x]", r"m.yaml:2: name\[0\]: the alias \*x contains itself"),
        ("taut: 1\nname: " + "[" * 100_000, "m.yaml:2: .* is nested more than 32 deep"),
        ("taut: 1\nname: " + "{a: " * 100_000, "m.yaml:2: .* is nested more than 32 deep"),
        ("taut: 1\nname: \ud800", "is not text that can be stored as UTF-8|control character"),
        (
            "taut: 1\nnodes: {a: [0, 0, 0]}\ngroups: {x: ['bar:y'], y: ['bar:x']}",
            r'm.yaml:3: groups.x\[0\]: "bar:y" selects no',
        ),
    ],
)
def test_texts_that_are_no_models(text: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        parse_model(text, "m.yaml")


def test_alias_bombs_are_refused_fast_and_small() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12))
    wide = f"taut: 1\ngroups:\n  g: &g [{'x, ' * 5000}x]\n" + "".join(f"  g{i}: *g\n" for i in range(5000))
    for text in (bomb, wide):
        tracemalloc.start()
        began = time.process_time()
        assert "aliases repeat more than 100000 values" in complaint(text)
        assert time.process_time() - began < 10.0
        assert tracemalloc.get_traced_memory()[1] < 60e6
        tracemalloc.stop()


def test_aliases_may_be_used_sparingly() -> None:
    text = (
        "taut: 1\nnodes: {a: &o [0, 0, 0], b: [1, 0, 0], c: [0, 1, 0]}\ncables: {c: &c {route: [a, b], stiffness: 1}}\n"
    )
    assert parse_model(text + "scenario: {velocities: {a: *o}}").scenario.velocities == {"a": (0.0, 0.0, 0.0)}


def test_many_mistakes_in_a_big_model_are_found_in_seconds() -> None:
    nodes = "".join(f"  n{i}: [{i}, 0, 0]\n" for i in range(3000))
    cables = "".join(f"  c{i}: [n{i}, m{i}]\n" for i in range(3000))
    began = time.process_time()
    said = complaint(f"taut: 1\nnodes:\n{nodes}cables:\n{cables}")
    assert 'm.yaml:3004: cables.c0.route: no node "m0"; did you mean "n0"?' in said
    assert len(said.splitlines()) == 3000
    assert time.process_time() - began < 15.0


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("{twoer: {}}", r'm.yaml:2: generate.twoer: no generator "twoer"; did you mean "tower"\?'),
        ("{tower: {stags: 2}}", r'm.yaml:2: generate.tower.stags: unknown option "stags"; did you mean "stages"\?'),
        ("{tower: {stages: -1}}", "m.yaml:2: generate.tower: stages = -1 must be"),
        ("{tower: {}, prism: {}}", "generate: must name one generator, not tower, prism"),
        ("{os.system: {command: ls}}", 'no generator "os.system"'),
    ],
)
def test_a_wrong_generator_is_refused(told: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        parse_model(f"taut: 1\ngenerate: {told}\n", "m.yaml")


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_text_breaks_the_reader(data: st.DataObject) -> None:
    cut, end = sorted((data.draw(st.integers(0, len(MODEL))), data.draw(st.integers(0, len(MODEL)))))
    junk = data.draw(st.text(alphabet="abz019.-e:,[]{}\"'&*!|>%@`#?~ \n\t<\0", max_size=12))
    try:
        parse_model(MODEL[:cut] + junk + MODEL[min(end, cut + 20) :])
    except TautError as error:
        assert str(error).startswith("model:")
