"""From model files to statics: what acts at rest, where a model stands, what is certain of it, what a page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut.errors import TautError, listed
from taut.output.pictured import ModeShape, Still, mode_shapes, still_of
from taut.reprs import brief
from taut.statics.balancing import balance
from taut.statics.certificates import Stability, stability
from taut.statics.equilibrium import Equilibrium
from taut.statics.equilibrium_equations import BarChoice
from taut.statics.prestressing import prestress
from taut.statics.self_stress import StaticCounts, counts
from taut.statics.vibrations import modes
from taut.structure.drives import driven_members, own_value
from taut.structure.files import Model
from taut.structure.properties import route_length, stiffness
from taut.structure.scenario import Drive, Scenario
from taut.structure.signals import steady_value
from taut.structure.structure import Structure

QUICK = 5000
"""Members up to which states are counted and stability is looked at without being asked: a few seconds."""

SHOWN = 20_000
"""Members up to which a page of a model looks for its forces and modes."""

PATIENCE = 40
"""Iterations after which what is only looked at, by the way, counts as not standing near its shape."""

STILL = 1e-3
"""A model stands at its own shape where no node moves by more than this part of the model's size."""

SLACK = 1e-9
"""Strain below which a cable counts as not stretched at all."""

MODES_SHOWN = 6

FIELDS = {
    ("cable", "rest_length"): "rest_length",
    **{("cable", mode): "command" for mode in ("length", "tension", "force_density")},
    **{("bar", quantity): "length" for quantity in ("length", "rest_length")},
    ("bar", "force"): "force",
}
"""Of members, by what is driven."""


@dataclass(frozen=True)
class Certificate:
    """What can be said of a model at rest; None where it is not known, and `note` says why.

    basis: whose forces `stability` is about.
    """

    counts: StaticCounts | None = None
    stability: Stability | None = None
    basis: str = ""
    note: str = ""

    __repr__ = brief

    def facts(self) -> dict[str, Any]:
        """For tables and programs; SI units."""
        counted, found = self.counts, self.stability
        return {
            "rank": counted.rank if counted else None,
            "self_stress_states": counted.self_stress_states if counted else None,
            "mechanisms": counted.mechanisms if counted else None,
            "rigid_motions": counted.rigid_motions if counted else None,
            "stability": found.verdict if found else None,
        }

    def sentences(self) -> dict[str, str]:
        """The same in words; empty where nothing is known."""
        return {
            "self_stress_sentence": self.counts.sentence if self.counts else "",
            "stability_sentence": f"{self.basis}: {self.stability.sentence}" if self.stability else "",
            "statics_note": self.note,
        }


def steady_loads(scenario: Scenario) -> dict[str, tuple[float, float, float]]:
    """Node -> force [N] before anything happens (`steady_value`)."""
    forces: dict[str, list[float]] = {}
    for load in scenario.loads:
        forces.setdefault(load.node, [0.0, 0.0, 0.0])["xyz".index(load.axis)] += steady_value(load.signal)
    return {node: (x, y, z) for node, (x, y, z) in forces.items() if (x, y, z) != (0.0, 0.0, 0.0)}


def steady_structure(model: Model) -> Structure:
    """The structure with what is driven as it is before anything happens (`steady_value`)."""
    structure = model.structure
    for driven in driven_members(structure, model.scenario.drives):
        drive, kind, name = driven.drive, driven.kind, driven.member
        own, told = own_value(structure, kind, name), steady_value(drive.signal)
        value = told if drive.to is not None else own + told
        if value == own:
            continue
        if kind == "angle":
            angle = structure.angles[name]
            angle = replace(angle, value=value) if drive.quantity == "angle" else replace(angle, torque=value)
            structure = replace(structure, angles={**structure.angles, name: angle})
        else:
            structure = structure.changed(f"{kind}:{name}", **{FIELDS[kind, drive.quantity]: value})
    return structure


def left_out(scenario: Scenario) -> tuple[str, ...]:
    """What statics and linear models leave out, for their notes."""
    names = listed([f'"{controller.name}"' for controller in scenario.controllers])
    return (f"controllers are left out ({names}): what they command is at its start",) if names else ()


def resting(model: Model, bars: BarChoice = None, *, iterations: int = 200) -> Equilibrium:
    """Where a model comes to rest from its shape, under its gravity and the steady part of its loads and drives."""
    scenario = model.scenario
    structure, loads = steady_structure(model), steady_loads(scenario)
    found = balance(structure, gravity=scenario.gravity, loads=loads, bars=bars, iterations=iterations)
    return replace(found, notes=(*found.notes, *left_out(scenario)))


def moved(model: Model, found: Equilibrium) -> float:
    """How far the node that goes furthest goes from the model's shape to where it stands [m]."""
    places = found.structure.nodes
    ways = [np.subtract(places[node], place) for node, place in model.structure.nodes.items()]
    return float(np.linalg.norm(ways, axis=1).max(initial=0.0))


def certified(model: Model, *, full: bool = False) -> Certificate:
    """Counts and stability of a model; of a big one only if asked for in full."""
    members = len(model.structure.bars) + len(model.structure.cables)
    if members > QUICK and not full:
        return Certificate(note=f"statics is left out above {QUICK} members; ask with --full, it may take minutes")
    if not members:
        return Certificate(note="there are no members")
    try:
        counted = counts(model.structure)
    except TautError as error:
        return Certificate(note=_one_line(error))
    try:
        found, basis = _forces(model, counted)
        return Certificate(counted, stability(found), basis)
    except TautError as error:
        return Certificate(counted, note=f"stability is not known: {_one_line(error)}")


def _forces(model: Model, counted: StaticCounts) -> tuple[Equilibrium, str]:
    """The balance to judge: where the model rests, or a self-stress it could have if nothing in it pulls."""
    found = resting(model, iterations=PATIENCE)
    if not _pulls(found) and counted.self_stress_states:
        possible = _self_stress(model.structure)
        if possible is not None:
            return possible, "Nothing pulls as it is; tightened until every cable pulls"
    far = moved(model, found)
    return found, "As it stands" if far <= STILL * _size(model) else f"At rest, up to {far:.3g} m from the given shape"


def _pulls(found: Equilibrium) -> bool:
    """Whether there is more force in it than round-off of cables that are exactly as long as they want to be."""
    structure = found.structure
    scales = [(stiffness(structure, c) or 0.0) * route_length(structure, c.route) for c in structure.cables.values()]
    return float(np.abs(found.member_force).max()) > SLACK * max(scales, default=0.0)


def _self_stress(structure: Structure) -> Equilibrium | None:
    try:
        return prestress(structure, minimum=1.0)
    except TautError:
        return None


def driven_names(structure: Structure, drives: Sequence[Drive]) -> dict[str, str]:
    """Of every driven member, as in "cable:a1", the name of its drive."""
    return {f"{one.kind}:{one.member}": one.label for one in driven_members(structure, drives)}


def pictured(model: Model) -> tuple[Structure | Still, tuple[ModeShape, ...]]:
    """A model to look at: with its forces and lowest modes where it stands at its shape, else the structure alone; and
    with its driven members."""
    shown, shapes = _standing(model)
    structure = shown.structure if isinstance(shown, Still) else shown
    driven = {} if model.tree is not None else driven_names(structure, model.scenario.drives)
    if driven:
        shown = replace(shown if isinstance(shown, Still) else Still(shown), driven=driven)
    return shown, shapes


def _standing(model: Model) -> tuple[Structure | Still, tuple[ModeShape, ...]]:
    if model.tree is not None:
        from taut.trees.model_trees import plant_of_model  # Pinocchio, which few models need

        plant = plant_of_model(model.tree, model.scenario)
        return Still(plant.structure, pulleys=plant.pulleys), ()
    structure = model.structure
    if not 0 < len(structure.bars) + len(structure.cables) <= SHOWN:
        return structure, ()
    try:
        found = resting(model, iterations=PATIENCE)
    except TautError:
        return structure, ()
    if not found.ok or moved(model, found) > STILL * _size(model):
        return Still(structure, facts={"at rest": "not at this shape; `taut modes` looks for where it settles"}), ()
    if not _pulls(found):
        possible = _self_stress(structure)
        if possible is None:
            return structure, ()
        return still_of(possible, {"forces": "a self-stress with 1 N or more in every cable; as given, none pulls"}), ()
    still = still_of(found, _judged(found))
    try:
        return still, mode_shapes(modes(found, MODES_SHOWN))
    except TautError:
        return still, ()


def _judged(found: Equilibrium) -> dict[str, str]:
    """The verdict for a summary; nothing where it would take long or is not known."""
    try:
        return {"stability": stability(found).verdict} if found.member_force.size <= QUICK else {}
    except TautError:
        return {}


def _size(model: Model) -> float:
    return float(np.linalg.norm(np.ptp(model.structure.positions, axis=0)))


def _one_line(error: TautError) -> str:
    return str(error).splitlines()[0]
