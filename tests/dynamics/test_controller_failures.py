"""Controllers that fail, make no sense or do not go with something: named, at their time."""

from __future__ import annotations

import re
import time
from typing import Any

import numba
import numpy as np
import pytest
from bead_under_control import (
    GAIN,
    MEASURED,
    RATE,
    bead,
    pd,
)

import taut
from taut import (
    Cable,
    Command,
    Controller,
    Drive,
    ModelError,
    Sensor,
    Structure,
    assemble,
    simulate,
    start,
)
from taut.control import LinearLaw


def failing(t: float, measured: np.ndarray, state: np.ndarray) -> Any:
    if t > 0.09:
        raise ZeroDivisionError("no pivot")
    return [0.0]


def dawdling(t: float, measured: np.ndarray, state: np.ndarray) -> Any:
    if t > 0.09:
        until = time.monotonic() + 0.6
        while time.monotonic() < until:
            pass
    return [0.0]


@pytest.mark.parametrize(
    ("law", "options", "message"),
    [
        (
            lambda t, y, z: [np.nan if t > 0.09 else 0.0],
            {},
            'stopped at t = 0.1 s: the controller "pd" commands a number that is not finite for "push"',
        ),
        (
            lambda t, y, z: [0.0, 1.0],
            {},
            r'stopped at t = 0 s: the controller "pd" returned \[0.0, 1.0\], of shape \(2,\), for 1 commands; return',
        ),
        (lambda t, y, z: "full", {}, 'stopped at t = 0 s: the controller "pd" raised ValueError'),
        (failing, {}, 'stopped at t = 0.1 s: the controller "pd" raised ZeroDivisionError: no pivot'),
        (
            dawdling,
            {"deadline": 0.5},
            r'stopped at t = 0.1 s: the controller "pd" was too late: it took .* s, and its deadline is 0.5 s',
        ),
    ],
)
def test_a_law_that_fails_is_named_at_its_time(law: Any, options: Any, message: str) -> None:
    plant = bead([pd(law=law, **options)])
    run = simulate(plant, 0.5, every=0.1, verify=False)
    assert not run.finished
    assert re.match(message, run.status), run.status
    sim = start(plant)
    with pytest.raises(taut.MotionError, match=message.removeprefix("stopped ")):
        sim.step(0.5)


@numba.njit
def _too_many(t: float, measured: np.ndarray, state: np.ndarray) -> np.ndarray:
    return np.zeros(3)


def test_a_compiled_law_of_the_wrong_shape_is_named() -> None:
    run = simulate(bead([pd(law=_too_many)]), 0.5, verify=False)
    assert run.status == 'stopped at t = 0 s: the controller "pd" returns another number of commands than the 1 it has'


def test_a_winch_is_not_driven_below_nothing() -> None:
    structure = bead().structure
    plant = assemble(
        structure,
        drives=[Drive("winch", "cable:c", "rest_length", by=Command())],
        controllers=[Controller("w", MEASURED[:1], ("winch",), LinearLaw([[-1.0]]), rate=10.0)],
    )
    run = simulate(plant, 1.0, verify=False)
    assert run.status == (
        'stopped at t = 0 s: the controller "w" drives the rest_length of "cable:c" to zero or less, which it can '
        "never be; limit it (lowest)"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measured": ("node:q.position.x",)}, r'controllers.pd.measured\[0\]: "node:q" selects no node'),
        (
            {"measured": ("node:b.positoin.x",)},
            r'"positoin" cannot be measured of a node; there are position, .*did you mean "position"',
        ),
        ({"measured": ("speed",)}, r'"speed" is not the name of a sensor'),
        ({"commands": ("pull",)}, 'no load or drive "pull"; there are load:push'),
        ({"commands": ()}, "commands nothing"),
        (
            {"rate": 70.0, "sensors": [Sensor("s", "cable:c", rate=100.0)]},
            "70 Hz does not go into the fastest rate, 100 Hz: that is 1.42857 times as fast; take 100 Hz",
        ),
        ({"rate": -1.0}, "-1.0 Hz must be a finite number more than zero"),
        ({"delay": -0.1}, "-0.1 s must be zero or more"),
        ({"hold": "second"}, '"second" is not one of zero, first, smooth'),
        ({"rate": None, "delay": 0.1}, "without a rate it acts at every evaluation, without delay"),
        ({"lowest": 2.0, "highest": 1.0}, "is above `highest`"),
        ({"lowest": (1.0, 2.0)}, "has 2 numbers for 1 commands"),
        ({"law": LinearLaw([[1.0]])}, "has 1 measured and 1 commanded numbers, but the controller has 2 and 1"),
        ({"push": 3.0}, '"load:push" has a signal of its own; make it a Command'),
        ({"sensors": [Sensor("s", "node:b")]}, '"node:b" is 3 numbers, node:b.position.x, .* a sensor measures one'),
        ({"sensors": [Sensor("s", "cable:c", noise=-1.0)]}, "-1.0 must be zero or more"),
        (
            {"sensors": [Sensor("s", "cable:c", rate=50.0, delay=0.03)]},
            "0.03 s is 1.5 times the time between measurements",
        ),
        ({"sensors": [Sensor("s", "cable:c"), Sensor("s", "cable:c")]}, 'another of the sensors is called "s" too'),
    ],
)
def test_controllers_that_make_no_sense(options: dict[str, Any], message: str) -> None:
    sensors, push = options.pop("sensors", ()), options.pop("push", None)
    law = LinearLaw(GAIN)
    given = {"measured": MEASURED, "commands": ("push",), "law": law, "rate": RATE, **options}
    with pytest.raises(ModelError, match=message):
        bead([Controller("pd", **given)], push=push, sensors=sensors)


def test_what_a_controller_at_every_evaluation_does_not_go_with() -> None:
    plant = bead([pd(rate=None)])
    with pytest.raises(
        taut.OptionError, match='the controller "pd" decides at every evaluation, which the Newton matrix'
    ):
        simulate(plant, 0.1, method="implicit3")
    with pytest.raises(taut.OptionError, match='but the controller "pd" damps'):
        simulate(plant, 0.1, method="rattle4", step=1e-3)

    def lost(t: float, measured: np.ndarray, state: np.ndarray) -> list[float]:
        return [np.nan if t > 0.05 else 0.0]

    run = simulate(bead([pd(rate=None, law=lost)]), 0.1, verify=False)
    assert 'the controller "pd" commands a number that is not finite for "push"' in run.status
    assert run.time[-1] <= 0.05


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"measured": ("node:b.acceleration.x",)},
            'the acceleration of node "b" follows from what is commanded at that instant',
        ),
        ({"measured": ("slow",)}, '"slow" has a rate, a delay or faults, and the controller reads at every evaluation'),
        ({"measured": ("node:b.position.x",), "law": LinearLaw([[1.0]], a=[[0.5]])}, "without delay, hold, state"),
    ],
)
def test_what_cannot_be_measured_at_every_evaluation(options: Any, message: str) -> None:
    one = Controller("c", commands=("push",), **{"law": LinearLaw([[1.0]]), **options})
    with pytest.raises(ModelError, match=message):
        bead([one], sensors=[Sensor("slow", "node:b.position.x", rate=10.0)])


@numba.njit
def _raising(t: float, measured: np.ndarray, state: np.ndarray) -> np.ndarray:
    if t > 0.25:
        raise ValueError("lost")
    return np.array([t])


@numba.njit
def _number(t: float, measured: np.ndarray, state: np.ndarray) -> float:
    return 2.0 * t


@numba.njit
def _words(t: float, measured: np.ndarray, state: np.ndarray) -> str:
    return "full"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_compiled_laws_that_raise_return_a_number_or_words() -> None:
    run = simulate(bead([pd(law=_raising, rate=10.0)]), 1.0, verify=False)
    told = 'the controller "pd" raised an exception at t = 0.3 s, which numba has printed'
    assert run.status == f"stopped at t = 0.3 s: {told}"
    for law in (_number, _words):
        with pytest.raises(ModelError, match=r"controllers.pd.law: numba cannot call it as law\(t, measured, state\)"):
            bead([pd(law=law)])


def test_what_stops_everything_passes_through_a_law() -> None:
    def interrupted(t: float, measured: np.ndarray, state: np.ndarray) -> list[float]:
        if t > 0.15:
            raise KeyboardInterrupt
        return [0.0]

    sim = start(bead([pd(law=interrupted)]))
    kept = sim.state
    with pytest.raises(KeyboardInterrupt):
        sim.step(1.0)
    sim.restore(kept)
    sim.step(0.1)
    with pytest.raises(KeyboardInterrupt):
        simulate(bead([pd(law=interrupted)]), 1.0)


def test_sensors_name_the_pieces_of_a_cable_that_is_cut_into_some() -> None:
    structure = Structure(
        {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)},
        cables=[Cable("c", ("a", "b"), stiffness=100.0, rest_length=0.5, segments=2, mass=0.1)],
        supports={"a": "xyz", "b": "xyz"},
    )
    with pytest.raises(ModelError, match='"cable:c.tension" is 2 numbers, cable:c~1.tension, cable:c~2.tension'):
        assemble(structure, sensors=[Sensor("t", "cable:c.tension")])
