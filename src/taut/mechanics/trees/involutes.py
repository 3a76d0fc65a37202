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
    radius: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    longest: np.ndarray
    consistent: np.ndarray  # 1 where torques come from the energy, else 0
    pushes: np.ndarray  # bool
    compliant: np.ndarray  # bool
    by: np.ndarray  # (3, cables) a, b, c
    angle: np.ndarray  # place of phi among positions
    angle_rate: np.ndarray  # and among velocities
    second: np.ndarray  # of q2 among positions, where compliant
    second_rate: np.ndarray
    slide: np.ndarray  # of l among positions of Pinocchio
    slide_rate: np.ndarray


class Stretch(NamedTuple):
    """Where all cables stand."""

    angle: np.ndarray
    second: np.ndarray
    length: np.ndarray
    strain: np.ndarray


def involutes_of(
    joints: Sequence[TreeJoint], places: Sequence[tuple[int, int]], slides: Sequence[tuple[int, int]]
) -> Involutes:
    """places: first position and velocity of each joint in the tree; slides: of its slide in Pinocchio."""
    cables = [joint.cable for joint in joints if joint.cable is not None]
    assert len(cables) == len(joints)
    at = np.array(places, dtype=np.intp).reshape(-1, 2)
    slide = np.array(slides, dtype=np.intp).reshape(-1, 2)
    compliant = np.array([cable.variant != "rigid" for cable in cables], dtype=bool)
    return Involutes(
        tuple(joint.name for joint in joints),
        np.array([cable.radius for cable in cables]),
        np.array([cable.stiffness for cable in cables]),
        np.array([cable.damping for cable in cables]),
        np.array([np.inf if cable.longest is None else cable.longest for cable in cables]),
        np.array([float(cable.law == "energy-consistent") for cable in cables]),
        np.array([cable.pushes for cable in cables], dtype=bool),
        compliant,
        np.array([_COEFFICIENTS[cable.variant] for cable in cables]).T.reshape(3, -1),
        at[:, 0],
        at[:, 1],
        at[compliant, 0] + 1,
        at[compliant, 1] + 1,
        slide[:, 0],
        slide[:, 1],
    )


def stretch(cables: Involutes, q: np.ndarray) -> Stretch:
    """Lengths and strains; a cable whose angle is not more than zero has none."""
    a, b, c = cables.by
    phi = q[cables.angle]
    second = np.zeros(phi.size)
    second[cables.compliant] = q[cables.second]
    natural = cables.radius * phi
    with np.errstate(divide="ignore", invalid="ignore"):
        strain = (a - 1.0) + b * second / natural + c * second
    return Stretch(phi, second, a * natural + b * second + c * natural * second, strain)


def slopes(cables: Involutes, at: Stretch) -> tuple[np.ndarray, np.ndarray]:
    """dl/dphi and dl/dq2."""
    a, b, c = cables.by
    return cables.radius * (a + c * at.second), b + c * cables.radius * at.angle


def rates_of(cables: Involutes, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of phi and of q2."""
    second = np.zeros(cables.angle.size)
    second[cables.compliant] = v[cables.second_rate]
    return v[cables.angle_rate], second


def strain_rates(cables: Involutes, at: Stretch, v: np.ndarray) -> np.ndarray:
    """d(eps)/dt = (dl/dt - (1 + eps) r dphi/dt) / l0."""
    turn, second = rates_of(cables, v)
    by_angle, by_second = slopes(cables, at)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = (by_angle * turn + by_second * second) - (1.0 + at.strain) * cables.radius * turn
        return np.asarray(rate / (cables.radius * at.angle))


def tensions(cables: Involutes, at: Stretch, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """F and D, both zero where a cable is slack (3.1.14) or rigid."""
    taut = (cables.compliant & (cables.pushes | (at.strain > 0.0))).astype(float)
    return taut * cables.stiffness * at.strain, taut * cables.damping * rates


def add_torques(cables: Involutes, at: Stretch, v: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Add the generalised forces -e - d of all cables; returns their tensions.

    Printed (3.1.16), (3.1.17): e = F du/dq, d = D du/dq. Consistent: e = d(E A eps^2 l0 / 2)/dq, which is by
    -r E A eps^2 / 2 at phi more, and d = l0 D d(eps)/dq, by -r D eps at phi more, which never gives energy.
    """
    elastic, viscous = tensions(cables, at, strain_rates(cables, at, v))
    pull = elastic + viscous
    by_angle, by_second = slopes(cables, at)
    taken = cables.consistent * cables.radius * (0.5 * elastic + viscous) * at.strain
    out[cables.angle_rate] -= pull * (by_angle - cables.radius) - taken
    out[cables.second_rate] -= (pull * by_second)[cables.compliant]
    return np.asarray(pull)


def lost_power(cables: Involutes, at: Stretch, v: np.ndarray) -> float:
    """Power of what of the torques is no slope of the energy: damping, and what printed ones leave out."""
    elastic, viscous = tensions(cables, at, strain_rates(cables, at, v))
    turn, second = rates_of(cables, v)
    by_angle, by_second = slopes(cables, at)
    damped = viscous * ((by_angle - cables.radius) * turn + by_second * second)
    damped -= cables.consistent * cables.radius * viscous * at.strain * turn
    left_out = (1.0 - cables.consistent) * 0.5 * cables.radius * elastic * at.strain * turn
    return float(-np.sum(damped) - np.sum(left_out))


def elastic_energy(cables: Involutes, at: Stretch) -> float:
    taut = cables.compliant & (cables.pushes | (at.strain > 0.0))
    return float(0.5 * np.sum(cables.stiffness * at.strain**2 * cables.radius * at.angle, where=taut))


def unwound_wrong(cables: Involutes, at: Stretch) -> str:
    """What no cable can do: nothing off the pulley, or more than there is; nothing where all is well."""
    natural = cables.radius * at.angle
    for name, length, longest in zip(cables.names, natural, cables.longest, strict=True):
        if not length > 0.0:
            return f'the cable of "{name}" is wound in past its end: {length:.3g} m would be left off the pulley'
        if length > longest:
            return (
                f'the cable of "{name}" is unwound past its end: {length:.3g} m off the pulley, and it has '
                f"{longest:g} m; give it more, or wind less out"
            )
    return ""
