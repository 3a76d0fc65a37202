"""Sizing: closed forms of single members, the D-bar, a Michell truss, bounds that hold, elastic structures."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import differential_evolution

from taut.errors import ModelError, OptionError
from taut.statics.balancing import balance
from taut.statics.cases import solve_cases
from taut.statics.lightest import least_mass
from taut.statics.load_case import LoadCase
from taut.statics.sections import stocks, with_areas
from taut.statics.sizing import _Task, elastic_sizes
from taut.statics.strengths import utilisation
from taut.structure.records import Bar, Cable, Material
from taut.structure.structure import Structure

STEEL = Material("steel", 7850.0, 200e9, yield_stress=300e6)
DENSITY, MODULUS, STRENGTH = 7850.0, 200e9, 300e6


def column() -> Structure:
    return Structure(
        {"foot": (0, 0, 0), "top": (0, 0, 2)},
        bars=[Bar("post", ("foot", "top"), material=STEEL, radius=0.02)],
        supports={"foot": "xyz", "top": "xy"},
    )


@pytest.mark.parametrize("push", [1e3, 1e8])
def test_a_column_by_euler_and_by_yield(push: float) -> None:
    """Slender: m = 2 density l^2 sqrt(P / (pi E)); stocky: density l P / yield stress."""
    found = least_mass(column(), {"weight": LoadCase(loads={"top": (0.0, 0.0, -push)})})
    slender = 2.0 * DENSITY * 4.0 * math.sqrt(push / (math.pi * MODULUS))
    stocky = DENSITY * 2.0 * push / STRENGTH
    assert found.mass == pytest.approx(max(slender, stocky), rel=1e-12)
    assert found.lower_bound == pytest.approx(found.mass, rel=1e-9)
    assert "no design of this shape is lighter (dual" in found.certificate
    assert found.governed == (("euler",) if slender > stocky else ("yield",))


def dbar(angle: float, span: float = 2.0) -> Structure:
    """Four bars in a rhombus along x, one cable across: what a column becomes when it is opened."""
    reach, rise = span / 2.0, span / 2.0 * math.tan(angle)
    nodes = {"n1": (0, 0, 0), "n2": (reach, 0, rise), "n3": (span, 0, 0), "n4": (reach, 0, -rise)}
    ring = [("b1", "n1", "n2"), ("b2", "n2", "n3"), ("b3", "n3", "n4"), ("b4", "n4", "n1")]
    return Structure(
        nodes,
        bars=[Bar(name, (a, b), material=STEEL, radius=0.01) for name, a, b in ring],
        cables=[Cable("across", ("n2", "n4"), material=STEEL, radius=0.01)],
        supports={"n1": "xyz", "n2": "y", "n3": "yz", "n4": "y"},
    )


@pytest.mark.parametrize("angle", [0.1, 0.3, 0.6])
def test_the_dbar_is_lighter_than_the_column_it_replaces(angle: float) -> None:
    """The D-bar of Skelton and de Oliveira (Tensegrity Systems, Springer 2009), formula worked out here.

    Against the column of the same span, m0 = 2 density l^2 sqrt(f / (pi E)): four bars of force f / (2 cos a) and
    length l / (2 cos a), one cable of force f tan a and length l tan a, so
        m / m0 = 1 / (sqrt(2) cos^(5/2) a) + density l f tan^2 a / (yield stress m0).
    """
    span, push = 2.0, 2e3
    found = least_mass(dbar(angle, span), {"press": LoadCase(loads={"n3": (-push, 0.0, 0.0)})})
    whole = 2.0 * DENSITY * span**2 * math.sqrt(push / (math.pi * MODULUS))
    bars = whole / (math.sqrt(2.0) * math.cos(angle) ** 2.5)
    cable = DENSITY * span * push * math.tan(angle) ** 2 / STRENGTH
    assert found.governed == ("yield", "euler", "euler", "euler", "euler")
    assert found.mass == pytest.approx(bars + cable, rel=1e-10)
    assert (found.mass < whole) == (1.0 / math.sqrt(2.0) / math.cos(angle) ** 2.5 + cable / whole < 1.0)
    assert found.lower_bound <= found.mass * (1.0 + 1e-12)


def bracket(*more: tuple[str, str]) -> Structure:
    """A strut and a tie from a wall to a tip, and what is added to them."""
    nodes = {"low": (0, 0, 0), "high": (0, 0, 1), "higher": (0, 0, 2), "tip": (1.5, 0, 0)}
    pairs = [("low", "tip"), ("high", "tip"), *more]
    bars = [Bar(f"{a}-{b}", (a, b), material=STEEL, radius=0.01) for a, b in pairs]
    return Structure(nodes, bars=bars, supports={"low": "xyz", "high": "xyz", "higher": "xyz", "tip": "y"})


def test_a_determinate_bracket_has_no_gap() -> None:
    """Its forces follow from balance alone, so the mass they need is the least there is; two cases, both governing."""
    cases = {"down": LoadCase(loads={"tip": (0.0, 0.0, -1e3)}), "up": LoadCase(loads={"tip": (0.0, 0.0, 2e3)})}
    found = least_mass(bracket(), cases)
    assert found.member_force[0] == pytest.approx([-1.5e3, 1e3 * math.sqrt(3.25)])
    euler = [
        2.0 * DENSITY * length**2 * math.sqrt(push / (math.pi * MODULUS))
        for length, push in ((1.5, 1.5e3), (math.sqrt(3.25), 2e3 * math.sqrt(3.25)))
    ]
    assert found.mass == pytest.approx(sum(euler), rel=1e-9)
    assert found.lower_bound == pytest.approx(found.mass, rel=1e-12)
    assert "no design of this shape is lighter (dual" in found.certificate


def test_members_beside_a_redundant_part_count_with_their_true_mass() -> None:
    """A column that no self-stress reaches, beside a bracket with one tie more: the gap is the bracket's alone."""
    cases = {"down": LoadCase(loads={"tip": (0.0, 0.0, -1e3), "top": (0.0, 0.0, -1e4)})}
    redundant = bracket(("higher", "tip"))
    alone = least_mass(redundant, {"down": LoadCase(loads={"tip": (0.0, 0.0, -1e3)})})
    post = Bar("post", ("foot", "top"), material=STEEL, radius=0.01)
    both = redundant.with_nodes(foot=(9.0, 0.0, 0.0), top=(9.0, 0.0, 2.0)).with_bars(post)
    found = least_mass(both.supported("foot").supported("top", "xy"), cases)
    assert alone.lower_bound < 0.999 * alone.mass
    assert found.mass - found.lower_bound == pytest.approx(alone.mass - alone.lower_bound, rel=1e-6)


def michell(spokes: int) -> Structure:
    """A load at the middle between two pins 2 m apart; every pair of nodes of the half-plane fan may be a member."""
    radius = math.sqrt(0.5)
    angles = np.linspace(math.pi / 4.0, 3.0 * math.pi / 4.0, spokes)
    nodes = {"left": (-1.0, 0.0, 0.0), "right": (1.0, 0.0, 0.0), "load": (0.0, 0.0, 0.0)}
    nodes |= {f"r{i}": (radius * math.cos(a), 0.0, radius * math.sin(a)) for i, a in enumerate(angles)}
    pairs = list(itertools.combinations(nodes, 2))
    bars = [Bar(f"{a}-{b}", (a, b), material=STEEL, radius=0.01) for a, b in pairs]
    held = dict.fromkeys(nodes, "y") | {"left": "xyz", "right": "xyz"}
    return Structure(nodes, bars=bars, supports=held)


def test_a_michell_truss_comes_out_of_its_ground_structure() -> None:
    """V = (1 + pi/2) F a / yield stress, the least volume between two pins in the half-plane (Michell 1904,
    Philosophical Magazine 8, 589-597): two struts at 45 degrees and a quarter fan. Chords for its arc approach it to
    second order."""
    load, exact = 1e5, (1.0 + math.pi / 2.0) * 1e5 / STRENGTH * DENSITY
    excess = []
    for spokes in (4, 7, 13):
        found = least_mass(michell(spokes), {"F": LoadCase(loads={"load": (0.0, 0.0, -load)})}, buckling=False)
        assert found.lower_bound == pytest.approx(found.mass, rel=1e-9)
        assert found.unused, "most members are not needed"
        excess.append(found.mass / exact - 1.0)
    assert 0.0 < excess[2] < 5e-3
    assert excess[0] / excess[1] == pytest.approx(4.0, rel=0.1)
    assert excess[1] / excess[2] == pytest.approx(4.0, rel=0.1)


def test_the_bound_lies_below_every_design_and_the_answer_below_other_starts() -> None:
    """Buckling makes the problem concave: the answer is compared with many other balances of the same truss."""
    made = michell(4)
    found = least_mass(made, {"F": LoadCase(loads={"load": (0.0, 0.0, -1e4)})})
    assert 0.0 < found.lower_bound <= found.mass
    assert "no design of this shape is lighter than" in found.certificate
    plain = least_mass(made, {"F": LoadCase(loads={"load": (0.0, 0.0, -1e4)})}, buckling=False)
    stock = stocks(made)
    assert found.mass <= float(stock.mass(stock.area(plain.member_force)).sum()) * (1.0 + 1e-12)


def test_minimum_tension_is_kept_and_rest_lengths_make_it_real() -> None:
    """The answer, balanced as an elastic structure, carries the forces it was sized for and is used to its limits."""
    made = dbar(0.5).with_cables(Cable("along", ("n1", "n3"), material=STEEL, radius=0.01))
    loads = {"n3": (-2e3, 0.0, 0.0)}
    found = least_mass(made, {"press": LoadCase(loads=loads)}, minimum_tension=100.0)
    assert found.member_force[0, list(found.members).index("along")] == pytest.approx(100.0)
    standing = balance(found.structure, loads=loads)
    assert standing.ok
    assert np.abs(standing.structure.positions - made.positions).max() < 1e-9
    assert standing.member_force == pytest.approx(found.member_force[0], rel=1e-6)
    assert utilisation(standing).share == pytest.approx(1.0, rel=1e-6)


def test_several_cases_are_all_borne() -> None:
    made = michell(4)
    cases = {"down": LoadCase(loads={"load": (0, 0, -1e4)}), "side": LoadCase(loads={"load": (1e4, 0, 0)})}
    both = least_mass(made, cases, buckling=False)
    alone = [least_mass(made, {name: case}, buckling=False).mass for name, case in cases.items()]
    assert max(alone) < both.mass <= sum(alone) * (1.0 + 1e-9)
    assert np.all(np.abs(both.member_force) <= STRENGTH * both.area + 1e-6)


def test_a_determinate_elastic_structure_is_sized_in_closed_form() -> None:
    made = dbar(0.4)
    case = {"press": LoadCase(loads={"n3": (-500.0, 0.0, 0.0)})}
    elastic = elastic_sizes(made, case)
    assert elastic.ok, elastic.status
    assert "statically determinate" in elastic.certificate
    fixed = least_mass(made, case)
    assert elastic.mass == pytest.approx(fixed.mass, rel=1e-2), "but for the shape that gives way a little"
    assert elastic.lower_bound == 0.0
    straight = elastic_sizes(column(), {"press": LoadCase(loads={"top": (0.0, 0.0, -500.0)})})
    assert straight.lower_bound == straight.mass
    assert "none can be lighter" in straight.certificate


def test_a_shape_that_gives_way_makes_forces_depend_on_sizes() -> None:
    """A shallow arch of timber and steel: thicker timber keeps it up, so that the steel, of heavier stuff, has less to
    push. Each at its Euler load with the same force it weighs 3.2056 kg, and that was said to be the least."""
    timber = Material("timber", 600.0, 1e10, yield_stress=2.5e8)
    legs = [
        Bar(name, (name, "top"), material=stuff, radius=0.02) for name, stuff in (("left", timber), ("right", STEEL))
    ]
    places = {"left": (-1, 0, 0), "right": (1, 0, 0), "top": (0, 0, 0.05)}
    arch = Structure(places, bars=legs, supports={"left": "xyz", "right": "xyz", "top": "y"})
    press = {"press": LoadCase(loads={"top": (0.0, 0.0, -1000.0)})}
    found = elastic_sizes(arch, press)
    assert found.ok, found.status
    assert solve_cases(found.structure, press, bars="compressible").utilisation.max() == pytest.approx(1.0, abs=1e-6)
    assert found.mass < 3.2056 * (1.0 - 1e-3)
    assert found.lower_bound == 0.0
    assert "the shape gives way under its loads" in found.certificate


@pytest.mark.slow
def test_an_indeterminate_elastic_structure_bears_all_and_is_near_the_bound() -> None:
    """Three bars on one node under two loads, as in Schmit's truss: forces go where the stiffness is."""
    feet = {"a": (-1.0, 0, 1.0), "b": (0.0, 0, 1.0), "c": (1.0, 0, 1.0)}
    bars = [Bar(f"{name}n", (name, "n"), material=STEEL, radius=0.01) for name in feet]
    made = Structure({**feet, "n": (0.0, 0, 0.0)}, bars=bars, supports={**dict.fromkeys(feet, "xyz"), "n": "y"})
    cases = {"wind": LoadCase(loads={"n": (3e4, 0, -1e4)}), "weight": LoadCase(loads={"n": (0, 0, -6e4)})}
    found = elastic_sizes(made, cases)
    assert found.ok, found.status
    assert "not proved to be lightest" in found.certificate
    again = solve_cases(found.structure, cases, bars="compressible")
    assert again.utilisation.max() == pytest.approx(1.0, rel=1e-5)
    plastic = least_mass(made, cases)
    assert plastic.lower_bound <= plastic.mass <= found.mass * (1.0 + 1e-6)
    assert found.mass == pytest.approx(_searched(made, cases), rel=5e-3)
    thick = elastic_sizes(made, cases, safety=2.0)
    assert solve_cases(thick.structure, cases, bars="compressible").utilisation.max() < 0.51


def _searched(made: Structure, cases: dict[str, LoadCase]) -> float:
    """The lightest three-bar truss by small displacements and a global search over the ratios of its areas."""
    stock = stocks(made)
    units = np.array([np.subtract(made.nodes["n"], made.nodes[name])[[0, 2]] for name in "abc"])
    units = units / np.linalg.norm(units, axis=1)[:, None]
    loads = np.array([np.array(case.loads["n"])[[0, 2]] for case in cases.values()])

    def mass(logs: np.ndarray) -> float:
        ratio = np.exp(np.array([0.0, *logs]))
        stiffness = MODULUS * ratio / stock.length
        moves = np.linalg.solve((units.T * stiffness) @ units, loads.T).T
        area = stock.area(stiffness * (moves @ units.T))
        return float(stock.mass(ratio * (area / ratio).max()).sum())

    return float(differential_evolution(mass, [(-8.0, 8.0)] * 2, seed=1, tol=1e-10).fun)


def test_a_cable_that_goes_slack_is_named() -> None:
    made = dbar(0.4).with_cables(Cable("along", ("n1", "n3"), material=STEEL, radius=0.01))
    found = elastic_sizes(made, {"press": LoadCase(loads={"n3": (-500.0, 0.0, 0.0)})}, minimum_tension=1.0)
    assert not found.ok
    assert 'cables have less than 1 N in some case ("along", ...)' in found.status
    assert found.certificate == "nothing is proved: cables lack tension, which thickness does not mend"


def test_a_strain_beyond_yield_is_borne_by_no_size() -> None:
    """A cable between supports, stretched by 1 %: its stress is E / 100 whatever its size, and that is beyond yield."""
    strained = Structure(
        {"a": (0, 0, 0), "b": (1.01, 0, 0)},
        cables=[Cable("c", ("a", "b"), rest_length=1.0, material=STEEL, radius=0.01)],
        supports={"a": "xyz", "b": "xyz"},
    )
    found = elastic_sizes(strained, {"as it is": LoadCase()})
    assert not found.ok
    assert found.status.startswith('no sizes found that bear all cases: "c" would have to be 6.6')
    assert found.certificate == "nothing is proved: no sizes were found that bear all cases"


def test_what_does_not_balance_is_not_said_to_keep_its_limits() -> None:
    """A post of E A = 3 N does not stand under 1 kN; nothing was sized, so nothing is said to be kept."""
    soft = Material("soft", 1000.0, 1e6, yield_stress=2e6)
    post = Bar("post", ("foot", "top"), material=soft, radius=0.001)
    made = Structure(column().nodes, bars=[post], supports=column().supports)
    found = elastic_sizes(made, {"down": LoadCase(loads={"top": (0.0, 0.0, -1e3)})})
    assert "not balanced" in found.status
    assert found.lower_bound == 0.0
    assert found.certificate == "nothing is proved: the cases do not all balance in these sizes"


def test_what_cannot_be_sized_is_refused() -> None:
    bare = Structure(
        {"a": (0, 0, 0), "b": (0, 0, -1)},
        cables=[Cable("rope", ("a", "b"), stiffness=1e3)],
        supports={"a": "xyz", "b": "xy"},
    )
    hang = {"hang": LoadCase(loads={"b": (0, 0, -1.0)})}
    with pytest.raises(ModelError, match="cables.rope.material: is not known, and a size depends on it"):
        least_mass(bare, hang)
    soft = Material("soft", 1000.0, 1e9)
    with pytest.raises(ModelError, match="materials.soft.yield_stress: is not known, and the sizes of"):
        least_mass(bare.changed("cable:*", material=soft, radius=0.01), hang)
    rope = bare.changed("cable:*", material=STEEL, radius=0.01)
    with pytest.raises(OptionError, match='no forces with cables in tension balance the cases "push"'):
        least_mass(rope, {"push": LoadCase(loads={"b": (0, 0, 1.0)})})
    with pytest.raises(OptionError, match="safety = 0 must be a finite number more than zero"):
        least_mass(rope, hang, safety=0)
    with pytest.raises(OptionError, match="there is no case to size for"):
        least_mass(rope, {})
    with pytest.raises(OptionError, match="minimum_radius = 0 must be"):
        elastic_sizes(rope, hang, minimum_radius=0)


def test_elastic_bars_too_carry_the_forces_that_they_were_sized_for() -> None:
    """Bars that give way are made longer by what their push takes; else they would carry 2 % less."""
    corners = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1, 0, 1), "d": (0, 0, 1)}
    sides = [Cable(one + other, (one, other), material=STEEL, radius=0.002) for one, other in ("ab", "bc", "cd", "da")]
    ends = {"p": ("a", "c"), "q": ("b", "d")}
    braces = [Bar(name, pair, material=STEEL, radius=0.01, law="compressible") for name, pair in ends.items()]
    square = Structure(corners, bars=braces, cables=sides, supports={"a": "xyz", "b": "yz", "c": "y", "d": "y"})
    found = least_mass(square, {"tight": LoadCase()}, minimum_tension=1000.0, buckling=False)
    standing = balance(found.structure)
    assert standing.ok
    assert standing.member_force == pytest.approx(found.member_force[0], rel=1e-6)
    assert np.abs(standing.structure.positions - square.positions).max() < 1e-9


def pair_of_legs() -> Structure:
    """Two bars that balance alone says the forces of."""
    bars = [Bar(name, (name, "tip"), material=STEEL, radius=radius) for name, radius in (("a", 0.03), ("b", 0.005))]
    places = {"a": (0, 0, 0), "b": (3, 0, 0), "tip": (1, 0, 2)}
    return Structure(places, bars=bars, supports={"a": "xyz", "b": "xyz", "tip": "y"})


def test_nothing_is_proved_before_sizes_have_settled_or_of_weight() -> None:
    """One round gives 29 times the mass of the lightest; and what weighs may relieve as well as load."""
    loads = {"tip": (2000.0, 0.0, -1000.0)}
    lightest = elastic_sizes(pair_of_legs(), {"push": LoadCase(loads=loads)})
    assert "every limit is kept and no small change makes it lighter" in lightest.certificate
    early = elastic_sizes(pair_of_legs(), {"push": LoadCase(loads=loads)}, rounds=1)
    assert early.mass > 10.0 * lightest.mass
    assert early.lower_bound == 0.0
    assert early.certificate.endswith("allow more rounds; nothing is proved")
    weighed = elastic_sizes(column(), {"push": LoadCase(loads={"top": (0.0, 0.0, -500.0)}, gravity=9.81)})
    assert weighed.lower_bound == 0.0
    assert "weight depends on sizes: not proved" in weighed.certificate


def test_nothing_is_proved_where_lighter_sizes_do_not_balance() -> None:
    """Yield at twice the length without force: a column at that limit does not stand, though thinner ones would do."""
    soft = Material("soft", 1000.0, 1e6, yield_stress=2e6)
    places = {"a": (0, 0, 0), "b": (0, 0, 2), "c": (1, 0, 0), "d": (1, 0, 0.01)}
    posts = [Bar(x + y, (x, y), material=soft, radius=0.1) for x, y in ("ab", "cd")]
    made = Structure(places, bars=posts, supports={"a": "xyz", "b": "xy", "c": "xyz", "d": "xy"})
    cases = {"down": LoadCase(loads={"b": (0.0, 0.0, -1e3), "d": (0.0, 0.0, -1e3)})}
    found = elastic_sizes(made, cases)
    assert found.ok
    thinner = solve_cases(with_areas(made, found.area * [1.0, 0.1]), cases, bars="compressible")
    assert thinner.ok
    assert thinner.utilisation[0, 1] < 0.1
    assert found.lower_bound == 0.0
    assert "sizes that its forces ask for do not bear all cases" in found.certificate
    assert found.certificate.endswith("nothing is proved")


def test_rounds_and_tolerances_that_make_no_sense_are_refused() -> None:
    push = {"push": LoadCase(loads={"tip": (2000.0, 0.0, -1000.0)})}
    for wrong in ({"rounds": 0}, {"tolerance": math.nan}, {"tolerance": 0.0}):
        with pytest.raises(OptionError, match="rounds = .* must be one or more, and tolerance"):
            elastic_sizes(pair_of_legs(), push, **wrong)


@pytest.mark.parametrize(
    "case",
    [
        LoadCase(loads={"m": (0.0, 0.0, -500.0)}),
        LoadCase(rest_lengths={"cable:a": 0.6}),
        LoadCase(misfits={"bar:up": 0.5, "cable:b": -0.2}),
        LoadCase(temperature={"cable:a": -2e4, "bar:up": 2e4}),
    ],
)
def test_forces_change_with_areas_as_rest_lengths_have_it(case: LoadCase) -> None:
    """A cable is E A / rest length stiff: with a tenth of strain, slopes over the length are a tenth off.

    What winds it, warms it or made it too short has changed that length.
    """
    rests = {"a": 0.9, "b": 0.97, "c": 1.45}
    warm = replace(STEEL, thermal_expansion=1.2e-5)
    stays = [Cable(n, (n, "m"), material=warm, radius=0.002, rest_length=rest) for n, rest in rests.items()]
    places = {"a": (0, 0, 0), "b": (2, 0, 0), "c": (1, 0, 1.5), "m": (1, 0, 0), "d": (1, 0, -1)}
    up = Bar("up", ("d", "m"), material=warm, radius=0.002)
    hung = Structure(places, bars=[up], cables=stays, supports={**dict.fromkeys("abcd", "xyz"), "m": "y"})
    task = _Task(hung, {"load": case}, stocks(hung), 1.0, 1e-8)

    def forces(area: np.ndarray) -> np.ndarray:
        return solve_cases(with_areas(hung, area), task.cases, bars="compressible").member_force[0]

    area, step = np.array([1e-5, 2e-5, 1.5e-5, 1.2e-5]), 1e-9
    (found,) = solve_cases(with_areas(hung, area), task.cases, bars="compressible").equilibria.values()
    differences = [(forces(area + step * one) - forces(area - step * one)) / (2.0 * step) for one in np.eye(4)]
    assert task.by_area(found) == pytest.approx(np.array(differences).T, rel=1e-4, abs=10.0)  # of 1e9


def test_a_cable_in_segments_is_not_sized_by_elastic_sizes() -> None:
    rope = Cable("rope", ("a", "b"), rest_length=1.999, material=STEEL, radius=0.003, segments=4)
    hung = Structure({"a": (0, 0, 0), "b": (2, 0, 0)}, cables=[rope], supports={"a": "xyz", "b": "xyz"})
    with pytest.raises(ModelError, match="cables.rope.segments: 4: a cable has one size; say segments: 1"):
        elastic_sizes(hung, {"weight": LoadCase(gravity=9.81)})
