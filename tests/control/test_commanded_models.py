"""Linear models of commanded, held and pneumatic members: their inputs and outputs against the plant itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taut import Bar, Cable, OptionError, Plant, Structure, assemble, linearise


def crane(tension: float = 12.0, density: float = 9.0, push: float = 20.0) -> Structure:
    nodes = {
        "o": (0.0, 0.0, 0.0),
        "a": (1.0, 0.0, 0.5),
        "b": (0.5, 0.8, 0.6),
        "c": (0.2, -0.7, 0.4),
        "p": (0.5, 0.1, 1.0),
    }
    nodes |= {"q": (0.1, 0.2, 0.6)}
    cables = [
        Cable("pull", ("a", "p", "b"), mode="tension", command=tension),
        Cable("draw", ("c", "p"), mode="force_density", command=density),
        Cable("string", ("o", "q", "p"), mode="length"),
        Cable("stay", ("a", "q"), stiffness=200.0, rest_length=0.5),
    ]
    jack = Bar("jack", ("o", "p"), mass=1.0, law="pneumatic", force=push)
    held = dict.fromkeys("oabc", "xyz")
    return Structure(nodes, [jack], cables, held, point_masses={"p": 1.5, "q": 0.7})


def at_rest(plant: Plant) -> np.ndarray:
    return np.append(plant.positions.ravel(), np.zeros(plant.coordinates + 1))


def rates_of(structure: Structure) -> np.ndarray:
    plant = assemble(structure, gravity=9.81)
    size = plant.coordinates
    out = np.zeros(2 * size + 1)
    plant.operations()["rate"](plant.pack, 0.0, at_rest(plant), out)
    return out[size : 2 * size][[3 * k + axis for k in (4, 5) for axis in range(3)]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("port", "change"),
    [
        ("cable:pull.tension", lambda h: crane(tension=12.0 + h)),
        ("cable:draw.force_density", lambda h: crane(density=9.0 + h)),
        ("bar:jack.force", lambda h: crane(push=20.0 + h)),
    ],
)
def test_inputs_accelerate_as_commands_do(port: str, change: Any) -> None:
    """C A B, the acceleration at once after a step of the input, against a difference of the plant's own."""
    model = linearise(
        assemble(crane(), gravity=9.81), inputs=[port], outputs=[f"node:{n}.{x}" for n in "pq" for x in "xyz"]
    )
    wanted = (rates_of(change(1e-3)) - rates_of(change(-1e-3))) / 2e-3
    assert np.abs(wanted).max() > 1e-3
    assert (model.C @ model.A @ model.B)[:, 0] == pytest.approx(wanted, rel=1e-7, abs=1e-9)


@pytest.mark.slow
def test_the_tension_and_length_of_a_string_are_outputs() -> None:
    plant = assemble(crane(push=300.0), gravity=9.81)
    model = linearise(plant, inputs=["cable:pull.tension"], outputs=["cable:string.tension", "cable:string.length"])
    assert model.offset[0] > 1.0, "it pulls"
    h, tensions = 1e-3, []
    for change in (h, -h):
        other = assemble(crane(tension=12.0 + change, push=300.0), gravity=9.81)
        seen = other.observed(other.own_tables(metric="mass", gains=(0.0, 0.0)), np.zeros(1), at_rest(other)[None])
        tensions.append(seen["cable_tension"][0, 2])
    assert model.D[0, 0] == pytest.approx((tensions[0] - tensions[1]) / (2.0 * h), rel=1e-6)
    assert np.abs(model.C[1] @ model.B[:, 0]) < 1e-12, "it keeps its length"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("port", "told"),
    [
        ("cable:pull.rest_length", "the cable has a tension that is commanded; take .tension"),
        ("cable:string.force_density", "the cable is held and keeps its length; take .length_acceleration"),
        ("cable:stay.tension", "the cable is a spring; take .rest_length or .force_density"),
        ("bar:jack.rest_length", "the bar has a force that is commanded; take .force"),
    ],
)
def test_what_is_no_input_is_told(port: str, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        linearise(assemble(crane(), gravity=9.81), inputs=[port], outputs=["node:p.x"])
