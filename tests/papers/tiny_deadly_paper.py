"""A paper that kills the process that computes it."""

import os
import signal

from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, at_most
from taut.papers.paper import Paper


def die(bench: Bench) -> Measured:
    os.kill(os.getpid(), signal.SIGKILL)
    return Measured(0.0)


PAPER = Paper(
    "deadly",
    "A deadly paper",
    "D. D.",
    "",
    (
        Claim("lives", "Fig. 1", "It lives.", 1.0, "m", at_most(), lambda bench: Measured(0.5)),
        Claim("dies", "Fig. 2", "It lives.", 1.0, "m", at_most(), die),
    ),
)
