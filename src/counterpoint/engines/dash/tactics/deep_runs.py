"""Loops too long for tests to be followed to their end."""

from __future__ import annotations

from contextlib import suppress

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget, Unsupported
from counterpoint.engines.dash.state import State
from counterpoint.evidence.verdict import Violation
from counterpoint.execute.native.build import NotNative, Outcome
from counterpoint.execute.subject import Subject
from counterpoint.invariants.deep_runs import confirmed_violation
from counterpoint.regions.cut_graph import cut_graph
from counterpoint.regions.tests import End

REPLAY_SECONDS = 8.0
DEEP_SECONDS = 1.0
"""Limits of running a violation behind long loops, and of the search for one."""


def look_behind_loops(state: State) -> bool:
    """What such loops do is extrapolated, and then run natively; else the first test that was stopped is run natively.
    Whether there is a violation."""
    stopped = [test for test in state.explored.tests if test.end is End.STOPPED]
    if state.subject is None or not stopped:
        return False
    seconds = min(REPLAY_SECONDS, state.tools.budget.remaining() / 3)
    state.violation = _extrapolated(state, state.subject, seconds)
    if state.violation is not None:
        return True
    with suppress(NotNative):
        inputs = stopped[0].inputs(state.explored.tree)
        native = state.subject.native(state.preparation, lean=True).replay(inputs, seconds=seconds / 2)
        if native.outcome is Outcome.VIOLATED:
            state.violation = Violation(native.detail, inputs, state.preparation)
    return state.violation is not None


def _extrapolated(state: State, subject: Subject, seconds: float) -> Violation | None:
    limit = Budget(min(DEEP_SECONDS, state.tools.budget.remaining() / 8))
    try:
        graph = cut_graph(state.program, limit)
        found = confirmed_violation(subject, state.preparation, graph, limit, state.tools.seed, seconds)
    except (OutOfBudget, Unsupported, NotNative):
        return None
    return None if found is None else Violation(found.check, found.inputs, state.preparation)
