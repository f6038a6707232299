"""What is inductive of what is guessed about a driver's program, and the check of it by other means.

Guesses come from the sources of `invariants`, about loops and functions below, and from samples of calls about what
the driver shows (`inference`). Houdini keeps what is inductive together; a process that has not seen it checks the
result: a proof about returns, so that what may go wrong inside the call is none of its business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import ClassVar, Final

from counterpoint import inference
from counterpoint.contracts.elements import element_facts
from counterpoint.contracts.views import DRIVER, Seen, View
from counterpoint.core.budget import Budget
from counterpoint.core.closure import reached
from counterpoint.core.errors import EvidenceRejected, OutOfBudget, Unsupported
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
from counterpoint.semantics.facts import Fact, ghosts
from counterpoint.solver.answers import Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import size, substitute, variables

MOST_PER_PLACE: Final = 150
"""Guesses per place and source of the program's own kind that are tried."""

LAST_STAGE: Final = 2
"""Of the sources of guesses; those of later stages are dear."""

RECORDING: Final = RecordingLimits(visits=400, runs=1_200, seconds=1.5)

LEARNING_SECONDS: Final = 4.0

MOST_SPLITS: Final = 48
"""Conditions on inputs under which more may hold."""

SOURCE_SECONDS: Final = 1.0

PRUNING_SECONDS: Final = 0.5
"""For one question whether a clause follows from others."""

TOGETHER: Final = 0.6
"""Of the time for checking, for all facts together."""

MOST_CLAUSES: Final = 60
"""Clauses of a view that are looked through for what follows from others."""


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
    """One program with views; `houdini` holds what is proved by now."""

    graph: CutGraph
    views: Sequence[View]
    budget: Budget
    seed: int = 0
    snapshots: Snapshots = field(default_factory=Snapshots)
    houdini: Houdini = field(init=False)
    likely: list[tuple[View, inference.Likely]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.houdini = Houdini(self.graph, self.budget, seed=self.seed)

    # ------------------------------------------------------------ finding

    def find(self, function: str) -> None:
        """Guesses and proves, until the budget is used up; what is proved by then is kept."""
        with suppress(OutOfBudget):
            self.snapshots = record(self.graph.program, self.graph.cuts, self.graph.granules, limits=RECORDING)
            self._learn(function)
            if not self._needs_invariants():
                self._extend(self._wanted(function), 1 / 2)
                return
            for stage in range(LAST_STAGE + 1):
                self._extend(self.guessed(stage), 1 / 3)
                if stage == 0:
                    for group in self._about_elements(function):
                        self._extend(group, 1 / 2)
                self._extend(self._wanted(function), 1 / 3)
                if all(fact in self.proved() for fact in self._wanted(function)):
                    return

    def _extend(self, guessed: Iterable[Fact], share: float) -> None:
        """Keeps what is inductive of the guesses, within a share of the time that is left."""
        found = surviving(dict.fromkeys(guessed), self.snapshots)
        self.houdini.extend(found, self.budget.remaining() * share)

    def _needs_invariants(self) -> bool:
        """There are loops or calls by contract besides those of views."""
        views = {view.name for view in self.views}
        return any(function not in views for function, _ in self.graph.cuts)

    def _learn(self, function: str) -> None:
        """What held on all samples of what is shown, also where an input is compared with one of the function's
        numbers."""
        program = self.graph.program
        below = reached(function, lambda one: callees(program.functions[one]) if one in program.functions else ())
        own = {name: body for name, body in program.functions.items() if name in below}
        numbers = frozenset(constants(replace(program, functions=own))) - {0, 1}
        options = inference.Options(numbers=numbers, splits=MOST_SPLITS)
        for view in self.views:
            table = self._table(view)
            if table is not None:
                limit = Budget(min(LEARNING_SECONDS, self.budget.remaining() / 4))
                self.likely += ((view, one) for one in inference.infer(table, options, limit))

    def _wanted(self, function: str) -> list[Fact]:
        """The facts at views, and the same at the function's end where it can say them."""
        found: dict[Fact, None] = {}
        for view, one in self.likely:
            if self._is_about_inputs(view, one.formula):
                continue
            found[Fact(view.name, 0, one.formula)] = None
            inside = self._inside(view, one.formula, function)
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
            yield from element_facts(self.graph, function, view, self.names(view), ())
        for view in arrays:
            some = [one for other, one in self.likely if other is view and not self._is_about_inputs(view, one.formula)]
            for conditional in (False, True):
                formulas = [one.formula for one in some if (one.condition is not None) is conditional]
                yield from islice(element_facts(self.graph, function, view, self.names(view), formulas), 2, None)
                if formulas and Fact(view.name, 0, formulas[0]) in self.proved():
                    break

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

    def undecided(self) -> bool:
        """What was not proved may hold all the same."""
        return self._needs_invariants() or self.houdini.statistics.gave_up > 0 or self.budget.remaining() <= 0

    # ------------------------------------------------------------ samples

    def names(self, view: View) -> dict[Term, Seen]:
        """The values of a view by their variables."""
        body, bits = self.graph.program.functions.get(view.name), self.graph.program.layout.pointer_bits
        if body is None:
            return {}
        variables_ = [variable_of(RegisterValue(view.name, one), bits) for one in body.parameters]
        return dict(zip(variables_, view.values, strict=True)) if len(variables_) == len(view.values) else {}

    def calls(self, view: View) -> int:
        return len(self.snapshots.at.get((view.name, 0), ()))

    def _table(self, view: View) -> Table | None:
        names = {v: seen for v, seen in self.names(view).items() if _is_number(v)}
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

    def confirmed(self, facts: Sequence[Fact], program: Program, budget: Budget) -> tuple[frozenset[Fact], str]:
        """Those of the proved facts that other means confirm, and why not all: where all together take too long, those
        that speak of no array's elements are tried."""
        if not facts:
            return frozenset(), ""
        plain = [fact for fact in facts if not ghosts(fact.formula)]
        share = 1.0 if len(plain) == len(facts) else TOGETHER
        why = self.unchecked(facts, program, budget.share(share))
        if not why:
            return frozenset(facts), ""
        if plain and len(plain) < len(facts) and not self.unchecked(plain, program, budget):
            return frozenset(plain), why
        return frozenset(), why

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


# ---------------------------------------------------------------- what is worth saying


def essential(formulas: Sequence[V], known: Sequence[V], budget: Budget) -> list[V]:
    """Formulas that together with what is `known` imply the others, the simplest first; where a solver does not answer,
    the formula stays."""
    kept: list[V] = []
    solver = backend("bitwuzla").connect(Settings())
    try:
        for formula in known:
            solver.add(formula)
        for formula in sorted(dict.fromkeys(formulas), key=_plainness)[:MOST_CLAUSES]:
            if budget.remaining() <= 0:
                break
            seconds = min(PRUNING_SECONDS, budget.remaining())
            if not isinstance(solver.check([build.not_(formula)], seconds), Unsat):
                solver.add(formula)
                kept.append(formula)
    finally:
        solver.close()
    return _without_repetitions(kept, known, budget)


def follows(formula: V, known: Sequence[V], budget: Budget) -> bool:
    """Whether what is known implies the formula; not where a solver does not answer, or no time is left."""
    if budget.remaining() <= 0:
        return False
    solver = backend("bitwuzla").connect(Settings())
    try:
        for other in known:
            solver.add(other)
        return isinstance(solver.check([build.not_(formula)], min(PRUNING_SECONDS, budget.remaining())), Unsat)
    finally:
        solver.close()


def _without_repetitions(formulas: list[V], known: Sequence[V], budget: Budget) -> list[V]:
    """Without those that the rest implies, looked at from the last one."""
    left = list(formulas)
    for formula in reversed(formulas):
        if budget.remaining() <= 0 or len(left) == 1:
            break
        if follows(formula, (*known, *(one for one in left if one is not formula)), budget):
            left.remove(formula)
    return left


def _plainness(formula: V) -> tuple[int, int, int]:
    """Equations first, then short ones."""
    if not isinstance(formula, Term):
        return 0, 0, 0
    kind = 0 if formula.op is Op.EQ else 1 if formula.op is not Op.NOT else 2
    return kind, size(formula), formula.index
