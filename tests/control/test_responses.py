"""Responses against python-control and closed forms; what is refused; names."""

from __future__ import annotations

import math

import numpy as np
import pytest
from test_norms import damped_tower, made

import taut
from taut import LinearModel, Load, OptionError, SelectionError, assemble, linearise
from taut.control import doublet_response, frequency_response, harmonic_response, impulse_response, step_response

control = pytest.importorskip("control")


def swing() -> LinearModel:
    return made([[0, 1], [-25, -1]], [[0], [1]], [[1, 0], [0, 1]])


def test_a_step_and_an_impulse_as_the_textbook_has_them() -> None:
    model, damped = swing(), math.sqrt(25.0 - 0.25)
    step = step_response(model, 4.0, every=0.01)
    t = step.time
    fall = np.exp(-0.5 * t) * (np.cos(damped * t) + 0.5 / damped * np.sin(damped * t))
    np.testing.assert_allclose(step.output[:, 0, 0], (1.0 - fall) / 25.0, atol=1e-13)
    impulse = impulse_response(model, 4.0, every=0.01)
    np.testing.assert_allclose(impulse.output[:, 0, 0], np.exp(-0.5 * t) * np.sin(damped * t) / damped, atol=1e-13)


def test_a_doublet_is_exact_also_where_its_edges_are_no_samples() -> None:
    model, width = swing(), 0.333
    answer = doublet_response(model, 3.0, amplitude=10.0, width=width, every=0.05)
    damped = math.sqrt(25.0 - 0.25)

    def step(t: np.ndarray) -> np.ndarray:
        late = np.maximum(t, 0.0)
        fall = np.exp(-0.5 * late) * (np.cos(damped * late) + 0.5 / damped * np.sin(damped * late))
        return (1.0 - fall) / 25.0

    t = answer.time
    wanted = 10.0 * (step(t) - 2.0 * step(t - width) + step(t - 2.0 * width))
    np.testing.assert_allclose(answer.output[:, 0, 0], wanted, atol=1e-13)


def test_responses_of_a_tower_agree_with_python_control() -> None:
    model = damped_tower()
    system = model.to_control()
    step = step_response(model, 0.5, every=0.005)
    theirs = control.forced_response(system, step.time, np.eye(len(model.inputs))[:, :1] * np.ones(step.time.size))
    np.testing.assert_allclose(step.output[:, :, 0].T, theirs.outputs, atol=1e-9 * np.abs(theirs.outputs).max())
    hertz = np.array([0.1, 3.0, 40.0])
    theirs = np.moveaxis(system(2j * math.pi * hertz), -1, 0)
    np.testing.assert_allclose(frequency_response(model, hertz), theirs, rtol=1e-6, atol=1e-12)
    settled = harmonic_response(model, 3.0, {model.inputs[0]: 2.0, model.inputs[1]: 1j})
    np.testing.assert_allclose(
        list(settled.values()), theirs[1] @ np.array([2.0, 1j, *[0.0] * (len(model.inputs) - 2)])
    )


def test_small_motion_of_the_plant_is_that_of_its_linear_model() -> None:
    # A doublet on the standing tower, so small that squares are 1e-7 of it.
    tower = taut.balance(taut.generators.tower(2).supported("bottom*"), gravity=9.81).structure.changed(
        "cable:*", damping=30.0
    )
    node = tower.select("top*", "node")[0]
    push = Load(node, "x", taut.Doublet(amplitude=1e-4, width=0.03))
    run = taut.simulate(assemble(tower, gravity=9.81, loads=[push]), 0.2, every=0.01, method="dp8", tolerance=1e-13)
    model = linearise(
        assemble(tower, gravity=9.81), inputs=[push], outputs=[f"node:{node}", "cable:*.tension", "bar:*"]
    )
    linear = doublet_response(model, 0.2, amplitude=1e-4, width=0.03, every=0.01).output[:, :, 0]
    place = list(tower.nodes).index(node)
    seen = np.concatenate([run.nodes[:, place], run.cable_tension, run.bar_force], axis=1) - model.offset
    for columns, within in ((slice(0, 3), 2e-6), (slice(3, None), 1e-5)):
        size = np.abs(seen[:, columns]).max()
        np.testing.assert_allclose(linear[:, columns], seen[:, columns], rtol=0.0, atol=within * size)


def test_what_makes_no_sense_is_refused() -> None:
    model = swing()
    with pytest.raises(OptionError, match=r"duration nan must be a finite number more than zero"):
        step_response(model, math.nan)
    with pytest.raises(OptionError, match=r"every 5 s does not fit a duration of 1 s"):
        impulse_response(model, 1.0, every=5.0)
    with pytest.raises(OptionError, match=r"width -1 must be a finite number"):
        doublet_response(model, 1.0, amplitude=1.0, width=-1)
    with pytest.raises(OptionError, match=r'no input "u2"; there are u1'):
        harmonic_response(model, 1.0, {"u2": 1.0})
    with pytest.raises(OptionError, match=r'the amplitude nan of "u1" must be finite'):
        harmonic_response(model, 1.0, {"u1": math.nan})
    with pytest.raises(OptionError, match=r"amplitude inf must be a finite number"):
        doublet_response(model, 1.0, amplitude=math.inf, width=0.1)
    with pytest.raises(OptionError, match=r"a frequency of nan Hz is none; give finite numbers"):
        frequency_response(model, np.array([1.0, math.nan]))
    undamped = made([[0, 1], [-25, 0]], [[0], [1]], [[1, 0]])
    with pytest.raises(OptionError, match=r"never settles"):
        harmonic_response(undamped, 1.0, {"u1": 1.0})
    with pytest.raises(OptionError, match=r"the gain at 0 Hz is infinite"):
        frequency_response(made([[0]], [[1]], [[1]]), np.array([0.0]))
    with pytest.raises(OptionError, match=r"B has the shape \(2, 2\), but the names make it \(2, 1\)"):
        LinearModel(np.eye(2), np.eye(2), np.eye(2), np.zeros((2, 1)), ("a", "b"), ("u",), ("p", "q"))


def test_parts_of_a_model_by_name() -> None:
    model = damped_tower()
    part = model.chosen(inputs=[model.inputs[2]], outputs=[model.outputs[1]])
    assert part.C.shape == (1, len(model.states))
    np.testing.assert_array_equal(part.B[:, 0], model.B[:, 2])
    np.testing.assert_array_equal(part.offset, model.offset[1:2])
    with pytest.raises(OptionError, match=r'no output "node:top1.position.w"; did you mean "node:top1.position'):
        model.chosen(outputs=["node:top1.position.w"])


@pytest.mark.parametrize(
    ("option", "name", "message"),
    [
        ("inputs", "n3.z", r'"n3.z" does not say of what kind; write it as one of "node:n3.z"'),
        ("inputs", "node:n33.z", r'"node:n33" selects no node; did you mean "n3"\?'),
        ("inputs", "node:n3.force.w", r'"w" is no input of a node; there are force, x, y, z'),
        ("inputs", "cable:c2", r'does not say which input of the cable: write "cable:c2.rest_length" or'),
        ("inputs", "cable:c2.restlength", r'"restlength" is no input of a cable.*did you mean "rest_length"\?'),
        (
            "inputs",
            "cable:c2.tension",
            r'"cable:c2.tension": the cable is a spring; take .rest_length or .force_density',
        ),
        ("inputs", "bar:b1", r'does not say which input of the bar: write "bar:b1.rest_length" or'),
        ("inputs", "constraint:*", r"selects no constraint"),
        ("inputs", "node:n1", r'"node:n1": supports hold all of it, so it is no input'),
        ("outputs", "cable:c2.tensoin", r'"tensoin" is no output of a cable; .*did you mean "tension"\?'),
        ("outputs", [], r"there is no output; name one"),
    ],
)
def test_unknown_inputs_and_outputs(option: str, name: object, message: str) -> None:
    with pytest.raises((SelectionError, OptionError), match=message):
        linearise(assemble(taut.generators.tbar()), **{option: name})


def test_unknown_coordinates_and_states() -> None:
    plant = taut.LagrangianPlant(
        ("angle",), lambda q: np.eye(1), lambda q: 1.0 - np.cos(q[0]), np.zeros(1), np.zeros(1)
    )
    with pytest.raises(SelectionError, match=r'"angel": no coordinate "angel"; did you mean "angle"\?'):
        linearise(plant, inputs="angel")
    with pytest.raises(SelectionError, match=r'"rate" is no output of a coordinate; there are position, velocity'):
        linearise(plant, outputs="angle.rate")
    with pytest.raises(OptionError, match=r'held = "force_density" is for cables'):
        linearise(plant, held="force_density")
    tbar = assemble(taut.generators.tbar())
    with pytest.raises(OptionError, match=r'held = "tension" is not one of rest_length, force_density'):
        linearise(tbar, held="tension")
    with pytest.raises(OptionError, match=r"time nan must be a finite number"):
        linearise(tbar, time=math.nan)
    with pytest.raises(OptionError, match=r'"cable:c2.rest_length" cannot be an input where force densities are held'):
        linearise(tbar, inputs="cable:c2.rest_length", held="force_density")
    with pytest.raises(
        OptionError, match=r'"bar:b1.rest_length": the bar is rigid and keeps its length; take .length_a'
    ):
        linearise(tbar, inputs="bar:b1.rest_length")
    with pytest.raises(OptionError, match=r"positions of shape \(3,\) do not fit: give \(4, 3\)"):
        linearise(tbar, positions=np.zeros(3))
    with pytest.raises(OptionError, match=r'velocities name the node "n9", which is not there'):
        linearise(tbar, velocities={"n9": (0.0, 0.0, 0.0)})
    with pytest.raises(
        OptionError, match="is a Structure, where a Plant, a LagrangianPlant, a GeneralisedPlant, a TreePlant or"
    ):
        linearise(taut.generators.tbar())
    with pytest.raises(OptionError, match=r"4800 coordinates are more than the 3000 it can have"):
        linearise(assemble(taut.generators.planar_lattice(20, 20)))
    with pytest.raises(
        OptionError, match="3 is a number, where a Plant, a LagrangianPlant, a GeneralisedPlant, a TreePlant or"
    ):
        linearise(3)


def test_away_from_balance_the_residual_is_named() -> None:
    # At the square only the verticals pull, 100 N/m * 0.1 * h = 35.36 N each; of that a bar at 45 degrees takes half.
    model = linearise(assemble(taut.generators.tbar()))
    (note,) = model.notes
    assert note.startswith("not an equilibrium: 25 N are left unbalanced at node")
    assert note.endswith("so x = 0 does not stay (see drift)")
    assert np.abs(model.drift[2:]).max() > 1.0
    moving = linearise(assemble(taut.balance(taut.generators.tbar()).structure), velocities={"n3": (1.0, 0.0, 0.0)})
    assert any('the state moves, fastest node "n3" with' in note for note in moving.notes)
    assert any("velocities did not fit" in note for note in moving.notes)


def test_without_python_control_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(OptionError, match=r'python-control is not installed; pip install "taut\[control\]"'):
        swing().to_control()
