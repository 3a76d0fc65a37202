"""Linear models with compressible bars and with supports that move, against closed forms and against modes."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from by_differences import change

import taut
from taut import Bar, Cable, Constant, Damping, Material, Motion, OptionError, Structure, assemble, linearise
from taut.mechanics.assemble import assembled_as_printed

EXAMPLES = Path(__file__).parents[2] / "examples"
PVC = Material("pvc", density=1300.0, youngs_modulus=3e8, poisson_ratio=0.38)
FOAM = Material("foam", youngs_modulus=1e4, poisson_ratio=0.3)


def strut() -> Structure:
    """A mass of 2 kg on a line, pushed by a bar of foam from the left and pulled by a cable from there too.

    A rigid bar that stands apart comes first, so that rows of tables and places in the structure differ.
    """
    return Structure(
        {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0), "c": (0.0, 1.0, 0.0), "d": (0.0, 2.0, 0.0)},
        [
            Bar("apart", ("c", "d"), mass=1.0, inertia="lumped"),
            Bar("post", ("a", "b"), mass=1.2, length=1.25, material=FOAM, radius=0.1, law="compressible", damping=3.0),
        ],
        [Cable("stay", ("a", "b"), rest_length=0.8, stiffness=50.0)],
        point_masses={"b": 1.6},
        supports={"a": "xyz", "b": "yz", "c": "xyz"},
    )


AXIAL = 1e4 * math.pi * 0.1**2  # E A [N]
MASS = 1.6 + 1.2 / 3.0  # a thin bar counts by a third at its free end


def test_a_compressible_bar_is_a_spring_with_a_damper_and_a_rest_length() -> None:
    inputs = ["bar:post.rest_length", "bar:post.force_density", "bar:apart.length_acceleration", "node:b.x"]
    outputs = ["node:b.x", "bar:*.tension", "bar:*.length"]
    model = linearise(assemble(strut(), damping=Damping(stiffness=0.01)), inputs=inputs, outputs=outputs)
    stiffness, pull = AXIAL / 1.25, AXIAL * (1.0 / 1.25 - 1.0)
    assert model.outputs[1:] == ("bar:apart.tension", "bar:post.tension", "bar:apart.length", "bar:post.length")
    np.testing.assert_allclose(model.offset, [1.0, 0.0, pull, 1.0, 1.0], atol=1e-12)
    # The modes: of "apart" in x and z, without stiffness, and of the mass.
    swing = int(np.argmax(np.abs(model.C[0])))
    np.testing.assert_allclose(model.A[3 + swing, swing], -(stiffness + 50.0) / MASS)
    np.testing.assert_allclose(model.A[3 + swing, 3 + swing], -(3.0 + 0.01 * (stiffness + 50.0)) / MASS)
    per_metre = -AXIAL / 1.25**2  # t = E A (l / l0 - 1), l = 1
    np.testing.assert_allclose(model.D[2], [per_metre, 1.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(
        model.C[0] @ model.A @ model.B, np.array([-per_metre, -1.0, 0.0, 1.0]) / MASS, atol=1e-12
    )
    np.testing.assert_allclose(model.C[4], model.C[0], atol=1e-15)


def test_held_force_densities_are_those_of_cables_only() -> None:
    plant = assemble(strut())
    model = linearise(plant, inputs=["bar:post.rest_length", "cable:stay.force_density"], held="force_density")
    np.testing.assert_allclose(np.sort(np.diag(-model.A[3:, :3]))[-1], (AXIAL / 1.25 + 50.0 * 0.2) / MASS)
    assert np.abs(model.B[3:, 0]).max() == pytest.approx(AXIAL / 1.25**2 / math.sqrt(MASS))
    with pytest.raises(
        OptionError, match=r'"cable:stay.rest_length" cannot be an input where force densities are held'
    ):
        linearise(plant, inputs="cable:stay.rest_length", held="force_density")


def test_inputs_that_a_bar_does_not_have() -> None:
    plant = assemble(strut())
    with pytest.raises(OptionError, match=r'"bar:post.length_acceleration": the bar is compressible, .* .rest_length'):
        linearise(plant, inputs="bar:*.length_acceleration")
    with pytest.raises(OptionError, match=r'"bar:apart.rest_length": the bar is rigid and keeps its length; take .len'):
        linearise(plant, inputs="bar:*.rest_length")
    with pytest.raises(OptionError, match=r'bar "post" is pressed to less than 5% of its length without force'):
        linearise(plant, positions={"b": (0.01, 0.0, 0.0)})


def pulled_up(law: str) -> Structure:
    """A bob of 3 kg in all below a hook."""
    return Structure(
        {"hook": (0.0, 0.0, 0.0), "bob": (0.0, 0.0, -2.0)},
        [Bar("rod", ("hook", "bob"), mass=2.0, inertia="lumped", law=law, stiffness=500.0, length=2.0)],
        point_masses={"bob": 2.0},
        supports={"hook": "xyz"},
    )


@pytest.mark.parametrize("time", [0.0, 1.5])
def test_a_pendulum_in_a_lift_weighs_more(time: float) -> None:
    # The hook goes up by a t^2 / 2: to the bob that is gravity g + a. A rigid rod keeps 2 m, a soft one is stretched.
    g, a = 9.81, 3.0
    lift = Motion("hook", "z", acceleration=Constant(a))
    for law in ("rigid", "compressible"):
        length = 2.0 + (3.0 * (g + a) / 500.0 if law == "compressible" else 0.0)
        model = linearise(
            assemble(pulled_up(law), gravity=g, motions=[lift]),
            inputs="node:bob.x",
            outputs=["bar:rod", "bar:rod.length"],
            positions={"bob": (0.0, 0.0, 0.5 * a * time**2 - length)},
            velocities={"bob": (0.0, 0.0, a * time)},
            time=time,
        )
        wanted = [math.sqrt((g + a) / length)] * 4 + [math.sqrt(500.0 / 3.0)] * (2 if law == "compressible" else 0)
        np.testing.assert_allclose(np.sort(np.abs(model.poles)), np.sort(wanted), rtol=1e-9)
        np.testing.assert_allclose(model.offset, [3.0 * (g + a), length], rtol=1e-12)
        assert model.notes[0].startswith('supports move (node "hook"): the model is that of the instant t = ')
        if law == "compressible":  # drift: the bob goes up with the lift, z = sqrt(m) times its place
            np.testing.assert_allclose(
                np.sort(np.abs(model.drift))[-2:], np.sort(math.sqrt(3.0) * a * np.array([time, 1.0])), atol=1e-9
            )


def test_bars_as_the_paper_prints_them_have_the_linear_model_of_their_own_equations() -> None:
    soft = Material("soft", density=960.0, youngs_modulus=1e6, poisson_ratio=0.46)
    tbar = taut.generators.tbar().changed("bar:*", material=soft, radius=0.4, mass=500.0, inertia="cylinder")

    def plant(length: float) -> taut.Plant:
        speeds = {"n3": (1.0, 0.0, 0.5), "n4": (-0.3, 0.0, 0.8)}
        made = tbar.changed("bar:b1", length=length)
        return assembled_as_printed(made, velocities=speeds, damping=Damping(mass=0.3))

    def rate(state: np.ndarray, length: float = 5.0) -> np.ndarray:
        out, moved = np.zeros(state.size), plant(length)
        moved.operations()["rate"](moved.pack, 0.0, state, out)
        return model.reading @ out[:-1]

    model = linearise(plant(5.0), inputs="bar:b1.rest_length")
    y, biggest = np.append(model.about, 0.0), np.abs(model.A).max()
    free = plant(5.0).tables["nodes"].free
    for at in (*free, *(y.size // 2 + free)):
        way = np.eye(y.size - 1)[at]
        np.testing.assert_allclose(model.A @ model.reading @ way, change(rate, y, way), rtol=0.0, atol=1e-9 * biggest)
    longer, shorter = (rate(y, 5.0 + step) for step in (1e-5, -1e-5))
    np.testing.assert_allclose(model.B[:, 0], (longer - shorter) / 2e-5, rtol=1e-6, atol=1e-6)


# --- another road: modes of statics have their own stiffness, their own mass matrix and their own eigensolver


def tower(kind: str, *, free: bool) -> Structure:
    made = taut.generators.tower(2, radius=0.5, height=1.0)
    made = (made if free else made.supported("bottom*")).changed("bar:*", material=PVC, radius=0.02, mass=None)
    for k, name in enumerate(made.bars):
        soft = kind == "compressible" or (kind == "mixed" and k % 2 == 0)
        inertia = "thin" if k % 3 == 2 else "cylinder"
        made = made.changed(f"bar:{name}", law="compressible" if soft else "rigid", inertia=inertia)
    return made


def check_modes(balance: taut.Equilibrium) -> None:
    model = linearise(balance)
    modes = taut.modes(balance, count=len(model.states))
    swings = np.sort(np.abs(model.poles.imag))[::2] / (2.0 * math.pi)
    still = len(modes.rigid_motions)
    assert swings.size == modes.frequency.size + still
    np.testing.assert_allclose(swings[still:], modes.frequency, rtol=1e-8)
    assert np.all(swings[:still] < 1e-3 * modes.frequency[0])
    assert model.notes == ()


@pytest.mark.parametrize("kind", ["rigid", "compressible", "mixed"])
@pytest.mark.parametrize("free", [True, False])
def test_undamped_poles_are_the_modes(kind: str, free: bool) -> None:
    tight = taut.prestress(tower(kind, free=free), {"cable:vertical": 200.0})
    check_modes(tight)
    check_modes(taut.balance(tight.structure, gravity=0.0 if free else 9.81))


def test_the_compressible_ball_has_one_set_of_frequencies_and_forces() -> None:
    model = taut.read_model(EXAMPLES / "ball_compressible.yaml")
    gravity = model.scenario.gravity
    standing = taut.balance(model.structure, gravity=gravity)
    check_modes(standing)
    plant = assemble(model.structure, gravity=gravity)
    seen = linearise(plant, outputs=["cable:*.tension", "bar:*.tension"])
    np.testing.assert_allclose(seen.offset, [*standing.cable_tension, *standing.bar_force], rtol=1e-10, atol=1e-8)
    assert seen.notes == ()


def test_parallel_bars_keep_their_own_thickness() -> None:
    """A cylinder and a thin bar between the same nodes: whose input is whose does not depend on their order."""
    steel = Material("steel", density=7850.0, youngs_modulus=2.1e11)
    nodes = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.2, 0.1)}
    thick = Bar("thick", ("a", "b"), material=steel, radius=0.05, inertia="cylinder", law="compressible")
    thin = Bar("thin", ("a", "b"), material=steel, radius=0.01, inertia="thin", law="compressible")
    speeds = {"a": (0.0, 3.0, 0.0), "b": (0.0, -2.0, 4.0)}
    columns = []
    for bars in ([thick, thin], [thin, thick]):
        plant = assemble(Structure(nodes, bars), velocities=speeds)
        model = linearise(plant, inputs=["bar:thick.rest_length", "bar:thin.rest_length"])
        columns.append(model.C @ model.A @ model.B)
    assert np.abs(columns[0]).max() > 1.0
    np.testing.assert_allclose(columns[0], columns[1], rtol=1e-9, atol=1e-9 * np.abs(columns[0]).max())
