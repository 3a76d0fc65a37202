"""The mechanism paper as a whole: what it is, its claims and its pictures."""

from __future__ import annotations

from taut.papers.mechanism import damping, filtering, geometry, motion, torques
from taut.papers.paper import Paper, Scene

GROUPS = (geometry, motion, filtering, damping, torques)
"""Each has CLAIMS and PICTURES."""

ABOUT = """\
The mechanism is that of section 4.2.1: m = 2.5 kg, K = 1000 N/m, c_d = 100 N s/m, cables of 0.7071 m and struts of
1.4142 m, no gravity. It is computed in the coordinates of its joints, which are the paper's, and in those of its nodes
with rows for struts, elbows and universal joints; beside both stand the paper's own equations, integrated by scipy.
Angles are the paper's, negative. Where the paper gives words or a figure only, the bound that they amount to stands
for them."""

ERRATA = (
    "0 of (21) is 9 x 3, and the unit matrix of (35) is that of nine.",
    "The terms in alpha of (16)-(17) have the other sign, which the energy does not feel.",
    "(41) is of |theta|.",
    "The third angle of psi_F is -84.003 deg, not -84.01.",
    "Step 3 of section 4.1 filters new rates by the positions before, which makes any method one of first order.",
)

SCENES = (Scene("mechanism-joints-1e-12", "The imposed motion of section 4.2.1, in the coordinates of its joints"),)

PAPER = Paper(
    key="mechanism",
    title="Dynamic simulation of a spatial 3-DOF tensegrity mechanism",
    authors="M. Arsenault, C. M. Gosselin",
    about=ABOUT,
    claims=tuple(claim for group in GROUPS for claim in group.CLAIMS),
    pictures=tuple(picture for group in GROUPS for picture in group.PICTURES),
    errata=ERRATA,
    scenes=SCENES,
)
