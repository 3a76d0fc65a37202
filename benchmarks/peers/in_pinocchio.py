"""Separate bars as a Pinocchio model: a free flyer each, cables as forces on them from numpy, stepped by scipy.

Pinocchio has no cables and no time loop: it gives accelerations (ABA), and what is around it here is Python.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import taut
from benchmarks.peers.in_exudyn import AXIAL, z_onto
from taut.structure import properties

AVAILABLE = find_spec("pinocchio") is not None


class InPinocchio:
    """A structure at a start given by positions and velocities (n, 3) of its nodes; no gravity."""

    def __init__(self, structure: taut.Structure, positions: np.ndarray, velocities: np.ndarray) -> None:
        import pinocchio as pin

        self.pin, self.model = pin, pin.Model()
        names = {name: place for place, name in enumerate(structure.nodes)}
        self.count, self.bars = len(names), len(structure.bars)
        q, v = [], []
        self.home, self.side = np.zeros(self.count, int), np.zeros(self.count)
        for k, bar in enumerate(structure.bars.values()):
            first, second = (names[node] for node in bar.nodes)
            length, mass = properties.bar_length(structure, bar), properties.bar_mass(structure, bar)
            inertia = properties.bar_rotary_mass(structure, bar) * length**2
            along = (positions[second] - positions[first]) / length
            turned = z_onto(along)
            q += [*0.5 * (positions[first] + positions[second]), *turned.as_quat()]
            v += [*turned.inv().apply(0.5 * (velocities[first] + velocities[second]))]
            v += [*turned.inv().apply(np.cross(along, velocities[second] - velocities[first]) / length)]
            joint = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), f"bar{k}")
            body = pin.Inertia(mass, np.zeros(3), np.diag([inertia, inertia, AXIAL * inertia]))
            self.model.appendBodyToJoint(joint, body, pin.SE3.Identity())
            self.home[[first, second]], self.side[[first, second]] = k, (-0.5 * length, 0.5 * length)
        self.model.gravity = pin.Motion.Zero()
        self.data, self.start = self.model.createData(), np.array(q + v)
        cables = structure.cables.values()
        self.first, self.second = np.array([[names[c.route[0]], names[c.route[-1]]] for c in cables]).T
        self.stiffness = np.array([properties.stiffness(structure, cable) for cable in cables])
        self.rest = np.array([properties.rest_length(structure, cable) for cable in cables])
        self.still = np.zeros(self.model.nv)

    def nodes(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions (n, 3), bars' rotation matrices (b, 3, 3), and bodies' quaternions (b, 4)."""
        bodies = q.reshape(-1, 7)
        quaternions = bodies[:, 3:] / np.linalg.norm(bodies[:, 3:], axis=1, keepdims=True)
        turned = Rotation.from_quat(quaternions).as_matrix()
        return bodies[self.home, :3] + self.side[:, None] * turned[self.home, :, 2], turned, quaternions

    def rate(self, t: float, y: np.ndarray) -> np.ndarray:
        pin, size = self.pin, 7 * self.bars
        q, v = y[:size].copy(), y[size:]
        places, turned, quaternions = self.nodes(q)
        q.reshape(-1, 7)[:, 3:] = quaternions
        stretched = places[self.second] - places[self.first]
        lengths = np.sqrt(np.einsum("ij,ij->i", stretched, stretched))
        pulls = (self.stiffness * np.maximum(1.0 - self.rest / lengths, 0.0))[:, None] * stretched
        force = np.zeros_like(places)
        np.add.at(force, self.first, pulls)
        np.subtract.at(force, self.second, pulls)
        local = np.einsum("nij,ni->nj", turned[self.home], force)  # in the frames of the bars
        total, moment = np.zeros((self.bars, 3)), np.zeros((self.bars, 3))
        np.add.at(total, self.home, local)
        arms = np.stack([-self.side * local[:, 1], self.side * local[:, 0], np.zeros(self.count)], axis=1)
        np.add.at(moment, self.home, arms)
        given = [pin.Force.Zero(), *(pin.Force(f, m) for f, m in zip(total, moment, strict=True))]
        acceleration = pin.aba(self.model, self.data, q, v, self.still, given)
        speeds = v.reshape(-1, 6)
        out = np.empty_like(y)
        moved = out[:size].reshape(-1, 7)
        moved[:, :3] = np.einsum("bij,bj->bi", turned, speeds[:, :3])
        w, vector = quaternions[:, 3:], quaternions[:, :3]
        moved[:, 3:6] = 0.5 * (w * speeds[:, 3:] + np.cross(vector, speeds[:, 3:]))
        moved[:, 6] = -0.5 * np.einsum("bi,bi->b", vector, speeds[:, 3:])
        out[size:] = acceleration
        return out

    def follow(self, method: str, duration: float, tolerance: float) -> np.ndarray:
        """Positions (n, 3) of the nodes at the end."""
        found = solve_ivp(self.rate, (0.0, duration), self.start, method=method, rtol=tolerance, atol=tolerance)
        return self.nodes(found.y[: 7 * self.bars, -1])[0]
