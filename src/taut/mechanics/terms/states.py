"""States of terms that have rates of their own: their rates, their errors, and their place in implicit steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from taut.mechanics.kinds import Term
from taut.mechanics.tables import TermStates, term_state_count, term_states_begin, term_states_in
from taut.numerics.compiled import entry, inlined
from taut.numerics.packing import Pack
from taut.numerics.pointers import start_of


def states_of(terms: Iterable[Term], tables: Mapping[str, Any], typical: float) -> TermStates:
    """Of all terms that have any, one after another; each is told where its own begin. typical: length [m]."""
    sizes = [np.zeros(0)]
    for term in terms:
        if term.states is not None:
            tables[term.name].first_state[0] = sum(part.size for part in sizes)
            sizes.append(term.states(tables[term.name], typical))
    size = np.concatenate(sizes)
    return TermStates(size, np.zeros(size.size), np.zeros(1))


@inlined
def give_rates(p: Pack, rates: np.ndarray) -> None:
    states, begin = term_states_in(p), term_states_begin(p)
    for k in range(term_state_count(p)):
        rates[begin + k] = states.rate[k]


@inlined
def largest_error(p: Pack, error: np.ndarray) -> float:
    states, begin, worst = term_states_in(p), term_states_begin(p), 0.0
    for k in range(term_state_count(p)):
        worst = max(worst, abs(error[begin + k]) / states.size[k])
    return worst


@inlined
def enter_stage(p: Pack, s: float) -> None:
    term_states_in(p).stage[0] = s


@entry
def finish_states(p: Pack, s: float, y: np.ndarray, rates: np.ndarray) -> None:
    """The end of a stage of an implicit step: y = z0 + s z' for the states of terms, and z' in the stage's rates."""
    states, state, out, begin = term_states_in(p), start_of(y), start_of(rates), term_states_begin(p)
    for k in range(term_state_count(p)):
        state[begin + k] += s * states.rate[k]
        out[begin + k] = states.rate[k]
