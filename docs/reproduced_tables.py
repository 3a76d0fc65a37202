"""Put what `taut reproduce` found into docs/reproductions.md: `python docs/reproduced_tables.py [report.json ...]`.

By default papers-report/report.json. Several may be given, of all papers or of one; of a paper that is in none of them
the page stays as it is.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from taut.papers.claims import VERDICTS, number

PAGE = Path(__file__).with_name("reproductions.md")
HEADS = ("claim", "place", "paper", "", "ours", "unit", "verdict")


def main(*files: str) -> None:
    """Replace what stands between the marks of each paper, and of what it took."""
    text = PAGE.read_text(encoding="utf-8")
    for file in files:
        told = json.loads(Path(file).read_text(encoding="utf-8"))
        papers = told.get("papers", [told])
        for paper in papers:
            text = _replaced(text, paper["paper"], block(paper))
        if "papers" in told:
            text = _replaced(text, "all", whole(told))
    PAGE.write_text(text, encoding="utf-8")


def _replaced(text: str, mark: str, block: str) -> str:
    found = re.compile(rf"<!-- {mark} -->.*?<!-- end -->", re.DOTALL)
    if not found.search(text):
        raise SystemExit(f"{PAGE.name} has no <!-- {mark} -->")
    return found.sub(lambda _: f"<!-- {mark} -->\n{block}\n<!-- end -->", text)


def block(paper: Mapping[str, Any]) -> str:
    """Verdicts, CPU time, table and errata of one paper."""
    if paper["failures"]:  # interrupted, or a claim that could not be computed: the table that stands is better
        raise SystemExit(f"{paper['paper']}: {len(paper['failures'])} claims were not computed; the page is as it was")
    counts = Counter(claim["verdict"] for claim in paper["claims"])
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    rows = [HEADS, ("---",) * len(HEADS)]
    rows += [
        (
            *(claim["id"], claim["place"], number(claim["paper"]), claim["relation"]),
            *(number(claim["ours"]), claim["unit"], claim["verdict"]),
        )
        for claim in paper["claims"]
    ]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    errata = "\n".join(f"- {one}" for one in paper["errata"])
    return f"{verdicts.capitalize()}.\n\n{table}" + (f"\n\nErrata:\n\n{errata}" if errata else "")


def whole(told: Mapping[str, Any]) -> str:
    """What all papers took, each beside the others."""
    rows = [("paper", "claims", *VERDICTS, "CPU [s]")]
    rows.append(("---",) * len(rows[0]))
    for paper in told["papers"]:
        counts = Counter(claim["verdict"] for claim in paper["claims"])
        verdicts = [str(counts[verdict]) for verdict in VERDICTS]
        rows.append((paper["paper"], str(len(paper["claims"])), *verdicts, f"{paper['cpu_seconds']:.0f}"))
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    took = f"{told['seconds']:.0f} s on the clock, {told['cpu_seconds']:.0f} s of CPU time"
    return f"`taut reproduce` took {took}: {told['machine']}.\n\n{table}"


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["papers-report/report.json"]))
