"""The Python blocks of a page, run one after another."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def blocks_of(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)


def run_blocks(page: str, count: int) -> dict[str, Any]:
    """The names that the blocks leave; the page has to have this many."""
    names: dict[str, Any] = {}
    blocks = blocks_of(page)
    assert len(blocks) == count
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    return names
