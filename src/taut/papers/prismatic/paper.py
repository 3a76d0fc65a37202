"""The prismatic paper as a whole: what it is, its claims and its pictures."""

from __future__ import annotations

from taut.papers.paper import Paper, Scene
from taut.papers.prismatic import differential, friction, initial_posture, motion, printed, stability

GROUPS = (printed, initial_posture, stability, differential, motion, friction)
"""Each has CLAIMS and PICTURES."""

ABOUT = """\
The robot is that of Table 1; 450 mm is the side of its triangles, and the saddle is as long as the nodes of Table 2
have it, 1.758 m, which the paper does not say. Postures are found by `taut.kinetostatics` from nodes and routed wires,
and by the paper's 22 equations with the corrections that they need, which agree to round-off. Active wires have 90 N
and passive ones 65 N where nothing else is said: near Table 2, the other way about than in Table 1 (table2-posture).
What has plainly been lost in print is put back: brackets in (11)-(13); u_p for n_up and the turn by rp_i in (5). What
was measured on the robot is not here, nor are the numbers of the figures; where the paper gives none, the bound that
its words amount to stands for it."""

ERRATA = (
    "(19)-(21) have weights of the other sign than (11)-(13), on the same nodes; with + (m_n + m_L/2) g there, and "
    "3/2 m_L g in (15), there is a root.",
    "(10) asks for |T| = 0, at which Newton's method does not converge; both components of each moment are wanted.",
    "(14) follows from (19)-(21): 19 of the 22 equations are independent.",
    "e^(k theta) of (2) is transposed, and l_p cancels in (18).",
    "Table 1 has active and passive tensions the other way about than Table 2, whose measured plate and bars have not "
    "the lengths of the robot (table2-posture).",
)

SCENES = (Scene("prismatic-sinusoids", "The robot by three winches, a third of a turn apart", 4.0),)

PAPER = Paper(
    key="prismatic",
    title="A simplified kinematics and kinetics formulation for prismatic tensegrity robots",
    authors="A. Yeshmukhametov, K. Koganezawa",
    about=ABOUT,
    claims=tuple(claim for group in GROUPS for claim in group.CLAIMS),
    pictures=tuple(picture for group in GROUPS for picture in group.PICTURES),
    errata=ERRATA,
    scenes=SCENES,
)
