"""One region's queries: can a run of it violate these claims, or fail a check, if these facts hold at its start?

Claims and facts are behind switches (solver/selectors.py), so that one incremental solver serves all queries. What a
call by contract leaves behind may be assumed only of what comes later: the claim that the call fulfils its precondition
must not assume that it returned (`horizon`), or two contradictory contracts would prove each other.

Facts with products of unknowns (`is_hard`) stay out of it: bit-blasting them slows everything down; queries about them
go to polynomial normal forms first (solver/polynomial).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from functools import partial

from counterpoint.core.events import Observer, SolverCall
from counterpoint.core.records import dataclass
from counterpoint.invariants.leaving_out import left_out
from counterpoint.invariants.plain_formulas import AnyProducts, has_equation_of_products, is_long_sum, is_nonlinear
from counterpoint.regions.cut_graph import CutGraph, Region, Way
from counterpoint.regions.instance import Instance
from counterpoint.regions.summary import Block
from counterpoint.semantics.addresses import address_axioms
from counterpoint.semantics.arrays import definitions
from counterpoint.semantics.facts import (
    Fact,
    array_indices,
    block_choices,
    block_indices,
    ghost,
    ghosts,
    instances,
    is_about_blocks,
)
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.semantics.summary import blocks_placed
from counterpoint.solver.answers import Answer, Sat, SolverUnknown, Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings
from counterpoint.solver.selectors import Selectors
from counterpoint.term import build
from counterpoint.term.by_cases import ByCases
from counterpoint.term.term import V
from counterpoint.term.walk import conjuncts, substitute

LAST = 1 << 30
"""The horizon of what comes behind all calls."""

LEAVING_SECONDS = 1.0
"""Of one region, for leaving out parts of hypotheses where polynomial reasoning has no core; behind that it has all."""

GROUP_SECONDS = 1.0
"""Of one query about several checks, which are halved where it has no answer."""

AT_FIRST = 0.3
"""Seconds for a query about several claims by the incremental solver where a fresh one may be quicker."""

MAX_INDICES = 16
"""Array indices of the region for which facts with ghosts are instantiated."""

MAX_BLOCKS = 14
"""Starts of blocks for which facts about blocks are instantiated."""

Claim = tuple[Way, Fact]
"""A fact claimed at the target of a way."""


@dataclass(slots=True)
class RegionSolver:
    """An incremental solver for one region; `queries` counts what it was asked; `normalize`: as solver/protocol.py says
    of Settings."""

    region: Region
    graph: CutGraph
    observe: Observer
    seed: int = 0
    normalize: bool = True
    queries: int = 0
    _selectors: Selectors[tuple[str, object]] | None = None
    _meant: dict[object, V] = field(default_factory=dict)
    _nonlinear: dict[V, bool] = field(default_factory=dict)
    _indices: list[V] | None = None
    _last: dict[Fact, list[V]] = field(default_factory=dict)
    _placed: frozenset[int] | None = None
    _products: AnyProducts = field(default_factory=AnyProducts)
    _cases: ByCases = field(default_factory=ByCases)
    _claimed: dict[V, None] = field(default_factory=dict)
    _blocks: tuple[V, ...] = ()
    _apart: list[V] = field(default_factory=list)
    _no_solver: bool = False
    _leaving: float = LEAVING_SECONDS

    @property
    def cases_by_facts(self) -> bool:
        """Which object a pointer means, and which case a contract is about, is known from facts at most. Where they are
        assumed for good, a solver substitutes what they say before it looks at bits; behind switches it cannot."""
        return self.region.cut.by_contract

    # ------------------------------------------------------------ questions

    def violates(
        self, claims: Sequence[Claim], hypotheses: Sequence[Fact], seconds: float, *, thorough: bool = False
    ) -> Answer:
        """Is there a run on which some claim is false at the end of its way? The claims share one horizon.

        A hard claim has to come alone; then equations with products are used as well, as with `thorough`, and, where
        these are not enough, what it claims itself: an inequality between products may only hold because it did before.
        """
        horizon = self.horizon(claims[0][0])
        violations = [self._violation(claim) for claim in claims]
        if all(violation == 0 for violation in violations):
            return Unsat(())
        if len(claims) == 1 and (thorough or self.is_hard(claims[0])):
            plain = [fact for fact in hypotheses if not self._is_dear(fact.formula)]
            if self._by_numbers_alone(claims[0]):
                answer = self._with_any_products(violations[0], plain, horizon, min(seconds, AT_FIRST))
                if isinstance(answer, Unsat):
                    return answer
            answer = self._ask_once(violations[0], plain, horizon, seconds, "claim")
            itself = [fact for fact in hypotheses if fact not in plain and self._says(fact, claims[0])]
            if itself and isinstance(answer, Sat):
                answer = self._ask_once(violations[0], [*plain, *itself], horizon, seconds, "claim")
            return answer
        if not self.cases_by_facts and any(self._is_nonlinear(claim[0].formula) for claim in claims):
            return self._without_products(claims, violations, hypotheses, seconds)
        switches = [self._switch("goal", violation, violation) for violation in violations if violation != 0]
        if not self.cases_by_facts:
            return self._ask(self._connected().one_of(switches), hypotheses, horizon, seconds, "claims")
        easy = [fact for fact in hypotheses if not self._is_nonlinear(fact.formula)]
        if len(claims) == 1:
            return self._at_once(claims, easy, seconds)
        answer = self._ask(self._connected().one_of(switches), hypotheses, horizon, min(seconds, AT_FIRST), "claims")
        if isinstance(answer, SolverUnknown) and seconds > AT_FIRST:
            answer = self._at_once(claims, easy, min(seconds - AT_FIRST, GROUP_SECONDS))
        return answer

    def _by_numbers_alone(self, claim: Claim) -> bool:
        """What is claimed multiplies no unknowns, or is about cells: products are the same there, or on other ways."""
        said = claim[1].formula
        linear = not self._is_nonlinear(said)
        return not self.cases_by_facts and self._is_nonlinear(self.claimed(claim)) and (linear or bool(ghosts(said)))

    def _with_any_products(self, goal: V, hypotheses: Sequence[Fact], horizon: int, seconds: float) -> Answer:
        """With arbitrary numbers for products of unknowns: only the answer that no run does means something."""
        switch = self._switch("any products", goal, self._products.of(goal))
        return self._ask(switch, hypotheses, horizon, seconds, "claim", products=True)

    def _without_products(
        self, claims: Sequence[Claim], violations: Sequence[V], hypotheses: Sequence[Fact], seconds: float
    ) -> Answer:
        """The same where the ways have conditions with products, as a loop has that checks them: without these first. A
        model that they exclude says nothing of several claims; of one, the whole question is asked."""
        horizon, until = self.horizon(claims[0][0]), time.monotonic() + seconds
        weaker = [self._violation(claim, linear=True) for claim in claims]
        switches = [self._switch("goal", violation, violation) for violation in weaker if violation != 0]
        answer = self._ask(self._connected().one_of(switches), hypotheses, horizon, seconds, "claims")
        if isinstance(answer, Unsat):
            return answer
        if isinstance(answer, Sat) and 1 in answer.model.values(list(violations)):
            return answer
        if len(claims) > 1:
            return SolverUnknown("the conditions have products")
        plain = [fact for fact in hypotheses if not self._is_dear(fact.formula)]
        return self._ask_once(violations[0], plain, horizon, max(0.05, until - time.monotonic()), "claim")

    def fails(self, hypotheses: Sequence[Fact], seconds: float) -> Answer:
        """Is there a run on which a check fails (or something without a meaning is met)?"""
        failing = self._cases.of(self.region.failing)
        if failing == 0:
            return Unsat(())
        easy = [fact for fact in hypotheses if not self._is_nonlinear(fact.formula)]
        if not self._is_nonlinear(failing):
            answer = self._ask(self._switch("failing", "", failing), easy, LAST, seconds / 2, "failing")
            if isinstance(answer, Unsat) or len(easy) == len(hypotheses):
                return answer
        return self._fails_one_by_one(hypotheses, seconds)

    def _fails_one_by_one(self, hypotheses: Sequence[Fact], seconds: float) -> Answer:
        """Each failure by itself, with hard facts as well: with equations alone first, which are of most use."""
        formulas = [failure.formula for failure in self.region.failures if failure.formula != 0]
        formulas += [block.formula for block in self.region.blocks if block.formula != 0]
        plain = [fact for fact in hypotheses if not self._is_dear(fact.formula)]
        until = time.monotonic() + seconds
        answer: Answer = Unsat(())
        for number, formula in enumerate(formulas):
            share = max(0.05, (until - time.monotonic()) / (len(formulas) - number))
            answer = self._ask_once(formula, plain, LAST, share / 2, "failing")
            if not isinstance(answer, Unsat) and len(plain) < len(hypotheses):
                answer = self._ask_once(formula, hypotheses, LAST, share / 2, "failing")
            if not isinstance(answer, Unsat):
                return answer
        return answer

    def unmet(self, hypotheses: Sequence[Fact], seconds: float) -> tuple[list[Block], list[Fact]]:
        """What has no meaning and may be met here, as far as is known after so many seconds, and facts that exclude the
        rest of it."""
        until = time.monotonic() + seconds
        easy = [fact for fact in hypotheses if not self._is_nonlinear(fact.formula)]
        found: list[Block] = []
        used: dict[Fact, None] = {}
        waiting = [[block for block in self.region.blocks if block.formula != 0]]
        while waiting:
            group, left = waiting.pop(), until - time.monotonic()
            if not group or left <= 0:
                found += group
                continue
            goal = self._connected().one_of([self._switch("unmet", one.formula, one.formula) for one in group])
            match self._ask(goal, easy, LAST, min(GROUP_SECONDS, left) if len(group) > 1 else left, "failing"):
                case Unsat() as answer:
                    used.update(dict.fromkeys(self.core_in(easy, answer)))
                case Sat(model) if met := [one for one in group if model.value(one.formula) == 1]:
                    found += met
                    waiting.append([one for one in group if one not in met])
                case _ if len(group) == 1:
                    found += group
                case _:
                    waiting += [group[len(group) // 2 :], group[: len(group) // 2]]
        return found, list(used)

    def may_fail(
        self, hypotheses: Sequence[Fact], seconds: float, besides: frozenset[int] = frozenset()
    ) -> tuple[frozenset[int], list[Fact]]:
        """The checks, but those `besides`, that a run may violate here as far as is known after so many seconds, where
        it meets nothing without a meaning, and facts that exclude the others. Facts with products of unknowns are not
        used."""
        until = time.monotonic() + seconds
        easy = [fact for fact in hypotheses if not self._is_nonlinear(fact.formula)]
        used: dict[Fact, None] = {}
        open_: set[int] = set()
        waiting = [tuple(entry for entry in self._failing().items() if entry[0] not in besides)]
        while waiting:
            group, left = waiting.pop(), until - time.monotonic()
            if not group or left <= 0:
                open_.update(check for check, _ in group)
                continue
            goal = self._connected().one_of([self._switch("failing of", check, formula) for check, formula in group])
            match self._ask(goal, easy, LAST, min(GROUP_SECONDS, left), "failing"):
                case Unsat() as answer:
                    used.update(dict.fromkeys(self.core_in(easy, answer)))
                case Sat(model) if violated := {check for check, formula in group if model.value(formula) == 1}:
                    open_ |= violated
                    waiting.append(tuple(entry for entry in group if entry[0] not in violated))
                case _ if len(group) == 1:
                    open_.add(group[0][0])
                case _:
                    waiting += [group[len(group) // 2 :], group[: len(group) // 2]]
        return frozenset(open_), list(used)

    def _failing(self) -> dict[int, V]:
        """For each check, on which runs of the region it is violated."""
        found: dict[int, list[V]] = {}
        for failure in self.region.failures:
            if failure.formula != 0:
                found.setdefault(failure.check, []).append(failure.formula)
        return {check: build.disjunction(formulas) for check, formulas in found.items()}

    def _says(self, fact: Fact, claim: Claim) -> bool:
        """The fact is the claim: at the region's start, or as a call leaves it."""
        if fact.formula is claim[1].formula:
            return True
        after = [way.returned for way in self.region.ways if way.behind == fact.place and way.returned is not None]
        where = [self.region.start_values] if fact.place == self.region.start else []
        return any(self._cases.of(one.of(fact.formula)) is self.claimed(claim) for one in (*where, *after))

    def _is_dear(self, formula: V) -> bool:
        """It multiplies unknowns, not in an equation."""
        return self._is_nonlinear(formula) and not has_equation_of_products(formula)

    def core_of_failing(self, hypotheses: Sequence[Fact], seconds: float) -> list[Fact]:
        """Facts that exclude every failing check, where all of them do; all of them if no core is found."""
        return self._core(hypotheses, self.fails, seconds)

    def core_of_claims(self, claims: Sequence[Claim], hypotheses: Sequence[Fact], seconds: float) -> list[Fact]:
        """Facts from which all the claims follow, where they follow from all; all if no core is found."""
        wanted: dict[Fact, None] = {}
        easy = [claim for claim in claims if not self.is_hard(claim)]
        hard = [claim for claim in claims if self.is_hard(claim)]
        linear = [fact for fact in hypotheses if not self._is_nonlinear(fact.formula)]
        if easy:
            answer = self.violates(easy, linear, seconds)
            if isinstance(answer, Unsat) and self._last:
                wanted.update(dict.fromkeys(self.core_in(linear, answer)))
            elif isinstance(answer, Unsat):
                wanted.update(dict.fromkeys(self._core(linear, partial(self._at_once, easy), seconds)))
            else:  # shown with equations that have products in them
                hard = list(claims)
        plain = [fact for fact in hypotheses if not self._is_dear(fact.formula)]
        for claim in hard:
            if self._leaving <= 0:
                return list(hypotheses)
            itself = [fact for fact in hypotheses if self._is_dear(fact.formula) and self._says(fact, claim)]
            wanted.update(dict.fromkeys(self._core([*plain, *itself], partial(self._alone, claim), seconds)))
        return list(wanted)

    def _at_once(self, claims: Sequence[Claim], hypotheses: Sequence[Fact], seconds: float) -> Answer:
        """`violates`, by a fresh solver."""
        goal = build.disjunction([self._violation(claim) for claim in claims])
        return self._ask_once(goal, hypotheses, self.horizon(claims[0][0]), seconds, "claims")

    def _alone(self, claim: Claim, hypotheses: Sequence[Fact], seconds: float) -> Answer:
        return self.violates([claim], hypotheses, seconds, thorough=True)

    def core_in(self, hypotheses: Sequence[Fact], answer: Unsat) -> list[Fact]:
        """Those of the hypotheses of the last question that its answer needs; all where the solver does not tell."""
        if not self._last:
            return list(hypotheses)
        core = set(answer.core)
        return [fact for fact in hypotheses if any(switch in core for switch in self._last.get(fact, ()))]

    def _core(
        self, hypotheses: Sequence[Fact], ask: Callable[[Sequence[Fact], float], Answer], seconds: float
    ) -> list[Fact]:
        """By the solver's core; after polynomial reasoning, which has none, by leaving out parts in time: where it was
        enough by itself, by what it says of the others alone, at once."""
        began = time.monotonic()
        answer = ask(hypotheses, seconds)
        if not isinstance(answer, Unsat):
            return list(hypotheses)
        if self._last:
            return self.core_in(hypotheses, answer)
        usual = 3 * (time.monotonic() - began) + 0.1
        try:
            self._no_solver = True
            self._no_solver = isinstance(ask(hypotheses, usual), Unsat)
            return left_out(hypotheses, ask, usual, min(began + seconds, time.monotonic() + self._leaving))
        finally:
            self._no_solver = False
            self._leaving -= time.monotonic() - began

    def horizon(self, way: Way) -> int:
        """How many of the region's ways are before it, if it is a call; LAST for ways that leave."""
        return LAST if way.leaves else next(k for k, other in enumerate(self.region.ways) if other is way)

    # ------------------------------------------------------------ formulas

    def claimed(self, claim: Claim) -> V:
        """The fact at the end of the way, over the region's variables; its ghosts are arbitrary constants."""
        way, fact = claim
        key = (id(way), fact)
        found = self._meant.get(key)
        if found is None:
            found = self._meant[key] = self._cases.of(way.values.of(fact.formula))
            if is_about_blocks(fact.formula):
                self._claimed[found] = None
        return found

    def is_hard(self, claim: Claim) -> bool:
        """The claim multiplies unknowns, or is an equation between sums that bits are slow to show."""
        return self._is_nonlinear(self.claimed(claim)) or is_long_sum(claim[1].formula)

    def _violation(self, claim: Claim, linear: bool = False) -> V:
        """The claim is false behind its way; `linear`: whose conditions with products do not count."""
        if (known := self._meant.get(key := ("violated", id(claim[0]), claim[1], linear))) is not None:
            return known
        taken = self._cases.of(claim[0].formula)
        if linear:
            taken = build.conjunction([part for part in conjuncts(taken) if not self._is_nonlinear(part)])
        violated = build.and_(taken, build.not_(self.claimed(claim)))
        found = self._meant[key] = build.conjunction([violated, *definitions(self.region.world, [violated])])
        return found

    def _meanings(self, fact: Fact, horizon: int) -> Iterator[tuple[object, V]]:
        """What the fact says in this region, with keys: at its start, or behind each call, or framed loop, whose place
        it is about."""
        if fact.place == self.region.start:
            start: object = ("fact", fact)
            if is_about_blocks(fact.formula):
                start = ("fact", fact, self._known_blocks())
            yield start, self._meant_as(start, self.region.start_values, fact, 1)
        for number, way in enumerate(self.region.ways[:horizon]):
            if way.behind == fact.place and way.returned is not None:
                key = ("returned", number, fact)
                yield key, self._meant_as(key, way.returned, fact, way.formula)

    def _meant_as(self, key: object, where: Instance, fact: Fact, condition: V) -> V:
        found = self._meant.get(key)
        if found is None:
            about = is_about_blocks(fact.formula)
            every = [build.implies(condition, one) for one in self._instances(where.of(fact.formula), about)]
            found = self._meant[key] = build.conjunction([*every, *definitions(self.region.world, every)])
        return found

    def _instances(self, formula: V, blocks: bool) -> Iterator[V]:
        if not ghosts(formula):
            return iter((formula,))
        bits = self.graph.program.layout.pointer_bits
        if blocks:
            quantified = ghosts(formula)
            chosen = block_choices(len(quantified), [ghost(0, bits), ghost(1, bits)], self._blocks)
            return (substitute(formula, dict(zip(quantified, one, strict=True))) for one in chosen)
        if self._indices is None:
            values = [v for way in self.region.ways for v in (way.formula, *way.values.values.values())]
            read = [self.region.failing, *values, *self.region.assumed]
            self._indices = array_indices(read, bits)[:MAX_INDICES]
        return instances(formula, [ghost(0, bits), ghost(1, bits), *self._indices])

    def _known_blocks(self) -> int:
        """How many starts of blocks there are for which facts about blocks are said: more, as more is claimed."""
        if len(self._blocks) < MAX_BLOCKS and (self._claimed or not self._blocks):
            values = [v for way in self.region.ways for v in (way.formula, *way.values.values.values())]
            claimed, self._claimed = list(self._claimed), {}
            bits, known = self.graph.program.layout.pointer_bits, self._blocks
            ghosts_ = (ghost(0, bits), ghost(1, bits))
            claimed += [substitute(formula, {ghosts_[0]: ghosts_[1]}) for formula in claimed]
            found = block_indices([*values, self.region.failing, *self.region.assumed, *claimed])
            self._blocks = tuple(dict.fromkeys(v for v in (*known, *found) if v not in ghosts_))[:MAX_BLOCKS]
            if self._blocks != known or not known:
                self._apart = blocks_placed(self.region.world, ghosts_, self._blocks)
                for axiom in self._apart:
                    self._connected().solver.add(axiom)
        return len(self._blocks)

    def _is_nonlinear(self, formula: V) -> bool:
        found = self._nonlinear.get(formula)
        if found is None:
            found = self._nonlinear[formula] = is_nonlinear(formula)
        return found

    # ------------------------------------------------------------ the solver

    def _ask(
        self, goal: V, hypotheses: Sequence[Fact], horizon: int, seconds: float, purpose: str, *, products: bool = False
    ) -> Answer:
        """By the incremental solver, without the hard facts, or with any numbers for their `products`; `_last` says
        which switches stand for which fact."""
        self._last = {}
        for fact in hypotheses:
            hard = self._is_nonlinear(fact.formula)
            if products or not hard:
                said = self._products.of if hard else (lambda meaning: meaning)
                self._last[fact] = [self._switch("fact", key, said(m)) for key, m in self._meanings(fact, horizon)]
        facts = [switch for switches in self._last.values() for switch in switches]
        return self._observed(purpose, lambda: self._connected().solver.check([*facts, goal], seconds))

    def _ask_once(self, goal: V, hypotheses: Sequence[Fact], horizon: int, seconds: float, purpose: str) -> Answer:
        """With all facts, hard ones as well, by polynomial normal forms and a fresh solver."""
        from counterpoint.solver.layers import decide
        from counterpoint.solver.polynomial import simplify

        self._last = {}
        meanings = [meaning for fact in hypotheses for _, meaning in self._meanings(fact, horizon)]
        placed = [*self._newly_placed([*meanings, goal]), *self._apart]
        formulas = [*self.region.assumed, *placed, *meanings, goal]
        if self._no_solver:
            return SolverUnknown("polynomials alone") if simplify(formulas).cases else Unsat(())
        return self._observed(purpose, lambda: decide(formulas, seconds))

    def _observed(self, purpose: str, ask: Callable[[], Answer]) -> Answer:
        began = time.monotonic()
        answer = ask()
        self.queries += 1
        self.observe(SolverCall(purpose, type(answer).__name__.lower(), time.monotonic() - began))
        return answer

    def _connected(self) -> Selectors[tuple[str, object]]:
        if self._selectors is None:
            settings = Settings(self.seed, normalize=self.normalize)
            self._selectors = Selectors(backend("bitwuzla").connect(settings), "on")
            for formula in self.region.assumed:
                self._selectors.solver.add(formula)
        return self._selectors

    def _switch(self, kind: str, key: object, formula: V) -> V:
        """Assumed, the formula holds; not before."""
        if (kind, key) not in self._connected():
            placed = self._newly_placed([formula])
            for axiom in placed:
                self._connected().solver.add(axiom)
            if placed:
                self._placed = self._where_placed() | mentioned_objects(formula)
        return self._connected().switch((kind, key), [formula])

    def _where_placed(self) -> frozenset[int]:
        """The objects of which the solver knows where they may lie."""
        if self._placed is None:
            self._placed = frozenset().union(*(mentioned_objects(known) for known in self.region.assumed))
        return self._placed

    def _newly_placed(self, formulas: Iterable[V]) -> list[V]:
        """Where further objects may lie of which these formulas speak."""
        known = self._where_placed()
        new = {index for formula in formulas for index in mentioned_objects(formula)} - known
        return address_axioms(self.region.world, new, known) if new else []

    def close(self) -> None:
        if self._selectors is not None:
            self._selectors.solver.close()
            self._selectors = None


def by_horizon(solver: RegionSolver, claims: Sequence[Claim]) -> list[list[Claim]]:
    """The claims in groups that may assume the same (RegionSolver.horizon)."""
    groups: dict[int, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(solver.horizon(claim[0]), []).append(claim)
    return list(groups.values())
