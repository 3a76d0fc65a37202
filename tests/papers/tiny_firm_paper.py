"""A paper that takes no time: one claim of each verdict, and a picture."""

from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, about, at_most
from taut.papers.paper import Paper, Picture


def measured(bench: Bench) -> Measured:
    return Measured(1.04, "It is <close> & no more.", {"samples": 3.0})


PAPER = Paper(
    "firm",
    "A firm <paper>",
    "N. N.",
    "It has no run.",
    (
        Claim("close", "Fig. 1", "It is close.", 1.0, "m", about(0.05), measured),
        Claim("small", "Fig. 2", "It is small.", 1.0, "m", at_most(), measured),
        Claim("alike", "Fig. 3", "It is alike.", 1.0, "m", at_most(), measured, elsewhere="a laboratory"),
    ),
    (
        Picture(
            "fig01", "A line.", ("close",), lambda bench, figure: figure.add_subplot().plot([0, 1]), size=(1.0, 1.0)
        ),
    ),
    ("Fig. 9 has < for `>`.",),
)
