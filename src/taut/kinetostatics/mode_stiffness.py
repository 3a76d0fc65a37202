"""Whether a posture stands depends on what is held of its cables: the tension, the length, or neither.

At one shape with one set of tensions, cables may be commanded by tension, end in springs, or be held at their lengths.
The posture is the same; its stiffness on the motions that constraints allow is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from taut.errors import OptionError
from taut.kinetostatics.robot import Robot
from taut.kinetostatics.stationary import allowed_ways
from taut.reprs import brief
from taut.statics.commands import pulling
from taut.statics.equilibrium import Equilibrium
from taut.statics.linearised import linearised
from taut.structure.properties import axial_rigidity
from taut.structure.records import Cable
from taut.structure.selectors import select
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

FLAT = 1e-9
"""A stiffness below this part of the largest is none."""

MODES = ("tension", "spring", "length", "force_density")


@dataclass(frozen=True)
class ModeStiffness:
    """A posture under one way to command its cables.

    stiffness: (d,) eigenvalues of the tangent stiffness on the motions that constraints allow, by nodal displacement,
        from the lowest on [N/m]. softest: (n, 3) the motion of the lowest one, of unit length over all nodes.
    """

    name: str
    modes: Mapping[str, str]
    stiffness: np.ndarray
    softest: np.ndarray

    __repr__ = brief

    @property
    def lowest(self) -> float:
        """[N/m]; infinite where nothing can move."""
        return float(self.stiffness[0]) if self.stiffness.size else np.inf

    @property
    def unstable(self) -> int:
        """In how many directions it falls."""
        return int(np.count_nonzero(self.stiffness < -FLAT * np.abs(self.stiffness).max(initial=0.0)))

    @property
    def stable(self) -> bool:
        return self.lowest > FLAT * float(np.abs(self.stiffness).max(initial=0.0))


def reduced_stiffness(posture: Equilibrium) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (d,) [N/m] and motions (d, n, 3) of a posture as its cables are commanded."""
    view = linearised(posture)
    ways = allowed_ways(view.rows.toarray())
    values, vectors = np.linalg.eigh(ways.T @ view.stiffness.toarray() @ ways)
    motions = np.zeros((values.size, view.positions.size))
    motions[:, view.problem.free] = (ways @ vectors).T
    return values, motions.reshape(-1, *view.positions.shape)


def control_modes(robot: Robot) -> dict[str, dict[str, str]]:
    """Five ways to command the cables of a robot: name -> selector -> mode.

    Active cables are its inputs; passive ones have a stiffness and are no inputs. All others stay as they are.
    """
    active = [one.name for one in robot.commanded if one.name.startswith("cable:")]
    passive = [
        f"cable:{cable.name}"
        for cable in robot.structure.cables.values()
        if f"cable:{cable.name}" not in active and _sprung(cable)
    ]

    def ways(of_active: str, of_passive: str) -> dict[str, str]:
        return {**dict.fromkeys(active, of_active), **dict.fromkeys(passive, of_passive)}

    return {
        "all tensions constant": ways("tension", "tension"),
        "active tensions, passive springs": ways("tension", "spring"),
        "active lengths locked, passive tensions": ways("length", "tension"),
        "active lengths locked, passive springs": ways("length", "spring"),
        "all lengths locked": ways("length", "length"),
    }


def _sprung(cable: Cable) -> bool:
    return cable.stiffness is not None or axial_rigidity(cable) is not None


@checked_arguments
def stiffness_by_mode(posture: Equilibrium, modes: Mapping[str, Mapping[str, str]] | Robot) -> dict[str, ModeStiffness]:
    """The stiffness of a posture under each way to command its cables.

    modes: name -> selector -> "tension", "spring", "length" or "force_density"; of a Robot those of `control_modes`.
    """
    chosen = control_modes(modes) if isinstance(modes, Robot) else modes
    found = {}
    for name, ways in chosen.items():
        values, motions = reduced_stiffness(recommanded(posture, ways))
        softest = motions[0] if values.size else np.zeros((len(posture.structure.nodes), 3))
        found[name] = ModeStiffness(name, dict(ways), values, softest)
    return found


def recommanded(posture: Equilibrium, modes: Mapping[str, str]) -> Equilibrium:
    """The same posture with cables commanded otherwise: at the tensions and lengths that they have in it."""
    structure = posture.structure
    cables = dict(structure.cables)
    tension = dict(zip(structure.cables, posture.cable_tension.tolist(), strict=True))
    for selector, mode in modes.items():
        if mode not in MODES:
            raise OptionError(f'"{selector}" = "{mode}" is not one of {", ".join(MODES)}')
        for name in select(structure, selector, "cable")[1]:
            cables[name] = replace(cables[name], mode=mode, command=None)
    changed = {name: _pulling(structure, cable, tension[name]) for name, cable in cables.items()}
    return replace(posture, structure=replace(structure, cables=changed))


def _pulling(structure: Structure, cable: Cable, tension: float) -> Cable:
    if cable.mode == "spring" and not _sprung(cable):
        raise OptionError(
            f'cable "{cable.name}" cannot be a spring: its stiffness is not known; give it one, or another mode'
        )
    if cable == structure.cables[cable.name]:
        return cable
    return pulling(structure, cable, tension)


def told(found: Mapping[str, ModeStiffness]) -> str:
    """One line for each way."""
    return "\n".join(
        f"{one.name}: {'stable' if one.stable else 'unstable'}, lowest stiffness {one.lowest:.4g} N/m"
        + (f", falls in {one.unstable} directions" if one.unstable else "")
        for one in found.values()
    )
