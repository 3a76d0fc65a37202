"""The imposed motion: Figs. 3 and 4, energies, constraints, and a kick (section 4.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import simpson

from taut.dynamics.trajectory import Trajectory
from taut.papers.bench import Bench
from taut.papers.claims import SAME_ORDER, Claim, Measured, at_least, at_most
from taut.papers.drawing import curves, panels
from taut.papers.mechanism.cases import EVERY, FORMS, imposed, kicked, middle, reference, sides
from taut.papers.mechanism.equations import BEGIN, OVER
from taut.papers.mechanism.model import AT_END, END, START, at_rest
from taut.papers.paper import Picture

SETTLED = 1e-3
"""[m] from where it comes to rest, within which x counts as settled."""


def settling(run: Trajectory, within: float = SETTLED) -> float:
    """[s] from the end of the motion until x stays where the printed psi_F has it at rest."""
    off = np.linalg.norm(middle(run) - at_rest(AT_END), axis=1)
    late = np.flatnonzero(off > within)
    return float(max(run.time[late[-1]] - OVER, 0.0)) if late.size else 0.0


def _ends(bench: Bench) -> Measured:
    found = {form: middle(bench.run(imposed(form))) for form in FORMS}
    off = {form: float(np.linalg.norm(x[-1] - END)) for form, x in found.items()}
    at = {time: found["joints"][round(time / EVERY)] for time in (3.0, 10.0)}
    return Measured(
        off["joints"],
        "The printed psi_F is rounded, and its third angle a slip (psi-third): x ends where it puts the platform.",
        {
            **{
                f"{name}({time:g}) [m]": float(x)
                for time, at_time in at.items()
                for name, x in zip("xyz", at_time, strict=True)
            },
            "the same in nodes [m]": off["nodes"],
            "nodes against joints, largest over 10 s [m]": float(np.abs(found["nodes"] - found["joints"]).max()),
            "the paper's equations by scipy against joints [m]": float(
                np.abs(reference(bench).x - found["joints"]).max()
            ),
            "torques against the paper's equations, of their size": float(
                np.abs(bench.run(imposed()).angle_torque / reference(bench).torque - 1.0).max()
            ),
        },
    )


def _still(bench: Bench) -> Measured:
    run = bench.run(imposed())
    early = middle(run)[run.time < BEGIN - 1e-9]
    return Measured(float(np.abs(early - START).max()), beside={"samples before t = 1 s": float(len(early))})


def _delay(bench: Bench) -> Measured:
    run = bench.run(imposed())
    return Measured(
        settling(run),
        "Until x stays within 1 mm; the paper gives a figure only. sec4-cartesian tells what a controller makes of it.",
        {
            "until within 0.1 mm [s]": settling(run, 1e-4),
            "off at t = 3 s [m]": float(np.linalg.norm(middle(run)[round(OVER / EVERY)] - at_rest(AT_END))),
        },
    )


def _constraints(bench: Bench) -> Measured:
    phi = {form: float(np.abs(sides(bench.run(imposed(form)))[0]).max()) for form in FORMS}
    return Measured(phi["joints"], beside={"in nodes [m^2]": phi["nodes"]})


def _rates(bench: Bench) -> Measured:
    rate = {form: float(np.abs(sides(bench.run(imposed(form)))[1]).max()) for form in FORMS}
    return Measured(
        rate["joints"],
        "The paper filters velocities before it corrects positions, so that what the correction moves is left in them; "
        "the other way about, both are at round-off (sec4-order).",
        {"in nodes [m^2/s]": rate["nodes"]},
    )


def _energy(bench: Bench) -> Measured:
    run = bench.run(imposed())
    stored = run.energy_kinetic + run.energy_elastic
    done = work_of_motors(run)
    lost = done - float(stored[-1] - stored[0])
    return Measured(
        lost / done,
        "Of what the actuators put in, almost all is stored in the springs; the motion is nearly quasi-static, and "
        "hardly a test of inertia, for which see kick-forms.",
        {
            "work of the actuators [J]": done,
            "elastic energy gained [J]": float(run.energy_elastic[-1] - run.energy_elastic[0]),
            "dissipated [J]": lost,
            "largest kinetic energy [J]": float(run.energy_kinetic.max()),
            "balance of energies, worst in joints [J]": float(np.abs(run.energy_violation).max()),
            "the same in nodes [J]": float(np.abs(bench.run(imposed("nodes")).energy_violation).max()),
        },
    )


def work_of_motors(run: Trajectory) -> float:
    """[J] Of driven angles, by Simpson's rule: tau theta' is smooth between 1 and 3 s, and zero before and after."""
    during = (run.time >= BEGIN - 1e-9) & (run.time <= OVER + 1e-9)
    power = run.drive_power[during].sum(axis=1)
    return float(simpson(power, x=run.time[during]))


def _kick(bench: Bench) -> Measured:
    runs = {form: bench.run(kicked(form)) for form in FORMS}
    apart = float(np.abs(middle(runs["nodes"]) - middle(runs["joints"])).max())
    energies = {form: run.energy_kinetic + run.energy_elastic for form, run in runs.items()}
    drift = {form: float(np.abs(energy / energy[0] - 1.0).max()) for form, energy in energies.items()}
    return Measured(
        apart,
        "Locked at psi_0 without dampers and pushed, the two formulations have nothing in common but nodes: twelve "
        "coordinates of joints, and 21 of nodes with rows for struts, elbows and universal joints.",
        {
            **{f"energy drift over 5 s in {form}": one for form, one in drift.items()},
            "kinetic energy of the kick [J]": float(runs["joints"].energy_kinetic[0]),
            "largest motion of x [m]": float(np.abs(middle(runs["joints"]) - START).max()),
        },
    )


CLAIMS = (
    Claim("fig3-still", "Fig. 3", "Nothing moves before t = 1 s.", 1e-12, "m", at_most(), _still),
    Claim(
        "fig3-end",
        "Fig. 3",
        "From psi_0 to the printed psi_F the platform comes to x_F: within the rounding of the printed angles, 0.005 "
        "deg of 2 m.",
        1.7e-4,
        "m",
        at_most(),
        _ends,
    ),
    Claim(
        "fig3-delay",
        "Fig. 3, section 4.2.2",
        "After t = 3 s there is a delay before the mechanism settles: more than a tenth of the motion's time.",
        0.2,
        "s",
        at_least(),
        _delay,
    ),
    Claim(
        "fig4-position",
        "Fig. 4",
        "Constraints are met to the order of 1e-15 throughout.",
        1e-15,
        "m^2",
        at_most(SAME_ORDER),
        _constraints,
    ),
    Claim(
        "sec4-velocity", "section 4.2.2", "Their rates are met to the order of 1e-5.", 1e-5, "m^2/s", at_most(), _rates
    ),
    Claim(
        "sec4-energy",
        "section 4.2.2",
        "Damping in the springs dissipates little: less than a hundredth of what the actuators work.",
        0.01,
        "of the work",
        at_most(),
        _energy,
    ),
    Claim(
        "kick-forms",
        "eqs. (13)-(28)",
        "The equations of motion are right: kicked while locked, they move as nodes do under their constraints.",
        1e-12,
        "m",
        at_most(),
        _kick,
    ),
)


def _draw_x(bench: Bench, figure: Any) -> None:
    run = bench.run(imposed())
    axes = panels(figure, ["x", "y", "z"], 3)
    for k, (one, name) in enumerate(zip(axes, "xyz", strict=True)):
        curves(one, run.time, {name: middle(run)[:, k]}, "[m]")


def _draw_phi(bench: Bench, figure: Any) -> None:
    run = bench.run(imposed())
    phi, rate = sides(run)
    left, right = panels(figure, ["constraints", "their rates"])
    names = [f"phi_{k}" for k in (1, 2, 3)]
    curves(left, run.time, dict(zip(names, phi.T, strict=True)), "[m^2]")
    curves(right, run.time, dict(zip(names, rate.T, strict=True)), "[m^2/s]")


PICTURES = (
    Picture(
        "fig03", "Fig. 3: x, y and z of the platform.", ("fig3-still", "fig3-end", "fig3-delay"), _draw_x, (9.0, 2.8)
    ),
    Picture("fig04", "Fig. 4: constraints, and their rates.", ("fig4-position", "sec4-velocity"), _draw_phi),
)
