"""Structures of two to four nodes, one for everything a plant can be made of, and how far methods may be apart on them.

Bars have 1.5 to 2 kg, so that their ends resist with 0.3 kg or more, and are held by 400 to 1300 N/m, compressible ones
by 1200 N/m along themselves: everything swings with at most some 90 rad/s. Ends start with 0.3 m/s or more.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from taut import (
    Angle,
    Bar,
    Cable,
    Command,
    Compliance,
    Controller,
    Damping,
    Drive,
    Ground,
    Load,
    Motion,
    Plane,
    Plate,
    Sinusoid,
    Structure,
    assemble,
    on_plane,
)
from taut.control import LinearLaw
from taut.dynamics.methods import METHODS
from taut.mechanics.capabilities import (
    ANSWERING,
    COMPLIANT,
    COORDINATES,
    CYLINDERS,
    DAMPING,
    GROUND,
    HELD,
    ITERATIVE,
    JOINTS,
    MOVED,
    NO_GROUND,
    NO_SECANT,
    YIELDING_UNDER_JOINTS,
)
from taut.mechanics.points.following_joints import in_coordinates
from taut.mechanics.points.lagrangian import LagrangianPlant
from taut.structure.joints import Joint

KINDS = Path(__file__).parent / "extending"
sys.path.insert(0, str(KINDS))

# Always in this order: kinds get their slots as they come, and kernels are kept compiled by slot.
from ground_spring import GroundSpring  # noqa: E402
from maxwell import Maxwell as Maxwell  # noqa: E402
from on_sphere import OnSphere  # noqa: E402
from wound_cable import WoundCable  # noqa: E402

GRAVITY = 9.81
FASTEST = 90.0
"""[rad/s], what anything here swings with at most: the step times this is what a method's error goes with."""
REACH = 0.05
"""[m], the amplitude of anything that swings here."""
ROUND_OFF = 1e-11
"""[m], of dp8 at 1e-12 and of what is compared with it, over a tenth of a second or so."""

STEPS = {"rk4": 2.5e-4, "rattle2": 1e-4, "rattle4": 2.5e-4, "rattle6": 1e-3, "rattle8": 1e-3, "impulses": 1e-5}
STEPS |= {"energy-momentum": 1e-5}
TOLERANCES = {"dp5": 1e-10, "dp8": 1e-12, "implicit3": 1e-9, "implicit4": 1e-9}


def options_of(method: str) -> dict[str, float]:
    """A step or a tolerance, as the method has it."""
    return {"step": STEPS[method]} if method in STEPS else {"tolerance": TOLERANCES[method]}


def allowance(method: str, duration: float) -> float:
    """[m], how far a run may be from dp8 at 1e-12.

    Equal steps h of order p: every step adds at most REACH (FASTEST h)^(p + 1), there are duration / h of them, and
    what they add is carried on without growth: 2e-5 m for rattle2, 1e-7 m and less for the others. Steps by tolerance:
    the error of a step is less than the tolerance times a member's length (1 m), and there are fewer than 1000 of
    them; errors add up with either sign, so that a hundred times the tolerance is on the safe side.
    """
    if method in TOLERANCES:
        return 100.0 * TOLERANCES[method] + ROUND_OFF
    step = STEPS[method]
    order = METHODS[method].order
    return REACH * (FASTEST * step) ** (order + 1) * duration / step + ROUND_OFF


@dataclass(frozen=True)
class Case:
    """A plant by its solver, and what of it not everything goes with, by hand: feature -> what is named.

    meets: whether bars meet or there are other rows, so that a solver is asked at all.
    """

    made: Callable[[str], Any]
    features: dict[str, str]
    meets: bool = True
    nodal: bool = True


def pair_of(law: str = "cable") -> Structure:
    """One bar hung by two cables, so that no bars meet."""
    cables = [Cable(f"c{end}", ("top", end), rest_length=0.95, stiffness=400.0, law=law) for end in "ab"]
    return Structure(
        {"top": (0.0, 0.0, 0.0), "a": (-0.5, 0.0, -0.9), "b": (0.5, 0.1, -0.95)},
        [Bar("ab", ("a", "b"), mass=2.0)],
        cables,
        supports={"top": "xyz"},
    )


def two_bars(**bar: Any) -> Structure:
    """Two bars that meet, hung by two cables; the lower one swings freely."""
    bars = [Bar("ab", ("a", "b"), mass=2.0, **bar), Bar("bc", ("b", "c"), mass=1.5, **bar)]
    cables = [Cable(f"c{end}", ("top", end), rest_length=0.95, stiffness=400.0) for end in "ac"]
    return Structure(
        {"top": (0.0, 0.0, 0.0), "a": (-0.5, 0.0, -0.9), "b": (0.0, 0.2, -1.4), "c": (0.5, 0.1, -0.95)},
        bars,
        cables,
        supports={"top": "xyz"},
    )


def cylinders() -> Structure:
    """Two compressible cylinders of 5 cm, soft enough to be followed by explicit steps."""
    return two_bars(law="compressible", inertia="cylinder", radius=0.05, stiffness=1200.0)


def compressible() -> Structure:
    """Two compressible bars, thin."""
    return two_bars(law="compressible", stiffness=1200.0)


def lumped() -> Structure:
    """Two bars with half of their mass at either end."""
    return two_bars(inertia="lumped")


def plated() -> Structure:
    """A thick plate hung by two cables, with a bar at a corner whose angle with an edge is held."""
    corners = two_bars()
    return Structure(
        {**corners.nodes, "d": (0.9, 0.2, -1.3)},
        [Bar("cd", ("c", "d"), mass=1.5)],
        corners.cables,
        supports=corners.supports,
        plates=[Plate("abc", ("a", "b", "c"), mass=2.0, thickness=0.3)],
        angles=[Angle("knee", "bar:cd", ("c", "b"))],
    )


def sprung_joint() -> Structure:
    """Two bars that meet, with a spring between them and a torque."""
    bare = two_bars()
    joint = Angle("joint", "bar:ab", "bar:bc", value=1.0, mode="free", stiffness=15.0, torque=-4.0)
    return bare.with_angles(joint)


RATES = (0.1, -0.3, 0.2, 0.5, 0.3)
"""Of the upper bar in joints [m/s, rad/s]."""
SHAKEN = (Motion("top", "x", displacement=Sinusoid(0.01, 5.0)),)
SPEEDS = {"a": (0.0, 0.3, 0.0), "b": (0.1, -0.3, 0.2)}
CUSHION = GroundSpring("a", 900.0, 2e4, level=-0.85)
SPHERE = OnSphere("a", (-0.5, 0.0, -1.2), 0.3)
WINCH = WoundCable("ca", 0.95, 0.05, 4.0)


DRIVEN = (
    Drive("strut", "bar:bc", "length", by=Sinusoid(0.04, 3.0)),
    Drive("winch", "cable:ca", "rest_length", by=Sinusoid(0.05, 4.0)),
)


DEEP = Ground("floor", Plane(point=(0.0, 0.0, -5.0)), friction=0.3)
"""Which nothing here reaches."""
FLOOR = Ground("floor", Plane(point=(0.0, 0.0, -1.401)), friction=0.3)
"""Below the pair, which falls into its cables, and a millimetre below two bars that meet."""

WALL = Ground(
    "wall",
    Plane((0.0, -1.0, 0.0), (0.0, 4e-3, 0.0)),
    friction=0.3,
    touched_by=("node:a",),
    compliance=Compliance(stiffness=1500.0, damping=20.0),
)
"""Node a runs into it, and slides up along it."""


SOFT = replace(FLOOR, compliance=Compliance(stiffness=1500.0, damping=20.0))
YIELDING = {
    JOINTS: "",
    NO_GROUND: "",
    COMPLIANT: 'the ground "floor"',
    DAMPING: 'the ground "floor"',
    YIELDING_UNDER_JOINTS: 'the ground "floor"',
}


def pushing(rate: float | None) -> Controller:
    """A PD that pushes node b along x, at a rate or at every evaluation."""
    measured = ("node:b.position.x", "node:b.velocity.x")
    return Controller("pd", measured, ("push",), LinearLaw(np.array([[-60.0, -4.0]])), rate=rate)


def _without_secant(structure: Callable[[], Structure], elements: tuple[Any, ...]) -> str:
    """The first thing whose work over a step is not known exactly."""
    if structure in (plated, string):
        return 'angle "knee"' if structure is plated else 'cable "string"'
    if structure is sprung_joint:
        return f'the free angle "{next(iter(structure().angles))}"'
    return 'the kind "ground_spring"' if CUSHION in elements else ""


def _case(
    structure: Callable[[], Structure],
    *elements: Any,
    moved: bool = False,
    damped: str = "",
    meets: bool = True,
    drives: tuple[Drive, ...] = (),
    controller: Controller | None = None,
    ground: Ground | None = None,
) -> Case:
    def made(solver: str) -> Any:
        return assemble(
            structure(),
            gravity=GRAVITY,
            velocities=SPEEDS,
            motions=SHAKEN if moved else (),
            drives=drives,
            ground=[ground] if ground else (),
            loads=[Load("b", "x", Command(), name="push")] if controller else (),
            controllers=[controller] if controller else (),
            damping=Damping(node=0.4) if damped else None,
            elements=elements,
            solver=solver,
        )

    features = {MOVED: 'node "top"'} if moved else {}
    features |= {HELD: 'cable "string"'} if structure is string else {}
    if ground is not None:
        features |= {GROUND if ground.compliance is None else COMPLIANT: f'the ground "{ground.name}"'}
        features |= {DAMPING: f'the ground "{ground.name}"'} if ground.compliance is not None else {}
    features |= {DAMPING: damped} if damped else {}
    features |= {NO_SECANT: _without_secant(structure, elements)} if _without_secant(structure, elements) else {}
    features |= {CYLINDERS: "2"} if structure is cylinders else {}
    if controller is not None and controller.rate is None:
        features |= {ANSWERING: f'the controller "{controller.name}"', DAMPING: f'the controller "{controller.name}"'}
    return Case(made, features, meets)


def sprung() -> Structure:
    """One bar hung by two springs, which never slacken, so that there is no event."""
    return pair_of("spring")


def guided() -> Structure:
    """One bar whose end stays on a plane."""
    return pair_of().with_constraints(on_plane("floor", "a", (0.0, 1.0, 0.2)))


def routed(low: float = -1.6) -> Structure:
    """One bar hung by one cable over a guide, a loop around it, and two cables whose forces are commanded."""
    cables = [
        Cable("over", ("a", "top", "b"), rest_length=1.9, stiffness=400.0),
        Cable("loop", ("a", "b", "low", "a"), rest_length=2.6, stiffness=300.0),
        Cable("pull", ("top", "a", "low"), mode="tension", command=4.0),
        Cable("draw", ("b", "top"), mode="force_density", command=6.0),
    ]
    bare = pair_of()
    nodes = {**bare.nodes, "low": (0.0, 0.3, low)}
    return Structure(nodes, bare.bars, cables, bare.supports, point_masses={"low": 0.8})


def routed_above_the_floor() -> Structure:
    """The same, whose lowest node falls by a centimetre before it strikes."""
    return routed(low=-1.39)


def routed_and_meeting() -> Structure:
    """Two bars that meet, hung by one cable over a guide."""
    bare = two_bars()
    over = Cable("over", ("a", "top", "c"), rest_length=1.9, stiffness=400.0)
    return Structure(bare.nodes, bare.bars, [over], bare.supports)


def string() -> Structure:
    """One bar hung by a string over a guide, which keeps its length, and a spring."""
    bare = pair_of()
    cables = [Cable("string", ("a", "top", "b"), mode="length"), bare.cables["ca"]]
    return Structure(bare.nodes, bare.bars, cables, bare.supports)


def double_pendulum(solver: str) -> LagrangianPlant:
    """Two point masses on massless rods in a plane, by their angles from below."""
    mass, length = np.array([1.2, 0.8]), np.array([1.0, 0.7])

    def inertia(q: np.ndarray) -> np.ndarray:
        across = mass[1] * length[0] * length[1] * np.cos(q[0] - q[1])
        return np.array([[mass.sum() * length[0] ** 2, across], [across, mass[1] * length[1] ** 2]])

    def potential(q: np.ndarray) -> Any:
        return -GRAVITY * (mass.sum() * length[0] * np.cos(q[0]) + mass[1] * length[1] * np.cos(q[1]))

    start, rates = np.array([1.0, -0.4]), np.array([0.5, 1.5])
    return LagrangianPlant(("upper", "lower"), inertia, potential, start, rates, typical_time=0.3)


def jointed(ground: Ground | None) -> Callable[[str], Any]:
    """Two bars that meet, hung by two cables, in seven coordinates of joints."""
    bars = two_bars()

    def axes(first: str, second: str) -> Any:
        along = np.subtract(bars.nodes[second], bars.nodes[first])
        across = np.cross(along, (0.0, 0.0, 1.0))
        other = np.cross(along, across)
        return tuple(tuple(map(float, one / np.linalg.norm(one))) for one in (across, other))

    upper = Joint("upper", "b", ("a", "b"), axes("a", "b"), tuple(map(tuple, np.eye(3).tolist())), rates=RATES[:5])
    lower = Joint.universal("lower", "b", axes("b", "c"), ("c",), on="upper")
    grounds = [ground] if ground else []

    def made(solver: str) -> Any:
        return in_coordinates(assemble(bars, gravity=GRAVITY, ground=grounds), [upper, lower])

    return made


ON_GROUND: dict[str, tuple[Callable[[], Structure], tuple[Any, ...], dict[str, Any]]] = {
    "pairs": (pair_of, (), {"meets": False}),
    "pairs, moved": (pair_of, (), {"moved": True, "meets": False}),
    "pairs, damped": (pair_of, (), {"damped": "every node", "meets": False}),
    "meeting": (two_bars, (), {}),
    "meeting, moved, damped": (two_bars, (), {"moved": True, "damped": "every node"}),
    "guided": (guided, (), {}),
    "plated": (plated, (), {}),
    "plated, moved": (plated, (), {"moved": True}),
    "compressible": (compressible, (), {}),
    "lumped": (lumped, (), {}),
    "cylinders": (cylinders, (), {}),
    "cylinders, moved, damped": (cylinders, (), {"moved": True, "damped": "every node"}),
    "routed": (routed_above_the_floor, (), {"meets": False}),
    "routed, meeting": (routed_and_meeting, (), {}),
    "held length": (string, (), {}),
    "held length, moved": (string, (), {"moved": True}),
    "driven": (two_bars, (), {"drives": DRIVEN}),
    "driven, moved, damped": (two_bars, (), {"drives": DRIVEN, "moved": True, "damped": "every node"}),
    "controlled": (pair_of, (), {"controller": pushing(None), "meets": False}),
    "controlled, sampled": (two_bars, (), {"controller": pushing(200.0)}),
    "all three": (two_bars, (CUSHION, SPHERE, WINCH), {}),
}
"""What goes on a ground: everything that there is."""


def in_flight(name: str, ground: Ground | None) -> Case:
    """One of those, with another ground or none."""
    structure, elements, options = ON_GROUND[name]
    return _case(structure, *elements, ground=ground, **options)


CASES: dict[str, Case] = {
    "pairs": _case(pair_of, meets=False),
    "pairs, moved": _case(pair_of, moved=True, meets=False),
    "pairs, damped": _case(pair_of, damped="every node", meets=False),
    "meeting": _case(two_bars),
    "meeting, moved": _case(two_bars, moved=True),
    "meeting, damped": _case(two_bars, damped="every node"),
    "meeting, moved, damped": _case(two_bars, moved=True, damped="every node"),
    "guided": _case(guided),
    "guided, moved": _case(guided, moved=True),
    "guided, damped": _case(guided, damped="every node"),
    "plated": _case(plated),
    "plated, moved": _case(plated, moved=True),
    "cylinders": _case(cylinders),
    "cylinders, moved": _case(cylinders, moved=True),
    "cylinders, damped": _case(cylinders, damped="every node"),
    "ground spring": _case(pair_of, CUSHION, meets=False),
    "ground spring, meeting": _case(two_bars, CUSHION),
    "on sphere": _case(sprung, SPHERE),
    "wound cable": _case(pair_of, WINCH, meets=False),
    "all three": _case(two_bars, CUSHION, SPHERE, WINCH),
    "all three, moved, damped": _case(two_bars, CUSHION, SPHERE, WINCH, moved=True, damped="every node"),
    "sprung joint": _case(sprung_joint),
    "sprung joint, moved, damped": _case(sprung_joint, moved=True, damped="every node"),
    "routed": _case(routed, meets=False),
    "routed, meeting": _case(routed_and_meeting),
    "routed, moved, damped": _case(routed, moved=True, damped="every node", meets=False),
    "held length": _case(string),
    "held length, moved": _case(string, moved=True),
    "driven": _case(two_bars, drives=DRIVEN),
    "driven, moved, damped": _case(two_bars, drives=DRIVEN, moved=True, damped="every node"),
    "controlled": _case(pair_of, controller=pushing(None), meets=False),
    "controlled, sampled": _case(two_bars, controller=pushing(200.0)),
    "yielding wall": _case(pair_of, ground=WALL, meets=False),
    "yielding wall, driven": _case(two_bars, ground=WALL, drives=DRIVEN),
    "yielding wall, controlled": _case(pair_of, ground=WALL, controller=pushing(200.0), meets=False),
    "yielding wall, moved": _case(two_bars, ground=WALL, moved=True),
    "double pendulum": Case(double_pendulum, {COORDINATES: ""}, meets=False, nodal=False),
    "jointed": Case(jointed(None), {JOINTS: "", NO_GROUND: ""}, meets=False, nodal=False),
    "jointed, on ground": Case(jointed(FLOOR), {JOINTS: "", GROUND: 'the ground "floor"'}, meets=False, nodal=False),
    "jointed, yielding floor": Case(jointed(SOFT), YIELDING, meets=False, nodal=False),
    **{f"grounded, {name}": in_flight(name, FLOOR) for name in ON_GROUND},
}


def features_of_run(case: Case, solver: str) -> dict[str, str]:
    """What the case has with this solver."""
    bare = {NO_GROUND: ""} if case.nodal and GROUND not in case.features else {}
    return {**case.features, **bare, **({ITERATIVE: ""} if solver == "iterative" and case.meets else {})}
