"""Load cases: closed forms of imposed strains, combinations, envelopes, deployment, utilisation, refusals."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import taut
from taut.errors import ModelError, OptionError
from taut.statics.balancing import balance
from taut.statics.cases import deployment, solve_cases
from taut.statics.load_case import LoadCase
from taut.statics.strengths import utilisation
from taut.structure.records import Bar, Cable, Material
from taut.structure.structure import Structure

STEEL = Material("steel", 7850.0, 200e9, yield_stress=250e6, thermal_expansion=12e-6)
AREA = math.pi * 0.01**2


def fixed_bar() -> Structure:
    """Two steel bars in line between walls."""
    return Structure(
        {"a": (0, 0, 0), "m": (1, 0, 0), "b": (2, 0, 0)},
        bars=[Bar("one", ("a", "m"), material=STEEL, radius=0.01), Bar("two", ("m", "b"), material=STEEL, radius=0.01)],
        supports={"a": "xyz", "m": "yz", "b": "xyz"},
    )


def test_warmth_pushes_a_bar_between_walls() -> None:
    """Rest length L (1 + a T), stiffness E A / rest: force -E A a T / (1 + a T)."""
    warm = 12e-6 * 50.0
    table = solve_cases(fixed_bar(), {"warm": LoadCase(temperature=50.0)}, bars="compressible")
    assert table.member_force[0] == pytest.approx([-200e9 * AREA * warm / (1.0 + warm)] * 2, rel=1e-9)
    assert table.reaction[0, 0] == pytest.approx([200e9 * AREA * warm / (1.0 + warm), 0.0, 0.0], rel=1e-9)


def test_misfit_and_settlement_are_strains() -> None:
    """One bar 1 mm too long, or a wall 1 mm nearer: the same push but for the rest length it is shared over."""
    table = solve_cases(
        fixed_bar(),
        {
            "long": LoadCase(misfits={"bar:one": 1e-3}),
            "near": LoadCase(settlements={"b": (-1e-3, 0.0, 0.0)}),
            "one warm": LoadCase(temperature={"bar:two": 100.0}),
        },
        bars="compressible",
    )
    rigidity = 200e9 * AREA
    assert table.ok, table.status
    assert table.member_force[0] == pytest.approx([-rigidity * 1e-3 / 2.001] * 2, rel=1e-9)
    assert table.member_force[1] == pytest.approx([-rigidity * 1e-3 / 2.0] * 2, rel=1e-9)
    long = 1.0 + 12e-4
    assert table.member_force[2] == pytest.approx([-rigidity * 12e-4 / (1.0 + long)] * 2, rel=1e-9)
    assert table.nodes[1, 1, 0] == pytest.approx(0.9995, abs=1e-12)
    assert table.nodes[1, 2, 0] == pytest.approx(1.999)


def test_combinations_are_balanced_and_not_added() -> None:
    """A mast's stays: each wind slackens one, both together slacken none."""
    mast = Structure(
        {"foot": (0, 0, 0), "left": (-1, 0, 0), "right": (1, 0, 0), "top": (0, 0, 1)},
        bars=[Bar("mast", ("foot", "top"), mass=2.0)],
        cables=[
            Cable("west", ("left", "top"), rest_length=1.40, stiffness=5e4),
            Cable("east", ("right", "top"), rest_length=1.40, stiffness=5e4),
        ],
        supports={"foot": "xyz", "left": "xyz", "right": "xyz", "top": "y"},
    )
    push = LoadCase(loads={"top": (2000.0, 0.0, 0.0)})
    pull = LoadCase(loads={"top": (-2000.0, 0.0, 0.0)})
    table = solve_cases(
        mast, {"push": push, "pull": pull}, combinations={"both": {"push": 1.0, "pull": 1.0}, "half": {"push": 0.5}}
    )
    assert table.ok
    assert table.cases == ("push", "pull", "both", "half")
    still, halved = balance(mast), balance(mast, loads={"top": (1000.0, 0.0, 0.0)})
    assert table.member_force[2] == pytest.approx(still.member_force, rel=1e-8)
    assert table.member_force[3] == pytest.approx(halved.member_force, rel=1e-8)
    assert table.member_force[0, 1] == table.member_force[1, 0] == 0.0
    envelope = table.envelope()
    assert envelope.highest_in[:2] == ("push", "pull")
    assert envelope.lowest_in[:2] == ("pull", "push")
    assert envelope.highest == pytest.approx(table.member_force.max(axis=0))
    row = table.rows()[0]
    assert row["member"] == "west"
    assert row["push"] == pytest.approx(table.member_force[0, 0])
    reactions = {r["support"]: r for r in table.reaction_rows()}
    assert sum(float(reactions[f"{node}.x"]["push"]) for node in ("foot", "left", "right")) == pytest.approx(-2000.0)


def test_winding_a_cable_in_raises_the_dbar() -> None:
    """The along cable shorter in steps: every step is what balancing with those lengths gives."""
    made = taut.generators.dbar()
    steps = [{"cable:along": length} for length in (1.3, 1.2, 1.1)]
    table = deployment(made, steps)
    assert table.ok
    assert table.cases == ("step 1", "step 2", "step 3")
    assert np.all(np.diff(table.nodes[:, 2, 0]) < 0.0), "the ends come together"
    again = balance(made.changed("cable:along", rest_length=1.1))
    assert table.nodes[2] == pytest.approx(again.structure.positions, abs=1e-8)


def test_utilisation_by_yield_and_by_euler() -> None:
    found = solve_cases(fixed_bar(), {"warm": LoadCase(temperature=50.0)}, bars="compressible")
    used = utilisation(found.equilibria["warm"])
    push = -found.member_force[0, 0]
    euler = math.pi**2 * 200e9 * math.pi / 4.0 * 0.01**4 / 1.0**2
    assert used.share == pytest.approx([push / euler] * 2, rel=1e-3)
    assert used.governed == ("euler", "euler")
    assert found.utilisation[0] == pytest.approx(used.share, rel=1e-3)
    cold = solve_cases(fixed_bar(), {"cold": LoadCase(temperature=-50.0)}, bars="compressible").equilibria["cold"]
    told = utilisation(cold)
    assert told.share == pytest.approx([cold.bar_force[0] / (250e6 * AREA)] * 2)
    assert told.governed == ("yield", "yield")
    assert told.worst in ("one", "two")


def test_what_has_no_known_limit_is_not_said_to_be_used_by_nothing() -> None:
    plain = utilisation(balance(taut.generators.prism(3).supported("bottom*")))
    assert plain.governed[0] == "", "a cable without material has no limit"
    assert np.isnan(plain.share[0])
    (note,) = [note for note in plain.notes if note.startswith("no limit is known")]
    assert re.match(r"no limit is known of 9 of 12 members \(bottom1, .* and 5 more\), so their share is NaN", note)


def test_without_any_strength_no_member_is_the_worst() -> None:
    bare = Structure(
        {"a": (0, 0, 0), "b": (0, 0, -1)},
        cables=[Cable("rope", ("a", "b"), rest_length=1.0, stiffness=100.0)],
        supports={"a": "xyz", "b": "xy"},
    )
    hung = {"hung": LoadCase(loads={"b": (0.0, 0.0, -5.0)})}
    table = solve_cases(bare, hung)
    used = utilisation(table.equilibria["hung"])
    assert used.worst is None
    assert np.isnan(used.share).all()
    assert np.isnan(table.utilisation).all()
    assert np.isnan(table.rows()[0]["utilisation"])


def test_a_limit_that_the_force_cannot_reach_is_none() -> None:
    """Of a material without yield stress only Euler's load is known, which says nothing of a bar that pulls; of one
    without modulus only yield, which is not all that a pushed bar may do."""
    elastic, strong = Material("e", 7850.0, 200e9), Material("s", 7850.0, yield_stress=250e6)
    for material, expected, said in (
        (elastic, ["nan", "euler"], "no limit is known of 1 of 2 members (up)"),
        (strong, ["yield", "yield"], "Euler's load of 1 pushed bars is not known (down)"),
    ):
        made = Structure(
            {"a": (0, 0, 1), "m": (0, 0, 0), "b": (0, 0, -1)},
            bars=[Bar(name, (end, "m"), material=material, radius=0.01) for name, end in (("up", "a"), ("down", "b"))],
            supports={"a": "xyz", "m": "xy", "b": "xyz"},
        )
        stiff = made.changed("bar:*", law="compressible", stiffness=1e6)
        used = utilisation(balance(stiff, loads={"m": (0.0, 0.0, -100.0)}))
        assert [word or "nan" for word in used.governed] == expected
        assert np.array_equal(np.isnan(used.share), [word == "nan" for word in expected])
        assert any(note.startswith(said) for note in used.notes)
        assert used.worst == "down" if material is elastic else used.worst in ("up", "down")


def test_bad_cases_are_refused() -> None:
    with pytest.raises(ModelError, match="settlements.m: moves along x, where the node is not held"):
        solve_cases(fixed_bar(), {"x": LoadCase(settlements={"m": (0.1, 0.0, 0.0)})})
    with pytest.raises(OptionError, match='names the case "wram", which is not there; did you mean "warm"'):
        solve_cases(fixed_bar(), {"warm": LoadCase()}, combinations={"c": {"wram": 1.0}})
    with pytest.raises(OptionError, match='"warm" names a case and a combination'):
        solve_cases(fixed_bar(), {"warm": LoadCase()}, combinations={"warm": {"warm": 1.0}})
    with pytest.raises(OptionError, match="there is no case to balance"):
        solve_cases(fixed_bar(), {})
    with pytest.raises(OptionError, match='leaves "one" a rest length of -1 m; it must be more than zero'):
        solve_cases(fixed_bar(), {"x": LoadCase(misfits={"bar:one": -2.0})}, bars="compressible")
    with pytest.raises(ModelError, match="is not held along z"):
        solve_cases(taut.generators.prism(3), {"x": LoadCase(gravity=9.81)})


def test_a_case_that_fails_is_named() -> None:
    """Rigid bars between walls that come nearer: no shape fits."""
    table = solve_cases(fixed_bar(), {"near": LoadCase(settlements={"b": (-0.1, 0.0, 0.0)})})
    assert not table.ok
    assert 'case "near": not balanced' in table.status


def test_a_line_that_is_told_again_holds_over_those_between() -> None:
    """Of two selectors that name a cable the later line wins, and the latest is the one of the last step."""
    hung = Structure(
        {"a": (0, 0, 0), "m": (1, 0, -1), "b": (2, 0, 0)},
        cables=[Cable(n, (n, "m"), rest_length=1.4, stiffness=1e4) for n in ("a", "b")],
        supports={"a": "xyz", "b": "xyz", "m": "y"},
    )
    steps = [{"cable:a": 1.3}, {"cable:*": 1.2}, {"cable:a": 1.0}]
    wound = deployment(hung, steps, case=LoadCase(loads={"m": (0.0, 0.0, -10.0)})).equilibria["step 3"]
    assert [cable.rest_length for cable in wound.structure.cables.values()] == [1.0, 1.2]


@pytest.mark.parametrize("segments", [1, 4])
def test_segments_share_what_is_told_of_their_cable(segments: int) -> None:
    """Without weight a cable pulls alike in however many segments: k (L - rest), straight between its ends."""
    rope = Cable("rope", ("a", "b"), rest_length=1.99, stiffness=1e4, mass=0.2, segments=segments)
    beside = Cable("beside", ("a", "b"), rest_length=1.98, stiffness=1e3)
    taut_one = Structure({"a": (0, 0, 0), "b": (2, 0, 0)}, cables=[rope, beside], supports={"a": "xyz", "b": "xyz"})
    table = solve_cases(
        taut_one,
        {
            "short": LoadCase(misfits={"cable:rope": -0.01}),
            "wound": LoadCase(rest_lengths={"cable:*": 1.97}),
            "later": LoadCase(rest_lengths={"cable:*": 1.0, "cable:rope": 1.98, "cable:beside": 1.9}),
        },
    )
    assert table.ok, table.status
    expected = [[200.0] * segments + [20.0], [300.0] * segments + [30.0], [200.0] * segments + [100.0]]
    assert table.member_force == pytest.approx(np.array(expected), rel=1e-9)
    followed = taut.statics.path(taut_one, LoadCase(misfits={"cable:rope": -0.01}))
    assert followed.member_force[-1] == pytest.approx(expected[0], rel=1e-9)
    if segments > 1:  # by its own name a segment is told itself
        one = solve_cases(taut_one, {"one": LoadCase(misfits={"cable:rope~1": -0.01})}).member_force[0]
        assert one[:segments] == pytest.approx([200.0] * segments, rel=1e-9)


def rope_and_tie(*order: str, groups: dict[str, tuple[str, ...]] | None = None) -> Structure:
    """A rope in four segments (1e4 N/m) and a tie of one (1e3 N/m), both 2 m between supports."""
    made = {
        "rope": Cable("rope", ("a", "b"), rest_length=1.99, stiffness=1e4, mass=0.2, segments=4),
        "tie": Cable("tie", ("a", "b"), rest_length=1.99, stiffness=1e3),
    }
    ends = {"a": (0, 0, 0), "b": (2, 0, 0)}
    cables = [made[name] for name in order]
    return Structure(ends, cables=cables, supports=dict.fromkeys(ends, "xyz"), groups=groups or {})


@pytest.mark.parametrize("order", [("tie", "rope"), ("rope", "tie")])
@pytest.mark.parametrize(
    ("groups", "selector"),
    [
        ({"rope": ("cable:rope", "cable:tie")}, "cable:rope"),
        ({"tie": ("cable:rope",)}, "cable:tie"),
        ({"both": ("cable:tie", "cable:rope")}, "cable:both"),
        ({}, "cable:*e"),
    ],
)
def test_a_group_may_have_the_name_of_a_cable(
    order: tuple[str, str], groups: dict[str, tuple[str, ...]], selector: str
) -> None:
    made = rope_and_tie(*order, groups=groups)
    table = solve_cases(made, {"wound": LoadCase(rest_lengths={selector: 1.96})})
    expected = [400.0 if name.startswith("rope") else 40.0 for name in table.members]
    assert table.member_force[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "case",
    [
        LoadCase(misfits={"cable:rope": -0.01}),
        LoadCase(rest_lengths={"cable:*": 1.96}),
        LoadCase(misfits={"cable:*1": -0.01}),  # no cable is called so, but a segment of the rope is
        LoadCase(misfits={"cable:*[1e]": -0.01}),  # of whole cables, though a segment fits too
    ],
)
def test_a_case_means_the_same_where_cables_are_cut_already(case: LoadCase) -> None:
    """What `balance` answers with is cut, and cases and paths may start from it."""
    made = rope_and_tie("tie", "rope", groups={"rope": ("cable:tie",)})
    given = solve_cases(made, {"x": case})
    assert given.ok, given.status
    for fine in (balance(made).structure, solve_cases(made, {"x": LoadCase()}).structure):
        again = solve_cases(fine, {"x": case})
        assert np.array_equal(again.member_force, given.member_force)
    assert taut.statics.path(fine, case).member_force[-1] == pytest.approx(given.member_force[0], rel=1e-9)


def test_combinations_that_cannot_be_are_refused() -> None:
    short = {"short": LoadCase(misfits={"bar:one": -0.5})}
    with pytest.raises(OptionError, match='combination "thrice" leaves "one" a rest length of -0.5 m'):
        solve_cases(fixed_bar(), short, combinations={"thrice": {"short": 3.0}}, bars="compressible")
    with pytest.raises(OptionError, match=r'combinations\["c"\]\["warm"\] = nan must be a finite number'):
        solve_cases(fixed_bar(), {"warm": LoadCase(temperature=9.0)}, combinations={"c": {"warm": math.nan}})
    pulled = Structure(
        {"a": (0, 0, 0), "m": (1, 0, 0), "b": (2, 0, 0)},
        cables=[Cable("a", ("a", "m"), mode="tension", command=10.0), Cable("b", ("m", "b"), stiffness=1e3)],
        supports={"a": "xyz", "m": "yz", "b": "xyz"},
    )
    with pytest.raises(OptionError, match='combination "c": cable "a" would push with 5 N; a cable only pulls'):
        solve_cases(pulled, {"less": LoadCase(commands={"cable:a": 5.0})}, combinations={"c": {"less": 3.0}})


def test_round_off_of_a_combination_is_nothing() -> None:
    """1 - 0.9 - 0.1 and 3 * 0.1 - 0.3 are zero but for the last digits."""
    ends = {"a": (0, 0, 0), "m": (1, 0, 0), "b": (2, 0, 0)}
    held = {"a": "xyz", "m": "yz", "b": "xyz"}
    pulled = [Cable("a", ("a", "m"), mode="tension", command=1.0), Cable("b", ("m", "b"), rest_length=1, stiffness=1e3)]
    loose = LoadCase(commands={"cable:a": 0.0})
    sums = {"none": {"p": 0.9, "q": 0.1}}
    table = solve_cases(Structure(ends, cables=pulled, supports=held), {"p": loose, "q": loose}, combinations=sums)
    assert table.ok, table.status
    assert table.member_force[2].tolist() == [0.0, 0.0]
    sums = {"less": {"p": 0.9, "q": 0.1 + 1e-10}}
    with pytest.raises(OptionError, match=r'cable "a" would push with 1e-10 N'):
        solve_cases(Structure(ends, cables=pulled, supports=held), {"p": loose, "q": loose}, combinations=sums)
    springs = [Cable(n, (n, "m"), rest_length=0.0, stiffness=100.0) for n in "ab"]
    longer = {"p": LoadCase(misfits={"cable:*": 0.1}), "q": LoadCase(misfits={"cable:*": 0.3})}
    for sums in ({"none": {"p": 3.0, "q": -1.0}}, {"none": {"p": -3.0, "q": 1.0}}):
        table = solve_cases(Structure(ends, cables=springs, supports=held), longer, combinations=sums)
        assert table.member_force[2] == pytest.approx([100.0, 100.0], rel=1e-12)
    apart = LoadCase(rest_lengths={"cable:*": 0.1 + 0.2}, misfits={"cable:*": -0.3})
    assert solve_cases(Structure(ends, cables=springs, supports=held), {"x": apart}).ok
    apart = LoadCase(rest_lengths={"cable:*": 0.3}, misfits={"cable:*": -(0.1 + 0.2)})
    assert solve_cases(Structure(ends, cables=springs, supports=held), {"x": apart}).ok


def test_springs_without_a_length_take_load_cases() -> None:
    """Two springs of no rest length hang a node where k (a + b - 2 x) + f = 0."""
    springs = Structure(
        {"a": (0, 0, 0), "m": (1, 0, -1), "b": (2, 0, 0)},
        cables=[Cable(n, (n, "m"), rest_length=0.0, stiffness=100.0) for n in ("a", "b")],
        supports={"a": "xyz", "b": "xyz"},
    )
    table = solve_cases(springs, {"load": LoadCase(loads={"m": (4.0, 0.0, -10.0)})})
    assert table.ok
    assert table.nodes[0, 1] == pytest.approx([1.02, 0.0, -0.05], abs=1e-9)
    with pytest.raises(OptionError, match='the case leaves "one" a rest length of 0 m'):
        solve_cases(fixed_bar(), {"none": LoadCase(misfits={"bar:one": -1.0})})


@pytest.mark.parametrize("tolerance", [0.0, -1.0, math.nan])
def test_a_tolerance_that_makes_no_sense_is_refused(tolerance: float) -> None:
    case = LoadCase(temperature=9.0)
    for ask in (
        lambda: solve_cases(fixed_bar(), {"x": case}, tolerance=tolerance),
        lambda: deployment(fixed_bar(), [{}], tolerance=tolerance),
        lambda: taut.statics.path(fixed_bar(), case, tolerance=tolerance),
        lambda: balance(fixed_bar(), tolerance=tolerance),
    ):
        with pytest.raises(OptionError, match="tolerance = .* must be more than 0 and less than 1"):
            ask()
    for wrong in ({"step": math.inf}, {"until": math.inf}):
        with pytest.raises(OptionError, match="step = .* and until = .* must be finite and more than zero"):
            taut.statics.path(fixed_bar(), case, **wrong)
    with pytest.raises(OptionError, match="no cables and no bars"):
        taut.statics.path(Structure({"a": (0, 0, 0)}, supports={"a": "xyz"}), case)
    with pytest.raises(OptionError, match="iterations = -1 must be zero or more"):
        balance(fixed_bar(), iterations=-1)


def test_numbers_of_numpy_are_numbers() -> None:
    one, other = (
        solve_cases(fixed_bar(), {"x": LoadCase(misfits={"bar:one": number})}, bars="compressible").member_force
        for number in (np.float32(2.0**-10), 2.0**-10)
    )
    assert np.array_equal(one, other)
