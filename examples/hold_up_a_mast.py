"""Hold up a mast that falls by itself: linearise it upright, choose a feedback, let it act on the whole equations."""

import taut


def mast() -> taut.Structure:
    """A pole of 2 m and 3 kg on a hinge, between stays far too soft to hold it up."""
    return taut.Structure(
        {"foot": (0, 0, 0), "top": (0, 0, 2), "west": (-2, 0, 0), "east": (2, 0, 0)},
        [taut.Bar("pole", ("foot", "top"), mass=3.0)],
        [taut.Cable(side, (side, "top"), rest_length=2.7, stiffness=5.0) for side in ("west", "east")],
        supports={"foot": "xyz", "west": "xyz", "east": "xyz", "top": "y"},
        name="mast",
    )


def main(duration: float = 4.0) -> tuple[taut.Trajectory, taut.Trajectory]:
    """Print poles with and without the feedback; return the run that falls and the one that does not."""
    push = {"top": (0.3, 0.0, 0.0)}  # [m/s]
    model = taut.linearise(taut.assemble(mast(), gravity=9.81), inputs="node:top.x", outputs="node:top.x")
    print("alone: poles at " + ", ".join(f"{pole:.3g}" for pole in model.poles) + " rad/s")
    print(f"H2 norm: {taut.control.h2_norm(model).reason}")

    regulator = taut.control.lqr(model, state_cost=10.0, input_cost=0.1)
    print("held up: poles at " + ", ".join(f"{pole:.3g}" for pole in regulator.poles) + " rad/s")

    falling = taut.simulate(taut.assemble(mast(), gravity=9.81, velocities=push), duration)
    held = taut.assemble(mast(), gravity=9.81, velocities=push, loads=regulator.loads())
    standing = taut.simulate(held, duration)
    print(f"alone it falls to {falling.nodes[:, 1, 2].min():.3f} m; ", end="")
    print(f"held, by {abs(standing.load_force).max():.3g} N at most, it ends at {standing.nodes[-1, 1, 2]:.6f} m")
    return falling, standing


if __name__ == "__main__":
    main()
