"""The stedy paper as a whole: what it is, its claims and its pictures, in the order of its figures."""

from __future__ import annotations

from taut.papers.paper import Paper, Scene
from taut.papers.stedy import arm, at_rest, ball, compressible, doublet, linear, norms, stiff, tbar, tbar_long, times

GROUPS = (tbar, times, tbar_long, arm, ball, linear, compressible, stiff, doublet, at_rest, norms)
"""Each has CLAIMS and PICTURES."""

ABOUT = """\
Settings are those of section 4 and Table 1: Dormand-Prince 5(4), tolerances 1e-10, corrections of bar lengths and
energy with the threshold 1e-10. Bars are thin rods, as in the authors' code; their paper's inertia has a term with
the radius too (fig2-simscape tells what it does). taut's own correction is used, which holds lengths to round-off;
the energy is held to 1e-13 of the energies present. The paper's own, eq. (45) in Algorithm 1, stands beside it in
Figs. 2 to 9. The Arm and the Ball stand in gravity by the prestress with the least sum of force densities, since the
authors' is not unique; both are pushed by 300 sin(t) N as in Table 1, not by 100 and 30 as in the authors' scripts.
Compressible bars are followed by Dormand-Prince 8(5,3), at the same tolerance; they have the inertia of the paper's
formula, with the radius, and aluminium has 68 GPa as in Table 2, not 200 as in the authors' script. Where the paper
gives no number, the bound that its words amount to stands for it."""

ERRATA = (
    "Eq. (56) leaves out -dT/dq, without which energy is not conserved (eq56-energy).",
    "The kinetic energy of section 3.1 drops a bar's stretching, so that the matrix of eq. (58) is singular where "
    "every node is a bar's end (eq58-invertible).",
    "A of eqs. (49) and (59) has fixed force densities and no material stiffness (eq59-small).",
    "Table 2: the norms of G are those of a model without that stiffness, or of none that was found (table2-h2-soft to "
    "table2-hinf-metal).",
    "Table 1 and the authors' scripts have different pushes; Table 2 and their script different moduli of aluminium.",
)

SCENES = (
    Scene("tbar-90-10s-1e-10-energy", "The T-bar of Figs. 2 to 4"),
    Scene("arm-20s-1e-10-energy", "The Arm of Figs. 10 to 12, pushed", 2.0),
    Scene("ball-20s-1e-10-energy", "The Ball of Figs. 13 and 14, pushed", 2.0),
)

PAPER = Paper(
    key="stedy",
    title="A Lagrangian method for constrained dynamics in tensegrity systems with compressible bars",
    authors="S.-C. Hsu, V. Tadiparthi, R. Bhattacharya",
    about=ABOUT,
    claims=tuple(claim for group in GROUPS for claim in group.CLAIMS),
    pictures=tuple(picture for group in GROUPS for picture in group.PICTURES),
    errata=ERRATA,
    scenes=SCENES,
)
