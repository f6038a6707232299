"""Cheap invariants at loop heads, when refinement takes long (invariants/learning.py)."""

from __future__ import annotations

from collections import deque

from counterpoint.core.events import Progress
from counterpoint.engines.dash.splitting import remove_edge
from counterpoint.engines.dash.state import State
from counterpoint.engines.dash.tactics.deep_runs import look_behind_loops
from counterpoint.invariants.learning import ATTEMPTS
from counterpoint.regions.locations import BASIC

MOST_SWEPT = 60
"""Edges of regions not visited that are asked about when facts have been found."""


def learn_when_due(state: State) -> bool:
    """`learn`, after so many splits or seconds in the solver as the next attempt asks for."""
    due = state.learning.due(state.splits, state.questions.paths.queries.seconds)
    return due and learn(state)


def learn(state: State) -> bool:
    """The next attempt, if there is one. Violations behind long loops are looked for before the first: there may be no
    invariants then."""
    learning = state.learning
    if not state.options.facts or state.options.block == BASIC or learning.tried == len(ATTEMPTS):
        return False  # from one loop head to the next they are inductive, from block to block they need not be
    if not learning.tried:
        look_behind_loops(state)
    state.tools.observe(Progress("dash", "looking for invariants"))
    if learning.attempt(told.fact for told in state.tools.facts.heard()):
        state.stuck.clear()
        _sweep(state)
    return True


def _sweep(state: State) -> None:
    """Asks about the edges of regions between the frontiers and ERROR again, those next to ERROR first."""
    asked = 0
    seen = {state.forest.error}
    waiting = deque([state.forest.error])
    while waiting and asked < MOST_SWEPT:
        target = waiting.popleft()
        for source in list(target.before):
            if asked >= MOST_SWEPT or source.visits or target not in source.after:
                continue
            state.tools.budget.spend()
            asked += 1
            if not remove_edge(state, source, target) and source not in seen:
                seen.add(source)
                waiting.append(source)
