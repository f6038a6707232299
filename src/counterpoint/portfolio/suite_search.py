"""Fills a test suite: runs without any input given, random ones, then dynamic symbolic execution, random ones again.

A test is kept if its run of the unprepared program takes a new direction of a branch or fails a new check. Runs that
an assumption ends do not exist and are not kept. Deterministic for a seed where no limit on time is met.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import field, replace

from counterpoint import engines
from counterpoint import property as properties
from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError, EvidenceRejected, OutOfBudget, Unsupported
from counterpoint.core.events import Progress, SolverCall
from counterpoint.core.records import dataclass
from counterpoint.engines.dse import CfgEdge, Exploration, Settings, explore, settings
from counterpoint.engines.protocol import Tools, usual_preparation
from counterpoint.execute.coverage import BranchCoverage, CoveredRun, Direction, source_branches
from counterpoint.execute.inputs import Contents, InputSource, RandomInputs, ReplayInputs, SmallInputs
from counterpoint.execute.outcome import AssumptionFailed, Finished, Limits, StepLimit, UnsupportedAt, Violated
from counterpoint.execute.snapshots import SPANS, constants
from counterpoint.execute.subject import UNPREPARED, Subject, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.processes import Send
from counterpoint.portfolio.readable_run import harness_of, input_value
from counterpoint.portfolio.replay import confirm
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.suite import Ended, Ending, SuiteTest, TestSuite
from counterpoint.program.inline import inline
from counterpoint.program.inputs import Input
from counterpoint.program.model import Program
from counterpoint.regions.tests import Test

RUN = Limits(steps=20_000, depth=5_000, memory=1 << 28, seconds=2.0)
LONG_RUN = Limits(steps=200_000, depth=5_000, memory=1 << 28, seconds=2.0)
"""Limits of one test's run, and of each sixteenth; one that is longer is stopped and kept all the same."""

LONG = 16

VARIED = 4
"""Random variations of kept tests after each run of dynamic symbolic execution."""

FIRST_DULL = 400
"""Random runs in a row without anything new after which dynamic symbolic execution begins."""

FIRST_SHARE = 0.15
"""Of the time, for the first random runs."""

LAST_DULL = 20_000
"""Random runs in a row without anything new after which the search gives up."""

CONFIRMING_SHARE = 0.2
"""Of the time that is left, for replaying a violation natively."""

GIVEN = ("call", "undefined", "variable")
"""Kinds of site whose values come from functions that whoever runs the test can provide."""

DSE = "dse"
"""The origin of tests that dynamic symbolic execution made."""


def search(task: SourceTask, request: Request, budget: Budget, send: Send) -> None:
    """Sends an empty TestSuite, its tests, and Ended. Raises UnusableInput and other CounterpointErrors."""
    engines.check_options(request.options)
    settings(dict(request.options), Tools(budget))
    send(Progress("front end", "compiling"))
    subject = compile_subject(task)
    program = subject.program(UNPREPARED)
    coverage = BranchCoverage(program)
    files = tuple(map(str, task.files))
    directions = coverage.branches.directions
    send(TestSuite(files, task.property, task.entry, program.layout.pointer_bits, directions))
    kinds = properties.named(task.property).kinds
    suite = _Collected(subject, budget, coverage, frozenset(kinds), send, request.seed, constants(program))
    suite.try_run(ReplayInputs(()), "zeros")
    suite.random_runs(FIRST_DULL, budget.share(FIRST_SHARE))
    why = "everything is covered" if suite.complete else ""
    if not suite.complete and suite.takes_inputs:
        tools = Tools(budget, suite.observe, request.seed)
        why = suite.symbolic_runs(request.prepare, settings(dict(request.options), tools))
    if not suite.takes_inputs:
        why = "the program's only run was made"
    elif not why and not suite.complete:
        suite.random_runs(LAST_DULL, budget)
    if suite.complete:
        why = "everything is covered"
    send(Ended(why or ("the time is used up" if budget.remaining() <= 0 else "nothing new was found"), suite.numbers))


@dataclass(slots=True)
class _Collected:
    """The tests so far; those that are kept are sent at once."""

    subject: Subject
    budget: Budget
    coverage: BranchCoverage
    kinds: frozenset[str]
    send: Send
    seed: int
    pool: tuple[int, ...]
    numbers: dict[str, int | float | str] = field(default_factory=lambda: {"runs": 0})
    takes_inputs: bool = False
    tried: int = 0
    kept: int = 0
    told: float = 0.0
    reached: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)
    material: list[tuple[Input, ...]] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        return len(self.reached) == len(self.coverage.branches.directions)

    def try_run(self, inputs: InputSource, origin: str, limits: Limits = RUN) -> bool:
        """Runs them; whether that told something new."""
        found = self.coverage.run(inputs, limits)
        self._add("runs", 1)
        if isinstance(found.run.outcome, AssumptionFailed):
            self.takes_inputs = self.takes_inputs or bool(found.run.inputs)
            return False
        self.takes_inputs = self.takes_inputs or bool(found.run.inputs)
        failing = self._failing(found)
        if found.reached <= self.reached and (failing is None or failing in self.failed) and self.kept:
            return False
        self._keep(self._from_outside(found, failing, limits), failing, origin)
        return True

    def _from_outside(self, found: CoveredRun, failing: int | None, limits: Limits) -> CoveredRun:
        """The run with zeros for all that no test can give (uninitialised memory and so on), if that is as good."""
        sites = self.coverage.program.sites
        given = [item for item in found.run.inputs if item.site >= 0 and sites[item.site].kind in GIVEN]
        if len(given) == len(found.run.inputs):
            return found
        again = self.coverage.run(ReplayInputs(given), limits)
        as_good = found.reached - self.reached <= again.reached and self._failing(again) == failing
        return again if as_good and not isinstance(again.run.outcome, AssumptionFailed) else found

    def _failing(self, found: CoveredRun) -> int | None:
        match found.run.outcome:
            case Violated(check) if self.coverage.program.checks[check].kind in self.kinds:
                return check
        return None

    def _keep(self, found: CoveredRun, failing: int | None, origin: str) -> None:
        program = self.coverage.program
        self.reached |= found.reached
        if failing is not None:
            self.failed.add(failing)
        test = SuiteTest(
            origin=origin,
            inputs=tuple(input_value(program, item) for item in found.run.inputs),
            ending=_ending(found, failing),
            reached=found.reached,
            check=program.checks[failing] if failing is not None else None,
        )
        self.send(test if failing is None else self._confirmed(test, found.run.inputs))
        self.kept += 1
        self.material.append(found.run.inputs)
        self._add(f"tests_{origin}", 1)

    def _add(self, name: str, amount: float) -> None:
        before = self.numbers.get(name, 0)
        assert not isinstance(before, str)
        self.numbers[name] = before + amount

    # ------------------------------------------------------------ ways to find inputs

    def random_runs(self, patience: int, budget: Budget) -> None:
        """Until everything is covered, the time is up, or `patience` runs in a row said nothing new."""
        dull = 0
        while dull < patience and budget.remaining() > 0 and not self.complete and self.takes_inputs:
            dull = 0 if self.random_run() else dull + 1
            if self.tried % 64 == 1:
                self._tell("random runs")

    def random_run(self, start: tuple[Input, ...] = ()) -> bool:
        """From `start` on, if it is given; else each second run begins as a kept test does. Whether it told something
        new."""
        self.tried += 1
        span, number = SPANS[self.tried % len(SPANS)], self.seed * 1_000_003 + self.tried
        source: InputSource = SmallInputs(number, span, self.pool) if span else RandomInputs(number, self.pool)
        if start:
            source = PrefixInputs(ReplayInputs(start), len(start), source)
        elif self.tried % 2 and self.material:
            choose = random.Random(number)
            kept = choose.choice(self.material)
            source = PrefixInputs(ReplayInputs(kept), choose.randint(0, len(kept)), source)
        return self.try_run(source, "random", RUN if self.tried % LONG else LONG_RUN)

    def symbolic_runs(self, prepare: str, chosen: Settings) -> str:
        """Why there is nothing to be done behind it; "" where random runs may still find something."""
        program = inline(self.subject.program(usual_preparation({"prepare": prepare})))
        edges = _edges(program)
        wanted = set().union(*edges.values())
        wanted.difference_update(*(edges.get(self.coverage.branches.directions[n], ()) for n in self.reached))

        def see(exploration: Exploration, test: Test) -> bool:
            before = frozenset(self.reached)
            inputs = test.inputs(exploration.tree)
            self.try_run(ReplayInputs(inputs), DSE)
            for number in sorted(self.reached - before):
                exploration.covered(edges.get(self.coverage.branches.directions[number], ()))
            self.numbers.update({f"dse_{name}": n for name, n in exploration.statistics().items()})
            for turn in range(VARIED):
                self.random_run(inputs if turn % 2 else ())
            self._tell(f"{exploration.count:,} paths")
            return self.complete

        try:
            if explore(program, chosen, wanted, see).explored and prepare == UNPREPARED:
                return "all paths were run"
        except OutOfBudget:
            pass
        except Unsupported as error:
            self.numbers["dse_ended"] = str(error)
        return ""

    def observe(self, event: object) -> None:
        """Counts what the engine tells."""
        if isinstance(event, SolverCall):
            self._add("solver_seconds", round(event.seconds, 6))

    def _tell(self, what: str) -> None:
        """At most ten times a second."""
        now = time.monotonic()
        if now - self.told < 0.1:
            return
        self.told = now
        total = len(self.coverage.branches.directions)
        self.send(Progress("tests", f"{self.kept} tests, {len(self.reached)} of {total} branches; {what}"))
        self.send(Ended("", dict(self.numbers)))

    # ------------------------------------------------------------ violations

    def _confirmed(self, test: SuiteTest, inputs: tuple[Input, ...]) -> SuiteTest:
        """The violating test, replayed natively as well; no violation if it does not stand up to that."""
        try:
            confirmed = confirm(self.subject, inputs, self.budget.share(CONFIRMING_SHARE))
        except EvidenceRejected:
            return replace(test, check=None, ending=Ending.UNSUPPORTED)
        except CounterpointError:
            return replace(test, confirmed=("the interpreter",))
        harness = harness_of(self.coverage.program, confirmed, self.subject.task)
        return replace(test, confirmed=confirmed.ways, harness=harness)


@dataclass(slots=True)
class PrefixInputs:
    """The first `length` values of one source, then those of another."""

    first: InputSource
    length: int
    then: InputSource

    def _source(self) -> InputSource:
        self.length -= 1
        return self.first if self.length >= 0 else self.then

    def scalar(self, site: int, bits: int) -> int:
        return self._source().scalar(site, bits)

    def pointer(self, site: int, bits: int, fresh: Callable[[], int]) -> int:
        return self._source().pointer(site, bits, fresh)

    def memory(self, site: int, size: int) -> Contents:
        return self._source().memory(site, size)

    def external_byte(self, offset: int) -> int:
        return self.first.external_byte(offset)

    def found(self, site: int, known: int) -> int | None:
        return None


def _edges(program: Program) -> dict[Direction, set[CfgEdge]]:
    """The control-flow edges of a preparation that take a direction of the source."""
    branches = source_branches(program)
    found: dict[Direction, set[CfgEdge]] = {}
    for edge in branches.edges:
        target = program.functions[edge.function].blocks[edge.block].edges[edge.edge].target
        found.setdefault(branches.directions[edge.direction], set()).add((edge.function, edge.block, target))
    return found


def _ending(found: CoveredRun, failing: int | None) -> Ending:
    match found.run.outcome:
        case Violated():
            return Ending.VIOLATES if failing is not None else Ending.FINISHES
        case Finished():
            return Ending.FINISHES
        case UnsupportedAt():
            return Ending.UNSUPPORTED
        case StepLimit():
            return Ending.STOPPED
    return Ending.FINISHES
