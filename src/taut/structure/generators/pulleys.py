"""Machines whose cables are wound on pulleys: a strut that three cables hold, and a manipulator on a prism of three.

Both are from Lieskovsky's thesis, sections 5.1.1 and 5.1.2; what it leaves open is a parameter here.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.structure.bodies import Body, Matrix, Vector
from taut.structure.generators._parts import require_between, require_positive
from taut.structure.trees import LoopJoint, PulleyCable, Tree, TreeJoint, frame
from taut.type_checks import checked_arguments

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class _Wound(NamedTuple):
    """What the cables of a machine have in common."""

    cable: PulleyCable
    strain: float
    pulley_width: float
    density: float
    end_mass: float
    end_inertia: float


@checked_arguments
def single_strut(
    *,
    youngs_modulus: float = 5e7,
    viscosity: float = 0.0,
    strain: float = 0.0,
    variant: str = "strain",
    law: str = "energy-consistent",
    azimuths: tuple[float, float, float] = (0.0, 2.0 * math.pi / 3.0, 4.0 * math.pi / 3.0),
    density: float = 2.7e3,
    length: float = 1.0,
    strut_diameter: float = 0.04,
    pulley_radius: float = 0.07,
    pulley_width: float = 0.01,
    cable_radius: float = 1e-3,
    cable_end_mass: float = 0.0,
    cable_end_inertia: float = 0.0,
    gravity: float = 9.81,
) -> Tree:
    """A strut on a universal joint, held upright by three cables that come from pulleys around it at 45 degrees.

    youngs_modulus, viscosity: of the cables, E and mu [Pa], [Pa s]. strain: of all cables at the start; rigid ones have
    none. variant, law: see PulleyCable. azimuths: [rad] of the blocks around the strut. cable_end_mass [kg],
    cable_end_inertia [kg m^2]: of the ends of cables, which the thesis leaves without either.
    """
    require_positive(length=length, pulley_radius=pulley_radius, cable_radius=cable_radius)
    require_between(-1.0, math.inf, strain=strain)
    side = math.sqrt(2.0) * pulley_radius
    if not side < length:
        raise OptionError(
            f"pulley_radius = {pulley_radius:g} m makes blocks of {side:.4g} m, which reach the foot of a strut of "
            f"{length:g} m; make it smaller, or the strut longer"
        )
    distance, free = length - side, math.sqrt(2.0) * length - pulley_radius
    area = math.pi * cable_radius**2
    cable = PulleyCable(pulley_radius, youngs_modulus * area, viscosity * area, variant, law)
    wound = _Wound(cable, strain, pulley_width, density, cable_end_mass, cable_end_inertia)
    strut = Body.cylinder("strut", 0.5 * strut_diameter, length, density, centre=(0.0, 0.0, 0.5 * length))
    joints = [
        TreeJoint("x-revoluteJt", "revolute", "world", Body("cross-shaft"), axes=(X,)),
        TreeJoint("y-revoluteJt", "revolute", "cross-shaft", strut, axes=(Y,)),
    ]
    loops = []
    for number, azimuth in enumerate(azimuths, 1):
        out = np.array([math.cos(azimuth), math.sin(azimuth), 0.0])
        inward = frame(-out, np.array(Z), np.cross(-out, Z))
        name = f"B{number}"
        block = Body.cube(f"{name}-block", side, density)
        joints.append(TreeJoint(f"{name}-blockJt", "revolute", "world", block, _vector(distance * out), axes=(Z,)))
        joints += _pulley(wound, name, "pulleyJt", (0.0, 0.0, 0.0), inward, 0.25 * math.pi, free)
        loops.append(LoopJoint(f"{name}-loopJt", "strut", f"{name}-cable", at=(0.0, 0.0, length)))
    return Tree(tuple(joints), tuple(loops), gravity=gravity, name="single strut")


@checked_arguments
def manipulator(
    *,
    youngs_modulus: float = 2e9,
    viscosity: float = 1e7,
    prestress: float = 2e7,
    variant: str = "strain",
    law: str = "energy-consistent",
    azimuth: float = 0.0,
    density: float = 2.7e3,
    length: float = 1.0,
    outer_diameter: float = 0.035,
    inner_diameter: float = 0.032,
    pulley_radius: float = 0.05,
    pulley_width: float = 0.01,
    cable_radius: float = 1e-3,
    pulley_offset: float | None = None,
    block_offset: float | None = None,
    wound_on: str = "outside",
    hinge_turn: float = 0.0,
    massless: tuple[str, ...] = ("end-effector", "dummy", "cable"),
    cable_end_mass: float = 0.0,
    cable_end_inertia: float = 0.0,
    gravity: float = 9.81,
) -> Tree:
    """A prism of three struts whose six cables are wound on pulleys at the struts' ends, and three links on top of it
    that meet in an end-effector.

    The prism has triangles of side a = length / sqrt(2) and the height a; strut i goes from base vertex i to above
    vertex i + 1. Both cables of branch i, from the top and the bottom of strut i, end on top of strut i - 1, where link
    i does too. Links are a long, so the end-effector begins at the height a (1 + sqrt(2/3)).

    youngs_modulus, viscosity: of cables, E and mu [Pa], [Pa s]. prestress: sigma0 [Pa]; sigma0 / E is the strain at the
    start. azimuth: of base vertex 1 [rad]. pulley_offset: of a pulley's centre from the strut's axis, towards the
    cable's other end [m]; None for sqrt(2) pulley_radius. block_offset: of the block's centre likewise; None for the
    pulley's. wound_on: whether cables leave the pulley on its side away from the strut ("outside") or on the other
    ("inside"). hinge_turn: [rad] of the links' hinges about the links, away from horizontal ones.
    massless: which bodies have no mass: of "end-effector", "dummy", "cable", "link", "block", "pulley", "strut".
    """
    if wound_on not in ("outside", "inside"):
        raise OptionError(f'cables wound on the "{wound_on}" of pulleys: say "outside" or "inside"')
    require_positive(youngs_modulus=youngs_modulus, length=length, pulley_radius=pulley_radius)
    require_between(-youngs_modulus, math.inf, prestress=prestress)
    side, reach = length / math.sqrt(2.0), math.sqrt(2.0) * pulley_radius
    offset = reach if pulley_offset is None else pulley_offset
    centre = offset if block_offset is None else block_offset
    area = math.pi * cable_radius**2
    cable = PulleyCable(pulley_radius, youngs_modulus * area, viscosity * area, variant, law)
    strain = prestress / youngs_modulus
    wound = _Wound(cable, strain, 2.0 * pulley_width, density, cable_end_mass, cable_end_inertia)
    out = np.array([math.cos(azimuth), math.sin(azimuth), 0.0])
    vertices = [
        side / math.sqrt(3.0) * (math.cos(k) * out + math.sin(k) * np.cross(Z, out))
        for k in (0.0, 2.0 * math.pi / 3.0, 4.0 * math.pi / 3.0)
    ]
    up = np.array([0.0, 0.0, side])
    apex = np.array([0.0, 0.0, side * (1.0 + math.sqrt(2.0 / 3.0))])
    values = (*_vector(apex), 0.0, 0.0, 0.0, 1.0)
    joints = [TreeJoint("floatingJt", "floating", "world", Body("end-effector"), values=values)]
    for number in range(3):
        along = (vertices[number] + up - apex) / side
        level = np.cross(along, Z) / np.linalg.norm(np.cross(along, Z))
        hinge = math.cos(hinge_turn) * level + math.sin(hinge_turn) * np.cross(along, level)
        name = f"B{number + 1}-link"
        link = Body.tube(name, outer_diameter, inner_diameter, side, density, centre=(0.0, 0.0, 0.5 * side))
        turn = frame(hinge, np.cross(along, hinge), along)
        joints.append(TreeJoint(f"{name}Jt", "revolute", "end-effector", link, rotation=turn, axes=(X,)))
    loops, levels = list[LoopJoint](), list[LoopJoint]()
    for number in range(3):
        name, before = f"B{number + 1}", f"B{(number - 1) % 3 + 1}-strut"
        foot, head, target = vertices[number], vertices[(number + 1) % 3] + up, vertices[number] + up
        along = (head - foot) / length
        across = np.cross(Z, along) / np.linalg.norm(np.cross(Z, along))
        axes = np.column_stack([across, np.cross(along, across), along])
        strut = Body.tube(
            f"{name}-strut", outer_diameter, inner_diameter, length, density, centre=(0.0, 0.0, 0.5 * length)
        )
        dummy = Body(f"{name}-dummy")
        joints += [
            TreeJoint(f"{name}-dummyJt", "revolute", "world", dummy, _vector(foot), frame(*axes.T), axes=(X,)),
            TreeJoint(f"{name}-strutJt", "revolute", dummy.name, strut, axes=(Y,)),
        ]
        for end, height in (("top", length), ("bot", 0.0)):
            towards = axes.T @ (target - foot) - np.array([0.0, 0.0, height])  # in the strut's axes
            far = math.hypot(towards[0], towards[1])
            out = np.array([towards[0] / far, towards[1] / far, 0.0])
            label = f"{name}-{end}"
            # A block has x towards the cable's other end and z along the strut; its pulley turns in that plane.
            turn = frame(out, np.cross(Z, out), np.array(Z))
            body = Body.box(f"{label}-block", (2.0 * reach, 3.0 * pulley_width, reach), density, centre=(centre, 0, 0))
            joints.append(
                TreeJoint(f"{label}-blockJt", "revolute", strut.name, body, (0.0, 0.0, height), turn, axes=(Z,))
            )
            tangent = _tangent((far - offset, towards[2]), pulley_radius, wound_on)
            joints += _pulley(wound, label, "revoluteJt", (offset, 0.0, 0.0), *tangent)
            loops.append(LoopJoint(f"{label}-loopJt", before, f"{label}-cable", at=(0.0, 0.0, length)))
        levels.append(
            LoopJoint(f"{name}-level-loopJt", before, f"{name}-link", at=(0.0, 0.0, length), to=(0.0, 0.0, side))
        )
    joints = [_lightened(joint, massless, wound) for joint in joints]
    return Tree(tuple(joints), (*loops, *levels), gravity=gravity, name="manipulator")


def _pulley(
    wound: _Wound, name: str, joint: str, at: Vector, rotation: Matrix, direction: float, free: float
) -> list[TreeJoint]:
    """A pulley on a block and the cable on it, whose part off the pulley is so long and leaves in this direction."""
    cable, radius = wound.cable, wound.cable.radius
    strain = 0.0 if cable.variant == "rigid" else wound.strain
    unwound = free / (radius * (1.0 + strain))
    second = {"elongation": free - radius * unwound, "strain": strain, "length": free}
    pulley = Body.cylinder(f"{name}-pulley", radius, wound.pulley_width, wound.density)
    moment = wound.end_inertia
    end = Body(f"{name}-cable", wound.end_mass, inertia=((moment, 0.0, 0.0), (0.0, moment, 0.0), (0.0, 0.0, moment)))
    values = (unwound,) if cable.variant == "rigid" else (unwound, second.get(cable.variant, strain))
    return [
        TreeJoint(
            f"{name}-{joint}",
            "revolute",
            f"{name}-block",
            pulley,
            at,
            rotation,
            axes=(Z,),
            values=(direction - unwound,),
            driven=True,
        ),
        TreeJoint(f"{name}-involuteJt", "involute", pulley.name, end, values=values, cable=cable),
    ]


def _tangent(towards: tuple[float, float], radius: float, wound_on: str) -> tuple[Matrix, float, float]:
    """Of a pulley in the x-z plane of its block: its frame, the direction in it and the length of the cable.

    towards: the cable's other end, from the pulley's centre.
    """
    x, z = towards
    away = math.hypot(x, z)
    if not away > radius:
        raise OptionError(f"a cable ends {away:.3g} m from the centre of its pulley of radius {radius:g} m: inside it")
    free = math.sqrt(away**2 - radius**2)
    # The cable touches its pulley to the left of the way it goes, seen along the frame's z. Leaving upwards, left is
    # towards the strut with the axis against the block's y, and away from it along it.
    against = (z > 0.0) == (wound_on == "inside")
    turn = frame(np.array(X), np.array(Z), -np.array(Y)) if against else frame(np.array(X), -np.array(Z), np.array(Y))
    angle = math.atan2(z if against else -z, x) - math.atan2(radius, free)
    return turn, angle, free


def _lightened(joint: TreeJoint, massless: tuple[str, ...], wound: _Wound) -> TreeJoint:
    """Without mass, if its body is of those that have none."""
    known = ("end-effector", "dummy", "cable", "link", "block", "pulley", "strut")
    if wrong := [kind for kind in massless if kind not in known]:
        raise OptionError(f'massless bodies "{wrong[0]}": say any of {", ".join(known)}')
    kind = next(one for one in known if joint.body.name.endswith(one))
    if kind not in massless or (kind == "cable" and (wound.end_mass or wound.end_inertia)):
        return joint
    return replace(joint, body=Body(joint.body.name))


def _vector(values: np.ndarray) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])
