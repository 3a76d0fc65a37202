"""Natural modes: strings, the dense eigenproblem, the dynamics' own small motion, rigid motions, buckling."""

from __future__ import annotations

import math
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh, null_space

import taut
import taut.statics.vibrations as modes_module
from taut.errors import ModelError, OptionError
from taut.mechanics.inertia.masses import mass_matrix
from taut.statics.balancing import balance
from taut.statics.equilibrium import Equilibrium
from taut.statics.linearised import linearised
from taut.statics.vibrations import modes
from taut.structure.records import Bar, Cable, Material
from taut.structure.structure import Structure


def string(pieces: int) -> Structure:
    """2 m long, 0.3 kg, pulled with 60 N."""
    rope = Cable("rope", ("a", "b"), rest_length=2.0 - 60.0 / 5e4, stiffness=5e4, mass=0.3, segments=pieces)
    return Structure({"a": (0, 0, 0), "b": (2, 0, 0)}, cables=[rope], supports={"a": "xyz", "b": "xyz"})


def test_a_string_has_its_frequencies_to_second_order() -> None:
    """n / (2 L) sqrt(T / mu); each comes twice, along y and along z."""
    exact = np.array([n / (2.0 * 2.0) * math.sqrt(60.0 / 0.15) for n in (1, 1, 2, 2, 3, 3)])
    errors = []
    for pieces in (16, 32, 64):
        found = modes(balance(string(pieces)))
        assert found.status == "all modes are stable"
        errors.append(np.abs(found.frequency / exact - 1.0))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.03)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.03)
    assert errors[2][0] < 2e-4


def test_a_string_in_pieces_has_the_frequencies_of_a_string_of_beads() -> None:
    """Lagrange: f_n = (1/pi) sqrt(T / (m a)) sin(n pi / (2 N)), exact for any number of pieces."""
    pieces = 10
    spacing, bead = 0.2, 0.03
    found = modes(balance(string(pieces)), count=4).frequency
    waves = np.sin(np.array([1, 1, 2, 2]) * math.pi / (2.0 * pieces))
    assert found == pytest.approx(math.sqrt(60.0 / (bead * spacing)) / math.pi * waves, rel=1e-9)


def full_problem(equilibrium: Equilibrium, bars: str) -> np.ndarray:
    """Eigenvalues on a null space by singular values: another road than the one taken."""
    tangent = linearised(equilibrium, bars)
    mass = mass_matrix(equilibrium.structure, tangent.problem.free).toarray()
    basis = null_space(tangent.rows.toarray()) if tangent.rows.shape[0] else np.eye(mass.shape[0])
    return np.asarray(eigh(basis.T @ tangent.stiffness @ basis, basis.T @ mass @ basis, eigvals_only=True))


@pytest.mark.parametrize("bars", ["rigid", "compressible"])
@pytest.mark.parametrize("way", ["dense", "sparse"])
@pytest.mark.parametrize("kind", ["class 1", "class 2", "free"])
def test_modes_are_those_of_the_full_eigenproblem(
    bars: str, way: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modes_module, "DENSE", 240 if way == "dense" else 0)
    structure = {
        "class 1": taut.generators.tower(2).supported("bottom*"),
        "class 2": taut.generators.tower(3, class_=2).supported("bottom*"),
        "free": taut.generators.icosahedron(),
    }[kind]
    gravity = 0.0 if kind == "free" else 9.81
    equilibrium = balance(structure, gravity=gravity, bars=bars)
    found = modes(equilibrium, bars=bars)
    values = full_problem(equilibrium, bars)
    values = values[6:12] if kind == "free" else values[:6]
    assert found.eigenvalue == pytest.approx(values, rel=1e-7)
    assert found.residual.max() < 1e-9
    assert len(found.rigid_motions) == (6 if kind == "free" else 0)


def test_shapes_have_unit_modal_mass_and_keep_bars_straight() -> None:
    equilibrium = balance(taut.generators.tower(2, class_=2).supported("bottom*"), gravity=9.81)
    found = modes(equilibrium)
    tangent = linearised(equilibrium)
    free = tangent.problem.free
    vectors = found.shapes.reshape(6, -1)[:, free].T
    gram = vectors.T @ mass_matrix(equilibrium.structure, free) @ vectors
    assert gram == pytest.approx(np.eye(6), abs=1e-8)
    assert np.abs(tangent.rows @ vectors).max() < 1e-10 * np.abs(vectors).max()


def test_a_small_swing_of_the_dynamics_has_the_lowest_frequency() -> None:
    """Let go along the first shape, the run comes back as a cosine."""
    structure = taut.generators.dbar(end_mass=1.0)
    equilibrium = balance(structure)
    found = modes(equilibrium, count=1)
    period = 1.0 / found.frequency[0]
    kick = 1e-6 * found.shapes[0] / np.abs(found.shapes[0]).max()
    speeds = {name: tuple(v) for name, v in zip(structure.nodes, kick, strict=True)}
    plant = taut.assemble(equilibrium.structure, velocities=speeds)
    run = taut.simulate(plant, duration=period, every=period / 8.0, tolerance=1e-12)
    moved = (run.nodes - equilibrium.structure.positions)[:, np.abs(kick) == np.abs(kick).max()][:, 0]
    wave = moved / moved[2]
    assert wave[:9] == pytest.approx(np.sin(2.0 * math.pi * np.arange(9) / 8.0), abs=2e-5)


def test_elastic_bars_have_the_modes_of_rigid_ones_in_the_limit() -> None:
    """The difference falls like one over the stiffness."""
    structure = taut.generators.prism(3).supported("bottom*")
    rigid = modes(balance(structure), count=5).frequency
    gaps = []
    for modulus in (1e12, 1e13, 1e14):
        stiff = structure.changed("bar:*", material=Material("bar", 2700.0, modulus))
        found = modes(balance(stiff, bars="compressible"), count=5, bars="compressible").frequency
        gaps.append(np.abs(found - rigid))
    assert gaps[0] / gaps[1] == pytest.approx(10.0, rel=0.02)
    assert gaps[1] / gaps[2] == pytest.approx(10.0, rel=0.05)


def test_no_more_modes_than_freedoms_are_told() -> None:
    """27 coordinates, 13 of which six bars, a plate, and four held wires take. Beyond fourteen comes round-off."""
    model = taut.read_model(Path(__file__).parents[2] / "examples" / "prismatic.yaml")
    found = modes(balance(model.structure, gravity=9.80665), count=40)
    assert found.frequency.size == 14
    assert found.residual.max() < 1e-6


def test_an_inverted_pendulum_buckles() -> None:
    """A rod on its pin: growth rate sqrt(3 g / (2 l)), the same as hanging but for the sign."""
    rod = Bar("rod", ("pin", "tip"), mass=1.0)
    rate = math.sqrt(3.0 * 9.81 / 2.0) / (2.0 * math.pi)
    for height, sign in ((1.0, -1.0), (-1.0, 1.0)):
        made = Structure({"pin": (0, 0, 0), "tip": (0, 0, height)}, bars=[rod], supports={"pin": "xyz"})
        found = modes(balance(made, gravity=9.81), count=2)
        assert found.frequency == pytest.approx([sign * rate, sign * rate], rel=1e-9)
        assert found.buckling.all() == (sign < 0)
        said = "2 of the modes shown buckle: the equilibrium is unstable" if sign < 0 else "all modes are stable"
        assert found.status == said


def test_partly_held_structures_keep_the_motions_that_are_free() -> None:
    """On a plane without friction a prism slides and turns: three rigid motions."""
    found = modes(balance(taut.generators.prism(3).supported("bottom*", "z")))
    assert len(found.rigid_motions) == 3
    assert found.notes[0] == "3 rigid motions of the whole meet no stiffness"
    whole = modes(balance(taut.generators.icosahedron()))
    assert len(whole.rigid_motions) == 6
    assert whole.frequency.min() > 1.0


def test_a_loaded_free_body_is_not_free_to_turn() -> None:
    """Pulled apart along z, it turns back like a compass needle; it still may spin about z and drift."""
    rod = Bar("rod", ("low", "high"), mass=1.0)
    made = Structure({"low": (0, 0, 0), "high": (0, 0, 1)}, bars=[rod])
    found = modes(balance(made, loads={"low": (0, 0, -5.0), "high": (0, 0, 5.0)}), count=2)
    assert len(found.rigid_motions) == 3, "a thin rod has no turn about its own axis"
    assert found.frequency == pytest.approx([math.sqrt(5.0 / (1.0 / 12.0)) / (2.0 * math.pi)] * 2, rel=1e-6)


def test_the_iterative_solver_finds_the_same_modes() -> None:
    equilibrium = balance(taut.generators.lattice(2, 2, 2).supported("bottom"), gravity=1.0)
    assert modes(equilibrium, solver="iterative").frequency == pytest.approx(modes(equilibrium).frequency, rel=1e-7)


def test_the_iterative_solver_says_what_it_cannot_do() -> None:
    rod = Bar("rod", ("pin", "tip"), mass=1.0)
    made = Structure({"pin": (0, 0, 0), "tip": (0, 0, 1)}, bars=[rod], supports={"pin": "xyz"})
    with pytest.raises(OptionError, match='met a direction of negative stiffness.*say solver="direct"'):
        modes(balance(made, gravity=9.81), count=1, solver="iterative")


def test_bad_questions_are_refused() -> None:
    equilibrium = balance(taut.generators.prism(3).supported("bottom*"))
    with pytest.raises(OptionError, match="count = 0 must be a whole number, 1 or more"):
        modes(equilibrium, count=0)
    with pytest.raises(OptionError, match='bars = "soft" is not one of'):
        modes(equilibrium, bars="soft")
    unfinished = balance(taut.generators.prism(3, twist=0.1).supported("bottom*"), gravity=9.81, iterations=1)
    with pytest.raises(OptionError, match="the equilibrium is not one .not balanced after 1 iterations"):
        modes(unfinished)
    weightless = taut.generators.prism(3).supported("bottom*").changed("bar:*", material=None)
    with pytest.raises(ModelError, match="bars.strut1.mass: is not known, and modes need it"):
        modes(balance(weightless))


def test_what_meets_no_stiffness_has_modes_of_zero_and_what_cannot_move_has_none() -> None:
    pinned = taut.Structure(
        {"a": (0, 0, 0), "b": (1, 0, 0)}, [taut.Bar("arm", ("a", "b"), mass=1.0)], supports={"a": "xyz"}
    )
    assert np.abs(taut.modes(taut.balance(pinned)).frequency).max(initial=0.0) <= 1e-6
    nodes = {"a": (0, 0, 0), "b": (2, 0, 0), "c": (1, 0, 1)}
    bars = [taut.Bar(x + y, (x, y), mass=1.0) for x, y in ("ab", "ac", "bc")]
    truss = taut.Structure(nodes, bars, supports={"a": "xyz", "b": "yz", "c": "y"})
    found = taut.modes(taut.balance(truss, gravity=9.81))
    assert found.frequency.size == 0
    assert found.status == "nothing can move but as a whole: there are no modes"


@pytest.mark.parametrize("mass", [1.0, 1e-6, 1e-8])
def test_light_nodes_buckle_as_heavy_ones_do(mass: float) -> None:
    """A pushed node between two springs in line: across it has -2 P / L, however light it is."""
    springs = [Cable(n, (n, "m"), rest_length=1.01, stiffness=1e4, law="spring") for n in ("a", "b")]
    pushed = Structure(
        {"a": (0, 0, 0), "m": (1, 0, 0), "b": (2, 0, 0)},
        cables=springs,
        point_masses={"m": mass},
        supports={"a": "xyz", "b": "xyz"},
    )
    found = modes(balance(pushed))
    assert found.eigenvalue * mass == pytest.approx([-200.0, -200.0, 2e4], rel=1e-9)
    assert found.status.startswith("2 of the modes shown buckle")


def test_parts_that_nothing_joins_have_rigid_motions_each() -> None:
    """Two prisms side by side: twelve motions meet no stiffness, and every mode of one comes twice."""
    prism = taut.generators.prism()
    both = prism.joined(prism.moved(translation=(5.0, 0.0, 0.0)), "x.")
    found, alone = modes(balance(both), 8), modes(balance(prism), 4)
    assert found.rigid_motions.shape[0] == 12
    assert found.notes == ("12 rigid motions of parts meet no stiffness",)
    assert found.frequency == pytest.approx(np.repeat(alone.frequency, 2), rel=1e-7)
    unused = modes(balance(prism.with_nodes(wall=(3.0, 0.0, 0.0)).supported("wall")), 4)
    assert unused.frequency == pytest.approx(alone.frequency, rel=1e-9)
    assert unused.notes == ("6 rigid motions of the whole meet no stiffness",), "what is held moves as no part"
    held = prism.supported("bottom*").joined(prism.moved(translation=(5.0, 0.0, 0.0)), "x.")
    with pytest.raises(ModelError, match="can move without any stiffness"):
        taut.statics.compliance(balance(held), "top1")


def test_free_motions_of_many_parts_take_no_more_than_the_parts_do() -> None:
    """200 masses on cables, a free prism beside them: six motions of every part in one matrix would be 12 MB."""
    count = 200
    tops, masses = ({f"{kind}{k}": (k, 9, z) for k in range(count)} for kind, z in (("wall", 1), ("m", 0)))
    cables = [Cable(f"c{k}", (f"wall{k}", f"m{k}"), rest_length=0.999, stiffness=1e4) for k in range(count)]
    pulled = taut.generators.prism().with_nodes(**tops, **masses).with_cables(*cables).supported("wall*")
    loads = dict.fromkeys(masses, (0.0, 0.0, -10.0))
    tangent = linearised(balance(pulled, loads=loads))
    assert tangent.stiffness.shape == (3 * count + 18,) * 2
    tracemalloc.start()
    motions = tangent.free_motions
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert motions.shape[1] == 6
    assert np.abs(tangent.stiffness @ motions).max() < 1e-9 * tangent.stiffness.diagonal().max()
    assert peak < 3e6
