"""Whether this checkout moves structures as an older one does: `python benchmarks/same_motion.py OLDER_CHECKOUT`.

Both follow the same motions (`benchmarks.motions`) from the same model files, in processes of their own. A motion is
the same to the last bit, or its largest difference in positions stands beside what a nudge of 1e-15 m of one node at
the start does to it in the older checkout: the largest of four such nudges, since one alone may be lucky. More than
twice that is a difference, and the command ends with 1. So it does where another quantity is off by more than twenty
times what the nudges do to it (they follow from the positions, if they are read off as before), or an event has another
name. `--keep FILE` writes the older checkout's last states for tests/test_same_motion.py.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.trees import HERE, Tree, commit, tree

Told = dict[str, np.ndarray]
NUDGED = 4
TIMES, OTHER_TIMES = 2.0, 20.0
"""So many times the effect of a nudge is allowed, in positions and in what is read off."""
ROUNDING = 64 * np.finfo(float).eps
"""Of the largest value of a quantity that is read off: less than this is never a difference."""


@dataclass(frozen=True)
class Verdict:
    """Of one motion: differences in positions, from the older one and between that and its nudged ones [m]."""

    name: str
    words: str
    ok: bool
    difference: float = math.nan
    nudge: float = math.nan


def gap(one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference; infinite where they are not of one shape or not numbers both."""
    if one.shape != other.shape:
        return math.inf
    if not one.size or np.array_equal(one, other, equal_nan=True):
        return 0.0
    found = float(np.abs(one - other).max())
    return found if math.isfinite(found) else math.inf


def compared(name: str, before: Told, after: Told, nudged: Sequence[Told]) -> Verdict:
    """One motion of the older checkout and of this one, beside the older one's after nudges."""
    said = [str(told["words"].flat[0]) for told in (before, after)]
    if any(words.startswith("failed") for words in said):
        return Verdict(name, f"other: {said[0]}; this: {said[1]}", ok=False)
    if before.keys() != after.keys():
        return Verdict(name, f"only in one: {', '.join(sorted(before.keys() ^ after.keys()))}", ok=False)
    apart = gap(before["places"], after["places"])
    effect = max(gap(before["places"], other["places"]) for other in nudged)
    if all(before[part].tobytes() == after[part].tobytes() for part in before):
        return Verdict(name, "same to the last bit", True, apart, effect)
    complaints = [] if apart <= TIMES * effect else ["positions differ"]
    for part in (part for part in before if part not in ("places", "words")):
        own = max(gap(before[part], other[part]) for other in nudged)
        allowed = max(OTHER_TIMES * own, ROUNDING * float(np.abs(before[part]).max(initial=0.0)))
        if not gap(before[part], after[part]) <= allowed:
            complaints.append(f"{part} differs by {gap(before[part], after[part]):.1e}, {own:.1e} by a nudge")
    steady = all(np.array_equal(before["words"], other["words"]) for other in nudged)
    if steady and not np.array_equal(before["words"], after["words"]):
        complaints.append("other events, or another end")
    return Verdict(name, "; ".join(complaints) or "within a nudge", not complaints, apart, effect)


def motions_of(checkout: Tree, runs: int, words: Sequence[str] = ()) -> dict[str, list[Told]]:
    """Motion -> what its runs told, the first one not nudged."""
    file = checkout.cache / "motions.npz"
    if checkout.start("motions", str(file), str(runs), *words).wait():
        raise SystemExit(f"{checkout.root}: its motions could not be followed")
    found: dict[str, list[Told]] = {}
    with np.load(file) as kept:
        for key in kept:
            name, number, part = key.split("|")
            told = found.setdefault(name, [{} for _ in range(runs)])
            told[int(number)][part] = kept[key]
    return found


def last_states(motions: dict[str, list[Told]]) -> Told:
    """Each motion's last positions and velocities, and what the nudges did to them."""
    kept: Told = {}
    for name, (run, *nudged) in motions.items():
        for part in ("places", "velocities"):
            kept[f"{name}|{part}"] = run[part][-1]
            kept[f"{name}|{part}|nudge"] = np.array(max(gap(run[part][-1], other[part][-1]) for other in nudged))
    return kept


def table(verdicts: Sequence[Verdict]) -> str:
    lines = [f"{'motion':<27} {'difference [m]':>14} {'by a nudge':>11}  verdict"]
    lines += [
        f"{v.name:<27} {v.difference:>14.1e} {v.nudge:>11.1e}  {'' if v.ok else 'NO: '}{v.words}" for v in verdicts
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, help="the older checkout")
    parser.add_argument("--this", type=Path, default=HERE, help="another one than that of this file")
    parser.add_argument("--keep", type=Path, help="write the older one's last states to this file (.npz), and end")
    parser.add_argument("--only", nargs="+", default=(), help="motions with one of these words in their name")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        older = motions_of(tree(asked.other, folder, "other"), 1 + NUDGED, asked.only)
        if asked.keep:
            np.savez_compressed(asked.keep, commit=np.array(commit(asked.other)), **last_states(older))
            return 0
        newer = motions_of(tree(asked.this, folder, "this"), 1, asked.only)
    verdicts = [compared(name, runs[0], newer[name][0], runs[1:]) for name, runs in older.items()]
    print(f"other: {asked.other} at {commit(asked.other)}, this: {asked.this} at {commit(asked.this)}")
    print(table(verdicts))
    return 0 if all(verdict.ok for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
