"""Near-rigid control of machines with cables on pulleys: against forward dynamics, in motion, and what is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import taut
from taut import OptionError, SampledSignal
from taut.control import NearRigidControl, near_rigid_control
from taut.dynamics import curve_of
from taut.trees import Tree, TreeEquations, Wrench, manipulator, single_strut, tree_plant

STRUT = ("x-revoluteJt", "y-revoluteJt")
EFFECTOR = ("floatingJt.x", "floatingJt.y", "floatingJt.z")
STRUTS = ("B1-strutJt", "B2-strutJt", "B3-strutJt")
MODULUS, STRESS = 2e9, 2e7
STRAIN = STRESS / MODULUS
CABLES = ("B1-involuteJt", "B2-involuteJt", "B3-involuteJt")
BAUMGARTE = taut.Correction("baumgarte", gains=(100.0, 20.0))


def strut(**more: object) -> Tree:
    return single_strut(**{"youngs_modulus": MODULUS, "viscosity": 1e7, "strain": STRAIN, **more})  # type: ignore[arg-type]


def leaning(to: float = 0.1, over: float = 0.2) -> object:
    times = (0.0, over)
    return curve_of([SampledSignal(times, (0.0, to), (0.0, 0.0)), SampledSignal(times, (0.0, -to), (0.0, 0.0))])


def law_of(equations: TreeEquations, **more: object) -> NearRigidControl:
    given = {"least_strain": STRAIN, "proportional": 100.0, "derivative": 20.0, **more}
    return near_rigid_control(equations, STRUT, given.pop("wanted", leaning()), **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("way", ["direct", "null space"])
@pytest.mark.parametrize("law", ["energy-consistent", "printed"])
@pytest.mark.parametrize("machine", ["strut", "manipulator"])
def test_forward_dynamics_with_the_torques_and_strains_gives_what_is_wanted(machine: str, law: str, way: str) -> None:
    """At a state in motion: outputs accelerate as asked, strains not at all, the free ones as said."""
    rng = np.random.default_rng(2)
    if machine == "strut":
        equations, outputs = TreeEquations(strut(law=law)), STRUT
    else:
        equations, outputs = TreeEquations(manipulator(law=law)), EFFECTOR
    q, _ = equations.start()
    rows = equations.loop_jacobian(q)
    v = rng.normal(size=equations.nv) * 0.1
    v -= np.linalg.lstsq(rows, rows @ v, rcond=None)[0]
    goal = rng.normal(size=len(outputs))
    control = near_rigid_control(
        equations, outputs, lambda t: (0.0 * goal, 0.0 * goal, goal), least_strain=STRAIN, way=way,
        **({} if machine == "strut" else {"free_weight": 10.0, "free_damping": 10.0, "free": STRUTS}),
    )  # fmt: skip
    found = control.decide(0.0, q, v)
    cables = equations.cables
    assert found.relaxed == ()
    assert np.all(q[cables.second] + found.strain_changes >= STRAIN * (1.0 - 1e-8))
    # The torques of the changed strains, by the equations' own torques: what is linear in them at least.
    pull = cables.stiffness * cables.radius * found.strain_changes
    force = np.zeros(equations.nv)
    force[cables.angle_rate] = -pull * q[cables.second]
    force[cables.second_rate] = -pull * q[cables.angle]
    a, _ = equations.forward(q, v, found.inputs, force=force)
    places = [equations.velocity_names.index(name) for name in outputs]
    assert a[places] == pytest.approx(goal, abs=1e-7)
    assert np.abs(a[cables.second_rate]).max() < 1e-6
    free = [equations.velocity_names.index(name) for name in found.free]
    assert a[free] == pytest.approx(found.free_accelerations, rel=1e-7, abs=1e-6)
    assert found.free == (() if machine == "strut" else STRUTS)


@pytest.mark.parametrize(("law", "slope"), [("energy-consistent", "secant"), ("printed", "tangent")])
def test_the_torques_of_strains_are_derivatives(law: str, slope: str) -> None:
    """By differences of the equations' torques; of a printed law the secant is half of it at the angle."""
    equations = TreeEquations(strut(law=law))
    q, v = equations.start()
    cables, h = equations.cables, 1e-6
    ahead, behind = q.copy(), q.copy()
    ahead[cables.second] += h
    behind[cables.second] -= h
    change = -(equations.torques(ahead, v) - equations.torques(behind, v)) / (2.0 * h)
    found = law_of(equations, slope=slope).stretching(q)
    assert found.sum(axis=1) == pytest.approx(change, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("rate", [None, 1000.0])
def test_a_strut_follows_what_is_wanted(rate: float | None) -> None:
    control = law_of(TreeEquations(strut()))
    plant = tree_plant(strut(), controller=control, rate=rate)
    run = taut.simulate(plant, 0.06, every=0.01, method="rk4", step=1e-3, correction=BAUMGARTE, verify=False)
    assert run.status == "finished"
    wanted = np.array([leaning()(float(t))[0] for t in run.time])  # type: ignore[operator]
    assert np.abs(wanted[-1]).min() > 0.02
    assert np.abs(run.coordinate[:, :2] - wanted).max() < 1e-3
    assert control.slackenings == ()
    assert control.relaxed == ()


def test_torque_bounds_that_leave_no_way_are_told_by_name_and_cut_off() -> None:
    equations = TreeEquations(strut())
    q, v = equations.start()
    needed = law_of(equations).decide(0.0, q, v).inputs
    limit = 0.8 * needed.max()
    control = law_of(equations, highest=limit)
    assert control(0.0, q, v).max() <= limit * (1.0 + 1e-12)
    assert control.relaxed
    assert all("beyond its" in str(one) for _, one in control.relaxed)
    strains = law_of(equations, highest=limit, lowest=0.0)
    strains(0.0, q, v)
    told = {one.name: one for _, one in strains.relaxed}
    assert set(told) <= {*(f'torque of "{k}"' for k in equations.input_names), *(f'strain of "{k}"' for k in CABLES)}
    assert any(name.startswith("torque of") for name in told)
    assert all(one.bound == pytest.approx(limit) for name, one in told.items() if name.startswith("torque"))
    assert all(one.bound == pytest.approx(STRAIN) for name, one in told.items() if name.startswith("strain"))
    control.reset()
    assert control.relaxed == ()


def test_a_slack_cable_is_told_and_pulled_in_again() -> None:
    loose = strut(strain=-2e-4)
    control = law_of(TreeEquations(loose), wanted=leaning(0.0))
    run = taut.simulate(
        tree_plant(loose, controller=control, rate=1000.0),
        0.06,
        every=0.01,
        method="rk4",
        step=1e-3,
        correction=BAUMGARTE,
        verify=False,
    )
    strains = run.element_output[:, :3]
    assert strains[0].max() < 0.0
    assert strains[-1].min() > 0.5 * STRAIN
    assert {one.cable for one in control.slackenings} == set(CABLES)
    assert all(0.0 < one.end < 0.05 for one in control.slackenings)
    assert str(control.slackenings[0]).startswith('"B1-involuteJt" was slack at 0 s and taut again at ')


def test_a_cable_that_goes_slack_under_way_is_told_and_pulled_in_again() -> None:
    """A blow of 10 ms at the top of the strut, towards one cable, while it is held upright."""
    strain, still = 0.1 * STRAIN, (0.0,) * 5
    pulse = SampledSignal((0.0, 0.005, 0.01, 0.015, 1.0), (0.0, 0.0, 1.0, 0.0, 0.0), still)
    blow = Wrench("blow", "strut", force=(120.0, 0.0, 0.0), at=(0.0, 0.0, 1.0), signal=pulse)
    machine = replace(strut(strain=strain), wrenches=(blow,))
    control = law_of(TreeEquations(strut(strain=strain)), wanted=leaning(0.0), least_strain=strain)
    plant = tree_plant(machine, controller=control, rate=1000.0)
    run = taut.simulate(plant, 0.2, every=0.002, method="rk4", step=1e-3, correction=BAUMGARTE, verify=False)
    assert run.status == "finished"
    strains, lean = run.element_output[:, :3], run.coordinate[:, 1]
    assert strains[0] == pytest.approx(strain)
    assert strains[:, 0].min() < -0.5 * strain
    assert strains[:, 1:].min() > 0.0
    assert {one.cable for one in control.slackenings} == {"B1-involuteJt"}
    assert 0.005 < control.slackenings[0].start < 0.02
    assert all(one.start < one.end < one.start + 0.03 for one in control.slackenings)
    assert strains[-1].min() > 0.3 * strain
    assert 0.0 < lean[-1] < 0.8 * lean.max()
    slack = [event for event in run.events if event.change == "slack"]
    assert [event.subject for event in slack][:1] == ["B1-involuteJt"]
    assert 0.005 < slack[0].time < control.slackenings[0].start, "its damper takes all of the tension before"


def test_what_is_refused() -> None:
    with pytest.raises(OptionError, match='the law needs cables that have strains as coordinates; .*variant="strain"'):
        law_of(TreeEquations(strut(variant="length")))
    equations = TreeEquations(strut())
    with pytest.raises(OptionError, match='"x-revolute" is no coordinate that can be followed'):
        near_rigid_control(equations, ["x-revolute"], leaning(), least_strain=STRAIN)
    with pytest.raises(OptionError, match="3 outputs are more than the 2 freedoms that strains leave"):
        near_rigid_control(equations, [*STRUT, "B1-blockJt"], leaning(), least_strain=STRAIN)
    with pytest.raises(OptionError, match='slope = "chord" is none; there are secant and tangent'):
        law_of(equations, slope="chord")
    with pytest.raises(OptionError, match=r"lowest of shape \(2,\) does not fit: give one number, or 3"):
        law_of(equations, lowest=[0.0, 1.0])
    with pytest.raises(
        OptionError, match=r"least_strain, 1 at place 0, is above most_strain, 0\.5; nothing lies between"
    ):
        near_rigid_control(equations, [*STRUT], leaning(), least_strain=1.0, most_strain=0.5)
    with pytest.raises(OptionError, match='free: the machine has no velocity "B1-blockJ"; did you mean "B1-blockJt"'):
        law_of(equations, free=["B1-blockJ"])
    with pytest.raises(OptionError, match="free: outputs and strains leave 1 coordinates free; name as many, or more"):
        near_rigid_control(equations, STRUT[:1], leaning(), least_strain=STRAIN, free=[])
