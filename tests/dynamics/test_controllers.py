"""Controllers in runs: against matrix exponentials and closed forms, and the same by every kind of law."""

from __future__ import annotations

import pickle
from typing import Any

import numba
import numpy as np
import pytest
from bead_under_control import (
    ACTING,
    DYNAMICS,
    FIRM,
    GAIN,
    GOAL,
    MASS,
    MEASURED,
    RATE,
    REST,
    START,
    bead,
    commanded,
    pd,
    went,
)
from scipy.linalg import expm

import taut
from taut import (
    Bar,
    Cable,
    Command,
    Controller,
    Damping,
    Drive,
    Load,
    ModelError,
    Sensor,
    SignalSum,
    Sinusoid,
    Structure,
    assemble,
    simulate,
    start,
)
from taut.control import LinearLaw
from taut.dynamics import loops


def expected(count: int, delay: float, hold: str) -> np.ndarray:
    """States at the ticks, by matrix exponentials from one change of the push to the next."""
    period, x, decided, found = 1.0 / RATE, np.array([START, 0.0]), list[float](), list[np.ndarray]()
    late = int(np.floor(delay / period + 1e-9))
    rest = delay - late * period

    def one(number: int) -> float:
        return decided[number] if number >= 0 else 0.0

    for k in range(count):
        found.append(x)
        decided.append(commanded(x))
        before, now = one(k - late - 1), one(k - late)
        if hold == "zero":
            x = went(went(x, before, before, rest), now, now, period - rest)
        else:
            middle = one(k - late - 2) + (before - one(k - late - 2)) * (1.0 - rest / period)
            x = went(x, middle, before, rest)
            x = went(x, before, before + (now - before) * (1.0 - rest / period), period - rest)
    return np.array(found)


@pytest.mark.parametrize("hold", ["zero", "first"])
@pytest.mark.parametrize("delay", [0.0, 0.02, 0.007, 0.06, 0.0473])
def test_sampled_control_is_that_of_matrix_exponentials(hold: str, delay: float) -> None:
    run = simulate(bead([pd(delay=delay, hold=hold)]), 1.0, every=1.0 / RATE, tolerance=1e-13, verify=False)
    wanted = expected(51, delay, hold)
    assert run.finished
    assert np.abs(run.node("b")[:, 0] - wanted[:, 0]).max() < 2e-12
    assert np.abs(run.velocities[:, 1, 0] - wanted[:, 1]).max() < 2e-11
    assert np.abs(run.energy_violation).max() < 1e-9
    assert run.sensor_names == MEASURED
    assert np.abs(run.reading[1:-1, 0] - wanted[1:-1, 0]).max() < 2e-12


@numba.njit
def _compiled(t: float, measured: np.ndarray, state: np.ndarray) -> np.ndarray:
    offset = 100.0 * (1.05 - 0.5)
    return np.array([offset + -30.0 * (measured[0] - 1.05) + -6.0 * (measured[1] - 0.0)])


def _python(t: float, measured: np.ndarray, state: np.ndarray) -> list[float]:
    offset = 100.0 * (1.05 - 0.5)
    return [offset + -30.0 * (measured[0] - 1.05) + -6.0 * (measured[1] - 0.0)]


def test_every_kind_of_law_gives_the_same_bits_and_compiles_no_loop_again() -> None:
    linear = simulate(bead([pd(delay=0.02)]), 0.5, every=0.05, verify=False)
    known = dict(loops._COMPILED)
    sizes = {key: len(words["time_loop"].overloads) for key, words in known.items()}
    for law in (_python, _compiled):
        run = simulate(bead([pd(delay=0.02, law=law)]), 0.5, every=0.05, verify=False)
        assert np.array_equal(run.nodes, linear.nodes)
        assert np.array_equal(run.load_force, linear.load_force)
    assert known == loops._COMPILED
    assert {key: len(words["time_loop"].overloads) for key, words in known.items()} == sizes


@pytest.mark.parametrize("law", ["linear", "python", "compiled"])
def test_continuous_control_is_the_closed_loop(law: str) -> None:
    options = {} if law == "linear" else {"law": {"python": _python, "compiled": _compiled}[law]}
    run = simulate(bead([pd(rate=None, **options)]), 1.0, every=0.05, tolerance=1e-12, verify=False)
    loop = DYNAMICS + ACTING @ GAIN
    offset = np.array([0.0, (FIRM * (GOAL - REST) - GAIN[0, 0] * GOAL + FIRM * REST) / MASS])
    rest = np.linalg.solve(loop, -offset)
    wanted = [(rest + expm(loop * t) @ ([START, 0.0] - rest))[0] for t in run.time]
    assert np.abs(run.node("b")[:, 0] - wanted).max() < 1e-11
    assert np.abs(run.energy_violation).max() < 1e-9


def test_a_controller_keeps_its_state_and_is_limited() -> None:
    """Integral action with saturation and a limited speed, against the same loop written out."""
    seen: list[float] = []

    def law(t: float, measured: np.ndarray, state: np.ndarray) -> np.ndarray:
        state[0] += (1.2 - measured[0]) / RATE
        seen.append(state[0])
        return np.array([400.0 * state[0] + 30.0 * (1.2 - measured[0]) - 5.0 * measured[1]])

    one = pd(law=law, state=(0.1,), lowest=10.0, highest=70.0, fastest=80.0)
    run = simulate(bead([one], push=Command(40.0)), 1.0, every=1.0 / RATE, tolerance=1e-12, verify=False)
    x, z, last = np.array([START, 0.0]), 0.1, 40.0
    for k in range(51):
        assert abs(run.node("b")[k, 0] - x[0]) < 1e-11
        z += (1.2 - x[0]) / RATE
        assert abs(seen[k] - z) < 1e-12
        u = min(max(400.0 * z + 30.0 * (1.2 - x[0]) - 5.0 * x[1], 10.0), 70.0)
        last = min(max(u, last - 80.0 / RATE), last + 80.0 / RATE)
        assert abs(run.load_force[k, 0] - last) < 1e-9
        x = went(x, last, last, 1.0 / RATE)
    pushes = run.load_force[:, 0]
    assert pushes.max() == 70.0
    assert np.abs(np.abs(np.diff(pushes)) - 1.6).min() < 1e-9


def test_a_linear_law_with_states_filters() -> None:
    """z+ = a z + b y, u = c z + d y."""
    law = LinearLaw(
        np.array([[-20.0]]),
        a=np.array([[0.8, 0.1], [0.0, 0.5]]),
        b=np.array([[0.2], [1.0]]),
        c=np.array([[-3.0, 2.0]]),
        command_offset=60.0,
    )
    one = Controller("filter", MEASURED[:1], ("load:push",), law, rate=RATE, state=(0.3, -0.2))
    run = simulate(bead([one]), 0.5, every=1.0 / RATE, tolerance=1e-12, verify=False)
    x, z = np.array([START, 0.0]), np.array([0.3, -0.2])
    for k in range(26):
        u = float(60.0 + law.c[0] @ z + law.d[0, 0] * x[0])
        assert abs(run.load_force[k, 0] - u) < 1e-9
        z = law.a @ z + law.b[:, 0] * x[0]
        x = went(x, u, u, 1.0 / RATE)


def test_a_winch_under_control_balances_its_energy_and_can_be_continued(tmp_path: Any) -> None:
    structure = Structure(
        {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.1, 0.0), "c": (0.5, -0.5, 0.3), "d": (0.4, 0.6, 0.4)},
        bars=[Bar("ab", ("a", "b"), mass=1.5), Bar("cd", ("c", "d"), mass=2.0)],
        cables=[Cable(f"{i}{j}", (i, j), stiffness=800.0, rest_length=0.62) for i, j in ("ac", "ad", "bc", "bd")],
        supports={"a": "xyz"},
    )
    sensor = Sensor("z", "node:d.position.z", rate=50.0, noise=1e-3, delay=0.02, seed=4)
    one = Controller(
        "hold",
        ("z", "cable:bc.tension"),
        ("winch",),
        LinearLaw([[0.3, 1e-4]], measured_offset=[0.4, 50.0]),
        rate=50.0,
        delay=0.013,
        hold="first",
        lowest=-0.3,
    )
    plant = assemble(
        structure,
        gravity=9.81,
        damping=Damping(stiffness=1e-3),
        drives=[Drive("winch", "cable:bc", "rest_length", by=Command())],
        sensors=[sensor],
        controllers=[one],
    )
    whole = simulate(plant, 0.6, every=0.01, tolerance=1e-10, verify=False)
    assert whole.finished
    assert np.abs(whole.energy_violation).max() < 1e-9
    assert np.ptp(whole.drive_value) > 0.01
    part = simulate(plant, 0.31, every=0.01, tolerance=1e-10, verify=False)
    taut.save(part, tmp_path / "part.nc")
    resumed = simulate(plant, 0.6, start=taut.read(tmp_path / "part.nc"), tolerance=1e-10, verify=False)
    for field in ("time", "nodes", "reading", "drive_value", "work"):
        assert np.array_equal(getattr(resumed, field), getattr(whole, field)), field
    sim = start(plant, tolerance=1e-10)
    for _ in range(30):
        sim.step(0.02)
    assert np.abs(sim.nodes - whole.nodes[-1]).max() < 1e-7


def test_a_law_is_asked_of_no_state_that_never_was() -> None:
    """As a run goes on, a law at every evaluation is asked from where it goes on."""
    asked: list[tuple[float, float]] = []

    def law(t: float, measured: np.ndarray, state: np.ndarray) -> np.ndarray:
        asked.append((t, float(measured[0])))
        return np.zeros(1)

    plant = bead([pd(law=law, rate=None)])
    run = simulate(plant, 0.1, every=0.05, verify=False)
    asked.clear()
    simulate(plant, 0.2, every=0.05, start=run, verify=False)
    assert min(t for t, _ in asked) >= 0.05
    assert min(place for _, place in asked) > 0.0


def test_a_command_may_add_to_a_signal() -> None:
    wave = Sinusoid(3.0, 1.5)
    run = simulate(bead([pd()], push=SignalSum((wave, Command()))), 0.2, every=0.01, verify=False)
    steps = np.floor(run.time * RATE + 1e-9).astype(int)
    commands = run.load_force[:, 0] - 3.0 * np.sin(2.0 * np.pi * 1.5 * run.time)
    for k in range(10):
        assert np.ptp(commands[steps == k]) < 1e-12


def telescope(**options: Any) -> Any:
    structure = Structure(
        {"o": (0.0, 0.0, 0.0), "a": (0.6, 0.0, -0.8)},
        bars=[Bar("b", ("o", "a"), mass=1.0)],
        supports={"o": "xyz", "a": "y"},
        point_masses={"a": 2.0},
    )
    one = Controller("pump", ("node:a.velocity.x",), ("strut",), LinearLaw([[0.05]]), rate=20.0, **options)
    return assemble(
        structure, gravity=9.81, drives=[Drive("strut", "bar:b", "length", by=Command())], controllers=[one]
    )


def test_a_length_under_control_cannot_jump() -> None:
    with pytest.raises(ModelError, match='"drive:strut" drives a length, which cannot jump; say hold: smooth'):
        telescope()


@pytest.mark.slow  # lengths that are commanded step by step are quick, in test_step_by_step.py
def test_a_length_under_control_goes_smoothly() -> None:
    run = simulate(telescope(hold="smooth"), 1.0, every=0.05, tolerance=1e-11, verify=False)
    assert run.finished
    assert np.abs(run.energy_violation).max() < 1e-9
    assert np.abs(np.linalg.norm(run.node("a"), axis=1) - run.drive_value[:, 0]).max() < 1e-12
    assert np.ptp(run.drive_value) > 0.01


def test_a_linear_model_is_of_the_plant_alone() -> None:
    plain, controlled = (taut.linearise(bead(one, push=SignalSum((3.0, Command())))) for one in ((), [pd(rate=None)]))
    assert np.array_equal(plain.A, controlled.A)
    assert any('controllers are left out ("pd")' in note for note in controlled.notes)


@pytest.mark.parametrize(
    "steps", [{"method": "dp5"}, pytest.param({"method": "rk4", "step": 1e-3}, marks=pytest.mark.slow)], ids=str
)
def test_variants_under_control_go_one_by_one(steps: dict[str, Any]) -> None:
    plant = bead([pd(delay=0.02, law=_python)])
    speeds = np.zeros((3, 2, 3))
    speeds[:, 1, 0] = [0.0, 0.2, -0.2]
    many = taut.ensemble(plant, 0.3, velocities=speeds, **steps)
    assert many.ok.all()
    alone = simulate(plant, 0.3, verify=False, **steps)
    assert np.array_equal(many.nodes[0], alone.nodes)
    assert np.ptp(many.nodes[:, -1, 1, 0]) > 1e-3


@pytest.mark.slow
def test_loads_in_python_and_commands_go_together() -> None:
    def plant(load: Any) -> Any:
        return assemble(
            bead().structure,
            loads=[Load("b", "x", Command(), name="push"), Load("b", "x", load, name="wind")],
            controllers=[Controller("pd", ("node:b.acceleration.x",), ("push",), LinearLaw([[-0.3]]), rate=RATE)],
        )

    called = simulate(plant(lambda t: 3.0 * np.sin(9.0 * t)), 0.3, every=0.02, tolerance=1e-11, verify=False)
    wave = simulate(plant(Sinusoid(3.0, 9.0 / (2.0 * np.pi))), 0.3, every=0.02, tolerance=1e-11, verify=False)
    assert np.abs(called.nodes - wave.nodes).max() < 1e-10
    assert np.ptp(called.load_force[:, 0]) > 1.0


def test_a_law_may_keep_the_state_it_is_handed() -> None:
    log: list[np.ndarray] = []

    def counting(t: float, measured: np.ndarray, state: np.ndarray) -> list[float]:
        state[0] += 1.0
        log.append(state)
        return [0.0]

    simulate(bead([pd(law=counting, state=(0.0,))]), 0.1, verify=False)
    assert [float(one[0]) for one in log] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def keeping(t: float, measured: np.ndarray, state: np.ndarray) -> list[float]:
    return [40.0]


def test_plants_with_laws_can_be_pickled_compared_and_varied() -> None:
    plant = bead([pd(law=keeping)])
    again = pickle.loads(pickle.dumps(plant))
    first, second = (simulate(one, 0.2, verify=False) for one in (plant, again))
    assert np.array_equal(first.nodes, second.nodes)
    assert again.fingerprint == plant.fingerprint
    many = taut.ensemble([plant, bead([pd(law=lambda t, y, z: [45.0])])], 0.2)
    assert many.ok.all()
    assert many.load_force[:, -1, 0].tolist() == [40.0, 45.0]
    assert pd() == pd()
    assert pd() != pd(law=LinearLaw(2.0 * GAIN))


def test_the_speed_limit_of_a_winch_binds_its_controller() -> None:
    def plant(hold: str) -> Any:
        drive = Drive("winch", "cable:c", "rest_length", by=Command(), speed_limit=0.1)
        one = Controller(
            "w", MEASURED[:1], ("winch",), lambda t, y, z: [0.2 * (-1.0) ** round(10 * t)], rate=10.0, hold=hold
        )
        return assemble(bead().structure, drives=[drive], controllers=[one])

    for hold in ("first", "smooth"):
        run = simulate(plant(hold), 1.0, every=0.005, verify=False)
        assert 0.099 < np.abs(run.drive_rate).max() <= 0.1 + 1e-12
