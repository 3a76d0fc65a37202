"""What a description says of plates and angles: bodies, edits, model files, and all that can be wrong with it."""

from __future__ import annotations

import math
import pickle
import re
from typing import Any

import numpy as np
import pytest

import taut
from taut import Angle, Bar, Material, ModelError, Plate, Structure
from taut.structure.angles import angle_value
from taut.structure.files import parse_model
from taut.structure.format.writing import model_text
from taut.structure.joining import subdivided
from taut.structure.plates import body_of, frame_of, mass_shares, span_of
from taut.structure.properties import massless_nodes, total_mass
from taut.structure.topology import class_of, parts

NODES = {"a": (0.0, 0.0, 0.0), "b": (2.0, 0.0, 0.0), "c": (2.0, 1.0, 0.0), "d": (0.0, 1.0, 0.0), "e": (0.0, 0.0, 3.0)}
STEEL = Material("steel", density=8000.0)
TURN = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])


def lid(**fields: Any) -> Structure:
    corners = fields.pop("nodes", ("a", "b", "c", "d"))
    return Structure(NODES, plates=[Plate("lid", corners, **fields)], point_masses={"e": 1.0})


def knee(**fields: Any) -> Structure:
    bars = [Bar("one", ("a", "b"), mass=1.0), Bar("two", ("c", "b"), mass=1.0), Bar("up", ("a", "e"), mass=1.0)]
    given = {"first": "bar:one", "second": "bar:two", **fields}
    return Structure(NODES, bars, plates=[Plate("lid", ("a", "c", "d"), mass=1.0)], angles=[Angle("knee", **given)])


# --- bodies


def test_a_plate_of_material_and_outline_is_a_cuboid() -> None:
    structure = lid(material=STEEL, thickness=0.1)
    body = body_of(structure, structure.plates["lid"])
    assert body is not None
    assert body.mass == pytest.approx(8000.0 * 0.1 * 2.0)
    assert body.centre == pytest.approx([1.0, 0.5, 0.0])
    sides = np.array([2.0, 1.0, 0.1])
    expected = np.diag([sides[1] ** 2 + sides[2] ** 2, sides[0] ** 2 + sides[2] ** 2, sides[0] ** 2 + sides[1] ** 2])
    assert body.inertia == pytest.approx(body.mass / 12.0 * expected)
    assert total_mass(structure) == pytest.approx(body.mass + 1.0)


def test_an_outline_may_be_concave_and_go_either_way() -> None:
    corner = {"a": (0.0, 0.0, 0.0), "b": (2.0, 0.0, 0.0), "c": (2.0, 1.0, 0.0), "d": (1.0, 1.0, 0.0)}
    corner |= {"e": (1.0, 2.0, 0.0), "f": (0.0, 2.0, 0.0)}  # three squares of side one
    squares = np.array([[0.5, 0.5], [1.5, 0.5], [0.5, 1.5]])
    for order in ("abcdef", "fedcba", "defabc"):
        structure = Structure(corner, plates=[Plate("l", tuple(order), mass=3.0)])
        body = body_of(structure, structure.plates["l"])
        assert body is not None
        middle = squares.mean(axis=0)
        assert body.centre == pytest.approx([*middle, 0.0])
        second = sum(np.outer(s - middle, s - middle) + np.eye(2) / 12.0 for s in squares)
        assert body.spread[:2, :2] == pytest.approx(second)


def test_the_mass_matrix_of_a_plate_has_the_energy_of_the_body() -> None:
    for structure in (
        lid(mass=2.0),
        lid(mass=2.0, thickness=0.2),
        lid(mass=2.0, inertia=(0.5, 0.6, 0.7, 0.1, -0.05, 0.02), centre=(0.3, 0.2, 0.4)),
        lid(mass=2.0, inertia=(0.5, 0.6, 0.7), nodes=("a", "b", "c", "d", "e")),
    ):
        full = subdivided(structure)
        plate, body = full.plates["lid"], body_of(full, full.plates["lid"])
        assert body is not None
        shares = mass_shares(full, plate)
        names = list(shares.own)
        matrix = np.diag([*shares.own.values()])
        for (i, j), between in shares.pairs.items():
            matrix[names.index(i), names.index(j)] = matrix[names.index(j), names.index(i)] = between
        assert np.linalg.eigvalsh(matrix)[0] > 0.0
        assert matrix.sum() == pytest.approx(2.0)
        random = np.random.default_rng(1)
        for _ in range(3):
            drift, spin = random.normal(size=(2, 3))
            places = np.array([full.nodes[name] for name in names])
            speeds = drift + np.cross(spin, places - body.centre)
            energy = 0.5 * np.einsum("ij,ik,jk", matrix, speeds, speeds)
            assert energy == pytest.approx(0.5 * (body.mass * drift @ drift + spin @ body.inertia @ spin), rel=1e-12)
        weighed = sum(w * np.array(full.nodes[n]) for n, w in shares.weighing.items())
        assert weighed == pytest.approx(2.0 * body.centre, abs=1e-12)


def test_only_mass_out_of_the_plane_asks_for_a_point_of_its_own() -> None:
    assert list(subdivided(lid(mass=1.0)).nodes) == list(NODES)
    thick = subdivided(lid(mass=1.0, thickness=0.1))
    assert list(thick.nodes) == [*NODES, "lid~"]
    assert subdivided(thick) == thick
    assert span_of(thick, thick.plates["lid"]).base[-1] == "lid~"
    assert list(subdivided(lid(mass=1.0, inertia=(1.0, 1.0, 1.0), nodes=("a", "b", "c", "e"))).nodes) == list(NODES)
    assert thick.without("plate:lid").nodes == NODES


def test_a_node_inside_is_not_a_corner_of_the_outline() -> None:
    nodes = {**NODES, "m": (0.5, 0.5, 0.0)}
    whole = Structure(nodes, plates=[Plate("lid", ("a", "b", "c", "d", "m"), mass=2.0, outline=("a", "b", "c", "d"))])
    assert not whole.check()
    without, given = body_of(lid(mass=2.0), lid(mass=2.0).plates["lid"]), body_of(whole, whole.plates["lid"])
    assert without is not None
    assert given is not None
    assert given.spread == pytest.approx(without.spread)
    assert parse_model(model_text(whole)).structure == whole
    assert whole.prefixed("x").plates["xlid"].outline == ("xa", "xb", "xc", "xd")


# --- edits


def test_a_body_goes_with_its_nodes() -> None:
    structure = lid(mass=2.0, inertia=(0.5, 0.6, 0.7, 0.1, -0.05, 0.02), centre=(0.3, 0.2, 0.4))
    moved = structure.moved(TURN, (1.0, 2.0, 3.0))
    before, after = (body_of(s, s.plates["lid"]) for s in (structure, moved))
    assert before is not None
    assert after is not None
    assert after.centre == pytest.approx(TURN @ before.centre + [1.0, 2.0, 3.0])
    assert after.inertia == pytest.approx(TURN @ before.inertia @ TURN.T)
    assert frame_of(moved, moved.plates["lid"]).axes == pytest.approx(
        TURN @ frame_of(structure, structure.plates["lid"]).axes
    )


def test_plates_and_angles_are_selected_joined_prefixed_and_taken_away() -> None:
    structure = knee(about=("a", "e"), value=None)
    assert structure.select("plate:*") == ("lid",)
    assert structure.select("angle:k*") == ("knee",)
    other = structure.prefixed("x_")
    assert other.angles["x_knee"] == Angle("x_knee", "bar:x_one", "bar:x_two", ("x_a", "x_e"))
    assert other.plates["x_lid"].nodes == ("x_a", "x_c", "x_d")
    both = structure.joined(structure, "r_", {"a": "e"})
    assert both.plates["r_lid"].nodes == ("e", "r_c", "r_d")
    assert both.angles["r_knee"].about == ("e", "r_e")
    with pytest.raises(ModelError, match="plates.lid: this name is in both structures"):
        structure.joined(Structure({n + n: p for n, p in NODES.items()}, plates=[Plate("lid", ("aa", "bb", "cc"))]))
    assert not structure.without("bar:one").angles
    assert not structure.without("node:e").angles
    assert structure.without("node:d").plates == {}
    assert structure.without("angle:knee").bars == structure.bars
    assert structure.without("plate:lid").angles == structure.angles
    assert pickle.loads(pickle.dumps(structure)) == structure
    assert structure.ordered().plates == structure.plates
    assert repr(structure) == "<Structure: 5 nodes, 3 bars, 1 plate, 1 angle>"
    again = structure.without("plate:lid").with_plates(structure.plates["lid"]).without("angle:knee")
    assert again.with_angles(structure.angles["knee"]) == structure
    assert len(again.with_angles(Angle.hinge("h", "bar:one", "bar:up", ("b", "c"))).angles) == 2


def test_a_plate_joins_its_nodes_and_gives_them_inertia() -> None:
    structure = lid(mass=1.0, thickness=0.1)
    assert [sorted(part) for part in parts(structure)] == [["a", "b", "c", "d"], ["e"]]
    assert massless_nodes(subdivided(structure)) == []
    assert class_of(structure.with_bars(Bar("post", ("a", "e")))) == 2
    assert class_of(structure) == 1


def test_angles_of_bars_that_meet_are_taken_from_their_node() -> None:
    assert angle_value(knee(), knee().angles["knee"]) == pytest.approx(math.pi / 2.0)
    plain = knee(second=("c", "d"))
    assert angle_value(plain, plain.angles["knee"]) == pytest.approx(math.pi)
    turned = knee(first=("a", "b"), second=("a", "d"), about=("a", "e"))
    assert angle_value(turned, turned.angles["knee"]) == pytest.approx(math.pi / 2.0)
    back = knee(first=("a", "b"), second=("a", "d"), about=("e", "a"))
    assert angle_value(back, back.angles["knee"]) == pytest.approx(-math.pi / 2.0)
    normal = knee(first="plate:lid", second="bar:up", about=("a", "b"))
    assert angle_value(normal, normal.angles["knee"]) == pytest.approx(0.0, abs=1e-15)


# --- model files

TEXT = """
taut: 1
nodes: {a: [0, 0, 0], b: [2, 0, 0], c: [2, 1, 0], d: [0, 1, 0], e: [0, 0, 3]}
materials: {steel: {density: 8000}}
bars: {one: {nodes: [a, b], mass: 1}, up: {nodes: [a, e], mass: 1}}
plates:
  lid: {nodes: [a, b, c, d], material: steel, thickness: 0.1}
  slab: {nodes: [a, c, e], mass: 2, centre: [0.1, 0.2, 0.3], inertia: [1, 1.5, 2, 0.1, -0.1, 0]}
angles:
  post: {between: ["bar:one", "bar:up"], value: 1.5707963267948966}
  lean: {between: ["plate:lid", [a, e]], about: [a, b]}
  arm: {elbow: [b, a, d]}
  pin: {hinge: ["bar:one", [a, d]], about: "bar:up"}
  cross: {universal_joint: [[a, b], [a, d]]}
  sprung: {elbow: [b, a, d], mode: free, value: 1.2, stiffness: 40, damping: 0.5}
  motor: {between: [[a, b, c], "bar:one"], about: [a, d], mode: free, torque: -3}
groups: {floor: ["plate:lid", "angle:pin*"]}
"""


def test_a_model_file_has_plates_and_angles_and_round_trips_to_the_last_bit() -> None:
    model = parse_model(TEXT)
    structure = model.structure
    assert structure.plates["lid"] == Plate(
        "lid", ("a", "b", "c", "d"), material=Material("steel", 8000.0), thickness=0.1
    )
    assert structure.plates["slab"].inertia == (1.0, 1.5, 2.0, 0.1, -0.1, 0.0)
    assert structure.angles["lean"] == Angle("lean", "plate:lid", ("a", "e"), ("a", "b"))
    assert structure.angles["arm"] == Angle.elbow("arm", ("b", "a", "d"))
    assert [structure.angles[f"pin.{k}"].second for k in (1, 2)] == ["bar:up", "bar:up"]
    assert structure.angles["cross"].value == math.pi / 2.0
    sprung = Angle.elbow("sprung", ("b", "a", "d"), 1.2, mode="free", stiffness=40.0, damping=0.5)
    assert structure.angles["sprung"] == sprung
    assert structure.angles["motor"] == Angle("motor", ("a", "b", "c"), "bar:one", ("a", "d"), mode="free", torque=-3.0)
    assert structure.select("floor", "plate") == ("lid",)
    assert parse_model(model_text(structure)).structure == structure
    odd = Structure(
        {"a b": (0.1, 1 / 3, -0.0), "b": (1.0, 0.0, 0.0), "c": (0.0, 1.0, 1e-7)},
        plates=[Plate("p 1", ("a b", "b", "c"), mass=0.1 + 0.2, centre=(-0.0, 1 / 3, 0.0), inertia=(0.1, 0.1, 0.2))],
        angles=[Angle("n: 1", "plate:p 1", ("a b", "b"), value=None)],
    )
    back = parse_model(model_text(odd)).structure
    assert back == odd
    assert model_text(back) == model_text(odd)


def test_a_generator_gives_plates_that_a_file_can_change() -> None:
    text = "taut: 1\ngenerate: {prism: {plate_thickness: 0.02}}\nplates: {top: {mass: 5}}\n"
    structure = parse_model(text).structure
    assert [*structure.plates] == ["bottom", "top"]
    assert structure.plates["top"].mass == 5.0
    assert structure.plates["bottom"].thickness == 0.02
    assert [*structure.cables] == ["vertical1", "vertical2", "vertical3"]
    with pytest.raises(taut.OptionError, match="plate_thickness"):
        taut.generators.prism(plate_thickness=-0.1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("thickness: 0.1}", "thicknes: 0.1}"), 'plates.lid: unknown key "thicknes"; did you mean "thickness"'),
        (("material: steel", "material: stel"), 'plates.lid.material: no material "stel"; did you mean "steel"'),
        (("density: 8000", "density: -1"), "materials.steel.density: -1 kg/m.3 must be zero or more"),
        (("{nodes: [a, b, c, d], m", "{m"), 'plates.lid: needs "nodes", as in nodes'),
        (('between: ["bar:one", "bar:up"]', 'between: ["bar:one"]'), "angles.post.between: needs 2 values, not 1"),
        (('between: ["bar:one", "bar:up"]', 'between: ["bar:on", "bar:up"]'), 'no bar "on"; did you mean "one"'),
        (("{elbow: [b, a, d]}", "{elbow: [b, a]}"), "angles.arm.elbow: needs 3 values, not 2"),
        (("{elbow: [b, a, d]}", "{elbow: [b, a, d], about: [a, b]}"), 'angles.arm: "about" does not go with elbow'),
        (("{elbow: [b, a, d]}", "{value: 1}"), "angles.arm: must say one of between, elbow, hinge, universal_joint"),
        (('[a, d]], about: "bar:up"}', "[a, d]]}"), 'angles.pin: needs "about", the axis that both keep'),
        (("damping: 0.5}", "damping: -0.5}"), "angles.sprung.damping: -0.5 N m s/rad must not be negative"),
        (("mode: free, torque", "torque"), "angles.motor.torque: -3 N m does nothing to an angle that is held"),
        (("[a, d]]}\n", "[a, d]], mode: free}\n"), 'angles.cross: "mode" does not go with universal_joint'),
        (("  arm:", "  pin.1:"), 'makes an angle named "pin.1", which is there already'),
    ],
)
def test_mistakes_in_files_are_told(change: tuple[str, str], message: str) -> None:
    assert change[0] in TEXT
    with pytest.raises(ModelError, match=message):
        parse_model(TEXT.replace(*change))


# --- bad input


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"nodes": ("a", "b")}, "plates.lid.nodes: a plate needs three nodes or more, not 2"),
        ({"nodes": ("a", "b", "x")}, 'plates.lid.nodes: no node "x"'),
        ({"nodes": ("a", "b", "a")}, 'plates.lid.nodes: names node "a" twice'),
        ({"mass": 0.0}, "plates.lid.mass: 0 kg must be more than zero"),
        ({"mass": -1.0}, "plates.lid.mass: -1 kg must be more than zero"),
        ({"mass": math.nan}, "plates.lid.mass: nan is not a finite number"),
        ({"mass": 1.0, "thickness": 0.0}, "plates.lid.thickness: 0 m must be more than zero"),
        ({"thickness": 0.1}, "plates.lid.thickness: says nothing without a material"),
        ({"mass": 1.0, "centre": (0.0, 0.0, 0.0)}, "plates.lid.centre: goes with an inertia"),
        ({"mass": 1.0, "inertia": (1.0, 1.0)}, "plates.lid.inertia: has 2 numbers; give xx, yy, zz"),
        (
            {"mass": 1.0, "inertia": (1.0, -1.0, 1.0)},
            "plates.lid.inertia: its principal moments -1, 1 and 1 kg m.2 must",
        ),
        (
            {"mass": 1.0, "inertia": (1.0, 1.0, 1.0, 2.0, 0.0, 0.0)},
            "plates.lid.inertia: its principal moments -1, 1 and 3",
        ),
        (
            {"mass": 1.0, "inertia": (1.0, 1.0, 2.1)},
            "belong to no body: the largest is more than the sum of the other two",
        ),
        ({"mass": 1.0, "inertia": (1.0, math.inf, 1.0)}, "plates.lid.inertia: inf is not a finite number"),
        (
            {"mass": 1.0, "inertia": (1.0, 1.0, 2.0), "centre": (0.0, 0.0, 0.5)},
            "is that of a flat body beside the plane",
        ),
        ({"mass": 1.0, "inertia": (1.0, 1.0, 1.0), "thickness": 0.1}, "with mass and inertia it says nothing"),
        (
            {"mass": 1.0, "nodes": ("a", "c", "b", "d")},
            "plates.lid.nodes: its outline crosses itself; name the nodes in",
        ),
        ({"mass": 1.0, "nodes": ("a", "b", "c", "d", "e")}, "plates.lid.inertia: does not follow from an outline"),
        ({"mass": 1.0, "outline": ("a", "b", "e")}, 'plates.lid.outline: "e" is not one of its nodes'),
        ({"mass": 1.0, "outline": ("a", "b")}, "plates.lid.outline: needs three corners or more, each once"),
        ({"material": STEEL, "thickness": 1e-40}, "plates.lid.thickness: 1e-40 m is less than 1e-30"),
    ],
)
def test_bad_plates_are_told(fields: dict[str, Any], message: str) -> None:
    found = [str(problem) for problem in lid(**fields).check()]
    assert any(re.search(message, one) for one in found), found


def test_nodes_on_a_line_are_told() -> None:
    nodes = {"a": (0.0, 0.0, 0.0), "b": (1.0, 1.0, 1.0), "c": (2.0, 2.0, 2.0), "d": (0.0, 1.0, 0.0)}
    straight = Structure(nodes, plates=[Plate("p", ("a", "b", "c"), mass=1.0)])
    with pytest.raises(
        ModelError, match="plates.p.nodes: lie on a line, so it could turn about it; name a node beside"
    ):
        taut.assemble(straight)
    half = Structure(nodes, plates=[Plate("p", ("a", "b", "c", "d"), mass=1.0)])
    with pytest.raises(ModelError, match="plates.p.nodes: the first three lie on a line, but give the plate its axes"):
        taut.assemble(half)
    assert not Structure(nodes, plates=[Plate("p", ("d", "a", "b", "c"), mass=1.0)]).check()


def test_a_node_with_the_name_of_an_auxiliary_point_is_told() -> None:
    thick = subdivided(lid(mass=1.0, thickness=0.1))
    assert not thick.check()
    moved = thick.moved(TURN, (1.0, 2.0, 3.0))  # a rectangle has two diagonals, of which round-off must not choose
    assert not moved.check()
    assert span_of(moved, moved.plates["lid"]).base == span_of(thick, thick.plates["lid"]).base
    message = 'nodes.lid~: has the name of the point that plate "lid" may need beside its nodes; rename one of the two'
    for structure in (thick.with_nodes({"lid~": (5.0, 0.0, 0.0)}), lid(mass=1.0).with_nodes({"lid~": (5.0, 0.0, 0.0)})):
        assert [str(problem) for problem in structure.check()] == [message]


def test_a_plate_of_unknown_mass_stands_but_does_not_move() -> None:
    structure = lid()
    assert not structure.check()
    with pytest.raises(ModelError, match="plates.lid.mass: is not known; give a mass, or a material with a density"):
        taut.assemble(structure)
    with pytest.raises(ModelError, match="plates.lid.mass: is not known, and gravity acts; give a mass, or a material"):
        taut.balance(structure.supported("a").supported("b").supported("c").supported("e"), gravity=9.81)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"first": "bar:on"}, 'angles.knee.first: no bar "on"; did you mean "one"'),
        (
            {"first": "one"},
            'angles.knee.first: "one" is not a direction; say "bar:...", "plate:..." or a pair of nodes',
        ),
        ({"second": "plate:lids"}, 'angles.knee.second: no plate "lids"; did you mean "lid"'),
        ({"second": ("a", "a")}, "angles.knee.second: .'a', 'a'. is not a direction; give two different nodes"),
        ({"second": ("a", "b", "c", "d")}, "is not a direction; give two different nodes"),
        ({"about": ("a", "x")}, 'angles.knee.about: no node "x"'),
        ({"value": -0.5}, "angles.knee.value: -0.5 rad is no angle between two directions; it is from 0 to pi"),
        ({"value": 4.0}, "angles.knee.value: 4 rad is no angle between two directions"),
        ({"value": math.nan}, "angles.knee.value: nan is not a finite number"),
        ({"value": 1.0}, "angles.knee.value: is 1 rad but its directions are 1.5708 rad apart; move a node, or leave"),
        (
            {"second": ("d", "c")},
            "angles.knee.about: the two directions are along each other, where the angle may grow",
        ),
        ({"about": ("d", "c")}, "angles.knee.first: lies along the axis that it is to turn about"),
        ({"second": ("a", "d"), "about": ("a", "e"), "value": 1.0}, "is 1 rad but its directions are"),
        ({"mode": "fre"}, 'angles.knee.mode: "fre" is not one of held, free; did you mean "free"'),
        (
            {"stiffness": 5.0},
            "angles.knee.stiffness: 5 N m/rad does nothing to an angle that is held at its value; say mode: free",
        ),
        ({"torque": -2.0}, "angles.knee.torque: -2 N m does nothing to an angle that is held"),
        ({"mode": "free", "stiffness": -1.0}, "angles.knee.stiffness: -1 N m/rad must not be negative"),
        ({"mode": "free", "damping": -0.1}, "angles.knee.damping: -0.1 N m s/rad must not be negative"),
        ({"mode": "free", "torque": math.inf}, "angles.knee.torque: inf is not a finite number"),
        ({"mode": "free", "value": math.pi}, "angles.knee.about: the two directions are along each other"),
    ],
)
def test_bad_angles_are_told(fields: dict[str, Any], message: str) -> None:
    found = [str(problem) for problem in knee(**fields).check()]
    assert any(re.search(message, one) for one in found), found


def test_a_free_angle_may_stand_away_from_its_rest() -> None:
    assert not knee(mode="free", value=1.0, stiffness=5.0, damping=0.1, torque=-2.0).check()
    assert not knee(mode="free").check(), "only measured"
    sprung = Angle.elbow("k", ("a", "b", "c"), 1.0, mode="free", stiffness=5.0)
    assert sprung == Angle("k", ("b", "a"), ("b", "c"), value=1.0, mode="free", stiffness=5.0)


def test_slips_in_python_are_told_in_words() -> None:
    with pytest.raises(ModelError, match="plates.p.nodes"):
        Plate("p", "abc")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="angles.k.first"):
        Angle("k", 3, "bar:one")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="plates"):
        Structure(NODES, plates=[Bar("b", ("a", "b"))])  # type: ignore[list-item]
    with pytest.raises(taut.OptionError, match="elbow"):
        Angle.elbow("k", ("a", "b"))  # type: ignore[arg-type]
