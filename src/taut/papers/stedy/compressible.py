"""The T-bar with compressible bars: motion and computation times (Figs. 15 and 16)."""

from __future__ import annotations

from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, about
from taut.papers.paper import Picture

HDPE_TIME, ALUMINIUM_TIME = 39.18, 502.2
"""The paper's times [s] for 10 s."""


def _percent(bench: Bench) -> Measured:
    return Measured(
        100.0 * (ALUMINIUM_TIME - HDPE_TIME) / HDPE_TIME,
        "This is what the paper's own two times, 39.18 and 502.2 s, give.",
    )


CLAIMS = (
    Claim(
        "sec4-percent",
        "section 4",
        "Metallic bars take nearly 1100 % more time than soft ones.",
        1100.0,
        "%",
        about(0.05),
        _percent,
    ),
)

PICTURES: tuple[Picture, ...] = ()
