"""Pneumatic struts at rest: a push that is commanded, whatever their length."""

from __future__ import annotations

import numpy as np
import pytest

from taut import Bar, Cable, OptionError, Structure, assemble, balance, simulate, stability
from taut.structure.properties import fitted_bar


def jack(force: float = 80.0) -> Structure:
    """A strut that lifts a plate's worth of mass against three springs."""
    nodes = {"foot": (0.0, 0.0, 0.0), "head": (0.1, 0.0, 1.0)}
    nodes |= {f"pin{k}": (np.cos(a), np.sin(a), 0.2) for k, a in enumerate((0.0, 2.1, 4.2))}
    strut = Bar("strut", ("foot", "head"), mass=2.0, law="pneumatic", force=force)
    guys = [Cable(f"guy{k}", (f"pin{k}", "head"), stiffness=400.0, rest_length=1.1) for k in range(3)]
    held = dict.fromkeys(("foot", "pin0", "pin1", "pin2"), "xyz")
    return Structure(nodes, [strut], guys, held, point_masses={"head": 3.0})


@pytest.mark.slow
def test_the_head_stands_where_its_forces_balance() -> None:
    """The push along the strut, the weight and the springs, written down again; and it stays there when let go."""
    found = balance(jack(), gravity=9.81)
    assert found.ok
    assert found.bar_force[0] == pytest.approx(-80.0)
    nodes = {name: np.array(place) for name, place in found.structure.nodes.items()}
    head = nodes["head"]
    force = np.array([0.0, 0.0, -9.81 * (3.0 + 1.0)]) + 80.0 * head / np.linalg.norm(head)
    for k in range(3):
        span = nodes[f"pin{k}"] - head
        length = float(np.linalg.norm(span))
        force += max(400.0 * (length - 1.1), 0.0) * span / length
    assert np.abs(force).max() < 1e-9
    run = simulate(assemble(found.structure, gravity=9.81), 0.5, every=0.1)
    assert np.abs(run.nodes[-1] - run.nodes[0]).max() < 1e-9
    assert stability(found).ok


def test_a_strut_that_pushes_too_much_for_its_guys_is_unstable() -> None:
    """Free of guys across, a strut that pushes on a weight above it falls over: its force takes F / l of stiffness."""
    nodes = {"foot": (0.0, 0.0, 0.0), "head": (0.0, 0.0, 1.0)}
    strut = Bar("strut", ("foot", "head"), mass=2.0, law="pneumatic", force=39.24)
    column = Structure(nodes, [strut], supports={"foot": "xyz"}, point_masses={"head": 3.0})
    found = balance(column, gravity=9.81)
    assert found.ok
    assert not stability(found).ok
    assert stability(found).stiffness == pytest.approx(-39.24, rel=1e-9)


def test_it_only_pushes() -> None:
    structure = jack()
    assert fitted_bar(structure, structure.bars["strut"], -55.0).force == 55.0
    with pytest.raises(OptionError, match='bar "strut" only pushes, but would have to pull with 55 N'):
        fitted_bar(structure, structure.bars["strut"], 55.0)
