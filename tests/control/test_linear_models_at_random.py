"""Linear models against derivatives of the equations themselves, at rest and moving, on random structures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from by_differences import STEP, change
from hypothesis import assume, given, reject, settings
from hypothesis.strategies import SearchStrategy
from mixed_cases import Mixed, mixed_cases
from scipy.linalg import null_space

from taut import LinearModel, Load, linearise
from taut.errors import ModelError

SOME = settings(max_examples=60, derandomize=True, deadline=None)
FEW = settings(SOME, max_examples=8)


def more_often(test: Any, some_cases: SearchStrategy[Mixed]) -> Any:
    """A quick test once more, as often as the others."""
    return pytest.mark.slow(SOME(given(some_cases)(test.hypothesis.inner_test)))


def tangent(case: Mixed, y: np.ndarray) -> np.ndarray:
    """Small changes of [q, v] that constraints and supports allow, as columns: G dq = 0 and d(G v)/dq dq + G dv = 0."""
    dense, size = case.rigid, y.size // 2
    q, v = y[:size], y[size : 2 * size]
    rows = dense.jacobian(q)
    bent = np.stack([dense.jacobian(way) @ v for way in np.eye(size)], axis=1)  # of bars G is linear in q ...
    bent[len(dense.bars) :] = 0.0  # ... and of all others it is constant
    whole = np.block([[rows, np.zeros_like(rows)], [bent, rows]])
    return null_space(whole / np.maximum(np.linalg.norm(whole, axis=1), 1e-300)[:, None], rcond=1e-9)


def check_against_rate(case: Mixed, model: LinearModel) -> None:
    plant, y = case.plant, np.append(model.about, 0.0)
    compiled = plant.operations()["rate"]
    ways = tangent(case, y)
    assert ways.shape[1] == len(model.states)
    assert np.linalg.matrix_rank(model.reading @ ways) == len(model.states)

    def rate(state: np.ndarray) -> np.ndarray:
        out = np.zeros(state.size)
        compiled(plant.pack, case.time, state.copy(), out)
        return out[:-1]

    biggest = max(1.0, np.abs(model.A).max(initial=0.0), np.abs(rate(y)).max())
    for way in ways.T:
        moved = model.reading @ change(rate, y, way)
        np.testing.assert_allclose(model.A @ model.reading @ way, moved, rtol=0.0, atol=1e-9 * biggest)
    moved = model.reading @ rate(y)
    np.testing.assert_allclose(model.drift, moved, rtol=0.0, atol=1e-9 * max(1.0, np.abs(moved).max(initial=0.0)))


def clear_of_kinks(case: Mixed, y: np.ndarray | None = None) -> bool:
    """Whether no cable is so close to slack, or to being let go by its damper, that a difference would cross over."""
    cables, y = case.plant.tables["springs"], case.state if y is None else y
    ends = cables.first[:, None] + np.arange(3), cables.second[:, None] + np.arange(3)
    span, rate = (part[ends[1]] - part[ends[0]] for part in (y[: y.size // 2], y[y.size // 2 :]))
    length = np.linalg.norm(span, axis=1)
    stretch, stretching = length - cables.rest_length, np.sum(span * rate, axis=1) / length
    pull = cables.stiffness * stretch + cables.damping * stretching
    reach = 8.0 * STEP * (cables.stiffness + cables.damping * (1.0 + np.abs(y).max()))
    clear = (np.abs(stretch) > 8.0 * STEP) & (np.abs(pull) > reach)
    return bool(case.plant.tables["nodes"].free.size and np.all(clear | np.isinf(cables.least)))


@pytest.mark.slow
@SOME
@given(mixed_cases())
def test_a_moving_state_off_balance_is_linearised_as_the_kernels_move(case: Mixed) -> None:
    assume(clear_of_kinks(case))
    check_against_rate(case, linearise(case.plant, time=case.time))


@pytest.mark.slow
@SOME
@given(mixed_cases())
def test_a_state_at_rest_too(case: Mixed) -> None:
    still = replace(case, velocities=np.zeros_like(case.velocities))
    assume(clear_of_kinks(still))
    check_against_rate(still, linearise(still.plant, time=case.time))


def outputs_of(case: Mixed) -> list[str]:
    structure = case.structure
    names = ["cable:*.tension", "cable:*.length"] if structure.cables else []
    return [*names, *(["bar:*.tension", "bar:*.length"] if structure.bars else [])]


def members_seen(case: Mixed, state: np.ndarray) -> np.ndarray:
    """What `outputs_of` names, as a run shows it; bars as long as their nodes are apart."""
    plant, structure = case.plant, case.structure
    out = plant.observed(plant.pack, np.array([case.time]), state[None].copy())
    parts = [out["cable_tension"][0], out["cable_length"][0]] if structure.cables else []
    if structure.bars:
        places = dict(zip(structure.nodes, out["nodes"][0], strict=True))
        spans = [places[bar.nodes[1]] - places[bar.nodes[0]] for bar in structure.bars.values()]
        parts += [out["bar_force"][0], np.linalg.norm(spans, axis=1)]
    return np.concatenate(parts) if parts else np.zeros(0)


def check_outputs(case: Mixed, model: LinearModel) -> None:
    """C and offset of positions, velocities and `outputs_of` against what a run shows."""
    moving, y = case.plant.tables["nodes"].free, np.append(model.about, 0.0)

    def seen(state: np.ndarray) -> np.ndarray:
        q, v = state[:-1].reshape(2, -1)
        return np.concatenate([q[moving], v[moving], members_seen(case, state)])

    np.testing.assert_allclose(model.offset, seen(y), rtol=0.0, atol=1e-9 * max(1.0, np.abs(seen(y)).max()))
    for way in tangent(case, y).T[:4]:
        shown = change(seen, y, way)
        atol = 1e-9 * max(1.0, np.abs(shown).max(), np.abs(model.offset).max())
        np.testing.assert_allclose(model.C @ model.reading @ way, shown, rtol=0.0, atol=atol)


@FEW
@given(mixed_cases(guided=True))
def test_what_is_seen_changes_as_the_run_would_show_it(case: Mixed) -> None:
    assume(clear_of_kinks(case))
    outputs = ["node:*.position", "node:*.velocity", *outputs_of(case)]
    check_outputs(case, linearise(case.plant, outputs=outputs, time=case.time))


test_what_is_seen_changes_often = more_often(
    test_what_is_seen_changes_as_the_run_would_show_it, mixed_cases(guided=True)
)


@FEW
@given(mixed_cases(moved=True))
@pytest.mark.slow
def test_supports_that_move_are_where_they_are_then(case: Mixed) -> None:
    assume(case.motions)
    outputs = ["node:*.position", "node:*.velocity", *outputs_of(case)]
    try:
        model = linearise(case.plant, outputs=outputs, time=case.time)
    except ModelError as error:
        assert "cannot all be met" in str(error)
        reject()  # supports tear rigid bars apart
    assume(clear_of_kinks(case, np.append(model.about, 0.0)))
    assert any(note.startswith("supports move (") for note in model.notes)
    check_against_rate(case, model)
    check_outputs(case, model)


test_supports_that_move_often = more_often(test_supports_that_move_are_where_they_are_then, mixed_cases(moved=True))


@pytest.mark.slow
@FEW
@given(mixed_cases(loaded=False))
def test_inputs_do_what_the_same_change_of_the_plant_does(case: Mixed) -> None:
    assume(clear_of_kinks(case))
    structure, plant = case.structure, case.plant
    names = [f"cable:{name}.rest_length" for name in structure.cables]
    names += [f"bar:{name}.rest_length" for name in case.soft]
    outputs = ["node:*.velocity", *outputs_of(case)]
    model = linearise(plant, inputs=["node:*.force", *names], outputs=outputs, time=case.time)
    moving, y, h = plant.tables["nodes"].free, np.append(model.about, 0.0), 1e-6

    def response(changed: Mixed) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations, and what can be seen at once."""
        out, other = np.zeros(y.size), changed.plant
        other.operations()["rate"](other.pack, case.time, y.copy(), out)
        return out[y.size // 2 + moving], np.concatenate([np.zeros(moving.size), members_seen(changed, y)])

    for k, name in enumerate(model.inputs):
        both = []
        for sign in (1.0, -1.0):
            if name.startswith("node:"):
                node, _, axis = name.removeprefix("node:").split(".")
                changed = replace(case, loads=(Load(node, axis, sign * h),))
            elif name.startswith("cable:"):
                cable = name.removeprefix("cable:").removesuffix(".rest_length")
                rest = structure.cables[cable].rest_length + sign * h
                changed = replace(case, structure=structure.changed(f"cable:{cable}", rest_length=rest))
            else:
                bar = name.removeprefix("bar:").removesuffix(".rest_length")
                rest = structure.bars[bar].length + sign * h
                changed = replace(case, structure=structure.changed(f"bar:{bar}", length=rest))
            both.append(response(changed))
        jump, at_once = ((a - b) / (2.0 * h) for a, b in zip(*both, strict=True))
        atol = 1e-5 * max(1.0, np.abs(jump).max(initial=0.0), np.abs(at_once).max(initial=0.0))
        np.testing.assert_allclose((model.C @ model.B[:, k])[: moving.size], jump, rtol=0.0, atol=atol, err_msg=name)
        np.testing.assert_allclose(model.D[:, k], at_once, rtol=0.0, atol=atol, err_msg=name)


test_inputs_often = more_often(test_inputs_do_what_the_same_change_of_the_plant_does, mixed_cases(loaded=False))
