"""Move a robot by its cables: map its postures over the lengths of three wires, and write a page with sliders."""

from pathlib import Path

import numpy as np

import taut
from taut.kinetostatics import InterpolatedMap, Robot, interpolated, workspace


def main(count: int = 7, page: str = "") -> InterpolatedMap:
    """Print what the map says and how far postures between its points are off."""
    model = taut.read_model(Path(__file__).with_name("prismatic.yaml"))
    robot = Robot(model.structure, inputs=("cable:a*",), gravity=model.scenario.gravity)
    wound = np.linspace(-0.006, 0.006, count)  # [m]
    area = workspace(robot, {name: own + wound for name, own in zip(robot.input_names, robot.values, strict=True)})
    print(area)
    print(f"lowest stiffness {area.lowest_stiffness.min():.3g} to {area.lowest_stiffness.max():.3g} N/m")
    spread = np.ptp(area.plate_centre.reshape(-1, 3), axis=0)
    print("the plate's centre moves by " + ", ".join(f"{1e3 * part:.3g}" for part in spread) + " mm along x, y and z")

    between = interpolated(area)
    print(between.error.sentence)
    if page:
        taut.page(between, page)
    return between


if __name__ == "__main__":
    main(page="robot.html")
