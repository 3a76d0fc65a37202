"""The step that conserves energy and momentum."""

from __future__ import annotations

from taut.dynamics.methods.tableau import EnergyMomentum

ENERGY_MOMENTUM = EnergyMomentum(
    "energy-momentum",
    1,
    "Gonzalez (1999), Computer Methods in Applied Mechanics and Engineering 174; Moreau (1988) for contact",
    (1.0,),
    rows=2,
    remainders=0,
)
"""Of second order between impacts."""
