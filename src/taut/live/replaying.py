"""`replay`: what was done in a live page, done again here, with the same bits."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError
from taut.live.modules import manifest
from taut.live.plants import live_plant
from taut.live.session import Session
from taut.mechanics.plant_protocol import PlantProtocol
from taut.structure.corrections import Correction
from taut.type_checks import checked_arguments

VERSION = 1
ACTIONS = {"hand": 4, "cut": 2, "rest": 2, "gravity": 3, "damping": 1, "drive": 3}
EDITS = {"stiffness": 2, "place": 4, "still": 0}
ARGUMENTS = {**ACTIONS, **EDITS}
"""Of each kind of action, how many there are."""

KINDS: Mapping[str, tuple[Any, str]] = {
    "actions": (list | tuple, "a list"),
    "method": (str, "a name"),
    "tolerance": (int | float | None, "a number"),
    "step": (int | float | None, "a number"),
}
"""Of what else a log says, what it is."""

TEXTS = {"cut": 2, "rest": 1, "drive": 1, "stiffness": 1}
"""Of these the first so many are names, all others finite numbers."""


@checked_arguments
def replay(log: str | Mapping[str, Any], plant: PlantProtocol, *, every: float = 1.0 / 60.0) -> Trajectory:
    """The motion of a live page from its log of actions: the text that it saves, or what `json.loads` makes of it.

    plant: of the model that the page was made of. every: time between samples [s]; what is between them is the same.
    Raises OptionError where the log is of another model, or damaged.
    """
    told = _checked(log)
    if not 0.0 < every < math.inf:
        raise OptionError(f"every {every} must be a finite number more than zero")
    options = {name: told[name] for name in ("method", "tolerance", "step") if told.get(name) is not None}
    live = live_plant(plant, **options, correction=Correction.of_options(told) if "correction" in told else None)
    if live.plant.fingerprint != told["plant"]:
        raise OptionError(
            f"the log is of another model: its plant is {told['plant']}, this one {live.plant.fingerprint}; "
            "replay it with the plant that the page was made of"
        )
    session = Session(live)
    grid = Grid(float(told["until"]), every, live.settings.step)
    for time, kind, *given in told["actions"]:
        grid.follow(session, time)
        if session.ended:
            break
        session.land(time)
        session.act(kind, *given)
    grid.follow(session, math.inf)
    run = session.trajectory()
    stamp = manifest().get(live.module, {}).get("stamp")
    if told["stamp"] != stamp:
        other = "the page has kernels of another version of taut, so that its motion may differ in the last bits"
        run = replace(run, notes=(*run.notes, other))
    return run


class Grid:
    """Times at which samples are kept, up to an end; on steps where these are of one length."""

    def __init__(self, until: float, every: float, step: float | None) -> None:
        if step:
            every = step * max(1, round(every / step))
        self._times = [*(np.arange(1, math.floor(until / every * (1.0 + 1e-12)) + 1) * every).tolist()]
        if not self._times or self._times[-1] < until:
            self._times.append(until)

    def follow(self, session: Session, before: float) -> None:
        """Follow a session to all that come before a time."""
        while self._times and self._times[0] < before and not session.ended:
            session.follow(self._times.pop(0))


def _checked(log: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """The log, if it is one."""
    if isinstance(log, str):
        try:
            log = json.loads(log)
        except json.JSONDecodeError as error:
            raise OptionError(f"this is no log of a live page: {error}") from None
    if not isinstance(log, Mapping) or log.get("taut_live") != VERSION:
        raise OptionError(f'this is no log of a live page: it does not say "taut_live": {VERSION}')
    missing = [name for name in ("plant", "stamp", "method", "until", "actions") if name not in log]
    if missing:
        raise OptionError(f"the log of the live page is damaged: it lacks {', '.join(missing)}")
    if not isinstance(log["until"], int | float) or not math.isfinite(log["until"]) or log["until"] < 0.0:
        raise OptionError(f"the log of the live page is damaged: it goes until {log['until']}")
    if not log["until"]:
        raise OptionError("the log of the live page was saved before anything moved: it goes until 0 s")
    for name, (kinds, what) in KINDS.items():
        if not isinstance(log.get(name), kinds):
            raise OptionError(f"the log of the live page is damaged: its {name} is {log[name]!r} and not {what}")
    last = 0.0
    for number, action in enumerate(log["actions"], 1):
        if wrong := _fault(action, last):
            raise OptionError(f"action {number} of the log: {wrong}")
        last = action[0]
    return log


def _fault(action: Any, last: float) -> str:
    """What is wrong with an action that comes after a time."""
    if not isinstance(action, list | tuple) or len(action) < 2 or action[1] not in ARGUMENTS:
        return f"{action!r} is not a time, one of {', '.join(ARGUMENTS)}, and what that takes"
    time, kind, *given = action
    if not isinstance(time, int | float) or not last <= time < math.inf:
        return f"its time {time!r} does not come after {last:g} s"
    if len(given) != ARGUMENTS[kind]:
        return f"{kind} takes {ARGUMENTS[kind]} numbers or names, not {len(given)}"
    texts = TEXTS.get(kind, 0)
    sound = all(isinstance(one, str) for one in given[:texts])
    sound = sound and all(isinstance(one, int | float) and math.isfinite(one) for one in given[texts:])
    return "" if sound else f"{kind} does not take {given!r}"
