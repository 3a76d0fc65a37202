"""Build a two-stage tower in Python, let gravity act on it, and read off forces and reactions."""

import numpy as np

import taut


def main(duration: float = 1.0) -> taut.Trajectory:
    """Simulate a standing tower under its weight and a sideways load; print what its members feel."""
    tower = taut.generators.tower(2, radius=0.3, height=0.6).supported("bottom*").changed("cable:*", damping=20.0)
    push = taut.Load(tower.select("top*", "node")[0], "x", taut.Sinusoid(amplitude=5.0, frequency=2.0))
    plant = taut.assemble(tower, gravity=9.81, loads=[push])
    run = taut.simulate(plant, duration, every=0.01)
    print(run.summary())
    names = list(tower.cables)
    worst = int(np.argmax(run.cable_tension.max(axis=0)))
    print(f"\nlargest tension      {run.cable_tension.max():.4g} N, in cable {names[worst]}")
    print(f"largest compression  {-run.bar_force.min():.4g} N")
    print(f"vertical reaction    {run.reaction[-1, :, 2].sum():.4g} N at the end")
    return run


if __name__ == "__main__":
    main()
