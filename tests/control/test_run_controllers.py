"""Designed laws as controllers: names, timing and offsets; PD in runs against closed loops; what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from taut import (
    Angle,
    Bar,
    Cable,
    Command,
    Damping,
    Drive,
    Load,
    OptionError,
    Sensor,
    SignalSum,
    Sinusoid,
    Structure,
    Trajectory,
    assemble,
    linearise,
    simulate,
)
from taut.control import Compensator, LinearLaw, closed_loop, lqr, pd, sampled

WINCHES = ["cable:left.rest_length", "cable:right.rest_length"]
RATE = 100.0


def rig(push: float = 0.0, *, to: bool = False, damping: float = 1.0) -> dict[str, Any]:
    """A mast with a weight on top, between two winches, leaning a little; pushed by a constant force."""
    structure = Structure(
        {"foot": (0, 0, 0), "top": (0.1, 0, 1), "left": (-1, 0, 0), "right": (1.2, 0, 0)},
        [Bar("mast", ("foot", "top"), mass=1.0)],
        [Cable(n, (n, "top"), rest_length=1.3, stiffness=300.0, damping=damping) for n in ("left", "right")],
        supports={"foot": "xyz", "left": "xyz", "right": "xyz", "top": "y"},
        point_masses={"top": 2.0},
    )
    # The force that keeps it where it is.
    model = linearise(assemble(structure, gravity=9.81), inputs="node:top.x")
    still = -model.drift[1] / model.B[1, 0]
    start = [Command(1.3) if to else Command() for _ in WINCHES]
    key = "to" if to else "by"
    drives = [
        Drive(f"w {n}", f"cable:{n}", "rest_length", **{key: c}) for n, c in zip(("left", "right"), start, strict=True)
    ]
    loads = [Load("top", "x", SignalSum((still - push, Command(push))), name="wind")]
    return {"structure": structure, "gravity": 9.81, "drives": drives, "loads": loads}


MEASURED = [
    *("node:top.position.x", "node:top.velocity.x", "cable:left.tension", "cable:right.length", "bar:mast.tension"),
]


def played(compensator: Compensator, setup: dict[str, Any], speed: float, **options: Any) -> Trajectory:
    controller = compensator.controller("pd", assemble(**setup), **options)
    plant = assemble(**setup, velocities={"top": (speed, 0.0, 0.0)}, controllers=[controller])
    return simulate(plant, 1.0, every=1.0 / RATE, tolerance=1e-12, verify=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measured", "stiff", "drag"),
    [
        ("node:top.position.x", 0.4, 0.05),
        ("node:top.velocity.x", 0.1, 0.0),
        ("cable:left.tension", 1e-3, 1e-5),
        ("cable:right.length", -0.5, -0.03),
    ],
)
@pytest.mark.parametrize(("hold", "delay"), [("zero", 0.01), ("first", 0.004)])
def test_pd_on_anything_measured_does_what_the_closed_loop_predicts(
    measured: str, stiff: float, drag: float, hold: str, delay: float
) -> None:
    setup = rig(damping=1.0 if hold == "zero" else 0.0)  # see below
    setup["damping"] = Damping(node=2.0)
    model = linearise(assemble(**setup), inputs=WINCHES, outputs=MEASURED)
    late = sampled(model, RATE, hold=hold, delay=delay)
    offset = model.offset[[model.outputs.index(measured)]]
    gains = (np.array([[gain], [-0.5 * gain]]) for gain in (stiff, drag))
    compensator = pd([measured], WINCHES, *gains, rate=RATE, filter=0.01, measured_offset=offset)
    loop, shown = closed_loop(late, compensator), model.outputs.index("node:top.position.x")
    assert np.abs(loop.equivalent_poles[0] - late.equivalent_poles[0]) > 0.02 * np.abs(loop.equivalent_poles[0])
    gaps = []
    for speed in (0.02, 0.01):
        run = played(compensator, setup, speed, hold=hold, delay=delay)
        state = model.reading @ (np.concatenate([run.nodes[0].ravel(), run.velocities[0].ravel()]) - model.about)
        x = np.concatenate([state, np.zeros(len(loop.states) - state.size)])
        seen = run.node("top")[:, 0] - model.offset[shown]
        wanted = np.zeros(seen.size)
        for k in range(seen.size):
            wanted[k] = loop.C[shown] @ x
            x = loop.A @ x
        gaps.append(np.abs(seen - wanted).max() / np.abs(seen).max())
    assert gaps[1] < 3e-3
    assert gaps[0] / gaps[1] == pytest.approx(2.0, rel=0.1), "what is left is of second order"


def test_commands_are_counted_from_where_they_start() -> None:
    """A drive given as `to` and a load that pushes already: the same motion as with changes from there."""
    runs = []
    for setup in (rig(), rig(push=3.0, to=True)):
        model = linearise(assemble(**setup), inputs=[*WINCHES, "node:top.x"], outputs=MEASURED[:2])
        assert np.abs(model.drift).max() < 1e-9
        compensator = lqr(sampled(model, RATE), 10.0, np.diag([100.0, 100.0, 1e-4])).compensator()
        controller = compensator.controller("hold", assemble(**setup), highest=5.0)
        assert controller.commands == ("drive:w left", "drive:w right", "load:wind")
        assert (controller.highest, controller.rate, controller.delay, controller.hold) == (5.0, RATE, 0.0, "zero")
        runs.append(played(compensator, setup, 0.1))
    law = controller.law
    assert isinstance(law, LinearLaw)
    np.testing.assert_array_equal(law.command_offset, [1.3, 1.3, 3.0])
    np.testing.assert_allclose(runs[0].nodes, runs[1].nodes, rtol=0.0, atol=1e-10)
    assert np.ptp(runs[0].load_force) > 0.1
    assert np.ptp(runs[0].drive_value[:, 0]) > 1e-4


@pytest.mark.slow
def test_a_continuous_regulator_acts_at_every_evaluation_as_its_loads_do() -> None:
    setup = rig()
    model = linearise(assemble(**setup), inputs=["node:top.x"], outputs=MEASURED[:2])
    regulator = lqr(model, 100.0, 0.1)
    controller = regulator.controller("hold", assemble(**setup))
    assert controller.rate is None
    pushed = {**setup, "velocities": {"top": (0.1, 0.0, 0.0)}}
    compiled = simulate(assemble(**pushed, controllers=[controller]), 0.5, every=0.05, tolerance=1e-11, verify=False)
    by_python = assemble(**{**pushed, "loads": [*setup["loads"], *regulator.loads()]})
    called = simulate(by_python, 0.5, every=0.05, tolerance=1e-11, verify=False)
    np.testing.assert_allclose(compiled.nodes, called.nodes, rtol=0.0, atol=1e-10)
    assert np.abs(compiled.nodes[-1] - compiled.nodes[0]).max() < 5e-3


def test_the_plants_own_sensors_measure_where_it_has_them() -> None:
    setup = rig()
    gauges = [Sensor("gauge", "cable:left.tension", noise=0.1), Sensor("spare", "cable:right.tension", noise=0.1)]
    plant = assemble(**setup, sensors=gauges)
    law = pd(["cable:left.tension", "node:top.position.x"], WINCHES[:1], np.array([[1e-3, 0.1]]), rate=RATE)
    controller = law.controller("pd", plant)
    assert controller.measured == ("gauge", "node:top.position.x")
    assert controller.commands == ("drive:w left",)
    two = assemble(**setup, sensors=[*gauges, Sensor("other", "cable:left.tension")])
    with pytest.raises(OptionError, match='"gauge", "other" all measure "cable:left.tension"; say which with sensors='):
        law.controller("pd", two)
    assert law.controller("pd", two, sensors={"cable:left.tension": "other"}).measured[0] == "other"


def lean() -> Sensor:
    return Sensor("lean", Angle("", ("foot", "top"), ("left", "right")))


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"driven": ("cable:lost.rest_length",)}, {}, 'nothing of the plant drives "cable:lost.rest_length"; assemble'),
        ({"driven": ("node:foot.force.x",)}, {}, r'assemble it with a Load\("foot", "x", Command\(\)\)'),
        (
            {"driven": ("bar:mast.length_acceleration",)},
            {},
            "it is a second rate, and drives command the length itself: no Controller can follow this law",
        ),
        (
            {"hold": "zero", "delay": 0.0},
            {"hold": "first"},
            "designed for a hold of \"zero\", and 'first' would be another loop",
        ),
        (
            {"hold": "zero", "delay": 0.01},
            {"delay": 0.02},
            "designed for a delay of 0.01 s, and 0.02 would be another loop; leave it",
        ),
        ({"measured": ("cable:lost.tension",)}, {}, 'no exact sensor measures "cable:lost.tension": "cable:lost"'),
        ({"measured": ("angle:lean.angle",)}, {}, 'no exact sensor measures "angle:lean.angle"'),
        ({"measured": ("node:top.position",)}, {}, 'no exact sensor measures "node:top.position"; assemble the plant'),
        ({}, {"sensors": {"node:top.position.x": "lost"}}, 'no sensor "lost" for "node:top.position.x"'),
        (
            {},
            {"sensors": {"node:top.position.x": "fast"}},
            '"fast" measures "node:top.velocity.x" and not "node:top.po',
        ),
        ({}, {"sensors": {"node:top.position.z": "fast"}}, 'the law does not measure "node:top.position.z"'),
        (
            {"measured": ("cable:left.tension",), "hold": "zero", "delay": 0.01},
            {},
            'the sensor "late" is 0.02 s late, and the law was designed for readings of its own sample',
        ),
        (
            {"measured": ("cable:right.tension",), "hold": "zero", "delay": 0.01},
            {},
            'the sensor "slow" measures at 50 Hz and the law was designed for fresh readings at 100 Hz',
        ),
    ],
)
def test_what_a_plant_cannot_do_is_refused(change: dict[str, Any], options: dict[str, Any], message: str) -> None:
    sensors = [
        Sensor("late", "cable:left.tension", rate=100.0, delay=0.02),
        Sensor("slow", "cable:right.tension", rate=50.0),
        *(Sensor("fast", "node:top.velocity.x"), lean()),
    ]
    law = pd(["node:top.position.x"], ["cable:left.rest_length"], 1.0, rate=RATE)
    plant = assemble(**rig(), sensors=sensors)
    with pytest.raises(OptionError, match=message):
        replace(law, **change).controller("pd", plant, **options)


def test_drives_that_are_not_commanded_one_by_one_are_refused() -> None:
    setup, law = rig(), pd(["node:top.position.x"], ["cable:left.rest_length"], 1.0, rate=RATE)
    together = [Drive("both", "cable:*", "rest_length", by=Command())]
    with pytest.raises(OptionError, match='driven by "both" together with 1 more members, and the law commands each'):
        law.controller("pd", assemble(**{**setup, "drives": together}))
    own = [Drive("wave", "cable:left", "rest_length", by=Sinusoid(0.01, 1.0))]
    with pytest.raises(OptionError, match='"drive:wave", which is "cable:left.rest_length", has a signal of its own'):
        law.controller("pd", assemble(**{**setup, "drives": own}))
    twice = [Load("top", "x", Command(), name=name) for name in "ab"]
    push = replace(law, driven=("node:top.force.x",))
    with pytest.raises(OptionError, match='"load:a" and "load:b" are commanded, and each is "node:top.force.x"'):
        push.controller("pd", assemble(**{**setup, "loads": twice}))


def test_winches_that_ramp_a_damped_cable_are_refused_where_the_model_does_not_know_that() -> None:
    for damping in (1.0, 0.0):
        setup = rig(damping=damping)
        model = linearise(assemble(**setup), inputs=WINCHES, outputs=MEASURED[:2])
        ramped, stepped = (lqr(sampled(model, RATE, hold=hold)).compensator() for hold in ("first", "zero"))
        assert stepped.controller("hold", assemble(**setup)).hold == "zero"
        if not damping:
            assert ramped.controller("hold", assemble(**setup)).hold == "first"
            continue
        with pytest.raises(OptionError, match='"drive:w left" winds the cable "left", whose damping feels how fast'):
            ramped.controller("hold", assemble(**setup))


def test_an_angle_is_measured_by_the_sensor_that_is_named() -> None:
    plant = assemble(**rig(), sensors=[lean()], damping=Damping(node=0.1))
    law = pd(["angle:lean.angle"], ["cable:left.rest_length"], 1.0, rate=RATE)
    controller = law.controller("pd", plant, sensors={"angle:lean.angle": "lean"})
    assert controller.measured == ("lean",)


def test_regulators_say_what_they_need() -> None:
    setup = rig()
    model = linearise(assemble(**setup), inputs=["node:top.x"], outputs=MEASURED[:2])
    regulator = lqr(model)
    with pytest.raises(OptionError, match="what is measured can be chosen for a sampled model"):
        regulator.controller("hold", assemble(**setup), measured=["node:top.position.x"])
    other = assemble(Structure({"a": (0, 0, 0)}, point_masses={"a": 1.0}))
    with pytest.raises(OptionError, match="the model has 12 coordinates and the plant has 3; give the plant that was"):
        regulator.controller("hold", other)
    late = lqr(sampled(model, 49.0, delay=0.01))
    assert late.controller("hold", assemble(**setup)).rate == 49.0
