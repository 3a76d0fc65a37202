"""The T-bar in MuJoCo, which may stand in for Simscape: minimum coordinates (a hinge a bar), springs as tendons."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from taut.papers.stedy.minimal import BASE, LENGTH, STIFFNESS

AVAILABLE = find_spec("mujoco") is not None

STEP = 1e-3
MASS = 6.25 * np.pi
"""Of a bar [kg]."""
AXIAL = 1e-3
"""MuJoCo takes no body without inertia about an axis; about its own a bar does not turn, so any number does."""


def tbar_motion(duration: float, every: float, rest_ratio: float = 0.9) -> np.ndarray:
    """x3 z3 x4 z4 of thin bars, (T, 4) [m], by RK4."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(_model(rest_ratio))
    data = mujoco.MjData(model)
    rows = []
    for k in range(round(duration / every) + 1):
        if k > 0:
            mujoco.mj_step(model, data, round(every / STEP))
        mujoco.mj_kinematics(model, data)
        rows.append(np.concatenate([data.site(name).xpos[[0, 2]] for name in ("n3", "n4")]))
    return np.array(rows)


def _model(rest_ratio: float) -> str:
    across = MASS * LENGTH**2 / 12.0
    bodies = "".join(
        f'<body pos="{x!r} 0 0"><joint type="hinge" axis="0 1 0"/>'
        f'<inertial pos="{_text(end / 2.0)}" quat="{_text(_turn(end))}" mass="{MASS!r}"'
        f' diaginertia="{across!r} {across!r} {AXIAL * across!r}"/>'
        f'<site name="{name}" pos="{_text(end)}"/></body>'
        for name, x, end in (("n3", 0.0, np.array([BASE, 0.0, BASE])), ("n4", BASE, np.array([-BASE, 0.0, BASE])))
    )
    springs = "".join(
        f'<spatial stiffness="{STIFFNESS!r}" springlength="{rest!r}"><site site="{a}"/><site site="{b}"/></spatial>'
        for a, b, rest in (("n2", "n3", rest_ratio * BASE), ("n3", "n4", BASE), ("n4", "n1", rest_ratio * BASE))
    )
    return (
        f'<mujoco><option timestep="{STEP!r}" integrator="RK4" gravity="0 0 0"/><worldbody>'
        f'<site name="n1" pos="0 0 0"/><site name="n2" pos="{BASE!r} 0 0"/>{bodies}</worldbody>'
        f"<tendon>{springs}</tendon></mujoco>"
    )


def _turn(direction: np.ndarray) -> np.ndarray:
    """The quaternion that turns z, the axis of least inertia, into a direction of the x-z plane."""
    angle = np.arctan2(direction[0], direction[2])
    return np.array([np.cos(angle / 2.0), 0.0, np.sin(angle / 2.0), 0.0])


def _text(numbers: np.ndarray) -> str:
    return " ".join(repr(float(number)) for number in numbers)
