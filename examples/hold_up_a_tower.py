"""Hold up a tower that falls by itself: six winches, an LQR from sample to sample, 100 Hz, a sample late."""

from dataclasses import replace
from math import atan2, cos, dist, sin

import taut

STAYS = [f"stay{k}{side}" for k in (1, 2, 3) for side in "ab"]
RATE, DELAY = 100.0, 0.01  # [Hz], [s]: a command acts one sample after what was measured for it


def tower() -> taut.Structure:
    """Two stages of struts and cables on a ball joint, 2 kg on each corner of the top, and six stays."""
    body = taut.generators.tower(2, radius=0.2, height=0.5, stiffness=2e4).changed("cable:*", damping=20.0)
    body = body.moved(translation=(0.0, 0.0, 0.3)).with_nodes({"foot": (0.0, 0.0, 0.0)}).weighted("top*", 2.0)
    body = body.with_bars(*(taut.Bar(f"leg{k}", ("foot", f"bottom{k}"), mass=0.3) for k in (1, 2, 3)))
    for stay in STAYS:
        top, anchor = f"top{stay[4]}", f"anchor{stay[4:]}"
        x, y, _ = body.nodes[top]
        way = atan2(y, x) + (0.35 if stay[5] == "a" else -0.35)
        body = body.with_nodes({anchor: (1.2 * cos(way), 1.2 * sin(way), 0.0)})
        cable = taut.Cable(stay, (anchor, top), stiffness=2000.0)
        body = body.with_cables(replace(cable, rest_length=length(body, cable) - 15.0 / 2000.0))
    return body.supported("foot").supported("anchor*")


def on_soft_stays(stiffness: float = 20.0) -> taut.Structure:
    """The tower where it stands on stiff stays, but on soft ones that pull as hard: a balance that it leaves."""
    standing = taut.balance(tower(), gravity=9.81).structure
    soft = []
    for stay in STAYS:
        cable, now = standing.cables[stay], length(standing, standing.cables[stay])
        pull = cable.stiffness * (now - cable.rest_length)
        soft.append(replace(cable, stiffness=stiffness, rest_length=now - pull / stiffness, damping=0.5))
    return standing.without("cable:stay*").with_cables(*soft)


def length(structure: taut.Structure, cable: taut.Cable) -> float:
    return dist(*(structure.nodes[node] for node in cable.route))


def winches() -> list[taut.Drive]:
    """Each counts from the rest length with which its stay holds the tower in balance."""
    return [taut.Drive(f"winch {s}", f"cable:{s}", "rest_length", by=taut.Command(), drum_radius=0.02) for s in STAYS]


def design(plant: taut.Plant) -> taut.control.Regulator:
    """What the winches do about the motion of the nodes, as small motions from sample to sample have it."""
    model = taut.linearise(
        plant, inputs=[f"cable:{stay}.rest_length" for stay in STAYS], outputs=["node:*.position", "node:*.velocity"]
    )
    return taut.control.lqr(taut.control.sampled(model, RATE, delay=DELAY), state_cost=100.0, input_cost=1e3)


def main(duration: float = 4.0) -> tuple[taut.Trajectory, taut.Trajectory]:
    """Print poles with and without winches at work; return the run that falls and the one that does not."""
    setup = {"structure": on_soft_stays(), "gravity": 9.81, "drives": winches()}
    plant = taut.assemble(**setup)
    regulator = design(plant)
    model = regulator.model
    print(f"alone it falls as exp({model.continuous.poles.real.max():.3g} t)")
    print(f"held, its slowest motions die away with {model.speeds(regulator.poles)[:4].round(3)} rad/s")

    push = {"top1": (0.05, 0.1, 0.0), "top2": (0.03, -0.05, 0.0), "top3": (0.0, 0.05, 0.0)}  # [m/s]
    falling = taut.simulate(taut.assemble(**setup, velocities=push), duration, every=0.01, verify=False)
    hold = regulator.controller("hold it up", plant)
    standing = taut.simulate(taut.assemble(**setup, velocities=push, controllers=[hold]), duration, every=0.01)
    aside = abs(standing.nodes - setup["structure"].positions).max(axis=(1, 2))
    print(
        f"alone its top comes down to {falling.node('top1')[:, 2].min():.2f} m from {falling.node('top1')[0, 2]:.2f} m"
    )
    wound = abs(standing.drive_value - standing.drive_value[0]).max()
    print(f"held, it goes {aside.max():.3g} m aside and ends within {aside[-1]:.2g} m; ", end="")
    print(f"its winches go {wound:.3g} m")
    return falling, standing


if __name__ == "__main__":
    main()
