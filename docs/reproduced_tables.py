"""Put the tables of `taut reproduce` into docs/reproductions.md: `python docs/reproduced_tables.py [paper ...]`, some
minutes for all."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import taut
from taut.papers.paper import PAPERS
from taut.papers.report import table

PAGE = Path(__file__).with_name("reproductions.md")


def main(*keys: str) -> None:
    """Replace what stands between the marks of each paper."""
    text = PAGE.read_text(encoding="utf-8")
    for key in keys or PAPERS:
        report = taut.reproduce(key, jobs=os.cpu_count() or 1)
        if not report.ok:  # interrupted, or a claim that could not be computed: the table that stands is better
            raise SystemExit(f"{key}: {len(report.failures)} claims were not computed; the page is as it was")
        block = f"<!-- {key} -->\n{report.summary.capitalize()}.\n\n{table(report)}\n<!-- end -->"
        text = re.sub(rf"<!-- {key} -->.*?<!-- end -->", lambda _, block=block: block, text, flags=re.DOTALL)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
