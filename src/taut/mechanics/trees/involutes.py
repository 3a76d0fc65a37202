"""Cables on pulleys: their coordinates as those of a turn and a slide, and the torques that their strain makes.

An involute joint is a turn by phi, a step r along y and a slide by l along x (Lieskovsky, section 3.1), so that every
variant is the pair (phi, l) in other coordinates. With l0 = r phi, u = l - l0 and eps = u / l0:

    l = a r phi + b q2 + c r phi q2        rigid (1, 0, 0), u (1, 1, 0), eps (1, 0, 1), l (0, 1, 0)

| symbol | meaning |
|---|---|
| phi, l | angle unwound, length of the part off the pulley |
| q2 | second coordinate: elongation u, strain eps or length l |
| F, D | E A eps and mu A d(eps)/dt, the forces of elasticity and damping |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from taut.mechanics.trees.kernels import BOTH_WAYS, ONE_SIDED, stretch_cables
from taut.structure.trees import TreeJoint

_COEFFICIENTS = {
    "rigid": (1.0, 0.0, 0.0),
    "elongation": (1.0, 1.0, 0.0),
    "strain": (1.0, 0.0, 1.0),
    "length": (0.0, 1.0, 0.0),
}


class Involutes(NamedTuple):
    """All cables of a tree, a column each; places of their coordinates among those of the tree and of Pinocchio."""

    names: tuple[str, ...]
    numbers: np.ndarray  # (9, cables) as the kernel wants them
    longest: np.ndarray
    compliant: np.ndarray  # bool
    angle: np.ndarray  # place of phi among positions
    angle_rate: np.ndarray  # and among velocities
    second: np.ndarray  # of q2 among positions, where compliant
    second_rate: np.ndarray
    turn_rate: np.ndarray  # of phi among velocities of Pinocchio
    slide: np.ndarray  # of l among positions of Pinocchio
    slide_rate: np.ndarray
    places: np.ndarray  # (2, cables) angle and angle_rate

    @property
    def radius(self) -> np.ndarray:
        """[m] of the pulleys."""
        return self.numbers[0]

    @property
    def stiffness(self) -> np.ndarray:
        """E A [N]."""
        return self.numbers[1]

    @property
    def consistent(self) -> np.ndarray:
        """1 where torques come from the energy, else 0."""
        return self.numbers[3]

    @property
    def damping(self) -> np.ndarray:
        """mu A [N s]."""
        return self.numbers[2]

    @property
    def law(self) -> np.ndarray:
        """What each cable's law is now, to be changed in place: a word of `kernels`."""
        return self.numbers[4]

    @property
    def by(self) -> np.ndarray:
        """(3, cables) a, b, c."""
        return self.numbers[6:]

    @property
    def identical(self) -> bool:
        """Whether the coordinates are those of the turn and the slide themselves."""
        return not self.by[0].any() and not self.by[2].any()


class Standing(NamedTuple):
    """What all cables are at a state, a number each."""

    length: np.ndarray
    strain: np.ndarray
    by_angle: np.ndarray  # dl/dphi
    by_second: np.ndarray  # dl/dq2
    growth: np.ndarray  # d2l/dt2 that velocities alone make
    length_rate: np.ndarray
    tension: np.ndarray  # [N]
    strain_rate: np.ndarray
    lost: np.ndarray  # [W] power of torques that is no slope of the energy
    energy: np.ndarray  # [J]


def involutes_of(
    joints: Sequence[TreeJoint], places: Sequence[tuple[int, int]], own: Sequence[tuple[int, int, int]]
) -> Involutes:
    """places: first position and velocity of each joint in the tree; own: of Pinocchio, the velocity of its turn and
    position and velocity of its slide."""
    cables = [joint.cable for joint in joints if joint.cable is not None]
    assert len(cables) == len(joints)
    at = np.array(places, dtype=np.int64).reshape(-1, 2)
    pin = np.array(own, dtype=np.int64).reshape(-1, 3)
    compliant = np.array([cable.variant != "rigid" for cable in cables], dtype=bool)
    numbers = [
        (
            *(cable.radius, cable.stiffness, cable.damping, float(cable.law == "energy-consistent")),
            *(BOTH_WAYS if cable.pushes else ONE_SIDED, float(cable.variant != "rigid")),
            *_COEFFICIENTS[cable.variant],
        )
        for cable in cables
    ]
    return Involutes(
        tuple(joint.name for joint in joints),
        np.ascontiguousarray(np.array(numbers).reshape(-1, 9).T),
        np.array([np.inf if cable.longest is None else cable.longest for cable in cables]),
        compliant,
        at[:, 0],
        at[:, 1],
        at[compliant, 0] + 1,
        at[compliant, 1] + 1,
        np.ascontiguousarray(pin[:, 0]),
        np.ascontiguousarray(pin[:, 1]),
        np.ascontiguousarray(pin[:, 2]),
        np.ascontiguousarray(at.T),
    )


def standing(cables: Involutes, q: np.ndarray, v: np.ndarray, torques: np.ndarray) -> Standing:
    """What all cables are at a state; their generalised forces -e - d are added to torques."""
    out = np.zeros((10, len(cables.names)))
    if cables.names:
        stretch_cables(cables.numbers, q, v, cables.places, out, torques)
    return Standing(*out)


def unwound_wrong(cables: Involutes, q: np.ndarray) -> str:
    """What no cable can do: nothing off the pulley, or more than there is; nothing where all is well."""
    natural = cables.radius * q[cables.angle]
    if (natural > 0.0).all() and (natural <= cables.longest).all():
        return ""
    for name, length, longest in zip(cables.names, natural, cables.longest, strict=True):
        if not length > 0.0:
            return f'the cable of "{name}" is wound in past its end: {length:.3g} m would be left off the pulley'
        if length > longest:
            return (
                f'the cable of "{name}" is unwound past its end: {length:.3g} m off the pulley, and it has '
                f"{longest:g} m; give it more, or wind less out"
            )
    return ""
