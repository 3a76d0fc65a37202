"""A strut on a universal joint is leant over and brought back by winding two of its three cables on their pulleys."""

import numpy as np

import taut
from taut.trees import single_strut, tree_plant

SET = 0.3  # [N m] that keep all cables taut
LEAN = 0.02  # [N m] more, and less, of the first


def main() -> dict[str, float]:
    """How far the strut leans at most [rad], and what its cables bear [N]."""
    machine = single_strut(youngs_modulus=2e9, viscosity=2e7, strain=SET / 0.07 / (2e9 * np.pi * 1e-6))
    more = taut.CosineRamp(SET, SET + LEAN, 0.0, 0.1)
    less = taut.CosineRamp(0.0, -2.0 * LEAN, 0.15, 0.25)
    torques = {"B1-pulleyJt": taut.SignalSum((more, less)), "B2-pulleyJt": SET, "B3-pulleyJt": SET}
    run = taut.simulate(tree_plant(machine, torques=torques), 0.3, every=0.01, tolerance=1e-7, verify=False)
    tensions = run.cable_tension
    print(run.status, "- leaning by up to", float(np.abs(run.coordinate[:, 1]).max()), "rad")
    return {
        "lean": float(np.abs(run.coordinate[:, 1]).max()),
        "least tension": float(tensions.min()),
        "most tension": float(tensions.max()),
        "gap": float(run.length_violation.max()),
    }


if __name__ == "__main__":
    main()
