"""What docs/reproductions.md tells of a paper."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "reproductions.md"


def told(key: str) -> dict[str, str]:
    """Claim -> verdict, from the table between the marks of a paper."""
    _, _, after = PAGE.read_text(encoding="utf-8").partition(f"<!-- {key} -->")
    block = after.partition("<!-- end -->")[0]
    rows = [line.split(" | ") for line in block.splitlines() if line.startswith("| ")]
    return {row[0].removeprefix("| "): row[-1].removesuffix(" |") for row in rows[2:]}
