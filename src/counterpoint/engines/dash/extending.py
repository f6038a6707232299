"""RunTest, and how a frontier is extended by the test that a model gives."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.engines.dash.explored import Visit
from counterpoint.engines.dash.questions import Found
from counterpoint.engines.dash.region_graph import Region
from counterpoint.engines.dash.state import State
from counterpoint.engines.dash.summaries import Needed
from counterpoint.evidence.verdict import Violation
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.regions.assignment import Assignment
from counterpoint.regions.locations import ERROR
from counterpoint.regions.tests import End, Test

REPLAY_STEPS = 2_000_000
"""Steps of a run that is tried in full, behind the depth at which tests are stopped."""

LONG_REPLAYS = 5
"""Tests that were stopped and are tried with that many steps, before the others get fewer."""

SHORT_REPLAY_STEPS = 10_000


def run_test(state: State, assignment: Assignment, start: int = 0) -> Test:
    """RunTest, which is known to get to depth `start`; a violation, also one behind the depth at which the test was
    stopped, ends the search."""
    test = state.explored.run(assignment, start)
    state.told.walked(test, state.explored.tree, lambda node: state.explored.region(Visit(test, node)))
    if test.end is End.BLOCKED:
        state.blocked = test.detail
    if test.end in (End.VIOLATED, End.STOPPED):
        _replay(state, test)
    if state.calls.visited():
        state.calls.check_again(state.questions)
    return test


def _replay(state: State, test: Test) -> None:
    """Runs the test in full."""
    inputs = test.inputs(state.explored.tree)
    state.stopped += test.end is End.STOPPED
    long = not state.where.contracts and state.stopped <= LONG_REPLAYS  # recursion is slow to interpret
    steps = REPLAY_STEPS if long or test.end is End.VIOLATED else SHORT_REPLAY_STEPS
    outcome = run(state.program, ReplayInputs(inputs), Limits(steps=steps)).outcome
    if isinstance(outcome, Violated):
        state.violation = Violation(outcome.check, inputs, state.preparation)


def extend(state: State, visit: Visit, source: Region[Visit], target: Region[Visit], found: Found) -> None:
    """Runs the new test. If it does not get to the target after all, summaries of calls on the way are refined; if they
    cannot be, this path is not tried again."""
    test = run_test(state, found.assignment, visit.node.depth)
    if arrived(state, test, target):
        return
    calls = found.values is not None and state.questions.passes_calls(visit.node.place, target.place)
    if not calls or not _through_calls(state, visit, source, target, found, test):
        state.stuck.add((visit.node, target.number))


def arrived(state: State, test: Test, target: Region[Visit]) -> bool:
    """The test got to the target; or it fails a check, which is as good."""
    if target.place == ERROR or state.violation is not None:
        return state.violation is not None
    there = [Visit(test, node) for node in test.nodes if node.place == target.place]
    return any(state.explored.region(visit) is target for visit in there)


def _through_calls(
    state: State, visit: Visit, source: Region[Visit], target: Region[Visit], found: Found, test: Test
) -> bool:
    """Contracts allowed what the callees did not do: another test gets to the target, or their summaries say so now."""
    values, number = found.values, None
    assert values is not None
    likely = state.summaries.likely(visit, target, test)
    if likely is not None:
        number, values = likely
        if number is None:
            test = run_test(state, visit.test.assignment.changed(values, found.assignment.seed), visit.node.depth)
            if arrived(state, test, target):
                return True
    needed = state.summaries.needed(visit, source, target, values, test, number)
    return _spliced(state, visit, target, needed) or state.summaries.refined(needed)


def _spliced(state: State, visit: Visit, target: Region[Visit], needed: Sequence[Needed]) -> bool:
    """Known runs of a callee, in the place of its call, make a test that gets to the target."""
    for wanted in needed:
        for known, assignment in state.summaries.splices(visit, target, wanted):
            depth = visit.node.depth + known.length
            test = run_test(state, assignment, depth)
            if not arrived(state, test, target):
                again = state.summaries.with_inputs_of(known, visit.node, wanted.number, test)
                test = test if again is None else run_test(state, again, depth)
            if arrived(state, test, target):
                return True
    return False
