"""What every commit took beside others: one line for each commit and row in benchmarks/history.jsonl.

A line has the peer that was fastest in the row and how many times taut's CPU time it took in the same turns, so that
lines of different machines can be held against each other, which times could not. `compared` tells which rows are
slower than those before.
"""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.peers.turns import Row

FILE = Path(__file__).parents[1] / "history.jsonl"

SLOWER = 1.25
"""A row is slower where its ratio fell by more than this, which is more than quartiles of busy machines spread."""

KEPT = 5
"""Earlier lines of the same row and peer, whose median counts."""

Line = dict[str, Any]


def lines_of(rows: Sequence[Row], commit: str, machine: str) -> list[Line]:
    """One for each row that has a peer or stands alone."""
    made = []
    for row in rows:
        ours, peer = row.ours, row.peer
        low, middle, high = peer.quartiles if peer else (float("nan"),) * 3
        made.append(
            {
                "date": datetime.now(UTC).date().isoformat(),
                "commit": commit,
                "machine": machine,
                "row": row.key,
                "members": row.members,
                "taut": ours.name,
                "seconds": _rounded(ours.seconds),
                "unit": row.unit,
                "peer": peer.name if peer else None,
                "ratio": _rounded(middle),
                "quartiles": [_rounded(low), _rounded(high)],
                "bytes_per_member": _rounded(ours.memory) if ours.memory else None,
            }
        )
    return made


def _rounded(value: float) -> float | None:
    return None if value != value else float(f"{value:.4g}")


def read(path: Path = FILE) -> list[Line]:
    """The oldest first; nothing where there is no file yet."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def write(lines: Sequence[Line], path: Path = FILE) -> None:
    """Added at the end; lines of the same commit, row and machine are replaced."""
    new = {(line["commit"], line["row"], line["machine"]) for line in lines}
    kept = [line for line in read(path) if (line["commit"], line["row"], line["machine"]) not in new]
    text = "".join(json.dumps(line) + "\n" for line in (*kept, *lines))
    path.write_text(text, encoding="utf-8")


def compared(lines: Sequence[Line], slower: float = SLOWER) -> list[tuple[str, float, float, bool]]:
    """Row, the ratio of its newest line, the median of those before with the same peer, and whether it is slower."""
    found = []
    for row in dict.fromkeys(line["row"] for line in lines):
        told = [line for line in lines if line["row"] == row and line["ratio"] is not None]
        if not told:
            continue
        *earlier, last = told
        same = [line["ratio"] for line in earlier if line["peer"] == last["peer"]][-KEPT:]
        before = statistics.median(same) if same else float("nan")
        found.append((row, last["ratio"], before, bool(same) and last["ratio"] * slower < before))
    return found


def comparison(lines: Sequence[Line]) -> str:
    """For people: what the newest lines say beside those before."""
    rows = [f"{'row':<16}{'now':>8}{'before':>8}"]
    for row, now, before, slow in compared(lines):
        told = f"{before:>8.3g}" if before == before else f"{'-':>8}"
        rows.append(f"{row:<16}{now:>8.3g}{told}{'  SLOWER' if slow else ''}")
    return (
        "\n".join(rows) + "\n(how many times taut's CPU time the fastest peer takes; -: no earlier line with this peer)"
    )


def commit(root: Path) -> str:
    """The short name of the commit that is checked out, with a + where files differ from it."""

    def told(*asked: str) -> str:
        return subprocess.run(["git", *asked], cwd=root, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = told("status", "--porcelain", "--untracked-files=no", "--", "src")
        return told("rev-parse", "--short=10", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
