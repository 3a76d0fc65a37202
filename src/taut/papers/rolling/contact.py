"""Sections 3.4, 6.1, 7.2 and appendix B: penalties, how deep they let a robot in, and friction that is to stick."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, about, at_most
from taut.papers.drawing import curves, panels
from taut.papers.paper import Picture
from taut.papers.rolling.cases import (
    DOWN_SLOPE,
    FRICTION,
    MASS,
    NORMAL,
    SLOPE,
    STEP,
    dropped,
    on_floor,
    on_slope,
    robot,
    springs,
)
from taut.papers.rolling.penalty import GRAVITY, SLIP_SPEED, Motion, Soil, followed

PLANE = Soil(normal=NORMAL)
SETTLED = 1.0
"""[s] after which a mass on the slope has stopped bouncing."""


def sliding_mass(
    bench: Bench, step: float = STEP, slip_speed: float = SLIP_SPEED, friction: float = FRICTION, duration: float = 5.0
) -> Motion:
    """By the report's switch: 1 kg dropped from 2 cm onto 10 deg."""
    soil = PLANE._replace(slip_speed=slip_speed, friction=friction)
    return bench.once(
        f"mass on a slope by the switch, {step:g} s, {slip_speed:g} m/s, friction {friction:g}",
        lambda: followed(0.02 * np.array([NORMAL]), np.zeros((1, 3)), 1.0, None, soil, duration, step, samples=500),
    )


def drift(motion: Motion) -> float:
    """[m] down the slope once it has settled."""
    way = motion.places[:, 0] @ DOWN_SLOPE
    return float(way[-1] - way[motion.time >= SETTLED][0])


def _weight(bench: Bench) -> Measured:
    return Measured(
        MASS * GRAVITY,
        f"The robot weighs {MASS:g} kg here; 6e3 N would be one of 612 kg. That k_n in N/m is larger than a force in "
        "N says nothing.",
    )


def resting(bench: Bench, stiffness: float) -> float:
    """[m] the depth of the robot at rest."""
    made = robot()
    found = bench.once(
        f"penalty rest at {stiffness:g} N/m",
        lambda: followed(
            made.positions,
            np.zeros((12, 3)),
            0.25,
            springs(),
            Soil(stiffness=stiffness, damping=50.0),
            10.0,
            STEP / 4.0,
            samples=10,
        ),
    )
    return float(-found.places[-1, :, 2].min())


def _exact(bench: Bench) -> Measured:
    hard = bench.run(on_floor("rolling-rest", robot(), 5.0))
    return Measured(
        resting(bench, 1e5),
        "A quadratic penalty pushes only where something is inside: by its force over k_n, whatever k_n is. It is "
        "exact for no finite k_n; penalties without the square are.",
        {
            "weight / (3 k_n) [m]": MASS * GRAVITY / 3e5,
            "with impulses instead [m]": max(0.0, -float(hard.nodes[..., 2].min())),
            "sum of contact forces by impulses over the weight": float(hard.contact_force[-1, :, 2].sum())
            / (MASS * GRAVITY),
        },
    )


def _limit(bench: Bench) -> Measured:
    soft, stiff = resting(bench, 1e5), resting(bench, 1e6)
    return Measured(soft / stiff, "", {"depth at 1e5 N/m [m]": soft, "at 1e6 N/m [m]": stiff})


def _at_rest(bench: Bench) -> Measured:
    return Measured(resting(bench, 1e5), "At rest.")


def _in_a_drop(bench: Bench) -> Measured:
    deepest = {height: float(dropped(bench, height, STEP, 1.0).deepest.max()) for height in (0.02, 0.1, 0.5)}
    return Measured(
        deepest[0.5],
        "Dropped from half a metre at 1 ms. A node of mass m that strikes with v goes in by about v sqrt(m / k_n), "
        f"{math.sqrt(2.0 * GRAVITY * 0.5) * math.sqrt(0.25 / 1e5) * 1e3:.2g} mm here: the bound is one of rest.",
        {f"from {height:g} m [m]": value for height, value in deepest.items()},
    )


def _block(bench: Bench) -> Measured:
    motion = sliding_mass(bench)
    hard = bench.run(on_slope(lift=0.02))
    return Measured(
        float(-(motion.places[-1, 0] @ np.array(NORMAL))),
        "At rest the mass is m g cos / k_n inside. Where penetration is zero a penalty does not push, and a curve at "
        "exactly zero shows a mass that is not on the ground, or a quantity that was cut off.",
        {
            "m g cos / k_n [m]": GRAVITY * math.cos(SLOPE) / 1e5,
            "deepest on the way [m]": float(motion.deepest.max()),
            "with impulses [m]": max(0.0, -float((hard.nodes[:, 0] @ np.array(NORMAL)).min())),
        },
    )


def _sticks(bench: Bench) -> Measured:
    hard = bench.run(on_slope(lift=0.02))
    still = hard.nodes[hard.time >= SETTLED][:, 0] @ DOWN_SLOPE
    force = hard.contact_force[-1, 0]
    return Measured(
        drift(sliding_mass(bench)),
        "Friction is large enough by far (0.6 against tan 10 deg), yet the switch lets the mass creep: below its "
        "speed it holds the force that there is and takes no speed away, so that whatever speed is left goes on. "
        "With impulses it stands still.",
        {
            "switch at 1 cm/s [m]": drift(sliding_mass(bench, slip_speed=0.01)),
            "switch at 0.1 mm/s [m]": drift(sliding_mass(bench, slip_speed=1e-4)),
            "switch at 1 mm/s, steps of 0.1 ms [m]": drift(sliding_mass(bench, step=1e-4)),
            "impulses [m]": float(np.ptp(still)),
            "F_t / F_n by impulses": float(-(force @ DOWN_SLOPE) / (force @ np.array(NORMAL))),
            "tan 10 deg": math.tan(SLOPE),
        },
    )


LOW = 0.1
"""A friction at which things slide on 10 deg."""


def _slides(bench: Bench) -> Measured:
    expected = GRAVITY * (math.sin(SLOPE) - LOW * math.cos(SLOPE))
    motion = sliding_mass(bench, friction=LOW, duration=5.0)
    way = motion.places[:, 0] @ DOWN_SLOPE
    late = motion.time >= SETTLED
    switch = 2.0 * float(np.polyfit(motion.time[late], way[late], 2)[0])
    hard = bench.run(on_slope(LOW, duration=2.0))
    impulses = 2.0 * float((hard.nodes[-1, 0] - hard.nodes[0, 0]) @ DOWN_SLOPE) / float(hard.time[-1]) ** 2
    braked = bench.run(on_slope(FRICTION, speed=1.0, duration=1.0))
    stop = 1.0 / (2.0 * GRAVITY * (FRICTION * math.cos(SLOPE) - math.sin(SLOPE)))
    return Measured(
        switch / expected,
        "",
        {
            "by impulses": impulses / expected,
            "stopping distance from 1 m/s at friction 0.6, by impulses over v^2 / 2 a": float(
                (braked.nodes[-1, 0] - braked.nodes[0, 0]) @ DOWN_SLOPE
            )
            / stop,
        },
    )


def _sliding_power(bench: Bench) -> Measured:
    run = bench.run(on_slope(LOW, duration=2.0))
    force, speed = run.contact_force[1:, 0], run.velocities[1:, 0]
    normal = force @ np.array(NORMAL)
    share = (force * speed).sum(axis=1) / (normal * np.linalg.norm(speed, axis=1))
    return Measured(
        float(np.abs(share).max()) / LOW,
        "What slides is braked: F_t . v is -mu F_n |v|, all of the friction there can be. The product is zero only "
        "where nothing slides; the complementarity is between the speed and what is left of the cone.",
        {"F_t . v / (F_n |v|), mean": float(share.mean())},
    )


def _sticking_work(bench: Bench) -> Measured:
    run = bench.run(on_slope(lift=0.02))
    late = run.time >= SETTLED
    return Measured(
        GRAVITY * math.sin(SLOPE) * abs(drift(sliding_mass(bench))),
        "By the switch, from 1 to 5 s: it creeps, and friction takes what the weight gives. By impulses what sticks "
        "has no speed.",
        {"by impulses [J]": float(np.ptp(run.work[late]))},
    )


CLAIMS = (
    Claim("sec61-weight", "section 6.1", "The weight of the robot, which k_n exceeds.", 6e3, "N", about(0.05), _weight),
    Claim(
        "sec61-exact",
        "section 6.1",
        "With k_n above the largest contact force, the penalty's solution is that of the inequality: depth at rest.",
        1e-9,
        "m",
        at_most(),
        _exact,
    ),
    Claim(
        "sec61-limit",
        "sections 3.1, 6.1",
        "A large k_n comes close to the multiplier's solution: how much nearer ten times k_n is.",
        10.0,
        "ratio",
        about(0.05),
        _limit,
    ),
    Claim("sec61-rest", "section 6.1", "Penetration stays below 0.5 mm: at rest.", 5e-4, "m", at_most(), _at_rest),
    Claim(
        "sec61-drop",
        "sections 6.1, 8",
        "Penetration stays below 0.5 mm: in a drop from half a metre, at 1 ms.",
        5e-4,
        "m",
        at_most(),
        _in_a_drop,
    ),
    Claim(
        "fig4-penetration",
        "Fig. 4, section 7.2",
        "A mass of 1 kg on 10 deg stays at exactly zero penetration.",
        1e-9,
        "m",
        at_most(),
        _block,
    ),
    Claim(
        "fig4-sticks",
        "section 7.2",
        "The static threshold is enforced: how far the mass creeps from 1 to 5 s.",
        1e-6,
        "m",
        at_most(),
        _sticks,
    ),
    Claim(
        "sec34-slides",
        "sections 2.3, 3.4",
        "What slides is braked by mu F_n: its acceleration over g (sin - mu cos).",
        1.0,
        "ratio",
        about(1e-3),
        _slides,
    ),
    Claim(
        "appB-power",
        "appendix B",
        "F_t . v = 0: the power of friction while something slides, over mu F_n |v|.",
        1e-6,
        "ratio",
        at_most(),
        _sliding_power,
    ),
    Claim(
        "appB-work",
        "appendix B",
        "No work is done by the implemented switch in the sticking regime: of 1 kg on 10 deg, from 1 to 5 s.",
        1e-6,
        "J",
        at_most(),
        _sticking_work,
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    first, second = panels(figure, ["penetration on 10 deg", "creep on 10 deg, friction 0.6"])
    motion, hard = sliding_mass(bench), bench.run(on_slope(lift=0.02))
    depth = {"penalty [mm]": -1e3 * np.minimum(motion.places[:, 0] @ np.array(NORMAL), 0.0)}
    curves(first, motion.time, {**depth, "impulses": -1e3 * np.minimum(_gaps(bench, motion.time), 0.0)}, "[mm]")
    told = {
        f"switch at {1e3 * speed:g} mm/s": 1e3 * _crept(sliding_mass(bench, slip_speed=speed))
        for speed in (0.01, 1e-3, 1e-4)
    }
    still = hard.nodes[:, 0] @ DOWN_SLOPE
    at = np.interp(motion.time, hard.time, still)
    curves(second, motion.time, {**told, "impulses": 1e3 * (at - at[motion.time >= SETTLED][0])}, "[mm]")


def _gaps(bench: Bench, times: np.ndarray) -> np.ndarray:
    run = bench.run(on_slope(lift=0.02))
    return np.asarray(np.interp(times, run.time, run.nodes[:, 0] @ np.array(NORMAL)))


def _crept(motion: Motion) -> np.ndarray:
    way = motion.places[:, 0] @ DOWN_SLOPE
    return np.asarray(way - way[motion.time >= SETTLED][0])


PICTURES = (
    Picture(
        "fig4",
        "Figure 4: a mass on a slope of 10 deg, by penalty and the report's switch, and by impulses.",
        ("fig4-penetration", "fig4-sticks"),
        _draw,
    ),
)
