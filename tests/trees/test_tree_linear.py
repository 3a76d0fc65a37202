"""Linear models of trees whose cables are about to go slack, or are slack: differences must not reach over the kink."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.trees import Body, LoopJoint, PulleyCable, Tree, TreeJoint, in_bodies, tree_plant

EXAMPLES = Path(__file__).parents[2] / "examples"
X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
MASS, MOMENT, RADIUS, STIFFNESS = 2.0, 0.1, 0.1, 1e4


def winch(strain: float, viscosity: float, variant: str) -> Tree:
    """A block on a slider, 1 m of cable away from a pulley."""
    unwound = 1.0 / (RADIUS * (1.0 + strain))
    second = {"strain": strain, "elongation": 1.0 - RADIUS * unwound, "length": 1.0}[variant]
    pulley = Body("pulley", 1.0, inertia=((MOMENT, 0.0, 0.0), (0.0, MOMENT, 0.0), (0.0, 0.0, MOMENT)))
    cable = PulleyCable(RADIUS, STIFFNESS, viscosity, variant)
    return Tree(
        (
            TreeJoint("winch", "revolute", "world", pulley, axes=(Z,), values=(-unwound,)),
            TreeJoint("cable", "involute", "pulley", Body("end"), values=(unwound, second), cable=cable),
            TreeJoint("slide", "prismatic", "world", Body("block", MASS), (1.0, RADIUS, 0.0), axes=(X,)),
        ),
        (LoopJoint("pin", "block", "end"),),
        gravity=0.0,
    )


@pytest.mark.parametrize("variant", ["strain", "elongation", "length"])
@pytest.mark.parametrize(("strain", "viscosity"), [(1e-4, 1e3), (0.01, 10.0), (1e-9, 1e3), (-1e-3, 1e3)])
def test_a_cable_nearly_slack_has_its_stiffness_and_damping(strain: float, viscosity: float, variant: str) -> None:
    """By hand: E A eps^2 l0 / 2 and mu A l0 eps'^2 / 2 of the block's place and of the cable unwound."""
    model = taut.linearise(tree_plant(winch(strain, viscosity, variant)))
    natural = 1.0 / (1.0 + strain)
    by = np.array([1.0 / natural, -RADIUS / natural**2])  # slopes of the strain
    taut_at_all = float(strain > 0.0) * natural * np.outer(by, by)
    mass = np.diag([MASS, MOMENT])
    lower = -np.linalg.solve(mass, np.hstack([STIFFNESS * taut_at_all, viscosity * taut_at_all]))
    wanted = np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [lower]]))
    scale = max(float(np.abs(wanted).max()), 1.0)
    np.testing.assert_allclose(np.poly(model.A), np.poly(wanted), rtol=1e-6, atol=1e-6 * scale)


@pytest.mark.parametrize("stretch", [1.002, 0.999])
def test_bodies_have_the_linear_model_of_their_nodes(stretch: float) -> None:
    """Stretched by 0.2 % or slack, and a hundredth as large as usual. Poles of how struts swing in their cables; slow
    ones hang on coordinates, since nothing is in balance here."""
    robot = taut.read_model(EXAMPLES / "six_strut.yaml").structure
    places = {name: (0.01 * x, 0.01 * y, 0.01 * z) for name, (x, y, z) in robot.nodes.items()}
    bars = {name: replace(bar, length=None) for name, bar in robot.bars.items()}
    cables = {}
    for name, cable in robot.cables.items():
        one, two = (np.array(places[node]) for node in cable.route)
        cables[name] = replace(cable, rest_length=float(np.linalg.norm(two - one)) / stretch)
    plant = taut.assemble(replace(robot, nodes=places, bars=bars, cables=cables), gravity=0.0)
    nodal, bodies = (np.sort(np.abs(taut.linearise(one).poles))[::-1] for one in (plant, in_bodies(plant)))
    if stretch < 1.0:
        assert bodies.max() < 1e-6 * nodal.max(initial=1.0)
    else:
        np.testing.assert_allclose(bodies[:36], nodal[:36], rtol=1e-4)


def test_a_controller_that_decides_at_samples_is_told_to_be_left_out() -> None:
    """One that is asked at every evaluation is in the model."""
    joints = tuple(replace(joint, driven=joint.name == "winch") for joint in winch(0.01, 0.0, "strain").joints)
    tree = replace(winch(0.01, 0.0, "strain"), joints=joints)
    always, at_samples = (
        taut.linearise(tree_plant(tree, controller=lambda t, q, v: -50.0 * v[:1], rate=rate)) for rate in (None, 100.0)
    )
    assert always.poles.real.min() < -1.0
    assert np.abs(at_samples.poles.real).max() < 1e-3
    assert not any("controller" in note for note in always.notes)
    assert any("the controller is left out, since it decides at samples" in note for note in at_samples.notes)


def test_a_plant_as_a_run_left_it_that_cut_cables_is_refused() -> None:
    """The plant still has them, and so had its linear model."""
    snip = taut.Watch("snip", time=0.01, then="cut", cut=("cable:cable",))
    plant = tree_plant(winch(0.01, 0.0, "strain"), events=[snip])
    run = taut.simulate(plant, 0.02, every=0.005, method="rk4", step=1e-3, verify=False)
    assert plant.after(run, 1).positions == pytest.approx(run.coordinate[1])
    with pytest.raises(taut.OptionError, match='the event "snip" has cut cables by then, which this plant still has'):
        plant.after(run)
