"""The equations of motion of a tree with loops, term by term: what simulations, controllers and designs are made of.

    M(q) a + c(q, v) = tau(q, v) + S u + K(q)^T l,   K(q) a = k(q, v),   e(q) = 0

q: (nq,) positions, in which spherical and floating joints have unit quaternions; v, a: (nv,) velocities and
accelerations. Names: `position_names`, `velocity_names`, `loop_names`, `input_names`, `cable_names`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taut.errors import OptionError, suggestion
from taut.mechanics.trees import involutes as cables_of
from taut.mechanics.trees import loops as closing
from taut.mechanics.trees.involutes import Involutes, Standing, involutes_of
from taut.mechanics.trees.kernels import change_coordinates
from taut.mechanics.trees.pinocchio_model import built, pinocchio
from taut.mechanics.trees.saddle import accelerations, weight_of, without_inertia
from taut.reprs import brief, counted, titled
from taut.structure.trees import Tree
from taut.type_checks import checked_arguments


@dataclass(frozen=True, slots=True)
class TreeTerms:
    """All terms at one state."""

    mass: np.ndarray  # M (nv, nv)
    bias: np.ndarray  # c (nv,) gravity and velocity terms
    loop_jacobian: np.ndarray  # K (rows, nv)
    loop_bias: np.ndarray  # k (rows,)
    loop_error: np.ndarray  # e (rows,)
    torques: np.ndarray  # tau (nv,) of cables and of damping at joints
    tensions: np.ndarray  # (cables,) [N] of those that stretch

    __repr__ = brief


class TreeEquations:
    """The terms of a tree; see the module. It holds Pinocchio's model and work space, so use one for each thread.

    Wrenches, torques and damping in loop joints, cables between two pulleys and grounds are not among them: they act in
    plants; give what they do as `force`.

    nq, nv, rows: numbers of positions, velocities and loop rows. input_matrix: S (nv, inputs) of torques at driven
    joints, such as pulleys; positive ones wind in.
    """

    @checked_arguments
    def __init__(self, tree: Tree) -> None:
        self.tree, self._pin = tree, pinocchio()
        self._built = built(tree)
        self._model = self._built.model
        self._data = self._model.createData()
        self.position_names = tuple(name for joint in tree.joints for name in joint.positions)
        self.velocity_names = tuple(name for joint in tree.joints for name in joint.velocities)
        self.nq, self.nv = len(self.position_names), len(self.velocity_names)
        self.cables, self._to, self._to_rates = self._coordinates()
        self._in_order = np.array_equal(self._to_rates, np.arange(self._model.nv))
        self.cable_names = self.cables.names
        self._loops = closing.loops_of(self._model, self._data, self._built.body_joint, tree.loops)
        self.loop_names, self.rows = self._loops.names, self._loops.size
        self.input_names = tuple(joint.name for joint in tree.joints if joint.driven)
        self.input_matrix = np.zeros((self.nv, len(self.input_names)))
        for column, name in enumerate(self.input_names):
            self.input_matrix[self.velocity_names.index(name), column] = 1.0
        damped = [joint.damping for joint in tree.joints for _ in joint.velocities]
        self._damping = np.array(damped) if any(damped) else None
        self._last: tuple[Standing, np.ndarray]  # the cables and w of the last terms

    def __repr__(self) -> str:
        rows = f"{self.rows} loop rows"
        return titled("TreeEquations", self.tree.name, counted(self.nv, "velocity coordinate"), rows)

    def _coordinates(self) -> tuple[Involutes, np.ndarray, np.ndarray]:
        """The cables, and where positions and velocities of the tree are among those of Pinocchio."""
        involutes, places, own = [], [], []
        to, to_rates = list[int](), list[int]()
        for joint in self.tree.joints:
            chain = [self._model.joints[number] for number in self._built.chains[joint.name]]
            if joint.cable is not None:
                involutes.append(joint)
                places.append((len(to), len(to_rates)))
                own.append((chain[0].idx_v, chain[1].idx_q, chain[1].idx_v))
            first, first_rate = chain[0].idx_q, chain[0].idx_v
            to += range(first, first + len(joint.positions))
            to_rates += range(first_rate, first_rate + len(joint.velocities))
        cables = involutes_of(involutes, places, own)
        return cables, np.array(to, dtype=np.intp), np.array(to_rates, dtype=np.intp)

    # --- positions

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """q and v as the joints have them."""
        q = np.array([value for joint in self.tree.joints for value in joint.start_values])
        rates = [joint.rates or (0.0,) * len(joint.velocities) for joint in self.tree.joints]
        return q, np.array([rate for some in rates for rate in some])

    def _stand(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, Standing, np.ndarray]:
        """Positions and velocities of Pinocchio, what the cables are, and their generalised forces."""
        cables, torques = self.cables, np.zeros(self.nv)
        at = cables_of.standing(cables, q, v, torques)
        p, w = np.empty(self._model.nq), np.empty(self._model.nv)
        p[self._to], w[self._to_rates] = q, v
        p[cables.slide], w[cables.slide_rate] = at.length, at.length_rate
        return p, w, at, torques

    def _still(self, q: np.ndarray) -> tuple[np.ndarray, Standing]:
        p, _, at, _ = self._stand(q, np.zeros(self.nv))
        return p, at

    def _changed(
        self, at: Standing, mass: np.ndarray, bias: np.ndarray, rows: np.ndarray, right: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """M, c, K and k by Pinocchio's velocities as those by the tree's; arrays are written over."""
        cables = self.cables
        if cables.names and not cables.identical:
            change_coordinates(
                *(cables.slide_rate, cables.turn_rate, at.by_angle, at.by_second, at.growth),
                *(mass, bias, rows, right),
            )
        keep = self._to_rates
        if self._in_order:
            return mass, bias, rows, right
        return mass[np.ix_(keep, keep)], bias[keep], rows[:, keep], right

    def integrate(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """q moved along velocities times a time (nv,), on the manifold: quaternions stay of unit length."""
        out = np.array(q, dtype=float)
        at, at_rate = 0, 0
        for joint in self.tree.joints:
            size, turns = len(joint.positions), joint.kind in ("spherical", "floating")
            flat = size - (4 if turns else 0)
            out[at : at + flat] += step[at_rate : at_rate + flat]
            if turns:
                out[at + flat : at + size] = _turned(
                    q[at + flat : at + size], step[at_rate + flat : at_rate + flat + 3]
                )
            at, at_rate = at + size, at_rate + len(joint.velocities)
        return out

    # --- terms

    @checked_arguments
    def terms(self, q: np.ndarray, v: np.ndarray) -> TreeTerms:
        """All of them at once."""
        return self._terms(q, v)

    def _terms(self, q: np.ndarray, v: np.ndarray) -> TreeTerms:
        pin, model, data = self._pin, self._model, self._data
        p, w, at, torques = self._stand(q, v)
        mass = pin.crba(model, data, p).reshape(model.nv, -1)
        pin.computeJointJacobiansTimeVariation(model, data, p, w)
        tree, tree_rate = self._jacobians()
        found = closing.moving(self._loops.points, tree, tree_rate, w)
        rows, right = closing.rows_of(self._loops, found, tree)
        error = closing.opening(self._loops, found.place)
        self._last = (at, w)
        changed = self._changed(at, mass, pin.nonLinearEffects(model, data, p, w), rows, right)
        if self._damping is not None:
            torques -= self._damping * v
        return TreeTerms(*changed, error, torques, at.tension)

    def mass(self, q: np.ndarray) -> np.ndarray:
        """M (nv, nv)."""
        p, at = self._still(q)
        n = self._model.nv
        mass = self._pin.crba(self._model, self._data, p).reshape(n, n)
        return self._changed(at, mass, np.zeros(n), np.zeros((0, n)), np.zeros(0))[0]

    def bias(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """c (nv,): M a + c is what moves the tree without loops and cables."""
        return self._terms(q, v).bias

    def loop_jacobian(self, q: np.ndarray) -> np.ndarray:
        """K (rows, nv)."""
        return self._terms(q, np.zeros(self.nv)).loop_jacobian

    def loop_bias(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """k (rows,): loops stay closed where K a = k."""
        return self._terms(q, v).loop_bias

    def loop_error(self, q: np.ndarray) -> np.ndarray:
        """e (rows,): how far each row is open, successor less predecessor, [m] in the world's axes for points."""
        self._pin.forwardKinematics(self._model, self._data, self._still(q)[0])
        return closing.opening(self._loops, closing.places_of(self._loops.points))

    def torques(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """tau (nv,): of cables and of damping at joints."""
        out = self._stand(q, v)[3]
        return out if self._damping is None else out - self._damping * v

    def lost_power(self, q: np.ndarray, v: np.ndarray) -> float:
        """Power [W] of what of tau is no slope of the energy: damping, and what printed torques leave out."""
        lost = float(self._stand(q, v)[2].lost.sum())
        return lost if self._damping is None else lost - float(self._damping @ v**2)

    def unwound_wrong(self, q: np.ndarray) -> str:
        """What no cable can do: more wound in or out than there is; nothing where all is well."""
        return cables_of.unwound_wrong(self.cables, q) if self.cable_names else ""

    def standing(self, q: np.ndarray, v: np.ndarray) -> Standing:
        """All that cables are: lengths, strains, their rates, tensions."""
        return self._stand(q, v)[2]

    def strains(self, q: np.ndarray) -> np.ndarray:
        """(cables,)."""
        return self._still(q)[1].strain

    def strain_rates(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(cables,) [1/s]."""
        return self._stand(q, v)[2].strain_rate

    def tensions(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(cables,) [N]; zero for rigid ones, which loops pull at."""
        return self._stand(q, v)[2].tension

    def cable_pulls(self, q: np.ndarray, v: np.ndarray, multiplier: np.ndarray) -> np.ndarray:
        """(cables,) [N] as `tensions`, and of rigid cables what the point loops at their ends pull."""
        pulls = self.tensions(q, v).copy()
        ends = {joint.name: joint.body.name for joint in self.tree.joints}
        for number in np.flatnonzero(~self.cables.compliant):
            body = ends[self.cable_names[number]]
            along = self.point(q, body, (1.0, 0.0, 0.0)) - self.point(q, body)
            for loop, first in zip(self.tree.loops, self._loops.rows, strict=True):
                sign = float(loop.successor == body) - float(loop.predecessor == body)
                pulls[number] += sign * (along @ multiplier[first : first + 3])
        return pulls

    def energies(self, q: np.ndarray, v: np.ndarray) -> tuple[float, float, float]:
        """Kinetic, elastic and of gravity [J]."""
        p, w, at, _ = self._stand(q, v)
        kinetic = float(self._pin.computeKineticEnergy(self._model, self._data, p, w))
        weight = float(self._pin.computePotentialEnergy(self._model, self._data, p))
        return kinetic, float(at.energy.sum()), weight

    # --- points of bodies

    def points_at(self, bodies: Sequence[str], places: Sequence[tuple[float, float, float]]) -> closing.Points:
        """Points of bodies, for those who ask for many at once."""
        ends = self._built.body_joint
        for body in bodies:
            if body not in ends:
                raise OptionError(f'there is no body "{body}" in the tree{suggestion(body, ends)}')
        return closing.points_of(self._model, self._data, [ends[body] for body in bodies], places)

    @property
    def loops(self) -> closing.Loops:
        return self._loops

    def _jacobians(self) -> tuple[np.ndarray, np.ndarray]:
        """J and dJ/dt as Pinocchio has them; those of one column come without it."""
        return self._data.J.reshape(6, -1), self._data.dJ.reshape(6, -1)

    def tree_jacobians(self) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
        """J and dJ/dt of the whole tree, and Pinocchio's velocities, as the last terms left them."""
        return self._jacobians(), self._last[1]

    def pulled_back(self, force: np.ndarray) -> np.ndarray:
        """Forces (..., n) along Pinocchio's velocities as those along the tree's, at the state of the last terms."""
        at, cables = self._last[0], self.cables
        out, slid = force.copy(), force[..., cables.slide_rate]
        out[..., cables.turn_rate] += at.by_angle * slid
        out[..., cables.slide_rate] = at.by_second * slid
        return np.asarray(out[..., self._to_rates])

    def places(self, q: np.ndarray, points: closing.Points) -> np.ndarray:
        """(p, 3) where points are [m]."""
        self._pin.forwardKinematics(self._model, self._data, self._still(q)[0])
        return closing.places_of(points)

    def places_and_rates(
        self, q: np.ndarray, v: np.ndarray, points: closing.Points, first: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """(p, 3) where points are, from the first of them on, and their velocities."""
        self._terms(q, v)
        found = closing.moving(points, *self._jacobians(), self._last[1])
        return found.place[first:], found.rate[first:]

    def point(self, q: np.ndarray, body: str, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> np.ndarray:
        """(3,) where a point of a body is [m]."""
        return np.asarray(self.places(q, self.points_at([body], [at]))[0])

    def point_jacobian(
        self, q: np.ndarray, v: np.ndarray, body: str, at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ) -> tuple[np.ndarray, np.ndarray]:
        """J (3, nv) and b (3,): a point's velocity is J v, and its acceleration J a + b."""
        points, n = self.points_at([body], [at]), self._model.nv
        p, w, standing, _ = self._stand(q, v)
        self._pin.computeJointJacobiansTimeVariation(self._model, self._data, p, w)
        found = closing.moving(points, *self._jacobians(), w)
        nothing = np.zeros((n, n)), np.zeros(n)
        _, _, rows, right = self._changed(standing, *nothing, found.jacobian[0].copy(), -found.bias[0])
        return rows, -right

    # --- motion

    def forward(
        self,
        q: np.ndarray,
        v: np.ndarray,
        inputs: np.ndarray | None = None,
        *,
        force: np.ndarray | None = None,
        gains: tuple[float, float] = (0.0, 0.0),
    ) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations (nv,) and loop forces (rows,): forward dynamics.

        inputs: u, torques at driven joints; none where not given. force: (nv,) more of generalised forces.
        gains: Baumgarte's alpha and beta [1/s], which pull open loops shut: K a = k - 2 alpha K v - beta^2 e.
        """
        at = self._terms(q, v)
        push = at.torques - at.bias
        if inputs is not None:
            push = push + self.input_matrix @ inputs
        if force is not None:
            push = push + force
        right = at.loop_bias
        if gains != (0.0, 0.0):
            right = right - 2.0 * gains[0] * (at.loop_jacobian @ v) - gains[1] ** 2 * at.loop_error
        try:
            a, multiplier, _ = accelerations(at.mass, at.loop_jacobian, push, right)
        except np.linalg.LinAlgError:
            raise without_inertia(weight_of(at.mass, at.loop_jacobian), self.velocity_names) from None
        return a, multiplier


def _turned(quaternion: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """A quaternion (x, y, z, w) after a turn by a rotation vector in the body's axes."""
    angle = float(np.linalg.norm(turn))
    by = np.append(0.5 * np.sinc(0.5 * angle / np.pi) * turn, np.cos(0.5 * angle))
    x, y, z, w = quaternion
    left = np.array([[w, -z, y, x], [z, w, -x, y], [-y, x, w, z], [-x, -y, -z, w]])
    out = left @ by
    return np.asarray(out / np.linalg.norm(out))
