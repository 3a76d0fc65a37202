"""Terms with states of their own: a Maxwell element, whose dashpot's way has a rate, beside its linear equation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from small_structures import Maxwell

from taut import Ground, OptionError, Plant, Structure, assemble, linearise, simulate

MASS, FIRM, RELAXED, GRAVITY = 2.0, 800.0, 0.1, 9.81


def hung(**more: object) -> Plant:
    """A mass that a spring and a dashpot in series hold against its weight."""
    structure = Structure({"a": (0.1, 0.2, 0.3)}, point_masses={"a": MASS})
    return assemble(structure, gravity=GRAVITY, elements=[Maxwell("a", FIRM, RELAXED)], **more)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "options", "allowed"),
    [
        ("dp8", {"tolerance": 1e-12}, 1e-11),
        ("rk4", {"step": 1e-3}, 1e-9),
        ("implicit3", {"tolerance": 1e-9}, 1e-7),
        ("implicit4", {"tolerance": 1e-9}, 1e-7),
    ],
)
def test_a_dashpot_creeps_as_its_linear_equation_says(method: str, options: dict[str, float], allowed: float) -> None:
    """x = (way, speed, way of the dashpot): x' = A x + b; and energy less work stays as it is."""
    run = simulate(hung(), 1.0, every=0.1, method=method, verify=False, **options)  # type: ignore[arg-type]
    matrix = np.zeros((4, 4))
    matrix[0, 1], matrix[1, 3] = 1.0, -GRAVITY
    matrix[1, :3] = -FIRM / MASS, 0.0, FIRM / MASS
    matrix[2, :3] = 1.0 / RELAXED, 0.0, -1.0 / RELAXED
    wanted = [0.3 + (expm(matrix * t) @ [0.0, 0.0, 0.0, 1.0])[0] for t in run.time]
    assert np.abs(run.nodes[:, 0, 2] - wanted).max() < allowed
    assert run.work[-1] < -0.05
    assert np.abs(run.energy_violation).max() < 100.0 * allowed


def test_what_does_not_move_such_states_says_so() -> None:
    with pytest.raises(OptionError, match=r'but the dashpot at "a" damps; use dp5 or dp8'):
        simulate(hung(), 1.0, method="rattle4", step=1e-3)
    with pytest.raises(OptionError, match=r'the kind "maxwell" has states with rates of their own; use dp5 or dp8'):
        simulate(hung(ground=[Ground("floor")]), 1.0, method="impulses", step=1e-3)
    with pytest.raises(OptionError, match=r'the kind "maxwell" has states with rates of their own, which linear mod'):
        linearise(hung())
