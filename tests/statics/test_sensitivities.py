"""Derivatives of equilibria against equilibria solved again, and compliances against loads put on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import taut
from taut.errors import ModelError, OptionError
from taut.statics.balancing import balance
from taut.statics.equilibrium import Equilibrium
from taut.statics.sensitivities import compliance, derivatives
from taut.structure.records import Material, on_plane
from taut.structure.structure import Structure

PUSH = {"top1": (20.0, 5.0, -10.0)}


def standing(bars: str) -> tuple[Structure, Equilibrium]:
    """A prism with cables of given stiffness and one of material, a guide, a load."""
    rope = Material("rope", 0.0, 2e9)
    made = (
        taut.generators.prism(3)
        .supported("bottom*")
        .with_constraints(on_plane("wall", "top2", (1.0, 2.0, 0.5)))
        .changed("cable:vertical1", stiffness=None, material=rope, radius=0.002)
    )
    return made, balance(made, loads=PUSH, bars=bars, tolerance=1e-13)


def resolved(structure: Structure, bars: str) -> np.ndarray:
    found = balance(structure, loads=PUSH, bars=bars, tolerance=1e-14)
    assert found.ok
    return np.concatenate([found.structure.positions.ravel(), found.member_force, found.reaction.ravel()])


def agree(analytic: list[np.ndarray], changed, h: float, bars: str) -> None:
    """Central differences of fourth order: [8 (f(h) - f(-h)) - (f(2h) - f(-2h))] / 12 h."""
    told = np.concatenate([part.ravel() for part in analytic])
    near = resolved(changed(h), bars) - resolved(changed(-h), bars)
    far = resolved(changed(2 * h), bars) - resolved(changed(-2 * h), bars)
    seen = (8.0 * near - far) / (12.0 * h)
    size = len(analytic[0].ravel())
    for part in (slice(0, size), slice(size, None)):
        assert np.abs(told[part] - seen[part]).max() <= 1e-8 * np.abs(seen[part]).max()


@pytest.mark.parametrize("bars", ["rigid", "compressible"])
@pytest.mark.parametrize("name", ["vertical1", "vertical2", "top1"])
@pytest.mark.parametrize("of", ["rest_length", "stiffness"])
def test_derivatives_by_cables_are_those_of_solving_again(bars: str, name: str, of: str) -> None:
    made, found = standing(bars)
    cable = made.cables[name]
    if of == "stiffness" and cable.stiffness is None:
        pytest.skip("its stiffness follows from its material")
    start = getattr(cable, of)
    told = derivatives(found, of, f"cable:{name}", bars=bars)
    assert told.parameters == (name,)

    def changed(step: float) -> Structure:
        return made.changed(f"cable:{name}", **{of: start + step})

    h = 5e-3 * start if of == "stiffness" else 3e-4 * start
    agree([told.nodes[0], told.member_force[0], told.reaction[0]], changed, h, bars)


def test_derivatives_by_support_positions_are_those_of_solving_again() -> None:
    made, found = standing("compressible")
    told = derivatives(found, "position", "node:bottom1", bars="compressible")
    assert told.parameters == ("bottom1.x", "bottom1.y", "bottom1.z")
    (touching,) = (bar for bar in made.bars.values() if "bottom1" in bar.nodes)
    by_length = derivatives(found, "rest_length", f"bar:{touching.name}", bars="compressible")
    a, b = (np.array(made.nodes[node]) for node in touching.nodes)
    unit = (b - a) / np.linalg.norm(b - a) * (1.0 if touching.nodes[1] == "bottom1" else -1.0)
    for axis in range(3):

        def changed(step: float, axis: int = axis) -> Structure:
            """A bar's length without force is then the new distance of its nodes, which counts below."""
            place = np.array(made.nodes["bottom1"])
            place[axis] += step
            loose = {name: replace(bar, length=None) for name, bar in made.bars.items()}
            return replace(made.with_nodes(bottom1=tuple(place)), bars=loose)

        parts = ("nodes", "member_force", "reaction")
        analytic = [getattr(told, part)[axis] + unit[axis] * getattr(by_length, part)[0] for part in parts]
        agree(analytic, changed, 2e-4, "compressible")


def test_the_derivative_by_a_rigid_bars_length() -> None:
    """By steps of the imposed length, which a structure itself cannot say without moving its nodes."""
    from taut.statics.equilibrium_equations import equations_of
    from taut.statics.network import network
    from taut.statics.newton import settled

    _, found = standing("rigid")
    told = derivatives(found, "rest_length", "bar:strut1")
    given = network(found.structure, loads=PUSH)
    problem = equations_of(given, "rigid", found.bar_force)
    member = given.cables + list(found.structure.bars).index("strut1")

    def at(step: float) -> np.ndarray:
        rest = problem.setting.rest_length.copy()
        rest[member] += step
        setting = problem.setting._replace(rest_length=rest)
        done = settled(problem, setting, given.positions, tolerance=1e-14)
        return np.concatenate([done.positions.ravel(), problem.tensions(done.positions, done.multipliers, setting)])

    h = 3e-4
    seen = (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h)
    size = given.positions.size
    assert np.abs(told.nodes[0].ravel() - seen[:size]).max() <= 1e-8 * np.abs(seen[:size]).max()
    assert np.abs(told.member_force[0] - seen[size:]).max() <= 1e-8 * np.abs(seen[size:]).max()


@pytest.mark.parametrize("bars", ["rigid", "compressible"])
def test_the_compliance_is_the_answer_to_a_small_load(bars: str) -> None:
    made, found = standing(bars)
    told = compliance(found, "top3", bars=bars)
    assert told == pytest.approx(told.T, rel=1e-9)
    index = list(made.nodes).index("top3")
    for axis in range(3):

        def at(step: float, axis: int = axis) -> np.ndarray:
            more = {**PUSH, "top3": tuple(step * np.eye(3)[axis])}
            return balance(made, loads=more, bars=bars, tolerance=1e-14).structure.positions[index]

        h = 0.1
        seen = (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h)
        assert np.abs(told[:, axis] - seen).max() <= 1e-8 * np.abs(told).max()


def test_a_held_axis_gives_nothing() -> None:
    _, found = standing("rigid")
    assert not compliance(found, "bottom1").any()


def test_bad_questions_are_refused() -> None:
    _, found = standing("rigid")
    with pytest.raises(OptionError, match='no node "topp3"; did you mean "top3"'):
        compliance(found, "topp3")
    with pytest.raises(OptionError, match='of = "stifness" is not one of .*did you mean "stiffness"'):
        derivatives(found, "stifness", "cable:*")
    with pytest.raises(OptionError, match='bar "strut1" is rigid, so it has no stiffness'):
        derivatives(found, "stiffness", "bar:*")
    with pytest.raises(OptionError, match='node "top1" is free'):
        derivatives(found, "position", "node:top1")
    with pytest.raises(ModelError, match="can move without any stiffness"):
        compliance(balance(taut.generators.prism(3)), "top1")
