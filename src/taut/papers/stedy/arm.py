"""The Arm for twenty seconds: violations, which bars and nodes are liveliest, and how long its motion can be foretold
(Figs. 10 to 12)."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.horizon import PART, mean_member
from taut.dynamics.parting import Predictability, compared, distance
from taut.dynamics.trajectory import Trajectory
from taut.papers.bench import Bench, Case
from taut.papers.claims import Claim, Measured, at_least, at_most
from taut.papers.drawing import curves, largest_so_far, magnitudes, panels
from taut.papers.paper import Picture
from taut.papers.stedy.cases import TOLERANCE, bar_length_errors, brief, left_alone, moved, pushed
from taut.papers.stedy.tbar import worst_energy, worst_length
from taut.statics.balancing import balance
from taut.statics.vibrations import modes

DURATION, EVERY = 20.0, 0.005
BARS = ("b3", "b6", "b11", "b14")
NODES = ("n4", "n7", "n12", "n14")


def arm_case(correction: str = "energy", tolerance: float = TOLERANCE) -> Case:
    return pushed("arm", DURATION, EVERY, tolerance, correction)


FINER = arm_case(tolerance=1e-11)


def predictable(bench: Bench, run: Case, finer: Case) -> Predictability:
    """Until when two runs of the same motion agree, as `taut run --horizon` tells it."""
    seen, other = bench.run(run), bench.run(finer)
    level = PART * mean_member(seen)
    return compared(seen.time, distance(seen.nodes, other.nodes), level, f"tolerance {finer.scenario.tolerance:g}")


def typical_frequency(run: Trajectory) -> np.ndarray:
    """Of each node [Hz]: root mean square of acceleration / that of velocity / 2 pi; zero where it does not move."""
    moving = run.velocities
    speeding = np.gradient(moving, run.time, axis=0)
    speed, change = (np.sqrt((values**2).sum(axis=(0, 2))) for values in (moving, speeding))
    return np.asarray(np.divide(change, speed, out=np.zeros_like(speed), where=speed > 0.0) / (2.0 * np.pi))


def _ranked(names: list[str], values: np.ndarray) -> list[str]:
    return [names[k] for k in np.argsort(-values)]


def _rest(bench: Bench) -> Measured:
    case = left_alone("arm")
    slowest = modes(balance(case.structure, gravity=case.scenario.gravity), 1)
    sideways = float(np.abs(slowest.shapes[0, :, 1]).max() / np.abs(slowest.shapes[0]).max())
    return Measured(
        moved(bench.run(case)),
        "It is in equilibrium, but not stable: nothing holds it in its plane, out of which its bars push it. "
        "It stays there only because it starts there to the last bit and nothing pulls it out.",
        {
            "growth of the fastest buckling mode [1/s]": float(-2.0 * np.pi * slowest.frequency[0]),
            "of that mode, out of plane (1: all)": sideways,
        },
    )


def _horizon(bench: Bench) -> Measured:
    run, finer = bench.run(arm_case()), bench.run(FINER)
    told = predictable(bench, arm_case(), FINER)
    return Measured(
        min(told.horizon, DURATION),
        f"A run with {told.finer} is {told.level:.2g} m away by then, a hundredth of a mean member, while bar lengths "
        "and energy look perfect in both: the vibration is chaotic, though every slackening of a string is located. "
        "They share the slow swing; what rides on it is one of many, in the paper's figure too.",
        {
            "the difference grows tenfold every [s]": told.tenfold,
            "largest distance in 20 s [m]": float(told.difference.max()),
            "of it, nodes 5, 8 and 10 [m]": max(
                float(np.abs(run.node(name) - finer.node(name)).max()) for name in ("n5", "n8", "n10")
            ),
            "worst bar length meanwhile [m]": worst_length(bench, FINER),
        },
    )


def _frequencies(bench: Bench) -> Measured:
    run = bench.run(arm_case())
    names, values = list(run.structure.nodes), typical_frequency(run)
    ranked = _ranked(names, values)
    return Measured(
        float(len(set(ranked[: len(NODES)]) & set(NODES))),
        "Typical frequency: root mean square of the acceleration over that of the velocity.",
        {f"{name} [Hz]": float(values[names.index(name)]) for name in ranked[: len(NODES) + 2]},
    )


def _bars(bench: Bench) -> Measured:
    run = bench.run(arm_case("none"))
    names, values = list(run.structure.bars), bar_length_errors(run).max(axis=0)
    ranked = _ranked(names, values)
    return Measured(
        float(len(set(ranked[: len(BARS)]) & set(BARS))),
        "Measured without correction, since corrected bars are all at round-off. The far ends of these four, nodes 4, "
        "7, 12 and 14, belong to no other bar: they are the lightest.",
        {f"{name} [m]": float(values[names.index(name)]) for name in ranked[: len(BARS) + 2]},
    )


def _chatter(bench: Bench) -> Measured:
    run = bench.run(arm_case())
    early, gentle = bench.run(brief("arm", 300.0)), bench.run(brief("arm", 100.0))
    return Measured(
        float(len(run.events)),
        "Instants at which a string goes slack or taut, each located to round-off; the paper counts none.",
        {
            "in the first second": float(len(early.events)),
            "in the first second, with 100 sin(t) N": float(len(gentle.events)),
            "first of them [s]": early.events[0].time,
            "share of time a string is slack": float((run.cable_tension <= 0.0).mean()),
        },
    )


def _length(bench: Bench) -> Measured:
    best = bench.run(brief("arm", 300.0, "constraints", 1e-14, "dp8"))
    off = {
        kind: float(np.abs(bench.run(brief("arm", 300.0, kind)).nodes - best.nodes).max())
        for kind in ("none", "energy")
    }
    return Measured(
        worst_length(bench, arm_case()),
        "Lengths are not the motion: over the first second, corrected or not, it has the same error.",
        {
            "without correction [m]": worst_length(bench, arm_case("none")),
            "error of the motion in 1 s, corrected [m]": off["energy"],
            "error of the motion in 1 s, uncorrected [m]": off["none"],
        },
    )


def _energy(bench: Bench) -> Measured:
    return Measured(
        worst_energy(bench, arm_case()), beside={"without correction [J]": worst_energy(bench, arm_case("none"))}
    )


CLAIMS = (
    Claim(
        "sec4-arm-rest",
        "section 4",
        "The Arm's strings are prestressed for equilibrium under gravity: left alone, it stays for a second.",
        TOLERANCE,
        "m",
        at_most(),
        _rest,
    ),
    Claim(
        "fig10-horizon",
        "Fig. 10(a)",
        "The motion of nodes 5, 8 and 10 is given for 20 s.",
        DURATION,
        "s",
        at_least(),
        _horizon,
    ),
    Claim(
        "fig10-chatter",
        "Fig. 10(a)",
        "The strings chatter: they go slack and taut.",
        1.0,
        "instants",
        at_least(),
        _chatter,
    ),
    Claim(
        "fig10-nodes",
        "Fig. 10(b)",
        "Nodes 4, 7, 12 and 14 vibrate at higher frequencies than all others.",
        float(len(NODES)),
        "of 4 nodes",
        at_least(),
        _frequencies,
    ),
    Claim(
        "fig11-bars",
        "Fig. 11",
        "The lengths of bars 3, 6, 11 and 14 are violated more than those of all others.",
        float(len(BARS)),
        "of 4 bars",
        at_least(),
        _bars,
    ),
    Claim(
        "fig11-length",
        "Fig. 11",
        "Over 20 s the bar lengths stay below the threshold of the correction.",
        TOLERANCE,
        "m",
        at_most(),
        _length,
    ),
    Claim(
        "fig12-energy",
        "Fig. 12",
        "Over 20 s the energy violation stays below the threshold of the correction.",
        TOLERANCE,
        "J",
        at_most(),
        _energy,
    ),
)


def _draw_motion(bench: Bench, figure: Any) -> None:
    above, below = panels(figure, ["tolerance 1e-10 (solid) and 1e-11 (dotted)", "nodes that vibrate fast"], columns=1)
    run, finer = bench.run(arm_case()), bench.run(FINER)
    curves(above, run.time, {f"node {name[1:]}": run.node(name)[:, 2] for name in ("n5", "n8", "n10")}, "z [m]")
    for line, name in zip(list(above.lines), ("n5", "n8", "n10"), strict=True):
        above.plot(finer.time, finer.node(name)[:, 2], color=line.get_color(), linewidth=0.7, linestyle=":")
    above.axvline(
        min(predictable(bench, arm_case(), FINER).horizon, DURATION), color="black", linewidth=0.6, linestyle="--"
    )
    curves(below, run.time, {f"node {name[1:]}": run.node(name)[:, 2] for name in NODES}, "z [m]")


def _draw_violations(bench: Bench, figure: Any) -> None:
    left, right = panels(figure, ["bar lengths: largest so far", "energy"])
    run, loose = bench.run(arm_case()), bench.run(arm_case("none"))
    names = list(run.structure.bars)
    uncorrected = bar_length_errors(loose)
    others = [k for k, name in enumerate(names) if name not in BARS]
    magnitudes(
        left,
        run.time,
        {
            "3 6 11 14, uncorrected": largest_so_far(uncorrected[:, [names.index(b) for b in BARS]].max(axis=1)),
            "others, uncorrected": largest_so_far(uncorrected[:, others].max(axis=1)),
            "all, corrected": largest_so_far(bar_length_errors(run).max(axis=1)),
        },
        "length error [m]",
        paper=TOLERANCE,
    )
    magnitudes(
        right,
        run.time,
        {"uncorrected": loose.energy_violation, "corrected": run.energy_violation},
        "energy violation [J]",
        paper=TOLERANCE,
    )


PICTURES = (
    Picture(
        "fig10", "Fig. 10: Arm, motion.", ("fig10-horizon", "fig10-chatter", "fig10-nodes"), _draw_motion, (7.0, 6.0)
    ),
    Picture(
        "fig11-12",
        "Figs. 11 and 12: Arm, violations.",
        ("fig11-bars", "fig11-length", "fig12-energy"),
        _draw_violations,
    ),
)
