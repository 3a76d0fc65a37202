"""Sections 3.1, 5.1 and 5.2: involute joints, their torques, freedoms of the machines, variants beside each other."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from taut.dynamics.simulating import simulate
from taut.mechanics.trees.equations import TreeEquations
from taut.mechanics.trees.independent import reduction
from taut.mechanics.trees.plant import tree_plant
from taut.papers.bench import Bench, Task
from taut.papers.claims import Claim, Measured, about, at_most
from taut.papers.drawing import curves, panels
from taut.papers.paper import Picture
from taut.papers.pulleys.controlled_runs import BAUMGARTE
from taut.structure.generators.pulleys import manipulator, single_strut
from taut.structure.trees import Tree

TORQUES = {"B1-pulleyJt": 0.1001, "B2-pulleyJt": 0.1, "B3-pulleyJt": 0.1}
"""Section 5.2 [N m]."""

VARIANTS = ("elongation", "strain", "length")
STIFF = 5e10
"""[Pa] a thousand times the modulus of section 5.2."""

ROUND_OFF = 1e-12
"""What the deviations of Fig. 5.6, over 10^4 steps, amount to."""


def compared_task(variant: str, **more: float) -> Task:
    """(1001, 6): time, phi, psi and the strains of a second of section 5.2, as printed."""
    told = ", ".join(f"{name} {value:g}" for name, value in more.items())
    return Task(f"section 5.2, {variant} {told}", partial(_second, variant, more))


def _second(variant: str, more: dict[str, Any]) -> np.ndarray:
    plant = tree_plant(single_strut(variant=variant, law="printed", **more), torques=TORQUES)
    run = simulate(plant, 1.0, every=1e-3, method="rk4", step=1e-4, correction=BAUMGARTE, verify=False)
    return np.column_stack([run.time, run.coordinate[:, :2], run.element_output[:, :3]])


AT_REST = 0.1 / 0.07 / (STIFF * np.pi * 1e-6)
"""The strain that 0.1 N m hold."""

ALIKE = {variant: compared_task(variant) for variant in VARIANTS}
RIGID, ALMOST = compared_task("rigid"), compared_task("strain", youngs_modulus=STIFF, strain=AT_REST)
WITH_ENDS = tuple(
    compared_task(variant, cable_end_mass=1e-3, cable_end_inertia=1e-6) for variant in ("length", "strain")
)


def _agree(bench: Bench) -> Measured:
    runs = {variant: bench.made(task) for variant, task in ALIKE.items()}
    off = {name: float(np.abs(run - runs["strain"])[:, 1:].max()) for name, run in runs.items() if name != "strain"}
    rigid, stiff = bench.made(RIGID), bench.made(ALMOST)
    return Measured(
        max(off.values()),
        beside={
            **{f"{name} beside strain": value for name, value in off.items()},
            "psi after 1 s [rad]": float(runs["strain"][-1, 2]),
            "rigid beside a thousand times as stiff [rad]": float(np.abs(rigid - stiff)[:, 1:3].max()),
        },
    )


def _turns(bench: Bench) -> Measured:
    run = bench.made(ALIKE["strain"])
    return Measured(float(np.abs(run[:, 1]).max()), beside={"psi after 1 s [rad]": float(run[-1, 2])})


def _simscape(bench: Bench) -> Measured:
    off = np.subtract(*map(bench.made, WITH_ENDS))
    return Measured(
        float(np.abs(off)[:, 1:].max()),
        "The other side was Simscape Multibody with ends of cables that have inertia, of which the thesis gives no "
        "numbers. Here both sides are taut's, with 1 g and 1e-6 kg m^2.",
    )


def _gradient(bench: Bench) -> Measured:
    """How far printed torques are from slopes of the energy, at a strain of 0.01."""
    found = {}
    for law in ("printed", "energy-consistent"):
        equations = TreeEquations(single_strut(strain=0.01, variant="length", law=law))
        q, v = equations.start()
        torques = equations.torques(q, v)
        slopes = np.array(
            [
                (equations.energies(q - step, v)[1] - equations.energies(q + step, v)[1]) / 2e-6
                for step in 1e-6 * np.eye(q.size)
            ]
        )
        found[law] = float(np.abs(torques - slopes)[equations.cables.angle_rate].max() / np.abs(torques).max() / 0.07)
    run = bench.once("section 3.1, let go as printed", _let_go)
    return Measured(
        found["printed"],
        "The printed torque at the angle leaves out r E A eps^2 / 2, the energy of the cable that is wound in: half of "
        "the strain, as a part of the tension.",
        {"of energy-consistent torques": found["energy-consistent"], "lost in 1 s, of all in play": run},
    )


def _let_go() -> float:
    """What the strut, let go with a strain of 0.02, loses in a second without any damper, of the energy in play."""
    plant = tree_plant(single_strut(strain=0.02, law="printed"))
    run = simulate(plant, 1.0, method="dp8", tolerance=1e-10, correction="constraints", verify=False)
    return float(-run.work[-1] / run.overall.energy_in_play)


def _freedoms(tree: Callable[[], Tree]) -> Callable[[Bench], Measured]:
    def measure(bench: Bench) -> Measured:
        equations = TreeEquations(tree())
        q, v = equations.start()
        return Measured(
            float(reduction(equations, q, v).independent.size),
            beside={
                "coordinates of the tree": float(equations.nv),
                "rows of loops": float(equations.rows),
                "rank of the mass matrix": float(np.linalg.matrix_rank(equations.mass(q))),
                "gap of the loops [m]": float(np.abs(equations.loop_error(q)).max()),
            },
        )

    return measure


CLAIMS = (
    Claim(
        "torque-energy",
        "(3.1.16)",
        "Elastic torques are slopes of the strain energy.",
        1e-6,
        "-",
        at_most(),
        _gradient,
    ),
    Claim("freedoms-strut", "section 5.1.1", "The strut has five.", 5.0, "-", about(0.0), _freedoms(single_strut)),
    Claim(
        "freedoms-manipulator",
        "section 5.1.2",
        "The manipulator has twelve.",
        12.0,
        "-",
        about(0.0),
        _freedoms(manipulator),
    ),
    Claim(
        "phi-constant",
        "Fig. 5.5",
        "The strut turns about y, and not about x.",
        1e-12,
        "rad",
        at_most(),
        _turns,
        tasks=(ALIKE["strain"],),
    ),
    Claim(
        "variants",
        "Fig. 5.6",
        "The three variants differ by round-off.",
        ROUND_OFF,
        "-",
        at_most(),
        _agree,
        tasks=(*ALIKE.values(), RIGID, ALMOST),
    ),
    Claim(
        "simscape",
        "Fig. 5.7",
        "The variant l in another program comes close.",
        1e-3,
        "-",
        at_most(),
        _simscape,
        elsewhere="Simscape Multibody",
        tasks=WITH_ENDS,
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    axes = panels(figure, ["angles", "strains", "elongation less strain", "length less strain"])
    runs = {variant: bench.made(task) for variant, task in ALIKE.items()}
    time, own = runs["strain"][:, 0], runs["strain"]
    curves(axes[0], time, {"phi": own[:, 1], "psi": own[:, 2]}, "[rad]")
    curves(axes[1], time, {f"cable {k + 1}": own[:, 3 + k] for k in range(3)}, "strain")
    for place, variant in ((2, "elongation"), (3, "length")):
        off = runs[variant] - own
        names = ("phi", "psi", "cable 1", "cable 2", "cable 3")
        curves(axes[place], time, {name: off[:, 1 + k] for k, name in enumerate(names)}, "deviation")


PICTURES = (
    Picture(
        "fig-5-5",
        "Figs. 5.5 and 5.6: a second of the single strut in three variants",
        ("phi-constant", "variants"),
        _draw,
        (7.0, 5.0),
    ),
)
