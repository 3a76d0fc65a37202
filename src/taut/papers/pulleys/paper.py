"""The thesis on pulleys as a whole: what it is, its claims and its pictures."""

from __future__ import annotations

from taut.papers.paper import Paper
from taut.papers.pulleys import involute_joints, manipulator_control, prediction, ringing, splines, strut_control

GROUPS = (involute_joints, splines, strut_control, manipulator_control, ringing, prediction)
"""Each has CLAIMS and PICTURES."""

ABOUT = """\
Machines are those of sections 5.1.1 and 5.1.2, with Baumgarte's gains 100 and 20 and g = 9.81 m/s^2, by rk4. What the
thesis leaves open is a parameter: sigma_0 of the manipulator is taken for 20 MPa, the viscosity of section 5.3 for that
of 5.4. Inverse dynamics goes by daqp with strains in units of stress. Where the thesis gives a figure only, the bound
that it amounts to stands for it."""

ERRATA = (
    "(4.3.2) has D and M_H the other way round (spline-order).",
    "The torques of (3.1.16) leave out the energy of cable that is wound in, and are no slopes of it (torque-energy).",
    "A_s of (3.2.3) and (3.2.7) has the other sign, since the torque that acts is -e.",
    "(3.2.2) is a secant.",
    "Bounds of (2.2.3) have the other sign, and (2.2.10) is off by a factor of two between P and q.",
    "Table 5.7 is in rad, not in metres.",
)

PAPER = Paper(
    key="pulleys",
    title="Positioning of tensegrity structures",
    authors="J. Lieskovsky",
    about=ABOUT,
    claims=tuple(claim for group in GROUPS for claim in group.CLAIMS),
    pictures=tuple(picture for group in GROUPS for picture in group.PICTURES),
    errata=ERRATA,
)
