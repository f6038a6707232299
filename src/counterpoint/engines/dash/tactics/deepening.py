"""Calls that no test has left, because each was stopped in them, are followed further."""

from __future__ import annotations

from counterpoint.engines.dash.extending import run_test
from counterpoint.engines.dash.state import State
from counterpoint.regions.tests import End

DEEPEST = 1_000
"""Places after which a test is stopped in any case."""


def deepen(state: State) -> bool:
    """Runs the first test that was stopped again, to four times the depth."""
    stopped = [test for test in state.explored.tests if test.end is End.STOPPED]
    if not stopped or not state.where.contracts or state.explored.depth >= DEEPEST:
        return False
    state.explored.depth *= 4
    state.stuck.clear()
    run_test(state, stopped[0].assignment)
    return True
