"""Re-checks proofs by invariants and contracts: each region keeps the facts, and no check fails in it.

For every region the facts at its start are assumed, and those at its ends and of the preconditions of its calls
are shown, together with the impossibility of all its claims. All regions together are an induction on the
length of the run: the first step that breaks a fact or a check would lie in some region whose start is in order.
Behind a call by contract the callee's facts at EXIT may be used, but only for what comes later on the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, product
from typing import ClassVar, TypeVar

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.conditions import Conditions, Goal, Question
from counterpoint.evidence.places import Place, Places, Statement, checked_granules, chosen, places_of, statements
from counterpoint.evidence.regions import Region, Values, region
from counterpoint.evidence.runs import Claims, FactsHold
from counterpoint.program.model import Program
from counterpoint.semantics.components import Component
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.encodings import FACTS, GRANULES, HINTS, NAMES, TRUTH, Encodings, Hints, counted
from counterpoint.semantics.facts import (
    MAX_INSTANCES,
    Fact,
    array_indices,
    block_choices,
    block_indices,
    is_about_blocks,
)
from counterpoint.semantics.granules import with_granules
from counterpoint.semantics.summary import blocks_placed
from counterpoint.term import build
from counterpoint.term.term import Term, V

T = TypeVar("T")
Facts = Mapping[Place, Sequence[Statement]]


@dataclass(frozen=True, slots=True)
class Setting:
    """The program's places and the certificate's facts, for one choice of granules."""

    places: Places
    facts: Facts
    granules: dict[str, int]
    budget: Budget

    def needed(self, place: Place) -> dict[Term, Component]:
        """The components that the facts at the place are about."""
        return {v: c for statement in self.facts.get(place, ()) for v, c in statement.needs.items()}


@dataclass(frozen=True, slots=True)
class InductiveInvariants(Certificate):
    """`facts` at cut points, joined per place; at block 0 of a function that calls do not walk through (recursion) they
    are what all its calls fulfil, at its EXIT what it leaves behind: its contract. `granules` are the array elements'
    sizes in bytes by origin (World.granules), which the names and sorts of array components depend on; `contracts` are
    functions whose calls go by contract though they could be walked through; with `frames`, regions go on past loops
    (semantics/framing.py). Each choice of these is as good. `hints`: which hypotheses may be enough for goals."""

    preparation: str
    facts: tuple[Fact, ...]
    granules: tuple[tuple[str, int], ...] = ()
    contracts: tuple[str, ...] = ()
    frames: bool = False
    hints: Hints = ()

    kinds: ClassVar[tuple[str, ...]] = ("inductive-invariants", "function-summaries")
    encodings: ClassVar[Encodings] = {
        "granules": GRANULES, "facts": FACTS, "contracts": NAMES, "frames": TRUTH, "hints": HINTS
    }

    def described(self) -> tuple[str, str]:
        contracts = any(fact.block in (0, EXIT) for fact in self.facts)
        return "invariants and contracts of functions" if contracts else "inductive invariants", counted(self.facts)

    def said(self) -> tuple[Fact, ...]:
        return self.facts

    def conditions(self, program: Program, budget: Budget, apart: bool) -> Conditions:
        """Raises EvidenceRejected for facts without a meaning, OutOfBudget, and Unsupported where the program has no
        cut points or no arrays of a common element size."""

        def build_all(setting: Setting) -> Conditions:
            built = [region(setting.places, s, setting.needed, setting.granules, budget) for s in setting.places.starts]
            return joint([region_question(setting, r, claims=True) for r in built], built, self.hints)

        whole = chosen(program, self.contracts)
        return over_setting(whole, self.facts, self.granules, budget, build_all, frames=self.frames)

    def claims(self, program: Program) -> Claims:
        places = places_of(chosen(program, self.contracts))
        return FactsHold(places, statements(places, self.facts, checked_granules(self.granules)))


CERTIFICATE = InductiveInvariants


def joint(questions: Iterable[Question], regions: Iterable[Region], hints: Hints = ()) -> Conditions:
    asked = tuple(questions)
    return Conditions(asked, sum(len(q.goals) for q in asked), sum(r.instructions for r in regions), hints)


def over_setting(
    program: Program,
    facts: Iterable[Fact],
    granules: Iterable[tuple[str, int]],
    budget: Budget,
    make: Callable[[Setting], T],
    also: Iterable[Place] = (),
    frames: bool = False,
) -> T:
    """What `make` gives once all regions, which also end at `also`, agree on the element sizes of arrays."""
    facts, places, stated = tuple(facts), places_of(program, also, frames), checked_granules(granules)

    def attempt(sizes: dict[str, int]) -> T:
        return make(Setting(places, statements(places, facts, sizes), sizes, budget))

    return with_granules(attempt, stated, agreed=True)


# ---------------------------------------------------------------- one region


def region_question(setting: Setting, r: Region, *, claims: bool) -> Question:
    """The region keeps the facts and, with `claims`, nothing forbidden happens in it."""
    hypotheses, after, exact = assumed(setting, r, r.begin)
    goals = [Goal(what, build.and_(violated, after[earlier])) for what, violated, earlier in _kept(setting, r)]
    if claims:
        goals += claimed(r, after)
    formulas = [*hypotheses, *(goal.violated for goal in goals)]
    known = (*hypotheses, *r.axioms(formulas), *arbitrary_blocks(setting, r, formulas))
    return Question(setting.places.name(r.start), known, tuple(goals), exact)


def arbitrary_blocks(setting: Setting, r: Region, formulas: Sequence[V]) -> list[V]:
    """Where blocks lie that begin at a ghost of a fact about blocks."""
    facts = [s for group in setting.facts.values() for s in group if is_about_blocks(s.formula)]
    ghosts = tuple(dict.fromkeys(g for statement in facts for g in statement.ghosts))
    return blocks_placed(r.world, ghosts, block_indices(formulas)) if ghosts else []


def claimed(r: Region, after: Sequence[V]) -> list[Goal]:
    """The region's claims; `after[n]` may be used where n calls are over."""
    return [Goal(claim.what, build.and_(claim.formula, after[claim.earlier])) for claim in r.claims]


def _kept(setting: Setting, r: Region) -> Iterable[tuple[str, V, int]]:
    """The facts to be shown: (what, how it is violated, calls that are over)."""
    for arrival in r.arrivals:
        name = setting.places.name(arrival.target)
        for statement in setting.facts.get(arrival.target, ()):
            yield f"a fact at {name}", _violated(arrival.guard, statement, arrival.values), arrival.earlier
    for number, call in enumerate(r.calls):
        for statement in setting.facts.get(call.entry, ()):
            yield f"a fact at {setting.places.name(call.entry)}", _violated(call.guard, statement, call.before), number


def _violated(guard: V, statement: Statement, values: Values) -> V:
    """The fact is false, or it cannot be said: then no run may get there. Ghosts are arbitrary constants."""
    if not statement.covered(values):
        return guard
    return build.and_(guard, build.not_(statement.of(values)))


def assumed(setting: Setting, r: Region, begin: Values) -> tuple[list[V], list[V], bool]:
    """(facts at the start; conjunctions of the postconditions of the first 0, 1, 2, ... calls; exact).

    Facts with ghosts are assumed for the ghosts themselves, which are the goals', and for the indices of array
    accesses; postconditions about what the caller cannot see are left out.
    """
    facts = setting.facts
    used = [facts.get(r.start, ()), *(facts.get(call.behind, ()) for call in r.calls)]
    ghosts = dict.fromkeys(g for group in facts.values() for statement in group for g in statement.ghosts)
    indices = Indices((*ghosts,))
    exact = True
    if any(statement.ghosts for group in used for statement in group):
        exact = False
        said, bits = _said(setting, r, begin), setting.places.program.layout.pointer_bits
        indices = Indices((*ghosts,), tuple(array_indices(said, bits)), tuple(block_indices(said, chosen=True)))
    hypotheses = [v for statement in used[0] for v in _known(statement, begin, indices)]
    after: list[V] = [1]
    for call, group in zip(r.calls, used[1:], strict=True):
        seen = [statement for statement in group if statement.covered(call.after)]
        exact = exact and len(seen) == len(group)
        known = build.conjunction([v for statement in seen for v in _known(statement, call.after, indices)])
        after.append(build.and_(after[-1], build.implies(call.guard, known)))
    return [v for v in hypotheses if v != 1], after, exact


@dataclass(frozen=True, slots=True)
class Indices:
    """For which values of their ghosts facts are assumed: the ghosts of all facts, the indices of array accesses, or,
    where they are about blocks, of accesses to liveness."""

    ghosts: tuple[V, ...]
    others: tuple[V, ...] = ()
    starts: tuple[V, ...] = ()

    def choices(self, statement: Statement) -> Iterable[tuple[V, ...]]:
        """At most MAX_INSTANCES."""
        number = len(statement.ghosts)
        if is_about_blocks(statement.formula):
            return block_choices(number, self.ghosts, self.starts)
        return islice(product((*self.ghosts, *self.others), repeat=number), MAX_INSTANCES)


def _known(statement: Statement, values: Values, indices: Indices) -> Iterable[V]:
    return statement.instances(values, indices.choices(statement)) if statement.covered(values) else ()


def _said(setting: Setting, r: Region, begin: Values) -> list[V]:
    """The formulas whose array accesses say for which indices facts with ghosts are of use."""
    formulas = [v for _, v, _ in _kept(setting, r)] + [claim.formula for claim in r.claims]
    formulas += [s.of(begin) for s in setting.facts.get(r.start, ()) if not s.ghosts and s.covered(begin)]
    return [*formulas, *r.world.axioms]
