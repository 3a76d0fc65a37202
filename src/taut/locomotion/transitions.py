"""What rolls come to, as measured: where they lead, how far, how they turn the robot, and how surely.

A roll is tried from many starts that differ by noise, and told by the turn of the robot's own shape before and after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taut.dynamics.batch_simulation import BatchSimulation
from taut.dynamics.step_by_step import start_many
from taut.errors import OptionError
from taut.locomotion.face_policy import EVEN, FacePolicy, Roll
from taut.locomotion.faces import Face
from taut.locomotion.symmetry import Symmetry, symmetries
from taut.mechanics.assemble import assemble
from taut.mechanics.inertia.masses import inertia
from taut.numerics.hull_faces import fill_faces_below
from taut.reprs import brief
from taut.structure.grounds import Ground
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments, known_fields

SETTLE = 0.4
"""[s] for which a trial comes to rest before it rolls."""


@dataclass(frozen=True)
class RollOutcome:
    """A face that a roll led to. share: of the trials. shift: (3,) [m] mean way of the centre of mass. scatter: [m] its
    standard deviation along the ground, root mean square of both ways. turn: (3, 3) mean turn of the robot's shape,
    turn_scatter: [rad] about it, root mean square."""

    face: Face
    share: float
    shift: np.ndarray
    scatter: float
    turn: np.ndarray
    turn_scatter: float

    __repr__ = brief


@dataclass(frozen=True)
class RollTransition:
    """A roll, how the robot's shape was turned before it (3, 3), and its outcomes, the most frequent first.

    trials: how many.
    """

    roll: Roll
    turn: np.ndarray
    outcomes: tuple[RollOutcome, ...]
    trials: int

    __repr__ = brief


@known_fields
@dataclass(frozen=True)
class RollNoise:
    """By which trials differ.

    friction: lowest and highest. velocity: [m/s] of every node at the start, and changes: [m] errors of every commanded
    length, standard deviations.
    """

    friction: tuple[float, float] = (0.4, 0.8)
    velocity: float = 0.05
    changes: float = 0.003

    __repr__ = brief


class RobotShape:
    """A robot's own shape, to tell faces and turns by: the places of its nodes about their centre of mass."""

    def __init__(self, structure: Structure) -> None:
        self.structure, self.names = structure, tuple(structure.nodes)
        weights = inertia(structure).weighing
        self.weights = weights / weights.sum()
        self.places = structure.positions - self.centre(structure.positions)
        self.symmetries: tuple[Symmetry, ...] = symmetries(structure)

    def __repr__(self) -> str:
        return f"<RobotShape of {self.structure.name or 'structure'}: {len(self.symmetries)} symmetries>"

    def centre(self, nodes: np.ndarray) -> np.ndarray:
        """(..., 3) of mass."""
        return np.asarray(np.einsum("...ni,n->...i", nodes, self.weights))

    def turn(self, nodes: np.ndarray) -> np.ndarray:
        """(3, 3) that fits best to nodes (n, 3), by Kabsch's way: a rotation, never a mirroring."""
        about = nodes - self.centre(nodes)
        return nearest_turn(about.T @ (self.weights[:, None] * self.places))

    def faces(self, nodes: np.ndarray) -> list[Face]:
        """The face below the centre of mass of each (N, n, 3)."""
        about = np.ascontiguousarray(nodes - self.centre(nodes)[:, None])
        found = np.zeros(about.shape[:2], dtype=np.int64)
        fill_faces_below(about.reshape(len(about), -1), EVEN, found)
        return [tuple(self.names[k] for k in np.flatnonzero(row)) for row in found]


def do_roll(batch: BatchSimulation, policy: FacePolicy, changes: np.ndarray) -> None:
    """One turn of a policy's timing with these changes, (N, m) or (m,)."""
    for tick in range(policy.held + policy.rested):
        batch.step(policy.period, changes if tick < policy.held else np.zeros_like(changes))


@checked_arguments
def measured_transitions(
    shape: RobotShape,
    robots: Sequence[Structure],
    policy: FacePolicy,
    *,
    trials: int = 48,
    noise: RollNoise | None = None,
    seed: int = 0,
    step: float = 1e-3,
    threads: int = 1,
) -> tuple[RollTransition, ...]:
    """What every roll of a policy comes to, tried from the robots that stand on its face.

    shape: of the robot, by which turns are told. robots: it on a floor at height 0, on one face each.
    policy: whose rolls start from those faces, and whose timing they have. trials: of each roll.
    step: [s] of the method impulses. threads: over which trials are spread; the bits are the same.
    """
    vary, found = noise or RollNoise(), list[RollTransition]()
    for robot in robots:
        (face,) = shape.faces(robot.positions[None])
        own = [roll for roll in policy.rolls if set(roll.face) == set(face)]
        if not own:
            raise OptionError(f"measured_transitions: the policy has no roll from the face {' '.join(face)}")
        plant = assemble(robot, gravity=9.81, ground=[Ground("floor", friction=0.6)], drives=policy.drives(robot))
        batch = start_many(plant, trials, step=step, threads=threads)
        for roll in own:
            draw = np.random.default_rng((seed, len(found)))
            batch.reset(
                velocities=vary.velocity * draw.normal(size=(trials, *robot.positions.shape)),
                parameters={"ground:floor.friction": draw.uniform(*vary.friction, trials)},
            )
            batch.step(SETTLE, np.zeros(len(policy.members)))
            before = batch.nodes
            errors = vary.changes * draw.normal(size=(trials, len(policy.members)))
            do_roll(batch, policy, np.array(roll.changes) + errors)
            found.append(_told(shape, roll, before, batch))
    return tuple(found)


def _told(shape: RobotShape, roll: Roll, begun: np.ndarray, batch: BatchSimulation) -> RollTransition:
    going, nodes = ~batch.ended, batch.nodes
    faces = shape.faces(nodes)
    outcomes = []
    for face in {faces[k] for k in np.flatnonzero(going)}:
        chosen = [k for k in np.flatnonzero(going) if faces[k] == face]
        shifts = (shape.centre(nodes) - shape.centre(begun))[chosen]
        turns = np.array([shape.turn(nodes[k]) for k in chosen])
        mean = nearest_turn(turns.mean(axis=0))
        angles = np.arccos(np.clip((np.einsum("kij,ij->k", turns, mean) - 1.0) / 2.0, -1.0, 1.0))
        scatter = float(np.sqrt((shifts - shifts.mean(axis=0))[:, :2].var(axis=0).mean()))
        share = len(chosen) / batch.count
        shift = shifts.mean(axis=0)
        outcomes.append(RollOutcome(face, share, shift, scatter, mean, float(np.sqrt((angles**2).mean()))))
    ordered = tuple(sorted(outcomes, key=lambda one: (-one.share, one.face)))
    before = nearest_turn(np.mean([shape.turn(one) for one in begun], axis=0))
    return RollTransition(roll, before, ordered, batch.count)


def nearest_turn(matrix: np.ndarray) -> np.ndarray:
    """(3, 3) the rotation that is nearest to a matrix."""
    left, _, right = np.linalg.svd(matrix)
    return np.asarray(left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right)
