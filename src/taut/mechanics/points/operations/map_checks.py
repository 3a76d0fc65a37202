"""What is looked at about the start of a map: whether derivatives of its function by complex steps are those by
differences, and how far differences go. Nothing is taken for a sensible size of a coordinate, whose unit is not known.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from taut.errors import ModelError, Problem
from taut.mechanics.points.generalised_tables import WAY
from taut.mechanics.points.mapped import TINY
from taut.numerics.differences import fitting_step
from taut.structure.coordinates import CoordinateMap
from taut.structure.structure import Structure

BESIDE = 5.0
"""Steps from the start to where derivatives are looked at once more: |q| is smooth by both at q = 0."""
FARTHEST = 1e9
"""From here down a step is looked for where complex steps say that nothing moves; any coordinate is less."""
WRONG = 1e-8
"""Of the size of a structure: how far apart the two may put a node, a step away."""


def fitting_steps(structure: Structure, given: CoordinateMap, most: np.ndarray) -> np.ndarray:
    """(m,) how far each coordinate goes from the start in differences of columns of dx/dq, at most so far.

    It may move nodes by nearly nothing there, as at a dead centre, and bend their way all the same.
    """

    def column(k: int) -> Callable[[float], np.ndarray]:
        places = _along(structure, given, k, 1j * TINY)
        return lambda s: places(s).imag / TINY

    return np.array([fitting_step(column(k), one) for k, one in enumerate(most)])


def _steps_by_places(structure: Structure, given: CoordinateMap, most: float) -> np.ndarray:
    """(m,) how far each goes in differences of places, which move nodes by so much at most [m]."""
    steps = []
    for k, value in enumerate(given.values):
        moved = np.abs(_along(structure, given, k, 1j * TINY)(0.0).imag).max() / TINY
        farthest = most / moved if moved > 0.0 else FARTHEST * max(1.0, abs(value))
        steps.append(fitting_step(_along(structure, given, k, 0.0), farthest))
    return np.array(steps)


def _along(structure: Structure, given: CoordinateMap, k: int, beside: complex) -> Callable[[float], np.ndarray]:
    """What the function returns along a coordinate, from a place beside the start; not a number where it ends."""
    q, way = np.array(given.values, dtype=float), np.eye(len(given.values))[k]
    ended = np.full(3 * len(given.placed(structure)), np.nan + 1j * np.nan)

    def places(s: float) -> np.ndarray:
        try:
            with np.errstate(all="ignore"):
                return np.asarray(given.function(q + (s + beside) * way)).ravel()
        except Exception:
            return ended

    return places


def check_function(structure: Structure, given: CoordinateMap) -> None:
    """Raise ModelError where the function gives no places, others than the structure has at the start, or derivatives
    by complex steps that are not those by differences."""
    nodes, count = given.placed(structure), len(given.names)
    q = np.array(given.values, dtype=float)

    def problem(told: str) -> ModelError:
        return ModelError([Problem(("map", "function"), told)])

    def found(z: np.ndarray, at: str) -> np.ndarray:
        try:
            places = np.asarray(given.function(z))
        except Exception as error:
            raise problem(f"{at} it raised {type(error).__name__}: {error}") from error
        if places.shape not in ((len(nodes), 3), (3 * len(nodes),)):
            told = f"{at} it returned an array of shape {places.shape} for {len(nodes)} nodes; return ({len(nodes)}, 3)"
            raise problem(told)
        flat = np.asarray(places.reshape(-1), dtype=complex)
        if not np.isfinite(flat).all():
            node = nodes[int(np.flatnonzero(~np.isfinite(flat))[0]) // 3]
            raise problem(f'{at} node "{node}" is at no finite place; choose coordinates that are fit for the start')
        return flat

    start = found(q, "at the start")
    wanted = structure.positions[[list(structure.nodes).index(node) for node in nodes]]
    size = float(np.ptp(structure.positions, axis=0).max(initial=0.0)) or 1.0
    apart = np.linalg.norm(start.real.reshape(-1, 3) - wanted, axis=1)
    if apart.max(initial=0.0) > 1e-9 * size:
        node = nodes[int(np.argmax(apart))]
        told = f'at the start it puts node "{node}" {apart.max():.3g} m from where the structure has it'
        raise problem(f"{told}; change the values, or the structure")
    steps = _steps_by_places(structure, given, WAY * size)
    beside = q + BESIDE * steps * np.cos(np.arange(1.0, count + 1.0))
    for place, at in ((q, "at the start"), (beside, "beside the start")):
        for k in range(count):
            name, way, step = given.names[k], np.eye(count)[k], 0.1 * steps[k]
            try:
                exact = found(place + 1j * TINY * way, f'by a complex step of the coordinate "{name}"').imag / TINY
                near = [found(place + j * step * way, f'near the start, along "{name}",').real for j in (-2, -1, 1, 2)]
            except ModelError:
                if place is beside:
                    break  # it may end there
                raise
            slope = (near[0] - 8.0 * near[1] + 8.0 * near[2] - near[3]) / (12.0 * step)
            off = np.abs(exact - slope)
            if off.max(initial=0.0) * steps[k] > WRONG * size:
                worst = int(np.argmax(off))
                raise problem(
                    f'its derivative by the coordinate "{name}" is {exact[worst]:.6g} by a complex step and '
                    f'{slope[worst]:.6g} by differences {at}, for node "{nodes[worst // 3]}": it is not smooth there, '
                    "or drops imaginary parts; leave out abs, norm, atan2, max and comparisons"
                )
