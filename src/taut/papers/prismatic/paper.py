"""The prismatic paper as a whole: what it is, its claims and its pictures."""

from __future__ import annotations

from taut.papers.paper import Paper
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

PAPER = Paper(
    key="prismatic",
    title="A simplified kinematics and kinetics formulation for prismatic tensegrity robots",
    authors="A. Yeshmukhametov, K. Koganezawa",
    about=ABOUT,
    claims=tuple(claim for group in GROUPS for claim in group.CLAIMS),
    pictures=tuple(picture for group in GROUPS for picture in group.PICTURES),
)
