"""The algorithm of figure 3.3, and what is done where it does not get further."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget, Unsupported
from counterpoint.core.events import Progress
from counterpoint.engines.dash.explored import Visit
from counterpoint.engines.dash.proof import beyond_model, certificate, gave_up, proved, without_splits
from counterpoint.engines.dash.questions import Found
from counterpoint.engines.dash.region_graph import Frontier, Region, first_abstraction
from counterpoint.engines.dash.state import State
from counterpoint.engines.dash.summaries import Needed
from counterpoint.evidence.verdict import Safe, Unsafe, Verdict, Violation
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.native.build import NotNative, Outcome
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.execute.snapshots import constants
from counterpoint.invariants.deep_runs import confirmed_violation
from counterpoint.invariants.learning import ATTEMPTS
from counterpoint.regions.assignment import Assignment
from counterpoint.regions.cut_graph import START, cut_graph
from counterpoint.regions.locations import BASIC, ERROR
from counterpoint.regions.tests import End, Test
from counterpoint.regions.tree import Node
from counterpoint.solver.answers import SolverUnknown, Unsat
from counterpoint.term.term import V

REPLAY_STEPS = 2_000_000
"""Steps of a run that is tried in full, behind the depth at which tests are stopped."""

LONG_REPLAYS = 5
"""Tests that were stopped and are tried with that many steps, before the others get fewer."""

SHORT_REPLAY_STEPS = 10_000

MOST_SWEPT = 60
"""Edges of regions not visited that are asked about when facts have been found."""

REPLAY_SECONDS = 8.0
DEEP_SECONDS = 1.0
"""Limits of running a violation behind long loops, and of the search for one."""

DEEPEST = 1_000
"""Places after which a test is stopped in any case."""

MOST_GRANTED = 50
"""Regions at callees' EXITs that are assumed to be reachable without a test."""

PATIENCE = 5
"""Runs for which no suitable predicate was found, before a frontier is given up."""


@dataclass(slots=True)
class Search(State):
    """One run of the algorithm over one set of encodings."""

    # ------------------------------------------------------------ figure 3.3

    def run(self) -> Verdict:
        """Raises OutOfBudget, and GranuleConflict."""
        self.explored.forest = first_abstraction(self.where)
        self.calls.begin()
        self.told.changed(self.forest)
        tree = self.explored.tree
        self._test(Assignment(tree.world, self.tools.seed, {}, constants(self.program)))
        while self.violation is None:
            self.tools.budget.spend()
            chosen = self._abstract_trace()
            if chosen is None:
                if beyond_model(self):
                    continue
                reached = proved(self)
                if reached is not None:
                    return Safe(certificate(self, without_splits(self) or reached))
                if self._deepened() or self._grant() or self._learn(at_once=True):
                    continue
                return gave_up(self)
            self._learn()
            if self.violation is not None:
                break
            self.progress()
            frontier, visit = chosen
            self.solve_runs += 1
            answer = self.asker.extend(visit, frontier.source, frontier.target)
            self.told.tried(frontier.source, frontier.target, answer, visit.test, visit.node)
            match answer:
                case Found():
                    self._extend(visit, frontier.source, frontier.target, answer)
                case Unsat(core):
                    self._refine(visit, frontier.source, frontier.target, core)
                case SolverUnknown():
                    self.stuck.add((visit.node, frontier.target.number))
        return Unsafe(self.violation)

    def _abstract_trace(self) -> tuple[Frontier[Visit], Visit] | None:
        """GetAbstractTrace: the frontier nearest to the error, and the shortest run up to it; if there is none, of a
        closed region at a callee's EXIT."""
        for goal in self.goals():
            for frontier in self.forest.frontiers(goal):
                for visit in sorted(frontier.source.visits, key=lambda v: v.node.depth):
                    if (visit.node, frontier.target.number) not in self.stuck:
                        return frontier, visit
        return None

    # ------------------------------------------------------------ tests

    def _extend(self, visit: Visit, source: Region[Visit], target: Region[Visit], found: Found) -> None:
        """The new test. If it does not get to the target after all, summaries of calls on the way are refined; if they
        cannot be, this path is not tried again."""
        test = self._test(found.assignment, visit.node.depth)
        if self._arrived(test, target):
            return
        values, seed = found.values, found.assignment.seed
        if values is not None and self.questions.passes_calls(visit.node.place, target.place):
            number = None
            likely = self.summaries.likely(visit, target, test)
            if likely is not None:
                number, values = likely
                if number is None:
                    test = self._test(visit.test.assignment.changed(values, seed), visit.node.depth)
                    if self._arrived(test, target):
                        return
            needed = self.summaries.needed(visit, source, target, values, test, number)
            if self._spliced(visit, target, needed) or self.summaries.refined(needed):
                return
        self.stuck.add((visit.node, target.number))

    def _arrived(self, test: Test, target: Region[Visit]) -> bool:
        if target.place == ERROR or self.violation is not None:
            return self.violation is not None
        there = [Visit(test, node) for node in test.nodes if node.place == target.place]
        return any(self.explored.region(visit) is target for visit in there)

    def _spliced(self, visit: Visit, target: Region[Visit], needed: Sequence[Needed]) -> bool:
        """Known runs of a callee, in the place of its call, make a test that gets to the target."""
        for wanted in needed:
            for known, assignment in self.summaries.splices(visit, target, wanted):
                depth = visit.node.depth + known.length
                test = self._test(assignment, depth)
                if not self._arrived(test, target):
                    again = self.summaries.with_inputs_of(known, visit.node, wanted.number, test)
                    test = test if again is None else self._test(again, depth)
                if self._arrived(test, target):
                    return True
        return False

    def _test(self, assignment: Assignment, start: int = 0) -> Test:
        """RunTest; a violation, also one behind the depth at which the test was stopped, ends the search."""
        test = self.explored.run(assignment, start)
        self.told.walked(test, self.explored.tree, lambda node: self.explored.region(Visit(test, node)))
        if test.end is End.BLOCKED:
            self.blocked = test.detail
        if test.end in (End.VIOLATED, End.STOPPED):
            inputs = test.inputs(self.explored.tree)
            self.stopped += test.end is End.STOPPED
            long = not self.where.contracts and self.stopped <= LONG_REPLAYS  # recursion is slow to interpret
            steps = REPLAY_STEPS if long or test.end is End.VIOLATED else SHORT_REPLAY_STEPS
            outcome = run(self.program, ReplayInputs(inputs), Limits(steps=steps)).outcome
            if isinstance(outcome, Violated):
                self.violation = Violation(outcome.check, inputs, self.preparation)
        if self.calls.visited():
            self.calls.check_again(self.questions)
        return test

    # ------------------------------------------------------------ figures 3.8 and 3.9

    def _refine(self, visit: Visit, source: Region[Visit], target: Region[Visit], literals: Sequence[V]) -> None:
        """RefinePred and SplitFrontier, backwards along the path that cannot be extended: no run along the path to
        the visit's node steps into states of the target's place with these literals, which the target has."""
        while True:
            self.tools.budget.spend()
            if self._no_edge(source, target, visit, literals):
                return
            node = visit.node
            predicate = None
            if node.place != START:
                predicate = self.asker.predicate(visit, source, target, literals)
            if predicate is None:
                self._give_up(node, source, target)
                return
            holds, fails = self.explored.split(source, predicate)
            self.splits += 1
            self.calls.claim((source.place, fails.literals()), (target.place, literals), self.questions)
            self.told.changed(self.forest)
            if holds.visits or node.parent is None or not self.same_paths:
                return
            visit = Visit(visit.test, node.parent)
            found = self.explored.region(visit)
            if found is None or holds not in found.after:
                return
            source, target, literals = found, holds, [holds.literal]

    def _no_edge(
        self, source: Region[Visit], target: Region[Visit], visit: Visit | None = None, literals: Sequence[V] = ()
    ) -> bool:
        """Section 3.4, for all regions that what was shown is about. From START there is nothing else to do."""
        if not self.options.targets and source.place != START:
            return False
        found = self.asker.impossible(source, target, visit, literals)
        if found is None:
            return False
        self.unsat_targets += 1
        self.learning.use(source.place, found.facts)
        self.calls.claim((source.place, found.before), (target.place, found.after), self.questions)
        self.told.changed(self.forest, "target unsatisfiable")
        return True

    def _give_up(self, node: Node, source: Region[Visit], target: Region[Visit]) -> None:
        """No predicate was found for this run; after some runs, none is expected for the others in the region."""
        self.stuck.add((node, target.number))
        failed = sum((visit.node, target.number) in self.stuck for visit in source.visits)
        if failed >= PATIENCE:
            self.stuck.update((visit.node, target.number) for visit in source.visits)

    def _learn(self, at_once: bool = False) -> bool:
        """Looks for facts if that is due, or `at_once`; whether that was tried."""
        learning = self.learning
        if not self.options.facts or self.options.block == BASIC or learning.tried == len(ATTEMPTS):
            return False  # from one loop head to the next they are inductive, from block to block they need not be
        if not at_once and not learning.due(self.splits, self.questions.paths.queries.seconds):
            return False
        if not learning.tried:
            self._look_behind_loops()
        self.tools.observe(Progress("dash", "looking for invariants"))
        told = [told.fact for told in self.tools.facts.heard()] if self.preparation == "flat" else []
        if learning.attempt(told):
            self.stuck.clear()
            self._sweep()
        return True

    def _sweep(self) -> None:
        """Asks about the edges of regions between the frontiers and ERROR again, those next to ERROR first."""
        asked = 0
        seen = {self.forest.error}
        waiting = deque([self.forest.error])
        while waiting and asked < MOST_SWEPT:
            target = waiting.popleft()
            for source in list(target.before):
                if asked >= MOST_SWEPT or source.visits or target not in source.after:
                    continue
                self.tools.budget.spend()
                asked += 1
                if not self._no_edge(source, target) and source not in seen:
                    seen.add(source)
                    waiting.append(source)

    def _look_behind_loops(self) -> None:
        """Loops too long for tests to be followed to their end: what they do is extrapolated, and then run natively;
        else the first test that was stopped is run natively."""
        stopped = [test for test in self.explored.tests if test.end is End.STOPPED]
        if self.subject is None or not stopped:
            return
        seconds = min(REPLAY_SECONDS, self.tools.budget.remaining() / 3)
        try:
            limit = Budget(min(DEEP_SECONDS, self.tools.budget.remaining() / 8))
            found = confirmed_violation(
                self.subject, self.preparation, cut_graph(self.program, limit), limit, self.tools.seed, seconds
            )
        except (OutOfBudget, Unsupported, NotNative):
            found = None
        if found is not None:
            self.violation = Violation(found.check, found.inputs, self.preparation)
            return
        with suppress(NotNative):
            inputs = stopped[0].inputs(self.explored.tree)
            native = self.subject.native(self.preparation, lean=True).replay(inputs, seconds=seconds / 2)
            if native.outcome is Outcome.VIOLATED:
                self.violation = Violation(native.detail, inputs, self.preparation)

    # ------------------------------------------------------------ when no trace is left to try

    def _deepened(self) -> bool:
        """Calls that were left by no test, because it was stopped in them, are followed further."""
        stopped = [test for test in self.explored.tests if test.end is End.STOPPED]
        if not stopped or not self.where.contracts or self.explored.depth >= DEEPEST:
            return False
        self.explored.depth *= 4
        self.stuck.clear()
        self._test(stopped[0].assignment)
        return True

    def _grant(self) -> bool:
        """Nothing is left to try, but edges lead to closed regions: they are opened. False if there are none."""
        reached = set(self.forest.reachable([self.forest.start]))
        left = [region for region in self.calls.goals() if region in reached]
        if self.forest.error in reached or not left or self.calls.granted > MOST_GRANTED:
            return False
        self.calls.grant(left)
        self.calls.check_again(self.questions)
        return True
