"""A paper that takes no time, of which one claim cannot be computed."""

from taut import TautError
from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, at_most
from taut.papers.paper import Paper


def broken(bench: Bench) -> Measured:
    raise TautError("the arm broke")


PAPER = Paper(
    "frail",
    "A frail paper",
    "M. M.",
    "It breaks.",
    (
        Claim("breaks", "Fig. 1", "It holds.", 1.0, "m", at_most(), broken),
        Claim("holds", "Fig. 2", "It holds.", 1.0, "m", at_most(), lambda bench: Measured(0.5)),
    ),
)
