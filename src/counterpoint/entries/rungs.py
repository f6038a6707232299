"""What costs little first: proofs of many of a function's checks at once, before engines work at what is left.

    calls of large functions, and of those with loops, go by contract: they may do whatever mod/ref says
    at once         the checks in front of the first loops and such calls
    without facts   the checks that fail in no region, whatever holds where it begins
    pointers        the same where pointers are as far behind the starts of their blocks as runs show
    with facts      what Houdini finds, in little time, for what is left

What is proved is about the function's activation from its caller: where it calls itself, that is a call as any
other, in which checks are taken to hold (`is_recursive` says so). A claim is judged by the checker, as that of any
engine is. What calls may do is more than they do, so that only proofs are to be had here. The program is small:
the text of a function, not that of all below it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from typing import Final, TypeAlias

from counterpoint import engines
from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError, OutOfBudget
from counterpoint.core.records import dataclass
from counterpoint.engines.answers import invariant_proof
from counterpoint.engines.protocol import Task, Tools
from counterpoint.entries.behind import said_behind
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.verdict import Reason, Safe
from counterpoint.execute.inputs import InputSource
from counterpoint.execute.snapshots import record
from counterpoint.execute.subject import ENTERED, MODULAR, Subject
from counterpoint.invariants.candidates import sources
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import refuted
from counterpoint.invariants.houdini import Houdini, InFront
from counterpoint.portfolio.answers import Known, with_answers
from counterpoint.portfolio.result import Answer, CheckResult, Outcome
from counterpoint.portfolio.validation import Accepted, judge
from counterpoint.program.cutting import Spot, behind, first_loops
from counterpoint.program.focus import asked, lost_among, proved_without
from counterpoint.program.graph import call_components, callees, recursive_functions
from counterpoint.program.inline import size
from counterpoint.program.model import Program
from counterpoint.program.names import original
from counterpoint.regions.cut_graph import CutGraph, Place, cut_graph, places_in
from counterpoint.regions.summary import Block
from counterpoint.semantics.components import variable_of
from counterpoint.semantics.cutpoint import components, cut_point
from counterpoint.semantics.facts import Fact, ghosts
from counterpoint.static.points_to import points_to
from counterpoint.term.term import V
from counterpoint.term.walk import size as size_of
from counterpoint.term.walk import variables

ENGINE: Final = "houdini"
"""Who is said to have proved it."""

POINTERS: Final = frozenset({"pointer_choices", "pointer_distances", "terminators"})
"""Sources of facts about pointers."""

MOST_ABOUT: Final = 60
"""Of them at one place, the likeliest first."""

LARGE: Final = 150
"""Instructions of a function, with those that a walk of it meets below, from which its calls go by contract."""

FRONT_SHARE: Final = 0.4
"""Of the time, for what comes before the first loops."""

PLAIN_SHARE: Final = 0.7
"""Of the time, for what needs no facts."""

AT_ONCE_SHARE: Final = 0.6
"""Of that, for asking what fails."""

POINTERS_SHARE: Final = 0.5
EXTENDING: Final = 0.7
"""Of what is left then, for facts about where pointers are; of that, for finding them."""

TOGETHER_SHARE: Final = 0.5
ONE_SHARE: Final = 0.25
"""Of that, for all of them together; of what is left of it, for one of them by itself."""

JUDGED_SHARE: Final = 0.5
CHECKER_SHARE: Final = 0.65
"""Of what is left, for the checker's look at what Houdini finds; for its look at one claim."""


def is_recursive(subject: Subject, name: str) -> bool:
    """Whether the function of that name in the source may be active twice at a time."""
    return any(original(one) == name for one in recursive_functions(subject.program(MODULAR)))


def by_contract(program: Program) -> tuple[str, ...]:
    """The functions that are too large to be walked through at each call."""
    walked: dict[str, int] = {}
    large: list[str] = []
    for component in call_components(program):
        for name in component:
            function = program.functions[name]
            below = sum(walked.get(callee, 0) for callee in callees(function))
            walked[name] = size(function) + below
            if walked[name] >= LARGE and name != program.entry:
                large.append(name)
                walked[name] = 1
    return tuple(sorted(large))


Again: TypeAlias = Callable[[Program], Callable[[int], InputSource] | None]
"""For a form of the program: inputs of its runs, by their numbers, if some are known."""


def nothing_again(program: Program) -> None:
    """None is known."""


@dataclass(frozen=True, slots=True)
class _Claim:
    """Checks that a proof is about, of the program that ends at the `spots` of ENTERED."""

    checks: frozenset[int]
    certificate: Certificate
    spots: frozenset[Spot] = frozenset()


def spots_of(met: Iterable[Block]) -> frozenset[Spot]:
    """Where that is which has no meaning."""
    return frozenset(block.spot for block in met if block.spot is not None)


@dataclass(slots=True)
class Rungs:
    """The proofs of one subject's checks; `proved` are those so far; some may be `open_behind` what has no meaning in
    formulas. `tell` is called as they become more. `beyond`: the program is too large for it."""

    subject: Subject
    budget: Budget
    seed: int
    again: Again = nothing_again
    tell: Callable[[], None] = lambda: None
    proved: set[int] = field(default_factory=set)
    open_behind: dict[int, str] = field(default_factory=dict)
    beyond: bool = False
    contracts: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.contracts = by_contract(self.subject.program(ENTERED))

    @property
    def open(self) -> frozenset[int]:
        """The checks that stand where the activation from the caller is walked, and are not proved yet. Of a function
        whose body is not put there (program/inline.py) there are none."""
        return asked(self.subject.outermost().program(ENTERED)) - self.proved

    @property
    def left(self) -> frozenset[int]:
        """All that may be met and is not proved."""
        return (self.subject.focus & asked(self.subject.program(MODULAR))) - self.proved

    def climb(self) -> None:
        """Until all is proved, or time is over."""
        for claims in (self.at_once, self.without_facts, self.with_facts):
            if self.open and self.budget.remaining() > 0 and not self.beyond:
                for claim in claims(self.subject.focused(self.open).outermost()):
                    self.judge(claim)

    def at_once(self, subject: Subject) -> Iterator[_Claim]:
        """What fails nowhere in front of the first loops, and of calls that go by contract: one small region."""
        subject = self.subject.focused(subject.focus - lost_among(self.subject.defined.checks)).outermost()
        program = subject.program(ENTERED, self.contracts)
        spots = first_loops(program)
        wanted = (subject.focus & asked(program)) - behind(program, spots)
        if not spots or not wanted:
            return
        subject = self.subject.focused(wanted).outermost().up_to_there(spots)
        budget = self.budget.share(FRONT_SHARE)
        try:
            graph = cut_graph(subject.program(ENTERED, self.contracts), budget)
        except CounterpointError:
            return
        houdini = Houdini(graph, budget, seed=self.seed, normalize=False)
        try:
            found = houdini.in_front(wanted, budget.remaining())
            claim = self.claim(subject, graph, wanted, found)
            yield replace(claim, spots=claim.spots | spots)
        except OutOfBudget:
            return
        finally:
            houdini.close()

    def without_facts(self, subject: Subject) -> Iterator[_Claim]:
        """What fails in no region; then, of the same regions, what does not as pointers stay in their blocks."""
        budget = self.budget.share(PLAIN_SHARE)
        try:
            graph = cut_graph(subject.program(ENTERED, self.contracts), budget, frames=True)
        except OutOfBudget:
            return
        except CounterpointError:
            self.beyond = True
            return
        houdini = Houdini(graph, budget, seed=self.seed, normalize=False)
        try:
            wanted = subject.focus & asked(graph.program)
            first = houdini.in_front(wanted, budget.remaining() * AT_ONCE_SHARE)
            if first.checks:
                yield self.claim(subject, graph, wanted, first)
            if wanted - first.checks:
                houdini.budget = self.budget.share(POINTERS_SHARE)
                concerned = with_callers(graph, houdini)
                found = about_pointers(graph, houdini.budget, self.seed, self.again, concerned)
                extend(houdini, found, houdini.budget.remaining() * EXTENDING)
                more = houdini.in_front(wanted, houdini.budget.remaining())
                if more.checks - first.checks:
                    yield self.claim(subject, graph, wanted, more)
                self.open_behind = said_behind(graph.program, more.met)
        except OutOfBudget:
            return
        finally:
            houdini.close()

    def claim(self, subject: Subject, graph: CutGraph, wanted: frozenset[int], found: InFront) -> _Claim:
        """What the facts say of the subject's checks: of those that are wanted, and of those that no run gets to."""
        proved = proved_without(subject.focus, wanted - found.checks, graph.program)
        return _Claim(proved, invariant_proof(graph, ENTERED, found.facts).certificate, spots_of(found.met))

    def with_facts(self, subject: Subject) -> Iterator[_Claim]:
        """What Houdini's facts exclude."""
        claims: list[tuple[frozenset[int], Certificate]] = []
        tools = Tools(self.budget.share(1 - JUDGED_SHARE), seed=self.seed, claim=lambda *one: claims.append(one))
        task = Task(subject, {"prepare": ENTERED}, ENTERED, self.contracts, frames=True)
        try:
            verdict = engines.get(ENGINE).verify(task, tools)
        except CounterpointError:
            verdict = None
        if isinstance(verdict, Safe):
            claims.append((subject.focus, verdict.certificate))
        yield from (_Claim(*one) for one in reversed(claims))

    def judge(self, claim: _Claim) -> None:
        """Has the checker look at the claim, in a part of the time left."""
        checks = claim.checks - self.proved
        if claim.spots:  # they are counted in the very program that is cut off, in which lost memory is not asked for
            checks -= lost_among(self.subject.defined.checks)
            checks -= behind(self.subject.focused(checks).outermost().program(ENTERED, self.contracts), claim.spots)
        if not checks or self.budget.remaining() <= 0:
            return
        subject = self.subject.focused(checks).outermost()
        accepted = False
        if not subject.focus & lost_among(self.subject.defined.checks):
            accepted = self.is_accepted(*self.up_to_there(subject, claim))
        if not accepted and not claim.spots:
            accepted = self.is_accepted(subject, claim.certificate)
        if accepted:
            self.proved |= subject.focus
            self.tell()

    def is_accepted(self, subject: Subject, certificate: Certificate) -> bool:
        budget = self.budget.share(CHECKER_SHARE)
        return budget.remaining() > 0 and isinstance(judge(Safe(certificate), subject, budget, seed=None), Accepted)

    def up_to_there(self, subject: Subject, claim: _Claim) -> tuple[Subject, Certificate]:
        """What the claim says of the program without what comes behind its checks."""
        short, certificate = subject.up_to_there(claim.spots), claim.certificate
        if not isinstance(certificate, InductiveInvariants):
            return short, certificate
        facts = sayable(short.program(ENTERED, self.contracts), certificate.facts, dict(certificate.granules))
        return short, replace(certificate, facts=facts)


def sayable(program: Program, facts: Iterable[Fact], granules: dict[str, int]) -> tuple[Fact, ...]:
    """Those of the facts whose places the program has, and all that they are about."""
    points, bits = points_to(program), program.layout.pointer_bits
    known: dict[Place, set[V]] = {}
    for place in places_in(program):
        known[place] = {variable_of(one, bits) for one in components(cut_point(points, *place), granules)}
    return tuple(
        fact
        for fact in facts
        if fact.place in known and known[fact.place] >= set(variables(fact.formula)) - set(ghosts(fact.formula))
    )


def with_callers(graph: CutGraph, houdini: Houdini) -> frozenset[str]:
    """The functions in which something may fail by its own formula, and those that call them: what is true elsewhere
    is of no use to them, and may be hard to show."""
    found = {one.cut.function.name for one in graph.regions if houdini.solver(one).region.failing != 0}
    calls = {(one.cut.function.name, way.target[0]) for one in graph.regions for way in one.ways if not way.leaves}
    while more := {caller for caller, callee in calls if callee in found} - found:
        found |= more
    return frozenset(found)


def about_pointers(
    graph: CutGraph, budget: Budget, seed: int, again: Again, functions: frozenset[str]
) -> list[Fact]:
    """What runs show of the places of pointers in their blocks, in these functions."""
    snapshots = record(graph.program, graph.cuts, graph.granules, seed=seed, also=again(graph.program))
    context = Context(graph, snapshots, budget, seed)
    guessed = (fact for one in sources() if one.name in POINTERS for fact in one.candidates(context))
    found = list(dict.fromkeys(fact for fact in guessed if fact.function in functions))
    found = [fact for fact in found if graph.is_of_use(fact.place, fact.formula)]
    wrong = refuted(found, snapshots)
    count = Counter[Place]()
    usable: list[Fact] = []
    for fact in found:
        count[fact.place] += fact not in wrong
        if fact not in wrong and count[fact.place] <= MOST_ABOUT:
            usable.append(fact)
    return usable


def extend(houdini: Houdini, facts: Iterable[Fact], seconds: float) -> None:
    """Proves facts together; where that comes to nothing, one by one, those that say least first: where it is known
    what one pointer points to, questions about the others are small."""
    began, known = houdini.budget.elapsed(), list(facts)
    if houdini.extend(known, TOGETHER_SHARE * seconds):
        return
    for fact in sorted(known, key=lambda one: size_of(one.formula)):
        left = seconds - (houdini.budget.elapsed() - began)
        if left <= 0:
            return
        houdini.extend([fact], left * ONE_SHARE)


def climbed(
    subject: Subject, base: CheckResult, budget: Budget, seed: int, again: Again = nothing_again,
    send: Callable[[CheckResult], None] = lambda _: None,
) -> CheckResult:
    """The result with answers for the subject's checks: TRUE where all are proved. What is known is also sent as it
    becomes more, as time may end before the result is there."""
    rungs = Rungs(subject, budget, seed, again)
    rungs.tell = lambda: send(_with_answers(rungs, base))
    with_time = True
    try:
        rungs.climb()
    except OutOfBudget:
        with_time = False
    if not rungs.left:
        return _with_answers(rungs, replace(base, outcome=Outcome.TRUE, engine=ENGINE))
    reason = Reason.NO_PROGRESS if with_time and budget.remaining() > 0 else Reason.OUT_OF_TIME
    return _with_answers(rungs, replace(base, reason=reason))


def _with_answers(rungs: Rungs, result: CheckResult) -> CheckResult:
    known = Known(dict.fromkeys(rungs.proved, ENGINE), {}, result.reason or Reason.OUT_OF_TIME)
    result, why = with_answers(result, rungs.subject, MODULAR, known), rungs.open_behind
    checks = (
        replace(one, why=why[one.check]) if one.answer is Answer.UNKNOWN and one.check in why else one
        for one in result.checks
    )
    return replace(result, checks=tuple(checks))
