"""All kinds of drives at once: the energy balance closes, methods agree; a driven angle, a driven string, a winch."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from taut import (
    Angle,
    Bar,
    Cable,
    CosineRamp,
    Drive,
    ModelError,
    Motion,
    Sinusoid,
    Structure,
    Trajectory,
    Watch,
    assemble,
    simulate,
)

G = 9.81


def machine(damped: float = 1.0) -> Structure:
    """Two struts and an arm on the ground, held by cables of every mode and a spring between two bars."""
    nodes = {
        "base": (0.0, 0.0, 0.0),
        "left": (-1.0, 0.0, 0.0),
        "right": (1.0, 0.1, 0.0),
        "top": (0.1, 0.0, 1.5),
        "tip": (0.9, 0.2, 1.6),
        "hook": (0.6, 0.1, 0.4),
        "head": (0.0, 0.9, 1.0),
        "far": (0.0, 1.0, 0.0),
        "bob": (-0.6, 0.8, 0.8),
        "arm": (0.0, -1.0, 0.6),
        "stand": (0.0, -1.0, 1.2),
    }
    bars = [
        Bar("mast", ("base", "top"), mass=2.0),
        Bar("boom", ("top", "tip"), mass=1.0, law="compressible", stiffness=3000.0, damping=2.0 * damped),
        Bar("jack", ("far", "head"), mass=1.0, law="pneumatic", force=30.0),
        Bar("lever", ("stand", "arm"), mass=1.5),
    ]
    cables = [
        Cable("stay", ("left", "top"), stiffness=800.0, rest_length=1.75, damping=damped),
        Cable("over", ("base", "tip", "hook", "right"), stiffness=500.0, rest_length=2.7),
        Cable("pull", ("right", "top", "far"), mode="tension", command=15.0),
        Cable("draw", ("head", "left"), mode="force_density", command=8.0),
        Cable("string", ("top", "bob", "far"), mode="length"),
        Cable("guy", ("head", "right"), stiffness=300.0, rest_length=1.55),
        Cable("limp", ("hook", "far"), stiffness=200.0, rest_length=1.05),
    ]
    angle = Angle("elbow", ("stand", "down"), ("stand", "arm"), about=("stand", "side"))
    wrist = Angle(
        "wrist", "bar:mast", "bar:boom", value=1.2, mode="free", stiffness=12.0, damping=0.4 * damped, torque=2.0
    )
    nodes |= {"down": (0.0, -1.0, 0.2), "side": (1.0, -1.0, 1.2)}
    held = dict.fromkeys(("base", "left", "right", "far", "stand", "down", "side"), "xyz")
    masses = {"tip": 1.0, "hook": 0.8, "head": 1.2, "bob": 0.9}
    return Structure(nodes, bars, cables, held, masses, angles=[angle, wrist])


DRIVES = (
    Drive("winch", "cable:stay", "rest_length", by=CosineRamp(0.0, -0.08, 0.02, 0.2)),
    Drive("line", "cable:over", "rest_length", by=Sinusoid(0.06, 3.0)),
    Drive("motor", "cable:pull", "tension", by=Sinusoid(10.0, 4.0)),
    Drive("muscle", "cable:draw", "force_density", to=CosineRamp(8.0, 14.0, 0.05, 0.25)),
    Drive("spool", "cable:string", "length", by=CosineRamp(0.0, -0.1, 0.0, 0.3)),
    Drive("telescope", "bar:mast", "length", by=CosineRamp(0.0, 0.12, 0.0, 0.3)),
    Drive("screw", "bar:boom", "rest_length", by=Sinusoid(0.02, 2.0)),
    Drive("air", "bar:jack", "force", by=Sinusoid(12.0, 5.0)),
    Drive("servo", "angle:elbow", "angle", by=CosineRamp(0.0, 0.7, 0.0, 0.3)),
    Drive("gear", "angle:wrist", "torque", by=Sinusoid(5.0, 4.0)),
)


def balance_of(run: Trajectory) -> np.ndarray:
    return np.asarray(run.energy_kinetic + run.energy_elastic + run.energy_gravity - run.work)


@pytest.mark.slow
def test_the_balance_closes_with_all_drives_at_once() -> None:
    """To 1e-9 J of some tens, with cables that slacken; every drive does work, and its power is what it says."""
    plant = assemble(machine(), gravity=G, drives=DRIVES)
    run = simulate(plant, 0.3, every=0.002, method="dp8", tolerance=1e-12, verify=False)
    assert run.finished, run.status
    assert any(event.change == "slack" for event in run.events)
    assert np.ptp(balance_of(run)) < 1e-9
    assert np.all(np.abs(run.drive_power).max(axis=0) > 1e-2)
    fine = simulate(plant, 0.3, every=0.0005, method="dp8", tolerance=1e-12, verify=False)
    driven = np.trapezoid(fine.drive_power.sum(axis=1), fine.time)
    lost = fine.work[-1] - driven  # dampers, and tensions that are commanded without being driven: none
    assert lost < 0.0, "dampers take"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dp5", "rk4", "implicit4"])
@pytest.mark.parametrize("correction", ["constraints", "energy"])
def test_methods_and_corrections_agree(method: str, correction: str) -> None:
    plant = assemble(machine(), gravity=G, drives=DRIVES)
    wanted = simulate(plant, 0.2, every=0.05, method="dp8", tolerance=1e-12, verify=False)
    options = {"dp5": {"tolerance": 1e-10}, "implicit4": {"tolerance": 1e-9}}.get(method, {"step": 1e-4})
    run = simulate(plant, 0.2, every=0.05, method=method, correction=correction, verify=False, **options)
    assert run.finished, run.status
    assert np.abs(run.nodes - wanted.nodes).max() < {"implicit4": 1e-5}.get(method, 1e-7)
    if correction == "energy":
        assert np.ptp(balance_of(run)) < 1e-8


@pytest.mark.slow  # three minutes of compiling
def test_rattle_drives_what_does_not_damp() -> None:
    plant = assemble(machine(damped=0.0), gravity=G, drives=DRIVES)
    wanted = simulate(plant, 0.2, every=0.05, method="dp8", tolerance=1e-12, verify=False)
    run = simulate(plant, 0.2, every=0.05, method="rattle4", step=2e-4, verify=False)
    assert run.finished, run.status
    assert np.abs(run.nodes - wanted.nodes).max() < 1e-6
    assert np.ptp(balance_of(run)) < 1e-5


@pytest.mark.slow
def test_a_driven_angle_needs_the_torque_of_a_pendulum() -> None:
    """A rod turned about its end by theta(t): I theta'' + m g l / 2 sin theta, to 1e-9, and a height passed in time."""
    mass, length = 1.5, 0.8
    nodes = {"o": (0.0, 0.0, 0.0), "p": (0.0, 0.0, -length), "down": (0.0, 0.0, -1.0), "side": (0.0, -1.0, 0.0)}
    angle = Angle("shaft", ("o", "down"), ("o", "p"), about=("o", "side"))
    arm = Structure(
        nodes,
        [Bar("rod", ("o", "p"), mass=mass)],
        supports={"o": "xyz", "down": "xyz", "side": "xyz"},
        angles=[angle],
    ).supported("p", "y")
    turned = Drive("servo", "angle:shaft", "angle", by=Sinusoid(0.9, 1.3))
    lifted = Watch.at_plane("lifted", "p", "z", -length * math.cos(0.5), sense="rising")
    plant = assemble(arm, gravity=G, drives=[turned], events=[lifted])
    run = simulate(plant, 1.0, every=0.05, method="dp8", tolerance=1e-12)
    assert run.ok, run.status
    w = 2.0 * math.pi * 1.3
    first = math.asin(0.5 / 0.9) / w
    assert [event.time for event in run.events] == pytest.approx([first + k * math.pi / w for k in range(3)], abs=1e-9)
    theta = 0.9 * np.sin(w * run.time)
    found = np.arctan2(run.nodes[:, 1, 0], -run.nodes[:, 1, 2])
    assert np.abs(np.abs(found) - np.abs(theta)).max() < 1e-9
    torque = -mass * length**2 / 3.0 * w * w * theta + mass * G * 0.5 * length * np.sin(theta)
    assert np.abs(run.drive_force[:, 0] - torque).max() < 1e-9 * np.abs(torque).max()
    assert run.drive_power[:, 0] == pytest.approx(torque * 0.9 * w * np.cos(w * run.time), abs=1e-7)
    assert np.ptp(balance_of(run)) < 1e-9


@pytest.mark.slow  # quick: a string among all drives above, and a driven strut in test_drives.py
def test_a_string_that_is_wound_in_is_the_pendulum_of_changing_length() -> None:
    """theta'' = -(2 l' theta' + g sin theta) / l, to 1e-10; the work is that of its tension."""
    nodes = {"o": (0.0, 0.0, 0.0), "p": (math.sin(0.6), 0.0, -math.cos(0.6))}
    string = Cable("w", ("o", "p"), mode="length")
    swing = Structure(nodes, cables=[string], supports={"o": "xyz"}, point_masses={"p": 1.3})
    wound = Drive("winch", "cable:w", "length", by=CosineRamp(0.0, -0.4, 0.1, 1.1), drum_radius=0.05)
    run = simulate(assemble(swing, gravity=G, drives=[wound]), 1.5, every=0.1, method="dp8", tolerance=1e-12)
    assert run.ok, run.status

    def length(t: float) -> tuple[float, float]:
        s = min(max(t - 0.1, 0.0), 1.0)
        return 1.0 - 0.4 * math.sin(0.5 * math.pi * s) ** 2, (
            -0.2 * math.pi * math.sin(math.pi * s) if 0 < s < 1 else 0.0
        )

    def swung(t: float, x: np.ndarray) -> tuple[float, float]:
        long, rate = length(t)
        return x[1], -(2.0 * rate * x[1] + G * math.sin(x[0])) / long

    angle, times = [0.6], [0.0, 0.1, 1.1, 1.5]
    state = np.array([0.6, 0.0])
    for begin, end in pairwise(times):
        at = run.time[(run.time > begin + 1e-9) & (run.time <= end + 1e-9)]
        found = solve_ivp(swung, (begin, max(end, at[-1])), state, "DOP853", at, rtol=1e-13, atol=1e-14)
        angle += found.y[0].tolist()
        state = found.y[:, -1]
    places = np.array(
        [(length(t)[0] * math.sin(a), -length(t)[0] * math.cos(a)) for t, a in zip(run.time, angle, strict=True)]
    )
    assert np.abs(run.nodes[:, 1, [0, 2]] - places).max() < 1e-10
    assert np.ptp(balance_of(run)) < 1e-10
    assert run.work[-1] > 1.0


@pytest.mark.slow  # quick: a string among all drives above
def test_the_tension_of_a_string_that_is_let_out_is_what_its_end_is_held_with() -> None:
    """Whether it is taut is asked of its length at each sample, not of that at the last one."""
    nodes = {"o": (0.0, 0.0, 0.0), "p": (math.sin(0.6), 0.0, -math.cos(0.6))}
    swing = Structure(
        nodes, cables=[Cable("w", ("o", "p"), mode="length")], supports={"o": "xyz"}, point_masses={"p": 1.3}
    )
    winch = Drive("winch", "cable:w", "length", by=CosineRamp(0.0, 0.4, 0.1, 1.1))
    run = simulate(assemble(swing, gravity=G, drives=[winch]), 1.5, every=0.1, verify=False)
    assert run.cable_tension.min() > 5.0
    assert run.cable_tension[:, 0] == pytest.approx(np.linalg.norm(run.reaction[:, 0], axis=1), rel=1e-9)


@pytest.mark.slow
def test_moved_supports_go_with_drives() -> None:
    plant = assemble(
        machine(), gravity=G, drives=DRIVES, motions=[Motion("left", "x", displacement=Sinusoid(0.02, 2.0))]
    )
    run = simulate(plant, 0.2, every=0.02, method="dp8", tolerance=1e-12, verify=False)
    assert run.finished
    assert np.ptp(balance_of(run)) < 1e-9


@pytest.mark.parametrize(
    ("drive", "told"),
    [
        (
            Drive("d", "cable:pull", "rest_length", by=0.1),
            'cable "pull" has no rest_length to drive: its mode',
        ),
        (Drive("d", "cable:pull", "tension", to=-5.0), "-5"),
        (
            Drive("d", "bar:jack", "length", by=0.1),
            "its law is pneumatic; drive its force",
        ),
        (
            Drive("d", "angle:elbow", "length", by=0.1),
            'angle "elbow" has no length to drive: its mode is held; drive its angle',
        ),
        (Drive("d", "angle:elbow", "angle", by=Sinusoid(0.1, 1.0), drum_radius=0.1), "angle winds nothing"),
        (Drive("d", "angle:knee", "angle", by=0.1), "knee"),
        (
            Drive("d", "angle:wrist", "angle", by=0.1),
            'angle "wrist" has no angle to drive: its mode is free; drive its',
        ),
        (Drive("d", "angle:elbow", "torque", by=0.1), 'angle "elbow" has no torque to drive: its mode is held'),
        (Drive("d", "angle:wrist", "torque", by=0.1, force_limit=-3.0), "-3 N m must be more than zero"),
    ],
)
def test_what_cannot_be_driven_is_told(drive: Drive, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        assemble(machine(), drives=[drive])
