"""Closed regions (`calls.py`) to which edges lead are opened, though it is not known whether runs get there."""

from __future__ import annotations

from counterpoint.engines.dash.state import State

MOST_GRANTED = 50
"""Regions at callees' EXITs that are assumed to be reachable without a test."""


def open_regions(state: State) -> bool:
    """Opens all of them, if ERROR is out of reach without."""
    reached = set(state.forest.reachable([state.forest.start]))
    left = [region for region in state.calls.goals() if region in reached]
    if state.forest.error in reached or not left or state.calls.granted > MOST_GRANTED:
        return False
    state.calls.grant(left)
    state.calls.check_again(state.questions)
    return True
