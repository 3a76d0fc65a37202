"""The rolling report as a whole: what it is, its claims and its pictures."""

from __future__ import annotations

from taut.papers.paper import Paper
from taut.papers.rolling import actuation, bodies, contact, derivations, gaits, refinement, stiff_struts

GROUPS = (derivations, bodies, stiff_struts, contact, refinement, actuation, gaits)
"""Each has CLAIMS and PICTURES."""

ABOUT = """\
The report gives almost no numbers of its robot. Here struts are 0.6 m long, the robot has 3 kg (0.25 kg at each end
of a strut), cables have 600 N/m, 40 N and dampers of 20 N s/m, struts 1e5 N/m where they give way, the ground 1e5 N/m
and 50 N s/m, friction is 0.6, and the switch between sticking and sliding is at 1 mm/s where nothing else is said.
Its model (point masses, springs, penalty, switch, RK4) is written out in `taut.papers.rolling.penalty`, apart from
taut's mechanics; beside it stand rigid struts and contact by impulses. Where the report gives words only, the bound
that they amount to stands for them. Its genetic algorithm is not in its code; gaits that taut's found are run again."""

PAPER = Paper(
    key="rolling",
    title="Least-action-based modeling and rolling locomotion of a six-strut tensegrity robot",
    authors="P. Somane",
    about=ABOUT,
    claims=tuple(claim for group in GROUPS for claim in group.CLAIMS),
    pictures=tuple(picture for group in GROUPS for picture in group.PICTURES),
)
