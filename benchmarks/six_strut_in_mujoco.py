"""A robot of separate bars as a MuJoCo model: each bar a free rigid body, each cable a spatial tendon that only pulls.

The same physics as taut's: a tendon with springlength [0, rest] has no force below its rest length and stiffness *
stretch above, a body has the mass and the transverse inertia of the "thin" bar. A thin rod has no inertia about its
axis, which MuJoCo does not take. Any other number does: the cables attach on the axis and give no torque about it, so a
bar that starts without spin about its axis never gets any. `axial` is that number, relative to the transverse inertia.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

import numpy as np

import taut
from taut.structure import properties

AVAILABLE = find_spec("mujoco") is not None

NEEDED = ("mjDSBL_SPRING", "mjDSBL_GRAVITY")
"""Of what MuJoCo can leave out, what this model needs; the rest (contacts, constraints, sensors, ...) is left out."""

INTEGRATORS = ("RK4", "Euler", "implicit")


class InMujoco:
    """A structure at a start given by positions and velocities (n, 3) of its nodes.

    gravity: [m/s^2] along -z, or as a vector. friction: of a floor z = 0 that the ends of bars touch, as balls of a
    millimetre whose lowest points are the nodes'; None: there is no floor. firm: the time [s] in which contacts push
    out what is inside, and the cone is round and hard; None: MuJoCo's own, 20 ms and a pyramid.
    """

    def __init__(
        self,
        structure: taut.Structure,
        positions: np.ndarray,
        velocities: np.ndarray,
        gravity: float | tuple[float, float, float],
        axial: float = 1e-3,
        friction: float | None = None,
        firm: float | None = None,
    ) -> None:
        import mujoco

        self.engine = mujoco
        names = list(structure.nodes)
        bodies, qpos, qvel = [], [], []
        for bar in structure.bars.values():
            first, second = (names.index(node) for node in bar.nodes)
            length, mass = properties.bar_length(structure, bar), properties.bar_mass(structure, bar)
            inertia = properties.bar_rotary_mass(structure, bar) * length**2
            along = (positions[second] - positions[first]) / length
            turning = np.cross(along, velocities[second] - velocities[first]) / length
            middle, attitude, back, local = (positions[first] + positions[second]) / 2.0, *map(np.empty, (4, 4, 3))
            mujoco.mju_quatZ2Vec(attitude, along)
            mujoco.mju_negQuat(back, attitude)
            mujoco.mju_rotVecQuat(local, turning, back)  # a free joint's rates of turning are about its body's axes
            qpos += [*middle, *attitude]
            qvel += [*(velocities[first] + velocities[second]) / 2.0, *local]
            bodies.append(
                f'<body pos="{_text(middle)}" quat="{_text(attitude)}"><freejoint/>'
                f'<inertial pos="0 0 0" mass="{_text([mass])}"'
                f' diaginertia="{_text([inertia, inertia, axial * inertia])}"/>'
                f'<site name="{bar.nodes[0]}" pos="{_text([0.0, 0.0, -length / 2.0])}"/>'
                f'<site name="{bar.nodes[1]}" pos="{_text([0.0, 0.0, length / 2.0])}"/>'
                f"{'' if friction is None else _balls(length)}</body>"
            )
        floor = "" if friction is None else _floor(friction, firm)
        tendons = [
            f'<spatial stiffness="{_text([properties.stiffness(structure, cable)])}"'
            f' damping="{_text([cable.damping])}"'  # also of a slack one, which taut's has none of
            f' springlength="{_text([0.0, properties.rest_length(structure, cable)])}">'
            f'<site site="{cable.route[0]}"/><site site="{cable.route[-1]}"/></spatial>'
            for cable in structure.cables.values()
        ]
        cone = "" if firm is None else '<option cone="elliptic" impratio="1000"/>'
        self.model = mujoco.MjModel.from_xml_string(
            f"<mujoco>{cone}<worldbody>{floor}{''.join(bodies)}</worldbody><tendon>{''.join(tendons)}</tendon></mujoco>"
        )
        self.model.opt.gravity[:] = (0.0, 0.0, -gravity) if isinstance(gravity, float) else gravity
        flags = mujoco.mjtDisableBit.__members__.items()
        if friction is None:
            self.model.opt.disableflags = sum(
                int(bit) for name, bit in flags if name.startswith("mjDSBL_") and name not in NEEDED
            )
        self.data = mujoco.MjData(self.model)
        self.qpos, self.qvel = np.array(qpos), np.array(qvel)
        self.sites = [self.model.site(name).id for name in names]

    def follow(self, integrator: str, step: float, every: float, samples: int) -> np.ndarray:
        """Positions (samples + 1, n, 3) of the nodes, the start included. All steps to a sample are one call into C."""
        engine, model, data = self.engine, self.model, self.data
        model.opt.integrator = getattr(engine.mjtIntegrator, f"mjINT_{integrator.upper()}")
        model.opt.timestep = step
        engine.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = self.qpos, self.qvel
        nodes = np.empty((samples + 1, len(self.sites), 3))
        for k in range(samples + 1):
            if k > 0:
                engine.mj_step(model, data, round(every / step))
            engine.mj_kinematics(model, data)
            nodes[k] = data.site_xpos[self.sites]
        return nodes


BALL = 1e-3
"""[m]"""


def _balls(length: float) -> str:
    """Of both ends; they touch the floor only."""
    ends = ("0 0 " + _text([side * length / 2.0]) for side in (-1.0, 1.0))
    return "".join(
        f'<geom type="sphere" size="{BALL}" mass="0" pos="{end}" contype="1" conaffinity="0"/>' for end in ends
    )


def _floor(friction: float, firm: float | None) -> str:
    """Below z = 0 by the radius of a ball. What sticks out of it by less than a micrometre counts as on it."""
    rough = f'friction="{_text([friction, 0.0, 0.0])}" condim="3" contype="0" conaffinity="1"'
    rough += "" if firm is None else f' solref="{_text([firm, 1.0])}" solimp="0.99 0.999 1e-6 0.5 2" priority="1"'
    return f'<geom type="plane" size="50 50 1" pos="0 0 {_text([-BALL])}" {rough}/>'


def _text(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(number)) for number in numbers)
