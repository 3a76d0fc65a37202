"""Cables between two pulleys: lengths, forces that are slopes of the energy, energy kept, the cable of one pulley."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import taut
from taut.mechanics.trees.spans.span_cables import Spans
from taut.mechanics.trees.tree_operations import OPERATIONS, Workspace
from taut.trees import Body, LoopJoint, PulleyCable, SpanCable, Tree, TreeEquations, TreeJoint, tree_plant

Z = (0.0, 0.0, 1.0)
RADII = (0.06, 0.09)


def arms(*more: TreeJoint, second: float = RADII[1]) -> tuple[TreeJoint, ...]:
    """Two arms that swing in a plane, each with a pulley at its end."""
    arm, other = (Body.box(name, (0.4, 0.03, 0.03), 1500.0, centre=(0.2, 0.0, 0.0)) for name in ("arm", "other"))
    one, two = (Body.cylinder(name, r, 0.02, 2000.0) for name, r in (("p1", RADII[0]), ("p2", second)))
    end, far = (0.4, 0.0, 0.0), (1.2, 0.2, 0.0)
    return (
        TreeJoint("shoulder", "revolute", "world", arm, axes=(Z,), values=(0.3,), rates=(0.2,)),
        TreeJoint("one", "revolute", "arm", one, end, axes=(Z,), rates=(1.0,), driven=True),
        TreeJoint("elbow", "revolute", "world", other, far, axes=(Z,), values=(2.5,), rates=(-0.1,)),
        TreeJoint("two", "revolute", "other", two, end, axes=(Z,), values=(1.0,), driven=True),
        *more,
    )


def belted(**more: Any) -> Tree:
    span = SpanCable(**{"name": "belt", "pulleys": ("one", "two"), "radii": RADII, "stiffness": 2000.0, **more})
    return Tree(arms(), gravity=0.0, spans=(span,))


@pytest.mark.parametrize(("crossed", "wanted"), [(False, math.sqrt(24.0)), (True, 4.0)])
@pytest.mark.parametrize("side", ["left", "right"])
def test_tangents_are_those_of_two_circles(crossed: bool, wanted: float, side: str) -> None:
    """Radii of 1 and 2, 5 apart; turning a pulley winds by its radius, the way in that its side says."""
    discs = [Body.cylinder(name, 1.0, 0.1, 1.0) for name in "ab"]
    tree = Tree(
        (
            TreeJoint("a", "revolute", "world", discs[0], axes=(Z,)),
            TreeJoint("b", "revolute", "world", discs[1], (3.0, 4.0, 0.0), axes=(Z,)),
        ),
        spans=(SpanCable("belt", ("a", "b"), (1.0, 2.0), 1.0, side=side, crossed=crossed),),
    )
    spans = Spans(TreeEquations(tree))
    spans.begin(np.zeros(2))
    length, natural = spans.states(np.zeros(2))
    np.testing.assert_allclose([length[0], natural[0]], wanted, rtol=1e-14)
    sign = 1.0 if side == "left" else -1.0
    assert spans.states(np.array([0.1, 0.0]))[1][0] - wanted == pytest.approx(-sign * 0.1)
    # The second is touched on the same side, seen along the cable: there turning on pays out what the first winds in.
    assert spans.states(np.array([0.0, 0.1]))[1][0] - wanted == pytest.approx((-sign if crossed else sign) * 0.2)


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("side", ["left", "right"])
def test_forces_are_slopes_of_the_energy_which_is_kept(crossed: bool, side: str) -> None:
    plant = tree_plant(belted(crossed=crossed, side=side, natural=0.5), size=1.0)
    space = Workspace(plant, False, (0.0, 0.0))
    y = np.concatenate([plant.positions + np.array([0.03, 0.2, -0.05, 0.5]), np.zeros(7)])
    force = np.zeros(11)
    OPERATIONS["forces"](space, 0.0, y, force)
    for k, step in enumerate(1e-5 * np.eye(11)[:4]):
        slope = (OPERATIONS["energy"](space, y + step)[0] - OPERATIONS["energy"](space, y - step)[0]) / 2e-5
        assert abs(slope + force[k]) < 1e-7 * np.abs(force).max()
    run = taut.simulate(plant, 0.008, every=0.004, method="dp8", tolerance=1e-12, correction="none", verify=False)
    energy = run.energy_kinetic + run.energy_elastic
    assert np.abs(energy - energy[0]).max() < 1e-10 * energy[0]
    assert run.element_names[-2:] == ("belt.strain", "belt.tension")
    assert run.element_output[:, -2].min() > 0.0
    assert np.ptp(run.energy_elastic) > 0.1 * energy[0]


def test_a_damper_takes_what_the_books_say() -> None:
    plant = tree_plant(belted(damping=20.0, natural=0.5), size=1.0)
    run = taut.simulate(plant, 0.02, every=0.01, method="dp8", tolerance=1e-11, correction="none", verify=False)
    energy = run.energy_kinetic + run.energy_elastic
    np.testing.assert_allclose(energy - energy[0], run.work, atol=1e-9 * energy[0])
    assert run.work[-1] < -0.05 * energy[0]


def test_with_a_second_pulley_of_no_radius_it_is_the_cable_of_one() -> None:
    """An involute joint from the first pulley to the second arm, from the same place, has the same accelerations."""
    natural = 0.5
    tiny = SpanCable("belt", ("one", "two"), (RADII[0], 1e-9), 2000.0, 5.0, natural)
    plain = Tree(arms(second=0.02), gravity=0.0, spans=(tiny,))
    bare = TreeEquations(Tree(arms(second=0.02)))
    start = bare.start()[0]
    between = (bare.point(start, "p2") - bare.point(start, "p1"))[:2]
    length = math.sqrt(between @ between - RADII[0] ** 2)
    way = math.atan2(between[1], between[0]) - math.atan2(RADII[0], length)
    unwound = natural / RADII[0]
    turned = way - 0.3 - unwound  # of the first pulley, so that the cable leaves it along that way
    cable = PulleyCable(RADII[0], 2000.0, 5.0, variant="length")
    wound = TreeJoint("reel", "involute", "p1", Body("end"), values=(unwound, length), cable=cable)
    with_joint = Tree(
        arms(wound, second=0.02), (LoopJoint("hook", "other", "end", at=(0.4, 0.0, 0.0)),), gravity=0.0
    ).with_start({"one": (turned,)}, {})
    one = tree_plant(with_joint, size=1.0)
    assert np.abs(one.equations.loop_error(one.equations.start()[0])).max() < 1e-14
    rates = {}
    for key, plant in (("joint", one), ("span", tree_plant(plain.with_start({"one": (turned,)}, {}), size=1.0))):
        space, n = plant.own_tables(metric="mass", gains=(0.0, 0.0)), plant.coordinates
        v = np.zeros(n)
        v[:3] = 0.2, 1.0, -0.1
        if key == "joint":  # the cable's own rates follow from the loop
            rows = plant.equations.loop_jacobian(plant.positions)
            v[4:] = np.linalg.lstsq(rows[:, 4:], -rows[:, :4] @ v[:4], rcond=None)[0]
        y = np.concatenate([plant.positions, v, [0.0], plant.internal])
        out = np.zeros(y.size)
        plant.operations()["rate"](space, 0.0, y, out)
        rates[key] = out[n : n + 3]
    np.testing.assert_allclose(rates["span"], rates["joint"], rtol=1e-6)
    assert np.abs(rates["span"]).min() > 1.0


def test_pulleys_that_come_too_near_have_no_forces_and_no_energy() -> None:
    """A step may try such a place before anybody looks whether it can be."""
    tree = belted(radii=(0.25, 0.25), crossed=True)
    plant = tree_plant(tree, size=1.0)
    space, force = Workspace(plant, False, (0.0, 0.0)), np.zeros(11)
    y = np.concatenate([plant.positions, np.zeros(7)])
    y[2] = math.pi  # the second pulley comes to the first
    assert space.pushes.spans is not None
    assert "too near for its tangent" in space.pushes.spans.wrong(y[:4])
    OPERATIONS["forces"](space, 0.0, y, force)
    assert np.isnan(force[:4]).all()
    assert np.isnan(OPERATIONS["energy"](space, y)[0])


def test_what_is_wrong_with_spans_is_told() -> None:
    for more, told in (
        ({"pulleys": ("one", "to")}, 'spans.belt: is wound on "to", which is no joint of the tree; did you mean "two"'),
        ({"stiffness": 0.0}, "spans.belt: has a stiffness of 0; give a finite number more than zero"),
        ({"radii": (0.06, math.nan)}, "spans.belt: has a radius of nan; give a finite number more than zero"),
        ({"natural": math.inf}, "spans.belt: has a natural length of inf; give a finite number more than zero"),
        ({"wound": (None, -1.0)}, "spans.belt: has a wound part of -1; give a finite number, zero or more"),
        ({"side": "lft"}, 'spans.belt: leaves on the "lft"; say left or right; did you mean "left"'),
    ):
        with pytest.raises(taut.ModelError, match=told):
            belted(**more)
    with pytest.raises(taut.ModelError, match="spans.belt: is the name of another cable; give every cable a name of"):
        Tree(arms(), spans=2 * belted().spans)
    with pytest.raises(taut.ModelError, match='spans.belt: the pulleys of "belt" are 0.5.* m apart, too near for'):
        tree_plant(belted(radii=(0.4, 0.4), crossed=True))
    tilted = (*arms()[:3], TreeJoint("two", "revolute", "other", arms()[3].body, (0.4, 0.0, 0.1), axes=(Z,)))
    with pytest.raises(taut.ModelError, match="spans.belt: joins pulleys that are off one plane by 1.67 of the first"):
        tree_plant(Tree(tilted, spans=belted().spans))
    round_ = TreeJoint("two", "revolute", "other", arms()[3].body, (0.4, 0.0, 0.0), axes=((0.0, 0.0, -1.0),))
    with pytest.raises(
        taut.ModelError, match="spans.belt: joins pulleys whose axes point opposite ways; turn the one of"
    ):
        tree_plant(Tree((*arms()[:3], round_), spans=belted().spans))
    run = taut.simulate(
        tree_plant(belted(natural=0.5, wound=(1e-4, None)), size=1.0), 0.1, method="rk4", step=1e-4, verify=False
    )
    assert 'the span "belt" is unwound past its end at "one"' in run.status


def test_pulleys_that_leave_their_plane_end_the_run() -> None:
    """A hub that tilts let the cable go on as if its pulleys still faced one another."""
    tilts = TreeJoint("hub", "universal", "world", arms()[0].body, axes=(Z, (0.0, 1.0, 0.0)), rates=(1.0, 3.0))
    one = TreeJoint("one", "revolute", "world", arms()[1].body, axes=(Z,))
    span = SpanCable("belt", ("one", "two"), RADII, 200.0, natural=0.35)
    two = TreeJoint("two", "revolute", "arm", arms()[3].body, (0.4, 0.0, 0.0), axes=(Z,))
    run = taut.simulate(tree_plant(Tree((one, tilts, two), spans=(span,))), 0.1, method="rk4", step=1e-4, verify=False)
    assert not run.finished
    assert 'the pulleys of "belt" have left their plane, by 0.00' in run.status
