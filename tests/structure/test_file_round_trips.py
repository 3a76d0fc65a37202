"""What is written reads back the same, to the last bit; and quickly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from taut.errors import ModelError, TautError
from taut.structure import generators
from taut.structure.corrections import KINDS, METRICS, Correction
from taut.structure.files import model_text, parse_model, read_model
from taut.structure.records import AXES, Bar, Cable, LinearConstraint, Material
from taut.structure.scenario import Constant, Damping, Doublet, Load, Motion, SampledSignal, Scenario, Sinusoid, Watch
from taut.structure.structure import Structure

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = [path for path in sorted(FOLDER.glob("*.yaml")) if "\ntree:" not in path.read_text()]
MODEL = Path(__file__).with_name("square.yaml").read_text()


def exact(structure: Structure, scenario: Scenario) -> str:
    """Everything, in order and to the last bit."""
    parts = (getattr(structure, part).items() for part in structure.__dataclass_fields__ if part != "name")
    told = [structure.name, *map(list, parts)]
    return repr((told, scenario.velocities, *(getattr(scenario, f) for f in scenario.__dataclass_fields__)))


def assert_same_again(structure: Structure, scenario: Scenario) -> None:
    again = parse_model(model_text(structure, scenario))
    assert again.structure == structure
    assert again.scenario == scenario
    assert exact(again.structure, again.scenario) == exact(structure, scenario)


def test_the_text_is_made_for_reading() -> None:
    model = parse_model(MODEL)
    text = model_text(model.structure, model.scenario)
    assert "\n  d_4: [0, 0, 1]\n" in text
    assert "\n  b1: [a, c]\n" in text
    assert text.count("wood: {density: 500, youngs_modulus: 1e9}") == 1
    assert '\n  "bar:*": {material: wood, radius: 0.05}\n' in text
    assert "\n  gravity: 9.81\n" in text
    assert "inertia" not in text
    assert "method" not in text
    titles = [line.rstrip(":") for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    assert titles == ["nodes", "materials", "bars", "cables", "properties", "supports", "groups", "scenario"]


def test_a_correction_is_written_with_its_numbers_and_without_what_goes_without_saying() -> None:
    s = parse_model(MODEL).structure

    def written(correction: Correction) -> list[str]:
        text = model_text(s, Scenario(duration=2.0, correction=correction))
        assert_same_again(s, Scenario(correction=correction))
        return [line for line in text.splitlines() if "correction" in line]

    assert written(Correction("energy", 1e-12, iterations=3)) == [
        "  correction: {kind: energy, tolerance: 1e-12, iterations: 3}"
    ]
    assert written(Correction(gains=(1.0, 2.5))) == ["  correction: {gains: [1, 2.5]}"]
    assert written(Correction("none")) == ["  correction: none"]
    assert written(Correction()) == []


def test_strength_and_expansion_of_a_material_are_kept() -> None:
    text = MODEL.replace("youngs_modulus: 1e9}", "youngs_modulus: 1e9, yield_stress: 4e7, thermal_expansion: 5e-6}")
    model = parse_model(text)
    wood = model.structure.bars["b1"].material
    assert wood is not None
    assert (wood.yield_stress, wood.thermal_expansion) == (4e7, 5e-6)
    assert_same_again(model.structure, model.scenario)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_sound_and_round_trip(path: Path) -> None:
    model = read_model(path)
    assert model.structure.check() == []
    assert_same_again(model.structure, model.scenario)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_file_cut_anywhere_reads_or_is_refused_properly(path: Path) -> None:
    text = path.read_text()
    for end in range(0, len(text), 97):
        try:
            parse_model(text[:end])
        except TautError as error:
            assert str(error).startswith("model:")


def test_the_paper_s_tbar() -> None:
    s = read_model(FOLDER / "tbar.yaml").structure
    assert s.name == "T-bar"
    h = 3.5355339059327378
    assert list(s.nodes.values()) == [(0, 0, 0), (h, 0, 0), (h, 0, h), (0, 0, h)]
    assert [cable.rest_length for cable in s.cables.values()] == [None, 0.9 * h, None, 0.9 * h]


@pytest.mark.parametrize("name", ["tbar", "dbar", "prism", "tower", "icosahedron"])
def test_generated_structures_round_trip(name: str) -> None:
    structure = getattr(generators, name)(**({"stages": 2} if name == "tower" else {}))
    assert_same_again(structure, Scenario())


def test_what_a_file_cannot_hold_is_said() -> None:
    s = parse_model(MODEL).structure
    with pytest.raises(ModelError, match=r'loads.c.x: the load on node "c" along x is driven by a Python function'):
        model_text(s, Scenario(loads=(Load("c", "x", lambda t: t),)))
    with pytest.raises(ModelError, match=r"motions.base_x: a motion along x is driven by a Python function"):
        model_text(s, Scenario(motions=(Motion("a", "x", lambda t: t),)))
    two = s.changed("bar:b1", material=Material("wood", 1.0))
    with pytest.raises(ModelError, match="materials.wood: two different materials have this name"):
        model_text(two)
    with pytest.raises(ModelError, match="has 201 characters; a file holds at most 200"):
        model_text(Structure({"x" * 201: (0, 0, 0)}))


numbers = st.floats(-1e6, 1e6)
positive = st.floats(1e-9, 1e12)
names = st.text(max_size=12) | st.sampled_from(
    ["null", "~", "1", "1e5", "true", "a: b", "- x", "#c", "<<", '"', "é", "[x", "\n"]
)
vectors = st.tuples(numbers, numbers, numbers)


def optional(values: st.SearchStrategy) -> st.SearchStrategy:
    return st.none() | values


@st.composite
def structures(draw: st.DrawFn) -> Structure:
    nodes = draw(st.dictionaries(names, vectors, min_size=2, max_size=6))
    known = st.sampled_from(list(nodes))
    stuff = draw(
        st.lists(
            st.builds(
                Material,
                names,
                optional(positive),
                optional(positive),
                poisson_ratio=optional(st.floats(-1.0, 0.5, exclude_min=True)),
            ),
            max_size=2,
            unique_by=lambda m: m.name,
        )
    )
    material = optional(st.sampled_from(stuff)) if stuff else st.none()
    ends = st.lists(known, min_size=2, max_size=2, unique=True).map(tuple)
    bar = st.builds(
        Bar,
        names,
        ends,
        optional(positive),
        st.none(),
        material,
        optional(positive),
        inertia=st.sampled_from(["thin", "lumped"]),
        damping=st.floats(0, 1e3),
    )
    soft = st.builds(
        Bar,
        names,
        ends,
        optional(positive),
        optional(positive),
        material,
        law=st.just("compressible"),
        stiffness=positive,
        damping=st.floats(0, 1e3),
    )
    cable = st.builds(
        Cable,
        names,
        st.lists(known, min_size=2, max_size=4, unique=True).map(tuple),
        optional(positive),
        positive,
        material,
        optional(positive),
        st.floats(0, 1e3),
        optional(positive),
        st.sampled_from(["cable", "spring"]),
    )
    term = st.tuples(known, st.sampled_from(AXES), numbers)
    constraint = st.builds(
        LinearConstraint, names, st.lists(term, min_size=1, max_size=3).map(tuple), optional(numbers)
    )
    listed = {
        part: draw(st.lists(kind, max_size=4, unique_by=lambda r: r.name))
        for part, kind in (("bars", bar | soft), ("cables", cable), ("constraints", constraint))
    }
    groups = {draw(names): tuple(f"node:{n}" for n in draw(st.lists(known, max_size=3)))}
    supports = draw(st.dictionaries(known, st.sampled_from(["x", "yz", "xyz"])))
    found = Structure(
        nodes,
        **listed,
        supports=supports,
        point_masses=draw(st.dictionaries(known, positive)),
        groups=groups,
        name=draw(names),
    )
    assume(not found.check())
    return found


signals = (
    st.builds(Constant, numbers)
    | st.builds(Sinusoid, numbers, numbers, numbers, numbers)
    | st.builds(Doublet, numbers, positive, numbers)
    | st.lists(numbers, min_size=1, max_size=4, unique=True).map(
        lambda t: SampledSignal(tuple(sorted(t)), tuple(t), tuple(t[::-1]))
    )
)


def watches(known: st.SearchStrategy[str]) -> st.SearchStrategy[Watch]:
    sense = st.sampled_from([None, "rising", "falling", "both"])
    then = st.sampled_from(["record", "stop"])
    return (
        st.builds(Watch, names, node=known, axis=st.sampled_from(AXES), level=numbers, sense=sense, then=then)
        | st.builds(Watch, names, node=known, normal=st.just((1.0, 0.5, -2.0)), level=numbers, sense=sense)
        | st.builds(Watch, names, nodes=st.tuples(known, known), length=positive, then=then)
        | st.builds(Watch, names, time=positive, then=then)
    )


@st.composite
def motions(draw: st.DrawFn, nodes: Sequence[str], supports: Mapping[str, str]) -> Motion:
    node, axes = draw(st.sampled_from(sorted(supports.items())))
    signal = draw(st.builds(Constant, numbers) | st.builds(Sinusoid, numbers, numbers, numbers, numbers))
    # A node may be called "*"; then that is no selector of all.
    chosen = draw(st.sampled_from([node] if "*" in nodes else ["*", node, (node, "*")]))
    axis = draw(st.sampled_from(axes))
    if draw(st.booleans()):
        return Motion(chosen, axis, displacement=signal)
    times = st.lists(numbers, min_size=2, max_size=4, unique=True)
    record = draw(times.map(lambda t: SampledSignal(tuple(sorted(t)), tuple(t))) | st.just(signal))
    return Motion(chosen, axis, acceleration=record, velocity=draw(numbers))


corrections = st.builds(
    Correction,
    optional(st.sampled_from(KINDS)),
    positive,
    positive,
    st.integers(1, 50),
    st.sampled_from(METRICS),
    optional(positive),
    st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)),
)


@st.composite
def scenarios(draw: st.DrawFn, nodes: list[str], supports: Mapping[str, str]) -> Scenario:
    known = st.sampled_from(nodes)
    return Scenario(
        draw(vectors | st.floats(0.1, 20).map(lambda g: (0.0, 0.0, -g))),
        tuple(draw(st.lists(st.builds(Load, known, st.sampled_from(AXES), signals), max_size=4))),
        draw(st.builds(Damping, *[st.floats(0, 10)] * 3)),
        draw(st.dictionaries(known, vectors)),
        draw(positive),
        draw(optional(positive)),
        draw(names),
        draw(positive),
        draw(optional(positive)),
        draw(optional(st.sampled_from(KINDS)) | corrections),
        events=draw(st.lists(watches(known), max_size=3, unique_by=lambda w: w.name).map(tuple)),
        locate=draw(optional(st.booleans())),
        motions=tuple(draw(st.lists(motions(nodes, supports), max_size=3))) if supports else (),
    )


@pytest.mark.parametrize("count", [25, pytest.param(100, marks=pytest.mark.slow)])
def test_random_structures_round_trip(count: int) -> None:
    @settings(max_examples=count, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data())
    def trip(data: st.DataObject) -> None:
        structure = data.draw(structures())
        assert_same_again(structure, data.draw(scenarios(list(structure.nodes), structure.supports)))

    trip()


# --- size


def test_a_model_of_ten_thousand_members() -> None:
    count = 5000
    nodes = {f"n{i}": (0.1 * i, 0.3 * (i * 7 % 13), 0.7 * (i % 3)) for i in range(count + 2)}
    bars = [Bar(f"b{i}", (f"n{i}", f"n{i + 1}"), mass=1.0) for i in range(count)]
    cables = [Cable(f"c{i}", (f"n{i}", f"n{i + 2}"), stiffness=100.0 + i) for i in range(count)]
    text = model_text(Structure(nodes, bars, cables)) + '  "cable:c1*": {rest_ratio: 0.9}\n'
    read = parse_model(text).structure
    assert len(read.bars) + len(read.cables) == 2 * count
    # The extra line stands last, under `properties`, and touches no more than it says.
    changed = [name for name, cable in read.cables.items() if cable.rest_length is not None]
    assert changed == [f"c{i}" for i in range(count) if str(i).startswith("1")]
