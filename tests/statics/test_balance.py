"""Newton's equilibria: closed forms, the dynamics' own forces, slack cables, refusals and honest statuses."""

from __future__ import annotations

import math

import numpy as np
import pytest

import taut
from taut.errors import ModelError, OptionError
from taut.statics.balancing import balance
from taut.structure.records import Bar, Cable, Material, on_plane
from taut.structure.structure import Structure


def hanging(stiffness: float = 1000.0) -> Structure:
    """A weight on a spring."""
    return Structure(
        {"roof": (0, 0, 0), "load": (0.01, 0, -1)},
        cables=[Cable("rope", ("roof", "load"), rest_length=1.0, stiffness=stiffness)],
        supports={"roof": "xyz"},
        point_masses={"load": 2.0},
    )


def test_a_weight_hangs_below_its_support() -> None:
    found = balance(hanging(), gravity=9.81)
    assert found.ok
    assert found.structure.nodes["load"] == pytest.approx((0.0, 0.0, -1.0 - 2.0 * 9.81 / 1000.0), abs=1e-12)
    assert found.cable_tension == pytest.approx([2.0 * 9.81], rel=1e-12)
    assert found.reaction == pytest.approx(np.array([[0.0, 0.0, 2.0 * 9.81]]), abs=1e-10)


def test_a_pendulum_held_up_by_nothing_falls_to_its_lowest_place() -> None:
    """The start is far from the minimum and the stiffness negative on the way."""
    bar = Bar("arm", ("pin", "tip"), mass=1.0)
    start = Structure({"pin": (0, 0, 0), "tip": (0.3, 0.1, 0.9)}, bars=[bar], supports={"pin": "xyz"})
    found = balance(start, gravity=9.81)
    assert found.ok
    length = math.dist((0, 0, 0), (0.3, 0.1, 0.9))
    assert found.structure.nodes["tip"] == pytest.approx((0.0, 0.0, -length), abs=1e-9)
    assert found.bar_force == pytest.approx([0.5 * 9.81], rel=1e-9)


def test_an_upright_pendulum_is_a_balance_and_said_to_be_unstable() -> None:
    bar = Bar("arm", ("pin", "tip"), mass=1.0)
    start = Structure({"pin": (0, 0, 0), "tip": (0, 0, 1)}, bars=[bar], supports={"pin": "xyz"})
    found = balance(start, gravity=9.81)
    assert found.ok
    assert found.bar_force == pytest.approx([-0.5 * 9.81])
    assert "unstable: the energy falls in 2 directions" in found.notes[0]


def test_a_mast_with_one_slack_stay() -> None:
    """Pushed sideways, the lee stay goes slack: moments about the foot give the other's tension."""
    mast = Structure(
        {"foot": (0, 0, 0), "left": (-1, 0, 0), "right": (1, 0, 0), "top": (0, 0, 1)},
        bars=[Bar("mast", ("foot", "top"), mass=2.0)],
        cables=[
            Cable("west", ("left", "top"), rest_length=1.40, stiffness=5e4),
            Cable("east", ("right", "top"), rest_length=1.40, stiffness=5e4),
        ],
        supports={"foot": "xyz", "left": "xyz", "right": "xyz", "top": "y"},
    )
    found = balance(mast, loads={"top": (2000.0, 0.0, 0.0)})
    assert found.ok
    assert found.cable_tension[1] == 0.0
    assert "1 of 2 cables are slack" in found.notes
    top = np.array(found.structure.nodes["top"])
    rope = (np.array([-1.0, 0.0, 0.0]) - top) / np.linalg.norm(np.array([-1.0, 0.0, 0.0]) - top)
    moment = np.cross(top, found.cable_tension[0] * rope + np.array([2000.0, 0.0, 0.0]))
    assert abs(moment[1]) < 1e-6
    assert found.reaction.sum(axis=0) == pytest.approx([-2000.0, 0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("bars", ["rigid", "compressible"])
@pytest.mark.parametrize("kind", ["tower", "class 2", "lattice"])
def test_residuals_are_small_and_reactions_carry_the_loads(bars: str, kind: str) -> None:
    made = {
        "tower": lambda: taut.generators.tower(3, radius=0.3, height=0.6).supported("bottom*"),
        "class 2": lambda: taut.generators.tower(3, class_=2).supported("bottom*"),
        "lattice": lambda: taut.generators.planar_lattice(3, 3).supported("bottom"),
    }[kind]()
    top = made.select("top", "node")[0]
    found = balance(made, gravity=9.81, loads={top: (3.0, 0.0, -2.0)}, bars=bars)
    assert found.ok
    force = np.abs(found.member_force).max()
    assert found.residual <= 1e-8 * force
    assert (found.reaction.sum(axis=0) + found.external.sum(axis=0)) == pytest.approx(0.0, abs=1e-7 * force)
    assert found.structure.check() == []
    assert np.all(found.cable_tension >= 0.0)


def test_dynamics_finds_nothing_to_move_in_a_balanced_structure() -> None:
    found = balance(taut.generators.tower(2, radius=0.3, height=0.6).supported("bottom*"), gravity=9.81)
    run = taut.simulate(taut.assemble(found.structure, gravity=9.81), duration=0.1, every=0.05, tolerance=1e-10)
    assert np.abs(run.nodes - run.nodes[0]).max() < 1e-9
    assert run.bar_force[0] == pytest.approx(found.bar_force, rel=1e-8)
    assert run.cable_tension[0] == pytest.approx(found.cable_tension, rel=1e-8)
    assert run.reaction[0] == pytest.approx(found.reaction, abs=1e-7)


def test_compressible_bars_tend_to_rigid_ones_like_one_over_stiffness() -> None:
    made = taut.generators.prism(3).supported("bottom*")
    rigid = balance(made, gravity=9.81, loads={"top1": (20.0, 0.0, 0.0)}).structure.positions
    gaps = []
    for modulus in (1e11, 1e12, 1e13):
        steel = Material("bar", 2700.0, modulus)
        soft = balance(
            made.changed("bar:*", material=steel), gravity=9.81, loads={"top1": (20.0, 0.0, 0.0)}, bars="compressible"
        )
        gaps.append(np.abs(soft.structure.positions - rigid).max())
    assert gaps[0] / gaps[1] == pytest.approx(10.0, rel=0.02)
    assert gaps[1] / gaps[2] == pytest.approx(10.0, rel=0.02)


def test_a_prism_with_a_wrong_twist_turns_to_the_right_one() -> None:
    found = balance(taut.generators.prism(3, twist=0.2))
    assert found.ok
    places = found.structure.positions
    bottom, top = places[:3] - places[:3].mean(axis=0), places[3:] - places[3:].mean(axis=0)
    axis = places[3:].mean(axis=0) - places[:3].mean(axis=0)
    axis /= np.linalg.norm(axis)
    across = top[0] - (top[0] @ axis) * axis
    start = bottom[0] - (bottom[0] @ axis) * axis
    turn = math.atan2(np.cross(start, across) @ axis, start @ across)
    assert turn == pytest.approx(math.pi / 2.0 - math.pi / 3.0, abs=1e-6)


def test_a_guide_pushes_along_its_row() -> None:
    """A weight on a plane slanted by 45 degrees, held along the slope by a rope."""
    slope = Structure(
        {"peg": (0, 0, 1), "block": (0.6, 0, 0.4)},
        cables=[Cable("rope", ("peg", "block"), rest_length=0.8, stiffness=1e4)],
        supports={"peg": "xyz", "block": "y"},
        point_masses={"block": 3.0},
    ).with_constraints(on_plane("ramp", "block", (1.0, 0.0, 1.0)))
    found = balance(slope, gravity=9.81)
    assert found.ok
    assert found.cable_tension == pytest.approx([3.0 * 9.81 * math.sqrt(0.5)], rel=1e-9)
    assert found.constraint_force == pytest.approx([3.0 * 9.81 * math.sqrt(0.5)], rel=1e-9)


def test_a_heavy_cable_hangs_in_an_elastic_catenary() -> None:
    """Irvine, Cable Structures (1981), eq. 1.24 and 1.25; second order in the number of pieces."""
    span, length, weight, stiffness = 1.0, 1.2, 1.2 * 9.81, 1e3
    rigidity = stiffness * length

    def sag_of(pieces: int) -> float:
        rope = Cable("rope", ("a", "b"), rest_length=length, stiffness=stiffness, mass=length, segments=pieces)
        made = Structure({"a": (0, 0, 0), "b": (span, 0, 0)}, cables=[rope], supports={"a": "xyz", "b": "xyz"})
        found = balance(made, gravity=9.81)
        assert found.ok, found.status
        return float(-found.structure.positions[:, 2].min())

    low, high = 1e-3, 1e3
    for _ in range(200):
        pull = math.sqrt(low * high)
        reach = pull * length / rigidity + 2.0 * pull * length / weight * math.asinh(weight / (2.0 * pull))
        low, high = (low, pull) if reach > span else (pull, high)
    exact = weight * length / (8.0 * rigidity)
    exact += pull * length / weight * (math.sqrt(1.0 + (weight / (2.0 * pull)) ** 2) - 1.0)
    errors = [abs(sag_of(pieces) - exact) for pieces in (6, 12, 24)]
    assert errors[2] < 2e-3 * exact
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.1)


def test_some_bars_may_be_compressible() -> None:
    made = taut.generators.prism(3).supported("bottom*")
    found = balance(made, gravity=9.81, bars={"bar:strut1": "compressible"})
    start, end = made.positions, found.structure.positions
    index = {name: i for i, name in enumerate(made.nodes)}

    def stretch(name: str) -> float:
        a, b = (index[node] for node in made.bars[name].nodes)
        return float(np.linalg.norm(end[b] - end[a]) / np.linalg.norm(start[b] - start[a])) - 1.0

    assert abs(stretch("strut2")) < 1e-14
    rigidity = 70e9 * math.pi * 0.01**2
    assert stretch("strut1") == pytest.approx(found.bar_force[0] / rigidity, rel=1e-6)


def test_the_iterative_solver_finds_the_same() -> None:
    made = taut.generators.lattice(2, 2, 2).supported("bottom")
    direct = balance(made, gravity=1.0)
    slow = balance(made, gravity=1.0, solver="iterative")
    assert slow.ok
    assert slow.structure.positions == pytest.approx(direct.structure.positions, abs=1e-8)


def test_redundant_rigid_bars_do_no_harm() -> None:
    """A braced square, all bars rigid: one more than can be told apart."""
    corners = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1, 0, 1), "d": (0, 0, 1)}
    bars = [Bar(x + y, (x, y), mass=1.0) for x, y in ("ab", "bc", "cd", "da", "ac", "bd")]
    made = Structure(corners, bars=bars, supports={"a": "xyz", "b": "yz", "c": "y", "d": "y"})
    found = balance(made, loads={"c": (10.0, 0.0, 0.0)})
    assert found.ok
    assert found.reaction.sum(axis=0) == pytest.approx([-10.0, 0.0, 0.0], abs=1e-9)


# --- refusals and statuses


def test_an_unsupported_structure_in_gravity_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match='structure "prism of 3 struts" is not held along z.*no equilibrium; support'):
        balance(taut.generators.prism(3), gravity=9.81)


def test_what_bars_hold_by_their_second_derivatives_only_is_told_at_once() -> None:
    """A mast whose top is held along it: the least push across would take a force without end. It was looked for with
    cables that begin to pull gradually and with loads in steps, for 18 s."""
    mast = Structure(
        {
            "foot": (0.0, 0.0, 0.0),
            "a": (1.0, 0.0, 0.0),
            "b": (-0.5, 0.9, 0.0),
            "c": (-0.5, -0.9, 0.0),
            "top": (0, 0, 1),
        },
        [Bar("mast", ("foot", "top"), mass=1.0)],
        [Cable(name, (name, "top"), stiffness=1e4, rest_length=3.0) for name in "abc"],
        supports={**dict.fromkeys(("foot", "a", "b", "c"), "xyz"), "top": "z"},
    )
    found = balance(mast, loads={"top": (20.0, 0.0, 0.0)})
    assert not found.ok
    assert found.iterations < 10, "it took 13 in the last of 19 tries"
    assert found.status == (
        'not balanced: bars and supports keep node "top" from moving along x, where 20 N pushes it, but lie across '
        "that, so that no finite force of theirs holds it; support it along that axis, or free it along the bars"
    )
    assert balance(mast.supported("top"), loads={"top": (20.0, 0.0, 0.0)}).ok
    assert balance(mast).ok, "without a push it stands"


def test_a_part_that_nothing_holds_is_named() -> None:
    two = hanging().with_nodes(stone=(5.0, 0.0, 0.0))
    with pytest.raises(ModelError, match='the part of the structure with node "stone" is not held along z'):
        balance(two, loads={"stone": (0.0, 0.0, -1.0)})
    assert balance(two, gravity=9.81).ok, "what has no weight does not fall"


def test_a_guide_across_the_push_holds_it() -> None:
    floor = taut.generators.prism(3).with_constraints(*(on_plane(f"f{i}", f"bottom{i}", (0, 0, 1)) for i in (1, 2, 3)))
    assert balance(floor, gravity=9.81).ok
    with pytest.raises(ModelError, match="is not held along x"):
        balance(floor, gravity=(1.0, 0.0, 0.0))


def test_no_convergence_is_a_sentence() -> None:
    found = balance(taut.generators.prism(3, twist=0.2).supported("bottom*"), gravity=9.81, iterations=1)
    assert not found.ok
    assert "not balanced after 1 iterations" in found.status
    assert 'N is left at node "' in found.status


def test_bad_options_are_named() -> None:
    with pytest.raises(OptionError, match='bars = "soft" is not one of rigid, compressible'):
        balance(hanging(), bars="soft")
    with pytest.raises(OptionError, match='solver = "magic" is not one of direct, iterative'):
        balance(hanging(), solver="magic")
    with pytest.raises(OptionError, match="tolerance = 2"):
        balance(hanging(), tolerance=2)
    with pytest.raises(ModelError, match='loads.laod: no node "laod"; did you mean "load"'):
        balance(hanging(), loads={"laod": (1, 0, 0)})
    bare = Structure({"a": (0, 0, 0), "b": (1, 0, 0)}, bars=[Bar("s", ("a", "b"), mass=1.0)], supports={"a": "xyz"})
    with pytest.raises(ModelError, match="bars.s.material: E A is not known, which a compressible bar needs"):
        balance(bare, bars="compressible")


def test_stiff_prestressed_members_balance_in_a_few_iterations() -> None:
    """Their energy is small against tension times length, whose round-off must not stop the search."""
    steel = taut.Material("steel", density=7800.0, youngs_modulus=2e11)
    for radius in (3e-3, 2e-2):
        prism = taut.generators.prism(4).changed("bar:*", material=steel, radius=radius, mass=None)
        prism = prism.changed(
            "cable:*", material=steel, radius=radius / 3.0, stiffness=None, rest_length=None, mass=None
        )
        tight = taut.prestress(prism, minimum=1000.0)
        found = taut.balance(tight.structure, bars="compressible")
        assert found.ok, found.status
        assert found.iterations <= 20


def test_forces_of_constraints_are_those_of_rows_of_unit_length() -> None:
    nodes = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)}
    structure = taut.Structure(
        nodes,
        [taut.Bar("arm", ("a", "b"), mass=1.0)],
        supports={"a": "xyz", "b": "y"},
        constraints=[taut.on_plane("floor", "b", (0.0, 0.0, 2.0))],
    )
    load = {"b": (5.0, 0.0, -10.0)}
    for found in (taut.balance(structure, loads=load), taut.prestress(structure, loads=load)):
        np.testing.assert_allclose(found.constraint_force, [10.0], rtol=1e-9)
