"""A proof about blocks is rehearsed: goal by goal in the checker's words, in heaps of any size.

    until all goals are impossible:
        each goal, with the instances of facts that its models call for, those of the proof before the others
        a fact that a model with all of them violates is none: it goes
        what else was called for belongs to the proof, and has goals of its own
    what no goal called for is left out

Small heaps tell what is likely, and what is enough there: a heap of any size may need more, and may break some.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected, OutOfBudget, Unsupported
from counterpoint.core.records import dataclass
from counterpoint.engines.houdini.literals import Literals
from counterpoint.evidence.conditions import Goal, Question
from counterpoint.evidence.induction import Indices, Setting, over_setting, region_question
from counterpoint.evidence.places import Place, Statement
from counterpoint.evidence.regions import Region, region
from counterpoint.regions.cut_graph import CutGraph
from counterpoint.semantics.encodings import Hints
from counterpoint.semantics.facts import Fact, block_indices
from counterpoint.solver.answers import Sat, Unsat
from counterpoint.solver.lazily import chosen
from counterpoint.term.marks import Marks
from counterpoint.term.term import Term, V

TURNS = (2.0, 8.0)
"""Seconds for one goal, at first and behind all others; then with all that its own fact says of the start before the
rest. What that says of the goal's own blocks is there at once."""


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """The facts of a proof, and for its goals the hypotheses that excluded them, for whoever checks it."""

    facts: tuple[Fact, ...]
    hints: Hints


def rehearsed(graph: CutGraph, proof: Sequence[Fact], kept: Iterable[Fact], budget: Budget) -> Rehearsed | None:
    """A proof that begins with this one, by facts among the `kept` ones. Goals may be left of which no solver knew in
    time; None where some facts were wrong and there is no proof without them, or it took too long."""
    every = tuple(dict.fromkeys((*proof, *kept)))

    def whole(setting: Setting) -> _Rehearsal:
        starts = [region(setting.places, s, setting.needed, setting.granules, budget) for s in setting.places.starts]
        return _Rehearsal(setting, every, starts, budget)

    try:
        granules = tuple(sorted(graph.granules.items()))
        rehearsal = over_setting(graph.program, every, granules, budget, whole, frames=bool(graph.framed))
        facts = rehearsal.of(proof)
        return Rehearsed(tuple(facts), rehearsal.hints(facts)) if facts is not None else None
    except (OutOfBudget, EvidenceRejected, Unsupported):
        return None


@dataclass(slots=True)
class _Rehearsal:
    """`setting` has all facts, `every` in their order; `shown`: what goals called for that are impossible; of those
    that are `_silent` no solver knew in its turn."""

    setting: Setting
    every: tuple[Fact, ...]
    regions: list[Region]
    budget: Budget
    shown: dict[tuple[Place, V], frozenset[V]] = field(default_factory=dict)
    _said: dict[Place, dict[Fact, tuple[V, ...]]] = field(default_factory=dict)
    _where: dict[Place, Indices] = field(default_factory=dict)
    _wrong: set[Fact] = field(default_factory=set)
    _silent: set[tuple[Place, V]] = field(default_factory=set)

    def of(self, proof: Iterable[Fact]) -> list[Fact] | None:
        known = dict.fromkeys(proof)
        for turn in TURNS:
            self._silent.clear()
            if not self._settle(known, turn):
                return None
            if not self._open(known):
                break
        needed = dict.fromkeys(self._called_for(known))
        return list(needed if self._settle(needed, TURNS[0]) else known)

    def hints(self, facts: Iterable[Fact]) -> Hints:
        """What was used for the goals of a proof by these."""
        known, marks, found = dict.fromkeys(facts), Marks(), dict[tuple[str, ...], None]()
        for r in self.regions:
            for goal in self._question(known, r).goals:
                used = self.shown.get((r.start, goal.violated))
                if used is not None:
                    found[marks.of(goal.violated), *sorted(map(marks.of, used))] = None
        return tuple(found)

    def _settle(self, known: dict[Fact, None], seconds: float) -> bool:
        """Adds to the facts what goals call for, and takes out what is wrong; whether there may be a proof."""
        while True:
            size, wrong = len(known), len(self._wrong)
            for r in self.regions:
                question = self._question(known, r)
                owners = self._facts_of(known, r, question)
                others = [one for one in self._at(r.start) if one not in known]
                under = Literals(question.hypotheses)
                for goal, fact in zip(question.goals, owners, strict=True):
                    more = self._asked(r, question, under, goal, fact, others, seconds)
                    if more is None:
                        return False
                    known |= dict.fromkeys(more)
            for fact in self._wrong:
                known.pop(fact, None)
            if size == len(known) and wrong == len(self._wrong):
                return True

    def _asked(
        self,
        r: Region,
        question: Question,
        under: Literals,
        goal: Goal,
        fact: Fact | None,
        others: Sequence[Fact],
        seconds: float,
    ) -> list[Fact] | None:
        """Which of the others it calls for; None: it is possible, and no fact's that could be left out."""
        key = r.start, goal.violated
        if goal.violated == 0 or fact in self._wrong or key in self._silent or self._is_shown(r, question, goal):
            return []
        self.budget.spend()
        beside = [(said, one) for one in others if one not in self._wrong for said in self._says(r, one)]
        hypotheses = [*question.hypotheses, *(said for said, _ in beside)]
        count = len(question.hypotheses)
        alike = [one for one in self._at(r.start) if fact is not None and one.formula is fact.formula]
        own = [said for one in alike for said in self._as_it_is(r, one)]
        patient = [said for one in alike for said in self._says(r, one)] if seconds > TURNS[0] else []
        meant = [under.simplified(one) for one in hypotheses]
        given = [under.simplified(said) for said in own if said in hypotheses]
        likely = frozenset(map(under.simplified, patient))
        limit = min(seconds, self.budget.remaining())
        found = chosen(under.simplified(goal.violated), meant, limit, count, likely, given)
        match found.answer:
            case Sat():
                self._wrong |= {fact} if fact is not None else set()
                return [] if fact is not None else None
            case Unsat():
                used = [hypotheses[number] for number in found.used]
                self.shown[key] = frozenset((*used, *under.behind([goal.violated, *used])))
                return [beside[number - count][1] for number in found.used if number >= count]
        self._silent.add(key)
        return []

    def _as_it_is(self, r: Region, fact: Fact) -> Iterator[V]:
        """What a fact says of the goals' ghosts."""
        statement = self._statement(fact)
        if statement.covered(r.begin):
            yield from statement.instances(r.begin, [statement.ghosts])

    def _is_shown(self, r: Region, question: Question, goal: Goal) -> bool:
        used = self.shown.get((r.start, goal.violated))
        return used is not None and used <= set(question.hypotheses)

    def _open(self, known: Mapping[Fact, None]) -> bool:
        """Goals are left."""
        for r in self.regions:
            question = self._question(known, r)
            if not all(goal.violated == 0 or self._is_shown(r, question, goal) for goal in question.goals):
                return True
        return False

    def _called_for(self, known: Mapping[Fact, None]) -> list[Fact]:
        """Those facts that goals call for which are no facts', and goals of such facts; all, where goals are open."""
        uses: dict[Fact | None, dict[Fact, None]] = {}
        for r in self.regions:
            question = self._question(known, r)
            owners = {said: one for one in known if one.place == r.start for said in self._says(r, one)}
            for goal, fact in zip(question.goals, self._facts_of(known, r, question), strict=True):
                if goal.violated != 0 and not self._is_shown(r, question, goal):
                    return list(known)
                called = self.shown.get((r.start, goal.violated), frozenset())
                uses.setdefault(fact, {}).update({owners[said]: None for said in called if said in owners})
        wanted: set[Fact | None] = {None}
        waiting: list[Fact | None] = [None]
        while waiting:
            more = [fact for fact in uses.get(waiting.pop(), ()) if fact not in wanted]
            wanted.update(more)
            waiting += more
        return [fact for fact in known if fact in wanted]

    # ------------------------------------------------------------ what is asked

    def _at(self, place: Place) -> list[Fact]:
        return [fact for fact in self.every if fact.place == place and fact not in self._wrong]

    def _question(self, known: Mapping[Fact, None], r: Region) -> Question:
        facts: dict[Place, list[Statement]] = {}
        for fact in known:
            facts.setdefault(fact.place, []).append(self._statement(fact))
        return region_question(replace(self.setting, facts=facts), r, claims=True)

    def _facts_of(self, known: Mapping[Fact, None], r: Region, question: Question) -> list[Fact | None]:
        """Whose goals these are: first those of facts where the region ends."""
        facts = [fact for arrival in r.arrivals for fact in known if fact.place == arrival.target]
        return [*facts, *[None] * (len(question.goals) - len(facts))]

    def _statement(self, fact: Fact) -> Statement:
        at = [one for one in self.every if one.place == fact.place].index(fact)
        return self.setting.facts[fact.place][at]

    def _says(self, r: Region, fact: Fact) -> tuple[V, ...]:
        """The instances of a fact at the region's start."""
        memo = self._said.setdefault(r.start, {})
        if fact not in memo:
            indices, statement = self._indices(r), self._statement(fact)
            said = statement.instances(r.begin, indices.choices(statement)) if statement.covered(r.begin) else ()
            memo[fact] = tuple(v for v in said if isinstance(v, Term))
        return memo[fact]

    def _indices(self, r: Region) -> Indices:
        """Where facts are said, in the question about all of them."""
        if r.start not in self._where:
            question = region_question(self.setting, r, claims=True)
            formulas = [*question.hypotheses, *(goal.violated for goal in question.goals)]
            ghosts = dict.fromkeys(g for group in self.setting.facts.values() for one in group for g in one.ghosts)
            self._where[r.start] = Indices(tuple(ghosts), (), tuple(block_indices(formulas, chosen=True)))
        return self._where[r.start]
