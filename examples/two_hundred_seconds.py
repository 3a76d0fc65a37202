"""Two hundred seconds of the T-bar: what corrections are worth when the springs are stretched more and more."""

import sys

import numpy as np

import taut

CORRECTIONS = ("none", "constraints", "energy")


def main(
    duration: float = 200.0,
    rest_ratios: tuple[float, ...] = (0.5, 0.7, 0.9),
    tolerances: tuple[float, ...] = (1e-6, 1e-10),
    figure: str = "",
) -> dict[tuple[float, float, str], float]:
    """Print the largest position errors [m] against RATTLE of order 8 (itself good to 1e-11), and maybe draw them."""
    errors, paths = {}, {}
    print(f"{'rest':>5} {'tolerance':>9} " + " ".join(f"{name:>12}" for name in CORRECTIONS))
    for ratio in rest_ratios:
        plant = taut.assemble(taut.generators.tbar(rest_ratio=ratio))
        truth = taut.simulate(plant, duration, every=0.1, method="rattle8", step=0.02)
        for tolerance in tolerances:
            for name in CORRECTIONS:
                run = taut.simulate(plant, duration, every=0.1, tolerance=tolerance, correction=name)
                paths[ratio, tolerance, name] = np.abs(run.nodes - truth.nodes).max(axis=(1, 2))
                errors[ratio, tolerance, name] = float(paths[ratio, tolerance, name].max())
            row = " ".join(f"{errors[ratio, tolerance, name]:>12.1e}" for name in CORRECTIONS)
            print(f"{ratio:>5.0%} {tolerance:>9.0e} {row}")
    if figure:
        draw(truth.time, paths, rest_ratios, tolerances, figure)
    return errors


def draw(time, paths, rest_ratios, tolerances, figure) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shape = {"nrows": len(tolerances), "ncols": len(rest_ratios), "sharex": True, "sharey": "row", "squeeze": False}
    canvas, axes = plt.subplots(**shape, figsize=(11, 6), constrained_layout=True)
    for i, tolerance in enumerate(tolerances):
        for j, ratio in enumerate(rest_ratios):
            for name in CORRECTIONS:
                axes[i, j].semilogy(time[1:], paths[ratio, tolerance, name][1:], label=name, linewidth=0.8)
            axes[i, j].set_title(f"rest length {ratio:.0%}, tolerance {tolerance:g}", fontsize=10)
        axes[i, 0].set_ylabel("position error [m]")
    for axis in axes[-1]:
        axis.set_xlabel("time [s]")
    axes[0, 0].legend(title="correction", fontsize=8)
    canvas.savefig(figure, dpi=120)
    print(f"figure: {figure}")


if __name__ == "__main__":
    main(figure=sys.argv[1] if len(sys.argv) > 1 else "two_hundred_seconds.png")
