"""What commands about robots print: tables of a posture and of a path, and the same numbers for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from taut.cli.tables import show_table

if TYPE_CHECKING:
    from taut.kinetostatics.following import FollowedPath
    from taut.kinetostatics.mode_stiffness import ModeStiffness
    from taut.kinetostatics.robot import Robot
    from taut.kinetostatics.several_postures import FoundPostures
    from taut.output.model_robots import PostureFacts
    from taut.output.robot_paths import PathPostures
    from taut.statics.equilibrium import Equilibrium


def show_posture(robot: Robot, found: Equilibrium, facts: PostureFacts) -> None:
    from taut.output.model_robots import plate_places

    structure = found.structure
    show_table(("node", "x [m]", "y [m]", "z [m]"), ((name, *place) for name, place in structure.nodes.items()))
    print()
    commanded = {one.name: f"{one.quantity} {v:.6g} {one.unit}" for one, v in _valued(robot)}
    columns = {name: column.tolist() for name, column in found.columns().items()}
    rows = zip(columns["part"], columns["length"], columns["force"], strict=True)
    members = len(structure.cables) + len(structure.bars)
    show_table(
        ("member", "commanded", "length [m]", "force [N]"),
        ((part, commanded.get(part, ""), length, force) for part, length, force in list(rows)[:members]),
    )
    for plate, (x, y, z), tilt in plate_places(found):
        print(f"\nplate {plate}: centre at x {x:.6g}, y {y:.6g}, z {z:.6g} m, tilted by {tilt:.4g} deg")
    if facts.stiffness:
        print()
        show_table(
            ("way to command its cables", "lowest stiffness [N/m]", ""),
            ((name, one.lowest, verdict(one)) for name, one in facts.stiffness.items()),
        )
    answers = facts.sensitivity
    if answers is not None:
        for plate, twists in answers.plates.items():
            print(f"\nplate {plate}, by unit of every input:")
            show_table(
                ("input", "unit", *(f"{axis} [m]" for axis in "xyz"), *(f"about {axis} [rad]" for axis in "xyz")),
                (
                    (name, unit, *row)
                    for name, unit, row in zip(answers.inputs, answers.units, twists.tolist(), strict=True)
                ),
            )
    print(f"\n{found.method}: balanced to {found.residual:.1e} N after {found.iterations} steps")


def verdict(one: ModeStiffness) -> str:
    """Whether it stands."""
    from taut.reprs import counted

    if one.stable:
        return "stable"
    return f"falls in {counted(one.unstable, 'direction')}" if one.unstable else "neither stands nor falls"


def show_path(robot: Robot, way: FollowedPath, postures: PathPostures | None, asked: int) -> None:
    import numpy as np

    units = [one.unit for one in robot.commanded]
    titles = [f"{name} [{unit}]" for name, unit in zip(way.inputs, units, strict=True)]
    worst = np.abs(way.error).max(axis=1, initial=0.0) if way.error.size else np.zeros(way.times.size)
    lowest = postures.lowest_stiffness if postures is not None else np.zeros(0)
    show_table(
        ("time [s]", *titles, "largest error", "corrections", "lowest stiffness [N/m]"),
        (
            (float(way.times[k]), *way.values[k].tolist(), float(worst[k]), float(way.corrections[k]), float(lowest[k]))
            for k in range(way.times.size)
        ),
    )
    print(f"\n{way.times.size} of {asked} samples reached", end="")
    if not way.times.size:
        print()
        return
    print(f"; {way.corrections.mean():.3g} corrections each, {way.corrections.max()} at most")
    for k, label in enumerate(way.labels):
        print(f"error of {label}: {np.abs(way.error[:, k]).max():.2e}")
    cables = len(way.structure.cables)
    pull = way.member_force[:, :cables]
    low, high = (np.unravel_index(at, pull.shape)[1] for at in (pull.argmin(), pull.argmax()))
    names = list(way.structure.cables)
    print(f"tensions from {pull.min():.6g} N ({names[low]}) to {pull.max():.6g} N ({names[high]})")
    falls = int(np.count_nonzero(lowest <= 0.0))
    print(f"stable in {lowest.size - falls} of {lowest.size} postures, as commanded")


def _valued(robot: Robot) -> Iterator[tuple[Any, float]]:
    yield from zip(robot.commanded, robot.values.tolist(), strict=True)


def command_numbers(robot: Robot) -> dict[str, Any]:
    told = {one.name: {"quantity": one.quantity, "unit": one.unit, "value": v} for one, v in _valued(robot)}
    return {"inputs": told}


def fact_numbers(facts: PostureFacts) -> dict[str, Any]:
    """For programs: SI units, nothing rounded."""
    stiff = {
        name: {"lowest": finite(one.lowest), "stable": one.stable, "stiffness": one.stiffness.tolist()}
        for name, one in facts.stiffness.items()
    }
    answers = facts.sensitivity
    if answers is None:
        return {"stiffness": stiff, "sensitivity": None}
    plates = {
        plate: dict(zip(answers.inputs, twists.tolist(), strict=True)) for plate, twists in answers.plates.items()
    }
    return {"stiffness": stiff, "sensitivity": plates}


def finite(number: float) -> float | None:
    """JSON knows no infinity, which the stiffness is where nothing can move."""
    return number if abs(number) != float("inf") else None


def several_numbers(others: FoundPostures) -> list[dict[str, Any]]:
    return [
        {
            "name": one.name,
            "found": one.tries,
            "copy": one.copy,
            "nodes": {name: list(place) for name, place in one.posture.structure.nodes.items()},
            "lowest_stiffness": {name: finite(mode.lowest) for name, mode in one.stability.items()},
        }
        for one in others.found
    ]
