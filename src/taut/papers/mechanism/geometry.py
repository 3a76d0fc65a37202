"""Freedoms, equilibria, kinematics and static torques (sections 2 and 4.2, eqs. (1), (16), (21), (35), (39)-(41))."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.control.linearising import linearise
from taut.mechanics.assemble import assemble
from taut.mechanics.points.following_joints import in_coordinates
from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, about, at_most
from taut.papers.mechanism import equations, workspace
from taut.papers.mechanism.kinematics import (
    NEEDED,
    angles_for,
    angles_in_closed_form,
    energy,
    equilibria,
    placed,
    posture_at,
)
from taut.papers.mechanism.model import (
    AT_END,
    AT_START,
    END,
    LEGS,
    START,
    STIFFNESS,
    STRUT,
    at_rest,
    frame,
    in_joints,
    in_nodes,
    platform,
    span,
    static_torque,
    universal_angles,
    with_struts,
)
from taut.statics.balancing import balance
from taut.structure.structure import Structure


def freedoms(structure: Structure, joints: tuple[Any, ...] = ()) -> int:
    """Coordinates less the rank of the constraints' Jacobian."""
    plant = assemble(structure)
    found = in_coordinates(plant, joints) if joints else plant
    places, speeds = (part.ravel() for part in found.start())
    linear = found.linearised(places, speeds, 0.0, "rest_length")
    return int(linear.moving.size - np.linalg.matrix_rank(linear.rows))


def _mobility(free: bool) -> Any:
    def measure(bench: Bench) -> Measured:
        torques = static_torque(AT_START) if free else None
        structure, joints = in_joints(torques=torques)
        return Measured(
            float(freedoms(structure, joints)),
            beside={"in nodes": float(freedoms(in_nodes(torques=torques)))},
        )

    return measure


def _unique(bench: Bench) -> Measured:
    found = bench.once("equilibria at psi_0", lambda: equilibria(AT_START))
    made = with_struts()
    settled = [balance(made.placed(placed(one, made))) for one, _ in found]
    moved = max(
        float(np.abs(one.structure.positions - placed(places, made)).max())
        for one, (places, _) in zip(settled, found, strict=True)
    )
    return Measured(
        float(len(found)),
        f"Each of {NEEDED} starts at random that ended, ended in one of these: mirror images in planes through A_1, as "
        "nothing tells left from right, front from back, or above from below. Each is a minimum of the energy, and "
        "`balance` leaves it where it is. The elbows make more of them: each leg may bend to either side.",
        {
            "starts that ended in each": ", ".join(str(count) for _, count in found),
            "energies apart [J]": float(np.ptp([energy(one) for one, _ in found])),
            "moved by balance [m]": moved,
            "balanced": ", ".join(sorted({one.status for one in settled})),
        },
    )


def _x0(bench: Bench) -> Measured:
    found = posture_at(AT_START)
    return Measured(
        float(np.abs(platform(found.structure.positions, found.structure) - START).max()),
        "By the statics of the springs, without the closed form.",
        {"energy at psi_0 [J]": energy(placed_of(found.structure)), **workspace.compared(bench)},
    )


def placed_of(structure: Structure) -> np.ndarray:
    return np.array([structure.nodes[f"{letter}{leg}"] for letter in "AC" for leg in LEGS])


def _psi(leg: int) -> Any:
    def measure(bench: Bench) -> Measured:
        found = np.degrees(bench.once("angles for x_F", lambda: angles_for(END)))
        apart = at_rest(AT_END) - END
        return Measured(
            float(found[leg]),
            "The printed number is not the exact one rounded: a slip of the last digit."
            if abs(found[leg] - np.degrees(AT_END[leg])) > 0.005
            else "",
            {
                "angles exactly [deg]": ", ".join(f"{angle:.8f}" for angle in found),
                "the same by the middles [deg]": ", ".join(
                    f"{one:.8f}" for one in np.degrees(angles_in_closed_form(END))
                ),
                "x at the printed angles less x_F [m]": ", ".join(f"{one:.1e}" for one in apart),
            },
        )

    return measure


def torques_of_rest(theta: np.ndarray) -> np.ndarray:
    """[N m] of locked elbows, by the constraints' forces."""
    outputs = [f"angle:theta{leg}.torque" for leg in LEGS]
    return linearise(assemble(in_nodes(theta)), outputs=outputs).offset


def _torques(bench: Bench) -> Measured:
    exact = angles_in_closed_form(END)
    postures = {"psi_0": AT_START, "psi_F as printed": AT_END, "psi_F exactly": exact}
    found = {where: torques_of_rest(theta) for where, theta in postures.items()}
    printed = {
        where: STIFFNESS * span(theta) * np.sqrt(4.0 * STRUT**2 - span(theta) ** 2) for where, theta in postures.items()
    }
    return Measured(
        max(float(np.abs(found[where] / printed[where] - 1.0).max()) for where in found),
        beside={
            f"torques at {where} [N m]": ", ".join(f"{one:.2f}" for one in torque) for where, torque in found.items()
        },
    )


def _struts(bench: Bench) -> Measured:
    found = posture_at(AT_END)
    return Measured(
        float(np.abs(-found.bar_force / (2.0 * STIFFNESS * span(AT_END)) - 1.0).max()),
        "Of the older form, with plain struts between A_i and C_i.",
        {
            "forces [N]": ", ".join(f"{-one:.2f}" for one in found.bar_force),
            "tension of the platform's sides, least [N]": float(found.cable_tension[-3:].min()),
        },
    )


STEP = 1e-4


def slope(theta: np.ndarray, leg: int = 0) -> float:
    """d tau / d rho of one leg [N], by differences of static torques."""
    turned = STEP * np.eye(3)[leg]
    ahead, behind = (torques_of_rest(theta + sign * turned)[leg] for sign in (1.0, -1.0))
    return float((ahead - behind) / (span(theta + turned)[leg] - span(theta - turned)[leg]))


def _slope(bench: Bench) -> Measured:
    rho = float(span(AT_END)[0])
    printed = 2.0 * STIFFNESS * (2.0 * STRUT**2 - rho**2) / np.sqrt(4.0 * STRUT**2 - rho**2)
    return Measured(slope(AT_END) / printed, beside={"slope at psi_F, first leg [N]": slope(AT_END)})


def _signs(bench: Bench) -> Measured:
    found = {deg: slope(np.radians([-deg, -90.0, -90.0])) for deg in (60.0, 75.0, 105.0, 120.0)}
    wrong = sum((value > 0.0) != (deg > 90.0) for deg, value in found.items())
    return Measured(
        float(wrong),
        "With |theta| for theta: the actuators' angles are negative in section 4.2, where eq. (41) as printed says "
        "nothing.",
        {f"slope at |theta| = {deg:g} deg [N]": value for deg, value in found.items()},
    )


def _turn_sign(bench: Bench) -> Measured:
    """Of the proximal strut of leg 1 where alpha alone turns, along the second axis of its own frame."""
    structure, _ = in_joints()
    alpha, beta = universal_angles(dict(structure.nodes), 0)
    u = np.concatenate([equations.start(), AT_START])
    rate = np.zeros(12)
    rate[3] = 1.0
    moved = equations.speeds(u, rate)
    along = frame(0) @ [np.cos(alpha) * np.cos(beta), np.sin(alpha) * np.cos(beta), -np.sin(beta)]
    third = frame(0) @ [-np.sin(alpha), np.cos(alpha), 0.0]
    spin = np.cross(along, moved[3] - moved[0]) / STRUT
    return Measured(
        float(np.sign(spin @ np.cross(third, along))),
        "Along an axis y = z x x of the strut's frame the rate is -cos(beta) alpha'. The energy has its square.",
        {"cos(beta)": float(np.cos(beta)), "rate for alpha' = 1 [rad/s]": float(spin @ np.cross(third, along))},
    )


def _size(rows: int, why: str) -> Any:
    return lambda bench: Measured(float(rows), why)


CLAIMS = (
    Claim(
        "sec2-nine",
        "section 2",
        "The mechanism has nine degrees of freedom.",
        9,
        "freedoms",
        about(0.0),
        _mobility(True),
    ),
    Claim("sec2-six", "section 2", "With locked actuators six are left.", 6, "freedoms", about(0.0), _mobility(False)),
    Claim(
        "sec2-unique",
        "section 2, section 3",
        "With locked actuators the equilibrium is unique.",
        1,
        "equilibria at psi_0",
        about(0.0),
        _unique,
    ),
    Claim("sec4-start", "section 4.2.1", "psi_0 puts the platform at x_0.", 1e-9, "m", at_most(), _x0),
    *(
        Claim(
            f"psi-{word}",
            "section 4.2.1",
            f"theta_{k + 1} for x_F, to the digits printed.",
            float(np.degrees(AT_END[k])),
            "deg",
            about(0.005 / abs(float(np.degrees(AT_END[k])))),
            _psi(k),
        )
        for k, word in enumerate(("first", "second", "third"))
    ),
    Claim(
        "eq39-torque",
        "eq. (39)",
        "Static torques; worst difference of nine.",
        1e-9,
        "of the torque",
        at_most(),
        _torques,
    ),
    Claim(
        "sec4-struts",
        "section 4.2.2",
        "A plain strut is pressed with 2 K rho.",
        1e-9,
        "of the force",
        at_most(),
        _struts,
    ),
    Claim(
        "eq40-slope",
        "eq. (40)",
        "How the static torque changes with the span.",
        1.0,
        "slope ratio",
        about(1e-6),
        _slope,
    ),
    Claim(
        "eq41-signs",
        "eq. (41)",
        "Where it grows and where it falls; how many of four are wrong.",
        0.0,
        "signs",
        at_most(),
        _signs,
    ),
    Claim("eq16-sign", "eqs. (16)-(17)", "Sign of the terms in alpha.", 1.0, "sign", about(0.0), _turn_sign),
    Claim(
        "eq21-size",
        "eq. (21)",
        "Lambda has six rows of zeros.",
        6,
        "rows",
        about(0.0),
        _size(9, "q of eq. (9) has nine coordinates, on which no actuator acts."),
    ),
    Claim(
        "eq35-size",
        "eq. (35)",
        "The unit matrix has the size N = 12 of u.",
        12,
        "rows",
        about(0.0),
        _size(9, "It is applied to q', which has nine."),
    ),
)

PICTURES = workspace.PICTURES
