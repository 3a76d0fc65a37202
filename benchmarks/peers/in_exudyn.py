"""Separate bars as an exudyn system: each a rigid body on a Lie-group node, each cable a spring between two markers.

Exudyn's spring pushes where it is short, so the same motion is one in which no cable slackens; a unilateral one would
be a Python function called in every stage. Bodies have the mass and the transverse inertia of taut's thin bars; the
inertia about the axis never matters, as in `six_strut_in_mujoco`.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from scipy.spatial.transform import Rotation

import taut
from taut.structure import properties

AVAILABLE = find_spec("exudyn") is not None

AXIAL = 1e-3


class InExudyn:
    """A structure at a start given by positions and velocities (n, 3) of its nodes.

    gravity: [m/s^2] along -z. sparse: mass matrices are inverted body by body, as large systems want it.
    """

    def __init__(
        self,
        structure: taut.Structure,
        positions: np.ndarray,
        velocities: np.ndarray,
        gravity: float = 0.0,
        sparse: bool = False,
    ) -> None:
        import exudyn
        from exudyn import itemInterface as items

        self.engine, self.sparse = exudyn, sparse
        self.container = exudyn.SystemContainer()  # it owns the system below
        self.system = self.container.AddSystem()
        names = {name: place for place, name in enumerate(structure.nodes)}
        markers: dict[str, object] = {}
        for bar in structure.bars.values():
            first, second = (names[node] for node in bar.nodes)
            length, mass = properties.bar_length(structure, bar), properties.bar_mass(structure, bar)
            inertia = properties.bar_rotary_mass(structure, bar) * length**2
            along = (positions[second] - positions[first]) / length
            turned = z_onto(along)
            rates = turned.inv().apply(np.cross(along, velocities[second] - velocities[first]) / length)
            middle, speed = (0.5 * (given[first] + given[second]) for given in (positions, velocities))
            node = self.system.AddNode(
                items.NodeRigidBodyRotVecLG(
                    referenceCoordinates=[*middle, *turned.as_rotvec()], initialVelocities=[*speed, *rates]
                )
            )
            body = self.system.AddObject(
                items.ObjectRigidBody(
                    mass=mass, inertia=[inertia, inertia, AXIAL * inertia, 0.0, 0.0, 0.0], nodeNumber=node
                )
            )
            for name, side in zip(bar.nodes, (-0.5, 0.5), strict=True):
                markers[name] = self.system.AddMarker(
                    items.MarkerBodyRigid(bodyNumber=body, localPosition=[0.0, 0.0, side * length])
                )
            if gravity:
                whole = self.system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
                self.system.AddLoad(items.LoadMassProportional(markerNumber=whole, loadVector=[0.0, 0.0, -gravity]))
        for cable in structure.cables.values():
            self.system.AddObject(
                items.ObjectConnectorSpringDamper(
                    markerNumbers=[markers[cable.route[0]], markers[cable.route[-1]]],
                    stiffness=properties.stiffness(structure, cable),
                    referenceLength=properties.rest_length(structure, cable),
                )
            )
        self.ends = [markers[name] for name in structure.nodes]
        self.system.Assemble()
        self.start = self.system.systemData.GetSystemState()

    def follow(self, solver: str, duration: float, steps: int = 1, tolerance: float | None = None) -> np.ndarray:
        """Positions (n, 3) of the nodes at the end. solver: "RK44" with equal steps, or "DOPRI5" with a tolerance."""
        exudyn, settings = self.engine, self.engine.SimulationSettings()
        integration = settings.timeIntegration
        integration.endTime = duration
        integration.numberOfSteps = steps
        integration.verboseMode = 0
        integration.explicit.computeEndOfStepAccelerations = False
        integration.automaticStepSize = tolerance is not None
        if tolerance is not None:
            integration.absoluteTolerance = integration.relativeTolerance = tolerance
            integration.minimumStepSize = 1e-12
        if self.sparse:
            integration.explicit.computeMassMatrixInversePerBody = True
            settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
        settings.solution.file.write = False
        data = self.system.systemData
        data.SetSystemState(self.start, configuration=exudyn.ConfigurationType.Initial)
        self.system.SolveDynamic(settings, solverType=getattr(exudyn.DynamicSolverType, solver))
        position = exudyn.OutputVariableType.Position
        return np.array([self.system.GetMarkerOutput(end, position) for end in self.ends])


def z_onto(along: np.ndarray) -> Rotation:
    """The shortest turn of the z axis onto a direction."""
    axis = np.cross([0.0, 0.0, 1.0], along)
    sine, cosine = float(np.linalg.norm(axis)), float(along[2])
    if sine < 1e-12:
        return Rotation.from_rotvec([0.0 if cosine > 0.0 else np.pi, 0.0, 0.0])
    return Rotation.from_rotvec(axis / sine * np.arctan2(sine, cosine))
