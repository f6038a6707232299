"""Runs of a function from its arbitrary caller: which pass, which fail, and which branches they take.

A run's caller is drawn at random among those that fulfil the precondition found so far; each failure that is new makes
the precondition stronger, and the next runs go on behind it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from itertools import chain, islice
from typing import Final

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.core.source import CheckSite
from counterpoint.entries.apart import places
from counterpoint.entries.drawing import Callers
from counterpoint.entries.enough import lengthened
from counterpoint.entries.environment import Environment
from counterpoint.entries.explored import NULL, Explored, Failure, Place, Sample, is_part, place_of, state_of
from counterpoint.entries.extents import needed
from counterpoint.entries.given import What, settled
from counterpoint.entries.inputs import SAME, CallerInputs, NearInputs, characters, words
from counterpoint.entries.joint import related, says_something, with_pointers
from counterpoint.entries.learning import clause_for, is_compared, is_followed, is_simple
from counterpoint.entries.literals import Clause, Literal, Rank, State, holds, with_lengths
from counterpoint.entries.trials import Fate, Trials, is_ruled_out, sources
from counterpoint.execute.coverage import BranchCoverage
from counterpoint.execute.inputs import InputSource, ReplayInputs, SmallInputs
from counterpoint.execute.outcome import Finished, Limits, Violated
from counterpoint.frontend.definition.variable_arguments import TOO_FEW
from counterpoint.portfolio.approximations import APPROXIMATED
from counterpoint.program.inputs import Input
from counterpoint.program.model import Program
from counterpoint.program.names import original
from counterpoint.program.source_lines import SourceLines

BATCH: Final = 24
"""Runs between two looks at what failed."""

RUNS: Final = 2400
STEPS: Final = 60_000
"""Runs in all, and instructions of each."""

TRIES: Final = 300
"""Callers that are drawn until one fulfils the precondition."""

QUIET: Final = 12
"""Batches without a new failure or a new direction after which enough was seen."""

PATIENCE: Final = 3
"""So many times as many, where ways out of the function's own branches were not taken, and blocks have contents."""

FRESH: Final = 0.5
"""How often a run is drawn anew: others are like one that took a direction first."""

CHALLENGES: Final = 120
"""Runs that would show a finding to be none."""

NEIGHBOURS: Final = 90
KEPT: Final = (0.4, 0.7, 0.9)
"""Runs near one that fails; how often a choice of the caller is its own."""

EXACTLY: Final = 0.5
"""How often a run of another form of the program has the very inputs of one that passed."""

MENDED: Final = 4
"""Runs of one place that are tried again with other pointers."""

MOST_CLAUSES: Final = 8
MOST_INVOLVED: Final = 3
"""For checks of one kind at one line, and of them those that are not simple: what needs more is not said with the
vocabulary."""

CANDIDATES: Final = 16
ALIKE: Final = 3
PUT_OFF: Final = 3
AFRESH: Final = 40
"""Clauses that are tried for one failure, runs that fail so, how often none is found before it is given up; runs with
its choices, in other memory."""


@dataclass(slots=True)
class Exploration:
    """Runs of one program, the unprepared one."""

    program: Program
    environment: Environment
    vocabulary: Sequence[Literal]
    constants: Sequence[int]
    seed: int
    own_constants: Sequence[int] = ()
    origins: Sequence[int] = ()
    found: Explored = field(default_factory=Explored)
    lines: SourceLines = field(init=False)
    _coverage: BranchCoverage = field(init=False)
    _random: random.Random = field(init=False)
    _own: frozenset[int] = frozenset()
    _sites: dict[str, int] = field(init=False)
    _names: dict[int, str] = field(init=False)
    _approximated: frozenset[int] = field(init=False)
    _alphabet: bytes = field(init=False)
    _characters: bytes = field(init=False)
    _words: tuple[bytes, ...] = field(init=False)
    _corpus: list[Sample] = field(default_factory=list)
    _seen: set[int] = field(default_factory=set)
    _callers: Callers = field(init=False)
    _put_off: Counter[Place] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._alphabet = characters(self.constants)
        self._characters = bytes(one for one in self.own_constants if 0 < one < 256)
        self._words = words(self.program)
        self._callers = Callers(self.environment, self.constants, self.own_constants, self._random)
        self.lines = SourceLines(self.program.sources)
        self._coverage = BranchCoverage(self.program, apart=True)
        self.found.sites = {site.index: place_of(site) for site in self.program.checks}
        self.found.directions = self._coverage.branches.directions
        name = self.environment.function.name
        numbered = enumerate(self.found.directions)
        self._own = frozenset(number for number, one in numbered if original(one.at.function) == name)
        self._sites = {original(site.name): site.index for site in self.program.sites if site.kind == "undefined"}
        self._names = {site: name for name, site in self._sites.items()}
        self._approximated = frozenset(site.index for site in self.program.sites if site.kind == APPROXIMATED)

    def run(self, budget: Budget) -> Explored:
        """Until nothing new fails, or runs or time are used up."""
        quiet = runs = 0
        while quiet < self.patience() and runs < RUNS and budget.remaining() > 0:
            failed: dict[int, list[Sample]] = {}
            drawn = 0
            known = len(self._seen)
            for _ in range(BATCH):
                fresh = not self._corpus or self._random.random() < FRESH
                like = None if fresh else self._random.choice(self._corpus)
                state = self.caller(like)
                if state is None or budget.remaining() <= 0:
                    break
                drawn += 1
                sample = self.sample(state, budget, like)
                if sample is not None:
                    self.found.samples.append(sample)
                    if sample.failed is not None:
                        failed.setdefault(sample.failed, []).append(sample)
            runs += BATCH
            quiet = 0 if self.learn(failed, budget) or len(self._seen) > known else quiet + 1
            if not drawn:
                break
        return self.found

    @property
    def known(self) -> int:
        """Directions that some run took."""
        return len(self._seen)

    @property
    def pointers(self) -> list[str]:
        """Choices whether there is a block."""
        return [one.source for one in self.environment.given if one.what is What.POINTER]

    def origin(self, check: int) -> int:
        """Its number in the program in which it is not told apart who calls it."""
        return self.origins[check] if self.origins else check

    def is_own(self, sample: Sample) -> bool:
        """It failed in the function's own code, or in a small function that this calls."""
        if sample.failed is None:
            return False
        name = self.environment.function.name
        return any(one.function == name for one in places(self.program.checks[sample.failed].at))

    def patience(self) -> int:
        """Batches without anything new after which enough was seen."""
        filled = any(one.what is What.LENGTH for one in self.environment.given)
        return QUIET * PATIENCE if filled and not self._own <= self._seen else QUIET

    def challenge(self, clauses: Sequence[Clause], budget: Budget) -> None:
        """Looks for runs that pass, or take what branches are left, though the caller violates one of the clauses: with
        numbers that are mostly 0 and 1, as these say least of what else there has to be."""
        for clause in dict.fromkeys(clauses):
            limit = budget.share(1 / len(clauses))
            states = (self.drawn(small=True) for _ in range(CHALLENGES * TRIES))
            against = (state for state in states if not holds(clause, state))
            for state in islice(against, CHALLENGES):
                if limit.remaining() <= 0:
                    break
                sample = self.sample(state, limit)
                if sample is not None:
                    self.found.samples.append(sample)

    def simplest(self) -> dict[Place, Sample]:
        """A run that fails, for each place."""
        first: dict[Place, Sample] = {}
        for one in sorted(self.found.samples, key=_weight):
            if one.failed is not None:
                first.setdefault(place_of(self.program.checks[one.failed]), one)
        return first

    def place_of(self, sample: Sample) -> Place | None:
        """Where it failed."""
        return None if sample.failed is None else place_of(self.program.checks[sample.failed])

    def look_near(self, budget: Budget) -> None:
        """Runs that are like one that fails, for each place: whether all that go there fail is known from these. Every
        other one keeps what would have to hold there."""
        first = self.simplest()
        for place, sample in first.items():
            limit = budget.share(1 / len(first))
            clauses = [one.clause for one in self.found.failures if place_of(one.site) == place and one.clause]
            for number in range(NEIGHBOURS):
                if limit.remaining() <= 0:
                    break
                near = self.sample(self.near(sample.state, clauses[: number % 2 * len(clauses)]), limit, sample)
                if near is not None:
                    self.found.samples.append(near)

    def mend(self, budget: Budget) -> list[Sample]:
        """Runs that are like those that fail for a null pointer, but for null pointers of the caller: one of them, all,
        all but one. Those that fail there again."""
        places = [place for place, cause in self.found.causes.items() if cause == NULL]
        again: list[Sample] = []
        for place in places:
            limit = budget.share(1 / len(places))
            here = [one for one in self.found.samples if self.place_of(one) == place]
            for sample in sorted(here, key=_weight)[:MENDED]:
                for state in self.mended(sample.state):
                    other = self.sample(state, limit, sample, 1.0) if limit.remaining() > 0 else None
                    if other is None:
                        continue
                    self.found.samples.append(other)
                    if self.place_of(other) == place:
                        again.append(other)
                    elif sample.reached <= other.reached:
                        self.found.passed_by.add(place)
        return again

    def mended(self, state: State) -> Iterator[State]:
        null = [one for one in self.pointers if not state.get(one)]
        for some in ([one] for one in null):
            yield {**state, **dict.fromkeys(some, 1)}
        if len(null) > 1:
            yield {**state, **dict.fromkeys(null, 1)}
        for left in null if len(null) > 2 else ():
            yield {**state, **dict.fromkeys(null, 1), left: 0}

    def near(self, state: State, clauses: Sequence[Clause]) -> State:
        """Choices that are mostly these, and fulfil the clauses, if that is found at once."""
        other: State = state
        for _ in range(TRIES // 10):
            drawn, kept = self.drawn(), self._random.choice(KEPT)
            other = {one: state[one] if one in state and self._random.random() < kept else drawn[one] for one in drawn}
            other = settled(self.environment.given, other)
            if all(holds(clause, other) for clause in clauses):
                break
        return other

    def learn(self, failed: dict[int, list[Sample]], budget: Budget) -> bool:
        """A clause for each check that failed; whether anything is new."""
        new = False
        for check, samples in failed.items():
            site = self.program.checks[check]
            if not self.is_given_up(site):
                self.exclude(site, samples, budget)
                new = True
        return new

    def is_given_up(self, site: CheckSite) -> bool:
        """No clause excludes all that fails there."""
        return any(one.clause is None and is_part(one.site, site) for one in self.found.failures)

    def failing(self, state: State, site: CheckSite, budget: Budget) -> Sample:
        """A run with these choices that fails at that place; without inputs and check if none is found."""
        for _ in range(TRIES // 10):
            sample = self.sample(state, budget) if budget.remaining() > 0 else None
            if sample is not None and sample.failed is not None and is_part(self.program.checks[sample.failed], site):
                return sample
        return Sample(state, None, frozenset())

    def exclude(self, site: CheckSite, failing: Sequence[Sample], budget: Budget) -> bool:
        """Strengthens the precondition by a clause that the callers violate, all of them or the first; whether there
        is one. It is put off a few times where all clauses speak of what has no part in the failure."""
        clause, doubted = self.clause_for(site, failing, budget)
        if clause is not None and self.leaves_nothing(clause):
            clause = None
        place = place_of(site)
        if clause is None and doubted and self._put_off[place] < PUT_OFF:
            self._put_off[place] += 1
            return False
        earlier = [one for one in self.found.failures if place_of(one.site) == place]
        involved = [one for one in earlier if one.clause is not None and not is_simple(one.clause)]
        if len(earlier) >= MOST_CLAUSES or len(involved) >= MOST_INVOLVED:
            self.found.failures = [one for one in self.found.failures if one not in involved]
            clause = None
        self.found.failures.append(Failure(site, clause))
        return clause is not None

    def clause_for(
        self, site: CheckSite, failing: Sequence[Sample], budget: Budget
    ) -> tuple[Clause | None, bool]:
        """The first that runs do not show to speak of what has no part in it; whether there were others."""
        states = [one.state for one in failing]
        hint = f"{site.message} {self.lines.line(site.at)}"
        trials = [self.trials(one, budget) for one in self.alike(failing, budget)]
        vocabulary = with_lengths(self.environment, self.vocabulary, needed(self.environment.given, trials))
        for literal in (one for one in vocabulary if is_followed(one, hint)):  # whether calls pass with that pointer
            for one in trials:
                one.try_literal(literal)
            self.take_with(literal, budget)
        raised = Counter[str]()
        for number in range(CANDIDATES):
            passing = self.found.passing()
            clause = clause_for(states, passing, vocabulary, hint)
            if clause is None and len(states) > 1:
                clause = clause_for(states[:1], passing, vocabulary, hint)
            if clause is None:
                return None, number > 0
            if all(_pins(one) or is_compared(one, hint) for one in clause) and self.afresh(failing[0].state, budget):
                continue
            for literal in clause:
                for one in trials:
                    one.try_literal(literal)
            longer = lengthened(self, vocabulary, clause, failing[0], place_of(site), raised, budget)
            if longer is not None:
                vocabulary = longer
                continue
            if not any(is_ruled_out(literal, trials) for literal in clause):
                return clause, number > 0
            spoken = {source for literal in clause for source in sources(literal)}
            vocabulary = [
                one for one in vocabulary if spoken.isdisjoint(sources(one)) or not is_ruled_out(one, trials)
            ]
        return None, True

    def take_with(self, literal: Literal, budget: Budget) -> None:
        """Runs with that pointer, like those that passed without and took what none took with it: whether it can be
        taken is not known else."""
        table = self.found.table
        passed, with_it = table.passed, table.holding(literal)
        left = set(table.taken(passed & ~with_it)) - set(table.taken(passed & with_it))
        for one in [one for one in table.among(passed) if not left.isdisjoint(one.reached)]:
            if left.isdisjoint(one.reached):
                continue
            state = {**one.state, **dict.fromkeys(sources(literal), 1)}
            other = self.sample(state, budget, one, 1.0) if budget.remaining() > 0 else None
            if other is not None:
                self.found.samples.append(other)
            left -= one.reached

    def afresh(self, state: State, budget: Budget) -> bool:
        """Whether calls with these choices pass, with other memory."""
        passed = False
        for _ in range(AFRESH):
            sample = self.sample(state, budget) if budget.remaining() > 0 else None
            if sample is not None and sample.failed is None:
                self.found.samples.append(sample)
                passed = True
        return passed

    def alike(self, failing: Sequence[Sample], budget: Budget) -> list[Sample]:
        """Some runs that fail in one check, whose callers keep the precondition: of one run little is known, as more
        than one thing may be wrong in it."""
        found = [one for one in failing if one.failed is not None][:ALIKE]
        clauses = self.found.clauses
        for _ in range(ALIKE * 3 if found else 0):
            if len(found) >= ALIKE or budget.remaining() <= 0:
                break
            sample = self.sample(self.near(found[0].state, clauses), budget, found[0])
            if sample is not None and sample.failed == found[0].failed:
                found.append(sample)
        return found

    def trials(self, failing: Sample, budget: Budget, kept: Sequence[Clause] | None = None) -> Trials:
        """Runs like that one, but for choices of the caller, who keeps those clauses (None: the precondition)."""

        def rerun(state: State) -> tuple[Fate, State]:
            sample = self.sample(state, budget, failing, 1.0) if budget.remaining() > 0 else None
            if sample is None:
                return Fate.NONE, state
            if sample.failed is None:
                self.found.samples.append(sample)
                return Fate.PASSES, sample.state
            return Fate.SAME if sample.failed == failing.failed else Fate.OTHER, sample.state

        return Trials(failing.state, self.found.clauses if kept is None else kept, rerun, self.drawn)

    def leaves_nothing(self, clause: Clause) -> bool:
        """Runs pass that keep the precondition so far, and none of them keeps the clause; or together they ask for what
        cannot be, or was not seen nor drawn: one of them for what no call keeps, but for null pointers."""
        table = self.found.table
        passing = table.keeping_all(self.found.clauses) & table.passed
        if passing and not passing & table.keeping(clause):
            return True
        known, drawn = (one.state for one in self.found.samples), (self.drawn() for _ in range(TRIES))
        together = related(self.found.clauses, clause)
        return not says_something(together, with_pointers(clause, chain(known, drawn)))

    def again(self, program: Program) -> Callable[[int], InputSource] | None:
        """Inputs for runs of another form of the program, by their numbers: those of runs that passed, or like them;
        None where there are none, or that form asks for other values."""
        asked = [[(site.kind, original(site.name)) for site in one.sites] for one in (self.program, program)]
        allowed = self.found.allowed_that_pass()
        passed = [one for one in self._corpus if one in allowed] or allowed
        if asked[0] != asked[1][: len(asked[0])] or not passed:
            return None

        def inputs(number: int) -> InputSource:
            choose = random.Random(number)
            drawn = CallerInputs({}, SmallInputs(number, 8, self.constants), choose, self._alphabet, self._characters)
            return NearInputs(choose.choice(passed).inputs, drawn, 1.0 if choose.random() < EXACTLY else SAME)

        return inputs

    # ------------------------------------------------------------ runs

    def sample(
        self, state: State, budget: Budget, like: Sample | None = None, same: float = SAME
    ) -> Sample | None:
        """One run with these choices, and other inputs mostly `like` those of that one; None where it neither passed
        nor failed, or failed with values that a model only approximates: what the real function gives may be none of
        these."""
        chosen = {self._sites[source]: value for source, value in state.items() if source in self._sites}
        others = SmallInputs(self._random.getrandbits(30), 8, self.constants)
        drawn = CallerInputs(chosen, others, self._random, self._alphabet, self._characters, self._words)
        return self.ran(NearInputs(like.inputs, drawn, same) if like is not None else drawn, budget)

    def replayed(self, given: tuple[Input, ...], budget: Budget) -> Sample | None:
        """The run with these inputs, as one of those that were seen."""
        sample = self.ran(ReplayInputs(given), budget)
        if sample is not None:
            self.found.samples.append(sample)
        return sample

    def ran(self, inputs: InputSource, budget: Budget) -> Sample | None:
        limits = Limits(steps=STEPS, depth=500, seconds=min(0.3, max(0.01, budget.remaining())))
        done = self._coverage.run(inputs, limits)
        reached = done.reached & self._own
        state = state_of(self.environment, done.run.inputs, self._names)
        sample: Sample | None = None
        match done.run.outcome:
            case Finished():
                sample = Sample(state, None, reached, done.run.inputs, done.reached)
            case Violated(check) if self.counts(check, done.run.inputs):
                sample = Sample(state, check, reached, done.run.inputs, done.reached)
        if sample is not None and not done.reached <= self._seen:
            self._seen |= done.reached
            self._corpus.append(sample)
        return sample

    def counts(self, check: int, inputs: Sequence[Input]) -> bool:
        """A failure that says something of the function: not one of the arbitrary caller's, who may hand over too few
        arguments, and not one with what a model only approximates."""
        too_few = self.program.checks[check].message == TOO_FEW
        return not too_few and self._approximated.isdisjoint(one.site for one in inputs)

    def caller(self, like: Sample | None = None) -> State | None:
        """Choices that fulfil the precondition, like those of that run if possible; None where none were found."""
        clauses = self.found.clauses
        near = self.near(like.state, clauses) if like is not None else None
        if near is not None and all(holds(clause, near) for clause in clauses):
            return near
        for _ in range(TRIES):
            state = self.drawn()
            if all(holds(clause, state) for clause in clauses):
                return state
        return None

    def drawn(self, small: bool = False) -> dict[str, int]:
        return self._callers.drawn(small)


def _pins(one: Literal) -> bool:
    """It leaves one value of a number."""
    return one.operator == "==" and one.rank is not Rank.NULL and isinstance(one.right, int)


def _weight(sample: Sample) -> int:
    """Of runs of one kind the one with small numbers is taken: it takes less time, and says more."""
    return sum(map(abs, sample.state.values()))
