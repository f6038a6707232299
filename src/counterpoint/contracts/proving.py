"""What is inductive of what is guessed about a driver's program, and the check of it by other means.

Guesses come from the sources of `invariants`, about loops and functions below, and from samples of calls about what
the driver shows (`inference`). Houdini keeps what is inductive together; a process that has not seen it checks the
result: a proof about returns, so that what may go wrong inside the call is none of its business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from itertools import islice
from typing import ClassVar, Final

from counterpoint import inference
from counterpoint.contracts.cases_seen import Guess, cases
from counterpoint.contracts.computed import computed
from counterpoint.contracts.elements import element_facts
from counterpoint.contracts.views import DRIVER, Seen, View
from counterpoint.contracts.way_out import way_out
from counterpoint.core.budget import Budget
from counterpoint.core.closure import reached
from counterpoint.core.errors import EvidenceRejected, OutOfBudget, Unsupported
from counterpoint.core.records import dataclass
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.conditions import Conditions
from counterpoint.evidence.induction import InductiveInvariants, Setting, joint, over_setting, region_question
from counterpoint.evidence.places import chosen
from counterpoint.evidence.proof import EvidenceUnchecked, check_proof
from counterpoint.evidence.regions import region
from counterpoint.evidence.runs import Claims
from counterpoint.execute.snapshots import RecordingLimits, Snapshots, constants, record
from counterpoint.execute.subject import MODULAR
from counterpoint.inference import Column, Role
from counterpoint.inference.confidence import Hypothesis, confidence
from counterpoint.inference.table import Table
from counterpoint.invariants import candidates as guesses
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import surviving
from counterpoint.invariants.houdini import Houdini
from counterpoint.program.graph import callees
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import CutGraph, Place, cut_graph
from counterpoint.semantics.components import RegisterValue, ResultValue, variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.encodings import FACTS, GRANULES, NAMES, Encodings
from counterpoint.semantics.facts import Fact, ghosts, is_about_blocks
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import substitute, variables

MOST_PER_PLACE: Final = 150
"""Guesses per place and source of the program's own kind that are tried."""

LAST_STAGE: Final = 3
"""Of the sources of guesses; those of later stages are dear."""

RECORDING: Final = RecordingLimits(visits=400, runs=1_200, seconds=1.5)

MOST_BODIES: Final = 16
"""What is tried of an array's elements, each with its conditions."""

LEARNING_SECONDS: Final = 4.0

MOST_SPLITS: Final = 48
"""Conditions on inputs under which more may hold."""

SOURCE_SECONDS: Final = 1.0

PLAIN_SHARE: Final = 0.4
"""Of the time for checking, for the facts about no array's elements."""

SURE: Final = 0.99
"""What is less sure by its samples is not told, and nothing is asked about it."""

ENOUGH, LIKELY_OF_ELEMENTS = 40, 0.9
"""Samples of elements from which something may be said of all, and how sure it has to be by these."""

_WEAKER: Final = frozenset({"non-zero", "sign"})
"""Templates of what is learned although it may follow: more may be likely than what is inductive."""

_TELLING: Final = frozenset({"constant", "equality", "order", "sign", "polynomial"})
"""Templates of what is asked about: others hold by chance of small samples."""


@dataclass(frozen=True, slots=True)
class AtReturns(Certificate):
    """The facts are inductive: they hold on every run, as far as it gets. Says nothing of checks inside."""

    preparation: str
    facts: tuple[Fact, ...]
    granules: tuple[tuple[str, int], ...] = ()
    contracts: tuple[str, ...] = ()

    kinds: ClassVar[tuple[str, ...]] = ("contract",)
    encodings: ClassVar[Encodings] = {"granules": GRANULES, "facts": FACTS, "contracts": NAMES}

    def described(self) -> tuple[str, str]:
        return "a contract", f"{len(self.facts)} facts"

    def conditions(self, program: Program, budget: Budget, apart: bool) -> Conditions:
        """As InductiveInvariants, without the claims that nothing fails."""

        def build_all(setting: Setting) -> Conditions:
            regions = [
                region(setting.places, start, setting.needed, setting.granules, budget)
                for start in setting.places.starts
            ]
            return joint([region_question(setting, r, claims=False) for r in regions], regions)

        return over_setting(chosen(program, self.contracts), self.facts, self.granules, budget, build_all)

    def claims(self, program: Program) -> Claims:
        return InductiveInvariants(self.preparation, self.facts, self.granules, self.contracts).claims(program)


@dataclass(slots=True)
class Proving:
    """One program with views; `houdini` holds what is proved by now; `computed` facts are as the code computes them."""

    graph: CutGraph
    views: Sequence[View]
    budget: Budget
    seed: int = 0
    snapshots: Snapshots = field(default_factory=Snapshots)
    houdini: Houdini = field(init=False)
    likely: list[tuple[View, inference.Likely]] = field(default_factory=list)
    guesses: dict[View, list[Guess]] = field(default_factory=dict)
    computed: set[Fact] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.houdini = Houdini(self.graph, self.budget, seed=self.seed)

    # ------------------------------------------------------------ finding

    def find(self, function: str) -> None:
        """Guesses and proves, until the budget is used up; what is proved by then is kept. Of views of which the code
        tells all, nothing is guessed."""
        with suppress(OutOfBudget):
            known = [(view, computed(self.graph, view, self.names(view), self.budget)) for view in self.views]
            self.computed = {fact for _, one in known for fact in one.facts}
            self._extend((fact for _, one in known for fact in one.facts), 1 / 3)
            told = {view for view, one in known if one.whole and all(fact in self.proved() for fact in one.facts)}
            open_ = [view for view in self.views if view not in told]
            if not open_:
                return
            self.snapshots = record(self.graph.program, self.graph.cuts, self.graph.granules, limits=RECORDING)
            self._learn(function, open_)
            wanted = self._wanted(function)
            if not self.needs_invariants():
                self._extend(wanted, 1 / 2)
                return
            for stage in range(LAST_STAGE + 1):
                self._extend(self.guessed(stage), 1 / 3)
                for group in self._about_elements(function) if stage < LAST_STAGE else ():
                    self._extend(group, 1 / 4)
                first = self.views[0]
                last = way_out(self.graph, function, first, self.names(first), self.houdini.facts)
                self._extend(list(last), 1 / 3)
                self._extend(wanted, 1 / 3)
                proved = self.proved()
                if all(fact in proved for fact in wanted):
                    return

    def _extend(self, guessed: Iterable[Fact], share: float) -> None:
        """Keeps what is inductive of the guesses, within a share of the time that is left."""
        found = surviving(dict.fromkeys(guessed), self.snapshots)
        self.houdini.extend(found, self.budget.remaining() * share)

    def needs_invariants(self) -> bool:
        """There are loops or calls by contract besides those of views."""
        views = {view.name for view in self.views}
        return any(function not in views for function, _ in self.graph.cuts)

    def _learn(self, function: str, views: Sequence[View]) -> None:
        """What held on all samples of what these show, also where an input is compared with one of the function's
        numbers, or under a condition on a result or an index."""
        program = self.graph.program
        below = reached(function, lambda one: callees(program.functions[one]) if one in program.functions else ())
        own = {name: body for name, body in program.functions.items() if name in below}
        numbers = frozenset(constants(replace(program, functions=own))) - {0, 1}
        options = inference.Options(numbers=numbers, splits=MOST_SPLITS)
        weaker = replace(options, implied=True, templates=_WEAKER)
        for view in views:
            table = self._table(view)
            if table is not None:
                limit = Budget(min(LEARNING_SECONDS, self.budget.remaining() / 4))
                found = [*inference.infer(table, options, limit), *inference.infer(table, weaker, limit)]
                by_formula = {one.formula: one for one in reversed(found)}
                self.likely += ((view, one) for one in found if by_formula[one.formula] is one)
            seen = self.snapshots.at.get((view.name, 0), ())
            self.guesses[view] = cases(view, self.names(view), seen, numbers)

    def _wanted(self, function: str) -> list[Fact]:
        """The facts at views, and the same at the function's end where it can say them."""
        found: dict[Fact, None] = {}
        said: list[tuple[View, V]] = [(view, one.formula) for view, one in self.likely]
        said += [(view, guess.formula) for view, some in self.guesses.items() for guess in some]
        for view, formula in said:
            if self._is_about_inputs(view, formula):
                continue
            found[Fact(view.name, 0, formula)] = None
            inside = self._inside(view, formula, function)
            if inside is not None:
                found[inside] = None
        return surviving(found, self.snapshots)

    def _is_about_inputs(self, view: View, formula: V) -> bool:
        """It says nothing of what the call leaves."""
        names = self.names(view)
        return all(names[v].old or names[v].argument for v in variables(formula) if v in names)

    def _about_elements(self, function: str) -> Iterator[list[Fact]]:
        """Guesses about arrays in the function, in groups: what all of them are and what stays as it was; what held of
        their elements, under a condition where nothing else did."""
        if function not in self.graph.program.functions:
            return
        arrays = [view for view in self.views if view.array]
        for view in arrays:
            bodies = [[guess] for guess in self.guesses.get(view, ())]
            yield from islice(element_facts(self.graph, self.snapshots, function, view, self.names(view), bodies), 2)
        for view in arrays:
            by_body: dict[V, list[Guess]] = {}
            for guess in self._learned(view):
                by_body.setdefault(guess.body, []).append(guess)
            proved = self.proved()
            left = [some for some in by_body.values() if not self._settled(view, some, proved)]
            names, left = self.names(view), left[:MOST_BODIES]
            yield from islice(element_facts(self.graph, self.snapshots, function, view, names, left), 2, None)

    @staticmethod
    def _settled(view: View, some: Sequence[Guess], proved: set[Fact]) -> bool:
        return all(Fact(view.name, 0, guess.formula) in proved for guess in some)

    def _learned(self, view: View) -> Iterator[Guess]:
        """What held of an array's elements, as the learner and the cases have it."""
        learned = [one for other, one in self.likely if other is view and not self._is_about_inputs(view, one.formula)]
        yield from (Guess(1, 1, one.formula) for one in learned if one.condition is None)
        yield from self.guesses.get(view, ())
        yield from (Guess(1, 1, one.formula) for one in learned if one.condition is not None)

    def unproved(self) -> list[tuple[View, V]]:
        """What held of views in all samples and was not proved, the likeliest first: what is said of all calls, then
        what is said under a condition."""
        ranked: list[tuple[int, View, V]] = []
        for view in self.views:
            guessed = self.guesses.get(view, ())
            ranked += [(0 if guess.index == 1 and guess.result == 1 else 2, view, guess.formula) for guess in guessed]
        for view, one in self.likely:
            if one.confidence >= SURE and one.template in _TELLING:
                ranked.append((1 if one.condition is None else 3, view, one.formula))
        ranked.sort(key=lambda entry: entry[0])
        proved = self.proved()
        found = [(view, formula) for _, view, formula in ranked if Fact(view.name, 0, formula) not in proved]
        return [(view, formula) for view, formula in dict.fromkeys(found) if not self._is_about_inputs(view, formula)]

    def _inside(self, view: View, formula: V, function: str) -> Fact | None:
        """The fact at the end of the function, over its parameters and results."""
        place = (function, EXIT)
        if place not in self.graph.cuts:
            return None
        body, bits = self.graph.program.functions[function], self.graph.program.layout.pointer_bits
        named = {one.name: one for one in body.parameters}
        known: dict[Term, V] = {}
        for variable, seen in self.names(view).items():
            if seen.argument and seen.text in named:
                known[variable] = variable_of(RegisterValue(function, named[seen.text]), bits)
            elif seen.text == "\\result" and len(body.results) == 1:
                known[variable] = variable_of(ResultValue(function, 0, body.results[0]), bits)
        used = variables(formula)
        if any(v not in known or getattr(known[v], "sort", None) is not v.sort for v in used):
            return None
        return Fact(*place, substitute(formula, {v: known[v] for v in used}))

    def guessed(self, stage: int) -> Iterator[Fact]:
        views = {view.name for view in self.views} | {DRIVER}
        context = Context(self.graph, self.snapshots, self.budget, self.seed)
        count: dict[Place, int] = {}
        for source in guesses.sources():
            if source.stage != stage:
                continue
            limit = Budget.of_computing(min(SOURCE_SECONDS, 0.1 * self.budget.remaining()))
            with suppress(OutOfBudget):
                for fact in source.candidates(replace(context, budget=limit)):
                    count[fact.place] = count.get(fact.place, 0) + 1
                    if fact.function not in views and count[fact.place] <= MOST_PER_PLACE:
                        yield fact
            self.budget.spend()

    def proved(self) -> set[Fact]:
        return {fact for facts in self.houdini.facts.values() for fact in facts}

    def of_accesses(self) -> list[Fact]:
        """The proved facts that may tell whether accesses are valid: none about an array's elements."""
        every = (fact for facts in self.houdini.facts.values() for fact in facts)
        return [fact for fact in every if not ghosts(fact.formula) or is_about_blocks(fact.formula)]

    def undecided(self) -> bool:
        """What was not proved may hold all the same."""
        return self.needs_invariants() or self.houdini.statistics.gave_up > 0 or self.budget.remaining() <= 0

    # ------------------------------------------------------------ samples

    def names(self, view: View) -> dict[Term, Seen]:
        """The values of a view by their variables."""
        body, bits = self.graph.program.functions.get(view.name), self.graph.program.layout.pointer_bits
        if body is None:
            return {}
        variables_ = [variable_of(RegisterValue(view.name, one), bits) for one in body.parameters]
        return dict(zip(variables_, view.values, strict=True)) if len(variables_) == len(view.values) else {}

    def is_sure(self, view: View, formula: Term) -> bool:
        """It held in all samples, and not by chance as far as these tell (inference/confidence.py)."""
        used = variables(formula)
        snapshots = self.snapshots.at.get((view.name, 0), ())
        rows = [[one.values[v] for v in used] for one in snapshots if all(v in one.values for v in used)]
        if len(rows) < ENOUGH:
            return False
        table = inference.table_of([Column(v, Role.PLACE) for v in used], rows).distinct()
        return confidence(Hypothesis(formula), table, table.count) >= LIKELY_OF_ELEMENTS

    def calls(self, view: View) -> int:
        return len(self.snapshots.at.get((view.name, 0), ()))

    def _table(self, view: View) -> Table | None:
        names = {v: seen for v, seen in self.names(view).items() if _is_number(v) and _is_learned(view, seen)}
        before = {seen.text: v for v, seen in names.items() if seen.old}
        snapshots = self.snapshots.at.get((view.name, 0), ())
        rows = [[one.values[v] for v in names] for one in snapshots if all(v in one.values for v in names)]
        if not names or not rows:
            return None
        columns = []
        for variable, seen in names.items():
            given = seen.old or seen.argument
            old = None if given else before.get(seen.text)
            role = Role.INPUT if given else Role.OUTPUT
            columns.append(Column(variable, role, pointer=seen.pointer, old=old, assigned=old is not None))
        return inference.table_of(columns, rows)

    # ------------------------------------------------------------ answers

    def at(self, place: Place) -> list[Fact]:
        return list(self.houdini.facts.get(place, ()))

    def confirmed(self, facts: Iterable[Fact], program: Program, budget: Budget) -> tuple[frozenset[Fact], str]:
        """Those of the proved facts that other means confirm, and why not all: first those that speak of no array's
        elements, which are quick, then all together."""
        facts = list(facts)
        plain = [fact for fact in facts if not ghosts(fact.formula) and not self._is_of_array(fact)]
        sure: frozenset[Fact] = frozenset()
        if plain and len(plain) < len(facts):
            sure = frozenset(plain) if not self.unchecked(plain, program, budget.share(PLAIN_SHARE)) else sure
        if len(sure) < len(facts):
            why = self.unchecked(facts, program, budget)
            return (sure, why) if why else (frozenset(facts), "")
        return sure, ""

    def _is_of_array(self, fact: Fact) -> bool:
        return any(view.array and view.name == fact.function for view in self.views)

    def unchecked(self, facts: Iterable[Fact], program: Program, budget: Budget) -> str:
        """Why other means do not confirm these proved facts; "" where they do."""
        try:
            needed = self.houdini.support(facts)
        except OutOfBudget:
            needed = [fact for some in self.houdini.facts.values() for fact in some]
        granules = tuple(sorted(self.graph.granules.items()))
        certificate = AtReturns(MODULAR, tuple(needed), granules, program.contracts)
        try:
            check_proof(program, certificate, budget)
        except EvidenceUnchecked as late:
            return f"its proof was not re-checked: {str(late).partition(':')[0]}"
        except EvidenceRejected as wrong:
            return f"its proof was refused: {wrong}"
        return ""

    def close(self) -> None:
        self.houdini.close()


def _is_learned(view: View, seen: Seen) -> bool:
    """What the learner is shown: in views of elements nothing that speaks of other places."""
    here = seen.argument or seen.result or seen.text.endswith(f"[{view.index}]")
    return here or not view.array


def _is_number(variable: Term) -> bool:
    return variable.sort is BOOL or (isinstance(variable.sort, BitVec) and variable.sort.width <= 64)


def proving(program: Program, views: Sequence[View], budget: Budget, seed: int = 0) -> Proving:
    """Raises OutOfBudget and Unsupported as cut_graph does."""
    return Proving(cut_graph(program, budget), views, budget, seed)


def proves_valid(program: Program, facts: Iterable[Fact], budget: Budget) -> bool:
    """Whether no check of the program can fail where those of the facts hold that are inductive in it, as other means
    confirm."""
    try:
        houdini = Houdini(cut_graph(program, budget), budget)
    except (OutOfBudget, Unsupported):
        return False
    try:
        houdini.extend(facts, budget.remaining() / 3)
        if houdini.open_regions(budget.remaining() / 3):
            return False
        granules = tuple(sorted(houdini.graph.granules.items()))
        certificate = InductiveInvariants(MODULAR, tuple(houdini.needed()), granules, program.contracts)
        check_proof(program, certificate, budget)
    except (OutOfBudget, EvidenceUnchecked, EvidenceRejected):
        return False
    finally:
        houdini.close()
    return True
