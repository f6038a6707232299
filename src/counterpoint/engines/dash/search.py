"""The algorithm of figure 3.3. What happens where it does not get further is `tactics/`."""

from __future__ import annotations

from counterpoint.core.records import dataclass
from counterpoint.engines.dash.explored import Visit
from counterpoint.engines.dash.extending import extend, run_test
from counterpoint.engines.dash.proof import beyond_model, certificate, gave_up, proved, without_splits
from counterpoint.engines.dash.questions import Found
from counterpoint.engines.dash.region_graph import Frontier, first_abstraction
from counterpoint.engines.dash.splitting import refine
from counterpoint.engines.dash.state import State
from counterpoint.engines.dash.tactics import ALONGSIDE, WITHOUT_A_TRACE
from counterpoint.evidence.verdict import Safe, Unsafe, Verdict
from counterpoint.execute.snapshots import constants
from counterpoint.regions.assignment import Assignment
from counterpoint.solver.answers import SolverUnknown, Unsat


@dataclass(slots=True)
class Search(State):
    """One run of the algorithm over one set of encodings."""

    def run(self) -> Verdict:
        """Figure 3.3. Raises OutOfBudget, and GranuleConflict."""
        self.explored.forest = first_abstraction(self.where)
        self.calls.begin()
        self.told.changed(self.forest)
        run_test(self, Assignment(self.explored.tree.world, self.tools.seed, {}, constants(self.program)))
        while self.violation is None:
            self.tools.budget.spend()
            trace = self._abstract_trace()
            if trace is not None:
                self._try(*trace)
            else:
                verdict = self._without_a_trace()
                if verdict is not None:
                    return verdict
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

    def _try(self, frontier: Frontier[Visit], visit: Visit) -> None:
        """Solve the combined constraint: a model extends the frontier by a new test, a refutation splits it."""
        for tactic in ALONGSIDE:
            tactic(self)
        if self.violation is not None:
            return
        self.progress()
        source, target = frontier.source, frontier.target
        self.solve_runs += 1
        answer = self.asker.extend(visit, source, target)
        self.told.tried(source, target, answer, visit.test, visit.node)
        match answer:
            case Found():
                extend(self, visit, source, target, answer)
            case Unsat(core):
                refine(self, visit, source, target, core)
            case SolverUnknown():
                self.stuck.add((visit.node, target.number))

    def _without_a_trace(self) -> Verdict | None:
        """The proof, if there is none at all; or why there is none that could be tried. None: now there may be one."""
        if beyond_model(self):
            return None
        reached = proved(self)
        if reached is not None:
            return Safe(certificate(self, without_splits(self) or reached))
        return None if any(tactic(self) for tactic in WITHOUT_A_TRACE) else gave_up(self)
