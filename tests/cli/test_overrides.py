"""`--set KEY=VALUE`: what it changes, what it leaves alone, and what it says of slips."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut.errors import ModelError
from taut.structure.files import parse_model
from taut.structure.format.lines import read_document
from taut.structure.format.overriding import overridden
from taut.structure.format.patching import patched
from taut.structure.scenario import Constant, Damping, Sinusoid

SQUARE = (Path(__file__).parents[1] / "structure" / "square.yaml").read_text()
TBAR = (Path(__file__).parents[2] / "examples" / "tbar.yaml").read_text()


def differences(before: str, after: str) -> tuple[list[str], list[str]]:
    """Lines that are only in the one, and only in the other."""
    old, new = before.splitlines(), after.splitlines()
    return [line for line in old if line not in new], [line for line in new if line not in old]


@pytest.mark.parametrize(
    ("told", "old", "new"),
    [
        ("scenario.duration=2", "  duration: 10        # [s]", "  duration: 2        # [s]"),
        ("cables.c2.rest_ratio=0.5", "  c2: [n2, n3]", "  c2: {route: [n2, n3], rest_ratio: 0.5}"),
        ("bars.b1.mass=3", "  b1: [n1, n3]", "  b1: {nodes: [n1, n3], mass: 3}"),
        ("materials.wood.density=600", None, "  wood: {density: 600}   # [kg/m^3]"),
        ("materials.wood.youngs_modulus=1e9", None, "  wood: {density: 500, youngs_modulus: 1e9}   # [kg/m^3]"),
        ("nodes.n1[2]=-0.5", "  n1: [0, 0, 0]", "  n1: [0, 0, -0.5]"),
        ("nodes.n1.2=-0.5", "  n1: [0, 0, 0]", "  n1: [0, 0, -0.5]"),
        ("supports.n3=xyz", None, "supports: {n1: xyz, n2: xyz, n3: xyz, n4: y}"),
        ("name=my T-bar", "name: T-bar", 'name: "my T-bar"'),
        (" scenario.method = rk4 ", None, "  method: rk4         # Dormand-Prince 5(4)"),
    ],
)
def test_one_line_changes_and_its_comment_stays(told: str, old: str | None, new: str) -> None:
    gone, come = differences(TBAR, overridden(TBAR, [told]))
    assert come == [new]
    assert len(gone) == 1
    assert old in (None, *gone)


@pytest.mark.parametrize(
    ("told", "new"),
    [
        ("scenario.gravity=9.81", "  gravity: 9.81"),
        ("scenario.damping.node=1", "  damping: {node: 1}"),
        ("properties.cable:c1.stiffness=50", '  "cable:c1": {stiffness: 50}'),
        ("point_masses.n3=2", "point_masses: {n3: 2}"),
        ("nodes.n5=[1, 2, 3]", "  n5: [1, 2, 3]"),
        ("scenario.loads.push={node: n3, axis: x, signal: 3}", "  loads: {push: {node: n3, axis: x, signal: 3}}"),
    ],
)
def test_what_was_not_there_is_added_at_the_end_of_its_section(told: str, new: str) -> None:
    text = overridden(TBAR, [told])
    assert differences(TBAR, text) == ([], [new])
    title = told.partition(".")[0]
    section = read_document(text, "").data[title]
    assert list(section)[:-1] == list(read_document(TBAR, "").data.get(title, []))


def test_the_model_is_the_one_of_the_new_text() -> None:
    told = [
        "scenario.loads.push.signal.sinusoid.amplitude=100",
        "properties.cable:*.stiffness=50",
        "scenario.every=0.1",
    ]
    model = parse_model(SQUARE, "m.yaml", told)
    assert model.scenario.loads[0].signal == Sinusoid(100.0, 0.159)
    assert model.structure.cables["c1"].stiffness == 50.0
    again = parse_model(model.text)
    assert (again.structure, again.scenario) == (model.structure, model.scenario)
    assert model.text == overridden(SQUARE, told)
    assert parse_model(SQUARE).text == SQUARE == overridden(SQUARE, [])


def test_of_rules_that_exclude_each_other_the_one_that_is_set_stays() -> None:
    cable = parse_model(SQUARE, overrides=["cables.c2.rest_ratio=0.25"]).structure.cables["c2"]
    assert cable.rest_length == 0.25, "c2 had a rest_length of its own"
    signal = parse_model(SQUARE, overrides=["scenario.loads.push.signal.constant={value: 3}"]).scenario.loads[0].signal
    assert signal == Constant(3.0)
    named = "taut: 1\nnodes: {constant: [0, 0, 0], table: [1, 0, 0]}\n"
    nodes = parse_model(named, overrides=["nodes.table=[2, 0, 0]"]).structure.nodes
    assert nodes == {"constant": (0.0, 0.0, 0.0), "table": (2.0, 0.0, 0.0)}, "names are not rules"


def test_names_with_dots_and_later_assignments() -> None:
    text = "taut: 1\nnodes: {a: [0, 0, 0], a.b: [1, 0, 0], a.b.c: [2, 0, 0]}\npoint_masses: {a: 1}\n"
    told = ["nodes.a.b[1]=5", "nodes.a.b.c[1]=6", "point_masses.a.b=7", "nodes.a[0]=8", "nodes.a[0]=9"]
    s = parse_model(text, overrides=told).structure
    assert s.nodes == {"a": (9.0, 0.0, 0.0), "a.b": (1.0, 5.0, 0.0), "a.b.c": (2.0, 6.0, 0.0)}
    assert s.point_masses == {"a": 1.0, "a.b": 7.0}
    styled = (
        SQUARE.replace('"cable:upright"', '"cable:c.2"').replace("c2: {", "c.2: {").replace('"cable:c2"', '"cable:c.2"')
    )
    assert parse_model(styled, overrides=["properties.cable:c.2.stiffness=7"]).structure.cables["c.2"].stiffness == 7.0


def test_a_value_may_be_left_empty_and_a_section_may_be_missing() -> None:
    assert parse_model(TBAR, overrides=["scenario.every="]).scenario.every is None
    bare = "taut: 1\nnodes:\n  a: [0, 0, 0]"
    model = parse_model(bare, overrides=["scenario.damping.node=2", "scenario.duration=3"])
    assert (model.scenario.damping, model.scenario.duration) == (Damping(node=2.0), 3.0)
    assert parse_model("taut: 1\nnodes: {a: [0, 0, 0]}\nscenario:\n", overrides=["scenario.duration=3"]).scenario


def test_members_of_a_generator_may_be_set() -> None:
    text = "taut: 1\ngenerate: {prism: {}}\n"
    bar = next(iter(parse_model(text).structure.bars))
    assert parse_model(text, overrides=[f"bars.{bar}.mass=7"]).structure.bars[bar].mass == 7.0
    more = parse_model(text.replace("prism", "tower"), overrides=["generate.tower.stages=2"])
    assert len(more.structure.bars) == 2 * len(parse_model(text).structure.bars)


def test_shared_parts_and_odd_layouts_mean_the_same_afterwards() -> None:
    text = (
        "taut: 1\nnodes: {a: &o [0, 0, 0], b: [1, 0, 0], é: [0, 0, 1]}\nsupports: {}\n"
        "bars:\n  b1:\n  - a\n  - b\n  b2: {nodes: [b, é], }\ncables:\n  c1: &c {route: [a, b], stiffness: 1}\n"
        "  c2: *c\nscenario:\n  velocities: {a: *o}\n  every:\n  damping: # none\n    node: 0\n"
    )
    told = [
        *("bars.b1.mass=1", "bars.b2.mass=2", "cables.c2.stiffness=5", "scenario.every=0.5", "supports.a=xyz"),
        *("nodes.a[0]=-1", "scenario.damping.mass=1", "scenario.method=rk4", 'name="x: y"', "nodes.é[1]=2"),
    ]
    model = parse_model(text, overrides=told)
    again = parse_model(model.text)
    assert (again.structure, again.scenario) == (model.structure, model.scenario)
    s = model.structure
    assert [cable.stiffness for cable in s.cables.values()] == [1.0, 5.0], "only the one that was named"
    assert (s.nodes["a"], model.scenario.velocities["a"]) == ((-1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert (s.bars["b1"].nodes, s.bars["b1"].mass, s.name) == (("a", "b"), 1.0, "x: y")


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("scenario.duration", "--set scenario.duration: must be a key, an equals sign and a value, as in scenario"),
        ("=2", "--set =2: must be a key"),
        (
            "scenario.duratoin=2",
            r'--set scenario.duratoin=2: unknown key "duratoin" under scenario; did you mean "dura',
        ),
        ("foo.bar=1", r"--set foo.bar=1: unknown key \"foo\"; known are taut, name, nodes"),
        ("duration=2", r'--set duration=2: unknown key "duration"; did you mean "scenario.duration"\?'),
        ("cables.c2.mas=2", r'unknown key "mas" under cables.c2; did you mean "mass"\?'),
        ("cables.c22.mass=2", r'--set cables.c22.mass=2: there is no "c22" under cables; did you mean "c2"\?'),
        ("scenario.loads.x.signal=2", r'there is no "x" under scenario.loads; to add it, .* scenario.loads.x="{...}"'),
        ("nodes.q[0]=2", r'there is no "q" under nodes; to add it, set it as a whole, nodes.q="\[...\]"'),
        ("scenario.tolerance.x=2", "scenario.tolerance is the single value 1e-10, with nothing inside it to set"),
        ("scenario.step.x=2", "scenario.step is not there yet; set it as a whole"),
        ("nodes.a[3]=2", r"nodes.a is a list of 3 values, counted from nodes.a\[0\]"),
        ("nodes.a.x=2", r"nodes.a is a list of 3 values, counted from nodes.a\[0\]"),
        ("name=@", "--set name=@: the value is not valid YAML: found character that cannot start any token$"),
        ("name=[", r"--set name=\[: the value is not valid YAML"),
        ("name=!!python/object:os.system x", "in the value, the tag !!python/object:os.system is not allowed"),
        ("scenario.duration=-2", r"m.yaml:22: scenario.duration: -2 s must be .* \(from --set scenario.duration=-2\)"),
        ("bars.b1.mass=heavy", r'm.yaml:10: bars.b1.mass: "heavy" is not a number \(from --set bars.b1.mass=heavy\)'),
        ("supports.z=x", r'm.yaml:20: supports.z: no node "z" \(from --set supports.z=x\)'),
        ("nodes=" + "x" * 300, r"--set nodes=x{60,}\.\.\.\)"),
    ],
)
def test_slips_are_named_with_the_assignment(told: str, said: str) -> None:
    with pytest.raises(ModelError, match=said) as caught:
        parse_model(SQUARE, "m.yaml", [told])
    assert str(caught.value).startswith("m.yaml:")


def test_all_slips_come_at_once_and_lines_stay_those_of_the_file() -> None:
    with pytest.raises(ModelError) as caught:
        parse_model(SQUARE, "m.yaml", ["a=1", "name=ok", "b"])
    assert [p.message.partition(":")[0] for p in caught.value.problems] == ["--set a=1", "--set b"]
    broken = SQUARE.replace("tolerance: 1e-10", "tolerance: -1")
    line = broken.splitlines().index("  tolerance: -1") + 1
    with pytest.raises(ModelError, match=f"m.yaml:{line}: scenario.tolerance: -1 must be"):
        parse_model(broken, "m.yaml", ["nodes.e=[9, 9, 9]", "cables.c9=[a, e]", "materials.iron={density: 7800}"])


names = st.text(alphabet="ab.[]: é#'\"\n-1", min_size=1, max_size=4)
scalars = st.none() | names
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3))


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(names, values, max_size=4), st.dictionaries(names, values, max_size=4), st.booleans())
def test_a_patched_text_says_what_it_should(before: dict, after: dict, mixed: bool) -> None:
    text = patched("{}", {}, before)
    assert read_document(text, "").data == before if before else text == "{}"
    wanted = {**before, **after} if mixed else after
    if wanted:
        assert read_document(patched(text, before, wanted), "").data == wanted


words = [
    *"ab",
    "taut",
    "nodes",
    "bars",
    "cables",
    "properties",
    "scenario",
    "loads",
    "push",
    "signal",
    "generate",
    "c2",
]
parts = st.sampled_from(
    [*words, "[0]", "[9]", ".", "..", "cable:*", "=", "gravity", "constraints", "terms", "", " ", "["]
)
told = st.lists(parts, max_size=7).map(".".join) | st.lists(parts, max_size=7).map("".join)
given_values = st.sampled_from(
    ["", "1", "[1, 2, 3]", "{a: 1}", "x", "*a", "{}", "[]", "'", "\0", "- a\n- b", "a: b\nc: d"]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(told, given_values).map("=".join), min_size=1, max_size=2), st.sampled_from([SQUARE, TBAR]))
def test_no_assignment_breaks_the_reader(assignments: list[str], text: str) -> None:
    try:
        model = parse_model(text, "m.yaml", assignments)
    except ModelError:
        return
    again = parse_model(model.text)
    assert (again.structure, again.scenario) == (model.structure, model.scenario)
