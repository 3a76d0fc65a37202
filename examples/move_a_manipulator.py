"""Move a manipulator whose six cables are wound on pulleys: least torques, tensions that stay, what is free damped."""

import numpy as np

import taut
from taut.trees import TreeEquations, manipulator, tree_plant

STRAIN = 0.01  # 20 MPa in cables of 2 GPa
EFFECTOR = ("floatingJt.x", "floatingJt.y", "floatingJt.z")


def main(duration: float = 5.0) -> tuple[taut.Trajectory, taut.control.NearRigidControl]:
    """Print how well the end-effector stays while the struts turn to where tensions hold them; return run and law."""
    tree = manipulator()
    known = TreeEquations(tree)
    start = known.start()[0][[known.position_names.index(name) for name in EFFECTOR]]
    still = [taut.SampledSignal((0.0, 1.0), (at, at), (0.0, 0.0)) for at in start.tolist()]
    law = taut.control.near_rigid_control(
        known,
        EFFECTOR,
        taut.dynamics.curve_of(still),
        least_strain=STRAIN,
        most_strain=3.0 * STRAIN,
        proportional=100.0,  # [1/s^2]
        derivative=20.0,  # [1/s]
        free_weight=10.0,
        free_damping=10.0,  # [1/s]
        free=("B1-strutJt", "B2-strutJt", "B3-strutJt"),
    )
    run = taut.simulate(
        tree_plant(tree, controller=law, rate=1000.0),
        duration,
        every=0.01,
        method="rk4",
        step=1e-3,
        correction=taut.Correction("baumgarte", gains=(100.0, 20.0)),
        verify=False,
    )
    off = 1e3 * np.abs(run.coordinate[:, :3] - start)
    print(f"off by {off.max():.3g} mm at most, {off[-1].max():.3g} mm at the end; ", end="")
    print(f"strains from {run.element_output[:, :6].min():.4f} to {run.element_output[:, :6].max():.4f}")
    print("slack: " + (", ".join(map(str, law.slackenings)) or "none"))
    return run, law


if __name__ == "__main__":
    main()
