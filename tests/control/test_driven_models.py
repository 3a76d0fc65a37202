"""Drives as inputs of linear models, and what is designed on rest lengths run on the plant."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

from taut import (
    Bar,
    Cable,
    CosineRamp,
    Damping,
    Drive,
    Feedback,
    Material,
    OptionError,
    SignalSum,
    Sinusoid,
    Structure,
    assemble,
    linearise,
    simulate,
)
from taut.control import lqr

ROPE = Material("rope", youngs_modulus=1e6)


def mast(drives: list[Drive] | tuple[Drive, ...] = (), *, even: bool = False, **options: Any) -> Any:
    """An inverted pendulum between two stays, without gravity; the right stay is of a material, and softer.

    even: whether it balances, since the left one is of it too.
    """
    structure = Structure(
        {"foot": (0.0, 0.0, 0.0), "top": (0.0, 0.0, 1.0), "left": (-1.0, 0.0, 0.0), "right": (1.0, 0.0, 0.0)},
        bars=[Bar("mast", ("foot", "top"), mass=1.0)],
        cables=[
            Cable("l", ("left", "top"), stiffness=None if even else 300.0, material=ROPE, radius=0.01, rest_length=1.3),
            Cable("r", ("right", "top"), material=ROPE, radius=0.01, rest_length=1.3),
        ],
        supports={"foot": "xyz", "left": "xyz", "right": "xyz", "top": "y"},
        point_masses={"top": 2.0},
    )
    return assemble(structure, drives=drives, **options)


@pytest.mark.slow
def test_a_drive_is_an_input_by_its_name() -> None:
    drives = [
        Drive("winch", "cable:r", "rest_length", by=0.0),
        Drive("lift", "bar:mast", "length", by=0.0),
    ]
    plant = mast(drives)
    named = linearise(plant, inputs=["drive:winch", "drive:lift"], outputs=["cable:l.tension", "bar:mast.tension"])
    meant = linearise(
        plant,
        inputs=["cable:r.rest_length", "bar:mast.length_acceleration"],
        outputs=["cable:l.tension", "bar:mast.tension"],
    )
    assert named.inputs == meant.inputs == ("cable:r.rest_length", "bar:mast.length_acceleration")
    assert np.array_equal(named.B, meant.B)
    plain = linearise(mast(), inputs=list(meant.inputs), outputs=list(meant.outputs))
    assert np.allclose(plain.poles, named.poles, rtol=1e-12)
    with pytest.raises(OptionError, match=r'"drive:winsh": the plant has no such drive; did you mean "winch"'):
        linearise(plant, inputs=["drive:winsh"])


def test_a_damper_that_grows_with_a_stiffness_sees_how_fast_its_rope_is_wound() -> None:
    """T = (E A / r) ((l - r) + beta (l' - r')), by hand and by runs whose rest length is off; the force is -T."""
    rope, rigidity, beta = 0.8, 1e6 * np.pi * 0.01**2, 0.05
    structure = Structure(
        {"s": (0.0, 0.0, 0.0), "m": (1.0, 0.0, 0.0)},
        cables=[Cable("k", ("s", "m"), material=ROPE, radius=0.01, rest_length=rope)],
        supports={"s": "xyz", "m": "yz"},
        point_masses={"m": 1.0},
    )

    def wound(by: Any) -> Any:
        return assemble(
            structure, drives=[Drive("w", "cable:k", "rest_length", by=by)], damping=Damping(stiffness=beta)
        )

    model = linearise(wound(Sinusoid(0.1, 1.0)), inputs="cable:k.rest_length", outputs="cable:k.tension")
    winding = 0.1 * 2.0 * np.pi
    expected = -rigidity / rope - rigidity / rope**2 * ((1.0 - rope) - beta * winding)
    assert model.D[0, 0] == pytest.approx(expected, rel=1e-12)
    assert model.B[1, 0] == pytest.approx(-expected, rel=1e-12)

    def tension(off: float) -> float:
        run = simulate(wound(SignalSum((Sinusoid(0.1, 1.0), off))), 1e-3, every=1e-3, verify=False)
        return float(run.cable_tension[0, 0])

    assert model.D[0, 0] == pytest.approx((tension(1e-4) - tension(-1e-4)) / 2e-4, rel=1e-6)


def test_a_linear_model_at_a_time_knows_what_is_driven_then() -> None:
    """At 1 s the right rope is wound to 1.2 m: the same model as of a mast whose rope is that long."""
    wound = mast([Drive("winch", "cable:r", "rest_length", to=CosineRamp(1.3, 1.2, 0.0, 1.0))])
    at_once = mast([Drive("winch", "cable:r", "rest_length", to=1.2)])
    inputs, outputs = ["cable:r.rest_length"], ["node:top.x"]
    later, short = (
        linearise(wound, time=1.0, inputs=inputs, outputs=outputs),
        linearise(at_once, inputs=inputs, outputs=outputs),
    )
    assert np.allclose(later.A, short.A, rtol=1e-12)
    assert np.allclose(later.B, short.B, rtol=1e-12)
    assert not np.allclose(later.B, linearise(wound, inputs=inputs, outputs=outputs).B, rtol=1e-3)
    assert any("drives run (winch)" in note for note in later.notes)
    assert not any("drives run" in note for note in short.notes), "it stands"


def test_what_keeps_a_driven_length_has_the_one_of_that_time() -> None:
    """A pole that grows while it turns pulls the weight at its end with m (l w^2 - l'')."""
    pole = Structure(
        {"foot": (0.0, 0.0, 0.0), "top": (0.0, 0.0, 1.0)},
        bars=[Bar("pole", ("foot", "top"), mass=1.0, inertia="lumped")],
        supports={"foot": "xyz", "top": "y"},
        point_masses={"top": 2.0},
    )
    plant = assemble(pole, drives=[Drive("lift", "bar:pole", "length", to=CosineRamp(1.0, 1.5, 0.0, 1.0))])
    time, turn = 0.3, 0.4
    angle = np.pi * time
    length, rate, second = 1.25 - 0.25 * np.cos(angle), 0.25 * np.pi * np.sin(angle), 0.25 * np.pi**2 * np.cos(angle)
    there = {"positions": {"top": (0.0, 0.0, length)}, "velocities": {"top": (turn * length, 0.0, rate)}}
    model = linearise(plant, time=time, outputs=["node:top", "node:top.velocity", "bar:pole.tension"], **there)
    wanted = [0.0, length, turn * length, rate, 2.5 * (length * turn**2 - second)]
    assert model.offset == pytest.approx(wanted, abs=1e-12)


@pytest.mark.slow
def test_what_lqr_designs_on_rest_lengths_runs_as_drives() -> None:
    """The closed loop of the plant decays as the linear one says, for a small push; the regulator's rest lengths are
    those of u = -gain x."""
    push = np.array([1e-4, 0.0, 0.0])
    plant = mast(even=True)
    model = linearise(plant, inputs=["cable:l.rest_length", "cable:r.rest_length"], outputs=["node:top.x"])
    regulator = lqr(model, 50.0, 1e4)
    closed = mast(regulator.drives(), even=True, velocities={"top": (1e-4, 0.0, 0.0)})
    run = simulate(closed, 1.0, every=0.05, method="dp5", tolerance=1e-10, verify=False)
    assert run.finished, run.status
    pushed = np.zeros((2, 4, 3))
    pushed[1, 1] = push
    x = model.reading @ pushed.ravel()
    motion = np.array([expm((model.A - model.B @ regulator.gain) * t) @ x for t in run.time])
    expected = motion @ model.C.T
    found = run.node("top")[:, 0]
    assert np.abs(found - expected[:, 0]).max() <= 1e-3 * np.abs(expected).max()
    assert np.abs(found[-1]) < 0.1 * np.abs(found).max()
    assert np.allclose(run.drive_value[5, 0] - 1.3, regulator.inputs_at(run.nodes[5], run.velocities[5])[0], atol=1e-12)
    assert np.abs(run.energy_violation).max() <= 1e-9


@pytest.mark.slow
def test_what_cannot_be_linearised_or_driven_says_so() -> None:
    law = Feedback(lambda t, nodes, velocities: 0.0)
    with pytest.raises(OptionError, match=r'the drive "d" answers to the motion; linearise the plant without it'):
        linearise(mast([Drive("d", "cable:l", "rest_length", by=law)]))
    regulator = lqr(linearise(mast(), inputs=["node:top.x"], outputs=["node:top.x"]))
    with pytest.raises(OptionError, match=r'"node:top.force.x" is not a rest length, and only those can act as drives'):
        regulator.drives()
