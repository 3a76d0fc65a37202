"""The rolling report as a whole: what it is, its claims and its pictures."""

from __future__ import annotations

from taut.papers.paper import Paper, Scene
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

ERRATA = (
    "M(q) of section 3.5 is singular, once for every strut, which has no energy in a spin about its axis.",
    "Eq. (5) has W in the other frame than R' = R W has it; a strut is on R^3 x SO(3), not R^6 x SO(3).",
    "A.1 has its signs exchanged; the derivative of A.2 does not jump; 30 coordinates are left in A.3, not 36.",
    "F_t . v = 0 of appendix B is false for what slides.",
    "A weight of 6e3 N would be that of 612 kg; section 6.3 has y up and the rest z.",
    "An icosahedron has 30 edges, the robot 24 cables.",
)

SCENES = (
    Scene("rolling-struts-0", "All struts driven with phases at random, as in section 5.1"),
    Scene("rolling-settling", "The robot dropped from half a metre, by impulses"),
)

PAPER = Paper(
    key="rolling",
    title="Least-action-based modeling and rolling locomotion of a six-strut tensegrity robot",
    authors="P. Somane",
    about=ABOUT,
    claims=tuple(claim for group in GROUPS for claim in group.CLAIMS),
    pictures=tuple(picture for group in GROUPS for picture in group.PICTURES),
    errata=ERRATA,
    scenes=SCENES,
)
