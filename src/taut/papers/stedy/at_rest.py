"""Soft against metallic bars at rest: masses, static compliance (Table 2, Fig. 19)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from taut.mechanics.model_checks import facts
from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, about
from taut.papers.drawing import panels
from taut.papers.paper import Picture
from taut.papers.stedy.soft import TABLE, nylon
from taut.statics.balancing import balance
from taut.statics.linearised import linearised


def flexibility(bench: Bench, material: str) -> np.ndarray:
    """How far x3 z3 x4 z4 give under forces along them, (4, 4) [m/N]."""

    def found() -> np.ndarray:
        resting = balance(nylon(material), bars="compressible")
        return np.linalg.inv(linearised(resting, "compressible").stiffness.toarray())

    return bench.once(f"compliance with {material}", found)


def eigenvalues(bench: Bench, material: str) -> np.ndarray:
    """Of the compliance, largest first [m/N]."""
    return np.linalg.eigvalsh(flexibility(bench, material))[::-1]


def _mass(material: str, bench: Bench) -> Measured:
    return Measured(float(facts(nylon(material))["mass"]))


def _compliance(bench: Bench) -> Measured:
    soft, metal = (eigenvalues(bench, material) for material in TABLE)
    return Measured(
        float(soft[0] / metal[0]),
        "The largest. The two large ones are the strings'; the two small ones are the bars' own and differ as their "
        "moduli do, but are too small to matter.",
        {f"eigenvalue {k}, HDPE / aluminium": float(ratio) for k, ratio in enumerate(soft / metal, 1)},
    )


def _deflection(bench: Bench) -> Measured:
    lift = np.array([0.0, 100.0, 0.0, 100.0])
    soft, metal = (flexibility(bench, material) @ lift for material in TABLE)
    return Measured(
        float(np.abs(soft).max() / np.abs(metal).max()),
        beside={
            "HDPE, 100 N up on nodes 3 and 4 [m]": float(np.abs(soft).max()),
            "aluminium, the same [m]": float(np.abs(metal).max()),
        },
    )


CLAIMS = (
    *(
        Claim(
            f"table2-mass-{name}",
            "Table 2",
            f"The T-bar with bars of {material} weighs {mass} kg.",
            mass,
            "kg",
            about(2e-4),
            partial(_mass, material),
        )
        for name, material, mass in (("soft", "HDPE", 75.39), ("metal", "aluminium", 212.05))
    ),
    Claim(
        "fig19-compliance",
        "Fig. 19",
        "The eigenvalues of the compliance hardly differ between soft and metallic bars.",
        1.0,
        "ratio",
        about(0.01),
        _compliance,
    ),
    Claim(
        "sec4-deflection",
        "section 4",
        "A force deflects the T-bar as far with soft bars as with metallic ones.",
        1.0,
        "ratio",
        about(0.01),
        _deflection,
    ),
)


def _draw_eigenvalues(bench: Bench, figure: Any) -> None:
    (axes,) = panels(figure, [""], columns=1)
    for material, marker in zip(TABLE, "ox", strict=True):
        values = eigenvalues(bench, material)
        axes.semilogy(range(1, 5), values, linestyle="none", marker=marker, markersize=6, label=material)
    axes.set_xticks(range(1, 5))
    axes.set_xlabel("eigenvalue", fontsize=9)
    axes.set_ylabel("compliance [m/N]", fontsize=9)
    axes.legend(fontsize=8, frameon=False)


PICTURES = (
    Picture(
        "fig19",
        "Fig. 19: eigenvalues of the compliance of the T-bar with soft and metallic bars.",
        ("fig19-compliance", "sec4-deflection"),
        _draw_eigenvalues,
        (4.5, 3.0),
    ),
)
