"""All corrections on the T-bar: what each does to bar lengths, energy and the motion itself."""

import numpy as np

import taut


def main(duration: float = 10.0, tolerances: tuple[float, ...] = (1e-6, 1e-8, 1e-10)) -> dict[tuple[str, float], float]:
    """Print the table; returns the position error [m] of each correction at each tolerance."""
    plant = taut.assemble(taut.generators.tbar())
    truth = taut.simulate(plant, duration, every=0.05, tolerance=1e-13).nodes
    corrections = {
        "none": taut.Correction("none"),
        "baumgarte": taut.Correction("baumgarte", gains=(10.0, 10.0)),
        "constraints": taut.Correction("constraints"),
        "energy": taut.Correction("energy"),
        "energy, euclidean": taut.Correction("energy", metric="euclidean"),
    }
    errors = {}
    print(
        f"{'correction':<18} {'tolerance':>9} {'steps':>6} {'position [m]':>13} {'length [m]':>11} {'energy [J]':>11}"
    )
    for tolerance in tolerances:
        for name, correction in corrections.items():
            run = taut.simulate(plant, duration, every=0.05, tolerance=tolerance, correction=correction)
            errors[name, tolerance] = float(np.abs(run.nodes - truth).max())
            print(
                f"{name:<18} {tolerance:>9.0e} {run.counts['steps']:>6} {errors[name, tolerance]:>13.1e} "
                f"{run.length_violation.max():>11.1e} {np.abs(run.energy_violation).max():>11.1e}"
            )
    return errors


if __name__ == "__main__":
    main()
