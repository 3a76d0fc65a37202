"""Stand a tower up: prestress it, certify it, find its modes, let it settle under its weight, and set it in motion."""

import taut


def main(duration: float = 1.0, page: str = "") -> taut.Trajectory:
    """Print what is certain of the tower before it moves, then drop its weight onto it and simulate."""
    tower = taut.generators.tower(stages=3, radius=0.5, height=1.0).supported("bottom*")
    print(taut.statics.counts(tower).sentence)

    balance = taut.prestress(tower, {"cable:vertical": 200.0})  # [N]
    print(f"tensions from {balance.cable_tension.min():.4g} to {balance.cable_tension.max():.4g} N")
    print(taut.stability(balance).sentence)

    modes = taut.modes(balance, count=6)
    print("modes at " + ", ".join(f"{hz:.3f}" for hz in modes.frequency) + " Hz")

    loaded = taut.balance(balance.structure, gravity=9.81)
    sunk = balance.structure.positions[:, 2].max() - loaded.structure.positions[:, 2].max()
    print(f"under its weight it sinks by {1e3 * sunk:.3g} mm; supports bear {loaded.reaction[:, 2].sum():.5g} N")

    plant = taut.assemble(balance.structure, gravity=9.81)
    run = taut.simulate(plant, duration=duration)
    print(f"\n{run.summary()}")
    if page:
        taut.page(balance, page, modes=modes)
    return run


if __name__ == "__main__":
    main(page="tower.html")
