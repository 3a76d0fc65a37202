"""Which plants can go live, and how: the module that moves them, the hand that pulls at them, the method they take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut.dynamics.methods import method_for
from taut.dynamics.methods.tableau import Implicit, Impulses, Method
from taut.dynamics.settings import Settings
from taut.dynamics.simulating import correction_for
from taut.errors import OptionError, listed
from taut.live.entries import Loop
from taut.live.modules import LOOPS
from taut.mechanics.assemble import reassembled
from taut.mechanics.plant import Plant
from taut.mechanics.plant_protocol import PlantProtocol
from taut.mechanics.spec import Spec
from taut.structure.drives import QUANTITIES
from taut.structure.scenario import Drive, Load
from taut.structure.signals import Command, Constant, Signal

HAND = "hand"
"""Loads along x, y and z that the pointer pulls with; their node is that which is held."""

GROUND_STEP = 1e-3
"""[s] of steps with impulses, where a model says none."""

KINDS: Mapping[str, str] = {
    "routes": "cables over guides, and members whose force is commanded: make them straight springs",
    "torques": "free angles: take the springs and torques off them",
    "compliances": "grounds that give way: take the compliance off, and they are rigid",
    "held_lengths": "cables held at a length: give them a stiffness",
    "plates": "plates: make frames of bars in their place",
    "angles": "angles that are held",
    "supports": "supports that move: let them stand still",
    "commands": "commands: give them as numbers",
    "controllers": "controllers and sensors: take them out, and command by hand",
    "cylinders": "compressible bars with the inertia of cylinders: make them rigid",
    "minres": "the iterative solver: leave the solver out",
}
"""What no module has, and what to do."""


@dataclass(frozen=True)
class Live:
    """A plant that can go live.

    module: by its name in `taut.live.modules.LOOPS`. inputs: drives that are a number, by name, which sliders move.
    told: what is done otherwise than the model says.
    """

    settings: Settings
    plant: Plant
    module: str
    inputs: Mapping[str, float]
    drives: tuple[Drive, ...]  # as the model has them
    told: tuple[str, ...]


def live_plant(
    plant: PlantProtocol,
    *,
    method: str = "dp5",
    tolerance: float = 1e-8,
    step: float | None = None,
    correction: Any = None,
) -> Live:
    """Raises OptionError where a plant cannot go live, with what of it and what to do."""
    if not isinstance(plant, Plant):
        raise OptionError("a plant in coordinates of its own cannot go live; leave the joints out")
    if not plant.compiled:
        raise OptionError("loads and drives that are Python functions cannot go live; give them as signals")
    missing = _missing(plant)
    if missing:
        parts = listed([f"it has {words}" for words in missing], most=4)
        raise OptionError(f"this plant cannot go live: {parts}")
    grounded = "contacts" in plant.spec.terms
    if grounded and plant.things:
        names = listed([thing.watch.name for thing in plant.things], most=4)
        raise OptionError(f"on a ground nothing is watched in a live page: leave out the events {names}")
    told: tuple[str, ...] = ()
    chosen = method_for(method, tolerance, step)
    if grounded and not isinstance(chosen, Impulses):
        told = (f'method "impulses" in steps of {step or GROUND_STEP:g} s in the place of "{method}"',)
        method, step, correction = "impulses", step or GROUND_STEP, None
    elif not grounded and (not isinstance(chosen, Method) or isinstance(chosen, Implicit)):
        told = (f'method "dp5" with tolerance {tolerance:g} in the place of "{method}"',)
        method, step, correction = "dp5", None, None
    name = f"class_{'1' if plant.spec.system == 'pairs' else 'k'}{'_on_ground' if grounded else ''}"
    inputs = {drive.name: value for drive in plant.given.drives if (value := _number(drive)) is not None}
    widened = _with_hand(plant, LOOPS[name], inputs)
    wish = correction_for(correction, method_for(method, tolerance, step))
    settings = Settings(widened, method, tolerance, step, wish, dense=False, locate=not grounded)
    return Live(settings, widened, name, inputs, plant.given.drives, told)


def _missing(plant: Plant) -> list[str]:
    """What a plant has and no module."""
    spec = plant.spec
    own = {kind for made in LOOPS.values() for kind in (*made.spec.terms, *made.spec.rows, *made.spec.imposed)}
    has = [*spec.terms, *spec.rows, *spec.imposed, spec.inertia, spec.system]
    unknown = [kind for kind in has if kind not in own and kind not in ("thin", "pairs", "saddle")]
    return [KINDS.get(kind, f'elements of the kind "{kind}": take them out') for kind in unknown]


def _number(drive: Drive) -> float | None:
    """What a drive's signal is where it is a number."""
    signal: Signal = drive.signal
    if isinstance(signal, Constant):
        return float(signal.value)
    return float(signal) if isinstance(signal, int | float) else None


def _with_hand(plant: Plant, made: Loop, inputs: Mapping[str, float]) -> Plant:
    """The plant as one of a module's Spec, with a hand, and drives that are numbers as commands."""
    given, first = plant.given, next(iter(plant.structure.nodes))
    hand = tuple(Load(first, axis, Constant(0.0), name=f"{HAND} {axis}") for axis in "xyz")
    drives = tuple(_commanded(drive, inputs.get(drive.name)) for drive in given.drives)
    given = replace(given, loads=(*given.loads, *hand), drives=drives)

    def wider(spec: Spec) -> Spec:
        return made.spec

    widened = reassembled(given, plant.things, iterative=False, wider=wider)
    return replace(widened, positions=plant.positions, velocities=plant.velocities)


def _commanded(drive: Drive, value: float | None) -> Drive:
    """A drive whose number can be changed; smoothly, since lengths of bars cannot jump."""
    if value is None:
        return drive
    return replace(drive, by=Command(value)) if drive.to is None else replace(drive, to=Command(value))


def hand_strength(plant: Plant, tick: float) -> tuple[float, float]:
    """Stiffness [N/m] and damping [N s/m] of the hand: it lifts the whole with half a size of stretch, and is no
    stiffer than a force that is told anew every tick [s] can be."""
    places = plant.positions
    size = float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
    weighing = weighing_of(plant)
    whole, lightest = float(weighing.sum()), float(weighing[weighing > 0.0].min(initial=np.inf))
    gravity = float(np.linalg.norm(plant.given.gravity)) or 9.81
    wanted = 2.0 * whole * gravity / size
    stiffness = min(wanted, 0.05 * lightest / tick**2)
    return stiffness, min(2.0 * 0.3 * np.sqrt(stiffness * lightest), 0.2 * lightest / tick)


def weighing_of(plant: Plant) -> np.ndarray:
    """(n,) the mass [kg] that gravity pulls at each node."""
    from taut.mechanics.inertia.masses import inertia

    return np.asarray(inertia(plant.structure).weighing)


def is_smooth(drive: Drive) -> bool:
    """Whether what is driven cannot jump."""
    return QUANTITIES[drive.quantity].smooth
