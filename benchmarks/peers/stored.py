"""Rows as they were measured last, in benchmarks/rows.json: the page is made of them, some can be measured again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.peers.turns import Entry, Row

FILE = Path(__file__).parents[1] / "rows.json"


def read(path: Path = FILE) -> list[Row]:
    """In the order in which they were first measured; none where there is no file."""
    if not path.exists():
        return []
    return [_row(told) for told in json.loads(path.read_text(encoding="utf-8"))]


def _row(told: dict[str, Any]) -> Row:
    return Row(**{**told, "entries": tuple(_entry(one) for one in told["entries"])})


def _entry(told: dict[str, Any]) -> Entry:
    seconds = float("nan") if told["seconds"] is None else told["seconds"]
    return Entry(**{**told, "ratios": tuple(told["ratios"]), "seconds": seconds})


def _facts(row: Row) -> dict[str, Any]:
    """For JSON, which has no nan."""
    entries = [{**asdict(one), "seconds": one.seconds if one.seconds == one.seconds else None} for one in row.entries]
    return {**asdict(row), "entries": entries}


def write(rows: Sequence[Row], path: Path = FILE) -> list[Row]:
    """Rows of the same key are replaced, others added; returns all."""
    known = {row.key: row for row in read(path)} | {row.key: row for row in rows}
    path.write_text(json.dumps([_facts(row) for row in known.values()], indent=1) + "\n", encoding="utf-8")
    return list(known.values())
