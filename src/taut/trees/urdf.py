"""Trees read from URDF, the robot description that Pinocchio understands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np

from taut.errors import FileError, ModelError, Problem
from taut.mechanics.trees.pinocchio_model import pinocchio
from taut.structure.bodies import Body, Matrix, Vector
from taut.structure.files import text_of
from taut.structure.trees import WORLD, Tree, TreeJoint
from taut.type_checks import checked_arguments


@checked_arguments
def read_urdf(path: str | os.PathLike[str], *, floating: bool = False, gravity: float = 9.81) -> Tree:
    """The links and joints of a robot, with the damping of these; those that move on one axis are driven. Shapes,
    limits and dry friction are left out.

    floating: whether the first link floats; else the world holds it. Links joined by fixed joints are one body, named
    by the first. Spherical and planar joints of the format, and joints that follow others (mimic), are refused.
    """
    source = os.fspath(path)
    return tree_of_urdf(text_of(source, "a URDF file"), source, floating=floating, gravity=gravity)


def tree_of_urdf(text: str, source: str, *, floating: bool, gravity: float) -> Tree:
    """The same of the text of a file."""
    pin = pinocchio()
    try:
        model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if floating else pin.buildModelFromXML(text)
    except Exception as error:  # whatever Pinocchio's parser raises
        raise FileError(f"{source}: is no robot that Pinocchio can read: {str(error).strip()}") from error
    if problems := [*_following(text, source)]:
        raise ModelError(problems, source)
    data = model.createData()
    pin.computeJointJacobians(model, data, pin.neutral(model))
    bodies = [WORLD] + [_body_name(pin, model, number) for number in range(1, model.njoints)]
    joints = []
    for number in range(1, model.njoints):
        place, inertia = model.jointPlacements[number], model.inertias[number]
        kind, axes = _kind(pin, model, data, number, source)
        lump = inertia.inertia
        joints.append(
            TreeJoint(
                model.names[number],
                kind,
                bodies[model.parents[number]],
                Body(bodies[number], float(inertia.mass), _vector(inertia.lever), _matrix(0.5 * (lump + lump.T))),
                _vector(place.translation),
                _matrix(place.rotation),
                axes,
                driven=kind in ("revolute", "prismatic"),
                damping=float(model.damping[model.joints[number].idx_v]),
            )
        )
    return Tree(tuple(joints), gravity=gravity, name=model.name)


def _following(text: str, source: str) -> Iterator[Problem]:
    """Joints that follow others, which Pinocchio would read as free to move."""
    try:
        robot = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:  # Pinocchio passes over some
        raise FileError(f"{source}: is not well-formed XML: {error}") from error
    for joint in robot.iter("joint"):
        if joint.find("mimic") is not None and joint.get("type") != "fixed":
            message = "follows another joint (mimic), which is not read: it would move by itself; take it away"
            yield Problem(("joints", joint.get("name", "")), f"{message}, or make it fixed")


def _kind(pin: Any, model: Any, data: Any, number: int, source: str) -> tuple[str, tuple[Vector, ...]]:
    joint = model.joints[number]
    if joint.nv == 6:
        return "floating", ()
    if joint.nv == 1:
        column = pin.getJointJacobian(model, data, number, pin.ReferenceFrame.LOCAL)[:, joint.idx_v]
        turns = np.linalg.norm(column[3:]) > 0.5
        return ("revolute" if turns else "prismatic"), (_vector(column[3:] if turns else column[:3]),)
    message = f"is a {joint.shortname()}, which is not read; take joints that turn or slide about one axis"
    raise ModelError([Problem(("joints", model.names[number]), message)], source)


def _body_name(pin: Any, model: Any, number: int) -> str:
    """The first link on a joint."""
    for frame in model.frames:
        if frame.parentJoint == number and frame.type == pin.FrameType.BODY:
            return str(frame.name)
    return f"{model.names[number]} body"


def _vector(values: np.ndarray) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])


def _matrix(values: np.ndarray) -> Matrix:
    return _vector(values[0]), _vector(values[1]), _vector(values[2])
