"""The stedy paper as a whole: what it is, its claims and its pictures, in the order of its figures."""

from __future__ import annotations

from taut.papers.paper import Paper
from taut.papers.stedy import arm, ball, tbar, tbar_long, times

GROUPS = (tbar, times, tbar_long, arm, ball)
"""Each has CLAIMS and PICTURES."""

PAPER = Paper(
    key="stedy",
    title="A Lagrangian method for constrained dynamics in tensegrity systems with compressible bars",
    authors="S.-C. Hsu, V. Tadiparthi, R. Bhattacharya",
    about="",
    claims=tuple(claim for group in GROUPS for claim in group.CLAIMS),
    pictures=tuple(picture for group in GROUPS for picture in group.PICTURES),
)
